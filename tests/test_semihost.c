/* Semihosting calls: what the guest gets back, what the host sees. */
#include <string.h>

#include "cpu/semihost.h"
#include "tests/support/system_bench.h"
#include "tests/unit.h"

enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE,
    SYS_WRITEC,
    SYS_WRITE0,
    SYS_WRITE,
    SYS_READ,
    SYS_READC,
    SYS_ISERROR,
    SYS_ISTTY,
    SYS_SEEK,
    SYS_FLEN = 0x0C,
    SYS_TMPNAM,
    SYS_REMOVE,
    SYS_RENAME,
    SYS_CLOCK,
    SYS_TIME,
    SYS_SYSTEM,
    SYS_ERRNO,
    SYS_GET_CMDLINE = 0x15,
    SYS_HEAPINFO,
    SYS_EXIT = 0x18,
    SYS_EXIT_EXTENDED = 0x20,
    SYS_ELAPSED = 0x30,
    SYS_TICKFREQ,
};
#define FAILED    UINT64_MAX
#define BLOCK     BENCH_DATA
#define TEXT      (BENCH_DATA + 0x1000)
#define TEXT_SIZE 512

static struct system_bench *bench;
static struct semihost semihost;
static char written[1024];
static size_t written_bytes;
static uint64_t exit_status;
static unsigned exits;

static void write_text(void *ctx, const char *text, size_t bytes)
{
    ck_assert_ptr_eq(ctx, &semihost);
    ck_assert_uint_le(written_bytes + bytes, sizeof(written));
    memcpy(written + written_bytes, text, bytes);
    written_bytes += bytes;
}

static void leave(void *ctx, struct cpu *cpu, uint64_t status)
{
    exits++;
    exit_status = status;
    cpu_request_stop(cpu);
}

static void setup(void)
{
    bench = bench_create(1, 0);
    semihost = (struct semihost){.host = {&semihost, write_text, leave, "prog one two"}};
    bench->cpu->semihost = semihost_port(&semihost);
    written_bytes = exits = 0;
}

static void teardown(void)
{
    bench_destroy(bench);
}

static uint64_t call(uint32_t operation, uint64_t parameter)
{
    return bench->cpu->semihost.call(bench->cpu->semihost.ctx, bench->cpu, operation, parameter);
}

static uint64_t *block(void)
{
    return (uint64_t *)flat_bus_memory(&bench->flat, BLOCK);
}

static char *text(void)
{
    return (char *)flat_bus_memory(&bench->flat, TEXT);
}

static uint64_t call3(uint32_t operation, uint64_t a, uint64_t b, uint64_t c)
{
    memcpy(block(), (uint64_t[]){a, b, c}, 24);
    return call(operation, BLOCK);
}

static void assert_written(const char *expected)
{
    ck_assert_uint_eq(written_bytes, strlen(expected));
    ck_assert_mem_eq(written, expected, written_bytes);
}

static uint64_t open_name(const char *name)
{
    strcpy(text(), name);
    return call3(SYS_OPEN, TEXT, 0, strlen(name));
}

START_TEST(console)
{
    uint64_t handle = open_name(":tt");

    ck_assert_uint_ne(handle, FAILED);
    ck_assert_uint_eq(call3(SYS_ISTTY, handle, 0, 0), 1);
    strcpy(text(), "hello");
    ck_assert_uint_eq(call3(SYS_WRITE, handle, TEXT, 5), 0);
    call(SYS_WRITE0, TEXT);
    call(SYS_WRITEC, TEXT + 1);
    assert_written("hellohelloe");
    ck_assert_uint_eq(call3(SYS_READ, handle, TEXT, 7), 7); /* end of file: nothing read */
    ck_assert_uint_eq(call(SYS_READC, 0), FAILED);
    ck_assert_uint_eq(call3(SYS_CLOSE, handle, 0, 0), 0);
}
END_TEST

/* What cannot be written is counted; nothing after the unmapped byte appears. */
START_TEST(writes_that_fail)
{
    uint64_t end = BENCH_RAM + BENCH_RAM_BYTES;

    ck_assert_uint_eq(call3(SYS_WRITE, 77, TEXT, 5), 5);
    ck_assert_uint_eq(call3(SYS_WRITE, 1, 0x1000, 5), 5);
    memcpy(flat_bus_memory(&bench->flat, end - 2), "AB", 2);
    call(SYS_WRITE0, end - 2); /* no terminator before the end of memory */
    assert_written("AB");
    call(SYS_WRITE0, 0x1000);
    call(SYS_WRITEC, 0x1000);
    assert_written("AB");
    ck_assert_uint_eq(call3(SYS_WRITE, 1, end - 300, 400), 400 - 256);
}
END_TEST

