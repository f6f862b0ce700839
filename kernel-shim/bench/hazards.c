/*
 * A driver's mistakes, each beside what is right: the wrong way makes the hazard detector report the one kind that the
 * scenario expects, the right way nothing. Parameters: test (its number; 999: all, the right way only), wrong. A test
 * gives whether the right bytes arrived; some mistakes deliver them by luck.
 */
#include "dmac.h"
#include "iommu.h"
#include "simctl.h"
#include "swiotlb.h"

enum { LINE = 64, STREAM_ID = 0, ALL = 999 };
#define OLD 0x1111111111111111ull
#define NEW 0x2222222222222222ull

static struct device dev;                  /* without an IOMMU */
static struct dmac_descriptor *descriptor; /* Non-cacheable */
static uint64_t descriptor_dma;
static uint64_t *target, target_dma; /* where the engine copies to, Non-cacheable */

#define CVAC(p) asm volatile("dc cvac, %0" ::"r"(p) : "memory")
#define IVAC(p) asm volatile("dc ivac, %0" ::"r"(p) : "memory")

/* Lines of their own whose memory and cache hold OLD. */
static volatile uint64_t *fresh_lines(unsigned lines)
{
    volatile uint64_t *buffer = kzalloc(lines * LINE);

    for (unsigned i = 0; i < lines * LINE / 8; i++)
        buffer[i] = OLD;
    for (unsigned i = 0; i < lines; i++)
        CVAC(buffer + i * LINE / 8);
    mb();
    return buffer;
}

/* Everything is ready except the doorbell. */
static void prepare(uint64_t source, uint64_t destination, unsigned bytes, unsigned flags)
{
    descriptor->source = source;
    descriptor->destination = destination;
    descriptor->bytes = bytes;
    descriptor->flags = flags;
    descriptor->next = 0;
    mb();
    dmac_prepare(descriptor_dma, false);
    mb();
}

static void prepare_read(uint64_t source)
{
    target[0] = 0;
    prepare(source, target_dma, 8, 0);
}

static bool device_saw_new(void)
{
    dmac_ring(false);
    dmac_wait();
    return target[0] == NEW;
}

static void device_writes(uint64_t destination, unsigned bytes)
{
    prepare(NEW, destination, bytes, DMAC_FILL);
    dmac_ring(false);
    dmac_wait();
}

static void wait_ns(uint64_t ns)
{
    for (uint64_t start = ktime_get_ns(); ktime_get_ns() < start + ns;)
        cpu_relax();
}

/* --- bytes to the device --- */

static bool mapped_before_the_device_reads(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);
    dma_addr_t addr = virt_to_phys((void *)line);

    *line = NEW;
    if (!wrong)
        addr = dma_map_single(&dev, (void *)line, LINE, DMA_TO_DEVICE);
    prepare_read(addr);
    bool seen = device_saw_new();
    if (!wrong)
        dma_unmap_single(&dev, addr, LINE, DMA_TO_DEVICE);
    return seen;
}

/* The line leaves the caches by itself: the bytes are right, by luck. */
static bool evicted_before_the_device_reads(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);
    size_t bytes = sim_param("evict_bytes", 4 << 20);
    char *others = alloc_pages_exact(bytes);

    prepare_read(virt_to_phys((void *)line));
    *line = NEW;
    if (!wrong)
        CVAC(line);
    for (size_t i = 0; i < bytes; i += LINE)
        (void)*(volatile char *)(others + i);
    mb();
    return device_saw_new();
}

static bool clean_is_waited_for(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);

    prepare_read(virt_to_phys((void *)line));
    *line = NEW;
    CVAC(line);
    if (!wrong)
        mb();
    return device_saw_new();
}

/* The clean has all the time it needs, but nothing says that it is complete. */
static bool clean_is_waited_for_by_time(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);

    prepare_read(virt_to_phys((void *)line));
    *line = NEW;
    CVAC(line);
    if (!wrong)
        mb();
    wait_ns(3000);
    return device_saw_new();
}

