#define _GNU_SOURCE
#include "cli/run.h"

#include <errno.h>
#include <poll.h>
#include <sha256.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/hazards.h"
#include "cli/platform_file.h"
#include "cli/progress.h"
#include "cpu/cpu.h"
#include "model/platform.h"

struct config *run_config(const struct scenario *scenario, const struct run_options *options, struct error_list *errors)
{
    size_t before = errors->count;
    struct config *config = config_create();
    char *platform = platform_find(scenario->platform, NULL, errors);

    if (platform)
        platform_read(platform, config, errors);
    free(platform);
    if (errors->count != before) {
        config_destroy(config);
        return NULL;
    }
    child_apply_keys(config, &scenario->params, ORIGIN_SCENARIO, errors);
    child_apply_keys(config, &options->overrides, ORIGIN_COMMAND, errors);
    if (errors->count != before) {
        config_destroy(config);
        return NULL;
    }
    return config;
}

/* One process at work. */
struct job {
    size_t number;
    pid_t pid;
    int pipe;
    char *text;
    size_t bytes;
};

static bool start_job(struct job *job, size_t number, const struct child_run *run)
{
    int ends[2];

    if (pipe(ends))
        return false;
    fflush(NULL);
    job->pid = fork();
    if (job->pid < 0)
        return false;
    if (job->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody would read the result */
        close(ends[0]);
        child_main(run, ends[1]);
        fflush(NULL);
        _exit(0);
    }
    close(ends[1]);
    *job = (struct job){.number = number, .pid = job->pid, .pipe = ends[0]};
    return true;
}

/* Takes what the child has written; false: it is finished. */
static bool read_job(struct job *job)
{
    char buffer[65536];
    ssize_t got = read(job->pipe, buffer, sizeof(buffer));

    if (got <= 0)
        return got < 0 && errno == EINTR;
    job->text = realloc(job->text, job->bytes + (size_t)got + 1);
    memcpy(job->text + job->bytes, buffer, (size_t)got);
    job->bytes += (size_t)got;
    job->text[job->bytes] = 0;
    return true;
}

/* Signals that come from outside: the same simulation may well succeed another time. */
static bool is_from_outside(int signal)
{
    return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGXCPU;
}

