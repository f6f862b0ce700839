/*
 * kernel/dma/swiotlb.c (6.12, without CONFIG_SWIOTLB_DYNAMIC): slots of 2 KB in segments of 128, an area a core.
 * SWIOTLB_V2 = 1 builds the batched series as it was in its second version, which copied out of a bounce buffer whose
 * invalidation was only issued.
 */
#include "swiotlb.h"

#include "percpu.h"

#define INVALID_PHYS_ADDR (~(phys_addr_t)0)
#define SEG_BOUNDARY_MASK 0xFFFFFFFFull /* of a device that sets no dma_parms */

static size_t nr_slots(uint64_t bytes)
{
    return (bytes + IO_TLB_SIZE - 1) >> IO_TLB_SHIFT;
}

static unsigned io_tlb_offset(unsigned slot)
{
    return slot & (IO_TLB_SEGSIZE - 1);
}

static phys_addr_t slot_addr(phys_addr_t start, size_t slot)
{
    return start + (slot << IO_TLB_SHIFT);
}

/* What of an address a copy must keep: the device's own alignment, within the slot or the wanted alignment. */
static uint64_t swiotlb_align_offset(const struct device *dev, size_t align_mask, uint64_t addr)
{
    return addr & dev->min_align_mask & (align_mask | (IO_TLB_SIZE - 1));
}

/* --- the pool --- */

unsigned swiotlb_default_areas(void)
{
    unsigned areas = 1;

    while (areas < num_online_cpus())
        areas *= 2;
    return areas;
}

struct io_tlb_mem *swiotlb_init(size_t bytes, unsigned nareas)
{
    struct io_tlb_mem *mem = kzalloc(sizeof(*mem));
    struct io_tlb_pool *pool = &mem->defpool;
    unsigned nslabs = (unsigned)((nr_slots(bytes) + IO_TLB_SEGSIZE - 1) & ~(size_t)(IO_TLB_SEGSIZE - 1));

    while (nareas > 1 && nslabs < nareas * IO_TLB_SEGSIZE)
        nareas /= 2;
    if (nslabs % (nareas * IO_TLB_SEGSIZE))
        sim_fail("swiotlb: the pool is not whole segments for each area");
    pool->start = virt_to_phys(alloc_pages_exact((size_t)nslabs << IO_TLB_SHIFT));
    pool->end = pool->start + ((uint64_t)nslabs << IO_TLB_SHIFT);
    pool->nareas = nareas;
    pool->area_nslabs = nslabs / nareas;
    pool->areas = kzalloc(nareas * sizeof(*pool->areas));
    pool->slots = kzalloc(nslabs * sizeof(*pool->slots));
    for (unsigned i = 0; i < nslabs; i++)
        pool->slots[i] =
            (struct io_tlb_slot){.orig_addr = INVALID_PHYS_ADDR, .list = (uint16_t)(IO_TLB_SEGSIZE - io_tlb_offset(i))};
    return mem;
}

/* --- slots --- */

static unsigned wrap_area_index(const struct io_tlb_pool *pool, unsigned index)
{
    return index >= pool->area_nslabs ? 0 : index;
}

static bool crosses_boundary(const struct io_tlb_pool *pool, unsigned slot, size_t nslots)
{
    size_t boundary = nr_slots(SEG_BOUNDARY_MASK + 1);
    size_t first = (nr_slots(pool->start & SEG_BOUNDARY_MASK) + slot) & (boundary - 1);

    return first + nslots > boundary;
}

/* Counts in slots before a change: how many free ones follow. */
static void recount_before(struct io_tlb_pool *pool, int slot, unsigned count)
{
    for (int i = slot - 1; i >= 0 && io_tlb_offset((unsigned)i) != IO_TLB_SEGSIZE - 1 && pool->slots[i].list; i--)
        pool->slots[i].list = (uint16_t)++count;
}

static void take_slots(struct io_tlb_pool *pool, unsigned slot, size_t nslots, size_t size, uint64_t offset)
{
    for (unsigned i = slot; i < slot + nslots; i++) {
        pool->slots[i].list = 0;
        pool->slots[i].alloc_size = size - (offset + ((size_t)(i - slot) << IO_TLB_SHIFT));
    }
    recount_before(pool, (int)slot, 0);
}

