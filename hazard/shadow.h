/* What the detector knows of each line of RAM beyond the caches' own state. */
#ifndef DMASIM_HAZARD_SHADOW_H
#define DMASIM_HAZARD_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "hazard/hazard.h"

/* An action of a core that no barrier of it has ended yet: valid while the generation is the core's (order.h). */
struct open_action {
    uint32_t generation;
    uint16_t core; /* + 1; 0: none */
    bool rung;     /* a doorbell came after it */
    struct hazard_place place;
};

/* All zero: nothing. Masks have a bit a byte. */
struct line_shadow {
    uint64_t uncleaned;    /* written by cores; went to the PoC image by an eviction, not by a clean */
    uint64_t device;       /* written by a device or by Non-cacheable stores, and not invalidated in the caches since */
    uint64_t cleaned_once; /* cleaned while dirty, where that is acknowledged early, and not cleaned again since */
    struct hazard_place store;    /* what made the line dirty last */
    struct hazard_place external; /* the doorbell, or the Non-cacheable store, that `device` goes back to */
    struct open_action clean, invalidate, stored;
    struct touch { /* a store to a buffer that is the device's: a clean before anybody looks makes it good */
        struct hazard_place place, mapped_at;
        uint64_t t_ps, bytes;
        unsigned core;
    } touch;                            /* bytes 0: none */
    uint64_t clean_bytes, stored_bytes; /* what `clean` takes to the PoC image, and `stored` wrote */
    uint8_t reported; /* enum hazard_kind: the first hazard since the line was maintained; others are consequences */
    bool external_is_cpu; /* `external` is a Non-cacheable store */
};

struct shadow {
    struct line_shadow *lines;
    uint64_t bytes;
};

bool shadow_create(struct shadow *shadow, uint64_t lines);
void shadow_destroy(struct shadow *shadow);

struct hazards;
/* Tell the caches what is to be known of the line from now on. */
void shadow_mark(struct hazards *hazards, uint32_t line);

#endif
