/*
 * Self test of the network interface, its driver, the page pool and AF_XDP buffers: frames of many lengths go out and
 * come back by loopback, with interrupts, over rings that wrap, and every byte is looked at. Then the flags by which
 * syncs are skipped. Parameters: iommu, xsk, xsk_batch as in skip_sync; frames; mistake (1: the doorbell is rung
 * without a barrier, 2: syncs are skipped though the device is not coherent): the detector sees it, bytes may be wrong.
 */
#include "iommu.h"
#include "nic.h"
#include "percpu.h"
#include "selftest.h"
#include "swiotlb.h"

#define ENTRIES     64
#define BATCH       4
#define FRAME_BYTES 1514
#define TX_TAIL     (NIC_BASE + 0x78)

enum { MISTAKE_DOORBELL = 1, MISTAKE_SYNC = 2 };

static struct {
    struct device dev;
    struct nic_ring rx, tx;
    char *frames[BATCH];
    dma_addr_t dma[BATCH];
    uint64_t received, wrong, sent_bytes;
    unsigned mistake, interrupts;
    volatile bool interrupted;
} test;

static uint32_t length_of(uint64_t frame)
{
    return 14 + (uint32_t)(frame * 37 % (FRAME_BYTES - 13));
}

static char byte_of(uint64_t frame, uint32_t i)
{
    return (char)(frame * 31 + i * 7 + i / 256);
}

/* Frames come back in order, short ones padded with zeros. */
void bpf_prog_run_xdp(const void *data, uint32_t bytes)
{
    const char *got = data;
    uint32_t length = length_of(test.received), padded = length < 60 ? 60 : length;
    bool fine = bytes == padded;

    for (uint32_t i = 0; fine && i < padded; i++)
        fine = got[i] == (i < length ? byte_of(test.received, i) : 0);
    test.received++;
    test.wrong += !fine;
}

static void interrupt(void *data)
{
    test.interrupts++;
    test.interrupted = true;
}

/* Unless descriptors were written back meanwhile, until the next interrupt. */
static void sleep(void)
{
    nic_enable(NIC_CAUSE_RX | NIC_CAUSE_TX);
    local_irq_disable();
    if (!test.interrupted)
        asm volatile("wfi" ::: "memory");
    local_irq_enable();
    test.interrupted = false;
}

static void send(uint64_t first)
{
    for (unsigned n = 0; n < BATCH; n++) {
        uint32_t length = length_of(first + n);
        for (uint32_t i = 0; i < length; i++)
            test.frames[n][i] = byte_of(first + n, i);
        test.dma[n] = dma_map_single(&test.dev, test.frames[n], length, DMA_TO_DEVICE);
        CHECK(test.dma[n] != DMA_MAPPING_ERROR);
        nic_transmit(&test.tx, test.dma[n], length, n == BATCH - 1);
        test.sent_bytes += length < 60 ? 60 : length;
    }
    if (test.mistake == MISTAKE_DOORBELL)
        writel_relaxed(test.tx.next_to_use & test.tx.mask, TX_TAIL);
    else
        nic_kick(&test.tx);
}

static void wait(uint64_t received)
{
    bool sent = false;

    while (!sent || test.received < received) {
        bool progress = nic_clean_rx(&test.rx, ENTRIES) > 0;
        if (!sent && nic_transmitted(&test.tx, BATCH))
            sent = progress = true;
        if (!progress && !test.mistake) /* to sleep takes a barrier, which would hide that one is missing */
            sleep();
    }
}

static void loop(uint64_t frames)
{
    for (uint64_t first = 0; first < frames; first += BATCH) {
        send(first);
        wait(first + BATCH);
        for (unsigned n = 0; n < BATCH; n++)
            dma_unmap_single(&test.dev, test.dma[n], length_of(first + n), DMA_TO_DEVICE);
    }
    CHECK(nic_count(NIC_TX_FRAMES) == frames && nic_count(NIC_RX_FRAMES) == frames);
    CHECK(nic_count(NIC_TX_BYTES) == test.sent_bytes && nic_count(NIC_RX_BYTES) == test.sent_bytes);
    CHECK(nic_count(NIC_RX_NO_DESCRIPTOR) == 0 && nic_count(NIC_RX_OVERFLOW) == 0);
    CHECK(nic_count(NIC_RX_ERRORS) == 0 && nic_count(NIC_TX_ERRORS) == 0);
    CHECK(!test.rx.failed && !test.tx.failed);
    CHECK(test.mistake || test.interrupts > 0);
    CHECK(test.mistake || test.wrong == 0);
}

