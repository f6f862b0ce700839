/* Exception entry and return: vectors, saved state, syndrome, masks, stacks, cost. */
#include "tests/support/system_bench.h"
#include "tests/unit.h"

static struct system_bench *bench;
static struct cpu *cpu;

static void begin(unsigned el)
{
    bench = bench_create(el, 0);
    cpu = bench->cpu;
}

static void setup(void)
{
    begin(1);
}

static void teardown(void)
{
    bench_destroy(bench);
}

/* Runs one instruction at BENCH_CODE and then the loop at the vector. */
static void run_one(uint32_t word)
{
    const uint32_t code[] = {word, A64_LOOP};

    bench_run(bench, code, 2, 6);
}

static void assert_entered(unsigned el, uint64_t pc, uint64_t esr, uint64_t elr, uint64_t spsr)
{
    ck_assert_uint_eq(cpu->pc, pc);
    ck_assert_uint_eq(cpu->pstate.el, el);
    ck_assert_uint_eq(cpu->sys.esr[el], esr);
    ck_assert_uint_eq(cpu->sys.elr[el], elr);
    ck_assert_uint_eq(cpu->sys.spsr[el], spsr);
}

START_TEST(svc_from_el1)
{
    pstate_set(cpu, 0x60000005); /* ZC, nothing masked, EL1h */
    run_one(A64_SVC(0x1234));
    assert_entered(1, BENCH_VECTORS + 0x200, 0x56001234, BENCH_CODE + 4, 0x60000005);
    ck_assert_uint_eq(pstate_get(cpu), 0x600003C5);
    ck_assert_uint_eq(cpu->counters.exceptions, 1);
}
END_TEST

START_TEST(vector_of_each_origin)
{
    static const struct {
        uint32_t spsr;
        uint64_t offset;
    } cases[] = {{0x3C4, 0x000}, {0x3C5, 0x200}, {0x3C0, 0x400}};

    for (unsigned i = 0; i < 3; i++) {
        pstate_set(cpu, 0x3C5);
        pstate_set(cpu, cases[i].spsr);
        run_one(A64_SVC(i));
        assert_entered(1, BENCH_VECTORS + cases[i].offset, 0x56000000 | i, BENCH_CODE + 4, cases[i].spsr);
        ck_assert_uint_eq(pstate_get(cpu), 0x3C5);
    }
    cpu->sys.vbar[1] = BENCH_VECTORS | 0x7FF; /* RES0 bits */
    run_one(A64_SVC(0));
    ck_assert_uint_eq(cpu->pc, BENCH_VECTORS + 0x200);
}
END_TEST

START_TEST(undefined_and_breakpoint)
{
    run_one(0x00000000); /* UDF #0 */
    assert_entered(1, BENCH_VECTORS + 0x200, 0x02000000, BENCH_CODE, 0x3C5);
    run_one(A64_BRK(0xF001));
    assert_entered(1, BENCH_VECTORS + 0x200, 0xF200F001, BENCH_CODE, 0x3C5);
    run_one(A64_HVC(1)); /* no EL2 */
    assert_entered(1, BENCH_VECTORS + 0x200, 0x02000000, BENCH_CODE, 0x3C5);
    run_one(A64_SMC(1)); /* no EL3 */
    assert_entered(1, BENCH_VECTORS + 0x200, 0x02000000, BENCH_CODE, 0x3C5);
    run_one(0x1EE04000); /* FMOV H0, H0: no FEAT_FP16 */
    assert_entered(1, BENCH_VECTORS + 0x200, 0x02000000, BENCH_CODE, 0x3C5);
}
END_TEST

/* Each way to the SIMD&FP registers: data processing, load, pair, literal, structure, FPCR. */
START_TEST(floating_point_traps)
{
    static const uint32_t words[] = {0x1E604000, 0x3DC00000, 0xAD000000, 0x1C000000,
                                     0x0C407000, 0xD53B4400, 0xD51B4420};

    for (unsigned fpen = 0; fpen < 4; fpen++)
        for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
            bool at_el1 = !(fpen & 1), at_el0 = fpen != 3;
            cpu->sys.cpacr = fpen << 20;
            cpu->x[0] = BENCH_DATA;
            pstate_set(cpu, 0x3C5);
            run_one(words[i]);
            ck_assert_uint_eq(cpu->pc, at_el1 ? BENCH_VECTORS + 0x200 : BENCH_CODE + 4);
            if (at_el1)
                assert_entered(1, BENCH_VECTORS + 0x200, 0x1FE00000, BENCH_CODE, 0x3C5);
            cpu->x[0] = BENCH_DATA;
            pstate_set(cpu, 0x3C0);
            run_one(words[i]);
            if (at_el0)
                assert_entered(1, BENCH_VECTORS + 0x400, 0x1FE00000, BENCH_CODE, 0x3C0);
            else
                ck_assert_uint_eq(cpu->pc, BENCH_CODE + 4);
        }
}
END_TEST

