#include "dmac.h"

#include "dma.h"
#include "simctl.h"

enum { CTRL = 0x00, STATUS = 0x08, DESC = 0x10, ERROR_STATUS = 0x20, STREAM = 0x24, ATTRIBUTES = 0x2C };
#define CHANNEL_BYTES 0x100
enum { STATUS_DONE = 2, STATUS_ERROR = 4 };

void *dma_alloc_coherent(size_t bytes, uint64_t *dma_address)
{
    char *pages = alloc_pages_exact(bytes);

    /* no line of it may stay in a cache: the memory is used through its Non-cacheable address only */
    for (unsigned pass = 0; pass < 1 + WORKAROUND_4311569; pass++)
        for (size_t i = 0; i < bytes; i += 64)
            asm volatile("dc civac, %0" ::"r"(pages + i) : "memory");
    mb();
    *dma_address = virt_to_phys(pages);
    return memset(pages + NONCACHEABLE_OFFSET, 0, bytes);
}

void dmac_prepare(uint64_t descriptor, bool coherent)
{
    writeq_relaxed(STATUS_DONE | STATUS_ERROR, DMAC_BASE + STATUS);
    writel_relaxed(coherent, DMAC_BASE + ATTRIBUTES);
    writeq_relaxed(descriptor, DMAC_BASE + DESC);
}

void dmac_ring(bool interrupt)
{
    writeq_relaxed(interrupt ? 3 : 1, DMAC_BASE + CTRL);
}

uint32_t dmac_wait(void)
{
    while (!(readq_relaxed(DMAC_BASE + STATUS) & STATUS_DONE))
        cpu_relax();
    dma_rmb();
    return readl_relaxed(DMAC_BASE + ERROR_STATUS);
}

uint32_t dmac_channel_run(unsigned channel, uint32_t sid, uint64_t descriptor, bool coherent)
{
    uintptr_t base = DMAC_BASE + (uintptr_t)channel * CHANNEL_BYTES;

    writeq_relaxed(STATUS_DONE | STATUS_ERROR, base + STATUS);
    writel_relaxed(sid, base + STREAM);
    writel_relaxed(coherent, base + ATTRIBUTES);
    writeq_relaxed(descriptor, base + DESC);
    dma_wmb();
    writeq_relaxed(1, base + CTRL);
    while (!(readq_relaxed(base + STATUS) & STATUS_DONE))
        cpu_relax();
    dma_rmb();
    return readl_relaxed(base + ERROR_STATUS);
}
