/* PL011: characters out, flags, stored registers, interrupt, identification, refused accesses. */
#include <string.h>

#include "tests/unit.h"
#include "uart/pl011.h"

enum {
    DR = 0x00,
    FR = 0x18,
    IBRD = 0x24,
    CR = 0x30,
    IMSC = 0x38,
    RIS = 0x3C,
    MIS = 0x40,
    ICR = 0x44,
    PERIPHID0 = 0xFE0
};
enum { RXFE = 1 << 4, TXFE = 1 << 7, TXIM = 1 << 5 };

static struct pl011 *uart;
static char output[16];
static size_t written;
static bool level;

static void console(void *ctx, const char *text, uint64_t bytes)
{
    memcpy(output + written, text, bytes);
    written += bytes;
}

static void set_irq(void *ctx, unsigned core, unsigned intid, bool value, uint64_t at_ps)
{
    ck_assert_uint_eq(intid, 33);
    level = value;
}

static void setup(void)
{
    struct pl011_console port = {NULL, console};
    struct irq_port irq = {NULL, set_irq};

    uart = pl011_create(&port, &irq, 33);
    ck_assert_ptr_nonnull(uart);
}

static void teardown(void)
{
    pl011_destroy(uart);
}

static void put(uint64_t offset, uint32_t value)
{
    struct txn txn = {.kind = TXN_WRITE, .addr = offset, .size = 4, .data = (uint8_t *)&value};

    pl011_access(uart, &txn);
    ck_assert_int_eq(txn.status, TXN_OK);
}

static uint32_t get(uint64_t offset)
{
    uint32_t value = 0xFFFFFFFF;
    struct txn txn = {.kind = TXN_READ, .addr = offset, .size = 4, .data = (uint8_t *)&value};

    pl011_access(uart, &txn);
    ck_assert_int_eq(txn.status, TXN_OK);
    return value;
}

START_TEST(characters_reach_the_console_at_once)
{
    put(DR, 'o');
    put(DR, 'k');
    ck_assert_uint_eq(written, 2);
    ck_assert_int_eq(memcmp(output, "ok", 2), 0);
    ck_assert_uint_eq(get(FR), RXFE | TXFE); /* never full, nothing to read */
}
END_TEST

START_TEST(transmit_interrupt_is_masked_and_cleared)
{
    put(DR, 'x');
    ck_assert_uint_eq(get(RIS), TXIM);
    ck_assert_uint_eq(get(MIS), 0);
    ck_assert(!level);
    put(IMSC, TXIM);
    ck_assert(level);
    ck_assert_uint_eq(get(MIS), TXIM);
    put(ICR, TXIM);
    ck_assert(!level);
    ck_assert_uint_eq(get(RIS), 0);
}
END_TEST

START_TEST(registers_keep_their_value_and_read_only_ones_do_not_change)
{
    static const uint8_t id[] = {0x11, 0x10, 0x34, 0x00, 0x0D, 0xF0, 0x05, 0xB1};

    ck_assert_uint_eq(get(CR), 0x300);
    put(IBRD, 13);
    ck_assert_uint_eq(get(IBRD), 13);
    put(FR, 0);
    put(RIS, 0xFFFF);
    ck_assert_uint_eq(get(FR), RXFE | TXFE);
    ck_assert_uint_eq(get(RIS), 0);
    for (unsigned i = 0; i < 8; i++)
        ck_assert_uint_eq(get(PERIPHID0 + 4 * i), id[i]);
}
END_TEST

START_TEST(wide_accesses_are_refused)
{
    uint8_t data[16] = {0};
    struct txn txn = {.kind = TXN_WRITE, .addr = DR, .size = 16, .data = data};

    pl011_access(uart, &txn);
    ck_assert_int_eq(txn.status, TXN_SLVERR);
    ck_assert_uint_eq(written, 0);
}
END_TEST

void test_pl011(struct unit_registry *registry)
{
    unit_suite(registry, "Pl011", setup, teardown);
    unit_test(registry, characters_reach_the_console_at_once);
    unit_test(registry, transmit_interrupt_is_masked_and_cleared);
    unit_test(registry, registers_keep_their_value_and_read_only_ones_do_not_change);
    unit_test(registry, wide_accesses_are_refused);
}
