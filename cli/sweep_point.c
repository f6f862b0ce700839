/* One point of a sweep and its file. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "cli/folder.h"
#include "cli/run.h"
#include "cli/sweep.h"

const char *const point_status_names[POINT_STATUSES] = {"fine", "missed", "refused", "failed", "lost"};

char *sweep_json_text(const json_t *object)
{
    char *text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(12)), *line = NULL;

    if (asprintf(&line, "%s\n", text) < 0)
        abort();
    free(text);
    return line;
}

static char *file_name(const char *hash)
{
    char *name = NULL;

    return asprintf(&name, "points/%s.json", hash) < 0 ? NULL : name;
}

static json_t *messages_json(const struct error_list *messages)
{
    json_t *list = json_array();

    for (size_t i = 0; i < messages->count; i++)
        json_array_append_new(list, json_string(messages->entries[i].text));
    return list;
}

/* The result's JSON with what a point has more, and without what differs between machines. */
static json_t *point_object(const struct sweep *sweep, const struct result *result, enum point_status status,
                            const struct error_list *messages)
{
    json_t *whole = result_json(result);
    json_t *object =
        json_pack("{s:s, s:s, s:o, s:s}", "schema", "dmasim-result/1", "status", point_status_names[status], "messages",
                  messages_json(messages), "judged", sweep->judged);

    json_object_del(whole, "host");
    json_object_update_missing(object, whole);
    json_decref(whole);
    return object;
}

static bool write_point(const struct sweep *sweep, const char *hash, json_t *object, struct error_list *errors)
{
    char *text = sweep_json_text(object), *name = file_name(hash);
    bool fine = folder_write(sweep->folder, name, text, errors);

    json_decref(object);
    free(text);
    free(name);
    return fine;
}

static void point_options(const struct sweep *sweep, const struct sweep_point *point, struct run_options *options)
{
    *options = (struct run_options){.jobs = 1, .quiet = true};
    settings_copy(&options->overrides, &sweep->overrides);
    settings_copy(&options->overrides, &point->settings);
}

enum point_status sweep_run_point(const struct sweep *sweep, const struct sweep_point *point, struct error_list *errors)
{
    static const enum point_status statuses[] = {
        [RUN_FINE] = POINT_FINE, [RUN_REFUSED] = POINT_REFUSED, [RUN_FAILED] = POINT_FAILED, [RUN_LOST] = POINT_LOST};
    struct error_list messages = {0};
    struct run_options options;
    struct result result;
    enum point_status status;

    point_options(sweep, point, &options);
    status = statuses[run_scenario(sweep->scenario, &options, &result, &messages)];
    if (status == POINT_FINE && !result_finish(&result, &messages))
        status = POINT_MISSED;
    if (status != POINT_LOST &&
        !write_point(sweep, point->hash, point_object(sweep, &result, status, &messages), errors))
        status = POINT_LOST;
    result_free(&result);
    settings_free(&options.overrides);
    error_clear(&messages);
    return status;
}

bool sweep_write_lost(const struct sweep *sweep, const struct sweep_point *point, const char *message,
                      struct error_list *errors)
{
    struct error_list messages = {0};
    struct run_options options;
    struct result result;
    bool fine;

    error_add(&messages, NULL, "%s", message);
    point_options(sweep, point, &options);
    fine = run_describe(sweep->scenario, &options, &result, errors) &&
           write_point(sweep, point->hash, point_object(sweep, &result, POINT_LOST, &messages), errors);
    result_free(&result);
    settings_free(&options.overrides);
    error_clear(&messages);
    return fine;
}

static bool has_text(const json_t *object, const char *name, const char *text)
{
    const char *value = json_string_value(json_object_get(object, name));

    return value && strcmp(value, text) == 0;
}

json_t *sweep_load_point(const char *folder, const char *hash, const char *judged)
{
    char *name = file_name(hash), *path = folder_join(folder, name);
    json_t *object = json_load_file(path, 0, NULL);

    if (object && (!has_text(object, "config_hash", hash) || !has_text(object, "judged", judged) ||
                   !has_text(json_object_get(object, "tool"), "version", DMASIM_VERSION))) {
        json_decref(object);
        object = NULL;
    }
    free(name);
    free(path);
    return object;
}

enum point_status sweep_status_of(const json_t *point)
{
    for (enum point_status status = POINT_FINE; status < POINT_LOST; status++)
        if (has_text(point, "status", point_status_names[status]))
            return status;
    return POINT_LOST;
}

struct sweep_todo sweep_find_todo(const struct sweep *sweep, size_t share, size_t shares)
{
    struct sweep_todo todo = {calloc(sweep->count + 1, sizeof(*todo.points)), 0};

    for (size_t i = share - 1; i < sweep->count; i += shares) {
        json_t *point = sweep_load_point(sweep->folder, sweep->points[i].hash, sweep->judged);
        if (sweep_status_of(point) == POINT_LOST)
            todo.points[todo.count++] = &sweep->points[i];
        json_decref(point);
    }
    return todo;
}
