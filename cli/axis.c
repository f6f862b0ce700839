#include "cli/axis.h"

#include <stdlib.h>
#include <string.h>

struct axis *axes_renew(struct axes *axes, const char *name)
{
    for (size_t i = 0; i < axes->count; i++)
        if (strcmp(axes->items[i].name, name) == 0) {
            settings_free(&axes->items[i].values);
            return &axes->items[i];
        }
    axes->items = realloc(axes->items, (axes->count + 1) * sizeof(*axes->items));
    axes->items[axes->count] = (struct axis){.name = strdup(name)};
    return &axes->items[axes->count++];
}

bool axes_add_argument(struct axes *axes, const char *argument, struct error_list *errors)
{
    struct error_place place = {.file = "--vary"};
    char *copy = strdup(argument), *equals = strchr(copy, '='), *rest = NULL, *value;
    struct axis *axis;

    if (!equals || equals == copy || !equals[1] || strstr(equals, ",,") || equals[1] == ',' ||
        copy[strlen(copy) - 1] == ',') {
        error_add(errors, NULL, "--vary %s: write --vary key=value,value,...", argument);
        free(copy);
        return false;
    }
    *equals = 0;
    axis = axes_renew(axes, copy);
    for (value = strtok_r(equals + 1, ",", &rest); value; value = strtok_r(NULL, ",", &rest))
        settings_add(&axis->values, copy, value, place);
    free(copy);
    return true;
}

void axes_check(const struct axes *axes, struct error_list *errors)
{
    struct error_list found = {0};

    for (size_t i = 0; i < axes->count; i++) {
        settings_check(&axes->items[i].values, &found);
        error_move_new(errors, &found); /* an unknown key of --vary is one problem, not one a value */
    }
}

void axes_copy(struct axes *to, const struct axes *from)
{
    for (size_t i = 0; i < from->count; i++) {
        struct axis *axis = axes_renew(to, from->items[i].name);
        for (size_t j = 0; j < from->items[i].values.count; j++) {
            const struct setting *value = &from->items[i].values.items[j];
            settings_add(&axis->values, value->name, value->text, value->place);
        }
    }
}

void axes_free(struct axes *axes)
{
    for (size_t i = 0; i < axes->count; i++) {
        free(axes->items[i].name);
        settings_free(&axes->items[i].values);
    }
    free(axes->items);
    *axes = (struct axes){0};
}
