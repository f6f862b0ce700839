/* Running a scenario: every variant and case in a child process of its own (SystemC elaborates once a process). */
#ifndef DMASIM_CLI_RUN_H
#define DMASIM_CLI_RUN_H

#include "cli/result.h"

struct run_options {
    struct settings overrides; /* -s */
    unsigned jobs;             /* children at a time */
    bool quiet;
};

enum run_outcome { RUN_FINE, RUN_REFUSED /* wrong scenario */, RUN_FAILED /* a simulation failed */ };

/* Fills result (scenario must outlive it). */
enum run_outcome run_scenario(const struct scenario *scenario, const struct run_options *options, struct result *result,
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