/* The first of enough free slots with the right alignment, from where the last search ended; - 1: none. */
static int swiotlb_search_area(struct device *dev, struct io_tlb_pool *pool, unsigned area_index, phys_addr_t orig,
                               size_t size, size_t alloc_align_mask)
{
    struct io_tlb_area *area = &pool->areas[area_index];
    size_t iotlb_align_mask = dev->min_align_mask, nslots = nr_slots(size), stride, larger;
    unsigned base = area_index * pool->area_nslabs, index;
    uint64_t flags;

    if (!alloc_align_mask && !iotlb_align_mask && size >= PAGE_SIZE)
        alloc_align_mask = PAGE_SIZE - 1; /* what drivers have come to expect */
    alloc_align_mask |= IO_TLB_SIZE - 1;
    iotlb_align_mask &= ~alloc_align_mask; /* the rest is kept by the offset in the slot */
    larger = alloc_align_mask > iotlb_align_mask ? alloc_align_mask : iotlb_align_mask;
    stride = nr_slots(larger + 1);
    spin_lock_irqsave(&area->lock, flags);
    index = area->index;
    for (size_t checked = 0; nslots <= pool->area_nslabs - area->used && checked < pool->area_nslabs;) {
        unsigned slot = base + index;
        phys_addr_t tlb = slot_addr(pool->start & SEG_BOUNDARY_MASK, slot);
        if ((tlb & alloc_align_mask) || (orig && (tlb & iotlb_align_mask) != (orig & iotlb_align_mask))) {
            index = wrap_area_index(pool, index + 1);
            checked++;
            continue;
        }
        if (!crosses_boundary(pool, slot, nslots) && pool->slots[slot].list >= nslots) {
            take_slots(pool, slot, nslots, size, swiotlb_align_offset(dev, 0, orig));
            area->index = wrap_area_index(pool, index + (unsigned)nslots);
            area->used += nslots;
            spin_unlock_irqrestore(&area->lock, flags);
            return (int)slot;
        }
        index = wrap_area_index(pool, index + (unsigned)stride);
        checked += stride;
    }
    spin_unlock_irqrestore(&area->lock, flags);
    return -1;
}

/* This core's area first. */
static int swiotlb_find_slots(struct device *dev, struct io_tlb_pool *pool, phys_addr_t orig, size_t size,
                              size_t alloc_align_mask)
{
    unsigned start = smp_processor_id() & (pool->nareas - 1), area = start;
    int slot;

    do {
        slot = swiotlb_search_area(dev, pool, area, orig, size, alloc_align_mask);
        if (slot >= 0)
            return slot;
        if (++area == pool->nareas)
            area = 0;
    } while (area != start);
    return -1;
}

static void swiotlb_release_slots(struct device *dev, phys_addr_t tlb, struct io_tlb_pool *pool)
{
    uint64_t flags, offset = swiotlb_align_offset(dev, 0, tlb);
    unsigned slot = (unsigned)((tlb - offset - pool->start) >> IO_TLB_SHIFT), nslots, segment_end, count = 0;
    struct io_tlb_area *area;

    slot -= pool->slots[slot].pad_slots;
    nslots = (unsigned)nr_slots(pool->slots[slot].alloc_size + offset);
    area = &pool->areas[slot / pool->area_nslabs];
    segment_end = (slot + IO_TLB_SEGSIZE) & ~(IO_TLB_SEGSIZE - 1u);
    spin_lock_irqsave(&area->lock, flags);
    if (slot + nslots < segment_end)
        count = pool->slots[slot + nslots].list;
    for (unsigned i = slot + nslots; i-- > slot;)
        pool->slots[i] = (struct io_tlb_slot){.orig_addr = INVALID_PHYS_ADDR, .list = (uint16_t)++count};
    recount_before(pool, (int)slot, count);
    area->used -= nslots;
    spin_unlock_irqrestore(&area->lock, flags);
}

/* --- copies --- */

/* tlb may lie anywhere in the mapping. Out of the bounce buffer only after the invalidation is complete. */
__attribute__((noipa)) static void swiotlb_bounce(struct device *dev, phys_addr_t tlb, size_t size,
                                                  enum dma_data_direction dir, struct io_tlb_pool *pool)
{
    const struct io_tlb_slot *slot = &pool->slots[(tlb - pool->start) >> IO_TLB_SHIFT];
    phys_addr_t orig = slot->orig_addr;
    size_t left;
    int64_t offset; /* from the slot's first byte of data; it may be before that in all slots but the first */

