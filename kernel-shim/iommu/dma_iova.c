/*
 * drivers/iommu/dma-iommu.c, the part for ranges that are linked piece by piece. A link cleans and maps without waiting
 * (BATCHED_SYNC), the sync waits; an unlink waits once for the whole range. Unlinking for a device that does not snoop
 * goes page by page, for only the page tables know where the memory is.
 */
#include "dma_iommu_internal.h"
#include "swiotlb.h"

static struct iova_domain *iova_domain_of(const struct device *dev)
{
    return &dev->domain->cookie->iovad;
}

static bool syncs(const struct device *dev, unsigned long attrs)
{
    return !dev->dma_coherent && !(attrs & DMA_ATTR_SKIP_CPU_SYNC);
}

bool dma_iova_try_alloc(struct device *dev, struct dma_iova_state *state, phys_addr_t pa, size_t size)
{
    struct iova_domain *iovad;
    dma_addr_t addr;

    *state = (struct dma_iova_state){0};
    if (!IOMMU_DMA || !dev->domain || !size || size & DMA_IOVA_USE_SWIOTLB)
        return false;
    iovad = iova_domain_of(dev);
    addr = iommu_dma_alloc_iova(dev->domain, iova_align(iovad, size + iova_offset(iovad, pa)), dev->dma_mask, dev);
    if (!addr)
        return false;
    state->addr = addr + iova_offset(iovad, pa);
    state->size = size;
    return true;
}

void dma_iova_free(struct device *dev, struct dma_iova_state *state)
{
    struct iova_domain *iovad = iova_domain_of(dev);
    size_t start_pad = iova_offset(iovad, state->addr);

    iommu_dma_free_iova(dev->domain->cookie, state->addr - start_pad,
                        iova_align(iovad, dma_iova_size(state) + start_pad), NULL);
}

/* --- unlinks --- */

static void iommu_dma_iova_unlink_range_slow(struct device *dev, dma_addr_t addr, size_t size,
                                             enum dma_data_direction dir, unsigned long attrs)
{
    size_t granule = iova_mask(iova_domain_of(dev)) + 1, start_pad = iova_offset(iova_domain_of(dev), addr);
    dma_addr_t end = addr + size;

    while (addr < end) {
        phys_addr_t pa = iommu_iova_to_phys(dev->domain, addr);
        size_t room = granule - start_pad, bytes = end - addr < room ? end - addr : room;

        if (!pa)
            sim_fail("iommu: an unlink of what was not linked");
        if (syncs(dev, attrs))
            arch_sync_dma_for_cpu(pa, bytes, dir);
        swiotlb_tbl_unmap_single(dev, pa, bytes, dir, attrs);
        addr += bytes;
        start_pad = 0;
    }
    if (syncs(dev, attrs))
        arch_sync_dma_flush();
}

static void __iommu_dma_iova_unlink(struct device *dev, struct dma_iova_state *state, size_t offset, size_t size,
                                    enum dma_data_direction dir, unsigned long attrs, bool free_iova)
{
    struct iova_domain *iovad = iova_domain_of(dev);
    struct iommu_dma_cookie *cookie = dev->domain->cookie;
    dma_addr_t addr = state->addr + offset;
    size_t start_pad = iova_offset(iovad, addr);
    struct iommu_iotlb_gather gather;

    if ((state->size & DMA_IOVA_USE_SWIOTLB) || syncs(dev, attrs))
        iommu_dma_iova_unlink_range_slow(dev, addr, size, dir, attrs);
    iommu_iotlb_gather_init(&gather);
    gather.queued = free_iova && READ_ONCE(cookie->fq_domain);
    size = iova_align(iovad, size + start_pad);
    addr -= start_pad;
    if (iommu_unmap_fast(dev->domain, addr, size, &gather) != size)
        sim_fail("iommu: less was unlinked than had been linked");
    if (!gather.queued)
        iommu_iotlb_sync(dev->domain, &gather);
    if (free_iova)
        iommu_dma_free_iova(cookie, addr, size, &gather);
}

void dma_iova_unlink(struct device *dev, struct dma_iova_state *state, size_t offset, size_t size,
                     enum dma_data_direction dir, unsigned long attrs)
{
    __iommu_dma_iova_unlink(dev, state, offset, size, dir, attrs, false);
}

