/*
 * I/O page tables and DMA over a domain, with an SMMU that only records what it is told. The tables are read as the
 * device would: a walk that is not coherent sees memory, not the caches. Regions count cache maintenance and barriers.
 */
#include "atomic.h"
#include "iommu.h"
#include "percpu.h"
#include "selftest.h"

#define KB 1024ull
#define MB (1024 * KB)
#define GB (1024 * MB)

static struct {
    unsigned flush_all, flush_walk, add_page, iotlb_sync;
    uint64_t start, end; /* of the last call */
} calls;

static struct device smmu_device = {.dma_mask = ~0ull}; /* not coherent */

/* --- the device's view --- */

struct leaf {
    phys_addr_t pa;
    uint64_t pte;
    int level;
};

/* pa is 0 when there is no translation. */
static struct leaf device_walk(const struct io_pgtable_cfg *cfg, uint64_t iova)
{
    unsigned page_shift = (unsigned)__builtin_ctzl(cfg->pgsize_bitmap), bits = page_shift - 3;
    unsigned levels = (64 - cfg->tsz - page_shift + bits - 1) / bits;
    uint64_t table = cfg->ttbr, alias = cfg->coherent_walk ? 0 : NONCACHEABLE_OFFSET;

    for (int level = 4 - (int)levels; level < 4; level++) {
        unsigned shift = page_shift + bits * (unsigned)(3 - level);
        uint64_t pte = READ_ONCE(((uint64_t *)(table + alias))[iova >> shift & ((1ull << bits) - 1)]);
        uint64_t address = pte & 0xFFFFFFFFF000ull & -(1ull << page_shift);

        if (!(pte & 1))
            break;
        if (!(pte & 2) || level == 3)
            return (struct leaf){address | (iova & ((1ull << shift) - 1)), pte, level};
        table = address;
    }
    return (struct leaf){0};
}

/* --- the SMMU --- */

static void fake_flush_walk(uint64_t iova, size_t size, size_t granule, void *cookie)
{
    struct iommu_domain *domain = cookie;

    calls.flush_walk++;
    calls.start = iova;
    calls.end = iova + size - 1;
    CHECK(device_walk(&domain->cfg, iova).pa == 0); /* invisible before the walk caches are emptied */
}

static void fake_add_page(struct iommu_iotlb_gather *gather, uint64_t iova, size_t granule, void *cookie)
{
    calls.add_page++;
    iommu_iotlb_gather_add_page(cookie, gather, iova, granule);
}

static void fake_flush_all(struct iommu_domain *domain)
{
    calls.flush_all++;
}

static void fake_iotlb_sync(struct iommu_domain *domain, struct iommu_iotlb_gather *gather)
{
    if (!gather->pgsize)
        return;
    calls.iotlb_sync++;
    calls.start = gather->start;
    calls.end = gather->end;
}

static const struct iommu_flush_ops flush_ops = {.tlb_flush_walk = fake_flush_walk, .tlb_add_page = fake_add_page};
static const struct iommu_domain_ops domain_ops = {.flush_iotlb_all = fake_flush_all, .iotlb_sync = fake_iotlb_sync};

static struct iommu_domain *new_domain(uint64_t sizes, bool coherent_walk, bool lazy)
{
    struct iommu_domain *domain = kzalloc(sizeof(*domain));

    domain->ops = &domain_ops;
    domain->lazy = lazy;
    domain->cfg = (struct io_pgtable_cfg){.pgsize_bitmap = sizes,
                                          .ias = 48,
                                          .oas = 48,
                                          .coherent_walk = coherent_walk,
                                          .tlb = &flush_ops,
                                          .iommu_dev = &smmu_device};
    domain->pgtable = alloc_io_pgtable(&domain->cfg, domain);
    CHECK(domain->pgtable);
    iommu_dma_init_domain(domain);
    memset(&calls, 0, sizeof(calls));
    return domain;
}

static struct iommu_domain *domain_4k(bool coherent_walk)
{
    return new_domain(4 * KB | 2 * MB | GB, coherent_walk, false);
}

