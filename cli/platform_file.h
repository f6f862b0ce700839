/* Platform files (grammar: scenarios/README.md). */
#ifndef DMASIM_CLI_PLATFORM_FILE_H
#define DMASIM_CLI_PLATFORM_FILE_H

#include "common/config.h"

/* Applies a platform file to config. */
bool platform_read(const char *path, struct config *config, struct error_list *errors);
/* The key whose value `name` has by definition (`as:`); NULL: none. Caller frees. */
char *platform_tie(const char *path, const char *name);

struct platform_fitted {
    const char *name, *text /* of the value */, *source;
};

/* The text of a platform file with other values, all else as it was: comments, order, form. A value with `as:` keeps
 * its origin. NULL with messages. Caller frees. */
char *platform_rewrite(const char *path, const struct platform_fitted *fitted, size_t count, struct error_list *errors);

#endif
