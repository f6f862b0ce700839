/* The command queue: legality, errors and restart, CMD_SYNC, and what commands cost to the picosecond. */
#include <string.h>

#include "common/units.h"
#include "tests/support/smmu_bench.h"
#include "tests/unit.h"

enum { TSZ = 25 };
#define VA   0x12345000ull
#define ROOT (TABLES_AT)

static uint64_t root;

/* Stream sid translates page VA to DATA_AT with this ASID; nG unless global. */
static void stream_with_page(uint32_t sid, uint16_t asid, uint64_t attributes)
{
    root = new_table(12);
    set_stage1_stream(sid, CD_AT + 64 * sid);
    set_cd(CD_AT + 64 * sid, root, TSZ, 12, asid);
    map_at(root, TSZ, 12, VA, DATA_AT, 3, LEAF_RW | attributes);
}

static bool cached(uint32_t sid, uint64_t va)
{
    uint64_t value, walks = smmu_translator_counters(bench.smmu)->walks;
    enum txn_status status = device_read(sid, va, &value);

    return status == TXN_OK && smmu_translator_counters(bench.smmu)->walks == walks;
}

static bool refuses(uint64_t word0, uint64_t word1)
{
    uint32_t error;

    command(word0, word1);
    error = rd32(R_CMDQ_CONS) >> 24;
    if (!((rd32(R_GERROR) ^ rd32(R_GERRORN)) & 1))
        return false;
    ck_assert_uint_eq(error, 1);              /* CERROR_ILL */
    bench.prod = rd32(R_CMDQ_CONS) & 0xFFFFF; /* PROD may be moved back while the queue is stopped */
    ring();
    wr32(R_GERRORN, rd32(R_GERROR));
    return true;
}

START_TEST(which_commands_exist)
{
    static const uint8_t legal[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x10, 0x11, 0x12,
                                    0x13, 0x20, 0x21, 0x22, 0x23, 0x28, 0x2A, 0x30, 0x46};

    bring_up();
    for (unsigned opcode = 0; opcode < 256; opcode++)
        ck_assert_msg(refuses(opcode, 0) == !memchr(legal, (int)opcode, sizeof(legal)), "opcode 0x%x", opcode);
}
END_TEST

START_TEST(reserved_forms)
{
    static const uint8_t with_address[] = {0x12, 0x13, 0x22, 0x23, 0x2A};

    bring_up();
    for (unsigned opcode = 1; opcode <= 6; opcode++)
        ck_assert_msg(refuses(opcode | 1 << 10, 0), "SSec with opcode 0x%x", opcode);
    for (unsigned signal = 0; signal <= 3; signal++)
        ck_assert(refuses(0x46 | signal << 12, 0) == (signal == 3));
    for (unsigned i = 0; i < sizeof(with_address); i++)
        for (unsigned form = 0; form < 64; form++) { /* TG, TTL, NUM != 0, SCALE != 0 */
            unsigned tg = form & 3, ttl = form >> 2 & 3;
            bool range = form >> 4, level = ttl && !(tg == 2 && ttl == 1); /* 16 KB has no block at level 1 */
            ck_assert_msg(refuses(with_address[i] | (form >> 4 & 1) << 12 | (form >> 5) << 20, tg << 10 | ttl << 8) ==
                              (tg && !range && !level),
                          "opcode 0x%x form 0x%x", with_address[i], form);
        }
    ck_assert(!refuses(0x10 | 31 << 12 | 31 << 20, 3 << 10)); /* no address, no range */
    ck_assert(!refuses(0x30 | 1 << 10, UINT64_MAX));          /* other reserved bits are ignored */
}
END_TEST

START_TEST(commands_of_what_is_not_there)
{
    bench.config.stage2 = bench.config.hyp = false;
    bring_up();
    ck_assert(refuses(0x28, 0));
    ck_assert(refuses(0x2A, 0));
    for (unsigned opcode = 0x20; opcode <= 0x23; opcode++)
        ck_assert(refuses(opcode, 0));
    ck_assert(!refuses(0x30, 0));
}
END_TEST

