/*
 * drivers/iommu/iova.c (6.12). Left out: the work that trims the depot to one magazine a core 100 ms after a free, as
 * no benchmark idles that long between phases.
 */
#include "iova.h"

#include "percpu.h"
#include "slab.h"

#define IOVA_ANCHOR (~0ull)

static struct kmem_cache *iova_cache, *iova_magazine_cache;

/* --- the tree of allocations --- */

static struct iova *to_iova(struct rb_node *node)
{
    return (struct iova *)node; /* its first member */
}

static struct rb_node *__get_cached_rbnode(struct iova_domain *iovad, uint64_t limit_pfn)
{
    return limit_pfn <= iovad->dma_32bit_pfn ? iovad->cached32_node : iovad->cached_node;
}

static void __cached_rbnode_insert_update(struct iova_domain *iovad, struct iova *new)
{
    if (new->pfn_hi < iovad->dma_32bit_pfn)
        iovad->cached32_node = &new->node;
    else
        iovad->cached_node = &new->node;
}

static void __cached_rbnode_delete_update(struct iova_domain *iovad, struct iova *free)
{
    struct iova *cached = to_iova(iovad->cached32_node);

    if (free == cached || (free->pfn_hi < iovad->dma_32bit_pfn && free->pfn_lo >= cached->pfn_lo))
        iovad->cached32_node = rb_next(&free->node);
    if (free->pfn_lo < iovad->dma_32bit_pfn)
        iovad->max32_alloc_size = iovad->dma_32bit_pfn;
    cached = to_iova(iovad->cached_node);
    if (free->pfn_lo >= cached->pfn_lo)
        iovad->cached_node = rb_next(&free->node);
}

/* The lowest allocation at or above limit_pfn; the anchor if there is no other. */
static struct rb_node *iova_find_limit(struct iova_domain *iovad, uint64_t limit_pfn)
{
    struct rb_node *node = iovad->rbroot.node, *found = &iovad->anchor.node;

    while (node) {
        if (to_iova(node)->pfn_lo >= limit_pfn) {
            found = node;
            node = node->child[RB_LEFT];
        } else {
            node = node->child[RB_RIGHT];
        }
    }
    return found;
}

/* start: a node whose subtree holds the place, or NULL: search from the root. */
static void iova_insert_rbtree(struct rb_root *root, struct iova *iova, struct rb_node *start)
{
    struct rb_node *parent = NULL, **link = start ? &start : &root->node;

    while (*link) {
        parent = *link;
        link = &parent->child[iova->pfn_lo >= to_iova(parent)->pfn_lo];
    }
    rb_link_node(&iova->node, parent, link);
    rb_insert_color(&iova->node, root);
}

/*
 * The highest gap below limit_pfn (exclusive) and below the cached node; if there is none, once more from the limit
 * down to where the first search began.
 */
static int __alloc_and_insert_iova_range(struct iova_domain *iovad, uint64_t size, uint64_t limit_pfn, struct iova *new,
                                         bool size_aligned)
{
    uint64_t align_mask = size_aligned && size > 1 ? ~0ull << (64 - __builtin_clzl(size - 1)) : ~0ull;
    uint64_t high_pfn = limit_pfn, low_pfn = iovad->start_pfn, retry_pfn, new_pfn, flags;
    struct rb_node *node, *above;

    spin_lock_irqsave(&iovad->iova_rbtree_lock, flags);
    if (limit_pfn <= iovad->dma_32bit_pfn && size >= iovad->max32_alloc_size)
        goto full;
    node = __get_cached_rbnode(iovad, limit_pfn);
    retry_pfn = to_iova(node)->pfn_hi;
    for (;;) {
        do {
            uint64_t lo = to_iova(node)->pfn_lo;

            high_pfn = lo < high_pfn ? lo : high_pfn;
            new_pfn = (high_pfn - size) & align_mask;
            above = node;
            node = rb_prev(node);
        } while (node && new_pfn <= to_iova(node)->pfn_hi && new_pfn >= low_pfn);
        if (high_pfn >= size && new_pfn >= low_pfn)
            break;
        if (low_pfn != iovad->start_pfn || retry_pfn >= limit_pfn) {
            iovad->max32_alloc_size = size;
            goto full;
        }
        high_pfn = limit_pfn;
        low_pfn = retry_pfn + 1;
        node = iova_find_limit(iovad, limit_pfn);
    }
    new->pfn_lo = new_pfn;
    new->pfn_hi = new_pfn + size - 1;
    iova_insert_rbtree(&iovad->rbroot, new, above);
    __cached_rbnode_insert_update(iovad, new);
    spin_unlock_irqrestore(&iovad->iova_rbtree_lock, flags);
    return 0;
full:
    spin_unlock_irqrestore(&iovad->iova_rbtree_lock, flags);
    return -1;
}

