#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/folder.h"
#include "cli/quote.h"
#include "cli/run.h"
#include "cli/sweep.h"

static const char sweep_help[] =
    "usage: dmasim sweep SCENARIO [options]\n"
    "  runs a scenario at every point of the lists in its \"sweep:\" and of --vary; a sweep that was killed goes on "
    "with\n"
    "  --resume, a point that fails is recorded and the others go on\n"
    "      --vary KEY=V1,V2,...  values of a key or guest parameter (repeat; replaces the scenario's list)\n"
    "  -s, --set KEY=VALUE       override a key or a guest parameter at every point\n"
    "  -o, --output DIR          folder (default: out/SCENARIO-sweep): sweep.json, points/, result.json, result.csv\n"
    "  -j, --jobs N              points at a time (default: the number of processors; Slurm: no limit)\n"
    "      --engine NAME         local, or slurm: one job array; the folder must be shared between the nodes\n"
    "      --resume              go on in a folder that has a sweep; what is there is not run again\n"
    "      --point I/N           run only share I (1 to N) of the points, for another scheduler; then `dmasim merge`\n"
    "      --quiet               no progress and no summary\n"
    "example: dmasim sweep batched-sync-d9500 --vary cmo.slots=16,32,64,128 -o /tmp/slots\n";

static const char merge_help[] = "usage: dmasim merge DIR... [options]\n"
                                 "  makes result.json and result.csv of a sweep's points; several folders: shares of "
                                 "the same sweep, gathered in the\n"
                                 "  first\n"
                                 "      --quiet               no summary\n"
                                 "example: dmasim merge /tmp/slots\n";

struct sweep_arguments {
    struct axes varied;
    struct settings overrides;
    const char *name, *output;
    size_t share, shares; /* 0: all */
    unsigned jobs;        /* 0: not said */
    bool slurm, resume, quiet;
};

static void parse_share(const char *text, struct sweep_arguments *arguments, struct error_list *errors)
{
    unsigned share, shares;
    int end = 0;

    if (sscanf(text, "%9u/%9u%n", &share, &shares, &end) != 2 || text[end] || share < 1 || share > shares)
        error_add(errors, NULL, "--point %s: write --point i/N, i from 1 to N", text);
    arguments->share = share;
    arguments->shares = shares;
}

static void parse_engine(const char *text, struct sweep_arguments *arguments, struct error_list *errors)
{
    arguments->slurm = strcmp(text, "slurm") == 0;
    if (!arguments->slurm && strcmp(text, "local"))
        error_add(errors, NULL, "--engine %s: it is local or slurm", text);
}

static char *executable(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

    path[length > 0 ? length : 0] = 0;
    return strdup(path);
}

/* This sweep for a shell in another process, all but the share. */
static char *command_line(const struct sweep_arguments *arguments, const struct sweep *sweep)
{
    char *text = NULL, *path = executable();
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    quote_shell(stream, path);
    fputs(" sweep ", stream);
    quote_shell(stream, arguments->name);
    fputs(" --quiet -o ", stream);
    quote_shell(stream, sweep->folder);
    for (size_t i = 0; i < arguments->varied.count; i++) {
        const struct axis *axis = &arguments->varied.items[i];
        fputs(" --vary ", stream);
        quote_shell(stream, axis->name);
        for (size_t j = 0; j < axis->values.count; j++) {
            fputc(j ? ',' : '=', stream);
            quote_shell(stream, axis->values.items[j].text);
        }
    }
    for (size_t i = 0; i < arguments->overrides.count; i++) {
        fputs(" -s ", stream);
        quote_shell(stream, arguments->overrides.items[i].name);
        fputc('=', stream);
        quote_shell(stream, arguments->overrides.items[i].text);
    }
    fclose(stream);
    free(path);
    return text;
}

/* Writes the plan, or finds that another sweep is there already. */
static bool open_folder(const struct sweep *sweep, const struct sweep_arguments *arguments, struct error_list *errors)
{
    struct error_place place = {.file = sweep->folder};
    char *path = folder_join(sweep->folder, "sweep.json"), *points = folder_join(sweep->folder, "points");
    json_t *plan = sweep_description(sweep), *there = json_load_file(path, 0, NULL);
    bool same = json_equal(plan, there), fine = true;
    char *text = sweep_json_text(plan);

    if (there && arguments->shares && !same) {
        error_add(errors, &place, "another sweep is there; --point works in its own sweep's folder or in a new one");
        fine = false;
    } else if (there && !arguments->shares && !arguments->resume) {
        error_add(errors, &place, "a sweep is there already; --resume goes on with it, -o names another folder");
        fine = false;
    }
    fine = fine && folder_make(points, errors) && (same || folder_write(sweep->folder, "sweep.json", text, errors));
    json_decref(plan);
    json_decref(there);
    free(text);
    free(points);
    free(path);
    return fine;
}

