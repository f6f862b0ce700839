/*
 * L1I: a set-associative cache of decoded lines. What was decoded stays until it is evicted or an IC operation removes
 * it, so code that was changed without IC IVAU runs stale, as on silicon. A direct-mapped table leads from VA lines to
 * ways.
 */
#ifndef DMASIM_CPU_ICACHE_H
#define DMASIM_CPU_ICACHE_H

#include "cpu/core_internal.h"
#include "cpu/probe.h"

#define FETCH_ENTRIES 1024u

struct decoded_line {
    struct insn insn[INSNS_PER_LINE + 1]; /* the last one is NEXT_LINE */
    uint64_t pa;                          /* of the line; UINT64_MAX: empty */
    uint32_t fetch_slot;                  /* the table entry that leads here + 1; 0: none */
    uint8_t used;
};

struct fetch_entry {
    uint64_t tag; /* va >> 6, or UINT64_MAX */
    struct decoded_line *line;
};

struct icache {
    struct fetch_entry table[FETCH_ENTRIES];
    struct decoded_line *lines; /* [sets * ways] */
    uint8_t *hand;              /* per set */
    uint32_t sets, ways;
    uint32_t filled;
    struct decoded_line step_line; /* icache_step_line() */
};

bool icache_create(struct cpu *cpu, struct error_list *errors);
void icache_destroy(struct cpu *cpu);

/* The decoded line of va (translation and L1I miss included, charged to the scoreboard); NULL: an exception was taken.
 */
struct decoded_line *icache_line(struct cpu *cpu, uint64_t va);
/* The same with nothing but the instruction at va in it; the others are STEP_END. */
struct decoded_line *icache_step_line(struct cpu *cpu, uint64_t va);
/* The instruction at pa has a probe: mark it where it is decoded already. */
void icache_mark_probe(struct cpu *cpu, uint64_t pa);

#endif