struct iova *alloc_iova(struct iova_domain *iovad, uint64_t size, uint64_t limit_pfn, bool size_aligned)
{
    struct iova *new = kmem_cache_alloc(iova_cache);

    if (__alloc_and_insert_iova_range(iovad, size, limit_pfn + 1, new, size_aligned) == 0)
        return new;
    kmem_cache_free(iova_cache, new);
    return NULL;
}

static struct iova *private_find_iova(struct iova_domain *iovad, uint64_t pfn)
{
    struct rb_node *node = iovad->rbroot.node;

    while (node) {
        struct iova *iova = to_iova(node);

        if (pfn < iova->pfn_lo)
            node = node->child[RB_LEFT];
        else if (pfn > iova->pfn_hi)
            node = node->child[RB_RIGHT];
        else
            return iova;
    }
    return NULL;
}

static void remove_iova(struct iova_domain *iovad, struct iova *iova)
{
    __cached_rbnode_delete_update(iovad, iova);
    rb_erase(&iova->node, &iovad->rbroot);
}

void free_iova(struct iova_domain *iovad, uint64_t pfn)
{
    uint64_t flags;
    struct iova *iova;

    spin_lock_irqsave(&iovad->iova_rbtree_lock, flags);
    iova = private_find_iova(iovad, pfn);
    if (iova)
        remove_iova(iovad, iova);
    spin_unlock_irqrestore(&iovad->iova_rbtree_lock, flags);
    if (iova)
        kmem_cache_free(iova_cache, iova);
}

/* --- magazines --- */

static struct iova_magazine *iova_magazine_alloc(void)
{
    struct iova_magazine *mag = kmem_cache_alloc(iova_magazine_cache);

    mag->size = 0;
    return mag;
}

static bool iova_magazine_full(const struct iova_magazine *mag)
{
    return mag->size == IOVA_MAG_SIZE;
}

static bool iova_magazine_empty(const struct iova_magazine *mag)
{
    return mag->size == 0;
}

/* The last one freed that lies at or below limit_pfn; 0: none. */
static uint64_t iova_magazine_pop(struct iova_magazine *mag, uint64_t limit_pfn)
{
    uint64_t i = mag->size - 1, pfn;

    for (; mag->pfns[i] > limit_pfn; i--)
        if (i == 0)
            return 0;
    pfn = mag->pfns[i];
    mag->pfns[i] = mag->pfns[--mag->size];
    return pfn;
}

static void iova_magazine_push(struct iova_magazine *mag, uint64_t pfn)
{
    mag->pfns[mag->size++] = pfn;
}

/* Gives what a magazine holds back to the tree. */
static void iova_magazine_free_pfns(struct iova_magazine *mag, struct iova_domain *iovad)
{
    uint64_t flags;

    spin_lock_irqsave(&iovad->iova_rbtree_lock, flags);
    for (uint64_t i = 0; i < mag->size; i++) {
        struct iova *iova = private_find_iova(iovad, mag->pfns[i]);

        if (!iova)
            continue;
        remove_iova(iovad, iova);
        kmem_cache_free(iova_cache, iova);
    }
    spin_unlock_irqrestore(&iovad->iova_rbtree_lock, flags);
    mag->size = 0;
}

