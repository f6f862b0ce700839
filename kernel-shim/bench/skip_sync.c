/*
 * A core that receives and drops frames as fast as it can (XDP_DROP) while the link partner fills the wire: what syncs
 * cost that do nothing. Every frame's bytes and number are checked. Parameters: iommu (1: behind the SMMU), xsk (1:
 * zero-copy into an AF_XDP socket's buffers, which the network stack does not see), xsk_batch (0: the driver takes
 * these one by one), entries, frame_bytes (with FCS), packets, warmup; and net.receive_instructions.
 */
#include "iommu.h"
#include "netstack.h"
#include "nic.h"
#include "percpu.h"
#include "swiotlb.h"

#define NAPI_POLL_WEIGHT 64
#define CHUNK_SHIFT      11
#define QUIET_NS         20000 /* after that nothing is on its way any more */

enum { REGION_RECEIVE };

static struct {
    uint64_t next; /* number that the next frame has at least */
    uint64_t lost; /* numbers that were missing */
    uint64_t receive_instructions;
} check;
static struct device dev;
static struct nic_ring rx;
static volatile bool scheduled; /* NAPI: the interrupt has come, polling goes on */

/* The program, and what the stack does before it. */
void bpf_prog_run_xdp(const void *data, uint32_t bytes)
{
    const uint64_t *words = data;
    uint64_t sum = 0;

    if (check.receive_instructions)
        netif_receive_work(check.receive_instructions);
    for (uint32_t i = 0; i < bytes / 8; i++)
        sum += words[i];
    if (bytes & 4)
        sum += *(const uint32_t *)&words[bytes / 8];
    if (sum || words[2] < check.next)
        sim_fail("a frame has wrong bytes or came twice");
    check.lost += words[2] - check.next;
    check.next = words[2] + 1;
}

static void napi_schedule(void *data)
{
    scheduled = true;
}

/* Until this many frames are received. */
static void receive(uint64_t frames)
{
    for (uint64_t done = 0; done < frames;) {
        unsigned budget = frames - done < NAPI_POLL_WEIGHT ? (unsigned)(frames - done) : NAPI_POLL_WEIGHT, work;
        local_irq_disable();
        if (!scheduled)
            asm volatile("wfi" ::: "memory");
        local_irq_enable();
        if (!scheduled)
            continue;
        work = nic_clean_rx(&rx, budget);
        done += work;
        if (work < budget) {
            scheduled = false;
            nic_enable(NIC_CAUSE_RX);
        }
    }
}

static void create_device(bool iommu)
{
    dev = (struct device){.dma_coherent = sim_param("nic.coherent", 0)};
    dev.dma_io_tlb_mem = swiotlb_init(4 << 20, swiotlb_default_areas());
    if (iommu && !iommu_attach_device(&dev, NIC_STREAM_ID, false))
        sim_fail("the platform has no SMMU (smmu.kind)");
    dma_set_mask(&dev, ~0ull >> 16);
}

static void create_buffers(bool xsk, unsigned entries)
{
    if (xsk) {
        rx.xsk_pool = xp_create(&dev, 2 * entries, CHUNK_SHIFT);
        rx.xsk_batch = sim_param("xsk_batch", 1);
    } else {
        rx.page_pool = page_pool_create(&dev, DMA_FROM_DEVICE, NIC_RX_HEADROOM, NIC_RX_BUFFER_BYTES);
    }
}

/* What the interface has counted is what was seen and what was missed. */
static void finish(uint64_t received)
{
    uint64_t missed;

    nic_control(NIC_CTRL_RX); /* the link partner is silent; what is on its way still comes */
    for (uint64_t end_ns = ktime_get_ns() + QUIET_NS; ktime_get_ns() < end_ns;) {
        unsigned work = nic_clean_rx(&rx, NAPI_POLL_WEIGHT);
        received += work;
        if (work)
            end_ns = ktime_get_ns() + QUIET_NS;
    }
    missed = nic_count(NIC_RX_NO_DESCRIPTOR) + nic_count(NIC_RX_OVERFLOW);
    if (received != nic_count(NIC_RX_FRAMES) || check.lost > missed || check.next + missed - check.lost < received ||
        nic_count(NIC_RX_ERRORS) || rx.failed)
        sim_fail("frames seen, frames counted and frames lost do not agree");
    nic_control(0);
    nic_release_receive(&rx);
    if (rx.page_pool)
        page_pool_destroy(rx.page_pool);
    else
        xp_destroy(rx.xsk_pool);
}

int main(void)
{
    unsigned entries = (unsigned)sim_param("entries", 512);
    uint64_t packets = sim_param("packets", 4000), warmup = sim_param("warmup", 2000), begin_ns, ns;
    bool xsk = sim_param("xsk", 0);

    if (entries < 2 * NIC_RX_BUFFER_WRITE || entries > 4096 || (entries & (entries - 1)) || packets == 0)
        sim_fail("entries is a power of two, 64 to 4096; packets 1 or more");
    check.receive_instructions = xsk ? 0 : sim_param("net.receive_instructions", 0);
    create_device(sim_param("iommu", 0));
    nic_init_receive(&rx, &dev, entries);
    create_buffers(xsk, entries);
    nic_generate((uint32_t)sim_param("frame_bytes", 64), 0);
    nic_request_irq(napi_schedule, NULL);
    nic_enable(NIC_CAUSE_RX);
    nic_control(NIC_CTRL_RX);
    nic_fill(&rx);
    nic_control(NIC_CTRL_RX | NIC_CTRL_GENERATE);
    receive(warmup);
    sim_region_name(REGION_RECEIVE, "receive");
    begin_ns = ktime_get_ns();
    sim_region_begin(REGION_RECEIVE);
    receive(packets);
    sim_region_end(REGION_RECEIVE);
    ns = ktime_get_ns() - begin_ns;
    sim_emit("", "packets", "1/s", (int64_t)(packets * 1000000000000ull / ns), 1000);
    sim_emit("", "cycles", "a packet", (int64_t)(ns * (sim_param("cpu.freq_hz", 0) / 1000000) / packets), 1000);
    finish(warmup + packets);
    return 0;
}
