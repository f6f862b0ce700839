#include "tests/support/vsim.h"

#include <stdlib.h>
#include <ucontext.h>

#include "common/units.h"

enum { PARTS = 16, EVENTS = 8, STACK_BYTES = 256 * 1024 };

struct part {
    struct vsim *vsim;
    ucontext_t context;
    char *stack;
    void (*run)(void *argument);
    void *argument;
    uint64_t wake_ps;        /* NEVER_PS: only an event wakes it */
    unsigned waits_for;      /* EVENTS: for no event */
    uint64_t due_ps[EVENTS]; /* notified and not yet taken */
    bool ended;
};

struct vsim {
    ucontext_t main;
    struct part parts[PARTS];
    unsigned count;
    uint64_t now_ps;
};

struct vsim *vsim_create(void)
{
    return calloc(1, sizeof(struct vsim));
}

void vsim_destroy(struct vsim *vsim)
{
    for (unsigned i = 0; i < vsim->count; i++)
        free(vsim->parts[i].stack);
    free(vsim);
}

static uint64_t now(void *ctx)
{
    struct part *part = ctx;

    return part->vsim->now_ps;
}

static void yield(struct part *part)
{
    swapcontext(&part->context, &part->vsim->main);
}

static void wait_until(void *ctx, uint64_t ps)
{
    struct part *part = ctx;

    if (ps <= part->vsim->now_ps)
        return;
    part->wake_ps = ps;
    part->waits_for = EVENTS;
    yield(part);
}

static void notify(void *ctx, unsigned event, uint64_t at_ps)
{
    struct part *part = ctx;

    if (at_ps < part->vsim->now_ps)
        at_ps = part->vsim->now_ps;
    if (at_ps < part->due_ps[event])
        part->due_ps[event] = at_ps;
}

static bool wait_event(void *ctx, unsigned event, uint64_t until_ps)
{
    struct part *part = ctx;

    part->wake_ps = until_ps;
    part->waits_for = event;
    if (part->due_ps[event] > part->vsim->now_ps)
        yield(part);
    part->waits_for = EVENTS;
    if (part->due_ps[event] > part->vsim->now_ps)
        return false;
    part->due_ps[event] = NEVER_PS;
    return true;
}

static void start(unsigned low, unsigned high)
{
    struct part *part = (struct part *)((uintptr_t)low | (uintptr_t)high << 32);

    part->run(part->argument);
    part->ended = true;
    yield(part);
}

struct time_port vsim_add(struct vsim *vsim, void (*run)(void *argument), void *argument)
{
    struct part *part = &vsim->parts[vsim->count++];
    uintptr_t self = (uintptr_t)part;

    *part = (struct part){
        .vsim = vsim, .stack = malloc(STACK_BYTES), .run = run, .argument = argument, .waits_for = EVENTS};
    for (unsigned i = 0; i < EVENTS; i++)
        part->due_ps[i] = NEVER_PS;
    getcontext(&part->context);
    part->context.uc_stack.ss_sp = part->stack;
    part->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&part->context, (void (*)(void))start, 2, (unsigned)self, (unsigned)(self >> 32));
    return (struct time_port){part, now, wait_until, notify, wait_event};
}

/* When a part can go on. */
static uint64_t due(const struct part *part)
{
    uint64_t event = part->waits_for < EVENTS ? part->due_ps[part->waits_for] : NEVER_PS;

    if (part->ended)
        return NEVER_PS;
    return event < part->wake_ps ? event : part->wake_ps;
}

void vsim_run(struct vsim *vsim, uint64_t until_ps)
{
    for (;;) {
        struct part *next = NULL;
        for (unsigned i = 0; i < vsim->count; i++)
            if (due(&vsim->parts[i]) <= until_ps && (!next || due(&vsim->parts[i]) < due(next)))
                next = &vsim->parts[i];
        if (!next || due(next) == NEVER_PS)
            break;
        if (due(next) > vsim->now_ps)
            vsim->now_ps = due(next);
        swapcontext(&vsim->main, &next->context);
    }
    if (until_ps != NEVER_PS && until_ps > vsim->now_ps)
        vsim->now_ps = until_ps;
}