START_TEST(only_two_names_open)
{
    ck_assert_uint_eq(open_name("/etc/passwd"), FAILED);
    ck_assert_uint_eq(call(SYS_ERRNO, 0), 2); /* ENOENT */
    ck_assert_uint_eq(open_name(""), FAILED);
    ck_assert_uint_eq(open_name(":tt:"), FAILED);
    ck_assert_uint_eq(open_name("a-name-that-is-longer-than-anything-we-know"), FAILED);
    ck_assert_uint_eq(call3(SYS_OPEN, 0x1000, 0, 3), FAILED);
    ck_assert_uint_eq(call3(SYS_OPEN, TEXT, 0, UINT64_MAX), FAILED);
    ck_assert_uint_eq(call3(SYS_CLOSE, 99, 0, 0), FAILED);
}
END_TEST

/* Magic, then bit 0 EXIT_EXTENDED and bit 1 STDOUT_STDERR; read piece by piece and by seeking. */
START_TEST(features)
{
    uint64_t handle = open_name(":semihosting-features");

    ck_assert_uint_ne(handle, FAILED);
    ck_assert_uint_eq(call3(SYS_ISTTY, handle, 0, 0), 0);
    ck_assert_uint_eq(call3(SYS_FLEN, handle, 0, 0), 5);
    ck_assert_uint_eq(call3(SYS_READ, handle, TEXT, 4), 0);
    ck_assert_mem_eq(text(), "SHFB", 4);
    ck_assert_uint_eq(call3(SYS_READ, handle, TEXT, 4), 3);
    ck_assert_uint_eq(text()[0], 3);
    ck_assert_uint_eq(call3(SYS_READ, handle, TEXT, 1), 1);
    ck_assert_uint_eq(call3(SYS_SEEK, handle, 4, 0), 0);
    ck_assert_uint_eq(call3(SYS_READ, handle, TEXT, 1), 0);
    ck_assert_uint_eq(text()[0], 3);
    ck_assert_uint_eq(call3(SYS_SEEK, handle, 6, 0), FAILED);
    ck_assert_uint_eq(call3(SYS_SEEK, handle, 5, 0), 0);
    ck_assert_uint_eq(call3(SYS_READ, handle, TEXT, 1), 1);
    open_name(":semihosting-features");
    ck_assert_uint_eq(call3(SYS_READ, handle, 0x1000, 4), 4); /* nowhere to put it: not consumed */
    ck_assert_uint_eq(call3(SYS_READ, handle, TEXT, 1), 0);
    ck_assert_uint_eq(text()[0], 'S');
}
END_TEST

START_TEST(host_is_out_of_reach)
{
    static const uint32_t operations[] = {SYS_TMPNAM, SYS_REMOVE, SYS_RENAME, SYS_SYSTEM, 0x14, 0x99};

    for (unsigned i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        ck_assert_uint_eq(call3(operations[i], TEXT, 5, 0), FAILED);
        ck_assert_uint_eq(call(SYS_ERRNO, 0), 38); /* ENOSYS */
    }
    ck_assert_uint_eq(call3(SYS_FLEN, 1, 0, 0), FAILED);
    ck_assert_uint_eq(call3(SYS_SEEK, 1, 0, 0), FAILED);
}
END_TEST

START_TEST(simulated_clock)
{
    bench->cpu->now_ps = 12 * PS_PER_S + 349999999999ull; /* 12.35 s less one ps */
    ck_assert_uint_eq(call(SYS_CLOCK, 0), 1234);
    ck_assert_uint_eq(call(SYS_TIME, 0), 1577836812);
    ck_assert_uint_eq(call(SYS_TICKFREQ, 0), 1000000000);
    ck_assert_uint_eq(call(SYS_ELAPSED, BLOCK), 0);
    ck_assert_uint_eq(block()[0], 12349999999ull);
    bench->cpu->now_ps++;
    ck_assert_uint_eq(call(SYS_CLOCK, 0), 1235);
    ck_assert_uint_eq(call(SYS_ELAPSED, 0x1000), FAILED);
}
END_TEST

