#define _GNU_SOURCE
#include "cli/result_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/folder.h"

static bool is_result(const json_t *object)
{
    return json_is_array(json_object_get(object, "rows"));
}

static void load_file(json_t *list, const char *path, struct error_list *errors)
{
    struct error_place place = {.file = path};
    json_error_t error;
    json_t *object = json_load_file(path, 0, &error);

    if (!object && error.line > 0) {
        place.line = (unsigned)error.line;
        place.column = error.column > 0 ? (unsigned)error.column : 1;
        error_add(errors, &place, "%s", error.text);
    } else if (!object) {
        error_add(errors, &place, "cannot be opened");
    } else if (!is_result(object)) {
        error_add(errors, &place, "not a dmasim result: it has no \"rows\"");
    } else {
        json_object_set_new(object, "path", json_string(path));
        json_array_append(list, object);
    }
    json_decref(object);
}

static int is_candidate(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_there(const char *folder, const char *name)
{
    char *path = folder_join(folder, name);
    struct stat status;
    bool there = stat(path, &status) == 0;

    free(path);
    return there;
}

/* JSON files that are results; in a sweep's folder only the result of all points. */
static void load_folder(json_t *list, const char *folder, struct error_list *errors)
{
    bool sweep = is_there(folder, "sweep.json");
    struct dirent **entries;
    int count = scandir(folder, &entries, is_candidate, alphasort);

    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
        char *path = folder_join(folder, name);
        if (sweep && strcmp(name, "result.json")) {
        } else if (is_folder(path)) {
            load_folder(list, path, errors);
        } else if (dot && strcmp(dot, ".json") == 0) {
            json_t *object = json_load_file(path, 0, NULL);
            if (!object || is_result(object)) /* other JSON may lie there, but not a broken one */
                load_file(list, path, errors);
            json_decref(object);
        }
        free(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

json_t *result_files_load(const char *path, struct error_list *errors)
{
    size_t before = errors->count;
    json_t *list = json_array();

    if (is_folder(path))
        load_folder(list, path, errors);
    else
        load_file(list, path, errors);
    if (json_array_size(list) == 0 && errors->count == before) {
        struct error_place place = {.file = path};
        error_add(errors, &place, "there is no result in this folder");
    }
    return list;
}
