/*
 * The search: GSL's Levenberg-Marquardt. Bounds are kept by searching u with value = middle + half * sin(u), as MINUIT
 * does; slopes are differences over 1 % of a value, since a step must be many units of a key to be seen in rows that
 * are themselves sums of whole picoseconds.
 */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fit.h"

static double middle(const struct fit_key *key)
{
    return ((double)key->low + (double)key->high) / 2;
}

static double half(const struct fit_key *key)
{
    return ((double)key->high - (double)key->low) / 2;
}

static uint64_t to_value(const struct fit_key *key, double u)
{
    double value = round(middle(key) + half(key) * sin(u));

    return value <= (double)key->low ? key->low : value >= (double)key->high ? key->high : (uint64_t)value;
}

/* A little inside the bounds, where the sine still has a slope. */
static double to_u(const struct fit_key *key, uint64_t value)
{
    double sine = ((double)value - middle(key)) / half(key);

    return asin(fmin(fmax(sine, -0.98), 0.98));
}

static uint64_t *values_of(const struct fit *fit, const gsl_vector *u)
{
    uint64_t *values = malloc(fit->key_count * sizeof(*values));

    for (size_t i = 0; i < fit->key_count; i++)
        values[i] = to_value(&fit->keys[i], gsl_vector_get(u, i));
    return values;
}

/* Values that cannot be simulated are far from everything, so that the step is taken back. */
static int residuals_at(const gsl_vector *u, void *ctx, gsl_vector *f)
{
    struct fit *fit = ctx;
    uint64_t *values = values_of(fit, u);
    double *residuals = malloc(fit->row_count * sizeof(*residuals));
    bool fine = fit_evaluate(fit, values, residuals);

    for (size_t i = 0; i < fit->row_count; i++)
        gsl_vector_set(f, i, fine ? residuals[i] : 1e6);
    free(values);
    free(residuals);
    return !fine && fit->evaluations >= fit->budget ? GSL_EMAXITER : GSL_SUCCESS;
}

/* One column: the change of the residuals over a step of one value, as a slope over u. */
static int slope(struct fit *fit, const gsl_vector *u, size_t column, const uint64_t *values, const double *here,
                 gsl_matrix *jacobian)
{
    const struct fit_key *key = &fit->keys[column];
    uint64_t *stepped = malloc(fit->key_count * sizeof(*stepped)), step = values[column] / 100;
    double *there = malloc(fit->row_count * sizeof(*there)), per_u = half(key) * cos(gsl_vector_get(u, column));
    bool up, fine;

    memcpy(stepped, values, fit->key_count * sizeof(*stepped));
    step = step ? step : 1;
    up = key->high - values[column] >= step;
    stepped[column] = up ? values[column] + step : values[column] - step;
    fine = fit_evaluate(fit, stepped, there);
    for (size_t row = 0; fine && row < fit->row_count; row++)
        gsl_matrix_set(jacobian, row, column, (there[row] - here[row]) / (up ? (double)step : -(double)step) * per_u);
    free(stepped);
    free(there);
    return fine ? GSL_SUCCESS : GSL_FAILURE;
}

static int slopes_at(const gsl_vector *u, void *ctx, gsl_matrix *jacobian)
{
    struct fit *fit = ctx;
    uint64_t *values = values_of(fit, u);
    double *here = malloc(fit->row_count * sizeof(*here));
    int status = fit_evaluate(fit, values, here) ? GSL_SUCCESS : GSL_FAILURE;

    for (size_t column = 0; status == GSL_SUCCESS && column < fit->key_count; column++)
        status = slope(fit, u, column, values, here, jacobian);
    free(values);
    free(here);
    return status;
}

/* Four significant digits: more than the published values have. */
static uint64_t rounded(uint64_t value)
{
    uint64_t unit = 1;

    while (value / unit >= 10000)
        unit *= 10;
    return (value + unit / 2) / unit * unit;
}

static double squares(const double *residuals, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += residuals[i] * residuals[i];
    return sum;
}

/* The best run of all that were made. */
static void take_best(struct fit *fit)
{
    const struct fit_memory *best = &fit->memory[0];

    for (size_t i = 1; i < fit->memory_count; i++)
        if (squares(fit->memory[i].residuals, fit->row_count) < squares(best->residuals, fit->row_count))
            best = &fit->memory[i];
    for (size_t i = 0; i < fit->key_count; i++)
        fit->keys[i].value = rounded(best->values[i]);
}

static double rms(const struct fit *fit)
{
    return sqrt(fit->best / (double)fit->row_count);
}

/* Until a step is below the sixth digit, the budget is used up, or rows as good as met (a hundredth of their tolerance)
 * hardly get better: whole picoseconds allow no more. */
static void iterate(struct fit *fit, gsl_multifit_nlinear_workspace *workspace)
{
    enum { MOST_ITERATIONS = 50 };
    int info;

    for (int i = 0; i < MOST_ITERATIONS; i++) {
        double before = rms(fit);
        if (gsl_multifit_nlinear_iterate(workspace) != GSL_SUCCESS ||
            gsl_multifit_nlinear_test(1e-6, 1e-9, 1e-9, &info, workspace) == GSL_SUCCESS)
            break;
        if (rms(fit) < 0.01 && rms(fit) > 0.7 * before)
            break;
    }
}

bool fit_search(struct fit *fit, struct error_list *errors)
{
    gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf problem = {
        .f = residuals_at, .df = slopes_at, .n = fit->row_count, .p = fit->key_count, .params = fit};
    gsl_vector *start = gsl_vector_alloc(fit->key_count);
    gsl_multifit_nlinear_workspace *workspace;

    gsl_set_error_handler_off();
    workspace = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, fit->row_count, fit->key_count);
    for (size_t i = 0; i < fit->key_count; i++)
        gsl_vector_set(start, i, to_u(&fit->keys[i], fit->keys[i].start));
    if (gsl_multifit_nlinear_init(start, &problem, workspace) == GSL_SUCCESS)
        iterate(fit, workspace);
    gsl_multifit_nlinear_free(workspace);
    gsl_vector_free(start);
    if (fit->memory_count)
        take_best(fit);
    else
        error_move_new(errors, &fit->failures);
    return fit->memory_count != 0;
}
