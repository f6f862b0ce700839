#include "common/config.h"

#include <stdlib.h>
#include <string.h>

#include "common/quantity.h"

struct config {
    struct config_value *values; /* in the order of key_table */
};

const struct key *key_find(const char *name)
{
    for (size_t i = 0; i < key_table_count; i++)
        if (strcmp(key_table[i].name, name) == 0)
            return &key_table[i];
    return NULL;
}

static unsigned smallest(unsigned a, unsigned b, unsigned c)
{
    unsigned d = a < b ? a : b;

    return d < c ? d : c;
}

unsigned spelling_tolerance(const char *name)
{
    return (unsigned)strlen(name) / 3 + 1;
}

/* Levenshtein distance; long names are far from everything. */
unsigned spelling_distance(const char *a, const char *b)
{
    unsigned row[80];
    size_t columns = strlen(b);

    if (columns >= sizeof(row) / sizeof(row[0]) || strlen(a) >= sizeof(row) / sizeof(row[0]))
        return 1000;
    for (unsigned j = 0; j <= columns; j++)
        row[j] = j;
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            unsigned above = row[j];
            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[columns];
}

const char *key_nearest(const char *name)
{
    const char *best = NULL;
    unsigned best_distance = spelling_tolerance(name) + 1;

    for (size_t i = 0; i < key_table_count; i++) {
        unsigned distance = spelling_distance(name, key_table[i].name);
        if (distance < best_distance) {
            best_distance = distance;
            best = key_table[i].name;
        }
    }
    return best;
}

static uint64_t parsed(const struct key *key, const char *text)
{
    uint64_t value = 0;

    if (key->type == KEY_CHOICE) {
        while (strcmp(key->choices[value], text))
            value++;
        return value;
    }
    if (quantity_parse(key->type, text, &value) != QUANTITY_OK)
        abort(); /* a mistake in the table itself */
    return value;
}

struct config *config_create(void)
{
    struct config *config = calloc(1, sizeof(*config));

    if (!config)
        abort();
    config->values = calloc(key_table_count, sizeof(*config->values));
    if (!config->values)
        abort();
    for (size_t i = 0; i < key_table_count; i++) {
        config->values[i].value = parsed(&key_table[i], key_table[i].standard);
        config->values[i].origin = ORIGIN_DEFAULT;
    }
    return config;
}

struct config *config_copy(const struct config *config)
{
    struct config *copy = config_create();

    for (size_t i = 0; i < key_table_count; i++) {
        copy->values[i] = config->values[i];
        if (copy->values[i].source)
            copy->values[i].source = strdup(copy->values[i].source);
    }
    return copy;
}

void config_destroy(struct config *config)
{
    if (!config)
        return;
    for (size_t i = 0; i < key_table_count; i++)
        free(config->values[i].source);
    free(config->values);
    free(config);
}

static bool parse_choice(const struct key *key, const char *text, uint64_t *value, const struct error_place *place,
                         struct error_list *errors)
{
    char allowed[256] = "";

    for (*value = 0; key->choices[*value]; ++*value) {
        if (strcmp(key->choices[*value], text) == 0)
            return true;
        if (*value)
            strncat(allowed, ", ", sizeof(allowed) - strlen(allowed) - 1);
        strncat(allowed, key->choices[*value], sizeof(allowed) - strlen(allowed) - 1);
    }
    error_add(errors, place, "%s: \"%s\" is not possible; it is one of %s", key->name, text, allowed);
    return false;
}

static bool parse_quantity(const struct key *key, const char *text, uint64_t *value, const struct error_place *place,
                           struct error_list *errors)
{
    switch (quantity_parse(key->type, text, value)) {
    case QUANTITY_OK:
        return true;
    case QUANTITY_NOT_A_NUMBER:
    case QUANTITY_WRONG_UNIT:
        if (key->type == KEY_COUNT || key->type == KEY_BOOL)
            error_add(errors, place, "%s: \"%s\" is not understood; write %s", key->name, text,
                      quantity_units(key->type));
        else
            error_add(errors, place, "%s: \"%s\" has no known unit; write a number with %s", key->name, text,
                      quantity_units(key->type));
        return false;
    case QUANTITY_NOT_WHOLE:
        error_add(errors, place, "%s: \"%s\" is finer than the smallest unit", key->name, text);
        return false;
    default:
        error_add(errors, place, "%s: \"%s\" is too large; %s to %s are possible", key->name, text, key->least,
                  key->most);
        return false;
    }
}

static bool within_bounds(const struct key *key, const char *text, uint64_t value, const struct error_place *place,
                          struct error_list *errors)
{
    if (key->type == KEY_BOOL || key->type == KEY_CHOICE)
        return true;
    if (value >= parsed(key, key->least) && value <= parsed(key, key->most))
        return true;
    error_add(errors, place, "%s: \"%s\" is out of bounds; %s to %s are possible", key->name, text, key->least,
              key->most);
    return false;
}

bool config_set(struct config *config, const char *name, const char *text, enum origin_kind origin, const char *source,
                const struct error_place *place, struct error_list *errors)
{
    const struct key *key = key_find(name);
    struct config_value *slot;
    uint64_t value;

    if (!key) {
        const char *near = key_nearest(name);
        if (near)
            error_add(errors, place, "unknown key \"%s\"; did you mean \"%s\"?", name, near);
        else
            error_add(errors, place, "unknown key \"%s\"; `dmasim explain` lists all", name);
        return false;
    }
    if (!(key->type == KEY_CHOICE ? parse_choice : parse_quantity)(key, text, &value, place, errors) ||
        !within_bounds(key, text, value, place, errors))
        return false;
    slot = &config->values[key - key_table];
    slot->value = value;
    slot->origin = origin;
    free(slot->source);
    slot->source = source ? strdup(source) : NULL;
    return true;
}

const struct config_value *config_value(const struct config *config, const char *name)
{
    const struct key *key = key_find(name);

    if (!key)
        abort();
    return &config->values[key - key_table];
}

uint64_t config_get(const struct config *config, const char *name)
{
    return config_value(config, name)->value;
}

char *config_format(const struct key *key, uint64_t value, char *buffer, size_t bytes)
{
    if (key->type == KEY_CHOICE)
        strncpy(buffer, key->choices[value], bytes - 1);
    else
        quantity_format(key->type, value, buffer, bytes);
    return buffer;
}
