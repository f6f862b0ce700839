#include "cli/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/activity.h"
#include "cli/hazards.h"
#include "model/platform.h"

void child_apply_keys(struct config *config, const struct settings *settings, enum origin_kind origin,
                      struct error_list *errors)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strchr(settings->items[i].name, '.'))
            config_set(config, settings->items[i].name, settings->items[i].text, origin, NULL,
                       &settings->items[i].place, errors);
}

void child_describe_parameters(json_t *object, const char *prefix, const struct settings *settings)
{
    struct error_list ignored = {0};

    for (size_t i = 0; i < settings->count; i++) {
        uint64_t value;
        char name[300];
        if (strchr(settings->items[i].name, '.') && strcmp(prefix, "params.") == 0)
            continue;
        snprintf(name, sizeof(name), "%s%s", prefix, settings->items[i].name);
        if (parameter_parse(&settings->items[i], &value, &ignored))
            json_object_set_new(object, name, json_integer((json_int_t)value));
        else
            json_object_set_new(object, name, json_string(settings->items[i].text));
    }
    error_clear(&ignored);
}

static void add_parameters(struct platform_parameter **parameters, size_t *count, const struct settings *settings)
{
    struct error_list ignored = {0};

    for (size_t i = 0; i < settings->count; i++) {
        uint64_t value;
        if (strchr(settings->items[i].name, '.') || !parameter_parse(&settings->items[i], &value, &ignored))
            continue;
        *parameters = realloc(*parameters, (*count + 1) * sizeof(**parameters));
        (*parameters)[(*count)++] = (struct platform_parameter){settings->items[i].name, value};
    }
    error_clear(&ignored);
}

static void to_stderr(void *ctx, const char *text, size_t bytes)
{
    fwrite(text, 1, bytes, stderr);
}

static json_t *regions_json(const struct platform_result *result)
{
    json_t *regions = json_array();

    for (size_t i = 0; i < result->region_count; i++) {
        const struct platform_region *region = &result->regions[i];
        json_t *stack = json_array();
        for (unsigned part = 0; part < STACK_PARTS; part++)
            json_array_append_new(stack, json_integer((json_int_t)region->stack_ps[part]));
        json_array_append_new(
            regions, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "name", region->name, "samples",
                               (json_int_t)region->samples, "total_ps", (json_int_t)region->total_ps, "p99_ps",
                               (json_int_t)region->p99_ps, "dc_ops", (json_int_t)region->counters.dc_ops, "dsbs",
                               (json_int_t)region->counters.dsbs, "instructions",
                               (json_int_t)region->counters.instructions, "tlbi", (json_int_t)region->smmu.tlbi,
                               "syncs", (json_int_t)region->smmu.sync, "stack_ps", stack));
    }
    return regions;
}

static json_t *values_json(const struct platform_result *result)
{
    json_t *values = json_array();

    for (size_t i = 0; i < result->value_count; i++)
        json_array_append_new(values, json_pack("{s:s, s:s, s:s, s:I, s:I}", "case", result->values[i].case_name,
                                                "metric", result->values[i].metric, "unit", result->values[i].unit,
                                                "value", (json_int_t)result->values[i].value, "scale",
                                                (json_int_t)result->values[i].scale));
    return values;
}

static json_t *phases_json(const struct platform_result *result)
{
    json_t *phases = json_array();

    for (size_t i = 0; i < result->phase_count; i++) {
        json_t *parts = json_array();
        for (unsigned part = 0; part < PHASE_PARTS; part++)
            json_array_append_new(parts, json_integer((json_int_t)result->phases[i].part_ps[part]));
        json_array_append_new(phases, json_pack("{s:i, s:o}", "core", (int)result->phases[i].core, "part_ps", parts));
    }
    return phases;
}

/* What went wrong in a run that began; NULL: nothing. Caller frees. */
static char *failure_of(const struct platform_result *result)
{
    char text[512];

    if (result->end == PLATFORM_EXIT && result->exit_status == 0)
        return NULL;
    if (result->end == PLATFORM_EXIT)
        snprintf(text, sizeof(text), "the guest ended with status %llu", (unsigned long long)result->exit_status);
    else
        snprintf(text, sizeof(text), "%s", result->message ? result->message : "the simulation failed");
    return strdup(text);
}

static char *join(const struct error_list *errors)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    for (size_t i = 0; i < errors->count; i++)
        fprintf(stream, "%s%s", i ? "; " : "", errors->entries[i].text);
    fclose(stream);
    return text;
}

void child_main(const struct child_run *run, int pipe)
{
    struct platform_console console = {NULL, to_stderr};
    struct platform_guest guest = {
        .elf_path = run->elf, .trace = run->trace.path ? &run->trace : NULL, .profile = run->profile};
    struct platform_parameter *parameters = NULL;
    struct platform_result result;
    struct error_list errors = {0};
    char *failure, *text;
    json_t *answer;

    add_parameters(&parameters, &guest.parameter_count, &run->scenario->params);
    add_parameters(&parameters, &guest.parameter_count, &run->variant->settings);
    if (run->choice)
        add_parameters(&parameters, &guest.parameter_count, &run->choice->settings);
    add_parameters(&parameters, &guest.parameter_count, run->overrides);
    guest.parameters = parameters;
    if (platform_run(run->config, &guest, &console, &result, &errors))
        failure = failure_of(&result);
    else
        failure = NULL;
    if (!failure && errors.count)
        failure = join(&errors);
    answer = json_pack("{s:o, s:o, s:f, s:o, s:o, s:I, s:I}", "regions", regions_json(&result), "phases",
                       phases_json(&result), "queue_entries", result.queue_entries, "values", values_json(&result),
                       "hazards", hazards_json(&result), "instructions", (json_int_t)result.instructions,
                       "simulated_ps", (json_int_t)result.simulated_ps);
    json_object_set_new(answer, "chains", activity_chains(&result));
    json_object_set_new(answer, "trace_cut_ps", json_integer((json_int_t)result.trace_cut_ps));
    if (failure)
        json_object_set_new(answer, "failure", json_string(failure));
    json_object_set_new(answer, "refused", json_boolean(errors.count != 0));
    text = json_dumps(answer, JSON_COMPACT);
    for (size_t sent = 0, bytes = strlen(text); sent < bytes;) {
        ssize_t part = write(pipe, text + sent, bytes - sent);
        if (part <= 0)
            break;
        sent += (size_t)part;
    }
    json_decref(answer);
    free(text);
    free(failure);
    free(parameters);
    platform_result_free(&result);
    error_clear(&errors);
}
