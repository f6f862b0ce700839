/*
 * What a core asks of the coherent memory system, and what that calls back.
 *
 * Every function takes absolute simulated times. Whether a request is private to the core (a hit in its own L1/L2 on a
 * line that nobody else has touched) or a shared action, before which the core must let simulated time catch up, is
 * decided behind this interface (model/core_module.cpp), so neither the core nor the caches know about SystemC.
 */
#ifndef DMASIM_COMMON_CORE_BUS_H
#define DMASIM_COMMON_CORE_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/txn.h"

/* Which level answered a request; also the index of the cycle stack for memory time. */
enum mem_level {
    LEVEL_L1,
    LEVEL_L2,
    LEVEL_L3,
    LEVEL_SLC,
    LEVEL_DRAM,
    LEVEL_CORE /* another core's cache */,
    LEVEL_COUNT
};

enum line_want {
    LINE_SHARED, /* to read */
    LINE_UNIQUE, /* to write: the line becomes dirty in L1D */
    LINE_EXCLUSIVE_STORE, /* as LINE_UNIQUE, if the core's monitor still watches the line when its turn comes */
    LINE_ATOMIC, /* one read-modify-write, near or far as configured */
    LINE_WALK,   /* table walk read: may be served by L2, does not allocate in L1D */
};

/* The grant of a line. */
struct line_grant {
    enum txn_status status; /* TXN_DECERR: no memory at this address; nothing else is then valid */
    uint8_t *data;          /* the line's 64 bytes in the CPU image */
    uint64_t done_ps;       /* when the data (or the right to write) is there */
    enum mem_level level;
    bool keep;        /* the core may go on using data without asking until line_lost() names this way */
    bool writable;    /* with keep: stores too */
    uint32_t way;     /* with keep: the L1D way (set * ways + way) that holds the line */
    bool monitor_lost; /* LINE_EXCLUSIVE_STORE: it did not; nothing was done */
    uint64_t turn_ps; /* the request waited in the line's queue until then; 0: it did not */
    uint8_t *used;    /* with keep: write 1 at each use; the replacement policy reads and clears it */
    bool observed;    /* core_bus.observe wants to know of the access */
};

/* DC and IC operations (Arm DDI 0487 D7.5.9). To a PA: one line. */
enum cmo_op {
    CMO_DC_IVAC,
    CMO_DC_CVAC,
    CMO_DC_CVAU,
    CMO_DC_CVAP,
    CMO_DC_CIVAC,
    CMO_DC_ISW, /* set/way forms: the register value is passed as addr; local caches only */
    CMO_DC_CSW,
    CMO_DC_CISW,
    CMO_IC_IVAU,    /* one line, all cores in the Inner Shareable domain */
    CMO_IC_IALLUIS, /* all lines, all cores */
    CMO_IC_IALLU,   /* all lines, this core */
    CMO_OP_COUNT,
};

struct cmo_times {
    uint64_t start_ps;      /* when a slot of the CMO queue took it (>= the issue time asked for) */
    uint64_t done_ps;       /* when its effect is complete at the PoC/PoU and acknowledged */
    uint64_t next_issue_ps; /* earliest issue of this core's next CMO */
    enum mem_level level;   /* where the line was found */
    bool dirty;             /* the line was dirty (a write-back was needed) */
};

/* What a barrier orders, as an observer sees it: stores, or everything (cache maintenance included). */
enum barrier_reach { BARRIER_ORDERS_STORES, BARRIER_ORDERS_ALL };

/* Broadcasts between cores (DVM, SEV). */
enum broadcast_kind { BROADCAST_TLBI, BROADCAST_SEV };
struct tlbi_request {
    uint16_t encoding; /* op1 << 11 | CRn << 7 | CRm << 3 | op2 of the SYS instruction */
    uint64_t operand;  /* Xt */
};

struct core_bus {
    void *ctx;

    /* Let simulated time catch up with t_ps (a shared action follows). Returns the limit up to which the core may then
     * run on private work before it must call sync again. */
    uint64_t (*sync)(void *ctx, uint64_t t_ps);

    /* One line of Normal Write-Back memory. Counts as private or shared as described above. */
    struct line_grant (*line)(void *ctx, uint64_t pa, enum line_want want, uint64_t start_ps);

    /* 64 bytes of instructions for the core's L1I (pa line aligned); unified levels from L2 down. data points into the
     * CPU image. */
    struct line_grant (*fetch)(void *ctx, uint64_t pa, uint64_t start_ps);

    /* Device and Normal Non-cacheable (and Write-Through) accesses; sees the PoC image. Blocking in order; see txn.h.
     */
    void (*access)(void *ctx, struct txn *txn);

    /* Queue one cache maintenance operation, issued at issue_ps; it takes effect at done_ps, not before. */
    struct cmo_times (*cmo)(void *ctx, enum cmo_op op, uint64_t addr, uint64_t issue_ps);

    /* When all queued CMOs of this core will be complete (>= t_ps); they are applied once time reaches it. */
    uint64_t (*cmo_drain)(void *ctx, uint64_t t_ps);

    /* Exclusive monitor: watch the line of pa for writes by any other observer; clear stops watching. */
    void (*monitor_arm)(void *ctx, uint64_t pa);
    void (*monitor_clear)(void *ctx);

    /* Reaches all other cores (core_remote_tlbi(), core_send_event()). Returns when the effect is complete everywhere.
     */
    uint64_t (*broadcast)(void *ctx, enum broadcast_kind kind, const struct tlbi_request *tlbi, uint64_t t_ps);

    /* WFE/WFI: blocks until core_wake() or until_ps; returns the time at which the core goes on. */
    uint64_t (*sleep)(void *ctx, uint64_t t_ps, uint64_t until_ps);

    /* GICv3 CPU interface system registers (ICC_*_EL1); encoding = op0 << 14 | op1 << 11 | CRn << 7 | CRm << 3 | op2.
     * False: no such register. */
    bool (*gic_read)(void *ctx, uint16_t encoding, uint64_t *value, uint64_t t_ps);
    bool (*gic_write)(void *ctx, uint16_t encoding, uint64_t value, uint64_t t_ps);

    /* cpu_send_event() reached a core that sleeps: end its sleep at at_ps. */
    void (*wake)(void *ctx, uint64_t at_ps);

    /* Functional access to memory by physical address, without time. False: no memory there. */
    bool (*debug)(void *ctx, uint64_t pa, void *data, uint64_t bytes, bool write);

    /* The generic timer's PPI lines. */
    void (*set_ppi)(void *ctx, unsigned intid, bool level, uint64_t at_ps);

    /* For whom judges the accesses (hazard/); NULL: nobody. An access whose grant was observed; a DMB or DSB. */
    void (*observe)(void *ctx, uint64_t pa, unsigned bytes, enum line_want want);
    void (*barrier)(void *ctx, enum barrier_reach reach);
};

/* Calls back into the core. */
struct core_bus_client {
    void *ctx;
    /* The line in this L1D way has left it or lost its rights: forget every pointer to it. */
    void (*line_lost)(void *ctx, uint32_t way);
    /* Another observer wrote the watched line at at_ps: the exclusive monitor opens and the event register is set. */
    void (*monitor_cleared)(void *ctx, uint64_t at_ps);
    /* An IC operation took effect for this line (all: every line). */
    void (*icache_invalidate)(void *ctx, uint64_t pa, bool all);
};

#endif
