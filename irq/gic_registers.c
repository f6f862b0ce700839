/* The GIC's memory-mapped registers: distributor and redistributors (IHI 0069 12.8 to 12.11). */
#include <string.h>

#include "irq/gic_internal.h"

enum {
    GICD_CTLR = 0x0000,
    GICD_TYPER = 0x0004,
    GICD_IIDR = 0x0008,
    GIC_IGROUPR = 0x0080,
    GIC_ISENABLER = 0x0100,
    GIC_ICENABLER = 0x0180,
    GIC_ISPENDR = 0x0200,
    GIC_ICPENDR = 0x0280,
    GIC_ISACTIVER = 0x0300,
    GIC_ICACTIVER = 0x0380,
    GIC_IPRIORITYR = 0x0400,
    GIC_ICFGR = 0x0C00,
    GICD_IROUTER = 0x6000,
    GIC_PIDR2 = 0xFFE8,
    GICR_TYPER = 0x0008,
    GICR_WAKER = 0x0014,
};
enum { FRAME = 0x10000, IIDR = 0x43B, PIDR2_GICV3 = 0x3B, GICD_CTLR_DS = 1 << 6, GICD_CTLR_ARE = 1 << 4 };

/* One bit a interrupt: read it or act on it. */
static bool bit_of(const struct interrupt *interrupt, unsigned offset)
{
    switch (offset) {
    case GIC_IGROUPR:
        return interrupt->group1;
    case GIC_ISENABLER:
    case GIC_ICENABLER:
        return interrupt->enabled;
    case GIC_ISPENDR:
    case GIC_ICPENDR:
        return interrupt->pending || (!interrupt->edge && interrupt->level);
    default:
        return interrupt->active;
    }
}

static void write_bit(struct interrupt *interrupt, unsigned offset, bool one)
{
    if (offset == GIC_IGROUPR)
        interrupt->group1 = one;
    if (!one)
        return;
    switch (offset) {
    case GIC_ISENABLER:
    case GIC_ICENABLER:
        interrupt->enabled = offset == GIC_ISENABLER;
        break;
    case GIC_ISPENDR:
    case GIC_ICPENDR:
        interrupt->pending = offset == GIC_ISPENDR;
        break;
    case GIC_ISACTIVER:
    case GIC_ICACTIVER:
        interrupt->active = offset == GIC_ISACTIVER;
        break;
    default:
        break;
    }
}

/* Registers that both parts of the GIC have, for INTIDs first to last. */
static void common(struct gic *gic, unsigned core, uint64_t offset, unsigned first, unsigned last, bool write,
                   uint32_t *value)
{
    unsigned per_word = offset < GIC_IPRIORITYR ? 32 : offset < GIC_ICFGR ? 4 : 16;
    unsigned group = (unsigned)(offset < GIC_IPRIORITYR ? offset & ~0x7Full
                                : offset < GIC_ICFGR    ? GIC_IPRIORITYR
                                                        : GIC_ICFGR);
    unsigned intid = (unsigned)((offset - group) / 4) * per_word;

    for (unsigned i = 0; i < per_word; i++, intid++) {
        struct interrupt *interrupt = intid >= first && intid <= last ? gic_interrupt(gic, core, intid) : NULL;
        unsigned shift = i * (32 / per_word);
        if (!interrupt)
            continue;
        if (per_word == 32) {
            if (write)
                write_bit(interrupt, group, *value >> shift & 1);
            else
                *value |= (uint32_t)bit_of(interrupt, group) << shift;
        } else if (per_word == 4) {
            if (write)
                interrupt->priority = *value >> shift & 0xF8;
            else
                *value |= (uint32_t)interrupt->priority << shift;
        } else if (write && intid >= 16) {
            interrupt->edge = *value >> shift & 2;
        } else if (!write) {
            *value |= (interrupt->edge ? 2u : 0u) << shift;
        }
    }
}

static bool is_common(uint64_t offset)
{
    return (offset >= GIC_IGROUPR && offset < GIC_ICFGR + 0x100 && !(offset >= 0x800 && offset < GIC_ICFGR));
}

