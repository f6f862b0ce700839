/*
 * Litmus tests of DMA without coherence, through the copy engine. Each has a right order, which must deliver the right
 * bytes, and a wrong one, which must not: a wrong driver that always works would mean a useless model. Parameter wrong:
 * 0 or 1 runs all of them one way; the program fails when one has the other outcome.
 */
#include "dma.h"
#include "dmac.h"
#include "simctl.h"

#define LINE 64u
#define OLD  0x1111111111111111ull
#define NEW  0x2222222222222222ull

static struct dmac_descriptor *descriptor; /* Non-cacheable */
static uint64_t descriptor_dma;
static uint64_t *target, target_dma; /* where the engine copies to, Non-cacheable */

#define CVAC(p)  asm volatile("dc cvac, %0" ::"r"(p) : "memory")
#define IVAC(p)  asm volatile("dc ivac, %0" ::"r"(p) : "memory")
#define CIVAC(p) asm volatile("dc civac, %0" ::"r"(p) : "memory")

/* A line of its own whose memory and cache hold OLD. */
static volatile uint64_t *fresh_line(void)
{
    volatile uint64_t *line = kzalloc(2 * LINE);

    for (unsigned i = 0; i < 2 * LINE / 8; i++)
        line[i] = OLD;
    CVAC(line);
    CVAC(line + 8);
    mb();
    return line;
}

/* Everything is ready except the doorbell: one register write remains between CPU and engine. */
static void prepare(uint64_t source, uint64_t destination, unsigned bytes, unsigned flags, bool coherent)
{
    descriptor->source = source;
    descriptor->destination = destination;
    descriptor->bytes = bytes;
    descriptor->flags = flags;
    descriptor->next = 0;
    mb();
    dmac_prepare(descriptor_dma, coherent);
    mb();
}

static void prepare_read(volatile uint64_t *line, unsigned bytes, bool coherent)
{
    target[0] = target[LINE / 8] = 0;
    prepare(virt_to_phys((void *)line), target_dma, bytes, 0, coherent);
}

/* The device writes NEW over bytes of the line. */
static void device_writes(volatile uint64_t *line, unsigned bytes)
{
    prepare(NEW, virt_to_phys((void *)line), bytes, DMAC_FILL, false);
    dmac_ring(false);
    dmac_wait();
}

static bool device_saw_new(void)
{
    dmac_wait();
    return target[0] == NEW;
}

static bool store_clean_dsb_doorbell(bool wrong)
{
    volatile uint64_t *line = fresh_line();

    prepare_read(line, 8, false);
    *line = NEW;
    if (!wrong)
        CVAC(line);
    mb();
    dmac_ring(false);
    return device_saw_new();
}

static bool clean_is_completed_by_dsb(bool wrong)
{
    volatile uint64_t *line = fresh_line();

    prepare_read(line, 8, false);
    *line = NEW;
    CVAC(line);
    if (!wrong)
        mb();
    dmac_ring(false);
    return device_saw_new();
}

static bool dsb_of_stores_does_not_complete_a_clean(bool wrong)
{
    volatile uint64_t *line = fresh_line();

    prepare_read(line, 8, false);
    *line = NEW;
    CVAC(line);
    if (wrong)
        dsb(ishst);
    else
        dsb(sy);
    dmac_ring(false);
    return device_saw_new();
}

static bool dmb_orders_a_clean_only_when_full(bool wrong)
{
    volatile uint64_t *line = fresh_line();

    prepare_read(line, 8, false);
    *line = NEW;
    CVAC(line);
    if (wrong)
        dma_wmb();
    else
        dmb(osh);
    dmac_ring(false);
    return device_saw_new();
}

static bool clean_covers_every_line(bool wrong)
{
    volatile uint64_t *line = fresh_line();

    prepare_read(line, 2 * LINE, false);
    line[0] = line[LINE / 8] = NEW;
    CVAC(line);
    if (!wrong)
        CVAC(line + LINE / 8);
    mb();
    dmac_ring(false);
    return device_saw_new() && target[LINE / 8] == NEW;
}

