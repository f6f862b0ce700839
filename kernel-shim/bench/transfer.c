/*
 * Lists of buffers that a device fills or reads, mapped and unmapped over and over, with a look at every byte.
 * Parameters: entries, entry_bytes, iterations, warmup, direction (0 bidirectional, 1 to device, 2 from device),
 * bounce (1: every entry goes through swiotlb), xen (1: the DMA operations of a Xen guest), foreign (1: the memory is
 * another domain's). Wrong bytes are counted, not fatal; so a mistake shows in the result. Regions map and unmap;
 * emits the cost of an entry of both, and wrong_bytes.
 */
#include "dmac.h"
#include "swiotlb.h"

enum { REGION_MAP, REGION_UNMAP };

static struct {
    unsigned entries, iterations, warmup;
    size_t entry_bytes;
    enum dma_data_direction dir;
    struct device dev;
    struct scatterlist *list;
    struct chain {
        struct dmac_descriptor *descriptors; /* Non-cacheable */
        uint64_t dma;
    } out, in;
    uint64_t *target, target_dma; /* what the device has read, Non-cacheable */
    uint64_t wrong_bytes, map_ns, unmap_ns;
} test;

static char *buffer_of(const struct scatterlist *sg)
{
    return phys_to_virt(sg->pa);
}

static void build_list(bool foreign)
{
    char *buffers = alloc_pages_exact(test.entries * test.entry_bytes);

    if (foreign)
        xen_add_foreign_memory(virt_to_phys(buffers), test.entries * test.entry_bytes);
    test.list = kzalloc(test.entries * sizeof(*test.list));
    for (unsigned i = 0; i < test.entries; i++) {
        test.list[i].pa = test.list[i].dma_address = virt_to_phys(buffers + i * test.entry_bytes);
        test.list[i].length = (uint32_t)test.entry_bytes;
        test.list[i].next = i + 1 < test.entries ? &test.list[i + 1] : NULL;
    }
}

/* A chain of descriptors, an entry each; one doorbell for all. */
static void describe(struct chain *chain, unsigned i, bool reads, uint64_t pattern)
{
    uint64_t dma_address = test.list[i].dma_address;

    chain->descriptors[i] =
        (struct dmac_descriptor){.source = reads ? dma_address : pattern + i,
                                 .destination = reads ? test.target_dma + i * test.entry_bytes : dma_address,
                                 .bytes = (uint32_t)test.entry_bytes,
                                 .flags = reads ? 0 : DMAC_FILL,
                                 .next = i + 1 < test.entries ? chain->dma + (i + 1) * sizeof(*chain->descriptors) : 0};
}

/* Before the map, with the DMA addresses of the last time, so that only the doorbell is left to do. */
static void prepare(struct chain *chain, bool reads, uint64_t pattern)
{
    for (unsigned i = 0; i < test.entries; i++)
        describe(chain, i, reads, pattern);
    mb();
    dmac_prepare(chain->dma, test.dev.dma_coherent);
}

/* After the map: bounce buffers are others than the last time; without them nothing has changed. */
static void correct(struct chain *chain, bool reads, uint64_t pattern)
{
    bool changed = false;

    for (unsigned i = 0; i < test.entries && is_swiotlb_active(&test.dev); i++) {
        const struct dmac_descriptor *descriptor = &chain->descriptors[i];
        if ((reads ? descriptor->source : descriptor->destination) == test.list[i].dma_address)
            continue;
        describe(chain, i, reads, pattern);
        changed = true;
    }
    if (changed)
        mb();
}

static void device_works(void)
{
    dmac_ring(false);
    if (dmac_wait())
        sim_fail("transfer: the device could not reach memory");
}

static void expect(const uint64_t *words, uint64_t value)
{
    for (size_t i = 0; i < test.entry_bytes / 8; i++)
        test.wrong_bytes += words[i] == value ? 0 : 8;
}

static void fill_buffers(uint64_t pattern)
{
    for (unsigned i = 0; i < test.entries; i++)
        for (size_t word = 0; word < test.entry_bytes / 8; word++)
            ((uint64_t *)buffer_of(&test.list[i]))[word] = pattern + i;
}

static void map(bool measured)
{
    uint64_t start = ktime_get_ns();

    if (measured)
        sim_region_begin(REGION_MAP);
    if (dma_map_sg(&test.dev, test.list, (int)test.entries, test.dir) != (int)test.entries)
        sim_fail("transfer: dma_map_sg failed");
    if (measured)
        sim_region_end(REGION_MAP);
    test.map_ns += measured ? ktime_get_ns() - start : 0;
}

static void unmap(bool measured)
{
    uint64_t start = ktime_get_ns();

    if (measured)
        sim_region_begin(REGION_UNMAP);
    dma_unmap_sg(&test.dev, test.list, (int)test.entries, test.dir);
    if (measured)
        sim_region_end(REGION_UNMAP);
    test.unmap_ns += measured ? ktime_get_ns() - start : 0;
}

static void iterate(unsigned round, bool measured)
{
    uint64_t out = 0x1111111111110000ull + ((uint64_t)round << 32), in = ~out;
    bool reads = test.dir != DMA_FROM_DEVICE, writes = test.dir != DMA_TO_DEVICE;

    fill_buffers(out);
    prepare(reads ? &test.out : &test.in, reads, in);
    map(measured);
    correct(reads ? &test.out : &test.in, reads, in);
    device_works();
    for (unsigned i = 0; reads && i < test.entries; i++)
        expect(test.target + i * test.entry_bytes / 8, out + i);
    if (reads && writes) {
        prepare(&test.in, false, in);
        device_works();
    }
    unmap(measured);
    for (unsigned i = 0; i < test.entries; i++)
        expect((uint64_t *)buffer_of(&test.list[i]), writes ? in + i : out + i);
}

int main(void)
{
    test.entries = (unsigned)sim_param("entries", 64);
    test.entry_bytes = sim_param("entry_bytes", 4096);
    test.iterations = (unsigned)sim_param("iterations", 10);
    test.warmup = (unsigned)sim_param("warmup", 2);
    test.dir = (enum dma_data_direction)sim_param("direction", DMA_BIDIRECTIONAL);
    test.dev = (struct device){.dma_mask = ~0ull, .xen = sim_param("xen", 0)};
    if (sim_param("bounce", 0)) {
        test.dev.dma_io_tlb_mem = swiotlb_init(64ul << 20, swiotlb_default_areas());
        test.dev.dma_io_tlb_mem->force_bounce = true;
    }
    build_list(sim_param("foreign", 0));
    test.out.descriptors = dma_alloc_coherent(test.entries * sizeof(*test.out.descriptors), &test.out.dma);
    test.in.descriptors = dma_alloc_coherent(test.entries * sizeof(*test.in.descriptors), &test.in.dma);
    test.target = dma_alloc_coherent(test.entries * test.entry_bytes, &test.target_dma);
    sim_region_name(REGION_MAP, "map");
    sim_region_name(REGION_UNMAP, "unmap");
    for (unsigned i = 0; i < test.warmup + test.iterations; i++)
        iterate(i, i >= test.warmup);
    sim_emit("map", "per_entry", "ns", (int64_t)test.map_ns, test.entries * test.iterations);
    sim_emit("unmap", "per_entry", "ns", (int64_t)test.unmap_ns, test.entries * test.iterations);
    sim_emit("data", "wrong_bytes", "", (int64_t)test.wrong_bytes, 1);
    return 0;
}
