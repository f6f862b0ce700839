/* The TLB and its maintenance: what stays stale, what each TLBI takes away. */
#include <string.h>

#include "tests/support/system_bench.h"
#include "tests/unit.h"

#define VA1    0x1000ull
#define VA2    0x2000ull
#define VA3    0x3000ull
#define ASID1  0x0101ull
#define ASID2  0x0202ull
#define OLD_PA BENCH_DATA
#define NEW_PA (BENCH_DATA + 0x10000)

static struct system_bench *bench;
static struct bench_tables el2_tables;

static void setup(void)
{
    bench = bench_create(2, 0);
    bench_mmu_on_el2(bench, 12, 39);
    el2_tables = bench->lower;
    bench_mmu_on(bench, 12, 39);
}

static void teardown(void)
{
    bench_destroy(bench);
}

static uint64_t pa_of(uint64_t va, unsigned el, uint64_t asid)
{
    struct cpu *cpu = bench->cpu;
    unsigned before = cpu->pstate.el;
    struct translation t;

    cpu->pstate.el = (uint8_t)el;
    cpu->sys.ttbr0[1] = bench->lower.root | asid << 48;
    t = mmu_translate(cpu, va, MMU_READ, false, 0);
    cpu->pstate.el = (uint8_t)before;
    return t.fault ? 0 : t.pa;
}

/* The five entries that every form is tried on. */
enum { VA1_ASID1 = 1, VA2_ASID1 = 2, VA1_ASID2 = 4, VA3_GLOBAL = 8, VA1_EL2 = 16, NOTHING = 0 };
static const struct {
    uint64_t va;
    unsigned el;
    uint64_t asid;
} entries[] = {{VA1, 1, ASID1}, {VA2, 1, ASID1}, {VA1, 1, ASID2}, {VA3, 1, ASID1}, {VA1, 2, 0}};

static void map_all(uint64_t pa)
{
    bench_map(bench, &bench->lower, VA1, 3, pa, DESC_NG);
    bench_map(bench, &bench->lower, VA2, 3, pa, DESC_NG);
    bench_map(bench, &bench->lower, VA3, 3, pa, 0);
    bench_map(bench, &el2_tables, VA1, 3, pa, 0);
}

/* Fills the TLB, changes the tables, executes the TLBI; which entries are gone? */
static unsigned gone_after(uint16_t encoding, uint64_t operand, unsigned el)
{
    bool cache_op = false;
    unsigned gone = 0;

    map_all(OLD_PA);
    for (unsigned i = 0; i < 5; i++)
        ck_assert_uint_eq(pa_of(entries[i].va, entries[i].el, entries[i].asid), OLD_PA);
    map_all(NEW_PA);
    for (unsigned i = 0; i < 5; i++) /* really stale */
        ck_assert_uint_eq(pa_of(entries[i].va, entries[i].el, entries[i].asid), OLD_PA);
    bench->cpu->pstate.el = (uint8_t)el;
    ck_assert_int_eq(sysreg_sys(bench->cpu, encoding, operand, &cache_op), SYSREG_OK);
    ck_assert(!cache_op);
    for (unsigned i = 0; i < 5; i++)
        if (pa_of(entries[i].va, entries[i].el, entries[i].asid) == NEW_PA)
            gone |= 1u << i;
    sysreg_sys(bench->cpu, BENCH_SYS(0, 8, 7, 0), 0, &cache_op);
    bench->cpu->pstate.el = 2;
    sysreg_sys(bench->cpu, BENCH_SYS(4, 8, 7, 0), 0, &cache_op);
    return gone;
}

#define OPERAND(asid, va) ((asid) << 48 | (va) >> 12)
#define ALL_EL1           (VA1_ASID1 | VA2_ASID1 | VA1_ASID2 | VA3_GLOBAL)