static void check_mapped(struct iommu_domain *domain, uint64_t iova, phys_addr_t pa, size_t size)
{
    for (size_t i = 0; i < size; i += 4 * KB) {
        CHECK(iommu_iova_to_phys(domain, iova + i + 8) == pa + i + 8);
        CHECK(device_walk(&domain->cfg, iova + i + 8).pa == pa + i + 8);
    }
}

static void check_unmapped(struct iommu_domain *domain, uint64_t iova, size_t size)
{
    for (size_t i = 0; i < size; i += 4 * KB) {
        CHECK(iommu_iova_to_phys(domain, iova + i) == 0);
        CHECK(device_walk(&domain->cfg, iova + i).pa == 0);
    }
}

/* --- page tables --- */

static void map_and_unmap(struct iommu_domain *domain, uint64_t iova, phys_addr_t pa, size_t size)
{
    CHECK(iommu_map(domain, iova, pa, size, IOMMU_READ | IOMMU_WRITE) == 0);
    check_mapped(domain, iova, pa, size);
    CHECK(iommu_iova_to_phys(domain, iova - 1) == 0 && iommu_iova_to_phys(domain, iova + size) == 0);
    memset(&calls, 0, sizeof(calls));
    CHECK(iommu_unmap(domain, iova, size) == size);
    check_unmapped(domain, iova, size);
}

static void every_size_maps_and_unmaps(struct iommu_domain *domain)
{
    static const size_t sizes[] = {4 * KB, 8 * KB, 64 * KB, 1 * MB, 2 * MB, 2 * MB + 4 * KB, 4 * MB};

    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        map_and_unmap(domain, 6 * MB, 64 * MB, sizes[i]);                   /* blocks where they fit */
        map_and_unmap(domain, 6 * MB + 12 * KB, 64 * MB, sizes[i]);         /* never */
        map_and_unmap(domain, 8 * MB - 8 * KB, 64 * MB - 8 * KB, sizes[i]); /* in the middle */
    }
    map_and_unmap(domain, (1ull << 48) - 2 * MB, 1 * GB, 1 * MB);
}

static void page_sizes_are_chosen(void)
{
    static const struct {
        uint64_t iova, pa;
        size_t size, pgsize, count;
    } cases[] = {
        {4 * KB, 8 * KB, 4 * KB, 4 * KB, 1},
        {1 * MB, 1 * MB, 1 * MB, 4 * KB, 256},
        {2 * MB, 4 * MB, 4 * MB, 2 * MB, 2},
        {2 * MB, 4 * MB, 2 * MB - 4 * KB, 4 * KB, 511},
        {2 * MB - 4 * KB, 4 * MB - 4 * KB, 4 * MB, 4 * KB, 1},    /* up to the boundary */
        {2 * MB - 4 * KB, 4 * MB - 4 * KB, 2 * MB, 4 * KB, 512},  /* too little behind it */
        {2 * MB - 4 * KB, 4 * MB - 8 * KB, 4 * MB, 4 * KB, 1024}, /* they reach it at different points */
        {GB - 4 * MB, GB - 4 * MB, 2 * GB, 2 * MB, 2},
        {0, 0, 3 * GB + 4 * KB, GB, 3},
    };
    struct iommu_domain *domain = domain_4k(true);
    size_t count;

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        CHECK(iommu_pgsize(domain, cases[i].iova, cases[i].pa, cases[i].size, &count) == cases[i].pgsize);
        CHECK(count == cases[i].count);
    }
}

static void blocks_are_used(void)
{
    struct iommu_domain *domain = domain_4k(false);

    CHECK(iommu_map(domain, 2 * GB, 3 * GB, GB + 2 * MB + 4 * KB, IOMMU_READ) == 0);
    CHECK(device_walk(&domain->cfg, 2 * GB).level == 1);
    CHECK(device_walk(&domain->cfg, 3 * GB).level == 2);
    CHECK(device_walk(&domain->cfg, 3 * GB + 2 * MB).level == 3);
    CHECK(device_walk(&domain->cfg, 3 * GB + 2 * MB + 8).pa == 4 * GB + 2 * MB + 8);
    CHECK(iommu_unmap(domain, 2 * GB, GB + 2 * MB + 4 * KB) == GB + 2 * MB + 4 * KB);
    CHECK(calls.iotlb_sync == 3); /* a page size each */
}