/* What the child has said, or what became of it. */
static json_t *end_job(struct job *job)
{
    json_t *answer = job->text ? json_loads(job->text, 0, NULL) : NULL;
    char text[128] = "the simulation ended without a result";
    int status;

    close(job->pipe);
    waitpid(job->pid, &status, 0);
    free(job->text);
    if (answer)
        return answer;
    if (WIFSIGNALED(status))
        snprintf(text, sizeof(text), "the simulation ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    return json_pack("{s:s, s:b}", "failure", text, "lost", WIFSIGNALED(status) && is_from_outside(WTERMSIG(status)));
}

/* Runs all; answers[i] is NULL where a process could not be started. */
static void run_all(const struct scenario *scenario, const struct child_run *runs, size_t count,
                    const struct run_options *options, json_t **answers, struct error_list *errors)
{
    unsigned jobs = options->jobs ? options->jobs : 1;
    struct job *active = calloc(jobs, sizeof(*active));
    struct pollfd *polls = calloc(jobs, sizeof(*polls));
    size_t started = 0, done = 0;
    unsigned running = 0;
    struct progress progress;

    progress_begin(&progress, options->quiet);
    while (done < count) {
        while (running < jobs && started < count) {
            if (!start_job(&active[running], started, &runs[started])) {
                error_add(errors, NULL, "a process cannot be started: %s", strerror(errno));
                count = started;
                break;
            }
            running++;
            started++;
        }
        for (unsigned i = 0; i < running; i++)
            polls[i] = (struct pollfd){.fd = active[i].pipe, .events = POLLIN};
        poll(polls, running, 200);
        progress_show(&progress, "%s: %zu of %zu runs", scenario->name, done, count);
        for (unsigned i = running; i-- > 0;) {
            if (!polls[i].revents || read_job(&active[i]))
                continue;
            answers[active[i].number] = end_job(&active[i]);
            active[i] = active[--running];
            done++;
        }
    }
    progress_end(&progress);
    free(active);
    free(polls);
}

static const char *row_case(const struct child_run *run, const char *name, char buffer[256])
{
    if (!run->choice)
        snprintf(buffer, 256, "%s", name);
    else if (!name[0])
        snprintf(buffer, 256, "%s", run->choice->name);
    else
        snprintf(buffer, 256, "%s %s", run->choice->name, name);
    return buffer;
}

static uint64_t per_sample(const json_t *region, const char *name, uint64_t samples)
{
    return (uint64_t)json_integer_value(json_object_get(region, name)) / samples;
}

static void take_region(struct result *result, const struct child_run *run, json_t *region)
{
    const char *name = json_string_value(json_object_get(region, "name"));
    uint64_t samples = (uint64_t)json_integer_value(json_object_get(region, "samples"));
    double total_ps = (double)json_integer_value(json_object_get(region, "total_ps"));
    json_t *stack = json_object_get(region, "stack_ps");
    char case_name[256];
    double sum = 0;

    row_case(run, name, case_name);
    result_add_row(result, case_name, run->variant->name, "latency", "us", total_ps / (double)samples / 1e6, samples);
    if (json_integer_value(json_object_get(region, "p99_ps")))
        result_add_row(result, case_name, run->variant->name, "latency_p99", "us",
                       (double)json_integer_value(json_object_get(region, "p99_ps")) / 1e6, samples);
    result->stacks = realloc(result->stacks, (result->stack_count + 1) * sizeof(*result->stacks));
    struct stack *out = &result->stacks[result->stack_count++];
    *out = (struct stack){strdup(case_name), strdup(run->variant->name), calloc(STACK_PARTS, sizeof(double))};
    for (size_t part = 0; part < STACK_PARTS; part++)
        sum += out->parts[part] = (double)json_integer_value(json_array_get(stack, part));
    for (size_t part = 0; sum > 0 && part < STACK_PARTS; part++)
        out->parts[part] /= sum;
    result->counts = realloc(result->counts, (result->count_count + 1) * sizeof(*result->counts));
    result->counts[result->count_count++] = (struct count){strdup(case_name),
                                                           strdup(run->variant->name),
                                                           per_sample(region, "dc_ops", samples),
                                                           per_sample(region, "dsbs", samples),
                                                           per_sample(region, "instructions", samples),
                                                           per_sample(region, "tlbi", samples),
                                                           per_sample(region, "syncs", samples)};
}

static void take_value(struct result *result, const struct child_run *run, json_t *value)
{
    char case_name[256];
    double number = (double)json_integer_value(json_object_get(value, "value"));
    double scale = (double)json_integer_value(json_object_get(value, "scale"));

    row_case(run, json_string_value(json_object_get(value, "case")), case_name);
    result_add_row(result, case_name, run->variant->name, json_string_value(json_object_get(value, "metric")),
                   json_string_value(json_object_get(value, "unit")), number / scale, 0);
}

/* Rows of the mean over the cores that did anything; the cores one by one go into result->core_stacks. */
static void take_phases(struct result *result, const struct child_run *run, const json_t *phases, double queue_entries)
{
    double mean[PHASE_PARTS] = {0};
    char case_name[256], metric[64];
    size_t index, cores = 0;
    json_t *phase;

    row_case(run, "", case_name);
    json_array_foreach(phases, index, phase)
    {
        json_t *shares = json_object();
        double part_ps[PHASE_PARTS], sum = 0;
        for (unsigned part = 0; part < PHASE_PARTS; part++)
            sum += part_ps[part] = (double)json_integer_value(json_array_get(json_object_get(phase, "part_ps"), part));
        for (unsigned part = 0; sum > 0 && part < PHASE_PARTS; part++) {
            json_object_set_new(shares, phase_part_names[part], json_real(result_round(part_ps[part] / sum)));
            mean[part] += part_ps[part] / sum;
        }
        cores += sum > 0;
        json_array_append_new(result->core_stacks,
                              json_pack("{s:s, s:s, s:O, s:o}", "case", case_name, "variant", run->variant->name,
                                        "core", json_object_get(phase, "core"), "parts", shares));
    }
    if (!cores)
        return;
    for (unsigned part = 0; part < PHASE_PARTS; part++) {
        snprintf(metric, sizeof(metric), "time_%s", phase_part_names[part]);
        result_add_row(result, case_name, run->variant->name, metric, "%", 100 * mean[part] / (double)cores, 0);
    }
    result_add_row(result, case_name, run->variant->name, "queue_entries", "", queue_entries, 0);
}

static void take_hazard(struct result *result, const struct child_run *run, json_t *entry)
{
    char case_name[256];

    row_case(run, json_string_value(json_object_get(entry, "case")), case_name);
    hazards_take(result, run->choice ? run->choice->name : "", case_name, run->variant->name, entry);
}

static enum run_outcome take_answer(struct result *result, const struct child_run *run, json_t *answer,
                                    struct error_list *errors)
{
    const char *failure = json_string_value(json_object_get(answer, "failure"));
    json_t *item;
    size_t index;

    if (failure) {
        error_add(errors, NULL, "%s: %s", run->title, failure);
        if (json_is_true(json_object_get(answer, "lost")))
            return RUN_LOST;
        return json_is_true(json_object_get(answer, "refused")) ? RUN_REFUSED : RUN_FAILED;
    }
    json_array_foreach(json_object_get(answer, "regions"), index, item) take_region(result, run, item);
    json_array_foreach(json_object_get(answer, "values"), index, item) take_value(result, run, item);
    take_phases(result, run, json_object_get(answer, "phases"),
                json_real_value(json_object_get(answer, "queue_entries")));
    json_array_foreach(json_object_get(answer, "hazards"), index, item) take_hazard(result, run, item);
    result->instructions += (uint64_t)json_integer_value(json_object_get(answer, "instructions"));
    return RUN_FINE;
}

static void hash_file(SHA2_CTX *hash, const char *path)
{
    uint8_t buffer[65536];
    FILE *stream = fopen(path, "rb");
    size_t got;

    while (stream && (got = fread(buffer, 1, sizeof(buffer), stream)) > 0)
        SHA256Update(hash, buffer, got);
    if (stream)
        fclose(stream);
}

static const char *const origin_names[] = {"default", "measured", "fitted", "assumed", "scenario", "command line"};

static void describe_choices(json_t *object, const char *title, const struct choice *choices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char prefix[300];
        snprintf(prefix, sizeof(prefix), "%s.%s.", title, choices[i].name);
        child_describe_parameters(object, prefix, &choices[i].settings);
    }
}

