#include "trace/call_stack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 256u /* what is called deeper counts as part of the caller */
#define NO_NODE    0u

/* A chain of calls: the function and the chain it was called from. Node 0 is no function at all. */
struct node {
    uint32_t function, parent, first_child, next_sibling;
    uint64_t ps;
};

struct frame {
    uint32_t node;
    bool handler; /* of an exception */
    uint64_t link, sp;
};

struct core_calls {
    struct frame frames[DEPTH_MOST];
    uint32_t depth;
    uint64_t since_ps; /* the time up to here is in the nodes */
    bool seen;
};

struct call_stacks {
    struct call_listener listener;
    struct core_calls *cores;
    struct node *nodes;
    uint32_t node_count, node_room;
};

struct call_stacks *call_stacks_create(unsigned cores, const struct call_listener *listener)
{
    struct call_stacks *stacks = calloc(1, sizeof(*stacks));

    if (!stacks)
        return NULL;
    stacks->listener = *listener;
    stacks->cores = calloc(cores, sizeof(*stacks->cores));
    stacks->node_room = 64;
    stacks->node_count = 1;
    stacks->nodes = calloc(stacks->node_room, sizeof(*stacks->nodes));
    if (stacks->cores && stacks->nodes)
        return stacks;
    call_stacks_destroy(stacks);
    return NULL;
}

void call_stacks_destroy(struct call_stacks *stacks)
{
    if (!stacks)
        return;
    free(stacks->cores);
    free(stacks->nodes);
    free(stacks);
}

static uint32_t current_node(const struct core_calls *calls)
{
    return calls->depth ? calls->frames[calls->depth - 1].node : NO_NODE;
}

/* The time since the last call belongs to whom was active. */
static void account(struct call_stacks *stacks, struct core_calls *calls, uint64_t t_ps)
{
    if (calls->seen)
        stacks->nodes[current_node(calls)].ps += t_ps - calls->since_ps;
    calls->seen = true;
    calls->since_ps = t_ps;
}

/* The node of a function called from parent; parent itself when memory is short. */
static uint32_t child_of(struct call_stacks *stacks, uint32_t parent, uint32_t function)
{
    uint32_t *place = &stacks->nodes[parent].first_child;

    while (*place != NO_NODE && stacks->nodes[*place].function != function)
        place = &stacks->nodes[*place].next_sibling;
    if (*place != NO_NODE)
        return *place;
    if (stacks->node_count == stacks->node_room) {
        uint32_t offset = (uint32_t)((char *)place - (char *)stacks->nodes);
        struct node *nodes = realloc(stacks->nodes, 2ull * stacks->node_room * sizeof(*nodes));
        if (!nodes)
            return parent;
        stacks->nodes = nodes;
        stacks->node_room *= 2;
        place = (uint32_t *)((char *)nodes + offset);
    }
    *place = stacks->node_count;
    stacks->nodes[stacks->node_count] = (struct node){.function = function, .parent = parent};
    return stacks->node_count++;
}

static void push(struct call_stacks *stacks, unsigned core, uint32_t function, struct frame frame, uint64_t t_ps)
{
    struct core_calls *calls = &stacks->cores[core];

    if (calls->depth == DEPTH_MOST)
        return;
    frame.node = child_of(stacks, current_node(calls), function);
    calls->frames[calls->depth++] = frame;
    if (stacks->listener.entered)
        stacks->listener.entered(stacks->listener.ctx, core, function, t_ps);
}

static void pop_to(struct call_stacks *stacks, unsigned core, uint32_t depth, uint64_t t_ps)
{
    struct core_calls *calls = &stacks->cores[core];

    for (; calls->depth > depth; calls->depth--)
        if (stacks->listener.left)
            stacks->listener.left(stacks->listener.ctx, core, t_ps);
}

void call_entered(struct call_stacks *stacks, unsigned core, uint32_t function, uint64_t link, uint64_t sp,
                  uint64_t t_ps)
{
    struct core_calls *calls = &stacks->cores[core];
    const struct frame *top = calls->depth ? &calls->frames[calls->depth - 1] : NULL;

    account(stacks, calls, t_ps);
    if (top && !top->handler && top->link == link && top->sp == sp) {
        if (stacks->nodes[top->node].function == function)
            return; /* a loop to the first instruction */
        pop_to(stacks, core, calls->depth - 1, t_ps);
    }
    push(stacks, core, function, (struct frame){.link = link, .sp = sp}, t_ps);
}

void call_returned(struct call_stacks *stacks, unsigned core, uint64_t to, uint64_t t_ps)
{
    struct core_calls *calls = &stacks->cores[core];
    uint32_t depth = calls->depth;

    account(stacks, calls, t_ps);
    while (depth && !calls->frames[depth - 1].handler && calls->frames[depth - 1].link != to)
        depth--;
    if (depth && !calls->frames[depth - 1].handler)
        pop_to(stacks, core, depth - 1, t_ps);
}

void call_exception(struct call_stacks *stacks, unsigned core, uint32_t function, uint64_t t_ps)
{
    account(stacks, &stacks->cores[core], t_ps);
    push(stacks, core, function, (struct frame){.handler = true}, t_ps);
}

void call_exception_returned(struct call_stacks *stacks, unsigned core, uint64_t t_ps)
{
    struct core_calls *calls = &stacks->cores[core];
    uint32_t depth = calls->depth;

    account(stacks, calls, t_ps);
    while (depth && !calls->frames[depth - 1].handler)
        depth--;
    if (depth)
        pop_to(stacks, core, depth - 1, t_ps);
}

void call_ended(struct call_stacks *stacks, unsigned core, uint64_t t_ps)
{
    if (!stacks->cores[core].seen)
        return;
    account(stacks, &stacks->cores[core], t_ps);
    pop_to(stacks, core, 0, t_ps);
}

void call_stacks_visit(const struct call_stacks *stacks,
                       void (*visit)(void *ctx, const uint32_t *functions, size_t depth, uint64_t ps), void *ctx)
{
    uint32_t functions[DEPTH_MOST];

    for (uint32_t i = 1; i < stacks->node_count; i++) {
        size_t depth = 0;
        if (!stacks->nodes[i].ps)
            continue;
        for (uint32_t node = i; node != NO_NODE; node = stacks->nodes[node].parent)
            depth++;
        for (uint32_t node = i, at = (uint32_t)depth; node != NO_NODE; node = stacks->nodes[node].parent)
            functions[--at] = stacks->nodes[node].function;
        visit(ctx, functions, depth, stacks->nodes[i].ps);
    }
}
