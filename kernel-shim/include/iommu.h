/* An IOMMU domain and the DMA operations over it (drivers/iommu/iommu.c, dma-iommu.c, iova.c). */
#ifndef IOMMU_H
#define IOMMU_H

#include "io_pgtable.h"

struct iommu_domain;

/* What a driver (smmu/) gives a domain. */
struct iommu_domain_ops {
    void (*flush_iotlb_all)(struct iommu_domain *domain);
    void (*iotlb_sync)(struct iommu_domain *domain, struct iommu_iotlb_gather *gather);
};

struct iommu_domain {
    const struct iommu_domain_ops *ops;
    struct io_pgtable *pgtable;
    struct io_pgtable_cfg cfg;
    struct iommu_dma_cookie *cookie; /* dma_iommu.c: IOVA domain, flush queues */
    bool lazy;                       /* DMA-FQ: leaf invalidations are deferred */
};

/* iommu.c */
size_t iommu_pgsize(const struct iommu_domain *domain, uint64_t iova, phys_addr_t pa, size_t size, size_t *count);
int iommu_map(struct iommu_domain *domain, uint64_t iova, phys_addr_t pa, size_t size, int prot);
size_t iommu_unmap_fast(struct iommu_domain *domain, uint64_t iova, size_t size, struct iommu_iotlb_gather *gather);
void iommu_iotlb_sync(struct iommu_domain *domain, struct iommu_iotlb_gather *gather);

/* dma_iommu.c */
void iommu_dma_init_domain(struct iommu_domain *domain);
dma_addr_t iommu_dma_map_phys(struct device *dev, phys_addr_t pa, size_t size, enum dma_data_direction dir,
                              unsigned long attrs);
void iommu_dma_unmap_phys(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir,
                          unsigned long attrs);
int iommu_dma_map_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                     unsigned long attrs);
void iommu_dma_unmap_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                        unsigned long attrs);

/* smmu/: bring the SMMU of the platform up and attach dev (StreamID sid) to a fresh strict or lazy domain. */
struct iommu_domain *iommu_attach_device(struct device *dev, uint32_t sid, bool lazy);

#endif
