#include "cpu/tlb.h"

#include <string.h>

static bool covers(const struct tlb_entry *entry, uint64_t va)
{
    return entry->shift && entry->va_tag == va >> entry->shift;
}

static bool matches(const struct tlb_entry *entry, uint64_t va, unsigned regime, uint16_t asid)
{
    return covers(entry, va) && entry->regime == regime && (entry->global || entry->asid == asid);
}

static uint32_t set_of(const struct mmu *mmu, uint64_t va, unsigned shift)
{
    return (uint32_t)((va >> shift) ^ (va >> (shift + 9))) & (mmu->sets - 1);
}

const struct tlb_entry *tlb_find(struct mmu *mmu, uint64_t va, unsigned regime, uint16_t asid)
{
    struct micro_entry *micro = &mmu->micro[(va >> 12) & (MICRO_ENTRIES - 1)];

    if (micro->page == va >> 12 && micro->entry.regime == regime && (micro->entry.global || micro->entry.asid == asid))
        return &micro->entry;
    for (uint64_t sizes = mmu->sizes; sizes; sizes &= sizes - 1) {
        unsigned shift = (unsigned)__builtin_ctzll(sizes);
        struct tlb_entry *set = &mmu->entries[set_of(mmu, va, shift) * TLB_WAYS];
        for (unsigned way = 0; way < TLB_WAYS; way++)
            if (set[way].shift == shift && matches(&set[way], va, regime, asid)) {
                micro->page = va >> 12;
                micro->entry = set[way];
                return &micro->entry;
            }
    }
    return NULL;
}

const struct tlb_entry *tlb_add(struct mmu *mmu, uint64_t va, const struct tlb_entry *entry)
{
    uint32_t set = set_of(mmu, va, entry->shift);
    struct tlb_entry *place = &mmu->entries[set * TLB_WAYS + mmu->hand[set]];

    for (unsigned way = 0; way < TLB_WAYS; way++)
        if (mmu->entries[set * TLB_WAYS + way].shift == 0)
            place = &mmu->entries[set * TLB_WAYS + way];
    mmu->hand[set] = (mmu->hand[set] + 1) % TLB_WAYS;
    *place = *entry;
    mmu->sizes |= 1ull << entry->shift;
    mmu->micro[(va >> 12) & (MICRO_ENTRIES - 1)] = (struct micro_entry){va >> 12, *entry};
    return &mmu->micro[(va >> 12) & (MICRO_ENTRIES - 1)].entry;
}

static bool selected(const struct tlb_entry *entry, const struct tlb_filter *filter)
{
    if (entry->shift == 0 || entry->regime != filter->regime)
        return false;
    if (filter->va_valid && !covers(entry, filter->va))
        return false;
    if (!filter->asid_valid)
        return true;
    return entry->global ? filter->va_valid : entry->asid == filter->asid;
}

void tlb_invalidate(struct mmu *mmu, const struct tlb_filter *filter)
{
    for (uint32_t i = 0; i < mmu->sets * TLB_WAYS; i++)
        if (selected(&mmu->entries[i], filter))
            mmu->entries[i].shift = 0;
    for (uint32_t i = 0; i < MICRO_ENTRIES; i++)
        if (mmu->micro[i].page != UINT64_MAX && selected(&mmu->micro[i].entry, filter))
            mmu->micro[i].page = UINT64_MAX;
}