static void a_table_unmapped_as_a_whole_is_freed(void)
{
    struct iommu_domain *domain = domain_4k(false);
    void *table;

    CHECK(iommu_map(domain, 2 * MB, 64 * MB + 4 * KB, 2 * MB, IOMMU_READ) == 0);
    CHECK(calls.flush_walk == 0);
    CHECK(iommu_unmap(domain, 2 * MB, 2 * MB) == 2 * MB);
    check_unmapped(domain, 2 * MB, 2 * MB);
    CHECK(calls.flush_walk == 1 && calls.start == 2 * MB && calls.end == 4 * MB - 1);
    CHECK(calls.add_page == UNMAP_BATCHED); /* the batched form adds tables to what is owed, too */
    table = alloc_pages_exact(PAGE_SIZE);
    CHECK(iommu_map(domain, 2 * MB, 64 * MB, 4 * KB, IOMMU_READ) == 0); /* makes a table of its own */
    memset(table, 0xFF, PAGE_SIZE);
    check_mapped(domain, 2 * MB, 64 * MB, 4 * KB);
    check_unmapped(domain, 2 * MB + 4 * KB, 2 * MB - 4 * KB);
}

static void a_block_takes_the_place_of_an_empty_table(void)
{
    struct iommu_domain *domain = domain_4k(false);

    map_and_unmap(domain, 2 * MB, 64 * MB, 4 * KB);
    CHECK(calls.flush_walk == 0);
    CHECK(iommu_map(domain, 2 * MB, 64 * MB, 2 * MB, IOMMU_READ) == 0);
    CHECK(calls.flush_walk == 1 && device_walk(&domain->cfg, 2 * MB).level == 2);
    check_mapped(domain, 2 * MB, 64 * MB, 2 * MB);
}

static void a_part_of_a_block_can_be_unmapped(void)
{
    struct iommu_domain *domain = domain_4k(false);
    const uint64_t hole = 2 * MB + 64 * KB;

    CHECK(iommu_map(domain, 2 * MB, 64 * MB, 2 * MB, IOMMU_READ) == 0);
    CHECK(iommu_unmap(domain, hole, 16 * KB) == 16 * KB);
    CHECK(calls.add_page == 4 && calls.start == hole && calls.end == hole + 16 * KB - 1);
    check_mapped(domain, 2 * MB, 64 * MB, 64 * KB);
    check_unmapped(domain, hole, 16 * KB);
    check_mapped(domain, hole + 16 * KB, 64 * MB + 80 * KB, 2 * MB - 80 * KB);
    CHECK(iommu_map(domain, 4 * GB, 8 * GB, GB, IOMMU_READ) == 0); /* two levels at once */
    CHECK(iommu_unmap(domain, 4 * GB + 4 * KB, 4 * KB) == 4 * KB);
    CHECK(device_walk(&domain->cfg, 4 * GB).level == 3 && device_walk(&domain->cfg, 4 * GB + 2 * MB).level == 2);
    CHECK(iommu_iova_to_phys(domain, 4 * GB + 4 * KB) == 0 && iommu_iova_to_phys(domain, 5 * GB - 1) == 9 * GB - 1);
}

