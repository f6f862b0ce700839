/*
 * Every way through the DMA API moves real bytes in every direction, and all of them are looked at: those of the
 * buffer, those the device left alone, and the neighbours' in the same lines and pages. First chosen sizes and offsets,
 * then `operations` random ones (`seed`). Parameter iommu: the devices are behind an SMMU; else they are on the bus,
 * and guests of Xen.
 */
#include "dmac.h"
#include "iommu.h"
#include "selftest.h"
#include "swiotlb.h"

#define KB         1024ul
#define MB         (1024 * KB)
#define SLOTS_MOST (IO_TLB_SEGSIZE * IO_TLB_SIZE) /* the largest mapping that can be bounced */
enum { STREAM_ID = 0, PIECES_MOST = 8 };
#define STREAM_BYTES (PIECES_MOST * SLOTS_MOST)
#define AREA_BYTES   (2 * SLOTS_MOST) /* a piece lies in one of its own, with guards around it */
#define GUARD        256

enum way { SINGLE, LIST, LINK };

struct piece {
    char *va;
    size_t bytes;
};

/* What one operation does. */
struct operation {
    struct device *dev;
    enum way way;
    enum dma_data_direction dir;
    bool skip; /* DMA_ATTR_SKIP_CPU_SYNC at map and unmap, and syncs in between */
    bool half; /* the device leaves the second half of the bytes alone */
    unsigned pieces;
    struct piece piece[PIECES_MOST];
};

/* What the device sees of it. */
struct segment {
    dma_addr_t addr;
    size_t bytes;
};

static struct {
    char *areas;                         /* [PIECES_MOST] */
    char *source, *target;               /* what the device gives, and where it copies to */
    struct dmac_descriptor *descriptors; /* Non-cacheable */
    dma_addr_t source_dma, target_dma, descriptors_dma;
    struct scatterlist *list; /* [PIECES_MOST] */
    struct dma_iova_state iova;
    struct segment segment[PIECES_MOST];
    unsigned segments;
    uint64_t random;
    unsigned bounced, operations;
} test;

static uint64_t random_below(uint64_t limit)
{
    test.random = test.random * 6364136223846793005ull + 1442695040888963407ull;
    return (test.random >> 33) % limit;
}

/* --- bytes --- */

/* What the byte at this address held before: no two neighbouring operations have the same. */
static char before(const char *at)
{
    return (char)(((uintptr_t)at * 37 >> 3) ^ (uintptr_t)at ^ test.operations * 29);
}

static void fill(struct operation *op)
{
    for (unsigned i = 0; i < op->pieces; i++) {
        char *start = op->piece[i].va - GUARD, *end = op->piece[i].va + op->piece[i].bytes + GUARD;
        for (char *at = start; at < end; at++)
            *at = before(at);
    }
}

static size_t stream_bytes(const struct operation *op)
{
    size_t bytes = 0;

    for (unsigned i = 0; i < op->pieces; i++)
        bytes += op->piece[i].bytes;
    return bytes;
}

/* The device's bytes of this operation begin there in the source. */
static size_t source_offset(void)
{
    return test.operations % 251;
}

static void check_untouched(const char *start, const char *end)
{
    for (const char *at = start; at < end; at++)
        CHECK(*at == before(at));
}

/* written: bytes that the device has written, from the first on. */
static void check_buffers(const struct operation *op, size_t written)
{
    const char *source = test.source + source_offset();

    for (unsigned i = 0; i < op->pieces; i++) {
        const char *va = op->piece[i].va, *end = va + op->piece[i].bytes;
        size_t here = written < op->piece[i].bytes ? written : op->piece[i].bytes;
        CHECK(memcmp(va, source, here) == 0);
        check_untouched(va + here, end);
        source += here;
        written -= here;
    }
}

static void check_guards(const struct operation *op)
{
    for (unsigned i = 0; i < op->pieces; i++) {
        const char *va = op->piece[i].va, *end = va + op->piece[i].bytes;
        check_untouched(va - GUARD, va);
        check_untouched(end, end + GUARD);
    }
}

