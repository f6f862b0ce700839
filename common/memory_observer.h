/*
 * What the coherent memory system tells somebody who judges the accesses to memory (hazard/). Nothing here has an
 * influence on time or data; a function may be NULL.
 */
#ifndef DMASIM_COMMON_MEMORY_OBSERVER_H
#define DMASIM_COMMON_MEMORY_OBSERVER_H

#include "common/core_bus.h"
#include "common/txn.h"

/* Why a dirty line is written to the PoC image. */
enum write_back_cause { WRITE_BACK_EVICTION, WRITE_BACK_MAINTENANCE, WRITE_BACK_SNOOP };

/* A line at the moment of a call, before what the call tells of has happened. */
struct line_view {
    uint32_t line;      /* from the start of RAM */
    bool cached;        /* some CPU cache holds it: cpu is valid */
    bool dirty;         /* the CPU image is newer than the PoC image */
    bool clean_pending; /* some core's clean of it is queued and not complete */
    const uint8_t *cpu, *poc;
};

/* What the observer wants to know of a line (cache_mark()). */
enum line_mark {
    MARK_MAINTENANCE = 1, /* cache maintenance of it, also when it is clean */
    MARK_ACCESS = 2,      /* that, and each access of a core (grant.observed) */
};

struct memory_observer {
    void *ctx;
    /* Pages (numbered from the start of RAM) whose entry is not zero: each access of a core is told. NULL: no accesses
     * are told at all. */
    const uint32_t *watched_pages;

    /* core's store makes a clean line dirty. */
    void (*dirtied)(void *ctx, unsigned core, uint32_t line);
    /* A dirty line goes to the PoC image; core: whose allocation or maintenance did it. */
    void (*written_back)(void *ctx, const struct line_view *view, enum write_back_cause cause, unsigned core);
    /* core issues a DC operation on a line that is dirty or marked; later its effect comes. */
    void (*maintenance_issued)(void *ctx, unsigned core, enum cmo_op op, const struct line_view *view);
    void (*maintenance_applied)(void *ctx, unsigned core, enum cmo_op op, uint32_t line);
    /* A device, or a core by a Non-cacheable access, is about to read or write bytes of one line in the PoC image. */
    void (*bypassed)(void *ctx, const struct txn *txn, const struct line_view *view, uint32_t offset, uint32_t bytes);
};

#endif
