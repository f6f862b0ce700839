/* The network interface: rings, what is lost and counted, write-back, interrupts, the pace of the wire, bad
 * descriptors. */
#include <string.h>

#include "common/units.h"
#include "dmac/nic.h"
#include "tests/support/vsim.h"
#include "tests/unit.h"

#define BYTES 0x200000u
enum {
    CTRL = 0x00,
    STATUS = 0x08,
    CAUSE = 0x10,
    ENABLE = 0x18,
    MODERATION = 0x20,
    GENERATE_BYTES = 0x28,
    GENERATE_FRAMES = 0x30,
    ERROR_ADDRESS = 0x38,
    RX_BASE = 0x40,
    RX_ENTRIES = 0x48,
    RX_HEAD = 0x50,
    RX_TAIL = 0x58,
    TX_BASE = 0x60,
    TX_ENTRIES = 0x68,
    TX_HEAD = 0x70,
    TX_TAIL = 0x78,
    RX_FRAMES = 0x80,
    RX_BYTES = 0x88,
    RX_NO_DESCRIPTOR = 0x90,
    RX_OVERFLOW = 0x98,
    RX_ERRORS = 0xA0,
    TX_FRAMES = 0xA8,
    TX_BYTES = 0xB0,
    TX_ERRORS = 0xB8
};
enum { RX = 1, TX = 2, GENERATE = 4, LOOPBACK = 8 };
enum { ERROR_CAUSE = 4 };
enum { DONE = 1, ERROR = 2, REPORT = 4 };
enum { RX_RING = 0x1000, TX_RING = 0x2000, BUFFERS = 0x4000, BUFFER = 0x800 };
#define TRAVEL   20000u
#define LATENCY  10000u
#define SLOW     1000000u /* at slow_at */
#define ISSUE    1000u
#define BYTE_PS  80u
#define INTERVAL (84 * BYTE_PS) /* of frames of 64 bytes */

struct access {
    enum txn_kind kind;
    uint64_t addr, start_ps;
    uint32_t size;
};

static uint8_t memory[BYTES];
static struct access log_of[4096];
static unsigned logged;
static struct vsim *vsim;
static struct nic *nic;
static bool irq_level;
static uint64_t irq_ps, until_ps, fault_at, slow_at;
static unsigned irq_rises;
static struct nic_config config;

static void access_memory(void *ctx, struct txn *txn)
{
    ck_assert_uint_eq(txn->stream_id, 128);
    ck_assert(txn->coherent);
    txn->status = txn->addr > BYTES - txn->size                               ? TXN_DECERR
                  : txn->addr <= fault_at && fault_at < txn->addr + txn->size ? TXN_FAULT
                                                                              : TXN_OK;
    txn->done_ps = txn->start_ps + (txn->addr == slow_at ? SLOW : LATENCY);
    if (logged < 4096)
        log_of[logged++] = (struct access){txn->kind, txn->addr, txn->start_ps, txn->size};
    if (txn->status != TXN_OK)
        return;
    if (txn->kind == TXN_READ)
        memcpy(txn->data, memory + txn->addr, txn->size);
    else
        memcpy(memory + txn->addr, txn->data, txn->size);
}

static void set_irq(void *ctx, unsigned core, unsigned intid, bool level, uint64_t at_ps)
{
    ck_assert_uint_eq(intid, 140);
    irq_rises += level && !irq_level;
    irq_level = level;
    irq_ps = at_ps;
}

static void run_receive(void *argument)
{
    nic_run(nic, NIC_RECEIVE);
}

static void run_transmit(void *argument)
{
    nic_run(nic, NIC_TRANSMIT);
}

static void run_interrupt(void *argument)
{
    nic_run(nic, NIC_INTERRUPT);
}

static void create(void)
{
    struct mem_port port = {NULL, access_memory};
    struct irq_port irq = {NULL, set_irq};
    struct time_port times[NIC_PARTS];

    vsim = vsim_create();
    times[NIC_RECEIVE] = vsim_add(vsim, run_receive, NULL);
    times[NIC_TRANSMIT] = vsim_add(vsim, run_transmit, NULL);
    times[NIC_INTERRUPT] = vsim_add(vsim, run_interrupt, NULL);
    nic = nic_create(&config, &port, times, &irq);
    ck_assert_ptr_nonnull(nic);
    until_ps = 0;
    logged = 0;
}

static void destroy(void)
{
    nic_destroy(nic);
    vsim_destroy(vsim);
}

static void setup(void)
{
    config = (struct nic_config){.requester = REQUESTER_DEVICE_BASE,
                                 .stream_id = 128,
                                 .coherent = true,
                                 .intid = 140,
                                 .burst_bytes = 256,
                                 .outstanding = 64,
                                 .prefetch = 16,
                                 .writeback = 1,
                                 .fifo_bytes = 65536,
                                 .issue_ps = ISSUE,
                                 .travel_ps = TRAVEL,
                                 .byte_ps = BYTE_PS};
    memset(memory, 0, sizeof(memory));
    fault_at = slow_at = UINT64_MAX;
    irq_level = false;
    irq_rises = 0;
    create();
}

