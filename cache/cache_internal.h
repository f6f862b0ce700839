/* Inside of the coherent memory system. */
#ifndef DMASIM_CACHE_CACHE_INTERNAL_H
#define DMASIM_CACHE_CACHE_INTERNAL_H

#include <string.h>

#include "cache/cache.h"
#include "cache/tags.h"
#include "common/units.h"

/* Flags of a line's record. */
enum {
    LINE_IN_L3 = 1,
    LINE_DIRTY = 2,     /* the CPU image is newer than the PoC image */
    LINE_EXCLUSIVE = 4, /* its only sharer may write without asking */
    LINE_COMMUNAL = 8,  /* more than one observer has touched it: every access is a shared action */
    LINE_WATCHED = 16,  /* some core's exclusive monitor is armed on it */
    LINE_MARKED = 32,   /* the observer's MARK_MAINTENANCE */
    LINE_OBSERVED = 64, /* the observer's MARK_ACCESS */
};

/* The directory: what the coherent system knows of one line of RAM. All zero: in no CPU cache. */
struct line_record {
    uint64_t sharers[MAX_CORES / 64]; /* cores whose L1D/L2 hold it */
    uint64_t free_ps;                 /* turns.c: when the next core can be served */
    uint16_t pending_cmos;            /* queued and not yet applied, of all cores */
    uint16_t queue;                   /* 1 + number of its struct line_queue; 0: nobody waits */
    uint8_t holder;                   /* 1 + the core that got it last to write; 0: none */
    uint8_t flags;
};

static inline bool wants_write(enum line_want want)
{
    return want == LINE_UNIQUE || want == LINE_ATOMIC || want == LINE_EXCLUSIVE_STORE;
}

/* A queued CMO. */
struct pending_cmo {
    uint64_t done_ps; /* its effect */
    uint32_t line;    /* NO_LINE: all (IC IALLU) */
    uint8_t op;       /* enum cmo_op */
};

/* The CMO engine of one core: Q slots for timing, and the operations whose effect is still to come, in program order.
 */
struct cmo_queue {
    uint64_t *slot_done_ps; /* [cmo_slots] */
    uint32_t next_slot;
    uint64_t last_done_ps; /* latest completion of all CMOs so far */
    struct pending_cmo *pending;
    uint32_t head, count, capacity; /* capacity is a power of two */
    uint64_t earliest_ps;           /* no pending one is complete before */
    bool in_order;                  /* pending completions ascend */
};

/* The cores that wait for one line, in order of arrival. */
struct line_queue {
    uint32_t line, count;
    uint32_t next;      /* index of the core whose turn is next */
    uint32_t local_run; /* turns given in the holder's die while another die waited */
    uint8_t core[MAX_CORES];
};

struct core_caches {
    bool waited; /* cache_line_turn() made it wait for the access that comes next */
    struct tags l1d, l2;
    struct core_bus_client client;
    struct cache_waiter waiter;
    struct cmo_queue cmos;
    uint32_t watched; /* line of the exclusive monitor, or NO_LINE */
    struct cache_counters counters;
};

struct cache {
    struct cache_config config;
    struct memory *memory;
    struct line_record *records;
    uint64_t records_bytes;
    struct tags l3, slc; /* line == NULL: level absent */
    struct core_caches *cores;
    struct line_queue *queues; /* those in use have count > 0 */
    uint32_t queue_count;
    uint64_t draws; /* of the generator of turns.c */
    uint64_t dram_free_ps;
    uint32_t remote_line;     /* the first line on the other node */
    uint64_t earliest_cmo_ps; /* over all cores: cache_advance() has nothing to do before */
    struct memory_observer observer;
};

#define LINES_PER_PAGE (4096 / LINE_BYTES)

static inline uint32_t line_of(const struct cache *cache, uint64_t pa)
{
    return (uint32_t)((pa - cache->memory->base) >> LINE_SHIFT);
}
static inline uint8_t *line_cpu(const struct cache *cache, uint32_t line)
{
    return cache->memory->cpu + ((uint64_t)line << LINE_SHIFT);
}
static inline uint8_t *line_poc(const struct cache *cache, uint32_t line)
{
    return cache->memory->poc + ((uint64_t)line << LINE_SHIFT);
}
static inline bool record_shared_by(const struct line_record *record, unsigned core)
{
    return record->sharers[core / 64] >> (core % 64) & 1;
}
static inline bool record_in_private_caches(const struct line_record *record)
{
    return (record->sharers[0] | record->sharers[1]) != 0;
}
static inline bool record_cached(const struct line_record *record)
{
    return record_in_private_caches(record) || (record->flags & LINE_IN_L3);
}

/* observer.c: the line as the observer sees it now. */
struct line_view line_view_of(struct cache *cache, uint32_t line);

/* coherence.c */
/* Copy the line to the PoC image when it is dirty; core: on whose behalf. */
void line_write_back(struct cache *cache, unsigned core, uint32_t line, enum write_back_cause cause);
/* Remove the line from every CPU cache; dirty content is lost unless it was written back before. */
void line_drop(struct cache *cache, uint32_t line);
/* Remove it from one core's L1D and L2. */
void line_drop_from_core(struct cache *cache, unsigned core, uint32_t line);
/* A read or write of RAM behind the last CPU cache: SLC or DRAM; returns completion. */
uint64_t memory_side(struct cache *cache, uint32_t line, uint64_t start_ps, enum mem_level *level);
/* What a trip to the line's home costs more than one on this node. */
uint64_t remote_trip(const struct cache *cache, uint32_t line);
/* Every holder comes back through cache_line() before its next access. */
void line_forget_pointers(struct cache *cache, uint32_t line);
/* Make every holder come back before its next access; from now on each access is a shared action. */
void line_make_communal(struct cache *cache, uint32_t line);

/* turns.c */
/* A core that waits for the line to store exclusively has lost its monitor: it need not wait longer. */
void turns_monitor_lost(struct cache *cache, unsigned core, uint32_t line, uint64_t at_ps);
/* The line was given to core at start_ps, its data arriving at done_ps: when the next can have it. */
void turns_given(struct cache *cache, unsigned core, uint32_t line, bool to_write, uint64_t start_ps, uint64_t done_ps);
/* From one core's private cache to another's. */
uint64_t core_distance_ps(const struct cache *cache, unsigned from, unsigned to);

/* cmo.c */
/* Whether a clean of the line is queued by some core. */
bool cmo_clean_pending(const struct cache *cache, uint32_t line);
bool cmo_queue_create(struct cmo_queue *queue, uint32_t slots);
void cmo_queue_destroy(struct cmo_queue *queue);
/* Program order on one line: apply core's own pending CMOs of it; returns when the last of them is complete (0: none).
 */
uint64_t cmo_order_line(struct cache *cache, unsigned core, uint32_t line);

/* monitor.c */
void monitor_written(struct cache *cache, uint32_t line, unsigned writer, uint64_t at_ps);
#define NO_CORE UINT32_MAX

#endif
