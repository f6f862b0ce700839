#include "cli/scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/platform_file.h"
#include "cli/yaml_file.h"
#include "hazard/kinds.h"

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

static const char *need_text(struct yaml_file *file, const yaml_node_t *mapping, const char *name, const char *what,
                             struct error_list *errors)
{
    yaml_node_t *node = yaml_get(file, mapping, name);
    struct error_place place = yaml_place(file, node ? node : mapping);

    if (!node)
        error_add(errors, &place, "%s needs \"%s:\"", what, name);
    else if (!yaml_text(node))
        error_add(errors, &place, "\"%s:\" must be plain text", name);
    return yaml_text(node);
}

static void read_settings(struct yaml_file *file, const yaml_node_t *mapping, const char *skip,
                          struct settings *settings, struct error_list *errors)
{
    yaml_node_t *key, *value;

    for (size_t n = 0; yaml_pair(file, mapping, n, &key, &value); n++) {
        struct error_place place = yaml_place(file, value);
        if (!yaml_text(key) || (skip && strcmp(yaml_text(key), skip) == 0))
            continue;
        if (!yaml_text(value))
            error_add(errors, &place, "\"%s\" must be one value", yaml_text(key));
        else
            settings_add(settings, yaml_text(key), yaml_text(value), place);
    }
}

static struct choice *read_choices(struct yaml_file *file, const yaml_node_t *mapping, const char *what, size_t *count,
                                   struct error_list *errors)
{
    struct choice *choices = NULL;
    yaml_node_t *key, *value;

    if (mapping && mapping->type != YAML_MAPPING_NODE) {
        struct error_place place = yaml_place(file, mapping);
        error_add(errors, &place, "\"%s:\" must be a mapping of names to settings", what);
        return NULL;
    }
    for (*count = 0; yaml_pair(file, mapping, *count, &key, &value); ++*count) {
        const yaml_node_t *build = yaml_get(file, value, "build");
        struct error_place place = yaml_place(file, build ? build : key);
        bool empty = yaml_text(value) && !*yaml_text(value);
        choices = realloc(choices, (*count + 1) * sizeof(*choices));
        choices[*count] =
            (struct choice){.name = copy(yaml_text(key)), .build = copy(yaml_text(build)), .place = place};
        if (value->type != YAML_MAPPING_NODE && !empty) {
            place = yaml_place(file, value);
            error_add(errors, &place, "\"%s:\" in \"%s:\" must be a mapping of names to values: {name: value}",
                      yaml_text(key) ? yaml_text(key) : "", what);
        }
        read_settings(file, value, "build", &choices[*count].settings, errors);
    }
    return choices;
}

/* A number with an optional "%", "pp" or unit behind it; the metric's unit counts. */
static double need_number(struct yaml_file *file, const yaml_node_t *mapping, const char *name,
                          struct error_list *errors)
{
    const char *text = need_text(file, mapping, name, "an expectation", errors);
    char *end = NULL;
    double value = text ? strtod(text, &end) : 0;

    if (text && (end == text || strspn(end, " %ppusn1/") != strlen(end))) {
        struct error_place place = yaml_place(file, yaml_get(file, mapping, name));
        error_add(errors, &place, "\"%s: %s\" is not a number; write one like 12.5, 2pp or 6%%", name, text);
    }
    return value;
}

/* "6%" is relative to the published value; "2pp", "0.2us" and "0.2" are in the metric's unit. */
static bool ends_with_percent(const char *text)
{
    return text && *text && text[strlen(text) - 1] == '%';
}

static void need_choice(struct yaml_file *file, const yaml_node_t *node, const char *what, const struct choice *choices,
                        size_t count, struct error_list *errors)
{
    const yaml_node_t *name = yaml_get(file, node, what);
    const char **names = calloc(count + 1, sizeof(*names));
    bool found = !yaml_text(name);

    for (size_t i = 0; i < count; i++) {
        names[i] = choices[i].name;
        found |= yaml_text(name) && choices[i].name && strcmp(choices[i].name, yaml_text(name)) == 0;
    }
    if (!found) {
        struct error_place place = yaml_place(file, name);
        char problem[256];
        snprintf(problem, sizeof(problem), "no %s is called \"%s\"", what, yaml_text(name));
        yaml_unknown(&place, problem, yaml_text(name), names, errors);
    }
    free(names);
}

static void unknown_hazard(const struct error_place *place, const char *name, struct error_list *errors)
{
    const char *names[HAZARD_KINDS] = {0};
    char problem[256];

    for (int kind = HAZARD_NONE + 1; kind < HAZARD_KINDS; kind++)
        names[kind - HAZARD_NONE - 1] = hazard_kind_info((enum hazard_kind)kind)->name;
    snprintf(problem, sizeof(problem), "no hazard is called \"%s\" (`dmasim explain hazards`)", name);
    yaml_unknown(place, problem, name, names, errors);
}

