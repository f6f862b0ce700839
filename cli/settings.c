#include "cli/settings.h"

#include <stdlib.h>
#include <string.h>

#include "common/config.h"
#include "common/quantity.h"

void settings_add(struct settings *settings, const char *name, const char *text, struct error_place place)
{
    settings->items = realloc(settings->items, (settings->count + 1) * sizeof(*settings->items));
    settings->items[settings->count++] = (struct setting){strdup(name), strdup(text), place};
}

void settings_copy(struct settings *to, const struct settings *from)
{
    for (size_t i = 0; i < from->count; i++)
        settings_add(to, from->items[i].name, from->items[i].text, from->items[i].place);
}

void settings_free(struct settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        free(settings->items[i].name);
        free(settings->items[i].text);
    }
    free(settings->items);
    *settings = (struct settings){0};
}

bool settings_add_argument(struct settings *settings, const char *argument, struct error_list *errors)
{
    const char *equals = strchr(argument, '=');
    char *name;

    if (!equals || equals == argument) {
        error_add(errors, NULL, "-s %s: write -s key=value", argument);
        return false;
    }
    name = strndup(argument, (size_t)(equals - argument));
    settings_add(settings, name, equals + 1, (struct error_place){.file = "-s"});
    free(name);
    return true;
}

bool parameter_parse(const struct setting *setting, uint64_t *value, struct error_list *errors)
{
    static const enum key_type types[] = {KEY_COUNT, KEY_BOOL, KEY_BYTES, KEY_TIME, KEY_FREQUENCY};

    bool too_large = false;

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        enum quantity_result result = quantity_parse(types[i], setting->text, value);
        if (result == QUANTITY_OK)
            return true;
        too_large |= result == QUANTITY_TOO_LARGE;
    }
    if (too_large) {
        error_add(errors, &setting->place, "parameter %s: \"%s\" is too large; less than 2^64 is possible",
                  setting->name, setting->text);
        return false;
    }
    error_add(errors, &setting->place,
              "parameter %s: \"%s\" is not understood; write a whole number, true or false, bytes (KiB, MiB, GiB) or a "
              "time (ps, ns, us, ms, s)",
              setting->name, setting->text);
    return false;
}

void settings_check(const struct settings *settings, struct error_list *errors)
{
    struct config *scratch = config_create();
    uint64_t value;

    for (size_t i = 0; i < settings->count; i++) {
        const struct setting *setting = &settings->items[i];
        if (strchr(setting->name, '.'))
            config_set(scratch, setting->name, setting->text, ORIGIN_SCENARIO, NULL, &setting->place, errors);
        else
            parameter_parse(setting, &value, errors);
    }
    config_destroy(scratch);
}
