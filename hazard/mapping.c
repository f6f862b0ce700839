/* The table of mappings: by key, by page of RAM, and by page of I/O addresses (io_page.c). */
#include "hazard/mapping.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "hazard/io_page.h"
#include "hazard/line.h"

#define BUCKETS    65536u
#define PAGE_BYTES 4096u

static uint32_t *reserve(uint64_t bytes)
{
    void *image = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return image == MAP_FAILED ? NULL : image;
}

bool mappings_create(struct mappings *mappings, uint64_t ram_bytes)
{
    mappings->pages_bytes = ram_bytes / PAGE_BYTES * sizeof(*mappings->pages);
    mappings->pages = reserve(mappings->pages_bytes);
    mappings->watched = reserve(mappings->pages_bytes);
    mappings->buckets = calloc(BUCKETS, sizeof(*mappings->buckets));
    return mappings->pages && mappings->watched && mappings->buckets;
}

void mappings_destroy(struct mappings *mappings)
{
    for (uint32_t i = 0; i < mappings->count; i++) {
        free(mappings->items[i].buffer.piece);
        free(mappings->items[i].dma.piece);
    }
    if (mappings->pages)
        munmap(mappings->pages, mappings->pages_bytes);
    if (mappings->watched)
        munmap(mappings->watched, mappings->pages_bytes);
    free(mappings->items);
    free(mappings->buckets);
    free(mappings->uses);
    free(mappings->io);
}

static uint32_t *bucket_of(struct mappings *mappings, uint64_t dev, uint64_t key)
{
    uint64_t hash = (dev ^ key) * 0x9E3779B97F4A7C15ull;

    return &mappings->buckets[hash >> 48];
}

static bool has_key(const struct mapping *mapping, uint64_t dev, uint64_t key, bool list)
{
    return mapping->dev == dev && mapping->key == key && mapping->list == list;
}

struct mapping *mapping_find(struct mappings *mappings, uint64_t dev, uint64_t key, bool list, uint64_t size,
                             uint32_t direction)
{
    struct mapping *active = NULL, *ended = NULL;

    for (uint32_t i = *bucket_of(mappings, dev, key); i; i = mappings->items[i - 1].next) {
        struct mapping *mapping = &mappings->items[i - 1];
        if (!has_key(mapping, dev, key, list))
            continue;
        if (!mapping->active)
            ended = mapping;
        else if (!active || (mapping->size == size && mapping->direction == direction))
            active = mapping;
    }
    return active ? active : ended;
}

static struct mapping *append(struct mappings *mappings)
{
    if (mappings->count == mappings->capacity) {
        uint32_t capacity = mappings->capacity ? 2 * mappings->capacity : 256;
        struct mapping *larger = realloc(mappings->items, capacity * sizeof(*larger));
        if (!larger)
            return NULL;
        mappings->items = larger;
        mappings->capacity = capacity;
    }
    mappings->items[mappings->count] = (struct mapping){0};
    return &mappings->items[mappings->count++];
}

struct mapping *mapping_new(struct mappings *mappings, uint64_t dev, uint64_t key, bool list)
{
    struct mapping *mapping = mapping_find(mappings, dev, key, list, 0, 0);
    uint32_t *bucket = bucket_of(mappings, dev, key);

    if (!mapping || mapping->active) { /* the same buffer may be mapped more than once */
        mapping = append(mappings);
        if (!mapping)
            return NULL;
        *mapping = (struct mapping){.dev = dev, .key = key, .list = list, .next = *bucket};
        *bucket = mappings->count;
    }
    mapping->active = true;
    mapping->buffer.count = mapping->dma.count = 0;
    mapping->cpu_start = mapping->cpu_end = 0;
    return mapping;
}

