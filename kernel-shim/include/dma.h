/*
 * DMA mapping, as drivers call it (include/linux/dma-mapping.h). BATCHED_SYNC = 1 builds the variant in which a
 * scatterlist is completed by one DSB; 0 the one with a DSB an entry.
 */
#ifndef DMA_H
#define DMA_H

#include "dma_layout.h"
#include "runtime.h"

enum dma_data_direction { DMA_BIDIRECTIONAL, DMA_TO_DEVICE, DMA_FROM_DEVICE };
#define DMA_ATTR_SKIP_CPU_SYNC 1ul
#define DMA_MAPPING_ERROR      (~(dma_addr_t)0)

struct iommu_domain;

struct device {
    bool dma_coherent;
    uint64_t dma_mask;
    struct iommu_domain *domain; /* NULL: DMA addresses are physical addresses */
    bool pci_32bit_workaround;   /* I/O addresses below 4 GB are tried first, until that fails once */
};

struct scatterlist {
    phys_addr_t pa; /* sg_phys() */
    uint32_t length;
    uint32_t dma_length;
    dma_addr_t dma_address;
    struct scatterlist *next;
};

/* The hazard detector reads them. */
_Static_assert(offsetof(struct device, dma_coherent) == DEVICE_DMA_COHERENT, "dma_layout.h");
_Static_assert(offsetof(struct device, domain) == DEVICE_DOMAIN, "dma_layout.h");
_Static_assert(offsetof(struct scatterlist, pa) == SCATTERLIST_PA, "dma_layout.h");
_Static_assert(offsetof(struct scatterlist, length) == SCATTERLIST_LENGTH, "dma_layout.h");
_Static_assert(offsetof(struct scatterlist, dma_length) == SCATTERLIST_DMA_LENGTH, "dma_layout.h");
_Static_assert(offsetof(struct scatterlist, dma_address) == SCATTERLIST_DMA_ADDRESS, "dma_layout.h");
_Static_assert(offsetof(struct scatterlist, next) == SCATTERLIST_NEXT, "dma_layout.h");
_Static_assert(sizeof(struct scatterlist) == SCATTERLIST_BYTES, "dma_layout.h");

/* dma/cache.S */
void dcache_clean_poc(uintptr_t start, uintptr_t end);
void dcache_clean_poc_nosync(uintptr_t start, uintptr_t end);
void dcache_inval_poc(uintptr_t start, uintptr_t end);
void dcache_inval_poc_nosync(uintptr_t start, uintptr_t end);

/* dma/arch.c; in the batched variant complete only after arch_sync_dma_flush(). */
void arch_sync_dma_for_device(phys_addr_t pa, size_t size, enum dma_data_direction dir);
void arch_sync_dma_for_cpu(phys_addr_t pa, size_t size, enum dma_data_direction dir);
void arch_sync_dma_flush(void);

/* dma/direct.c */
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

/* dma/mapping.c: the front doors */
dma_addr_t dma_map_single(struct device *dev, void *va, size_t size, enum dma_data_direction dir);
void dma_unmap_single(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir);
int dma_map_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);
void dma_unmap_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);
void dma_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir);
void dma_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir);
void dma_sync_sg_for_device(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);
void dma_sync_sg_for_cpu(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);

static inline struct scatterlist *sg_next(struct scatterlist *sg)
{
    return sg->next;
}

#endif
