/* System registers: what exists at which level, values, traps, storage. */
#include "tests/support/system_bench.h"
#include "tests/unit.h"

static struct system_bench *bench;
static struct cpu *cpu;

static void setup(void)
{
    bench = bench_create(1, 0);
    cpu = bench->cpu;
}

static void teardown(void)
{
    bench_destroy(bench);
}

#define R          BENCH_REG
#define NZCV       R(3, 3, 4, 2, 0)
#define DAIF       R(3, 3, 4, 2, 1)
#define SPSel      R(3, 0, 4, 2, 0)
#define PAN        R(3, 0, 4, 2, 3)
#define CTR        R(3, 3, 0, 0, 1)
#define PMCR       R(3, 3, 9, 12, 0)
#define PMCNTENSET R(3, 3, 9, 12, 1)
#define PMCNTENCLR R(3, 3, 9, 12, 2)
#define PMCCNTR    R(3, 3, 9, 13, 0)
#define PMUSERENR  R(3, 3, 9, 14, 0)
#define CNTFRQ     R(3, 3, 14, 0, 0)
#define CNTPCT     R(3, 3, 14, 0, 1)
#define CNTVCT     R(3, 3, 14, 0, 2)
#define CNTP_CTL   R(3, 3, 14, 2, 1)
#define CNTV_CTL   R(3, 3, 14, 3, 1)

static uint64_t read_register(uint16_t encoding)
{
    uint64_t value = 0xDEAD;

    ck_assert_msg(sysreg_read(cpu, encoding, &value) == SYSREG_OK, "%04x is not readable", encoding);
    return value;
}

static void write_register(uint16_t encoding, uint64_t value)
{
    ck_assert_msg(sysreg_write(cpu, encoding, value) == SYSREG_OK, "%04x is not writable", encoding);
}

static enum sysreg_result outcome(uint16_t encoding)
{
    uint64_t value;

    return sysreg_read(cpu, encoding, &value);
}

START_TEST(identity)
{
    static const struct {
        uint16_t encoding;
        uint64_t value;
    } cases[] = {
        {R(3, 0, 0, 0, 0), 0x410fd0b1}, /* MIDR */
        {R(3, 0, 0, 0, 5), 0x80000000}, /* MPIDR */
        {R(3, 0, 0, 0, 6), 0},          /* REVIDR */
        {R(3, 0, 0, 4, 0), 0x01000011}, /* PFR0: FP and SIMD, GICv3 registers, AArch64 EL0 and EL1 */
        {R(3, 0, 0, 4, 1), 0},          /* PFR1 */
        {R(3, 0, 0, 5, 0), 0x00101106}, /* DFR0 */
        {R(3, 0, 0, 6, 0), 0x00210000}, /* ISAR0: LSE, CRC32 */
        {R(3, 0, 0, 6, 1), 0x00200001}, /* ISAR1: LDAPUR, DC CVAP */
        {R(3, 0, 0, 7, 0), 0x00100025}, /* MMFR0: 48 bits, ASID 16, 4K 16K 64K */
        {R(3, 0, 0, 7, 1), 0x00100000}, /* MMFR1: PAN */
        {R(3, 0, 0, 7, 2), 0},          /* MMFR2 */
        {CTR, 0x8444C004},
        {R(3, 3, 0, 0, 7), 4},          /* DCZID: 64 bytes */
        {R(3, 1, 0, 0, 1), 0x0A200023}, /* CLIDR: LoC 2, LoUU = LoUIS = 1 */
        {R(3, 0, 4, 2, 2), 4},          /* CurrentEL */
        {CNTFRQ, 1000000000},
    };

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ck_assert_uint_eq(read_register(cases[i].encoding), cases[i].value);
        ck_assert_int_eq(sysreg_write(cpu, cases[i].encoding, 0), SYSREG_UNDEFINED);
    }
    cpu->config.lse = false;
    ck_assert_uint_eq(read_register(R(3, 0, 0, 6, 0)), 0x00010000);
    cpu->has_el2 = true;
    ck_assert_uint_eq(read_register(R(3, 0, 0, 4, 0)), 0x01000111);
}
END_TEST

