#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fit.h"
#include "cli/platform_file.h"
#include "common/quantity.h"

/* --- rows --- */

static const struct fit_metric *metric_for(const struct scenario *scenario, const char *metric)
{
    for (size_t i = 0; i < scenario->fit_metric_count; i++)
        if (strcmp(scenario->fit_metrics[i].metric, metric) == 0)
            return &scenario->fit_metrics[i];
    return NULL;
}

static void add_row(struct fit *fit, const struct expectation *expectation)
{
    const struct fit_metric *other = metric_for(fit->scenario, expectation->metric);
    struct fit_row row = {.expectation = expectation, .metric = expectation->metric, .target = expectation->published};

    if (other) {
        row.metric = other->by;
        row.target += other->offset;
    }
    row.scale = expectation->tolerance > 0 ? expectation->tolerance : fmax(fabs(row.target) / 100, 1e-9);
    fit->rows = realloc(fit->rows, (fit->row_count + 1) * sizeof(*fit->rows));
    fit->rows[fit->row_count++] = row;
}

static char *row_name(const struct expectation *e)
{
    char *name = NULL;

    return asprintf(&name, "%s/%s/%s", e->case_name, e->variant, e->metric) < 0 ? NULL : name;
}

static void find_row(struct fit *fit, const char *name, struct error_list *errors)
{
    char *nearest = NULL;
    unsigned best = (unsigned)strlen(name) / 3 + 2;

    for (size_t i = 0; i < fit->scenario->expectation_count; i++) {
        const struct expectation *e = &fit->scenario->expectations[i];
        char *other = row_name(e);
        unsigned distance = spelling_distance(name, other);
        if (distance == 0) {
            add_row(fit, e);
            free(other);
            free(nearest);
            return;
        }
        if (distance < best) {
            best = distance;
            free(nearest);
            nearest = strdup(other);
        }
        free(other);
    }
    if (nearest)
        error_add(errors, NULL, "--rows: the scenario has no published value %s; did you mean \"%s\"?", name, nearest);
    else
        error_add(errors, NULL, "--rows: the scenario has no published value %s; write case/variant/metric", name);
    free(nearest);
}

static void choose_rows(struct fit *fit, const char *names, struct error_list *errors)
{
    char *copy = names ? strdup(names) : NULL, *rest = NULL;

    for (char *name = names ? strtok_r(copy, ",", &rest) : NULL; name; name = strtok_r(NULL, ",", &rest))
        find_row(fit, name, errors);
    for (size_t i = 0; !names && i < fit->scenario->expectation_count; i++)
        if (strcmp(fit->scenario->expectations[i].role, "fitted") == 0)
            add_row(fit, &fit->scenario->expectations[i]);
    if (fit->row_count == 0 && !names)
        error_add(errors, NULL, "%s: no published value has the role fitted; name some with --rows",
                  fit->scenario->name);
    free(copy);
}

bool fit_has_row(const struct fit *fit, const struct expectation *expectation)
{
    for (size_t i = 0; i < fit->row_count; i++)
        if (fit->rows[i].expectation == expectation)
            return true;
    return false;
}

/* --- keys --- */

static void add_tie(struct fit_key *key, const char *name)
{
    for (size_t i = 0; i < key->tie_count; i++)
        if (strcmp(key->ties[i], name) == 0)
            return;
    key->ties = realloc(key->ties, (key->tie_count + 1) * sizeof(*key->ties));
    key->ties[key->tie_count++] = strdup(name);
}

static void add_ties_of_platform(struct fit *fit, struct fit_key *key)
{
    for (size_t i = 0; i < key_table_count; i++) {
        char *tie = platform_tie(fit->platform, key_table[i].name);
        if (tie && strcmp(tie, key->key->name) == 0)
            add_tie(key, key_table[i].name);
        free(tie);
    }
}

