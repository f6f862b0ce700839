/*
 * kernel/dma/map_benchmark.c: threads map and unmap a buffer over and over; the tool's averages with its truncations,
 * and the true means of the regions "map" and "unmap".
 *
 * Parameters, with the tool's option: threads (-t), granule in pages (-g), direction (-d: 0 bidirectional, 1 to device,
 * 2 from device), trans_ns (-x), dma_bits (-b); instead of seconds (-s) warmup and iterations of each thread. Besides:
 * lazy (1: leaf invalidations through flush queues), coherent devices by the key dmac.coherent.
 *
 * Before measuring, the copy engine moves bytes through a mapping; after the unmap the same access must end in a fault.
 */
#include "atomic.h"
#include "delay.h"
#include "dma.h"
#include "dmac.h"
#include "iommu.h"
#include "percpu.h"

enum { REGION_MAP, REGION_UNMAP };
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
    bool lazy;
    atomic64_t sum_map_100ns, sum_unmap_100ns, sum_sq_map, sum_sq_unmap, loops;
    atomic_t running;
} map;

static void map_benchmark_thread(void *buf)
{
    for (unsigned i = 0; i < map.warmup + map.iterations; i++) {
        bool measured = i >= map.warmup;
        uint64_t map_stime, map_etime, unmap_stime, unmap_etime, map_100ns, unmap_100ns;
        dma_addr_t addr;

        if (map.dir != DMA_FROM_DEVICE)
            memset(buf, PATTERN, map.bytes);
        if (measured)
            sim_region_begin(REGION_MAP);
        map_stime = ktime_get_ns();
        addr = dma_map_single(&map.dev, buf, map.bytes, map.dir);
        map_etime = ktime_get_ns();
        if (measured)
            sim_region_end(REGION_MAP);
        if (addr == DMA_MAPPING_ERROR)
            sim_fail("dma_map_single failed");
        ndelay(map.trans_ns);
        if (measured)
            sim_region_begin(REGION_UNMAP);
        unmap_stime = ktime_get_ns();
        dma_unmap_single(&map.dev, addr, map.bytes, map.dir);
        unmap_etime = ktime_get_ns();
        if (measured)
            sim_region_end(REGION_UNMAP);
        map_100ns = (map_etime - map_stime) / 100;
        unmap_100ns = (unmap_etime - unmap_stime) / 100;
        if (!measured)
            continue;
        atomic64_fetch_add(map_100ns, &map.sum_map_100ns);
        atomic64_fetch_add(unmap_100ns, &map.sum_unmap_100ns);
        atomic64_fetch_add(map_100ns * map_100ns, &map.sum_sq_map);
        atomic64_fetch_add(unmap_100ns * unmap_100ns, &map.sum_sq_unmap);
        atomic64_fetch_add(1, &map.loops);
    }
    atomic_fetch_add(-1u, &map.running);
    asm volatile("sev");
}

/* The copy engine writes a pattern to addr; returns its error status. */
static uint32_t device_write(dma_addr_t addr, uint32_t bytes, uint64_t pattern)
{
    static dma_addr_t descriptor_address;
    static struct dmac_descriptor *descriptor, *dma_descriptor;

    /* the engine fetches its descriptor through the SMMU too: the page stays mapped for good */
    if (!descriptor) {
        descriptor = alloc_pages_exact(PAGE_SIZE);
        descriptor_address = dma_map_single(&map.dev, descriptor, PAGE_SIZE, DMA_BIDIRECTIONAL);
    }
    dma_descriptor = descriptor;
    *dma_descriptor =
        (struct dmac_descriptor){.source = pattern, .destination = addr, .bytes = bytes, .flags = DMAC_FILL};
    dma_sync_single_for_device(&map.dev, descriptor_address, sizeof(*descriptor), DMA_TO_DEVICE);
    wmb();
    dmac_prepare(descriptor_address, map.dev.dma_coherent);
    dmac_ring(false);
    return dmac_wait();
}

static void check_filled(const uint64_t *buf, uint64_t pattern)
{
    for (size_t i = 0; i < map.bytes / sizeof(*buf); i++)
        if (buf[i] != pattern)
            sim_fail("the device's bytes did not arrive through the mapping");
}

/* Until the flush queue has done what it owes, a lazily unmapped address still works; then it faults. */
static void check_fault_after_unmap(dma_addr_t addr)
{
    if (map.lazy) {
        if (device_write(addr, 64, 0) != 0)
            sim_fail("a lazy unmap must leave the TLB entry until the flush");
        fq_timer(map.dev.domain);
    }
    if (device_write(addr, 64, 0) != TXN_FAULT)
        sim_fail("an access after the unmap must end with a fault");
    if (!iommu_faulted(STREAM_ID, addr))
        sim_fail("the SMMU did not report the fault of the access after the unmap");
}

static void check_data(void *buf)
{
    const uint64_t pattern = 0x0123456789ABCDEFull;
    dma_addr_t addr;

    memset(buf, PATTERN, map.bytes);
    addr = dma_map_single(&map.dev, buf, map.bytes, DMA_BIDIRECTIONAL);
    if (device_write(addr, (uint32_t)map.bytes, pattern) != 0)
        sim_fail("the device could not write through the mapping");
    dma_unmap_single(&map.dev, addr, map.bytes, DMA_BIDIRECTIONAL);
    check_filled(buf, pattern);
    if (map.dev.domain)
        check_fault_after_unmap(addr);
}

static void run_threads(unsigned threads, void **bufs)
{
    atomic_set(&map.running, threads);
    for (unsigned cpu = 1; cpu < threads; cpu++)
        cpu_start(cpu, map_benchmark_thread, bufs[cpu]);
    map_benchmark_thread(bufs[0]);
    while (atomic_read(&map.running))
        asm volatile("wfe" ::: "memory");
}

int main(void)
{
    unsigned threads = (unsigned)sim_param("threads", 1);
    void *bufs[MAX_CPUS];
    uint64_t loops;

    map.warmup = (unsigned)sim_param("warmup", 10);
    map.iterations = (unsigned)sim_param("iterations", 20);
    map.dir = (enum dma_data_direction)sim_param("direction", DMA_BIDIRECTIONAL);
    map.bytes = sim_param("granule", 1) * PAGE_SIZE;
    map.trans_ns = sim_param("trans_ns", 0);
    map.lazy = sim_param("lazy", 0);
    map.dev = (struct device){.dma_coherent = sim_param("dmac.coherent", 0),
                              .dma_mask = ~0ull >> (64 - sim_param("dma_bits", 32))};
    if (threads < 1 || threads > num_online_cpus())
        sim_fail("threads is 1 to cpu.cores");
    if (map.trans_ns > TEN_MS)
        sim_fail("trans_ns is at most 10 ms");
    for (unsigned i = 0; i < threads; i++)
        bufs[i] = alloc_pages_exact(map.bytes);
    iommu_attach_device(&map.dev, STREAM_ID, map.lazy);
    local_irq_enable();
    check_data(bufs[0]);
    sim_region_name(REGION_MAP, "map");
    sim_region_name(REGION_UNMAP, "unmap");
    run_threads(threads, bufs);
    loops = atomic64_read(&map.loops);
    sim_emit("map", "printed", "us", (int64_t)(atomic64_read(&map.sum_map_100ns) / loops), 10);
    sim_emit("unmap", "printed", "us", (int64_t)(atomic64_read(&map.sum_unmap_100ns) / loops), 10);
    return 0;
}