START_TEST(without_stage1)
{
    bench.config.stage1 = bench.config.hyp = false;
    bring_up();
    for (unsigned opcode = 0x10; opcode <= 0x13; opcode++)
        ck_assert(refuses(opcode, 0));
    ck_assert(refuses(0x05, 0) && refuses(0x06, 0)); /* no CDs */
    ck_assert(!refuses(0x03, 0) && !refuses(0x04, 31) && !refuses(0x28, 0) && !refuses(0x2A, 0) && !refuses(0x30, 0));
}
END_TEST

START_TEST(without_range_commands_tg_is_ignored)
{
    bench.config.range_invalidation = false;
    bring_up();
    for (unsigned tg = 1; tg <= 3; tg++)
        ck_assert(!refuses(0x12, tg << 10));
}
END_TEST

START_TEST(sync_signals)
{
    bring_up();
    sync_command();
    ck_assert_uint_eq(bench.sevs + bench.pulses[2], 0);
    command(0x46 | 2 << 12, 0);
    ck_assert_uint_eq(bench.sevs, 1);
    ck_assert_uint_eq(bench.cons_at_sev, 2); /* the signal comes after CONS has moved */
    command(0x46 | 1 << 12, 0);              /* no address: wired only */
    ck_assert_uint_eq(bench.pulses[2], 1);
    command(0x46 | 1 << 12 | 3 << 22 | 15 << 24 | 0xCAFEull << 32, MSI_AT);
    ck_assert_uint_eq(bench.pulses[2], 2);
    ck_assert_uint_eq(word(MSI_AT), 0xCAFE);
    ck_assert_uint_eq(bench.cons_at_msi, 4);
    ck_assert(bench.last.coherent && bench.last.addr == MSI_AT && bench.last.size == 4);
    command(0x46 | 1 << 12, 1ull << 40);                         /* nowhere */
    ck_assert_uint_eq(rd32(R_GERROR) ^ rd32(R_GERRORN), 1 << 4); /* MSI_CMDQ_ABT_ERR */
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 5);
}
END_TEST

/* MSIAttr is encoded like STE.MemAttr; MSH counts for cacheable memory only, 1 is Non-shareable (4.7.3). */
START_TEST(attributes_of_msis)
{
    static const struct {
        unsigned attribute, sh;
        bool coherent;
        enum shareability expected;
    } rows[] = {{15, 3, true, SH_INNER}, {15, 2, true, SH_OUTER}, {15, 1, false, SH_NON},
                {15, 0, false, SH_NON},  {5, 3, false, SH_OUTER}, {0, 3, false, SH_OUTER}};

    bring_up();
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        command(0x46 | 1 << 12 | (uint64_t)rows[i].sh << 22 | (uint64_t)rows[i].attribute << 24, MSI_AT);
        ck_assert_msg(bench.last.coherent == rows[i].coherent && bench.last.sh == rows[i].expected, "row %u", i);
    }
}
END_TEST

/* Addresses above OAS are truncated (3.4.3); the check for an address of 0 is not. */
START_TEST(addresses_above_the_output_size)
{
    bring_up();
    wr32(R_CR0, SMMUEN | EVENTQEN);
    wr64(R_CMDQ_BASE, 1ull << 50 | CMDQ_AT | bench.cmdq_bits);
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    command(0x46 | 1 << 12 | 0x1234ull << 32, 1ull << 48 | MSI_AT);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 1);
    ck_assert_uint_eq(word(MSI_AT), 0x1234);
    set_word(0, 7);
    command(0x46 | 1 << 12 | 0x5678ull << 32, 1ull << 48); /* not 0: it goes to 0 */
    ck_assert_uint_eq(word(0), 0x5678);
}
END_TEST

