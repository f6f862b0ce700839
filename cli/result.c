#include "cli/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/hazards.h"
#include "cpu/cpu.h"

double result_round(double value)
{
    char text[40];

    snprintf(text, sizeof(text), "%.6g", value);
    return strtod(text, NULL);
}

struct row *result_add_row(struct result *result, const char *case_name, const char *variant, const char *metric,
                           const char *unit, double value, uint64_t samples)
{
    struct row *row;

    result->rows = realloc(result->rows, (result->row_count + 1) * sizeof(*result->rows));
    row = &result->rows[result->row_count++];
    *row = (struct row){strdup(case_name), strdup(variant), strdup(metric), strdup(unit), value, samples, NULL, true};
    return row;
}

const struct row *result_find_row(const struct result *result, const char *case_name, const char *variant,
                                  const char *metric)
{
    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        if (strcmp(row->case_name, case_name) == 0 && strcmp(row->variant, variant) == 0 &&
            strcmp(row->metric, metric) == 0)
            return row;
    }
    return NULL;
}

/* Whether rows are derived from this one. */
static bool is_source(const struct row *row, enum derive derive)
{
    return derive == DERIVE_REDUCTION ? strcmp(row->metric, "latency") == 0 : strcmp(row->unit, "1/s") == 0;
}

static void derive_rows(struct result *result, enum derive derive)
{
    const char *baseline = result->scenario->variants[0].name;
    size_t count = result->row_count;

    for (size_t i = 0; i < count; i++) {
        struct row row = result->rows[i];
        const struct row *base;
        double ratio;
        if (!is_source(&row, derive) || strcmp(row.variant, baseline) == 0)
            continue;
        base = result_find_row(result, row.case_name, baseline, row.metric);
        if (!base || base->value <= 0)
            continue;
        ratio = row.value / base->value;
        result_add_row(result, row.case_name, row.variant, derive_names[derive], "%",
                       100 * (derive == DERIVE_REDUCTION ? 1 - ratio : ratio - 1), row.samples);
    }
}

bool result_finish(struct result *result, struct error_list *errors)
{
    bool all = true;

    if (result->scenario->derive)
        derive_rows(result, result->scenario->derive);
    for (size_t i = 0; i < result->row_count; i++)
        result->rows[i].value = result_round(result->rows[i].value);
    for (size_t i = 0; i < result->scenario->expectation_count; i++) {
        const struct expectation *e = &result->scenario->expectations[i];
        struct row *row = (struct row *)result_find_row(result, e->case_name, e->variant, e->metric);
        if (!row) {
            error_add(errors, NULL, "the run gave no row case %s, variant %s, metric %s that the scenario expects",
                      e->case_name, e->variant, e->metric);
            all = false;
            continue;
        }
        row->expectation = e;
        row->ok = fabs(row->value - e->published) <= e->tolerance;
        all &= row->ok;
        if (!row->ok)
            error_add(errors, NULL, "%s, %s, %s: simulated %.6g %s, published %.6g, tolerance %.6g", e->case_name,
                      e->variant, e->metric, row->value, row->unit, e->published, e->tolerance);
    }
    return hazards_check(result, errors) && all;
}

void result_free(struct result *result)
{
    for (size_t i = 0; i < result->row_count; i++) {
        free(result->rows[i].case_name);
        free(result->rows[i].variant);
        free(result->rows[i].metric);
        free(result->rows[i].unit);
    }
    for (size_t i = 0; i < result->stack_count; i++) {
        free(result->stacks[i].case_name);
        free(result->stacks[i].variant);
        free(result->stacks[i].parts);
    }
    for (size_t i = 0; i < result->count_count; i++) {
        free(result->counts[i].case_name);
        free(result->counts[i].variant);
    }
    hazards_free(result);
    free(result->rows);
    free(result->stacks);
    free(result->counts);
    json_decref(result->core_stacks);
    json_decref(result->config);
    json_decref(result->origins);
    *result = (struct result){0};
}

