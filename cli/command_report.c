#include <stdio.h>
#include <stdlib.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/result.h"
#include "cli/result_files.h"

static const char report_help[] =
    "usage: dmasim report RESULT... [options]\n"
    "  one HTML page of result files, folders of runs, or folders of sweeps: tables against what was published, cycle\n"
    "  stacks, distributions, curves of sweeps, hazards, configuration; it opens from disk and needs no network\n"
    "  -o, --output FILE  the page (report.html; - for the terminal)\n"
    "      --quiet        prints nothing\n"
    "example: dmasim report out/batched-sync-d9500 -o report.html\n";

static json_t *load_all(char **paths, int count, struct error_list *errors)
{
    json_t *results = json_array();

    for (int i = 0; i < count; i++) {
        json_t *some = result_files_load(paths[i], errors);
        json_array_extend(results, some);
        json_decref(some);
    }
    return results;
}

static void report(char **paths, int count, const char *output, bool quiet, struct error_list *errors)
{
    json_t *results = load_all(paths, count, errors), *data;
    char *page = NULL;

    if (errors->count == 0) {
        data = report_data(results);
        page = report_page(data, errors);
        json_decref(data);
    }
    if (page && result_write_file(output, page, errors) && !quiet)
        fprintf(stderr, "report: %s\n", output);
    free(page);
    json_decref(results);
}

enum { OPTION_QUIET = 256, OPTION_HELP };

int command_report(int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"quiet", no_argument, NULL, OPTION_QUIET},
                                            {"help", no_argument, NULL, OPTION_HELP},
                                            {0}};
    struct error_list errors = {0};
    const char *output = "report.html";
    bool quiet = false;
    int option, status;

    while ((option = arguments_next(argc, argv, "o:", options, &errors)) != -1) {
        if (option == OPTION_HELP) {
            fputs(report_help, stdout);
            return EXIT_FINE;
        }
        if (option == 'o')
            output = optarg;
        quiet |= option == OPTION_QUIET;
    }
    if (optind == argc)
        error_add(&errors, NULL, "report needs result files or folders; see dmasim report --help");
    if (errors.count == 0)
        report(argv + optind, argc - optind, output, quiet, &errors);
    status = errors.count ? EXIT_USAGE : EXIT_FINE;
    print_errors(&errors);
    return status;
}
