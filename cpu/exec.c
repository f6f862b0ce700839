/* System instructions, and what the interpreter does between blocks. */
#include "cpu/exec.h"

#include "cpu/icache.h"
#include "cpu/lsu.h"
#include "cpu/timing.h"

bool exec_attention(struct cpu *cpu, enum cpu_stop *stop)
{
    cpu->attention = false;
    if (cpu->single_step) {
        *stop = CPU_STOP_REQUESTED;
        cpu->attention = true;
        if (cpu->step_begun)
            return true;
        cpu->step_begun = true;
        return false;
    }
    if (cpu->stuck) {
        *stop = CPU_STOP_STUCK;
        return true;
    }
    if (cpu->now_ps >= cpu->timer_deadline_ps)
        timer_update(cpu, cpu->now_ps);
    if (cpu->now_ps >= cpu->run_limit_ps)
        timing_sync(cpu, cpu->now_ps);
    if (cpu->stop_requested) {
        *stop = CPU_STOP_REQUESTED;
        return true;
    }
    if (cpu->timing->count >= cpu->instruction_stop) {
        *stop = CPU_STOP_INSTRUCTION_LIMIT;
        return true;
    }
    if (cpu->irq_line || cpu->fiq_line)
        exception_take_interrupt(cpu);
    return false;
}

struct decoded_line *exec_fetch(struct cpu *cpu)
{
    if (cpu->pc & 3) {
        exception_sync(cpu, EC_PC_ALIGN, 0, cpu->pc, cpu->pc, true);
        return NULL;
    }
    return cpu->single_step ? icache_step_line(cpu, cpu->pc) : icache_line(cpu, cpu->pc);
}

static uint64_t sctlr(const struct cpu *cpu)
{
    return cpu->sys.sctlr[cpu->pstate.el == 2 ? 2 : 1];
}

bool exec_sp_checked(const struct cpu *cpu)
{
    return sctlr(cpu) >> (cpu->pstate.el == 0 ? 4 : 3) & 1; /* SA0, SA */
}

/* The firmware below takes the call; its entry and return cost what exceptions cost. */
static bool firmware_call(struct cpu *cpu, enum cpu_conduit conduit)
{
    if (cpu->firmware.conduit != conduit || cpu->pstate.el == 0)
        return false;
    timing_stall_cycles(cpu, 2 * cpu->config.exception_cycles, STACK_BRANCH);
    timing_sync(cpu, cpu->now_ps);
    cpu->pc += 4;
    cpu->firmware.call(cpu->firmware.ctx, cpu);
    cpu->attention = true;
    return true;
}

void exec_exception(struct cpu *cpu, const struct insn *insn)
{
    uint32_t iss = (uint32_t)insn->imm;

    switch (insn->op) {
    case INSN_SVC:
        exception_sync(cpu, EC_SVC64, iss, cpu->pc + 4, 0, false);
        break;
    case INSN_HVC:
        if (!firmware_call(cpu, CPU_CONDUIT_HVC))
            exception_hvc(cpu, iss);
        break;
    case INSN_BRK:
        exception_sync(cpu, EC_BRK64, iss, cpu->pc, 0, false);
        break;
    default: /* SMC without EL3 */
        if (!firmware_call(cpu, CPU_CONDUIT_SMC))
            exception_undefined(cpu, cpu->pc);
        break;
    }
}

void exec_eret(struct cpu *cpu, uint64_t pc)
{
    if (cpu->pstate.el == 0) {
        exception_undefined(cpu, pc);
        return;
    }
    cpu->exclusive_valid = false;
    cpu->event_register = true;
    exception_return(cpu, pc);
    cpu->attention = true;
}

bool exec_hlt(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    const int64_t SEMIHOSTING = 0xF000;

    if (insn->imm != SEMIHOSTING || !cpu->config.semihosting || !cpu->semihost.call) {
        exception_undefined(cpu, cpu->pc);
        return false;
    }
    timing_sync(cpu, cpu->now_ps);
    cpu->x[0] = cpu->semihost.call(cpu->semihost.ctx, cpu, (uint32_t)cpu->x[0], cpu->x[1]);
    return true;
}

/* WFE and WFI at EL0 trap to EL1 unless SCTLR_EL1.nTWE/nTWI allow them. */
static bool sleep_allowed(struct cpu *cpu, unsigned sctlr_bit, uint32_t iss)
{
    if (cpu->pstate.el > 0 || cpu->sys.sctlr[1] >> sctlr_bit & 1)
        return true;
    exception_sync(cpu, EC_WFX, 0x1E00000 | iss, cpu->pc, 0, false);
    return false;
}