/* The other MSIs: the interrupt follows what it tells, its abort is an error of its own. */
START_TEST(msis_of_gerror_and_event_queue)
{
    uint64_t value;

    bring_up();
    wr32(R_IRQ_CTRL, 0);
    wr64(R_GERROR_CFG0, MSI_AT);
    wr32(R_GERROR_CFG1, 0x11);
    wr32(0x74, 0x3F);
    wr64(R_EVENTQ_CFG0, MSI_AT + 8);
    wr32(R_EVENTQ_CFG1, 0x22);
    wr32(R_IRQ_CTRL, 5);
    device_read(1, VA, &value); /* C_BAD_STE */
    ck_assert_uint_eq(word(MSI_AT + 8), 0x22);
    ck_assert(!bench.last.coherent && bench.last.size == 4);
    command(0xFF, 0);
    ck_assert_uint_eq(word(MSI_AT), 0x11);
    ck_assert(bench.last.coherent);
    ck_assert_uint_eq(bench.pulses[0], 1); /* wired as well */
    ck_assert_uint_eq(bench.pulses[3], 1);
    ck_assert_uint_eq(rd32(R_GERROR), 1);
}
END_TEST

START_TEST(aborts_of_msis)
{
    uint64_t value;

    bring_up();
    wr32(R_IRQ_CTRL, 0);
    wr64(R_GERROR_CFG0, MEMORY_BYTES);
    wr64(R_EVENTQ_CFG0, MEMORY_BYTES);
    wr32(R_IRQ_CTRL, 4);
    device_read(1, VA, &value);
    ck_assert_uint_eq(rd32(R_GERROR), 1 << 5); /* MSI_EVENTQ_ABT_ERR; the record is there */
    ck_assert_uint_eq(rd32(R_EVENTQ_PROD), 1);
    wr32(R_GERRORN, 1 << 5);
    wr32(R_IRQ_CTRL, 1);
    command(0xFF, 0);
    ck_assert_uint_eq(rd32(R_GERROR) ^ rd32(R_GERRORN), 1 | 1 << 7); /* CMDQ_ERR, MSI_GERROR_ABT_ERR */
}
END_TEST

START_TEST(sync_without_msi_and_sev)
{
    bench.config.msi = bench.config.sev = false;
    bring_up();
    command(0x46 | 2 << 12, 0);
    command(0x46 | 1 << 12 | 1ull << 32, MSI_AT);
    ck_assert_uint_eq(word(MSI_AT), 0);
    ck_assert_uint_eq(bench.pulses[2], 1);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 2);
    for (unsigned i = 0; i < 64; i++) /* full to non-full */
        put_command(0x46, 0);
    ring();
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 66);
    ck_assert_uint_eq(bench.sevs, 0);
}
END_TEST

/* n TLBIs and a CMD_SYNC: the fetch of the first line, the commands one after the other, the last one's completion. */
START_TEST(time_of_a_list)
{
    for (unsigned n = 1; n <= 3; n++) {
        uint64_t begin, expected;
        bench.config.prefetch = 4;
        bring_up();
        for (unsigned i = 0; i < n; i++)
            put_command(0x30, 0);
        put_command(0x46 | 2 << 12, 0);
        begin = bench.now_ps;
        ring();
        run_ps(10 * PS_PER_US);
        expected = bench.memory_ps + n * (5000 + 10000) + 50000 + 5000 + 20000;
        ck_assert_uint_eq(bench.sev_ps - begin, expected);
        smmu_bench_stop();
        smmu_bench_reset();
    }
    smmu_bench_start();
}
END_TEST

START_TEST(sync_waits_for_translations_in_flight)
{
    uint64_t value, begin;
    struct txn txn = {.kind = TXN_READ, .addr = VA, .size = 8, .data = (uint8_t *)&value, .stream_id = 1};

    bring_up();
    stream_with_page(1, 7, LEAF_NG);
    cached(1, VA);
    bench.memory_ps = 5 * PS_PER_US;
    ck_assert_int_eq(device_access(&txn), TXN_OK);
    bench.memory_ps = 100 * PS_PER_NS;
    begin = bench.now_ps;
    put_command(0x30, 0);
    put_command(0x46 | 2 << 12, 0);
    ring();
    run_ps(20 * PS_PER_US);
    ck_assert_uint_eq(bench.sev_ps, txn.done_ps + 25000);
    ck_assert_uint_gt(bench.sev_ps, begin + 5 * PS_PER_US);
    bench.memory_ps = 5 * PS_PER_US;
    ck_assert_int_eq(device_access(&txn), TXN_OK);
    bench.memory_ps = 100 * PS_PER_NS;
    put_command(0x46 | 2 << 12, 0); /* nothing was invalidated since: what is in flight does not matter */
    begin = bench.now_ps;
    ring();
    run_ps(20 * PS_PER_US);
    ck_assert_uint_eq(bench.sev_ps, begin + bench.memory_ps + 25000);
}
END_TEST