/* Every point of a share has a file; what they say is for the merge. */
static int run_share(const struct sweep *sweep, const struct sweep_arguments *arguments, struct error_list *errors)
{
    struct sweep_todo todo = sweep_find_todo(sweep, arguments->share, arguments->shares);
    unsigned jobs = arguments->jobs ? arguments->jobs : arguments_default_jobs();
    bool fine = sweep_run_local(sweep, &todo, jobs, arguments->quiet, errors);

    free(todo.points);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

static int run_all(const struct sweep *sweep, const struct sweep_arguments *arguments, struct error_list *errors)
{
    unsigned jobs = arguments->jobs ? arguments->jobs : arguments_default_jobs();
    struct sweep_todo todo = sweep_find_todo(sweep, 1, 1);
    char *command = command_line(arguments, sweep);
    bool fine = arguments->slurm ? sweep_run_slurm(sweep, command, arguments->jobs, arguments->quiet, errors)
                                 : sweep_run_local(sweep, &todo, jobs, arguments->quiet, errors);

    free(todo.points);
    free(command);
    return fine ? sweep_merge(sweep->folder, arguments->quiet, errors) : EXIT_FAILED;
}

/* Runs nothing when there is a message already. */
static int run_sweep(const struct sweep_arguments *arguments, struct error_list *errors)
{
    struct scenario scenario = {0};
    struct sweep sweep = {0};
    char *path = scenario_find(arguments->name, errors), *folder = NULL;
    int status = EXIT_USAGE;

    if (path && scenario_read(path, &scenario, errors)) {
        if (arguments->output)
            folder = strdup(arguments->output);
        else if (asprintf(&folder, "out/%s-sweep", scenario.name) < 0)
            folder = NULL;
        if (sweep_plan(&sweep, &scenario, &arguments->varied, &arguments->overrides, folder, errors) &&
            errors->count == 0 && open_folder(&sweep, arguments, errors))
            status = arguments->shares ? run_share(&sweep, arguments, errors) : run_all(&sweep, arguments, errors);
    }
    sweep_free(&sweep);
    scenario_free(&scenario);
    free(path);
    free(folder);
    return status;
}

enum { OPTION_VARY = 256, OPTION_ENGINE, OPTION_RESUME, OPTION_POINT, OPTION_QUIET, OPTION_HELP };

static const struct option sweep_options[] = {
    {"vary", required_argument, NULL, OPTION_VARY},     {"set", required_argument, NULL, 's'},
    {"output", required_argument, NULL, 'o'},           {"jobs", required_argument, NULL, 'j'},
    {"engine", required_argument, NULL, OPTION_ENGINE}, {"resume", no_argument, NULL, OPTION_RESUME},
    {"point", required_argument, NULL, OPTION_POINT},   {"quiet", no_argument, NULL, OPTION_QUIET},
    {"help", no_argument, NULL, OPTION_HELP},           {0}};

static void take_option(int option, struct sweep_arguments *arguments, struct error_list *errors)
{
    switch (option) {
    case OPTION_VARY:
        axes_add_argument(&arguments->varied, optarg, errors);
        break;
    case 's':
        settings_add_argument(&arguments->overrides, optarg, errors);
        break;
    case 'o':
        arguments->output = optarg;
        break;
    case 'j':
        arguments_jobs(optarg, &arguments->jobs, errors);
        break;
    case OPTION_ENGINE:
        parse_engine(optarg, arguments, errors);
        break;
    case OPTION_RESUME:
        arguments->resume = true;
        break;
    case OPTION_POINT:
        parse_share(optarg, arguments, errors);
        break;
    case OPTION_QUIET:
        arguments->quiet = true;
        break;
    }
}

int command_sweep(int argc, char **argv)
{
    struct sweep_arguments arguments = {0};
    struct error_list errors = {0};
    int option, status = EXIT_USAGE;

    while ((option = arguments_next(argc, argv, "s:o:j:", sweep_options, &errors)) != -1) {
        if (option == OPTION_HELP) {
            fputs(sweep_help, stdout);
            return EXIT_FINE;
        }
        take_option(option, &arguments, &errors);
    }
    if (argc - optind != 1)
        error_add(&errors, NULL, "sweep needs one scenario; `dmasim list` shows what there is");
    if (arguments.slurm && arguments.shares)
        error_add(&errors, NULL, "--engine slurm and --point exclude each other: the job array hands out the shares");
    arguments.name = argv[optind];
    if (arguments.name)
        status = run_sweep(&arguments, &errors); /* which adds what is wrong there to what is wrong here */
    print_errors(&errors);
    axes_free(&arguments.varied);
    settings_free(&arguments.overrides);
    return status;
}

int command_merge(int argc, char **argv)
{
    static const struct option options[] = {
        {"quiet", no_argument, NULL, OPTION_QUIET}, {"help", no_argument, NULL, OPTION_HELP}, {0}};
    struct error_list errors = {0};
    int option, status = EXIT_USAGE;
    bool quiet = false;

    while ((option = arguments_next(argc, argv, "", options, &errors)) != -1) {
        if (option == OPTION_HELP) {
            fputs(merge_help, stdout);
            return EXIT_FINE;
        }
        quiet = true;
    }
    if (optind == argc)
        error_add(&errors, NULL, "merge needs the folder of a sweep");
    for (int i = optind + 1; errors.count == 0 && i < argc; i++)
        sweep_add(argv[optind], argv[i], &errors);
    if (errors.count == 0)
        status = sweep_merge(argv[optind], quiet, &errors);
    print_errors(&errors);
    return status;
}
