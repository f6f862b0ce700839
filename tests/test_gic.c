/* GICv3: enabling, priorities, preemption, SGIs by affinity, routing, edge and level. */
#include <string.h>

#include "irq/gic.h"
#include "tests/unit.h"

#define ICC(crn, crm, op2) (3 << 14 | (crn) << 7 | (crm) << 3 | (op2))
enum {
    PMR = ICC(4, 6, 0),
    IAR1 = ICC(12, 12, 0),
    EOIR1 = ICC(12, 12, 1),
    IGRPEN1 = ICC(12, 12, 7),
    SGI1R = ICC(12, 11, 5),
    RPR = ICC(12, 11, 3)
};
enum {
    CTLR = 0,
    TYPER = 4,
    IGROUPR = 0x80,
    ISENABLER = 0x100,
    ICENABLER = 0x180,
    IPRIORITYR = 0x400,
    ICFGR = 0xC00,
    IROUTER = 0x6000,
    PIDR2 = 0xFFE8
};
enum { SPURIOUS = 1023 };

static struct gic *gic;
static bool line[2];
static uint64_t line_ps[2];

static void drive_irq(void *ctx, unsigned core, bool level, uint64_t at_ps)
{
    line[core] = level;
    line_ps[core] = at_ps;
}

static void distributor(uint64_t offset, uint32_t size, uint64_t value)
{
    struct txn txn = {.kind = TXN_WRITE, .addr = offset, .size = size, .data = (uint8_t *)&value};

    gic_distributor(gic, &txn);
    ck_assert_int_eq(txn.status, TXN_OK);
}

static void redistributor(unsigned core, uint64_t offset, uint32_t value)
{
    struct txn txn = {
        .kind = TXN_WRITE, .addr = core * 0x20000 + 0x10000 + offset, .size = 4, .data = (uint8_t *)&value};

    gic_redistributor(gic, &txn);
    ck_assert_int_eq(txn.status, TXN_OK);
}

static uint64_t distributor_value(uint64_t offset)
{
    uint32_t value = 0;
    struct txn txn = {.kind = TXN_READ, .addr = offset, .size = 4, .data = (uint8_t *)&value};

    gic_distributor(gic, &txn);
    return value;
}

static void put(unsigned core, uint16_t encoding, uint64_t value)
{
    ck_assert(gic_cpu_write(gic, core, encoding, value, 0));
}

static uint64_t get(unsigned core, uint16_t encoding)
{
    uint64_t value;

    ck_assert(gic_cpu_read(gic, core, encoding, &value, 0));
    return value;
}

static void setup(void)
{
    static const uint64_t mpidr[] = {0x000, 0x100};
    struct gic_config config = {.cores = 2, .spis = 64, .mpidr = mpidr, .access_ps = 10, .deliver_ps = 500};
    struct gic_output output = {NULL, drive_irq};

    gic = gic_create(&config, &output);
    ck_assert_ptr_nonnull(gic);
    distributor(CTLR, 4, 7);
    for (unsigned core = 0; core < 2; core++) {
        put(core, PMR, 0xF8);
        put(core, IGRPEN1, 1);
        redistributor(core, IGROUPR, 0xFFFFFFFF);
        redistributor(core, ISENABLER, 0xFFFFFFFF);
    }
}

static void teardown(void)
{
    gic_destroy(gic);
}

static void enable_spi(unsigned intid, uint8_t priority, uint64_t route)
{
    distributor(IGROUPR + intid / 32 * 4, 4, 0xFFFFFFFF);
    distributor(IPRIORITYR + intid, 1, priority);
    distributor(IROUTER + 8 * intid, 8, route);
    distributor(ISENABLER + intid / 32 * 4, 4, 1u << intid % 32);
}

START_TEST(level_interrupt_from_line_to_acknowledge)
{
    enable_spi(40, 0x80, 0);
    gic_set(gic, 0, 40, true, 1000);
    ck_assert(line[0] && line_ps[0] == 1500 && !line[1]);
    ck_assert_uint_eq(get(0, IAR1), 40);
    ck_assert(!line[0]); /* active: not again */
    ck_assert_uint_eq(get(0, RPR), 0x80);
    ck_assert_uint_eq(get(0, IAR1), SPURIOUS);
    put(0, EOIR1, 40);
    ck_assert(line[0]); /* the level is still there */
    gic_set(gic, 0, 40, false, 2000);
    ck_assert(!line[0]);
}
END_TEST

START_TEST(edge_interrupt_is_latched_once)
{
    distributor(ICFGR + 40 / 16 * 4, 4, 2u << 40 % 16 * 2);
    enable_spi(40, 0, 0);
    gic_set(gic, 0, 40, true, 0);
    gic_set(gic, 0, 40, false, 0);
    ck_assert(line[0]);
    ck_assert_uint_eq(get(0, IAR1), 40);
    put(0, EOIR1, 40);
    ck_assert(!line[0]);
}
END_TEST