void pieces_add(struct pieces *pieces, uint64_t start, uint64_t bytes)
{
    struct piece *last = pieces->count ? &pieces->piece[pieces->count - 1] : NULL;

    if (last && last->start + last->bytes == start) {
        last->bytes += bytes;
        return;
    }
    if (pieces->count == pieces->capacity) {
        uint32_t capacity = pieces->capacity ? 2 * pieces->capacity : 1;
        struct piece *larger = realloc(pieces->piece, capacity * sizeof(*larger));
        if (!larger)
            return;
        pieces->piece = larger;
        pieces->capacity = capacity;
    }
    pieces->piece[pieces->count++] = (struct piece){start, bytes};
}

/* --- pages of RAM --- */

static uint32_t new_use(struct mappings *mappings)
{
    uint32_t use = mappings->free_use;

    if (use) {
        mappings->free_use = mappings->uses[use - 1].next;
        return use;
    }
    if (mappings->use_count == mappings->use_capacity) {
        uint32_t capacity = mappings->use_capacity ? 2 * mappings->use_capacity : 1024;
        struct page_use *larger = realloc(mappings->uses, capacity * sizeof(*larger));
        if (!larger)
            return 0;
        mappings->uses = larger;
        mappings->use_capacity = capacity;
    }
    return ++mappings->use_count;
}

static void add_use(struct mappings *mappings, uint32_t number, uint64_t page, uint64_t start, uint64_t end)
{
    uint32_t use = new_use(mappings);

    if (!use)
        return;
    mappings->uses[use - 1] =
        (struct page_use){number + 1, mappings->pages[page], (uint16_t)start, (uint16_t)(end - 1)};
    mappings->pages[page] = use;
}

static void remove_use(struct mappings *mappings, uint32_t number, uint64_t page)
{
    for (uint32_t *link = &mappings->pages[page]; *link; link = &mappings->uses[*link - 1].next) {
        uint32_t use = *link;
        if (mappings->uses[use - 1].mapping != number + 1)
            continue;
        *link = mappings->uses[use - 1].next;
        mappings->uses[use - 1].next = mappings->free_use;
        mappings->free_use = use;
        return;
    }
}

/* A core may write a buffer that a device only reads, if it then syncs: what it forgets shows in what the device reads.
 */
static bool watches(const struct mapping *mapping)
{
    return !mapping->coherent && mapping->direction != DMA_TO_DEVICE;
}

/* The pages of RAM of a mapping, added or removed. */
static void use_pages(struct hazards *hazards, const struct mapping *mapping, bool add)
{
    struct mappings *mappings = &hazards->mappings;
    uint32_t number = (uint32_t)(mapping - mappings->items);

    for (uint32_t i = 0; i < mapping->buffer.count; i++) {
        const struct piece *piece = &mapping->buffer.piece[i];
        uint64_t at = piece->start - hazards->config.ram_base, end = at + piece->bytes;
        if (piece->start < hazards->config.ram_base || end > hazards->config.ram_bytes)
            continue;
        while (at < end) {
            uint64_t page = at / PAGE_BYTES, next = (page + 1) * PAGE_BYTES;
            uint64_t stop = next < end ? next : end;
            if (add)
                add_use(mappings, number, page, at % PAGE_BYTES, stop - page * PAGE_BYTES);
            else
                remove_use(mappings, number, page);
            if (watches(mapping))
                mappings->watched[page] += add ? 1 : -1u;
            at = stop;
        }
    }
}

/* Calls action for each line that the buffer has a part of, with the line's bytes of it. */
static void for_lines(struct hazards *hazards, const struct mapping *mapping,
                      void (*action)(struct hazards *hazards, uint32_t line, uint64_t bytes))
{
    for (uint32_t i = 0; i < mapping->buffer.count; i++) {
        const struct piece *piece = &mapping->buffer.piece[i];
        uint64_t at = piece->start - hazards->config.ram_base, end = at + piece->bytes;
        if (piece->start < hazards->config.ram_base || end > hazards->config.ram_bytes)
            continue;
        while (at < end) {
            uint64_t next = (at | (LINE_BYTES - 1)) + 1, stop = next < end ? next : end;
            action(hazards, (uint32_t)(at >> LINE_SHIFT),
                   byte_mask((uint32_t)(at & (LINE_BYTES - 1)), (uint32_t)(stop - at)));
            at = stop;
        }
    }
}

