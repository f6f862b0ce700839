/*
 * Changed code: with the sequence DC CVAU, DSB, IC IVAU, DSB, ISB the new code must run. With "silicon" on the command
 * line also the contrary: as instruction fetches do not snoop, what a fetch has brought in stays until IC IVAU, and
 * what was not cleaned is not fetched (CTR_EL0.IDC and DIC are 0). QEMU has no caches and runs new code always.
 */
#include "guest.h"

#define CODE      (SPARE + 0x1000)
#define MOV_X0(n) (0xD2800000u | (uint32_t)(n) << 5)
#define RET       0xD65F03C0u

static volatile uint32_t *const code = (volatile uint32_t *)CODE;

static uint64_t run(uint64_t address)
{
    return call_at((const void *)address, 0);
}

static void write_function(volatile uint32_t *place, unsigned result)
{
    place[0] = MOV_X0(result);
    place[1] = RET;
}

static void make_visible(uint64_t address)
{
    asm volatile("dc cvau, %0\n dsb ish\n ic ivau, %0\n dsb ish\n isb" ::"r"(address) : "memory");
}

static void full_sequence(void)
{
    for (unsigned i = 0; i < 20; i++) {
        write_function(code, i);
        make_visible(CODE);
        check_equal("changed code", run(CODE), i);
    }
}

/* A loop whose own body changes while it runs. */
static void in_a_loop(void)
{
    uint64_t sum = 0;

    for (unsigned i = 1; i <= 100; i++) {
        write_function(code + 16, i);
        make_visible((uint64_t)(code + 16));
        sum += run((uint64_t)(code + 16));
    }
    check_equal("sum of 100 functions", sum, 5050);
}

static void stale(void)
{
    uint64_t result;

    write_function(code, 1);
    make_visible(CODE);
    check_equal("first version", run(CODE), 1);
    write_function(code, 2);
    DSB();
    ISB();
    result = run(CODE);
    check_equal("without maintenance the old code runs", result, 1);
    asm volatile("dc cvau, %0\n dsb ish\n isb" ::"r"(CODE) : "memory");
    check_equal("cleaned, but not invalidated: still the old code", run(CODE), 1);
    asm volatile("ic ivau, %0\n dsb ish\n isb" ::"r"(CODE) : "memory");
    check_equal("after IC IVAU the new code", run(CODE), 2);
    write_function(code, 3);
    DSB();
    asm volatile("ic iallu\n dsb nsh\n isb" ::: "memory");
    result = run(CODE);
    check_true("invalidated, but not cleaned: either", result == 2 || result == 3);
    make_visible(CODE);
    check_equal("after both", run(CODE), 3);
}

/* Two virtual addresses of one line: IC IVAU by one is enough for the other, as CTR_EL0.L1Ip says PIPT. */
static void by_an_alias(void)
{
    struct space space = space_new(12, 39, true);
    const uint64_t alias = 0x1000001000;

    space_map_machine(&space);
    space_map(&space, 0x1000001000, 3, CODE, NORMAL);
    mmu_on(&space, 0);
    write_function(code, 11);
    make_visible(CODE);
    check_equal("through the alias", run(alias), 11);
    write_function((volatile uint32_t *)alias, 12);
    make_visible(alias);
    check_equal("through the other", run(CODE), 12);
    check_equal("CTR_EL0.L1Ip", READ_SYSREG(ctr_el0) >> 14 & 3, 3);
}

/* Many lines, by their own line size, then IC IALLU. */
static void many_lines(void)
{
    uint64_t ctr = READ_SYSREG(ctr_el0), line = 4ull << (ctr >> 16 & 15), sum = 0;

    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 512; i++)
            write_function(code + i * 16, i + round);
        for (uint64_t a = CODE; a < CODE + 512 * 64; a += line)
            asm volatile("dc cvau, %0" ::"r"(a) : "memory");
        asm volatile("dsb ish\n ic ialluis\n dsb ish\n isb" ::: "memory");
        sum = 0;
        for (unsigned i = 0; i < 512; i++)
            sum += run((uint64_t)(code + i * 16));
        check_equal("sum over many lines", sum, 512 * 511 / 2 + 512 * round);
    }
}

void test_main(void)
{
    full_sequence();
    in_a_loop();
    many_lines();
    if (option("silicon"))
        stale();
    by_an_alias();
}
