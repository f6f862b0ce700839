/* Command queues: legality, effects, errors and restart, CMD_SYNC, ECMDQs, and what they cost to the picosecond. */
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
    bring_up();
    for (unsigned opcode = 1; opcode <= 6; opcode++)
        ck_assert_msg(refuses(opcode | 1 << 10, 0), "SSec with opcode 0x%x", opcode);
    ck_assert(refuses(0x46 | 3 << 12, 0)); /* CS = 3 */
    for (unsigned tg = 1; tg <= 3; tg++) {
        ck_assert(refuses(0x12, tg << 10)); /* a granule, but no range and no level */
        ck_assert(!refuses(0x12 | 1 << 12, tg << 10));
        ck_assert(!refuses(0x12 | 1 << 20, tg << 10));
        ck_assert(!refuses(0x12, tg << 10 | 2 << 8));
        ck_assert(refuses(0x2A, tg << 10));
    }
    ck_assert(refuses(0x12, 2 << 10 | 1 << 8)); /* 16 KB has no block at level 1 */
    ck_assert(!refuses(0x12, 1 << 10 | 1 << 8));
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

START_TEST(without_range_commands_the_fields_mean_nothing)
{
    bench.config.range_invalidation = false;
    bring_up();
    stream_with_page(1, 7, LEAF_NG);
    map_at(root, TSZ, 12, VA + 0x1000, DATA_AT, 3, LEAF_RW | LEAF_NG);
    cached(1, VA);
    cached(1, VA + 0x1000);
    command(0x12 | 31 << 12 | 5 << 20 | 7ull << 48, VA | 1 << 10); /* only one page */
    ck_assert(!cached(1, VA));
    ck_assert(cached(1, VA + 0x1000));
}
END_TEST

START_TEST(invalidation_by_asid)
{
    const uint64_t global = VA + 0x10000; /* a global entry serves every ASID: it needs an address of its own */

    bring_up();
    stream_with_page(1, 7, LEAF_NG);
    stream_with_page(2, 8, LEAF_NG);
    stream_with_page(3, 9, LEAF_NG);
    map_at(root, TSZ, 12, global, DATA_AT, 3, LEAF_RW);
    for (uint32_t sid = 1; sid <= 2; sid++)
        cached(sid, VA);
    cached(3, global);
    ck_assert(cached(1, VA) && cached(2, VA) && cached(3, global));
    ck_assert(cached(1, global)); /* though its own tables do not have it */
    command(0x11 | 7ull << 48, 0);
    ck_assert(!cached(1, VA));
    ck_assert(cached(2, VA));
    command(0x11 | 9ull << 48, 0);
    ck_assert(cached(3, global)); /* TLBI_NH_ASID keeps global entries */
    command(0x12 | 7ull << 48, global | 1);
    ck_assert(cached(2, VA));
    ck_assert(!cached(3, global)); /* TLBI_NH_VA takes them, whatever the ASID */
    command(0x12 | 7ull << 48, (VA + 0x1000) | 1);
    command(0x12 | 8ull << 48, VA | 1);
    ck_assert(cached(1, VA) && !cached(2, VA));
    command(0x13, VA | 1); /* any ASID */
    ck_assert(!cached(1, VA) && !cached(2, VA));
    command(0x10 | 1ull << 32, 0); /* another VMID */
    ck_assert(cached(1, VA) && cached(2, VA));
    command(0x10, 0);
    ck_assert(!cached(1, VA) && !cached(2, VA) && !cached(3, global));
    command(0x20, 0); /* another StreamWorld */
    ck_assert(cached(1, VA) && cached(2, VA) && cached(3, global));
    command(0x30, 0);
    ck_assert(!cached(1, VA) && !cached(2, VA) && !cached(3, global));
}
END_TEST