/* Two CMD_SYNCs with nothing to wait for; a CFGI; a completion that is over when the CMD_SYNC comes. */
START_TEST(time_of_other_lists)
{
    static const struct {
        unsigned tlbis, cfgis, syncs;
        uint64_t expected;
    } rows[] = {
        {0, 0, 1, 25000},
        {0, 0, 2, 50000},
        {0, 1, 1, 12000 + 50000 + 25000},
        {1, 2, 1, 15000 + 24000 + 50000 + 25000}, /* the last one's completion */
        {1, 0, 2, 15000 + 50000 + 25000 + 25000}, /* the second has nothing left to wait for */
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t begin;
        bring_up();
        for (unsigned n = 0; n < rows[i].tlbis; n++)
            put_command(0x30, 0);
        for (unsigned n = 0; n < rows[i].cfgis; n++)
            put_command(0x04, 31);
        for (unsigned n = 0; n < rows[i].syncs; n++)
            put_command(0x46 | 2 << 12, 0);
        begin = bench.now_ps;
        ring();
        run_ps(10 * PS_PER_US);
        ck_assert_msg(bench.sev_ps - begin == bench.memory_ps + rows[i].expected, "row %u: %lu", i,
                      bench.sev_ps - begin);
        smmu_bench_stop();
        smmu_bench_reset();
    }
    smmu_bench_start();
}
END_TEST

/* Commands other than invalidations between a TLBI and its CMD_SYNC: completion runs meanwhile. */
START_TEST(completion_overlaps_with_later_commands)
{
    uint64_t begin;

    bring_up();
    put_command(0x30, 0);
    for (unsigned i = 0; i < 12; i++)
        put_command(0x01, 0); /* 12 * 5 ns > 50 ns */
    put_command(0x46 | 2 << 12, 0);
    begin = bench.now_ps;
    ring();
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(bench.sev_ps - begin, bench.memory_ps + 15000 + 12 * 5000 + 25000);
}
END_TEST

/* A doorbell while the engine works: the new commands' fetch overlaps with it. */
START_TEST(fetch_overlaps_with_work)
{
    uint64_t begin;

    bring_up();
    for (unsigned i = 0; i < 16; i++)
        put_command(0x30, 0);
    begin = bench.now_ps;
    ring();
    run_ps(bench.memory_ps);
    put_command(0x46 | 2 << 12, 0);
    ring();
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(bench.sev_ps - begin, bench.memory_ps + 16 * 15000 + 50000 + 25000);
}
END_TEST

/* The same with one long command: nothing but the doorbell starts the fetch. */
START_TEST(fetch_begins_with_the_doorbell)
{
    uint64_t begin;

    bench.config.tlbi_ps = PS_PER_US;
    bring_up();
    put_command(0x30, 0);
    begin = bench.now_ps;
    ring();
    run_ps(2 * bench.memory_ps);
    put_command(0x46 | 2 << 12, 0);
    ring();
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(bench.sev_ps - begin, bench.memory_ps + 5000 + PS_PER_US + 50000 + 25000);
}
END_TEST

/* An idle queue costs nothing, and a doorbell's time counts from its arrival. */
START_TEST(doorbell_after_idling)
{
    bring_up();
    sync_command();
    for (unsigned i = 1; i <= 3; i++) {
        uint64_t begin;
        run_ps(i * 12345);
        put_command(0x46 | 2 << 12, 0);
        begin = bench.now_ps;
        ring();
        run_ps(10 * PS_PER_US);
        ck_assert_uint_eq(bench.sev_ps - begin, bench.memory_ps + 25000);
    }
}
END_TEST

