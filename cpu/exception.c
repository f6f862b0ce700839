/* Exception entry and return (DDI 0487 D1.3, D1.4). */
#include "cpu/core_internal.h"

/* Exceptions taken without an instruction between them before the core counts as stuck. */
#define EXCEPTION_LOOP 64u

uint32_t pstate_get(const struct cpu *cpu)
{
    const struct pstate *p = &cpu->pstate;

    return p->nzcv | p->daif | (uint32_t)p->pan << 22 | (uint32_t)p->ss << 21 | (uint32_t)p->il << 20 |
           (uint32_t)p->el << 2 | (p->el ? p->sp : 0);
}

/* The bank that x[31] stands for. */
static uint64_t *sp_bank(struct cpu *cpu)
{
    return &cpu->sys.sp[cpu->pstate.el && cpu->pstate.sp ? cpu->pstate.el : 0];
}

void pstate_set(struct cpu *cpu, uint32_t spsr)
{
    struct pstate *p = &cpu->pstate;
    uint8_t el = p->el, pan = p->pan;

    *sp_bank(cpu) = cpu->x[REG_SP];
    p->nzcv = spsr & 0xF0000000;
    p->daif = spsr & (0xF << 6);
    p->pan = spsr >> 22 & 1;
    p->ss = spsr >> 21 & 1;
    p->il = spsr >> 20 & 1;
    p->el = spsr >> 2 & 3;
    p->sp = spsr & 1;
    cpu->x[REG_SP] = *sp_bank(cpu);
    if (p->el != el || p->pan != pan) {
        l0_flush(cpu);
        fetch_flush(cpu);
    }
    cpu->attention = true;
}

static void notice_loop(struct cpu *cpu)
{
    if (cpu->counters.instructions == cpu->exception_instructions && cpu->exception_seen)
        cpu->exception_repeats++;
    else
        cpu->exception_repeats = 0;
    cpu->exception_instructions = cpu->counters.instructions;
    if (cpu->exception_repeats >= EXCEPTION_LOOP) {
        cpu->stuck = true;
        cpu->attention = true;
    }
}

/* Enter target EL through the vector at offset (0 synchronous, 0x80 IRQ, 0x100 FIQ). */
static void enter(struct cpu *cpu, unsigned target, uint64_t preferred, unsigned offset)
{
    uint32_t saved = pstate_get(cpu);
    uint32_t next = (saved & 0xF0000000) | 0xF << 6 | target << 2 | 1 | (saved & 1u << 22);
    uint64_t vector = cpu->sys.vbar[target] & ~0x7FFull;

    cpu_counters(cpu);
    notice_loop(cpu);
    if (target == 1 && !(cpu->sys.sctlr[1] >> 23 & 1)) /* SPAN */
        next |= 1u << 22;
    if (cpu->pstate.el < target)
        vector += 0x400;
    else if (cpu->pstate.sp)
        vector += 0x200;
    cpu->sys.elr[target] = preferred;
    cpu->sys.spsr[target] = saved;
    pstate_set(cpu, next);
    cpu->pc = vector + offset;
    cpu->exclusive_valid = false;
    cpu->counters.exceptions++;
    if (cpu->observer.exception)
        cpu->observer.exception(cpu->observer.ctx, cpu->config.index, cpu->pc, cpu->now_ps);
    timing_stall_cycles(cpu, cpu->config.exception_cycles, STACK_BRANCH);
}

static unsigned target_of(const struct cpu *cpu)
{
    return cpu->pstate.el == 2 ? 2 : 1;
}

static void take(struct cpu *cpu, unsigned target, enum exception_class ec, uint32_t iss, uint64_t preferred,
                 uint64_t far_value, bool far_valid)
{
    cpu->sys.esr[target] = (uint64_t)ec << 26 | 1u << 25 | iss;
    if (far_valid)
        cpu->sys.far_[target] = far_value;
    enter(cpu, target, preferred, 0);
    cpu->exception_seen = true;
    if (cpu->exception_repeats)
        return; /* of a chain of exceptions the first one tells the cause */
    cpu->last_esr = cpu->sys.esr[target];
    cpu->last_elr = preferred;
    cpu->last_far = far_valid ? far_value : 0;
}

