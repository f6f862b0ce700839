/* Where scenarios, platforms, guests and the report's template are: given paths, the installed share folder, or the
 * build and source folders around the executable. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
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

/* DMASIM_<KIND>_DIR; the share folder of an installed command; beside the command (a build folder) and in the source
 * tree two levels up. What is installed comes first: its prefix may lie within a source tree. */
char *data_folder(const char *kind)
{
    static const char *const places[] = {"%s/" DMASIM_SHARE "/%s", "%s/%s", "%s/../../%s"};
    static const char *const variables[][2] = {
        {"guest", "DMASIM_GUEST_DIR"}, {"scenarios", "DMASIM_SCENARIO_DIR"}, {"template", "DMASIM_TEMPLATE_DIR"}};
    char *exe, *found = NULL;

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        if (strcmp(kind, variables[i][0]) == 0 && getenv(variables[i][1]))
            return strdup(getenv(variables[i][1]));
    exe = executable_folder();
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

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), cut = strlen(end);

    return length > cut && strcmp(text + length - cut, end) == 0;
}

/* The name in folder, without suffix (and build, of a guest program), that is nearest; NULL: none is near. Caller
 * frees. */
static char *nearest_file(const char *folder, const char *suffix, const char *name)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    unsigned best = spelling_tolerance(name) + 1;
    char *nearest = NULL;

    for (int i = 0; i < count; i++) {
        if (ends_with(entries[i]->d_name, suffix)) {
            char *build = strrchr(entries[i]->d_name, '-');
            entries[i]->d_name[strlen(entries[i]->d_name) - strlen(suffix)] = 0;
            if (build && strcmp(suffix, ".elf") == 0)
                *build = 0;
            if (spelling_distance(name, entries[i]->d_name) < best) {
                best = spelling_distance(name, entries[i]->d_name);
                free(nearest);
                nearest = strdup(entries[i]->d_name);
            }
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return nearest;
}

static void there_is_no(const char *what, const char *name, const char *folder, const char *suffix,
                        const struct error_place *place, struct error_list *errors)
{
    char *nearest = nearest_file(folder, suffix, name);

    if (nearest)
        error_add(errors, place, "there is no %s \"%s\"; did you mean \"%s\"?", what, name, nearest);
    else
        error_add(errors, place, "there is no %s \"%s\"; `dmasim list` shows what there is", what, name);
    free(nearest);
}

/* A file given by path, or by name in folder. */
static char *find(const char *name, const char *folder, const char *what, const struct error_place *place,
                  struct error_list *errors)
{
    char *path, *base;

    if (strchr(name, '/') || strstr(name, ".yaml")) {
        if (is_there(name))
            return strdup(name);
        error_add(errors, place, "%s \"%s\" cannot be opened: %s", what, name, strerror(errno));
        return NULL;
    }
    base = format_path("%s/%s", folder, name);
    path = format_path("%s%s", base, ".yaml");
    free(base);
    if (is_there(path))
        return path;
    free(path);
    there_is_no(what, name, folder, ".yaml", place, errors);
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

/* "a, b" of PROGRAM-a.elf, PROGRAM-b.elf in folder; empty: there is no such program. Caller frees. */
static char *builds_of(const char *folder, const char *program)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    size_t bytes, length = strlen(program);
    char *text = NULL;
    FILE *stream = open_memstream(&text, &bytes);

    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (strncmp(name, program, length) == 0 && name[length] == '-' && ends_with(name, ".elf"))
            fprintf(stream, "%s%.*s", ftell(stream) ? ", " : "", (int)(strlen(name) - length - 5), name + length + 1);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    fclose(stream);
    return text;
}

bool guest_exists(const char *program)
{
    char *folder = data_folder("guest"), *builds = builds_of(folder, program);
    bool exists = *builds;

    free(builds);
    free(folder);
    return exists;
}

char *guest_find(const char *program, const char *build, const struct error_place *place, struct error_list *errors)
{
    char *folder = data_folder("guest"), *file = format_path(build ? "%s-%s.elf" : "%s.elf", program, build);
    char *path = format_path("%s/%s", folder, file), *builds = builds_of(folder, program);

    if (!is_there(path)) {
        if (!*builds)
            there_is_no("guest program", program, folder, ".elf", place, errors);
        else if (build)
            error_add(errors, place, "guest program %s has no build \"%s\"; it has %s", program, build, builds);
        else
            error_add(errors, place, "guest program %s needs \"build:\" in each variant; it has %s", program, builds);
        free(path);
        path = NULL;
    }
    free(builds);
    free(file);
    free(folder);
    return path;
}
