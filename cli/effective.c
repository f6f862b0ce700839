/* The effective configuration as a scenario: every key with its value, and what the command line has overridden. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/quote.h"
#include "cli/run.h"

/* What -s says of a name; NULL: nothing. */
static const char *overridden(const struct settings *overrides, const char *name)
{
    const char *text = NULL;

    for (size_t i = 0; i < overrides->count; i++)
        if (strcmp(overrides->items[i].name, name) == 0)
            text = overrides->items[i].text;
    return text;
}

static void put_settings(FILE *stream, const struct settings *settings, const struct settings *overrides)
{
    for (size_t i = 0; i < settings->count; i++) {
        const char *text = overridden(overrides, settings->items[i].name);
        fprintf(stream, "    %s: ", settings->items[i].name);
        quote_yaml(stream, text ? text : settings->items[i].text);
        fputc('\n', stream);
    }
}

static void put_choices(FILE *stream, const char *title, const struct choice *choices, size_t count,
                        const struct settings *overrides)
{
    if (count)
        fprintf(stream, "%s:\n", title);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "  %s:%s\n", choices[i].name, choices[i].build || choices[i].settings.count ? "" : " {}");
        if (choices[i].build)
            fprintf(stream, "    build: %s\n", choices[i].build);
        put_settings(stream, &choices[i].settings, overrides);
    }
}

/* Guest parameters: the last of each name counts. */
static void put_parameters(FILE *stream, const struct settings *params, const struct settings *overrides)
{
    const struct settings *lists[] = {params, overrides};

    for (size_t list = 0; list < 2; list++)
        for (size_t i = 0; i < lists[list]->count; i++) {
            const struct setting *setting = &lists[list]->items[i];
            const char *text = overridden(overrides, setting->name);
            bool said = strchr(setting->name, '.') || (list == 1 && overridden(params, setting->name));
            for (size_t before = 0; before < i; before++)
                said |= strcmp(lists[list]->items[before].name, setting->name) == 0;
            if (said)
                continue;
            fprintf(stream, "  %s: ", setting->name);
            quote_yaml(stream, text ? text : setting->text);
            fputc('\n', stream);
        }
}

static void put_hazard_expectation(FILE *stream, const struct hazard_expectation *e)
{
    fprintf(stream, "  - {");
    if (e->case_name) {
        fprintf(stream, "case: ");
        quote_yaml(stream, e->case_name);
        fprintf(stream, ", ");
    }
    if (e->variant) {
        fprintf(stream, "variant: ");
        quote_yaml(stream, e->variant);
        fprintf(stream, ", ");
    }
    fprintf(stream, "hazards: [");
    for (size_t i = 0; i < e->kind_count; i++)
        fprintf(stream, "%s%s", i ? ", " : "", e->kinds[i]);
    fprintf(stream, "]}\n");
}

static void put_expectations(FILE *stream, const struct scenario *scenario)
{
    if (scenario->expectation_count || scenario->hazard_expectation_count)
        fprintf(stream, "expect:\n");
    for (size_t i = 0; i < scenario->hazard_expectation_count; i++)
        put_hazard_expectation(stream, &scenario->hazard_expectations[i]);
    for (size_t i = 0; i < scenario->expectation_count; i++) {
        const struct expectation *e = &scenario->expectations[i];
        fprintf(
            stream,
            "  - {case: \"%s\", variant: \"%s\", metric: %s, published: %.10g, role: %s, tolerance: %.10g, source: ",
            e->case_name, e->variant, e->metric, e->published, e->role, e->tolerance);
        quote_yaml(stream, e->source ? e->source : "");
        fprintf(stream, "}\n");
    }
}

char *run_effective(const struct scenario *scenario, const struct run_options *options, struct error_list *errors)
{
    struct config *config = run_config(scenario, options, errors);
    char *text = NULL, value[64];
    FILE *stream;
    size_t bytes;

    if (!config)
        return NULL;
    stream = open_memstream(&text, &bytes);
    fprintf(stream, "scenario: %s\ndescription: ", scenario->name);
    quote_yaml(stream, scenario->description ? scenario->description : "");
    fprintf(stream, "\nplatform: %s\nguest: %s\nparams:\n", scenario->platform, scenario->guest);
    for (size_t i = 0; i < key_table_count; i++)
        fprintf(stream, "  %s: %s\n", key_table[i].name,
                config_format(&key_table[i], config_get(config, key_table[i].name), value, sizeof(value)));
    put_parameters(stream, &scenario->params, &options->overrides);
    put_choices(stream, "variants", scenario->variants, scenario->variant_count, &options->overrides);
    put_choices(stream, "cases", scenario->cases, scenario->case_count, &options->overrides);
    if (scenario->derive)
        fprintf(stream, "derive: %s\n", derive_names[scenario->derive]);
    put_expectations(stream, scenario);
    fclose(stream);
    config_destroy(config);
    return text;
}