static void check_target(const struct operation *op)
{
    const char *target = test.target;

    dcache_inval_poc((uintptr_t)target, (uintptr_t)target + stream_bytes(op));
    for (unsigned i = 0; i < op->pieces; i++)
        for (size_t at = 0; at < op->piece[i].bytes; at++)
            CHECK(*target++ == before(op->piece[i].va + at));
}

/* --- the device --- */

/* Copies between the segments, up to bytes, and the device's own memory. */
static void device_copies(const struct operation *op, bool reads, size_t bytes)
{
    dma_addr_t own = reads ? test.target_dma : test.source_dma + source_offset();
    unsigned count = 0;

    for (unsigned i = 0; i < test.segments && bytes; i++) {
        size_t part = test.segment[i].bytes < bytes ? test.segment[i].bytes : bytes;
        test.descriptors[count] =
            (struct dmac_descriptor){.source = reads ? test.segment[i].addr : own,
                                     .destination = reads ? own : test.segment[i].addr,
                                     .bytes = (uint32_t)part,
                                     .next = test.descriptors_dma + (count + 1) * sizeof(*test.descriptors)};
        count++;
        own += part;
        bytes -= part;
    }
    if (!count)
        return;
    test.descriptors[count - 1].next = 0; /* no DSB follows: maintenance that the map did not wait for shows */
    CHECK(dmac_channel_run(0, STREAM_ID, test.descriptors_dma, op->dev->dma_coherent) == 0);
}

/* --- maps and unmaps --- */

static unsigned long attrs_of(const struct operation *op)
{
    return op->skip ? DMA_ATTR_SKIP_CPU_SYNC : 0;
}

static void map_single(struct operation *op)
{
    dma_addr_t addr = dma_map_single_attrs(op->dev, op->piece[0].va, op->piece[0].bytes, op->dir, attrs_of(op));

    CHECK(addr != DMA_MAPPING_ERROR);
    test.segment[0] = (struct segment){addr, op->piece[0].bytes};
    test.segments = 1;
}

static void map_list(struct operation *op)
{
    int segments;

    for (unsigned i = 0; i < op->pieces; i++) {
        test.list[i].pa = virt_to_phys(op->piece[i].va);
        test.list[i].length = (uint32_t)op->piece[i].bytes;
        test.list[i].next = i + 1 < op->pieces ? &test.list[i + 1] : NULL;
    }
    segments = dma_map_sg_attrs(op->dev, test.list, (int)op->pieces, op->dir, attrs_of(op));
    CHECK(segments > 0 && segments <= (int)op->pieces);
    test.segments = (unsigned)segments;
    for (unsigned i = 0; i < test.segments; i++)
        test.segment[i] = (struct segment){test.list[i].dma_address, test.list[i].dma_length};
}

static void map_link(struct operation *op)
{
    size_t offset = 0;

    CHECK(dma_iova_try_alloc(op->dev, &test.iova, virt_to_phys(op->piece[0].va), stream_bytes(op)));
    for (unsigned i = 0; i < op->pieces; i++) {
        CHECK(dma_iova_link(op->dev, &test.iova, virt_to_phys(op->piece[i].va), offset, op->piece[i].bytes, op->dir,
                            attrs_of(op)) == 0);
        offset += op->piece[i].bytes;
    }
    dma_iova_sync(op->dev, &test.iova, 0, offset);
    test.segment[0] = (struct segment){test.iova.addr, offset};
    test.segments = 1;
}

static void map(struct operation *op)
{
    if (op->way == SINGLE)
        map_single(op);
    else if (op->way == LIST)
        map_list(op);
    else
        map_link(op);
}

static void unlink_and_free(struct operation *op)
{
    dma_iova_unlink(op->dev, &test.iova, 0, test.segment[0].bytes, op->dir, attrs_of(op));
    dma_iova_free(op->dev, &test.iova);
}

static void unmap(struct operation *op)
{
    if (op->way == SINGLE)
        dma_unmap_single_attrs(op->dev, test.segment[0].addr, test.segment[0].bytes, op->dir, attrs_of(op));
    else if (op->way == LIST)
        dma_unmap_sg_attrs(op->dev, test.list, (int)op->pieces, op->dir, attrs_of(op));
    else if (test.operations % 2)
        dma_iova_destroy(op->dev, &test.iova, test.segment[0].bytes, op->dir, attrs_of(op));
    else
        unlink_and_free(op);
}

