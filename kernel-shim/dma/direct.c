/* kernel/dma/direct.c: DMA addresses are physical addresses, of the buffer or of its bounce buffer. */
#include "swiotlb.h"

bool dma_capable(const struct device *dev, dma_addr_t addr, size_t size)
{
    return addr + size - 1 <= dev->dma_mask;
}

dma_addr_t dma_direct_map_phys(struct device *dev, phys_addr_t pa, size_t size, enum dma_data_direction dir,
                               unsigned long attrs, bool flush)
{
    dma_addr_t addr = pa;

    if (is_swiotlb_force_bounce(dev))
        return swiotlb_map(dev, pa, size, dir, attrs);
    if (!dma_capable(dev, addr, size) || dma_kmalloc_needs_bounce(dev, size, dir))
        return is_swiotlb_active(dev) ? swiotlb_map(dev, pa, size, dir, attrs) : DMA_MAPPING_ERROR;
    if (!dev->dma_coherent && !(attrs & DMA_ATTR_SKIP_CPU_SYNC)) {
        arch_sync_dma_for_device(pa, size, dir);
        if (flush)
            arch_sync_dma_flush();
    }
    return addr;
}

/* The copy out of a bounce buffer comes last, and waits by itself. */
static void sync_for_cpu(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir, bool flush)
{
    if (!dev->dma_coherent) {
        arch_sync_dma_for_cpu(addr, size, dir);
        if (flush)
            arch_sync_dma_flush();
    }
    swiotlb_sync_single_for_cpu(dev, addr, size, dir);
}

void dma_direct_unmap_phys(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir,
                           unsigned long attrs, bool flush)
{
    if (!(attrs & DMA_ATTR_SKIP_CPU_SYNC))
        sync_for_cpu(dev, addr, size, dir, flush);
    swiotlb_tbl_unmap_single(dev, addr, size, dir, attrs | DMA_ATTR_SKIP_CPU_SYNC);
}

int dma_direct_map_sg(struct device *dev, struct scatterlist *sgl, int nents, enum dma_data_direction dir,
                      unsigned long attrs)
{
    struct scatterlist *sg = sgl;

    for (int i = 0; i < nents; i++, sg = sg_next(sg)) {
        sg->dma_address = dma_direct_map_phys(dev, sg->pa, sg->length, dir, attrs, false);
        if (sg->dma_address == DMA_MAPPING_ERROR) {
            dma_direct_unmap_sg(dev, sgl, i, dir, attrs | DMA_ATTR_SKIP_CPU_SYNC);
            return 0;
        }
        sg->dma_length = sg->length;
    }
    if (nents && !dev->dma_coherent) /* also when every entry skipped its sync */
        arch_sync_dma_flush();
    return nents;
}

void dma_direct_unmap_sg(struct device *dev, struct scatterlist *sgl, int nents, enum dma_data_direction dir,
                         unsigned long attrs)
{
    struct scatterlist *sg = sgl;

    for (int i = 0; i < nents; i++, sg = sg_next(sg))
        dma_direct_unmap_phys(dev, sg->dma_address, sg->dma_length, dir, attrs, false);
    if (nents && !dev->dma_coherent)
        arch_sync_dma_flush();
}

void dma_direct_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    swiotlb_sync_single_for_device(dev, addr, size, dir);
    if (dev->dma_coherent)
        return;
    arch_sync_dma_for_device(addr, size, dir);
    arch_sync_dma_flush();
}

void dma_direct_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    sync_for_cpu(dev, addr, size, dir, true);
}

void dma_direct_sync_sg_for_device(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    for (int i = 0; i < nents; i++, sg = sg_next(sg)) {
        swiotlb_sync_single_for_device(dev, sg->dma_address, sg->length, dir);
        if (!dev->dma_coherent)
            arch_sync_dma_for_device(sg->dma_address, sg->length, dir);
    }
    if (!dev->dma_coherent)
        arch_sync_dma_flush();
}

void dma_direct_sync_sg_for_cpu(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    for (int i = 0; i < nents; i++, sg = sg_next(sg))
        sync_for_cpu(dev, sg->dma_address, sg->length, dir, false);
    if (!dev->dma_coherent)
        arch_sync_dma_flush();
}

bool dma_direct_need_sync(struct device *dev, dma_addr_t addr)
{
    return !dev->dma_coherent || swiotlb_find_pool(dev, addr);
}