START_TEST(floating_point_traps_to_el2)
{
    teardown();
    begin(2);
    run_one(0x1E604000);
    ck_assert_uint_eq(cpu->pc, BENCH_CODE + 4); /* CPACR_EL1 does not concern EL2 */
    cpu->sys.cptr_el2 = 1 << 10;
    run_one(0x1E604000);
    assert_entered(2, BENCH_VECTORS2 + 0x200, 0x1FE00000, BENCH_CODE, 0x3C9);
    pstate_set(cpu, 0x3C5);
    run_one(0x1E604000); /* EL1's own trap goes first */
    assert_entered(1, BENCH_VECTORS + 0x200, 0x1FE00000, BENCH_CODE, 0x3C5);
    cpu->sys.cpacr = 3 << 20;
    run_one(0x1E604000);
    assert_entered(2, BENCH_VECTORS2 + 0x400, 0x1FE00000, BENCH_CODE, 0x3C5);
}
END_TEST

START_TEST(hvc_to_el2)
{
    teardown();
    begin(2);
    run_one(A64_HVC(7)); /* from EL2 itself */
    assert_entered(2, BENCH_VECTORS2 + 0x200, 0x5A000007, BENCH_CODE + 4, 0x3C9);
    pstate_set(cpu, 0x3C5);
    cpu->sys.elr[1] = 0x1111;
    run_one(A64_HVC(8));
    assert_entered(2, BENCH_VECTORS2 + 0x400, 0x5A000008, BENCH_CODE + 4, 0x3C5);
    ck_assert_uint_eq(cpu->sys.elr[1], 0x1111);
    pstate_set(cpu, 0x3C0);
    run_one(A64_HVC(8)); /* Undefined at EL0, and that goes to EL1 */
    assert_entered(1, BENCH_VECTORS + 0x400, 0x02000000, BENCH_CODE, 0x3C0);
    pstate_set(cpu, 0x3C5);
    run_one(A64_SMC(1));
    assert_entered(1, BENCH_VECTORS + 0x200, 0x02000000, BENCH_CODE, 0x3C5);
}
END_TEST

/* FAR and WnR, from both levels; the translation faults are made by an unmapped page. */
START_TEST(data_aborts)
{
    bench_mmu_on(bench, 12, 39);
    bench_map(bench, &bench->lower, BENCH_RAM, 1, BENCH_RAM, DESC_AP(0));
    bench_map(bench, &bench->lower, 0x1000, 3, BENCH_DATA, DESC_AP(2));
    cpu->x[0] = 0x2004;
    run_one(0xF9400001); /* ldr x1, [x0] */
    assert_entered(1, BENCH_VECTORS + 0x200, 0x96000007, BENCH_CODE, 0x3C5);
    ck_assert_uint_eq(cpu->sys.far_[1], 0x2004);
    run_one(0xF9000001); /* str x1, [x0] */
    ck_assert_uint_eq(cpu->sys.esr[1], 0x96000047);
    cpu->x[0] = 0x1008;
    run_one(0xF9000001);
    ck_assert_uint_eq(cpu->sys.esr[1], 0x9600004F);
    ck_assert_uint_eq(cpu->sys.far_[1], 0x1008);
    cpu->x[0] = 0x1FFC;
    run_one(0xF9400001); /* the second page of the access faults: its address */
    ck_assert_uint_eq(cpu->sys.esr[1], 0x96000007);
    ck_assert_uint_eq(cpu->sys.far_[1], 0x2000);
    cpu->x[0] = 0x1008;
    run_one(0xF8210002); /* ldadd x1, x2, [x0]: the write is what fails */
    ck_assert_uint_eq(cpu->sys.esr[1], 0x9600004F);
    cpu->x[0] = 0x2000;
    run_one(0xF8210002); /* a read would fail too */
    ck_assert_uint_eq(cpu->sys.esr[1], 0x96000007);
    run_one(0xC8A17C02); /* cas x1, x2, [x0] */
    ck_assert_uint_eq(cpu->sys.esr[1], 0x96000007);
    cpu->x[0] = 0x3000;
    run_one(0xD50B7A20); /* dc cvac, x0: CM, and WnR reads as 1 */
    ck_assert_uint_eq(cpu->sys.esr[1], 0x96000147);
    cpu->x[0] = 0x1000;
    run_one(0xD5087620); /* dc ivac, x0 of a read-only page */
    ck_assert_uint_eq(cpu->sys.esr[1], 0x9600014F);
    cpu->sys.esr[1] = 0;
    run_one(0xD50B7A20); /* dc cvac needs no permission at EL1 */
    ck_assert_uint_eq(cpu->sys.esr[1], 0);
}
END_TEST

