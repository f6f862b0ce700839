/* Synchronous exceptions at EL1, taken from EL1: class, syndrome, return address, vector. */
#include "guest.h"

#define SPX 0x200 /* vectors of the current level with SP_EL1 */
#define SP0 0x000

/* Runs one instruction whose address is known; more: further operands. */
#define ONE(code, ...)                                                                                        \
    ({                                                                                                        \
        uint64_t at_;                                                                                         \
        trap_clear();                                                                                         \
        asm volatile("adr %[at], 1f\n1: " code : [at] "=&r"(at_) : __VA_ARGS__ : "memory", "cc", "x0", "x1"); \
        at_;                                                                                                  \
    })
#define ONE_PLAIN(code) ONE(code, [none] "r"(0))

static void calls_and_breakpoints(void)
{
    uint64_t at = ONE_PLAIN("svc #0x1234");

    check_trap("svc", SPX, 0x56001234, at + 4);
    check_equal("svc saves PSTATE", trap.spsr & 0x0FFFFFFF, 0x3C5);
    at = ONE_PLAIN("brk #0xf001");
    check_trap("brk", SPX, 0xF200F001, at);
    at = ONE_PLAIN("hlt #1");
    check_trap("hlt of another number", SPX, 0x02000000, at);
}

static void flags_are_kept(void)
{
    uint64_t nzcv;

    trap_clear();
    asm volatile("msr nzcv, %1\n svc #0\n mrs %0, nzcv" : "=r"(nzcv) : "r"(0xA0000000ull) : "memory", "cc");
    check_equal("NZCV after the return", nzcv, 0xA0000000);
    check_equal("NZCV in SPSR", trap.spsr >> 28, 0xA);
}

static void undefined(void)
{
    uint64_t at = ONE_PLAIN(".inst 0x00000000");

    check_trap("udf", SPX, 0x02000000, at);
    at = ONE_PLAIN("mrs x0, hcr_el2");
    check_trap("EL2 register at EL1", SPX, 0x02000000, at);
    at = ONE_PLAIN(".inst 0x4821fc82");
    check_trap("casp of odd registers", SPX, 0x02000000, at);
    at = ONE_PLAIN(".inst 0xfa400010");
    check_trap("ccmp with bit 4", SPX, 0x02000000, at);
    at = ONE_PLAIN(".inst 0x72c00000");
    check_trap("movk of a W register, shifted by 32", SPX, 0x02000000, at);
    at = ONE_PLAIN("mrs x0, currentel\n .inst 0x0b208000 | 5 << 10");
    check_trap("add extended by 5", SPX, 0x02000000, at + 4);
    at = ONE_PLAIN("msr s3_0_c0_c0_0, x0");
    check_trap("write to MIDR_EL1", SPX, 0x02000000, at);
}

static void instruction_address(void)
{
    trap_clear();
    call_at((const void *)0x40080002, 0);
    check_trap("branch to a misaligned address", SPX, 0x8A000000, 0x40080002);
    check_equal("its FAR", trap.far, 0x40080002);
    trap_clear();
    call_at((const void *)0x50000000, 0); /* not mapped: level 2, for level 1 has a table there */
    check_trap("fetch from an unmapped address", SPX, 0x86000006, 0x50000000);
    check_equal("its FAR", trap.far, 0x50000000);
    trap_clear();
    call_at((const void *)0x8000000000, 0); /* outside both ranges */
    check_trap("fetch outside of the address space", SPX, 0x86000004, 0x8000000000);
    trap_clear();
    call_at((const void *)0x09000000, 0);
    check_trap("fetch from a page that may not execute", SPX, 0x8600000E, 0x09000000);
}

static void data_addresses(void)
{
    uint64_t at = ONE("ldr x0, [%[address]]", [address] "r"(0x50000008ull));

    check_trap("load from an unmapped address", SPX, 0x96000006, at);
    check_equal("its FAR", trap.far, 0x50000008);
    at = ONE("str x0, [%[address]]", [address] "r"(0x50000008ull));
    check_trap("store to an unmapped address", SPX, 0x96000046, at);
    at = ONE("ldr x0, [%[address], #8]!", [address] "r"(0x8000000000ull));
    check_trap("load outside of the address space", SPX, 0x96000004, at);
    check_equal("its FAR", trap.far, 0x8000000008);
    at = ONE("str x0, [%[address]]", [address] "r"(0x40200000ull));
    check_trap("store to a read-only block", SPX, 0x9600004E, at);
    at = ONE("ldr x0, [%[address]]", [address] "r"(0x403FFFFCull));
    check_no_trap("load across two blocks");
    if (option("silicon")) { /* QEMU's cache operations do nothing */
        at = ONE("dc cvac, %[address]", [address] "r"(0x50000008ull));
        check_trap("cache operation on an unmapped address", SPX, 0x96000146, at);
    }
    at = ONE("swp x0, x1, [%[address]]", [address] "r"(0x50000008ull));
    check_equal("swp to an unmapped address: class and status", trap.esr & ~0x40ull, 0x96000006);
}

