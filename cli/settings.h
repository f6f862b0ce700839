/* Settings: `name: value` as text, with the place where it stands. */
#ifndef DMASIM_CLI_SETTINGS_H
#define DMASIM_CLI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error_list.h"

/* One `name: value` of params, a variant, a case, or -s. With a dot: a key of the configuration; else a guest
 * parameter. */
struct setting {
    char *name, *text;
    struct error_place place; /* its file name must stay valid as long as the setting */
};

struct settings {
    struct setting *items;
    size_t count;
};

void settings_add(struct settings *settings, const char *name, const char *text, struct error_place place);
void settings_copy(struct settings *to, const struct settings *from); /* adds */
void settings_free(struct settings *settings);
/* `name=value` of -s; false with a message. */
bool settings_add_argument(struct settings *settings, const char *argument, struct error_list *errors);
/* A message for every setting that its key or a parameter cannot have. */
void settings_check(const struct settings *settings, struct error_list *errors);
/* Guest parameter text ("4KiB", "true", "0x10", "40ns" in ps) as a number. */
bool parameter_parse(const struct setting *setting, uint64_t *value, struct error_list *errors);

#endif
