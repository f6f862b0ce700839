/*
 * Inside of a core: state and the functions by which cpu/'s files serve each other.
 *
 * Time inside a core is in ticks of 1/1024 ps, so that a cycle and an issue slot keep their fraction; at the bus it is
 * ps.
 */
#ifndef DMASIM_CPU_CORE_INTERNAL_H
#define DMASIM_CPU_CORE_INTERNAL_H

#include "common/units.h"
#include "cpu/cpu.h"
#include "cpu/fp.h"
#include "cpu/insn.h"

#define TICKS_PER_PS 1024ull
static inline uint64_t ticks_to_ps(uint64_t ticks) /* rounded up: a result is never early */
{
    return (ticks + TICKS_PER_PS - 1) / TICKS_PER_PS;
}
static inline uint64_t ps_to_ticks(uint64_t ps)
{
    return ps * TICKS_PER_PS;
}

/* PSTATE kept split for speed; pstate_get/pstate_set convert to and from the SPSR layout. */
struct pstate {
    uint32_t nzcv; /* bits 31:28 */
    uint32_t daif; /* bits 9:6 */
    uint8_t el;    /* 0..2 */
    uint8_t sp;    /* SPSel */
    uint8_t pan, uao, il, ss, btype, dit, ssbs;
};

/* A SIMD&FP register; element 0 is the lowest. */
union vector {
    uint64_t d[2];
    uint32_t s[4];
    uint16_t h[8];
    uint8_t b[16];
    unsigned __int128 q;
};

/* System registers that have storage; read and written through sysreg.c. */
struct sysregs {
    uint64_t sctlr[3], ttbr0[3], ttbr1[3], tcr[3], mair[3], amair[3], vbar[3], esr[3], elr[3], far_[3], spsr[3],
        sp[3]; /* by EL */
    uint64_t tpidr[3], tpidrro_el0, contextidr[3], cpacr, actlr, afsr0[3], afsr1[3], par, csselr, hcr_el2, vpidr,
        vmpidr;
    uint64_t cntkctl, cntp_ctl, cntp_cval, cntv_ctl, cntv_cval, cntvoff;
    uint64_t cptr_el2;
    uint64_t pmcr, pmcnten, pmuserenr, pmccntr_offset, mdscr, oslar, osdlr;
    struct fp_env fp; /* FPCR, FPSR */
};

/* One translation, as the TLB keeps it (page or block piece of 4 KiB or more). */
struct tlb_entry {
    uint64_t va_tag; /* va >> shift */
    uint64_t pa;     /* base of the page */
    uint16_t asid;
    uint8_t shift; /* log2 of the page size; 0: empty */
    uint8_t global;
    uint8_t regime; /* 0: EL1&0, 1: EL2 */
    uint8_t level;
    uint8_t memtype; /* enum mem_type */
    uint8_t sh;
    uint8_t ap; /* effective AP[2:1] */
    uint8_t pxn, uxn;
    uint8_t ng;
};

enum mmu_access { MMU_READ, MMU_WRITE, MMU_FETCH };

/* Outcome of a translation. fault: 0 none, else the FSC (DDI 0487 ESR_ELx ISS.DFSC); FSC 0, an address size fault of
 * level 0, travels as FSC_ADDRESS_SIZE_LEVEL_0 and loses its mark in exception.c. */
#define FSC_ADDRESS_SIZE_LEVEL_0 0x40
#define FSC_MASK                 0x3Fu
struct translation {
    uint64_t pa;
    uint64_t done_ps; /* walk time included; equals the start on a TLB hit in the first level */
    enum mem_type type;
    enum shareability sh;
    uint8_t fault;
    bool writable; /* a store at this privilege would be allowed too */
    bool flat;     /* the MMU is off */
    uint32_t
        epoch; /* cpu->translation_epoch when the translation began: a shortcut may be kept only while they are equal */
};

/* mmu.c: translate va for an access of the given kind at exception level el (unprivileged: as EL0 for LDTR/STTR).
 * start_ps is when the access begins; with MMU off the flat map with Device-nGnRnE data and, by SCTLR.I, Normal
 * fetches. Never raises. */