static bool descriptor_before_the_doorbell(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);

    prepare_read(virt_to_phys((void *)line));
    descriptor->source = virt_to_phys((void *)line);
    descriptor->bytes = LINE;
    if (!wrong)
        dma_wmb();
    dmac_ring(false);
    dmac_wait();
    return target[LINE / 8 - 1] == OLD;
}

/* A descriptor in ordinary memory, for an engine that snoops; it has read it once before. */
static bool coherent_descriptor_before_the_doorbell(bool wrong)
{
    static struct dmac_descriptor *cached;
    volatile uint64_t *line = fresh_lines(1);

    cached = kzalloc(LINE);
    for (unsigned i = 0; i < 2; i++) {
        target[0] = 0;
        dmac_prepare(virt_to_phys(cached), true);
        *line = i ? NEW : OLD;
        *cached = (struct dmac_descriptor){
            .source = virt_to_phys((void *)line), .destination = target_dma, .bytes = i ? LINE : 8};
        if (!wrong || i == 0)
            dma_wmb();
        dmac_ring(false);
        dmac_wait();
    }
    return target[0] == NEW;
}

/* --- bytes from the device --- */

static bool unmapped_before_the_core_reads(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);
    dma_addr_t addr = virt_to_phys((void *)line);

    if (!wrong)
        addr = dma_map_single(&dev, (void *)line, LINE, DMA_FROM_DEVICE);
    device_writes(addr, LINE);
    if (!wrong)
        dma_unmap_single(&dev, addr, LINE, DMA_FROM_DEVICE);
    return *line == NEW;
}

/* No cache holds the line when the device writes: the bytes are right, unless a core prefetches. */
static bool absent_line_is_invalidated_too(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);

    IVAC(line);
    mb();
    device_writes(virt_to_phys((void *)line), LINE);
    if (!wrong)
        IVAC(line);
    mb();
    return *line == NEW;
}

static bool invalidation_is_waited_for(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);

    device_writes(virt_to_phys((void *)line), LINE);
    dcache_inval_poc_nosync((uintptr_t)line, (uintptr_t)line + LINE);
    if (!wrong)
        mb();
    return *line == NEW;
}

static bool dirty_line_is_cleaned_before_the_device_writes(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);
    dma_addr_t addr = virt_to_phys((void *)line);

    *line = OLD + 1;
    if (!wrong)
        addr = dma_map_single(&dev, (void *)line, LINE, DMA_FROM_DEVICE);
    device_writes(addr, LINE);
    if (!wrong)
        dma_unmap_single(&dev, addr, LINE, DMA_FROM_DEVICE);
    else
        dcache_inval_poc((uintptr_t)line, (uintptr_t)line + LINE);
    return *line == NEW;
}

/* A variable behind the buffer, in its last line or in the next. */
static bool buffer_has_its_lines_for_itself(bool wrong)
{
    enum { BYTES = 3 * LINE / 4 }; /* which the DMA API takes for an object with a line of its own */
    volatile uint64_t *buffer = fresh_lines(2), *variable = buffer + (wrong ? LINE / 8 - 1 : LINE / 8);
    dma_addr_t addr = dma_map_single(&dev, (void *)buffer, BYTES, DMA_FROM_DEVICE);

    *variable = NEW;
    device_writes(addr, BYTES);
    dma_unmap_single(&dev, addr, BYTES, DMA_FROM_DEVICE);
    return *buffer == NEW && *variable == NEW;
}

/* --- whose buffer it is --- */

static bool core_reads_after_the_sync(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);
    dma_addr_t addr = dma_map_single(&dev, (void *)line, LINE, DMA_FROM_DEVICE);

    device_writes(addr, LINE);
    if (!wrong)
        dma_sync_single_for_cpu(&dev, addr, LINE, DMA_FROM_DEVICE);
    bool fresh = *line == NEW;
    if (!wrong)
        dma_sync_single_for_device(&dev, addr, LINE, DMA_FROM_DEVICE);
    dma_unmap_single(&dev, addr, LINE, DMA_FROM_DEVICE);
    return fresh;
}

