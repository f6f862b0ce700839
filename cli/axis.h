/* The axes of a sweep: a key or guest parameter each, with the values it takes. */
#ifndef DMASIM_CLI_AXIS_H
#define DMASIM_CLI_AXIS_H

#include "cli/settings.h"

struct axis {
    char *name;
    struct settings values; /* each of the axis's name */
};

struct axes {
    struct axis *items;
    size_t count;
};

/* The axis of that name, new and empty. One that is there already loses its values and keeps its position. */
struct axis *axes_renew(struct axes *axes, const char *name);
/* `key=v1,v2,...` of --vary; false with a message. */
bool axes_add_argument(struct axes *axes, const char *argument, struct error_list *errors);
/* A message for every value that its key or a parameter cannot have. */
void axes_check(const struct axes *axes, struct error_list *errors);
void axes_copy(struct axes *to, const struct axes *from);
void axes_free(struct axes *axes);

#endif
