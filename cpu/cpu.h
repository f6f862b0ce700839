/*
 * An arm64 core: the A64 instruction set with FP and Advanced SIMD, EL0/EL1 (EL2 on request), stage-1 MMU, generic
 * timer, and a cycle-approximate scoreboard. Arm DDI 0487 is the source for behaviour; README.md for what is modelled.
 */
#ifndef DMASIM_CPU_CPU_H
#define DMASIM_CPU_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core_bus.h"
#include "common/error_list.h"

struct cpu_config {
    uint32_t index;       /* 0..127 */
    uint64_t mpidr;       /* affinity fields; bit 31 is added */
    uint64_t midr;        /* MIDR_EL1 */
    uint64_t freq_hz;     /* core clock */
    uint64_t cntfrq_hz;   /* generic timer; value of CNTFRQ_EL0 */
    bool lse;             /* FEAT_LSE present */
    bool functional_only; /* no timing: each instruction takes one cycle */

    /* Scoreboard (architecture.md 5). */
    uint32_t width;         /* instructions issued per cycle */
    uint32_t window;        /* reorder window, instructions */
    uint32_t store_buffer;  /* entries */
    uint32_t mshrs;         /* outstanding misses */
    uint32_t device_writes; /* Device writes not yet acknowledged */
    uint32_t mispredict_cycles;
    uint32_t branch_predictor;   /* counters of branch directions, a power of two from 4096 to 1048576 */
    uint32_t indirect_predictor; /* entries; 0: indirect branches are never predicted (a retpoline stands for one) */
    bool total_store_order; /* loads are in order by replay, stores by the buffer: DMB LD and ST, acquire, release are
                               free */
    uint32_t mul_cycles, div_cycles; /* div: 64 bit */
    uint32_t simd_alu_cycles, simd_mul_cycles, simd_move_cycles;
    uint32_t fp_add_cycles, fp_mul_cycles, fp_fma_cycles, fp_div_cycles, fp_sqrt_cycles, fp_convert_cycles; /* double */
    uint64_t dsb_restart_ps; /* fixed cost of a full DSB after all it waits for */
    uint64_t isb_cycles;
    uint64_t exception_cycles; /* entry and return, each */
    uint64_t wfe_wake_ps;      /* from wake-up event to the next instruction */
    uint64_t l1_ps;            /* load-to-use of an L1D hit, as in cache_config */
    uint64_t l1i_bytes;
    uint32_t l1i_ways;
    uint32_t tlb_entries; /* second-level TLB */

    uint64_t instruction_limit; /* core_run() ends with CPU_STOP_INSTRUCTION_LIMIT; 0: none */
    bool unaligned_flat; /* with the MMU off, unaligned accesses to memory are performed (as QEMU does) instead of
                            faulting */
    bool semihosting;    /* HLT #0xF000 calls core_ports.semihost */
};

/* Why core_run() returned. */
enum cpu_stop {
    CPU_STOP_REQUESTED, /* cpu_request_stop() */
    CPU_STOP_INSTRUCTION_LIMIT,
    CPU_STOP_STUCK, /* WFI/WFE with nothing that could ever wake it and no other active part; or an exception loop */
};

/* Where simulated time went; cpu_stack() sums to the time that passed. */
enum cpu_stack_part {
    STACK_COMPUTE,
    STACK_BRANCH, /* mispredictions */
    STACK_FETCH,
    STACK_CACHE_MISS, /* loads, stores and table walks beyond L1 */
    STACK_DC_ISSUE,   /* issuing CMOs, waiting for a slot included */
    STACK_DSB_WAIT,
    STACK_ATOMIC, /* exclusives and LSE atomics, on communal lines plain accesses too */
    STACK_MMIO,
    STACK_IDLE, /* WFE, WFI */
    STACK_PARTS,
};
extern const char *const cpu_stack_part_names[STACK_PARTS]; /* "compute", "branch", ..., "dsb_wait", ... */

struct cpu_counters {
    uint64_t instructions;
    uint64_t loads, stores, dc_ops, ic_ops, dsbs, dmbs, isbs, tlbis, atomics, exclusives_failed, exceptions,
        mispredicts, wfes;
};

struct cpu;

/* Semihosting calls and their environment: the core hands over X0, X1 and a way to the guest's memory. Returns the
 * value for X0. */
struct cpu_semihost {
    void *ctx;
    uint64_t (*call)(void *ctx, struct cpu *cpu, uint32_t operation, uint64_t parameter);
};

