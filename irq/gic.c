#include "irq/gic.h"

#include <stdlib.h>
#include <string.h>

#include "irq/gic_internal.h"

struct gic *gic_create(const struct gic_config *config, const struct gic_output *output)
{
    struct gic *gic;

    if (config->cores == 0 || config->cores > 128 || config->spis % 32 || config->spis > 960)
        return NULL;
    gic = calloc(1, sizeof(*gic));
    if (!gic)
        return NULL;
    gic->config = *config;
    gic->output = *output;
    gic->mpidr = calloc(config->cores, sizeof(*gic->mpidr));
    gic->cores = calloc(config->cores, sizeof(*gic->cores));
    gic->spi = calloc(config->spis + 1, sizeof(*gic->spi));
    if (!gic->mpidr || !gic->cores || !gic->spi) {
        gic_destroy(gic);
        return NULL;
    }
    memcpy(gic->mpidr, config->mpidr, config->cores * sizeof(*gic->mpidr));
    for (unsigned core = 0; core < config->cores; core++) {
        gic->cores[core].waker = 6; /* ProcessorSleep, ChildrenAsleep */
        for (unsigned i = 0; i < 16; i++)
            gic->cores[core].own[i].edge = true; /* SGIs */
    }
    return gic;
}

void gic_destroy(struct gic *gic)
{
    if (!gic)
        return;
    free(gic->mpidr);
    free(gic->cores);
    free(gic->spi);
    free(gic);
}

struct interrupt *gic_interrupt(struct gic *gic, unsigned core, unsigned intid)
{
    if (intid < PRIVATE_INTERRUPTS)
        return core < gic->config.cores ? &gic->cores[core].own[intid] : NULL;
    return intid - PRIVATE_INTERRUPTS < gic->config.spis ? &gic->spi[intid - PRIVATE_INTERRUPTS] : NULL;
}

static bool asserted(const struct interrupt *interrupt)
{
    return interrupt->pending || (!interrupt->edge && interrupt->level);
}

static bool routed_to(const struct gic *gic, unsigned core, const struct interrupt *interrupt)
{
    const uint64_t ANY = 1ull << 31, AFFINITY = 0xFF00FFFFFFull;

    if (interrupt->route & ANY)
        return core == 0; /* 1 of N: the first core is always eligible here */
    return (interrupt->route & AFFINITY) == (gic->mpidr[core] & AFFINITY);
}

static uint8_t running_priority(const struct gic_core *own)
{
    return own->depth ? own->running[own->depth - 1] : IDLE_PRIORITY;
}

static void consider(const struct interrupt *interrupt, unsigned intid, unsigned *best, unsigned *best_priority)
{
    if (!interrupt->enabled || !interrupt->group1 || interrupt->active || !asserted(interrupt))
        return;
    if (interrupt->priority < *best_priority) {
        *best = intid;
        *best_priority = interrupt->priority;
    }
}

/* The interrupt that core would take now; SPURIOUS: none. */
static unsigned highest(const struct gic *gic, unsigned core)
{
    const struct gic_core *own = &gic->cores[core];
    unsigned best = SPURIOUS, priority = own->mask;

    if (!own->group1_enabled || !(gic->ctlr & 2))
        return SPURIOUS;
    if (running_priority(own) < priority)
        priority = running_priority(own);
    for (unsigned i = 0; i < PRIVATE_INTERRUPTS; i++)
        consider(&own->own[i], i, &best, &priority);
    for (unsigned i = 0; i < gic->config.spis; i++)
        if (gic->spi[i].enabled && routed_to(gic, core, &gic->spi[i]))
            consider(&gic->spi[i], i + PRIVATE_INTERRUPTS, &best, &priority);
    return best;
}

static void update_core(struct gic *gic, unsigned core, uint64_t at_ps)
{
    bool level = highest(gic, core) != SPURIOUS;

    if (level == gic->cores[core].output)
        return;
    gic->cores[core].output = level;
    gic->output.drive_irq(gic->output.ctx, core, level, at_ps + gic->config.deliver_ps);
}

void gic_update(struct gic *gic, uint64_t at_ps)
{
    for (unsigned core = 0; core < gic->config.cores; core++)
        update_core(gic, core, at_ps);
}

void gic_set(struct gic *gic, unsigned core, unsigned intid, bool level, uint64_t at_ps)
{
    struct interrupt *interrupt = gic_interrupt(gic, core, intid);

    if (!interrupt || interrupt->level == level)
        return;
    if (interrupt->edge && level)
        interrupt->pending = true;
    interrupt->level = level;
    if (intid < PRIVATE_INTERRUPTS)
        update_core(gic, core, at_ps);
    else
        gic_update(gic, at_ps);
}

/* ICC_* encodings: op0 = 3, op1 = 0. */
#define ICC(crn, crm, op2) (3 << 14 | (crn) << 7 | (crm) << 3 | (op2))
enum {
    ICC_PMR_EL1 = ICC(4, 6, 0),
    ICC_IAR1_EL1 = ICC(12, 12, 0),
    ICC_EOIR1_EL1 = ICC(12, 12, 1),
    ICC_HPPIR1_EL1 = ICC(12, 12, 2),
    ICC_BPR1_EL1 = ICC(12, 12, 3),
    ICC_CTLR_EL1 = ICC(12, 12, 4),
    ICC_SRE_EL1 = ICC(12, 12, 5),
    ICC_IGRPEN1_EL1 = ICC(12, 12, 7),
    ICC_DIR_EL1 = ICC(12, 11, 1),
    ICC_RPR_EL1 = ICC(12, 11, 3),
    ICC_SGI1R_EL1 = ICC(12, 11, 5),
    ICC_AP1R0_EL1 = ICC(12, 9, 0),
    /* Group 0, in which nothing is ever pending */
    ICC_IAR0_EL1 = ICC(12, 8, 0),
    ICC_EOIR0_EL1 = ICC(12, 8, 1),
    ICC_HPPIR0_EL1 = ICC(12, 8, 2),
    ICC_BPR0_EL1 = ICC(12, 8, 3),
    ICC_AP0R0_EL1 = ICC(12, 8, 4),
    ICC_IGRPEN0_EL1 = ICC(12, 12, 6),
};

