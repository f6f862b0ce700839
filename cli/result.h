/* A scenario's result: flat rows, cycle stacks, counts; written as JSON, CSV, Markdown, a table, a chart. */
#ifndef DMASIM_CLI_RESULT_H
#define DMASIM_CLI_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/scenario.h"

struct row {
    char *case_name, *variant, *metric, *unit;
    double value;
    uint64_t samples;
    const struct expectation *expectation; /* NULL: nothing published */
    bool ok;
};

struct stack {
    char *case_name, *variant;
    double *parts; /* [STACK_PARTS], sum 1 */
};

struct count {
    char *case_name, *variant;
    uint64_t dc_ops, dsbs, instructions, tlbi, syncs; /* per sample; the last two are the SMMU's */
};

/* A hazard that a run found (hazards.h). */
struct found_hazard {
    char *choice, *case_name, *variant; /* choice: the case of the scenario, empty without */
    json_t *entry;
    bool expected;
};

struct result {
    const struct scenario *scenario;
    struct row *rows;
    size_t row_count;
    json_t *core_stacks; /* of many-core benchmarks: {case, variant, core, parts: shares of PHASE_PARTS} */
    struct stack *stacks;
    size_t stack_count;
    struct count *counts;
    size_t count_count;
    struct found_hazard *hazards;
    size_t hazard_count;
    json_t *config;       /* effective configuration: key -> value in base unit, params under "params." */
    json_t *origins;      /* key -> "fitted: source" */
    char config_hash[65]; /* SHA-256 of config and guest programs */
    double wall_s;
    uint64_t instructions;
    long rss_kib;
};

/* The rows with a published value together. */
struct error_summary {
    size_t rows;
    double mean,
        largest; /* of the absolute errors: percent of the published value, or points when that is a percentage */
};
struct error_summary result_errors(const struct result *result);

struct row *result_add_row(struct result *result, const char *case_name, const char *variant, const char *metric,
                           const char *unit, double value, uint64_t samples);
/* NULL: there is none. */
const struct row *result_find_row(const struct result *result, const char *case_name, const char *variant,
                                  const char *metric);
/* Adds derived rows and compares with what the scenario expects. True: every expectation was met. */
bool result_finish(struct result *result, struct error_list *errors);
void result_free(struct result *result);

/* A number with six significant digits, the same on every host. */
double result_round(double value);

/* Writers; a file appears complete or not at all. False with a message. */
json_t *result_json(const struct result *result);
bool result_write_file(const char *path, const char *text, struct error_list *errors);
char *result_csv(const struct result *result);
char *result_markdown(const struct result *result);
char *result_junit(const struct result *result);
void result_print_table(const struct result *result, FILE *stream);
/* SVG bars by gnuplot; true also when there is no gnuplot (a note is printed to stderr). */
bool result_chart(const struct result *result, const char *path, struct error_list *errors);

#endif