void dma_iova_destroy(struct device *dev, struct dma_iova_state *state, size_t mapped_bytes,
                      enum dma_data_direction dir, unsigned long attrs)
{
    if (mapped_bytes)
        __iommu_dma_iova_unlink(dev, state, 0, mapped_bytes, dir, attrs, true);
    else
        dma_iova_free(dev, state);
}

/* --- links --- */

/* Whole pages. */
static int __dma_iova_link(struct device *dev, dma_addr_t addr, phys_addr_t pa, size_t size,
                           enum dma_data_direction dir, unsigned long attrs)
{
    if (syncs(dev, attrs))
        arch_sync_dma_for_device(pa, size, dir);
    return iommu_map(dev->domain, addr, pa, size, dma_info_to_prot(dir, dev->dma_coherent));
}

static int iommu_dma_iova_bounce_and_link(struct device *dev, dma_addr_t addr, phys_addr_t pa, size_t bytes,
                                          enum dma_data_direction dir, unsigned long attrs, size_t start_pad)
{
    phys_addr_t bounce = iommu_dma_map_swiotlb(dev, pa, bytes, dir, attrs);
    int error;

    if (bounce == DMA_MAPPING_ERROR)
        return -1;
    error = __dma_iova_link(dev, addr - start_pad, bounce - start_pad,
                            iova_align(iova_domain_of(dev), bytes + start_pad), dir, attrs);
    if (error)
        swiotlb_tbl_unmap_single(dev, bounce, bytes, dir, attrs);
    return error;
}

/* The first and the last page are bounced where they are not whole. The first one's copy must have its offset in the
 * page, which it has only for a device that asks for that much alignment (min_align_mask); others get an error. */
static int iommu_dma_iova_link_swiotlb(struct device *dev, struct dma_iova_state *state, phys_addr_t pa, size_t offset,
                                       size_t size, enum dma_data_direction dir, unsigned long attrs)
{
    struct iova_domain *iovad = iova_domain_of(dev);
    size_t start_pad = iova_offset(iovad, pa), end_pad = iova_offset(iovad, pa + size), granule = iova_mask(iovad) + 1;
    dma_addr_t addr = state->addr + offset;
    size_t mapped = 0, bytes;
    int error = 0;

    if (start_pad) {
        bytes = size < granule - start_pad ? size : granule - start_pad;
        error = iommu_dma_iova_bounce_and_link(dev, addr, pa, bytes, dir, attrs, start_pad);
        if (error)
            return error;
        state->size |= DMA_IOVA_USE_SWIOTLB;
        mapped = bytes;
        size -= bytes;
        if (!size)
            return 0;
    }
    size -= end_pad;
    if (size)
        error = __dma_iova_link(dev, addr + mapped, pa + mapped, size, dir, attrs);
    if (!error) {
        mapped += size;
        if (end_pad)
            error = iommu_dma_iova_bounce_and_link(dev, addr + mapped, pa + mapped, end_pad, dir, attrs, 0);
    }
    if (error) {
        if (mapped)
            __iommu_dma_iova_unlink(dev, state, offset, mapped, dir, attrs, false);
        return error;
    }
    if (end_pad)
        state->size |= DMA_IOVA_USE_SWIOTLB;
    return 0;
}

int dma_iova_link(struct device *dev, struct dma_iova_state *state, phys_addr_t pa, size_t offset, size_t size,
                  enum dma_data_direction dir, unsigned long attrs)
{
    struct iova_domain *iovad = iova_domain_of(dev);
    size_t start_pad = iova_offset(iovad, pa);

    if (start_pad && offset > 0)
        return -1;
    if (dev_use_swiotlb(dev, size, dir) && iova_offset(iovad, pa | size))
        return iommu_dma_iova_link_swiotlb(dev, state, pa, offset, size, dir, attrs);
    return __dma_iova_link(dev, state->addr + offset - start_pad, pa - start_pad, iova_align(iovad, size + start_pad),
                           dir, attrs);
}

/* The SMMU drivers have nothing to do after a map, so this is the barrier alone. */
void dma_iova_sync(struct device *dev, struct dma_iova_state *state, size_t offset, size_t size)
{
    if (!dev->dma_coherent)
        arch_sync_dma_flush();
}