START_TEST(cache_geometry)
{
    write_register(R(3, 2, 0, 0, 0), 0);
    ck_assert_uint_eq(read_register(R(3, 1, 0, 0, 0)), 0x701FE01A); /* 64 KiB, 4 ways */
    write_register(R(3, 2, 0, 0, 0), 2);
    ck_assert_uint_eq(read_register(R(3, 1, 0, 0, 0)), 0x70FFE07A); /* 2 MiB, 16 ways */
}
END_TEST

/* Registers that only keep what is written: all 64 bits come back, and nothing else changes. */
START_TEST(stored)
{
    static const uint16_t encodings[] = {
        R(3, 0, 1, 0, 0),  R(3, 0, 1, 0, 1),  R(3, 0, 1, 0, 2),  R(3, 0, 2, 0, 0),  R(3, 0, 2, 0, 1),
        R(3, 0, 2, 0, 2),  R(3, 0, 10, 2, 0), R(3, 0, 10, 3, 0), R(3, 0, 13, 0, 1), R(3, 0, 7, 4, 0),
        R(3, 0, 12, 0, 0), R(3, 0, 5, 2, 0),  R(3, 0, 6, 0, 0),  R(3, 0, 4, 0, 1),  R(3, 0, 4, 0, 0),
        R(3, 0, 4, 1, 0),  R(3, 0, 5, 1, 0),  R(3, 0, 5, 1, 1),  R(3, 3, 13, 0, 2), R(3, 3, 13, 0, 3),
        R(3, 0, 13, 0, 4), R(3, 0, 14, 1, 0), R(3, 3, 14, 2, 2), R(3, 3, 14, 3, 2), R(2, 0, 0, 2, 2),
    };
    const unsigned count = sizeof(encodings) / sizeof(encodings[0]);

    for (unsigned i = 0; i < count; i++)
        write_register(encodings[i], 0x1122334455660000ull + i * 16); /* even SCTLR: M stays 0 */
    for (unsigned i = 0; i < count; i++)
        ck_assert_uint_eq(read_register(encodings[i]), 0x1122334455660000ull + i * 16);
}
END_TEST

/* EL0 reaches exactly these; with everything allowed and with everything forbidden. */
START_TEST(whole_space_at_el0)
{
    static const uint16_t always[] = {
        R(3, 3, 0, 0, 7), NZCV, R(3, 3, 4, 4, 0), R(3, 3, 4, 4, 1), R(3, 3, 13, 0, 2), R(3, 3, 13, 0, 3), PMUSERENR};
    static const uint16_t trapped[] = {CTR,
                                       DAIF,
                                       CNTFRQ,
                                       CNTPCT,
                                       CNTVCT,
                                       R(3, 3, 14, 2, 0),
                                       CNTP_CTL,
                                       R(3, 3, 14, 2, 2),
                                       R(3, 3, 14, 3, 0),
                                       CNTV_CTL,
                                       R(3, 3, 14, 3, 2),
                                       PMCR,
                                       PMCNTENSET,
                                       PMCNTENCLR,
                                       PMCCNTR,
                                       R(3, 3, 9, 12, 3),
                                       R(3, 3, 9, 12, 4),
                                       R(3, 3, 9, 12, 5),
                                       R(3, 3, 9, 12, 6),
                                       R(3, 3, 9, 12, 7),
                                       R(3, 3, 9, 13, 1),
                                       R(3, 3, 9, 13, 2),
                                       R(3, 3, 9, 14, 3),
                                       R(3, 3, 14, 15, 7)};
    unsigned ok = 0, traps = 0;

    cpu->sys.cpacr = 3 << 20;
    cpu->pstate.el = 0;
    for (uint32_t encoding = 0x8000; encoding < 0x10000; encoding++) {
        ok += outcome((uint16_t)encoding) == SYSREG_OK;
        traps += outcome((uint16_t)encoding) == SYSREG_TRAP;
    }
    ck_assert_uint_eq(ok, sizeof(always) / sizeof(always[0]));
    ck_assert_uint_eq(traps, sizeof(trapped) / sizeof(trapped[0]));
    for (unsigned i = 0; i < ok; i++)
        ck_assert_int_eq(outcome(always[i]), SYSREG_OK);
    for (unsigned i = 0; i < traps; i++)
        ck_assert_int_eq(outcome(trapped[i]), SYSREG_TRAP);
    cpu->sys.sctlr[1] |= 1 << 15 | 1 << 9;
    cpu->sys.cntkctl = 0x303;
    cpu->sys.pmuserenr = 1;
    for (unsigned i = 0; i < traps; i++)
        ck_assert_int_eq(outcome(trapped[i]), SYSREG_OK);
    ck_assert_int_eq(sysreg_write(cpu, R(3, 3, 13, 0, 3), 0), SYSREG_UNDEFINED); /* TPIDRRO */
    ck_assert_int_eq(sysreg_write(cpu, PMUSERENR, 0), SYSREG_UNDEFINED);
    ck_assert_int_eq(sysreg_write(cpu, R(3, 3, 13, 0, 2), 5), SYSREG_OK);
}
END_TEST

