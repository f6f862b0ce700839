/*
 * kernel/dma/map_benchmark.c: threads map and unmap a buffer over and over; the tool's averages with its truncations,
 * and the true means of the regions "map" and "unmap".
 *
 * Parameters, with the tool's option: threads (-t), granule in pages (-g), direction (-d: 0 bidirectional, 1 to device,
 * 2 from device), trans_ns (-x), dma_bits (-b), node (-n; no thread is bound, as with -1). Each thread makes warmup and
 * then iterations rounds; seconds (-s, here in ns of simulated time), unless 0, replaces iterations. Besides: lazy (1:
 * leaf invalidations through flush queues), coherent devices by the key dmac.coherent.
 *
 * Before measuring, the copy engine copies a buffer through two mappings; after the unmap of either the same copy must
 * end in a fault that the SMMU reports.
 */
#include "atomic.h"
#include "delay.h"
#include "dma.h"
#include "dmac.h"
#include "iommu.h"
#include "percpu.h"

enum { REGION_MAP, REGION_UNMAP, REGION_NONE };
enum { STREAM_ID = 0, TXN_FAULT = 3 };
#define PATTERN 0x66
#define TEN_MS  10000000ull

/* Shared by all threads, as in the tool. */
static struct {
    struct device dev;
    enum dma_data_direction dir;
    size_t bytes;
    uint64_t trans_ns;
    unsigned warmup, iterations;
    uint64_t seconds_ns, stop_ns;
    bool lazy;
    atomic64_t sum_map_100ns, sum_unmap_100ns, sum_sq_map, sum_sq_unmap, loops;
    atomic_t running;
} map;

/* The tool's threads ask whether they shall stop; here they know when. */
static bool another_round(unsigned round)
{
    if (round < map.warmup || !map.seconds_ns)
        return round < map.warmup + map.iterations;
    return ktime_get_ns() < map.stop_ns;
}

/* What ends in a round. The end of a region that has not begun counts nothing; so warm-up and measured rounds run the
 * same code, which would else be cold in the first measured one. */
static unsigned region_of(unsigned round, unsigned region)
{
    return round < map.warmup ? REGION_NONE : region;
}

static void map_benchmark_thread(void *buf)
{
    for (unsigned i = 0; another_round(i); i++) {
        uint64_t map_stime, map_etime, unmap_stime, unmap_etime, map_100ns, unmap_100ns;
        dma_addr_t addr;

        if (map.dir != DMA_FROM_DEVICE)
            memset(buf, PATTERN, map.bytes);
        sim_region_begin(REGION_MAP);
        map_stime = ktime_get_ns();
        addr = dma_map_single(&map.dev, buf, map.bytes, map.dir);
        map_etime = ktime_get_ns();
        sim_region_end(region_of(i, REGION_MAP));
        if (addr == DMA_MAPPING_ERROR)
            sim_fail("dma_map_single failed");
        ndelay(map.trans_ns);
        sim_region_begin(REGION_UNMAP);
        unmap_stime = ktime_get_ns();
        dma_unmap_single(&map.dev, addr, map.bytes, map.dir);
        unmap_etime = ktime_get_ns();
        sim_region_end(region_of(i, REGION_UNMAP));
        map_100ns = (map_etime - map_stime) / 100;
        unmap_100ns = (unmap_etime - unmap_stime) / 100;
        if (i < map.warmup)
            continue;
        atomic64_fetch_add(map_100ns, &map.sum_map_100ns);
        atomic64_fetch_add(unmap_100ns, &map.sum_unmap_100ns);
        atomic64_fetch_add(map_100ns * map_100ns, &map.sum_sq_map);
        atomic64_fetch_add(unmap_100ns * unmap_100ns, &map.sum_sq_unmap);
        atomic64_fetch_add(1, &map.loops);
    }
    atomic_fetch_add(-1u, &map.running);
    dsb(ishst); /* an event orders nothing */
    asm volatile("sev");
}

/* The copy engine copies; returns its error status. */
static uint32_t device_copy(dma_addr_t from, dma_addr_t to, size_t bytes)
{
    static dma_addr_t descriptor_address;
    static struct dmac_descriptor *descriptor;

    /* the engine fetches its descriptor through the SMMU too: the page stays mapped for good */
    if (!descriptor) {
        descriptor = alloc_pages_exact(PAGE_SIZE);
        descriptor_address = dma_map_single(&map.dev, descriptor, PAGE_SIZE, DMA_BIDIRECTIONAL);
    }
    *descriptor = (struct dmac_descriptor){.source = from, .destination = to, .bytes = (uint32_t)bytes};
    dma_sync_single_for_device(&map.dev, descriptor_address, sizeof(*descriptor), DMA_TO_DEVICE);
    wmb();
    dmac_prepare(descriptor_address, map.dev.dma_coherent);
    dmac_ring(false);
    return dmac_wait();
}

static void fill(uint64_t *buf, uint64_t first)
{
    for (size_t i = 0; i < map.bytes / sizeof(*buf); i++)
        buf[i] = first + i * 0x9E3779B97F4A7C15ull;
}

