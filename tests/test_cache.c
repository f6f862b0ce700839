/* The coherent memory system: latencies, stale data through the two images, the CMO engine to the picosecond. */
#include <string.h>

#include "cache/cache.h"
#include "common/units.h"
#include "tests/unit.h"

#define RAM 0x40000000ull
#define A   (RAM + 0x10000)

static struct memory *memory;
static struct cache *cache;
static unsigned lost, cleared;

static void line_lost(void *ctx, uint32_t way)
{
    lost++;
}

static void monitor_cleared(void *ctx, uint64_t at_ps)
{
    cleared++;
}

static struct cache_config small_config(void)
{
    return (struct cache_config){.cores = 2,
                                 .l1d = {1 * KIB, 2},
                                 .l2 = {4 * KIB, 4},
                                 .l3 = {16 * KIB, 4},
                                 .slc = {64 * KIB, 4},
                                 .l1_ps = 1000,
                                 .l2_ps = 5000,
                                 .l3_ps = 20000,
                                 .slc_ps = 40000,
                                 .dram_ps = 100000,
                                 .core_to_core_ps = 30000,
                                 .home_ps = 10000,
                                 .dram_occupancy_ps = 2000,
                                 .cluster_cores = 1,
                                 .die_cores = 128,
                                 .socket_cores = 128,
                                 .cmo_slots = 4,
                                 .cmo_issue_absent_ps = 1000,
                                 .cmo_issue_l1_ps = 3000,
                                 .cmo_issue_l2_ps = 4000,
                                 .cmo_issue_l3_ps = 2000,
                                 .cmo_clean_ps = 50000,
                                 .cmo_invalidate_ps = 60000,
                                 .cmo_writeback_ps = 7000,
                                 .cmo_pou_ps = 8000,
                                 .dvm_ps = 9000,
                                 .ivac_cleans = true};
}

static void create(const struct cache_config *config)
{
    struct error_list errors = {0};
    struct core_bus_client client = {NULL, line_lost, monitor_cleared, NULL};

    memory = memory_create(RAM, 16 * MIB);
    cache = cache_create(config, memory, &errors);
    ck_assert_ptr_nonnull(cache);
    for (unsigned core = 0; core < config->cores; core++)
        cache_attach_core(cache, core, &client);
    lost = cleared = 0;
}

static void setup(void)
{
    struct cache_config config = small_config();

    create(&config);
}

static void teardown(void)
{
    cache_destroy(cache);
    memory_destroy(memory);
}

/* What core does at t; each returns the completion. */
static struct line_grant get(unsigned core, uint64_t pa, enum line_want want, uint64_t t)
{
    struct line_grant grant;

    return cache_line_private(cache, core, pa, want, t, &grant) ? grant : cache_line(cache, core, pa, want, t);
}

static void store(unsigned core, uint64_t pa, uint8_t value, uint64_t t)
{
    get(core, pa, LINE_UNIQUE, t).data[pa & 63] = value;
}

static uint8_t load(unsigned core, uint64_t pa, uint64_t t)
{
    return get(core, pa, LINE_SHARED, t).data[pa & 63];
}

static uint8_t device_read(uint64_t pa, bool coherent, uint64_t t)
{
    uint8_t byte = 0xEE;
    struct txn txn = {.kind = TXN_READ,
                      .addr = pa,
                      .size = 1,
                      .data = &byte,
                      .requester = REQUESTER_DEVICE_BASE,
                      .coherent = coherent,
                      .start_ps = t};

    cache_device(cache, &txn);
    ck_assert_int_eq(txn.status, TXN_OK);
    return byte;
}

static void device_write(uint64_t pa, uint8_t value, bool coherent, uint64_t t)
{
    struct txn txn = {.kind = TXN_WRITE,
                      .addr = pa,
                      .size = 1,
                      .data = &value,
                      .requester = REQUESTER_DEVICE_BASE,
                      .coherent = coherent,
                      .start_ps = t};

    cache_device(cache, &txn);
    ck_assert_int_eq(txn.status, TXN_OK);
}

