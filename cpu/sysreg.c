/* System registers: one table; what it does not name is Undefined. */
#include <stddef.h>

#include "cpu/timing.h"

#define ENCODE(op0, op1, crn, crm, op2) ((op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2))

enum sysreg_kind {
    CONSTANT, /* reads as value, writes are ignored where they are allowed */
    STORED,   /* a field of struct sysregs */
    SPECIAL,  /* by name in special_read() and special_write() */
};

/* Who may access: the lowest exception level; NONE: nobody. */
enum { EL0 = 0, EL1 = 1, EL2 = 2, NONE = 3 };

/* What must follow a write. */
enum { FLUSH = 1 /* translations may differ */, TIMER = 2 };

struct sysreg {
    const char *name;
    uint16_t encoding;
    uint8_t kind;
    uint8_t read_el, write_el;
    uint8_t effect;
    uint16_t offset; /* STORED */
    uint64_t value;  /* CONSTANT */
};

#define FIELD(field) offsetof(struct sysregs, field)

#define RO_CONSTANT(name, op0, op1, crn, crm, op2, value)                       \
    {                                                                           \
        name, ENCODE(op0, op1, crn, crm, op2), CONSTANT, EL1, NONE, 0, 0, value \
    }
#define STORED_AT(name, op0, op1, crn, crm, op2, el, effect, field)                    \
    {                                                                                  \
        name, ENCODE(op0, op1, crn, crm, op2), STORED, el, el, effect, FIELD(field), 0 \
    }
/* Reads as value; writes are ignored. */
#define IGNORED(name, op0, op1, crn, crm, op2, el, value)                    \
    {                                                                        \
        name, ENCODE(op0, op1, crn, crm, op2), CONSTANT, el, el, 0, 0, value \
    }
#define SPECIAL_AT(name, op0, op1, crn, crm, op2, read_el, write_el, effect)            \
    {                                                                                   \
        name, ENCODE(op0, op1, crn, crm, op2), SPECIAL, read_el, write_el, effect, 0, 0 \
    }

