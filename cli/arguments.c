#include "cli/arguments.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/config.h"

static const char *nearest_option(const char *name, const struct option *options)
{
    const char *nearest = NULL;
    unsigned best = (unsigned)strlen(name) / 3 + 2;

    for (; options->name; options++)
        if (spelling_distance(name, options->name) < best) {
            best = spelling_distance(name, options->name);
            nearest = options->name;
        }
    return nearest;
}

static void unknown(const char *command, const char *argument, const struct option *options, struct error_list *errors)
{
    char name[64];
    const char *nearest;

    if (strncmp(argument, "--", 2)) {
        error_add(errors, NULL, "%s: unknown option -%c; see dmasim %s --help", command, optopt, command);
        return;
    }
    strncpy(name, argument + 2, sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    name[strcspn(name, "=")] = 0;
    nearest = nearest_option(name, options);
    if (nearest)
        error_add(errors, NULL, "%s: unknown option --%s; did you mean --%s?", command, name, nearest);
    else
        error_add(errors, NULL, "%s: unknown option --%s; see dmasim %s --help", command, name, command);
}

static bool takes_value(int letter, const struct option *options)
{
    for (; options->name; options++)
        if (options->val == letter && options->has_arg == required_argument)
            return true;
    return false;
}

int arguments_next(int argc, char **argv, const char *letters, const struct option *options, struct error_list *errors)
{
    int option, at;

    opterr = 0;
    while (at = optind ? optind : 1, (option = getopt_long(argc, argv, letters, options, NULL)) == '?') {
        const char *argument = argv[optind > at ? optind - 1 : at]; /* -xy: optind stays until the last letter */
        if (optopt && takes_value(optopt, options))
            error_add(errors, NULL, "%s: %s needs a value; see dmasim %s --help", argv[0], argument, argv[0]);
        else
            unknown(argv[0], argument, options, errors);
    }
    return option;
}

bool arguments_no_options(int argc, char **argv, struct error_list *errors)
{
    size_t before = errors->count;

    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-')
            error_add(errors, NULL, "%s: unknown option %s; see dmasim %s --help", argv[0], argv[i], argv[0]);
    return errors->count == before;
}

void arguments_jobs(const char *text, unsigned *jobs, struct error_list *errors)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (!*text || *end || value < 1 || value > 1024)
        error_add(errors, NULL, "-j %s: write a number from 1 to 1024", text);
    else
        *jobs = (unsigned)value;
}

unsigned arguments_default_jobs(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return processors > 0 ? (unsigned)processors : 1;
}
