/*
 * Scenario and platform files (grammar: scenarios/README.md).
 */
#ifndef DMASIM_CLI_SCENARIO_H
#define DMASIM_CLI_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/axis.h"
#include "cli/settings.h"
#include "common/config.h"

/* A variant or a case. */
struct choice {
    char *name;
    char *build;              /* of the guest program; variants only */
    struct error_place place; /* of the build, else of the whole */
    struct settings settings;
};

struct expectation {
    char *case_name, *variant, *metric;
    char *role; /* "fitted" or "predicted" */
    char *source;
    double published, tolerance;
};

/* Hazards that the runs of a variant and case must find; others they must not. NULL: of every one. */
struct hazard_expectation {
    char *case_name, *variant;
    char **kinds;
    size_t kind_count;
};

/* Rows of a metric that is too coarse to fit on (it is cut off, say) are fitted on another one of the same case and
 * variant, whose published value is taken to be higher by offset. */
struct fit_metric {
    char *metric, *by;
    double offset;
};

/* Rows that are made from those of each variant and of the first one. */
enum derive {
    DERIVE_NOTHING,
    DERIVE_REDUCTION, /* `reduction` of `latency`: 100 * (1 - variant / first) */
    DERIVE_GAIN,      /* `gain` of what is counted a second: 100 * (variant / first - 1) */
};
extern const char *const derive_names[]; /* as a scenario writes them; NULL-terminated */

struct scenario {
    char *name, *description, *platform, *guest, *path;
    struct settings params;
    struct choice *variants;
    size_t variant_count;
    struct choice *cases;
    size_t case_count;
    struct expectation *expectations;
    size_t expectation_count;
    struct hazard_expectation *hazard_expectations;
    size_t hazard_expectation_count;
    struct axes axes; /* of `sweep:` */
    struct fit_metric *fit_metrics;
    size_t fit_metric_count;
    enum derive derive;
    char *file_names[2]; /* kept for error places */
};

/* Finds a scenario or platform by name or path; NULL with a message. Caller frees. */
char *scenario_find(const char *name, struct error_list *errors);
char *platform_find(const char *name, const struct error_place *place, struct error_list *errors);
/* The ELF of a guest build; NULL with a message. */
char *guest_find(const char *program, const char *build, const struct error_place *place, struct error_list *errors);
/* Whether there is a build of it. */
bool guest_exists(const char *program);
/* The folders that were searched, first to last (NULL-terminated, static storage of the process). */
char *data_folder(const char *kind);

bool scenario_read(const char *path, struct scenario *scenario, struct error_list *errors);
void scenario_free(struct scenario *scenario);

#endif
