/* kernel/dma/mapping.c: the front doors. They lead to dma-iommu when the device has a domain, else to dma-direct. */
#include "iommu.h"

static bool dma_map_direct(const struct device *dev)
{
    return !IOMMU_DMA || __builtin_expect(!dev->domain, 1);
}

dma_addr_t dma_map_single(struct device *dev, void *va, size_t size, enum dma_data_direction dir)
{
    if (dma_map_direct(dev))
        return dma_direct_map_phys(dev, virt_to_phys(va), size, dir, 0, true);
    return iommu_dma_map_phys(dev, virt_to_phys(va), size, dir, 0);
}

void dma_unmap_single(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    if (dma_map_direct(dev))
        dma_direct_unmap_phys(dev, addr, size, dir, 0, true);
    else
        iommu_dma_unmap_phys(dev, addr, size, dir, 0);
}

int dma_map_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    if (dma_map_direct(dev))
        return dma_direct_map_sg(dev, sg, nents, dir, 0);
    return iommu_dma_map_sg(dev, sg, nents, dir, 0);
}

void dma_unmap_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    if (dma_map_direct(dev))
        dma_direct_unmap_sg(dev, sg, nents, dir, 0);
    else
        iommu_dma_unmap_sg(dev, sg, nents, dir, 0);
}

void dma_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    if (dma_map_direct(dev))
        dma_direct_sync_single_for_device(dev, addr, size, dir);
    else
        iommu_dma_sync_single_for_device(dev, addr, size, dir);
}

void dma_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    if (dma_map_direct(dev))
        dma_direct_sync_single_for_cpu(dev, addr, size, dir);
    else
        iommu_dma_sync_single_for_cpu(dev, addr, size, dir);
}

void dma_sync_sg_for_device(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    if (dma_map_direct(dev))
        dma_direct_sync_sg_for_device(dev, sg, nents, dir);
    else
        iommu_dma_sync_sg_for_device(dev, sg, nents, dir);
}

void dma_sync_sg_for_cpu(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    if (dma_map_direct(dev))
        dma_direct_sync_sg_for_cpu(dev, sg, nents, dir);
    else
        iommu_dma_sync_sg_for_cpu(dev, sg, nents, dir);
}