/* Sleeps until something wakes the core, at most until until_ps. */
static void sleep_until(struct cpu *cpu, uint64_t until_ps)
{
    uint64_t t_ps = cpu->now_ps;

    if (until_ps > cpu->timer_deadline_ps)
        until_ps = cpu->timer_deadline_ps;
    cpu->sleeping = true;
    t_ps = cpu->bus.sleep(cpu->bus.ctx, t_ps, until_ps);
    cpu->sleeping = false;
    if (t_ps == NEVER_PS) {
        cpu->stuck = true;
        cpu->attention = true;
        return;
    }
    if (t_ps > cpu->now_ps)
        timing_stall_until(cpu, t_ps + cpu->config.wfe_wake_ps, STACK_IDLE);
    timer_update(cpu, cpu->now_ps);
    timing_sync(cpu, cpu->now_ps);
    cpu->attention = true;
}

bool exec_wfe(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    uint64_t stream_ps;

    cpu->counters.wfes++;
    timing_sync(cpu, cpu->now_ps);
    if (cpu->event_register) {
        cpu->event_register = false;
        return true;
    }
    if (!sleep_allowed(cpu, 18, 1))
        return false;
    cpu->sleeping_for_event = true;
    stream_ps = timer_event_stream_next(cpu, cpu->now_ps);
    sleep_until(cpu, stream_ps);
    cpu->sleeping_for_event = false;
    cpu->event_register = false;
    return true;
}

bool exec_wfi(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    timing_sync(cpu, cpu->now_ps);
    if (!sleep_allowed(cpu, 16, 0))
        return false;
    while (!cpu->irq_line && !cpu->fiq_line && !cpu->stop_requested && !cpu->stuck)
        sleep_until(cpu, NEVER_PS);
    return true;
}

bool exec_sev(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    cpu->event_register = true;
    timing_sync(cpu, cpu->now_ps);
    cpu->bus.broadcast(cpu->bus.ctx, BROADCAST_SEV, NULL, cpu->now_ps);
    return true;
}

bool exec_sevl(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    cpu->event_register = true;
    return true;
}

bool exec_dsb(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    timing_dsb(cpu, insn->b, insn->a);
    return true;
}

bool exec_dmb(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    timing_dmb(cpu, insn->b);
    return true;
}

bool exec_isb(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    cpu->counters.isbs++;
    timing_stall_cycles(cpu, cpu->config.isb_cycles, STACK_COMPUTE);
    return true;
}

bool exec_clrex(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    cpu->exclusive_valid = false;
    cpu->bus.monitor_clear(cpu->bus.ctx);
    return true;
}

/* ISS of a trapped MSR, MRS or SYS (EC 0x18). */
static uint32_t trap_iss(const struct insn *insn, bool read)
{
    uint32_t encoding = (uint32_t)insn->imm;
    uint32_t op0 = insn_operation(insn) == INSN_SYS ? 1 : encoding >> 14 & 3;
    uint32_t rt = insn->rd >= REG_ZERO ? 31 : insn->rd;

    return op0 << 20 | (encoding & 7) << 17 | (encoding >> 11 & 7) << 14 | (encoding >> 7 & 15) << 10 | rt << 5 |
           (encoding >> 3 & 15) << 1 | read;
}

static bool system_outcome(struct cpu *cpu, const struct insn *insn, enum sysreg_result result, bool read)
{
    if (result == SYSREG_OK)
        return true;
    if (result == SYSREG_TRAP)
        exception_sync(cpu, EC_SYSREG, trap_iss(insn, read), cpu->pc, 0, false);
    else if (result == SYSREG_TRAP_FP)
        exception_fp(cpu);
    else
        exception_undefined(cpu, cpu->pc);
    return false;
}

bool exec_mrs(struct cpu *cpu, const struct insn *insn)
{
    uint64_t value = 0;

    if (!system_outcome(cpu, insn, sysreg_read(cpu, (uint16_t)insn->imm, &value), true))
        return false;
    cpu->x[insn->rd] = value;
    return true;
}

bool exec_msr(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    cpu->attention = true;
    return system_outcome(cpu, insn, sysreg_write(cpu, (uint16_t)insn->imm, cpu->x[insn->rd]), false);
}

bool exec_msr_immediate(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    cpu->attention = true;
    return system_outcome(cpu, insn, sysreg_write_immediate(cpu, insn->a >> 3, insn->a & 7, insn->b), false);
}

bool exec_sys(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    bool cache_op = false;
    enum sysreg_result result = sysreg_sys(cpu, (uint16_t)insn->imm, cpu->x[insn->rd], &cache_op);

    if (!system_outcome(cpu, insn, result, false))
        return false;
    return !cache_op || lsu_cache_op(cpu, cpu->pc, (uint16_t)insn->imm, cpu->x[insn->rd], start);
}
