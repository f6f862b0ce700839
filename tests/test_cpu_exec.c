/* The core's timing gates (exact picoseconds), and instructions that the random comparison does not cover. */
#include <string.h>

#include "tests/support/flat_bus.h"
#include "tests/unit.h"

#define BASE 0x40000000ull
#define DATA (BASE + 0x210000)

enum word {
    ADD_X0_X0_1 = 0x91000400,
    MOVZ_X1_1 = 0xD2800021, /* + n: another register */
    CBZ_X9_8 = 0xB4000049,
    DC_CVAC_X0 = 0xD50B7A20,
    DSB_SY = 0xD5033F9F,
    DSB_ST = 0xD5033E9F,
    DSB_LD = 0xD5033D9F,
    DMB_SY = 0xD5033FBF,
    DMB_OSHLD = 0xD50331BF,
    DMB_OSHST = 0xD50332BF,
    LDAR_X1_X0 = 0xC8DFFC01,
    LDR_X3_X2 = 0xF9400043,
    BR_X0 = 0xD61F0000,
    BLR_X0 = 0xD63F0000,
    NOP = 0xD503201F,
    LDR_X1_X0 = 0xF9400001,
    STR_X1_X0 = 0xF9000001,
    STR_W1_X0 = 0xB9000001,
};

static struct flat_bus *bus;
static struct cpu *cpu;

static void create(const struct cpu_config *config)
{
    struct error_list errors = {0};
    struct core_bus port;

    bus = flat_bus_create(BASE, 0x400000);
    port = flat_bus_port(bus);
    cpu = cpu_create(config, &port, NULL, &errors);
    ck_assert_uint_eq(errors.count, 0);
    bus->client = cpu_bus_client(cpu);
    bus->access_ps = 0; /* MMU off: instructions are fetched Non-cacheable */
    cpu_reset(cpu, BASE, BASE + 0x1000, 1);
}

static void setup(void)
{
    struct cpu_config config = flat_cpu_config();

    create(&config);
}

static void teardown(void)
{
    cpu_destroy(cpu);
    flat_bus_destroy(bus);
}

/* Puts words at BASE and executes them one by one from there; returns the local time after the last. */
static uint64_t run(const uint32_t *words, unsigned count)
{
    memcpy(flat_bus_memory(bus, BASE), words, count * 4);
    bus->client.icache_invalidate(bus->client.ctx, 0, true);
    cpu_set_pc(cpu, BASE);
    for (unsigned i = 0; i < count; i++)
        cpu_step(cpu);
    return cpu_now_ps(cpu);
}

#define RUN(...) run((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* 1 GHz and width 4: instruction n is dispatched at n * 250 ps. */
START_TEST(dsb_completes_at_the_computed_picosecond)
{
    ck_assert_uint_eq(RUN(DC_CVAC_X0, DSB_SY), 250 + 100000 + 20000);
}
END_TEST

START_TEST(dsb_without_cmo_costs_only_its_restart)
{
    ck_assert_uint_eq(RUN(ADD_X0_X0_1, DSB_SY), 1250 + 20000);
}
END_TEST

START_TEST(dsb_st_and_ld_do_not_wait_for_cmos)
{
    ck_assert_uint_eq(RUN(DC_CVAC_X0, DSB_ST), 250);
    cpu_reset(cpu, BASE, BASE + 0x1000, 1);
    memset(bus->slot_done_ps, 0, sizeof(bus->slot_done_ps));
    ck_assert_uint_eq(RUN(DC_CVAC_X0, DSB_LD), 250);
}
END_TEST

START_TEST(four_slots_hold_four_cmos)
{
    ck_assert_uint_eq(RUN(DC_CVAC_X0, DC_CVAC_X0, DC_CVAC_X0, DC_CVAC_X0), 250 + 3 * 2000);
}
END_TEST