START_TEST(leaf_and_walk_cache)
{
    uint64_t reads, value;

    bring_up();
    stream_with_page(1, 7, LEAF_NG);
    cached(1, VA);
    command(0x12 | 7ull << 48, VA | 1);
    reads = smmu_translator_counters(bench.smmu)->walk_reads;
    device_read(1, VA, &value);
    ck_assert_uint_eq(smmu_translator_counters(bench.smmu)->walk_reads - reads, 1); /* the tables above are known */
    command(0x12 | 7ull << 48, VA);
    reads = smmu_translator_counters(bench.smmu)->walk_reads;
    device_read(1, VA, &value);
    ck_assert_uint_eq(smmu_translator_counters(bench.smmu)->walk_reads - reads, 3); /* levels 1, 2, 3 */
}
END_TEST

START_TEST(ranges)
{
    bring_up();
    stream_with_page(1, 7, LEAF_NG);
    for (uint64_t page = 0; page < 40; page++) {
        map_at(root, TSZ, 12, VA + page * 0x1000, DATA_AT, 3, LEAF_RW | LEAF_NG);
        cached(1, VA + page * 0x1000);
    }
    /* (NUM + 1) << SCALE pages: 3 << 2 = 12 */
    command(0x12 | 2 << 12 | 2 << 20 | 7ull << 48, VA | 1 << 10 | 3 << 8 | 1);
    for (uint64_t page = 0; page < 40; page++)
        ck_assert_msg(cached(1, VA + page * 0x1000) == (page >= 12), "page %u", (unsigned)page);
    for (unsigned tg = 2; tg <= 3; tg++) { /* one granule of 16 KB, of 64 KB */
        uint64_t pages = tg == 2 ? 4 : 16;
        for (uint64_t page = 0; page < 40; page++)
            cached(1, VA + page * 0x1000);
        command(0x12 | 7ull << 48, VA | tg << 10 | 3 << 8 | 1);
        for (uint64_t page = 0; page < 20; page++)
            ck_assert_msg(cached(1, VA + page * 0x1000) == (page >= pages), "granule %u page %u", tg, (unsigned)page);
    }
}
END_TEST

START_TEST(configuration_is_cached_until_cfgi)
{
    static const struct {
        uint64_t word0, word1;
        bool drops;
    } rows[] = {
        {0x03 | 1ull << 32, 1, true},
        {0x03 | 2ull << 32, 1, false},
        {0x04 | 9ull << 32, 31, true},
        {0x04 | 0ull << 32, 0, true},
        {0x04 | 2ull << 32, 0, false},
        {0x04 | 3ull << 32, 1, true},
        {0x05 | 1ull << 32, 1, true},
        {0x05 | 1 << 12 | 1ull << 32, 1, false},
        {0x06 | 1ull << 32, 0, true},
        {0x06 | 2ull << 32, 0, false},
        {0x30, 0, false},
    };
    uint64_t value;

    bring_up();
    stream_with_page(1, 7, LEAF_NG);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_int_eq(device_read(1, VA, &value), TXN_OK);
        set_word(STRTAB_AT + 64, 1); /* abort */
        ck_assert_int_eq(device_read(1, VA, &value), TXN_OK);
        command(rows[i].word0, rows[i].word1);
        ck_assert_msg((device_read(1, VA, &value) == TXN_FAULT) == rows[i].drops, "row %u", i);
        set_stage1_stream(1, CD_AT + 64);
        command(0x04, 31);
    }
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
    ck_assert(bench.last.coherent && bench.last.addr == MSI_AT && bench.last.size == 4);
    command(0x46 | 1 << 12, 1ull << 40);                         /* nowhere */
    ck_assert_uint_eq(rd32(R_GERROR) ^ rd32(R_GERRORN), 1 << 4); /* MSI_CMDQ_ABT_ERR */
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 5);
}
END_TEST

START_TEST(sync_without_msi_and_sev)
{
    bench.config.msi = bench.config.sev = false;
    bring_up();
    command(0x46 | 2 << 12, 0);
    command(0x46 | 1 << 12 | 1ull << 32, MSI_AT);
    ck_assert_uint_eq(bench.sevs, 0);
    ck_assert_uint_eq(word(MSI_AT), 0);
    ck_assert_uint_eq(bench.pulses[2], 1);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 2);
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
}
END_TEST

