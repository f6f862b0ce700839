#include "cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/exec.h"
#include "cpu/icache.h"
#include "cpu/lsu.h"
#include "cpu/predictor.h"
#include "cpu/timing.h"

static bool predictor_create(struct cpu *cpu, struct error_list *errors)
{
    uint32_t counters = cpu->config.branch_predictor;

    if (counters < BRANCH_LEAST || counters > BRANCH_MOST || (counters & (counters - 1))) {
        error_add(errors, NULL, "cpu.branch_predictor is %u; it must be a power of two from %u to %u", counters,
                  BRANCH_LEAST, BRANCH_MOST);
        return false;
    }
    if (cpu->config.indirect_predictor > INDIRECT_MOST) {
        error_add(errors, NULL, "cpu.indirect_predictor is %u; 0 to %u are possible", cpu->config.indirect_predictor,
                  INDIRECT_MOST);
        return false;
    }
    cpu->predictor = calloc(1, sizeof(*cpu->predictor));
    if (!cpu->predictor)
        return false;
    cpu->predictor->counters = calloc(counters, 1);
    return cpu->predictor->counters != NULL;
}

static void predictor_destroy(struct cpu *cpu)
{
    if (cpu->predictor)
        free(cpu->predictor->counters);
    free(cpu->predictor);
}

static void predictor_reset(struct cpu *cpu)
{
    uint32_t counters = cpu->config.branch_predictor;
    uint8_t *memory = cpu->predictor->counters;

    memset(memory, 0, counters);
    *cpu->predictor = (struct predictor){.counters = memory,
                                         .branch_mask = counters - 1,
                                         .history_shift = (uint32_t)__builtin_ctz(counters / BRANCH_LEAST),
                                         .indirect_entries = cpu->config.indirect_predictor};
}

struct cpu *cpu_create(const struct cpu_config *config, const struct core_bus *bus, const struct cpu_semihost *semihost,
                       struct error_list *errors)
{
    struct cpu *cpu = calloc(1, sizeof(*cpu));
    bool fine;

    if (!cpu)
        return NULL;
    cpu->config = *config;
    cpu->bus = *bus;
    if (semihost)
        cpu->semihost = *semihost;
    fine = timing_create(cpu, errors);
    fine &= lsu_create(cpu);
    fine &= icache_create(cpu, errors);
    fine &= mmu_create(cpu, errors);
    fine &= predictor_create(cpu, errors);
    if (!fine) {
        cpu_destroy(cpu);
        return NULL;
    }
    cpu_reset(cpu, 0, 0, 1);
    return cpu;
}

void cpu_destroy(struct cpu *cpu)
{
    if (!cpu)
        return;
    timing_destroy(cpu);
    lsu_destroy(cpu);
    icache_destroy(cpu);
    mmu_destroy(cpu);
    predictor_destroy(cpu);
    free(cpu);
}

static void line_lost(void *ctx, uint32_t way)
{
    lsu_line_lost(ctx, way);
}

static void monitor_cleared(void *ctx, uint64_t at_ps)
{
    struct cpu *cpu = ctx;

    cpu->exclusive_valid = false;
    cpu_send_event(cpu, at_ps);
}

static void invalidate_instructions(void *ctx, uint64_t pa, bool all)
{
    icache_invalidate(ctx, pa, all);
}

struct core_bus_client cpu_bus_client(struct cpu *cpu)
{
    return (struct core_bus_client){cpu, line_lost, monitor_cleared, invalidate_instructions};
}

void cpu_attach_firmware(struct cpu *cpu, const struct cpu_firmware *firmware)
{
    cpu->firmware = *firmware;
}

/* What the architecture resets, and what the simulator derives from it. */
static void reset_state(struct cpu *cpu, uint64_t pc, uint64_t x0, unsigned el)
{
    memset(cpu->x, 0, sizeof(cpu->x));
    memset(cpu->v, 0, sizeof(cpu->v));
    cpu->x[0] = x0;
    cpu->pc = pc;
    cpu->pstate = (struct pstate){.daif = 0xF << 6, .el = (uint8_t)el, .sp = 1};
    cpu->has_el2 = el == 2;
    cpu->irq_line = cpu->fiq_line = cpu->event_register = cpu->sleeping = cpu->stop_requested = cpu->stuck = false;
    cpu->exclusive_valid = cpu->exception_seen = false;
    cpu->exception_repeats = 0;
    cpu->tlbi_done_ps = 0;
    cpu->timer_deadline_ps = NEVER_PS;
    predictor_reset(cpu);
    sysreg_reset(cpu);
    mmu_reset(cpu);
    l0_flush(cpu);
    icache_invalidate(cpu, 0, true);
}

void cpu_reset(struct cpu *cpu, uint64_t pc, uint64_t x0, unsigned el)
{
    reset_state(cpu, pc, x0, el);
    cpu->instruction_stop = cpu->config.instruction_limit ? cpu->config.instruction_limit : UINT64_MAX;
    memset(&cpu->counters, 0, sizeof(cpu->counters));
    memset(cpu->stack_ps, 0, sizeof(cpu->stack_ps));
    timing_reset(cpu, 0);
}

