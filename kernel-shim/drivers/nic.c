#include "nic.h"

#include "dmac.h" /* dma_alloc_coherent() */

enum { CTRL = 0x00, CAUSE = 0x10, ENABLE = 0x18, GENERATE_BYTES = 0x28, GENERATE_FRAMES = 0x30 };
enum { RX_RING = 0x40, TX_RING = 0x60, RING_BASE = 0x00, RING_ENTRIES = 0x08, RING_TAIL = 0x18 };
#define REG(offset) (NIC_BASE + (offset))

/* --- rings --- */

/* Descriptors, and their DMA address. A coherent device shares cacheable memory with the cores. */
static struct nic_descriptor *alloc_descriptors(struct device *dev, size_t bytes, dma_addr_t *dma)
{
    void *memory;
    phys_addr_t pa;

    if (dev->dma_coherent) {
        memory = memset(alloc_pages_exact(bytes), 0, bytes);
        pa = virt_to_phys(memory);
    } else {
        memory = dma_alloc_coherent(bytes, &pa);
    }
    *dma = dma_map_single_attrs(dev, phys_to_virt(pa), bytes, DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
    return memory;
}

static void init_ring(struct nic_ring *ring, struct device *dev, unsigned entries, uintptr_t registers)
{
    *ring = (struct nic_ring){.dev = dev, .mask = entries - 1};
    ring->descriptors = alloc_descriptors(dev, entries * sizeof(*ring->descriptors), &ring->dma);
    writeq_relaxed(ring->dma, REG(registers + RING_BASE));
    writeq_relaxed(entries, REG(registers + RING_ENTRIES));
}

void nic_release_ring(struct nic_ring *ring)
{
    size_t bytes = (ring->mask + 1) * sizeof(*ring->descriptors);

    dma_unmap_single_attrs(ring->dev, ring->dma, bytes, DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
}

void nic_init_receive(struct nic_ring *ring, struct device *dev, unsigned entries)
{
    init_ring(ring, dev, entries, RX_RING);
    ring->pages = kzalloc(entries * sizeof(*ring->pages));
    ring->xdp = kzalloc(entries * sizeof(*ring->xdp));
}

void nic_init_transmit(struct nic_ring *ring, struct device *dev, unsigned entries)
{
    init_ring(ring, dev, entries, TX_RING);
}

void nic_control(uint32_t control)
{
    writel(control, REG(CTRL));
}

void nic_generate(uint32_t frame_bytes, uint64_t frames)
{
    writeq_relaxed(frame_bytes, REG(GENERATE_BYTES));
    writeq_relaxed(frames, REG(GENERATE_FRAMES));
}

uint64_t nic_count(enum nic_count count)
{
    return readq_relaxed(REG(count));
}

/* --- buffers for the receive ring --- */

static void give(struct nic_ring *ring, dma_addr_t dma, uint32_t bytes)
{
    struct nic_descriptor *descriptor = &ring->descriptors[ring->next_to_use++ & ring->mask];

    descriptor->address = dma;
    descriptor->bytes = bytes;
    WRITE_ONCE(descriptor->flags, 0);
}

static void fill_pages(struct nic_ring *ring, unsigned count)
{
    while (count--) {
        struct page *page = page_pool_dev_alloc_pages(ring->page_pool);
        if (__builtin_expect(!page, 0))
            return;
        ring->pages[ring->next_to_use & ring->mask] = page;
        give(ring, page->dma_addr + NIC_RX_HEADROOM, NIC_RX_BUFFER_BYTES);
    }
}

static void fill_xsk_one(struct nic_ring *ring, unsigned count)
{
    struct xsk_buff_pool *pool = ring->xsk_pool;

    while (count--) {
        struct xdp_buff_xsk *xskb = xp_alloc(pool);
        if (__builtin_expect(!xskb, 0))
            return;
        ring->xdp[ring->next_to_use & ring->mask] = xskb;
        give(ring, xskb->dma, pool->frame_len);
    }
}

/* In pieces up to the end of the ring. */
static void fill_xsk_batched(struct nic_ring *ring, unsigned count)
{
    struct xsk_buff_pool *pool = ring->xsk_pool;

    while (count) {
        unsigned first = ring->next_to_use & ring->mask, to_end = ring->mask + 1 - first;
        unsigned got = xp_alloc_batch(pool, &ring->xdp[first], count < to_end ? count : to_end);
        if (got == 0)
            return;
        for (unsigned i = 0; i < got; i++)
            give(ring, ring->xdp[first + i]->dma, pool->frame_len);
        count -= got;
    }
}

static void fill(struct nic_ring *ring, unsigned count)
{
    if (ring->page_pool)
        fill_pages(ring, count);
    else if (ring->xsk_batch && !xp_need_sync(ring->xsk_pool))
        fill_xsk_batched(ring, count);
    else
        fill_xsk_one(ring, count);
    writel(ring->next_to_use & ring->mask, REG(RX_RING + RING_TAIL));
}

/* One descriptor stays free: head equal to tail means that the interface has none. */
static unsigned unused(const struct nic_ring *ring)
{
    return ring->mask - (ring->next_to_use - ring->next_to_clean);
}

void nic_fill(struct nic_ring *ring)
{
    fill(ring, unused(ring));
}

/* --- receiving --- */

/* The oldest descriptor, when the interface has written it back. */
static const struct nic_descriptor *received(struct nic_ring *ring)
{
    const struct nic_descriptor *descriptor = &ring->descriptors[ring->next_to_clean & ring->mask];
    uint32_t flags = READ_ONCE(descriptor->flags);

    if (!(flags & NIC_DONE))
        return NULL;
    dma_rmb();
    if (__builtin_expect(flags & NIC_ERROR, 0))
        ring->failed = true;
    return descriptor;
}

static void clean_page(struct nic_ring *ring, uint32_t bytes)
{
    struct page_pool *pool = ring->page_pool;
    struct page *page = ring->pages[ring->next_to_clean & ring->mask];

    dma_sync_single_for_cpu(ring->dev, page->dma_addr + NIC_RX_HEADROOM, bytes, pool->dma_dir);
    bpf_prog_run_xdp((char *)page->address + NIC_RX_HEADROOM, bytes);
    page_pool_recycle_direct(pool, page);
}

static void clean_xsk(struct nic_ring *ring, uint32_t bytes)
{
    struct xdp_buff_xsk *xskb = ring->xdp[ring->next_to_clean & ring->mask];

    xskb->data = xskb->data_meta = xskb->data_hard_start + XDP_PACKET_HEADROOM; /* xsk_buff_set_size() */
    xskb->data_end = xskb->data + bytes;
    xsk_buff_dma_sync_for_cpu(xskb);
    bpf_prog_run_xdp(xskb->data, bytes);
    xp_free(xskb);
}

unsigned nic_clean_rx(struct nic_ring *ring, unsigned budget)
{
    const struct nic_descriptor *descriptor;
    unsigned done = 0;

    while (done < budget && (descriptor = received(ring))) {
        if (ring->page_pool)
            clean_page(ring, descriptor->bytes);
        else
            clean_xsk(ring, descriptor->bytes);
        ring->next_to_clean++;
        done++;
        if (unused(ring) >= NIC_RX_BUFFER_WRITE)
            fill(ring, NIC_RX_BUFFER_WRITE);
    }
    return done;
}

void nic_release_receive(struct nic_ring *ring)
{
    for (; ring->next_to_clean != ring->next_to_use; ring->next_to_clean++) {
        if (ring->page_pool)
            page_pool_recycle_direct(ring->page_pool, ring->pages[ring->next_to_clean & ring->mask]);
        else
            xp_free(ring->xdp[ring->next_to_clean & ring->mask]);
    }
    nic_release_ring(ring);
}

/* --- sending --- */

void nic_transmit(struct nic_ring *ring, dma_addr_t addr, uint32_t bytes, bool report)
{
    ring->descriptors[ring->next_to_use++ & ring->mask] =
        (struct nic_descriptor){.address = addr, .bytes = bytes, .flags = report ? NIC_REPORT : 0};
}

void nic_kick(struct nic_ring *ring)
{
    writel(ring->next_to_use & ring->mask, REG(TX_RING + RING_TAIL));
}

bool nic_transmitted(struct nic_ring *ring, unsigned count)
{
    uint32_t flags = READ_ONCE(ring->descriptors[(ring->next_to_clean + count - 1) & ring->mask].flags);

    if (!(flags & NIC_DONE))
        return false;
    dma_rmb();
    if (flags & NIC_ERROR)
        ring->failed = true;
    ring->next_to_clean += count;
    return true;
}

/* --- interrupts --- */

static struct {
    void (*handler)(void *data);
    void *data;
} irq;

static void handle(unsigned intid, void *data)
{
    writel_relaxed(0, REG(ENABLE));
    writel_relaxed(~0u, REG(CAUSE)); /* what comes from now on interrupts again after nic_enable() */
    readl_relaxed(REG(ENABLE));      /* the line is low before the interrupt ends */
    irq.handler(irq.data);
}

void nic_request_irq(void (*handler)(void *data), void *data)
{
    irq.handler = handler;
    irq.data = data;
    request_irq(32 + SPI_NIC, false, handle, NULL);
}

void nic_enable(uint32_t causes)
{
    writel(causes, REG(ENABLE));
}