static void read_hazard_kinds(struct yaml_file *file, const yaml_node_t *list, struct hazard_expectation *e,
                              struct error_list *errors)
{
    struct error_place place = yaml_place(file, list);
    yaml_node_t *item;

    if (list->type != YAML_SEQUENCE_NODE)
        error_add(errors, &place, "\"hazards:\" must be a list of names: [double-unmap]");
    for (size_t i = 0; (item = yaml_item(file, list, i)); i++) {
        const char *name = yaml_text(item) ? yaml_text(item) : "";
        place = yaml_place(file, item);
        if (hazard_kind_find(name) == HAZARD_NONE) {
            unknown_hazard(&place, name, errors);
            continue;
        }
        e->kinds = realloc(e->kinds, (e->kind_count + 1) * sizeof(*e->kinds));
        e->kinds[e->kind_count++] = copy(name);
    }
}

/* {hazards: [names]}, of all runs or those of a variant, a case */
static void read_hazards(struct yaml_file *file, const yaml_node_t *node, struct scenario *scenario,
                         struct error_list *errors)
{
    static const char *const allowed[] = {"hazards", "case", "variant", NULL};
    struct hazard_expectation e = {.case_name = copy(yaml_text(yaml_get(file, node, "case"))),
                                   .variant = copy(yaml_text(yaml_get(file, node, "variant")))};

    yaml_only(file, node, allowed, "an expectation of hazards", errors);
    need_choice(file, node, "variant", scenario->variants, scenario->variant_count, errors);
    need_choice(file, node, "case", scenario->cases, scenario->case_count, errors);
    read_hazard_kinds(file, yaml_get(file, node, "hazards"), &e, errors);
    scenario->hazard_expectations = realloc(scenario->hazard_expectations, (scenario->hazard_expectation_count + 1) *
                                                                               sizeof(*scenario->hazard_expectations));
    scenario->hazard_expectations[scenario->hazard_expectation_count++] = e;
}

static void read_expectation(struct yaml_file *file, const yaml_node_t *node, struct scenario *scenario,
                             struct error_list *errors)
{
    static const char *const allowed[] = {"case", "variant",   "metric", "published",
                                          "role", "tolerance", "source", NULL};
    struct expectation *e;
    const char *role = need_text(file, node, "role", "an expectation", errors);

    yaml_only(file, node, allowed, "an expectation", errors);
    scenario->expectations =
        realloc(scenario->expectations, (scenario->expectation_count + 1) * sizeof(*scenario->expectations));
    e = &scenario->expectations[scenario->expectation_count++];
    *e = (struct expectation){.case_name = copy(need_text(file, node, "case", "an expectation", errors)),
                              .variant = copy(need_text(file, node, "variant", "an expectation", errors)),
                              .metric = copy(need_text(file, node, "metric", "an expectation", errors)),
                              .source = copy(yaml_text(yaml_get(file, node, "source"))),
                              .role = copy(role),
                              .published = need_number(file, node, "published", errors),
                              .tolerance = need_number(file, node, "tolerance", errors)};
    if (ends_with_percent(yaml_text(yaml_get(file, node, "tolerance"))))
        e->tolerance *= fabs(e->published) / 100;
    if (role && strcmp(role, "fitted") && strcmp(role, "predicted")) {
        struct error_place place = yaml_place(file, yaml_get(file, node, "role"));
        error_add(errors, &place, "\"role: %s\" is not possible; write fitted or predicted", role);
    }
    need_choice(file, node, "variant", scenario->variants, scenario->variant_count, errors);
}

/* `sweep:` key: [values] */
static void read_axes(struct yaml_file *file, struct scenario *scenario, struct error_list *errors)
{
    yaml_node_t *key, *list, *value;

    for (size_t n = 0; yaml_pair(file, yaml_get(file, yaml_root(file), "sweep"), n, &key, &list); n++) {
        struct error_place place = yaml_place(file, list);
        struct axis *axis;
        if (!yaml_text(key))
            continue;
        if (list->type != YAML_SEQUENCE_NODE || !yaml_item(file, list, 0)) {
            error_add(errors, &place, "sweep of %s: write a list of values: [1, 2, 4]", yaml_text(key));
            continue;
        }
        axis = axes_renew(&scenario->axes, yaml_text(key));
        for (size_t i = 0; (value = yaml_item(file, list, i)); i++) {
            place = yaml_place(file, value);
            if (yaml_text(value))
                settings_add(&axis->values, axis->name, yaml_text(value), place);
            else
                error_add(errors, &place, "sweep of %s: a value must be plain text", axis->name);
        }
    }
}

