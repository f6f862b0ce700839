#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"

static const char compare_help[] = "usage: dmasim compare BASE NEW [--tol METRIC=PERCENT]...\n"
                                   "  two result files; prints every row that changed, was added or removed; status 1 "
                                   "when a change is beyond its tolerance (0 %)\n"
                                   "example: dmasim compare results/reference/batched-sync-d9500.json "
                                   "out/batched-sync-d9500/result.json --tol latency=1\n";

struct tolerance {
    const char *metric;
    size_t length;
    double percent;
};

struct tolerances {
    struct tolerance items[32];
    size_t count;
};

static double tolerance_of(const struct tolerances *tolerances, const char *metric)
{
    for (size_t i = tolerances->count; i-- > 0;)
        if (strncmp(tolerances->items[i].metric, metric, tolerances->items[i].length) == 0 &&
            !metric[tolerances->items[i].length])
            return tolerances->items[i].percent;
    return 0;
}

static const char *text_of(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));

    return text ? text : "";
}

static const json_t *same_row(const json_t *rows, const json_t *wanted)
{
    static const char *const names[] = {"case", "variant", "metric"};
    size_t index;
    json_t *row;

    json_array_foreach(rows, index, row)
    {
        bool same = true;
        for (size_t i = 0; i < 3; i++)
            same &= strcmp(text_of(row, names[i]), text_of(wanted, names[i])) == 0;
        if (same)
            return row;
    }
    return NULL;
}

static void print_row(const char *what, const json_t *row)
{
    printf("%-8s %s, %s, %s", what, text_of(row, "case"), text_of(row, "variant"), text_of(row, "metric"));
}

/* Returns whether a regression was found. */
static bool compare_rows(const json_t *base, const json_t *new, const struct tolerances *tolerances)
{
    bool regression = false;
    size_t index;
    json_t *row;

    json_array_foreach(base, index, row)
    {
        const json_t *other = same_row(new, row);
        double before = json_number_value(json_object_get(row, "value"));
        double after = json_number_value(json_object_get(other, "value")), change;
        if (!other) {
            print_row("removed", row);
            putchar('\n');
            regression = true;
            continue;
        }
        if (before == after)
            continue;
        change = before != 0 ? 100 * (after / before - 1) : INFINITY;
        bool beyond = fabs(change) > tolerance_of(tolerances, text_of(row, "metric"));
        print_row(beyond ? "CHANGED" : "changed", row);
        printf(": %.6g -> %.6g %s (%+.2f %%)\n", before, after, text_of(row, "unit"), change);
        regression |= beyond;
    }
    json_array_foreach(new, index, row) if (!same_row(base, row))
    {
        print_row("added", row);
        putchar('\n');
    }
    return regression;
}

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *object = json_load_file(path, 0, &error);

    if (!object)
        fprintf(stderr, "%s:%d:%d: %s\n", path, error.line > 0 ? error.line : 1, error.column > 0 ? error.column : 1,
                error.text);
    else if (!json_is_array(json_object_get(object, "rows"))) {
        fprintf(stderr, "%s: not a dmasim result: it has no \"rows\"\n", path);
        json_decref(object);
        object = NULL;
    }
    return object;
}

static bool add_tolerance(struct tolerances *tolerances, const char *text)
{
    const char *equals = strchr(text, '=');
    char *end = NULL;
    double percent = equals ? strtod(equals + 1, &end) : 0;

    if (!equals || end == equals + 1 || *end || tolerances->count == 32) {
        fprintf(stderr, "--tol %s: write --tol metric=percent\n", text);
        return false;
    }
    tolerances->items[tolerances->count++] = (struct tolerance){text, (size_t)(equals - text), percent};
    return true;
}

int command_compare(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"tol", required_argument, NULL, 't'}, {"help", no_argument, NULL, 'h'}, {0}};
    struct tolerances tolerances = {0};
    json_t *base, *new;
    int option, status;

    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (option == 'h') {
            fputs(compare_help, stdout);
            return EXIT_FINE;
        }
        if (option != 't' || !add_tolerance(&tolerances, optarg))
            return EXIT_USAGE;
    }
    if (argc - optind != 2) {
        fprintf(stderr, "compare needs two result files; see dmasim compare --help\n");
        return EXIT_USAGE;
    }
    base = load(argv[optind]);
    new = load(argv[optind + 1]);
    status = !base || !new                                                                            ? EXIT_USAGE
             : compare_rows(json_object_get(base, "rows"), json_object_get(new, "rows"), &tolerances) ? EXIT_MISSED
                                                                                                      : EXIT_FINE;
    json_decref(base);
    json_decref(new);
    return status;
}
