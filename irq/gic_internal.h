/* State of the GIC: one array of interrupts a core for SGIs and PPIs, one shared for SPIs. */
#ifndef DMASIM_IRQ_GIC_INTERNAL_H
#define DMASIM_IRQ_GIC_INTERNAL_H

#include "irq/gic.h"

#define PRIVATE_INTERRUPTS 32u
#define SPURIOUS           1023u
#define IDLE_PRIORITY      0xFFu

struct interrupt {
    bool group1, enabled, pending, active, level, edge;
    uint8_t priority;
    uint64_t route; /* GICD_IROUTER, SPIs */
};

struct gic_core {
    struct interrupt own[PRIVATE_INTERRUPTS];
    uint8_t mask;        /* ICC_PMR_EL1 */
    bool group1_enabled; /* ICC_IGRPEN1_EL1 */
    bool group0_enabled; /* ICC_IGRPEN0_EL1 and ICC_BPR0_EL1: stored, no interrupt is of Group 0 */
    uint8_t bpr0;
    uint8_t running[32]; /* stack of running priorities */
    uint32_t depth;
    uint32_t waker;
    bool output;
    uint64_t bpr, ctlr;
};

struct gic {
    struct gic_config config;
    struct gic_output output;
    uint64_t *mpidr;
    struct interrupt *spi; /* [spis], INTID 32 first */
    struct gic_core *cores;
    uint32_t ctlr;
};

struct interrupt *gic_interrupt(struct gic *gic, unsigned core, unsigned intid);
/* Recompute every core's IRQ output. */
void gic_update(struct gic *gic, uint64_t at_ps);

#endif
