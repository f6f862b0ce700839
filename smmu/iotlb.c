#include "smmu/iotlb.h"

#include <stdlib.h>

bool iotlb_create(struct iotlb *tlb, uint32_t entries, uint32_t ways)
{
    *tlb = (struct iotlb){.sets = entries / ways, .ways = ways};
    tlb->entries = calloc(entries, sizeof(*tlb->entries));
    return tlb->entries;
}

void iotlb_destroy(struct iotlb *tlb)
{
    free(tlb->entries);
    tlb->entries = NULL;
}

static struct iotlb_entry *set_of(const struct iotlb *tlb, uint64_t va, unsigned size_bits)
{
    uint64_t number = size_bits < 64 ? va >> size_bits : 0;

    return tlb->entries + ((number ^ number >> 12) & (tlb->sets - 1)) * tlb->ways;
}

static bool tags_match(const struct iotlb_entry *entry, enum iotlb_kind kind, const struct translation_context *context)
{
    if (!entry->valid || entry->kind != kind || entry->world != context->world || entry->vmid != context->vmid)
        return false;
    return kind == IOTLB_STAGE2 || entry->global || entry->asid == context->asid;
}

static struct iotlb_entry *find(struct iotlb *tlb, enum iotlb_kind kind, const struct translation_context *context,
                                uint64_t va, unsigned size_bits)
{
    struct iotlb_entry *set = set_of(tlb, va, size_bits);

    for (uint32_t way = 0; way < tlb->ways; way++) {
        struct iotlb_entry *entry = &set[way];
        if (entry->size_bits == size_bits && tags_match(entry, kind, context) && (va ^ entry->va) >> size_bits == 0) {
            entry->used = ++tlb->clock;
            return entry;
        }
    }
    return NULL;
}

/* Sizes from small to large: the first hit is the one nearest to the leaf. */
struct iotlb_entry *iotlb_find(struct iotlb *tlb, enum iotlb_kind kind, const struct translation_context *context,
                               uint64_t va)
{
    for (unsigned bits = 12; tlb->valid && bits < 64; bits++) {
        struct iotlb_entry *entry = tlb->of_size[bits] ? find(tlb, kind, context, va, bits) : NULL;
        if (entry) {
            tlb->hits++;
            return entry;
        }
    }
    tlb->misses++;
    return NULL;
}

struct iotlb_entry *iotlb_find_table(struct iotlb *tlb, const struct translation_context *context, uint64_t va)
{
    return iotlb_find(tlb, IOTLB_TABLE, context, va);
}

static void drop(struct iotlb *tlb, struct iotlb_entry *entry)
{
    entry->valid = false;
    tlb->valid--;
    tlb->of_size[entry->size_bits]--;
}

/* The place of the same translation, else a free one, else the least recently used. */
static struct iotlb_entry *place_for(struct iotlb *tlb, const struct iotlb_entry *entry)
{
    struct iotlb_entry *set = set_of(tlb, entry->va, entry->size_bits), *place = NULL;

    for (uint32_t way = 0; way < tlb->ways; way++) {
        struct iotlb_entry *old = &set[way];
        if (old->valid && old->kind == entry->kind && old->va == entry->va && old->size_bits == entry->size_bits &&
            old->world == entry->world && old->vmid == entry->vmid &&
            (old->global == entry->global && old->asid == entry->asid))
            return old;
        if (!place || (place->valid && (!old->valid || old->used < place->used)))
            place = old;
    }
    return place;
}

void iotlb_insert(struct iotlb *tlb, const struct iotlb_entry *entry)
{
    struct iotlb_entry *place = place_for(tlb, entry);

    if (place->valid)
        drop(tlb, place);
    *place = *entry;
    place->valid = true;
    place->used = ++tlb->clock;
    tlb->valid++;
    tlb->of_size[entry->size_bits]++;
}

static bool match_address(const struct iotlb_match *match, const struct iotlb_entry *entry)
{
    uint64_t last = entry->va + (1ull << entry->size_bits) - 1;

    return !match->by_address || (entry->va <= match->end && last >= match->start);
}

static bool matches(const struct iotlb_match *match, const struct iotlb_entry *entry)
{
    if (!entry->valid || !(match->kinds & 1u << entry->kind))
        return false;
    if (!(match->worlds & 1u << entry->world))
        return false;
    if (match->by_vmid && entry->vmid != match->vmid)
        return false;
    if (match->keep_global && entry->global)
        return false;
    if (match->by_asid && !entry->global && entry->asid != match->asid)
        return false;
    return match_address(match, entry);
}

/* One small page lies in one set for each size: no need to look at all entries. */
static void invalidate_page(struct iotlb *tlb, const struct iotlb_match *match)
{
    for (unsigned bits = 12; bits < 64; bits++) {
        struct iotlb_entry *set = set_of(tlb, match->start, bits);
        for (uint32_t way = 0; tlb->of_size[bits] && way < tlb->ways; way++)
            if (set[way].size_bits == bits && matches(match, &set[way]))
                drop(tlb, &set[way]);
    }
}

void iotlb_invalidate(struct iotlb *tlb, const struct iotlb_match *match)
{
    if (tlb->valid == 0)
        return;
    if (match->by_address && match->start >> 12 == match->end >> 12) {
        invalidate_page(tlb, match);
        return;
    }
    for (uint32_t i = 0; i < tlb->sets * tlb->ways && tlb->valid; i++)
        if (matches(match, &tlb->entries[i]))
            drop(tlb, &tlb->entries[i]);
}
