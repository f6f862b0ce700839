/* Where scenarios, platforms and guests are: given paths, the source tree around the executable, or the installed share
 * folder. */
#define _GNU_SOURCE
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/scenario.h"

static char *format_path(const char *format, const char *a, const char *b)
{
    char *path = NULL;

    return asprintf(&path, format, a, b) < 0 ? NULL : path;
}

/* The folder of the executable; caller frees. */
static char *executable_folder(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

    path[length > 0 ? length : 0] = 0;
    return strdup(dirname(path));
}

static bool is_there(const char *path)
{
    return access(path, R_OK) == 0;
}

/* DMASIM_<KIND>_DIR, <exe>/../../<kind> (a build folder in the source tree), <exe>/<kind>,
 * <exe>/../share/dmasim/<kind>. */
static char *first_folder(const char *kind, const char *environment)
{
    static const char *const places[] = {"%s/../../%s", "%s/%s", "%s/../share/dmasim/%s"};
    char *exe = executable_folder(), *found = NULL;
    const char *given = getenv(environment);

    if (given) {
        free(exe);
        return strdup(given);
    }
    for (size_t i = 0; !found && i < sizeof(places) / sizeof(places[0]); i++) {
        found = format_path(places[i], exe, kind);
        if (!is_there(found)) {
            free(found);
            found = NULL;
        }
    }
    free(exe);
    return found ? found : strdup(kind);
}

char *data_folder(const char *kind)
{
    return first_folder(kind, strcmp(kind, "guest") == 0 ? "DMASIM_GUEST_DIR" : "DMASIM_SCENARIO_DIR");
}

/* A file given by path, or by name in folder. */
static char *find(const char *name, const char *folder, const char *what, const struct error_place *place,
                  struct error_list *errors)
{
    char *path, *base;

    if (strchr(name, '/') || strstr(name, ".yaml")) {
        if (is_there(name))
            return strdup(name);
        error_add(errors, place, "%s \"%s\" cannot be opened", what, name);
        return NULL;
    }
    base = format_path("%s/%s", folder, name);
    path = format_path("%s%s", base, ".yaml");
    free(base);
    if (is_there(path))
        return path;
    free(path);
    error_add(errors, place, "there is no %s \"%s\"; `dmasim list` shows what there is", what, name);
    return NULL;
}

char *scenario_find(const char *name, struct error_list *errors)
{
    char *folder = data_folder("scenarios"), *path = find(name, folder, "scenario", NULL, errors);

    free(folder);
    return path;
}

char *platform_find(const char *name, const struct error_place *place, struct error_list *errors)
{
    char *scenarios = data_folder("scenarios"), *folder = format_path("%s/%s", scenarios, "platforms");
    char *path = find(name, folder, "platform", place, errors);

    free(folder);
    free(scenarios);
    return path;
}

char *guest_find(const char *program, const char *build, struct error_list *errors)
{
    char *folder = data_folder("guest"), *file = format_path(build ? "%s-%s.elf" : "%s.elf", program, build);
    char *path = format_path("%s/%s", folder, file);

    if (!is_there(path)) {
        error_add(errors, NULL, "there is no guest program %s (%s)", file, path);
        free(path);
        path = NULL;
    }
    free(file);
    free(folder);
    return path;
}