/* Both buffers are dirty in the caches before they are mapped. */
static void check_copy(uint64_t *source, uint64_t *target)
{
    dma_addr_t from, to;

    fill(source, 1);
    fill(target, 2);
    from = dma_map_single(&map.dev, source, map.bytes, DMA_TO_DEVICE);
    to = dma_map_single(&map.dev, target, map.bytes, DMA_FROM_DEVICE);
    if (device_copy(from, to, map.bytes) != 0)
        sim_fail("the device could not copy through the mappings");
    dma_unmap_single(&map.dev, from, map.bytes, DMA_TO_DEVICE);
    dma_unmap_single(&map.dev, to, map.bytes, DMA_FROM_DEVICE);
    if (memcmp(source, target, map.bytes) != 0)
        sim_fail("the device's bytes did not arrive through the mapping");
}

/* A copy that worked faults when one side is unmapped; lazily, not before the flush queue has done what it owes. */
static void check_fault_after_unmap(void *source, void *target, bool of_source)
{
    const size_t bytes = 64; /* whose TLB entries are sure to be there */
    dma_addr_t from = dma_map_single(&map.dev, source, map.bytes, DMA_TO_DEVICE);
    dma_addr_t to = dma_map_single(&map.dev, target, map.bytes, DMA_FROM_DEVICE);
    dma_addr_t first = of_source ? from : to, second = of_source ? to : from;
    enum dma_data_direction dir = of_source ? DMA_TO_DEVICE : DMA_FROM_DEVICE;

    if (map.lazy)
        fq_timer(map.dev.domain); /* what earlier unmaps owe; else it may fall due with this one */
    if (device_copy(from, to, bytes) != 0)
        sim_fail("the device could not copy through the mappings");
    dma_unmap_single(&map.dev, first, map.bytes, dir);
    if (map.lazy) {
        if (device_copy(from, to, bytes) != 0)
            sim_fail("a lazy unmap must leave the TLB entry until the flush");
        fq_timer(map.dev.domain);
    }
    if (device_copy(from, to, bytes) != TXN_FAULT)
        sim_fail("an access after the unmap must end with a fault");
    if (!iommu_faulted(STREAM_ID, first))
        sim_fail("the SMMU did not report the fault of the access after the unmap");
    dma_unmap_single(&map.dev, second, map.bytes, of_source ? DMA_FROM_DEVICE : DMA_TO_DEVICE);
}

static void check_data(void *source, void *target)
{
    check_copy(source, target);
    if (!map.dev.domain)
        return;
    check_fault_after_unmap(source, target, false);
    check_fault_after_unmap(source, target, true);
}

static void run_threads(unsigned threads, void **bufs)
{
    atomic_set(&map.running, threads);
    map.stop_ns = ktime_get_ns() + map.seconds_ns;
    for (unsigned cpu = 1; cpu < threads; cpu++)
        cpu_start(cpu, map_benchmark_thread, bufs[cpu]);
    map_benchmark_thread(bufs[0]);
    while (atomic_read(&map.running))
        asm volatile("wfe" ::: "memory");
}

static uint64_t option(const char *name, uint64_t standard, uint64_t least, uint64_t most)
{
    uint64_t value = sim_param(name, standard);

    if (value < least || value > most) {
        printf("%s is %lu to %lu\n", name, least, most);
        sim_fail("dma_map_benchmark: an option is out of range");
    }
    return value;
}

static void read_options(void)
{
    map.warmup = (unsigned)sim_param("warmup", 10);
    map.iterations = (unsigned)option("iterations", 20, 1, ~0u / 2);
    map.seconds_ns = sim_param("seconds", 0);
    map.dir = (enum dma_data_direction)option("direction", DMA_BIDIRECTIONAL, DMA_BIDIRECTIONAL, DMA_FROM_DEVICE);
    map.bytes = option("granule", 1, 1, 1024) * PAGE_SIZE;
    map.trans_ns = option("trans_ns", 0, 0, TEN_MS);
    map.lazy = sim_param("lazy", 0);
    map.dev = (struct device){.dma_coherent = sim_param("dmac.coherent", 0),
                              .dma_mask = ~0ull >> (64 - option("dma_bits", 32, 20, 64))};
}

int main(void)
{
    unsigned threads = (unsigned)option("threads", 1, 1, num_online_cpus());
    void *bufs[MAX_CPUS], *source;
    uint64_t loops;

    read_options();
    for (unsigned i = 0; i < threads; i++)
        bufs[i] = alloc_pages_exact(map.bytes);
    iommu_attach_device(&map.dev, STREAM_ID, map.lazy);
    local_irq_enable();
    source = alloc_pages_exact(map.bytes);
    check_data(source, bufs[0]);
    free_pages_exact(source, map.bytes);
    sim_region_name(REGION_MAP, "map");
    sim_region_name(REGION_UNMAP, "unmap");
    run_threads(threads, bufs);
    loops = atomic64_read(&map.loops);
    if (!loops)
        sim_fail("dma_map_benchmark: not one round was measured: raise seconds");
    sim_emit("map", "printed", "us", (int64_t)(atomic64_read(&map.sum_map_100ns) / loops), 10);
    sim_emit("unmap", "printed", "us", (int64_t)(atomic64_read(&map.sum_unmap_100ns) / loops), 10);
    return 0;
}
