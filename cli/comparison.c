#define _GNU_SOURCE
#include "cli/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/result_files.h"
#include "common/config.h"

/* --- tolerances --- */

bool tolerances_add(struct tolerances *tolerances, const char *text, struct error_list *errors)
{
    const char *equals = strchr(text, '=');
    char *end = NULL;
    double percent = equals ? strtod(equals + 1, &end) : 0;

    if (!equals || equals == text || end == equals + 1 || (*end && strcmp(end, "%")) || !(percent >= 0)) {
        error_add(errors, NULL, "--tol %s: write --tol metric=percent", text);
        return false;
    }
    tolerances->items = realloc(tolerances->items, (tolerances->count + 1) * sizeof(*tolerances->items));
    tolerances->items[tolerances->count++] = (struct tolerance){strndup(text, (size_t)(equals - text)), percent};
    return true;
}

void tolerances_free(struct tolerances *tolerances)
{
    for (size_t i = 0; i < tolerances->count; i++)
        free(tolerances->items[i].metric);
    free(tolerances->items);
    *tolerances = (struct tolerances){0};
}

static double tolerance_of(const struct tolerances *tolerances, const char *metric)
{
    for (size_t i = tolerances->count; i-- > 0;)
        if (strcmp(tolerances->items[i].metric, metric) == 0)
            return tolerances->items[i].percent;
    return 0;
}

/* --- comparing --- */

/* What a row is known by. Caller frees. */
static char *identity(const json_t *result, const json_t *row, bool with_scenario)
{
    json_t *point = json_object_get(row, "point");
    char *point_text = point ? json_dumps(point, JSON_COMPACT | JSON_SORT_KEYS) : NULL, *text = NULL;

    if (asprintf(&text, "%s\x1f%s\x1f%s\x1f%s\x1f%s", with_scenario ? row_text(result, "scenario") : "",
                 point_text ? point_text : "", row_text(row, "case"), row_text(row, "variant"),
                 row_text(row, "metric")) < 0)
        abort();
    free(point_text);
    return text;
}

/* Appends '+' until the name is new: a guest may report the same value twice. */
static char *unique(const json_t *index, char *name)
{
    while (json_object_get(index, name)) {
        char *longer = NULL;
        if (asprintf(&longer, "%s+", name) < 0)
            abort();
        free(name);
        name = longer;
    }
    return name;
}

/* identity -> [result, row], in the order of the files. */
static json_t *index_rows(const json_t *results, bool with_scenario)
{
    json_t *index = json_object(), *result, *row;
    size_t i, j;

    json_array_foreach(results, i, result) json_array_foreach(json_object_get(result, "rows"), j, row)
    {
        char *name = unique(index, identity(result, row, with_scenario));
        json_object_set_new(index, name, json_pack("[O, O]", result, row));
        free(name);
    }
    return index;
}

static void check_scenarios(const json_t *results, struct error_list *errors)
{
    json_t *seen = json_object(), *result, *first;
    size_t i;

    json_array_foreach(results, i, result)
    {
        const char *name = row_text(result, "scenario");
        struct error_place place = {.file = row_text(result, "path")};
        first = json_object_get(seen, name);
        if (first)
            error_add(errors, &place, "a result of %s, as is %s; compare them file by file", name,
                      json_string_value(first));
        else
            json_object_set(seen, name, json_object_get(result, "path"));
    }
    json_decref(seen);
}

static struct row_pair judge(const json_t *result, const json_t *before, const json_t *after,
                             const struct tolerances *tolerances)
{
    double a = json_number_value(json_object_get(before, "value")),
           b = json_number_value(json_object_get(after, "value"));
    struct row_pair pair = {.scenario = row_text(result, "scenario"), .before = before, .after = after};

    pair.tolerance = tolerance_of(tolerances, row_text(before ? before : after, "metric"));
    if (!before || !after) {
        pair.verdict = before ? ROW_REMOVED : ROW_ADDED;
        return pair;
    }
    if (strcmp(row_text(before, "unit"), row_text(after, "unit")))
        pair.change = INFINITY;
    else if (a != b)
        pair.change = a != 0 ? 100 * (b - a) / fabs(a) : copysign(INFINITY, b);
    pair.verdict = pair.change == 0 ? ROW_SAME : fabs(pair.change) <= pair.tolerance ? ROW_CHANGED : ROW_BEYOND;
    return pair;
}

static void add_pair(struct comparison *comparison, struct row_pair pair)
{
    comparison->verdicts[pair.verdict]++;
    comparison->pairs[comparison->count++] = pair;
}

static void pair_rows(struct comparison *comparison, const struct tolerances *tolerances)
{
    bool with_scenario = json_array_size(comparison->base) > 1 || json_array_size(comparison->new) > 1;
    json_t *base = index_rows(comparison->base, with_scenario), *new = index_rows(comparison->new, with_scenario);
    const char *name;
    json_t *entry;

    comparison->pairs = calloc(json_object_size(base) + json_object_size(new) + 1, sizeof(*comparison->pairs));
    json_object_foreach(base, name, entry)
        add_pair(comparison, judge(json_array_get(entry, 0), json_array_get(entry, 1),
                                   json_array_get(json_object_get(new, name), 1), tolerances));
    json_object_foreach(new, name, entry) if (!json_object_get(base, name))
        add_pair(comparison, judge(json_array_get(entry, 0), NULL, json_array_get(entry, 1), tolerances));
    json_decref(base);
    json_decref(new);
}

static const char *metric_of(const struct row_pair *pair)
{
    return row_text(pair->before ? pair->before : pair->after, "metric");
}

static void check_tolerances(const struct comparison *comparison, const struct tolerances *tolerances,
                             struct error_list *errors)
{
    for (size_t i = 0; i < tolerances->count; i++) {
        const char *wanted = tolerances->items[i].metric, *nearest = NULL;
        unsigned best = (unsigned)strlen(wanted) / 3 + 2;
        bool found = false;
        for (size_t j = 0; j < comparison->count; j++) {
            const char *metric = metric_of(&comparison->pairs[j]);
            found |= strcmp(metric, wanted) == 0;
            if (spelling_distance(metric, wanted) < best) {
                best = spelling_distance(metric, wanted);
                nearest = metric;
            }
        }
        if (!found && nearest)
            error_add(errors, NULL, "--tol %s: no row has this metric; did you mean \"%s\"?", wanted, nearest);
        else if (!found)
            error_add(errors, NULL, "--tol %s: no row has this metric", wanted);
    }
}

bool comparison_make(struct comparison *comparison, const char *base, const char *new,
                     const struct tolerances *tolerances, struct error_list *errors)
{
    size_t before = errors->count;

    *comparison = (struct comparison){.base = result_files_load(base, errors), .new = result_files_load(new, errors)};
    check_scenarios(comparison->base, errors);
    check_scenarios(comparison->new, errors);
    if (errors->count == before) {
        pair_rows(comparison, tolerances);
        check_tolerances(comparison, tolerances, errors);
    }
    return errors->count == before;
}

void comparison_free(struct comparison *comparison)
{
    json_decref(comparison->base);
    json_decref(comparison->new);
    free(comparison->pairs);
    *comparison = (struct comparison){0};
}

bool comparison_is_regression(const struct comparison *comparison)
{
    return comparison->verdicts[ROW_BEYOND] || comparison->verdicts[ROW_REMOVED];
}
