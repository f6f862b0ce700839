/* Running a scenario: every variant and case in a child process of its own (SystemC elaborates once a process). */
#ifndef DMASIM_CLI_RUN_H
#define DMASIM_CLI_RUN_H

#include "cli/activity.h"
#include "cli/result.h"

struct run_options {
    struct settings overrides; /* -s */
    unsigned jobs;             /* children at a time */
    bool quiet;
    struct activity_options activity;
    /* Whether a variant's run with a case (NULL: there are none) is wanted; NULL: every one is. */
    bool (*wanted)(const void *ctx, const struct choice *variant, const struct choice *choice);
    const void *wanted_ctx;
};

enum run_outcome {
    RUN_FINE,
    RUN_REFUSED, /* wrong scenario */
    RUN_FAILED,  /* a simulation failed, and would again */
    RUN_LOST     /* a process was ended from outside, or could not be started */
};

/* Fills result (scenario must outlive it). */
enum run_outcome run_scenario(const struct scenario *scenario, const struct run_options *options, struct result *result,
                              struct error_list *errors);

/* Fills only the configuration, its origins and its hash. False with messages. A platform that is impossible is not
 * noticed: it has a hash too. */
bool run_describe(const struct scenario *scenario, const struct run_options *options, struct result *result,
                  struct error_list *errors);

/* Whether every run of the scenario has its program, its settings and a possible platform; each message once. */
bool run_check(const struct scenario *scenario, const struct run_options *options, struct error_list *errors);

/* The effective configuration, overrides included, as the text of a scenario that gives the same result (effective.c);
 * NULL with messages. Caller frees. */
char *run_effective(const struct scenario *scenario, const struct run_options *options, struct error_list *errors);

/* Platform, params and overrides applied; without variant and case. NULL with messages. */
struct config *run_config(const struct scenario *scenario, const struct run_options *options,
                          struct error_list *errors);

#endif
