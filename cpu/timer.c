/* The generic timer (DDI 0487 D11): physical and virtual timer of EL1, event stream. */
#include "cpu/core_internal.h"

enum { CTL_ENABLE = 1, CTL_IMASK = 2 };
enum { PPI_VIRTUAL = 27, PPI_PHYSICAL = 30 };

uint64_t timer_count(const struct cpu *cpu, uint64_t t_ps)
{
    return (uint64_t)((unsigned __int128)t_ps * cpu->config.cntfrq_hz / PS_PER_S);
}

/* The first moment at which the count is at least value. */
static uint64_t time_of_count(const struct cpu *cpu, uint64_t value)
{
    unsigned __int128 t = ((unsigned __int128)value * PS_PER_S + cpu->config.cntfrq_hz - 1) / cpu->config.cntfrq_hz;

    return t >= NEVER_PS ? NEVER_PS : (uint64_t)t;
}

/* Sets one PPI line; returns when the condition will become true by itself. Counts wrap: the offset may be "negative".
 */
static uint64_t update_one(struct cpu *cpu, uint64_t t_ps, unsigned intid, uint64_t ctl, uint64_t cval, uint64_t offset)
{
    uint64_t physical = timer_count(cpu, t_ps), count = physical - offset;
    bool met = count >= cval, level = (ctl & CTL_ENABLE) && !(ctl & CTL_IMASK) && met;
    uint64_t at_ps = t_ps;

    if (level) { /* it rose by itself since the last look, or by the write that asks for this one */
        at_ps = time_of_count(cpu, cval + offset);
        if (at_ps < cpu->timer_checked_ps)
            at_ps = cpu->timer_checked_ps;
        if (at_ps > t_ps)
            at_ps = t_ps;
    }
    cpu->bus.set_ppi(cpu->bus.ctx, intid, level, at_ps);
    if (!(ctl & CTL_ENABLE) || (ctl & CTL_IMASK) || met)
        return NEVER_PS;
    return physical + (cval - count) < physical ? NEVER_PS : time_of_count(cpu, physical + (cval - count));
}

void timer_update(struct cpu *cpu, uint64_t t_ps)
{
    uint64_t physical, virtual_;

    physical = update_one(cpu, t_ps, PPI_PHYSICAL, cpu->sys.cntp_ctl, cpu->sys.cntp_cval, 0);
    virtual_ = update_one(cpu, t_ps, PPI_VIRTUAL, cpu->sys.cntv_ctl, cpu->sys.cntv_cval, cpu->sys.cntvoff);
    cpu->timer_checked_ps = t_ps;
    cpu->timer_deadline_ps = physical < virtual_ ? physical : virtual_;
    cpu_sync_soon(cpu); /* the new limit respects the deadline */
}

uint64_t timer_event_stream_next(const struct cpu *cpu, uint64_t t_ps)
{
    enum { EVNTEN = 1 << 2, EVNTDIR = 1 << 3 };
    unsigned bit = (unsigned)(cpu->sys.cntkctl >> 4) & 15;
    uint64_t count = timer_count(cpu, t_ps) - cpu->sys.cntvoff;
    uint64_t period = 2ull << bit, half = 1ull << bit;
    uint64_t phase = cpu->sys.cntkctl & EVNTDIR ? 0 : half; /* EVNTDIR: 0 to 1 is 0, 1 to 0 is 1 */
    uint64_t next = (count & ~(period - 1)) + phase;

    if (!(cpu->sys.cntkctl & EVNTEN))
        return NEVER_PS;
    while (next <= count)
        next += period;
    return time_of_count(cpu, next + cpu->sys.cntvoff);
}