START_TEST(priority_decides_and_preempts)
{
    enable_spi(40, 0x80, 0);
    enable_spi(41, 0x40, 0);
    gic_set(gic, 0, 40, true, 0);
    ck_assert_uint_eq(get(0, IAR1), 40);
    gic_set(gic, 0, 41, true, 0);
    ck_assert(line[0]);
    ck_assert_uint_eq(get(0, IAR1), 41);
    ck_assert_uint_eq(get(0, RPR), 0x40);
    put(0, EOIR1, 41);
    ck_assert_uint_eq(get(0, RPR), 0x80);
    put(0, EOIR1, 40);
    ck_assert_uint_eq(get(0, RPR), 0xFF);
}
END_TEST

START_TEST(mask_and_enables_hold_back)
{
    enable_spi(40, 0x80, 0);
    put(0, PMR, 0x80);
    gic_set(gic, 0, 40, true, 0);
    ck_assert(!line[0]); /* priority must be below the mask */
    put(0, PMR, 0x88);
    ck_assert(line[0]);
    distributor(ICENABLER + 4, 4, 1u << 8);
    ck_assert(!line[0]);
}
END_TEST

START_TEST(spi_goes_where_it_is_routed)
{
    enable_spi(50, 0, 0x100);
    gic_set(gic, 0, 50, true, 0);
    ck_assert(!line[0] && line[1]);
    ck_assert_uint_eq(get(1, IAR1), 50);
}
END_TEST

START_TEST(sgi_reaches_the_cores_of_its_list)
{
    put(0, SGI1R, 5ull << 24 | 1ull << 16 | 1); /* Aff1 = 1, target 0 */
    ck_assert(!line[0] && line[1]);
    ck_assert_uint_eq(get(1, IAR1), 5);
    put(1, EOIR1, 5);
    put(1, SGI1R, 1ull << 40 | 6ull << 24); /* all but self */
    ck_assert(line[0] && !line[1]);
    ck_assert_uint_eq(get(0, IAR1), 6);
}
END_TEST

START_TEST(ppi_is_private)
{
    gic_set(gic, 1, 27, true, 0);
    ck_assert(!line[0] && line[1]);
    ck_assert_uint_eq(get(1, IAR1), 27);
}
END_TEST

/* Kernels clear the active priorities of Group 0 and find nothing pending in it. */
START_TEST(group_0_exists_and_is_empty)
{
    const uint16_t IAR0 = ICC(12, 8, 0), EOIR0 = ICC(12, 8, 1), HPPIR0 = ICC(12, 8, 2), BPR0 = ICC(12, 8, 3),
                   AP0R0 = ICC(12, 8, 4), IGRPEN0 = ICC(12, 12, 6);
    uint64_t value;

    ck_assert(gic_cpu_write(gic, 0, BPR0, 0xFF, 0));
    ck_assert(gic_cpu_read(gic, 0, BPR0, &value, 0));
    ck_assert_uint_eq(value, 7);
    ck_assert(gic_cpu_write(gic, 0, IGRPEN0, 0xFF, 0));
    ck_assert(gic_cpu_read(gic, 0, IGRPEN0, &value, 0));
    ck_assert_uint_eq(value, 1);
    ck_assert(gic_cpu_write(gic, 0, AP0R0, 0xFF, 0));
    ck_assert(gic_cpu_read(gic, 0, AP0R0, &value, 0));
    ck_assert_uint_eq(value, 0);
    ck_assert(gic_cpu_read(gic, 0, IAR0, &value, 0));
    ck_assert_uint_eq(value, 1023);
    ck_assert(gic_cpu_read(gic, 0, HPPIR0, &value, 0));
    ck_assert_uint_eq(value, 1023);
    ck_assert(gic_cpu_write(gic, 0, EOIR0, 1023, 0));
    ck_assert(!gic_cpu_read(gic, 0, ICC(12, 8, 5), &value, 0)); /* AP0R1: more than 5 bits of priority */
}
END_TEST

START_TEST(identification_and_refused_accesses)
{
    uint16_t data = 0;
    struct txn txn = {.kind = TXN_READ, .addr = CTLR, .size = 2, .data = (uint8_t *)&data};
    uint64_t value;

    ck_assert_uint_eq(distributor_value(TYPER) & 31, 2); /* 64 SPIs */
    ck_assert_uint_eq(distributor_value(PIDR2), 0x3B);
    gic_distributor(gic, &txn);
    ck_assert_int_eq(txn.status, TXN_SLVERR);
    txn = (struct txn){.kind = TXN_READ, .addr = 2 * 0x20000, .size = 4, .data = (uint8_t *)&value};
    gic_redistributor(gic, &txn);
    ck_assert_int_eq(txn.status, TXN_DECERR);
    ck_assert(!gic_cpu_read(gic, 0, ICC(12, 14, 0), &value, 0));
    gic_set(gic, 0, 5000, true, 0); /* no such interrupt: nothing */
}
END_TEST

void test_gic(struct unit_registry *registry)
{
    unit_suite(registry, "Gic", setup, teardown);
    unit_test(registry, level_interrupt_from_line_to_acknowledge);
    unit_test(registry, edge_interrupt_is_latched_once);
    unit_test(registry, priority_decides_and_preempts);
    unit_test(registry, mask_and_enables_hold_back);
    unit_test(registry, spi_goes_where_it_is_routed);
    unit_test(registry, sgi_reaches_the_cores_of_its_list);
    unit_test(registry, ppi_is_private);
    unit_test(registry, group_0_exists_and_is_empty);
    unit_test(registry, identification_and_refused_accesses);
}
