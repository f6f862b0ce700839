/*
 * Pages of a receive ring that stay mapped and are used again (net/core/page_pool.c): a cache that only the receiving
 * core touches, behind it a ring, behind that the page allocator. Before a page goes back it is synced for the device.
 */
#ifndef PAGE_POOL_H
#define PAGE_POOL_H

#include "dma.h"
#include "spinlock.h"

#define PP_ALLOC_CACHE_SIZE   128
#define PP_ALLOC_CACHE_REFILL 64
#define PP_RING_SIZE          1024

struct page_pool;

/* What the kernel keeps of a page; only what a pool needs. */
struct page {
    struct page_pool *pp;
    dma_addr_t dma_addr;
    void *address;
    int refcount;
    bool pfmemalloc;
} __attribute__((aligned(64)));

struct page_pool {
    struct device *dev;
    enum dma_data_direction dma_dir;
    uint32_t offset, max_len; /* of a page, what the device writes */
    bool dma_sync;            /* a page that comes back is synced for the device */
    unsigned pages;           /* allocated */
    struct {
        unsigned count;
        struct page *cache[PP_ALLOC_CACHE_SIZE];
    } alloc __attribute__((aligned(64)));
    struct {
        spinlock_t lock;
        unsigned count;
        struct page *pages[PP_RING_SIZE];
    } ring __attribute__((aligned(64)));
};

struct page_pool *page_pool_create(struct device *dev, enum dma_data_direction dir, uint32_t offset, uint32_t max_len);
/* All pages are back. */
void page_pool_destroy(struct page_pool *pool);

/* NULL: no memory, or no DMA address. */
struct page *page_pool_dev_alloc_pages(struct page_pool *pool);
/* By the receiving core; the device wrote at most dma_sync_size bytes (~0: max_len). */
void page_pool_put_unrefed_page(struct page_pool *pool, struct page *page, uint32_t dma_sync_size, bool allow_direct);

static inline void page_pool_recycle_direct(struct page_pool *pool, struct page *page)
{
    page_pool_put_unrefed_page(pool, page, ~0u, true);
}

#endif
