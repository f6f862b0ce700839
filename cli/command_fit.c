#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/fit.h"
#include "cli/platform_file.h"

static const char fit_help[] =
    "usage: dmasim fit SCENARIO [options]\n"
    "  searches the values of free keys with which a scenario's rows come out as published, prints these rows and the\n"
    "  ones held back, and writes the platform file with the values found\n"
    "      --free KEY[,KEY...][=LOW:HIGH]  a value to search (repeat); several keys share it. Default: the platform's\n"
    "                            values of origin fitted; bounds: a quarter to four times of what the platform has\n"
    "      --start KEY=VALUE     where the search begins (default: what the platform has)\n"
    "      --rows CASE/VARIANT/METRIC,...  what to fit on (default: rows of role fitted)\n"
    "      --budget N            runs at most (default: 200)\n"
    "  -s, --set KEY=VALUE       override another key or a guest parameter\n"
    "  -o, --output FILE         the platform file to write (default: none; it may be the one that is read)\n"
    "  -j, --jobs N              simulations at a time (default: the number of processors)\n"
    "      --quiet               no progress\n"
    "example: dmasim fit batched-sync-d9500 --free cmo.clean_ps=50ns:200ns -o my-soc.yaml\n";

struct fit_arguments {
    struct fit_request request;
    struct settings overrides;
    const char *name, *output;
    unsigned jobs, budget;
    bool quiet;
};

static void print_keys(const struct fit *fit)
{
    char value[64], before[64], low[64], high[64];

    printf("\n  %-28s  %12s  %12s  searched\n", "key", "fitted", "before");
    for (size_t i = 0; i < fit->key_count; i++) {
        const struct fit_key *key = &fit->keys[i];
        printf("  %-28s  %12s  %12s  %s to %s\n", key->key->name,
               config_format(key->key, key->value, value, sizeof(value)),
               config_format(key->key, key->before, before, sizeof(before)),
               config_format(key->key, key->low, low, sizeof(low)),
               config_format(key->key, key->high, high, sizeof(high)));
        for (size_t j = 0; j < key->tie_count; j++)
            printf("    and %s\n", key->ties[j]);
    }
}

/* Percent of the published value; points where that is a percentage itself. */
static double error_of(const struct row *row)
{
    double error = row->value - row->expectation->published;

    return strcmp(row->unit, "%") ? 100 * error / fabs(row->expectation->published) : error;
}

static void print_rows(const struct fit *fit, const struct result *result, bool fitted)
{
    double sum = 0, largest = 0;
    size_t rows = 0;
    bool relative = true;

    printf("\n%s\n  %-20s  %-12s  %-10s  %14s  %9s  %9s\n", fitted ? "Fitted" : "Held back", "case", "variant",
           "metric", "simulated", "published", "error");
    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        if (!row->expectation || fit_has_row(fit, row->expectation) != fitted)
            continue;
        relative = strcmp(row->unit, "%") != 0;
        printf("  %-20s  %-12s  %-10s  %10.6g %-3s  %9.6g  %+6.2f %s  %s\n", row->case_name, row->variant, row->metric,
               row->value, row->unit, row->expectation->published, error_of(row), relative ? "%" : "pp",
               row->ok ? "ok" : "NOT OK");
        sum += fabs(error_of(row));
        largest = fmax(largest, fabs(error_of(row)));
        rows++;
    }
    if (rows)
        printf("  %zu rows: mean error %.2f %s, largest %.2f %s\n", rows, sum / (double)rows, relative ? "%" : "pp",
               largest, relative ? "%" : "pp");
    else
        printf("  none\n");
}

static bool write_platform(const struct fit *fit, const char *path, struct error_list *errors)
{
    size_t count = 0;
    struct platform_fitted *values;
    char *source = fit_source(fit), *text;
    bool fine;

    for (size_t i = 0; i < fit->key_count; i++)
        count += 1 + fit->keys[i].tie_count;
    values = calloc(count, sizeof(*values));
    count = 0;
    for (size_t i = 0; i < fit->key_count; i++) {
        const struct fit_key *key = &fit->keys[i];
        char *value = malloc(64);
        config_format(key->key, key->value, value, 64);
        values[count++] = (struct platform_fitted){key->key->name, value, source};
        for (size_t j = 0; j < key->tie_count; j++)
            values[count++] = (struct platform_fitted){key->ties[j], strdup(value), source};
    }
    text = platform_rewrite(fit->platform, values, count, errors);
    fine = text && result_write_file(path, text, errors);
    for (size_t i = 0; i < count; i++)
        free((char *)values[i].text);
    free(values);
    free(source);
    free(text);
    return fine;
}