struct translation mmu_translate(struct cpu *cpu, uint64_t va, enum mmu_access access, bool unprivileged,
                                 uint64_t start_ps);
/* The same for DC by address and AT, on which PSTATE.PAN has no effect (DDI 0487 D8.4.2). */
struct translation mmu_translate_maintenance(struct cpu *cpu, uint64_t va, enum mmu_access access, uint64_t start_ps);
/* Functional translation for debug access; false when it would fault. */
bool mmu_debug_translate(struct cpu *cpu, uint64_t va, uint64_t *pa);
void mmu_tlbi(struct cpu *cpu, const struct tlbi_request *tlbi); /* local effect */
bool mmu_tlbi_is_broadcast(uint16_t encoding);
bool mmu_tlbi_known(uint16_t encoding);
bool mmu_create(struct cpu *cpu, struct error_list *errors);
void mmu_reset(struct cpu *cpu);
void mmu_destroy(struct cpu *cpu);
/* AT S1E1R/W, S1E0R/W: fills PAR_EL1. */
void mmu_address_translate(struct cpu *cpu, unsigned op2, uint64_t va);

/* Exception classes (ESR_ELx.EC, DDI 0487 D24). */
enum exception_class {
    EC_UNKNOWN = 0x00,
    EC_WFX = 0x01,
    EC_FP = 0x07,
    EC_ILLEGAL_STATE = 0x0E,
    EC_SVC64 = 0x15,
    EC_HVC64 = 0x16,
    EC_SMC64 = 0x17,
    EC_SYSREG = 0x18,
    EC_IABT_LOW = 0x20,
    EC_IABT_CUR = 0x21,
    EC_PC_ALIGN = 0x22,
    EC_DABT_LOW = 0x24,
    EC_DABT_CUR = 0x25,
    EC_SP_ALIGN = 0x26,
    EC_SERROR = 0x2F,
    EC_BREAKPOINT_LOW = 0x30,
    EC_BRK64 = 0x3C,
};

/* exception.c: all leave cpu->pc at the vector (or return address) and the timing updated; the interpreter then
 * refetches. preferred is the preferred return address. */
void exception_sync(struct cpu *cpu, enum exception_class ec, uint32_t iss, uint64_t preferred, uint64_t far_value,
                    bool far_valid);
void exception_hvc(struct cpu *cpu, uint32_t iss);
void exception_undefined(struct cpu *cpu, uint64_t pc);
void exception_data_abort(struct cpu *cpu, uint64_t pc, uint64_t va, uint8_t fsc, bool write, bool cache_op);
void exception_instruction_abort(struct cpu *cpu, uint64_t va, uint8_t fsc);
void exception_fp(struct cpu *cpu);             /* EC 0x07, when exception_fp_trapped() */
bool exception_take_interrupt(struct cpu *cpu); /* IRQ/FIQ pending and not masked: taken, true */
void exception_return(struct cpu *cpu, uint64_t pc);
uint32_t pstate_get(const struct cpu *cpu);
void pstate_set(struct cpu *cpu, uint32_t spsr); /* also switches SP and drops L0 translations when EL or PAN changes */

/* sysreg.c: MRS/MSR/SYS. encoding as in core_bus.gic_read. */
enum sysreg_result { SYSREG_OK, SYSREG_UNDEFINED, SYSREG_TRAP /* EC 0x18, to EL1 */, SYSREG_TRAP_FP };
enum sysreg_result sysreg_read(struct cpu *cpu, uint16_t encoding, uint64_t *value);
enum sysreg_result sysreg_write(struct cpu *cpu, uint16_t encoding, uint64_t value);
/* MSR (immediate). */
enum sysreg_result sysreg_write_immediate(struct cpu *cpu, unsigned op1, unsigned op2, unsigned crm);
/* SYS: TLBI and AT are done here; for DC and IC only the permission is checked and *cache_op set. */
enum sysreg_result sysreg_sys(struct cpu *cpu, uint16_t encoding, uint64_t xt, bool *cache_op);
void sysreg_reset(struct cpu *cpu);

