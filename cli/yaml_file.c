#include "cli/yaml_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/config.h"

struct error_place yaml_place(const struct yaml_file *file, const yaml_node_t *node)
{
    return (struct error_place){file->path, (unsigned)node->start_mark.line + 1, (unsigned)node->start_mark.column + 1};
}

yaml_node_t *yaml_root(struct yaml_file *file)
{
    return yaml_document_get_root_node(&file->document);
}

const char *yaml_text(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

bool yaml_pair(struct yaml_file *file, const yaml_node_t *mapping, size_t n, yaml_node_t **key, yaml_node_t **value)
{
    const yaml_node_pair_t *pair;

    if (!mapping || mapping->type != YAML_MAPPING_NODE)
        return false;
    pair = mapping->data.mapping.pairs.start + n;
    if (pair >= mapping->data.mapping.pairs.top)
        return false;
    *key = yaml_document_get_node(&file->document, pair->key);
    *value = yaml_document_get_node(&file->document, pair->value);
    return true;
}

yaml_node_t *yaml_item(struct yaml_file *file, const yaml_node_t *sequence, size_t n)
{
    const yaml_node_item_t *item;

    if (!sequence || sequence->type != YAML_SEQUENCE_NODE)
        return NULL;
    item = sequence->data.sequence.items.start + n;
    return item < sequence->data.sequence.items.top ? yaml_document_get_node(&file->document, *item) : NULL;
}

yaml_node_t *yaml_get(struct yaml_file *file, const yaml_node_t *mapping, const char *name)
{
    yaml_node_t *key, *value;

    for (size_t n = 0; yaml_pair(file, mapping, n, &key, &value); n++)
        if (yaml_text(key) && strcmp(yaml_text(key), name) == 0)
            return value;
    return NULL;
}

static void check_duplicates(struct yaml_file *file, const yaml_node_t *mapping, struct error_list *errors)
{
    yaml_node_t *key, *other, *value;

    for (size_t n = 0; yaml_pair(file, mapping, n, &key, &value); n++) {
        if (!yaml_text(key)) {
            struct error_place place = yaml_place(file, key);
            error_add(errors, &place, "a key must be plain text");
            continue;
        }
        for (size_t m = 0; m < n && yaml_pair(file, mapping, m, &other, &value); m++)
            if (yaml_text(other) && strcmp(yaml_text(key), yaml_text(other)) == 0) {
                struct error_place place = yaml_place(file, key);
                error_add(errors, &place, "\"%s\" stands twice; the first is in line %u", yaml_text(key),
                          (unsigned)other->start_mark.line + 1);
            }
    }
}

/* A byte that is no character, with its place: libyaml only knows how many bytes came before it. */
static void not_a_character(const yaml_parser_t *parser, FILE *stream, struct error_place place,
                            struct error_list *errors)
{
    place.line = place.column = 1;
    rewind(stream);
    for (size_t at = 0; at < parser->problem_offset; at++) {
        int byte = fgetc(stream);
        place.column = byte == '\n' ? 1 : place.column + ((byte & 0xC0) != 0x80);
        place.line += byte == '\n';
    }
    error_add(errors, &place, "not UTF-8: %s (0x%x); save the file as UTF-8", parser->problem,
              (unsigned)parser->problem_value);
}

static bool is_tab(FILE *stream, size_t line, size_t column)
{
    int byte = 0;

    rewind(stream);
    while (line && (byte = fgetc(stream)) != EOF)
        line -= byte == '\n';
    do
        byte = fgetc(stream);
    while (column-- && byte != EOF);
    return byte == '\t';
}

static void not_yaml(const yaml_parser_t *parser, FILE *stream, struct error_place place, struct error_list *errors)
{
    const char *problem = parser->problem ? parser->problem : "unreadable";

    if (ferror(stream)) {
        error_add(errors, &place, "cannot be read: %s", strerror(errno));
        return;
    }
    if (parser->error == YAML_READER_ERROR) {
        not_a_character(parser, stream, place, errors);
        return;
    }
    place.line = (unsigned)parser->problem_mark.line + 1;
    place.column = (unsigned)parser->problem_mark.column + 1;
    if (is_tab(stream, parser->problem_mark.line, parser->problem_mark.column))
        error_add(errors, &place, "not valid YAML: a tab cannot indent; write spaces");
    else if (parser->context && parser->context_mark.line != parser->problem_mark.line)
        error_add(errors, &place, "not valid YAML: %s, %s that begins in line %u, column %u", problem, parser->context,
                  (unsigned)parser->context_mark.line + 1, (unsigned)parser->context_mark.column + 1);
    else
        error_add(errors, &place, "not valid YAML: %s", problem);
}

bool yaml_file_read(const char *path, struct yaml_file *file, struct error_list *errors)
{
    struct error_place place = {.file = path};
    size_t before = errors->count;
    yaml_parser_t parser;
    FILE *stream = fopen(path, "rb");

    *file = (struct yaml_file){0};
    if (!stream) {
        error_add(errors, &place, "cannot be opened: %s", strerror(errno));
        return false;
    }
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_file(&parser, stream);
    file->path = strdup(path);
    if (!yaml_parser_load(&parser, &file->document)) {
        not_yaml(&parser, stream, place, errors);
    } else if (!yaml_root(file)) {
        error_add(errors, &place, "the file is empty; it must have lines of \"name: value\"");
    } else if (yaml_root(file)->type != YAML_MAPPING_NODE) {
        place = yaml_place(file, yaml_root(file));
        error_add(errors, &place, "the file must be a mapping: lines of \"name: value\"");
    } else {
        for (int n = 1; yaml_document_get_node(&file->document, n); n++)
            check_duplicates(file, yaml_document_get_node(&file->document, n), errors);
    }
    yaml_parser_delete(&parser);
    fclose(stream);
    return errors->count == before;
}

void yaml_file_free(struct yaml_file *file)
{
    if (!file->path)
        return;
    yaml_document_delete(&file->document);
    free(file->path);
    *file = (struct yaml_file){0};
}

/* "a, b, c" */
static char *join_names(const char *const *names)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    for (size_t i = 0; names[i]; i++)
        fprintf(stream, "%s%s", i ? ", " : "", names[i]);
    fclose(stream);
    return text;
}

void yaml_unknown(const struct error_place *place, const char *what, const char *name, const char *const *allowed,
                  struct error_list *errors)
{
    unsigned best = spelling_tolerance(name) + 1;
    const char *nearest = NULL;
    char *names = join_names(allowed);

    for (size_t i = 0; allowed[i]; i++)
        if (spelling_distance(name, allowed[i]) < best) {
            best = spelling_distance(name, allowed[i]);
            nearest = allowed[i];
        }
    if (nearest)
        error_add(errors, place, "%s; did you mean \"%s\"?", what, nearest);
    else if (*names)
        error_add(errors, place, "%s; there is %s", what, names);
    else
        error_add(errors, place, "%s; there is none", what);
    free(names);
}

static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

void yaml_only(struct yaml_file *file, const yaml_node_t *mapping, const char *const *allowed, const char *what,
               struct error_list *errors)
{
    yaml_node_t *key, *value;

    for (size_t n = 0; yaml_pair(file, mapping, n, &key, &value); n++) {
        struct error_place place = yaml_place(file, key);
        char problem[256];
        if (!yaml_text(key) || is_among(yaml_text(key), allowed))
            continue;
        snprintf(problem, sizeof(problem), "unknown entry \"%s\" in %s", yaml_text(key), what);
        yaml_unknown(&place, problem, yaml_text(key), allowed, errors);
    }
}