static bool core_writes_and_syncs(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);
    dma_addr_t addr = dma_map_single(&dev, (void *)line, LINE, DMA_BIDIRECTIONAL);

    prepare_read(addr);
    *line = NEW;
    if (!wrong)
        dma_sync_single_for_device(&dev, addr, LINE, DMA_BIDIRECTIONAL);
    bool seen = device_saw_new();
    dma_unmap_single(&dev, addr, LINE, DMA_BIDIRECTIONAL);
    return seen;
}

static bool part_of_a_list_is_synced(bool wrong)
{
    volatile uint64_t *lines = fresh_lines(2);
    struct scatterlist list[2] = {
        {.pa = virt_to_phys((void *)lines), .length = LINE, .next = &list[1]},
        {.pa = virt_to_phys((void *)(lines + LINE / 8)), .length = LINE},
    };

    dma_map_sg(&dev, list, 2, DMA_FROM_DEVICE);
    device_writes(list[1].dma_address, LINE);
    if (!wrong)
        dma_sync_sg_for_cpu(&dev, list, 2, DMA_FROM_DEVICE);
    bool fresh = lines[LINE / 8] == NEW;
    dma_unmap_sg(&dev, list, 2, DMA_FROM_DEVICE);
    return fresh;
}

/* --- the DMA API --- */

static bool unmap_has_the_size_of_the_map(bool wrong)
{
    volatile uint64_t *buffer = fresh_lines(2);
    dma_addr_t addr = dma_map_single(&dev, (void *)buffer, 2 * LINE, DMA_TO_DEVICE);

    dma_unmap_single(&dev, addr, wrong ? LINE : 2 * LINE, DMA_TO_DEVICE);
    return true;
}

static bool sync_stays_inside_the_mapping(bool wrong)
{
    volatile uint64_t *buffer = fresh_lines(4);
    dma_addr_t addr = dma_map_single(&dev, (void *)buffer, 2 * LINE, DMA_TO_DEVICE);

    dma_sync_single_for_device(&dev, addr + LINE, wrong ? 2 * LINE : LINE, DMA_TO_DEVICE);
    dma_unmap_single(&dev, addr, 2 * LINE, DMA_TO_DEVICE);
    return true;
}

static bool unmap_has_the_direction_of_the_map(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);
    dma_addr_t addr = dma_map_single(&dev, (void *)line, LINE, DMA_FROM_DEVICE);

    dma_unmap_single(&dev, addr, LINE, wrong ? DMA_TO_DEVICE : DMA_FROM_DEVICE);
    return true;
}

static bool sync_of_what_is_mapped(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);
    dma_addr_t addr = virt_to_phys((void *)line);

    if (!wrong)
        dma_map_single(&dev, (void *)line, LINE, DMA_TO_DEVICE);
    dma_sync_single_for_device(&dev, addr, LINE, DMA_TO_DEVICE);
    if (!wrong)
        dma_unmap_single(&dev, addr, LINE, DMA_TO_DEVICE);
    return true;
}

static bool one_unmap_a_map(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);
    dma_addr_t addr = dma_map_single(&dev, (void *)line, LINE, DMA_TO_DEVICE);

    dma_unmap_single(&dev, addr, LINE, DMA_TO_DEVICE);
    if (wrong)
        dma_unmap_single(&dev, addr, LINE, DMA_TO_DEVICE);
    return true;
}

static bool every_map_has_an_unmap(bool wrong)
{
    for (unsigned i = 0; i < 2; i++) {
        volatile uint64_t *line = fresh_lines(1);
        dma_addr_t addr = dma_map_single(&dev, (void *)line, LINE, DMA_TO_DEVICE);
        if (!wrong || i == 0)
            dma_unmap_single(&dev, addr, LINE, DMA_TO_DEVICE);
    }
    return true;
}

