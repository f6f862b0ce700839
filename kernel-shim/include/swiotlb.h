/*
 * Bounce buffers (include/linux/swiotlb.h): a mapping that the device could not reach, or that must not share its lines
 * or pages, is copied through slots of 2 KB. SWIOTLB = 0 (dma.h) builds a program without them.
 */
#ifndef SWIOTLB_H
#define SWIOTLB_H

#include "dma.h"
#include "spinlock.h"

#define IO_TLB_SHIFT   11
#define IO_TLB_SIZE    (1ul << IO_TLB_SHIFT)
#define IO_TLB_SEGSIZE 128 /* slots: no mapping is larger */

struct io_tlb_slot {
    phys_addr_t orig_addr; /* ~0: not in use */
    size_t alloc_size;     /* from this slot to the end of the mapping */
    uint16_t list;         /* free slots from here on in this segment */
    uint16_t pad_slots;    /* before this one, of the same mapping, for alignment */
};

/* Slots with a lock of their own. */
struct io_tlb_area {
    unsigned long used;
    unsigned index; /* where to search next */
    spinlock_t lock;
};

struct io_tlb_pool {
    phys_addr_t start, end;
    unsigned nareas, area_nslabs;
    struct io_tlb_area *areas;
    struct io_tlb_slot *slots;
};

struct io_tlb_mem {
    struct io_tlb_pool defpool;
    bool force_bounce;
};

/* A pool of bytes (rounded up to whole segments), shared by nareas areas (a power of two; as many as have a segment).
 */
struct io_tlb_mem *swiotlb_init(size_t bytes, unsigned nareas);
/* The kernel's choice: an area a core, rounded up to a power of two. */
unsigned swiotlb_default_areas(void);

/* alloc_align_mask: the mapping's alignment, and what its size is rounded up to, - 1. The address of the copy, or
 * DMA_MAPPING_ERROR. */
phys_addr_t swiotlb_tbl_map_single(struct device *dev, phys_addr_t orig, size_t size, size_t alloc_align_mask,
                                   enum dma_data_direction dir, unsigned long attrs);
/* The same, cleaned, as a DMA address. */
dma_addr_t swiotlb_map(struct device *dev, phys_addr_t pa, size_t size, enum dma_data_direction dir,
                       unsigned long attrs);
void __swiotlb_tbl_unmap_single(struct device *dev, phys_addr_t tlb, size_t size, enum dma_data_direction dir,
                                unsigned long attrs, struct io_tlb_pool *pool);
void __swiotlb_sync_single_for_device(struct device *dev, phys_addr_t tlb, size_t size, enum dma_data_direction dir,
                                      struct io_tlb_pool *pool);
void __swiotlb_sync_single_for_cpu(struct device *dev, phys_addr_t tlb, size_t size, enum dma_data_direction dir,
                                   struct io_tlb_pool *pool);

static inline bool is_swiotlb_active(const struct device *dev)
{
    return SWIOTLB && dev->dma_io_tlb_mem;
}

static inline bool is_swiotlb_force_bounce(const struct device *dev)
{
    return is_swiotlb_active(dev) && dev->dma_io_tlb_mem->force_bounce;
}

/* NULL: pa is no bounce buffer. */
static inline struct io_tlb_pool *swiotlb_find_pool(const struct device *dev, phys_addr_t pa)
{
    struct io_tlb_pool *pool;

    if (!is_swiotlb_active(dev))
        return NULL;
    pool = &dev->dma_io_tlb_mem->defpool;
    return pa >= pool->start && pa < pool->end ? pool : NULL;
}

static inline void swiotlb_tbl_unmap_single(struct device *dev, phys_addr_t tlb, size_t size,
                                            enum dma_data_direction dir, unsigned long attrs)
{
    struct io_tlb_pool *pool = swiotlb_find_pool(dev, tlb);

    if (__builtin_expect(pool != NULL, 0))
        __swiotlb_tbl_unmap_single(dev, tlb, size, dir, attrs, pool);
}

static inline void swiotlb_sync_single_for_device(struct device *dev, phys_addr_t pa, size_t size,
                                                  enum dma_data_direction dir)
{
    struct io_tlb_pool *pool = swiotlb_find_pool(dev, pa);

    if (__builtin_expect(pool != NULL, 0))
        __swiotlb_sync_single_for_device(dev, pa, size, dir, pool);
}

static inline void swiotlb_sync_single_for_cpu(struct device *dev, phys_addr_t pa, size_t size,
                                               enum dma_data_direction dir)
{
    struct io_tlb_pool *pool = swiotlb_find_pool(dev, pa);

    if (__builtin_expect(pool != NULL, 0))
        __swiotlb_sync_single_for_cpu(dev, pa, size, dir, pool);
}

/* --- small objects (include/linux/dma-map-ops.h): kmalloc gives them a part of a line --- */

/* The device writes nothing that could be lost with a line, or it snoops. */
static inline bool dma_kmalloc_safe(const struct device *dev, enum dma_data_direction dir)
{
    return !SWIOTLB || dev->dma_coherent || dir == DMA_TO_DEVICE;
}

/* kmalloc(size) takes whole lines of 64 bytes: its caches are 8, 16, 32, 64, 96, 128, 192, 256, ... bytes. */
static inline bool dma_kmalloc_size_aligned(size_t size)
{
    return (size > 32 && size <= 64) || size > 96;
}

static inline bool dma_kmalloc_needs_bounce(const struct device *dev, size_t size, enum dma_data_direction dir)
{
    return !dma_kmalloc_safe(dev, dir) && !dma_kmalloc_size_aligned(size);
}

#endif