static const struct sysreg sysregs[] = {
    /* the ones that run-time code reads most */
    SPECIAL_AT("CTR_EL0", 3, 3, 0, 0, 1, EL0, NONE, 0),
    STORED_AT("TPIDR_EL1", 3, 0, 13, 0, 4, EL1, 0, tpidr[1]),
    SPECIAL_AT("CNTVCT_EL0", 3, 3, 14, 0, 2, EL0, NONE, 0),
    SPECIAL_AT("DAIF", 3, 3, 4, 2, 1, EL0, EL0, 0),
    STORED_AT("SP_EL0", 3, 0, 4, 1, 0, EL1, 0, sp[0]),
    /* identity */
    SPECIAL_AT("MIDR_EL1", 3, 0, 0, 0, 0, EL1, NONE, 0),
    SPECIAL_AT("MPIDR_EL1", 3, 0, 0, 0, 5, EL1, NONE, 0),
    RO_CONSTANT("REVIDR_EL1", 3, 0, 0, 0, 6, 0),
    SPECIAL_AT("ID_AA64PFR0_EL1", 3, 0, 0, 4, 0, EL1, NONE, 0),
    RO_CONSTANT("ID_AA64PFR1_EL1", 3, 0, 0, 4, 1, 0),
    RO_CONSTANT("ID_AA64ZFR0_EL1", 3, 0, 0, 4, 4, 0),
    RO_CONSTANT("ID_AA64DFR0_EL1", 3, 0, 0, 5, 0, 0x00101106), /* v8.0 debug, two of each; PMUv3 without events */
    RO_CONSTANT("ID_AA64DFR1_EL1", 3, 0, 0, 5, 1, 0),
    RO_CONSTANT("ID_AA64AFR0_EL1", 3, 0, 0, 5, 4, 0),
    RO_CONSTANT("ID_AA64AFR1_EL1", 3, 0, 0, 5, 5, 0),
    SPECIAL_AT("ID_AA64ISAR0_EL1", 3, 0, 0, 6, 0, EL1, NONE, 0),
    RO_CONSTANT("ID_AA64ISAR1_EL1", 3, 0, 0, 6, 1, 0x2ull << 20 | 0x1), /* LRCPC2; DPB: DC CVAP */
    RO_CONSTANT("ID_AA64ISAR2_EL1", 3, 0, 0, 6, 2, 0),
    RO_CONSTANT("ID_AA64MMFR0_EL1", 3, 0, 0, 7, 0, 0x00100025),   /* 48-bit PA, 16-bit ASID, all granules */
    RO_CONSTANT("ID_AA64MMFR1_EL1", 3, 0, 0, 7, 1, 0x1ull << 20), /* PAN */
    RO_CONSTANT("ID_AA64MMFR2_EL1", 3, 0, 0, 7, 2, 0),
    /* caches */
    SPECIAL_AT("DCZID_EL0", 3, 3, 0, 0, 7, EL0, NONE, 0),
    RO_CONSTANT("CLIDR_EL1", 3, 1, 0, 0, 1, 0x0A200023),
    SPECIAL_AT("CCSIDR_EL1", 3, 1, 0, 0, 0, EL1, NONE, 0),
    RO_CONSTANT("AIDR_EL1", 3, 1, 0, 0, 7, 0),
    STORED_AT("CSSELR_EL1", 3, 2, 0, 0, 0, EL1, 0, csselr),
    /* translation */
    STORED_AT("SCTLR_EL1", 3, 0, 1, 0, 0, EL1, FLUSH, sctlr[1]),
    STORED_AT("ACTLR_EL1", 3, 0, 1, 0, 1, EL1, 0, actlr),
    STORED_AT("CPACR_EL1", 3, 0, 1, 0, 2, EL1, 0, cpacr),
    STORED_AT("TTBR0_EL1", 3, 0, 2, 0, 0, EL1, FLUSH, ttbr0[1]),
    STORED_AT("TTBR1_EL1", 3, 0, 2, 0, 1, EL1, FLUSH, ttbr1[1]),
    STORED_AT("TCR_EL1", 3, 0, 2, 0, 2, EL1, FLUSH, tcr[1]),
    STORED_AT("MAIR_EL1", 3, 0, 10, 2, 0, EL1, FLUSH, mair[1]),
    STORED_AT("AMAIR_EL1", 3, 0, 10, 3, 0, EL1, 0, amair[1]),
    STORED_AT("CONTEXTIDR_EL1", 3, 0, 13, 0, 1, EL1, 0, contextidr[1]),
    STORED_AT("PAR_EL1", 3, 0, 7, 4, 0, EL1, 0, par),
    /* exceptions */
    STORED_AT("VBAR_EL1", 3, 0, 12, 0, 0, EL1, 0, vbar[1]),
    STORED_AT("ESR_EL1", 3, 0, 5, 2, 0, EL1, 0, esr[1]),
    STORED_AT("FAR_EL1", 3, 0, 6, 0, 0, EL1, 0, far_[1]),
    STORED_AT("ELR_EL1", 3, 0, 4, 0, 1, EL1, 0, elr[1]),
    STORED_AT("SPSR_EL1", 3, 0, 4, 0, 0, EL1, 0, spsr[1]),
    STORED_AT("AFSR0_EL1", 3, 0, 5, 1, 0, EL1, 0, afsr0[1]),
    STORED_AT("AFSR1_EL1", 3, 0, 5, 1, 1, EL1, 0, afsr1[1]),
    SPECIAL_AT("ISR_EL1", 3, 0, 12, 1, 0, EL1, NONE, 0),
    /* PSTATE */
    SPECIAL_AT("CurrentEL", 3, 0, 4, 2, 2, EL1, NONE, 0),
    SPECIAL_AT("NZCV", 3, 3, 4, 2, 0, EL0, EL0, 0),
    SPECIAL_AT("SPSel", 3, 0, 4, 2, 0, EL1, EL1, 0),
    SPECIAL_AT("PAN", 3, 0, 4, 2, 3, EL1, EL1, 0),
    SPECIAL_AT("FPCR", 3, 3, 4, 4, 0, EL0, EL0, 0),
    SPECIAL_AT("FPSR", 3, 3, 4, 4, 1, EL0, EL0, 0),
    /* thread */
    STORED_AT("TPIDR_EL0", 3, 3, 13, 0, 2, EL0, 0, tpidr[0]),
    {"TPIDRRO_EL0", ENCODE(3, 3, 13, 0, 3), STORED, EL0, EL1, 0, FIELD(tpidrro_el0), 0},
    /* generic timer */
    STORED_AT("CNTKCTL_EL1", 3, 0, 14, 1, 0, EL1, 0, cntkctl),
    SPECIAL_AT("CNTFRQ_EL0", 3, 3, 14, 0, 0, EL0, NONE, 0),
    SPECIAL_AT("CNTPCT_EL0", 3, 3, 14, 0, 1, EL0, NONE, 0),
    SPECIAL_AT("CNTP_TVAL_EL0", 3, 3, 14, 2, 0, EL0, EL0, TIMER),
    SPECIAL_AT("CNTP_CTL_EL0", 3, 3, 14, 2, 1, EL0, EL0, TIMER),
    {"CNTP_CVAL_EL0", ENCODE(3, 3, 14, 2, 2), STORED, EL0, EL0, TIMER, FIELD(cntp_cval), 0},
    SPECIAL_AT("CNTV_TVAL_EL0", 3, 3, 14, 3, 0, EL0, EL0, TIMER),
    SPECIAL_AT("CNTV_CTL_EL0", 3, 3, 14, 3, 1, EL0, EL0, TIMER),
    {"CNTV_CVAL_EL0", ENCODE(3, 3, 14, 3, 2), STORED, EL0, EL0, TIMER, FIELD(cntv_cval), 0},
    /* performance monitors: the cycle counter only */
    SPECIAL_AT("PMCCNTR_EL0", 3, 3, 9, 13, 0, EL0, EL0, 0),
    SPECIAL_AT("PMCR_EL0", 3, 3, 9, 12, 0, EL0, EL0, 0),
    SPECIAL_AT("PMCNTENSET_EL0", 3, 3, 9, 12, 1, EL0, EL0, 0),
    SPECIAL_AT("PMCNTENCLR_EL0", 3, 3, 9, 12, 2, EL0, EL0, 0),
    IGNORED("PMOVSCLR_EL0", 3, 3, 9, 12, 3, EL0, 0),
    IGNORED("PMSWINC_EL0", 3, 3, 9, 12, 4, EL0, 0),
    IGNORED("PMSELR_EL0", 3, 3, 9, 12, 5, EL0, 0),
    {"PMCEID0_EL0", ENCODE(3, 3, 9, 12, 6), CONSTANT, EL0, NONE, 0, 0, 0},
    {"PMCEID1_EL0", ENCODE(3, 3, 9, 12, 7), CONSTANT, EL0, NONE, 0, 0, 0},
    IGNORED("PMXEVTYPER_EL0", 3, 3, 9, 13, 1, EL0, 0),
    IGNORED("PMXEVCNTR_EL0", 3, 3, 9, 13, 2, EL0, 0),
    {"PMUSERENR_EL0", ENCODE(3, 3, 9, 14, 0), STORED, EL0, EL1, 0, FIELD(pmuserenr), 0},
    IGNORED("PMOVSSET_EL0", 3, 3, 9, 14, 3, EL0, 0),
    IGNORED("PMINTENSET_EL1", 3, 0, 9, 14, 1, EL1, 0),
    IGNORED("PMINTENCLR_EL1", 3, 0, 9, 14, 2, EL1, 0),
    IGNORED("PMCCFILTR_EL0", 3, 3, 14, 15, 7, EL0, 0),
    /* debug: stored or ignored, no breakpoint ever fires */
    STORED_AT("MDSCR_EL1", 2, 0, 0, 2, 2, EL1, 0, mdscr),
    STORED_AT("OSLAR_EL1", 2, 0, 1, 0, 4, EL1, 0, oslar),
    {"OSLSR_EL1", ENCODE(2, 0, 1, 1, 4), CONSTANT, EL1, NONE, 0, 0, 0x8}, /* OS lock exists, unlocked */
    STORED_AT("OSDLR_EL1", 2, 0, 1, 3, 4, EL1, 0, osdlr),
    IGNORED("MDCCINT_EL1", 2, 0, 0, 2, 0, EL1, 0),
    IGNORED("DBGBVR0_EL1", 2, 0, 0, 0, 4, EL1, 0),
    IGNORED("DBGBCR0_EL1", 2, 0, 0, 0, 5, EL1, 0),
    IGNORED("DBGWVR0_EL1", 2, 0, 0, 0, 6, EL1, 0),
    IGNORED("DBGWCR0_EL1", 2, 0, 0, 0, 7, EL1, 0),
    IGNORED("DBGBVR1_EL1", 2, 0, 0, 1, 4, EL1, 0),
    IGNORED("DBGBCR1_EL1", 2, 0, 0, 1, 5, EL1, 0),
    IGNORED("DBGWVR1_EL1", 2, 0, 0, 1, 6, EL1, 0),
    IGNORED("DBGWCR1_EL1", 2, 0, 0, 1, 7, EL1, 0),
    /* EL2 */
    STORED_AT("SCTLR_EL2", 3, 4, 1, 0, 0, EL2, FLUSH, sctlr[2]),
    STORED_AT("HCR_EL2", 3, 4, 1, 1, 0, EL2, 0, hcr_el2),
    SPECIAL_AT("CPTR_EL2", 3, 4, 1, 1, 2, EL2, EL2, 0),
    STORED_AT("TTBR0_EL2", 3, 4, 2, 0, 0, EL2, FLUSH, ttbr0[2]),
    STORED_AT("TCR_EL2", 3, 4, 2, 0, 2, EL2, FLUSH, tcr[2]),
    STORED_AT("MAIR_EL2", 3, 4, 10, 2, 0, EL2, FLUSH, mair[2]),
    STORED_AT("AMAIR_EL2", 3, 4, 10, 3, 0, EL2, 0, amair[2]),
    STORED_AT("VBAR_EL2", 3, 4, 12, 0, 0, EL2, 0, vbar[2]),
    STORED_AT("ESR_EL2", 3, 4, 5, 2, 0, EL2, 0, esr[2]),
    STORED_AT("FAR_EL2", 3, 4, 6, 0, 0, EL2, 0, far_[2]),
    STORED_AT("ELR_EL2", 3, 4, 4, 0, 1, EL2, 0, elr[2]),
    STORED_AT("SPSR_EL2", 3, 4, 4, 0, 0, EL2, 0, spsr[2]),
    STORED_AT("SP_EL1", 3, 4, 4, 1, 0, EL2, 0, sp[1]),
    STORED_AT("TPIDR_EL2", 3, 4, 13, 0, 2, EL2, 0, tpidr[2]),
    STORED_AT("CNTVOFF_EL2", 3, 4, 14, 0, 3, EL2, TIMER, cntvoff),
    STORED_AT("VPIDR_EL2", 3, 4, 0, 0, 0, EL2, 0, vpidr),
    STORED_AT("VMPIDR_EL2", 3, 4, 0, 0, 5, EL2, 0, vmpidr),
    /* there is no stage 2, and nothing traps to EL2 */
    IGNORED("CNTHCTL_EL2", 3, 4, 14, 1, 0, EL2, 3),
    IGNORED("HSTR_EL2", 3, 4, 1, 1, 3, EL2, 0),
    IGNORED("HACR_EL2", 3, 4, 1, 1, 7, EL2, 0),
    IGNORED("MDCR_EL2", 3, 4, 1, 1, 1, EL2, 0),
    IGNORED("ACTLR_EL2", 3, 4, 1, 0, 1, EL2, 0),
    IGNORED("VTTBR_EL2", 3, 4, 2, 1, 0, EL2, 0),
    IGNORED("VTCR_EL2", 3, 4, 2, 1, 2, EL2, 0),
    IGNORED("HPFAR_EL2", 3, 4, 6, 0, 4, EL2, 0),
    IGNORED("AFSR0_EL2", 3, 4, 5, 1, 0, EL2, 0),
    IGNORED("AFSR1_EL2", 3, 4, 5, 1, 1, EL2, 0),
    IGNORED("ICC_SRE_EL2", 3, 4, 12, 9, 5, EL2, 0xF), /* system registers only */
    IGNORED("ICH_HCR_EL2", 3, 4, 12, 11, 0, EL2, 0),
};

