#include "hazard/io_page.h"

#include <stdlib.h>

/* A range is kept as pages and, where it covers them whole, 2 MB blocks; bit 0 of a key tells them apart. */
enum { PAGE_SHIFT = 12, BLOCK_SHIFT = 21 };

static uint64_t page_key(uint64_t iova)
{
    return iova >> PAGE_SHIFT << 1;
}

static uint64_t block_key(uint64_t iova)
{
    return iova >> BLOCK_SHIFT << 1 | 1;
}

static struct io_page *place_of(const struct mappings *mappings, uint64_t key)
{
    uint32_t place = (uint32_t)(key * 0x9E3779B97F4A7C15ull >> 32) & (mappings->io_capacity - 1);

    while (mappings->io[place].mapping && mappings->io[place].key != key)
        place = (place + 1) & (mappings->io_capacity - 1);
    return &mappings->io[place];
}

static bool grow(struct mappings *mappings)
{
    struct mappings larger = {.io_capacity = mappings->io_capacity ? 2 * mappings->io_capacity : 1024};

    larger.io = calloc(larger.io_capacity, sizeof(*larger.io));
    if (!larger.io)
        return false;
    for (uint32_t i = 0; i < mappings->io_capacity; i++)
        if (mappings->io[i].mapping)
            *place_of(&larger, mappings->io[i].key) = mappings->io[i];
    free(mappings->io);
    mappings->io = larger.io;
    mappings->io_capacity = larger.io_capacity;
    return true;
}

static struct io_page *find(const struct mappings *mappings, uint64_t key)
{
    struct io_page *page = mappings->io_capacity ? place_of(mappings, key) : NULL;

    return page && page->mapping ? page : NULL;
}

static void change(struct mappings *mappings, uint64_t key, uint32_t mapping, bool map)
{
    struct io_page *page;

    if (2 * mappings->io_count >= mappings->io_capacity && !grow(mappings))
        return;
    page = place_of(mappings, key);
    if (!page->mapping) {
        mappings->io_count++;
        page->key = key;
    }
    page->mapping = mapping + 1;
    if (map)
        page->active++;
    else if (page->active)
        page->active--;
}

static void change_range(struct mappings *mappings, uint32_t mapping, const struct piece *range, bool map)
{
    uint64_t at = range->start >> PAGE_SHIFT << PAGE_SHIFT, end = range->start + range->bytes;

    while (at < end) {
        bool block = (at & ((1ull << BLOCK_SHIFT) - 1)) == 0 && end - at >= 1ull << BLOCK_SHIFT;
        change(mappings, block ? block_key(at) : page_key(at), mapping, map);
        at += 1ull << (block ? BLOCK_SHIFT : PAGE_SHIFT);
    }
}

static void change_all(struct mappings *mappings, const struct mapping *mapping, bool map)
{
    for (uint32_t i = 0; i < mapping->dma.count; i++)
        change_range(mappings, (uint32_t)(mapping - mappings->items), &mapping->dma.piece[i], map);
}

void io_pages_map(struct hazards *hazards, const struct mapping *mapping)
{
    change_all(&hazards->mappings, mapping, true);
}

void io_pages_unmap(struct hazards *hazards, const struct mapping *mapping)
{
    change_all(&hazards->mappings, mapping, false);
}

/* The page or block of the address that is mapped; else one that was; NULL: neither. */
static const struct io_page *page_of(const struct mappings *mappings, uint64_t iova)
{
    const struct io_page *page = find(mappings, page_key(iova)), *block = find(mappings, block_key(iova));

    if (page && block)
        return page->active ? page : block->active ? block : page;
    return page ? page : block;
}

struct mapping *io_page_mapping(struct hazards *hazards, uint64_t iova)
{
    const struct io_page *page = page_of(&hazards->mappings, iova);

    return page ? &hazards->mappings.items[page->mapping - 1] : NULL;
}

void hazard_translated(struct hazards *hazards, uint32_t requester, uint64_t iova, uint32_t bytes, bool from_tlb,
                       uint64_t t_ps)
{
    const struct io_page *page = page_of(&hazards->mappings, iova);
    const struct doorbell *doorbell;
    const struct mapping *mapping;

    if (!page || page->active)
        return;
    mapping = &hazards->mappings.items[page->mapping - 1];
    if (t_ps < mapping->unmapped_ps)
        return;
    doorbell = hazard_doorbell_of(hazards, requester);
    hazard_report_add(hazards, &(struct hazard_report){.kind = HAZARD_DEVICE_ACCESS_AFTER_UNMAP,
                                                       .core = doorbell->core,
                                                       .first_ps = t_ps,
                                                       .address = iova,
                                                       .where = doorbell->place,
                                                       .cause = mapping->unmapped_at,
                                                       .cause_what = "unmap",
                                                       .missing = from_tlb ? NULL : "removal of the table entry",
                                                       .window_ps = t_ps - mapping->unmapped_ps});
}