/* Again with what the test has changed in config. */
static void reconfigure(void)
{
    destroy();
    create();
}

static void wr(uint64_t offset, uint64_t value)
{
    struct txn txn = {.kind = TXN_WRITE, .addr = offset, .size = 8, .data = (uint8_t *)&value, .start_ps = until_ps};

    nic_access(nic, &txn);
    ck_assert_int_eq(txn.status, TXN_OK);
}

static uint64_t rd(uint64_t offset)
{
    uint64_t value = 0;
    struct txn txn = {.kind = TXN_READ, .addr = offset, .size = 8, .data = (uint8_t *)&value, .start_ps = until_ps};

    nic_access(nic, &txn);
    ck_assert_int_eq(txn.status, TXN_OK);
    return value;
}

static void run_for(uint64_t ps)
{
    vsim_run(vsim, until_ps += ps);
}

static uint64_t buffer(unsigned i)
{
    return BUFFERS + i * BUFFER;
}

static void describe(uint64_t ring, unsigned i, uint64_t address, uint32_t bytes, uint32_t flags)
{
    uint64_t words[] = {address, (uint64_t)flags << 32 | bytes};

    memcpy(memory + ring + 16 * i, words, 16);
}

static uint32_t word(uint64_t address)
{
    uint32_t value;

    memcpy(&value, memory + address, 4);
    return value;
}

static uint32_t length_of(uint64_t ring, unsigned i)
{
    return word(ring + 16 * i + 8);
}

static uint32_t flags_of(uint64_t ring, unsigned i)
{
    return word(ring + 16 * i + 12);
}

static void transmit_ring(unsigned entries)
{
    wr(TX_BASE, TX_RING);
    wr(TX_ENTRIES, entries);
}

/* A receive ring, its first `filled` descriptors with buffers of 2 KB. */
static void receive_ring(unsigned entries, unsigned filled)
{
    wr(RX_BASE, RX_RING);
    wr(RX_ENTRIES, entries);
    for (unsigned i = 0; i < filled; i++)
        describe(RX_RING, i, buffer(i), BUFFER, 0);
    wr(CTRL, RX);
    wr(RX_TAIL, filled % entries);
}

static void generate(unsigned frames)
{
    wr(GENERATE_FRAMES, frames);
    wr(CTRL, RX | GENERATE);
}

static void expect_frame(unsigned number, uint64_t address, uint32_t length)
{
    uint8_t data[NIC_FRAME_MOST];

    nic_frame(number, length + NIC_FCS, data);
    ck_assert_int_eq(memcmp(memory + address, data, length), 0);
}

START_TEST(frames_are_what_the_header_says)
{
    uint8_t data[NIC_FRAME_MOST + 8], other[NIC_FRAME_MOST];

    for (uint32_t length = 64; length < 200; length++) {
        uint64_t sum = 0, value;
        memset(data, 0, sizeof(data));
        nic_frame(12345678901, length, data);
        for (uint32_t i = 0; i < length - NIC_FCS; i += 8) {
            memcpy(&value, data + i, 8);
            sum += value;
        }
        ck_assert_uint_eq(sum, 0);
        memcpy(&value, data + 16, 8);
        ck_assert_uint_eq(value, 12345678901);
        ck_assert_uint_eq(data[12] << 8 | data[13], 0x88B5);
    }
    nic_frame(1, 64, data);
    nic_frame(2, 64, other);
    ck_assert_int_ne(memcmp(data + 32, other + 32, 28), 0);
}
END_TEST

START_TEST(a_frame_arrives_whole_in_its_buffer)
{
    receive_ring(8, 7);
    memory[buffer(0) + 60] = 0xAA;
    generate(1);
    run_for(PS_PER_US);
    expect_frame(0, buffer(0), 60);
    ck_assert_uint_eq(memory[buffer(0) + 60], 0xAA);
    ck_assert_uint_eq(length_of(RX_RING, 0), 60);
    ck_assert_uint_eq(flags_of(RX_RING, 0), DONE);
    ck_assert_uint_eq(word(RX_RING), buffer(0));
    ck_assert_uint_eq(flags_of(RX_RING, 1), 0);
    ck_assert_uint_eq(rd(RX_HEAD), 1);
    ck_assert_uint_eq(rd(RX_FRAMES), 1);
    ck_assert_uint_eq(rd(RX_BYTES), 60);
    ck_assert_uint_eq(rd(CAUSE), 1);
}
END_TEST

