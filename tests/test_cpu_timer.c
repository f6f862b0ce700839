/* The generic timer: counts, conditions, the picosecond of each edge, event stream, sleeping. */
#include "tests/support/system_bench.h"
#include "tests/unit.h"

#define CNTP_TVAL BENCH_REG(3, 3, 14, 2, 0)
#define CNTP_CTL  BENCH_REG(3, 3, 14, 2, 1)
#define CNTP_CVAL BENCH_REG(3, 3, 14, 2, 2)
#define CNTV_TVAL BENCH_REG(3, 3, 14, 3, 0)
#define CNTV_CTL  BENCH_REG(3, 3, 14, 3, 1)
#define CNTV_CVAL BENCH_REG(3, 3, 14, 3, 2)
enum { ENABLE = 1, IMASK = 2, ISTATUS = 4 };

static struct system_bench *bench;
static struct cpu *cpu;

/* 19.2 MHz: a period of 52083 1/3 ps. */
static void setup(void)
{
    bench = bench_create(1, 19200000);
    cpu = bench->cpu;
}

static void teardown(void)
{
    bench_destroy(bench);
}

static uint64_t read_register(uint16_t encoding)
{
    uint64_t value = 0;

    ck_assert_int_eq(sysreg_read(cpu, encoding, &value), SYSREG_OK);
    return value;
}

static void write_at(uint64_t t_ps, uint16_t encoding, uint64_t value)
{
    cpu->now_ps = t_ps;
    ck_assert_int_eq(sysreg_write(cpu, encoding, value), SYSREG_OK);
}

static void assert_event(unsigned n, unsigned intid, bool level, uint64_t at_ps)
{
    ck_assert_uint_lt(n, bench->ppi_count);
    ck_assert_uint_eq(bench->ppi[n].intid, intid);
    ck_assert_int_eq(bench->ppi[n].level, level);
    ck_assert_uint_eq(bench->ppi[n].at_ps, at_ps);
}

START_TEST(count_is_exact)
{
    ck_assert_uint_eq(timer_count(cpu, 0), 0);
    ck_assert_uint_eq(timer_count(cpu, 52083), 0);
    ck_assert_uint_eq(timer_count(cpu, 52084), 1);
    ck_assert_uint_eq(timer_count(cpu, 104166), 1);
    ck_assert_uint_eq(timer_count(cpu, 104167), 2);
    ck_assert_uint_eq(timer_count(cpu, 156250), 3);
    ck_assert_uint_eq(timer_count(cpu, 1000000 * PS_PER_S), 19200000000000ull); /* 11 days */
    ck_assert_uint_eq(timer_count(cpu, 1000000 * PS_PER_S - 1), 19200000000000ull - 1);
}
END_TEST

static void fires_exactly(uint16_t cval, uint16_t ctl, unsigned intid)
{
    write_at(1000, cval, 2);
    write_at(1000, ctl, ENABLE);
    ck_assert_uint_eq(bench->ppi_count, 0);
    ck_assert_uint_eq(cpu_timer_deadline(cpu), 104167);
    cpu->now_ps = 104166;
    ck_assert_uint_eq(read_register(ctl), ENABLE);
    timer_update(cpu, 104166);
    ck_assert_uint_eq(bench->ppi_count, 0);
    cpu->now_ps = 104167;
    ck_assert_uint_eq(read_register(ctl), ENABLE | ISTATUS);
    timer_update(cpu, 104167);
    ck_assert_uint_eq(bench->ppi_count, 1);
    assert_event(0, intid, true, 104167);
    ck_assert_uint_eq(cpu_timer_deadline(cpu), NEVER_PS);
    write_at(200000, cval, 1000);
    assert_event(1, intid, false, 200000);
    ck_assert_uint_eq(read_register(ctl), ENABLE);
    ck_assert_uint_eq(cpu_timer_deadline(cpu), 52083334);
}

START_TEST(physical_fires_exactly)
{
    fires_exactly(CNTP_CVAL, CNTP_CTL, 30);
}
END_TEST

