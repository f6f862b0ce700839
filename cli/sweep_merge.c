/* The points of a sweep as one result. */
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/folder.h"
#include "cli/quote.h"
#include "cli/sweep.h"

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

static json_t *load_plan(const char *folder, struct error_list *errors)
{
    char *path = folder_join(folder, "sweep.json");
    json_t *plan = json_load_file(path, 0, NULL);
    struct error_place place = {.file = folder};

    if (!plan || strcmp(text_of(plan, "schema"), "dmasim-sweep/1")) {
        error_add(errors, &place, "this is not the folder of a sweep: there is no sweep.json that can be read");
        json_decref(plan);
        plan = NULL;
    }
    free(path);
    return plan;
}

/* "cmo.slots=64 entries=2" */
static char *point_text(const json_t *point)
{
    char *text = NULL;
    const char *name;
    json_t *value;
    size_t bytes, listed = 0;
    FILE *stream = open_memstream(&text, &bytes);

    json_object_foreach((json_t *)point, name, value)
    {
        char *number = json_dumps(value, JSON_ENCODE_ANY);
        fprintf(stream, "%s%s=%s", listed++ ? " " : "", name,
                json_is_string(value) ? json_string_value(value) : number);
        free(number);
    }
    fclose(stream);
    return text;
}

/* Appends the list `name` of a point, each item with its "point". */
static void append_items(json_t *result, const char *name, const json_t *from, json_t *point)
{
    json_t *list = json_object_get(result, name), *item;
    size_t index;

    json_array_foreach(json_object_get(from, name), index, item)
    {
        json_t *with_point = json_pack("{s:O}", "point", point);
        json_object_update_missing(with_point, item);
        json_array_append_new(list, with_point);
    }
}

/* Keeps of `name` (config, origins) what all points have the same. */
static void intersect(json_t *result, const char *name, const json_t *from)
{
    json_t *kept = json_object_get(result, name), *other = json_object_get(from, name), *value;
    const char *key;
    void *next;

    if (!kept) {
        json_object_set_new(result, name, json_copy(other));
        return;
    }
    json_object_foreach_safe(kept, next, key, value) if (!json_equal(value, json_object_get(other, key)))
        json_object_del(kept, key);
}

struct merged {
    json_t *result;
    SHA2_CTX hash;
    size_t statuses[POINT_STATUSES], missing;
};

static void add_messages(const json_t *file, const char *text, struct error_list *errors)
{
    json_t *message;
    size_t index;

    json_array_foreach(json_object_get(file, "messages"), index, message)
        error_add(errors, NULL, "%s: %s: %s", text, text_of(file, "status"), json_string_value(message));
}

static void add_point(struct merged *merged, const char *folder, const char *judged, json_t *planned,
                      struct error_list *errors)
{
    static const char *const lists[] = {"rows", "stacks", "core_stacks", "counts", "hazards"};
    json_t *point = json_object_get(planned, "point");
    json_t *file = sweep_load_point(folder, text_of(planned, "hash"), judged);
    char *text = point_text(point);

    if (!file) {
        merged->missing++;
        error_add(errors, NULL, "%s: missing: it has not run; `dmasim sweep --resume` runs it", text);
        free(text);
        return;
    }
    merged->statuses[sweep_status_of(file)]++;
    if (sweep_status_of(file) > POINT_MISSED)
        add_messages(file, text, errors);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        append_items(merged->result, lists[i], file, point);
    intersect(merged->result, "config", file);
    intersect(merged->result, "origins", file);
    SHA256Update(&merged->hash, (const uint8_t *)text_of(planned, "hash"), strlen(text_of(planned, "hash")));
    json_array_append_new(json_object_get(merged->result, "points"),
                          json_pack("{s:O, s:s, s:s, s:O}", "point", point, "hash", text_of(planned, "hash"), "status",
                                    text_of(file, "status"), "messages", json_object_get(file, "messages")));
    json_decref(file);
    free(text);
}

static void put_cell(FILE *stream, const json_t *value)
{
    char *number = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));

    if (json_is_string(value))
        quote_csv(stream, json_string_value(value));
    else if (number)
        fputs(number, stream);
    free(number);
}