/* Takes the cores' pointers to the line away, so that their next access is told. */
static void take_pointers(struct hazards *hazards, uint32_t line, uint64_t bytes)
{
    hazards->host.mark(hazards->host.ctx, line, MARK_ACCESS);
    shadow_mark(hazards, line);
}

void mapping_begin(struct hazards *hazards, struct mapping *mapping)
{
    use_pages(hazards, mapping, true);
    if (watches(mapping) && !mapping->maintained)
        for_lines(hazards, mapping, take_pointers);
    if (mapping->translated)
        io_pages_map(hazards, mapping);
}

static void forget_touch(struct hazards *hazards, uint32_t line, uint64_t bytes)
{
    hazards->shadow.lines[line].touch.bytes &= ~bytes;
}

static void report_touch(struct hazards *hazards, uint32_t line, uint64_t bytes)
{
    if (line_report_touch(hazards, line, bytes))
        hazards->shadow.lines[line].reported = HAZARD_NONE; /* no maintenance of these lines will come */
}

void mapping_pass_stores(struct hazards *hazards, const struct mapping *mapping)
{
    if (mapping->bounced)
        for_lines(hazards, mapping, forget_touch);
}

/* The copy comes back over what cores stored meanwhile. */
static void lose_stores(struct hazards *hazards, const struct mapping *mapping)
{
    if (mapping->bounced && mapping->direction == DMA_BIDIRECTIONAL)
        for_lines(hazards, mapping, report_touch);
}

void mapping_give_back(struct hazards *hazards, struct mapping *mapping)
{
    lose_stores(hazards, mapping);
    use_pages(hazards, mapping, false);
    mapping->active = false;
}

void mapping_end(struct hazards *hazards, struct mapping *mapping)
{
    if (mapping->translated)
        io_pages_unmap(hazards, mapping);
}

static bool contains(const struct mapping *mapping, uint64_t dev, uint64_t dma)
{
    return mapping->active && mapping->dev == dev && !mapping->list && dma >= mapping->dma_start &&
           dma < mapping->dma_end;
}

/* The pages of a buffer say nothing about the addresses of its copy. */
static struct mapping *bounced_containing(struct mappings *mappings, uint64_t dev, uint64_t dma)
{
    for (uint32_t i = 0; i < mappings->count; i++)
        if (mappings->items[i].bounced && !mappings->items[i].translated && contains(&mappings->items[i], dev, dma))
            return &mappings->items[i];
    return NULL;
}

struct mapping *mapping_containing(struct hazards *hazards, uint64_t dev, uint64_t dma)
{
    struct mappings *mappings = &hazards->mappings;
    struct mapping *mapping = io_page_mapping(hazards, dma);
    uint64_t page = (dma - hazards->config.ram_base) / PAGE_BYTES;

    if (mapping && mapping->active && mapping->dev == dev)
        return mapping;
    if (dma < hazards->config.ram_base || dma - hazards->config.ram_base >= hazards->config.ram_bytes)
        return NULL;
    for (uint32_t use = mappings->pages[page]; use; use = mappings->uses[use - 1].next) {
        mapping = &mappings->items[mappings->uses[use - 1].mapping - 1];
        if (!mapping->translated && contains(mapping, dev, dma))
            return mapping;
    }
    return bounced_containing(mappings, dev, dma);
}

/* --- who touches it --- */

