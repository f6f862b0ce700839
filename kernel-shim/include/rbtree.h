/* Red-black trees whose user does the search (include/linux/rbtree.h). */
#ifndef RBTREE_H
#define RBTREE_H

#include "runtime.h"

enum { RB_LEFT, RB_RIGHT };

struct rb_node {
    uintptr_t parent_black; /* address of the parent | black */
    struct rb_node *child[2];
};
struct rb_root {
    struct rb_node *node;
};

static inline struct rb_node *rb_parent(const struct rb_node *node)
{
    return (struct rb_node *)(node->parent_black & ~(uintptr_t)1);
}
static inline bool rb_is_red(const struct rb_node *node)
{
    return node && !(node->parent_black & 1);
}

/* A new leaf at the empty place *link below parent; rb_insert_color() must follow. */
static inline void rb_link_node(struct rb_node *node, struct rb_node *parent, struct rb_node **link)
{
    *node = (struct rb_node){.parent_black = (uintptr_t)parent};
    *link = node;
}
void rb_insert_color(struct rb_node *node, struct rb_root *root);
void rb_erase(struct rb_node *node, struct rb_root *root);

/* In order; NULL at the end. */
struct rb_node *rb_next(const struct rb_node *node);
struct rb_node *rb_prev(const struct rb_node *node);

#endif