START_TEST(time_of_one_frame)
{
    unsigned data = 0;

    receive_ring(8, 7);
    run_for(PS_PER_US);
    generate(1);
    run_for(PS_PER_US);
    /* arrives whole at 1 us + 84 bytes; descriptors: travel, memory, travel; data: travel, memory; write-back: travel
     */
    ck_assert_uint_eq(logged, 3);
    ck_assert_uint_eq(log_of[0].kind, TXN_READ);
    ck_assert_uint_eq(log_of[0].start_ps, PS_PER_US + INTERVAL + TRAVEL);
    ck_assert_uint_eq(log_of[0].size, 7 * 16);
    data = 1;
    ck_assert_uint_eq(log_of[data].addr, buffer(0));
    ck_assert_uint_eq(log_of[data].start_ps, log_of[0].start_ps + LATENCY + TRAVEL + TRAVEL);
    ck_assert_uint_eq(log_of[2].addr, RX_RING);
    ck_assert_uint_eq(log_of[2].start_ps, log_of[data].start_ps + LATENCY + TRAVEL);
}
END_TEST

START_TEST(the_ring_wraps)
{
    receive_ring(4, 3);
    for (unsigned round = 0; round < 10; round++) {
        unsigned tail = (unsigned)rd(RX_TAIL);
        generate(1);
        run_for(PS_PER_US);
        wr(CTRL, RX);
        ck_assert_uint_eq(flags_of(RX_RING, round % 4), DONE);
        expect_frame(round, buffer(round % 4), 60);
        describe(RX_RING, tail, buffer(tail), BUFFER, 0);
        wr(RX_TAIL, (tail + 1) % 4);
        ck_assert_uint_eq(rd(RX_HEAD), (round + 1) % 4);
    }
    ck_assert_uint_eq(rd(RX_FRAMES), 10);
    ck_assert_uint_eq(rd(RX_NO_DESCRIPTOR), 0);
}
END_TEST

/* The only access of kind that begins at addr, from the log. */
static const struct access *access_at(enum txn_kind kind, uint64_t addr)
{
    const struct access *found = NULL;

    for (unsigned i = 0; i < logged; i++)
        if (log_of[i].kind == kind && log_of[i].addr == addr) {
            ck_assert_ptr_null(found);
            found = &log_of[i];
        }
    ck_assert_ptr_nonnull(found);
    return found;
}

START_TEST(a_ring_that_has_wrapped_can_be_empty)
{
    receive_ring(4, 3);
    generate(3);
    run_for(PS_PER_US);
    describe(RX_RING, 3, buffer(3), BUFFER, 0);
    wr(RX_TAIL, 0);
    wr(CTRL, RX);
    generate(2);
    run_for(PS_PER_US);
    ck_assert_uint_eq(rd(RX_HEAD), 0);
    ck_assert_uint_eq(rd(RX_FRAMES), 4);
    ck_assert_uint_eq(flags_of(RX_RING, 3), DONE);
}
END_TEST

START_TEST(frames_are_lost_to_the_ring_as_it_was)
{
    unsigned room = 65536 / 64;

    receive_ring(8, 0);
    generate(room + 100);
    run_for(PS_PER_MS);
    wr(RX_TAIL, 3); /* later than all of them */
    ck_assert_uint_eq(rd(RX_NO_DESCRIPTOR), 100);
    ck_assert_uint_eq(rd(RX_OVERFLOW), 0);
}
END_TEST

START_TEST(no_descriptor_waits_in_the_fifo_then_drops)
{
    unsigned room = 65536 / 64;

    receive_ring(8, 3);
    generate(room + 3 + 100);
    run_for(PS_PER_MS);
    ck_assert_uint_eq(rd(RX_FRAMES), 3);
    ck_assert_uint_eq(rd(RX_NO_DESCRIPTOR), 100);
    ck_assert_uint_eq(rd(RX_OVERFLOW), 0);
    /* the oldest comes next, without a gap */
    describe(RX_RING, 3, buffer(3), BUFFER, 0);
    wr(RX_TAIL, 4);
    run_for(PS_PER_US);
    ck_assert_uint_eq(rd(RX_FRAMES), 4);
    expect_frame(3, buffer(3), 60);
    /* after what was lost the numbers go on */
    wr(CTRL, 0);
    ck_assert_uint_eq(rd(RX_HEAD), 0);
    wr(CTRL, RX);
    wr(RX_TAIL, 3);
    for (unsigned i = 0; i < 4; i++)
        describe(RX_RING, i, buffer(i), BUFFER, 0);
    generate(1);
    run_for(PS_PER_US);
    expect_frame(room + 103, buffer(0), 60);
}
END_TEST

START_TEST(a_slow_memory_overflows_the_fifo)
{
    config.fifo_bytes = NIC_FRAME_MOST;
    config.issue_ps = 100000; /* 15 times too slow */
    reconfigure();
    receive_ring(512, 511);
    generate(400);
    run_for(PS_PER_MS);
    ck_assert_uint_eq(rd(RX_NO_DESCRIPTOR), 0);
    ck_assert_uint_gt(rd(RX_OVERFLOW), 0);
    ck_assert_uint_eq(rd(RX_OVERFLOW) + rd(RX_FRAMES), 400);
}
END_TEST

