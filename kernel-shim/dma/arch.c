/* arch/arm64/mm/dma-mapping.c: what a DMA sync is on arm64. */
#include "dma.h"

void arch_sync_dma_for_device(phys_addr_t pa, size_t size, enum dma_data_direction dir)
{
    uintptr_t start = (uintptr_t)phys_to_virt(pa);

    if (BATCHED_SYNC)
        dcache_clean_poc_nosync(start, start + size);
    else
        dcache_clean_poc(start, start + size);
}

void arch_sync_dma_for_cpu(phys_addr_t pa, size_t size, enum dma_data_direction dir)
{
    uintptr_t start = (uintptr_t)phys_to_virt(pa);

    if (dir == DMA_TO_DEVICE)
        return;
    if (BATCHED_SYNC)
        dcache_inval_poc_nosync(start, start + size);
    else
        dcache_inval_poc(start, start + size);
}

void arch_sync_dma_flush(void)
{
    if (BATCHED_SYNC)
        dsb(sy);
}