static void sync_for_device(struct operation *op)
{
    if (op->way == SINGLE)
        dma_sync_single_for_device(op->dev, test.segment[0].addr, test.segment[0].bytes, op->dir);
    else
        dma_sync_sg_for_device(op->dev, test.list, (int)op->pieces, op->dir);
}

static void sync_for_cpu(struct operation *op)
{
    if (op->way == SINGLE)
        dma_sync_single_for_cpu(op->dev, test.segment[0].addr, test.segment[0].bytes, op->dir);
    else
        dma_sync_sg_for_cpu(op->dev, test.list, (int)op->pieces, op->dir);
}

static void run(struct operation *op)
{
    size_t bytes = stream_bytes(op), written = op->dir == DMA_TO_DEVICE ? 0 : op->half ? bytes / 2 : bytes;

    test.operations++;
    fill(op);
    map(op);
    test.bounced +=
        swiotlb_find_pool(op->dev, op->dev->domain ? iommu_iova_to_phys(op->dev->domain, test.segment[0].addr)
                                                   : test.segment[0].addr) != NULL;
    if (op->skip)
        sync_for_device(op);
    if (op->dir != DMA_FROM_DEVICE) {
        device_copies(op, true, bytes);
        check_target(op);
    }
    device_copies(op, false, written);
    if (op->skip) {
        sync_for_cpu(op);
        check_buffers(op, written);
    }
    unmap(op);
    check_buffers(op, written);
    check_guards(op);
}

/* --- which operations --- */

static char *place(unsigned piece, size_t offset)
{
    return test.areas + piece * AREA_BYTES + PAGE_SIZE + offset;
}

static void every_size_and_offset(struct device *dev, enum way way)
{
    static const size_t sizes[] = {1, 8, 33, 64, 65, 128, 200, 2047, 2048, 2049, 4096, 4097, 10000, 20000};
    static const size_t offsets[] = {0, 1, 64, 100, 2048, 4095};

    for (unsigned size = 0; size < sizeof(sizes) / sizeof(sizes[0]); size++)
        for (unsigned offset = 0; offset < sizeof(offsets) / sizeof(offsets[0]); offset++)
            for (unsigned dir = DMA_BIDIRECTIONAL; dir <= DMA_FROM_DEVICE; dir++)
                run(&(struct operation){.dev = dev,
                                        .way = way,
                                        .dir = (enum dma_data_direction)dir,
                                        .skip = way != LINK && (size + offset) % 3 == 1,
                                        .half = (size + offset) % 2,
                                        .pieces = 1,
                                        .piece = {{place(0, offsets[offset]), sizes[size]}}});
}

/* Lists of anything; links of whole pages but for the beginning of the first and the end of the last. */
static void random_pieces(struct operation *op, size_t most)
{
    op->pieces = op->way == SINGLE ? 1 : 1 + (unsigned)random_below(PIECES_MOST);
    for (unsigned i = 0; i < op->pieces; i++) {
        bool first = i == 0, last = i + 1 == op->pieces;
        size_t offset = random_below(PAGE_SIZE), bytes = 1 + random_below(1ul << random_below(most));
        if (op->way == LINK) {
            offset = first ? offset : 0;
            bytes = last ? bytes : ((bytes + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1)) + (first ? PAGE_SIZE - offset : 0);
        }
        op->piece[i] = (struct piece){place(i, offset), bytes};
    }
}

static void random_operations(struct device *dev, enum way way, unsigned count)
{
    while (count--) {
        struct operation op = {.dev = dev,
                               .way = way,
                               .dir = (enum dma_data_direction)random_below(3),
                               .skip = way != LINK && random_below(3) == 0,
                               .half = random_below(2)};
        random_pieces(&op, 17);
        run(&op);
    }
}

/* --- bounce buffers --- */