START_TEST(the_wire_is_kept_busy_at_line_rate)
{
    unsigned frames = 100;
    uint64_t first = 0, last = 0, number = 0;

    config.writeback = 4;
    config.writeback_ps = PS_PER_US;
    reconfigure();
    receive_ring(128, 127);
    generate(frames);
    run_for(10 * PS_PER_US);
    for (unsigned i = 0; i < logged; i++)
        if (log_of[i].kind == TXN_WRITE && log_of[i].addr >= BUFFERS) {
            number++;
            if (number == 50)
                first = log_of[i].start_ps;
            last = log_of[i].start_ps;
        }
    ck_assert_uint_eq(number, frames);
    ck_assert_uint_eq(last - first, 50 * INTERVAL); /* 148.8 million frames a second */
    ck_assert_uint_eq(rd(RX_FRAMES), frames);
    ck_assert_uint_eq(rd(RX_OVERFLOW), 0);
}
END_TEST

START_TEST(longer_frames_take_longer_and_more_requests)
{
    receive_ring(8, 7);
    wr(GENERATE_BYTES, 1518);
    run_for(PS_PER_US);
    generate(2);
    run_for(PS_PER_US);
    expect_frame(0, buffer(0), 1514);
    expect_frame(1, buffer(1), 1514);
    ck_assert_uint_eq(log_of[0].start_ps, PS_PER_US + 1538 * BYTE_PS + TRAVEL);
    for (unsigned i = 0; i < 6; i++) { /* 5 bursts of 256 and the rest, a nanosecond apart */
        ck_assert_uint_eq(log_of[1 + i].start_ps, log_of[1].start_ps + i * ISSUE);
        ck_assert_uint_eq(log_of[1 + i].size, i < 5 ? 256 : 234);
    }
}
END_TEST

START_TEST(written_back_together_or_when_patience_ends)
{
    unsigned writes = 0;

    config.writeback = 4;
    config.writeback_ps = 500000;
    reconfigure();
    receive_ring(64, 63);
    generate(6);
    run_for(10 * PS_PER_US);
    for (unsigned i = 0; i < logged; i++)
        if (log_of[i].kind == TXN_WRITE && log_of[i].addr < BUFFERS) {
            ck_assert_uint_eq(log_of[i].addr, RX_RING + (writes ? 64 : 0));
            ck_assert_uint_eq(log_of[i].size, writes ? 32 : 64);
            writes++;
        }
    ck_assert_uint_eq(writes, 2);
    ck_assert_uint_eq(rd(RX_HEAD), 6);
    for (unsigned i = 0; i < 7; i++)
        ck_assert_uint_eq(flags_of(RX_RING, i), i < 6 ? DONE : 0);
}
END_TEST

START_TEST(patience_to_the_picosecond)
{
    config.writeback = 4;
    config.writeback_ps = 500000;
    reconfigure();
    receive_ring(8, 7);
    generate(1);
    run_for(10 * PS_PER_US);
    ck_assert_uint_eq(log_of[2].addr, RX_RING);
    ck_assert_uint_eq(log_of[2].start_ps, log_of[1].start_ps + LATENCY + 500000 + TRAVEL);
}
END_TEST

START_TEST(a_write_back_waits_for_all_its_data)
{
    config.writeback = 2;
    config.writeback_ps = 10 * PS_PER_US;
    reconfigure();
    slow_at = buffer(0); /* the second frame is there long before the first */
    receive_ring(8, 7);
    generate(2);
    run_for(5 * PS_PER_US);
    ck_assert_uint_eq(access_at(TXN_WRITE, RX_RING)->size, 32);
    ck_assert_uint_eq(access_at(TXN_WRITE, RX_RING)->start_ps,
                      access_at(TXN_WRITE, buffer(0))->start_ps + SLOW + TRAVEL);
}
END_TEST

START_TEST(patience_does_not_write_back_what_is_not_there)
{
    config.writeback = 4;
    config.writeback_ps = 100000;
    reconfigure();
    slow_at = buffer(1);
    receive_ring(8, 7);
    generate(2);
    run_for(5 * PS_PER_US);
    ck_assert_uint_eq(access_at(TXN_WRITE, RX_RING)->size, 16);
    ck_assert_uint_ge(access_at(TXN_WRITE, RX_RING + 16)->start_ps,
                      access_at(TXN_WRITE, buffer(1))->start_ps + SLOW + TRAVEL);
}
END_TEST