START_TEST(each_level_answers_with_its_latency)
{
    struct line_grant grant = get(0, A, LINE_SHARED, 1000);
    ck_assert_int_eq(grant.level, LEVEL_DRAM);
    ck_assert_uint_eq(grant.done_ps, 1000 + 100000);
    grant = get(0, A, LINE_SHARED, 200000);
    ck_assert_int_eq(grant.level, LEVEL_L1);
    ck_assert_uint_eq(grant.done_ps, 200000 + 1000);
    /* two more lines of the same L1 set push it out of L1, not of L2 */
    get(0, A + 0x200, LINE_SHARED, 300000);
    get(0, A + 0x400, LINE_SHARED, 400000);
    grant = get(0, A, LINE_SHARED, 500000);
    ck_assert_int_eq(grant.level, LEVEL_L2);
    ck_assert_uint_eq(grant.done_ps, 500000 + 5000);
    /* four more of the same L2 set push it into L3 */
    for (unsigned i = 1; i <= 4; i++)
        get(0, A + i * 0x400, LINE_SHARED, 600000 + i * 200000);
    grant = get(0, A, LINE_SHARED, 2000000);
    ck_assert_int_eq(grant.level, LEVEL_L3);
    ck_assert_uint_eq(grant.done_ps, 2000000 + 20000);
}
END_TEST

START_TEST(dram_serves_one_line_after_the_other)
{
    ck_assert_uint_eq(get(0, A, LINE_SHARED, 0).done_ps, 100000);
    ck_assert_uint_eq(get(0, A + 64, LINE_SHARED, 0).done_ps, 102000);
    ck_assert_uint_eq(get(0, A + 128, LINE_SHARED, 0).done_ps, 104000);
}
END_TEST

START_TEST(device_does_not_see_a_store_that_was_not_cleaned)
{
    store(0, A, 7, 0);
    ck_assert_uint_eq(device_read(A, false, 1000000), 0);
    ck_assert_uint_eq(device_read(A, true, 1000000), 7); /* a snooping one does */
}
END_TEST

START_TEST(clean_is_seen_when_it_is_complete_and_not_a_picosecond_before)
{
    store(0, A, 7, 0);
    struct cmo_times times = cache_cmo(cache, 0, CMO_DC_CVAC, A, 200000);
    ck_assert(times.dirty);
    ck_assert_uint_eq(times.start_ps, 200000);
    ck_assert_uint_eq(times.done_ps, 200000 + 50000 + 7000);
    ck_assert_uint_eq(times.next_issue_ps, 200000 + 3000); /* the line is in L1 */
    ck_assert_uint_eq(device_read(A, false, times.done_ps - 1), 0);
    ck_assert_uint_eq(device_read(A, false, times.done_ps), 7);
    ck_assert_uint_eq(load(0, A, times.done_ps), 7); /* the line stays */
}
END_TEST

START_TEST(invalidate_makes_the_core_read_what_the_device_wrote)
{
    load(0, A, 0);
    device_write(A, 9, false, 200000);
    ck_assert_uint_eq(load(0, A, 300000), 0); /* stale */
    struct cmo_times times = cache_cmo(cache, 0, CMO_DC_IVAC, A, 400000);
    ck_assert_uint_eq(times.done_ps, 400000 + 60000);
    struct line_grant grant = get(0, A, LINE_SHARED, 410000);
    ck_assert_uint_eq(grant.data[0], 9);
    ck_assert_uint_ge(grant.done_ps, times.done_ps); /* same line: program order */
}
END_TEST

START_TEST(invalidate_before_the_transfer_only_leaves_stale_data)
{
    load(0, A, 0);
    uint64_t done = cache_cmo(cache, 0, CMO_DC_IVAC, A, 200000).done_ps;
    load(0, A, done + 1000); /* a speculative or early read brings it back */
    device_write(A, 9, false, done + 200000);
    ck_assert_uint_eq(load(0, A, done + 400000), 0);
}
END_TEST

START_TEST(invalidating_a_dirty_line_cleans_it_first_or_loses_it)
{
    struct cache_config config = small_config();

    store(0, A, 7, 0);
    cache_advance(cache, cache_cmo(cache, 0, CMO_DC_IVAC, A, 200000).done_ps);
    ck_assert_uint_eq(device_read(A, false, 1000000), 7);
    teardown();
    config.ivac_cleans = false;
    create(&config);
    store(0, A, 7, 0);
    cache_advance(cache, cache_cmo(cache, 0, CMO_DC_IVAC, A, 200000).done_ps);
    ck_assert_uint_eq(device_read(A, false, 1000000), 0);
    ck_assert_uint_eq(load(0, A, 2000000), 0);
}
END_TEST