/* PAN does not touch DC CVAC of a user page, a load of it aborts. */
START_TEST(pan_and_cache_maintenance)
{
    bench_mmu_on(bench, 12, 39);
    bench_map(bench, &bench->lower, BENCH_RAM, 1, BENCH_RAM, DESC_AP(0));
    bench_map(bench, &bench->lower, 0x1000, 3, BENCH_DATA, DESC_AP(1));
    cpu->pstate.pan = 1;
    cpu->x[0] = 0x1000;
    run_one(0xD50B7A20); /* dc cvac, x0 */
    run_one(0xD5087620); /* dc ivac, x0 */
    ck_assert_uint_eq(cpu->counters.exceptions, 0);
    run_one(0xF9400001); /* ldr x1, [x0] */
    ck_assert_uint_eq(cpu->sys.esr[1], 0x9600000F);
    ck_assert_uint_eq(cpu->sys.spsr[1], 0x004003C5);
}
END_TEST

START_TEST(external_abort)
{
    cpu->x[0] = 0x1000; /* nothing there, MMU off */
    run_one(0xF9400001);
    assert_entered(1, BENCH_VECTORS + 0x200, 0x96000010, BENCH_CODE, 0x3C5);
    ck_assert_uint_eq(cpu->sys.far_[1], 0x1000);
}
END_TEST

START_TEST(alignment)
{
    cpu->x[0] = BENCH_DATA + 1; /* MMU off: Device */
    run_one(0xF9400001);
    ck_assert_uint_eq(cpu->sys.esr[1], 0x96000021);
    ck_assert_uint_eq(cpu->sys.far_[1], BENCH_DATA + 1);
    cpu->x[31] = BENCH_DATA + 8;
    cpu->sys.sctlr[1] |= 1 << 3; /* SA */
    cpu->sys.far_[1] = 0x5555;
    run_one(0xF94003E1); /* ldr x1, [sp] */
    ck_assert_uint_eq(cpu->sys.esr[1], 0x9A000000);
    ck_assert_uint_eq(cpu->sys.far_[1], 0x5555); /* not written */
    cpu->x[0] = BENCH_CODE + 2;
    run_one(0xD61F0000); /* br x0 */
    assert_entered(1, BENCH_VECTORS + 0x200, 0x8A000000, BENCH_CODE + 2, 0x3C5);
    ck_assert_uint_eq(cpu->sys.far_[1], BENCH_CODE + 2);
}
END_TEST

START_TEST(instruction_aborts)
{
    bench_mmu_on(bench, 12, 39);
    bench_map(bench, &bench->lower, BENCH_RAM, 1, BENCH_RAM, DESC_AP(0));
    bench_map(bench, &bench->lower, 0x3000, 3, BENCH_DATA, DESC_AP(2) | DESC_UXN);
    cpu->x[0] = 0x2000;
    run_one(0xD61F0000); /* br x0 */
    assert_entered(1, BENCH_VECTORS + 0x200, 0x86000007, 0x2000, 0x3C5);
    ck_assert_uint_eq(cpu->sys.far_[1], 0x2000);
    pstate_set(cpu, 0x3C0);
    cpu->x[0] = 0x3000;
    run_one(0xD61F0000);
    assert_entered(1, BENCH_VECTORS + 0x400, 0x8200000F, 0x3000, 0x3C0);
}
END_TEST