static uint64_t acknowledge(struct gic *gic, unsigned core, uint64_t t_ps)
{
    struct gic_core *own = &gic->cores[core];
    unsigned intid = highest(gic, core);
    struct interrupt *interrupt = gic_interrupt(gic, core, intid);

    if (intid == SPURIOUS || own->depth == sizeof(own->running))
        return SPURIOUS;
    interrupt->active = true;
    interrupt->pending = false;
    own->running[own->depth++] = interrupt->priority;
    gic_update(gic, t_ps);
    return intid;
}

static void end_of_interrupt(struct gic *gic, unsigned core, uint64_t intid, bool drop, bool deactivate, uint64_t t_ps)
{
    struct gic_core *own = &gic->cores[core];
    struct interrupt *interrupt = intid < SPURIOUS ? gic_interrupt(gic, core, (unsigned)intid) : NULL;

    if (!interrupt)
        return;
    if (drop && own->depth)
        own->depth--;
    if (deactivate)
        interrupt->active = false;
    gic_update(gic, t_ps);
}

/* ICC_SGI1R_EL1: INTID 27:24, IRM 40, Aff3 55:48, Aff2 39:32, Aff1 23:16, target list of Aff0 15:0. */
static void generate_sgi(struct gic *gic, unsigned sender, uint64_t value, uint64_t t_ps)
{
    unsigned intid = value >> 24 & 15;

    for (unsigned core = 0; core < gic->config.cores; core++) {
        uint64_t mpidr = gic->mpidr[core];
        bool same = (mpidr >> 32 & 0xFF) == (value >> 48 & 0xFF) && (mpidr >> 16 & 0xFF) == (value >> 32 & 0xFF) &&
                    (mpidr >> 8 & 0xFF) == (value >> 16 & 0xFF) && (mpidr & 0xFF) < 16 && value >> (mpidr & 0xFF) & 1;
        if (value >> 40 & 1 ? core != sender : same)
            gic->cores[core].own[intid].pending = true;
    }
    gic_update(gic, t_ps);
}

bool gic_cpu_read(struct gic *gic, unsigned core, uint16_t encoding, uint64_t *value, uint64_t t_ps)
{
    const struct gic_core *own = &gic->cores[core];

    switch (encoding) {
    case ICC_PMR_EL1:
        *value = own->mask;
        return true;
    case ICC_IAR1_EL1:
        *value = acknowledge(gic, core, t_ps);
        return true;
    case ICC_HPPIR1_EL1:
        *value = highest(gic, core);
        return true;
    case ICC_BPR1_EL1:
        *value = own->bpr;
        return true;
    case ICC_CTLR_EL1:
        *value = own->ctlr | 4 << 8; /* PRIbits: 5 */
        return true;
    case ICC_SRE_EL1:
        *value = 7; /* the memory-mapped interface does not exist */
        return true;
    case ICC_IGRPEN1_EL1:
        *value = own->group1_enabled;
        return true;
    case ICC_RPR_EL1:
        *value = running_priority(own);
        return true;
    case ICC_AP1R0_EL1:
        *value = own->depth != 0;
        return true;
    case ICC_IAR0_EL1:
    case ICC_HPPIR0_EL1:
        *value = SPURIOUS;
        return true;
    case ICC_AP0R0_EL1:
        *value = 0;
        return true;
    case ICC_BPR0_EL1:
        *value = own->bpr0;
        return true;
    case ICC_IGRPEN0_EL1:
        *value = own->group0_enabled;
        return true;
    default:
        return false;
    }
}

bool gic_cpu_write(struct gic *gic, unsigned core, uint16_t encoding, uint64_t value, uint64_t t_ps)
{
    struct gic_core *own = &gic->cores[core];
    bool two_steps = own->ctlr & 2; /* EOImode */

    switch (encoding) {
    case ICC_PMR_EL1:
        own->mask = value & 0xF8;
        break;
    case ICC_EOIR1_EL1:
        end_of_interrupt(gic, core, value, true, !two_steps, t_ps);
        break;
    case ICC_DIR_EL1:
        end_of_interrupt(gic, core, value, false, two_steps, t_ps);
        break;
    case ICC_BPR1_EL1:
        own->bpr = value & 7;
        break;
    case ICC_CTLR_EL1:
        own->ctlr = value & 3;
        break;
    case ICC_SRE_EL1:
    case ICC_AP1R0_EL1:
    case ICC_AP0R0_EL1:
    case ICC_EOIR0_EL1:
        break;
    case ICC_BPR0_EL1:
        own->bpr0 = value & 7;
        break;
    case ICC_IGRPEN0_EL1:
        own->group0_enabled = value & 1;
        break;
    case ICC_IGRPEN1_EL1:
        own->group1_enabled = value & 1;
        break;
    case ICC_SGI1R_EL1:
        generate_sgi(gic, core, value, t_ps);
        break;
    default:
        return false;
    }
    update_core(gic, core, t_ps);
    return true;
}
