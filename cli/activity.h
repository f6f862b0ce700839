/* --trace and --profile of `dmasim run`: what the runs' children have recorded, put together. */
#ifndef DMASIM_CLI_ACTIVITY_H
#define DMASIM_CLI_ACTIVITY_H

#include "cli/child.h"

struct activity_options {
    const char *trace, *profile; /* files; NULL: not wanted */
    uint64_t from_ps, to_ps;     /* window of the trace; to_ps 0: no end */
    uint64_t events;             /* the most of one run; 0: four million in all runs together */
};

/* Simulated time as "12.5ms"; false with a message that begins with option. */
bool activity_time(const char *option, const char *text, uint64_t *ps, struct error_list *errors);

/* --trace-events; false with a message. */
bool activity_events(const char *text, uint64_t *events, struct error_list *errors);

/* Before the children: what each is to record. False with messages: a file cannot be written. */
bool activity_plan(struct child_run *runs, size_t count, const struct activity_options *options,
                   struct error_list *errors);
/* After them; answers as the children gave them. Writes the files, prints the table of functions to stream (NULL: not
 * wanted) and says where a trace was cut. Removes what the children have left, also when a run has failed. */
void activity_finish(const struct child_run *runs, json_t *const *answers, size_t count,
                     const struct activity_options *options, FILE *stream, struct error_list *errors);

/* A result's chains for the parent. */
json_t *activity_chains(const struct platform_result *result);

#endif
