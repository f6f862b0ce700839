/*
 * TLBs and walk caches: entries with the tags that the invalidation commands match (IHI 0070 4.4). One structure serves
 * as micro-TLB (one set), main TLB and walk cache.
 */
#ifndef DMASIM_SMMU_TLB_H
#define DMASIM_SMMU_TLB_H

#include <stdbool.h>
#include <stdint.h>

#include "common/txn.h"
#include "smmu/context.h"

enum tlb_kind {
    TLB_STAGE1,   /* VA to PA, stage 1 only */
    TLB_STAGE2,   /* IPA to PA */
    TLB_COMBINED, /* VA to PA through both stages */
    TLB_TABLE,    /* VA prefix to the next-level table of stage 1 (its PA): a walk cache entry */
};

/* What a translation permits. */
enum permission {
    PRIV_READ = 1,
    PRIV_WRITE = 2,
    PRIV_EXECUTE = 4,
    USER_READ = 8,
    USER_WRITE = 16,
    USER_EXECUTE = 32,
    PERMISSION_ALL = 63
};

struct tlb_entry {
    bool valid, global;
    uint8_t kind;  /* enum tlb_kind */
    uint8_t world; /* enum stream_world */
    uint8_t size_bits;
    uint8_t level; /* of the leaf; of the next table for TLB_TABLE */
    uint8_t permissions, stage2_permissions;
    uint8_t type, sh;    /* enum mem_type, enum shareability */
    uint8_t table_flags; /* TLB_TABLE: what the upper tables forbid (walker.c) */
    uint16_t vmid, asid;
    uint64_t va, pa;   /* first address of the region and where it goes */
    uint64_t ipa;      /* TLB_COMBINED: stage 1's output */
    uint64_t ready_ps; /* when the walk that brought it has ended */
    uint64_t used;     /* replacement: least recently used */
};

struct tlb {
    struct tlb_entry *entries;
    uint32_t sets, ways;
    uint32_t valid;       /* entries in use */
    uint32_t of_size[65]; /* entries in use by size_bits: a lookup probes only sizes that exist */
    uint64_t clock;       /* of the replacement */
    uint64_t hits, misses;
};

/* entries >= 1; ways that divide entries, entries / ways a power of two. False: out of memory. */
bool tlb_create(struct tlb *tlb, uint32_t entries, uint32_t ways);
void tlb_destroy(struct tlb *tlb);

/* The entry of this kind for va under the context's tags, or NULL. */
struct tlb_entry *tlb_find(struct tlb *tlb, enum tlb_kind kind, const struct translation_context *context, uint64_t va);
/* The walk cache entry nearest to the leaf. */
struct tlb_entry *tlb_find_table(struct tlb *tlb, const struct translation_context *context, uint64_t va);
void tlb_insert(struct tlb *tlb, const struct tlb_entry *entry);

/* What an invalidation drops; a field that is not given matches everything. */
struct tlb_match {
    bool all_worlds;
    enum stream_world world;
    bool by_vmid, by_asid;
    uint16_t vmid, asid;
    bool keep_global;    /* TLBI_NH_ASID: entries without nG stay */
    unsigned kinds;      /* bits 1 << enum tlb_kind */
    bool by_address;     /* only entries that touch [start, end] */
    uint64_t start, end; /* inclusive; IPA for TLB_STAGE2 */
};
void tlb_invalidate(struct tlb *tlb, const struct tlb_match *match);

#endif
