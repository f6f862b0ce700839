/* The commands. Each takes its own argument vector (argv[0] is its name) and returns the exit status of the contract.
 */
#ifndef DMASIM_CLI_COMMANDS_H
#define DMASIM_CLI_COMMANDS_H

#include "common/error_list.h"

enum { EXIT_FINE = 0, EXIT_MISSED = 1, EXIT_USAGE = 2, EXIT_FAILED = 3, EXIT_LIMIT = 124, EXIT_STUCK = 125 };

int command_run(int argc, char **argv);
int command_check(int argc, char **argv);
int command_exec(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_list(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_report(int argc, char **argv);
int command_fit(int argc, char **argv);

/* Prints every message, one line each, to stderr and empties the list. */
void print_errors(struct error_list *errors);

#endif