START_TEST(a_write_back_does_not_cross_the_end_of_the_ring)
{
    config.writeback = 4;
    config.writeback_ps = 500000;
    reconfigure();
    receive_ring(6, 5);
    generate(4);
    run_for(PS_PER_US);
    wr(CTRL, RX);
    for (unsigned i = 5; i < 9; i++)
        describe(RX_RING, i % 6, buffer(i % 6), BUFFER, 0);
    wr(RX_TAIL, 3);
    logged = 0;
    generate(4);
    run_for(10 * PS_PER_US);
    ck_assert_uint_eq(rd(RX_HEAD), 2);
    for (unsigned i = 0; i < logged; i++)
        if (log_of[i].kind == TXN_WRITE && log_of[i].addr < BUFFERS)
            ck_assert_uint_le(log_of[i].addr + log_of[i].size, RX_RING + 6 * 16);
}
END_TEST

START_TEST(interrupts_are_moderated)
{
    uint64_t first;

    receive_ring(64, 63);
    wr(MODERATION, 2 * PS_PER_US);
    wr(ENABLE, 1);
    generate(1);
    run_for(PS_PER_US);
    ck_assert(irq_level);
    first = irq_ps;
    /* descriptors, data, write-back */
    ck_assert_uint_eq(first, INTERVAL + TRAVEL + LATENCY + TRAVEL + TRAVEL + LATENCY + TRAVEL + LATENCY);
    wr(CAUSE, 1);
    ck_assert(!irq_level);
    wr(CTRL, RX);
    generate(1);
    run_for(PS_PER_US / 2); /* the next cause is there, its interrupt is not yet allowed */
    ck_assert_uint_eq(rd(CAUSE), 1);
    ck_assert(!irq_level);
    run_for(2 * PS_PER_US);
    ck_assert(irq_level);
    ck_assert_uint_eq(irq_ps, first + 2 * PS_PER_US);
    ck_assert_uint_eq(irq_rises, 2);
}
END_TEST

START_TEST(no_interrupt_before_the_write_back_is_acknowledged)
{
    slow_at = RX_RING;
    receive_ring(8, 7);
    generate(1);
    run_for(PS_PER_US * 3 / 2); /* a slow fetch, too */
    ck_assert_uint_eq(rd(CAUSE), 1);
    wr(ENABLE, 1);
    run_for(PS_PER_US / 4);
    ck_assert(!irq_level);
    run_for(2 * PS_PER_US);
    ck_assert_uint_eq(irq_ps, access_at(TXN_WRITE, RX_RING)->start_ps + SLOW);
}
END_TEST

START_TEST(masked_causes_wait)
{
    receive_ring(8, 7);
    generate(1);
    run_for(PS_PER_US);
    ck_assert(!irq_level);
    wr(ENABLE, 1);
    run_for(1);
    ck_assert(irq_level);
    wr(ENABLE, 2);
    ck_assert(!irq_level);
    ck_assert_uint_eq(rd(CAUSE), 1);
}
END_TEST

START_TEST(a_frame_too_long_for_its_buffer)
{
    uint8_t whole[64];

    receive_ring(8, 0);
    describe(RX_RING, 0, buffer(0), 40, 0);
    describe(RX_RING, 1, buffer(1), 0, 0);
    describe(RX_RING, 2, buffer(2), 60, 0);
    wr(RX_TAIL, 3);
    memory[buffer(0) + 40] = 0xAA;
    generate(3);
    run_for(PS_PER_US);
    nic_frame(0, 64, whole);
    ck_assert_int_eq(memcmp(memory + buffer(0), whole, 40), 0);
    ck_assert_uint_eq(memory[buffer(0) + 40], 0xAA);
    ck_assert_uint_eq(flags_of(RX_RING, 0), DONE | ERROR);
    ck_assert_uint_eq(length_of(RX_RING, 0), 60);
    ck_assert_uint_eq(flags_of(RX_RING, 1), DONE | ERROR);
    ck_assert_uint_eq(flags_of(RX_RING, 2), DONE);
    ck_assert_uint_eq(rd(RX_ERRORS), 2);
    ck_assert_uint_eq(rd(RX_FRAMES), 1);
    ck_assert_uint_eq(rd(STATUS), 0);
}
END_TEST

START_TEST(a_buffer_that_is_not_there)
{
    receive_ring(8, 3);
    describe(RX_RING, 1, BYTES + 0x1000, BUFFER, 0);
    generate(3);
    run_for(PS_PER_US);
    ck_assert_uint_eq(flags_of(RX_RING, 0), DONE);
    ck_assert_uint_eq(flags_of(RX_RING, 1), DONE | ERROR);
    ck_assert_uint_eq(flags_of(RX_RING, 2), DONE);
    expect_frame(2, buffer(2), 60);
    ck_assert_uint_eq(rd(ERROR_ADDRESS), BYTES + 0x1000);
    ck_assert_uint_eq(rd(CAUSE), 1 | ERROR_CAUSE);
    ck_assert_uint_eq(rd(STATUS), 0);
}
END_TEST

