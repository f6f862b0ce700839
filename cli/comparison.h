/* Two sets of results, row by row. */
#ifndef DMASIM_CLI_COMPARISON_H
#define DMASIM_CLI_COMPARISON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/error_list.h"

struct tolerance {
    char *metric;
    double percent;
};

struct tolerances {
    struct tolerance *items;
    size_t count;
};

/* `metric=percent` of --tol; the last of a metric counts. False with a message. */
bool tolerances_add(struct tolerances *tolerances, const char *text, struct error_list *errors);
void tolerances_free(struct tolerances *tolerances);

enum row_verdict { ROW_SAME, ROW_CHANGED /* within its tolerance */, ROW_BEYOND, ROW_REMOVED, ROW_ADDED, ROW_VERDICTS };

struct row_pair {
    const char *scenario;
    const json_t *before, *after; /* NULL: added, removed */
    enum row_verdict verdict;
    double change; /* percent; infinite from 0, and where the units differ */
    double tolerance;
};

struct comparison {
    json_t *base, *new; /* lists of results; own what the pairs point to */
    struct row_pair *pairs;
    size_t count, verdicts[ROW_VERDICTS];
};

/* Reads two files or folders (all results in and below; of a sweep its result.json) and compares them. Rows belong
 * together by case, variant, metric and point of a sweep, and by scenario where more than one result is compared. False
 * with messages: unreadable, no results, the same scenario twice, a tolerance for a metric that is nowhere. */
bool comparison_make(struct comparison *comparison, const char *base, const char *new,
                     const struct tolerances *tolerances, struct error_list *errors);
void comparison_free(struct comparison *comparison);
/* A row changed beyond its tolerance or is gone. */
bool comparison_is_regression(const struct comparison *comparison);

/* --- comparison_text.c --- */

const char *row_text(const json_t *row, const char *name); /* "" when it is not there */
void comparison_print(const struct comparison *comparison, FILE *stream);
char *comparison_markdown(const struct comparison *comparison);
char *comparison_junit(const struct comparison *comparison);
/* Rows of the new results as github-action-benchmark reads them: those of which less is better (times), or the others.
 */
char *comparison_benchmark(const struct comparison *comparison, bool smaller_is_better);

#endif
