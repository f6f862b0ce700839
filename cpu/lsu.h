/*
 * The data side. L0 is a direct-mapped table from a line of VAs to host memory, for lines that L1D holds with the
 * rights noted and that the current translation regime may access: the interpreter's fast path. Everything else comes
 * here.
 */
#ifndef DMASIM_CPU_LSU_H
#define DMASIM_CPU_LSU_H

#include "cpu/core_internal.h"

#define L0_ENTRIES 1024u
#define L0_NONE    UINT64_MAX

struct l0_entry {
    uint64_t read_tag;  /* va >> 6, or L0_NONE */
    uint64_t write_tag; /* the same when stores are allowed too */
    uint8_t *delta;     /* host address = delta + va */
    uint8_t *used;      /* L1D's reference byte */
    uint32_t way;       /* of L1D */
};

struct lsu {
    struct l0_entry l0[L0_ENTRIES];
    uint32_t *slot_of_way; /* L1D way -> L0 slot + 1; 0: none */
    uint32_t ways;
    uint64_t cmo_page, cmo_pa; /* last page of a CMO: va >> 12 << 1 | needs write permission; its physical page */
    uint32_t filled;           /* entries that are not empty, so that an empty flush costs nothing */
};

/* The slot of an address: upper bits are mixed in, so that two buffers a power of two apart do not meet. */
static inline uint32_t l0_slot(uint64_t va)
{
    return (uint32_t)((va >> LINE_SHIFT) ^ (va >> 16)) & (L0_ENTRIES - 1);
}

bool lsu_create(struct cpu *cpu);
void lsu_destroy(struct cpu *cpu);

/* How an access is made. */
enum lsu_flags {
    LSU_UNPRIVILEGED = 1, /* LDTR, STTR */
    LSU_ALIGNED = 2,      /* must be naturally aligned (exclusives, acquire, release, atomics) */
};

/*
 * Memory accesses of 1 to 16 bytes (a pair counts as one of twice the size for exclusives, and for stores in one line).
 * start is in ticks; *done is when a load's value is there. False: an exception was taken, cpu->pc is its vector. pc is
 * that of the instruction.
 */
bool lsu_load(struct cpu *cpu, uint64_t pc, uint64_t va, unsigned bytes, unsigned flags, uint64_t start, void *data,
              uint64_t *done);
bool lsu_store(struct cpu *cpu, uint64_t pc, uint64_t va, unsigned bytes, unsigned flags, uint64_t start,
               const void *data);

/* Whether an access of any alignment at va is one of Normal Write-Back memory, and SCTLR.A is off. */
bool lsu_unaligned_allowed(struct cpu *cpu, uint64_t va, bool write, uint64_t start);

/* Two registers of bytes each. */
bool lsu_store_pair(struct cpu *cpu, uint64_t pc, uint64_t va, unsigned bytes, uint64_t start, const void *data);

/* Exclusives. status: 0 stored, 1 failed. */
bool lsu_load_exclusive(struct cpu *cpu, uint64_t pc, uint64_t va, unsigned bytes, uint64_t start, void *data,
                        uint64_t *done);
bool lsu_store_exclusive(struct cpu *cpu, uint64_t pc, uint64_t va, unsigned bytes, uint64_t start, const void *data,
                         uint32_t *status, uint64_t *done);

/* Bytes of memory for one read-modify-write: *place is valid until the next call. NULL after an exception. */
uint8_t *lsu_atomic(struct cpu *cpu, uint64_t pc, uint64_t va, unsigned bytes, uint64_t start, uint64_t *done);

/* DC and IC operations by VA or set/way, and DC ZVA. encoding as in core_bus.gic_read. False: exception. */
bool lsu_cache_op(struct cpu *cpu, uint64_t pc, uint16_t encoding, uint64_t xt, uint64_t start);

void lsu_line_lost(struct cpu *cpu, uint32_t way);

#endif