static bool second_update_needs_a_second_clean(bool wrong)
{
    volatile uint64_t *line = fresh_line();

    *line = OLD + 1;
    CVAC(line);
    mb();
    prepare_read(line, 8, false);
    *line = NEW;
    if (!wrong)
        CVAC(line);
    mb();
    dmac_ring(false);
    return device_saw_new();
}

static bool invalidate_after_the_transfer(bool wrong)
{
    volatile uint64_t *line = fresh_line();

    (void)*line;
    device_writes(line, LINE);
    if (!wrong)
        IVAC(line);
    mb();
    return *line == NEW;
}

static bool invalidate_before_the_transfer_is_not_enough(bool wrong)
{
    volatile uint64_t *line = fresh_line();

    IVAC(line);
    mb();
    (void)*line; /* an early read takes the line again */
    device_writes(line, LINE);
    if (!wrong)
        IVAC(line);
    mb();
    return *line == NEW;
}

static bool partial_line_keeps_both_halves(bool wrong)
{
    volatile uint64_t *line = fresh_line();

    line[7] = NEW; /* somebody else's variable, dirty in the same line */
    if (!wrong)
        CIVAC(line);
    mb();
    device_writes(line, LINE / 2);
    IVAC(line);
    mb();
    return line[0] == NEW && line[7] == NEW;
}

/* Touch enough other memory that the line leaves every cache. */
static void evict_everything(void)
{
    static char *buffer;
    size_t bytes = sim_param("evict_bytes", 4 << 20);

    if (!buffer)
        buffer = alloc_pages_exact(bytes);
    for (size_t i = 0; i < bytes; i += LINE)
        (void)*(volatile char *)(buffer + i);
}

static bool dirty_line_is_cleaned_before_the_device_writes(bool wrong)
{
    volatile uint64_t *line = fresh_line();

    *line = OLD + 1; /* dirty */
    if (!wrong)
        CVAC(line);
    mb();
    device_writes(line, LINE);
    evict_everything(); /* a dirty line is written over the device's data */
    prepare_read(line, 8, false);
    dmac_ring(false);
    return device_saw_new();
}

static bool noncacheable_alias_needs_no_clean(bool wrong)
{
    volatile uint64_t *line = fresh_line();
    volatile uint64_t *alias = (volatile uint64_t *)((uintptr_t)line + (wrong ? 0 : NONCACHEABLE_OFFSET));

    CIVAC(line);
    mb();
    prepare_read(line, 8, false);
    *alias = NEW;
    mb();
    dmac_ring(false);
    return device_saw_new();
}

static bool cached_alias_is_stale_after_noncacheable_write(bool wrong)
{
    volatile uint64_t *line = fresh_line();

    (void)*line;
    *(volatile uint64_t *)((uintptr_t)line + NONCACHEABLE_OFFSET) = NEW;
    mb();
    if (!wrong)
        IVAC(line);
    mb();
    return *line == NEW;
}

static bool coherent_engine_needs_nothing(bool wrong)
{
    volatile uint64_t *line = fresh_line();

    prepare_read(line, 8, !wrong);
    *line = NEW;
    mb();
    dmac_ring(false);
    return device_saw_new();
}

static bool descriptor_in_cached_memory_is_cleaned(bool wrong)
{
    volatile uint64_t *line = fresh_line();
    struct dmac_descriptor *cached = kzalloc(LINE);

    CVAC(cached);
    mb();
    target[0] = 0;
    *cached = (struct dmac_descriptor){.source = virt_to_phys((void *)line), .destination = target_dma, .bytes = 8};
    *line = NEW;
    CVAC(line);
    mb();
    dmac_prepare(virt_to_phys(cached), false);
    if (!wrong)
        CVAC(cached);
    mb();
    dmac_ring(false);
    return device_saw_new();
}

static volatile bool interrupted;

static void done(unsigned intid, void *data)
{
    interrupted = true;
    writeq_relaxed(6, DMAC_BASE + 8);
}

