/*
 * The harness of the 2020 measurements (John Garry): a thread a core; 50 times map 4 KB to the device and copy 4 KB,
 * then 50 unmaps. Parameters: threads and those of throughput.h; burst (50), think_ns, cmdq_batch, force_sync,
 * disable_msipolling, ecmdq_queues, lazy.
 */
#include "delay.h"
#include "dma.h"
#include "iommu.h"
#include "percpu.h"
#include "smmu/queue_report.h"
#include "throughput.h"

#define BURST_MOST 64

static struct device dev;
static unsigned burst;
static uint64_t think_ns; /* what else the harness does for a mapping, e.g. allocate its buffers */

struct buffers {
    void *in[BURST_MOST], *out[BURST_MOST];
    dma_addr_t addr[BURST_MOST];
};
static struct buffers *buffers[MAX_CPUS];

static void work(unsigned cpu)
{
    struct buffers *own = buffers[cpu];

    do {
        queue_report_look(cpu);
        for (unsigned i = 0; i < burst; i++) {
            own->addr[i] = dma_map_single(&dev, own->in[i], PAGE_SIZE, DMA_TO_DEVICE);
            memcpy(own->out[i], own->in[i], PAGE_SIZE);
            if (think_ns)
                ndelay(think_ns);
        }
        for (unsigned i = 0; i < burst; i++) {
            dma_unmap_single(&dev, own->addr[i], PAGE_SIZE, DMA_TO_DEVICE);
            if (!throughput_count(cpu, 1)) {
                for (i++; i < burst; i++) /* leave nothing mapped */
                    dma_unmap_single(&dev, own->addr[i], PAGE_SIZE, DMA_TO_DEVICE);
                return;
            }
        }
    } while (true);
}

int main(void)
{
    unsigned threads = (unsigned)sim_param("threads", num_online_cpus());

    burst = (unsigned)sim_param("burst", 50);
    think_ns = sim_param("think_ns", 0);
    if (threads < 1 || threads > num_online_cpus() || burst < 1 || burst > BURST_MOST)
        sim_fail("threads is 1 to cpu.cores, burst 1 to 64");
    dev = (struct device){.dma_coherent = sim_param("dmac.coherent", 0), .dma_mask = ~0ull >> 16};
    if (!iommu_attach_device(&dev, 0, sim_param("lazy", 0)))
        sim_fail("the platform has no SMMU (smmu.kind)");
    for (unsigned cpu = 0; cpu < threads; cpu++) {
        buffers[cpu] = alloc_pages_exact(sizeof(*buffers[cpu]));
        for (unsigned i = 0; i < burst; i++) {
            buffers[cpu]->in[i] = alloc_pages_exact(PAGE_SIZE);
            buffers[cpu]->out[i] = alloc_pages_exact(PAGE_SIZE);
        }
    }
    local_irq_enable();
    throughput_run(threads, work);
    throughput_emit("");
    queue_report_emit(threads);
    return 0;
}