static char *merged_csv(const json_t *result)
{
    static const char *const columns[] = {"case",    "variant",   "metric", "unit",      "value",
                                          "samples", "published", "role",   "tolerance", "ok"};
    json_t *axes = json_object_get(result, "sweep"), *row, *axis;
    char *text = NULL;
    size_t bytes, index, i;
    FILE *stream = open_memstream(&text, &bytes);

    json_array_foreach(axes, i, axis)
    {
        quote_csv(stream, text_of(axis, "key"));
        fputc(',', stream);
    }
    for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
        fprintf(stream, "%s%s", i ? "," : "", columns[i]);
    fputc('\n', stream);
    json_array_foreach(json_object_get(result, "rows"), index, row)
    {
        json_array_foreach(axes, i, axis)
        {
            put_cell(stream, json_object_get(json_object_get(row, "point"), text_of(axis, "key")));
            fputc(',', stream);
        }
        for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
            fputs(i ? "," : "", stream);
            put_cell(stream, json_object_get(row, columns[i]));
        }
        fputc('\n', stream);
    }
    fclose(stream);
    return text;
}

static bool write_merged(const char *folder, const json_t *result, struct error_list *errors)
{
    char *json = sweep_json_text(result), *csv = merged_csv(result);
    bool fine = folder_write(folder, "result.csv", csv, errors) && folder_write(folder, "result.json", json, errors);

    free(json);
    free(csv);
    return fine;
}

static int status_of(const struct merged *merged)
{
    if (merged->missing || merged->statuses[POINT_REFUSED] || merged->statuses[POINT_FAILED] ||
        merged->statuses[POINT_LOST])
        return EXIT_FAILED;
    return merged->statuses[POINT_MISSED] ? EXIT_MISSED : EXIT_FINE;
}

static void say(const struct merged *merged, const char *folder, size_t total)
{
    printf("%zu points", total);
    for (enum point_status status = POINT_FINE; status < POINT_STATUSES; status++)
        if (merged->statuses[status])
            printf(", %zu %s%s", merged->statuses[status], point_status_names[status],
                   status == POINT_MISSED ? " a published value" : "");
    if (merged->missing)
        printf(", %zu missing\n", merged->missing);
    else
        printf("\nresult: %s/result.json   table: %s/result.csv\n", folder, folder);
}

int sweep_merge(const char *folder, bool quiet, struct error_list *errors)
{
    json_t *plan = load_plan(folder, errors), *planned;
    struct merged merged = {0};
    char *points, hash[65];
    int status;
    size_t index;

    if (!plan)
        return EXIT_USAGE;
    SHA256Init(&merged.hash);
    merged.result =
        json_pack("{s:s, s:O, s:O, s:O, s:[], s:[], s:[], s:[], s:[], s:[]}", "schema", "dmasim-result/1", "scenario",
                  json_object_get(plan, "scenario"), "tool", json_object_get(plan, "tool"), "sweep",
                  json_object_get(plan, "sweep"), "points", "rows", "stacks", "core_stacks", "counts", "hazards");
    json_array_foreach(json_object_get(plan, "points"), index, planned)
        add_point(&merged, folder, text_of(plan, "judged"), planned, errors);
    SHA256End(&merged.hash, hash);
    json_object_set_new(merged.result, "config_hash", json_string(hash));
    status = status_of(&merged);
    if (!merged.missing) {
        if (!write_merged(folder, merged.result, errors))
            status = EXIT_USAGE;
        points = folder_join(folder, "points");
        folder_clean(points);
        folder_clean(folder);
        free(points);
    }
    if (!quiet)
        say(&merged, folder, json_array_size(json_object_get(plan, "points")));
    json_decref(merged.result);
    json_decref(plan);
    return status;
}

static bool copy_point(const char *folder, const json_t *file, const char *hash, struct error_list *errors)
{
    char *text = sweep_json_text(file), *points = folder_join(folder, "points"), name[80];
    bool fine;

    snprintf(name, sizeof(name), "%s.json", hash);
    fine = folder_make(points, errors) && folder_write(points, name, text, errors);
    free(text);
    free(points);
    return fine;
}

bool sweep_add(const char *folder, const char *other, struct error_list *errors)
{
    struct error_place place = {.file = other};
    json_t *plan = load_plan(folder, errors), *added = load_plan(other, errors), *planned;
    size_t index;
    bool fine = plan && added;

    if (fine && !json_equal(plan, added)) {
        error_add(errors, &place, "this is another sweep than %s: their sweep.json differ", folder);
        fine = false;
    }
    json_array_foreach(json_object_get(added, "points"), index, planned)
    {
        const char *hash = text_of(planned, "hash");
        json_t *file = fine ? sweep_load_point(other, hash, text_of(added, "judged")) : NULL;
        json_t *own = file ? sweep_load_point(folder, hash, text_of(plan, "judged")) : NULL;
        if (file && sweep_status_of(own) == POINT_LOST)
            fine = copy_point(folder, file, hash, errors);
        json_decref(file);
        json_decref(own);
    }
    json_decref(plan);
    json_decref(added);
    return fine;
}