/* Each control bit opens its own registers. */
START_TEST(el0_controls_one_by_one)
{
    static const struct {
        uint64_t cntkctl;
        uint16_t open[4];
    } cases[] = {{1 << 0, {CNTPCT, CNTFRQ}}, {1 << 1, {CNTVCT, CNTFRQ}}, {1 << 9, {CNTP_CTL}}, {1 << 8, {CNTV_CTL}}};
    static const uint16_t all[] = {CNTFRQ, CNTPCT, CNTVCT, CNTP_CTL, CNTV_CTL};

    cpu->pstate.el = 0;
    for (unsigned i = 0; i < 4; i++) {
        cpu->sys.cntkctl = cases[i].cntkctl;
        for (unsigned n = 0; n < 5; n++) {
            bool open = all[n] == cases[i].open[0] || all[n] == cases[i].open[1];
            ck_assert_int_eq(outcome(all[n]), open ? SYSREG_OK : SYSREG_TRAP);
        }
    }
    cpu->sys.pmuserenr = 4; /* CR */
    ck_assert_int_eq(outcome(PMCCNTR), SYSREG_OK);
    ck_assert_int_eq(sysreg_write(cpu, PMCCNTR, 0), SYSREG_TRAP);
    ck_assert_int_eq(outcome(PMCR), SYSREG_TRAP);
}
END_TEST

/* At EL1: nothing of EL2 and EL3, nothing unknown; identification space that has no name reads as zero. */
START_TEST(whole_space_at_el1)
{
    static const uint16_t unknown[] = {R(3, 4, 1, 0, 0),  R(3, 4, 4, 1, 0), R(3, 6, 1, 0, 0), R(3, 5, 1, 0, 0),
                                       R(3, 0, 4, 2, 4),  R(3, 3, 4, 2, 5), R(3, 0, 0, 0, 1), R(3, 3, 2, 4, 0),
                                       R(3, 0, 15, 0, 0), R(3, 3, 14, 0, 5)};
    unsigned readable = 0;

    cpu->sys.cpacr = 3 << 20;
    for (unsigned i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        ck_assert_int_eq(outcome(unknown[i]), SYSREG_UNDEFINED);
        ck_assert_int_eq(sysreg_write(cpu, unknown[i], 0), SYSREG_UNDEFINED);
    }
    for (unsigned crm = 1; crm < 8; crm++)
        for (unsigned op2 = 0; op2 < 8; op2++) {
            ck_assert_int_eq(outcome(R(3, 0, 0, crm, op2)), SYSREG_OK);
            ck_assert_int_eq(sysreg_write(cpu, R(3, 0, 0, crm, op2), 0), SYSREG_UNDEFINED);
        }
    ck_assert_uint_eq(read_register(R(3, 0, 0, 7, 3)), 0); /* ID_AA64MMFR3_EL1 */
    for (uint32_t encoding = 0x8000; encoding < 0x10000; encoding++) {
        enum sysreg_result result = outcome((uint16_t)encoding);
        ck_assert_int_ne(result, SYSREG_TRAP);
        readable += result == SYSREG_OK;
        ck_assert(result != SYSREG_OK || (encoding >> 11 & 7) < 4);
    }
    ck_assert_uint_eq(readable, 56 + 77); /* identification space; the named ones outside it */
}
END_TEST