static const struct {
    const char *name;
    unsigned op1, op2, el;
    uint64_t operand;
    unsigned gone;
} forms[] = {
    {"VMALLE1", 0, 0, 1, 0, ALL_EL1},
    {"VAE1", 0, 1, 1, OPERAND(ASID1, VA1), VA1_ASID1},
    {"VAE1 other ASID", 0, 1, 1, OPERAND(ASID2, VA1), VA1_ASID2},
    {"VAE1 nobody's ASID", 0, 1, 1, OPERAND(0x0303ull, VA1), NOTHING},
    {"VAE1 global", 0, 1, 1, OPERAND(0x0303ull, VA3), VA3_GLOBAL},
    {"ASIDE1", 0, 2, 1, OPERAND(ASID1, VA3), VA1_ASID1 | VA2_ASID1},
    {"VAAE1", 0, 3, 1, OPERAND(0x0303ull, VA1), VA1_ASID1 | VA1_ASID2},
    {"VALE1", 0, 5, 1, OPERAND(ASID1, VA1), VA1_ASID1},
    {"VALE1 other page", 0, 5, 1, OPERAND(ASID1, VA2), VA2_ASID1},
    {"VAALE1", 0, 7, 1, OPERAND(0ull, VA1), VA1_ASID1 | VA1_ASID2},
    {"VAALE1 TTL hint", 0, 7, 1, OPERAND(0ull, VA1) | 7ull << 44, VA1_ASID1 | VA1_ASID2},
    {"VMALLE1 at EL2", 0, 0, 2, 0, ALL_EL1},
    {"ALLE2", 4, 0, 2, 0, VA1_EL2},
    {"VAE2", 4, 1, 2, OPERAND(0ull, VA1), VA1_EL2},
    {"VAE2 other", 4, 1, 2, OPERAND(0ull, VA2), NOTHING},
    {"VALE2", 4, 5, 2, OPERAND(0ull, VA1), VA1_EL2},
    {"ALLE1", 4, 4, 2, 0, ALL_EL1},
    {"VMALLS12E1", 4, 6, 2, 0, ALL_EL1},
};

START_TEST(each_form_takes_exactly_its_entries)
{
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        unsigned local = gone_after(BENCH_SYS(forms[i].op1, 8, 7, forms[i].op2), forms[i].operand, forms[i].el);
        unsigned broadcasts = bench->flat.broadcasts;
        unsigned shared;
        ck_assert_msg(local == forms[i].gone, "%s: %02x gone, not %02x", forms[i].name, local, forms[i].gone);
        shared = gone_after(BENCH_SYS(forms[i].op1, 8, 3, forms[i].op2), forms[i].operand, forms[i].el);
        ck_assert_msg(shared == forms[i].gone, "%sIS: %02x gone, not %02x", forms[i].name, shared, forms[i].gone);
        ck_assert_uint_eq(bench->flat.broadcasts, broadcasts + 1);
        ck_assert_uint_eq(bench->last_broadcast.encoding, BENCH_SYS(forms[i].op1, 8, 3, forms[i].op2));
        ck_assert_uint_eq(bench->last_broadcast.operand, forms[i].operand);
    }
}
END_TEST

/* There is no stage 2: invalidation by IPA is accepted and finds nothing. */
START_TEST(by_ipa_takes_nothing)
{
    ck_assert_uint_eq(gone_after(BENCH_SYS(4, 8, 4, 1), 1, 2), NOTHING);
    ck_assert_uint_eq(gone_after(BENCH_SYS(4, 8, 4, 5), 1, 2), NOTHING);
    ck_assert_uint_eq(bench->flat.broadcasts, 0);
    ck_assert_uint_eq(gone_after(BENCH_SYS(4, 8, 0, 1), 1, 2), NOTHING);
    ck_assert_uint_eq(bench->flat.broadcasts, 1);
}
END_TEST