static bool data_is_there_at_the_interrupt(bool wrong)
{
    const unsigned bytes = 16 * PAGE_SIZE;
    char *buffer = alloc_pages_exact(bytes);
    volatile uint64_t *line = (volatile uint64_t *)(buffer + bytes - LINE); /* the last one to arrive */

    for (size_t i = 0; i < bytes; i += LINE)
        CIVAC(buffer + i);
    mb();
    interrupted = false;
    prepare(NEW, virt_to_phys(buffer), bytes, DMAC_FILL, false);
    dmac_ring(true);
    while (!wrong && !interrupted) {
        local_irq_disable();
        if (!interrupted)
            asm volatile("wfi");
        local_irq_enable();
    }
    IVAC(line);
    mb();
    bool fresh = *line == NEW;
    while (!interrupted)
        cpu_relax();
    return fresh;
}

static bool dma_api_map_and_unmap(bool wrong)
{
    struct device dev = {.dma_mask = ~0ull};
    volatile uint64_t *line = fresh_line();
    dma_addr_t addr;

    *line = OLD + 1;
    addr = wrong ? virt_to_phys((void *)line) : dma_map_single(&dev, (void *)line, LINE, DMA_BIDIRECTIONAL);
    prepare_read(line, 8, false);
    dmac_ring(false);
    dmac_wait();
    bool seen = target[0] == OLD + 1;
    device_writes(line, LINE);
    if (!wrong)
        dma_unmap_single(&dev, addr, LINE, DMA_BIDIRECTIONAL);
    return seen && *line == NEW;
}

static const struct {
    const char *name;
    bool (*run)(bool wrong);
} tests[] = {
    {"store_clean_dsb_doorbell", store_clean_dsb_doorbell},
    {"clean_is_completed_by_dsb", clean_is_completed_by_dsb},
    {"dsb_of_stores_does_not_complete_a_clean", dsb_of_stores_does_not_complete_a_clean},
    {"dmb_orders_a_clean_only_when_full", dmb_orders_a_clean_only_when_full},
    {"clean_covers_every_line", clean_covers_every_line},
    {"second_update_needs_a_second_clean", second_update_needs_a_second_clean},
    {"invalidate_after_the_transfer", invalidate_after_the_transfer},
    {"invalidate_before_the_transfer_is_not_enough", invalidate_before_the_transfer_is_not_enough},
    {"partial_line_keeps_both_halves", partial_line_keeps_both_halves},
    {"dirty_line_is_cleaned_before_the_device_writes", dirty_line_is_cleaned_before_the_device_writes},
    {"noncacheable_alias_needs_no_clean", noncacheable_alias_needs_no_clean},
    {"cached_alias_is_stale_after_noncacheable_write", cached_alias_is_stale_after_noncacheable_write},
    {"coherent_engine_needs_nothing", coherent_engine_needs_nothing},
    {"descriptor_in_cached_memory_is_cleaned", descriptor_in_cached_memory_is_cleaned},
    {"data_is_there_at_the_interrupt", data_is_there_at_the_interrupt},
    {"dma_api_map_and_unmap", dma_api_map_and_unmap},
};

int main(void)
{
    bool wrong = sim_param("wrong", 0);
    unsigned unexpected = 0;

    descriptor = dma_alloc_coherent(PAGE_SIZE, &descriptor_dma);
    target = dma_alloc_coherent(PAGE_SIZE, &target_dma);
    request_irq(32 + SPI_DMAC, false, done, NULL);
    local_irq_enable();
    for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        bool right_bytes = tests[i].run(wrong);
        sim_emit(tests[i].name, "right_bytes", "", right_bytes, 1);
        if (right_bytes == wrong) {
            printf("%s, %s order: %s bytes\n", tests[i].name, wrong ? "wrong" : "right",
                   right_bytes ? "right" : "wrong");
            unexpected++;
        }
    }
    if (unexpected)
        sim_fail("a litmus test has the unexpected outcome");
    return 0;
}