START_TEST(fetch_abort)
{
    bring_up();
    bench.hole_at = CMDQ_AT + 3 * 16;
    for (unsigned i = 0; i < 6; i++)
        put_command(0x46, 0);
    ring();
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS) >> 24, 2); /* CERROR_ABT */
    ck_assert_uint_eq(rd32(R_GERROR), 1);
    ck_assert_uint_le(rd32(R_CMDQ_CONS) & 0xFFFFF, 3); /* CONS is not beyond what could not be read */
    ck_assert_uint_eq(smmu_counters(bench.smmu)->sync, rd32(R_CMDQ_CONS) & 0xFFFFF);
    wr32(R_GERRORN, 1); /* still there: the error comes again */
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_GERROR), 0);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS) >> 24, 2);
    bench.hole_at = MEMORY_BYTES;
    wr32(R_GERRORN, 0);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS) & 0xFFFFF, 6);
    ck_assert_uint_eq(smmu_counters(bench.smmu)->sync, 6);
}
END_TEST

/* With the queue stopped PROD may go back to CONS: nothing is left, and what comes later is read anew. */
START_TEST(removing_the_rest_of_a_stopped_queue)
{
    bring_up();
    put_command(0x46, 0);
    put_command(0xFF, 0);
    put_command(0x30, 0);
    ring();
    run_ps(10 * PS_PER_US);
    bench.prod = 1;
    ring();
    wr32(R_GERRORN, 1);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS) & 0xFFFFF, 1);
    ck_assert_uint_eq(rd32(R_GERROR) ^ rd32(R_GERRORN), 0);
    command(0x04, 31);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS) & 0xFFFFF, 2);
    ck_assert_uint_eq(smmu_counters(bench.smmu)->cfgi, 1);
    ck_assert_uint_eq(smmu_counters(bench.smmu)->tlbi, 0);
}
END_TEST

START_TEST(stop_repair_restart)
{
    bring_up();
    stream_with_page(1, 7, LEAF_NG);
    cached(1, VA);
    put_command(0x46, 0);
    put_command(0xFF, 0);
    put_command(0x30, 0);
    ring();
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 1u << 24 | 1); /* the one before is consumed, the bad one not */
    ck_assert(cached(1, VA));
    command(0x46, 0); /* a doorbell does not restart it */
    ck_assert_uint_eq(rd32(R_CMDQ_CONS) & 0xFFFFF, 1);
    wr32(R_CR0, SMMUEN | EVENTQEN); /* nor does a disable and enable */
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS) & 0xFFFFF, 1);
    set_word(CMDQ_AT + 16, 0x46);
    set_word(CMDQ_AT + 32, 0x46); /* a newer one is rewritten too: the old copy must not be executed */
    wr32(R_GERRORN, 1);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS) & 0xFFFFF, 4);
    ck_assert(cached(1, VA));
    ck_assert_uint_eq(smmu_counters(bench.smmu)->tlbi, 0);
}
END_TEST

START_TEST(wrap_and_full)
{
    bench.cmdq_bits = 2;
    bring_up();
    for (unsigned lap = 0; lap < 5; lap++) {
        for (unsigned i = 0; i < 4; i++)
            put_command(0x46, 0);
        ring(); /* full */
        run_ps(10 * PS_PER_US);
        ck_assert_uint_eq(rd32(R_CMDQ_CONS), bench.prod);
    }
    ck_assert_uint_eq(smmu_counters(bench.smmu)->sync, 20);
    ck_assert_uint_eq(bench.sevs, 5);        /* full to non-full wakes the waiters */
    wr32(R_CMDQ_PROD, (bench.prod + 7) & 7); /* more than the size ahead: taken modulo twice the size */
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(smmu_counters(bench.smmu)->sync, 27);
}
END_TEST