/* The identification space that has no name yet reads as zero (DDI 0487 D23.3.1), so that software can probe for what
 * is newer. */
static const struct sysreg reserved_identification = {"(reserved)", 0, CONSTANT, EL1, NONE, 0, 0, 0};

static bool is_identification(uint16_t encoding)
{
    return (encoding & ~0x3Fu) == ENCODE(3, 0, 0, 0, 0) && (encoding >> 3 & 7) != 0;
}

static const struct sysreg *find(uint16_t encoding)
{
    for (size_t i = 0; i < sizeof(sysregs) / sizeof(sysregs[0]); i++)
        if (sysregs[i].encoding == encoding)
            return &sysregs[i];
    return is_identification(encoding) ? &reserved_identification : NULL;
}

static uint64_t *storage(struct cpu *cpu, const struct sysreg *reg)
{
    return (uint64_t *)((char *)&cpu->sys + reg->offset);
}

static uint64_t virtual_count(const struct cpu *cpu)
{
    return timer_count(cpu, cpu->now_ps) - cpu->sys.cntvoff;
}

/* CTL.ISTATUS is bit 2. */
static uint64_t timer_control(uint64_t ctl, bool met)
{
    return (ctl & 3) | ((ctl & 1) && met ? 4 : 0);
}

/* The cycle counter runs while PMCR.E and PMCNTENSET.C are set; pmccntr_offset is then what to take from the core's
 * cycles, else the standing value. */
