#include "xsk_buff_pool.h"

#include "atomic.h"

/* --- lists (include/linux/list.h) --- */

static void INIT_LIST_HEAD(struct list_head *list)
{
    list->next = list->prev = list;
}

static bool list_empty(const struct list_head *list)
{
    return list->next == list;
}

static void list_add(struct list_head *item, struct list_head *head)
{
    item->next = head->next;
    item->prev = head;
    head->next->prev = item;
    head->next = item;
}

static void list_del_init(struct list_head *item)
{
    item->prev->next = item->next;
    item->next->prev = item->prev;
    INIT_LIST_HEAD(item);
}

static struct xdp_buff_xsk *first_free(const struct xsk_buff_pool *pool)
{
    return (struct xdp_buff_xsk *)((char *)pool->free_list.next - offsetof(struct xdp_buff_xsk, free_list_node));
}

/* --- the fill ring (net/xdp/xsk_queue.h) --- */

/* Entries there are, looking at the user's index only when max are not known yet. */
static uint32_t xskq_cons_nb_entries(struct xsk_queue *q, uint32_t max)
{
    uint32_t entries = q->cached_prod - q->cached_cons;

    if (entries >= max)
        return max;
    q->cached_prod = smp_load_acquire(&q->producer);
    entries = q->cached_prod - q->cached_cons;
    return entries >= max ? max : entries;
}

static bool xskq_cons_peek_addr_unchecked(struct xsk_queue *q, uint64_t *addr)
{
    if (q->cached_prod == q->cached_cons) {
        smp_store_release(&q->consumer, q->cached_cons);
        q->cached_prod = smp_load_acquire(&q->producer);
    }
    if (q->cached_prod == q->cached_cons)
        return false;
    *addr = q->desc[q->cached_cons & q->ring_mask];
    return true;
}

/* --- the pool --- */

static void map_pages(struct xsk_buff_pool *pool)
{
    pool->dma_pages_cnt = (uint32_t)(pool->addrs_cnt >> PAGE_SHIFT);
    pool->dma_pages = kzalloc(pool->dma_pages_cnt * sizeof(*pool->dma_pages));
    for (uint32_t i = 0; i < pool->dma_pages_cnt; i++) {
        dma_addr_t dma = dma_map_single_attrs(pool->dev, pool->addrs + i * PAGE_SIZE, PAGE_SIZE, DMA_BIDIRECTIONAL,
                                              DMA_ATTR_SKIP_CPU_SYNC);
        if (dma == DMA_MAPPING_ERROR)
            sim_fail("xsk: no DMA address for the user's memory");
        if (dma_need_sync(pool->dev, dma))
            pool->dma_need_sync = true;
        pool->dma_pages[i] = dma;
    }
}

static void init_head(struct xsk_buff_pool *pool, uint32_t i)
{
    struct xdp_buff_xsk *xskb = &pool->heads[i];
    uint64_t addr = (uint64_t)i << pool->chunk_shift;

    xskb->pool = pool;
    xskb->data_hard_start = pool->addrs + addr;
    xskb->dma = pool->dma_pages[addr >> PAGE_SHIFT] + (addr & (PAGE_SIZE - 1)) + XDP_PACKET_HEADROOM;
    INIT_LIST_HEAD(&xskb->free_list_node);
}

struct xsk_buff_pool *xp_create(struct device *dev, uint32_t chunks, uint32_t chunk_shift)
{
    struct xsk_buff_pool *pool = kzalloc(sizeof(*pool));

    pool->dev = dev;
    pool->heads_cnt = pool->free_heads_cnt = chunks;
    pool->chunk_shift = chunk_shift;
    pool->frame_len = (1u << chunk_shift) - XDP_PACKET_HEADROOM;
    pool->addrs_cnt = (uint64_t)chunks << chunk_shift;
    pool->addrs = alloc_pages_exact(pool->addrs_cnt);
    pool->heads = alloc_pages_exact(chunks * sizeof(*pool->heads));
    pool->fq = (struct xsk_queue){.ring_mask = chunks - 1, .desc = alloc_pages_exact(chunks * sizeof(uint64_t))};
    INIT_LIST_HEAD(&pool->free_list);
    map_pages(pool);
    for (uint32_t i = 0; i < chunks; i++) {
        init_head(pool, i);
        pool->fq.desc[i] = (uint64_t)i << chunk_shift;
    }
    smp_store_release(&pool->fq.producer, chunks);
    return pool;
}