/* The effective configuration, its origins, and the hash over it and the programs. */
static void describe_config(struct result *result, const struct config *config, const struct scenario *scenario,
                            const struct run_options *options, const struct child_run *runs, size_t count)
{
    SHA2_CTX hash;
    char *text;

    result->core_stacks = json_array();
    result->config = json_object();
    result->origins = json_object();
    for (size_t i = 0; i < key_table_count; i++) {
        const struct config_value *value = config_value(config, key_table[i].name);
        char origin[512];
        snprintf(origin, sizeof(origin), "%s%s%s", origin_names[value->origin], value->source ? ": " : "",
                 value->source ? value->source : "");
        json_object_set_new(result->config, key_table[i].name, json_integer((json_int_t)value->value));
        json_object_set_new(result->origins, key_table[i].name, json_string(origin));
    }
    child_describe_parameters(result->config, "params.", &scenario->params);
    child_describe_parameters(result->config, "params.", &options->overrides);
    describe_choices(result->config, "variants", scenario->variants, scenario->variant_count);
    describe_choices(result->config, "cases", scenario->cases, scenario->case_count);
    text = json_dumps(result->config, JSON_SORT_KEYS | JSON_COMPACT);
    SHA256Init(&hash);
    SHA256Update(&hash, (const uint8_t *)text, strlen(text));
    for (size_t i = 0; i < count; i++)
        hash_file(&hash, runs[i].elf);
    SHA256End(&hash, result->config_hash);
    free(text);
}

static void free_runs(struct child_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        config_destroy(runs[i].config);
        free(runs[i].elf);
        free((char *)runs[i].trace.path);
    }
    free(runs);
}

/* Program and settings of a run. */
static void prepare(struct child_run *run, struct error_list *errors)
{
    run->elf = guest_find(run->scenario->guest, run->variant->build, &run->variant->place, errors);
    child_apply_keys(run->config, &run->variant->settings, ORIGIN_SCENARIO, errors);
    if (run->choice)
        child_apply_keys(run->config, &run->choice->settings, ORIGIN_SCENARIO, errors);
    child_apply_keys(run->config, run->overrides, ORIGIN_COMMAND, errors);
}

static bool is_wanted(const struct run_options *options, const struct choice *variant, const struct choice *choice)
{
    return !options->wanted || options->wanted(options->wanted_ctx, variant, choice);
}

