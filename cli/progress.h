/* How far a long command is: one redrawn line on a terminal, one line every 10 s elsewhere; on stderr. */
#ifndef DMASIM_CLI_PROGRESS_H
#define DMASIM_CLI_PROGRESS_H

#include <stdbool.h>

struct progress {
    double start, next; /* seconds of the monotonic clock */
    bool quiet, terminal;
};

void progress_begin(struct progress *progress, bool quiet);
/* Shows the text when its time has come. */
void progress_show(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Removes the line from a terminal. */
void progress_end(struct progress *progress);
double progress_seconds(const struct progress *progress);

#endif