static void what_is_mapped_is_not_mapped_again(void)
{
    struct iommu_domain *domain = domain_4k(false);

    CHECK(iommu_map(domain, 2 * MB + 32 * KB, 64 * MB, 4 * KB, IOMMU_READ) == 0);
    CHECK(iommu_map(domain, 2 * MB, 96 * MB, 64 * KB, IOMMU_READ) != 0);
    check_unmapped(domain, 2 * MB, 32 * KB);
    check_mapped(domain, 2 * MB + 32 * KB, 64 * MB, 4 * KB);
    CHECK(iommu_map(domain, 4 * MB, 64 * MB, 2 * MB, IOMMU_READ) == 0);
    CHECK(iommu_map(domain, 4 * MB + 4 * KB, 96 * MB, 4 * KB, IOMMU_READ) != 0);
    CHECK(iommu_map(domain, 4 * MB - 8 * KB, 96 * MB, 16 * KB, IOMMU_READ) != 0); /* what was done is undone */
    check_unmapped(domain, 4 * MB - 8 * KB, 8 * KB);
    CHECK(iommu_map(domain, 8 * MB, 64 * MB, 2 * KB, IOMMU_READ) != 0);
    CHECK(iommu_map(domain, 1ull << 48, 64 * MB, 4 * KB, IOMMU_READ) != 0);
}

static uint64_t attributes(struct iommu_domain *domain, int prot)
{
    uint64_t pte;

    CHECK(iommu_map(domain, 2 * MB, 64 * MB, 4 * KB, prot) == 0);
    pte = device_walk(&domain->cfg, 2 * MB).pte;
    iommu_unmap(domain, 2 * MB, 4 * KB);
    return pte & ~0xFFFFFFFFF000ull;
}

static void attributes_are_as_asked_for(void)
{
    struct iommu_domain *domain = domain_4k(false), *coherent = domain_4k(true);
    const struct io_pgtable_cfg *cfg = &domain->cfg;

    CHECK(attributes(domain, IOMMU_READ | IOMMU_WRITE) == 0xE43);               /* index 0, outer shareable */
    CHECK(attributes(domain, IOMMU_READ | IOMMU_WRITE | IOMMU_CACHE) == 0xF47); /* index 1, inner shareable */
    CHECK(attributes(domain, IOMMU_READ) == 0xEC3);
    CHECK(cfg->tsz == 16 && cfg->tg == 0 && cfg->ips == 5 && cfg->mair == 0xF404FF44);
    CHECK(cfg->sh == 2 && cfg->irgn == 0 && cfg->orgn == 0);
    CHECK(coherent->cfg.sh == 3 && coherent->cfg.irgn == 1 && coherent->cfg.orgn == 1);
}

static void other_granules_work(void)
{
    static const struct {
        uint64_t sizes;
        unsigned tg;
    } granules[] = {{16 * KB | 32 * MB, 2}, {64 * KB | 512 * MB, 1}};

    for (unsigned i = 0; i < 2; i++) {
        struct iommu_domain *domain = new_domain(granules[i].sizes, false, false);
        size_t page = granules[i].sizes & -granules[i].sizes, block = granules[i].sizes - page;

        CHECK(domain->cfg.tg == granules[i].tg);
        map_and_unmap(domain, block - page, 2 * block - page, 3 * page);
        CHECK(iommu_map(domain, block, 2 * block, block, IOMMU_READ) == 0);
        CHECK(device_walk(&domain->cfg, block).level == 2);
        CHECK(iommu_unmap(domain, block + page, page) == page);
        check_unmapped(domain, block + page, page);
        check_mapped(domain, block + 2 * page, 2 * block + 2 * page, 4 * page);
        CHECK(iommu_unmap(domain, block, page) == page);
    }
}

/* --- counts, checked by the host --- */

static void count(unsigned region, const char *name, struct iommu_domain *domain, size_t size)
{
    struct iommu_iotlb_gather gather;
    char names[2][32];

    for (unsigned i = 0; i < 2; i++) {
        memset(names[i], 0, sizeof(names[i]));
        memcpy(names[i], i ? "unmap:" : "map:", i ? 6 : 4);
        memcpy(names[i] + (i ? 6 : 4), name, strlen(name));
        sim_region_name(region + i, names[i]);
    }
    sim_region_begin(region);
    CHECK(iommu_map(domain, 2 * MB, 64 * MB + 4 * KB, size, IOMMU_READ) == 0);
    sim_region_end(region);
    iommu_iotlb_gather_init(&gather);
    sim_region_begin(region + 1);
    CHECK(iommu_unmap_fast(domain, 2 * MB, size, &gather) == size);
    sim_region_end(region + 1);
    CHECK(gather.start == 2 * MB && gather.end == 2 * MB + size - 1 && gather.pgsize == 4 * KB);
}

