#define _GNU_SOURCE
#include "cli/activity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/result.h"
#include "common/quantity.h"
#include "common/units.h"

/* Events of all runs together, about 60 bytes each: a file that ui.perfetto.dev opens without trouble. */
#define EVENTS_MOST 4000000u
#define TABLE_ROWS  15u

bool activity_time(const char *option, const char *text, uint64_t *ps, struct error_list *errors)
{
    if (quantity_parse(KEY_TIME, text, ps) == QUANTITY_OK)
        return true;
    error_add(errors, NULL, "%s: \"%s\" is not a simulated time; write a number with %s", option, text,
              quantity_units(KEY_TIME));
    return false;
}

bool activity_events(const char *text, uint64_t *events, struct error_list *errors)
{
    uint64_t value;

    if (quantity_parse(KEY_COUNT, text, &value) == QUANTITY_OK && value) {
        *events = value;
        return true;
    }
    error_add(errors, NULL, "--trace-events: \"%s\" is not a number of events; write a whole number from 1", text);
    return false;
}

/* Before an hour of simulation, not after it. */
static void need_writable(const char *path, struct error_list *errors)
{
    struct error_place place = {.file = path};
    char *temporary = NULL;
    FILE *stream;

    if (!path || strcmp(path, "-") == 0 || asprintf(&temporary, "%s.%ld.tmp", path, (long)getpid()) < 0)
        return;
    stream = fopen(temporary, "w");
    if (stream)
        fclose(stream);
    else
        error_add(errors, &place, "cannot be written: %s", strerror(errno));
    unlink(temporary);
    free(temporary);
}

bool activity_plan(struct child_run *runs, size_t count, const struct activity_options *options,
                   struct error_list *errors)
{
    size_t before = errors->count;
    uint64_t events = options->events ? options->events : EVENTS_MOST / count;

    for (size_t i = 0; i < count; i++) {
        struct trace_options *trace = &runs[i].trace;
        char *part = NULL;
        runs[i].profile = options->profile != NULL;
        if (!options->trace || asprintf(&part, "%s.%zu.%ld.tmp", options->trace, i + 1, (long)getpid()) < 0)
            continue;
        *trace = (struct trace_options){part, (uint32_t)i + 1, options->from_ps,
                                        options->to_ps ? options->to_ps : NEVER_PS, events};
    }
    need_writable(options->trace, errors);
    need_writable(options->profile, errors);
    return errors->count == before;
}

json_t *activity_chains(const struct platform_result *result)
{
    json_t *chains = json_array();

    for (size_t i = 0; i < result->chain_count; i++)
        json_array_append_new(chains, json_pack("{s:s, s:I}", "functions", result->chains[i].functions, "ps",
                                                (json_int_t)result->chains[i].ps));
    return chains;
}

/* --- the trace --- */

static void run_title(const struct child_run *run, char title[256])
{
    snprintf(title, 256, "%s%s%s", run->variant->name, run->choice ? " " : "", run->choice ? run->choice->name : "");
}

static bool append_file(FILE *to, const char *path)
{
    static char buffer[1 << 16];
    FILE *from = fopen(path, "r");
    bool fine = from != NULL;
    size_t got;

    while (from && (got = fread(buffer, 1, sizeof(buffer), from)) > 0)
        fine &= fwrite(buffer, 1, got, to) == got;
    if (from)
        fclose(from);
    return fine;
}

static bool join_parts(const struct child_run *runs, size_t count, FILE *stream)
{
    bool fine = true;

    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", stream);
    for (size_t i = 0; i < count; i++) {
        char title[256];
        run_title(&runs[i], title);
        json_t *head = json_pack("{s:s, s:i, s:s, s:{s:s}}", "ph", "M", "pid", (int)i + 1, "name", "process_name",
                                 "args", "name", title);
        char *text = json_dumps(head, JSON_COMPACT);
        fprintf(stream, "%s%s", i ? ",\n" : "", text);
        json_decref(head);
        free(text);
        fine &= append_file(stream, runs[i].trace.path);
    }
    fputs("\n]}\n", stream);
    return fine;
}

static void write_trace(const struct child_run *runs, size_t count, const char *path, struct error_list *errors)
{
    char *temporary = NULL;
    FILE *stream = asprintf(&temporary, "%s.%ld.tmp", path, (long)getpid()) < 0 ? NULL : fopen(temporary, "w");
    struct error_place place = {.file = path};
    bool fine = stream && join_parts(runs, count, stream);

    if (stream)
        fine &= fclose(stream) == 0;
    if (!fine || rename(temporary, path)) {
        error_add(errors, &place, "the trace cannot be written: %s", strerror(errno));
        unlink(temporary);
    }
    free(temporary);
}

