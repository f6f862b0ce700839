/*
 * The translator: TLBs, walk cache and walker slots of one SMMU, and the VMSAv8-64 walk itself, stage 1, stage 2 and
 * nested (Arm DDI 0487 D8, IHI 0070 3.4, 7.3). The front ends (smmu.c, mmu500.c) give it contexts and record its
 * faults.
 */
#ifndef DMASIM_SMMU_TRANSLATOR_H
#define DMASIM_SMMU_TRANSLATOR_H

#include "smmu/context.h"
#include "smmu/iotlb.h"
#include "smmu/memory.h"

struct translator_config {
    unsigned output_bits; /* OAS: 32, 36, 40, 42, 44, 48 */
    uint32_t micro_entries;
    uint32_t tlb_entries, tlb_ways;
    uint32_t walk_cache_entries;
    uint32_t walk_slots;   /* walks at the same time, 1..64 */
    uint64_t micro_ps;     /* micro-TLB lookup */
    uint64_t tlb_ps;       /* main TLB lookup */
    uint64_t walk_step_ps; /* added to each memory read of a walk */
};

#define WALK_SLOTS_MOST 64u

struct translator_counters {
    uint64_t translations, micro_hits, tlb_hits, walks, walk_reads, faults;
};

/* Who is told of every access that was translated, before it goes on; translated NULL: nobody. */
struct translation_observer {
    void *ctx;
    /* txn->addr is still the I/O address. from_tlb: no walk was needed. */
    void (*translated)(void *ctx, const struct txn *txn, bool from_tlb, uint64_t t_ps);
};

struct translator {
    struct translator_config config;
    struct translation_observer observer;
    struct smmu_memory memory;
    struct iotlb micro, main, walk_cache;
    uint64_t slot_free_ps[WALK_SLOTS_MOST];
    uint64_t in_flight_ps; /* when the last translated transaction so far will be complete */
    struct translator_counters counters;
};

/* Why a translation failed; the values are the SMMUv3 event numbers (IHI 0070 7.3). */
enum translation_fault {
    FAULT_NONE = 0,
    FAULT_WALK_EABT = 0x0B,
    FAULT_TRANSLATION = 0x10,
    FAULT_ADDR_SIZE = 0x11,
    FAULT_ACCESS = 0x12,
    FAULT_PERMISSION = 0x13,
};

/* What was being translated when stage 2 faulted, or what was fetched (CLASS). */
enum fault_class { CLASS_CD = 0, CLASS_TT = 1, CLASS_IN = 2 };

struct translation {
    enum translation_fault fault;
    bool stage2; /* the fault is stage 2's */
    enum fault_class what;
    uint64_t ipa;           /* valid when stage2 */
    uint64_t fetch_address; /* FAULT_WALK_EABT */
    bool from_tlb;          /* no walk was needed */
    uint64_t pa;
    enum mem_type type;
    enum shareability sh;
};

struct translation_request {
    uint64_t va;
    bool write, privileged, instruction;
};

/* The one right (enum permission) that a request needs. */
static inline unsigned permission_needed(const struct translation_request *request)
{
    unsigned right = request->instruction ? PRIV_EXECUTE : request->write ? PRIV_WRITE : PRIV_READ;

    return request->privileged ? right : right << 3;
}

/* False: out of memory. Entries and ways as in iotlb_create(). */
bool translator_create(struct translator *translator, const struct translator_config *config,
                       const struct smmu_memory *memory);
void translator_destroy(struct translator *translator);

/* One address of one transaction; *t_ps moves to the time at which the answer is known. */
struct translation translate(struct translator *translator, const struct translation_context *context,
                             const struct translation_request *request, uint64_t *t_ps);

/* Stage 2 alone, for the fetch of a context descriptor (CLASS_CD). */
struct translation translate_ipa(struct translator *translator, const struct translation_context *context, uint64_t ipa,
                                 enum fault_class what, uint64_t *t_ps);

/* Tell the observer of a translation that txn is about to use. */
void translator_tell(const struct translator *translator, const struct txn *txn, const struct translation *result,
                     uint64_t t_ps);
/* MemAttr of a stage 2 descriptor and of an STE; reserved ones are Device-nGnRnE (IHI 0070 5.2). */
enum mem_type type_of_memattr(unsigned memattr);
/* Two stages: the stronger memory type and the wider shareability win (DDI 0487 D8.6.6). */
void combine_attributes(enum mem_type *type, enum shareability *sh, enum mem_type type2, enum shareability sh2);
/* Attributes of an own access whose address went through stage 2. */
struct access_attributes access_through_stage2(struct access_attributes how, const struct translation *stage2);

/* In all TLBs and the walk cache. */
void translator_invalidate(struct translator *translator, const struct iotlb_match *match);

/* Hands a master's transaction to translate_page() in pieces that lie inside one 4 KB page; ends at the first that
 * fails. */
void for_each_page(struct txn *txn, void (*translate_page)(void *ctx, struct txn *piece), void *ctx);

/* Stage 1 start level for a region of 64 - tsz bits (DDI 0487 D8.2). */
unsigned stage1_start_level(unsigned tsz, unsigned granule_bits);

#endif