START_TEST(pan_on_entry_follows_span)
{
    cpu->sys.sctlr[1] |= 1 << 23;
    run_one(A64_SVC(0));
    ck_assert_uint_eq(pstate_get(cpu), 0x3C5);
    cpu->pstate.pan = 1;
    run_one(A64_SVC(0)); /* SPAN = 1: unchanged */
    ck_assert_uint_eq(pstate_get(cpu), 0x004003C5);
    cpu->pstate.pan = 0;
    cpu->sys.sctlr[1] &= ~(1ull << 23);
    run_one(A64_SVC(0));
    ck_assert_uint_eq(pstate_get(cpu), 0x004003C5);
    ck_assert_uint_eq(cpu->sys.spsr[1], 0x3C5);
}
END_TEST

START_TEST(interrupts_and_masks)
{
    cpu_set_irq(cpu, true);
    run_one(A64_NOP);
    ck_assert_uint_eq(cpu->counters.exceptions, 0); /* masked */
    pstate_set(cpu, 0x345);                         /* I clear */
    run_one(A64_NOP);
    assert_entered(1, BENCH_VECTORS + 0x280, 0, BENCH_CODE, 0x345);
    ck_assert_uint_eq(pstate_get(cpu), 0x3C5);
    cpu_set_fiq(cpu, true);
    pstate_set(cpu, 0x385); /* F clear, I set */
    run_one(A64_NOP);
    assert_entered(1, BENCH_VECTORS + 0x300, 0, BENCH_CODE, 0x385);
    pstate_set(cpu, 0x300); /* both clear, EL0: FIQ first */
    run_one(A64_NOP);
    assert_entered(1, BENCH_VECTORS + 0x500, 0, BENCH_CODE, 0x300);
    cpu_set_fiq(cpu, false);
    pstate_set(cpu, 0x300);
    run_one(A64_NOP);
    assert_entered(1, BENCH_VECTORS + 0x480, 0, BENCH_CODE, 0x300);
}
END_TEST

START_TEST(eret_to_el0_switches_stacks)
{
    cpu->x[31] = 0x1110;
    cpu->sys.sp[0] = 0x2220;
    cpu->sys.spsr[1] = 0x90000000; /* N V, EL0t */
    cpu->sys.elr[1] = BENCH_CODE + 0x100;
    *(uint32_t *)flat_bus_memory(&bench->flat, BENCH_CODE + 0x100) = A64_LOOP;
    cpu->event_register = false;
    cpu->exclusive_valid = true;
    run_one(A64_ERET);
    ck_assert_uint_eq(cpu->pc, BENCH_CODE + 0x100);
    ck_assert_uint_eq(pstate_get(cpu), 0x90000000);
    ck_assert_uint_eq(cpu->x[31], 0x2220);
    ck_assert_uint_eq(cpu->sys.sp[1], 0x1110);
    ck_assert(cpu->event_register); /* set by an exception return */
    ck_assert(!cpu->exclusive_valid);
    cpu->x[31] = 0x3330;
    run_one(A64_SVC(0));
    ck_assert_uint_eq(cpu->x[31], 0x1110);
    ck_assert_uint_eq(cpu->sys.sp[0], 0x3330);
    run_one(0xD50040BF); /* msr spsel, #0 */
    ck_assert_uint_eq(cpu->x[31], 0x3330);
    ck_assert_uint_eq(cpu->sys.sp[1], 0x1110);
}
END_TEST

START_TEST(eret_at_el0_is_undefined)
{
    pstate_set(cpu, 0x3C0);
    run_one(A64_ERET);
    assert_entered(1, BENCH_VECTORS + 0x400, 0x02000000, BENCH_CODE, 0x3C0);
}
END_TEST

/* To EL2, EL3, EL0h, a reserved mode, AArch32: EL and SP stay, NZCV, PAN and DAIF come from SPSR, IL is set and taken.
 */
START_TEST(illegal_returns)
{
    static const uint32_t modes[] = {0x9, 0x8, 0xD, 0x1, 0x2, 0x6, 0x7, 0x10, 0x13};

    for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        pstate_set(cpu, 0x3C5);
        cpu->sys.sctlr[1] |= 1 << 23;
        cpu->sys.spsr[1] = 0x60400000 | modes[i] | 0x280; /* Z C, PAN, D and I */
        cpu->sys.elr[1] = 0x7770;
        run_one(A64_ERET);
        assert_entered(1, BENCH_VECTORS + 0x200, 0x3A000000, 0x7770, 0x60500285);
        ck_assert_uint_eq(pstate_get(cpu), 0x604003C5);
    }
}
END_TEST

