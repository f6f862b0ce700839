#define _GNU_SOURCE
#include "cli/platform_file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/quote.h"
#include "cli/yaml_file.h"

static enum origin_kind origin_of(const char *text)
{
    static const char *const names[] = {
        [ORIGIN_MEASURED] = "measured", [ORIGIN_FITTED] = "fitted", [ORIGIN_ASSUMED] = "assumed"};

    for (int kind = ORIGIN_MEASURED; text && kind <= ORIGIN_ASSUMED; kind++)
        if (strcmp(text, names[kind]) == 0)
            return (enum origin_kind)kind;
    return ORIGIN_DEFAULT;
}

/* `as: KEY` says why two values are equal; then they must be. */
static void check_tie(struct yaml_file *file, const yaml_node_t *key, const yaml_node_t *node,
                      const struct config *config, struct error_list *errors)
{
    const yaml_node_t *tie = yaml_get(file, node, "as");
    const char *name = yaml_text(key), *other = yaml_text(tie);
    struct error_place place;

    if (!tie)
        return;
    place = yaml_place(file, tie);
    if (!other || !key_find(other)) {
        const char *near = other ? key_nearest(other) : NULL;
        error_add(errors, &place, "%s: \"as: %s\" is not a key%s%s%s", name, other ? other : "",
                  near ? "; did you mean \"" : "; `dmasim explain` lists all", near ? near : "", near ? "\"?" : "");
    } else if (key_find(name) && config_get(config, name) != config_get(config, other))
        error_add(errors, &place, "%s is as %s, but their values differ", name, other);
}

static void read_platform_value(struct yaml_file *file, yaml_node_t *key, yaml_node_t *node, struct config *config,
                                struct error_list *errors)
{
    static const char *const allowed[] = {"value", "origin", "source", "as", NULL};
    const char *value = yaml_text(yaml_get(file, node, "value")), *origin = yaml_text(yaml_get(file, node, "origin"));
    struct error_place place = yaml_place(file, node);

    if (node->type == YAML_MAPPING_NODE && value && origin && origin_of(origin) == ORIGIN_DEFAULT) {
        place = yaml_place(file, yaml_get(file, node, "origin"));
        error_add(errors, &place, "%s: \"origin: %s\" is not possible; write measured, fitted or assumed",
                  yaml_text(key), origin);
        return;
    }
    if (node->type != YAML_MAPPING_NODE || !value || !origin) {
        error_add(errors, &place, "%s: write {value: ..., origin: measured, fitted or assumed, source: \"...\"}",
                  yaml_text(key));
        return;
    }
    yaml_only(file, node, allowed, "a platform value", errors);
    place = yaml_place(file, yaml_get(file, node, "value"));
    if (!key_find(yaml_text(key)))
        place = yaml_place(file, key);
    config_set(config, yaml_text(key), value, origin_of(origin), yaml_text(yaml_get(file, node, "source")), &place,
               errors);
}

bool platform_read(const char *path, struct config *config, struct error_list *errors)
{
    static const char *const allowed[] = {"platform", "description", "values", NULL};
    size_t before = errors->count;
    yaml_node_t *key, *value;
    struct yaml_file file;

    if (yaml_file_read(path, &file, errors)) {
        yaml_only(&file, yaml_root(&file), allowed, "a platform", errors);
        for (size_t n = 0; yaml_pair(&file, yaml_get(&file, yaml_root(&file), "values"), n, &key, &value); n++)
            read_platform_value(&file, key, value, config, errors);
        for (size_t n = 0; yaml_pair(&file, yaml_get(&file, yaml_root(&file), "values"), n, &key, &value); n++)
            check_tie(&file, key, value, config, errors);
    }
    error_sort(errors, before);
    yaml_file_free(&file);
    return errors->count == before;
}

char *platform_tie(const char *path, const char *name)
{
    struct error_list ignored = {0};
    struct yaml_file file;
    char *tie = NULL;

    if (yaml_file_read(path, &file, &ignored)) {
        const yaml_node_t *value = yaml_get(&file, yaml_get(&file, yaml_root(&file), "values"), name);
        const char *text = yaml_text(yaml_get(&file, value, "as"));
        tie = text ? strdup(text) : NULL;
    }
    yaml_file_free(&file);
    error_clear(&ignored);
    return tie;
}