START_TEST(command_line)
{
    memset(text(), 'x', TEXT_SIZE);
    ck_assert_uint_eq(call3(SYS_GET_CMDLINE, TEXT, 13, 0), 0);
    ck_assert_str_eq(text(), "prog one two");
    ck_assert_uint_eq(block()[1], 12);
    ck_assert_uint_eq(text()[13], 'x');
    ck_assert_uint_eq(call3(SYS_GET_CMDLINE, TEXT, 12, 0), FAILED); /* no room for the terminator */
    ck_assert_uint_eq(call3(SYS_GET_CMDLINE, 0x1000, 100, 0), FAILED);
    semihost.host.command_line = NULL;
    ck_assert_uint_eq(call3(SYS_GET_CMDLINE, TEXT, 1, 0), 0);
    ck_assert_uint_eq(block()[1], 0);
}
END_TEST

START_TEST(heap_is_left_to_the_program)
{
    memset(text(), 'x', 40);
    ck_assert_uint_eq(call3(SYS_HEAPINFO, TEXT, 0, 0), 0);
    for (unsigned i = 0; i < 32; i++)
        ck_assert_uint_eq(text()[i], 0);
    ck_assert_uint_eq(text()[32], 'x');
    ck_assert_uint_eq(call3(SYS_HEAPINFO, 0x1000, 0, 0), FAILED);
}
END_TEST

START_TEST(exit_status_and_reason)
{
    call3(SYS_EXIT, 0x20026, 0, 0);
    ck_assert_uint_eq(exit_status, 0);
    call3(SYS_EXIT, 0x20026, 42, 0);
    ck_assert_uint_eq(exit_status, 42);
    call3(SYS_EXIT_EXTENDED, 0x20026, 7, 0);
    ck_assert_uint_eq(exit_status, 7);
    call3(SYS_EXIT, 0x20023, 0, 0); /* ADP_Stopped_RunTimeErrorUnknown: never success */
    ck_assert_uint_eq(exit_status, 1);
    ck_assert_uint_eq(exits, 4);
}
END_TEST

START_TEST(is_error)
{
    ck_assert_uint_eq(call3(SYS_ISERROR, 0, 0, 0), 0);
    ck_assert_uint_eq(call3(SYS_ISERROR, 5, 0, 0), 0);
    ck_assert_uint_eq(call3(SYS_ISERROR, FAILED, 0, 0), 1);
}
END_TEST

/* By instructions: HLT #0xF000 with W0 and X1; another HLT, or semihosting off, is Undefined. */
START_TEST(hlt)
{
    const uint32_t code[] = {0xD45E0000 /* hlt #0xf000 */, A64_LOOP};
    const uint32_t other[] = {0xD4400020 /* hlt #1 */, A64_LOOP};
    struct cpu *cpu = bench->cpu;

    memcpy(block(), (uint64_t[]){0x20026, 3}, 16);
    cpu->x[0] = 0xFFFFFFFF00000000ull | SYS_EXIT;
    cpu->x[1] = BLOCK;
    bench_run(bench, code, 2, 50);
    ck_assert_uint_eq(exits, 1);
    ck_assert_uint_eq(exit_status, 3);
    ck_assert_uint_eq(cpu->pc, BENCH_CODE + 4);
    bench_run(bench, other, 2, 6);
    ck_assert_uint_eq(cpu->sys.esr[1], 0x02000000);
    cpu->config.semihosting = false;
    cpu->sys.esr[1] = 0;
    bench_run(bench, code, 2, 6);
    ck_assert_uint_eq(cpu->sys.esr[1], 0x02000000);
    ck_assert_uint_eq(exits, 1);
}
END_TEST

/* The block and the text are found through the guest's own translation. */
START_TEST(through_the_mmu)
{
    bench_mmu_on(bench, 12, 39);
    bench_map(bench, &bench->lower, 0x5000, 3, TEXT, DESC_AP(2));
    bench_map(bench, &bench->lower, 0x6000, 3, TEXT + 0x1000, DESC_AP(2));
    strcpy(text() + 0xFFE, "page");
    call(SYS_WRITE0, 0x5FFE);
    assert_written("page");
    call(SYS_WRITE0, TEXT);
    assert_written("page"); /* the physical address means nothing now */
}
END_TEST

void test_semihost(struct unit_registry *r);
void test_semihost(struct unit_registry *r)
{
    unit_suite(r, "Semihost", setup, teardown);
    unit_test(r, console);
    unit_test(r, writes_that_fail);
    unit_test(r, only_two_names_open);
    unit_test(r, features);
    unit_test(r, host_is_out_of_reach);
    unit_test(r, simulated_clock);
    unit_test(r, command_line);
    unit_test(r, heap_is_left_to_the_program);
    unit_test(r, exit_status_and_reason);
    unit_test(r, is_error);
    unit_test(r, hlt);
    unit_test(r, through_the_mmu);
}