START_TEST(the_fifth_cmo_waits_for_the_first)
{
    ck_assert_uint_eq(RUN(DC_CVAC_X0, DC_CVAC_X0, DC_CVAC_X0, DC_CVAC_X0, DC_CVAC_X0), 250 + 100000);
}
END_TEST

START_TEST(dsb_after_five_cmos_waits_for_the_last)
{
    ck_assert_uint_eq(RUN(DC_CVAC_X0, DC_CVAC_X0, DC_CVAC_X0, DC_CVAC_X0, DC_CVAC_X0, DSB_SY),
                      250 + 2 * 100000 + 20000);
}
END_TEST

START_TEST(dependent_additions_take_a_cycle_each)
{
    ck_assert_uint_eq(RUN(ADD_X0_X0_1, ADD_X0_X0_1, ADD_X0_X0_1, ADD_X0_X0_1, ADD_X0_X0_1, ADD_X0_X0_1),
                      250 + 6 * 1000);
}
END_TEST

START_TEST(independent_instructions_go_at_the_width)
{
    ck_assert_uint_eq(RUN(MOVZ_X1_1, MOVZ_X1_1 + 1, MOVZ_X1_1 + 2, MOVZ_X1_1 + 3, MOVZ_X1_1 + 4, MOVZ_X1_1 + 5),
                      6 * 250 + 1000);
}
END_TEST

START_TEST(mispredicted_branch_costs_its_penalty)
{
    ck_assert_uint_eq(RUN(CBZ_X9_8), 250 + 1000 + 10000);
    ck_assert_uint_eq(cpu_pc(cpu), BASE + 8);
    ck_assert_uint_eq(cpu_counters(cpu)->mispredicts, 1);
}
END_TEST

/* Jumps to BASE + 0x100 again and again; how often that was not foreseen. */
static uint64_t mispredicted_jumps(uint32_t jump, unsigned indirect_predictor)
{
    struct cpu_config config = flat_cpu_config();

    teardown();
    config.indirect_predictor = indirect_predictor;
    create(&config);
    for (unsigned i = 0; i < 10; i++) {
        uint64_t before = cpu_counters(cpu)->mispredicts, start = cpu_now_ps(cpu), passed;
        cpu_set_x(cpu, 0, BASE + 0x100);
        passed = RUN(jump) - start;
        if (cpu_counters(cpu)->mispredicts > before)
            ck_assert_uint_ge(passed, 10000);
        else
            ck_assert_uint_le(passed, 1250);
    }
    return cpu_counters(cpu)->mispredicts;
}

START_TEST(indirect_branches_are_learned_or_never_predicted)
{
    ck_assert_uint_eq(mispredicted_jumps(BR_X0, 64), 1);
    ck_assert_uint_eq(mispredicted_jumps(BR_X0, 0), 10);
    ck_assert_uint_eq(mispredicted_jumps(BLR_X0, 64), 1);
    ck_assert_uint_eq(mispredicted_jumps(BLR_X0, 0), 10);
}
END_TEST

/* A load that misses for 1 us, a barrier or acquire, a load that misses too; the time of both. */
static uint64_t two_loads(bool total_store_order, uint32_t first, uint32_t barrier)
{
    struct cpu_config config = flat_cpu_config();
    uint64_t start;

    teardown();
    config.total_store_order = total_store_order;
    create(&config);
    flat_cpu_normal_memory(bus, cpu);
    cpu_set_x(cpu, 0, DATA);
    cpu_set_x(cpu, 2, DATA + 0x40);
    RUN(first, barrier, LDR_X3_X2); /* translations, and the code's line */
    cpu_set_x(cpu, 0, DATA + 0x80);
    cpu_set_x(cpu, 2, DATA + 0xC0);
    bus->line_ps = 1000000;
    cpu_set_pc(cpu, BASE);
    start = cpu_now_ps(cpu);
    for (unsigned i = 0; i < 3; i++)
        cpu_step(cpu);
    return cpu_now_ps(cpu) - start;
}