/* Bits without a function are RES0; without access nothing happens. */
START_TEST(floating_point_registers)
{
    const uint16_t FPCR = R(3, 3, 4, 4, 0), FPSR = R(3, 3, 4, 4, 1);

    ck_assert_int_eq(outcome(FPCR), SYSREG_TRAP_FP);
    ck_assert_int_eq(sysreg_write(cpu, FPSR, 1), SYSREG_TRAP_FP);
    cpu->sys.cpacr = 1 << 20; /* EL1 only */
    write_register(FPCR, ~0ull);
    write_register(FPSR, ~0ull);
    ck_assert_uint_eq(read_register(FPCR), 0x07C00000);
    ck_assert_uint_eq(read_register(FPSR), 0x0800009F);
    cpu->pstate.el = 0;
    ck_assert_int_eq(outcome(FPCR), SYSREG_TRAP_FP);
}
END_TEST

START_TEST(el2_registers)
{
    teardown();
    bench = bench_create(2, 0);
    cpu = bench->cpu;
    ck_assert_uint_eq(read_register(R(3, 4, 1, 1, 0)), 0x80000000); /* HCR: RW */
    write_register(R(3, 4, 1, 1, 0), 0x80000038);
    ck_assert_uint_eq(read_register(R(3, 4, 1, 1, 0)), 0x80000038);
    write_register(R(3, 4, 4, 1, 0), 0x1230); /* SP_EL1 */
    ck_assert_uint_eq(read_register(R(3, 4, 4, 1, 0)), 0x1230);
    ck_assert_uint_eq(read_register(R(3, 4, 0, 0, 0)), 0x410fd0b1); /* VPIDR starts as MIDR */
    write_register(R(3, 4, 0, 0, 0), 0x1234);
    write_register(R(3, 4, 0, 0, 5), 0x80000042);
    write_register(R(3, 4, 14, 0, 3), (uint64_t)-100); /* CNTVOFF */
    ck_assert_uint_eq(read_register(CNTVCT), read_register(CNTPCT) + 100);
    ck_assert_uint_eq(read_register(R(3, 0, 0, 0, 0)), 0x410fd0b1);
    ck_assert_uint_eq(read_register(R(3, 0, 4, 2, 2)), 8);
    pstate_set(cpu, 0x3C5);
    ck_assert_uint_eq(read_register(R(3, 0, 0, 0, 0)), 0x1234);
    ck_assert_uint_eq(read_register(R(3, 0, 0, 0, 5)), 0x80000042);
    ck_assert_uint_eq(cpu->x[31], 0x1230);
    ck_assert_int_eq(outcome(R(3, 4, 1, 1, 0)), SYSREG_UNDEFINED);
}
END_TEST

START_TEST(pstate_fields)
{
    write_register(NZCV, 0xFFFFFFFFA0000000ull);
    ck_assert_uint_eq(read_register(NZCV), 0xA0000000);
    write_register(DAIF, ~0ull);
    ck_assert_uint_eq(read_register(DAIF), 0x3C0);
    write_register(DAIF, 0x80);
    ck_assert_uint_eq(read_register(DAIF), 0x80);
    ck_assert_int_eq(sysreg_write_immediate(cpu, 3, 6, 0x3), SYSREG_OK); /* DAIFSet: I, F */
    ck_assert_uint_eq(read_register(DAIF), 0xC0);
    ck_assert_int_eq(sysreg_write_immediate(cpu, 3, 7, 0x2), SYSREG_OK); /* DAIFClr: I */
    ck_assert_uint_eq(read_register(DAIF), 0x40);
    write_register(PAN, ~0ull);
    ck_assert_uint_eq(read_register(PAN), 1 << 22);
    ck_assert_int_eq(sysreg_write_immediate(cpu, 0, 4, 0), SYSREG_OK);
    ck_assert_uint_eq(read_register(PAN), 0);
    ck_assert_int_eq(sysreg_write_immediate(cpu, 0, 5, 0), SYSREG_OK); /* SPSel */
    ck_assert_uint_eq(read_register(SPSel), 0);
    ck_assert_int_eq(outcome(R(3, 0, 4, 1, 0)), SYSREG_UNDEFINED);            /* SP_EL0 is the stack pointer now */
    ck_assert_int_eq(sysreg_write_immediate(cpu, 0, 3, 1), SYSREG_UNDEFINED); /* UAO: not implemented */
    ck_assert_int_eq(sysreg_write_immediate(cpu, 3, 1, 1), SYSREG_UNDEFINED); /* SSBS */
    ck_assert_int_eq(sysreg_write_immediate(cpu, 3, 2, 1), SYSREG_UNDEFINED); /* DIT */
    cpu->pstate.el = 0;
    ck_assert_int_eq(sysreg_write_immediate(cpu, 3, 6, 1), SYSREG_TRAP);
    ck_assert_int_eq(sysreg_write_immediate(cpu, 0, 4, 1), SYSREG_UNDEFINED);
    cpu->sys.sctlr[1] |= 1 << 9; /* UMA */
    ck_assert_int_eq(sysreg_write_immediate(cpu, 3, 6, 1), SYSREG_OK);
}
END_TEST