/* SPSR.IL = 1 in a legal return: the instruction there is not executed. */
START_TEST(return_with_il)
{
    cpu->sys.spsr[1] = 1 << 21 | 1 << 20; /* EL0t; SS is not taken over */
    cpu->sys.elr[1] = BENCH_CODE + 0x100;
    run_one(A64_ERET);
    assert_entered(1, BENCH_VECTORS + 0x400, 0x3A000000, BENCH_CODE + 0x100, 0x00100000);
}
END_TEST

START_TEST(el2_to_el1_and_back)
{
    teardown();
    begin(2);
    cpu->x[31] = 0x1110;
    cpu->sys.spsr[2] = 0x3C5;
    cpu->sys.sp[1] = 0x4440;
    cpu->sys.elr[2] = BENCH_CODE + 0x100;
    *(uint32_t *)flat_bus_memory(&bench->flat, BENCH_CODE + 0x100) = A64_HVC(3);
    run_one(A64_ERET);
    assert_entered(2, BENCH_VECTORS2 + 0x400, 0x5A000003, BENCH_CODE + 0x104, 0x3C5);
    ck_assert_uint_eq(cpu->x[31], 0x1110);
    ck_assert_uint_eq(cpu->sys.sp[1], 0x4440);
}
END_TEST

START_TEST(entry_and_return_cost)
{
    uint64_t before = cpu->now_ps;

    exception_sync(cpu, EC_SVC64, 0, BENCH_CODE, 0, false);
    ck_assert_uint_eq(cpu->now_ps, before + 20000); /* 20 cycles of 1 ns */
    cpu->sys.spsr[1] = 0x3C5;
    exception_return(cpu, BENCH_CODE);
    ck_assert_uint_eq(cpu->now_ps, before + 40000);
    ck_assert_uint_eq(cpu->stack_ps[STACK_BRANCH] / TICKS_PER_PS, 40000);
}
END_TEST

START_TEST(last_exception_is_remembered)
{
    uint64_t esr, elr, far_address;

    ck_assert(!cpu_last_exception(cpu, &esr, &elr, &far_address));
    cpu->x[0] = 0x1000;
    run_one(0xF9400001);
    ck_assert(cpu_last_exception(cpu, &esr, &elr, &far_address));
    ck_assert_uint_eq(esr, 0x96000010);
    ck_assert_uint_eq(elr, BENCH_CODE);
    ck_assert_uint_eq(far_address, 0x1000);
}
END_TEST

/* A vector that faults at once: the core reports that it is stuck instead of running for ever. */
START_TEST(exception_loop_is_noticed)
{
    cpu->sys.vbar[1] = 0x1000; /* no memory */
    *(uint32_t *)flat_bus_memory(&bench->flat, BENCH_CODE) = A64_SVC(0);
    cpu->pc = BENCH_CODE;
    ck_assert_int_eq(cpu_run(cpu), CPU_STOP_STUCK);
    ck_assert_uint_eq(cpu->sys.esr[1], 0x86000010);
}
END_TEST

void test_cpu_exception(struct unit_registry *r);
void test_cpu_exception(struct unit_registry *r)
{
    unit_suite(r, "CpuException", setup, teardown);
    unit_test(r, svc_from_el1);
    unit_test(r, vector_of_each_origin);
    unit_test(r, undefined_and_breakpoint);
    unit_test(r, floating_point_traps);
    unit_test(r, floating_point_traps_to_el2);
    unit_test(r, hvc_to_el2);
    unit_test(r, data_aborts);
    unit_test(r, pan_and_cache_maintenance);
    unit_test(r, external_abort);
    unit_test(r, alignment);
    unit_test(r, instruction_aborts);
    unit_test(r, pan_on_entry_follows_span);
    unit_test(r, interrupts_and_masks);
    unit_test(r, eret_to_el0_switches_stacks);
    unit_test(r, eret_at_el0_is_undefined);
    unit_test(r, illegal_returns);
    unit_test(r, return_with_il);
    unit_test(r, el2_to_el1_and_back);
    unit_test(r, entry_and_return_cost);
    unit_test(r, last_exception_is_remembered);
    unit_test(r, exception_loop_is_noticed);
}
