/*
 * The coherent memory system of the cores: L1D and L2 of each core, shared L3, memory-side system cache (SLC), DRAM
 * timing, the CMO engine, and the view of devices. Tags and states only; bytes live in the two images of
 * cache/memory.h.
 *
 * All times are absolute picoseconds. Nothing here waits: every answer carries its completion time, and callers present
 * requests in time order where they are shared (model/core_module.cpp takes care of that).
 */
#ifndef DMASIM_CACHE_CACHE_H
#define DMASIM_CACHE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/memory.h"
#include "common/core_bus.h"
#include "common/error_list.h"
#include "common/memory_observer.h"
#include "common/txn.h"

#define MAX_CORES 128

/* Geometry of one level; bytes = 0: the level does not exist (never for L1). */
struct cache_geometry {
    uint64_t bytes;
    uint32_t ways;
};

/* Which of the waiting cores gets a line next. */
enum cache_arbitration {
    ARBITRATE_RANDOM, /* any of them, with equal chances; a generator decides, so runs repeat */
    ARBITRATE_OLDEST, /* first come, first served */
    ARBITRATE_LOCAL,  /* those of the holder's die first, for up to local_turns turns, then the oldest */
};

struct cache_config {
    uint32_t cores;
    struct cache_geometry l1d, l2, l3, slc;

    /* Load-to-use latency from issue, by the level that answers. */
    uint64_t l1_ps, l2_ps, l3_ps, slc_ps, dram_ps;

    /* Where the cores are: 0 to cluster_cores - 1 are the first cluster, and so on; sizes of at least the number of
     * cores mean that there is only one. */
    uint32_t cluster_cores, die_cores, socket_cores;
    uint32_t mesh_columns; /* clusters of a die lie row by row on a mesh this wide; 0: no mesh */
    /* A line from another core's private cache: in the same cluster, die, socket, or farther. */
    uint64_t cluster_ps, core_to_core_ps, cross_die_ps, cross_socket_ps;
    uint64_t hop_ps; /* added for each hop on the mesh between two clusters of a die */

    /* A line that several cores want (turns.c). */
    uint64_t home_ps;      /* one shared read, or one atomic at the line's home, occupies the home */
    uint64_t residency_ps; /* a core keeps a line that it got to write at least so long before it answers a snoop */
    enum cache_arbitration arbitration;
    uint32_t local_turns; /* ARBITRATE_LOCAL: so many waiting cores of the holder's die before the oldest */
    uint64_t conflict_ps; /* a request that found its line busy is looked at again by the home: added to its transfer */
    uint64_t dram_occupancy_ps; /* one line's time on the DRAM channels: the inverse of bandwidth */
    uint64_t remote_bytes;      /* the last bytes of memory lie on another node */
    uint64_t remote_ps;         /* added to every trip there */

    /* CMO engine (architecture.md 5). */
    uint32_t cmo_slots;           /* Q: outstanding CMOs per core */
    uint64_t cmo_issue_absent_ps; /* ti by where the line is */
    uint64_t cmo_issue_l1_ps, cmo_issue_l2_ps, cmo_issue_l3_ps;
    uint64_t cmo_clean_ps;      /* L of a clean to PoC, line not dirty */
    uint64_t cmo_invalidate_ps; /* L of IVAC/CIVAC, line not dirty */
    uint64_t cmo_writeback_ps;  /* added when the line is dirty */
    uint64_t cmo_pou_ps;        /* L of CVAU and of IC operations */
    uint64_t dvm_ps;            /* a broadcast (TLBI, IC) complete on all cores */

    bool ivac_cleans; /* IVAC of a dirty line writes it back first, as Cortex-A76 does (TRM A6.2.4); false: the data is
                         lost */
    bool loads_pass_invalidates; /* a core's own IVAC or CIVAC does not hold up its loads of the line: until it is
                                    complete they find the old copy. False: program order (DDI 0487 D7.5.9.15) */
    bool cmo_early_ack;          /* erratum 4311569 of Arm's SI L1 interconnect: the CopyBack that a CMO of a dirty line
                                    makes is acknowledged before it has reached memory */
    uint64_t cmo_early_ack_ps;   /* so much before */
    bool far_atomics;            /* LSE atomics on a communal line execute at its home; others near, in L1D */
};

