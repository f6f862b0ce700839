/* A comparison as text: lines for the terminal, Markdown, JUnit, JSON of github-action-benchmark. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/comparison.h"
#include "cli/quote.h"

static const char *const verdict_names[ROW_VERDICTS] = {"same", "changed", "CHANGED", "removed", "added"};

const char *row_text(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));

    return text ? text : "";
}

static double value_of(const json_t *row)
{
    return json_number_value(json_object_get(row, "value"));
}

static const json_t *either(const struct row_pair *pair)
{
    return pair->before ? pair->before : pair->after;
}

static bool is_wrong(const struct row_pair *pair)
{
    return pair->verdict == ROW_BEYOND || pair->verdict == ROW_REMOVED;
}

/* More than one scenario: say which. */
static bool with_scenario(const struct comparison *comparison)
{
    return json_array_size(comparison->base) > 1 || json_array_size(comparison->new) > 1;
}

/* "cmo.slots=64 map, batched, latency"; caller frees. */
static char *name_of(const struct row_pair *pair, const char *between)
{
    const json_t *row = either(pair);
    json_t *value;
    const char *key;
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    json_object_foreach(json_object_get(row, "point"), key, value)
    {
        char *number = json_dumps(value, JSON_ENCODE_ANY);
        fprintf(stream, "%s=%s ", key, json_is_string(value) ? json_string_value(value) : number);
        free(number);
    }
    fprintf(stream, "%s%s%s%s%s", row_text(row, "case"), between, row_text(row, "variant"), between,
            row_text(row, "metric"));
    fclose(stream);
    return text;
}

/* "12 -> 13 us (+8.33 %)"; empty for rows that are only on one side. Caller frees. */
static char *change_text(const struct row_pair *pair)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    if (pair->before && pair->after) {
        const char *unit = row_text(pair->before, "unit"), *other = row_text(pair->after, "unit");
        bool differ = strcmp(unit, other) != 0;
        fprintf(stream, "%.6g%s%s -> %.6g %s", value_of(pair->before), differ ? " " : "", differ ? unit : "",
                value_of(pair->after), other);
        if (isfinite(pair->change))
            fprintf(stream, " (%+.2f %%)", pair->change);
    }
    fclose(stream);
    return text;
}

static bool has_scenario(const json_t *results, const char *name)
{
    json_t *result;
    size_t i;

    json_array_foreach(results, i, result) if (strcmp(row_text(result, "scenario"), name) == 0) return true;
    return false;
}

/* A scenario that is only on one side is one line. */
static bool is_alone(const struct comparison *comparison, const struct row_pair *pair)
{
    if (!with_scenario(comparison) || (pair->verdict != ROW_REMOVED && pair->verdict != ROW_ADDED))
        return false;
    return !has_scenario(pair->verdict == ROW_REMOVED ? comparison->new : comparison->base, pair->scenario);
}

static void print_alone(const struct comparison *comparison, size_t at, FILE *stream)
{
    const struct row_pair *pairs = comparison->pairs;
    size_t rows = 0;

    if (at > 0 && strcmp(pairs[at - 1].scenario, pairs[at].scenario) == 0)
        return; /* the rows of a scenario stand together */
    while (at + rows < comparison->count && strcmp(pairs[at + rows].scenario, pairs[at].scenario) == 0)
        rows++;
    fprintf(stream, "%-8s %s: all %zu rows\n", verdict_names[pairs[at].verdict], pairs[at].scenario, rows);
}

static void print_pair(const struct comparison *comparison, const struct row_pair *pair, FILE *stream)
{
    char *name = name_of(pair, ", "), *change = change_text(pair);

    fprintf(stream, "%-8s %s%s%s%s%s\n", verdict_names[pair->verdict], with_scenario(comparison) ? pair->scenario : "",
            with_scenario(comparison) ? ": " : "", name, *change ? ": " : "", change);
    free(name);
    free(change);
}

static void print_key(const char *prefix, const char *key, const json_t *before, const json_t *after, FILE *stream)
{
    char *a = before ? json_dumps(before, JSON_ENCODE_ANY) : NULL,
         *b = after ? json_dumps(after, JSON_ENCODE_ANY) : NULL;

    fprintf(stream, "config   %s%s%s: %s -> %s\n", prefix, *prefix ? ": " : "", key, a ? a : "none", b ? b : "none");
    free(a);
    free(b);
}

/* What may explain the changes: keys with different values. */
static void print_configuration(const char *prefix, const json_t *before, const json_t *after, FILE *stream)
{
    json_t *a = json_object_get(before, "config"), *b = json_object_get(after, "config"), *value;
    const char *key;

    json_object_foreach(a, key, value) if (!json_equal(value, json_object_get(b, key)))
        print_key(prefix, key, value, json_object_get(b, key), stream);
    json_object_foreach(b, key, value) if (!json_object_get(a, key)) print_key(prefix, key, NULL, value, stream);
}

static bool has_changed(const struct comparison *comparison, const char *scenario)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct row_pair *pair = &comparison->pairs[i];
        if (strcmp(pair->scenario, scenario) == 0 && pair->verdict != ROW_SAME && !is_alone(comparison, pair))
            return true;
    }
    return false;
}