START_TEST(clean_and_invalidate_keeps_the_neighbour)
{
    store(0, A + 1, 5, 0); /* a variable in the same line as the buffer */
    uint64_t done = cache_cmo(cache, 0, CMO_DC_CIVAC, A, 200000).done_ps;
    cache_advance(cache, done);
    device_write(A, 9, false, done + 1);
    ck_assert_uint_eq(load(0, A, done + 100000), 9);
    ck_assert_uint_eq(load(0, A + 1, done + 200000), 5);
}
END_TEST

/* Reads what the device had overwritten, until the invalidation is complete; nothing else passes it. */
START_TEST(loads_pass_an_invalidation_when_asked_to)
{
    struct cache_config config = small_config();

    teardown();
    config.loads_pass_invalidates = true;
    create(&config);
    for (unsigned i = 0; i < 2; i++) {
        load(0, A + i * 64, i * 1000000);
        device_write(A + i * 64, 9, false, i * 1000000 + 200000);
        uint64_t done = cache_cmo(cache, 0, i ? CMO_DC_CIVAC : CMO_DC_IVAC, A + i * 64, i * 1000000 + 400000).done_ps;
        ck_assert_uint_eq(load(0, A + i * 64, done - 1), 0);
        ck_assert_uint_eq(load(0, A + i * 64, done), 9);
    }
    load(0, A, 3000000);
    device_write(A, 11, false, 3200000);
    uint64_t done = cache_cmo(cache, 0, CMO_DC_IVAC, A, 3400000).done_ps;
    ck_assert_uint_ge(get(0, A, LINE_UNIQUE, 3410000).done_ps, done); /* a store waits, and finds what is new */
    ck_assert_uint_eq(load(0, A, 4000000), 11);
}
END_TEST

/* The acknowledgement, which a DSB waits for, comes before the bytes; a second operation comes after them. */
START_TEST(erratum_4311569_acknowledges_a_clean_of_a_dirty_line_early)
{
    static const enum cmo_op ops[] = {CMO_DC_CVAC, CMO_DC_CIVAC, CMO_DC_IVAC};
    struct cache_config config = small_config();

    config.cmo_early_ack = true;
    config.cmo_early_ack_ps = 40000;
    for (unsigned i = 0; i < 3; i++) {
        teardown();
        create(&config);
        store(0, A, 7, 0);
        uint64_t latency = ops[i] == CMO_DC_CVAC ? 50000 : 60000;
        uint64_t acknowledged = cache_cmo(cache, 0, ops[i], A, 200000).done_ps;
        ck_assert_uint_eq(acknowledged, 200000 + latency); /* no time for the write-back in it */
        ck_assert_uint_eq(cache_cmo_drain(cache, 0, 200000), acknowledged);
        ck_assert_uint_eq(device_read(A, false, acknowledged), 0);
        ck_assert_uint_eq(device_read(A, false, acknowledged + 40000 - 1), 0);
        ck_assert_uint_eq(device_read(A, false, acknowledged + 40000), 7);
        teardown();
        create(&config);
        store(0, A, 7, 0);
        cache_cmo(cache, 0, ops[i], A, 200000);
        cache_cmo(cache, 0, ops[i], A, 210000);
        ck_assert_uint_eq(cache_cmo_drain(cache, 0, 220000), acknowledged + 40000 + latency);
        ck_assert_uint_eq(device_read(A, false, cache_cmo_drain(cache, 0, 220000)), 7);
    }
}
END_TEST

START_TEST(erratum_4311569_leaves_other_operations_alone)
{
    struct cache_config config = small_config();

    teardown();
    config.cmo_early_ack = true;
    config.cmo_early_ack_ps = 40000;
    create(&config);
    load(0, A, 0);
    ck_assert_uint_eq(cache_cmo(cache, 0, CMO_DC_CVAC, A, 200000).done_ps, 200000 + 50000); /* not dirty */
    device_write(A + 64, 9, false, 300000);
    load(0, A + 64, 400000);
    device_write(A + 64, 10, false, 600000);
    uint64_t done = cache_cmo(cache, 0, CMO_DC_IVAC, A + 64, 800000).done_ps;
    cache_advance(cache, done);
    ck_assert_uint_eq(load(0, A + 64, done), 10);
}
END_TEST

