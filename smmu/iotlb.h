/*
 * TLBs and walk caches: entries with the tags that the invalidation commands match (IHI 0070 4.4). One structure serves
 * as micro-TLB (one set), main TLB and walk cache.
 */
#ifndef DMASIM_SMMU_IOTLB_H
#define DMASIM_SMMU_IOTLB_H

#include <stdbool.h>
#include <stdint.h>

#include "common/txn.h"
#include "smmu/context.h"

enum iotlb_kind {
    IOTLB_STAGE1,   /* VA to PA, stage 1 only */
    IOTLB_STAGE2,   /* IPA to PA */
    IOTLB_COMBINED, /* VA to PA through both stages */
    IOTLB_TABLE,    /* VA prefix to the next-level table of stage 1 (its PA): a walk cache entry */
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

struct iotlb_entry {
    bool valid, global;
    uint8_t kind;  /* enum iotlb_kind */
    uint8_t world; /* enum stream_world */
    uint8_t size_bits;
    uint8_t level; /* of the leaf; of the next table for IOTLB_TABLE */
    uint8_t permissions, stage2_permissions;
    uint8_t type, sh;    /* enum mem_type, enum shareability */
    uint8_t table_flags; /* IOTLB_TABLE: what the upper tables forbid (walker.c) */
    uint16_t vmid, asid;
    uint64_t va, pa;   /* first address of the region and where it goes */
    uint64_t ipa;      /* IOTLB_COMBINED: stage 1's output */
    uint64_t ready_ps; /* when the walk that brought it has ended */
    uint64_t used;     /* replacement: least recently used */
};

struct iotlb {
    struct iotlb_entry *entries;
    uint32_t sets, ways;
    uint32_t valid;       /* entries in use */
    uint32_t of_size[65]; /* entries in use by size_bits: a lookup probes only sizes that exist */
    uint64_t clock;       /* of the replacement */
    uint64_t hits, misses;
};

/* entries >= 1; ways that divide entries, entries / ways a power of two. False: out of memory. */
bool iotlb_create(struct iotlb *tlb, uint32_t entries, uint32_t ways);
void iotlb_destroy(struct iotlb *tlb);

/* The entry of this kind for va under the context's tags, or NULL. */
struct iotlb_entry *iotlb_find(struct iotlb *tlb, enum iotlb_kind kind, const struct translation_context *context,
                               uint64_t va);
/* The walk cache entry nearest to the leaf. */
struct iotlb_entry *iotlb_find_table(struct iotlb *tlb, const struct translation_context *context, uint64_t va);
void iotlb_insert(struct iotlb *tlb, const struct iotlb_entry *entry);

/* What an invalidation drops: the given kinds and worlds, narrowed by the by_... fields. */
struct iotlb_match {
    unsigned worlds; /* bits 1 << enum stream_world */
    bool by_vmid, by_asid;
    uint16_t vmid, asid;
    bool keep_global;    /* TLBI_NH_ASID: entries without nG stay */
    unsigned kinds;      /* bits 1 << enum iotlb_kind */
    bool by_address;     /* only entries that touch [start, end] */
    uint64_t start, end; /* inclusive; IPA for IOTLB_STAGE2 */
};
void iotlb_invalidate(struct iotlb *tlb, const struct iotlb_match *match);

#endif
