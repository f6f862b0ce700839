/*
 * DMA mapping, as drivers call it (include/linux/dma-mapping.h). BATCHED_SYNC = 1 builds the variant in which a
 * scatterlist is completed by one DSB; 0 the one with a DSB an entry. SWIOTLB, SWIOTLB_XEN = 0 leave bounce buffers and
 * the operations of a Xen guest out, as a kernel without CONFIG_SWIOTLB, CONFIG_SWIOTLB_XEN does. DMA_MAP_OPS = 1
 * reaches dma-iommu through the pointers of the device's dma_map_ops, as kernels before 6.12 did. DMA_SKIP_SYNC = 1
 * skips the syncs of devices for which they do nothing, as from 6.10 on.
 */
#ifndef DMA_H
#define DMA_H

#include "dma_layout.h"
#include "runtime.h"

#ifndef SWIOTLB
#define SWIOTLB 0
#endif
#ifndef WORKAROUND_4311569
#define WORKAROUND_4311569 0 /* cache.S */
#endif
#ifndef SWIOTLB_V2
#define SWIOTLB_V2 0
#endif
#ifndef SWIOTLB_XEN
#define SWIOTLB_XEN 0
#endif
#ifndef DMA_MAP_OPS
#define DMA_MAP_OPS 0
#endif
#ifndef DMA_SKIP_SYNC
#define DMA_SKIP_SYNC 0
#endif

enum dma_data_direction { DMA_BIDIRECTIONAL, DMA_TO_DEVICE, DMA_FROM_DEVICE };
#define DMA_MAPPING_ERROR (~(dma_addr_t)0)

struct iommu_domain;
struct io_tlb_mem;
struct device;
struct scatterlist;

/* include/linux/dma-map-ops.h */
struct dma_map_ops {
    dma_addr_t (*map_phys)(struct device *dev, phys_addr_t pa, size_t size, enum dma_data_direction dir,
                           unsigned long attrs);
    void (*unmap_phys)(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir,
                       unsigned long attrs);
    int (*map_sg)(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                  unsigned long attrs);
    void (*unmap_sg)(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                     unsigned long attrs);
    void (*sync_single_for_cpu)(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir);
    void (*sync_single_for_device)(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir);
    void (*sync_sg_for_cpu)(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);
    void (*sync_sg_for_device)(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);
    unsigned flags;
};
#define DMA_F_CAN_SKIP_SYNC 1u /* of a coherent device the syncs do nothing but for bounce buffers */

struct device {
    bool dma_coherent;
    uint64_t dma_mask;
    struct iommu_domain *domain; /* NULL: DMA addresses are physical addresses */
    bool pci_32bit_workaround;   /* I/O addresses below 4 GB are tried first, until that fails once */
    bool untrusted;              /* behind an IOMMU: it sees no memory but its own, so parts of pages are bounced */
    bool xen;                    /* the kernel is a guest of Xen: dma/swiotlb_xen.c */
    bool dma_skip_sync;          /* no sync does anything; false again once a buffer is bounced */
    uint32_t min_align_mask;     /* bits of an address that a bounce buffer must keep */
    struct io_tlb_mem *dma_io_tlb_mem; /* swiotlb.h; NULL: no bounce buffers */
#if DMA_MAP_OPS
    const struct dma_map_ops *dma_ops; /* NULL: dma-direct */
#endif
};

struct scatterlist {
    phys_addr_t pa; /* sg_phys() */
    uint32_t length;
    uint32_t dma_length;
    dma_addr_t dma_address;
    struct scatterlist *next;
#if SWIOTLB
    uint32_t dma_flags; /* of the first entry: SG_DMA_SWIOTLB */
#endif
};
#define SG_DMA_SWIOTLB 1u /* dma-iommu has bounced some of the entries */

/* The hazard detector reads them. */
_Static_assert(offsetof(struct device, dma_coherent) == DEVICE_DMA_COHERENT, "dma_layout.h");
_Static_assert(offsetof(struct device, domain) == DEVICE_DOMAIN, "dma_layout.h");
_Static_assert(offsetof(struct scatterlist, pa) == SCATTERLIST_PA, "dma_layout.h");
_Static_assert(offsetof(struct scatterlist, length) == SCATTERLIST_LENGTH, "dma_layout.h");
_Static_assert(offsetof(struct scatterlist, dma_length) == SCATTERLIST_DMA_LENGTH, "dma_layout.h");
_Static_assert(offsetof(struct scatterlist, dma_address) == SCATTERLIST_DMA_ADDRESS, "dma_layout.h");
_Static_assert(offsetof(struct scatterlist, next) == SCATTERLIST_NEXT, "dma_layout.h");
_Static_assert(sizeof(struct scatterlist) >= SCATTERLIST_BYTES, "dma_layout.h");