START_TEST(unknown_forms_are_undefined)
{
    static const struct {
        uint16_t encoding;
        uint8_t el;
    } cases[] = {
        {BENCH_SYS(0, 8, 2, 1), 1},                                                         /* RVAE1IS */
        {BENCH_SYS(0, 8, 6, 1), 1},                                                         /* RVAE1 */
        {BENCH_SYS(0, 8, 1, 0), 1},                                                         /* VMALLE1OS */
        {BENCH_SYS(0, 8, 7, 4), 1}, {BENCH_SYS(0, 8, 7, 6), 1}, {BENCH_SYS(0, 9, 7, 0), 1}, /* nXS */
        {BENCH_SYS(4, 8, 7, 4), 1}, {BENCH_SYS(4, 8, 7, 0), 1}, {BENCH_SYS(4, 8, 0, 1), 1}, /* EL2's, from EL1 */
        {BENCH_SYS(6, 8, 7, 0), 2},                                                         /* EL3's */
        {BENCH_SYS(0, 8, 7, 0), 0}, {BENCH_SYS(0, 8, 3, 1), 0},
    };
    bool cache_op = false;

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bench->cpu->pstate.el = cases[i].el;
        ck_assert_msg(sysreg_sys(bench->cpu, cases[i].encoding, 0, &cache_op) == SYSREG_UNDEFINED, "case %u", i);
    }
    ck_assert_uint_eq(bench->cpu->counters.tlbis, 0);
}
END_TEST

/* A DSB waits for the broadcast; a later local one does not move that time. */
START_TEST(completion_time_of_a_broadcast)
{
    bool cache_op = false;

    bench->cpu->pstate.el = 1;
    bench->cpu->now_ps = 7000;
    sysreg_sys(bench->cpu, BENCH_SYS(0, 8, 3, 0), 0, &cache_op);
    ck_assert_uint_eq(bench->cpu->tlbi_done_ps, 57000);
    bench->cpu->now_ps = 9000;
    sysreg_sys(bench->cpu, BENCH_SYS(0, 8, 7, 0), 0, &cache_op);
    ck_assert_uint_eq(bench->cpu->tlbi_done_ps, 57000);
    ck_assert_uint_eq(bench->cpu->counters.tlbis, 2);
}
END_TEST

START_TEST(remote_tlbi_acts_here)
{
    struct tlbi_request request = {.encoding = BENCH_SYS(0, 8, 3, 3), .operand = VA1 >> 12};

    bench_map(bench, &bench->lower, VA1, 3, OLD_PA, DESC_NG);
    ck_assert_uint_eq(pa_of(VA1, 1, ASID1), OLD_PA);
    bench_map(bench, &bench->lower, VA1, 3, NEW_PA, DESC_NG);
    ck_assert_uint_eq(pa_of(VA1, 1, ASID1), OLD_PA);
    cpu_remote_tlbi(bench->cpu, &request);
    ck_assert_uint_eq(pa_of(VA1, 1, ASID1), NEW_PA);
    ck_assert_uint_eq(bench->flat.broadcasts, 0);
}
END_TEST

/* One address inside takes the whole block away, in the upper range too. */
START_TEST(a_block_goes_by_any_of_its_addresses)
{
    struct tlbi_request request = {.encoding = BENCH_SYS(0, 8, 7, 3),
                                   .operand = 0xFFFFFF8000345000ull >> 12 & 0xFFFFFFFFFFFull};

    bench_map(bench, &bench->upper, 0xFFFFFF8000200000ull, 2, BENCH_RAM, 0);
    ck_assert_uint_eq(pa_of(0xFFFFFF8000212345ull, 1, 0), BENCH_RAM + 0x12345);
    ck_assert_uint_eq(pa_of(0xFFFFFF80003FFFFFull, 1, 0), BENCH_RAM + 0x1FFFFF);
    ck_assert_uint_eq(bench->walks, 2);
    bench_map(bench, &bench->upper, 0xFFFFFF8000200000ull, 2, BENCH_RAM + 0x200000, 0);
    mmu_tlbi(bench->cpu, &request);
    ck_assert_uint_eq(pa_of(0xFFFFFF8000212345ull, 1, 0), BENCH_RAM + 0x212345);
    ck_assert_uint_eq(pa_of(0xFFFFFF80003FFFFFull, 1, 0), BENCH_RAM + 0x3FFFFF);
    ck_assert_uint_eq(bench->walks, 4);
}
END_TEST