/* LOG2SIZE 0: one entry, bit 0 is the wrap bit. */
START_TEST(queue_of_one)
{
    bench.cmdq_bits = 0;
    bring_up();
    for (unsigned i = 1; i <= 5; i++) {
        sync_command();
        ck_assert_uint_eq(rd32(R_CMDQ_CONS), i & 1);
    }
    ck_assert_uint_eq(smmu_counters(bench.smmu)->sync, 5);
}
END_TEST

/* Bits of PROD above the wrap bit mean nothing. */
START_TEST(bits_above_the_wrap_bit)
{
    bench.cmdq_bits = 2;
    bring_up();
    put_command(0x46, 0);
    wr32(R_CMDQ_PROD, 0xFFFF8 | 1);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 1);
}
END_TEST

START_TEST(base_and_size_limits)
{
    bench.config.cmdq_bits = 3;
    bring_up();
    wr32(R_CR0, SMMUEN | EVENTQEN);
    wr64(R_CMDQ_BASE, (CMDQ_AT + 0x60) | 19); /* the base of a queue of 8 is aligned to 128 bytes */
    wr32(R_CMDQ_CONS, 0);
    wr32(R_CMDQ_PROD, 0);
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    bench.cmdq_bits = 3;
    for (unsigned i = 0; i < 20; i++)
        sync_command();
    ck_assert_uint_eq(smmu_counters(bench.smmu)->sync, 20);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), bench.prod);
}
END_TEST

START_TEST(disable_during_work)
{
    bring_up();
    for (unsigned i = 0; i < 40; i++)
        put_command(0x30, 0);
    ring();
    run_ps(bench.memory_ps + 20000); /* the second is being executed */
    wr32(R_CR0, SMMUEN | EVENTQEN);
    ck_assert_uint_eq(rd32(R_CR0ACK), SMMUEN | EVENTQEN | CMDQEN); /* not before it is consumed */
    wr32(R_CMDQ_CONS, 9);                                          /* until then it counts as enabled */
    wr64(R_CMDQ_BASE, 0);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 1);
    ck_assert_uint_eq(rd64(R_CMDQ_BASE), CMDQ_AT | bench.cmdq_bits);
    run_ps(20 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_CR0ACK), SMMUEN | EVENTQEN);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 2);
    ck_assert_uint_eq(smmu_counters(bench.smmu)->tlbi, 2);
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    run_ps(20 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 40);
    ck_assert_uint_eq(smmu_counters(bench.smmu)->tlbi, 40);
}
END_TEST

void test_smmu_commands(struct unit_registry *registry)
{
    unit_suite(registry, "SmmuCommands", smmu_bench_reset, smmu_bench_stop);
    unit_test(registry, which_commands_exist);
    unit_test(registry, reserved_forms);
    unit_test(registry, commands_of_what_is_not_there);
    unit_test(registry, without_stage1);
    unit_test(registry, without_range_commands_tg_is_ignored);
    unit_test(registry, sync_signals);
    unit_test(registry, attributes_of_msis);
    unit_test(registry, addresses_above_the_output_size);
    unit_test(registry, msis_of_gerror_and_event_queue);
    unit_test(registry, aborts_of_msis);
    unit_test(registry, sync_without_msi_and_sev);
    unit_test(registry, time_of_a_list);
    unit_test(registry, time_of_other_lists);
    unit_test(registry, completion_overlaps_with_later_commands);
    unit_test(registry, fetch_overlaps_with_work);
    unit_test(registry, fetch_begins_with_the_doorbell);
    unit_test(registry, doorbell_after_idling);
    unit_test(registry, sync_waits_for_translations_in_flight);
    unit_test(registry, fetch_abort);
    unit_test(registry, stop_repair_restart);
    unit_test(registry, wrap_and_full);
    unit_test(registry, removing_the_rest_of_a_stopped_queue);
    unit_test(registry, queue_of_one);
    unit_test(registry, bits_above_the_wrap_bit);
    unit_test(registry, base_and_size_limits);
    unit_test(registry, disable_during_work);
}
