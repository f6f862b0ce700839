/* Between dma_iommu.c and flush_queue.c: what a domain keeps for DMA. */
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

/* flush_queue.c */
void iommu_dma_init_fq(struct iommu_domain *domain);
void queue_iova(struct iommu_dma_cookie *cookie, uint64_t pfn, uint64_t pages);

#endif