/* The text of a file; NULL with a message. */
static char *file_text(const char *path, struct error_list *errors)
{
    struct error_place place = {.file = path};
    FILE *stream = fopen(path, "rb");
    char *text = NULL;
    size_t bytes = 0;

    if (!stream || getdelim(&text, &bytes, 0, stream) < 0)
        error_add(errors, &place, "cannot be read");
    if (stream)
        fclose(stream);
    return text;
}

/* Where in text a mark of libyaml is: its index counts characters, not bytes. */
static size_t byte_of(const char *text, size_t index)
{
    size_t at = 0;

    while (index--)
        do
            at++;
        while (((unsigned char)text[at] & 0xC0) == 0x80);
    return at;
}

/* A part of the text and what comes in its place. */
struct edit {
    size_t from, to, order;
    char *text;
};

static void put_fitted(FILE *stream, const struct platform_fitted *fitted)
{
    fprintf(stream, "{value: %s, origin: fitted, source: ", fitted->text);
    quote_yaml(stream, fitted->source);
    fputc('}', stream);
}

static size_t node_end(const char *text, const yaml_node_t *node)
{
    size_t from = byte_of(text, node->start_mark.index), to = byte_of(text, node->end_mark.index);

    while (to > from && isspace((unsigned char)text[to - 1])) /* a block ends where the next one begins */
        to--;
    return to;
}

/* A line of its own behind the last value. */
static struct edit new_line(struct yaml_file *file, const char *text, const struct platform_fitted *fitted)
{
    yaml_node_t *values = yaml_get(file, yaml_root(file), "values"), *key = NULL, *value = NULL;
    struct edit edit = {0};
    size_t bytes;
    FILE *stream;

    for (size_t n = 0; yaml_pair(file, values, n, &key, &value); n++)
        ;
    edit.from = edit.to = node_end(text, value);
    stream = open_memstream(&edit.text, &bytes);
    fprintf(stream, "\n%*s%s: ", (int)key->start_mark.column, "", fitted->name);
    put_fitted(stream, fitted);
    fclose(stream);
    return edit;
}

/* What changes for one value: the whole entry, or, where it is as another key, the value alone. */
static struct edit edit_of(struct yaml_file *file, const char *text, const struct platform_fitted *fitted)
{
    yaml_node_t *node = yaml_get(file, yaml_get(file, yaml_root(file), "values"), fitted->name);
    struct edit edit = {0};
    size_t bytes;
    FILE *stream;

    if (!node)
        return new_line(file, text, fitted);
    if (yaml_get(file, node, "as"))
        node = yaml_get(file, node, "value");
    edit.from = byte_of(text, node->start_mark.index);
    edit.to = node_end(text, node);
    stream = open_memstream(&edit.text, &bytes);
    if (yaml_text(node))
        fputs(fitted->text, stream);
    else
        put_fitted(stream, fitted);
    fclose(stream);
    return edit;
}

static int last_first(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? 1 : -1;
    return x->order < y->order ? 1 : -1;
}

static char *replace(char *text, const struct edit *edit)
{
    char *result = NULL;

    if (asprintf(&result, "%.*s%s%s", (int)edit->from, text, edit->text, text + edit->to) < 0)
        abort();
    free(text);
    return result;
}

/* A value in a line of its own can be changed and added. */
static bool has_lines(struct yaml_file *file, const char *path, struct error_list *errors)
{
    const yaml_node_t *values = yaml_get(file, yaml_root(file), "values");
    struct error_place place = {.file = path};

    if (values && values->type == YAML_MAPPING_NODE && values->data.mapping.style != YAML_FLOW_MAPPING_STYLE &&
        values->data.mapping.pairs.top != values->data.mapping.pairs.start)
        return true;
    error_add(errors, &place, "\"values:\" must have its values in lines of their own, at least one, to be rewritten");
    return false;
}

char *platform_rewrite(const char *path, const struct platform_fitted *fitted, size_t count, struct error_list *errors)
{
    struct edit *edits = calloc(count + 1, sizeof(*edits));
    char *text = file_text(path, errors);
    struct yaml_file file;

    if (text && yaml_file_read(path, &file, errors) && has_lines(&file, path, errors)) {
        for (size_t i = 0; i < count; i++) {
            edits[i] = edit_of(&file, text, &fitted[i]);
            edits[i].order = i;
        }
        qsort(edits, count, sizeof(*edits), last_first);
        for (size_t i = 0; i < count; i++) {
            text = replace(text, &edits[i]);
            free(edits[i].text);
        }
        yaml_file_free(&file);
    }
    free(edits);
    return text;
}