static bool memory_is_freed_after_the_unmap(bool wrong)
{
    void *page = alloc_pages_exact(PAGE_SIZE);
    dma_addr_t addr = dma_map_single(&dev, page, PAGE_SIZE, DMA_TO_DEVICE);

    if (!wrong)
        dma_unmap_single(&dev, addr, PAGE_SIZE, DMA_TO_DEVICE);
    free_pages_exact(page, PAGE_SIZE);
    return true;
}

/* --- bounce buffers --- */

static dma_addr_t map_bounced(struct device *bounced, volatile uint64_t *buffer, size_t bytes,
                              enum dma_data_direction dir)
{
    *bounced = (struct device){.dma_mask = ~0ull, .dma_io_tlb_mem = swiotlb_init(1 << 20, 1)};
    bounced->dma_io_tlb_mem->force_bounce = true;
    return dma_map_single(bounced, (void *)buffer, bytes, dir);
}

/* The copy goes back over what was stored in between. */
static bool bounced_store_is_synced(bool wrong)
{
    static struct device bounced;
    volatile uint64_t *line = fresh_lines(1);
    dma_addr_t addr = map_bounced(&bounced, line, LINE, DMA_BIDIRECTIONAL);

    prepare_read(addr);
    *line = NEW;
    if (!wrong)
        dma_sync_single_for_device(&bounced, addr, LINE, DMA_BIDIRECTIONAL);
    bool seen = device_saw_new();
    dma_unmap_single(&bounced, addr, LINE, DMA_BIDIRECTIONAL);
    return seen && *line == NEW;
}

static bool bounced_part_is_synced(bool wrong)
{
    static struct device bounced;
    volatile uint64_t *buffer = fresh_lines(4);
    dma_addr_t addr = map_bounced(&bounced, buffer, 4 * LINE, DMA_FROM_DEVICE);

    device_writes(addr, 4 * LINE);
    dma_sync_single_for_cpu(&bounced, addr + 2 * LINE, LINE, DMA_FROM_DEVICE);
    bool fresh = buffer[(wrong ? 3 : 2) * LINE / 8] == NEW;
    dma_unmap_single(&bounced, addr, 4 * LINE, DMA_FROM_DEVICE);
    return fresh;
}

/* The map does nothing to the lines, so the core has the one that it reads. */
static bool map_without_sync_gives_the_buffer_away(bool wrong)
{
    volatile uint64_t *line = fresh_lines(1);
    dma_addr_t addr = dma_map_single_attrs(&dev, (void *)line, LINE, DMA_FROM_DEVICE, DMA_ATTR_SKIP_CPU_SYNC);
    bool old = !wrong || *line == OLD;

    dma_unmap_single_attrs(&dev, addr, LINE, DMA_FROM_DEVICE, DMA_ATTR_SKIP_CPU_SYNC);
    return old && *line == OLD;
}

/* --- behind an SMMU that does not snoop --- */

static struct device translated;
static struct dmac_descriptor *translated_descriptor; /* Non-cacheable */
static dma_addr_t translated_descriptor_dma;

static void attach(bool lazy)
{
    uint64_t pa;

    translated = (struct device){.dma_mask = 0xFFFFFFFF};
    if (!iommu_attach_device(&translated, STREAM_ID, lazy))
        sim_fail("hazards: the test needs an SMMU (smmu.kind)");
    translated_descriptor = dma_alloc_coherent(PAGE_SIZE, &pa);
    translated_descriptor_dma = 4 * PAGE_SIZE;
    if (iommu_map(translated.domain, translated_descriptor_dma, pa, PAGE_SIZE, IOMMU_READ))
        sim_fail("hazards: the descriptors cannot be mapped");
}

/* The device reads through the SMMU; returns its error status. */
static uint32_t translated_read(dma_addr_t source)
{
    *translated_descriptor = (struct dmac_descriptor){.source = source, .bytes = 8, .flags = DMAC_DISCARD};
    mb();
    dmac_prepare(translated_descriptor_dma, false);
    dmac_ring(false);
    return dmac_wait();
}