void xp_destroy(struct xsk_buff_pool *pool)
{
    for (uint32_t i = 0; i < pool->dma_pages_cnt; i++)
        dma_unmap_single_attrs(pool->dev, pool->dma_pages[i], PAGE_SIZE, DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
    free_pages_exact(pool->addrs, pool->addrs_cnt);
}

/* --- allocation --- */

static bool xp_check_aligned(const struct xsk_buff_pool *pool, uint64_t *addr)
{
    *addr &= ~(uint64_t)((1u << pool->chunk_shift) - 1);
    return *addr < pool->addrs_cnt;
}

static struct xdp_buff_xsk *xskb_of(const struct xsk_buff_pool *pool, uint64_t addr)
{
    return &pool->heads[addr >> pool->chunk_shift];
}

/* From the fill ring. */
static struct xdp_buff_xsk *__xp_alloc(struct xsk_buff_pool *pool)
{
    uint64_t addr;

    if (pool->free_heads_cnt == 0)
        return NULL;
    for (;;) {
        if (!xskq_cons_peek_addr_unchecked(&pool->fq, &addr)) {
            pool->fq.queue_empty_descs++;
            return NULL;
        }
        pool->fq.cached_cons++;
        if (xp_check_aligned(pool, &addr))
            return xskb_of(pool, addr);
        pool->fq.invalid_descs++;
    }
}

static void reset_data(struct xdp_buff_xsk *xskb)
{
    xskb->data = xskb->data_hard_start + XDP_PACKET_HEADROOM;
    xskb->data_meta = xskb->data;
}

struct xdp_buff_xsk *xp_alloc(struct xsk_buff_pool *pool)
{
    struct xdp_buff_xsk *xskb;

    if (!pool->free_list_cnt) {
        xskb = __xp_alloc(pool);
        if (!xskb)
            return NULL;
    } else {
        pool->free_list_cnt--;
        xskb = first_free(pool);
        list_del_init(&xskb->free_list_node);
    }
    reset_data(xskb);
    if (xp_need_sync(pool))
        __dma_sync_single_for_device(pool->dev, xskb->dma, pool->frame_len, DMA_BIDIRECTIONAL);
    return xskb;
}

static uint32_t xp_alloc_new_from_fq(struct xsk_buff_pool *pool, struct xdp_buff_xsk **xdp, uint32_t max)
{
    uint32_t cached_cons = pool->fq.cached_cons, count = 0;

    max = xskq_cons_nb_entries(&pool->fq, max);
    for (uint32_t i = 0; i < max; i++) {
        uint64_t addr = pool->fq.desc[cached_cons++ & pool->fq.ring_mask];
        if (!xp_check_aligned(pool, &addr)) {
            pool->fq.invalid_descs++;
            continue;
        }
        xdp[count++] = xskb_of(pool, addr);
    }
    pool->fq.cached_cons += max;
    return count;
}

static uint32_t xp_alloc_reused(struct xsk_buff_pool *pool, struct xdp_buff_xsk **xdp, uint32_t max)
{
    uint32_t count = max < pool->free_list_cnt ? max : pool->free_list_cnt;

    for (uint32_t i = 0; i < count; i++) {
        struct xdp_buff_xsk *xskb = first_free(pool);
        list_del_init(&xskb->free_list_node);
        xdp[i] = xskb;
    }
    pool->free_list_cnt -= count;
    return count;
}

uint32_t xp_alloc_batch(struct xsk_buff_pool *pool, struct xdp_buff_xsk **xdp, uint32_t max)
{
    uint32_t reused = 0, fresh;

    if (__builtin_expect(xp_need_sync(pool), 0)) {
        *xdp = xp_alloc(pool);
        return *xdp != NULL;
    }
    if (__builtin_expect(pool->free_list_cnt != 0, 0)) {
        reused = xp_alloc_reused(pool, xdp, max);
        if (reused == max)
            return reused;
    }
    fresh = xp_alloc_new_from_fq(pool, xdp + reused, max - reused);
    if (!fresh)
        pool->fq.queue_empty_descs++;
    return reused + fresh;
}

void xp_free(struct xdp_buff_xsk *xskb)
{
    if (!list_empty(&xskb->free_list_node))
        return;
    xskb->pool->free_list_cnt++;
    list_add(&xskb->free_list_node, &xskb->pool->free_list);
}