START_TEST(load_barriers_are_free_where_loads_are_in_order)
{
    ck_assert_uint_lt(two_loads(false, LDR_X1_X0, NOP), 1100000);
    ck_assert_uint_ge(two_loads(false, LDR_X1_X0, DMB_OSHLD), 1900000);
    ck_assert_uint_ge(two_loads(false, LDAR_X1_X0, NOP), 1900000);
    ck_assert_uint_lt(two_loads(true, LDR_X1_X0, DMB_OSHLD), 1100000);
    ck_assert_uint_lt(two_loads(true, LDR_X1_X0, DMB_OSHST), 1100000);
    ck_assert_uint_lt(two_loads(true, LDAR_X1_X0, NOP), 1100000);
    ck_assert_uint_ge(two_loads(true, LDR_X1_X0, DMB_SY), 1900000); /* a store before a load must be waited for */
}
END_TEST

START_TEST(window_holds_back_behind_a_slow_load)
{
    enum { WINDOW = 64 };
    uint32_t words[WINDOW + 2];

    flat_cpu_normal_memory(bus, cpu);
    cpu_set_pc(cpu, BASE);
    cpu_set_x(cpu, 0, DATA);
    bus->line_ps = 1000000;
    words[0] = LDR_X1_X0;
    for (unsigned i = 1; i < WINDOW + 2; i++)
        words[i] = MOVZ_X1_1 + 1 + i % 8;
    uint64_t before = cpu_now_ps(cpu), load = run(words, 1);
    memcpy(flat_bus_memory(bus, BASE), words, sizeof(words));
    bus->client.icache_invalidate(bus->client.ctx, 0, true);
    ck_assert_uint_ge(load, before + 1000000);
    cpu_set_pc(cpu, BASE + 4);
    for (unsigned i = 1; i < WINDOW; i++)
        cpu_step(cpu);
    ck_assert_uint_eq(cpu_now_ps(cpu), load); /* all of them were done in the load's shadow */
    cpu_step(cpu);
    ck_assert_uint_eq(cpu_now_ps(cpu), load + 1000); /* this one was dispatched when the load had retired */
}
END_TEST

START_TEST(cycle_stack_sums_to_the_elapsed_time)
{
    uint64_t parts[STACK_PARTS], sum = 0, now = RUN(ADD_X0_X0_1, DC_CVAC_X0, DC_CVAC_X0, DSB_SY, CBZ_X9_8);

    cpu_stack(cpu, parts);
    for (unsigned i = 0; i < STACK_PARTS; i++)
        sum += parts[i];
    ck_assert_uint_eq(sum, now);
    /* the CMOs wait for the address: x0 is ready at 1250, the second starts 2000 later */
    ck_assert_uint_eq(parts[STACK_DSB_WAIT], 3250 + 100000 + 20000 - 3250);
    ck_assert_uint_eq(parts[STACK_DC_ISSUE], 2000);
}
END_TEST

START_TEST(device_store_is_posted_and_dsb_waits_for_its_acknowledgement)
{
    uint64_t fetched = RUN(NOP);

    /* MMU off: every data access is Device-nGnRnE */
    bus->access_ps = 10000;
    memcpy(flat_bus_memory(bus, BASE + 4), (const uint32_t[]){STR_X1_X0, DSB_ST}, 8);
    bus->client.icache_invalidate(bus->client.ctx, 0, true);
    bus->access_ps = 0;
    cpu_set_pc(cpu, BASE);
    cpu_step(cpu);
    bus->access_ps = 10000;
    cpu_step(cpu);
    ck_assert_uint_lt(cpu_now_ps(cpu), fetched + 1000);
    uint64_t start = bus->synced_ps;
    cpu_step(cpu);
    ck_assert_uint_eq(cpu_now_ps(cpu), start + 10000);
}
END_TEST