/* The late write-back goes over what the device has written since. */
START_TEST(erratum_4311569_overwrites_device_data)
{
    struct cache_config config = small_config();

    teardown();
    config.cmo_early_ack = true;
    config.cmo_early_ack_ps = 40000;
    create(&config);
    store(0, A, 7, 0);
    uint64_t acknowledged = cache_cmo(cache, 0, CMO_DC_CVAC, A, 200000).done_ps;
    device_write(A, 9, false, acknowledged + 1);
    ck_assert_uint_eq(device_read(A, false, acknowledged + 2), 9);
    ck_assert_uint_eq(device_read(A, false, acknowledged + 40000), 7);
}
END_TEST

START_TEST(a_dirty_line_that_is_evicted_overwrites_device_data)
{
    store(0, A, 7, 0);
    device_write(A, 9, false, 200000);
    ck_assert_uint_eq(device_read(A, false, 210000), 9);
    for (unsigned i = 1; i <= 4 + 4; i++) /* out of L2 and, set by set, out of L3 */
        get(0, A + i * 0x1000, LINE_SHARED, 300000 + i * 200000);
    ck_assert_uint_eq(device_read(A, false, 9000000), 7);
    ck_assert_uint_eq(cache_counters(cache, 0)->writebacks, 1);
}
END_TEST

START_TEST(the_cmo_behind_all_slots_starts_when_the_first_is_done)
{
    uint64_t t = 0;

    for (unsigned i = 0; i < 4; i++) {
        struct cmo_times times = cache_cmo(cache, 0, CMO_DC_CVAC, A + i * 64, t);
        ck_assert_uint_eq(times.start_ps, i * 1000);
        ck_assert_uint_eq(times.done_ps, i * 1000 + 50000);
        t = times.next_issue_ps;
    }
    struct cmo_times fifth = cache_cmo(cache, 0, CMO_DC_CVAC, A + 4 * 64, t);
    ck_assert_uint_eq(fifth.start_ps, 50000);
    ck_assert_uint_eq(fifth.done_ps, 100000);
    ck_assert_uint_eq(cache_counters(cache, 0)->cmo_slot_stall_ps, 50000 - 4000);
    ck_assert_uint_eq(cache_cmo_drain(cache, 0, 0), 100000);
    ck_assert_uint_eq(cache_cmo_drain(cache, 0, 123456), 123456);
}
END_TEST

START_TEST(issue_interval_depends_on_where_the_line_is)
{
    ck_assert_uint_eq(cache_cmo(cache, 0, CMO_DC_CVAC, A, 0).next_issue_ps, 1000);
    load(0, A + 0x40, 0);
    ck_assert_uint_eq(cache_cmo(cache, 0, CMO_DC_CVAC, A + 0x40, 200000).next_issue_ps, 200000 + 3000);
    load(0, A + 0x80, 300000);
    load(0, A + 0x280, 400000);
    load(0, A + 0x480, 500000);
    ck_assert_uint_eq(cache_cmo(cache, 0, CMO_DC_CVAC, A + 0x80, 600000).next_issue_ps, 600000 + 4000); /* L2 */
    load(1, A + 0xC0, 700000);
    ck_assert_uint_eq(cache_cmo(cache, 0, CMO_DC_CVAC, A + 0xC0, 800000).next_issue_ps,
                      800000 + 2000); /* another core */
}
END_TEST

START_TEST(two_cores_pass_a_line_to_and_fro)
{
    store(0, A, 1, 0);
    struct line_grant grant = get(1, A, LINE_UNIQUE, 200000);
    ck_assert_int_eq(grant.level, LEVEL_CORE);
    ck_assert_uint_eq(grant.done_ps, 200000 + 30000);
    ck_assert_uint_eq(grant.data[0], 1);
    ck_assert(!grant.keep); /* communal from now on */
    ck_assert_uint_ge(lost, 1);
    grant.data[0] = 2;
    ck_assert_uint_eq(load(0, A, 300000), 2);
    ck_assert_uint_eq(device_read(A, false, 400000), 0); /* still only in caches */
}
END_TEST

/* --- turns: what the queue of a line said to each core --- */

static uint64_t turn_at[8];

static void told_turn(void *ctx, uint64_t at_ps)
{
    *(uint64_t *)ctx = at_ps;
}