enum { PMCR_E = 1 << 0, PMCR_C = 1 << 2, PMCR_KEPT = 0x69 /* LC, DP, D, E */ };
#define PMCNTEN_C (1ull << 31)

static bool cycle_counter_runs(const struct cpu *cpu)
{
    return (cpu->sys.pmcr & PMCR_E) && (cpu->sys.pmcnten & PMCNTEN_C);
}

static uint64_t cycle_counter(const struct cpu *cpu)
{
    uint64_t cycles = (uint64_t)((unsigned __int128)cpu->now_ps * cpu->config.freq_hz / PS_PER_S);

    return cycle_counter_runs(cpu) ? cycles - cpu->sys.pmccntr_offset : cpu->sys.pmccntr_offset;
}

static void set_cycle_counter(struct cpu *cpu, uint64_t value)
{
    cpu->sys.pmccntr_offset = value;
    if (cycle_counter_runs(cpu)) /* then the difference reads as cycles - value */
        cpu->sys.pmccntr_offset = cycle_counter(cpu);
}

static void set_counting(struct cpu *cpu, uint64_t pmcr, uint64_t pmcnten)
{
    uint64_t value = pmcr & PMCR_C ? 0 : cycle_counter(cpu);

    cpu->sys.pmcr = pmcr & PMCR_KEPT;
    cpu->sys.pmcnten = pmcnten & PMCNTEN_C;
    set_cycle_counter(cpu, value);
}