START_TEST(interrupt_status)
{
    ck_assert_uint_eq(read_register(R(3, 0, 12, 1, 0)), 0);
    cpu_set_irq(cpu, true);
    ck_assert_uint_eq(read_register(R(3, 0, 12, 1, 0)), 0x80);
    cpu_set_fiq(cpu, true);
    cpu_set_irq(cpu, false);
    ck_assert_uint_eq(read_register(R(3, 0, 12, 1, 0)), 0x40);
}
END_TEST

/* 1 GHz: one cycle a nanosecond; only while enabled in both places. */
START_TEST(cycle_counter)
{
    cpu->now_ps = 5000000;
    ck_assert_uint_eq(read_register(PMCCNTR), 0);
    write_register(PMCR, 1);
    write_register(PMCNTENSET, ~0ull);
    ck_assert_uint_eq(read_register(PMCNTENSET), 0x80000000);
    cpu->now_ps += 123456;
    ck_assert_uint_eq(read_register(PMCCNTR), 123);
    write_register(PMCCNTR, 1ull << 40);
    cpu->now_ps += 10000;
    ck_assert_uint_eq(read_register(PMCCNTR), (1ull << 40) + 10);
    write_register(PMCNTENCLR, 0x80000000);
    cpu->now_ps += 10000;
    ck_assert_uint_eq(read_register(PMCCNTR), (1ull << 40) + 10);
    write_register(PMCNTENSET, 0x80000000);
    cpu->now_ps += 10000;
    ck_assert_uint_eq(read_register(PMCCNTR), (1ull << 40) + 20);
    write_register(PMCR, 1 | 4); /* C: reset */
    ck_assert_uint_eq(read_register(PMCR), 1);
    cpu->now_ps += 7000;
    ck_assert_uint_eq(read_register(PMCCNTR), 7);
    write_register(PMCR, 0);
    cpu->now_ps += 7000;
    ck_assert_uint_eq(read_register(PMCCNTR), 7);
}
END_TEST

START_TEST(cache_operations_at_el0)
{
    static const struct {
        uint16_t encoding;
        unsigned bit; /* of SCTLR_EL1; 0: EL1 only */
    } cases[] = {{BENCH_SYS(3, 7, 10, 1), 26}, {BENCH_SYS(3, 7, 11, 1), 26}, {BENCH_SYS(3, 7, 12, 1), 26},
                 {BENCH_SYS(3, 7, 14, 1), 26}, {BENCH_SYS(3, 7, 5, 1), 26},  {BENCH_SYS(3, 7, 4, 1), 14},
                 {BENCH_SYS(0, 7, 6, 1), 0},   {BENCH_SYS(0, 7, 6, 2), 0},   {BENCH_SYS(0, 7, 1, 0), 0},
                 {BENCH_SYS(0, 7, 5, 0), 0}};

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool cache_op = false;
        cpu->pstate.el = 1;
        cpu->sys.sctlr[1] = 0;
        ck_assert_int_eq(sysreg_sys(cpu, cases[i].encoding, 0, &cache_op), SYSREG_OK);
        ck_assert(cache_op);
        cpu->pstate.el = 0;
        ck_assert_int_eq(sysreg_sys(cpu, cases[i].encoding, 0, &cache_op),
                         cases[i].bit ? SYSREG_TRAP : SYSREG_UNDEFINED);
        cpu->sys.sctlr[1] = 1ull << cases[i].bit;
        ck_assert_int_eq(sysreg_sys(cpu, cases[i].encoding, 0, &cache_op), cases[i].bit ? SYSREG_OK : SYSREG_UNDEFINED);
    }
    cpu->pstate.el = 1;
    ck_assert_int_eq(sysreg_sys(cpu, BENCH_SYS(3, 7, 13, 1), 0, &(bool){0}), SYSREG_UNDEFINED); /* CVADP */
    ck_assert_uint_eq(read_register(R(3, 3, 0, 0, 7)), 4);
    cpu->pstate.el = 0;
    ck_assert_uint_eq(read_register(R(3, 3, 0, 0, 7)), 4 | 16); /* DZP: DC ZVA is prohibited here */
}
END_TEST