/* Eight cores, two a cluster, four a die and socket; A is communal and core 0 got it last, at 200 ns + 30 ns. */
static void with_turns(enum cache_arbitration arbitration)
{
    struct cache_config config = small_config();

    config.cores = 8;
    config.cluster_cores = 2;
    config.die_cores = config.socket_cores = 4;
    config.cluster_ps = 20000;
    config.cross_socket_ps = 90000;
    config.residency_ps = 5000;
    config.arbitration = arbitration;
    config.local_turns = 1;
    teardown();
    create(&config);
    for (unsigned core = 0; core < 8; core++) {
        struct cache_waiter waiter = {&turn_at[core], told_turn};
        turn_at[core] = 0;
        cache_attach_waiter(cache, core, &waiter);
    }
    store(2, A, 1, 0);
    ck_assert_uint_eq(get(0, A, LINE_UNIQUE, 200000).done_ps, 230000);
}

static bool turn(unsigned core, uint64_t at_ps)
{
    return cache_line_turn(cache, core, A, LINE_UNIQUE, at_ps);
}

START_TEST(the_holder_keeps_its_line_for_a_while)
{
    with_turns(ARBITRATE_OLDEST);
    ck_assert(turn(0, 231000)); /* a hit */
    ck_assert(!turn(1, 231000));
    ck_assert_uint_eq(turn_at[1], 235000);
    ck_assert(turn(0, 234000)); /* the holder need not queue */
    ck_assert(turn(1, 235000));
    ck_assert_uint_eq(get(1, A, LINE_UNIQUE, 235000).done_ps, 235000 + 20000);
    ck_assert(!turn(0, 250000)); /* now it must */
    ck_assert_uint_eq(turn_at[0], 260000);
}
END_TEST

START_TEST(distance_between_cores)
{
    with_turns(ARBITRATE_OLDEST);
    ck_assert_uint_eq(get(1, A, LINE_UNIQUE, 300000).done_ps, 300000 + 20000); /* same cluster */
    ck_assert_uint_eq(get(3, A, LINE_UNIQUE, 400000).done_ps, 400000 + 30000); /* same die */
    ck_assert_uint_eq(get(4, A, LINE_UNIQUE, 500000).done_ps, 500000 + 90000); /* another socket */
}
END_TEST

START_TEST(first_come_first_served)
{
    with_turns(ARBITRATE_OLDEST);
    ck_assert(!turn(4, 231000) && !turn(1, 232000) && !turn(5, 233000));
    ck_assert_uint_eq(turn_at[4], 235000);
    ck_assert_uint_eq(turn_at[1], 0);
    ck_assert(!turn(1, 235000)); /* not its turn */
    ck_assert(turn(4, 235000));
    get(4, A, LINE_UNIQUE, 235000);
    ck_assert_uint_eq(turn_at[1], 235000 + 90000 + 5000);
    ck_assert(turn(1, 330000));
    get(1, A, LINE_UNIQUE, 330000);
    ck_assert_uint_eq(turn_at[5], 330000 + 90000 + 5000);
}
END_TEST

/* The write that clears a waiting core's monitor wakes it; an access that needs no monitor still gets its turn. */
START_TEST(a_waiting_core_that_loses_its_monitor_keeps_its_turn)
{
    with_turns(ARBITRATE_OLDEST);
    cache_monitor_arm(cache, 1, A);
    ck_assert(!turn(1, 231000));
    get(0, A, LINE_UNIQUE, 232000); /* a hit of the holder, which clears the monitor */
    ck_assert_uint_lt(turn_at[1], 235000);
    ck_assert(!turn(1, 233000));
    ck_assert_uint_eq(turn_at[1], 235000);
    ck_assert(turn(1, 235000));
}
END_TEST

/* A store exclusive has nothing to wait for any more. */
START_TEST(a_store_exclusive_without_monitor_leaves_the_queue)
{
    with_turns(ARBITRATE_OLDEST);
    cache_monitor_arm(cache, 1, A);
    ck_assert(!cache_line_turn(cache, 1, A, LINE_EXCLUSIVE_STORE, 231000));
    ck_assert(!turn(3, 231500));
    get(0, A, LINE_UNIQUE, 232000);
    ck_assert(cache_line_turn(cache, 1, A, LINE_EXCLUSIVE_STORE, 233000));
    ck_assert(cache_line(cache, 1, A, LINE_EXCLUSIVE_STORE, 233000).monitor_lost);
    ck_assert_uint_eq(turn_at[3], 235000); /* the next in the queue */
}
END_TEST