/* `fit:` metric: {metric: the one to fit on, offset: what its published value is more} */
static void read_fit_metrics(struct yaml_file *file, struct scenario *scenario, struct error_list *errors)
{
    static const char *const allowed[] = {"metric", "offset", NULL};
    yaml_node_t *key, *value;

    for (size_t n = 0; yaml_pair(file, yaml_get(file, yaml_root(file), "fit"), n, &key, &value); n++) {
        if (!yaml_text(key))
            continue;
        yaml_only(file, value, allowed, "a metric to fit on", errors);
        scenario->fit_metrics =
            realloc(scenario->fit_metrics, (scenario->fit_metric_count + 1) * sizeof(*scenario->fit_metrics));
        scenario->fit_metrics[scenario->fit_metric_count++] = (struct fit_metric){
            copy(yaml_text(key)), copy(need_text(file, value, "metric", "a metric to fit on", errors)),
            yaml_get(file, value, "offset") ? need_number(file, value, "offset", errors) : 0};
    }
}

/* A section must have the YAML kind that its reader expects. */
static void need_kind(struct yaml_file *file, const char *name, yaml_node_type_t kind, struct error_list *errors)
{
    const yaml_node_t *node = yaml_get(file, yaml_root(file), name);
    bool empty = node && yaml_text(node) && !*yaml_text(node);

    if (!node || node->type == kind || empty)
        return;
    struct error_place place = yaml_place(file, node);
    error_add(errors, &place, "\"%s:\" must be a %s", name,
              kind == YAML_MAPPING_NODE ? "mapping of names to values" : "list");
}

/* `adversary: {seed: 1}` is the key adversary.seed. */
static void read_adversary(struct yaml_file *file, struct scenario *scenario, struct error_list *errors)
{
    static const char *const allowed[] = {"seed", NULL};
    const yaml_node_t *adversary = yaml_get(file, yaml_root(file), "adversary"), *seed;

    if (!adversary)
        return;
    need_kind(file, "adversary", YAML_MAPPING_NODE, errors);
    yaml_only(file, adversary, allowed, "adversary", errors);
    seed = yaml_get(file, adversary, "seed");
    if (yaml_text(seed))
        settings_add(&scenario->params, "adversary.seed", yaml_text(seed), yaml_place(file, seed));
}

/* `expect:` a list of both kinds, or only `hazards: [names]` of every run */
static void read_expectations(struct yaml_file *file, struct scenario *scenario, struct error_list *errors)
{
    yaml_node_t *expect = yaml_get(file, yaml_root(file), "expect"), *node;

    if (yaml_get(file, expect, "hazards")) {
        read_hazards(file, expect, scenario, errors);
        return;
    }
    need_kind(file, "expect", YAML_SEQUENCE_NODE, errors);
    for (size_t i = 0; (node = yaml_item(file, expect, i)); i++)
        if (yaml_get(file, node, "hazards"))
            read_hazards(file, node, scenario, errors);
        else
            read_expectation(file, node, scenario, errors);
}

/* A build that is missing is told where it is named, a program that is missing where that is, once. */
static void check_guest(struct yaml_file *file, const struct scenario *scenario, const struct choice *variant,
                        struct error_list *errors)
{
    struct error_place place = yaml_place(file, yaml_get(file, yaml_root(file), "guest"));
    struct error_list found = {0};

    free(guest_find(scenario->guest, variant->build, guest_exists(scenario->guest) ? &variant->place : &place, &found));
    error_move_new(errors, &found);
}

/* There is something, and a message about it already. */
static bool is_other_kind(const yaml_node_t *node)
{
    return node && node->type != YAML_MAPPING_NODE;
}

/* The platform and the guest's builds must be there. */
static void check_files(struct yaml_file *file, const struct scenario *scenario, struct error_list *errors)
{
    yaml_node_t *root = yaml_root(file);

    if (scenario->platform) {
        struct error_place place = yaml_place(file, yaml_get(file, root, "platform"));
        free(platform_find(scenario->platform, &place, errors));
    }
    for (size_t i = 0; scenario->guest && i < scenario->variant_count; i++)
        check_guest(file, scenario, &scenario->variants[i], errors);
}

const char *const derive_names[] = {"nothing", "reduction", "gain", NULL};

