#include "cpu/timing.h"

#include <stdlib.h>

const char *const cpu_stack_part_names[STACK_PARTS] = {
    [STACK_COMPUTE] = "compute",       [STACK_BRANCH] = "branch",     [STACK_FETCH] = "fetch",
    [STACK_CACHE_MISS] = "cache_miss", [STACK_DC_ISSUE] = "dc_issue", [STACK_DSB_WAIT] = "dsb_wait",
    [STACK_ATOMIC] = "atomic",         [STACK_MMIO] = "mmio",         [STACK_IDLE] = "idle",
};

static void check(struct error_list *errors, const char *key, uint64_t value, uint64_t least, uint64_t most)
{
    if (value < least || value > most)
        error_add(errors, NULL, "%s is %llu; %llu to %llu are possible", key, (unsigned long long)value,
                  (unsigned long long)least, (unsigned long long)most);
}

bool timing_create(struct cpu *cpu, struct error_list *errors)
{
    const struct cpu_config *config = &cpu->config;
    size_t before = errors->count;

    check(errors, "cpu.freq_hz", config->freq_hz, 1000000, 10000000000ull);
    check(errors, "cpu.cntfrq_hz", config->cntfrq_hz, 1000, 10000000000ull);
    check(errors, "cpu.width", config->width, 1, 16);
    check(errors, "cpu.window", config->window, 1, WINDOW_MOST - 1);
    check(errors, "cpu.store_buffer", config->store_buffer, 1, STORE_BUFFER_MOST);
    check(errors, "cpu.mshrs", config->mshrs, 1, MSHRS_MOST);
    check(errors, "cpu.device_writes", config->device_writes, 1, DEVICE_WRITES_MOST);
    cpu->timing = calloc(1, sizeof(*cpu->timing));
    return cpu->timing && errors->count == before;
}

void timing_destroy(struct cpu *cpu)
{
    free(cpu->timing);
}

/* Single precision takes the same part of a double's division and root as 32 bits do of 64. */
static void set_simd_latencies(struct timing *timing, const struct cpu_config *config)
{
    const uint32_t cycles[LATENCY_CLASSES] = {
        [LATENCY_SIMD] = config->simd_alu_cycles,         [LATENCY_MUL] = config->simd_mul_cycles,
        [LATENCY_MOVE] = config->simd_move_cycles,        [LATENCY_FP_ADD] = config->fp_add_cycles,
        [LATENCY_FP_MUL] = config->fp_mul_cycles,         [LATENCY_FP_FMA] = config->fp_fma_cycles,
        [LATENCY_FP_DIV] = config->fp_div_cycles,         [LATENCY_FP_SQRT] = config->fp_sqrt_cycles,
        [LATENCY_FP_CONVERT] = config->fp_convert_cycles,
    };

    for (unsigned i = 0; i < LATENCY_CLASSES; i++)
        timing->simd[i] = cycles[i] * timing->cycle;
    timing->simd[LATENCY_FP_DIV_SINGLE] = timing->simd[LATENCY_FP_DIV] * 5 / 8;
    timing->simd[LATENCY_FP_SQRT_SINGLE] = timing->simd[LATENCY_FP_SQRT] * 5 / 8;
}

void timing_reset(struct cpu *cpu, uint64_t t_ps)
{
    const struct cpu_config *config = &cpu->config;
    struct timing *timing = cpu->timing;
    uint64_t start = ps_to_ticks(t_ps);

    *timing = (struct timing){0};
    timing->cycle = (uint64_t)(((__uint128_t)PS_PER_S * TICKS_PER_PS + config->freq_hz / 2) / config->freq_hz);
    timing->slot = timing->cycle / config->width;
    timing->l1 = ps_to_ticks(config->l1_ps);
    timing->mul = config->mul_cycles * timing->cycle;
    timing->div64 = config->div_cycles * timing->cycle;
    timing->div32 = timing->div64 * 5 / 8;
    set_simd_latencies(timing, config);
    timing->mispredict = config->mispredict_cycles * timing->cycle;
    timing->window = config->window;
    timing->store_buffer = config->store_buffer;
    timing->mshrs = config->mshrs;
    timing->dispatch = timing->retire = start;
    cpu->now_ps = t_ps;
    cpu->run_limit_ps = t_ps;
    timing->run_limit = start;
}

void timing_tell_wait(const struct cpu *cpu, enum cpu_stack_part part, uint64_t from, uint64_t to)
{
    cpu->observer.waited(cpu->observer.ctx, cpu->config.index, part, ticks_to_ps(from), ticks_to_ps(to));
}

uint64_t timing_mshr_start(struct timing *timing, uint64_t start)
{
    uint64_t free_at = timing->mshr_ring[timing->mshr_next];

    return start > free_at ? start : free_at;
}

void timing_mshr_done(struct timing *timing, uint64_t done)
{
    timing->mshr_ring[timing->mshr_next] = done;
    timing->mshr_next = timing->mshr_next + 1 == timing->mshrs ? 0 : timing->mshr_next + 1;
}

