/*
 * Buffers of an AF_XDP socket (net/xdp/xsk_buff_pool.c): chunks of a user's memory, aligned, mapped page by page for
 * good. The user's fill ring brings addresses; what the program drops is used again before that.
 */
#ifndef XSK_BUFF_POOL_H
#define XSK_BUFF_POOL_H

#include "dma.h"

#define XDP_PACKET_HEADROOM 256

struct xsk_buff_pool;

struct list_head {
    struct list_head *next, *prev;
};

struct xdp_buff_xsk {
    char *data, *data_end, *data_meta, *data_hard_start; /* struct xdp_buff */
    dma_addr_t dma;                                      /* of data after an allocation */
    struct xsk_buff_pool *pool;
    struct list_head free_list_node;
} __attribute__((aligned(64)));

/* The consumer's side of a ring of addresses that is shared with the user. */
struct xsk_queue {
    uint32_t ring_mask, cached_prod, cached_cons;
    uint64_t invalid_descs, queue_empty_descs;
    uint32_t producer __attribute__((aligned(64)));
    uint32_t consumer __attribute__((aligned(64)));
    uint64_t *desc;
};

struct xsk_buff_pool {
    struct device *dev;
    uint32_t heads_cnt, free_heads_cnt, chunk_shift, frame_len;
    bool dma_need_sync; /* before DMA_SKIP_SYNC: asked once for each page */
    char *addrs;        /* the user's memory */
    uint64_t addrs_cnt; /* bytes */
    dma_addr_t *dma_pages;
    uint32_t dma_pages_cnt;
    struct xdp_buff_xsk *heads;
    struct list_head free_list;
    uint32_t free_list_cnt;
    struct xsk_queue fq;
};

/* chunks (a power of two) of 1 << chunk_shift bytes, all of them in the fill ring; mapped for dev. */
struct xsk_buff_pool *xp_create(struct device *dev, uint32_t chunks, uint32_t chunk_shift);
void xp_destroy(struct xsk_buff_pool *pool);

/* Whether buffers must be synced: then a driver allocates them one by one. */
static inline bool xp_need_sync(const struct xsk_buff_pool *pool)
{
    return DMA_SKIP_SYNC ? dma_dev_need_sync(pool->dev) : pool->dma_need_sync;
}

/* NULL: there is none. */
struct xdp_buff_xsk *xp_alloc(struct xsk_buff_pool *pool);
/* How many of max there were; one, when buffers must be synced. */
uint32_t xp_alloc_batch(struct xsk_buff_pool *pool, struct xdp_buff_xsk **xdp, uint32_t max);
/* After the program has dropped it. */
void xp_free(struct xdp_buff_xsk *xskb);

static inline void xsk_buff_dma_sync_for_cpu(struct xdp_buff_xsk *xskb)
{
    if (xp_need_sync(xskb->pool))
        __dma_sync_single_for_cpu(xskb->pool->dev, xskb->dma, xskb->pool->frame_len, DMA_BIDIRECTIONAL);
}

#endif