/* dma/cache.S */
void dcache_clean_poc(uintptr_t start, uintptr_t end);
void dcache_clean_poc_nosync(uintptr_t start, uintptr_t end);
void dcache_inval_poc(uintptr_t start, uintptr_t end);
void dcache_inval_poc_nosync(uintptr_t start, uintptr_t end);

/* dma/arch.c; in the batched variant complete only after arch_sync_dma_flush(). */
void arch_sync_dma_for_device(phys_addr_t pa, size_t size, enum dma_data_direction dir);
void arch_sync_dma_for_cpu(phys_addr_t pa, size_t size, enum dma_data_direction dir);
void arch_sync_dma_flush(void);

/* dma/direct.c; flush = false leaves the barrier to the caller. */
bool dma_capable(const struct device *dev, dma_addr_t addr, size_t size);
dma_addr_t dma_direct_map_phys(struct device *dev, phys_addr_t pa, size_t size, enum dma_data_direction dir,
                               unsigned long attrs, bool flush);
void dma_direct_unmap_phys(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir,
                           unsigned long attrs, bool flush);
int dma_direct_map_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                      unsigned long attrs);
void dma_direct_unmap_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                         unsigned long attrs);
void dma_direct_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir);
void dma_direct_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir);
void dma_direct_sync_sg_for_device(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);
void dma_direct_sync_sg_for_cpu(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);
bool dma_direct_need_sync(struct device *dev, dma_addr_t addr);

/* dma/swiotlb_xen.c */
dma_addr_t xen_swiotlb_map_phys(struct device *dev, phys_addr_t pa, size_t size, enum dma_data_direction dir,
                                unsigned long attrs);
void xen_swiotlb_unmap_phys(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir,
                            unsigned long attrs);
int xen_swiotlb_map_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                       unsigned long attrs);
void xen_swiotlb_unmap_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                          unsigned long attrs);
void xen_swiotlb_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir);
void xen_swiotlb_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir);
void xen_swiotlb_sync_sg_for_device(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);
void xen_swiotlb_sync_sg_for_cpu(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);
/* Memory of another domain that was granted to this one: this kernel has no pages for it. */
void xen_add_foreign_memory(phys_addr_t pa, size_t size);

/* dma/mapping.c: the front doors */
dma_addr_t dma_map_single_attrs(struct device *dev, void *va, size_t size, enum dma_data_direction dir,
                                unsigned long attrs);
void dma_unmap_single_attrs(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir,
                            unsigned long attrs);
int dma_map_sg_attrs(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                     unsigned long attrs);
void dma_unmap_sg_attrs(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                        unsigned long attrs);
void __dma_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir);
void __dma_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir);
void __dma_sync_sg_for_device(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);
void __dma_sync_sg_for_cpu(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);
bool __dma_need_sync(struct device *dev, dma_addr_t addr);
/* The addresses that the device can reach. Only after it dma_skip_sync may be set. */
void dma_set_mask(struct device *dev, uint64_t mask);

#define dma_map_single(dev, va, size, dir)     dma_map_single_attrs(dev, va, size, dir, 0)
#define dma_unmap_single(dev, addr, size, dir) dma_unmap_single_attrs(dev, addr, size, dir, 0)
#define dma_map_sg(dev, sg, nents, dir)        dma_map_sg_attrs(dev, sg, nents, dir, 0)
#define dma_unmap_sg(dev, sg, nents, dir)      dma_unmap_sg_attrs(dev, sg, nents, dir, 0)

static inline bool dma_dev_need_sync(const struct device *dev)
{
    return !DMA_SKIP_SYNC || !dev->dma_skip_sync;
}

/* Whether syncs of this mapping do anything. */
static inline bool dma_need_sync(struct device *dev, dma_addr_t addr)
{
    return dma_dev_need_sync(dev) && __dma_need_sync(dev, addr);
}

/* Macros, so that the line of a call is the caller's. */
#define DMA_SYNC(what, dev, ...)                   \
    do {                                           \
        if (dma_dev_need_sync(dev))                \
            __dma_sync_##what((dev), __VA_ARGS__); \
    } while (0)
#define dma_sync_single_for_device(dev, addr, size, dir) DMA_SYNC(single_for_device, dev, addr, size, dir)
#define dma_sync_single_for_cpu(dev, addr, size, dir)    DMA_SYNC(single_for_cpu, dev, addr, size, dir)
#define dma_sync_sg_for_device(dev, sg, nents, dir)      DMA_SYNC(sg_for_device, dev, sg, nents, dir)
#define dma_sync_sg_for_cpu(dev, sg, nents, dir)         DMA_SYNC(sg_for_cpu, dev, sg, nents, dir)

static inline struct scatterlist *sg_next(struct scatterlist *sg)
{
    return sg->next;
}

#endif