static bool meets(const struct fit *fit, const struct result *result)
{
    bool all = true;

    for (size_t i = 0; i < result->row_count; i++)
        if (result->rows[i].expectation && fit_has_row(fit, result->rows[i].expectation))
            all &= result->rows[i].ok;
    return all;
}

static int search(struct fit *fit, const struct fit_arguments *arguments, struct error_list *errors)
{
    struct result result = {0};
    bool found;
    int status = EXIT_FAILED;

    progress_begin(&fit->progress, arguments->quiet);
    found = fit_search(fit, errors);
    progress_end(&fit->progress);
    if (found && fit_finish(fit, &result, errors) == RUN_FINE) {
        status = meets(fit, &result) ? EXIT_FINE : EXIT_MISSED;
        printf("\n%s: %zu values from %zu rows in %u runs\n", fit->scenario->name, fit->key_count, fit->row_count,
               fit->evaluations);
        print_keys(fit);
        print_rows(fit, &result, true);
        print_rows(fit, &result, false);
        if (arguments->output && !write_platform(fit, arguments->output, errors))
            status = EXIT_USAGE;
        else if (arguments->output)
            printf("\nplatform: %s\n", arguments->output);
    }
    result_free(&result);
    return status;
}

/* Runs nothing when there is a message already. */
static int run_fit(const struct fit_arguments *arguments, struct error_list *errors)
{
    struct scenario scenario = {0};
    struct fit fit = {.jobs = arguments->jobs, .budget = arguments->budget};
    char *path = scenario_find(arguments->name, errors);
    int status = EXIT_USAGE;

    settings_copy(&fit.overrides, &arguments->overrides);
    if (path && scenario_read(path, &scenario, errors) && fit_prepare(&fit, &scenario, &arguments->request, errors) &&
        errors->count == 0)
        status = search(&fit, arguments, errors);
    fit_free(&fit);
    scenario_free(&scenario);
    free(path);
    return status;
}

static void parse_budget(const char *text, unsigned *budget, struct error_list *errors)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (!*text || *end || value < 1 || value > 100000)
        error_add(errors, NULL, "--budget %s: write a number from 1 to 100000", text);
    *budget = (unsigned)value;
}

static void append(const char ***list, size_t *count, const char *text)
{
    *list = realloc(*list, (*count + 1) * sizeof(**list));
    (*list)[(*count)++] = text;
}

enum { OPTION_FREE = 256, OPTION_START, OPTION_ROWS, OPTION_BUDGET, OPTION_QUIET, OPTION_HELP };

static void take_option(int option, struct fit_arguments *arguments, struct error_list *errors)
{
    switch (option) {
    case OPTION_FREE:
        append(&arguments->request.free, &arguments->request.free_count, optarg);
        break;
    case OPTION_START:
        append(&arguments->request.starts, &arguments->request.start_count, optarg);
        break;
    case OPTION_ROWS:
        arguments->request.rows = optarg;
        break;
    case OPTION_BUDGET:
        parse_budget(optarg, &arguments->budget, errors);
        break;
    case OPTION_QUIET:
        arguments->quiet = true;
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
    }
}

int command_fit(int argc, char **argv)
{
    static const struct option options[] = {
        {"free", required_argument, NULL, OPTION_FREE}, {"start", required_argument, NULL, OPTION_START},
        {"rows", required_argument, NULL, OPTION_ROWS}, {"budget", required_argument, NULL, OPTION_BUDGET},
        {"set", required_argument, NULL, 's'},          {"output", required_argument, NULL, 'o'},
        {"jobs", required_argument, NULL, 'j'},         {"quiet", no_argument, NULL, OPTION_QUIET},
        {"help", no_argument, NULL, OPTION_HELP},       {0}};
    struct fit_arguments arguments = {.jobs = arguments_default_jobs(), .budget = 200};
    struct error_list errors = {0};
    int option, status = EXIT_USAGE;

    while ((option = arguments_next(argc, argv, "s:o:j:", options, &errors)) != -1) {
        if (option == OPTION_HELP) {
            fputs(fit_help, stdout);
            return EXIT_FINE;
        }
        take_option(option, &arguments, &errors);
    }
    if (argc - optind != 1)
        error_add(&errors, NULL, "fit needs one scenario; `dmasim list` shows what there is");
    arguments.name = argv[optind];
    if (arguments.name)
        status = run_fit(&arguments, &errors); /* which adds what is wrong there to what is wrong here */
    print_errors(&errors);
    free(arguments.request.free);
    free(arguments.request.starts);
    settings_free(&arguments.overrides);
    return status;
}