static void all_slots_are_free(const struct io_tlb_mem *mem)
{
    const struct io_tlb_pool *pool = &mem->defpool;

    for (unsigned i = 0; i < pool->nareas; i++)
        CHECK(pool->areas[i].used == 0);
    for (unsigned i = 0; i < pool->nareas * pool->area_nslabs; i++) {
        CHECK(pool->slots[i].list == IO_TLB_SEGSIZE - i % IO_TLB_SEGSIZE);
        CHECK(pool->slots[i].orig_addr == ~0ull && pool->slots[i].alloc_size == 0 && pool->slots[i].pad_slots == 0);
    }
}

static void a_full_pool_and_a_large_mapping_are_refused(void)
{
    struct device dev = {.dma_mask = ~0ull, .dma_io_tlb_mem = swiotlb_init(2 * SLOTS_MOST, 1)};
    dma_addr_t first, second;

    dev.dma_io_tlb_mem->force_bounce = true;
    CHECK(dma_map_single(&dev, place(0, 0), SLOTS_MOST + 1, DMA_TO_DEVICE) == DMA_MAPPING_ERROR);
    first = dma_map_single(&dev, place(0, 0), SLOTS_MOST, DMA_TO_DEVICE);
    second = dma_map_single(&dev, place(0, 0), SLOTS_MOST - 3 * IO_TLB_SIZE, DMA_TO_DEVICE);
    CHECK(first != DMA_MAPPING_ERROR && second != DMA_MAPPING_ERROR && second - first == SLOTS_MOST);
    CHECK(dma_map_single(&dev, place(0, 0), 3 * IO_TLB_SIZE + 1, DMA_TO_DEVICE) == DMA_MAPPING_ERROR);
    dma_unmap_single(&dev, first, SLOTS_MOST, DMA_TO_DEVICE);
    dma_unmap_single(&dev, second, SLOTS_MOST - 3 * IO_TLB_SIZE, DMA_TO_DEVICE);
    all_slots_are_free(dev.dma_io_tlb_mem);
}

/* Two free slots, but not side by side: one is left before a page, the other at the end. */
static void a_free_slot_before_a_used_one_is_counted(void)
{
    struct device dev = {.dma_mask = ~0ull, .dma_io_tlb_mem = swiotlb_init(SLOTS_MOST, 1)};
    static const size_t sizes[] = {1, PAGE_SIZE, SLOTS_MOST - 5 * IO_TLB_SIZE, IO_TLB_SIZE, IO_TLB_SIZE};
    static const unsigned slots[] = {0, 2, 4, IO_TLB_SEGSIZE - 1, 1};
    dma_addr_t addr[5];

    dev.dma_io_tlb_mem->force_bounce = true;
    for (unsigned i = 0; i < 5; i++) {
        CHECK(i != 3 || dma_map_single(&dev, place(0, 0), IO_TLB_SIZE + 1, DMA_TO_DEVICE) == DMA_MAPPING_ERROR);
        addr[i] = dma_map_single(&dev, place(0, 0), sizes[i], DMA_TO_DEVICE);
        CHECK(addr[i] == addr[0] + slots[i] * IO_TLB_SIZE);
    }
    for (unsigned i = 0; i < 5; i++)
        dma_unmap_single(&dev, addr[i], sizes[i], DMA_TO_DEVICE);
    all_slots_are_free(dev.dma_io_tlb_mem);
}

/* The device's alignment survives the bounce; a page or more is page aligned anyway. */
static void alignment_is_kept(void)
{
    static const uint32_t masks[] = {0, 511, 2047, 4095, 16383};
    struct device dev = {.dma_mask = ~0ull, .dma_io_tlb_mem = swiotlb_init(8 * SLOTS_MOST, 1)};

    dev.dma_io_tlb_mem->force_bounce = true;
    for (unsigned i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
        dev.min_align_mask = masks[i];
        for (size_t offset = 0; offset < 20 * KB; offset += 1733) {
            dma_addr_t addr = dma_map_single(&dev, place(0, offset), 6 * KB, DMA_TO_DEVICE);
            CHECK(addr != DMA_MAPPING_ERROR && ((addr ^ (uintptr_t)place(0, offset)) & masks[i]) == 0);
            CHECK(masks[i] || addr % PAGE_SIZE == 0);
            dma_unmap_single(&dev, addr, 6 * KB, DMA_TO_DEVICE);
            run(&(struct operation){.dev = &dev, .pieces = 1, .piece = {{place(0, offset), 6 * KB}}});
        }
    }
    all_slots_are_free(dev.dma_io_tlb_mem);
}