START_TEST(virtual_fires_exactly)
{
    fires_exactly(CNTV_CVAL, CNTV_CTL, 27);
}
END_TEST

/* The core looks late; the edge is dated to the moment it happened, but never before the write that caused it. */
START_TEST(edges_are_dated)
{
    write_at(1000, CNTV_CVAL, 2);
    write_at(1000, CNTV_CTL, ENABLE);
    timer_update(cpu, 110000);
    assert_event(0, 27, true, 104167);
    write_at(120000, CNTP_CVAL, 1); /* long passed, but not enabled yet */
    write_at(130000, CNTP_CTL, ENABLE);
    assert_event(1, 30, true, 130000);
    write_at(150000, CNTP_CVAL, 3); /* due at 156250 */
    assert_event(2, 30, false, 150000);
    write_at(160000, CNTP_CTL, ENABLE | IMASK); /* rose in between, masked now */
    assert_event(3, 30, true, 156250);
    assert_event(4, 30, false, 160000);
    ck_assert_uint_eq(bench->ppi_count, 5);
}
END_TEST

START_TEST(mask_and_enable)
{
    write_at(1000, CNTV_CVAL, 0);
    write_at(1000, CNTV_CTL, ENABLE | IMASK);
    ck_assert_uint_eq(bench->ppi_count, 0);
    ck_assert_uint_eq(read_register(CNTV_CTL), ENABLE | IMASK | ISTATUS);
    write_at(2000, CNTV_CTL, 0);
    ck_assert_uint_eq(read_register(CNTV_CTL), 0); /* ISTATUS only while enabled */
    write_at(3000, CNTV_CTL, ENABLE | ISTATUS);    /* read-only bit */
    assert_event(0, 27, true, 3000);
    write_at(4000, CNTV_CTL, ENABLE | IMASK);
    assert_event(1, 27, false, 4000);
    ck_assert_uint_eq(cpu_timer_deadline(cpu), NEVER_PS);
}
END_TEST

/* TVAL is a signed 32-bit view of CVAL - count. */
START_TEST(timer_value)
{
    write_at(1000000, CNTV_TVAL, 100); /* count 19 */
    ck_assert_uint_eq(read_register(CNTV_CVAL), 119);
    ck_assert_uint_eq(read_register(CNTV_TVAL), 100);
    cpu->now_ps = 7000000; /* count 134 */
    ck_assert_uint_eq(read_register(CNTV_TVAL), 0xFFFFFFF1);
    write_at(7000000, CNTP_TVAL, 0xFFFFFFFF);
    ck_assert_uint_eq(read_register(CNTP_CVAL), 133);
    write_at(7000000, CNTP_TVAL, 0x180000000ull); /* the upper half is ignored */
    ck_assert_uint_eq(read_register(CNTP_CVAL), 134 - 0x80000000ull);
}
END_TEST

/* CNTVOFF of both signs. */
START_TEST(virtual_offset)
{
    cpu->sys.cntvoff = 5;
    write_at(1000, CNTV_CVAL, 2);
    write_at(1000, CNTV_CTL, ENABLE); /* the count is -5: large, met */
    assert_event(0, 27, true, 1000);
    write_at(300000, CNTV_CVAL, 2); /* physical 5 */
    assert_event(1, 27, false, 300000);
    ck_assert_uint_eq(cpu_timer_deadline(cpu), 364584); /* physical 7 */
    write_at(300000, CNTV_CTL, 0);
    cpu->sys.cntvoff = (uint64_t)-100;
    write_at(300000, CNTV_CVAL, 110);
    write_at(300000, CNTV_CTL, ENABLE);
    ck_assert_uint_eq(cpu_timer_deadline(cpu), 520834); /* physical 10 */
    timer_update(cpu, 520834);
    assert_event(2, 27, true, 520834);
}
END_TEST

