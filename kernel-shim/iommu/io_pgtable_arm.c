/*
 * Stage 1 long-descriptor page tables (drivers/iommu/io-pgtable-arm.c), granule 4, 16 or 64 KB. When the SMMU does not
 * walk coherently, every descriptor that is written is cleaned to the PoC; bit 55 of a table descriptor says that this
 * has been done.
 */
#include "io_pgtable.h"

#include "atomic.h"

#define MAX_LEVELS    4
#define LAST_LEVEL    (MAX_LEVELS - 1)
#define MAX_ADDR_BITS 48

#define PTE_TYPE_MASK  3ull
#define PTE_TYPE_BLOCK 1ull
#define PTE_TYPE_TABLE 3ull
#define PTE_TYPE_PAGE  3ull
#define PTE_ATTR_INDEX 2
#define PTE_AP_UNPRIV  (1ull << 6)
#define PTE_AP_RDONLY  (2ull << 6)
#define PTE_SH_OS      (2ull << 8)
#define PTE_SH_IS      (3ull << 8)
#define PTE_AF         (1ull << 10)
#define PTE_NG         (1ull << 11)
#define PTE_SW_SYNC    (1ull << 55)
#define PTE_ADDR_MASK  0x0000FFFFFFFFF000ull
#define PTE_ATTR_MASK  0xFFC0000000000FFCull

enum { ATTR_NC = 0, ATTR_WB = 1 };
#define MAIR_NC      0x44ull
#define MAIR_WB      0xFFull
#define MAIR_DEVICE  0x04ull
#define MAIR_INC_OWB 0xF4ull /* inner Non-cacheable, outer Write-Back: a system cache */

enum { TCR_RGN_NC = 0, TCR_RGN_WBWA = 1, TCR_SH_OS = 2, TCR_SH_IS = 3 };

struct io_pgtable {
    struct io_pgtable_cfg cfg;
    void *cookie;
    unsigned bits_per_level, pgd_bits;
    int start_level;
    uint64_t *pgd;
};

/* --- geometry --- */

static unsigned level_shift(const struct io_pgtable *table, int level)
{
    return (unsigned)(MAX_LEVELS - level) * table->bits_per_level + 3;
}

static size_t block_size(const struct io_pgtable *table, int level)
{
    return 1ul << level_shift(table, level);
}

static size_t granule_of(const struct io_pgtable *table)
{
    return 8ul << table->bits_per_level;
}

static size_t ptes_per_table(const struct io_pgtable *table)
{
    return 1ul << table->bits_per_level;
}

static size_t level_index(const struct io_pgtable *table, uint64_t iova, int level)
{
    unsigned bits = level == table->start_level ? table->pgd_bits : table->bits_per_level;

    return iova >> level_shift(table, level) & ((1ul << bits) - 1);
}

/* --- descriptors --- */

static bool iopte_leaf(uint64_t pte, int level)
{
    return (pte & PTE_TYPE_MASK) == (level == LAST_LEVEL ? PTE_TYPE_PAGE : PTE_TYPE_BLOCK);
}

static bool iopte_table(uint64_t pte)
{
    return (pte & PTE_TYPE_MASK) == PTE_TYPE_TABLE;
}

/* With 64 KB granules bits 51:48 of an address are kept in 15:12; with the others they are zero. */
static uint64_t paddr_to_iopte(phys_addr_t pa)
{
    return (pa | pa >> 36) & PTE_ADDR_MASK;
}

static phys_addr_t iopte_to_paddr(const struct io_pgtable *table, uint64_t pte)
{
    uint64_t pa = pte & PTE_ADDR_MASK;

    if (granule_of(table) < 65536)
        return pa;
    return (pa | pa << 36) & (PTE_ADDR_MASK << 4);
}

static uint64_t *iopte_deref(const struct io_pgtable *table, uint64_t pte)
{
    return phys_to_virt(iopte_to_paddr(table, pte));
}

static void __arm_lpae_sync_pte(uint64_t *ptep, size_t count, const struct io_pgtable_cfg *cfg)
{
    dma_sync_single_for_device(cfg->iommu_dev, virt_to_phys(ptep), count * sizeof(*ptep), DMA_TO_DEVICE);
}