void exception_sync(struct cpu *cpu, enum exception_class ec, uint32_t iss, uint64_t preferred, uint64_t far_value,
                    bool far_valid)
{
    take(cpu, target_of(cpu), ec, iss, preferred, far_value, far_valid);
}

void exception_hvc(struct cpu *cpu, uint32_t iss)
{
    if (cpu->has_el2 && cpu->pstate.el > 0)
        take(cpu, 2, EC_HVC64, iss, cpu->pc + 4, 0, false);
    else
        exception_undefined(cpu, cpu->pc);
}

void exception_fp(struct cpu *cpu)
{
    const uint32_t CV_ALWAYS = 0x1E00000;

    take(cpu, exception_fp_trapped_by_el1(cpu) ? 1 : 2, EC_FP, CV_ALWAYS, cpu->pc, 0, false);
}

void exception_undefined(struct cpu *cpu, uint64_t pc)
{
    exception_sync(cpu, EC_UNKNOWN, 0, pc, 0, false);
}

void exception_data_abort(struct cpu *cpu, uint64_t pc, uint64_t va, uint8_t fsc, bool write, bool cache_op)
{
    uint32_t iss = (fsc & FSC_MASK) | (write ? 1u << 6 : 0) | (cache_op ? 1u << 8 : 0);

    exception_sync(cpu, cpu->pstate.el == 0 ? EC_DABT_LOW : EC_DABT_CUR, iss, pc, va, true);
}

void exception_instruction_abort(struct cpu *cpu, uint64_t va, uint8_t fsc)
{
    exception_sync(cpu, cpu->pstate.el == 0 ? EC_IABT_LOW : EC_IABT_CUR, fsc & FSC_MASK, va, va, true);
}

bool exception_take_interrupt(struct cpu *cpu)
{
    const uint32_t MASK_I = 1 << 7, MASK_F = 1 << 6;

    if (cpu->fiq_line && !(cpu->pstate.daif & MASK_F))
        enter(cpu, target_of(cpu), cpu->pc, 0x100);
    else if (cpu->irq_line && !(cpu->pstate.daif & MASK_I))
        enter(cpu, target_of(cpu), cpu->pc, 0x80);
    else
        return false;
    return true;
}

/* A return to a higher level, to AArch32, to EL1 with a reserved mode: PSTATE.IL is set instead (D1.4.5). */
static bool legal_return(const struct cpu *cpu, uint32_t spsr)
{
    unsigned el = spsr >> 2 & 3;

    if ((spsr >> 4 & 1) || (spsr & 2) || el > cpu->pstate.el)
        return false;
    return el != 0 || !(spsr & 1);
}

void exception_return(struct cpu *cpu, uint64_t pc)
{
    const uint32_t SS = 1u << 21;                                       /* stays clear: there is no software step */
    const uint32_t ALWAYS_RESTORED = 0xFu << 28 | 1u << 22 | 0xFu << 6; /* NZCV, PAN, DAIF: also by an illegal return */
    unsigned el = cpu->pstate.el;
    uint32_t spsr = (uint32_t)cpu->sys.spsr[el] & ~SS;
    uint64_t target = cpu->sys.elr[el];

    cpu->bus.monitor_clear(cpu->bus.ctx);
    if (legal_return(cpu, spsr))
        pstate_set(cpu, spsr);
    else
        pstate_set(cpu, (pstate_get(cpu) & ~ALWAYS_RESTORED) | (spsr & ALWAYS_RESTORED) | 1u << 20);
    cpu->pc = target;
    timing_stall_cycles(cpu, cpu->config.exception_cycles, STACK_BRANCH);
    if (cpu->pstate.il)
        exception_sync(cpu, EC_ILLEGAL_STATE, 0, target, 0, false);
}
