/* A YAML file as a tree whose nodes know their place (libyaml's document). */
#ifndef DMASIM_CLI_YAML_FILE_H
#define DMASIM_CLI_YAML_FILE_H

#include <stdbool.h>
#include <yaml.h>

#include "common/error_list.h"

struct yaml_file {
    char *path;
    yaml_document_t document;
};

/* Reads and checks syntax and duplicate keys; false with every problem in errors. */
bool yaml_file_read(const char *path, struct yaml_file *file, struct error_list *errors);
void yaml_file_free(struct yaml_file *file);

yaml_node_t *yaml_root(struct yaml_file *file);
struct error_place yaml_place(const struct yaml_file *file, const yaml_node_t *node);
/* Text of a scalar; NULL when the node is something else. */
const char *yaml_text(const yaml_node_t *node);
/* Value of a key in a mapping; NULL: not there. */
yaml_node_t *yaml_get(struct yaml_file *file, const yaml_node_t *mapping, const char *key);
/* Pair n of a mapping; false: past the end. */
bool yaml_pair(struct yaml_file *file, const yaml_node_t *mapping, size_t n, yaml_node_t **key, yaml_node_t **value);
/* Item n of a sequence; NULL: past the end. */
yaml_node_t *yaml_item(struct yaml_file *file, const yaml_node_t *sequence, size_t n);
/* Complains about keys of mapping that are not in allowed (NULL-terminated). */
void yaml_only(struct yaml_file *file, const yaml_node_t *mapping, const char *const *allowed, const char *what,
               struct error_list *errors);

/* Adds "PROBLEM; did you mean NEAREST?" or, when nothing is near, "PROBLEM; there is ALLOWED, ...". */
void yaml_unknown(const struct error_place *place, const char *problem, const char *name, const char *const *allowed,
                  struct error_list *errors);

#endif
