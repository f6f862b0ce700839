/* dmasim: the command. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "common/config.h"

static const struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "simulate scenarios and print their tables", command_run},
    {"sweep", "simulate a scenario at many points", command_sweep},
    {"merge", "gather the points of a sweep", command_merge},
    {"report", "one HTML page of results and sweeps", command_report},
    {"fit", "find a platform's values from published rows", command_fit},
    {"exec", "run any bare-metal AArch64 ELF", command_exec},
    {"check", "validate scenarios, run nothing", command_check},
    {"explain", "what a key means", command_explain},
    {"list", "scenarios, platforms, guest programs", command_list},
    {"compare", "compare two results", command_compare},
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *stream)
{
    fprintf(stream, "usage: dmasim COMMAND ...   (dmasim COMMAND --help tells more)\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(stream, "  %-9s %s\n", commands[i].name, commands[i].summary);
}

static int unknown(const char *name)
{
    const char *nearest = commands[0].name;

    for (size_t i = 1; i < COMMANDS; i++)
        if (spelling_distance(name, commands[i].name) < spelling_distance(name, nearest))
            nearest = commands[i].name;
    fprintf(stderr, "dmasim: there is no command \"%s\"; did you mean \"%s\"?\n", name, nearest);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return EXIT_FINE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("dmasim " DMASIM_VERSION);
        return EXIT_FINE;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return unknown(argv[1]);
}