/* A sync of a part of a mapping copies that part, wherever it lies. */
static void parts_are_synced(void)
{
    struct device dev = {.dma_mask = ~0ull, .dma_io_tlb_mem = swiotlb_init(8 * SLOTS_MOST, 1)};

    dev.dma_io_tlb_mem->force_bounce = true;
    for (unsigned i = 0; i < 3; i++) {
        struct operation op = {.dev = &dev, .dir = DMA_FROM_DEVICE, .pieces = 1, .piece = {{place(0, 700), 9000}}};
        dev.min_align_mask = i == 0 ? 0 : i == 1 ? 1023 : 4095;
        test.operations++;
        fill(&op);
        map(&op);
        device_copies(&op, false, 9000);
        for (size_t at = 0; at < 9000; at += 1500) {
            dma_sync_single_for_cpu(&dev, test.segment[0].addr + at, 1000, DMA_FROM_DEVICE);
            CHECK(memcmp(op.piece[0].va + at, test.source + source_offset() + at, 1000) == 0);
        }
        dma_unmap_single_attrs(&dev, test.segment[0].addr, 9000, DMA_FROM_DEVICE, DMA_ATTR_SKIP_CPU_SYNC);
        check_untouched(op.piece[0].va + 1000, op.piece[0].va + 1500);
    }
    all_slots_are_free(dev.dma_io_tlb_mem);
}

/* Many mappings of all sizes at once, given back in another order: no slot is lost, none is used twice. */
static void slots_come_and_go(void)
{
    enum { LIVE = 40 };
    struct device dev = {.dma_mask = ~0ull, .dma_io_tlb_mem = swiotlb_init(8 * SLOTS_MOST, 2)};
    struct {
        dma_addr_t addr;
        size_t bytes;
    } live[LIVE] = {0};

    dev.dma_io_tlb_mem->force_bounce = true;
    for (unsigned i = 0; i < 1500; i++) {
        unsigned at = (unsigned)random_below(LIVE);
        if (live[at].bytes) {
            dma_unmap_single(&dev, live[at].addr, live[at].bytes, DMA_TO_DEVICE);
            live[at].bytes = 0;
            continue;
        }
        size_t bytes = 1 + random_below(1ul << random_below(17));
        live[at].addr = dma_map_single(&dev, place(0, 0), bytes, DMA_TO_DEVICE);
        if (live[at].addr == DMA_MAPPING_ERROR)
            continue;
        for (unsigned other = 0; other < LIVE; other++)
            CHECK(!live[other].bytes || live[at].addr + bytes <= live[other].addr ||
                  live[other].addr + live[other].bytes <= live[at].addr);
        live[at].bytes = bytes;
    }
    for (unsigned at = 0; at < LIVE; at++)
        if (live[at].bytes)
            dma_unmap_single(&dev, live[at].addr, live[at].bytes, DMA_TO_DEVICE);
    all_slots_are_free(dev.dma_io_tlb_mem);
}

static void a_range_without_links_is_freed(struct device *dev)
{
    struct dma_iova_state first, second;

    CHECK(dma_iova_try_alloc(dev, &first, 100, 3 * PAGE_SIZE) && first.addr % PAGE_SIZE == 100);
    dma_iova_destroy(dev, &first, 0, DMA_TO_DEVICE, 0);
    CHECK(dma_iova_try_alloc(dev, &second, 100, 3 * PAGE_SIZE) && second.addr == first.addr);
    CHECK(dma_iova_link(dev, &second, 100, PAGE_SIZE, PAGE_SIZE, DMA_TO_DEVICE, 0) != 0); /* not on a page */
    dma_iova_free(dev, &second);
}

static void a_bounced_link_needs_the_alignment(struct device *dev)
{
    struct dma_iova_state state;
    phys_addr_t pa = virt_to_phys(place(0, 100));

    dev->min_align_mask = 0;
    CHECK(dma_iova_try_alloc(dev, &state, pa, 200));
    CHECK(dma_iova_link(dev, &state, pa, 0, 200, DMA_TO_DEVICE, 0) != 0);
    dma_iova_free(dev, &state);
    all_slots_are_free(dev->dma_io_tlb_mem);
}