static void maintenance_is_counted(void)
{
    struct iommu_domain *domain = domain_4k(false), *coherent = domain_4k(true);

    count(0, "fresh:1", domain, 4 * KB);
    count(2, "1", domain, 4 * KB);
    count(4, "8", domain, 32 * KB);
    count(6, "256", domain, 1 * MB);
    count(8, "511", domain, 2 * MB - 4 * KB);
    count(10, "coherent:fresh:1", coherent, 4 * KB);
    count(12, "coherent:256", coherent, 1 * MB);
}

/* --- DMA over a domain --- */

static void a_buffer_has_an_address_of_its_own(bool coherent)
{
    struct iommu_domain *domain = domain_4k(coherent);
    struct device dev = {.dma_coherent = coherent, .dma_mask = 0xFFFFFFFF, .domain = domain};
    char *buffer = alloc_pages_exact(64 * KB);
    dma_addr_t addr = dma_map_single(&dev, buffer + 100, 8 * KB, DMA_FROM_DEVICE), again;

    CHECK(addr != DMA_MAPPING_ERROR && addr % PAGE_SIZE == 100 && addr < 4 * GB);
    check_mapped(domain, addr - 100, virt_to_phys(buffer), 12 * KB);
    dma_sync_single_for_cpu(&dev, addr, 8 * KB, DMA_FROM_DEVICE);
    dma_sync_single_for_device(&dev, addr, 8 * KB, DMA_FROM_DEVICE);
    dma_unmap_single(&dev, addr, 8 * KB, DMA_FROM_DEVICE);
    CHECK(calls.iotlb_sync == 1 && calls.start == addr - 100 && calls.end == addr - 100 + 12 * KB - 1);
    check_unmapped(domain, addr - 100, 12 * KB);
    again = dma_map_single(&dev, buffer + 100, 8 * KB, DMA_FROM_DEVICE);
    CHECK(again == addr);
    dma_unmap_single(&dev, again, 8 * KB, DMA_FROM_DEVICE);
}

static void pci_devices_get_low_addresses_first(void)
{
    struct device dev = {.dma_mask = ~0ull, .domain = domain_4k(false)};
    char *buffer = alloc_pages_exact(4 * KB);
    dma_addr_t high = dma_map_single(&dev, buffer, 4 * KB, DMA_TO_DEVICE), low;

    CHECK(high == (1ull << 48) - 4 * KB);
    dev.pci_32bit_workaround = true;
    low = dma_map_single(&dev, buffer, 4 * KB, DMA_TO_DEVICE);
    CHECK(low == 4 * GB - 4 * KB);
    dma_unmap_single(&dev, low, 4 * KB, DMA_TO_DEVICE);
    dma_unmap_single(&dev, high, 4 * KB, DMA_TO_DEVICE);
}

static struct scatterlist *new_list(char *buffer, unsigned entries, size_t distance, size_t bytes)
{
    struct scatterlist *list = kzalloc(entries * sizeof(*list));

    for (unsigned i = 0; i < entries; i++) {
        list[i].pa = virt_to_phys(buffer + i * distance);
        list[i].length = (uint32_t)bytes;
        list[i].next = i + 1 < entries ? &list[i + 1] : NULL;
    }
    return list;
}