static uint64_t ccsidr(const struct cpu *cpu)
{
    return cpu->sys.csselr >> 1 & 7 ? 0x70FFE07A : 0x701FE01A; /* L2 and L1 of 64-byte lines */
}

#define CPTR_EL2_TFP  (1u << 10)
#define CPTR_EL2_RES1 0x33FFu

static uint64_t special_read(struct cpu *cpu, uint16_t encoding)
{
    switch (encoding) {
    case ENCODE(3, 3, 0, 0, 1):
        return 0x8444C004; /* CTR_EL0: 64-byte lines, PIPT, IDC = DIC = 0 */
    case ENCODE(3, 3, 0, 0, 7):
        return 4 | (cpu->pstate.el == 0 && !(cpu->sys.sctlr[1] >> 14 & 1) ? 16 : 0); /* DCZID_EL0: 64 bytes; DZP */
    case ENCODE(3, 0, 0, 0, 0):
        return cpu->pstate.el == 1 && cpu->has_el2 ? cpu->sys.vpidr : cpu->config.midr;
    case ENCODE(3, 0, 0, 0, 5):
        return cpu->pstate.el == 1 && cpu->has_el2 ? cpu->sys.vmpidr : cpu->config.mpidr | 1ull << 31;
    case ENCODE(3, 0, 0, 4, 0): /* FP and SIMD without FEAT_FP16; GICv3 system registers; EL2 when entered there */
        return 0x01000011 | (cpu->has_el2 ? 0x100 : 0);
    case ENCODE(3, 0, 0, 6, 0):
        return 1ull << 16 | (cpu->config.lse ? 2ull << 20 : 0); /* CRC32, Atomic */
    case ENCODE(3, 1, 0, 0, 0):
        return ccsidr(cpu);
    case ENCODE(3, 3, 4, 4, 0):
        return cpu->sys.fp.fpcr;
    case ENCODE(3, 3, 4, 4, 1):
        return cpu->sys.fp.fpsr;
    case ENCODE(3, 4, 1, 1, 2):
        return cpu->sys.cptr_el2 | CPTR_EL2_RES1;
    case ENCODE(3, 0, 12, 1, 0):
        return (uint64_t)cpu->irq_line << 7 | (uint64_t)cpu->fiq_line << 6;
    case ENCODE(3, 0, 4, 2, 2):
        return (uint64_t)cpu->pstate.el << 2;
    case ENCODE(3, 3, 4, 2, 0):
        return cpu->pstate.nzcv;
    case ENCODE(3, 3, 4, 2, 1):
        return cpu->pstate.daif;
    case ENCODE(3, 0, 4, 2, 0):
        return cpu->pstate.sp;
    case ENCODE(3, 0, 4, 2, 3):
        return (uint64_t)cpu->pstate.pan << 22;
    case ENCODE(3, 3, 14, 0, 0):
        return cpu->config.cntfrq_hz;
    case ENCODE(3, 3, 14, 0, 1):
        return timer_count(cpu, cpu->now_ps);
    case ENCODE(3, 3, 14, 0, 2):
        return virtual_count(cpu);
    case ENCODE(3, 3, 14, 2, 0):
        return (uint32_t)(cpu->sys.cntp_cval - timer_count(cpu, cpu->now_ps));
    case ENCODE(3, 3, 14, 2, 1):
        return timer_control(cpu->sys.cntp_ctl, timer_count(cpu, cpu->now_ps) >= cpu->sys.cntp_cval);
    case ENCODE(3, 3, 14, 3, 0):
        return (uint32_t)(cpu->sys.cntv_cval - virtual_count(cpu));
    case ENCODE(3, 3, 14, 3, 1):
        return timer_control(cpu->sys.cntv_ctl, virtual_count(cpu) >= cpu->sys.cntv_cval);
    case ENCODE(3, 3, 9, 13, 0):
        return cycle_counter(cpu);
    case ENCODE(3, 3, 9, 12, 0):
        return cpu->sys.pmcr; /* PMCR.N = 0: no event counters */
    case ENCODE(3, 3, 9, 12, 1):
    case ENCODE(3, 3, 9, 12, 2):
        return cpu->sys.pmcnten;
    default:
        return 0;
    }
}

