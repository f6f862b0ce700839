/* EL0 and back: what it may do, what traps, with which syndrome. */
#include "guest.h"

#define LOWER 0x400 /* vectors from a lower level in AArch64 */
/* Programs of EL0: one instruction (or a few), then SVC #99. X0 is the argument. */
#define USER_PROGRAM(name, code)                                                        \
    asm(".pushsection .user_text, \"ax\"\n" #name ": " code "\n svc #99\n.popsection"); \
    void name(void);
USER_PROGRAM(user_nothing, "nop")
USER_PROGRAM(user_add, "add x0, x0, #5\n subs xzr, x0, x0")
USER_PROGRAM(user_stack, "stp x0, x0, [sp, #-16]!\n ldr x0, [sp, #8]\n add x0, x0, #1\n add sp, sp, #16")
USER_PROGRAM(user_load, "ldr x0, [x0]")
USER_PROGRAM(user_store, "str x0, [x0]")
USER_PROGRAM(user_load_unprivileged, "ldtr x0, [x0]")
USER_PROGRAM(user_jump, "br x0")
USER_PROGRAM(user_daifset, "msr daifset, #2")
USER_PROGRAM(user_read_daif, "mrs x0, daif")
USER_PROGRAM(user_ctr, "mrs x0, ctr_el0")
USER_PROGRAM(user_ttbr, "mrs x0, ttbr0_el1")
USER_PROGRAM(user_vbar, "msr vbar_el1, x3")
USER_PROGRAM(user_clean, "dc cvac, x0")
USER_PROGRAM(user_invalidate, "dc ivac, x0")
USER_PROGRAM(user_ic, "ic ivau, x0")
USER_PROGRAM(user_zero, "dc zva, x0")
USER_PROGRAM(user_wfi, "wfi")
USER_PROGRAM(user_wfe, "sevl\n wfe") /* the event is there, so nothing traps */
USER_PROGRAM(user_cntvct, "mrs x0, cntvct_el0")
USER_PROGRAM(user_cntfrq, "mrs x0, cntfrq_el0")
USER_PROGRAM(user_cntp, "mrs x0, cntp_ctl_el0")
USER_PROGRAM(user_tpidr, "msr tpidr_el0, x0\n mrs x0, tpidr_el0")
USER_PROGRAM(user_tpidrro, "mrs x0, tpidrro_el0")
USER_PROGRAM(user_write_tpidrro, "msr tpidrro_el0, x3")
USER_PROGRAM(user_hvc, "hvc #0")
USER_PROGRAM(user_smc, "smc #0")
USER_PROGRAM(user_eret, "eret")
USER_PROGRAM(user_tlbi, "tlbi vmalle1")
USER_PROGRAM(user_brk, "brk #7")
USER_PROGRAM(user_udf, "udf #0")
USER_PROGRAM(user_currentel, "mrs x3, currentel")

#define STACK (USER_DATA + 0x10000)

static uint64_t run(void (*program)(void), uint64_t argument)
{
    trap_clear();
    return user_run((const void *)program, argument, STACK, 0);
}

static void set_sctlr(uint64_t bits)
{
    WRITE_SYSREG(sctlr_el1, SCTLR_ON | bits);
    ISB();
}

/* The program's first instruction takes an exception with this syndrome. */
static void refused(const char *what, void (*program)(void), uint64_t argument, uint64_t esr)
{
    run(program, argument);
    check_trap(what, LOWER, esr, (uint64_t)program);
}

static void allowed(const char *what, void (*program)(void), uint64_t argument)
{
    run(program, argument);
    check_trap(what, LOWER, 0x56000063, 0);
}

static void there_and_back(void)
{
    check_equal("argument and result", run(user_add, 37), 42);
    check_trap("svc at EL0", LOWER, 0x56000063, (uint64_t)user_add + 12);
    check_equal("its SPSR: EL0, flags", trap.spsr & 0xF00003FF, 0x60000000);
    check_equal("EL0's stack", run(user_stack, 99), 100);
    check_equal("CurrentEL after the return", READ_SYSREG(currentel), 4);
    check_equal("SP_EL0 after the return", READ_SYSREG(sp_el0), STACK);
}

static void memory(void)
{
    static uint64_t secret = 1;

    poke(USER_DATA, 0x1122334455667788);
    check_equal("EL0 loads its data", run(user_load, USER_DATA), 0x1122334455667788);
    run(user_store, USER_DATA + 8);
    check_equal("EL0 stores", peek(USER_DATA + 8), USER_DATA + 8);
    refused("EL0 loads EL1's data", user_load, (uint64_t)&secret, 0x9200000E);
    check_equal("its FAR", trap.far, (uint64_t)&secret);
    refused("EL0 stores to EL1's data", user_store, (uint64_t)&secret & ~7ull, 0x9200004E);
    refused("EL0 stores to its code", user_store, 0x40200800, 0x9200004E);
    refused("EL0 loads from nowhere", user_load, 0x50000000, 0x92000006);
    refused("LDTR at EL0", user_load_unprivileged, (uint64_t)&secret, 0x9200000E);
    run(user_jump, 0x40080000);
    check_trap("EL0 jumps into EL1's code", LOWER, 0x8200000E, 0x40080000);
    run(user_jump, 0x40200001);
    check_trap("EL0 jumps to an odd address", LOWER, 0x8A000000, 0x40200001);
}

static void undefined_at_el0(void)
{
    refused("TTBR0_EL1 at EL0", user_ttbr, 0, 0x02000000);
    refused("VBAR_EL1 at EL0", user_vbar, 0, 0x02000000);
    refused("HVC at EL0", user_hvc, 0, 0x02000000);
    refused("SMC at EL0", user_smc, 0, 0x02000000);
    refused("ERET at EL0", user_eret, 0, 0x02000000);
    refused("TLBI at EL0", user_tlbi, 0, 0x02000000);
    refused("DC IVAC at EL0", user_invalidate, USER_DATA, 0x02000000);
    refused("write of TPIDRRO_EL0 at EL0", user_write_tpidrro, 0, 0x02000000);
    refused("CurrentEL at EL0", user_currentel, 0, 0x02000000);
    refused("UDF at EL0", user_udf, 0, 0x02000000);
    refused("BRK at EL0", user_brk, 0, 0xF2000007);
}

/* ISS of a trapped MSR, MRS or system instruction: op0 21:20, op2 19:17, op1 16:14, CRn 13:10, Rt 9:5, CRm 4:1, read 0.
 */
#define TRAPPED(op0, op1, crn, crm, op2, rt, read) \
    (0x62000000ull | (op0) << 20 | (op2) << 17 | (op1) << 14 | (crn) << 10 | (rt) << 5 | (crm) << 1 | (read))

static void trapped_by_sctlr(void)
{
    set_sctlr(0);
    refused("CTR_EL0 without UCT", user_ctr, 0, TRAPPED(3, 3, 0, 0, 1, 0, 1));
    refused("DC CVAC without UCI", user_clean, USER_DATA, TRAPPED(1, 3, 7, 10, 1, 0, 0));
    refused("IC IVAU without UCI", user_ic, USER_DATA, TRAPPED(1, 3, 7, 5, 1, 0, 0));
    refused("DC ZVA without DZE", user_zero, USER_DATA, TRAPPED(1, 3, 7, 4, 1, 0, 0));
    if (option("silicon")) /* QEMU 7.2 exchanges op1 and op2 in this syndrome */
        refused("MSR DAIFSet without UMA", user_daifset, 0, TRAPPED(0, 3, 4, 2, 6, 31, 0));
    refused("MRS DAIF without UMA", user_read_daif, 0, TRAPPED(3, 3, 4, 2, 1, 0, 1));
    refused("WFI without nTWI", user_wfi, 0, 0x07E00000);
    set_sctlr(1 << 15 | 1 << 26 | 1 << 14 | 1 << 9 | 1 << 16 | 1 << 18);
    allowed("CTR_EL0 with UCT", user_ctr, 0);
    allowed("DC CVAC with UCI", user_clean, USER_DATA);
    allowed("IC IVAU with UCI", user_ic, USER_DATA);
    poke(USER_DATA + 0x48, 5);
    allowed("DC ZVA with DZE", user_zero, USER_DATA + 0x40);
    check_equal("what DC ZVA zeroed", peek(USER_DATA + 0x48), 0);
    allowed("MSR DAIFSet with UMA", user_daifset, 0);
    check_equal("the mask it set", trap.spsr & 0x3C0, 0x80);
    allowed("MRS DAIF with UMA", user_read_daif, 0);
    allowed("WFE with an event", user_wfe, 0);
    set_sctlr(0);
}

static void counters_and_thread_registers(void)
{
    WRITE_SYSREG(cntkctl_el1, 0);
    refused("CNTVCT without EL0VCTEN", user_cntvct, 0, TRAPPED(3, 3, 14, 0, 2, 0, 1));
    refused("CNTFRQ without either", user_cntfrq, 0, TRAPPED(3, 3, 14, 0, 0, 0, 1));
    refused("CNTP_CTL without EL0PTEN", user_cntp, 0, TRAPPED(3, 3, 14, 2, 1, 0, 1));
    WRITE_SYSREG(cntkctl_el1, 2 | 1 << 9);
    allowed("CNTVCT with EL0VCTEN", user_cntvct, 0);
    allowed("CNTFRQ with one of them", user_cntfrq, 0);
    allowed("CNTP_CTL with EL0PTEN", user_cntp, 0);
    check_equal("TPIDR_EL0", run(user_tpidr, 0x123456789), 0x123456789);
    WRITE_SYSREG(tpidrro_el0, 77);
    check_equal("TPIDRRO_EL0", run(user_tpidrro, 0), 77);
}

/* LDTR and STTR from EL1 have EL0's rights; PAN takes EL1 its access to EL0's pages. */
static void unprivileged_and_pan(void)
{
    static uint64_t secret = 3;
    uint64_t value = 9;

    trap_clear();
    asm volatile("ldtr %0, [%1]" : "+r"(value) : "r"(&secret) : "memory");
    check_trap("LDTR of EL1's data", 0x200, 0x9600000E, 0);
    check_equal("its target", value, 9);
    trap_clear();
    poke(USER_DATA, 4);
    asm volatile(".arch armv8.2-a\n msr pan, #1" ::: "memory");
    value = peek(USER_DATA);
    check_trap("load of EL0's data under PAN", 0x200, 0x9600000E, 0);
    check_equal("SPSR.PAN", trap.spsr >> 22 & 1, 1);
    trap_clear();
    asm volatile("ldtr %0, [%1]" : "=r"(value) : "r"(USER_DATA) : "memory");
    check_no_trap("LDTR of EL0's data under PAN");
    check_equal("its value", value, 4);
    asm volatile(".arch armv8.2-a\n msr pan, #0" ::: "memory");
    /* SCTLR.SPAN = 0 sets PAN at entry; ours is 1, so it stays clear, then not */
    run(user_nothing, 0);
    check_equal("PAN after an exception with SPAN", READ_SYSREG(s3_0_c4_c2_3) >> 22 & 1, 0);
}

void test_main(void)
{
    there_and_back();
    memory();
    undefined_at_el0();
    trapped_by_sctlr();
    counters_and_thread_registers();
    unprivileged_and_pan();
}
