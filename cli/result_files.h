/* Results that runs and sweeps have written. */
#ifndef DMASIM_CLI_RESULT_FILES_H
#define DMASIM_CLI_RESULT_FILES_H

#include <jansson.h>

#include "common/error_list.h"

/* The results of path as an array, each with its "path": a result file, or a folder with all results below it (of a
 * sweep's folder only the result of all points). Messages when a file cannot be read or there is none. Caller
 * releases. */
json_t *result_files_load(const char *path, struct error_list *errors);

#endif