static bool table_entries_are_cleaned(bool wrong)
{
    struct device *smmu;
    dma_addr_t first, second;
    char *pages = alloc_pages_exact(2 * PAGE_SIZE);

    attach(false);
    first = dma_map_single(&translated, pages, PAGE_SIZE, DMA_TO_DEVICE); /* makes the tables */
    smmu = translated.domain->cfg.iommu_dev;
    smmu->dma_coherent = wrong; /* the driver believes so */
    second = dma_map_single(&translated, pages + PAGE_SIZE, PAGE_SIZE, DMA_TO_DEVICE);
    smmu->dma_coherent = false;
    bool reached = translated_read(second) == 0;
    dma_unmap_single(&translated, second, PAGE_SIZE, DMA_TO_DEVICE);
    dma_unmap_single(&translated, first, PAGE_SIZE, DMA_TO_DEVICE);
    return reached;
}

/* Two pages, scattered, at addresses that follow each other. */
static char *link_two(struct dma_iova_state *state, enum dma_data_direction dir, bool sync)
{
    char *pages = alloc_pages_exact(4 * PAGE_SIZE);

    attach(false);
    *(volatile uint64_t *)(pages + 2 * PAGE_SIZE) = NEW;
    *translated_descriptor = (struct dmac_descriptor){.bytes = 8, .flags = DMAC_DISCARD};
    if (!dma_iova_try_alloc(&translated, state, virt_to_phys(pages), 2 * PAGE_SIZE) ||
        dma_iova_link(&translated, state, virt_to_phys(pages), 0, PAGE_SIZE, dir, 0) ||
        dma_iova_link(&translated, state, virt_to_phys(pages + 2 * PAGE_SIZE), PAGE_SIZE, PAGE_SIZE, dir, 0))
        sim_fail("hazards: nothing can be linked");
    translated_descriptor->source = state->addr + PAGE_SIZE;
    dma_wmb(); /* the descriptor, not the cleans */
    if (sync)
        dma_iova_sync(&translated, state, 0, 2 * PAGE_SIZE);
    return pages;
}

static bool links_are_synced(bool wrong)
{
    struct dma_iova_state state;

    link_two(&state, DMA_TO_DEVICE, !wrong);
    dmac_prepare(translated_descriptor_dma, false);
    dmac_ring(false);
    bool reached = dmac_wait() == 0;
    dma_iova_destroy(&translated, &state, 2 * PAGE_SIZE, DMA_TO_DEVICE, 0);
    return reached;
}

static bool links_are_unlinked_once(bool wrong)
{
    struct dma_iova_state state;

    link_two(&state, DMA_TO_DEVICE, true);
    dma_iova_unlink(&translated, &state, 0, PAGE_SIZE, DMA_TO_DEVICE, 0);
    dma_iova_unlink(&translated, &state, PAGE_SIZE, PAGE_SIZE, wrong ? DMA_FROM_DEVICE : DMA_TO_DEVICE, 0);
    dma_iova_free(&translated, &state);
    return true;
}

static bool linked_page_is_read_after_the_unlink(bool wrong)
{
    struct dma_iova_state state;
    volatile uint64_t *page = (volatile uint64_t *)link_two(&state, DMA_FROM_DEVICE, true);
    bool fresh;

    *translated_descriptor =
        (struct dmac_descriptor){.source = NEW, .destination = state.addr, .bytes = PAGE_SIZE, .flags = DMAC_FILL};
    mb();
    dmac_prepare(translated_descriptor_dma, false);
    dmac_ring(false);
    dmac_wait();
    fresh = wrong && *page == NEW;
    dma_iova_destroy(&translated, &state, 2 * PAGE_SIZE, DMA_FROM_DEVICE, 0);
    return wrong ? fresh : *page == NEW;
}

