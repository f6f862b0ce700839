/* What the commands' arguments have in common. Every problem goes into the error list; the command shows them together.
 */
#ifndef DMASIM_CLI_ARGUMENTS_H
#define DMASIM_CLI_ARGUMENTS_H

#include <getopt.h>
#include <stdbool.h>

#include "common/error_list.h"

/* Next option as getopt_long gives it, but an unknown option or a missing value becomes a message and the next option
 * is looked at. -1: no more options. */
int arguments_next(int argc, char **argv, const char *letters, const struct option *options, struct error_list *errors);

/* For commands whose only option is --help: false, with messages, when there are others. */
bool arguments_no_options(int argc, char **argv, struct error_list *errors);

/* -j: a number from 1 to 1024. */
void arguments_jobs(const char *text, unsigned *jobs, struct error_list *errors);
unsigned arguments_default_jobs(void);

#endif
