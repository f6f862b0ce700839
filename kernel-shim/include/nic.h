/*
 * Driver of the network interface (registers and descriptors: dmac/nic.h): one receive ring over a page pool or the
 * buffers of an AF_XDP socket, one transmit ring, NAPI.
 */
#ifndef NIC_H
#define NIC_H

#include "page_pool.h"
#include "simctl.h"
#include "xsk_buff_pool.h"

#define NIC_RX_BUFFER_WRITE 32  /* descriptors that go to the interface at once */
#define NIC_RX_HEADROOM     256 /* XDP_PACKET_HEADROOM */
#define NIC_RX_BUFFER_BYTES 2048

struct nic_descriptor {
    uint64_t address;
    uint32_t bytes, flags;
};
#define NIC_DONE   1u
#define NIC_ERROR  2u
#define NIC_REPORT 4u

enum { NIC_CTRL_RX = 1, NIC_CTRL_TX = 2, NIC_CTRL_GENERATE = 4, NIC_CTRL_LOOPBACK = 8 };
enum { NIC_CAUSE_RX = 1, NIC_CAUSE_TX = 2, NIC_CAUSE_ERROR = 4 };
enum nic_count {
    NIC_RX_FRAMES = 0x80,
    NIC_RX_BYTES = 0x88,
    NIC_RX_NO_DESCRIPTOR = 0x90,
    NIC_RX_OVERFLOW = 0x98,
    NIC_RX_ERRORS = 0xA0,
    NIC_TX_FRAMES = 0xA8,
    NIC_TX_BYTES = 0xB0,
    NIC_TX_ERRORS = 0xB8
};

/* One direction; entries: a power of two. next_to_use - next_to_clean descriptors belong to the interface. */
struct nic_ring {
    struct device *dev;
    struct nic_descriptor *descriptors; /* Non-cacheable unless the device is coherent */
    dma_addr_t dma;
    uint32_t mask;
    uint32_t next_to_use, next_to_clean; /* never taken modulo the ring */
    struct page_pool *page_pool;         /* receive: one of the two */
    struct xsk_buff_pool *xsk_pool;
    bool xsk_batch; /* buffers are taken many at a time, where that is possible */
    struct page **pages;
    struct xdp_buff_xsk **xdp;
    bool failed; /* a descriptor came back with an error */
};

/* The program that is attached, part of the guest: it is called directly, as by the kernel's dispatcher. Frames are
 * dropped afterwards (XDP_DROP). */
void bpf_prog_run_xdp(const void *data, uint32_t bytes);

/* Rings of entries descriptors, off. dev is ready for DMA. */
void nic_init_receive(struct nic_ring *ring, struct device *dev, unsigned entries);
void nic_init_transmit(struct nic_ring *ring, struct device *dev, unsigned entries);
/* Takes buffers, and hands them to the interface. */
void nic_fill(struct nic_ring *ring);
void nic_control(uint32_t control); /* NIC_CTRL_* */
void nic_generate(uint32_t frame_bytes, uint64_t frames);
uint64_t nic_count(enum nic_count count);
/* Received frames, at most budget, through the program. */
unsigned nic_clean_rx(struct nic_ring *ring, unsigned budget);
/* Rings that are off are unmapped; a receive ring gives its buffers back to their pool before. */
void nic_release_ring(struct nic_ring *ring);
void nic_release_receive(struct nic_ring *ring);

/* A mapped frame; the ring has room. Goes out with nic_kick(). */
void nic_transmit(struct nic_ring *ring, dma_addr_t addr, uint32_t bytes, bool report);
void nic_kick(struct nic_ring *ring);
/* Whether the interface is done with the oldest descriptor that asked for a report and those before it. */
bool nic_transmitted(struct nic_ring *ring, unsigned count);

/* Interrupts: handler is called with all causes acknowledged and masked; nic_enable() unmasks. */
void nic_request_irq(void (*handler)(void *data), void *data);
void nic_enable(uint32_t causes);

#endif
