#include "cli/hazards.h"

#include <stdlib.h>
#include <string.h>

#include "cli/quote.h"

json_t *hazards_json(const struct platform_result *result)
{
    json_t *list = json_array();

    for (size_t i = 0; i < result->hazard_count; i++) {
        const struct platform_hazard *hazard = &result->hazards[i];
        char address[32];
        snprintf(address, sizeof(address), "0x%llx", (unsigned long long)hazard->address);
        json_t *entry = json_pack("{s:s, s:s, s:I, s:I, s:i, s:s, s:s, s:s, s:s, s:s, s:s}", "kind", hazard->kind,
                                  "case", hazard->case_name, "count", (json_int_t)hazard->count, "first_time_ps",
                                  (json_int_t)hazard->first_ps, "core", (int)hazard->core, "address", address, "where",
                                  hazard->where, "cause", hazard->cause, "cause_is", hazard->cause_what, "missing",
                                  hazard->missing, "what", hazard->what);
        if (hazard->window_ps)
            json_object_set_new(entry, "window_ps", json_integer((json_int_t)hazard->window_ps));
        json_array_append_new(list, entry);
    }
    return list;
}

static const char *text_of(const json_t *entry, const char *name)
{
    const char *text = json_string_value(json_object_get(entry, name));

    return text ? text : "";
}

static json_int_t number_of(const json_t *entry, const char *name)
{
    return json_integer_value(json_object_get(entry, name));
}

void hazards_take(struct result *result, const char *choice, const char *case_name, const char *variant, json_t *entry)
{
    struct found_hazard *found;

    result->hazards = realloc(result->hazards, (result->hazard_count + 1) * sizeof(*result->hazards));
    found = &result->hazards[result->hazard_count++];
    *found = (struct found_hazard){.choice = strdup(choice),
                                   .case_name = strdup(case_name),
                                   .variant = strdup(variant),
                                   .entry = json_incref(entry)};
}

void hazards_free(struct result *result)
{
    for (size_t i = 0; i < result->hazard_count; i++) {
        free(result->hazards[i].choice);
        free(result->hazards[i].case_name);
        free(result->hazards[i].variant);
        json_decref(result->hazards[i].entry);
    }
    free(result->hazards);
}

/* --- what was expected --- */

static bool is_about(const struct hazard_expectation *e, const char *choice, const char *variant)
{
    return (!e->variant || strcmp(e->variant, variant) == 0) && (!e->case_name || strcmp(e->case_name, choice) == 0);
}

static bool names(const struct hazard_expectation *e, const char *kind)
{
    for (size_t i = 0; i < e->kind_count; i++)
        if (strcmp(e->kinds[i], kind) == 0)
            return true;
    return false;
}

static bool is_expected(const struct scenario *scenario, const struct found_hazard *found)
{
    for (size_t i = 0; i < scenario->hazard_expectation_count; i++) {
        const struct hazard_expectation *e = &scenario->hazard_expectations[i];
        if (is_about(e, found->choice, found->variant) && names(e, text_of(found->entry, "kind")))
            return true;
    }
    return false;
}

static bool was_found(const struct result *result, const char *choice, const char *variant, const char *kind)
{
    for (size_t i = 0; i < result->hazard_count; i++)
        if (strcmp(result->hazards[i].choice, choice) == 0 && strcmp(result->hazards[i].variant, variant) == 0 &&
            strcmp(text_of(result->hazards[i].entry, "kind"), kind) == 0)
            return true;
    return false;
}

/* Calls action for each kind that a run had to find and did not. */
static void for_missed(const struct result *result, const char *choice, const char *variant,
                       void (*action)(void *ctx, const char *choice, const char *variant, const char *kind), void *ctx)
{
    const struct scenario *scenario = result->scenario;

    for (size_t i = 0; i < scenario->hazard_expectation_count; i++) {
        const struct hazard_expectation *e = &scenario->hazard_expectations[i];
        for (size_t k = 0; is_about(e, choice, variant) && k < e->kind_count; k++)
            if (!was_found(result, choice, variant, e->kinds[k]))
                action(ctx, choice, variant, e->kinds[k]);
    }
}

/* Calls action for each run of the scenario. */
static void for_runs(const struct scenario *scenario,
                     void (*action)(void *ctx, const char *choice, const char *variant), void *ctx)
{
    for (size_t v = 0; v < scenario->variant_count; v++) {
        if (!scenario->case_count)
            action(ctx, "", scenario->variants[v].name);
        for (size_t c = 0; c < scenario->case_count; c++)
            action(ctx, scenario->cases[c].name, scenario->variants[v].name);
    }
}

static bool detector_on(const struct result *result)
{
    return json_integer_value(json_object_get(result->config, "hazard.detect"));
}

struct check {
    const struct result *result;
    struct error_list *errors;
    bool fine;
};

static void complain_missed(void *ctx, const char *choice, const char *variant, const char *kind)
{
    struct check *check = ctx;

    error_add(check->errors, NULL, "%s, variant %s%s%s: the hazard %s is expected and did not come",
              check->result->scenario->name, variant, *choice ? ", case " : "", choice, kind);
    check->fine = false;
}

static void check_run(void *ctx, const char *choice, const char *variant)
{
    struct check *check = ctx;

    for_missed(check->result, choice, variant, complain_missed, check);
}

