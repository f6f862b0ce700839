/*
 * Ports: the only ways in which a model touches the world outside it.
 *
 * A model is plain blocking C. Under SystemC each active part (a core, a command engine, a DMA channel) is one
 * SC_THREAD and the ports are implemented in model/; in unit tests tests/support/vsim.c implements the same ports over
 * a virtual clock.
 */
#ifndef DMASIM_COMMON_PORT_H
#define DMASIM_COMMON_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/txn.h"

/* Memory or registers. access() fills status and done_ps (and data of a read). It never waits: time is annotated in
 * done_ps. */
struct mem_port {
    void *ctx;
    void (*access)(void *ctx, struct txn *txn);
};

/*
 * Time for one active part. Events are small numbers that the model defines for itself (enum smmu_event ...); an event
 * notified before somebody waits is remembered once (like a binary semaphore), so no wake-up is lost.
 */
struct time_port {
    void *ctx;
    uint64_t (*now)(void *ctx);                 /* simulated time, ps */
    void (*wait_until)(void *ctx, uint64_t ps); /* blocks; returns at once when ps <= now */
    void (*notify)(void *ctx, unsigned event,
                   uint64_t at_ps); /* at_ps < now means now; the earliest pending one counts */
    bool (*wait_event)(void *ctx, unsigned event,
                       uint64_t until_ps); /* true: the event came; false: until_ps was reached first */
};

/* Level interrupt into the interrupt controller. INTIDs as in GICv3: SGI 0-15, PPI 16-31 (core says whose), SPI
 * from 32. */
struct irq_port {
    void *ctx;
    void (*set)(void *ctx, unsigned core, unsigned intid, bool level, uint64_t at_ps);
};

#endif