void cpu_restart(struct cpu *cpu, uint64_t pc, uint64_t x0, unsigned el, uint64_t t_ps)
{
    reset_state(cpu, pc, x0, el);
    timing_stall_until(cpu, t_ps, STACK_IDLE);
}

void cpu_start_at(struct cpu *cpu, uint64_t t_ps)
{
    timing_reset(cpu, t_ps);
    cpu->start_ps = t_ps;
}

enum cpu_stop cpu_run(struct cpu *cpu)
{
    cpu->stop_requested = false;
    return cpu->config.functional_only ? exec_run_functional(cpu) : exec_run_timed(cpu);
}

void cpu_step(struct cpu *cpu)
{
    cpu->stop_requested = false;
    cpu->single_step = true;
    cpu->step_begun = false;
    fetch_flush(cpu);
    if (cpu->config.functional_only)
        exec_run_functional(cpu);
    else
        exec_run_timed(cpu);
    cpu->single_step = false;
}

void cpu_request_stop(struct cpu *cpu)
{
    cpu->stop_requested = true;
    cpu->attention = true;
}

void cpu_sync_soon(struct cpu *cpu)
{
    cpu->run_limit_ps = 0;
    cpu->attention = true;
}

void cpu_set_irq(struct cpu *cpu, bool level)
{
    cpu->irq_line = level;
    cpu->attention = true;
}

void cpu_set_fiq(struct cpu *cpu, bool level)
{
    cpu->fiq_line = level;
    cpu->attention = true;
}

void cpu_send_event(struct cpu *cpu, uint64_t at_ps)
{
    cpu->event_register = true;
    if (cpu->sleeping && cpu->bus.wake)
        cpu->bus.wake(cpu->bus.ctx, at_ps);
}

void cpu_remote_tlbi(struct cpu *cpu, const struct tlbi_request *tlbi)
{
    mmu_tlbi(cpu, tlbi);
}

bool cpu_wants_wake(const struct cpu *cpu, uint64_t now_ps)
{
    return cpu->irq_line || cpu->fiq_line || cpu->stop_requested || cpu->timer_deadline_ps <= now_ps ||
           (cpu->sleeping_for_event && cpu->event_register);
}

uint64_t cpu_timer_deadline(const struct cpu *cpu)
{
    return cpu->timer_deadline_ps;
}

uint64_t cpu_now_ps(const struct cpu *cpu)
{
    return cpu->now_ps;
}

uint64_t cpu_pc(const struct cpu *cpu)
{
    return cpu->pc;
}

uint64_t cpu_x(const struct cpu *cpu, unsigned n)
{
    return n <= REG_SP ? cpu->x[n] : 0;
}

void cpu_set_x(struct cpu *cpu, unsigned n, uint64_t value)
{
    if (n <= REG_SP)
        cpu->x[n] = value;
}

uint32_t cpu_pstate(const struct cpu *cpu)
{
    return pstate_get(cpu);
}

void cpu_set_pstate(struct cpu *cpu, uint32_t spsr)
{
    pstate_set(cpu, spsr);
}

void cpu_set_pc(struct cpu *cpu, uint64_t pc)
{
    cpu->pc = pc;
}

const struct cpu_counters *cpu_counters(struct cpu *cpu)
{
    cpu->counters.instructions = cpu->timing->count;
    return &cpu->counters;
}

void cpu_stack(const struct cpu *cpu, uint64_t parts_ps[STACK_PARTS])
{
    uint64_t rest = cpu->timing->retire - ps_to_ticks(cpu->start_ps);

    for (unsigned part = 0; part < STACK_PARTS; part++) {
        if (part == STACK_COMPUTE)
            continue;
        parts_ps[part] = cpu->stack_ps[part] / TICKS_PER_PS;
        rest -= cpu->stack_ps[part];
    }
    parts_ps[STACK_COMPUTE] = rest / TICKS_PER_PS;
}

void cpu_observe(struct cpu *cpu, const struct cpu_observer *observer)
{
    cpu->observer = *observer;
}

bool cpu_last_exception(const struct cpu *cpu, uint64_t *esr, uint64_t *elr, uint64_t *far)
{
    *esr = cpu->last_esr;
    *elr = cpu->last_elr;
    *far = cpu->last_far;
    return cpu->exception_seen;
}

/* Calls the bus for each piece of a page. */
static bool debug_access(struct cpu *cpu, uint64_t va, uint8_t *data, uint64_t bytes, bool write)
{
    while (bytes) {
        uint64_t room = 4096 - (va & 4095), part = bytes < room ? bytes : room, pa;
        if (!mmu_debug_translate(cpu, va, &pa) || !cpu->bus.debug ||
            !cpu->bus.debug(cpu->bus.ctx, pa, data, part, write))
            return false;
        va += part;
        data += part;
        bytes -= part;
    }
    return true;
}

bool cpu_debug_read(struct cpu *cpu, uint64_t va, void *data, uint64_t bytes)
{
    return debug_access(cpu, va, data, bytes, false);
}

bool cpu_debug_write(struct cpu *cpu, uint64_t va, const void *data, uint64_t bytes)
{
    return debug_access(cpu, va, (uint8_t *)(uintptr_t)data, bytes, true);
}