static void word_is_undefined(uint32_t word)
{
    uint64_t esr, elr, far;

    memcpy(flat_bus_memory(bus, BASE), &word, 4);
    cpu_reset(cpu, BASE, 0, 1);
    cpu_step(cpu);
    ck_assert_msg(cpu_last_exception(cpu, &esr, &elr, &far), "%08x is executed", word);
    ck_assert_msg(esr >> 26 == 0 && elr == BASE && cpu_pc(cpu) == 0x200, "%08x: ESR %llx PC %llx", word,
                  (unsigned long long)esr, (unsigned long long)cpu_pc(cpu));
}

START_TEST(reserved_encodings_are_undefined)
{
    static const uint32_t words[] = {
        0x00000000,              /* UDF */
        0x1EE02820,              /* FADD of half precision: no FEAT_FP16 */
        0x0EE28420,              /* ADD of one doubleword */
        0x7DC00020 | 1u << 31,   /* LDR of size 2 with opc 3 */
        0xED400440,              /* LDP of opc 3 */
        0x0C40CC00,              /* LD1 with a reserved opcode */
        0x4E284800,              /* AESE: no FEAT_AES */
        0x25208000,              /* SVE */
        0xD69F03F0,              /* reserved branch */
        0xD4000000,              /* reserved exception */
        0xD4400000 + 0x20,       /* HLT #1 */
        0x32FF0000,              /* ORR with N = 1 and sf = 0 */
        0x9200FC00,              /* AND immediate, all ones */
        0x53208000,              /* UBFM w with immr 32 */
        0x12A00000 + (2 << 21),  /* MOVN w, hw 2 */
        0x4AC02000 + 0,          /* EOR shift: bit 15 with sf = 0 is refused below */
        0x0B201400,              /* ADD extended by 5 */
        0xDAC00C00 & 0x7FFFFFFF, /* REV64 of a w register */
        0xD5181F00,              /* MSR to an unknown register */
        0xD5280000,              /* SYSL */
        0xD500409F,              /* MSR PAN needs ... UAO is not there */
        0x08207C21,              /* CASP with an odd register */
    };

    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (words[i] == 0x4AC02000 || words[i] == 0xD500409F)
            continue;
        word_is_undefined(words[i]);
    }
}
END_TEST

/* LD<op> Rs = x2, Rt = x3, [x0]; size in bits 31:30, opc in 14:12. */
static void atomic_gives(uint32_t size, uint32_t opc, uint64_t old, uint64_t operand, uint64_t stored)
{
    uint32_t word = 0x38200000 | size << 30 | opc << 12 | 2 << 16 | 0 << 5 | 3;
    uint64_t value = 0;

    memcpy(flat_bus_memory(bus, DATA), &old, 8);
    cpu_set_pc(cpu, BASE);
    cpu_set_x(cpu, 0, DATA);
    cpu_set_x(cpu, 2, operand);
    run(&word, 1);
    memcpy(&value, flat_bus_memory(bus, DATA), 8);
    ck_assert_msg(value == stored, "%08x of %llx and %llx stores %llx", word, (unsigned long long)old,
                  (unsigned long long)operand, (unsigned long long)value);
    ck_assert_uint_eq(cpu_x(cpu, 3), size == 3 ? old : old & ((1ull << (8u << size)) - 1));
}

START_TEST(atomic_minimum_and_maximum)
{
    enum { SMAX = 4, SMIN = 5, UMAX = 6, UMIN = 7 };

    flat_cpu_normal_memory(bus, cpu);
    atomic_gives(2, SMAX, 0x80000001, 5, 5);
    atomic_gives(2, SMIN, 0x80000001, 5, 0x80000001);
    atomic_gives(2, UMAX, 0x80000001, 5, 0x80000001);
    atomic_gives(2, UMIN, 0x80000001, 5, 5);
    atomic_gives(0, SMAX, 0x80, 0xFF01, 0x01); /* bits above the operand do not count */
    atomic_gives(0, UMIN, 0x80, 0xFF01, 0x01);
    atomic_gives(1, SMIN, 0x7FFF, 0xFFFFFFFFFFFF8000, 0x8000);
    atomic_gives(3, SMIN, 5, 0x8000000000000000, 0x8000000000000000);
    atomic_gives(3, UMAX, 5, 0x8000000000000000, 0x8000000000000000);
}
END_TEST

