/* kernel/dma/mapping.c: the front doors. A device here has no other DMA operations, so all lead to dma-direct. */
#include "dma.h"

dma_addr_t dma_map_single(struct device *dev, void *va, size_t size, enum dma_data_direction dir)
{
    return dma_direct_map_phys(dev, virt_to_phys(va), size, dir, 0, true);
}

void dma_unmap_single(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    dma_direct_unmap_phys(dev, addr, size, dir, 0, true);
}

int dma_map_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    return dma_direct_map_sg(dev, sg, nents, dir, 0);
}

void dma_unmap_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    dma_direct_unmap_sg(dev, sg, nents, dir, 0);
}

void dma_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    dma_direct_sync_single_for_device(dev, addr, size, dir);
}

void dma_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    dma_direct_sync_single_for_cpu(dev, addr, size, dir);
}

void dma_sync_sg_for_device(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    dma_direct_sync_sg_for_device(dev, sg, nents, dir);
}

void dma_sync_sg_for_cpu(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    dma_direct_sync_sg_for_cpu(dev, sg, nents, dir);
}
