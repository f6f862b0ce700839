/*
 * Scatter-gather copy engine: the DMA master of the tests and benchmarks. Descriptors in memory; reads and writes
 * through a memory port (with or without an SMMU behind it); an interrupt at the end.
 *
 * Registers (32 or 64 bit accesses, little-endian), one block of 0x100 bytes a channel:
 *   0x00 CTRL      1 START (write 1), 2 IRQ_ENABLE, 4 ABORT (write 1)
 *   0x08 STATUS    1 BUSY, 2 DONE (write 1 to clear), 4 ERROR (write 1 to clear)
 *   0x10 DESC      64 bit: address of the first descriptor
 *   0x18 ERROR_ADDRESS 64 bit, read only: address whose access failed
 *   0x20 ERROR_STATUS  32 bit, read only: enum txn_status
 *   0x24 STREAM    StreamID (reset value: configured)
 *   0x28 SUBSTREAM SubstreamID | 1 << 31 when valid
 *   0x2C ATTRIBUTES 1 COHERENT (reset value: configured), 2 PRIVILEGED
 *   0x30 BYTES_DONE 64 bit, read only
 *
 * Descriptor, 32 bytes: u64 source, u64 destination, u32 bytes, u32 flags, u64 next (0: last).
 *   flags: 1 FILL (source is the 64-bit pattern), 2 DISCARD (read only, destination unused)
 */
#ifndef DMASIM_DMAC_SG_ENGINE_H
#define DMASIM_DMAC_SG_ENGINE_H

#include <stdint.h>

#include "common/port.h"

#define SG_CHANNEL_BYTES 0x100u
#define SG_CHANNELS_MOST 128u

struct sg_engine_config {
    uint32_t requester;   /* txn.requester of channel 0; further channels count up */
    uint32_t channels;    /* 1..SG_CHANNELS_MOST */
    uint32_t stream_id;   /* reset value of STREAM of channel 0; further channels count up */
    bool coherent;        /* reset value of ATTRIBUTES.COHERENT */
    uint32_t intid;       /* SPI of channel 0; further channels count up */
    uint32_t burst_bytes; /* power of two, 16..4096 */
    uint32_t outstanding; /* reads, and writes, in flight */
    uint64_t issue_ps;    /* least time between two requests: the inverse of the port's bandwidth */
    uint64_t access_ps;   /* one register access */
};

/* Who is told of the channels' work, without influence on it; copied. Functions may be NULL. */
struct sg_observer {
    void *ctx;
    void (*started)(void *ctx, unsigned channel, uint64_t t_ps); /* the chain */
    void (*descriptor)(void *ctx, unsigned channel, uint64_t from_ps,
                       uint64_t to_ps);                        /* read, and its last request issued */
    void (*ended)(void *ctx, unsigned channel, uint64_t t_ps); /* done or failed, all answers are in */
};

struct sg_engine;

/* Events that a channel's time port needs (numbered from 0). */
#define SG_ENGINE_EVENTS 1u

/* One time port a channel (channel n waits only on times[n]); ports are copied. NULL when the configuration is out of
 * range. */
struct sg_engine *sg_engine_create(const struct sg_engine_config *config, const struct mem_port *memory,
                                   const struct time_port *times, const struct irq_port *irq);
void sg_engine_destroy(struct sg_engine *engine);

/* Register access; addr is the offset in the block. */
void sg_engine_access(struct sg_engine *engine, struct txn *txn);

/* Before the first START. */
void sg_engine_observe(struct sg_engine *engine, const struct sg_observer *observer);

/* The life of a channel: waits for START, works, never returns. One active part each. */
void sg_engine_run(struct sg_engine *engine, unsigned channel);

#endif
