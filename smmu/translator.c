/* The lookups: micro-TLB, main TLB, walk, and what they cost. */
#include "smmu/translator.h"

#include "smmu/walker.h"

bool translator_create(struct translator *translator, const struct translator_config *config,
                       const struct smmu_memory *memory)
{
    *translator = (struct translator){.config = *config, .memory = *memory};
    return tlb_create(&translator->micro, config->micro_entries, config->micro_entries) &&
           tlb_create(&translator->main, config->tlb_entries, config->tlb_ways) &&
           tlb_create(&translator->walk_cache, config->walk_cache_entries, config->walk_cache_entries);
}

void translator_destroy(struct translator *translator)
{
    tlb_destroy(&translator->micro);
    tlb_destroy(&translator->main);
    tlb_destroy(&translator->walk_cache);
}

void translator_invalidate(struct translator *translator, const struct tlb_match *match)
{
    tlb_invalidate(&translator->micro, match);
    tlb_invalidate(&translator->main, match);
    tlb_invalidate(&translator->walk_cache, match);
}

/* From an entry to the answer, permissions of stage 1 before those of stage 2. */
static struct translation answer(const struct tlb_entry *entry, const struct translation_request *request)
{
    uint64_t offset = request->va - entry->va;
    struct translation result = {.pa = entry->pa + offset,
                                 .type = (enum mem_type)entry->type,
                                 .sh = (enum shareability)entry->sh,
                                 .class = CLASS_IN};
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

static void wait_for_entry(const struct tlb_entry *entry, uint64_t *t_ps)
{
    if (entry->ready_ps > *t_ps)
        *t_ps = entry->ready_ps; /* its walk is still under way: merge with it */
}

struct translation translate(struct translator *translator, const struct translation_context *context,
                             const struct translation_request *request, uint64_t *t_ps)
{
    enum tlb_kind kind = !context->stage1.enabled ? TLB_STAGE2 : context->stage2.enabled ? TLB_COMBINED : TLB_STAGE1;
    struct translation_request canonical = *request;
    struct translation failed = {0};
    struct tlb_entry *entry, fresh;
    uint64_t *slot;

    translator->counters.translations++;
    if (context->stage1.enabled)
        canonical.va = walker_canonical(&context->stage1, request->va);
    *t_ps += translator->config.micro_ps;
    entry = tlb_find(&translator->micro, kind, context, canonical.va);
    if (entry) {
        translator->counters.micro_hits++;
        wait_for_entry(entry, t_ps);
        return answer(entry, &canonical);
    }
    *t_ps += translator->config.tlb_ps;
    entry = tlb_find(&translator->main, kind, context, canonical.va);
    if (entry) {
        translator->counters.tlb_hits++;
        wait_for_entry(entry, t_ps);
        tlb_insert(&translator->micro, entry);
        return answer(entry, &canonical);
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
    tlb_insert(&translator->main, &fresh);
    tlb_insert(&translator->micro, &fresh);
    return answer(&fresh, &canonical);
}

struct translation translate_ipa(struct translator *translator, const struct translation_context *context, uint64_t ipa,
                                 enum fault_class class, uint64_t *t_ps)
{
    struct translation result = {0};
    struct tlb_entry fresh, *entry = tlb_find(&translator->main, TLB_STAGE2, context, ipa);

    if (entry) {
        wait_for_entry(entry, t_ps);
    } else {
        walker_stage2(translator, context, ipa, class, &fresh, &result, t_ps);
        if (result.fault)
            return result;
        fresh.ready_ps = *t_ps;
        tlb_insert(&translator->main, &fresh);
        entry = &fresh;
    }
    result = (struct translation){.pa = entry->pa + (ipa - entry->va),
                                  .type = (enum mem_type)entry->type,
                                  .sh = (enum shareability)entry->sh,
                                  .class = class};
    if (!(entry->stage2_permissions & PRIV_READ) ||
        (class == CLASS_TT && context->stage2.protect_walk && result.type <= MEM_DEVICE_GRE)) {
        result.fault = FAULT_PERMISSION;
        result.stage2 = true;
        result.ipa = ipa;
    }
    return result;
}
