/* Hazards in a result: what the runs found against what the scenario expects. */
#ifndef DMASIM_CLI_HAZARDS_H
#define DMASIM_CLI_HAZARDS_H

#include "cli/result.h"
#include "model/platform.h"

/* What a run found, as JSON for the pipe to the parent, and for `exec`. */
json_t *hazards_json(const struct platform_result *result);

/* Takes one entry of hazards_json() over: choice is the case of its run ("" without cases), case_name that of its rows.
 */
void hazards_take(struct result *result, const char *choice, const char *case_name, const char *variant, json_t *entry);
/* Marks what was expected and complains about the rest, and about what was expected and did not come. True: as
 * expected. */
bool hazards_check(struct result *result, struct error_list *errors);
void hazards_free(struct result *result);

/* Writers. */
json_t *hazards_result_json(const struct result *result);
void hazards_print(const struct result *result, FILE *stream);
/* Only counts when stream is NULL. */
void hazards_junit(const struct result *result, FILE *stream, size_t *tests, size_t *failures);

#endif