/* A lazy unmap leaves the TLB entry: a device that goes on reaches the memory. Right is that it cannot. */
static bool unmap_ends_the_access(bool wrong)
{
    void *page = alloc_pages_exact(PAGE_SIZE);
    dma_addr_t addr;

    attach(wrong);
    addr = dma_map_single(&translated, page, PAGE_SIZE, DMA_TO_DEVICE);
    translated_read(addr);
    dma_unmap_single(&translated, addr, PAGE_SIZE, DMA_TO_DEVICE);
    return translated_read(addr) != 0;
}

static const struct {
    const char *name;
    bool (*run)(bool wrong);
    bool smmu;
} tests[] = {
    {"mapped_before_the_device_reads", mapped_before_the_device_reads, false},
    {"evicted_before_the_device_reads", evicted_before_the_device_reads, false},
    {"clean_is_waited_for", clean_is_waited_for, false},
    {"clean_is_waited_for_by_time", clean_is_waited_for_by_time, false},
    {"descriptor_before_the_doorbell", descriptor_before_the_doorbell, false},
    {"coherent_descriptor_before_the_doorbell", coherent_descriptor_before_the_doorbell, false},
    {"unmapped_before_the_core_reads", unmapped_before_the_core_reads, false},
    {"absent_line_is_invalidated_too", absent_line_is_invalidated_too, false},
    {"invalidation_is_waited_for", invalidation_is_waited_for, false},
    {"dirty_line_is_cleaned_before_the_device_writes", dirty_line_is_cleaned_before_the_device_writes, false},
    {"buffer_has_its_lines_for_itself", buffer_has_its_lines_for_itself, false},
    {"core_reads_after_the_sync", core_reads_after_the_sync, false},
    {"core_writes_and_syncs", core_writes_and_syncs, false},
    {"part_of_a_list_is_synced", part_of_a_list_is_synced, false},
    {"unmap_has_the_size_of_the_map", unmap_has_the_size_of_the_map, false},
    {"sync_stays_inside_the_mapping", sync_stays_inside_the_mapping, false},
    {"unmap_has_the_direction_of_the_map", unmap_has_the_direction_of_the_map, false},
    {"sync_of_what_is_mapped", sync_of_what_is_mapped, false},
    {"one_unmap_a_map", one_unmap_a_map, false},
    {"every_map_has_an_unmap", every_map_has_an_unmap, false},
    {"memory_is_freed_after_the_unmap", memory_is_freed_after_the_unmap, false},
    {"bounced_store_is_synced", bounced_store_is_synced, false},
    {"bounced_part_is_synced", bounced_part_is_synced, false},
    {"map_without_sync_gives_the_buffer_away", map_without_sync_gives_the_buffer_away, false},
    {"links_are_synced", links_are_synced, true},
    {"links_are_unlinked_once", links_are_unlinked_once, true},
    {"linked_page_is_read_after_the_unlink", linked_page_is_read_after_the_unlink, true},
    {"table_entries_are_cleaned", table_entries_are_cleaned, true},
    {"unmap_ends_the_access", unmap_ends_the_access, true},
};
enum { TESTS = sizeof(tests) / sizeof(tests[0]) };

static void run(unsigned test, bool wrong)
{
    bool right_bytes = tests[test].run(wrong);

    sim_emit(tests[test].name, "right_bytes", "", right_bytes, 1);
    if (!wrong && !right_bytes) {
        printf("%s: the right way gives wrong bytes\n", tests[test].name);
        sim_fail("a correct driver got wrong bytes");
    }
}

int main(void)
{
    unsigned test = (unsigned)sim_param("test", ALL);
    bool wrong = sim_param("wrong", 0);

    dev = (struct device){.dma_mask = ~0ull};
    descriptor = dma_alloc_coherent(PAGE_SIZE, &descriptor_dma);
    target = dma_alloc_coherent(PAGE_SIZE, &target_dma);
    if (test < TESTS)
        run(test, wrong);
    for (unsigned i = 0; test == ALL && i < TESTS; i++)
        if (!tests[i].smmu)
            run(i, false);
    return 0;
}
