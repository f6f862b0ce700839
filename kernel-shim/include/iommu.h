/*
 * An IOMMU domain and the DMA operations over it (drivers/iommu/iommu.c, dma-iommu.c, iova.c). IOMMU_DMA = 0 builds a
 * program in which no device has a domain and nothing of this is linked, as a kernel without CONFIG_IOMMU_DMA.
 */
#ifndef IOMMU_H
#define IOMMU_H

#include "io_pgtable.h"

#ifndef IOMMU_DMA
#define IOMMU_DMA 1
#endif

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

static inline void iommu_iotlb_gather_init(struct iommu_iotlb_gather *gather)
{
    *gather = (struct iommu_iotlb_gather){.start = ~0ull};
}

/* iommu.c */
size_t iommu_pgsize(const struct iommu_domain *domain, uint64_t iova, phys_addr_t pa, size_t size, size_t *count);
int iommu_map(struct iommu_domain *domain, uint64_t iova, phys_addr_t pa, size_t size, int prot);
size_t iommu_unmap_fast(struct iommu_domain *domain, uint64_t iova, size_t size, struct iommu_iotlb_gather *gather);
void iommu_iotlb_sync(struct iommu_domain *domain, struct iommu_iotlb_gather *gather);
/* Unmaps and invalidates. */
size_t iommu_unmap(struct iommu_domain *domain, uint64_t iova, size_t size);
phys_addr_t iommu_iova_to_phys(struct iommu_domain *domain, uint64_t iova);
/* Physically contiguous neighbours become one range. Returns the bytes mapped from iova on, 0 after an error. */
size_t iommu_map_sg(struct iommu_domain *domain, uint64_t iova, struct scatterlist *sg, int nents, int prot);
/* For tlb_add_page: adds a page to what is owed; one that does not continue it makes the driver pay first. */
void iommu_iotlb_gather_add_page(struct iommu_domain *domain, struct iommu_iotlb_gather *gather, uint64_t iova,
                                 size_t size);

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
void iommu_dma_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir);
void iommu_dma_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir);
void iommu_dma_sync_sg_for_device(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);
void iommu_dma_sync_sg_for_cpu(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir);

#if DMA_MAP_OPS
extern const struct dma_map_ops iommu_dma_ops; /* dma_iommu.c */
#endif

/*
 * dma_iova.c (6.16): one range of IOVAs, into which a caller links pieces of memory one after another. The sync waits
 * for all of them at once. Offsets are from the state's first byte; all pieces but the first begin on a page.
 */
struct dma_iova_state {
    dma_addr_t addr;
    uint64_t size; /* the kernel's __size: bytes, and DMA_IOVA_USE_SWIOTLB */
};
#define DMA_IOVA_USE_SWIOTLB (1ull << 63) /* some of it is bounced */
_Static_assert(offsetof(struct dma_iova_state, addr) == DMA_IOVA_STATE_ADDR, "dma_layout.h");

static inline size_t dma_iova_size(const struct dma_iova_state *state)
{
    return state->size & ~DMA_IOVA_USE_SWIOTLB;
}
/* pa: of the first piece, for its offset in a page. False: the device has no domain, or there is no room. */
bool dma_iova_try_alloc(struct device *dev, struct dma_iova_state *state, phys_addr_t pa, size_t size);
/* Of a range into which nothing is linked. */
void dma_iova_free(struct device *dev, struct dma_iova_state *state);
/* 0, or an error: then nothing of the piece is linked. */
int dma_iova_link(struct device *dev, struct dma_iova_state *state, phys_addr_t pa, size_t offset, size_t size,
                  enum dma_data_direction dir, unsigned long attrs);
void dma_iova_sync(struct device *dev, struct dma_iova_state *state, size_t offset, size_t size);
void dma_iova_unlink(struct device *dev, struct dma_iova_state *state, size_t offset, size_t size,
                     enum dma_data_direction dir, unsigned long attrs);
/* Unlinks the first mapped_bytes and frees the range. */
void dma_iova_destroy(struct device *dev, struct dma_iova_state *state, size_t mapped_bytes,
                      enum dma_data_direction dir, unsigned long attrs);

/* flush_queue.c: what the timer of a lazy domain does when it expires, 10 ms after the first unmap. Without a call it
 * is done by the next unmap after that time. */
void fq_timer(struct iommu_domain *domain);

/* smmu/: bring the SMMU of the platform up and attach dev (StreamID sid) to a fresh strict or lazy domain. */
struct iommu_domain *iommu_attach_device(struct device *dev, uint32_t sid, bool lazy);
/* Whether the SMMU has reported a translation fault of this stream at this address since the last call. */
bool iommu_faulted(uint32_t sid, uint64_t address);

#endif