static void __arm_lpae_clear_pte(uint64_t *ptep, const struct io_pgtable_cfg *cfg, size_t count)
{
    for (size_t i = 0; i < count; i++)
        WRITE_ONCE(ptep[i], 0);
    if (!cfg->coherent_walk && count)
        __arm_lpae_sync_pte(ptep, count, cfg);
}

/* --- tables --- */

static void *__arm_lpae_alloc_pages(size_t size, const struct io_pgtable_cfg *cfg)
{
    void *pages = alloc_pages_exact(size);

    clear_pages(pages, (size + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1));
    if (cfg->coherent_walk)
        return pages;
    /* descriptors hold physical addresses, so the device must see those */
    if (dma_map_single(cfg->iommu_dev, pages, size, DMA_TO_DEVICE) == virt_to_phys(pages))
        return pages;
    free_pages_exact(pages, size);
    return NULL;
}

static void __arm_lpae_free_pages(void *pages, size_t size, const struct io_pgtable_cfg *cfg)
{
    if (!cfg->coherent_walk)
        dma_unmap_single(cfg->iommu_dev, virt_to_phys(pages), size, DMA_TO_DEVICE);
    free_pages_exact(pages, size);
}

/* Makes the entry point to child if it is still current. Returns what it was, with or without success. */
static uint64_t arm_lpae_install_table(struct io_pgtable *table, uint64_t *child, uint64_t *ptep, uint64_t current)
{
    uint64_t new = paddr_to_iopte(virt_to_phys(child)) | PTE_TYPE_TABLE, old;

    dma_wmb(); /* the child's contents before the pointer to it */
    old = cmpxchg64_relaxed(ptep, current, new);
    if (table->cfg.coherent_walk || (old & PTE_SW_SYNC))
        return old;
    __arm_lpae_sync_pte(ptep, 1, &table->cfg);
    if (old == current)
        WRITE_ONCE(*ptep, new | PTE_SW_SYNC);
    return old;
}

static void __arm_lpae_free_pgtable(struct io_pgtable *table, int level, uint64_t *ptep)
{
    size_t entries = level == LAST_LEVEL ? 0 : ptes_per_table(table);

    for (size_t i = 0; i < entries; i++) {
        uint64_t pte = ptep[i];

        if (pte && !iopte_leaf(pte, level))
            __arm_lpae_free_pgtable(table, level + 1, iopte_deref(table, pte));
    }
    __arm_lpae_free_pages(ptep, granule_of(table), &table->cfg);
}

/* --- map --- */

static void __arm_lpae_init_pte(struct io_pgtable *table, phys_addr_t pa, uint64_t prot, int level, size_t count,
                                uint64_t *ptep)
{
    uint64_t pte = prot | (level == LAST_LEVEL ? PTE_TYPE_PAGE : PTE_TYPE_BLOCK);
    size_t size = block_size(table, level);

    for (size_t i = 0; i < count; i++)
        WRITE_ONCE(ptep[i], pte | paddr_to_iopte(pa + i * size));
    if (!table->cfg.coherent_walk)
        __arm_lpae_sync_pte(ptep, count, &table->cfg);
}

static size_t __arm_lpae_unmap(struct io_pgtable *table, struct iommu_iotlb_gather *gather, uint64_t iova, size_t size,
                               size_t count, int level, uint64_t *ptep);

static int arm_lpae_init_pte(struct io_pgtable *table, uint64_t iova, phys_addr_t pa, uint64_t prot, int level,
                             size_t count, uint64_t *ptep)
{
    size_t size = block_size(table, level);

    for (size_t i = 0; i < count; i++) {
        uint64_t pte = READ_ONCE(ptep[i]);

        if (iopte_leaf(pte, level))
            return -1;
        if (iopte_table(pte)) { /* an empty one was left behind: a block takes its place */
            uint64_t *first = ptep - level_index(table, iova, level);

            if (__arm_lpae_unmap(table, NULL, iova + i * size, size, 1, level, first) != size)
                return -1;
        }
    }
    __arm_lpae_init_pte(table, pa, prot, level, count, ptep);
    return 0;
}

