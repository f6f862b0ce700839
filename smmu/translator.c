/* The lookups: micro-TLB, main TLB, walk, and what they cost. */
#include "smmu/translator.h"

#include "smmu/walker.h"

bool translator_create(struct translator *translator, const struct translator_config *config,
                       const struct smmu_memory *memory)
{
    *translator = (struct translator){.config = *config, .memory = *memory};
    return iotlb_create(&translator->micro, config->micro_entries, config->micro_entries) &&
           iotlb_create(&translator->main, config->tlb_entries, config->tlb_ways) &&
           iotlb_create(&translator->walk_cache, config->walk_cache_entries, config->walk_cache_entries);
}

void translator_destroy(struct translator *translator)
{
    iotlb_destroy(&translator->micro);
    iotlb_destroy(&translator->main);
    iotlb_destroy(&translator->walk_cache);
}

void translator_invalidate(struct translator *translator, const struct iotlb_match *match)
{
    iotlb_invalidate(&translator->micro, match);
    iotlb_invalidate(&translator->main, match);
    iotlb_invalidate(&translator->walk_cache, match);
}

/* From an entry to the answer, permissions of stage 1 before those of stage 2. */
static struct translation answer(const struct iotlb_entry *entry, const struct translation_request *request,
                                 bool from_tlb)
{
    uint64_t offset = request->va - entry->va;
    struct translation result = {.pa = entry->pa + offset,
                                 .type = (enum mem_type)entry->type,
                                 .sh = (enum shareability)entry->sh,
                                 .from_tlb = from_tlb,
                                 .what = CLASS_IN};
    unsigned need = permission_needed(request);

    if (!(entry->permissions & need)) {
        result.fault = FAULT_PERMISSION;
    } else if (!(entry->stage2_permissions & need)) {
        result.fault = FAULT_PERMISSION;
        result.stage2 = true;
        result.ipa = entry->ipa + offset;
    }
    return result;
}

void translator_tell(const struct translator *translator, const struct txn *txn, const struct translation *result,
                     uint64_t t_ps)
{
    if (translator->observer.translated)
        translator->observer.translated(translator->observer.ctx, txn, result->from_tlb, t_ps);
}

/* The slot that is free first; the walk begins when it is. */
static uint64_t *take_slot(struct translator *translator, uint64_t *t_ps)
{
    uint64_t *slot = translator->slot_free_ps;

    for (uint32_t i = 1; i < translator->config.walk_slots; i++)
        if (translator->slot_free_ps[i] < *slot)
            slot = &translator->slot_free_ps[i];
    if (*slot > *t_ps)
        *t_ps = *slot;
    return slot;
}

static void wait_for_entry(const struct iotlb_entry *entry, uint64_t *t_ps)
{
    if (entry->ready_ps > *t_ps)
        *t_ps = entry->ready_ps; /* its walk is still under way: merge with it */
}

struct translation translate(struct translator *translator, const struct translation_context *context,
                             const struct translation_request *request, uint64_t *t_ps)
{
    enum iotlb_kind kind = !context->stage1.enabled  ? IOTLB_STAGE2
                           : context->stage2.enabled ? IOTLB_COMBINED
                                                     : IOTLB_STAGE1;
    struct translation_request canonical = *request;
    struct translation failed = {0};
    struct iotlb_entry *entry, fresh;
    uint64_t *slot;

    translator->counters.translations++;
    if (context->stage1.enabled)
        canonical.va = walker_canonical(&context->stage1, request->va);
    *t_ps += translator->config.micro_ps;
    entry = iotlb_find(&translator->micro, kind, context, canonical.va);
    if (entry) {
        translator->counters.micro_hits++;
        wait_for_entry(entry, t_ps);
        return answer(entry, &canonical, true);
    }
    *t_ps += translator->config.tlb_ps;
    entry = iotlb_find(&translator->main, kind, context, canonical.va);
    if (entry) {
        translator->counters.tlb_hits++;
        wait_for_entry(entry, t_ps);
        iotlb_insert(&translator->micro, entry);
        return answer(entry, &canonical, true);
    }
    slot = take_slot(translator, t_ps);
    translator->counters.walks++;
    if (context->stage1.enabled)
        walker_stage1(translator, context, &canonical, &fresh, &failed, t_ps);
    else
        walker_stage2(translator, context, canonical.va, CLASS_IN, &fresh, &failed, t_ps);
    *slot = *t_ps;
    if (failed.fault) {
        translator->counters.faults++;
        return failed;
    }
    fresh.ready_ps = *t_ps;
    iotlb_insert(&translator->main, &fresh);
    iotlb_insert(&translator->micro, &fresh);
    return answer(&fresh, &canonical, false);
}