START_TEST(fetch_abort)
{
    bring_up();
    wr32(R_CR0, SMMUEN | EVENTQEN);
    wr64(R_CMDQ_BASE, (uint64_t)MEMORY_BYTES | bench.cmdq_bits);
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    command(0x46, 0);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 2u << 24); /* CERROR_ABT, CONS at the command */
    ck_assert_uint_eq(rd32(R_GERROR), 1);
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

/* --- ECMDQs: window n at 0x180000 + n * 0x4000 with four queues --- */

enum { E_BASE = 0x180000, E_PROD = 0x180008, E_CONS = 0x18000C, WINDOW = 0x4000 };
#define EN     0x80000000u
#define ERRBIT 0x00800000u

static void ecmdqs_up(uint32_t engines)
{
    bench.config.ecmdq = true;
    bench.config.engines = engines;
    bring_up();
    for (uint32_t n = 0; n < 4; n++) {
        wr64(E_BASE + n * WINDOW, (ECMDQ_AT + n * 0x1000) | 4);
        wr32(E_PROD + n * WINDOW, EN);
    }
}

static void ecmdq_put(uint32_t n, uint32_t index, uint64_t word0)
{
    set_word(ECMDQ_AT + n * 0x1000 + 16 * index, word0);
    set_word(ECMDQ_AT + n * 0x1000 + 16 * index + 8, 0);
}

START_TEST(ecmdq_stops_alone)
{
    ecmdqs_up(1);
    ecmdq_put(0, 0, 0x46);
    ecmdq_put(0, 1, 0xFF);
    ecmdq_put(0, 2, 0x46);
    ecmdq_put(1, 0, 0x46);
    wr32(E_PROD, EN | 3);
    wr32(E_PROD + WINDOW, EN | 1);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS), EN | ERRBIT | 1u << 24 | 1);
    ck_assert_uint_eq(rd32(E_CONS + WINDOW), EN | 1);
    ck_assert_uint_eq(rd32(R_GERROR), 1 << 9); /* CMDQP_ERR */
    sync_command();                            /* the CMDQ goes on */
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 1);
    wr32(R_GERRORN, 1 << 9); /* acknowledges the report, not the queue */
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS) & 0xFFFFF, 1);
    wr32(E_PROD, ERRBIT * 0 | 3); /* disable with the error pending */
    ck_assert_uint_eq(rd32(E_CONS), ERRBIT | 1u << 24 | 1);
    wr32(E_PROD, EN | 3);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS), EN | ERRBIT | 1u << 24 | 1);
    ecmdq_put(0, 1, 0x46);
    wr32(E_PROD, EN | ERRBIT | 3);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS), EN | ERRBIT | 1u << 24 | 3);
    ecmdq_put(0, 3, 0xFF); /* the toggle goes back with the next error */
    wr32(E_PROD, EN | ERRBIT | 4);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS), EN | 1u << 24 | 3);
    ck_assert_uint_eq(rd32(R_GERROR), 0);
}
END_TEST

/* Time until all four queues have consumed a TLBI and a CMD_SYNC each. */
static uint64_t time_of_four_queues(uint32_t engines)
{
    uint64_t begin, last = 0;

    ecmdqs_up(engines);
    for (uint32_t n = 0; n < 4; n++) {
        ecmdq_put(n, 0, 0x30);
        ecmdq_put(n, 1, 0x46 | 2 << 12);
        wr32(E_PROD + n * WINDOW, EN | 2);
    }
    begin = bench.now_ps;
    run_ps(20 * PS_PER_US);
    for (uint32_t n = 0; n < 4; n++)
        ck_assert_uint_eq(rd32(E_CONS + n * WINDOW), EN | 2);
    last = bench.sev_ps - begin;
    smmu_bench_stop();
    smmu_bench_reset();
    return last;
}

START_TEST(engines_work_in_parallel)
{
    uint64_t one = time_of_four_queues(1), two = time_of_four_queues(2), four = time_of_four_queues(4);

    ck_assert_uint_eq(four, 100000 + 15000 + 50000 + 25000); /* as one queue alone */
    ck_assert_uint_gt(two, four);
    ck_assert_uint_gt(one, two);
    smmu_bench_start();
}
END_TEST