void timing_store(struct timing *timing, uint64_t start, uint64_t writable)
{
    uint64_t entry_free = timing->store_ring[timing->store_next];
    uint64_t write = timing->last_store + timing->cycle;

    if (entry_free > timing->dispatch)
        timing->dispatch = entry_free;
    if (write < start)
        write = start;
    if (write < writable)
        write = writable;
    timing->last_store = write;
    timing->store_ring[timing->store_next] = write;
    timing->store_next = timing->store_next + 1 == timing->store_buffer ? 0 : timing->store_next + 1;
}

void timing_sync(struct cpu *cpu, uint64_t t_ps)
{
    uint64_t limit_ps = cpu->bus.sync(cpu->bus.ctx, t_ps);

    if (limit_ps > cpu->timer_deadline_ps)
        limit_ps = cpu->timer_deadline_ps;
    cpu->run_limit_ps = limit_ps;
    cpu->timing->run_limit = limit_ps > UINT64_MAX / TICKS_PER_PS ? UINT64_MAX : ps_to_ticks(limit_ps);
}

void timing_fetched(struct cpu *cpu, uint64_t t_ps)
{
    struct timing *timing = cpu->timing;
    uint64_t t = ps_to_ticks(t_ps);

    if (t <= timing->dispatch)
        return;
    timing->dispatch = t;
    timing_retire_at(cpu, timing, t, STACK_FETCH);
    cpu->now_ps = ticks_to_ps(timing->retire);
}

void timing_stall_until(struct cpu *cpu, uint64_t t_ps, enum cpu_stack_part part)
{
    struct timing *timing = cpu->timing;

    timing_retire_at(cpu, timing, ps_to_ticks(t_ps), part);
    if (timing->dispatch < timing->retire)
        timing->dispatch = timing->retire;
    cpu->now_ps = ticks_to_ps(timing->retire);
}

void timing_stall_cycles(struct cpu *cpu, uint64_t cycles, enum cpu_stack_part part)
{
    struct timing *timing = cpu->timing;

    timing_retire_at(cpu, timing, timing->retire + cycles * timing->cycle, part);
    if (timing->dispatch < timing->retire)
        timing->dispatch = timing->retire;
    cpu->now_ps = ticks_to_ps(timing->retire);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* CRm<1:0> of a barrier: which accesses it is about. */
enum { BARRIER_LOADS = 1, BARRIER_STORES = 2, BARRIER_FULL = 3 };

static unsigned barrier_type(unsigned domain_type)
{
    unsigned type = domain_type & 3;

    return type == 0 ? BARRIER_FULL : type; /* reserved values act as SY */
}

static void tell_observer(struct cpu *cpu, unsigned type)
{
    if (cpu->bus.barrier && type != BARRIER_LOADS)
        cpu->bus.barrier(cpu->bus.ctx, type == BARRIER_FULL ? BARRIER_ORDERS_ALL : BARRIER_ORDERS_STORES);
}

static bool barrier_is_local(unsigned domain_type)
{
    return domain_type >> 2 == 1; /* NSH */
}

void timing_dsb(struct cpu *cpu, unsigned domain_type, bool nxs)
{
    struct timing *timing = cpu->timing;
    unsigned type = barrier_type(domain_type);
    uint64_t t = timing->retire;
    uint64_t t_ps;

    cpu->counters.dsbs++;
    if (type != BARRIER_STORES)
        t = later(t, timing->last_load);
    if (type != BARRIER_LOADS)
        t = later(t, later(timing->last_store, timing->device_acked));
    t_ps = ticks_to_ps(t);
    if (type == BARRIER_FULL) {
        t_ps = cpu->bus.cmo_drain(cpu->bus.ctx, t_ps);
        if (!barrier_is_local(domain_type) && !nxs) /* no TLBI with the nXS qualifier exists here */
            t_ps = later(t_ps, cpu->tlbi_done_ps);
        t_ps += cpu->config.dsb_restart_ps;
    }
    timing_sync(cpu, t_ps);
    timing_stall_until(cpu, t_ps, STACK_DSB_WAIT);
    tell_observer(cpu, type);
}

void timing_dmb(struct cpu *cpu, unsigned domain_type)
{
    struct timing *timing = cpu->timing;
    uint64_t cmos = 0;

    cpu->counters.dmbs++;
    if (cpu->config.total_store_order && barrier_type(domain_type) != BARRIER_FULL) {
        tell_observer(cpu, barrier_type(domain_type));
        return;
    }
    switch (barrier_type(domain_type)) {
    case BARRIER_LOADS:
        timing->load_floor = later(timing->load_floor, timing->last_load);
        timing->store_floor = later(timing->store_floor, timing->last_load);
        break;
    case BARRIER_STORES:
        timing->store_floor = later(timing->store_floor, later(timing->last_store, timing->device_next));
        break;
    default:
        cmos = ps_to_ticks(cpu->bus.cmo_drain(cpu->bus.ctx, 0)); /* address-based CMOs are ordered too (D7.5.9.15) */
        timing->store_floor = later(later(timing->store_floor, cmos), later(timing->last_load, timing->last_store));
        timing->load_floor = later(timing->load_floor, timing->store_floor);
        break;
    }
    tell_observer(cpu, barrier_type(domain_type));
}
