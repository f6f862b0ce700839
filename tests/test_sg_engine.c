/* The copy engine: bytes, chains, errors that are not lost, and its pace to the picosecond. */
#include <string.h>

#include "common/units.h"
#include "dmac/sg_engine.h"
#include "tests/support/vsim.h"
#include "tests/unit.h"

#define BYTES 0x10000u
enum { CTRL = 0, STATUS = 8, DESC = 0x10, ERROR_ADDRESS = 0x18, ERROR_STATUS = 0x20, BYTES_DONE = 0x30 };
enum { START = 1, IRQ_ENABLE = 2, ABORT = 4, BUSY = 1, DONE = 2, ERROR = 4 };

static uint8_t memory[BYTES];
static struct vsim *vsim;
static struct sg_engine *engine;
static bool irq_level;
static uint64_t irq_ps, latency_ps, fault_at, until_ps;
static unsigned in_flight_most, in_flight;
static uint64_t done_times[64];

static void access_memory(void *ctx, struct txn *txn)
{
    unsigned open = 0;

    txn->status = txn->addr > BYTES - txn->size                               ? TXN_DECERR
                  : txn->addr <= fault_at && fault_at < txn->addr + txn->size ? TXN_FAULT
                                                                              : TXN_OK;
    txn->done_ps = txn->start_ps + latency_ps;
    for (unsigned i = 0; i < 64; i++)
        open += done_times[i] > txn->start_ps;
    if (open + 1 > in_flight_most)
        in_flight_most = open + 1;
    done_times[in_flight++ % 64] = txn->done_ps;
    if (txn->status != TXN_OK)
        return;
    if (txn->kind == TXN_READ)
        memcpy(txn->data, memory + txn->addr, txn->size);
    else
        memcpy(memory + txn->addr, txn->data, txn->size);
}

static void set_irq(void *ctx, unsigned core, unsigned intid, bool level, uint64_t at_ps)
{
    ck_assert_uint_eq(intid, 128);
    irq_level = level;
    irq_ps = at_ps;
}

static void run_channel(void *argument)
{
    sg_engine_run(engine, 0);
}

static void setup(void)
{
    struct sg_engine_config config = {.requester = REQUESTER_DEVICE_BASE,
                                      .channels = 1,
                                      .intid = 128,
                                      .burst_bytes = 64,
                                      .outstanding = 2,
                                      .issue_ps = 1000};
    struct mem_port port = {NULL, access_memory};
    struct irq_port irq = {NULL, set_irq};
    struct time_port time;

    vsim = vsim_create();
    time = vsim_add(vsim, run_channel, NULL);
    engine = sg_engine_create(&config, &port, &time, &irq);
    ck_assert_ptr_nonnull(engine);
    latency_ps = 10000;
    until_ps = 0;
    fault_at = UINT64_MAX;
}

static void teardown(void)
{
    sg_engine_destroy(engine);
    vsim_destroy(vsim);
}

static void write_register(uint64_t offset, uint64_t value)
{
    struct txn txn = {.kind = TXN_WRITE, .addr = offset, .size = 8, .data = (uint8_t *)&value};

    sg_engine_access(engine, &txn);
    ck_assert_int_eq(txn.status, TXN_OK);
}

static uint64_t read_register(uint64_t offset, uint32_t size)
{
    uint64_t value = 0;
    struct txn txn = {.kind = TXN_READ, .addr = offset, .size = size, .data = (uint8_t *)&value};

    sg_engine_access(engine, &txn);
    ck_assert_int_eq(txn.status, TXN_OK);
    return value;
}

static void describe(uint64_t at, uint64_t source, uint64_t destination, uint32_t bytes, uint32_t flags, uint64_t next)
{
    uint64_t words[] = {source, destination, (uint64_t)flags << 32 | bytes, next};

    memcpy(memory + at, words, sizeof(words));
}

static void transfer(uint64_t descriptor)
{
    write_register(DESC, descriptor);
    write_register(CTRL, START | IRQ_ENABLE);
    vsim_run(vsim, until_ps += PS_PER_MS);
}

START_TEST(copies_unaligned_bytes_and_nothing_beside_them)
{
    for (unsigned i = 0; i < 1000; i++)
        memory[0x1003 + i] = (uint8_t)(i * 7);
    describe(0x100, 0x1003, 0x5011, 777, 0, 0);
    transfer(0x100);
    ck_assert_int_eq(memcmp(memory + 0x5011, memory + 0x1003, 777), 0);
    ck_assert_uint_eq(memory[0x5010], 0);
    ck_assert_uint_eq(memory[0x5011 + 777], 0);
    ck_assert_uint_eq(read_register(STATUS, 8), DONE);
    ck_assert_uint_eq(read_register(BYTES_DONE, 8), 777);
    ck_assert(irq_level);
    write_register(STATUS, DONE);
    ck_assert(!irq_level);
}
END_TEST

