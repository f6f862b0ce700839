/* ECMDQs and the engines that serve them: errors, enabling, arbitration, parallelism (IHI 0070 3.5.6). */
#include "common/units.h"
#include "tests/support/smmu_bench.h"
#include "tests/unit.h"

/* The first control page with four queues. */
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

START_TEST(ecmdq_fetch_abort)
{
    ecmdqs_up(1);
    bench.hole_at = ECMDQ_AT;
    ecmdq_put(0, 0, 0x46);
    wr32(E_PROD, EN | 1);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS), EN | ERRBIT | 2u << 24);
    bench.hole_at = MEMORY_BYTES;
    wr32(E_PROD, EN | ERRBIT | 1);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS) & 0xFFFFF, 1);
}
END_TEST

/* Newer commands of a stopped queue may be rewritten too; WR can go back to RD with the acknowledgement. */
START_TEST(ecmdq_repairs)
{
    ecmdqs_up(1);
    ecmdq_put(2, 0, 0xFF);
    ecmdq_put(2, 1, 0x30);
    wr32(E_PROD + 2 * WINDOW, EN | 2);
    run_ps(10 * PS_PER_US);
    ecmdq_put(2, 0, 0x04);
    ecmdq_put(2, 1, 0x46);
    wr32(E_PROD + 2 * WINDOW, EN | 2); /* not acknowledged */
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS + 2 * WINDOW), EN | ERRBIT | 1u << 24);
    ck_assert_uint_eq(smmu_counters(bench.smmu)->commands, 0);
    wr32(E_PROD + 2 * WINDOW, EN | ERRBIT | 2);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS + 2 * WINDOW) & 0xFFFFF, 2);
    ck_assert_uint_eq(smmu_counters(bench.smmu)->tlbi, 0);
    ecmdq_put(3, 0, 0x46);
    ecmdq_put(3, 1, 0xFF);
    wr32(E_PROD + 3 * WINDOW, EN | 2);
    run_ps(10 * PS_PER_US);
    wr32(E_PROD + 3 * WINDOW, EN | ERRBIT | 1);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS + 3 * WINDOW), EN | ERRBIT | 1u << 24 | 1);
}
END_TEST

/* CMDQP_ERR tells of several queues once; CMDQ_ERR is another bit. */
START_TEST(errors_of_several_queues)
{
    ecmdqs_up(1);
    for (uint32_t n = 0; n < 2; n++) {
        ecmdq_put(n, 0, 0xFF);
        wr32(E_PROD + n * WINDOW, EN | 1);
        run_ps(10 * PS_PER_US);
        ck_assert_uint_eq(rd32(E_CONS + n * WINDOW), EN | ERRBIT | 1u << 24);
        ck_assert_uint_eq(rd32(R_GERROR), 1 << 9);
        ck_assert_uint_eq(bench.pulses[3], 1);
    }
    command(0xFF, 0);
    ck_assert_uint_eq(rd32(R_GERROR), 1 << 9 | 1);
    ck_assert_uint_eq(bench.pulses[3], 2);
    wr32(R_GERRORN, 1 << 9); /* CMDQ_ERR stays; the ECMDQs do not depend on it */
    ecmdq_put(2, 0, 0x46);
    wr32(E_PROD + 2 * WINDOW, EN | 1);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS + 2 * WINDOW), EN | 1);
    ecmdq_put(3, 0, 0xFF);
    wr32(E_PROD + 3 * WINDOW, EN | 1);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_GERROR) ^ rd32(R_GERRORN), 1 << 9 | 1);
    ck_assert_uint_eq(bench.pulses[3], 3);
}
END_TEST

/* ENACK follows EN when the command at work is done; until then PROD cannot be written. */
START_TEST(ecmdq_disabled_during_work)
{
    ecmdqs_up(1);
    for (uint32_t i = 0; i < 8; i++)
        ecmdq_put(0, i, 0x30);
    wr32(E_PROD, EN | 8);
    run_ps(bench.memory_ps + 20000); /* the second is being executed */
    wr32(E_PROD, 8);
    ck_assert_uint_eq(rd32(E_CONS), EN | 1);
    ck_assert_uint_eq(rd32(E_PROD), 8);
    wr32(E_PROD, EN | 3);
    wr32(E_CONS, 7);
    wr64(E_BASE, 0);
    ck_assert_uint_eq(rd32(E_PROD), 8);
    ck_assert_uint_eq(rd32(E_CONS), EN | 1);
    ck_assert_uint_eq(rd64(E_BASE), ECMDQ_AT | 4);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS), 2);
    ck_assert_uint_eq(smmu_counters(bench.smmu)->tlbi, 2);
    wr32(E_PROD, EN | 8);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS), EN | 8);
    ck_assert_uint_eq(smmu_counters(bench.smmu)->tlbi, 8);
}
END_TEST

/* A disabled queue is set up anew, the error state with it. */
START_TEST(ecmdq_reset_after_an_error)
{
    ecmdqs_up(1);
    ecmdq_put(0, 0, 0xFF);
    wr32(E_PROD, EN | 1);
    run_ps(10 * PS_PER_US);
    wr32(E_PROD, 0);
    wr32(E_CONS, 0);
    ck_assert_uint_eq(rd32(E_CONS), 0);
    ecmdq_put(0, 0, 0x46);
    wr32(E_PROD, EN | 1);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS), EN | 1);
}
END_TEST