static void iova_depot_push(struct iova_rcache *rcache, struct iova_magazine *mag)
{
    mag->next = rcache->depot;
    rcache->depot = mag;
    rcache->depot_size++;
}

/* Magazines in the depot are full; the link takes the place of the size. */
static struct iova_magazine *iova_depot_pop(struct iova_rcache *rcache)
{
    struct iova_magazine *mag = rcache->depot;

    rcache->depot = mag->next;
    mag->size = IOVA_MAG_SIZE;
    rcache->depot_size--;
    return mag;
}

static void swap_magazines(struct iova_cpu_rcache *cpu_rcache)
{
    struct iova_magazine *loaded = cpu_rcache->loaded;

    cpu_rcache->loaded = cpu_rcache->prev;
    cpu_rcache->prev = loaded;
}

static void __iova_rcache_insert(struct iova_rcache *rcache, uint64_t pfn)
{
    struct iova_cpu_rcache *cpu_rcache = this_cpu_ptr(rcache->cpu_rcaches);
    uint64_t flags;

    spin_lock_irqsave(&cpu_rcache->lock, flags);
    if (iova_magazine_full(cpu_rcache->loaded)) {
        if (!iova_magazine_full(cpu_rcache->prev)) {
            swap_magazines(cpu_rcache);
        } else {
            struct iova_magazine *new = iova_magazine_alloc();

            spin_lock(&rcache->lock);
            iova_depot_push(rcache, cpu_rcache->loaded);
            spin_unlock(&rcache->lock);
            cpu_rcache->loaded = new;
        }
    }
    iova_magazine_push(cpu_rcache->loaded, pfn);
    spin_unlock_irqrestore(&cpu_rcache->lock, flags);
}

static uint64_t __iova_rcache_get(struct iova_rcache *rcache, uint64_t limit_pfn)
{
    struct iova_cpu_rcache *cpu_rcache = this_cpu_ptr(rcache->cpu_rcaches);
    bool has_pfn = true;
    uint64_t flags, pfn = 0;

    spin_lock_irqsave(&cpu_rcache->lock, flags);
    if (iova_magazine_empty(cpu_rcache->loaded)) {
        if (!iova_magazine_empty(cpu_rcache->prev)) {
            swap_magazines(cpu_rcache);
        } else {
            spin_lock(&rcache->lock);
            has_pfn = rcache->depot != NULL;
            if (has_pfn) {
                kmem_cache_free(iova_magazine_cache, cpu_rcache->loaded);
                cpu_rcache->loaded = iova_depot_pop(rcache);
            }
            spin_unlock(&rcache->lock);
        }
    }
    if (has_pfn)
        pfn = iova_magazine_pop(cpu_rcache->loaded, limit_pfn);
    spin_unlock_irqrestore(&cpu_rcache->lock, flags);
    return pfn;
}

/* The class of a size: its logarithm, rounded up. */
static unsigned order_base_2(uint64_t size)
{
    return size > 1 ? 64 - (unsigned)__builtin_clzl(size - 1) : 0;
}

static bool iova_rcache_insert(struct iova_domain *iovad, uint64_t pfn, uint64_t size)
{
    unsigned log_size = order_base_2(size);

    if (log_size >= IOVA_RANGE_CACHE_MAX_SIZE)
        return false;
    __iova_rcache_insert(&iovad->rcaches[log_size], pfn);
    return true;
}

static uint64_t iova_rcache_get(struct iova_domain *iovad, uint64_t size, uint64_t limit_pfn)
{
    unsigned log_size = order_base_2(size);

    if (log_size >= IOVA_RANGE_CACHE_MAX_SIZE)
        return 0;
    return __iova_rcache_get(&iovad->rcaches[log_size], limit_pfn - size);
}

