/* SIMD&FP instructions beside what random ones compare: alignment, faults, latencies, names. */
#include <string.h>

#include "cpu/simd.h"
#include "tests/support/flat_bus.h"
#include "tests/unit.h"

#define BASE 0x40000000ull
#define DATA 0x40210000ull

enum {
    LD1_16B_V0_V3 = 0x4C402000, /* ld1 {v0.16b-v3.16b}, [x0] */
    LD4_4S = 0x4C400800,        /* ld4 {v0.4s-v3.4s}, [x0] */
    ST1_4S = 0x4C007800,        /* st1 {v0.4s}, [x0] */
    LDR_Q0 = 0x3DC00000,
    STP_Q0_Q1 = 0xAD000400,  /* stp q0, q1, [x0] */
    FADD_D = 0x1E612800,     /* fadd d0, d0, d1 */
    FADD_OTHER = 0x1E612842, /* fadd d2, d2, d1 */
    FDIV_D = 0x1E611800,
    FDIV_S = 0x1E211800,
};

static struct flat_bus *bus;
static struct cpu *cpu;
static uint64_t exceptions_before;

static void setup(void)
{
    struct error_list errors = {0};
    struct cpu_config config = flat_cpu_config();
    struct core_bus port;

    bus = flat_bus_create(BASE, 0x400000);
    port = flat_bus_port(bus);
    cpu = cpu_create(&config, &port, NULL, &errors);
    ck_assert_uint_eq(errors.count, 0);
    bus->client = cpu_bus_client(cpu);
    flat_cpu_normal_memory(bus, cpu);
    cpu->sys.cpacr = 3 << 20;
    exceptions_before = cpu_counters(cpu)->exceptions;
    for (unsigned i = 0; i < 256; i++)
        *flat_bus_memory(bus, DATA + i) = (uint8_t)i;
}

static void teardown(void)
{
    cpu_destroy(cpu);
    flat_bus_destroy(bus);
}

static uint64_t exceptions(void)
{
    return cpu_counters(cpu)->exceptions - exceptions_before;
}

static void run(const uint32_t *words, unsigned count)
{
    memcpy(flat_bus_memory(bus, BASE), words, count * sizeof(*words));
    bus->client.icache_invalidate(bus->client.ctx, 0, true);
    cpu_set_pc(cpu, BASE);
    for (unsigned i = 0; i < count; i++)
        cpu_step(cpu);
}

static void run_one(uint32_t word)
{
    run(&word, 1);
}

/* With SCTLR_EL1.A each element must be aligned to its own size, not the whole. */
START_TEST(structures_are_aligned_by_element)
{
    cpu->sys.sctlr[1] |= 2;
    cpu_set_x(cpu, 0, DATA + 1);
    run_one(LD1_16B_V0_V3);
    ck_assert_uint_eq(exceptions(), 0);
    ck_assert_uint_eq(cpu->v[3].b[15], 64);
    cpu_set_x(cpu, 0, DATA + 4);
    run_one(LD4_4S);
    ck_assert_uint_eq(exceptions(), 0);
    ck_assert_uint_eq(cpu->v[1].s[0], 0x0B0A0908);
    ck_assert_uint_eq(cpu->v[0].s[1], 0x17161514);
    cpu_set_x(cpu, 0, DATA + 2);
    run_one(LD4_4S);
    ck_assert_uint_eq(exceptions(), 1);
    ck_assert_uint_eq(cpu->sys.esr[1], 0x96000021);
    ck_assert_uint_eq(cpu->sys.far_[1], DATA + 2);
    cpu_set_x(cpu, 0, DATA + 8);
    run_one(LDR_Q0);
    ck_assert_uint_eq(exceptions(), 2);
}
END_TEST

