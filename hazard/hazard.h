/*
 * The hazard detector: judges the accesses of cores and devices to memory that hardware does not keep coherent, and the
 * use of the DMA API. It changes neither time nor data.
 *
 * It does not wait for wrong bytes: a missing clean is reported also when the line happened to be evicted, a missing
 * barrier also when the clean happened to be complete.
 */
#ifndef DMASIM_HAZARD_HAZARD_H
#define DMASIM_HAZARD_HAZARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/memory_observer.h"
#include "hazard/kinds.h"

struct hazard_config {
    unsigned cores;
    uint64_t ram_base, ram_bytes;
    uint32_t smmu_requester;    /* txn.requester of an SMMU's own accesses; that, or a higher one */
    bool early_acknowledgement; /* the interconnect acknowledges the clean of a dirty line early (erratum 4311569): only
                                   a second one is waited for by a DSB */
};

/* What the detector asks of the platform. */
struct hazard_host {
    void *ctx;
    /* Of a core, at the instruction that it executes: X0 to X30, 31: SP; 32: PC. */
    uint64_t (*reg)(void *ctx, unsigned core, unsigned number);
    uint64_t (*now_ps)(void *ctx, unsigned core);
    /* Guest memory at a virtual address of the core, without time. */
    bool (*read)(void *ctx, unsigned core, uint64_t va, void *data, uint64_t bytes);
    void (*mark)(void *ctx, uint32_t line, unsigned marks); /* cache_mark() */
    /* A number for what core is at work on, kept with the first occurrence of a report; NULL: nothing is kept. */
    uint64_t (*context)(void *ctx, unsigned core);
    /* The detector wants hazard_probe_hit() at this address. */
    void (*probe)(void *ctx, uint64_t pc);
};
#define HAZARD_REG_LINK 30
#define HAZARD_REG_SP   31
#define HAZARD_REG_PC   32

struct hazards;

/* NULL: the host is out of address space. */
struct hazards *hazard_create(const struct hazard_config *config, const struct hazard_host *host);
void hazard_destroy(struct hazards *hazards);

/* To hand to the memory system (cache_attach_observer()). */
struct memory_observer hazard_memory_observer(struct hazards *hazards);
/* core_bus.observe and core_bus.barrier of a core. */
void hazard_core_access(struct hazards *hazards, unsigned core, uint64_t pa, unsigned bytes, enum line_want want);
void hazard_barrier(struct hazards *hazards, unsigned core, enum barrier_reach reach);
/* core writes a register of the DMA master or SMMU whose accesses carry this requester. */
void hazard_doorbell(struct hazards *hazards, unsigned core, uint32_t requester, uint64_t t_ps);
/* An SMMU has translated a device's access; from_tlb: without a walk. */
void hazard_translated(struct hazards *hazards, uint32_t requester, uint64_t iova, uint32_t bytes, bool from_tlb,
                       uint64_t t_ps);

/* The guest has a function of this name there; names that mean nothing to the detector are ignored. */
void hazard_function(struct hazards *hazards, const char *name, uint64_t address, uint64_t bytes);
/* A core is about to execute the instruction at a probe. */
void hazard_probe_hit(struct hazards *hazards, unsigned core, uint64_t pc);
/* The guest has ended by itself: what is still mapped has leaked. */
void hazard_end(struct hazards *hazards);

/* A place in the guest's code. link is X30 there, which names the caller of a leaf function. pc 0: unknown. */
struct hazard_place {
    uint64_t pc, link;
};

/* All hazards of one kind, place and cause. */
struct hazard_report {
    enum hazard_kind kind;
    uint64_t count, first_ps;
    unsigned core;
    uint64_t address;          /* the first one: physical; an I/O address for what the DMA API and an SMMU say */
    struct hazard_place where; /* a core's instruction; for what a device does the doorbell that made it */
    struct hazard_place cause; /* the earlier action */
    const char *cause_what;    /* its noun: "store", "clean", "map", ...; NULL: no earlier action is known */
    const char *missing;
    uint64_t context;   /* of the host */
    uint64_t window_ps; /* device-access-after-unmap: the longest time from the unmap to the access */
};

/* In order of the first occurrence. */
const struct hazard_report *hazard_reports(const struct hazards *hazards, size_t *count);

#endif