START_TEST(a_ring_that_is_not_there_stands)
{
    wr(RX_BASE, BYTES);
    wr(RX_ENTRIES, 8);
    wr(CTRL, RX);
    wr(RX_TAIL, 3);
    generate(3);
    run_for(PS_PER_US);
    ck_assert_uint_eq(rd(STATUS), 1);
    ck_assert_uint_eq(rd(CAUSE), ERROR_CAUSE);
    ck_assert_uint_eq(rd(ERROR_ADDRESS), BYTES);
    ck_assert_uint_eq(rd(RX_HEAD), 0);
    /* repaired */
    wr(CTRL, 0);
    wr(STATUS, 1);
    receive_ring(8, 3);
    generate(1);
    run_for(PS_PER_US);
    ck_assert_uint_eq(flags_of(RX_RING, 0), DONE);
}
END_TEST

START_TEST(a_write_back_that_fails_stops_the_ring)
{
    receive_ring(8, 3);
    generate(1);
    run_for(INTERVAL + 3 * TRAVEL); /* the descriptors are read */
    fault_at = RX_RING;
    run_for(PS_PER_US);
    ck_assert_uint_eq(rd(STATUS), 1);
    ck_assert_uint_eq(rd(RX_HEAD), 0);
    ck_assert_uint_eq(flags_of(RX_RING, 0), 0);
}
END_TEST

START_TEST(off_in_the_middle_of_a_fetch)
{
    receive_ring(8, 3);
    generate(1);
    run_for(INTERVAL + 1); /* the descriptors are on their way */
    ck_assert_uint_eq(logged, 1);
    wr(CTRL, 0);
    wr(CTRL, RX);
    run_for(PS_PER_US);
    ck_assert_uint_eq(logged, 1);
    ck_assert_uint_eq(rd(RX_HEAD), 0);
    ck_assert_uint_eq(rd(RX_FRAMES), 0);
}
END_TEST

START_TEST(off_between_data_and_write_back)
{
    receive_ring(8, 3);
    generate(1);
    run_for(INTERVAL + 2 * TRAVEL + LATENCY + 1); /* the data are on their way */
    ck_assert_uint_eq(logged, 2);
    wr(CTRL, 0);
    run_for(PS_PER_US);
    ck_assert_uint_eq(logged, 2);
    ck_assert_uint_eq(flags_of(RX_RING, 0), 0);
}
END_TEST

START_TEST(off_in_the_middle_of_a_frame)
{
    config.issue_ps = 100000; /* the six pieces of a frame take 600 ns */
    reconfigure();
    receive_ring(8, 3);
    wr(GENERATE_BYTES, 1518);
    generate(1);
    run_for(PS_PER_US / 2);
    ck_assert_uint_gt(logged, 2);
    wr(CTRL, 0);
    wr(CTRL, RX);
    run_for(5 * PS_PER_US);
    ck_assert_uint_eq(rd(RX_HEAD), 0);
    ck_assert_uint_eq(flags_of(RX_RING, 0), 0);
}
END_TEST

START_TEST(off_in_the_middle_of_a_frame_to_send)
{
    config.issue_ps = 100000;
    reconfigure();
    transmit_ring(8);
    describe(TX_RING, 0, buffer(0), 1514, REPORT);
    wr(CTRL, TX);
    wr(TX_TAIL, 1);
    run_for(PS_PER_US / 2);
    ck_assert_uint_gt(logged, 2);
    wr(CTRL, 0);
    wr(CTRL, TX);
    run_for(5 * PS_PER_US);
    ck_assert_uint_eq(rd(TX_HEAD), 0);
    ck_assert_uint_eq(flags_of(TX_RING, 0), REPORT);
}
END_TEST

START_TEST(off_while_a_fetch_waits_for_its_turn)
{
    config.outstanding = 1;
    reconfigure();
    transmit_ring(8);
    describe(TX_RING, 0, buffer(20), 60, 0);
    slow_at = buffer(20);
    receive_ring(8, 3);
    wr(CTRL, RX | TX);
    wr(TX_TAIL, 1);
    run_for(PS_PER_US / 4);
    wr(GENERATE_FRAMES, 1);
    wr(CTRL, RX | TX | GENERATE);
    run_for(PS_PER_US / 2); /* the read of the frame to send occupies the only slot */
    wr(CTRL, TX);
    wr(RX_BASE, 0x3000);
    describe(0x3000, 0, buffer(10), BUFFER, 0);
    wr(CTRL, RX | TX | GENERATE);
    wr(RX_TAIL, 1);
    run_for(5 * PS_PER_US);
    ck_assert_uint_eq(rd(RX_HEAD), 1);
    ck_assert_uint_eq(length_of(0x3000, 0), 60);
    ck_assert_uint_eq(flags_of(0x3000, 0), DONE);
    ck_assert_uint_eq(word(0x3000), buffer(10));
}
END_TEST

