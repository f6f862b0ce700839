/*
 * kernel/dma/mapping.c: the front doors. They lead to dma-iommu when the device has a domain, to the operations of Xen
 * in a guest of it, else to dma-direct.
 */
#include "iommu.h"

/* dma-iommu: by the device's pointers, or called by name. */
#if DMA_MAP_OPS
#define DMA_OPS(dev)                 ((dev)->dma_ops)
#define IOMMU_DMA_HAS(dev, op)       ((dev)->dma_ops->op)
#define IOMMU_DMA_CALL(dev, op, ...) ((dev)->dma_ops->op(dev, __VA_ARGS__))
#else
#define DMA_OPS(dev)                 ((dev)->domain)
#define IOMMU_DMA_HAS(dev, op)       true
#define IOMMU_DMA_CALL(dev, op, ...) (iommu_dma_##op(dev, __VA_ARGS__))
#endif

static bool dma_map_direct(const struct device *dev)
{
    return !IOMMU_DMA || __builtin_expect(!DMA_OPS(dev), 1);
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
    return IOMMU_DMA_CALL(dev, map_phys, virt_to_phys(va), size, dir, attrs);
}

void dma_unmap_single_attrs(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir,
                            unsigned long attrs)
{
    if (dma_map_xen(dev))
        xen_swiotlb_unmap_phys(dev, addr, size, dir, attrs);
    else if (dma_map_direct(dev))
        dma_direct_unmap_phys(dev, addr, size, dir, attrs, true);
    else
        IOMMU_DMA_CALL(dev, unmap_phys, addr, size, dir, attrs);
}

int dma_map_sg_attrs(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                     unsigned long attrs)
{
    if (dma_map_xen(dev))
        return xen_swiotlb_map_sg(dev, sg, nents, dir, attrs);
    if (dma_map_direct(dev))
        return dma_direct_map_sg(dev, sg, nents, dir, attrs);
    return IOMMU_DMA_CALL(dev, map_sg, sg, nents, dir, attrs);
}

void dma_unmap_sg_attrs(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                        unsigned long attrs)
{
    if (dma_map_xen(dev))
        xen_swiotlb_unmap_sg(dev, sg, nents, dir, attrs);
    else if (dma_map_direct(dev))
        dma_direct_unmap_sg(dev, sg, nents, dir, attrs);
    else
        IOMMU_DMA_CALL(dev, unmap_sg, sg, nents, dir, attrs);
}

void __dma_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    if (dma_map_xen(dev))
        xen_swiotlb_sync_single_for_device(dev, addr, size, dir);
    else if (dma_map_direct(dev))
        dma_direct_sync_single_for_device(dev, addr, size, dir);
    else if (IOMMU_DMA_HAS(dev, sync_single_for_device))
        IOMMU_DMA_CALL(dev, sync_single_for_device, addr, size, dir);
}

void __dma_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    if (dma_map_xen(dev))
        xen_swiotlb_sync_single_for_cpu(dev, addr, size, dir);
    else if (dma_map_direct(dev))
        dma_direct_sync_single_for_cpu(dev, addr, size, dir);
    else if (IOMMU_DMA_HAS(dev, sync_single_for_cpu))
        IOMMU_DMA_CALL(dev, sync_single_for_cpu, addr, size, dir);
}

void __dma_sync_sg_for_device(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    if (dma_map_xen(dev))
        xen_swiotlb_sync_sg_for_device(dev, sg, nents, dir);
    else if (dma_map_direct(dev))
        dma_direct_sync_sg_for_device(dev, sg, nents, dir);
    else if (IOMMU_DMA_HAS(dev, sync_sg_for_device))
        IOMMU_DMA_CALL(dev, sync_sg_for_device, sg, nents, dir);
}

void __dma_sync_sg_for_cpu(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    if (dma_map_xen(dev))
        xen_swiotlb_sync_sg_for_cpu(dev, sg, nents, dir);
    else if (dma_map_direct(dev))
        dma_direct_sync_sg_for_cpu(dev, sg, nents, dir);
    else if (IOMMU_DMA_HAS(dev, sync_sg_for_cpu))
        IOMMU_DMA_CALL(dev, sync_sg_for_cpu, sg, nents, dir);
}

bool __dma_need_sync(struct device *dev, dma_addr_t addr)
{
    return !dma_map_direct(dev) || dma_direct_need_sync(dev, addr);
}

static bool dma_can_skip_sync(const struct device *dev)
{
    if (dma_map_xen(dev))
        return false;
#if DMA_MAP_OPS
    return dma_map_direct(dev) || (dev->dma_ops->flags & DMA_F_CAN_SKIP_SYNC);
#else
    return true;
#endif
}

void dma_set_mask(struct device *dev, uint64_t mask)
{
    dev->dma_mask = mask;
    dev->dma_skip_sync = dma_can_skip_sync(dev) && dev->dma_coherent;
}