static void note_cut(const struct child_run *run, json_t *answer)
{
    json_int_t cut_ps = json_integer_value(json_object_get(answer, "trace_cut_ps"));

    if (cut_ps)
        fprintf(stderr,
                "%s: the trace ends at %.3f us of simulated time, after %" PRIu64
                " events; --trace-from and --trace-to choose a window, --trace-events allows more\n",
                run->title, (double)cut_ps / 1e6, run->trace.events_most);
}

/* --- the profile --- */

static char *folded(const struct child_run *runs, json_t *const *answers, size_t count)
{
    char *text = NULL, title[256];
    size_t bytes, index;
    FILE *stream = open_memstream(&text, &bytes);
    json_t *chain;

    for (size_t i = 0; i < count; i++) {
        run_title(&runs[i], title);
        json_array_foreach(json_object_get(answers[i], "chains"), index, chain) fprintf(
            stream, "%s;%s %" JSON_INTEGER_FORMAT "\n", title, json_string_value(json_object_get(chain, "functions")),
            json_integer_value(json_object_get(chain, "ps")));
    }
    fclose(stream);
    return text;
}

struct function_time {
    char *name;
    uint64_t self_ps, total_ps;
};

struct function_times {
    struct function_time *items;
    size_t count;
};

static struct function_time *time_of(struct function_times *times, const char *name)
{
    for (size_t i = 0; i < times->count; i++)
        if (strcmp(times->items[i].name, name) == 0)
            return &times->items[i];
    times->items = realloc(times->items, (times->count + 1) * sizeof(*times->items));
    times->items[times->count] = (struct function_time){.name = strdup(name)};
    return &times->items[times->count++];
}

/* A function that stands twice in a chain has its total once. */
static void add_chain(struct function_times *times, const char *functions, uint64_t ps)
{
    char *copy = strdup(functions), *rest = NULL, *name;
    const char *last = strrchr(functions, ';');

    for (name = strtok_r(copy, ";", &rest); name; name = strtok_r(NULL, ";", &rest)) {
        size_t at = (size_t)(name - copy), length = strlen(name);
        const char *earlier = functions;
        while (earlier < functions + at && (strncmp(earlier, name, length) || earlier[length] != ';'))
            earlier = strchr(earlier, ';') + 1;
        if (earlier == functions + at)
            time_of(times, name)->total_ps += ps;
    }
    time_of(times, last ? last + 1 : functions)->self_ps += ps;
    free(copy);
}

static int by_self(const void *a, const void *b)
{
    const struct function_time *x = a, *y = b;

    if (x->self_ps != y->self_ps)
        return x->self_ps < y->self_ps ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void print_functions(json_t *answer, const char *title, FILE *stream)
{
    struct function_times times = {0};
    uint64_t sum_ps = 0;
    json_t *chain;
    size_t index;

    json_array_foreach(json_object_get(answer, "chains"), index, chain)
    {
        uint64_t ps = (uint64_t)json_integer_value(json_object_get(chain, "ps"));
        add_chain(&times, json_string_value(json_object_get(chain, "functions")), ps);
        sum_ps += ps;
    }
    if (times.count)
        qsort(times.items, times.count, sizeof(*times.items), by_self);
    fprintf(stream, "\n  simulated time by function, %s (%.3f us, all cores)\n  %14s %7s %14s %7s\n", title,
            (double)sum_ps / 1e6, "self us", "", "total us", "");
    for (size_t i = 0; i < times.count && i < TABLE_ROWS && sum_ps; i++)
        fprintf(stream, "  %14.3f %6.2f%% %14.3f %6.2f%%  %s\n", (double)times.items[i].self_ps / 1e6,
                100 * (double)times.items[i].self_ps / (double)sum_ps, (double)times.items[i].total_ps / 1e6,
                100 * (double)times.items[i].total_ps / (double)sum_ps, times.items[i].name);
    if (times.count > TABLE_ROWS)
        fprintf(stream, "  and %zu more\n", times.count - TABLE_ROWS);
    for (size_t i = 0; i < times.count; i++)
        free(times.items[i].name);
    free(times.items);
}

void activity_finish(const struct child_run *runs, json_t *const *answers, size_t count,
                     const struct activity_options *options, FILE *stream, struct error_list *errors)
{
    bool fine = true;

    for (size_t i = 0; i < count; i++)
        fine &= answers[i] && !json_object_get(answers[i], "failure");
    if (fine && options->trace) {
        write_trace(runs, count, options->trace, errors);
        for (size_t i = 0; i < count; i++)
            note_cut(&runs[i], answers[i]);
    }
    if (fine && options->profile) {
        char *text = folded(runs, answers, count);
        result_write_file(options->profile, text, errors);
        free(text);
        for (size_t i = 0; stream && i < count; i++) {
            char title[256];
            run_title(&runs[i], title);
            print_functions(answers[i], title, stream);
        }
    }
    for (size_t i = 0; i < count; i++)
        if (runs[i].trace.path)
            unlink(runs[i].trace.path);
}
