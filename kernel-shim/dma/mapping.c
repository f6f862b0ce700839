/*
 * kernel/dma/mapping.c: the front doors. They lead to dma-iommu when the device has a domain, to the operations of Xen
 * in a guest of it, else to dma-direct.
 */
#include "iommu.h"

static bool dma_map_direct(const struct device *dev)
{
    return !IOMMU_DMA || __builtin_expect(!dev->domain, 1);
}

static bool dma_map_xen(const struct device *dev)
{
    return SWIOTLB_XEN && dev->xen;
}

dma_addr_t dma_map_single_attrs(struct device *dev, void *va, size_t size, enum dma_data_direction dir,
                                unsigned long attrs)
{
    if (dma_map_xen(dev))
        return xen_swiotlb_map_phys(dev, virt_to_phys(va), size, dir, attrs);
    if (dma_map_direct(dev))
        return dma_direct_map_phys(dev, virt_to_phys(va), size, dir, attrs, true);
    return iommu_dma_map_phys(dev, virt_to_phys(va), size, dir, attrs);
}

void dma_unmap_single_attrs(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir,
                            unsigned long attrs)
{
    if (dma_map_xen(dev))
        xen_swiotlb_unmap_phys(dev, addr, size, dir, attrs);
    else if (dma_map_direct(dev))
        dma_direct_unmap_phys(dev, addr, size, dir, attrs, true);
    else
        iommu_dma_unmap_phys(dev, addr, size, dir, attrs);
}

int dma_map_sg_attrs(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                     unsigned long attrs)
{
    if (dma_map_xen(dev))
        return xen_swiotlb_map_sg(dev, sg, nents, dir, attrs);
    if (dma_map_direct(dev))
        return dma_direct_map_sg(dev, sg, nents, dir, attrs);
    return iommu_dma_map_sg(dev, sg, nents, dir, attrs);
}

void dma_unmap_sg_attrs(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                        unsigned long attrs)
{
    if (dma_map_xen(dev))
        xen_swiotlb_unmap_sg(dev, sg, nents, dir, attrs);
    else if (dma_map_direct(dev))
        dma_direct_unmap_sg(dev, sg, nents, dir, attrs);
    else
        iommu_dma_unmap_sg(dev, sg, nents, dir, attrs);
}

void dma_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    if (dma_map_xen(dev))
        xen_swiotlb_sync_single_for_device(dev, addr, size, dir);
    else if (dma_map_direct(dev))
        dma_direct_sync_single_for_device(dev, addr, size, dir);
    else
        iommu_dma_sync_single_for_device(dev, addr, size, dir);
}

void dma_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    if (dma_map_xen(dev))
        xen_swiotlb_sync_single_for_cpu(dev, addr, size, dir);
    else if (dma_map_direct(dev))
        dma_direct_sync_single_for_cpu(dev, addr, size, dir);
    else
        iommu_dma_sync_single_for_cpu(dev, addr, size, dir);
}

void dma_sync_sg_for_device(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    if (dma_map_xen(dev))
        xen_swiotlb_sync_sg_for_device(dev, sg, nents, dir);
    else if (dma_map_direct(dev))
        dma_direct_sync_sg_for_device(dev, sg, nents, dir);
    else
        iommu_dma_sync_sg_for_device(dev, sg, nents, dir);
}

void dma_sync_sg_for_cpu(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    if (dma_map_xen(dev))
        xen_swiotlb_sync_sg_for_cpu(dev, sg, nents, dir);
    else if (dma_map_direct(dev))
        dma_direct_sync_sg_for_cpu(dev, sg, nents, dir);
    else
        iommu_dma_sync_sg_for_cpu(dev, sg, nents, dir);
}