static void special_write(struct cpu *cpu, uint16_t encoding, uint64_t value)
{
    uint32_t pstate = pstate_get(cpu);

    switch (encoding) {
    case ENCODE(3, 3, 4, 2, 0):
        cpu->pstate.nzcv = value & 0xF0000000;
        break;
    case ENCODE(3, 3, 4, 4, 0):
        cpu->sys.fp.fpcr = value & FPCR_KEPT;
        break;
    case ENCODE(3, 3, 4, 4, 1):
        cpu->sys.fp.fpsr = value & FPSR_KEPT;
        break;
    case ENCODE(3, 4, 1, 1, 2):
        cpu->sys.cptr_el2 = value & CPTR_EL2_TFP;
        break;
    case ENCODE(3, 3, 4, 2, 1):
        cpu->pstate.daif = value & (0xF << 6);
        break;
    case ENCODE(3, 0, 4, 2, 0):
        pstate_set(cpu, (pstate & ~1u) | (value & 1));
        break;
    case ENCODE(3, 0, 4, 2, 3):
        pstate_set(cpu, (pstate & ~(1u << 22)) | (value & 1u << 22));
        break;
    case ENCODE(3, 3, 14, 2, 0):
        cpu->sys.cntp_cval = timer_count(cpu, cpu->now_ps) + (uint64_t)(int64_t)(int32_t)value;
        break;
    case ENCODE(3, 3, 14, 2, 1):
        cpu->sys.cntp_ctl = value & 3;
        break;
    case ENCODE(3, 3, 14, 3, 0):
        cpu->sys.cntv_cval = virtual_count(cpu) + (uint64_t)(int64_t)(int32_t)value;
        break;
    case ENCODE(3, 3, 14, 3, 1):
        cpu->sys.cntv_ctl = value & 3;
        break;
    case ENCODE(3, 3, 9, 13, 0):
        set_cycle_counter(cpu, value);
        break;
    case ENCODE(3, 3, 9, 12, 0):
        set_counting(cpu, value, cpu->sys.pmcnten);
        break;
    case ENCODE(3, 3, 9, 12, 1):
        set_counting(cpu, cpu->sys.pmcr, cpu->sys.pmcnten | value);
        break;
    case ENCODE(3, 3, 9, 12, 2):
        set_counting(cpu, cpu->sys.pmcr, cpu->sys.pmcnten & ~value);
        break;
    default:
        break;
    }
}