START_TEST(asid_of_8_bits)
{
    bench->cpu->sys.tcr[1] &= ~BENCH_TCR_AS;
    bench_map(bench, &bench->lower, VA1, 3, OLD_PA, DESC_NG);
    ck_assert_uint_eq(pa_of(VA1, 1, 0x0001), OLD_PA);
    bench_map(bench, &bench->lower, VA1, 3, NEW_PA, DESC_NG);
    ck_assert_uint_eq(pa_of(VA1, 1, 0xAB01), OLD_PA); /* the same one */
    ck_assert_uint_eq(pa_of(VA1, 1, 0x0002), NEW_PA);
    mmu_tlbi(bench->cpu, &(struct tlbi_request){.encoding = BENCH_SYS(0, 8, 7, 2), .operand = 0xCD01ull << 48});
    ck_assert_uint_eq(pa_of(VA1, 1, 0x0001), NEW_PA);
}
END_TEST

START_TEST(asid_from_ttbr1)
{
    bench->cpu->sys.tcr[1] |= 1 << 22;
    bench->cpu->sys.ttbr1[1] = bench->upper.root | ASID1 << 48;
    bench_map(bench, &bench->lower, VA1, 3, OLD_PA, DESC_NG);
    ck_assert_uint_eq(pa_of(VA1, 1, 0), OLD_PA);
    bench_map(bench, &bench->lower, VA1, 3, NEW_PA, DESC_NG);
    ck_assert_uint_eq(pa_of(VA1, 1, ASID2), OLD_PA); /* TTBR0's field does not count */
    bench->cpu->sys.ttbr1[1] = bench->upper.root | ASID2 << 48;
    ck_assert_uint_eq(pa_of(VA1, 1, 0), NEW_PA);
}
END_TEST

/* 64 entries: as many pages stay, far more do not. The order of eviction is fixed. */
START_TEST(capacity)
{
    for (unsigned i = 0; i < 512; i++)
        bench_map(bench, &bench->lower, 0x1000ull * i, 3, BENCH_DATA, 0);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 64; i++)
            ck_assert_uint_eq(pa_of(0x1000ull * i, 1, 0), BENCH_DATA);
    ck_assert_uint_eq(bench->walks, 64 * 3);
    for (unsigned i = 0; i < 512; i++)
        pa_of(0x1000ull * i, 1, 0);
    bench->walks = 0;
    pa_of(0x1000ull * 511, 1, 0);
    ck_assert_uint_eq(bench->walks, 0);
    pa_of(0, 1, 0);
    ck_assert_uint_eq(bench->walks, 3);
}
END_TEST

static void another_core_unmaps(struct system_bench *b)
{
    b->during_walk = b->during_line = b->during_fetch = NULL;
    cpu_remote_tlbi(b->cpu, &(struct tlbi_request){.encoding = BENCH_SYS(0, 8, 3, 3), .operand = VA1 >> 12});
}

/* A walk that was under way when a TLBI arrived may serve its access but leaves nothing behind. */
START_TEST(tlbi_during_a_walk)
{
    struct translation t;

    bench_map(bench, &bench->lower, VA1, 3, OLD_PA, 0);
    bench->during_walk = another_core_unmaps;
    bench->cpu->pstate.el = 1;
    t = mmu_translate(bench->cpu, VA1, MMU_READ, false, 0);
    ck_assert_uint_eq(t.pa, OLD_PA);
    ck_assert_uint_ne(t.epoch, bench->cpu->translation_epoch);
    bench_map(bench, &bench->lower, VA1, 3, NEW_PA, 0);
    ck_assert_uint_eq(pa_of(VA1, 1, 0), NEW_PA);
}
END_TEST

/* A load whose line was on its way, an instruction whose line was being fetched: neither is remembered by its address.
 */