static void a_list_becomes_one_range(void)
{
    struct iommu_domain *domain = domain_4k(false);
    struct device dev = {.dma_mask = 0xFFFFFFFF, .domain = domain};
    char *buffer = alloc_pages_exact(1 * MB);
    struct scatterlist *list = new_list(buffer, 32, 8 * KB, 4 * KB);
    dma_addr_t start;

    CHECK(dma_map_sg(&dev, list, 32, DMA_BIDIRECTIONAL) == 2); /* segments of up to 64 KB */
    start = list[0].dma_address;
    CHECK(list[0].dma_length == 64 * KB && list[1].dma_address == start + 64 * KB && list[1].dma_length == 64 * KB);
    for (unsigned i = 0; i < 32; i++) {
        CHECK(list[i].pa == virt_to_phys(buffer + i * 8 * KB) && list[i].length == 4 * KB);
        check_mapped(domain, start + i * 4 * KB, list[i].pa, 4 * KB);
    }
    CHECK(calls.add_page == 0);
    dma_unmap_sg(&dev, list, 32, DMA_BIDIRECTIONAL);
    check_unmapped(domain, start, 128 * KB);
    CHECK(calls.iotlb_sync == 1 && calls.add_page == 32); /* one range, so one payment */

    list = new_list(buffer + 512, 3, 8 * KB, 4 * KB); /* no entry is whole pages */
    CHECK(dma_map_sg(&dev, list, 3, DMA_TO_DEVICE) == 3);
    for (unsigned i = 0; i < 3; i++)
        CHECK(iommu_iova_to_phys(domain, list[i].dma_address) == list[i].pa && list[i].dma_length == 4 * KB);
    dma_unmap_sg(&dev, list, 3, DMA_TO_DEVICE);

    list = new_list(buffer, 3, 4 * KB, 2 * KB); /* whole pages are mapped, but the entries do not touch */
    CHECK(dma_map_sg(&dev, list, 3, DMA_TO_DEVICE) == 3);
    CHECK(list[2].dma_address == list[0].dma_address + 8 * KB && list[2].dma_length == 2 * KB);
    dma_unmap_sg(&dev, list, 3, DMA_TO_DEVICE);

    list = new_list(alloc_pages_exact(2 * MB), 512, 4 * KB, 4 * KB); /* contiguous: merged, then a block */
    CHECK(dma_map_sg(&dev, list, 512, DMA_TO_DEVICE) == 32);
    CHECK(device_walk(&domain->cfg, list[0].dma_address).level == 2);
    dma_unmap_sg(&dev, list, 512, DMA_TO_DEVICE);
}

static void no_room_is_reported(void)
{
    struct device dev = {.dma_mask = 0xFFFF, .domain = domain_4k(false)};
    char *buffer = alloc_pages_exact(128 * KB);
    struct scatterlist *list = new_list(buffer + 8, 2, 64 * KB, 64 * KB - 8);

    CHECK(dma_map_single(&dev, buffer, 128 * KB, DMA_TO_DEVICE) == DMA_MAPPING_ERROR);
    CHECK(dma_map_sg(&dev, list, 2, DMA_TO_DEVICE) == 0);
    CHECK(list[0].pa == virt_to_phys(buffer + 8) && list[1].length == 64 * KB - 8);
}

static void lazy_unmaps_wait_in_the_queue(void)
{
    struct iommu_domain *domain = new_domain(4 * KB | 2 * MB, false, true);
    struct device dev = {.dma_mask = 0xFFFFFFFF, .domain = domain};
    char *buffer = alloc_pages_exact(4 * KB);
    dma_addr_t previous = 0, addr = 0;

    for (unsigned i = 0; i < 255; i++, previous = addr) {
        addr = dma_map_single(&dev, buffer, 4 * KB, DMA_TO_DEVICE);
        CHECK(i == 0 || addr == previous - 4 * KB); /* nothing is used again */
        dma_unmap_single(&dev, addr, 4 * KB, DMA_TO_DEVICE);
        CHECK(iommu_iova_to_phys(domain, addr) == 0);
    }
    CHECK(calls.flush_all == 0 && calls.iotlb_sync == 0 && calls.add_page == 0);
    addr = dma_map_single(&dev, buffer, 4 * KB, DMA_TO_DEVICE);
    dma_unmap_single(&dev, addr, 4 * KB, DMA_TO_DEVICE);
    CHECK(calls.flush_all == 1); /* the ring holds one less than its size */
    previous = dma_map_single(&dev, buffer, 4 * KB, DMA_TO_DEVICE);
    CHECK(previous > addr);
    fq_timer(domain);
    CHECK(calls.flush_all == 2);
    CHECK(dma_map_single(&dev, buffer, 4 * KB, DMA_TO_DEVICE) == addr); /* the last one freed */
    fq_timer(domain);
    CHECK(calls.flush_all == 2); /* nothing was queued since */
    dma_unmap_single(&dev, addr, 4 * KB, DMA_TO_DEVICE);
    dma_unmap_single(&dev, previous, 4 * KB, DMA_TO_DEVICE);
}

