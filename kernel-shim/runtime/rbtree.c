/* Insertion and removal as in any textbook; the two mirror images are one code with a side as an index. */
#include "rbtree.h"

static bool is_black(const struct rb_node *node)
{
    return node->parent_black & 1;
}
static void set_parent(struct rb_node *node, struct rb_node *parent)
{
    node->parent_black = (uintptr_t)parent | is_black(node);
}
static void set_black(struct rb_node *node)
{
    node->parent_black |= 1;
}
static void set_red(struct rb_node *node)
{
    node->parent_black &= ~(uintptr_t)1;
}

/* What pointed to old, below parent or from the root, points to new. */
static void replace_child(struct rb_root *root, struct rb_node *parent, struct rb_node *old, struct rb_node *new)
{
    if (!parent)
        root->node = new;
    else
        parent->child[parent->child[RB_RIGHT] == old] = new;
}

/* node goes down to that side, its other child comes up. */
static void rotate(struct rb_root *root, struct rb_node *node, int side)
{
    struct rb_node *up = node->child[!side], *inner = up->child[side];

    node->child[!side] = inner;
    if (inner)
        set_parent(inner, node);
    replace_child(root, rb_parent(node), node, up);
    set_parent(up, rb_parent(node));
    up->child[side] = node;
    set_parent(node, up);
}

void rb_insert_color(struct rb_node *node, struct rb_root *root)
{
    struct rb_node *parent;

    while (rb_is_red(parent = rb_parent(node))) {
        struct rb_node *grandparent = rb_parent(parent);
        int side = grandparent->child[RB_RIGHT] == parent;
        struct rb_node *uncle = grandparent->child[!side];

        if (rb_is_red(uncle)) {
            set_black(parent);
            set_black(uncle);
            set_red(grandparent);
            node = grandparent;
            continue;
        }
        if (node == parent->child[!side]) {
            rotate(root, parent, side);
            parent = node;
        }
        set_black(parent);
        set_red(grandparent);
        rotate(root, grandparent, !side);
        break;
    }
    set_black(root->node);
}

/* The paths through node (NULL: an empty place), below parent, lack one black node. */
static void erase_color(struct rb_node *node, struct rb_node *parent, struct rb_root *root)
{
    while (parent && !rb_is_red(node)) {
        int side = parent->child[RB_RIGHT] == node;
        struct rb_node *sibling = parent->child[!side];

        if (rb_is_red(sibling)) {
            set_black(sibling);
            set_red(parent);
            rotate(root, parent, side);
            sibling = parent->child[!side];
        }
        if (!rb_is_red(sibling->child[RB_LEFT]) && !rb_is_red(sibling->child[RB_RIGHT])) {
            set_red(sibling);
            node = parent;
            parent = rb_parent(node);
            continue;
        }
        if (!rb_is_red(sibling->child[!side])) {
            set_black(sibling->child[side]);
            set_red(sibling);
            rotate(root, sibling, !side);
            sibling = parent->child[!side];
        }
        sibling->parent_black = (uintptr_t)rb_parent(sibling) | is_black(parent);
        set_black(parent);
        set_black(sibling->child[!side]);
        rotate(root, parent, side);
        return;
    }
    if (node)
        set_black(node);
}

/* Takes node, which has two children, out by putting its successor in its place. Returns the successor's old child;
 * *parent is the place from which a node went away, *black its colour. */
static struct rb_node *put_successor(struct rb_node *node, struct rb_root *root, struct rb_node **parent, bool *black)
{
    struct rb_node *next = rb_next(node), *child = next->child[RB_RIGHT];

    *black = is_black(next);
    *parent = rb_parent(next);
    if (*parent == node) {
        *parent = next;
    } else {
        (*parent)->child[RB_LEFT] = child;
        if (child)
            set_parent(child, *parent);
        next->child[RB_RIGHT] = node->child[RB_RIGHT];
        set_parent(next->child[RB_RIGHT], next);
    }
    next->child[RB_LEFT] = node->child[RB_LEFT];
    set_parent(next->child[RB_LEFT], next);
    replace_child(root, rb_parent(node), node, next);
    next->parent_black = node->parent_black;
    return child;
}

void rb_erase(struct rb_node *node, struct rb_root *root)
{
    struct rb_node *child, *parent;
    bool black;

    if (node->child[RB_LEFT] && node->child[RB_RIGHT]) {
        child = put_successor(node, root, &parent, &black);
    } else {
        child = node->child[!node->child[RB_LEFT]];
        parent = rb_parent(node);
        black = is_black(node);
        replace_child(root, parent, node, child);
        if (child)
            set_parent(child, parent);
    }
    if (black)
        erase_color(child, parent, root);
}

static struct rb_node *neighbour(const struct rb_node *node, int side)
{
    struct rb_node *parent, *next = node->child[side];

    if (next) {
        while (next->child[!side])
            next = next->child[!side];
        return next;
    }
    while ((parent = rb_parent(node)) && node == parent->child[side])
        node = parent;
    return parent;
}

struct rb_node *rb_next(const struct rb_node *node)
{
    return neighbour(node, RB_RIGHT);
}

struct rb_node *rb_prev(const struct rb_node *node)
{
    return neighbour(node, RB_LEFT);
}
