/* One run in a child process: builds the platform, runs it, writes the result as JSON into a pipe. */
#ifndef DMASIM_CLI_CHILD_H
#define DMASIM_CLI_CHILD_H

#include <jansson.h>

#include "cli/scenario.h"
#include "model/platform.h"

struct child_run {
    const struct scenario *scenario;
    const struct choice *variant;
    const struct choice *choice; /* the case; NULL: the scenario has none */
    const struct settings *overrides;
    struct config *config;
    char *elf;
    char title[256]; /* for messages */
    struct trace_options trace; /* path NULL: no trace */
    bool profile;
};

void child_main(const struct child_run *run, int pipe);

/* The settings that are keys, into config. */
void child_apply_keys(struct config *config, const struct settings *settings, enum origin_kind origin,
                      struct error_list *errors);
/* The settings that are guest parameters, into a JSON object under prefix. */
void child_describe_parameters(json_t *object, const char *prefix, const struct settings *settings);

#endif