/* NULL with a message: not a key that a number can be fitted for. */
static const struct key *free_key(const struct fit *fit, const char *name, struct error_list *errors)
{
    const struct key *key = key_find(name);
    const char *nearest = key_nearest(name);

    if (!key)
        error_add(errors, NULL,
                  nearest ? "--free: unknown key \"%s\"; did you mean \"%s\"?" : "--free: unknown key \"%s\"", name,
                  nearest);
    else if (key->type == KEY_BOOL || key->type == KEY_CHOICE)
        error_add(errors, NULL, "--free %s: it is not a number", name);
    else {
        for (size_t i = 0; i < fit->key_count; i++)
            if (fit->keys[i].key == key)
                error_add(errors, NULL, "--free %s: it stands twice", name);
        return key;
    }
    return NULL;
}

static struct fit_key *add_key(struct fit *fit, const struct key *key)
{
    fit->keys = realloc(fit->keys, (fit->key_count + 1) * sizeof(*fit->keys));
    fit->keys[fit->key_count] = (struct fit_key){.key = key};
    return &fit->keys[fit->key_count++];
}

/* A value with its unit, within the key's own bounds. */
static bool parse_value(const struct key *key, const char *text, const char *option, uint64_t *value,
                        struct error_list *errors)
{
    struct config *scratch = config_create();
    struct error_place place = {.file = option};
    bool fine = config_set(scratch, key->name, text, ORIGIN_COMMAND, NULL, &place, errors);

    *value = config_get(scratch, key->name);
    config_destroy(scratch);
    return fine;
}

static void parse_bounds(struct fit_key *key, const char *text, struct error_list *errors)
{
    const char *colon = strchr(text, ':');
    char *low = colon ? strndup(text, (size_t)(colon - text)) : NULL;
    size_t before = errors->count;

    key->bounded = true;
    if (colon) {
        parse_value(key->key, low, "--free", &key->low, errors);
        parse_value(key->key, colon + 1, "--free", &key->high, errors);
    } else {
        error_add(errors, NULL, "--free %s=%s: write --free key=low:high", key->key->name, text);
    }
    if (errors->count == before && key->low >= key->high)
        error_add(errors, NULL, "--free %s=%s: the lower bound must be below the upper one", key->key->name, text);
    free(low);
}

/* key[,key...][=low:high] */
static void parse_free(struct fit *fit, const char *text, struct error_list *errors)
{
    char *copy = strdup(text), *equals = strchr(copy, '='), *rest = NULL, *name;
    struct fit_key *first = NULL;

    if (equals)
        *equals = 0;
    for (name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        const struct key *key = free_key(fit, name, errors);
        if (!key)
            break;
        if (!first)
            first = add_key(fit, key);
        else if (key->type == first->key->type)
            add_tie(first, name);
        else
            error_add(errors, NULL, "--free %s: %s and %s are of different kinds", copy, first->key->name, name);
    }
    if (first && equals)
        parse_bounds(first, equals + 1, errors);
    free(copy);
}

/* All fitted keys of the platform; of several fits of it, those of this scenario's. */
static void take_fitted_keys(struct fit *fit, const struct config *platform, struct error_list *errors)
{
    char *own = NULL;
    bool has_own = false;

    if (asprintf(&own, "fit of %s:", fit->scenario->name) < 0)
        return;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < key_table_count; i++) {
            const struct config_value *value = config_value(platform, key_table[i].name);
            bool is_own = value->source && strncmp(value->source, own, strlen(own)) == 0;
            if (value->origin != ORIGIN_FITTED)
                continue;
            if (pass == 0)
                has_own |= is_own;
            else if (is_own || !has_own)
                add_key(fit, &key_table[i]);
        }
    if (fit->key_count == 0)
        error_add(errors, NULL, "%s: no value has the origin fitted; name keys with --free", fit->platform);
    free(own);
}

/* A quarter to four times of what the platform has, within what the key allows. */
static void set_bounds(struct fit_key *key)
{
    uint64_t least, most;

    if (quantity_parse(key->key->type, key->key->least, &least) != QUANTITY_OK ||
        quantity_parse(key->key->type, key->key->most, &most) != QUANTITY_OK)
        return; /* the table is tested */
    key->low = key->before / 4 > least ? key->before / 4 : least;
    key->high = key->before < most / 4 ? key->before * 4 : most;
    if (key->high <= key->low)
        key->high = key->low + 1;
}