/* The instructions and the syndrome of their traps. */
START_TEST(instructions)
{
    static const struct {
        uint32_t word;
        uint64_t esr; /* from EL0 */
    } cases[] = {
        {A64_MRS(5, CTR), 0x62000000 | 3 << 20 | 1 << 17 | 3 << 14 | 0 << 10 | 5 << 5 | 0 << 1 | 1},
        {A64_MSR(DAIF, 7), 0x62000000 | 3 << 20 | 1 << 17 | 3 << 14 | 4 << 10 | 7 << 5 | 2 << 1 | 0},
        {A64_MRS(31, CNTVCT), 0x62000000 | 3 << 20 | 2 << 17 | 3 << 14 | 14 << 10 | 31 << 5 | 0 << 1 | 1},
        {0xD50B7A23 /* dc cvac, x3 */, 0x62000000 | 1 << 20 | 1 << 17 | 3 << 14 | 7 << 10 | 3 << 5 | 10 << 1 | 0},
        {0xD50342DF /* msr daifset, #2 */, 0x62000000 | 0 << 20 | 6 << 17 | 3 << 14 | 4 << 10 | 31 << 5 | 2 << 1 | 0},
        {A64_WFI, 0x05E00000 | 1 << 25},
        {A64_WFE, 0x05E00001 | 1 << 25},
        {A64_MRS(0, R(3, 0, 1, 0, 0)), 0x02000000}, /* SCTLR_EL1: Undefined */
        {0xD508871F /* tlbi vmalle1 */, 0x02000000},
    };

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const uint32_t code[] = {cases[i].word, A64_LOOP};
        cpu->sys.sctlr[1] = 0;
        cpu->event_register = false;
        pstate_set(cpu, 0x3C0);
        bench_run(bench, code, 2, 6);
        ck_assert_msg(cpu->sys.esr[1] == cases[i].esr, "%08x: ESR %08llx, not %08llx", cases[i].word,
                      (unsigned long long)cpu->sys.esr[1], (unsigned long long)cases[i].esr);
        ck_assert_uint_eq(cpu->sys.elr[1], BENCH_CODE);
    }
}
END_TEST

START_TEST(write_then_read_by_instructions)
{
    const uint32_t code[] = {A64_MSR(R(3, 0, 13, 0, 4), 1), A64_MRS(2, R(3, 0, 13, 0, 4)),
                             A64_MRS(3, R(3, 0, 0, 7, 0)),  A64_MSR(R(3, 0, 13, 0, 4), 31),
                             A64_MRS(4, R(3, 0, 13, 0, 4)), A64_LOOP};

    cpu->x[1] = 0xFEDCBA9876543210ull;
    cpu->x[4] = 1;
    bench_run(bench, code, 6, 10);
    ck_assert_uint_eq(cpu->x[2], 0xFEDCBA9876543210ull);
    ck_assert_uint_eq(cpu->x[3], 0x00100025);
    ck_assert_uint_eq(cpu->x[4], 0);
    ck_assert_uint_eq(cpu->counters.exceptions, 0);
}
END_TEST

void test_cpu_system(struct unit_registry *r);
void test_cpu_system(struct unit_registry *r)
{
    unit_suite(r, "CpuSystem", setup, teardown);
    unit_test(r, identity);
    unit_test(r, cache_geometry);
    unit_test(r, stored);
    unit_test(r, whole_space_at_el0);
    unit_test(r, el0_controls_one_by_one);
    unit_test(r, whole_space_at_el1);
    unit_test(r, floating_point_registers);
    unit_test(r, el2_registers);
    unit_test(r, pstate_fields);
    unit_test(r, interrupt_status);
    unit_test(r, cycle_counter);
    unit_test(r, cache_operations_at_el0);
    unit_test(r, instructions);
    unit_test(r, write_then_read_by_instructions);
}
