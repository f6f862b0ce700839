/*
 * Scenario and platform files (grammar: scenarios/README.md).
 */
#ifndef DMASIM_CLI_SCENARIO_H
#define DMASIM_CLI_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "common/config.h"

/* One `name: value` of params, a variant, a case, or -s. With a dot: a key of the configuration; else a guest
 * parameter. */
struct setting {
    char *name, *text;
    struct error_place place; /* file stays valid as long as the scenario */
};

struct settings {
    struct setting *items;
    size_t count;
};

/* A variant or a case. */
struct choice {
    char *name;
    char *build; /* of the guest program; variants only */
    struct settings settings;
};

struct expectation {
    char *case_name, *variant, *metric;
    char *role; /* "fitted" or "predicted" */
    char *source;
    double published, tolerance;
};

struct scenario {
    char *name, *description, *platform, *guest, *path;
    struct settings params;
    struct choice *variants;
    size_t variant_count;
    struct choice *cases;
    size_t case_count;
    struct expectation *expectations;
    size_t expectation_count;
    bool derive_reduction; /* rows `reduction` of `latency` against the first variant */
    char *file_names[2];   /* kept for error places */
};

/* Finds a scenario or platform by name or path; NULL with a message. Caller frees. */
char *scenario_find(const char *name, struct error_list *errors);
char *platform_find(const char *name, const struct error_place *place, struct error_list *errors);
/* The ELF of a guest build; NULL with a message. */
char *guest_find(const char *program, const char *build, struct error_list *errors);
/* The folders that were searched, first to last (NULL-terminated, static storage of the process). */
char *data_folder(const char *kind);

bool scenario_read(const char *path, struct scenario *scenario, struct error_list *errors);
void scenario_free(struct scenario *scenario);

/* Applies a platform file to config. */
bool platform_read(const char *path, struct config *config, struct error_list *errors);

void settings_add(struct settings *settings, const char *name, const char *text, struct error_place place);
void settings_free(struct settings *settings);
/* `name=value` of -s; false with a message. */
bool settings_add_argument(struct settings *settings, const char *argument, struct error_list *errors);
/* Guest parameter text ("4KiB", "true", "0x10", "40ns" in ps) as a number. */
bool parameter_parse(const struct setting *setting, uint64_t *value, struct error_list *errors);

#endif