START_TEST(follows_a_chain_with_fill_and_discard)
{
    describe(0x100, 0x1122334455667788, 0x1000, 16, 1, 0x140);
    describe(0x140, 0x1000, 0x2000, 16, 0, 0x180);
    describe(0x180, 0x2000, 0, 16, 2, 0);
    transfer(0x100);
    ck_assert_uint_eq(memory[0x2000], 0x88);
    ck_assert_uint_eq(memory[0x2007], 0x11);
    ck_assert_uint_eq(memory[0x2008], 0x88);
    ck_assert_uint_eq(read_register(BYTES_DONE, 8), 48);
}
END_TEST

START_TEST(time_of_one_burst)
{
    /* descriptor 0..10000, read until 20000, write until 30000 */
    describe(0x100, 0x1000, 0x2000, 64, 0, 0);
    transfer(0x100);
    ck_assert_uint_eq(irq_ps, 30000);
}
END_TEST

START_TEST(requests_in_flight_are_limited_and_paced)
{
    describe(0x100, 0x1000, 0, 5 * 64, 2, 0);
    transfer(0x100);
    ck_assert_uint_eq(in_flight_most, 2);
    /* reads start at 10000, 11000, then as slots become free: 20000, 21000, 30000 */
    ck_assert_uint_eq(irq_ps, 30000 + 10000);
}
END_TEST

START_TEST(a_fault_ends_the_transfer_and_is_kept)
{
    describe(0x100, 0x1000, 0x2000, 256, 0, 0);
    fault_at = 0x1080;
    transfer(0x100);
    ck_assert_uint_eq(read_register(STATUS, 8), DONE | ERROR);
    ck_assert_uint_eq(read_register(ERROR_STATUS, 4), TXN_FAULT);
    ck_assert_uint_eq(read_register(ERROR_ADDRESS, 8), 0x1080);
    ck_assert_uint_eq(read_register(BYTES_DONE, 8), 128);
    ck_assert(irq_level);
    fault_at = UINT64_MAX; /* and the channel works again */
    transfer(0x100);
    ck_assert_uint_eq(read_register(ERROR_STATUS, 4), TXN_OK);
    ck_assert_uint_eq(read_register(BYTES_DONE, 8), 256);
}
END_TEST

START_TEST(a_descriptor_outside_memory_is_an_error)
{
    transfer(0xFFFFFFFFFFFFFFE0);
    ck_assert_uint_eq(read_register(STATUS, 8), DONE | ERROR);
    ck_assert_uint_eq(read_register(ERROR_STATUS, 4), TXN_DECERR);
}
END_TEST

START_TEST(an_endless_chain_is_ended_by_abort)
{
    describe(0x100, 0, 0x1000, 16, 1, 0x100);
    write_register(DESC, 0x100);
    write_register(CTRL, START);
    vsim_run(vsim, 1000000);
    ck_assert_uint_eq(read_register(STATUS, 8), BUSY);
    write_register(DESC, 0x4000); /* ignored while busy */
    ck_assert_uint_eq(read_register(DESC, 8), 0x100);
    write_register(CTRL, ABORT);
    vsim_run(vsim, 2000000);
    ck_assert_uint_eq(read_register(STATUS, 8), DONE | ERROR);
}
END_TEST

START_TEST(registers_refuse_odd_accesses)
{
    uint8_t data[16] = {0};
    struct txn narrow = {.kind = TXN_READ, .addr = STATUS, .size = 2, .data = data};
    struct txn beyond = {.kind = TXN_READ, .addr = SG_CHANNEL_BYTES, .size = 4, .data = data};

    sg_engine_access(engine, &narrow);
    ck_assert_int_eq(narrow.status, TXN_SLVERR);
    sg_engine_access(engine, &beyond);
    ck_assert_int_eq(beyond.status, TXN_SLVERR);
    write_register(DESC, 0x1234567890);
    ck_assert_uint_eq(read_register(DESC + 4, 4), 0x12);
    struct txn upper = {.kind = TXN_WRITE, .addr = DESC + 4, .size = 4, .data = (uint8_t[]){1, 0, 0, 0}};
    sg_engine_access(engine, &upper);
    ck_assert_uint_eq(read_register(DESC, 8), 0x134567890);
}
END_TEST

void test_sg_engine(struct unit_registry *registry)
{
    unit_suite(registry, "SgEngine", setup, teardown);
    unit_test(registry, copies_unaligned_bytes_and_nothing_beside_them);
    unit_test(registry, follows_a_chain_with_fill_and_discard);
    unit_test(registry, time_of_one_burst);
    unit_test(registry, requests_in_flight_are_limited_and_paced);
    unit_test(registry, a_fault_ends_the_transfer_and_is_kept);
    unit_test(registry, a_descriptor_outside_memory_is_an_error);
    unit_test(registry, an_endless_chain_is_ended_by_abort);
    unit_test(registry, registers_refuse_odd_accesses);
}
