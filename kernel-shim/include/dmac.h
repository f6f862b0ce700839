/* Driver of the scatter-gather copy engine (registers: dmac/sg_engine.h). */
#ifndef DMAC_H
#define DMAC_H

#include "runtime.h"

#define DMAC_FILL    1u /* source is a 64-bit pattern */
#define DMAC_DISCARD 2u /* read only */

struct dmac_descriptor {
    uint64_t source, destination;
    uint32_t bytes, flags;
    uint64_t next;
};

/* Non-cacheable memory for descriptors, as dma_alloc_coherent() gives it: returned by its Non-cacheable address. */
void *dma_alloc_coherent(size_t bytes, uint64_t *dma_address);

/* Tell channel 0 where its descriptors are; nothing moves yet. coherent: the engine snoops the caches. */
void dmac_prepare(uint64_t descriptor, bool coherent);
/* The doorbell: one register write, without any barrier. */
void dmac_ring(bool interrupt);
/* Channel n reads one descriptor's worth for stream sid, from the register writes to the end; returns its error status.
 */
uint32_t dmac_channel_run(unsigned channel, uint32_t sid, uint64_t descriptor, bool coherent);
/* Until the channel is done; returns its error status (0: none). */
uint32_t dmac_wait(void);

#endif
