/*
 * Long-descriptor I/O page tables (drivers/iommu/io-pgtable-arm.c, include/linux/io-pgtable.h). UNMAP_BATCHED = 1
 * builds the unmap that clears a run of entries and cleans them with one DSB; 0 the one with a DSB an entry.
 */
#ifndef IO_PGTABLE_H
#define IO_PGTABLE_H

#include "dma.h"

#ifndef UNMAP_BATCHED
#define UNMAP_BATCHED 1
#endif

#define IOMMU_READ  1
#define IOMMU_WRITE 2
#define IOMMU_CACHE 4

/* The range whose invalidation is still owed (include/linux/iommu.h). Empty: pgsize is 0. */
struct iommu_iotlb_gather {
    uint64_t start, end; /* inclusive */
    size_t pgsize;
    bool queued; /* lazy: the flush queue invalidates, leaves need nothing */
};

/* What the page tables ask of the SMMU driver. */
struct iommu_flush_ops {
    void (*tlb_flush_all)(void *cookie);
    void (*tlb_flush_walk)(uint64_t iova, size_t size, size_t granule, void *cookie);
    void (*tlb_add_page)(struct iommu_iotlb_gather *gather, uint64_t iova, size_t granule, void *cookie);
};

struct io_pgtable_cfg {
    uint64_t pgsize_bitmap; /* e.g. SZ_4K | SZ_2M | SZ_1G */
    unsigned ias, oas;      /* bits of input and output address */
    bool coherent_walk;
    const struct iommu_flush_ops *tlb;
    struct device *iommu_dev; /* for the syncs of a non-coherent walk */
    /* out: what the context descriptor or bank needs (stage 1) */
    uint64_t ttbr, mair;
    unsigned tsz, tg, irgn, orgn, sh, ips;
};

struct io_pgtable; /* io_pgtable_arm.c */
struct io_pgtable *alloc_io_pgtable(struct io_pgtable_cfg *cfg, void *cookie);
/* Both take count pages of pgsize; map returns 0 or -1, *mapped is what was done; unmap returns the bytes unmapped. */
int arm_lpae_map_pages(struct io_pgtable *table, uint64_t iova, phys_addr_t pa, size_t pgsize, size_t count, int prot,
                       size_t *mapped);
size_t arm_lpae_unmap_pages(struct io_pgtable *table, uint64_t iova, size_t pgsize, size_t count,
                            struct iommu_iotlb_gather *gather);
phys_addr_t arm_lpae_iova_to_phys(struct io_pgtable *table, uint64_t iova);

#endif