static void report_access(struct hazards *hazards, const struct mapping *mapping, enum hazard_kind kind, unsigned core,
                          uint64_t pa)
{
    uint64_t line = (pa - hazards->config.ram_base) >> LINE_SHIFT;

    line_report(hazards, (uint32_t)line, 1ull << (pa & (LINE_BYTES - 1)),
                (struct hazard_report){.kind = kind,
                                       .core = core,
                                       .first_ps = hazards->host.now_ps(hazards->host.ctx, core),
                                       .where = place_of_core(hazards, core),
                                       .cause = mapping->mapped_at,
                                       .cause_what = "map"});
}

/* A store to a bidirectional buffer is made good by a sync for the device: only who looks before will tell. */
static void remember_touch(struct hazards *hazards, const struct mapping *mapping, unsigned core, uint64_t pa,
                           unsigned bytes)
{
    uint32_t line = (uint32_t)((pa - hazards->config.ram_base) >> LINE_SHIFT);
    struct touch *touch = &hazards->shadow.lines[line].touch;

    *touch = (struct touch){.place = place_of_core(hazards, core),
                            .mapped_at = mapping->mapped_at,
                            .t_ps = hazards->host.now_ps(hazards->host.ctx, core),
                            .bytes = touch->bytes | byte_mask((uint32_t)(pa & (LINE_BYTES - 1)), bytes),
                            .core = core};
    shadow_mark(hazards, line);
}

static void touched(struct hazards *hazards, const struct mapping *mapping, unsigned core, uint64_t pa, unsigned bytes,
                    bool writes)
{
    if (writes && mapping->direction == DMA_BIDIRECTIONAL)
        remember_touch(hazards, mapping, core, pa, bytes);
    else
        report_access(hazards, mapping, HAZARD_BUFFER_TOUCHED, core, pa);
}

void mappings_core_access(struct hazards *hazards, unsigned core, uint64_t pa, unsigned bytes, bool writes)
{
    struct mappings *mappings = &hazards->mappings;
    uint64_t offset = pa - hazards->config.ram_base, first = offset % PAGE_BYTES, last = first + bytes - 1;

    for (uint32_t i = mappings->pages[offset / PAGE_BYTES]; i; i = mappings->uses[i - 1].next) {
        const struct page_use *use = &mappings->uses[i - 1];
        const struct mapping *mapping = &mappings->items[use->mapping - 1];
        if (!watches(mapping) || (pa >= mapping->cpu_start && pa < mapping->cpu_end) ||
            hazard_api_is_in(hazards, core, mapping))
            continue;
        if (first <= use->end && last >= use->start)
            touched(hazards, mapping, core, pa, bytes, writes);
        else if (writes && first / LINE_BYTES <= use->end / LINE_BYTES &&
                 last / LINE_BYTES >= use->start / LINE_BYTES && mapping->cpu_end == 0)
            report_access(hazards, mapping, HAZARD_PARTIAL_LINE_SHARING, core, pa);
    }
}

void mappings_freed(struct hazards *hazards, unsigned core, struct hazard_place place, uint64_t pa, uint64_t bytes)
{
    struct mappings *mappings = &hazards->mappings;
    uint64_t offset = pa - hazards->config.ram_base;

    if (pa < hazards->config.ram_base || offset >= hazards->config.ram_bytes ||
        bytes > hazards->config.ram_bytes - offset)
        return;
    for (uint64_t page = offset / PAGE_BYTES; page * PAGE_BYTES < offset + bytes; page++) {
        const struct page_use *use = mappings->pages[page] ? &mappings->uses[mappings->pages[page] - 1] : NULL;
        if (!use)
            continue;
        hazard_report_add(hazards, &(struct hazard_report){.kind = HAZARD_MAPPING_LEAK,
                                                           .core = core,
                                                           .first_ps = hazards->host.now_ps(hazards->host.ctx, core),
                                                           .address = mappings->items[use->mapping - 1].dma_start,
                                                           .where = place,
                                                           .cause = mappings->items[use->mapping - 1].mapped_at,
                                                           .cause_what = "map",
                                                           .missing = "an unmap before the memory is freed"});
        return;
    }
}