static void set_start(struct fit *fit, const char *text, struct error_list *errors)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);

    for (size_t i = 0; equals && i < fit->key_count; i++) {
        struct fit_key *key = &fit->keys[i];
        if (strncmp(key->key->name, text, length) || key->key->name[length])
            continue;
        if (parse_value(key->key, equals + 1, "--start", &key->start, errors) &&
            (key->start < key->low || key->start > key->high))
            error_add(errors, NULL, "--start %s: it is outside the bounds of the key", text);
        return;
    }
    error_add(errors, NULL, equals ? "--start %s: the key is not free" : "--start %s: write --start key=value", text);
}

static bool sets(const struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].name, name) == 0)
            return true;
    return false;
}

/* A value that the scenario sets itself does not come from the platform. */
static void check_scenario(const struct fit *fit, struct error_list *errors)
{
    const struct scenario *s = fit->scenario;

    for (size_t i = 0; i < fit->key_count; i++) {
        const char *name = fit->keys[i].key->name;
        bool set = sets(&s->params, name);
        for (size_t j = 0; j < s->variant_count; j++)
            set |= sets(&s->variants[j].settings, name);
        for (size_t j = 0; j < s->case_count; j++)
            set |= sets(&s->cases[j].settings, name);
        if (set)
            error_add(errors, NULL, "%s cannot be free: scenario %s sets it itself", name, s->name);
        if (sets(&fit->overrides, name))
            error_add(errors, NULL, "%s cannot be free and set with -s; its first value is given with --start", name);
    }
}

static void choose_keys(struct fit *fit, const struct fit_request *request, const struct config *platform,
                        struct error_list *errors)
{
    for (size_t i = 0; i < request->free_count; i++)
        parse_free(fit, request->free[i], errors);
    if (request->free_count == 0)
        take_fitted_keys(fit, platform, errors);
    for (size_t i = 0; i < fit->key_count; i++) {
        struct fit_key *key = &fit->keys[i];
        key->before = config_get(platform, key->key->name);
        if (!key->bounded)
            set_bounds(key);
        key->start = key->before >= key->low && key->before <= key->high ? key->before : (key->low + key->high) / 2;
        add_ties_of_platform(fit, key);
    }
    for (size_t i = 0; i < request->start_count; i++)
        set_start(fit, request->starts[i], errors);
    check_scenario(fit, errors);
}

bool fit_prepare(struct fit *fit, const struct scenario *scenario, const struct fit_request *request,
                 struct error_list *errors)
{
    size_t before = errors->count;
    struct config *platform = config_create();

    fit->scenario = scenario;
    fit->best = INFINITY;
    fit->platform = platform_find(scenario->platform, NULL, errors);
    if (fit->platform && platform_read(fit->platform, platform, errors)) {
        choose_keys(fit, request, platform, errors);
        choose_rows(fit, request->rows, errors);
        settings_check(&fit->overrides, errors);
    }
    if (errors->count == before && fit->row_count < fit->key_count)
        error_add(errors, NULL, "%zu free keys need as many rows at least; there are %zu", fit->key_count,
                  fit->row_count);
    config_destroy(platform);
    return errors->count == before;
}

char *fit_source(const struct fit *fit)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    fprintf(stream, "fit of %s:", fit->scenario->name);
    for (size_t i = 0; i < fit->row_count; i++) {
        const struct expectation *e = fit->rows[i].expectation;
        fprintf(stream, "%s %s, %s %.6g", i ? ";" : "", e->case_name, e->variant, e->published);
    }
    fclose(stream);
    return text;
}

void fit_free(struct fit *fit)
{
    for (size_t i = 0; i < fit->key_count; i++) {
        for (size_t j = 0; j < fit->keys[i].tie_count; j++)
            free(fit->keys[i].ties[j]);
        free(fit->keys[i].ties);
    }
    for (size_t i = 0; i < fit->memory_count; i++) {
        free(fit->memory[i].values);
        free(fit->memory[i].residuals);
    }
    free(fit->memory);
    free(fit->keys);
    free(fit->rows);
    free(fit->platform);
    settings_free(&fit->overrides);
    error_clear(&fit->failures);
    *fit = (struct fit){0};
}
