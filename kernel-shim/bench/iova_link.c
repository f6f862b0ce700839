/*
 * A range of IOVAs with a page linked after another (dma_iova_*), used by a device, and destroyed; over and over, with
 * a look at every byte. Parameters: entries (of a page each), iterations, warmup, direction (0 bidirectional, 1 to
 * device, 2 from device). Regions link (with the sync) and unlink (with the free); emits wrong_bytes.
 */
#include "dmac.h"
#include "iommu.h"

enum { REGION_LINK, REGION_UNLINK, STREAM_ID = 0 };

static struct {
    unsigned entries;
    enum dma_data_direction dir;
    struct device dev;
    uint64_t **pages;
    struct dmac_descriptor *descriptor; /* Non-cacheable */
    dma_addr_t descriptor_dma, target_dma;
    uint64_t *target; /* Non-cacheable */
    uint64_t wrong_bytes;
} test;

/* Memory that the device has at a low address for good; no IOVA is given there. */
static void *map_for_good(size_t bytes, dma_addr_t at)
{
    uint64_t pa;
    void *memory = dma_alloc_coherent(bytes, &pa);

    if (iommu_map(test.dev.domain, at, pa, bytes, IOMMU_READ | IOMMU_WRITE))
        sim_fail("iova_link: the device's own memory cannot be mapped");
    return memory;
}

static void device_works(uint64_t source, uint64_t destination, size_t bytes, unsigned flags)
{
    *test.descriptor = (struct dmac_descriptor){
        .source = source, .destination = destination, .bytes = (uint32_t)bytes, .flags = flags};
    if (dmac_channel_run(0, STREAM_ID, test.descriptor_dma, false))
        sim_fail("iova_link: the device could not reach memory");
}

static void expect(const uint64_t *words, size_t bytes, uint64_t value)
{
    for (size_t i = 0; i < bytes / 8; i++)
        test.wrong_bytes += words[i] == value ? 0 : 8;
}

static void link(struct dma_iova_state *state)
{
    size_t bytes = test.entries * PAGE_SIZE;

    if (!dma_iova_try_alloc(&test.dev, state, virt_to_phys(test.pages[0]), bytes))
        sim_fail("iova_link: no IOVAs");
    for (unsigned i = 0; i < test.entries; i++)
        if (dma_iova_link(&test.dev, state, virt_to_phys(test.pages[i]), i * PAGE_SIZE, PAGE_SIZE, test.dir, 0))
            sim_fail("iova_link: a page could not be linked");
    dma_iova_sync(&test.dev, state, 0, bytes);
}

static void iterate(unsigned round, bool measured)
{
    size_t bytes = test.entries * PAGE_SIZE;
    uint64_t out = 0x1111111111111111ull + round, in = ~out;
    struct dma_iova_state state;

    for (unsigned i = 0; i < test.entries; i++)
        for (size_t word = 0; word < PAGE_SIZE / 8; word++)
            test.pages[i][word] = out;
    if (measured)
        sim_region_begin(REGION_LINK);
    link(&state);
    if (measured)
        sim_region_end(REGION_LINK);
    if (test.dir != DMA_FROM_DEVICE) {
        device_works(state.addr, test.target_dma, bytes, 0);
        expect(test.target, bytes, out);
    }
    if (test.dir != DMA_TO_DEVICE)
        device_works(in, state.addr, bytes, DMAC_FILL);
    if (measured)
        sim_region_begin(REGION_UNLINK);
    dma_iova_destroy(&test.dev, &state, bytes, test.dir, 0);
    if (measured)
        sim_region_end(REGION_UNLINK);
    for (unsigned i = 0; i < test.entries; i++)
        expect(test.pages[i], PAGE_SIZE, test.dir == DMA_TO_DEVICE ? out : in);
}

int main(void)
{
    unsigned iterations = (unsigned)sim_param("iterations", 10), warmup = (unsigned)sim_param("warmup", 2);

    test.entries = (unsigned)sim_param("entries", 64);
    test.dir = (enum dma_data_direction)sim_param("direction", DMA_BIDIRECTIONAL);
    test.dev = (struct device){.dma_mask = 0xFFFFFFFF};
    if (!iommu_attach_device(&test.dev, STREAM_ID, false))
        sim_fail("iova_link: the program needs an SMMU (smmu.kind)");
    test.descriptor_dma = 4 * PAGE_SIZE;
    test.descriptor = map_for_good(PAGE_SIZE, test.descriptor_dma);
    test.target_dma = 16ul << 20;
    test.target = map_for_good(test.entries * PAGE_SIZE, test.target_dma);
    test.pages = kzalloc(test.entries * sizeof(*test.pages));
    for (unsigned i = 0; i < test.entries; i++)
        test.pages[i] = alloc_pages_exact(2 * PAGE_SIZE); /* of which the second is not used: no two make a block */
    sim_region_name(REGION_LINK, "link");
    sim_region_name(REGION_UNLINK, "unlink");
    for (unsigned i = 0; i < warmup + iterations; i++)
        iterate(i, i >= warmup);
    sim_emit("data", "wrong_bytes", "", (int64_t)test.wrong_bytes, 1);
    return 0;
}
