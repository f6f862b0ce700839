#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/folder.h"
#include "cli/run.h"

static const char run_help[] =
    "usage: dmasim run SCENARIO... [options]\n"
    "  -s, --set KEY=VALUE   override a key or a guest parameter (repeat; the last wins)\n"
    "  -o, --output DIR      folder of the result files (default: out/SCENARIO)\n"
    "  -j, --jobs N          simulations at a time (default: the number of processors)\n"
    "      --json FILE       also write the result there (- for the terminal); so --csv, --md, --junit\n"
    "      --effective FILE  write the effective configuration as a scenario and run nothing (- for the terminal)\n"
    "      --trace FILE      timeline of cores, queues, engines and channels for ui.perfetto.dev\n"
    "      --trace-from TIME, --trace-to TIME\n"
    "                        only this window of simulated time: --trace-from 1ms --trace-to 1.2ms\n"
    "      --trace-events N  the most events of one run (default: four million in all runs together)\n"
    "      --profile FILE    simulated time by guest function, as folded stacks in ps, and a table\n"
    "      --quiet           no table and no progress\n"
    "example: dmasim run batched-sync-d9500 -s cmo.slots=64 -o /tmp/q64\n";

struct run_arguments {
    struct run_options options;
    const char *output, *json, *csv, *md, *junit, *effective;
};

void print_errors(struct error_list *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        fprintf(stderr, "%s\n", errors->entries[i].text);
    error_clear(errors);
}

static bool write_named(const char *path, const char *text, struct error_list *errors)
{
    return !path || result_write_file(path, text, errors);
}

static bool write_all(const struct result *result, const struct run_arguments *arguments, const char *folder,
                      struct error_list *errors)
{
    json_t *object = result_json(result);
    char *json = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(12)), *with_newline = NULL;
    char *csv = result_csv(result), *md = result_markdown(result), *junit = result_junit(result), *chart = NULL;
    bool fine = asprintf(&with_newline, "%s\n", json) > 0;

    fine &= folder_write(folder, "result.json", with_newline, errors) &&
            folder_write(folder, "result.csv", csv, errors) && folder_write(folder, "result.md", md, errors);
    fine &= asprintf(&chart, "%s/chart.svg", folder) > 0 && result_chart(result, chart, errors);
    fine &= write_named(arguments->json, with_newline, errors) && write_named(arguments->csv, csv, errors) &&
            write_named(arguments->md, md, errors) && write_named(arguments->junit, junit, errors);
    json_decref(object);
    free(json);
    free(with_newline);
    free(csv);
    free(md);
    free(junit);
    free(chart);
    return fine;
}

static int worst(int a, int b)
{
    return a > b ? a : b;
}

static int run_one(const char *name, const struct run_arguments *arguments)
{
    struct error_list errors = {0};
    struct scenario scenario = {0};
    struct result result = {0};
    char *path = scenario_find(name, &errors), *folder = NULL;
    int status = EXIT_USAGE;

    if (path && scenario_read(path, &scenario, &errors)) {
        if (arguments->output)
            folder = strdup(arguments->output);
        else if (asprintf(&folder, "out/%s", scenario.name) < 0)
            folder = NULL;
        if (folder_make(folder, &errors)) {
            enum run_outcome outcome = run_scenario(&scenario, &arguments->options, &result, &errors);
            status = outcome == RUN_REFUSED ? EXIT_USAGE : EXIT_FAILED;
            if (outcome == RUN_FINE) {
                status = result_finish(&result, &errors) ? EXIT_FINE : EXIT_MISSED;
                if (!write_all(&result, arguments, folder, &errors))
                    status = EXIT_USAGE;
                else if (!arguments->options.quiet) {
                    result_print_table(&result, stdout);
                    printf("result: %s/result.json   chart: %s/chart.svg   %.1f s, %.0f million instructions/s\n",
                           folder, folder, result.wall_s, (double)result.instructions / result.wall_s / 1e6);
                }
            }
        }
    }
    print_errors(&errors);
    result_free(&result);
    scenario_free(&scenario);
    free(path);
    free(folder);
    return status;
}

static int write_effective(const char *name, const struct run_arguments *arguments)
{
    struct error_list errors = {0};
    struct scenario scenario = {0};
    char *path = scenario_find(name, &errors), *text = NULL;

    if (path && scenario_read(path, &scenario, &errors) &&
        (text = run_effective(&scenario, &arguments->options, &errors)))
        result_write_file(arguments->effective, text, &errors);
    int status = errors.count ? EXIT_USAGE : EXIT_FINE;
    print_errors(&errors);
    scenario_free(&scenario);
    free(path);
    free(text);
    return status;
}

