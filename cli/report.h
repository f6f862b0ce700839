/* The report: a page of results that opens from disk, from the template that the build makes of report/. */
#ifndef DMASIM_CLI_REPORT_H
#define DMASIM_CLI_REPORT_H

#include <jansson.h>

#include "common/error_list.h"

/* What the page shows, from an array of results as result_files_load() gives it: {"tool", "results", "keys"}. Each
 * result loses "host" (the page depends on nothing but the results) and gets "shown": key -> its value with a unit;
 * each axis of a sweep gets "shown", likewise; "keys" has every key's meaning and the origin of its default. The array
 * is changed. */
json_t *report_data(json_t *results);

/* The page with data in it; caller frees. NULL with a message when the template is missing or broken. */
char *report_page(const json_t *data, struct error_list *errors);

#endif