static json_t *json_rows(const struct result *result)
{
    json_t *rows = json_array();

    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:f}", "case", row->case_name, "variant", row->variant,
                                   "metric", row->metric, "unit", row->unit, "value", row->value);
        if (row->samples)
            json_object_set_new(object, "samples", json_integer((json_int_t)row->samples));
        if (row->expectation) {
            json_object_set_new(object, "published", json_real(row->expectation->published));
            json_object_set_new(object, "role", json_string(row->expectation->role));
            json_object_set_new(object, "tolerance", json_real(row->expectation->tolerance));
            json_object_set_new(object, "ok", json_boolean(row->ok));
        }
        json_array_append_new(rows, object);
    }
    return rows;
}

static json_t *json_stacks(const struct result *result)
{
    json_t *stacks = json_array();

    for (size_t i = 0; i < result->stack_count; i++) {
        json_t *parts = json_object();
        for (unsigned part = 0; part < STACK_PARTS; part++)
            json_object_set_new(parts, cpu_stack_part_names[part],
                                json_real(result_round(result->stacks[i].parts[part])));
        json_array_append_new(stacks, json_pack("{s:s, s:s, s:o}", "case", result->stacks[i].case_name, "variant",
                                                result->stacks[i].variant, "parts", parts));
    }
    return stacks;
}

static json_t *json_counts(const struct result *result)
{
    json_t *counts = json_array();

    for (size_t i = 0; i < result->count_count; i++) {
        const struct count *count = &result->counts[i];
        json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:I}", "case", count->case_name, "variant", count->variant,
                                   "dc_ops", (json_int_t)count->dc_ops, "dsbs", (json_int_t)count->dsbs, "instructions",
                                   (json_int_t)count->instructions);
        if (count->tlbi || count->syncs) {
            json_object_set_new(object, "tlbi", json_integer((json_int_t)count->tlbi));
            json_object_set_new(object, "syncs", json_integer((json_int_t)count->syncs));
        }
        json_array_append_new(counts, object);
    }
    return counts;
}

struct error_summary result_errors(const struct result *result)
{
    struct error_summary summary = {0};

    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        double error;
        if (!row->expectation)
            continue;
        error = fabs(row->value - row->expectation->published);
        if (strcmp(row->unit, "%"))
            error *= 100 / fabs(row->expectation->published);
        summary.rows++;
        summary.mean += error;
        if (error > summary.largest)
            summary.largest = error;
    }
    if (summary.rows)
        summary.mean /= (double)summary.rows;
    return summary;
}

json_t *result_json(const struct result *result)
{
    double mips = result->wall_s > 0 ? (double)result->instructions / result->wall_s / 1e6 : 0;

    return json_pack("{s:s, s:s, s:{s:s}, s:O, s:O, s:s, s:o, s:o, s:O, s:o, s:o, s:{s:f, s:f, s:I}}", "schema",
                     "dmasim-result/1", "scenario", result->scenario->name, "tool", "version", DMASIM_VERSION, "config",
                     result->config, "origins", result->origins, "config_hash", result->config_hash, "rows",
                     json_rows(result), "stacks", json_stacks(result), "core_stacks", result->core_stacks, "counts",
                     json_counts(result), "hazards", hazards_result_json(result), "host", "wall_s",
                     result_round(result->wall_s), "mips", result_round(mips), "rss_mib",
                     (json_int_t)(result->rss_kib / 1024));
}

bool result_write_file(const char *path, const char *text, struct error_list *errors)
{
    struct error_place place = {.file = path};
    char temporary[4096];
    FILE *stream;
    bool fine;

    if (strcmp(path, "-") == 0)
        return fputs(text, stdout) >= 0;
    if ((size_t)snprintf(temporary, sizeof(temporary), "%s.%ld.tmp", path, (long)getpid()) >= sizeof(temporary)) {
        error_add(errors, &place, "the path is too long");
        return false;
    }
    stream = fopen(temporary, "w");
    if (!stream) {
        error_add(errors, &place, "cannot be written: %s", strerror(errno));
        return false;
    }
    fine = fputs(text, stream) >= 0;
    fine &= fflush(stream) == 0 && fsync(fileno(stream)) == 0; /* else a crash may leave the name without the text */
    fine &= fclose(stream) == 0;
    if (!fine || rename(temporary, path)) {
        error_add(errors, &place, "cannot be written: %s", strerror(errno));
        unlink(temporary);
        return false;
    }
    return true;
}