static void check_activity(const struct activity_options *activity, int scenarios, struct error_list *errors)
{
    if ((activity->trace || activity->profile) && scenarios > 1)
        error_add(errors, NULL, "--trace and --profile are files of one scenario; %d are given", scenarios);
    if (activity->to_ps && activity->to_ps <= activity->from_ps)
        error_add(errors, NULL, "--trace-to must be later than --trace-from");
    if (!activity->trace && (activity->from_ps || activity->to_ps || activity->events))
        error_add(errors, NULL, "--trace-from, --trace-to and --trace-events are about --trace FILE, which is missing");
}

int command_run(int argc, char **argv)
{
    enum {
        OPTION_JSON = 256,
        OPTION_CSV,
        OPTION_MD,
        OPTION_JUNIT,
        OPTION_QUIET,
        OPTION_EFFECTIVE,
        OPTION_HELP,
        OPTION_TRACE,
        OPTION_FROM,
        OPTION_TO,
        OPTION_EVENTS,
        OPTION_PROFILE
    };
    static const struct option long_options[] = {{"set", required_argument, NULL, 's'},
                                                 {"output", required_argument, NULL, 'o'},
                                                 {"jobs", required_argument, NULL, 'j'},
                                                 {"json", required_argument, NULL, OPTION_JSON},
                                                 {"csv", required_argument, NULL, OPTION_CSV},
                                                 {"md", required_argument, NULL, OPTION_MD},
                                                 {"junit", required_argument, NULL, OPTION_JUNIT},
                                                 {"trace", required_argument, NULL, OPTION_TRACE},
                                                 {"trace-from", required_argument, NULL, OPTION_FROM},
                                                 {"trace-to", required_argument, NULL, OPTION_TO},
                                                 {"trace-events", required_argument, NULL, OPTION_EVENTS},
                                                 {"profile", required_argument, NULL, OPTION_PROFILE},
                                                 {"quiet", no_argument, NULL, OPTION_QUIET},
                                                 {"effective", required_argument, NULL, OPTION_EFFECTIVE},
                                                 {"help", no_argument, NULL, OPTION_HELP},
                                                 {0}};
    struct run_arguments arguments = {.options.jobs = arguments_default_jobs()};
    struct activity_options *activity = &arguments.options.activity;
    struct error_list errors = {0};
    int option, status = EXIT_FINE;

    while ((option = arguments_next(argc, argv, "s:o:j:", long_options, &errors)) != -1) {
        switch (option) {
        case 's':
            settings_add_argument(&arguments.options.overrides, optarg, &errors);
            break;
        case 'o':
            arguments.output = optarg;
            break;
        case 'j':
            arguments_jobs(optarg, &arguments.options.jobs, &errors);
            break;
        case OPTION_JSON:
            arguments.json = optarg;
            break;
        case OPTION_CSV:
            arguments.csv = optarg;
            break;
        case OPTION_MD:
            arguments.md = optarg;
            break;
        case OPTION_JUNIT:
            arguments.junit = optarg;
            break;
        case OPTION_TRACE:
            activity->trace = optarg;
            break;
        case OPTION_FROM:
            activity_time("--trace-from", optarg, &activity->from_ps, &errors);
            break;
        case OPTION_TO:
            activity_time("--trace-to", optarg, &activity->to_ps, &errors);
            break;
        case OPTION_EVENTS:
            activity_events(optarg, &activity->events, &errors);
            break;
        case OPTION_PROFILE:
            activity->profile = optarg;
            break;
        case OPTION_QUIET:
            arguments.options.quiet = true;
            break;
        case OPTION_EFFECTIVE:
            arguments.effective = optarg;
            break;
        case OPTION_HELP:
            fputs(run_help, stdout);
            return EXIT_FINE;
        }
    }
    if (optind == argc)
        error_add(&errors, NULL, "run needs a scenario; `dmasim list` shows what there is");
    check_activity(activity, argc - optind, &errors);
    if (errors.count)
        status = EXIT_USAGE;
    print_errors(&errors);
    for (int i = optind; status != EXIT_USAGE && i < argc; i++)
        status =
            worst(status, arguments.effective ? write_effective(argv[i], &arguments) : run_one(argv[i], &arguments));
    settings_free(&arguments.options.overrides);
    return status;
}

int command_check(int argc, char **argv)
{
    struct error_list errors = {0};
    int status = EXIT_FINE;

    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        fputs("usage: dmasim check SCENARIO...\n  reads scenarios and what they name, reports every problem, runs "
              "nothing\n"
              "example: dmasim check my-scenario.yaml\n",
              argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_FINE;
    }
    if (!arguments_no_options(argc, argv, &errors)) {
        print_errors(&errors);
        return EXIT_USAGE;
    }
    for (int i = 1; i < argc; i++) {
        struct run_options options = {0};
        struct scenario scenario = {0};
        char *path = scenario_find(argv[i], &errors);
        if (path && scenario_read(path, &scenario, &errors))
            run_check(&scenario, &options, &errors);
        if (errors.count)
            status = EXIT_USAGE;
        else
            printf("%s: fine\n", argv[i]);
        print_errors(&errors);
        scenario_free(&scenario);
        free(path);
    }
    return status;
}