START_TEST(earlier_of_two)
{
    write_at(0, CNTP_CVAL, 30);
    write_at(0, CNTP_CTL, ENABLE);
    write_at(0, CNTV_CVAL, 3);
    write_at(0, CNTV_CTL, ENABLE);
    ck_assert_uint_eq(cpu_timer_deadline(cpu), 156250);
    timer_update(cpu, 156250);
    ck_assert_uint_eq(cpu_timer_deadline(cpu), 1562500);
    timer_update(cpu, 2000000);
    assert_event(0, 27, true, 156250);
    assert_event(1, 30, true, 1562500);
    write_at(2000000, CNTP_CVAL, UINT64_MAX);
    ck_assert_uint_eq(cpu_timer_deadline(cpu), NEVER_PS);
}
END_TEST

/* CNTKCTL: EVNTEN 2, EVNTDIR 3, EVNTI 7:4. */
START_TEST(event_stream)
{
    ck_assert_uint_eq(timer_event_stream_next(cpu, 0), NEVER_PS);
    cpu->sys.cntkctl = 1 << 2 | 1 << 4; /* bit 1 from 0 to 1: counts 2, 6, 10 */
    ck_assert_uint_eq(timer_event_stream_next(cpu, 0), 104167);
    ck_assert_uint_eq(timer_event_stream_next(cpu, 104166), 104167);
    ck_assert_uint_eq(timer_event_stream_next(cpu, 104167), 312500);
    cpu->sys.cntkctl |= 1 << 3; /* from 1 to 0: counts 4, 8 */
    ck_assert_uint_eq(timer_event_stream_next(cpu, 0), 208334);
    ck_assert_uint_eq(timer_event_stream_next(cpu, 208334), 416667);
    cpu->sys.cntkctl = 1 << 2 | 0 << 4; /* bit 0: counts 1, 3 */
    ck_assert_uint_eq(timer_event_stream_next(cpu, 0), 52084);
    cpu->sys.cntkctl = 1 << 2 | 15 << 4;
    ck_assert_uint_eq(timer_event_stream_next(cpu, 0), 1706666667); /* count 32768 */
    cpu->sys.cntvoff = 1;
    cpu->sys.cntkctl = 1 << 2 | 1 << 4;
    ck_assert_uint_eq(timer_event_stream_next(cpu, 100000), 156250); /* virtual 2 is physical 3 */
}
END_TEST

/* WFI sleeps to the deadline and not longer; the interrupt comes from the PPI by way of the GIC, which is not here. */
START_TEST(sleep_ends_at_the_deadline)
{
    const uint32_t code[] = {A64_MSR(CNTV_CVAL, 0), A64_MSR(CNTV_CTL, 1), A64_WFE, A64_LOOP};

    cpu->x[0] = 100;
    cpu->x[1] = ENABLE;
    bench_run(bench, code, 4, 8);
    ck_assert_uint_eq(bench->flat.sleep_until_ps, 5208334);
    assert_event(0, 27, true, 5208334);
    ck_assert_uint_ge(cpu->now_ps, 5208334 + 5000); /* wake-up cost */
}
END_TEST

START_TEST(event_stream_ends_wfe)
{
    const uint32_t code[] = {A64_WFE, A64_LOOP};

    cpu->sys.cntkctl = 1 << 2 | 4 << 4; /* count 16 */
    bench_run(bench, code, 2, 6);
    ck_assert_uint_eq(bench->flat.sleep_until_ps, 833334);
    bench->flat.sleep_until_ps = 0;
    cpu->event_register = true;
    bench_run(bench, code, 2, 6);
    ck_assert_uint_eq(bench->flat.sleep_until_ps, 0); /* the register was set: no sleep */
    ck_assert(!cpu->event_register);
}
END_TEST

void test_cpu_timer(struct unit_registry *r);
void test_cpu_timer(struct unit_registry *r)
{
    unit_suite(r, "CpuTimer", setup, teardown);
    unit_test(r, count_is_exact);
    unit_test(r, physical_fires_exactly);
    unit_test(r, virtual_fires_exactly);
    unit_test(r, edges_are_dated);
    unit_test(r, mask_and_enable);
    unit_test(r, timer_value);
    unit_test(r, virtual_offset);
    unit_test(r, earlier_of_two);
    unit_test(r, event_stream);
    unit_test(r, sleep_ends_at_the_deadline);
    unit_test(r, event_stream_ends_wfe);
}
