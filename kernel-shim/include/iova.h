/*
 * Allocator of I/O virtual addresses (include/linux/iova.h, Linux 6.12): magazines a core for sizes up to 32 pages, a
 * depot of full magazines, and a tree of all allocations under one lock.
 */
#ifndef IOVA_H
#define IOVA_H

#include "rbtree.h"
#include "spinlock.h"

#define IOVA_RANGE_CACHE_MAX_SIZE 6 /* classes: 1, 2, 4 .. 32 pages */
#define IOVA_MAG_SIZE             127

struct iova {
    struct rb_node node;
    uint64_t pfn_hi, pfn_lo; /* inclusive */
};

struct iova_magazine { /* 1 KB */
    union {
        uint64_t size;
        struct iova_magazine *next; /* in the depot */
    };
    uint64_t pfns[IOVA_MAG_SIZE];
};

struct iova_cpu_rcache {
    spinlock_t lock;
    struct iova_magazine *loaded, *prev;
};

struct iova_rcache {
    spinlock_t lock;
    unsigned depot_size;
    struct iova_magazine *depot;
    struct iova_cpu_rcache *cpu_rcaches; /* a core */
};

struct iova_domain {
    spinlock_t iova_rbtree_lock;
    struct rb_root rbroot;
    struct rb_node *cached_node, *cached32_node; /* where the last allocation was: searches start there, downwards */
    uint64_t granule, start_pfn, dma_32bit_pfn;
    uint64_t max32_alloc_size; /* the size that failed last below 4 GB */
    struct iova anchor;        /* above everything */
    struct iova_rcache rcaches[IOVA_RANGE_CACHE_MAX_SIZE];
};

static inline unsigned iova_shift(const struct iova_domain *iovad)
{
    return (unsigned)__builtin_ctzl(iovad->granule);
}
static inline uint64_t iova_mask(const struct iova_domain *iovad)
{
    return iovad->granule - 1;
}
static inline size_t iova_offset(const struct iova_domain *iovad, uint64_t address)
{
    return address & iova_mask(iovad);
}
static inline size_t iova_align(const struct iova_domain *iovad, size_t size)
{
    return (size + iova_mask(iovad)) & ~iova_mask(iovad);
}

/* granule: bytes of a page; addresses below start_pfn are never given. */
void init_iova_domain(struct iova_domain *iovad, uint64_t granule, uint64_t start_pfn);

/* size in pages; limit_pfn is the last page that may be used. With size_aligned the result is aligned to the next power
 * of two of size. NULL: no room. */
struct iova *alloc_iova(struct iova_domain *iovad, uint64_t size, uint64_t limit_pfn, bool size_aligned);
void free_iova(struct iova_domain *iovad, uint64_t pfn);

/* Through the magazines. 0: no room; flush_rcache: not even after all cores' magazines were given back. */
uint64_t alloc_iova_fast(struct iova_domain *iovad, uint64_t size, uint64_t limit_pfn, bool flush_rcache);
void free_iova_fast(struct iova_domain *iovad, uint64_t pfn, uint64_t size);

#endif
