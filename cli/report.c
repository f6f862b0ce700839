#define _GNU_SOURCE
#include "cli/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/folder.h"
#include "cli/scenario.h"
#include "common/config.h"

/* Where the template wants the data: a string of JSON. */
static const char placeholder[] = "\"@DATA@\"";

/* A value of base units as text; choices of an axis are names already. */
static json_t *shown_value(const char *name, const json_t *value)
{
    const struct key *key = key_find(name);
    json_int_t number = json_is_true(value) ? 1 : json_integer_value(value);
    char text[64];

    if (!key || json_is_string(value))
        return NULL;
    return json_string(config_format(key, (uint64_t)number, text, sizeof(text)));
}

static void show_config(json_t *result)
{
    json_t *shown = json_object(), *value;
    const char *name;

    json_object_foreach(json_object_get(result, "config"), name, value)
        json_object_set_new(shown, name, shown_value(name, value)); /* not set when there is no such key */
    json_object_set_new(result, "shown", shown);
}

static void show_axes(json_t *result)
{
    json_t *axis, *value;
    size_t i, j;

    json_array_foreach(json_object_get(result, "sweep"), i, axis)
    {
        const char *key = json_string_value(json_object_get(axis, "key"));
        json_t *shown = json_array();
        json_array_foreach(json_object_get(axis, "values"), j, value)
        {
            json_t *text = key ? shown_value(key, value) : NULL;
            json_array_append_new(shown, text ? text : json_null());
        }
        json_object_set_new(axis, "shown", shown);
    }
}

json_t *report_data(json_t *results)
{
    json_t *keys = json_object(), *result;
    size_t i;

    json_array_foreach(results, i, result)
    {
        json_object_del(result, "host");
        show_config(result);
        show_axes(result);
    }
    for (i = 0; i < key_table_count; i++)
        json_object_set_new(keys, key_table[i].name,
                            json_pack("{s:s, s:s}", "meaning", key_table[i].meaning, "origin", key_table[i].origin));
    return json_pack("{s:s, s:O, s:o}", "tool", "dmasim " DMASIM_VERSION, "results", results, "keys", keys);
}

/* JSON within a script element: nothing in it may look like a tag. Caller frees. */
static char *script_text(const json_t *data)
{
    char *json = json_dumps(data, JSON_COMPACT), *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    for (const char *c = json; *c; c++)
        if (*c == '<')
            fputs("\\u003c", stream);
        else
            fputc(*c, stream);
    fclose(stream);
    free(json);
    return text;
}

/* The text of a file; NULL with a message. Caller frees. */
static char *read_file(const struct error_place *place, struct error_list *errors)
{
    FILE *stream = fopen(place->file, "r");
    struct stat status;
    char *text = NULL;

    if (stream && fstat(fileno(stream), &status) == 0) {
        text = calloc(1, (size_t)status.st_size + 1);
        if (fread(text, 1, (size_t)status.st_size, stream) != (size_t)status.st_size) {
            free(text);
            text = NULL;
        }
    }
    if (!text)
        error_add(errors, place, "the template of the report cannot be read: %s", strerror(errno));
    if (stream)
        fclose(stream);
    return text;
}

/* template with data in its place; NULL: it has no place. Caller frees. */
static char *fill(const char *template, const char *data)
{
    const char *place = strstr(template, placeholder);
    char *page;

    if (!place || asprintf(&page, "%.*s%s%s", (int)(place - template), template, data, place + strlen(placeholder)) < 0)
        return NULL;
    return page;
}

char *report_page(const json_t *data, struct error_list *errors)
{
    char *folder = data_folder("template"), *path = folder_join(folder, "report.html"), *page = NULL;
    struct error_place place = {.file = path};
    char *template = read_file(&place, errors), *text = script_text(data);

    if (template && !(page = fill(template, text)))
        error_add(errors, &place, "this is not the template of a report: it has no place for the data");
    free(text);
    free(template);
    free(path);
    free(folder);
    return page;
}