/* More pages than the cache holds, returned from elsewhere: they come back out of the pool's ring. */
static void check_page_pool(struct page_pool *pool)
{
    static struct page *pages[2 * PP_ALLOC_CACHE_SIZE];
    unsigned allocated;

    for (unsigned i = 0; i < 2 * PP_ALLOC_CACHE_SIZE; i++) {
        pages[i] = page_pool_dev_alloc_pages(pool);
        CHECK(pages[i]->dma_addr != DMA_MAPPING_ERROR);
    }
    allocated = pool->pages;
    for (unsigned i = 0; i < 2 * PP_ALLOC_CACHE_SIZE; i++)
        page_pool_put_unrefed_page(pool, pages[i], 64, i < PP_ALLOC_CACHE_SIZE / 2);
    for (unsigned i = 0; i < 2 * PP_ALLOC_CACHE_SIZE; i++)
        pages[i] = page_pool_dev_alloc_pages(pool);
    CHECK(pool->pages == allocated);
    pages[0]->refcount = 2; /* somebody else holds it: it leaves the pool */
    for (unsigned i = 0; i < 2 * PP_ALLOC_CACHE_SIZE; i++)
        page_pool_put_unrefed_page(pool, pages[i], ~0u, true);
    CHECK(pool->pages == allocated - 1);
}

/* A coherent device needs no syncs until something of it is bounced. */
static void check_skipping(bool iommu)
{
    struct device *dev = &test.dev;
    char *buffer = alloc_pages_exact(PAGE_SIZE);
    dma_addr_t dma = dma_map_single(dev, buffer, PAGE_SIZE, DMA_FROM_DEVICE);

    CHECK(dma_dev_need_sync(dev) == !(DMA_SKIP_SYNC && dev->dma_coherent));
    CHECK(dma_need_sync(dev, dma) == (!dev->dma_coherent || (!DMA_SKIP_SYNC && iommu)));
    dma_unmap_single(dev, dma, PAGE_SIZE, DMA_FROM_DEVICE);
    if (!iommu) {
        dev->dma_io_tlb_mem->force_bounce = true;
        dma = dma_map_single(dev, buffer, PAGE_SIZE, DMA_FROM_DEVICE);
        CHECK(dma_dev_need_sync(dev) && dma_need_sync(dev, dma));
        dma_unmap_single(dev, dma, PAGE_SIZE, DMA_FROM_DEVICE);
        dev->dma_io_tlb_mem->force_bounce = false;
        CHECK(dma_dev_need_sync(dev)); /* for good */
    }
    free_pages_exact(buffer, PAGE_SIZE);
}

static void create(bool iommu, bool xsk)
{
    struct device *dev = &test.dev;

    *dev = (struct device){.dma_coherent = sim_param("nic.coherent", 0)};
    dev->dma_io_tlb_mem = swiotlb_init(4 << 20, swiotlb_default_areas());
    if (iommu && !iommu_attach_device(dev, NIC_STREAM_ID, false))
        sim_fail("the platform has no SMMU (smmu.kind)");
    dma_set_mask(dev, ~0ull >> 16);
    if (test.mistake == MISTAKE_SYNC)
        dev->dma_skip_sync = true;
    for (unsigned n = 0; n < BATCH; n++)
        test.frames[n] = alloc_pages_exact(PAGE_SIZE);
    nic_init_receive(&test.rx, dev, ENTRIES);
    nic_init_transmit(&test.tx, dev, ENTRIES);
    test.rx.xsk_batch = sim_param("xsk_batch", 1);
    if (xsk)
        test.rx.xsk_pool = xp_create(dev, 2 * ENTRIES, 11);
    else
        test.rx.page_pool = page_pool_create(dev, DMA_FROM_DEVICE, NIC_RX_HEADROOM, NIC_RX_BUFFER_BYTES);
}

int main(void)
{
    bool iommu = sim_param("iommu", 0), xsk = sim_param("xsk", 0);

    test.mistake = (unsigned)sim_param("mistake", 0);
    create(iommu, xsk);
    nic_request_irq(interrupt, NULL);
    local_irq_enable();
    nic_control(NIC_CTRL_RX | NIC_CTRL_TX | NIC_CTRL_LOOPBACK);
    nic_fill(&test.rx);
    loop(sim_param("frames", 5 * ENTRIES) / BATCH * BATCH);
    nic_control(0);
    nic_release_receive(&test.rx);
    nic_release_ring(&test.tx);
    if (xsk) {
        xp_destroy(test.rx.xsk_pool);
    } else {
        check_page_pool(test.rx.page_pool);
        page_pool_destroy(test.rx.page_pool);
    }
    if (!test.mistake)
        check_skipping(iommu);
    sim_emit("", "wrong_frames", "", (int64_t)test.wrong, 1);
    sim_emit("", "interrupts", "", test.interrupts, 1);
    return 0;
}