/* A load pair or a write-back that aborts leaves its base alone. */
static void aborted_write_back(void)
{
    uint64_t base = 0x50000000, a = 1, b = 2;

    trap_clear();
    asm volatile("ldr %1, [%0], #16" : "+r"(base), "+r"(a)::"memory");
    check_equal("base of an aborted load", base, 0x50000000);
    check_equal("target of an aborted load", a, 1);
    asm volatile("ldp %1, %2, [%0, #32]!" : "+r"(base), "+r"(a), "+r"(b)::"memory");
    check_equal("base of an aborted pair", base, 0x50000000);
    check_equal("exceptions", trap.count, 2);
}

static void alignment(void)
{
    uint64_t at;

    at = ONE("ldr x0, [%[address]]", [address] "r"(SPARE + 3));
    check_no_trap("unaligned load of Normal memory");
    at = ONE("ldxr x0, [%[address]]", [address] "r"(SPARE + 4));
    check_trap("unaligned exclusive", SPX, 0x96000021, at);
    check_equal("its FAR", trap.far, SPARE + 4);
    at = ONE("ldadd x0, x1, [%[address]]", [address] "r"(SPARE + 1));
    check_equal("unaligned atomic: class and status", trap.esr & ~0x40ull, 0x96000021);
    at = ONE("ldar w0, [%[address]]", [address] "r"(SPARE + 2));
    check_trap("unaligned load-acquire", SPX, 0x96000021, at);
    at = ONE("stlr w0, [%[address]]", [address] "r"(SPARE + 2));
    check_trap("unaligned store-release", SPX, 0x96000061, at);
    WRITE_SYSREG(sctlr_el1, SCTLR_ON | 1 << 1);
    ISB();
    at = ONE("ldr x0, [%[address]]", [address] "r"(SPARE + 4));
    WRITE_SYSREG(sctlr_el1, SCTLR_ON);
    ISB();
    check_trap("unaligned load with SCTLR.A", SPX, 0x96000021, at);
    if (option("silicon")) { /* QEMU 7.2 does not check it */
        at = ONE("ldr w0, [%[address]]", [address] "r"(0x09000002ull));
        check_trap("unaligned load of Device memory", SPX, 0x96000021, at);
    }
}

/* SP_EL0 misaligned and in use at EL1: SCTLR.SA decides (QEMU does not check it). */
static void stack_alignment(void)
{
    uint64_t at = 0;

    for (unsigned checked = 0; checked < 2; checked++) {
        WRITE_SYSREG(sctlr_el1, SCTLR_ON | checked << 3);
        WRITE_SYSREG(sp_el0, SPARE + 8);
        ISB();
        trap_clear();
        asm volatile("adr %0, 1f\n msr spsel, #0\n1: ldr x0, [sp]\n msr spsel, #1" : "=&r"(at)::"x0", "memory");
        if (checked)
            check_trap("misaligned stack", SP0, 0x9A000000, at);
        else
            check_no_trap("misaligned stack, not checked");
    }
    WRITE_SYSREG(sctlr_el1, SCTLR_ON);
    ISB();
}

static void stack_pointers(void)
{
    uint64_t sp0 = 0, sp1_before, sp1_after;

    WRITE_SYSREG(sp_el0, SPARE + 0x100);
    trap_clear();
    asm volatile("mov %1, sp\n msr spsel, #0\n mov %0, sp\n svc #3\n msr spsel, #1\n mov %2, sp"
                 : "=&r"(sp0), "=&r"(sp1_before), "=&r"(sp1_after)::"memory");
    check_equal("SP with SPSel = 0", sp0, SPARE + 0x100);
    check_equal("SP with SPSel = 1", sp1_after, sp1_before);
    check_trap("svc on SP_EL0", SP0, 0x56000003, 0);
    check_equal("its SPSR", trap.spsr & 0x1F, 4);
}

/* ERET with SPSR.IL, and to a level that does not exist here: PSTATE.IL, then class 0x0E at the target. */
static void illegal_state(void)
{
    static const uint64_t saved[] = {0x1003C5, 0x3C9, 0x3C1};

    for (unsigned i = 0; i < sizeof(saved) / sizeof(saved[0]); i++) {
        uint64_t at;
        trap_clear();
        asm volatile("adr %0, 1f\n msr elr_el1, %0\n msr spsr_el1, %2\n adr x0, 2f\n str x0, %1\n eret\n"
                     "1: nop\n nop\n2: nop"
                     : "=&r"(at), "=m"(trap.resume)
                     : "r"(saved[i])
                     : "x0", "memory", "cc");
        check_trap("illegal state", SPX, 0x3A000000, at);
        check_equal("SPSR.IL", trap.spsr >> 20 & 1, 1);
        asm volatile("msr daifset, #15");
    }
}

static void external_abort(void)
{
    uint64_t at = ONE("ldr w0, [%[address]]", [address] "r"(0x0B000000ull));

    check_trap("load where nothing answers", SPX, 0x96000010, at);
    check_equal("its FAR", trap.far, 0x0B000000);
}

void test_main(void)
{
    calls_and_breakpoints();
    flags_are_kept();
    undefined();
    instruction_address();
    data_addresses();
    aborted_write_back();
    alignment();
    if (option("silicon"))
        stack_alignment();
    stack_pointers();
    illegal_state();
    external_abort();
}