/* PMUSERENR_EL0: EN allows all, CR reading the cycle counter, ER PMSELR and reading PMXEVCNTR, SW PMSWINC. */
static bool user_allowed_pmu(const struct cpu *cpu, uint16_t encoding, bool write)
{
    enum { EN = 1, SW = 2, CR = 4, ER = 8 };
    uint64_t allowed = cpu->sys.pmuserenr;

    switch (encoding) {
    case ENCODE(3, 3, 9, 14, 0): /* PMUSERENR_EL0 itself */
        return true;
    case ENCODE(3, 3, 9, 13, 0):
        return allowed & (write ? EN : EN | CR);
    case ENCODE(3, 3, 9, 12, 5):
        return allowed & (EN | ER);
    case ENCODE(3, 3, 9, 13, 2):
        return allowed & (write ? EN : EN | ER);
    case ENCODE(3, 3, 9, 12, 4):
        return allowed & (EN | SW);
    default:
        return allowed & EN;
    }
}

/* Whether EL0 may access a register that EL0 can reach; false: trapped to EL1. */
static bool user_allowed(const struct cpu *cpu, uint16_t encoding, bool write)
{
    unsigned crn = encoding >> 7 & 15, crm = encoding >> 3 & 15, op2 = encoding & 7;

    if (encoding == ENCODE(3, 3, 0, 0, 1))
        return cpu->sys.sctlr[1] >> 15 & 1; /* UCT */
    if (encoding == ENCODE(3, 3, 4, 2, 1))
        return cpu->sys.sctlr[1] >> 9 & 1; /* UMA */
    if (crn == 9 || encoding == ENCODE(3, 3, 14, 15, 7))
        return user_allowed_pmu(cpu, encoding, write);
    if (crn != 14)
        return true;
    if (crm == 0 && op2 == 0)
        return cpu->sys.cntkctl & 3;
    if (crm == 0)
        return cpu->sys.cntkctl >> (op2 == 1 ? 0 : 1) & 1; /* EL0PCTEN, EL0VCTEN */
    return cpu->sys.cntkctl >> (crm == 2 ? 9 : 8) & 1;     /* EL0PTEN, EL0VTEN */
}

static bool is_fp(uint16_t encoding)
{
    return encoding == ENCODE(3, 3, 4, 4, 0) || encoding == ENCODE(3, 3, 4, 4, 1);
}

/* The register when the current level may access it; else NULL and the outcome. */
static const struct sysreg *accessible(struct cpu *cpu, uint16_t encoding, bool write, enum sysreg_result *outcome)
{
    const struct sysreg *reg = find(encoding);
    unsigned el = cpu->pstate.el;

    *outcome = SYSREG_UNDEFINED;
    if (!reg || el < (write ? reg->write_el : reg->read_el))
        return NULL;
    if (encoding == ENCODE(3, 0, 4, 1, 0) && !cpu->pstate.sp)
        return NULL; /* SP_EL0 while it is the current stack pointer */
    if (is_fp(encoding) && exception_fp_trapped(cpu)) {
        *outcome = SYSREG_TRAP_FP;
        return NULL;
    }
    if (el == 0 && !user_allowed(cpu, encoding, write)) {
        *outcome = SYSREG_TRAP;
        return NULL;
    }
    *outcome = SYSREG_OK;
    return reg;
}

static bool is_gic(uint16_t encoding)
{
    return (encoding & ~0x7Fu) == ENCODE(3, 0, 12, 0, 0) || encoding == ENCODE(3, 0, 4, 6, 0);
}

enum sysreg_result sysreg_read(struct cpu *cpu, uint16_t encoding, uint64_t *value)
{
    enum sysreg_result outcome;
    const struct sysreg *reg = accessible(cpu, encoding, false, &outcome);

    if (reg) {
        *value = reg->kind == CONSTANT ? reg->value
                 : reg->kind == STORED ? *storage(cpu, reg)
                                       : special_read(cpu, encoding);
        return SYSREG_OK;
    }
    if (outcome == SYSREG_UNDEFINED && cpu->pstate.el > 0 && is_gic(encoding) && cpu->bus.gic_read &&
        cpu->bus.gic_read(cpu->bus.ctx, encoding, value, cpu->now_ps))
        return SYSREG_OK;
    return outcome;
}

enum sysreg_result sysreg_write(struct cpu *cpu, uint16_t encoding, uint64_t value)
{
    enum sysreg_result outcome;
    const struct sysreg *reg = accessible(cpu, encoding, true, &outcome);

