#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/comparison.h"
#include "cli/result.h"

static const char compare_help[] =
    "usage: dmasim compare BASE NEW [options]\n"
    "  two result files, or two folders with results (matched by scenario); prints every row that changed, was added "
    "or\n"
    "  removed; status 1 when a change is beyond its tolerance (0 %) or a row is gone\n"
    "      --tol METRIC=PERCENT     tolerance of a metric (repeat)\n"
    "      --junit FILE             JUnit XML, a test a row (- for the terminal)\n"
    "      --md FILE                Markdown summary\n"
    "      --benchmark FILE         NEW's times as github-action-benchmark reads them (customSmallerIsBetter)\n"
    "      --benchmark-bigger FILE  NEW's other values, likewise (customBiggerIsBetter)\n"
    "      --quiet                  prints nothing\n"
    "example: dmasim compare results/reference out --tol latency=1 --md $GITHUB_STEP_SUMMARY\n";

struct compare_arguments {
    struct tolerances tolerances;
    const char *junit, *md, *benchmark, *benchmark_bigger;
    bool quiet;
};

/* Takes text. */
static void write_text(const char *path, char *text, struct error_list *errors)
{
    char *line = NULL;

    if (path && asprintf(&line, "%s\n", text) > 0)
        result_write_file(path, line, errors);
    free(line);
    free(text);
}

static int compare(const char *base, const char *new, const struct compare_arguments *arguments,
                   struct error_list *errors)
{
    struct comparison comparison;
    int status = EXIT_USAGE;

    if (comparison_make(&comparison, base, new, &arguments->tolerances, errors)) {
        status = comparison_is_regression(&comparison) ? EXIT_MISSED : EXIT_FINE;
        if (!arguments->quiet)
            comparison_print(&comparison, stdout);
        write_text(arguments->junit, comparison_junit(&comparison), errors);
        write_text(arguments->md, comparison_markdown(&comparison), errors);
        write_text(arguments->benchmark, comparison_benchmark(&comparison, true), errors);
        write_text(arguments->benchmark_bigger, comparison_benchmark(&comparison, false), errors);
    }
    comparison_free(&comparison);
    return errors->count ? EXIT_USAGE : status;
}

enum { OPTION_JUNIT = 256, OPTION_MD, OPTION_BENCHMARK, OPTION_BIGGER, OPTION_QUIET, OPTION_HELP };

static void take_option(int option, struct compare_arguments *arguments, struct error_list *errors)
{
    switch (option) {
    case 't':
        tolerances_add(&arguments->tolerances, optarg, errors);
        break;
    case OPTION_JUNIT:
        arguments->junit = optarg;
        break;
    case OPTION_MD:
        arguments->md = optarg;
        break;
    case OPTION_BENCHMARK:
        arguments->benchmark = optarg;
        break;
    case OPTION_BIGGER:
        arguments->benchmark_bigger = optarg;
        break;
    case OPTION_QUIET:
        arguments->quiet = true;
        break;
    }
}

int command_compare(int argc, char **argv)
{
    static const struct option options[] = {{"tol", required_argument, NULL, 't'},
                                            {"junit", required_argument, NULL, OPTION_JUNIT},
                                            {"md", required_argument, NULL, OPTION_MD},
                                            {"benchmark", required_argument, NULL, OPTION_BENCHMARK},
                                            {"benchmark-bigger", required_argument, NULL, OPTION_BIGGER},
                                            {"quiet", no_argument, NULL, OPTION_QUIET},
                                            {"help", no_argument, NULL, OPTION_HELP},
                                            {0}};
    struct compare_arguments arguments = {0};
    struct error_list errors = {0};
    int option, status = EXIT_USAGE;

    while ((option = arguments_next(argc, argv, "", options, &errors)) != -1) {
        if (option == OPTION_HELP) {
            fputs(compare_help, stdout);
            return EXIT_FINE;
        }
        take_option(option, &arguments, &errors);
    }
    if (argc - optind != 2)
        error_add(&errors, NULL, "compare needs two result files or folders; see dmasim compare --help");
    if (errors.count == 0)
        status = compare(argv[optind], argv[optind + 1], &arguments, &errors);
    print_errors(&errors);
    tolerances_free(&arguments.tolerances);
    return status;
}