/* --- all of it --- */

static void all_operations(struct device *dev, enum way last, bool all_bounced)
{
    unsigned count = (unsigned)sim_param("operations", 40);

    for (enum way way = SINGLE; way <= last; way++) {
        test.bounced = test.operations = 0;
        if (way == LINK) /* else no bounced link can begin inside a page */
            dev->min_align_mask = PAGE_SIZE - 1;
        every_size_and_offset(dev, way);
        random_operations(dev, way, count);
        CHECK(!all_bounced || test.bounced == test.operations);
        CHECK(dev->dma_coherent || test.bounced > 0); /* parts of lines at the least */
    }
    all_slots_are_free(dev->dma_io_tlb_mem);
}

static void on_the_bus(void)
{
    for (unsigned i = 0; i < 12; i++) {
        struct device dev = {
            .dma_coherent = i & 1, .dma_mask = ~0ull, .xen = i & 2, .dma_io_tlb_mem = swiotlb_init(4 * MB, 4)};
        dev.dma_io_tlb_mem->force_bounce = i / 4 == 1;
        if (i / 4 == 2) /* the device does not reach the buffers */
            dev.dma_mask = dev.dma_io_tlb_mem->defpool.end - 1;
        all_operations(&dev, LIST, i / 4 == 1);
    }
    a_full_pool_and_a_large_mapping_are_refused();
    a_free_slot_before_a_used_one_is_counted();
    alignment_is_kept();
    parts_are_synced();
    slots_come_and_go();
}

static void behind_an_smmu(void)
{
    struct device dev = {
        .dma_coherent = sim_param("coherent", 0), .dma_mask = 0xFFFFFFFF, .dma_io_tlb_mem = swiotlb_init(4 * MB, 4)};

    CHECK(iommu_attach_device(&dev, STREAM_ID, sim_param("lazy", 0)));
    CHECK(iommu_map(dev.domain, 16 * MB, test.source_dma, STREAM_BYTES + PAGE_SIZE, IOMMU_READ) == 0);
    CHECK(iommu_map(dev.domain, 32 * MB, test.target_dma, STREAM_BYTES, IOMMU_WRITE) == 0);
    CHECK(iommu_map(dev.domain, PAGE_SIZE, test.descriptors_dma, PAGE_SIZE, IOMMU_READ) == 0);
    test.source_dma = 16 * MB;
    test.target_dma = 32 * MB;
    test.descriptors_dma = PAGE_SIZE;
    for (unsigned untrusted = 0; untrusted < 2; untrusted++) {
        dev.untrusted = untrusted;
        dev.min_align_mask = 0;
        all_operations(&dev, LINK, false);
    }
    a_range_without_links_is_freed(&dev);
    a_bounced_link_needs_the_alignment(&dev);
}

int main(void)
{
    test.random = sim_param("seed", 1);
    test.areas = alloc_pages_exact(PIECES_MOST * AREA_BYTES);
    test.source = alloc_pages_exact(STREAM_BYTES + PAGE_SIZE);
    test.target = alloc_pages_exact(STREAM_BYTES);
    test.list = kzalloc(PIECES_MOST * sizeof(*test.list));
    test.descriptors = dma_alloc_coherent(PAGE_SIZE, &test.descriptors_dma);
    for (size_t i = 0; i < STREAM_BYTES + PAGE_SIZE; i++)
        test.source[i] = (char)(i * 7 + (i >> 8) * 13);
    dcache_clean_poc((uintptr_t)test.source, (uintptr_t)test.source + STREAM_BYTES + PAGE_SIZE);
    dcache_inval_poc((uintptr_t)test.target, (uintptr_t)test.target + STREAM_BYTES);
    test.source_dma = virt_to_phys(test.source);
    test.target_dma = virt_to_phys(test.target);
    if (sim_param("iommu", 0))
        behind_an_smmu();
    else
        on_the_bus();
    return 0;
}