START_TEST(tlbi_during_a_line)
{
    const uint32_t load[] = {0xF9400001 /* ldr x1, [x0] */, A64_LOOP};
    const uint32_t jump[] = {0xD61F0000 /* br x0 */, A64_LOOP};
    const uint32_t old_code[] = {0xD2800021 /* mov x1, #1 */, A64_LOOP},
                   new_code[] = {0xD2800041 /* mov x1, #2 */, A64_LOOP};
    struct cpu *cpu = bench->cpu;

    memcpy(flat_bus_memory(&bench->flat, OLD_PA), old_code, 8);
    memcpy(flat_bus_memory(&bench->flat, NEW_PA), new_code, 8);
    pstate_set(cpu, 0x3C5);
    bench_map(bench, &bench->lower, BENCH_RAM, 1, BENCH_RAM, DESC_AP(0));
    bench_map(bench, &bench->lower, VA1, 3, OLD_PA, 0);
    cpu->x[0] = VA1;
    bench->during_line = another_core_unmaps;
    bench_run(bench, load, 2, 6);
    ck_assert_uint_eq((uint32_t)cpu->x[1], old_code[0]);
    ck_assert_ptr_null(bench->during_line);
    bench_map(bench, &bench->lower, VA1, 3, NEW_PA, 0);
    bench_run(bench, load, 2, 6);
    ck_assert_uint_eq((uint32_t)cpu->x[1], new_code[0]);
    bench_map(bench, &bench->lower, VA1, 3, OLD_PA, 0);
    another_core_unmaps(bench);
    bench_run(bench, load, 2, 6); /* the translation is in the TLB, so that the fetch needs no walk */
    bench->fetch_pa = OLD_PA;
    bench->during_fetch = another_core_unmaps;
    bench_run(bench, jump, 2, 6);
    ck_assert_uint_eq(cpu->x[1], 1);
    ck_assert_ptr_null(bench->during_fetch);
    bench_map(bench, &bench->lower, VA1, 3, NEW_PA, 0);
    *(uint32_t *)flat_bus_memory(&bench->flat, BENCH_CODE) = jump[0];
    cpu->pc = BENCH_CODE;
    cpu->instruction_stop = cpu_counters(cpu)->instructions + 6;
    cpu_run(cpu);
    ck_assert_uint_eq(cpu->x[1], 2);
}
END_TEST

/* The same seen by loads: stale until the TLBI, also where the line is remembered in L0. */
START_TEST(loads_see_stale_then_new)
{
    const uint32_t code[] = {0xF9400001 /* ldr x1, [x0] */, 0xF9400002 /* ldr x2, [x0] */, A64_LOOP};
    uint64_t *memory_old = (uint64_t *)flat_bus_memory(&bench->flat, OLD_PA);
    uint64_t *memory_new = (uint64_t *)flat_bus_memory(&bench->flat, NEW_PA);
    struct cpu *cpu = bench->cpu;

    *memory_old = 1, *memory_new = 2;
    pstate_set(cpu, 0x3C5);
    bench_map(bench, &bench->lower, BENCH_RAM, 1, BENCH_RAM, DESC_AP(0));
    bench_map(bench, &bench->lower, VA1, 3, OLD_PA, 0);
    cpu->x[0] = VA1;
    bench_run(bench, code, 3, 8);
    ck_assert_uint_eq(cpu->x[1], 1);
    bench_map(bench, &bench->lower, VA1, 3, NEW_PA, 0);
    bench_run(bench, code, 3, 8);
    ck_assert_uint_eq(cpu->x[1], 1);
    ck_assert_uint_eq(cpu->x[2], 1);
    cpu_remote_tlbi(cpu, &(struct tlbi_request){.encoding = BENCH_SYS(0, 8, 3, 3), .operand = VA1 >> 12});
    bench_run(bench, code, 3, 8);
    ck_assert_uint_eq(cpu->x[1], 2);
    ck_assert_uint_eq(cpu->x[2], 2);
}
END_TEST

void test_cpu_tlbi(struct unit_registry *r);
void test_cpu_tlbi(struct unit_registry *r)
{
    unit_suite(r, "CpuTlbi", setup, teardown);
    unit_test(r, each_form_takes_exactly_its_entries);
    unit_test(r, by_ipa_takes_nothing);
    unit_test(r, unknown_forms_are_undefined);
    unit_test(r, completion_time_of_a_broadcast);
    unit_test(r, remote_tlbi_acts_here);
    unit_test(r, a_block_goes_by_any_of_its_addresses);
    unit_test(r, asid_of_8_bits);
    unit_test(r, asid_from_ttbr1);
    unit_test(r, capacity);
    unit_test(r, tlbi_during_a_walk);
    unit_test(r, tlbi_during_a_line);
    unit_test(r, loads_see_stale_then_new);
}
