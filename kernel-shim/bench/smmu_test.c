/*
 * The ECMDQ benchmark (Tanmay Jagdale, 2024; source not published): a thread a core sends requests: map, a table walk
 * by a DMA access, unmap. Parameters: threads and those of throughput.h; large_every (8: every eighth request of a
 * thread has two pages, the others one; 0: all have one), think_ns between two
 * requests, walk (1: the copy engine reads through the mapping, channel = core; 0: no access), cmdq_batch,
 * ecmdq_queues, ecmdq_private.
 */
#include "delay.h"
#include "dma.h"
#include "dmac.h"
#include "iommu.h"
#include "percpu.h"
#include "smmu/queue_report.h"
#include "throughput.h"

enum { STREAM_ID = 0, REGION_UNMAP };

static struct device dev;
static unsigned large_every;
static uint64_t think_ns;
static bool walk, regions;
static struct {
    void *buffer;
    struct dmac_descriptor *descriptor;
    dma_addr_t descriptor_address;
} own[MAX_CPUS];

static void table_walk(unsigned cpu, dma_addr_t addr)
{
    own[cpu].descriptor->source = addr;
    dma_wmb();
    if (dmac_channel_run(cpu, STREAM_ID, own[cpu].descriptor_address, dev.dma_coherent))
        sim_fail("a DMA access through a mapping failed");
}

static void work(unsigned cpu)
{
    unsigned request = cpu; /* the large ones of the threads do not coincide */

    do {
        queue_report_look(cpu);
        size_t bytes = large_every && ++request % large_every == 0 ? 2 * PAGE_SIZE : PAGE_SIZE;
        bool measured = regions && throughput_measuring();
        dma_addr_t addr = dma_map_single(&dev, own[cpu].buffer, bytes, DMA_BIDIRECTIONAL);

        if (walk)
            table_walk(cpu, addr);
        if (measured)
            sim_region_begin(REGION_UNMAP);
        dma_unmap_single(&dev, addr, bytes, DMA_BIDIRECTIONAL);
        if (measured)
            sim_region_end(REGION_UNMAP);
        if (think_ns)
            ndelay(think_ns);
    } while (throughput_count(cpu, 1));
}

int main(void)
{
    unsigned threads = (unsigned)sim_param("threads", num_online_cpus());

    large_every = (unsigned)sim_param("large_every", 8);
    think_ns = sim_param("think_ns", 0);
    walk = sim_param("walk", 1);
    regions = sim_param("regions", 1);
    if (threads < 1 || threads > num_online_cpus())
        sim_fail("threads is 1 to cpu.cores");
    if (walk && threads > sim_param("dmac.channels", 1))
        sim_fail("a table walk needs a channel of the copy engine for each thread: raise dmac.channels");
    dev = (struct device){.dma_coherent = sim_param("dmac.coherent", 0), .dma_mask = ~0ull >> 16};
    if (!iommu_attach_device(&dev, STREAM_ID, false))
        sim_fail("the platform has no SMMU (smmu.kind)");
    for (unsigned cpu = 0; cpu < threads; cpu++) {
        own[cpu].buffer = alloc_pages_exact(2 * PAGE_SIZE);
        own[cpu].descriptor = alloc_pages_exact(PAGE_SIZE);
        *own[cpu].descriptor = (struct dmac_descriptor){.bytes = 64, .flags = DMAC_DISCARD};
        own[cpu].descriptor_address = dma_map_single(&dev, own[cpu].descriptor, PAGE_SIZE, DMA_BIDIRECTIONAL);
    }
    sim_region_name(REGION_UNMAP, "unmap");
    local_irq_enable();
    throughput_run(threads, work);
    throughput_emit("");
    queue_report_emit(threads);
    for (unsigned cpu = 0; cpu < threads; cpu++)
        dma_unmap_single(&dev, own[cpu].descriptor_address, PAGE_SIZE, DMA_BIDIRECTIONAL);
    return 0;
}