/* Who is told what a core does, without influence on it; functions may be NULL. */
struct cpu_observer {
    void *ctx;
    /* Nothing retired from from_ps to to_ps, for this reason. */
    void (*waited)(void *ctx, unsigned core, enum cpu_stack_part reason, uint64_t from_ps, uint64_t to_ps);
    /* An exception was taken; the handler begins at vector. */
    void (*exception)(void *ctx, unsigned core, uint64_t vector, uint64_t t_ps);
};

/* Firmware below the program: HVC from EL1 without EL2, or SMC, calls it instead of being Undefined. The call reads and
 * writes X0 to X3; the program goes on behind the instruction. */
struct cpu_firmware {
    void *ctx;
    enum cpu_conduit { CPU_CONDUIT_NONE, CPU_CONDUIT_HVC, CPU_CONDUIT_SMC } conduit;
    void (*call)(void *ctx, struct cpu *cpu);
};

/* bus and semihost are copied. Fills errors and returns NULL when the configuration is impossible. */
struct cpu *cpu_create(const struct cpu_config *config, const struct core_bus *bus, const struct cpu_semihost *semihost,
                       struct error_list *errors);
void cpu_destroy(struct cpu *cpu);

/* Before the first instruction; copied. */
void cpu_observe(struct cpu *cpu, const struct cpu_observer *observer);

/* Before the core runs; firmware is copied. */
void cpu_attach_firmware(struct cpu *cpu, const struct cpu_firmware *firmware);

/* The callbacks to hand to the memory system. */
struct core_bus_client cpu_bus_client(struct cpu *cpu);

/* State after reset: PC = pc, X0 = x0, exception level el (1 or 2), MMU and caches off, all interrupts masked. */
void cpu_reset(struct cpu *cpu, uint64_t pc, uint64_t x0, unsigned el);

/* The core's local time at its first instruction (a secondary core starts late). After cpu_reset(), before cpu_run().
 */
void cpu_start_at(struct cpu *cpu, uint64_t t_ps);

/* State after reset for a core that has run before and was stopped: its time goes on at t_ps, what lies between was
 * idle, and its counters stay. */
void cpu_restart(struct cpu *cpu, uint64_t pc, uint64_t x0, unsigned el, uint64_t t_ps);

/* Executes until stopped. Blocks in the bus's sync, access, sleep. */
enum cpu_stop cpu_run(struct cpu *cpu);

/* Executes one instruction (or takes one exception). */
void cpu_step(struct cpu *cpu);

/* Make cpu_run() return at the next instruction boundary; callable from bus callbacks. */
void cpu_request_stop(struct cpu *cpu);

/* Something was planned that the core must not run past: it asks for a new run limit at the next instruction boundary.
 */
void cpu_sync_soon(struct cpu *cpu);

/* Inputs from outside. */
void cpu_set_irq(struct cpu *cpu, bool level); /* from the GIC */
void cpu_set_fiq(struct cpu *cpu, bool level);
void cpu_send_event(struct cpu *cpu, uint64_t at_ps); /* SEV from a core or a device: sets the event register */
void cpu_remote_tlbi(struct cpu *cpu, const struct tlbi_request *tlbi);
/* Whether a sleeping core has a reason to wake at now_ps (event register for WFE, pending interrupt for both, timer).
 */
bool cpu_wants_wake(const struct cpu *cpu, uint64_t now_ps);
/* When the core's timers could wake it by themselves; NEVER_PS when not armed. */
uint64_t cpu_timer_deadline(const struct cpu *cpu);

/* Inspection. */
uint64_t cpu_now_ps(const struct cpu *cpu); /* the core's local time: the retirement of the last instruction */
uint64_t cpu_pc(const struct cpu *cpu);
uint64_t cpu_x(const struct cpu *cpu, unsigned n); /* n = 31: SP of the current exception level */
void cpu_set_x(struct cpu *cpu, unsigned n, uint64_t value);
uint32_t cpu_pstate(const struct cpu *cpu); /* NZCV, DAIF, EL and SP as in SPSR_ELx */
void cpu_set_pstate(struct cpu *cpu, uint32_t spsr);
void cpu_set_pc(struct cpu *cpu, uint64_t pc);
const struct cpu_counters *cpu_counters(struct cpu *cpu);
void cpu_stack(const struct cpu *cpu, uint64_t parts_ps[STACK_PARTS]);
/* The last exception taken, for messages: ESR, ELR, FAR; false when there was none. */
bool cpu_last_exception(const struct cpu *cpu, uint64_t *esr, uint64_t *elr, uint64_t *far);

/* Guest virtual memory as the current translation sees it, without time or state change. False: not mapped or no
 * memory. */
bool cpu_debug_read(struct cpu *cpu, uint64_t va, void *data, uint64_t bytes);
bool cpu_debug_write(struct cpu *cpu, uint64_t va, const void *data, uint64_t bytes);

#endif