START_TEST(the_holders_die_goes_first_for_some_turns)
{
    with_turns(ARBITRATE_LOCAL);
    ck_assert(!turn(4, 231000));
    ck_assert_uint_eq(turn_at[4], 235000);
    ck_assert(!turn(1, 232000)); /* came later, but is near */
    ck_assert_uint_eq(turn_at[4], NEVER_PS);
    ck_assert_uint_eq(turn_at[1], 235000);
    ck_assert(!turn(3, 233000));
    ck_assert(turn(1, 235000));
    get(1, A, LINE_UNIQUE, 235000);
    ck_assert_uint_eq(turn_at[4], 260000); /* its one turn is used up: the far one is next */
    ck_assert_uint_eq(turn_at[3], 0);
}
END_TEST

START_TEST(a_write_by_another_observer_clears_the_monitor)
{
    load(0, A, 0);
    cache_monitor_arm(cache, 0, A);
    store(0, A, 1, 100000); /* the own one does not */
    ck_assert_uint_eq(cleared, 0);
    store(1, A + 32, 1, 200000);
    ck_assert_uint_eq(cleared, 1);
    load(0, A, 300000);
    cache_monitor_arm(cache, 0, A);
    load(1, A, 400000);
    ck_assert_uint_eq(cleared, 1); /* reading is no reason */
    device_write(A, 1, true, 500000);
    ck_assert_uint_eq(cleared, 2);
}
END_TEST

START_TEST(a_kept_line_is_given_up_before_a_cmo)
{
    ck_assert(get(0, A, LINE_UNIQUE, 0).keep);
    lost = 0;
    cache_cmo(cache, 0, CMO_DC_CVAC, A, 200000);
    ck_assert_uint_eq(lost, 1);
    ck_assert(get(0, A, LINE_UNIQUE, 300000).keep); /* and taken again after it */
}
END_TEST

START_TEST(set_and_way_operations_act_on_the_own_cache)
{
    uint32_t set = (uint32_t)((A >> 6) & 15);

    store(0, A, 7, 0);
    for (uint64_t way = 0; way < 4; way++) /* L2: 16 sets, 4 ways */
        cache_cmo(cache, 0, CMO_DC_CISW, way << 30 | set << 6 | 1 << 1, 200000 + way * 10000);
    cache_advance(cache, 1000000);
    ck_assert_uint_eq(device_read(A, false, 1000000), 7);
    ck_assert_int_eq(get(0, A, LINE_SHARED, 2000000).level, LEVEL_SLC);
    cache_cmo(cache, 0, CMO_DC_CISW, ~0ull, 3000000); /* no such level: nothing */
}
END_TEST

START_TEST(impossible_geometries_are_all_reported)
{
    struct error_list errors = {0};
    struct cache_config config = small_config();

    config.l1d.ways = 0;
    config.l3.bytes = 15000;
    config.slc.ways = 65;
    ck_assert_ptr_null(cache_create(&config, memory, &errors));
    ck_assert_uint_eq(errors.count, 3);
    error_clear(&errors);
    config = small_config();
    config.cores = 129;
    config.cmo_slots = 0;
    ck_assert_ptr_null(cache_create(&config, memory, &errors));
    ck_assert_uint_eq(errors.count, 2);
    ck_assert_str_eq(errors.entries[0].text, "cpu.cores is 129; 1 to 128 are possible");
    error_clear(&errors);
}
END_TEST

START_TEST(addresses_outside_memory_are_errors)
{
    uint8_t byte = 0;
    struct txn txn = {.kind = TXN_READ, .addr = RAM - 1, .size = 2, .data = &byte, .requester = REQUESTER_DEVICE_BASE};

    ck_assert_int_eq(get(0, RAM + 16 * MIB, LINE_SHARED, 0).status, TXN_DECERR);
    cache_device(cache, &txn);
    ck_assert_int_eq(txn.status, TXN_DECERR);
    cache_cmo(cache, 0, CMO_DC_CIVAC, ~0ull, 0); /* completes without effect */
    ck_assert(!cache_debug_read(cache, UINT64_MAX, &byte, 1));
}
END_TEST

/* --- random operations against a model of what each observer may see --- */

#define LINES 24u /* more than L1D and L2 sets hold */

