#include "hazard/order.h"

#include <stdlib.h>

#include "hazard/hazard_internal.h"

bool order_create(struct order *order, unsigned cores)
{
    order->cores = calloc(cores, sizeof(*order->cores));
    return order->cores;
}

void order_destroy(struct order *order, unsigned cores)
{
    for (unsigned core = 0; order->cores && core < cores; core++) {
        free(order->cores[core].stores.line);
        free(order->cores[core].cleans.line);
        free(order->cores[core].invalidates.line);
    }
    free(order->cores);
}

static void append(struct open_lines *lines, uint32_t line)
{
    if (lines->count == lines->capacity) {
        uint32_t capacity = lines->capacity ? 2 * lines->capacity : 64;
        uint32_t *larger = realloc(lines->line, capacity * sizeof(*larger));
        if (!larger)
            return;
        lines->line = larger;
        lines->capacity = capacity;
    }
    lines->line[lines->count++] = line;
}

static bool is_open(const struct open_action *action, const struct open_lines *lines)
{
    return action->core && action->generation == lines->generation;
}

/* The action is core's and no doorbell has come since: a further one belongs to it. */
static bool continues(const struct open_action *action, const struct open_lines *lines, unsigned core)
{
    return action->core == core + 1 && is_open(action, lines) && !action->rung;
}

/* Begins, or renews, the action of core on the line. */
static void begin(struct hazards *hazards, unsigned core, struct open_lines *lines, struct open_action *action,
                  uint32_t line)
{
    if (!continues(action, lines, core))
        append(lines, line); /* once more when a doorbell has come since */
    *action = (struct open_action){lines->generation, (uint16_t)(core + 1), false, place_of_core(hazards, core)};
}

void order_store(struct hazards *hazards, unsigned core, uint32_t line, uint64_t bytes)
{
    struct line_shadow *shadow = &hazards->shadow.lines[line];
    struct open_lines *lines = &hazards->order.cores[core].stores;

    if (!continues(&shadow->stored, lines, core))
        shadow->stored_bytes = 0;
    begin(hazards, core, lines, &shadow->stored, line);
    shadow->stored_bytes |= bytes;
}

void order_clean(struct hazards *hazards, unsigned core, uint32_t line, uint64_t bytes)
{
    struct line_shadow *shadow = &hazards->shadow.lines[line];
    struct open_lines *lines = &hazards->order.cores[core].cleans;

    if (!continues(&shadow->clean, lines, core))
        shadow->clean_bytes = 0;
    begin(hazards, core, lines, &shadow->clean, line);
    shadow->clean_bytes |= bytes;
}

void order_invalidate(struct hazards *hazards, unsigned core, uint32_t line)
{
    begin(hazards, core, &hazards->order.cores[core].invalidates, &hazards->shadow.lines[line].invalidate, line);
}

static const struct core_order *order_of(const struct hazards *hazards, const struct open_action *action)
{
    return &hazards->order.cores[action->core ? action->core - 1 : 0];
}

bool order_clean_open(const struct hazards *hazards, const struct line_shadow *shadow)
{
    return is_open(&shadow->clean, &order_of(hazards, &shadow->clean)->cleans);
}

bool order_invalidate_open(const struct hazards *hazards, const struct line_shadow *shadow)
{
    return is_open(&shadow->invalidate, &order_of(hazards, &shadow->invalidate)->invalidates);
}

bool order_store_open(const struct hazards *hazards, const struct line_shadow *shadow)
{
    return is_open(&shadow->stored, &order_of(hazards, &shadow->stored)->stores);
}

static void ring(struct hazards *hazards, unsigned core, struct open_lines *lines, bool stores)
{
    for (; lines->rung < lines->count; lines->rung++) {
        struct line_shadow *shadow = &hazards->shadow.lines[lines->line[lines->rung]];
        struct open_action *action = stores ? &shadow->stored : &shadow->clean;
        if (action->core == core + 1 && is_open(action, lines))
            action->rung = true;
    }
}

/* The doorbell of one core may also publish what another has begun, so all cores' actions are older than it. */
void order_doorbell(struct hazards *hazards)
{
    for (unsigned core = 0; core < hazards->config.cores; core++) {
        struct core_order *order = &hazards->order.cores[core];
        if (order->stores.rung < order->stores.count)
            ring(hazards, core, &order->stores, true);
        if (order->cleans.rung < order->cleans.count)
            ring(hazards, core, &order->cleans, false);
    }
}

static void end_all(struct open_lines *lines)
{
    lines->count = lines->rung = 0;
    lines->generation++;
}

/* The invalidations of core are complete: its lines hold nothing stale, unless a device wrote once more. */
static void complete_invalidates(struct hazards *hazards, unsigned core)
{
    struct open_lines *lines = &hazards->order.cores[core].invalidates;

    for (uint32_t i = 0; i < lines->count; i++) {
        struct line_shadow *shadow = &hazards->shadow.lines[lines->line[i]];
        if (shadow->invalidate.core != core + 1 || !is_open(&shadow->invalidate, lines))
            continue;
        shadow->device = 0;
        shadow_mark(hazards, lines->line[i]);
    }
    end_all(lines);
}

void order_barrier(struct hazards *hazards, unsigned core, enum barrier_reach reach)
{
    struct core_order *order = &hazards->order.cores[core];

    if (order->stores.count)
        end_all(&order->stores);
    if (reach != BARRIER_ORDERS_ALL)
        return;
    if (order->cleans.count)
        end_all(&order->cleans);
    if (order->invalidates.count)
        complete_invalidates(hazards, core);
}