    if (orig == INVALID_PHYS_ADDR)
        return;
    if (!SWIOTLB_V2 && dir == DMA_FROM_DEVICE && !dev->dma_coherent)
        arch_sync_dma_flush();
    offset = (int64_t)(tlb & (IO_TLB_SIZE - 1)) - (int64_t)swiotlb_align_offset(dev, 0, orig);
    orig += (uint64_t)offset;
    left = slot->alloc_size - (uint64_t)offset;
    if (size > left) /* more than was mapped: the kernel warns, and copies what there is */
        size = left;
    if (dir == DMA_TO_DEVICE)
        memcpy(phys_to_virt(tlb), phys_to_virt(orig), size);
    else
        memcpy(phys_to_virt(orig), phys_to_virt(tlb), size);
    barrier(); /* the copies stay calls and so does this function: a hazard in memcpy() is named with its caller */
}

phys_addr_t swiotlb_tbl_map_single(struct device *dev, phys_addr_t orig, size_t mapping_size, size_t alloc_align_mask,
                                   enum dma_data_direction dir, unsigned long attrs)
{
    struct io_tlb_pool *pool = &dev->dma_io_tlb_mem->defpool;
    uint64_t offset = swiotlb_align_offset(dev, alloc_align_mask, orig);
    size_t size = (mapping_size + offset + alloc_align_mask) & ~alloc_align_mask;
    unsigned pad_slots = (unsigned)(offset >> IO_TLB_SHIFT);
    int slot = swiotlb_find_slots(dev, pool, orig, size, alloc_align_mask);
    phys_addr_t tlb;

    if (slot < 0)
        return DMA_MAPPING_ERROR;
    if (DMA_SKIP_SYNC && dev->dma_skip_sync)
        dev->dma_skip_sync = false; /* dma_reset_need_sync() */
    offset &= IO_TLB_SIZE - 1;
    slot += (int)pad_slots;
    pool->slots[slot].pad_slots = (uint16_t)pad_slots;
    for (unsigned i = 0; i < nr_slots(size) - pad_slots; i++)
        pool->slots[(unsigned)slot + i].orig_addr = slot_addr(orig, i);
    tlb = slot_addr(pool->start, (size_t)slot) + offset;
    /* in every direction: what the device does not write must come back as it was */
    swiotlb_bounce(dev, tlb, mapping_size, DMA_TO_DEVICE, pool);
    return tlb;
}

void __swiotlb_tbl_unmap_single(struct device *dev, phys_addr_t tlb, size_t size, enum dma_data_direction dir,
                                unsigned long attrs, struct io_tlb_pool *pool)
{
    if (!(attrs & DMA_ATTR_SKIP_CPU_SYNC) && dir != DMA_TO_DEVICE)
        swiotlb_bounce(dev, tlb, size, DMA_FROM_DEVICE, pool);
    swiotlb_release_slots(dev, tlb, pool);
}

void __swiotlb_sync_single_for_device(struct device *dev, phys_addr_t tlb, size_t size, enum dma_data_direction dir,
                                      struct io_tlb_pool *pool)
{
    if (dir != DMA_FROM_DEVICE)
        swiotlb_bounce(dev, tlb, size, DMA_TO_DEVICE, pool);
}

void __swiotlb_sync_single_for_cpu(struct device *dev, phys_addr_t tlb, size_t size, enum dma_data_direction dir,
                                   struct io_tlb_pool *pool)
{
    if (dir != DMA_TO_DEVICE)
        swiotlb_bounce(dev, tlb, size, DMA_FROM_DEVICE, pool);
}

dma_addr_t swiotlb_map(struct device *dev, phys_addr_t pa, size_t size, enum dma_data_direction dir,
                       unsigned long attrs)
{
    phys_addr_t tlb = swiotlb_tbl_map_single(dev, pa, size, 0, dir, attrs);

    if (tlb == DMA_MAPPING_ERROR)
        return DMA_MAPPING_ERROR;
    if (!dma_capable(dev, tlb, size)) {
        swiotlb_tbl_unmap_single(dev, tlb, size, dir, attrs | DMA_ATTR_SKIP_CPU_SYNC);
        return DMA_MAPPING_ERROR;
    }
    if (!dev->dma_coherent && !(attrs & DMA_ATTR_SKIP_CPU_SYNC)) {
        arch_sync_dma_for_device(tlb, size, dir);
        arch_sync_dma_flush(); /* at once, also for an entry of a list */
    }
    return tlb;
}