struct observers {
    uint8_t cpu[LINES], poc[LINES]; /* one byte a line */
    bool cached[LINES], dirty[LINES];
};

static uint64_t random_state;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(random_state >> 33) % n;
}

/* Large caches: nothing is evicted, so the model is exact. Every CMO is completed before the next step. */
START_TEST(random_operations_agree_with_a_reference)
{
    struct cache_config config = small_config();
    struct observers model = {0};
    uint64_t t = 0;

    teardown();
    config.l1d = config.l2 = (struct cache_geometry){64 * KIB, 4};
    create(&config);
    random_state = 1;
    for (unsigned step = 0; step < 100000; step++) {
        unsigned line = random_below(LINES), core = random_below(2), value = random_below(256);
        uint64_t pa = A + line * 64;
        t += 1000000;
        switch (random_below(7)) {
        case 0:
        case 1:
            if (!model.cached[line])
                model.cpu[line] = model.poc[line];
            store(core, pa, (uint8_t)value, t);
            model.cpu[line] = (uint8_t)value;
            model.cached[line] = model.dirty[line] = true;
            break;
        case 2:
            if (!model.cached[line])
                model.cpu[line] = model.poc[line];
            model.cached[line] = true;
            ck_assert_uint_eq(load(core, pa, t), model.cpu[line]);
            break;
        case 3:
            device_write(pa, (uint8_t)value, false, t);
            model.poc[line] = (uint8_t)value;
            break;
        case 4:
            ck_assert_uint_eq(device_read(pa, false, t), model.poc[line]);
            break;
        case 5:
            cache_advance(cache, cache_cmo(cache, core, CMO_DC_CVAC, pa, t).done_ps);
            if (model.dirty[line])
                model.poc[line] = model.cpu[line];
            model.dirty[line] = false;
            break;
        default:
            cache_advance(cache, cache_cmo(cache, core, value & 1 ? CMO_DC_CIVAC : CMO_DC_IVAC, pa, t).done_ps);
            if (model.dirty[line])
                model.poc[line] = model.cpu[line];
            model.dirty[line] = model.cached[line] = false;
            break;
        }
    }
}
END_TEST

void test_cache(struct unit_registry *registry)
{
    unit_suite(registry, "Cache", setup, teardown);
    unit_test(registry, each_level_answers_with_its_latency);
    unit_test(registry, dram_serves_one_line_after_the_other);
    unit_test(registry, device_does_not_see_a_store_that_was_not_cleaned);
    unit_test(registry, clean_is_seen_when_it_is_complete_and_not_a_picosecond_before);
    unit_test(registry, invalidate_makes_the_core_read_what_the_device_wrote);
    unit_test(registry, invalidate_before_the_transfer_only_leaves_stale_data);
    unit_test(registry, invalidating_a_dirty_line_cleans_it_first_or_loses_it);
    unit_test(registry, clean_and_invalidate_keeps_the_neighbour);
    unit_test(registry, loads_pass_an_invalidation_when_asked_to);
    unit_test(registry, erratum_4311569_acknowledges_a_clean_of_a_dirty_line_early);
    unit_test(registry, erratum_4311569_leaves_other_operations_alone);
    unit_test(registry, erratum_4311569_overwrites_device_data);
    unit_test(registry, a_dirty_line_that_is_evicted_overwrites_device_data);
    unit_test(registry, the_cmo_behind_all_slots_starts_when_the_first_is_done);
    unit_test(registry, issue_interval_depends_on_where_the_line_is);
    unit_test(registry, two_cores_pass_a_line_to_and_fro);
    unit_test(registry, the_holder_keeps_its_line_for_a_while);
    unit_test(registry, distance_between_cores);
    unit_test(registry, first_come_first_served);
    unit_test(registry, the_holders_die_goes_first_for_some_turns);
    unit_test(registry, a_waiting_core_that_loses_its_monitor_keeps_its_turn);
    unit_test(registry, a_store_exclusive_without_monitor_leaves_the_queue);
    unit_test(registry, a_write_by_another_observer_clears_the_monitor);
    unit_test(registry, a_kept_line_is_given_up_before_a_cmo);
    unit_test(registry, set_and_way_operations_act_on_the_own_cache);
    unit_test(registry, impossible_geometries_are_all_reported);
    unit_test(registry, addresses_outside_memory_are_errors);
    unit_test(registry, random_operations_agree_with_a_reference);
}