/* One entry a variant and case; messages, each once, when something is wrong. */
static struct child_run *plan(const struct scenario *scenario, const struct config *config,
                              const struct run_options *options, size_t *count, struct error_list *errors)
{
    size_t cases = scenario->case_count ? scenario->case_count : 1;
    struct child_run *runs = calloc(scenario->variant_count * cases, sizeof(*runs));
    struct error_list found = {0};

    *count = 0;
    for (size_t c = 0; c < cases; c++)
        for (size_t v = 0; v < scenario->variant_count; v++) {
            struct child_run *run = &runs[*count];
            run->scenario = scenario;
            run->variant = &scenario->variants[v];
            run->choice = scenario->case_count ? &scenario->cases[c] : NULL;
            if (!is_wanted(options, run->variant, run->choice))
                continue;
            ++*count;
            run->overrides = &options->overrides;
            run->config = config_copy(config);
            snprintf(run->title, sizeof(run->title), "%s, variant %s%s%s", scenario->name, run->variant->name,
                     run->choice ? ", case " : "", run->choice ? run->choice->name : "");
            prepare(run, &found);
            error_move_new(errors, &found);
        }
    return runs;
}

/* Values that are allowed each may be impossible together: each problem once. */
static void check_platforms(const struct child_run *runs, size_t count, struct error_list *errors)
{
    struct error_list found = {0};

    for (size_t i = 0; i < count; i++) {
        platform_check(runs[i].config, &found);
        error_move_new(errors, &found);
    }
}

bool run_check(const struct scenario *scenario, const struct run_options *options, struct error_list *errors)
{
    size_t before = errors->count, count;
    struct config *config = run_config(scenario, options, errors);
    struct child_run *runs;

    if (!config)
        return false;
    runs = plan(scenario, config, options, &count, errors);
    check_platforms(runs, count, errors);
    config_destroy(config);
    free_runs(runs, count);
    return errors->count == before;
}

/* The runs of a scenario, their configuration in result; NULL with messages. */
static struct child_run *describe(const struct scenario *scenario, const struct run_options *options, size_t *count,
                                  struct result *result, struct error_list *errors)
{
    size_t before = errors->count;
    struct config *config = run_config(scenario, options, errors);
    struct child_run *runs;

    *result = (struct result){.scenario = scenario};
    if (!config)
        return NULL;
    runs = plan(scenario, config, options, count, errors);
    if (errors->count == before) {
        describe_config(result, config, scenario, options, runs, *count);
    } else {
        check_platforms(runs, *count, errors);
        free_runs(runs, *count);
        runs = NULL;
    }
    config_destroy(config);
    return runs;
}

bool run_describe(const struct scenario *scenario, const struct run_options *options, struct result *result,
                  struct error_list *errors)
{
    size_t count;
    struct child_run *runs = describe(scenario, options, &count, result, errors);

    if (!runs)
        return false;
    free_runs(runs, count);
    return true;
}

enum run_outcome run_scenario(const struct scenario *scenario, const struct run_options *options, struct result *result,
                              struct error_list *errors)
{
    size_t before = errors->count, count;
    enum run_outcome outcome = RUN_FINE;
    struct progress clock;
    struct rusage usage;
    struct child_run *runs;
    json_t **answers;

    progress_begin(&clock, true);
    runs = describe(scenario, options, &count, result, errors);
    if (!runs)
        return RUN_REFUSED;
    check_platforms(runs, count, errors);
    if (!activity_plan(runs, count, &options->activity, errors) || errors->count != before) {
        free_runs(runs, count);
        return RUN_REFUSED;
    }
    answers = calloc(count, sizeof(*answers));
    run_all(scenario, runs, count, options, answers, errors);
    activity_finish(runs, answers, count, &options->activity, options->quiet ? NULL : stdout, errors);
    if (errors->count != before)
        outcome = RUN_REFUSED;
    for (size_t i = 0; i < count; i++) {
        enum run_outcome one = answers[i] ? take_answer(result, &runs[i], answers[i], errors) : RUN_LOST;
        if (one > outcome)
            outcome = one;
        json_decref(answers[i]);
    }
    free(answers);
    free_runs(runs, count);
    getrusage(RUSAGE_CHILDREN, &usage);
    result->rss_kib = usage.ru_maxrss;
    result->wall_s = progress_seconds(&clock);
    return outcome;
}