    if (!reg) {
        if (outcome == SYSREG_UNDEFINED && cpu->pstate.el > 0 && is_gic(encoding) && cpu->bus.gic_write &&
            cpu->bus.gic_write(cpu->bus.ctx, encoding, value, cpu->now_ps))
            return SYSREG_OK;
        return outcome;
    }
    if (reg->effect & TIMER) /* what the old values did until now */
        timer_update(cpu, cpu->now_ps);
    if (reg->kind == STORED)
        *storage(cpu, reg) = value;
    else if (reg->kind == SPECIAL)
        special_write(cpu, encoding, value);
    if (reg->effect & FLUSH) {
        l0_flush(cpu);
        fetch_flush(cpu);
    }
    if (reg->effect & TIMER)
        timer_update(cpu, cpu->now_ps);
    return SYSREG_OK;
}

enum sysreg_result sysreg_write_immediate(struct cpu *cpu, unsigned op1, unsigned op2, unsigned crm)
{
    if (op1 == 3 && (op2 == 6 || op2 == 7)) { /* DAIFSet, DAIFClr */
        if (cpu->pstate.el == 0 && !(cpu->sys.sctlr[1] >> 9 & 1))
            return SYSREG_TRAP;
        if (op2 == 6)
            cpu->pstate.daif |= crm << 6;
        else
            cpu->pstate.daif &= ~(crm << 6);
        return SYSREG_OK;
    }
    if (op1 != 0 || cpu->pstate.el == 0)
        return SYSREG_UNDEFINED;
    if (op2 == 5)
        special_write(cpu, ENCODE(3, 0, 4, 2, 0), crm & 1);
    else if (op2 == 4)
        special_write(cpu, ENCODE(3, 0, 4, 2, 3), (uint64_t)(crm & 1) << 22);
    else
        return SYSREG_UNDEFINED;
    return SYSREG_OK;
}

static enum sysreg_result tlbi(struct cpu *cpu, uint16_t encoding, uint64_t xt)
{
    struct tlbi_request request = {.encoding = encoding & 0x3FFF, .operand = xt};
    bool el2_form = (encoding >> 11 & 7) == 4;
    uint64_t done_ps;

    if (!mmu_tlbi_known(request.encoding) || cpu->pstate.el < (el2_form ? 2 : 1))
        return SYSREG_UNDEFINED;
    cpu->counters.tlbis++;
    mmu_tlbi(cpu, &request);
    if (mmu_tlbi_is_broadcast(request.encoding)) {
        done_ps = cpu->bus.broadcast(cpu->bus.ctx, BROADCAST_TLBI, &request, cpu->now_ps);
        if (done_ps > cpu->tlbi_done_ps)
            cpu->tlbi_done_ps = done_ps;
    }
    return SYSREG_OK;
}

enum sysreg_result sysreg_sys(struct cpu *cpu, uint16_t encoding, uint64_t xt, bool *cache_op)
{
    unsigned op1 = encoding >> 11 & 7, crn = encoding >> 7 & 15, crm = encoding >> 3 & 15, op2 = encoding & 7;

    if (crn == 8)
        return tlbi(cpu, encoding, xt);
    if (crn != 7)
        return SYSREG_UNDEFINED;
    if (crm == 8 && op1 == 0 && op2 < 4 && cpu->pstate.el > 0) {
        mmu_address_translate(cpu, op2, xt);
        return SYSREG_OK;
    }
    if (!insn_is_cache_op(encoding))
        return SYSREG_UNDEFINED;
    if (cpu->pstate.el == 0) {
        if (op1 != 3)
            return SYSREG_UNDEFINED;
        if (!(cpu->sys.sctlr[1] >> (crm == 4 ? 14 : 26) & 1))
            return SYSREG_TRAP;
    }
    *cache_op = true;
    return SYSREG_OK;
}

void sysreg_reset(struct cpu *cpu)
{
    const uint64_t SCTLR_EL1_RES1 = 0x30D00800, SCTLR_EL2_RES1 = 0x30C50830;

    cpu->sys = (struct sysregs){.sctlr = {0, SCTLR_EL1_RES1, SCTLR_EL2_RES1}};
    cpu->sys.hcr_el2 = 1ull << 31; /* RW: EL1 is AArch64 */
    cpu->sys.vpidr = cpu->config.midr;
    cpu->sys.vmpidr = cpu->config.mpidr | 1ull << 31;
    cpu->timer_checked_ps = 0;
}