START_TEST(ecmdq_signals)
{
    ecmdqs_up(1);
    for (uint32_t i = 0; i < 16; i++) /* full: LOG2SIZE is 4 */
        ecmdq_put(0, i, 0x46);
    wr32(E_PROD, EN | 16);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(E_CONS), EN | 16);
    ck_assert_uint_eq(bench.sevs, 1); /* full to non-full */
    set_word(ECMDQ_AT, 0x46 | 1 << 12 | 0x77ull << 32);
    set_word(ECMDQ_AT + 8, MSI_AT);
    wr32(E_PROD, EN | 17);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(word(MSI_AT), 0x77);
    ck_assert_uint_eq(bench.pulses[2], 1);
    set_word(ECMDQ_AT + 16, 0x46 | 1 << 12);
    set_word(ECMDQ_AT + 24, MEMORY_BYTES);
    wr32(E_PROD, EN | 18);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_GERROR), 1 << 4); /* MSI_CMDQ_ABT_ERR, and the command is consumed */
    ck_assert_uint_eq(rd32(E_CONS), EN | 18);
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
    order_is(ARBITRATE_ROUND_ROBIN, 2, turns); /* the weights belong to the weighted arbitration */
    smmu_bench_start();
}
END_TEST

/* How many of the CMDQ's commands are consumed before the ECMDQ's last one, of ten each. */
static uint32_t cmdq_share(enum smmu_arbitration arbitration, uint32_t cmdq_weight, uint32_t ecmdq_weight)
{
    uint32_t share = 0;

    bench.config.arbitration = arbitration;
    bench.config.cmdq_weight = cmdq_weight;
    bench.config.ecmdq_weight = ecmdq_weight;
    ecmdqs_up(1);
    for (unsigned i = 0; i < 10; i++) {
        put_command(0x46, 0);
        ecmdq_put(0, i, 0x46);
    }
    wr32(R_CMDQ_PROD, bench.prod);
    wr32(E_PROD, EN | 10);
    for (unsigned step = 0; (rd32(E_CONS) & 0xFFFFF) < 10 && step < 4000; step++) {
        run_ps(PS_PER_NS);
        share = rd32(R_CMDQ_CONS);
    }
    smmu_bench_stop();
    smmu_bench_reset();
    return share;
}

START_TEST(weights)
{
    ck_assert_uint_eq(cmdq_share(ARBITRATE_ROUND_ROBIN, 1, 1), 10);
    ck_assert_uint_eq(cmdq_share(ARBITRATE_WEIGHTED, 1, 2), 5);
    ck_assert_uint_eq(cmdq_share(ARBITRATE_WEIGHTED, 1, 5), 2);
    ck_assert_uint_eq(cmdq_share(ARBITRATE_WEIGHTED, 3, 1), 10);
    ck_assert_uint_eq(cmdq_share(ARBITRATE_FIXED, 1, 5), 10); /* the CMDQ is number 0 */
    smmu_bench_start();
}
END_TEST

/* What is left of a queue's turn when it is empty does not go to the next one. */
START_TEST(turns_end_with_the_queue)
{
    bench.config.arbitration = ARBITRATE_WEIGHTED;
    bench.config.cmdq_weight = 5;
    ecmdqs_up(1);
    put_command(0x46, 0);
    for (uint32_t n = 0; n < 2; n++)
        for (uint32_t i = 0; i < 4; i++)
            ecmdq_put(n, i, 0x46);
    wr32(R_CMDQ_PROD, 1);
    wr32(E_PROD, EN | 4);
    wr32(E_PROD + WINDOW, EN | 4);
    while ((rd32(E_CONS) & 15) < 2)
        run_ps(PS_PER_NS);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 1);
    ck_assert_uint_eq(rd32(E_CONS + WINDOW) & 15, 1);
}
END_TEST

/* More queues than a word of the engines' bit map, in two pages. */
START_TEST(many_queues_with_several_engines)
{
    enum { QUEUES = 128 };

    bench.config.ecmdq = true;
    bench.config.ecmdq_page_bits = 1;
    bench.config.ecmdq_queue_bits = 6;
    bench.config.engines = 3;
    bring_up();
    for (uint32_t n = 0; n < QUEUES; n++) {
        uint64_t at = TABLES_AT + n * 0x100;
        for (uint32_t i = 0; i < 3; i++)
            set_word(at + 16 * i, i == 1 && n % 5 == 0 ? 0xFF : 0x46);
        wr64(E_BASE + n * 0x400, at | 4);
        wr32(E_PROD + n * 0x400, EN | 3);
    }
    run_ps(100 * PS_PER_US);
    for (uint32_t n = 0; n < QUEUES; n++)
        ck_assert_uint_eq(rd32(E_CONS + n * 0x400), n % 5 ? EN | 3 : EN | ERRBIT | 1u << 24 | 1);
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

void test_smmu_ecmdq(struct unit_registry *registry)
{
    unit_suite(registry, "SmmuEcmdq", smmu_bench_reset, smmu_bench_stop);
    unit_test(registry, ecmdq_stops_alone);
    unit_test(registry, ecmdq_fetch_abort);
    unit_test(registry, ecmdq_repairs);
    unit_test(registry, errors_of_several_queues);
    unit_test(registry, ecmdq_disabled_during_work);
    unit_test(registry, ecmdq_reset_after_an_error);
    unit_test(registry, ecmdq_signals);
    unit_test(registry, engines_work_in_parallel);
    unit_test(registry, arbitration);
    unit_test(registry, weights);
    unit_test(registry, turns_end_with_the_queue);
    unit_test(registry, many_queues_with_several_engines);
    unit_test(registry, sync_scope_is_the_queue);
}