struct cache;

/* memory stays the caller's. Fills errors (every problem) and returns NULL when the configuration is impossible. */
struct cache *cache_create(const struct cache_config *config, struct memory *memory, struct error_list *errors);
void cache_destroy(struct cache *cache);

/* Who is told when core loses a line, a monitor, instructions. Must be set for each core before its first access. */
void cache_attach_core(struct cache *cache, unsigned core, const struct core_bus_client *client);

/* Who judges the accesses; copied. Before the first access. */
void cache_attach_observer(struct cache *cache, const struct memory_observer *observer);
/* The observer's marks (enum line_mark) of a line, in place of those it had. */
void cache_mark(struct cache *cache, uint32_t line, unsigned marks);

/*
 * Try to serve core privately: a hit in its own L1D or L2 with sufficient rights on a line that no other observer has
 * touched. False: nothing has changed and the request is a shared action; let time catch up, then call cache_line().
 */
bool cache_line_private(struct cache *cache, unsigned core, uint64_t pa, enum line_want want, uint64_t start_ps,
                        struct line_grant *grant);

/* Serve core whatever it takes (fill, transfer, upgrade, eviction). */
struct line_grant cache_line(struct cache *cache, unsigned core, uint64_t pa, enum line_want want, uint64_t start_ps);

/*
 * A line that several cores want is served in turns. True: core may call cache_line() now. False: it has been put into
 * the line's queue; cache_attach_waiter()'s function says when to come again, with this call.
 */
bool cache_line_turn(struct cache *cache, unsigned core, uint64_t pa, enum line_want want, uint64_t start_ps);

/* Who is told that core's turn will be at at_ps; NEVER_PS: not any more, another core goes first. */
struct cache_waiter {
    void *ctx;
    void (*turn)(void *ctx, uint64_t at_ps);
};
void cache_attach_waiter(struct cache *cache, unsigned core, const struct cache_waiter *waiter);

/* Instruction fetch of one line into core's L1I (which the core itself keeps): looks up L2, L3, SLC, DRAM; allocates in
 * L2. */
struct line_grant cache_fetch(struct cache *cache, unsigned core, uint64_t pa, uint64_t start_ps);

/* Queue a cache maintenance operation; see struct cmo_times. Set/way forms take Xt in addr. */
struct cmo_times cache_cmo(struct cache *cache, unsigned core, enum cmo_op op, uint64_t addr, uint64_t issue_ps);

/* Time at which all queued CMOs of core are complete; at least t_ps. */
uint64_t cache_cmo_drain(struct cache *cache, unsigned core, uint64_t t_ps);

/* Apply the effects of all CMOs, of every core, that are complete at t_ps. Called before any other observer looks. */
void cache_advance(struct cache *cache, uint64_t t_ps);

/* A core's access with Device or Non-cacheable attributes that falls on RAM: the PoC image, DRAM timing. */
void cache_noncacheable(struct cache *cache, struct txn *txn);

/* A device's access: txn->coherent snoops the caches (read: newest data; write: other copies invalidated, monitors
 * cleared), else the PoC image. */
void cache_device(struct cache *cache, struct txn *txn);

/* Exclusive monitors: the line of pa is watched for core; writes by any other observer call client->monitor_cleared. */
void cache_monitor_arm(struct cache *cache, unsigned core, uint64_t pa);
void cache_monitor_clear(struct cache *cache, unsigned core);

/* Functional access without time or state change, for loaders, semihosting and checks: reads what core 0 would read; a
 * write is seen by every observer (both images). False when outside memory. */
bool cache_debug_read(struct cache *cache, uint64_t pa, void *data, uint64_t bytes);
bool cache_debug_write(struct cache *cache, uint64_t pa, const void *data, uint64_t bytes);

struct cache_counters {
    uint64_t hits[LEVEL_COUNT]; /* line grants by the level that answered; L0 hits inside the core are not seen here */
    uint64_t evictions, writebacks;
    uint64_t cmos[CMO_OP_COUNT];
    uint64_t cmo_dirty;         /* CMOs that wrote back */
    uint64_t cmo_slot_stall_ps; /* time that CMOs waited for a free slot */
};
const struct cache_counters *cache_counters(const struct cache *cache, unsigned core);

#endif
