/*
 * GICv3 subset: distributor, one redistributor per core, system-register CPU interface; SGI, PPI, SPI; one security
 * state (GICD_CTLR.DS = 1), affinity routing on. Source: Arm IHI 0069.
 */
#ifndef DMASIM_IRQ_GIC_H
#define DMASIM_IRQ_GIC_H

#include <stdbool.h>
#include <stdint.h>

#include "common/txn.h"

struct gic_config {
    uint32_t cores;        /* 1..128 */
    uint32_t spis;         /* number of SPIs, multiple of 32, up to 960 */
    const uint64_t *mpidr; /* affinity of each core; copied */
    uint64_t access_ps;    /* one register access */
    uint64_t deliver_ps;   /* from a pending interrupt to the core's IRQ input (reported to drive_irq) */
};

/* The core's IRQ input changes to level at at_ps. */
struct gic_output {
    void *ctx;
    void (*drive_irq)(void *ctx, unsigned core, bool level, uint64_t at_ps);
};

struct gic;

/* NULL when the configuration is out of range. */
struct gic *gic_create(const struct gic_config *config, const struct gic_output *output);
void gic_destroy(struct gic *gic);

/* Level of an interrupt line: PPI 16-31 of core, SPI from 32 (core ignored). Edge-configured lines latch the rising
 * edge. */
void gic_set(struct gic *gic, unsigned core, unsigned intid, bool level, uint64_t at_ps);

/* Register accesses; addr is the offset from GICD (64 KiB) and from the first redistributor (two 64 KiB frames a core).
 */
void gic_distributor(struct gic *gic, struct txn *txn);
void gic_redistributor(struct gic *gic, struct txn *txn);

/* ICC_*_EL1; encoding as in core_bus.gic_read. False: not a register of this interface. */
bool gic_cpu_read(struct gic *gic, unsigned core, uint16_t encoding, uint64_t *value, uint64_t t_ps);
bool gic_cpu_write(struct gic *gic, unsigned core, uint16_t encoding, uint64_t value, uint64_t t_ps);

#endif