/* timer.c: generic timer. */
uint64_t timer_count(const struct cpu *cpu, uint64_t t_ps); /* CNTPCT */
void timer_update(struct cpu *cpu, uint64_t t_ps);          /* recompute PPI levels and the next deadline */
uint64_t timer_event_stream_next(const struct cpu *cpu,
                                 uint64_t t_ps); /* next WFE event of CNTKCTL.EVNTEN; NEVER_PS without */

/* lsu.c: data side. L0: a direct-mapped table from VA line to host pointer for lines that L1D holds and the current
 * regime may use. */
void l0_flush(struct cpu *cpu); /* after any change of translation or privilege */

/* icache.c: L1I of decoded lines. */
void icache_invalidate(struct cpu *cpu, uint64_t pa, bool all);
void fetch_flush(struct cpu *cpu); /* forget VA-to-line shortcuts: after any change of translation or privilege */

/* The core itself. The interpreter owner may add fields; the system side uses those named here. */
struct lsu;
struct icache;
struct timing;
struct mmu;

struct cpu {
    uint64_t x[REG_SINK + 1]; /* 31 is the current SP (sys.sp[] holds the banked others); 32 and 33: see insn.h */
    uint64_t pc;              /* valid outside the interpreter loop and in every call out of it */
    struct pstate pstate;
    struct sysregs sys;

    struct cpu_config config;
    struct core_bus bus;
    struct cpu_semihost semihost;
    struct cpu_firmware firmware;

    uint64_t now_ps; /* local time (retirement of the last instruction), valid in every call out of the interpreter */
    bool irq_line, fiq_line;
    bool event_register;
    bool sleeping;
    volatile bool attention; /* look at stop requests, interrupts, timer before the next block */
    bool stop_requested;
    uint64_t timer_deadline_ps; /* next moment at which timer_update() would change a PPI line */

    /* Exclusive monitor (local and this core's part of the global one). */
    bool exclusive_valid;
    uint64_t exclusive_pa;
    uint8_t exclusive_bytes;

    bool exception_seen;
    uint64_t last_esr, last_elr, last_far;

    struct cpu_counters counters;
    uint64_t stack_ps[STACK_PARTS];

    uint32_t translation_epoch;      /* counts TLBIs: what was translated before one must not be remembered after it */
    uint64_t timer_checked_ps;       /* when timer_update() last looked */
    uint64_t tlbi_done_ps;           /* completion of the last broadcast TLBI, for DSB */
    uint64_t run_limit_ps;           /* private work may go on until here; from bus.sync */
    uint64_t exception_instructions; /* counters.instructions at the last exception, to notice an exception loop */
    unsigned exception_repeats;

    union vector v[32];

    uint64_t start_ps;         /* local time of the first instruction */
    uint64_t instruction_stop; /* counters.instructions at which to stop */
    bool sleeping_for_event;   /* in WFE, not WFI */
    bool stuck;                /* nothing can wake the core, or an endless chain of exceptions */
    bool has_el2;
    bool single_step, step_begun; /* cpu_step() */

    const struct probe_set *probes; /* probe.h; NULL: none */
    struct predictor *predictor;    /* predictor.h */
    struct mmu *mmu;                /* mmu.c */
    struct lsu *lsu;                /* lsu.c */
    struct icache *icache;          /* icache.c */
    struct timing *timing;          /* timing.c / exec.c */
    struct cpu_observer observer;   /* zero: nobody */
};

/* Whether CPACR_EL1.FPEN (for EL0 and EL1) or CPTR_EL2.TFP keeps the current level from the SIMD&FP registers. */
static inline bool exception_fp_trapped_by_el1(const struct cpu *cpu)
{
    unsigned fpen = cpu->sys.cpacr >> 20 & 3;

    return cpu->pstate.el < 2 && (cpu->pstate.el ? !(fpen & 1) : fpen != 3);
}
static inline bool exception_fp_trapped(const struct cpu *cpu)
{
    return exception_fp_trapped_by_el1(cpu) || (cpu->sys.cptr_el2 >> 10 & 1);
}

/* Spend cycles in program order (exception entry, ISB, barriers): the next instruction issues no earlier. exec side. */
void timing_stall_until(struct cpu *cpu, uint64_t t_ps, enum cpu_stack_part part);
void timing_stall_cycles(struct cpu *cpu, uint64_t cycles, enum cpu_stack_part part);

#endif
