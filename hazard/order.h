/*
 * What a core has begun and no barrier has ended: stores that a device may read, cleans and invalidations that are
 * issued but not waited for. A barrier ends all of a core's at once, by a new generation.
 */
#ifndef DMASIM_HAZARD_ORDER_H
#define DMASIM_HAZARD_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core_bus.h"
#include "hazard/shadow.h"

struct hazards;

/* Lines in order of the first action on each. */
struct open_lines {
    uint32_t *line;
    uint32_t count, capacity;
    uint32_t rung; /* those before are marked as older than a doorbell */
    uint32_t generation;
};

struct core_order {
    struct open_lines stores, cleans, invalidates;
};

struct order {
    struct core_order *cores;
};

bool order_create(struct order *order, unsigned cores);
void order_destroy(struct order *order, unsigned cores);

void order_store(struct hazards *hazards, unsigned core, uint32_t line, uint64_t bytes);
void order_clean(struct hazards *hazards, unsigned core, uint32_t line, uint64_t bytes);
void order_invalidate(struct hazards *hazards, unsigned core, uint32_t line);
void order_doorbell(struct hazards *hazards);
void order_barrier(struct hazards *hazards, unsigned core, enum barrier_reach reach);

/* Whether the action is open, that is, no barrier of its core has come since. */
bool order_clean_open(const struct hazards *hazards, const struct line_shadow *shadow);
bool order_invalidate_open(const struct hazards *hazards, const struct line_shadow *shadow);
bool order_store_open(const struct hazards *hazards, const struct line_shadow *shadow);

#endif
