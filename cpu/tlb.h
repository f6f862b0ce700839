/*
 * The TLB of a core: a direct-mapped first level that costs nothing, and a set-associative second level
 * (cpu.tlb_entries, 4 ways, round robin) that holds pages and blocks of any size.
 */
#ifndef DMASIM_CPU_TLB_H
#define DMASIM_CPU_TLB_H

#include "cpu/core_internal.h"

#define MICRO_ENTRIES 64u
#define TLB_WAYS      4u

struct micro_entry {
    uint64_t page; /* va >> 12, or UINT64_MAX */
    struct tlb_entry entry;
};

struct mmu {
    struct micro_entry micro[MICRO_ENTRIES];
    struct tlb_entry *entries; /* [sets * TLB_WAYS] */
    uint8_t *hand;             /* per set */
    uint32_t sets;
    uint64_t sizes; /* bit n: an entry of 1 << n bytes may be present */
};

/* A match for va in regime with asid, or NULL; fills the first level. */
const struct tlb_entry *tlb_find(struct mmu *mmu, uint64_t va, unsigned regime, uint16_t asid);
/* Adds an entry; returns where it now is. */
const struct tlb_entry *tlb_add(struct mmu *mmu, uint64_t va, const struct tlb_entry *entry);

/* Drops what matches. va_valid: entries that cover va; asid_valid: non-global ones of asid (global ones too when
 * va_valid). */
struct tlb_filter {
    unsigned regime;
    bool va_valid, asid_valid;
    uint64_t va;
    uint16_t asid;
};
void tlb_invalidate(struct mmu *mmu, const struct tlb_filter *filter);

#endif