static void free_cpu_cached_iovas(unsigned cpu, struct iova_domain *iovad)
{
    uint64_t flags;

    for (unsigned i = 0; i < IOVA_RANGE_CACHE_MAX_SIZE; i++) {
        struct iova_cpu_rcache *cpu_rcache = per_cpu_ptr(iovad->rcaches[i].cpu_rcaches, cpu);

        spin_lock_irqsave(&cpu_rcache->lock, flags);
        iova_magazine_free_pfns(cpu_rcache->loaded, iovad);
        iova_magazine_free_pfns(cpu_rcache->prev, iovad);
        spin_unlock_irqrestore(&cpu_rcache->lock, flags);
    }
}

static void free_global_cached_iovas(struct iova_domain *iovad)
{
    uint64_t flags;

    for (unsigned i = 0; i < IOVA_RANGE_CACHE_MAX_SIZE; i++) {
        struct iova_rcache *rcache = &iovad->rcaches[i];

        spin_lock_irqsave(&rcache->lock, flags);
        while (rcache->depot) {
            struct iova_magazine *mag = iova_depot_pop(rcache);

            iova_magazine_free_pfns(mag, iovad);
            kmem_cache_free(iova_magazine_cache, mag);
        }
        spin_unlock_irqrestore(&rcache->lock, flags);
    }
}

/* --- the allocator --- */

uint64_t alloc_iova_fast(struct iova_domain *iovad, uint64_t size, uint64_t limit_pfn, bool flush_rcache)
{
    struct iova *new;
    uint64_t pfn;

    /* what comes back into a magazine must have the size of its class */
    if (size < 1ull << (IOVA_RANGE_CACHE_MAX_SIZE - 1))
        size = 1ull << order_base_2(size);
    pfn = iova_rcache_get(iovad, size, limit_pfn + 1);
    if (pfn)
        return pfn;
    new = alloc_iova(iovad, size, limit_pfn, true);
    if (!new &&flush_rcache) {
        for_each_online_cpu(cpu) free_cpu_cached_iovas(cpu, iovad);
        free_global_cached_iovas(iovad);
        new = alloc_iova(iovad, size, limit_pfn, true);
    }
    return new ? new->pfn_lo : 0;
}

void free_iova_fast(struct iova_domain *iovad, uint64_t pfn, uint64_t size)
{
    if (!iova_rcache_insert(iovad, pfn, size))
        free_iova(iovad, pfn);
}

static void init_rcache(struct iova_rcache *rcache)
{
    rcache->cpu_rcaches = alloc_percpu(sizeof(struct iova_cpu_rcache), 64);
    for_each_online_cpu(cpu)
    {
        struct iova_cpu_rcache *cpu_rcache = per_cpu_ptr(rcache->cpu_rcaches, cpu);

        cpu_rcache->loaded = iova_magazine_alloc();
        cpu_rcache->prev = iova_magazine_alloc();
    }
}

void init_iova_domain(struct iova_domain *iovad, uint64_t granule, uint64_t start_pfn)
{
    if (!iova_cache) {
        iova_cache = kmem_cache_create(sizeof(struct iova));
        iova_magazine_cache = kmem_cache_create(sizeof(struct iova_magazine));
    }
    *iovad = (struct iova_domain){.granule = granule, .start_pfn = start_pfn};
    iovad->cached_node = iovad->cached32_node = &iovad->anchor.node;
    iovad->dma_32bit_pfn = iovad->max32_alloc_size = 1ull << (32 - iova_shift(iovad));
    iovad->anchor.pfn_lo = iovad->anchor.pfn_hi = IOVA_ANCHOR;
    rb_link_node(&iovad->anchor.node, NULL, &iovad->rbroot.node);
    rb_insert_color(&iovad->anchor.node, &iovad->rbroot);
    for (unsigned i = 0; i < IOVA_RANGE_CACHE_MAX_SIZE; i++)
        init_rcache(&iovad->rcaches[i]);
}
