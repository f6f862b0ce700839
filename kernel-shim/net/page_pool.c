#include "page_pool.h"

struct page_pool *page_pool_create(struct device *dev, enum dma_data_direction dir, uint32_t offset, uint32_t max_len)
{
    struct page_pool *pool = alloc_pages_exact(sizeof(*pool));

    memset(pool, 0, sizeof(*pool));
    pool->dev = dev;
    pool->dma_dir = dir;
    pool->offset = offset;
    pool->max_len = max_len;
    pool->dma_sync = true; /* PP_FLAG_DMA_SYNC_DEV */
    return pool;
}

/* --- allocation --- */

static struct page *page_pool_refill_alloc_cache(struct page_pool *pool)
{
    if (READ_ONCE(pool->ring.count) == 0)
        return NULL;
    spin_lock(&pool->ring.lock);
    while (pool->ring.count && pool->alloc.count < PP_ALLOC_CACHE_REFILL)
        pool->alloc.cache[pool->alloc.count++] = pool->ring.pages[--pool->ring.count];
    spin_unlock(&pool->ring.lock);
    return pool->alloc.count ? pool->alloc.cache[--pool->alloc.count] : NULL;
}

static struct page *__page_pool_get_cached(struct page_pool *pool)
{
    if (__builtin_expect(pool->alloc.count != 0, 1))
        return pool->alloc.cache[--pool->alloc.count];
    return page_pool_refill_alloc_cache(pool);
}

static void __page_pool_dma_sync_for_device(struct page_pool *pool, const struct page *page, uint32_t dma_sync_size)
{
    if (dma_sync_size > pool->max_len)
        dma_sync_size = pool->max_len;
    dma_sync_single_for_device(pool->dev, page->dma_addr + pool->offset, dma_sync_size, pool->dma_dir);
}

static void page_pool_dma_sync_for_device(struct page_pool *pool, const struct page *page, uint32_t dma_sync_size)
{
    if (pool->dma_sync && dma_dev_need_sync(pool->dev))
        __page_pool_dma_sync_for_device(pool, page, dma_sync_size);
}

static bool page_pool_dma_map(struct page_pool *pool, struct page *page)
{
    page->dma_addr = dma_map_single_attrs(pool->dev, page->address, PAGE_SIZE, pool->dma_dir, DMA_ATTR_SKIP_CPU_SYNC);
    if (page->dma_addr == DMA_MAPPING_ERROR)
        return false;
    page_pool_dma_sync_for_device(pool, page, pool->max_len);
    return true;
}

/* A bulk into the cache. */
static struct page *__page_pool_alloc_pages_slow(struct page_pool *pool)
{
    for (unsigned i = 0; i < PP_ALLOC_CACHE_REFILL; i++) {
        struct page *page = kzalloc(sizeof(*page));
        *page = (struct page){.pp = pool, .address = alloc_pages_exact(PAGE_SIZE), .refcount = 1};
        if (!page_pool_dma_map(pool, page)) {
            free_pages_exact(page->address, PAGE_SIZE);
            break;
        }
        pool->alloc.cache[pool->alloc.count++] = page;
        pool->pages++;
    }
    return pool->alloc.count ? pool->alloc.cache[--pool->alloc.count] : NULL;
}

struct page *page_pool_dev_alloc_pages(struct page_pool *pool)
{
    struct page *page = __page_pool_get_cached(pool);

    return page ? page : __page_pool_alloc_pages_slow(pool);
}

/* --- return --- */

static void page_pool_return_page(struct page_pool *pool, struct page *page)
{
    dma_unmap_single_attrs(pool->dev, page->dma_addr, PAGE_SIZE, pool->dma_dir, DMA_ATTR_SKIP_CPU_SYNC);
    free_pages_exact(page->address, PAGE_SIZE);
    pool->pages--;
}

static bool page_pool_recycle_in_cache(struct page *page, struct page_pool *pool)
{
    if (__builtin_expect(pool->alloc.count == PP_ALLOC_CACHE_SIZE, 0))
        return false;
    pool->alloc.cache[pool->alloc.count++] = page;
    return true;
}

static bool page_pool_recycle_in_ring(struct page_pool *pool, struct page *page)
{
    bool room;

    spin_lock(&pool->ring.lock);
    room = pool->ring.count < PP_RING_SIZE;
    if (room)
        pool->ring.pages[pool->ring.count++] = page;
    spin_unlock(&pool->ring.lock);
    return room;
}

/* The page, when the caller must put it into the ring. */
static struct page *__page_pool_put_page(struct page_pool *pool, struct page *page, uint32_t dma_sync_size,
                                         bool allow_direct)
{
    if (__builtin_expect(READ_ONCE(page->refcount) == 1 && !page->pfmemalloc, 1)) {
        page_pool_dma_sync_for_device(pool, page, dma_sync_size);
        return allow_direct && page_pool_recycle_in_cache(page, pool) ? NULL : page;
    }
    page_pool_return_page(pool, page);
    return NULL;
}

void page_pool_put_unrefed_page(struct page_pool *pool, struct page *page, uint32_t dma_sync_size, bool allow_direct)
{
    page = __page_pool_put_page(pool, page, dma_sync_size, allow_direct);
    if (page && !page_pool_recycle_in_ring(pool, page))
        page_pool_return_page(pool, page);
}

void page_pool_destroy(struct page_pool *pool)
{
    while (pool->alloc.count)
        page_pool_return_page(pool, pool->alloc.cache[--pool->alloc.count]);
    while (pool->ring.count)
        page_pool_return_page(pool, pool->ring.pages[--pool->ring.count]);
    if (pool->pages)
        sim_fail("page_pool: destroyed while pages of it are in use");
    free_pages_exact(pool, sizeof(*pool));
}