static void distributor_word(struct gic *gic, uint64_t offset, bool write, uint32_t *value)
{
    if (offset == GICD_CTLR && write)
        gic->ctlr = *value & 3;
    else if (offset == GICD_CTLR)
        *value = gic->ctlr | GICD_CTLR_ARE | GICD_CTLR_DS;
    else if (offset == GICD_TYPER)
        *value = gic->config.spis / 32 | 9 << 19 /* IDbits: 10 */;
    else if (offset == GICD_IIDR)
        *value = IIDR;
    else if (offset == GIC_PIDR2)
        *value = PIDR2_GICV3;
    else if (offset >= GICD_IROUTER + 8 * PRIVATE_INTERRUPTS &&
             offset < GICD_IROUTER + 8 * (PRIVATE_INTERRUPTS + gic->config.spis)) {
        uint32_t *half =
            (uint32_t *)&gic->spi[(offset - GICD_IROUTER) / 8 - PRIVATE_INTERRUPTS].route + (offset >> 2 & 1);
        if (write)
            *half = *value;
        else
            *value = *half;
    } else if (is_common(offset)) {
        common(gic, 0, offset, PRIVATE_INTERRUPTS, PRIVATE_INTERRUPTS + gic->config.spis - 1, write, value);
    }
}

static uint64_t redistributor_type(const struct gic *gic, unsigned core)
{
    uint64_t mpidr = gic->mpidr[core];
    uint64_t affinity = (mpidr >> 32 & 0xFF) << 24 | (mpidr & 0xFFFFFF);

    return affinity << 32 | (uint64_t)core << 8 | (core + 1 == gic->config.cores ? 1 << 4 : 0);
}

static void redistributor_word(struct gic *gic, unsigned core, uint64_t offset, bool write, uint32_t *value)
{
    struct gic_core *own = &gic->cores[core];

    if (offset >= FRAME) {
        if (is_common(offset - FRAME))
            common(gic, core, offset - FRAME, 0, PRIVATE_INTERRUPTS - 1, write, value);
    } else if (offset == GICD_IIDR - 4) {
        *value = IIDR;
    } else if (offset == GICR_TYPER || offset == GICR_TYPER + 4) {
        *value = (uint32_t)(redistributor_type(gic, core) >> (offset == GICR_TYPER ? 0 : 32));
    } else if (offset == GICR_WAKER && write) {
        own->waker = *value & 2 ? 6 : 0; /* ChildrenAsleep follows ProcessorSleep */
    } else if (offset == GICR_WAKER) {
        *value = own->waker;
    } else if (offset == GIC_PIDR2) {
        *value = PIDR2_GICV3;
    }
}

/* An access of one or two words; a byte access is possible for priorities. */
static void words(struct gic *gic, struct txn *txn, int core)
{
    bool write = txn->kind != TXN_READ;
    uint64_t offset = txn->addr;

    txn->done_ps = txn->start_ps + gic->config.access_ps;
    txn->status = TXN_OK;
    if ((txn->size != 1 && txn->size != 4 && txn->size != 8) || offset % txn->size) {
        txn->status = TXN_SLVERR;
        return;
    }
    for (uint32_t at = 0; at < txn->size; at += 4) {
        uint64_t word_offset = (offset + at) & ~3ull;
        unsigned part = (unsigned)(offset & 3);
        uint32_t value = 0, bytes = txn->size < 4 ? txn->size : 4;
        if (write && bytes < 4) /* read-modify-write of the other bytes */
            core < 0 ? distributor_word(gic, word_offset, false, &value)
                     : redistributor_word(gic, (unsigned)core, word_offset, false, &value);
        if (write)
            memcpy((uint8_t *)&value + part, txn->data + at, bytes);
        if (core < 0)
            distributor_word(gic, word_offset, write, &value);
        else
            redistributor_word(gic, (unsigned)core, word_offset, write, &value);
        if (!write)
            memcpy(txn->data + at, (uint8_t *)&value + part, bytes);
    }
    if (write)
        gic_update(gic, txn->start_ps);
}

void gic_distributor(struct gic *gic, struct txn *txn)
{
    words(gic, txn, -1);
}

void gic_redistributor(struct gic *gic, struct txn *txn)
{
    uint64_t core = txn->addr / (2 * FRAME);

    if (core >= gic->config.cores) {
        txn->status = TXN_DECERR;
        txn->done_ps = txn->start_ps;
        return;
    }
    txn->addr %= 2 * FRAME;
    words(gic, txn, (int)core);
    txn->addr += core * 2 * FRAME;
}