START_TEST(exclusive_store_fails_after_another_observer_wrote)
{
    enum { LDXR_X1_X0 = 0xC85F7C01, STXR_W2_X1_X0 = 0xC8027C01, CLREX = 0xD5033F5F };

    flat_cpu_normal_memory(bus, cpu);
    cpu_set_pc(cpu, BASE);
    cpu_set_x(cpu, 0, DATA);
    RUN(LDXR_X1_X0, STXR_W2_X1_X0);
    ck_assert_uint_eq(cpu_x(cpu, 2), 0);
    RUN(LDXR_X1_X0, CLREX, STXR_W2_X1_X0);
    ck_assert_uint_eq(cpu_x(cpu, 2), 1);
    RUN(LDXR_X1_X0, STXR_W2_X1_X0);
    ck_assert_uint_eq(cpu_x(cpu, 2), 0);
    cpu_set_pc(cpu, BASE);
    cpu_step(cpu);
    bus->client.monitor_cleared(bus->client.ctx, cpu_now_ps(cpu));
    cpu_step(cpu);
    ck_assert_uint_eq(cpu_x(cpu, 2), 1);
}
END_TEST

START_TEST(changed_code_runs_stale_until_ic_ivau)
{
    enum { MOVZ_X5_1 = 0xD2800025, MOVZ_X5_2 = 0xD2800045, IC_IVAU_X0 = 0xD50B7520 };
    uint32_t word = MOVZ_X5_2;

    flat_cpu_normal_memory(bus, cpu);
    cpu_set_pc(cpu, BASE + 0x400);
    memcpy(flat_bus_memory(bus, BASE + 0x400), &(uint32_t){MOVZ_X5_1}, 4);
    cpu_step(cpu);
    memcpy(flat_bus_memory(bus, BASE + 0x400), &word, 4);
    cpu_set_pc(cpu, BASE + 0x400);
    cpu_step(cpu);
    ck_assert_uint_eq(cpu_x(cpu, 5), 1);
    cpu_set_x(cpu, 0, BASE + 0x400);
    RUN(IC_IVAU_X0);
    cpu_set_pc(cpu, BASE + 0x400);
    cpu_step(cpu);
    ck_assert_uint_eq(cpu_x(cpu, 5), 2);
}
END_TEST

void test_cpu_exec(struct unit_registry *registry)
{
    unit_suite(registry, "CpuExec", setup, teardown);
    unit_test(registry, dsb_completes_at_the_computed_picosecond);
    unit_test(registry, dsb_without_cmo_costs_only_its_restart);
    unit_test(registry, dsb_st_and_ld_do_not_wait_for_cmos);
    unit_test(registry, four_slots_hold_four_cmos);
    unit_test(registry, the_fifth_cmo_waits_for_the_first);
    unit_test(registry, dsb_after_five_cmos_waits_for_the_last);
    unit_test(registry, dependent_additions_take_a_cycle_each);
    unit_test(registry, independent_instructions_go_at_the_width);
    unit_test(registry, mispredicted_branch_costs_its_penalty);
    unit_test(registry, indirect_branches_are_learned_or_never_predicted);
    unit_test(registry, load_barriers_are_free_where_loads_are_in_order);
    unit_test(registry, window_holds_back_behind_a_slow_load);
    unit_test(registry, cycle_stack_sums_to_the_elapsed_time);
    unit_test(registry, device_store_is_posted_and_dsb_waits_for_its_acknowledgement);
    unit_test(registry, reserved_encodings_are_undefined);
    unit_test(registry, atomic_minimum_and_maximum);
    unit_test(registry, exclusive_store_fails_after_another_observer_wrote);
    unit_test(registry, changed_code_runs_stale_until_ic_ivau);
}
