/*
 * Call stacks of the cores, followed from outside: told of every function's first instruction, of returns and of
 * exceptions, it knows at any time which functions are active, and how much time passed in each chain of calls.
 *
 * A function that begins with the link register and stack pointer of the one before it was jumped to (a tail call) and
 * takes its place. Code without calls is its function's; an inlined function is part of the one it stands in.
 */
#ifndef DMASIM_TRACE_CALL_STACK_H
#define DMASIM_TRACE_CALL_STACK_H

#include <stddef.h>
#include <stdint.h>

/* Told of every change; functions may be NULL. */
struct call_listener {
    void *ctx;
    void (*entered)(void *ctx, unsigned core, uint32_t function, uint64_t t_ps);
    void (*left)(void *ctx, unsigned core, uint64_t t_ps);
};

struct call_stacks;

/* NULL: memory is short. */
struct call_stacks *call_stacks_create(unsigned cores, const struct call_listener *listener);
void call_stacks_destroy(struct call_stacks *stacks);

/* The first instruction of a function is about to execute. function: any number, the same for the same function. */
void call_entered(struct call_stacks *stacks, unsigned core, uint32_t function, uint64_t link, uint64_t sp,
                  uint64_t t_ps);
/* A RET to an address is about to execute. One that no active function was called from changes nothing. */
void call_returned(struct call_stacks *stacks, unsigned core, uint64_t to, uint64_t t_ps);
/* An exception was taken; its handler is function. */
void call_exception(struct call_stacks *stacks, unsigned core, uint32_t function, uint64_t t_ps);
/* An ERET is about to execute: the latest handler and what it has called end. */
void call_exception_returned(struct call_stacks *stacks, unsigned core, uint64_t t_ps);
/* The core has come to t_ps and executes no more. */
void call_ended(struct call_stacks *stacks, unsigned core, uint64_t t_ps);

/* Each chain of calls in which time passed, all cores together, in the order in which the chains first appeared;
 * functions[0] is the outermost. */
void call_stacks_visit(const struct call_stacks *stacks,
                       void (*visit)(void *ctx, const uint32_t *functions, size_t depth, uint64_t ps), void *ctx);

#endif
