/*
 * A fit: free keys of a platform such that chosen rows of a scenario come out as published.
 *
 * A row's residual is (simulated - target) / tolerance; a row that has none counts 1 %. The target is the published
 * value; where the scenario's `fit:` names another metric for the row's (because a tool cuts its numbers off, and a
 * staircase has no slope), that metric is simulated and the offset added to the published value.
 */
#ifndef DMASIM_CLI_FIT_H
#define DMASIM_CLI_FIT_H

#include "cli/progress.h"
#include "cli/result.h"
#include "cli/run.h"

struct fit_key {
    const struct key *key;
    char **ties; /* keys that have its value (`as:` of the platform file, or given together) */
    size_t tie_count;
    uint64_t low, high, before, start, value; /* before: of the platform; value: fitted */
    bool bounded;                             /* low and high were given */
};

struct fit_row {
    const struct expectation *expectation;
    const char *metric; /* simulated to fit on */
    double target, scale;
};

/* A run that was made. */
struct fit_memory {
    uint64_t *values;
    double *residuals;
};

struct fit {
    const struct scenario *scenario;
    char *platform; /* path */
    struct settings overrides;
    struct fit_key *keys;
    size_t key_count;
    struct fit_row *rows;
    size_t row_count;
    unsigned jobs, budget, evaluations;
    struct fit_memory *memory;
    size_t memory_count;
    double best; /* sum of squares */
    struct progress progress;
    struct error_list failures; /* of the last simulation that failed */
};

/* What the command line says; texts as given. */
struct fit_request {
    const char **free, **starts; /* key[,key...][=low:high], key=value */
    size_t free_count, start_count;
    const char *rows; /* case/variant/metric,...; NULL: those of role fitted */
};

/* --- fit_problem.c --- */

/* Keys and rows. False with messages. */
bool fit_prepare(struct fit *fit, const struct scenario *scenario, const struct fit_request *request,
                 struct error_list *errors);
void fit_free(struct fit *fit);
/* Where the values come from, for the platform file: the scenario and the rows. Caller frees. */
char *fit_source(const struct fit *fit);
bool fit_has_row(const struct fit *fit, const struct expectation *expectation);

/* --- fit_run.c --- */

/* Residuals of the rows with these values. False: the simulation failed or the budget is used up. */
bool fit_evaluate(struct fit *fit, const uint64_t *values, double *residuals);
/* The whole scenario with the fitted values. */
enum run_outcome fit_finish(struct fit *fit, struct result *result, struct error_list *errors);

/* --- fit_search.c --- */

/* Levenberg-Marquardt with the Jacobian from differences; the values found, with four significant digits, into the
 * keys. The same on every machine. False with messages when nothing could be simulated. */
bool fit_search(struct fit *fit, struct error_list *errors);

#endif