/* The table below an entry, made if there is none. NULL: a block is mapped there. */
static uint64_t *next_table(struct io_pgtable *table, uint64_t *ptep, int level)
{
    uint64_t pte = READ_ONCE(*ptep), *child;

    if (!pte) {
        child = __arm_lpae_alloc_pages(granule_of(table), &table->cfg);
        if (!child)
            return NULL;
        pte = arm_lpae_install_table(table, child, ptep, 0);
        if (!pte)
            return child;
        __arm_lpae_free_pages(child, granule_of(table), &table->cfg); /* another core was first */
    } else if (!table->cfg.coherent_walk && !(pte & PTE_SW_SYNC)) {
        __arm_lpae_sync_pte(ptep, 1, &table->cfg); /* its writer may not have come to it */
    }
    return iopte_leaf(pte, level) ? NULL : iopte_deref(table, pte);
}

static int __arm_lpae_map(struct io_pgtable *table, uint64_t iova, phys_addr_t pa, size_t size, size_t count,
                          uint64_t prot, int level, uint64_t *ptep, size_t *mapped)
{
    size_t index = level_index(table, iova, level);
    uint64_t *child;

    ptep += index;
    if (size == block_size(table, level)) {
        size_t left = ptes_per_table(table) - index, entries = count < left ? count : left;
        int error = arm_lpae_init_pte(table, iova, pa, prot, level, entries, ptep);

        if (!error)
            *mapped += entries * size;
        return error;
    }
    if (level == LAST_LEVEL)
        return -1;
    child = next_table(table, ptep, level);
    return child ? __arm_lpae_map(table, iova, pa, size, count, prot, level + 1, child, mapped) : -1;
}

static uint64_t arm_lpae_prot_to_pte(int prot)
{
    uint64_t pte = PTE_NG | PTE_AP_UNPRIV | PTE_AF;

    if (!(prot & IOMMU_WRITE) && (prot & IOMMU_READ))
        pte |= PTE_AP_RDONLY;
    if (prot & IOMMU_CACHE)
        return pte | ATTR_WB << PTE_ATTR_INDEX | PTE_SH_IS;
    return pte | ATTR_NC << PTE_ATTR_INDEX | PTE_SH_OS;
}

int arm_lpae_map_pages(struct io_pgtable *table, uint64_t iova, phys_addr_t pa, size_t pgsize, size_t count, int prot,
                       size_t *mapped)
{
    const struct io_pgtable_cfg *cfg = &table->cfg;
    int error;

    if (!pgsize || (pgsize & cfg->pgsize_bitmap) != pgsize)
        return -1;
    if (iova >> cfg->ias || pa >> cfg->oas)
        return -1;
    if (!(prot & (IOMMU_READ | IOMMU_WRITE)))
        return -1;
    error = __arm_lpae_map(table, iova, pa, pgsize, count, arm_lpae_prot_to_pte(prot), table->start_level, table->pgd,
                           mapped);
    wmb(); /* the descriptors before whatever makes the device use them */
    return error;
}

/* --- unmap --- */

static bool leaves_are_owed(const struct iommu_iotlb_gather *gather)
{
    return !(gather && gather->queued);
}

static void flush_and_free_table(struct io_pgtable *table, uint64_t iova, size_t size, int level, uint64_t pte)
{
    table->cfg.tlb->tlb_flush_walk(iova, size, granule_of(table), table->cookie);
    __arm_lpae_free_pgtable(table, level + 1, iopte_deref(table, pte));
}

static void add_page(struct io_pgtable *table, struct iommu_iotlb_gather *gather, uint64_t iova, size_t size)
{
    if (table->cfg.tlb->tlb_add_page)
        table->cfg.tlb->tlb_add_page(gather, iova, size, table->cookie);
}