struct translation translate_ipa(struct translator *translator, const struct translation_context *context, uint64_t ipa,
                                 enum fault_class what, uint64_t *t_ps)
{
    struct translation result = {0};
    struct iotlb_entry fresh, *entry = iotlb_find(&translator->main, IOTLB_STAGE2, context, ipa);

    if (entry) {
        wait_for_entry(entry, t_ps);
    } else {
        walker_stage2(translator, context, ipa, what, &fresh, &result, t_ps);
        if (result.fault)
            return result;
        fresh.ready_ps = *t_ps;
        iotlb_insert(&translator->main, &fresh);
        entry = &fresh;
    }
    result = (struct translation){.pa = entry->pa + (ipa - entry->va),
                                  .type = (enum mem_type)entry->type,
                                  .sh = (enum shareability)entry->sh,
                                  .what = what};
    if (!(entry->stage2_permissions & PRIV_READ) || (context->stage2.protect_walk && result.type <= MEM_DEVICE_GRE)) {
        result.fault = FAULT_PERMISSION;
        result.stage2 = true;
        result.ipa = ipa;
    }
    return result;
}

enum mem_type type_of_memattr(unsigned memattr)
{
    unsigned outer = memattr >> 2 & 3, inner = memattr & 3;

    if (outer == 0)
        return (enum mem_type)(MEM_DEVICE_nGnRnE + inner);
    if (inner == 0)
        return MEM_DEVICE_nGnRnE;
    return outer == 1 || inner == 1 ? MEM_NORMAL_NC : outer == 3 && inner == 3 ? MEM_NORMAL_WB : MEM_NORMAL_WT;
}

void combine_attributes(enum mem_type *type, enum shareability *sh, enum mem_type type2, enum shareability sh2)
{
    if (type2 < *type)
        *type = type2;
    if (sh2 == SH_OUTER || *sh == SH_NON)
        *sh = sh2;
    if (*type <= MEM_NORMAL_NC)
        *sh = SH_OUTER;
}

struct access_attributes access_through_stage2(struct access_attributes how, const struct translation *stage2)
{
    enum mem_type type = MEM_NORMAL_WB;
    enum shareability sh = how.sh == 1 ? SH_NON : (enum shareability)how.sh;

    combine_attributes(&type, &sh, stage2->type, stage2->sh);
    how.sh = (uint8_t)sh;
    if (type <= MEM_NORMAL_NC)
        how.inner = how.outer = 0;
    return how;
}

#define PAGE_BYTES 4096u

void for_each_page(struct txn *txn, void (*translate_page)(void *ctx, struct txn *piece), void *ctx)
{
    uint64_t done_ps = txn->start_ps;

    txn->status = TXN_OK;
    for (uint32_t sent = 0; sent < txn->size && txn->status == TXN_OK;) {
        struct txn piece = *txn;
        uint32_t left = txn->size - sent, room;
        piece.addr += sent;
        piece.data += sent;
        room = PAGE_BYTES - (uint32_t)(piece.addr & (PAGE_BYTES - 1));
        piece.size = left < room ? left : room;
        sent += piece.size;
        translate_page(ctx, &piece);
        txn->status = piece.status;
        if (piece.done_ps > done_ps)
            done_ps = piece.done_ps;
    }
    txn->done_ps = done_ps;
}