START_TEST(what_is_sent_is_received_by_loopback)
{
    receive_ring(8, 7);
    transmit_ring(8);
    for (unsigned i = 0; i < 3; i++) {
        nic_frame(100 + i, 64 + 500 * i, memory + buffer(16 + i));
        describe(TX_RING, i, buffer(16 + i), 60 + 500 * i, i == 2 ? REPORT : 0);
    }
    wr(CTRL, RX | TX | LOOPBACK);
    wr(TX_TAIL, 3);
    run_for(2 * PS_PER_US);
    for (unsigned i = 0; i < 3; i++) {
        expect_frame(100 + i, buffer(i), 60 + 500 * i);
        ck_assert_uint_eq(length_of(RX_RING, i), 60 + 500 * i);
        ck_assert_uint_eq(flags_of(TX_RING, i), i == 2 ? DONE : 0); /* only what was asked for */
    }
    ck_assert_uint_eq(rd(TX_HEAD), 3);
    ck_assert_uint_eq(rd(TX_FRAMES), 3);
    ck_assert_uint_eq(rd(TX_BYTES), 60 + 560 + 1060);
    ck_assert_uint_eq(rd(CAUSE), 3);
}
END_TEST

START_TEST(without_loopback_nothing_comes_back)
{
    receive_ring(8, 7);
    transmit_ring(8);
    describe(TX_RING, 0, buffer(16), 60, REPORT);
    wr(CTRL, RX | TX);
    wr(TX_TAIL, 1);
    run_for(2 * PS_PER_US);
    ck_assert_uint_eq(rd(TX_FRAMES), 1);
    ck_assert_uint_eq(rd(RX_FRAMES), 0);
}
END_TEST

START_TEST(frames_are_read_no_further_ahead_than_the_fifo)
{
    const uint64_t on_wire_ps = 1538 * BYTE_PS, depth_ps = NIC_FRAME_MOST * BYTE_PS;

    config.fifo_bytes = NIC_FRAME_MOST;
    reconfigure();
    transmit_ring(64);
    for (unsigned i = 0; i < 20; i++)
        describe(TX_RING, i, buffer(i), 1514, 0);
    wr(CTRL, TX);
    wr(TX_TAIL, 20);
    run_for(10 * PS_PER_US);
    ck_assert_uint_eq(rd(TX_FRAMES), 20);
    for (unsigned i = 10; i < 20; i++) /* the i frames before it take so long from the first one's arrival on */
        ck_assert_uint_ge(access_at(TXN_READ, buffer(i))->start_ps,
                          access_at(TXN_READ, buffer(0))->start_ps + i * on_wire_ps - depth_ps);
}
END_TEST

START_TEST(a_short_frame_is_padded_with_zeros)
{
    receive_ring(8, 7);
    transmit_ring(8);
    memset(memory + buffer(16), 0x55, 64);
    memset(memory + buffer(0), 0x77, 64);
    describe(TX_RING, 0, buffer(16), 14, REPORT);
    wr(CTRL, RX | TX | LOOPBACK);
    wr(TX_TAIL, 1);
    run_for(PS_PER_US);
    ck_assert_uint_eq(length_of(RX_RING, 0), 60);
    for (unsigned i = 0; i < 64; i++)
        ck_assert_uint_eq(memory[buffer(0) + i], i < 14 ? 0x55 : i < 60 ? 0 : 0x77);
}
END_TEST

START_TEST(time_on_the_wire)
{
    uint64_t ready;

    transmit_ring(8);
    for (unsigned i = 0; i < 2; i++)
        describe(TX_RING, i, buffer(i), 60, REPORT);
    wr(CTRL, TX);
    run_for(PS_PER_US);
    wr(TX_TAIL, 2);
    run_for(PS_PER_US);
    ck_assert_uint_eq(log_of[1].addr, buffer(0));
    ready = log_of[1].start_ps + LATENCY + TRAVEL;
    ck_assert_uint_eq(log_of[3].addr, TX_RING);
    ck_assert_uint_eq(log_of[3].start_ps, ready + INTERVAL + TRAVEL);
    ck_assert_uint_eq(log_of[4].addr, TX_RING + 16);
    ck_assert_uint_eq(log_of[4].start_ps, ready + 2 * INTERVAL + TRAVEL);
}
END_TEST

START_TEST(bad_frames_are_not_sent)
{
    static const uint32_t lengths[] = {13, 14, NIC_FRAME_MOST - NIC_FCS, NIC_FRAME_MOST - NIC_FCS + 1, 0, 60};

    transmit_ring(8);
    for (unsigned i = 0; i < 6; i++)
        describe(TX_RING, i, i == 5 ? BYTES : 0x8000, lengths[i], REPORT);
    wr(CTRL, TX);
    wr(TX_TAIL, 6);
    run_for(10 * PS_PER_US);
    for (unsigned i = 0; i < 6; i++)
        ck_assert_uint_eq(flags_of(TX_RING, i), i == 1 || i == 2 ? DONE : DONE | ERROR);
    ck_assert_uint_eq(rd(TX_FRAMES), 2);
    ck_assert_uint_eq(rd(TX_ERRORS), 4);
    ck_assert_uint_eq(rd(ERROR_ADDRESS), BYTES);
}
END_TEST