/* Without UNMAP_BATCHED: entry by entry. Returns how many there were. */
static size_t unmap_each_entry(struct io_pgtable *table, struct iommu_iotlb_gather *gather, uint64_t iova, size_t size,
                               size_t count, int level, uint64_t *ptep)
{
    size_t i;

    for (i = 0; i < count; i++, ptep++) {
        uint64_t pte = READ_ONCE(*ptep);

        if (!pte)
            break;
        __arm_lpae_clear_pte(ptep, &table->cfg, 1);
        if (!iopte_leaf(pte, level))
            flush_and_free_table(table, iova + i * size, size, level, pte);
        else if (leaves_are_owed(gather))
            add_page(table, gather, iova + i * size, size);
    }
    return i;
}

/* With UNMAP_BATCHED: tables one by one, as nothing may find a table that is freed; then all entries in one go. */
static size_t unmap_run_of_entries(struct io_pgtable *table, struct iommu_iotlb_gather *gather, uint64_t iova,
                                   size_t size, size_t count, int level, uint64_t *ptep)
{
    size_t i;

    for (i = 0; i < count; i++) {
        uint64_t pte = READ_ONCE(ptep[i]);

        if (!pte)
            break;
        if (!iopte_leaf(pte, level)) {
            __arm_lpae_clear_pte(&ptep[i], &table->cfg, 1);
            flush_and_free_table(table, iova + i * size, size, level, pte);
        }
    }
    __arm_lpae_clear_pte(ptep, &table->cfg, i);
    if (gather && !gather->queued)
        for (size_t j = 0; j < i; j++)
            add_page(table, gather, iova + j * size, size);
    return i;
}

/* Unmaps a part of the block that ptep maps: it becomes a table of the given level without that part. */
static size_t arm_lpae_split_blk_unmap(struct io_pgtable *table, struct iommu_iotlb_gather *gather, uint64_t iova,
                                       size_t size, size_t count, uint64_t block, int level, uint64_t *ptep)
{
    size_t split = block_size(table, level), first = 0, entries = 0;
    phys_addr_t pa = iopte_to_paddr(table, block);
    uint64_t *child, old;

    if (level == MAX_LEVELS)
        return 0;
    child = __arm_lpae_alloc_pages(granule_of(table), &table->cfg);
    if (!child)
        return 0;
    if (size == split) {
        first = level_index(table, iova, level);
        entries = ptes_per_table(table) - first;
        if (count < entries)
            entries = count;
    }
    for (size_t i = 0; i < ptes_per_table(table); i++, pa += split)
        if (i < first || i >= first + entries)
            __arm_lpae_init_pte(table, pa, block & PTE_ATTR_MASK, level, 1, &child[i]);
    old = arm_lpae_install_table(table, child, ptep, block);
    if (old != block) { /* a core that unmaps another part of the block was first */
        __arm_lpae_free_pages(child, granule_of(table), &table->cfg);
        if (!iopte_table(old))
            return 0;
        child = iopte_deref(table, old);
    } else if (entries) {
        for (size_t i = 0; i < entries; i++)
            add_page(table, gather, iova + i * size, size);
        return entries * size;
    }
    return __arm_lpae_unmap(table, gather, iova, size, count, level, child);
}

static size_t __arm_lpae_unmap(struct io_pgtable *table, struct iommu_iotlb_gather *gather, uint64_t iova, size_t size,
                               size_t count, int level, uint64_t *ptep)
{
    size_t index;
    uint64_t pte;

    if (level == MAX_LEVELS)
        return 0;
    index = level_index(table, iova, level);
    ptep += index;
    pte = READ_ONCE(*ptep);
    if (!pte)
        return 0;
    if (size == block_size(table, level)) {
        size_t left = ptes_per_table(table) - index, entries = count < left ? count : left;

        if (UNMAP_BATCHED)
            return size * unmap_run_of_entries(table, gather, iova, size, entries, level, ptep);
        return size * unmap_each_entry(table, gather, iova, size, entries, level, ptep);
    }
    if (iopte_leaf(pte, level))
        return arm_lpae_split_blk_unmap(table, gather, iova, size, count, pte, level + 1, ptep);
    return __arm_lpae_unmap(table, gather, iova, size, count, level + 1, iopte_deref(table, pte));
}

