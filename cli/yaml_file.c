#include "cli/yaml_file.h"

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

bool yaml_file_read(const char *path, struct yaml_file *file, struct error_list *errors)
{
    struct error_place place = {.file = path};
    size_t before = errors->count;
    yaml_parser_t parser;
    FILE *stream = fopen(path, "rb");

    *file = (struct yaml_file){0};
    if (!stream) {
        error_add(errors, &place, "cannot be opened");
        return false;
    }
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_file(&parser, stream);
    file->path = strdup(path);
    if (!yaml_parser_load(&parser, &file->document)) {
        place.line = (unsigned)parser.problem_mark.line + 1;
        place.column = (unsigned)parser.problem_mark.column + 1;
        error_add(errors, &place, "not valid YAML: %s", parser.problem ? parser.problem : "unreadable");
    } else if (!yaml_root(file) || yaml_root(file)->type != YAML_MAPPING_NODE) {
        error_add(errors, &place, "the file must be a mapping of names to values");
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

void yaml_only(struct yaml_file *file, const yaml_node_t *mapping, const char *const *allowed, const char *what,
               struct error_list *errors)
{
    yaml_node_t *key, *value;

    for (size_t n = 0; yaml_pair(file, mapping, n, &key, &value); n++) {
        const char *nearest = NULL, *name = yaml_text(key);
        unsigned distance, best = 1000;
        bool known = false;
        for (size_t i = 0; name && allowed[i]; i++) {
            known |= strcmp(name, allowed[i]) == 0;
            distance = spelling_distance(name, allowed[i]);
            if (distance < best) {
                best = distance;
                nearest = allowed[i];
            }
        }
        if (known || !name)
            continue;
        struct error_place place = yaml_place(file, key);
        error_add(errors, &place, "unknown entry \"%s\" in %s; did you mean \"%s\"?", name, what, nearest);
    }
}
