/* Between dma_iommu.c, dma_iova.c and flush_queue.c: what a domain keeps for DMA. */
#ifndef DMA_IOMMU_INTERNAL_H
#define DMA_IOMMU_INTERNAL_H

#include "iommu.h"
#include "iova.h"

#define IOVA_DEFAULT_FQ_SIZE    256
#define IOVA_DEFAULT_FQ_TIMEOUT 10 /* ms */

struct iova_fq_entry {
    uint64_t iova_pfn, pages;
    void *freelist[2]; /* pages from the page tables: these free theirs at once, so it stays empty */
    uint64_t counter;  /* flushes that had been started when the entry came */
};

struct iova_fq { /* a core */
    spinlock_t lock;
    unsigned head, tail, mod_mask;
    struct iova_fq_entry entries[IOVA_DEFAULT_FQ_SIZE];
};

struct iommu_dma_cookie {
    struct iova_domain iovad;
    struct iommu_domain *domain;
    struct iova_fq *percpu_fq;
    atomic64_t fq_flush_start_cnt, fq_flush_finish_cnt;
    atomic_t fq_timer_on;
    uint64_t fq_timeout, fq_timer_expires; /* ticks of the system counter */
    bool fq_domain;
};

/* dma_iommu.c */
int dma_info_to_prot(enum dma_data_direction dir, bool coherent);
/* size: whole pages. 0: no room. */
dma_addr_t iommu_dma_alloc_iova(struct iommu_domain *domain, size_t size, uint64_t dma_limit, struct device *dev);
/* gather NULL, or not queued: at once. */
void iommu_dma_free_iova(struct iommu_dma_cookie *cookie, dma_addr_t iova, size_t size,
                         const struct iommu_iotlb_gather *gather);
/* Whether a range that is not whole pages must be bounced. */
bool dev_use_swiotlb(const struct device *dev, size_t size, enum dma_data_direction dir);
/* The copy's address, or DMA_MAPPING_ERROR. */
phys_addr_t iommu_dma_map_swiotlb(struct device *dev, phys_addr_t pa, size_t size, enum dma_data_direction dir,
                                  unsigned long attrs);

/* flush_queue.c */
void iommu_dma_init_fq(struct iommu_domain *domain);
void queue_iova(struct iommu_dma_cookie *cookie, uint64_t pfn, uint64_t pages);

#endif
