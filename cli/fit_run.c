/* Simulations of a fit: only the variants and cases that its rows need; none is made twice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fit.h"

static void add_setting(struct settings *settings, const char *name, const struct key *key, uint64_t value)
{
    char text[64];

    settings_add(settings, name, config_format(key, value, text, sizeof(text)), (struct error_place){0});
}

static void options_of(const struct fit *fit, const uint64_t *values, struct run_options *options)
{
    *options = (struct run_options){.jobs = fit->jobs, .quiet = true};
    settings_copy(&options->overrides, &fit->overrides);
    for (size_t i = 0; i < fit->key_count; i++) {
        const struct fit_key *key = &fit->keys[i];
        add_setting(&options->overrides, key->key->name, key->key, values[i]);
        for (size_t j = 0; j < key->tie_count; j++)
            add_setting(&options->overrides, key->ties[j], key_find(key->ties[j]), values[i]);
    }
}

/* A case's rows are named "case" or "case region". */
static bool is_of_case(const char *row_case, const struct choice *choice)
{
    size_t length = choice ? strlen(choice->name) : 0;

    return !choice || (strncmp(row_case, choice->name, length) == 0 && (!row_case[length] || row_case[length] == ' '));
}

static bool is_wanted(const void *ctx, const struct choice *variant, const struct choice *choice)
{
    const struct fit *fit = ctx;

    for (size_t i = 0; i < fit->row_count; i++) {
        const struct expectation *e = fit->rows[i].expectation;
        bool baseline = fit->scenario->derive && variant == fit->scenario->variants;
        if (is_of_case(e->case_name, choice) && (baseline || strcmp(e->variant, variant->name) == 0))
            return true;
    }
    return false;
}

static double *recall(const struct fit *fit, const uint64_t *values)
{
    for (size_t i = 0; i < fit->memory_count; i++)
        if (memcmp(fit->memory[i].values, values, fit->key_count * sizeof(*values)) == 0)
            return fit->memory[i].residuals;
    return NULL;
}

static void remember(struct fit *fit, const uint64_t *values, const double *residuals)
{
    struct fit_memory entry = {malloc(fit->key_count * sizeof(*values)), malloc(fit->row_count * sizeof(*residuals))};

    memcpy(entry.values, values, fit->key_count * sizeof(*values));
    memcpy(entry.residuals, residuals, fit->row_count * sizeof(*residuals));
    fit->memory = realloc(fit->memory, (fit->memory_count + 1) * sizeof(*fit->memory));
    fit->memory[fit->memory_count++] = entry;
}

/* Residuals of a result; false with a message: a row is missing. */
static bool take_residuals(struct fit *fit, const struct result *result, double *residuals)
{
    for (size_t i = 0; i < fit->row_count; i++) {
        const struct fit_row *wanted = &fit->rows[i];
        const struct expectation *e = wanted->expectation;
        const struct row *row = result_find_row(result, e->case_name, e->variant, wanted->metric);
        if (!row) {
            error_add(&fit->failures, NULL, "the run gave no row case %s, variant %s, metric %s to fit on",
                      e->case_name, e->variant, wanted->metric);
            return false;
        }
        residuals[i] = (row->value - wanted->target) / wanted->scale;
    }
    return true;
}

static double sum_of_squares(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i] * values[i];
    return sum;
}

static bool simulate(struct fit *fit, const uint64_t *values, double *residuals)
{
    struct error_list ignored = {0};
    struct run_options options;
    struct result result;
    bool fine;

    options_of(fit, values, &options);
    options.wanted = is_wanted;
    options.wanted_ctx = fit;
    error_clear(&fit->failures);
    fine = run_scenario(fit->scenario, &options, &result, &fit->failures) == RUN_FINE;
    if (fine) {
        result_finish(&result, &ignored); /* rows that were not wanted are missing */
        fine = take_residuals(fit, &result, residuals);
    }
    error_clear(&ignored);
    result_free(&result);
    settings_free(&options.overrides);
    return fine;
}

bool fit_evaluate(struct fit *fit, const uint64_t *values, double *residuals)
{
    const double *known = recall(fit, values);
    double sum;

    if (known) {
        memcpy(residuals, known, fit->row_count * sizeof(*residuals));
        return true;
    }
    if (fit->evaluations >= fit->budget)
        return false;
    fit->evaluations++;
    if (!simulate(fit, values, residuals))
        return false;
    remember(fit, values, residuals);
    sum = sum_of_squares(residuals, fit->row_count);
    if (sum < fit->best)
        fit->best = sum;
    progress_show(&fit->progress, "fit of %s: run %u of at most %u, residual %.3g of a tolerance", fit->scenario->name,
                  fit->evaluations, fit->budget, sqrt(fit->best / (double)fit->row_count));
    return true;
}

enum run_outcome fit_finish(struct fit *fit, struct result *result, struct error_list *errors)
{
    uint64_t *values = malloc(fit->key_count * sizeof(*values));
    struct error_list missed = {0};
    struct run_options options;
    enum run_outcome outcome;

    for (size_t i = 0; i < fit->key_count; i++)
        values[i] = fit->keys[i].value;
    options_of(fit, values, &options);
    outcome = run_scenario(fit->scenario, &options, result, errors);
    if (outcome == RUN_FINE)
        result_finish(result, &missed); /* the table says which */
    error_clear(&missed);
    settings_free(&options.overrides);
    free(values);
    return outcome;
}