/* A structure whose second part is not mapped leaves base and registers as they were. */
START_TEST(fault_in_a_structure_changes_no_register)
{
    const uint32_t POST_INDEX = 0x4CDF2000; /* ld1 {v0.16b-v3.16b}, [x0], #64 */
    uint64_t end = BASE + 0x400000 - 32;

    cpu->v[0] = (union vector){.d = {1, 2}};
    cpu_set_x(cpu, 0, end);
    run_one(POST_INDEX);
    ck_assert_uint_eq(exceptions(), 1);
    ck_assert_uint_eq(cpu->sys.far_[1], end + 32);
    ck_assert_uint_eq(cpu_x(cpu, 0), end);
    ck_assert_uint_eq(cpu->v[0].d[0], 1);
    ck_assert_uint_eq(cpu->v[0].d[1], 2);
}
END_TEST

START_TEST(pair_of_quadwords_is_stored_whole)
{
    cpu->v[0] = (union vector){.d = {0x1111111111111111, 0x2222222222222222}};
    cpu->v[1] = (union vector){.d = {0x3333333333333333, 0x4444444444444444}};
    for (uint64_t at = DATA + 0x100; at < DATA + 0x180; at += 8) { /* in a line and across two */
        cpu_set_x(cpu, 0, at);
        run_one(STP_Q0_Q1);
        ck_assert_mem_eq(flat_bus_memory(bus, at), cpu->v, 32);
    }
}
END_TEST

static uint64_t cycles_of(const uint32_t *words, unsigned count)
{
    uint64_t start;

    run(words, count); /* the instructions are in the cache, the predictors know them */
    cpu_set_pc(cpu, BASE);
    start = cpu_now_ps(cpu);
    for (unsigned i = 0; i < count; i++)
        cpu_step(cpu);
    return (cpu_now_ps(cpu) - start) * cpu->config.freq_hz / 1000000000000;
}

/* A chain takes the sum of its latencies, independent instructions overlap. */
START_TEST(latencies_add_up_along_a_chain)
{
    uint32_t chain[32], pair[32];

    for (unsigned i = 0; i < 32; i++) {
        chain[i] = FADD_D;
        pair[i] = i % 2 ? FADD_OTHER : FADD_D;
    }
    ck_assert_uint_eq(cycles_of(chain, 32), 32 * cpu->config.fp_add_cycles);
    ck_assert_uint_eq(cycles_of(pair, 32), 16 * cpu->config.fp_add_cycles);
    for (unsigned i = 0; i < 32; i++)
        chain[i] = FDIV_D;
    ck_assert_uint_eq(cycles_of(chain, 32), 32 * cpu->config.fp_div_cycles);
    for (unsigned i = 0; i < 32; i++)
        chain[i] = FDIV_S;
    ck_assert_uint_eq(cycles_of(chain, 32), 32 * cpu->config.fp_div_cycles * 5 / 8);
}
END_TEST

START_TEST(names)
{
    static const struct {
        uint32_t word;
        const char *name;
    } cases[] = {
        {FADD_D, "FADD (scalar)"},      {0x4E22D420, "FADD"},  {0x6E211C00, "EOR"},
        {0x4E083C00, "UMOV"},           {0x2F0DA400, "USHLL"}, {0x1F420020, "FMADD"},
        {0x5E280800 & 0, NULL},         {0x0E020000, "TBL"},   {0x6F00E400, "MOVI (doubleword)"},
        {0x7E30D800, "FADDP (scalar)"},
    };

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct insn insn = {0};
        ck_assert_int_eq(simd_decode(cases[i].word, &insn), cases[i].name != NULL);
        if (cases[i].name)
            ck_assert_str_eq(simd_name(&insn), cases[i].name);
    }
}
END_TEST

void test_cpu_simd(struct unit_registry *registry)
{
    unit_suite(registry, "CpuSimd", setup, teardown);
    unit_test(registry, structures_are_aligned_by_element);
    unit_test(registry, fault_in_a_structure_changes_no_register);
    unit_test(registry, pair_of_quadwords_is_stored_whole);
    unit_test(registry, latencies_add_up_along_a_chain);
    unit_test(registry, names);
}