static void complain_unexpected(struct check *check, const struct found_hazard *found)
{
    const json_t *entry = found->entry;

    error_add(check->errors, NULL, "%s, variant %s%s%s: hazard %s at %s%s%s%s%s; missing: %s",
              check->result->scenario->name, found->variant, *found->choice ? ", case " : "", found->choice,
              text_of(entry, "kind"), text_of(entry, "where"), *text_of(entry, "cause") ? ", after the " : "",
              *text_of(entry, "cause") ? text_of(entry, "cause_is") : "", *text_of(entry, "cause") ? " in " : "",
              text_of(entry, "cause"), text_of(entry, "missing"));
    check->fine = false;
}

bool hazards_check(struct result *result, struct error_list *errors)
{
    struct check check = {result, errors, true};

    for (size_t i = 0; i < result->hazard_count; i++) {
        struct found_hazard *found = &result->hazards[i];
        found->expected = is_expected(result->scenario, found);
        if (!found->expected)
            complain_unexpected(&check, found);
    }
    if (detector_on(result))
        for_runs(result->scenario, check_run, &check);
    return check.fine;
}

/* --- writers --- */

json_t *hazards_result_json(const struct result *result)
{
    json_t *list = json_array();

    for (size_t i = 0; i < result->hazard_count; i++) {
        const struct found_hazard *found = &result->hazards[i];
        json_t *entry = json_deep_copy(found->entry);
        json_object_set_new(entry, "case", json_string(found->case_name));
        json_object_set_new(entry, "variant", json_string(found->variant));
        json_object_set_new(entry, "expected", json_boolean(found->expected));
        json_array_append_new(list, entry);
    }
    return list;
}

static void print_one(const struct found_hazard *found, FILE *stream)
{
    const json_t *entry = found->entry;

    fprintf(stream, "  %s: %s%s\n", text_of(entry, "kind"), text_of(entry, "what"),
            found->expected ? " (expected)" : "");
    fprintf(stream, "    %s%s%s, %lld time%s, first at %.6f us, core %lld, address %s\n", found->case_name,
            *found->case_name ? ", " : "", found->variant, (long long)number_of(entry, "count"),
            number_of(entry, "count") == 1 ? "" : "s", (double)number_of(entry, "first_time_ps") / 1e6,
            (long long)number_of(entry, "core"), text_of(entry, "address"));
    fprintf(stream, "    at      %s\n", text_of(entry, "where"));
    if (*text_of(entry, "cause"))
        fprintf(stream, "    after   %s in %s\n", text_of(entry, "cause_is"), text_of(entry, "cause"));
    if (number_of(entry, "window_ps"))
        fprintf(stream, "    window  %.6f us\n", (double)number_of(entry, "window_ps") / 1e6);
    fprintf(stream, "    missing %s\n", text_of(entry, "missing"));
}

void hazards_print(const struct result *result, FILE *stream)
{
    if (!result->hazard_count)
        return;
    fprintf(stream, "\nHazards\n");
    for (size_t i = 0; i < result->hazard_count; i++)
        print_one(&result->hazards[i], stream);
}

struct junit {
    const struct result *result;
    FILE *stream; /* NULL: count only */
    size_t *tests, *failures;
    char *message; /* of the run at hand */
};

static void add_message(struct junit *junit, const char *what, const char *kind, const char *where)
{
    char *longer = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&longer, &bytes);

    fprintf(stream, "%s%s%s %s%s%s", junit->message ? junit->message : "", junit->message ? "; " : "", what, kind,
            *where ? " at " : "", where);
    fclose(stream);
    free(junit->message);
    junit->message = longer;
}

static void junit_missed(void *ctx, const char *choice, const char *variant, const char *kind)
{
    add_message(ctx, "expected and not found:", kind, "");
}

static bool has_to_do(const struct result *result, const char *choice, const char *variant)
{
    for (size_t i = 0; i < result->hazard_count; i++)
        if (strcmp(result->hazards[i].choice, choice) == 0 && strcmp(result->hazards[i].variant, variant) == 0)
            return true;
    for (size_t i = 0; i < result->scenario->hazard_expectation_count; i++)
        if (is_about(&result->scenario->hazard_expectations[i], choice, variant))
            return true;
    return false;
}

static void put_run(struct junit *junit, const char *choice, const char *variant)
{
    FILE *stream = junit->stream;

    fprintf(stream, "  <testcase classname=\"");
    quote_xml(stream, junit->result->scenario->name);
    fprintf(stream, "\" name=\"hazards ");
    quote_xml(stream, choice);
    fputs(*choice ? " " : "", stream);
    quote_xml(stream, variant);
    fprintf(stream, "\"%s", junit->message ? "><failure message=\"" : "/>\n");
    if (!junit->message)
        return;
    quote_xml(stream, junit->message);
    fprintf(stream, "\"/></testcase>\n");
}

static void junit_run(void *ctx, const char *choice, const char *variant)
{
    struct junit *junit = ctx;

    if (!has_to_do(junit->result, choice, variant))
        return;
    for (size_t i = 0; i < junit->result->hazard_count; i++) {
        const struct found_hazard *found = &junit->result->hazards[i];
        if (!found->expected && strcmp(found->choice, choice) == 0 && strcmp(found->variant, variant) == 0)
            add_message(junit, "hazard", text_of(found->entry, "kind"), text_of(found->entry, "where"));
    }
    if (detector_on(junit->result))
        for_missed(junit->result, choice, variant, junit_missed, junit);
    ++*junit->tests;
    *junit->failures += junit->message != NULL;
    if (junit->stream)
        put_run(junit, choice, variant);
    free(junit->message);
    junit->message = NULL;
}

void hazards_junit(const struct result *result, FILE *stream, size_t *tests, size_t *failures)
{
    struct junit junit = {.result = result, .stream = stream, .tests = tests, .failures = failures};

    for_runs(result->scenario, junit_run, &junit);
}