static void print_configurations(const struct comparison *comparison, FILE *stream)
{
    bool many = with_scenario(comparison);
    json_t *before, *after;
    size_t i, j;

    json_array_foreach(comparison->base, i, before) json_array_foreach(comparison->new, j, after)
    {
        const char *name = row_text(before, "scenario");
        if ((!many || strcmp(name, row_text(after, "scenario")) == 0) && has_changed(comparison, name))
            print_configuration(many ? name : "", before, after, stream);
    }
}

void comparison_print(const struct comparison *comparison, FILE *stream)
{
    const size_t *n = comparison->verdicts;

    for (size_t i = 0; i < comparison->count; i++)
        if (is_alone(comparison, &comparison->pairs[i]))
            print_alone(comparison, i, stream);
        else if (comparison->pairs[i].verdict != ROW_SAME)
            print_pair(comparison, &comparison->pairs[i], stream);
    if (n[ROW_SAME] == comparison->count)
        return;
    print_configurations(comparison, stream);
    fprintf(stream, "%zu rows: %zu same, %zu changed within tolerance, %zu beyond, %zu removed, %zu added\n",
            comparison->count, n[ROW_SAME], n[ROW_CHANGED], n[ROW_BEYOND], n[ROW_REMOVED], n[ROW_ADDED]);
}

static void put_number(FILE *stream, const json_t *row)
{
    if (row)
        fprintf(stream, "%.6g %s", value_of(row), row_text(row, "unit"));
}

static void put_markdown_row(const struct row_pair *pair, FILE *stream)
{
    char *name = name_of(pair, ", ");

    fprintf(stream, is_wrong(pair) ? "| **%s** | " : "| %s | ",
            pair->verdict == ROW_BEYOND ? "beyond" : verdict_names[pair->verdict]);
    quote_markdown(stream, pair->scenario);
    fputs(" | ", stream);
    quote_markdown(stream, name);
    fputs(" | ", stream);
    put_number(stream, pair->before);
    fputs(" | ", stream);
    put_number(stream, pair->after);
    if (pair->before && pair->after && isfinite(pair->change))
        fprintf(stream, " | %+.2f %% | %.6g %% |\n", pair->change, pair->tolerance);
    else
        fputs(" | | |\n", stream);
    free(name);
}

char *comparison_markdown(const struct comparison *comparison)
{
    static const enum row_verdict order[] = {ROW_BEYOND, ROW_REMOVED, ROW_CHANGED, ROW_ADDED};
    const size_t *n = comparison->verdicts;
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    fprintf(stream, "## %s: %zu rows\n\n%zu same, %zu changed within tolerance, %zu beyond, %zu removed, %zu added\n",
            comparison_is_regression(comparison) ? "Regression" : "No regression", comparison->count, n[ROW_SAME],
            n[ROW_CHANGED], n[ROW_BEYOND], n[ROW_REMOVED], n[ROW_ADDED]);
    if (n[ROW_SAME] != comparison->count)
        fprintf(stream,
                "\n| | scenario | row | before | after | change | tolerance |\n|---|---|---|---:|---:|---:|---:|\n");
    for (size_t v = 0; v < sizeof(order) / sizeof(order[0]); v++)
        for (size_t i = 0; i < comparison->count; i++)
            if (comparison->pairs[i].verdict == order[v])
                put_markdown_row(&comparison->pairs[i], stream);
    fclose(stream);
    return text;
}

static void put_junit_case(const struct row_pair *pair, FILE *stream)
{
    char *name = name_of(pair, " "), *change = change_text(pair);

    fprintf(stream, "  <testcase classname=\"");
    quote_xml(stream, pair->scenario);
    fprintf(stream, "\" name=\"");
    quote_xml(stream, name);
    if (is_wrong(pair)) {
        fprintf(stream, "\"><failure message=\"");
        quote_xml(stream, *change ? change : "the row is gone");
        if (pair->verdict == ROW_BEYOND)
            fprintf(stream, ", tolerance %.6g %%", pair->tolerance);
        fprintf(stream, "\"/></testcase>\n");
    } else {
        fprintf(stream, "\"/>\n");
    }
    free(name);
    free(change);
}

char *comparison_junit(const struct comparison *comparison)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"dmasim compare\" tests=\"%zu\" "
            "failures=\"%zu\">\n",
            comparison->count, comparison->verdicts[ROW_BEYOND] + comparison->verdicts[ROW_REMOVED]);
    for (size_t i = 0; i < comparison->count; i++)
        put_junit_case(&comparison->pairs[i], stream);
    fprintf(stream, "</testsuite>\n");
    fclose(stream);
    return text;
}

static bool is_time(const char *unit)
{
    static const char *const units[] = {"ps", "ns", "us", "ms", "s"};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(unit, units[i]) == 0)
            return true;
    return false;
}

char *comparison_benchmark(const struct comparison *comparison, bool smaller_is_better)
{
    json_t *list = json_array();
    char *text;

    for (size_t i = 0; i < comparison->count; i++) {
        const struct row_pair *pair = &comparison->pairs[i];
        char *name = name_of(pair, " "), title[512];
        if (pair->after && is_time(row_text(pair->after, "unit")) == smaller_is_better) {
            snprintf(title, sizeof(title), "%s: %s", pair->scenario, name);
            json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:O}", "name", title, "unit", row_text(pair->after, "unit"),
                                            "value", json_object_get(pair->after, "value")));
        }
        free(name);
    }
    text = json_dumps(list, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(list);
    return text;
}