static void read_body(struct yaml_file *file, struct scenario *scenario, struct error_list *errors)
{
    static const char *const allowed[] = {"scenario", "description", "platform", "guest",  "params",
                                          "variants", "cases",       "expect",   "derive", "sweep",
                                          "fit",      "adversary",   NULL};
    yaml_node_t *root = yaml_root(file);
    const char *derive;

    yaml_only(file, root, allowed, "a scenario", errors);
    need_kind(file, "params", YAML_MAPPING_NODE, errors);
    need_kind(file, "sweep", YAML_MAPPING_NODE, errors);
    need_kind(file, "fit", YAML_MAPPING_NODE, errors);
    scenario->name = copy(need_text(file, root, "scenario", "a scenario", errors));
    scenario->platform = copy(need_text(file, root, "platform", "a scenario", errors));
    scenario->guest = copy(need_text(file, root, "guest", "a scenario", errors));
    scenario->description = copy(yaml_text(yaml_get(file, root, "description")));
    read_adversary(file, scenario, errors);
    read_settings(file, yaml_get(file, root, "params"), NULL, &scenario->params, errors);
    scenario->variants =
        read_choices(file, yaml_get(file, root, "variants"), "variants", &scenario->variant_count, errors);
    scenario->cases = read_choices(file, yaml_get(file, root, "cases"), "cases", &scenario->case_count, errors);
    derive = yaml_text(yaml_get(file, root, "derive"));
    while (derive && derive_names[scenario->derive] && strcmp(derive, derive_names[scenario->derive]))
        scenario->derive++;
    if (derive && !derive_names[scenario->derive]) {
        struct error_place place = yaml_place(file, yaml_get(file, root, "derive"));
        error_add(errors, &place, "\"derive: %s\" is not possible; write reduction or gain", derive);
    }
    if (scenario->variant_count == 0 && !is_other_kind(yaml_get(file, root, "variants"))) {
        struct error_place place = yaml_place(file, root);
        error_add(errors, &place, "a scenario needs \"variants:\" with at least one variant");
    }
    check_files(file, scenario, errors);
    read_expectations(file, scenario, errors);
    read_axes(file, scenario, errors);
    read_fit_metrics(file, scenario, errors);
    settings_check(&scenario->params, errors);
    for (size_t i = 0; i < scenario->variant_count; i++)
        settings_check(&scenario->variants[i].settings, errors);
    for (size_t i = 0; i < scenario->case_count; i++)
        settings_check(&scenario->cases[i].settings, errors);
    axes_check(&scenario->axes, errors);
}

/* A wrong scenario is not run, so that nobody else would say what is wrong in its platform. */
static void check_platform(const struct scenario *scenario, struct error_list *errors)
{
    struct error_list found = {0}, told = {0};
    struct config *scratch = config_create();
    char *path = scenario->platform ? platform_find(scenario->platform, NULL, &told) : NULL;

    if (path)
        platform_read(path, scratch, &found);
    error_move_new(errors, &found);
    error_clear(&told);
    config_destroy(scratch);
    free(path);
}

bool scenario_read(const char *path, struct scenario *scenario, struct error_list *errors)
{
    size_t before = errors->count;
    struct yaml_file file;

    *scenario = (struct scenario){.path = strdup(path)};
    if (yaml_file_read(path, &file, errors))
        read_body(&file, scenario, errors);
    scenario->file_names[0] = file.path; /* error places point to it */
    file.path = NULL;
    if (scenario->file_names[0])
        yaml_document_delete(&file.document);
    error_sort(errors, before);
    if (errors->count != before)
        check_platform(scenario, errors);
    return errors->count == before;
}

static void free_choices(struct choice *choices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(choices[i].name);
        free(choices[i].build);
        settings_free(&choices[i].settings);
    }
    free(choices);
}

static void free_hazard_expectations(struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->hazard_expectation_count; i++) {
        struct hazard_expectation *e = &scenario->hazard_expectations[i];
        for (size_t k = 0; k < e->kind_count; k++)
            free(e->kinds[k]);
        free(e->kinds);
        free(e->case_name);
        free(e->variant);
    }
    free(scenario->hazard_expectations);
}

void scenario_free(struct scenario *scenario)
{
    free(scenario->name);
    free(scenario->description);
    free(scenario->platform);
    free(scenario->guest);
    free(scenario->path);
    settings_free(&scenario->params);
    free_choices(scenario->variants, scenario->variant_count);
    free_choices(scenario->cases, scenario->case_count);
    for (size_t i = 0; i < scenario->expectation_count; i++) {
        struct expectation *e = &scenario->expectations[i];
        free(e->case_name);
        free(e->variant);
        free(e->metric);
        free(e->role);
        free(e->source);
    }
    free(scenario->expectations);
    free_hazard_expectations(scenario);
    for (size_t i = 0; i < scenario->fit_metric_count; i++) {
        free(scenario->fit_metrics[i].metric);
        free(scenario->fit_metrics[i].by);
    }
    free(scenario->fit_metrics);
    axes_free(&scenario->axes);
    free(scenario->file_names[0]);
    *scenario = (struct scenario){0};
}