START_TEST(registers_refuse_nonsense)
{
    uint64_t value = 0;
    struct txn txn = {.kind = TXN_READ, .size = 2, .data = (uint8_t *)&value};

    nic_access(nic, &txn);
    ck_assert_int_eq(txn.status, TXN_SLVERR);
    txn = (struct txn){.kind = TXN_READ, .addr = 4, .size = 4, .data = (uint8_t *)&value};
    nic_access(nic, &txn);
    ck_assert_int_eq(txn.status, TXN_SLVERR);
    txn = (struct txn){.kind = TXN_READ, .addr = 0xC0, .size = 8, .data = (uint8_t *)&value};
    nic_access(nic, &txn);
    ck_assert_int_eq(txn.status, TXN_SLVERR);
    receive_ring(8, 0);
    wr(RX_TAIL, 8);
    ck_assert_uint_eq(rd(RX_TAIL), 0);
    wr(RX_BASE, 0x3000); /* while it is on */
    wr(RX_ENTRIES, 16);
    ck_assert_uint_eq(rd(RX_BASE), RX_RING);
    ck_assert_uint_eq(rd(RX_ENTRIES), 8);
    wr(CTRL, 0);
    wr(RX_ENTRIES, 1);
    wr(RX_ENTRIES, 65537);
    ck_assert_uint_eq(rd(RX_ENTRIES), 8);
    wr(GENERATE_BYTES, 63);
    wr(GENERATE_BYTES, 9601);
    ck_assert_uint_eq(rd(GENERATE_BYTES), 64);
}
END_TEST

START_TEST(configurations_out_of_range)
{
    struct nic_config good = config, bad;

#define REFUSED(field, value) \
    bad = good;               \
    bad.field = (value);      \
    ck_assert_ptr_null(nic_create(&bad, &(struct mem_port){0}, NULL, NULL))
    REFUSED(burst_bytes, 32);
    REFUSED(burst_bytes, 96);
    REFUSED(burst_bytes, 8192);
    REFUSED(outstanding, 0);
    REFUSED(outstanding, 257);
    REFUSED(prefetch, 0);
    REFUSED(prefetch, 65);
    REFUSED(writeback, 0);
    REFUSED(writeback, 65);
    REFUSED(fifo_bytes, NIC_FRAME_MOST - 1);
    REFUSED(fifo_bytes, (1 << 20) + 1);
    REFUSED(byte_ps, 0);
#undef REFUSED
}
END_TEST

void test_nic(struct unit_registry *registry)
{
    unit_suite(registry, "Nic", setup, destroy);
    unit_test(registry, frames_are_what_the_header_says);
    unit_test(registry, a_frame_arrives_whole_in_its_buffer);
    unit_test(registry, time_of_one_frame);
    unit_test(registry, the_ring_wraps);
    unit_test(registry, a_ring_that_has_wrapped_can_be_empty);
    unit_test(registry, frames_are_lost_to_the_ring_as_it_was);
    unit_test(registry, no_descriptor_waits_in_the_fifo_then_drops);
    unit_test(registry, a_slow_memory_overflows_the_fifo);
    unit_test(registry, the_wire_is_kept_busy_at_line_rate);
    unit_test(registry, longer_frames_take_longer_and_more_requests);
    unit_test(registry, written_back_together_or_when_patience_ends);
    unit_test(registry, patience_to_the_picosecond);
    unit_test(registry, a_write_back_waits_for_all_its_data);
    unit_test(registry, patience_does_not_write_back_what_is_not_there);
    unit_test(registry, a_write_back_does_not_cross_the_end_of_the_ring);
    unit_test(registry, interrupts_are_moderated);
    unit_test(registry, no_interrupt_before_the_write_back_is_acknowledged);
    unit_test(registry, masked_causes_wait);
    unit_test(registry, a_frame_too_long_for_its_buffer);
    unit_test(registry, a_buffer_that_is_not_there);
    unit_test(registry, a_ring_that_is_not_there_stands);
    unit_test(registry, a_write_back_that_fails_stops_the_ring);
    unit_test(registry, off_in_the_middle_of_a_fetch);
    unit_test(registry, off_between_data_and_write_back);
    unit_test(registry, off_in_the_middle_of_a_frame);
    unit_test(registry, off_in_the_middle_of_a_frame_to_send);
    unit_test(registry, off_while_a_fetch_waits_for_its_turn);
    unit_test(registry, what_is_sent_is_received_by_loopback);
    unit_test(registry, without_loopback_nothing_comes_back);
    unit_test(registry, frames_are_read_no_further_ahead_than_the_fifo);
    unit_test(registry, a_short_frame_is_padded_with_zeros);
    unit_test(registry, time_on_the_wire);
    unit_test(registry, bad_frames_are_not_sent);
    unit_test(registry, registers_refuse_nonsense);
    unit_test(registry, configurations_out_of_range);
}