static void the_queue_is_flushed_after_its_time(void)
{
    struct iommu_domain *domain = new_domain(4 * KB | 2 * MB, false, true);
    struct device dev = {.dma_mask = 0xFFFFFFFF, .domain = domain};
    char *buffer = alloc_pages_exact(4 * KB);
    uint64_t start;

    for (unsigned i = 0; i < 2; i++) {
        dma_unmap_single(&dev, dma_map_single(&dev, buffer, 4 * KB, DMA_TO_DEVICE), 4 * KB, DMA_TO_DEVICE);
        CHECK(calls.flush_all == i);
        for (start = ktime_get_ns(); ktime_get_ns() < start + 10100000;)
            cpu_relax();
    }
}

/* --- several cores --- */

static struct {
    struct device dev[2]; /* strict, lazy */
    atomic_t finished;
} shared;

static void map_and_unmap_often(struct device *dev, char *buffer)
{
    static const size_t sizes[] = {4 * KB, 16 * KB, 100 * KB, 4 * KB, 2 * MB};

    for (unsigned i = 0; i < 60; i++) {
        size_t size = sizes[i % 5];
        dma_addr_t addr = dma_map_single(dev, buffer, size, DMA_TO_DEVICE);

        CHECK(addr != DMA_MAPPING_ERROR);
        CHECK(iommu_iova_to_phys(dev->domain, addr) == virt_to_phys(buffer));
        CHECK(device_walk(&dev->domain->cfg, addr + size - 8).pa == virt_to_phys(buffer) + size - 8);
        dma_unmap_single(dev, addr, size, DMA_TO_DEVICE);
    }
}

static void work(void *argument)
{
    char *buffer = alloc_pages_exact(2 * MB);

    map_and_unmap_often(&shared.dev[0], buffer);
    map_and_unmap_often(&shared.dev[1], buffer);
    atomic_fetch_add_release(1, &shared.finished);
}

static void cores_share_a_domain(void)
{
    for (unsigned lazy = 0; lazy < 2; lazy++)
        shared.dev[lazy] = (struct device){.dma_mask = 0xFFFFFFFF, .domain = new_domain(4 * KB | 2 * MB, false, lazy)};
    for_each_online_cpu(cpu) if (cpu) cpu_start(cpu, work, NULL);
    work(NULL);
    atomic_cond_read_acquire(&shared.finished, VAL == num_online_cpus());
}

int main(void)
{
    every_size_maps_and_unmaps(domain_4k(false));
    every_size_maps_and_unmaps(domain_4k(true));
    page_sizes_are_chosen();
    blocks_are_used();
    a_table_unmapped_as_a_whole_is_freed();
    a_block_takes_the_place_of_an_empty_table();
    a_part_of_a_block_can_be_unmapped();
    what_is_mapped_is_not_mapped_again();
    attributes_are_as_asked_for();
    other_granules_work();
    maintenance_is_counted();
    a_buffer_has_an_address_of_its_own(false);
    a_buffer_has_an_address_of_its_own(true);
    pci_devices_get_low_addresses_first();
    a_list_becomes_one_range();
    no_room_is_reported();
    lazy_unmaps_wait_in_the_queue();
    the_queue_is_flushed_after_its_time();
    cores_share_a_domain();
    return 0;
}
