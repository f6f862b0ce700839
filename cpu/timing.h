/*
 * The scoreboard: when each instruction is dispatched, starts, is done and retires. All times in ticks
 * (core_internal.h).
 *
 * dispatch advances by one issue slot an instruction, no further than the retirement of the instruction `window`
 * before. An instruction starts when it is dispatched and its sources are ready; retirement is in order.
 */
#ifndef DMASIM_CPU_TIMING_H
#define DMASIM_CPU_TIMING_H

#include "cpu/core_internal.h"

#define WINDOW_MOST        1024u
#define STORE_BUFFER_MOST  256u
#define MSHRS_MOST         256u
#define DEVICE_WRITES_MOST 64u

struct timing {
    uint64_t count; /* instructions dispatched */
    uint64_t dispatch;
    uint64_t retire;

    uint64_t slot; /* cycle / width */
    uint64_t cycle;
    uint64_t l1; /* load-to-use */
    uint64_t mul, div32, div64, mispredict;
    uint64_t simd[LATENCY_CLASSES];
    uint32_t window;

    uint64_t ready[REG_COUNT];
    uint64_t retired[WINDOW_MOST]; /* ring: retirement of the last instructions */

    uint64_t load_floor, store_floor; /* barriers and acquire: later accesses start no earlier */
    uint64_t last_load, last_store;   /* latest completion of a load; of a store's write (the buffer drains in order) */
    uint64_t store_ring[STORE_BUFFER_MOST];
    uint32_t store_next, store_buffer;
    uint64_t mshr_ring[MSHRS_MOST];
    uint32_t mshr_next, mshrs;

    uint64_t device_ring[DEVICE_WRITES_MOST]; /* acknowledgements of the last Device writes */
    uint32_t device_write_next;

    uint64_t cmo_next;     /* earliest issue of the next CMO */
    uint64_t device_next;  /* Device accesses of one core stay in order */
    uint64_t device_acked; /* latest acknowledgement of a Device or Non-cacheable write */
    uint64_t run_limit;    /* ticks of cpu->run_limit_ps */
};

bool timing_create(struct cpu *cpu, struct error_list *errors);
void timing_destroy(struct cpu *cpu);
void timing_reset(struct cpu *cpu, uint64_t t_ps);

/* cpu->observer hears of a gap, in ticks. */
void timing_tell_wait(const struct cpu *cpu, enum cpu_stack_part part, uint64_t from, uint64_t to);

/* The machine retires nothing before t; the time goes to part. */
static inline void timing_retire_at(struct cpu *cpu, struct timing *timing, uint64_t t, enum cpu_stack_part part)
{
    if (t <= timing->retire)
        return;
    cpu->stack_ps[part] += t - timing->retire; /* ticks; cpu_stack() converts */
    if (__builtin_expect(cpu->observer.waited != NULL, 0))
        timing_tell_wait(cpu, part, timing->retire, t);
    timing->retire = t;
}

/* Barriers (DDI 0487 B2.6.9). domain_type is CRm, nxs the DSB qualifier. */
void timing_dsb(struct cpu *cpu, unsigned domain_type, bool nxs);
void timing_dmb(struct cpu *cpu, unsigned domain_type);

/* Instructions arrive at t_ps: what follows is dispatched no earlier; what is in flight goes on. */
void timing_fetched(struct cpu *cpu, uint64_t t_ps);

/* A miss that begins at start: when a miss slot is free. */
uint64_t timing_mshr_start(struct timing *timing, uint64_t start);
void timing_mshr_done(struct timing *timing, uint64_t done);

/* A store whose data and address are known at start and whose line may be written from writable on. */
void timing_store(struct timing *timing, uint64_t start, uint64_t writable);

/* Let simulated time catch up with the core, take over the new run limit. */
void timing_sync(struct cpu *cpu, uint64_t t_ps);

#endif