/* The order in which one engine serves four queues with two commands each. */
static void order_is(enum smmu_arbitration arbitration, uint32_t weight, const uint32_t *expected)
{
    uint32_t served = 0;

    bench.config.arbitration = arbitration;
    bench.config.ecmdq_weight = weight;
    ecmdqs_up(1);
    for (uint32_t n = 0; n < 4; n++)
        for (uint32_t i = 0; i < 2; i++)
            ecmdq_put(n, i, 0x46);
    for (uint32_t n = 0; n < 4; n++)
        wr32(E_PROD + n * WINDOW, EN | 2);
    for (unsigned step = 0; served < 8 && step < 4000; step++) {
        uint32_t total = 0;
        run_ps(PS_PER_NS);
        for (uint32_t n = 0; n < 4; n++)
            total += rd32(E_CONS + n * WINDOW) & 15;
        if (total == served)
            continue;
        ck_assert_uint_eq(total, served + 1);
        for (uint32_t n = 0; n < 4; n++) { /* how often the queue of this turn has been served so far */
            uint32_t so_far = 0;
            for (uint32_t i = 0; i <= served; i++)
                so_far += expected[i] == n;
            ck_assert_msg((rd32(E_CONS + n * WINDOW) & 15) == so_far, "turn %u queue %u", served, n);
        }
        served++;
    }
    ck_assert_uint_eq(served, 8);
    smmu_bench_stop();
    smmu_bench_reset();
}

START_TEST(arbitration)
{
    static const uint32_t turns[] = {0, 1, 2, 3, 0, 1, 2, 3}, pairs[] = {0, 0, 1, 1, 2, 2, 3, 3};

    order_is(ARBITRATE_ROUND_ROBIN, 1, turns);
    order_is(ARBITRATE_WEIGHTED, 2, pairs);
    order_is(ARBITRATE_FIXED, 1, pairs);
    smmu_bench_start();
}
END_TEST

/* A CMD_SYNC covers its own queue only. */
START_TEST(sync_scope_is_the_queue)
{
    uint64_t begin;

    bench.config.invalidation_ps = 5 * PS_PER_US;
    ecmdqs_up(4);
    ecmdq_put(0, 0, 0x30);
    ecmdq_put(1, 0, 0x46 | 2 << 12);
    wr32(E_PROD, EN | 1);
    run_ps(PS_PER_US);
    begin = bench.now_ps;
    wr32(E_PROD + WINDOW, EN | 1);
    run_ps(20 * PS_PER_US);
    ck_assert_uint_eq(bench.sev_ps - begin, 100000 + 25000);
}
END_TEST

void test_smmu_commands(struct unit_registry *registry)
{
    unit_suite(registry, "SmmuCommands", smmu_bench_reset, smmu_bench_stop);
    unit_test(registry, which_commands_exist);
    unit_test(registry, reserved_forms);
    unit_test(registry, commands_of_what_is_not_there);
    unit_test(registry, without_range_commands_the_fields_mean_nothing);
    unit_test(registry, invalidation_by_asid);
    unit_test(registry, leaf_and_walk_cache);
    unit_test(registry, ranges);
    unit_test(registry, configuration_is_cached_until_cfgi);
    unit_test(registry, sync_signals);
    unit_test(registry, sync_without_msi_and_sev);
    unit_test(registry, time_of_a_list);
    unit_test(registry, sync_waits_for_translations_in_flight);
    unit_test(registry, fetch_abort);
    unit_test(registry, stop_repair_restart);
    unit_test(registry, wrap_and_full);
    unit_test(registry, base_and_size_limits);
    unit_test(registry, disable_during_work);
    unit_test(registry, ecmdq_stops_alone);
    unit_test(registry, engines_work_in_parallel);
    unit_test(registry, arbitration);
    unit_test(registry, sync_scope_is_the_queue);
}