size_t arm_lpae_unmap_pages(struct io_pgtable *table, uint64_t iova, size_t pgsize, size_t count,
                            struct iommu_iotlb_gather *gather)
{
    if (!pgsize || (pgsize & table->cfg.pgsize_bitmap) != pgsize || !count || iova >> table->cfg.ias)
        return 0;
    return __arm_lpae_unmap(table, gather, iova, pgsize, count, table->start_level, table->pgd);
}

phys_addr_t arm_lpae_iova_to_phys(struct io_pgtable *table, uint64_t iova)
{
    uint64_t *ptep = table->pgd;

    for (int level = table->start_level; level < MAX_LEVELS; level++) {
        uint64_t pte = READ_ONCE(ptep[level_index(table, iova, level)]);

        if (!pte)
            return 0;
        if (iopte_leaf(pte, level))
            return iopte_to_paddr(table, pte) | (iova & (block_size(table, level) - 1));
        ptep = iopte_deref(table, pte);
    }
    return 0;
}

/* --- creation --- */

/* The block sizes that go with a granule. */
static uint64_t sizes_of_granule(size_t granule)
{
    switch (granule) {
    case 4096:
        return 1ull << 12 | 1ull << 21 | 1ull << 30;
    case 16384:
        return 1ull << 14 | 1ull << 25;
    case 65536:
        return 1ull << 16 | 1ull << 29;
    default:
        return 0;
    }
}

static void set_geometry(struct io_pgtable *table, unsigned page_shift)
{
    unsigned va_bits = table->cfg.ias - page_shift, levels;

    table->bits_per_level = page_shift - 3;
    levels = (va_bits + table->bits_per_level - 1) / table->bits_per_level;
    table->start_level = MAX_LEVELS - (int)levels;
    table->pgd_bits = va_bits - table->bits_per_level * (levels - 1);
}

static unsigned tcr_ips(unsigned oas)
{
    static const uint8_t bits[] = {32, 36, 40, 42, 44, 48, 52};
    unsigned ips = 0;

    while (ips < 6 && bits[ips] < oas)
        ips++;
    return ips;
}

/* Attributes of the walk, and memory attributes, as the context descriptor takes them. */
static void set_registers(struct io_pgtable_cfg *cfg, unsigned page_shift)
{
    cfg->sh = cfg->coherent_walk ? TCR_SH_IS : TCR_SH_OS;
    cfg->irgn = cfg->orgn = cfg->coherent_walk ? TCR_RGN_WBWA : TCR_RGN_NC;
    cfg->tg = page_shift == 12 ? 0 : page_shift == 14 ? 2 : 1;
    cfg->tsz = 64 - cfg->ias;
    cfg->ips = tcr_ips(cfg->oas);
    cfg->mair = MAIR_NC | MAIR_WB << 8 | MAIR_DEVICE << 16 | MAIR_INC_OWB << 24;
}

struct io_pgtable *alloc_io_pgtable(struct io_pgtable_cfg *cfg, void *cookie)
{
    size_t granule = cfg->pgsize_bitmap & -cfg->pgsize_bitmap;
    unsigned page_shift = (unsigned)__builtin_ctzl(granule | 1ul << 63);
    struct io_pgtable *table;

    cfg->pgsize_bitmap &= sizes_of_granule(granule);
    if (!cfg->pgsize_bitmap || cfg->ias <= page_shift || cfg->ias > MAX_ADDR_BITS || cfg->oas > MAX_ADDR_BITS + 4)
        return NULL;
    set_registers(cfg, page_shift);
    table = kzalloc(sizeof(*table));
    table->cfg = *cfg;
    table->cookie = cookie;
    set_geometry(table, page_shift);
    table->pgd = __arm_lpae_alloc_pages(8ul << table->pgd_bits, cfg);
    if (!table->pgd)
        return NULL;
    wmb();
    cfg->ttbr = table->cfg.ttbr = virt_to_phys(table->pgd);
    return table;
}
