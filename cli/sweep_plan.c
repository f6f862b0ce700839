#define _GNU_SOURCE
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"
#include "cli/sweep.h"

enum { MOST_POINTS = 20000 };

/* A value in base units, a choice by its name. */
static json_t *value_json(const struct setting *setting)
{
    const struct key *key = key_find(setting->name);
    struct error_list ignored = {0};
    uint64_t value = 0;
    json_t *json;

    if (key && key->type == KEY_CHOICE)
        return json_string(setting->text);
    if (key) {
        struct config *config = config_create();
        config_set(config, setting->name, setting->text, ORIGIN_COMMAND, NULL, NULL, &ignored);
        value = config_get(config, setting->name);
        config_destroy(config);
    } else {
        parameter_parse(setting, &value, &ignored);
    }
    json = key && key->type == KEY_BOOL ? json_boolean(value) : json_integer((json_int_t)value);
    error_clear(&ignored);
    return json;
}

static json_t *point_json(const struct sweep_point *point)
{
    json_t *object = json_object();

    for (size_t i = 0; i < point->settings.count; i++)
        json_object_set_new(object, point->settings.items[i].name, value_json(&point->settings.items[i]));
    return object;
}

static json_t *axes_json(const struct axes *axes)
{
    json_t *list = json_array();

    for (size_t i = 0; i < axes->count; i++) {
        json_t *values = json_array();
        for (size_t j = 0; j < axes->items[i].values.count; j++)
            json_array_append_new(values, value_json(&axes->items[i].values.items[j]));
        json_array_append_new(list, json_pack("{s:s, s:o}", "key", axes->items[i].name, "values", values));
    }
    return list;
}

json_t *sweep_description(const struct sweep *sweep)
{
    json_t *points = json_array();

    for (size_t i = 0; i < sweep->count; i++)
        json_array_append_new(
            points, json_pack("{s:s, s:o}", "hash", sweep->points[i].hash, "point", point_json(&sweep->points[i])));
    return json_pack("{s:s, s:s, s:{s:s}, s:s, s:o, s:o}", "schema", "dmasim-sweep/1", "scenario",
                     sweep->scenario->name, "tool", "version", DMASIM_VERSION, "judged", sweep->judged, "sweep",
                     axes_json(&sweep->axes), "points", points);
}

/* What decides whether a row is ok. */
static void hash_expectations(const struct scenario *scenario, char hash[65])
{
    json_t *list = json_array();
    SHA2_CTX context;
    char *text;

    for (size_t i = 0; i < scenario->expectation_count; i++) {
        const struct expectation *e = &scenario->expectations[i];
        json_array_append_new(list, json_pack("[s, s, s, f, s, f]", e->case_name, e->variant, e->metric, e->published,
                                              e->role, e->tolerance));
    }
    json_array_append_new(list, json_string(derive_names[scenario->derive]));
    text = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(12));
    SHA256Init(&context);
    SHA256Update(&context, (const uint8_t *)text, strlen(text));
    SHA256End(&context, hash);
    json_decref(list);
    free(text);
}

static bool is_new(const struct sweep *sweep, const char *hash)
{
    for (size_t i = 0; i < sweep->count; i++)
        if (strcmp(sweep->points[i].hash, hash) == 0)
            return false;
    return true;
}

/* Adds point number n of the total of the cross product (the last axis runs fastest). */
static bool add_point(struct sweep *sweep, size_t n, size_t total, struct error_list *errors)
{
    struct sweep_point point = {0};
    struct run_options options = {0};
    struct result described = {0};
    size_t stride = total;
    bool fine;

    for (size_t i = 0; i < sweep->axes.count; i++) {
        const struct settings *values = &sweep->axes.items[i].values;
        stride /= values->count;
        settings_copy(&point.settings, &(struct settings){&values->items[n / stride % values->count], 1});
    }
    settings_copy(&options.overrides, &sweep->overrides);
    settings_copy(&options.overrides, &point.settings);
    fine = run_describe(sweep->scenario, &options, &described, errors);
    memcpy(point.hash, described.config_hash, sizeof(point.hash));
    result_free(&described);
    settings_free(&options.overrides);
    if (fine && is_new(sweep, point.hash))
        sweep->points[sweep->count++] = point;
    else
        settings_free(&point.settings);
    return fine;
}

static void check_overrides(const struct sweep *sweep, struct error_list *errors)
{
    for (size_t i = 0; i < sweep->overrides.count; i++)
        for (size_t j = 0; j < sweep->axes.count; j++)
            if (strcmp(sweep->overrides.items[i].name, sweep->axes.items[j].name) == 0)
                error_add(errors, NULL, "-s %s: the sweep varies it; use --vary %s=%s for one value",
                          sweep->axes.items[j].name, sweep->axes.items[j].name, sweep->overrides.items[i].text);
}

/* Size of the cross product; 0 with a message. */
static size_t product(const struct axes *axes, struct error_list *errors)
{
    size_t total = 1;

    if (axes->count == 0) {
        error_add(errors, NULL,
                  "there is nothing to vary: give --vary key=value,value,... or the scenario a \"sweep:\"");
        return 0;
    }
    for (size_t i = 0; i < axes->count; i++) {
        total *= axes->items[i].values.count;
        if (total > MOST_POINTS) {
            error_add(errors, NULL, "the sweep has more than %d points; give fewer values", MOST_POINTS);
            return 0;
        }
    }
    return total;
}

bool sweep_plan(struct sweep *sweep, const struct scenario *scenario, const struct axes *varied,
                const struct settings *overrides, const char *folder, struct error_list *errors)
{
    size_t before = errors->count, total;

    *sweep = (struct sweep){.scenario = scenario, .folder = strdup(folder)};
    axes_copy(&sweep->axes, &scenario->axes);
    axes_copy(&sweep->axes, varied);
    settings_copy(&sweep->overrides, overrides);
    settings_check(overrides, errors);
    axes_check(varied, errors); /* the scenario's own were checked when it was read */
    check_overrides(sweep, errors);
    total = product(&sweep->axes, errors);
    if (errors->count != before)
        return false;
    hash_expectations(scenario, sweep->judged);
    sweep->points = calloc(total, sizeof(*sweep->points));
    for (size_t n = 0; n < total; n++)
        if (!add_point(sweep, n, total, errors))
            return false;
    return true;
}

void sweep_free(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->count; i++)
        settings_free(&sweep->points[i].settings);
    free(sweep->points);
    free(sweep->folder);
    axes_free(&sweep->axes);
    settings_free(&sweep->overrides);
    *sweep = (struct sweep){0};
}
