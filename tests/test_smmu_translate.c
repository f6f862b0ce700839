/* Stage 1 walks, their faults and permissions; the event queue; what translations cost (IHI 0070 7; DDI 0487 D8). */
#include <string.h>

#include "common/units.h"
#include "tests/support/smmu_expect.h"
#include "tests/unit.h"

START_TEST(granules_and_levels)
{
    static const struct {
        unsigned granule, tsz, level;
    } rows[] = {{12, 16, 3}, {12, 16, 2}, {12, 16, 1}, {12, 25, 3}, {12, 34, 3}, {12, 39, 2}, {14, 16, 3},
                {14, 17, 2}, {14, 28, 3}, {14, 39, 3}, {16, 16, 3}, {16, 22, 2}, {16, 35, 3}, {16, 39, 3}};

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        unsigned shift = rows[i].granule + (3 - rows[i].level) * (rows[i].granule - 3);
        uint64_t va = (0x5A5A5A5A5A5Aull & (~0ull >> rows[i].tsz)) >> 3 << 3, block = va >> shift << shift;
        uint64_t offset = va - block, pa = shift >= 23 ? 0 : DATA_AT >> shift << shift;
        bring_up();
        bench.root = new_table(rows[i].granule);
        set_stage1_stream(1, CD(1));
        set_cd(CD(1), bench.root, rows[i].tsz, rows[i].granule, 7);
        map_at(bench.root, rows[i].tsz, rows[i].granule, va, pa, rows[i].level, LEAF_RW);
        offset &= 0x7FF8; /* inside the bench's memory, and not on the tables */
        if (shift >= 23)
            offset |= DATA_AT;
        expect_works(1, block + offset, pa + offset);
        expect_fault(1, block + (1ull << shift) == 1ull << (64 - rows[i].tsz) ? 0 : block + (1ull << shift),
                     event_head(0x10, 1), event_flags(false, false, true, false, C_IN),
                     block + (1ull << shift) == 1ull << (64 - rows[i].tsz) ? 0 : block + (1ull << shift), 0);
        expect_fault(1, 1ull << (64 - rows[i].tsz), event_head(0x10, 1), event_flags(false, false, true, false, C_IN),
                     1ull << (64 - rows[i].tsz), 0);
        smmu_bench_stop();
        smmu_bench_reset();
    }
    smmu_bench_start();
}
END_TEST

START_TEST(upper_half_and_top_byte)
{
    const uint64_t upper = 0xFFFFFF8000000000ull + VA;

    bring_up();
    page_stream(1);
    expect_fault(1, upper, event_head(0x10, 1), event_flags(false, false, true, false, C_IN), upper, 0); /* EPD1 */
    set_word(CD(1), (word(CD(1)) & ~(1ull << 30)) | 25 << 16 | 2 << 22 | 1 << 24 | 1 << 26 | 3 << 28);
    set_word(CD(1) + 16, bench.root);
    forget_all();
    expect_works(1, upper, DATA_AT);
    expect_works(1, VA, DATA_AT);
    expect_fault(1, upper & ~(1ull << 60), event_head(0x10, 1), event_flags(false, false, true, false, C_IN),
                 upper & ~(1ull << 60), 0);
    set_word(CD(1), word(CD(1)) | 1ull << 39); /* TBI1 */
    forget_all();
    expect_works(1, upper & ~(0xA5ull << 56), DATA_AT);
    expect_fault(1, VA | 1ull << 60, event_head(0x10, 1), event_flags(false, false, true, false, C_IN), VA | 1ull << 60,
                 0);
    set_word(CD(1), word(CD(1)) | 1ull << 38);
    forget_all();
    expect_works(1, VA | 0x5Aull << 56, DATA_AT);
    set_word(CD(1), word(CD(1)) | 1 << 14); /* EPD0 */
    expect_fault(1, VA, event_head(0x10, 1), event_flags(false, false, true, false, C_IN), VA, 0);
}
END_TEST

START_TEST(stage1_faults)
{
    uint64_t entry;

    bring_up();
    page_stream(1);
    entry = descriptor_of(bench.root, 25, 12, VA, 3);
    set_word(entry, DATA_AT | LEAF_RW | 1); /* 01 at level 3 */
    expect_fault(1, VA, event_head(0x10, 1), event_flags(false, false, true, false, C_IN), VA, 0);
    set_word(entry, (DATA_AT | LEAF_RW | 3) & ~(1ull << 10)); /* AF = 0 */
    expect_fault(1, VA, event_head(0x12, 1), event_flags(false, false, true, false, C_IN), VA, 0);
    set_word(CD(1), word(CD(1)) | 1ull << 35); /* AFFD */
    forget_all();
    expect_works(1, VA, DATA_AT);
    set_word(CD(1), word(CD(1)) & ~(7ull << 32)); /* IPS 32 bits */
    set_word(entry, 1ull << 32 | LEAF_RW | 3);
    expect_fault(1, VA, event_head(0x11, 1), event_flags(false, false, true, false, C_IN), VA, 0);
    set_word(descriptor_of(bench.root, 25, 12, VA, 2), 1ull << 32 | 3); /* a table is checked as well */
    expect_fault(1, VA, event_head(0x11, 1), event_flags(false, false, true, false, C_IN), VA, 0);
    set_word(descriptor_of(bench.root, 25, 12, VA, 2), MEMORY_BYTES | 3);
    expect_fault(1, VA, event_head(0x0B, 1), event_flags(false, false, true, false, C_TT), VA,
                 MEMORY_BYTES + ((VA >> 12) & 511) * 8);
    set_word(CD(1), word(CD(1)) & ~(1ull << 45)); /* R = 0: not recorded, but aborts of walks are */
    expect_fault(1, VA, event_head(0x0B, 1), event_flags(false, false, true, false, C_TT), VA,
                 MEMORY_BYTES + ((VA >> 12) & 511) * 8);
    set_word(descriptor_of(bench.root, 25, 12, VA, 2), 0);
    forget_all();
    ck_assert_int_eq(device_write(1, VA, 1), TXN_FAULT);
    expect_nothing();
    set_word(CD(1), word(CD(1)) & ~(1ull << 46)); /* A = 0: RAZ/WI */
    forget_all();
    uint64_t value = 1;
    ck_assert_int_eq(device_read(1, VA, &value), TXN_OK);
    ck_assert_uint_eq(value, 0);
    ck_assert_int_eq(device_write(1, VA, 1), TXN_OK);
}
END_TEST

/* What of {privileged, user} x {read, write, execute} passes; bits as enum permission. */
static unsigned allowed(uint32_t sid)
{
    unsigned result = 0;

    for (unsigned i = 0; i < 6; i++) {
        uint64_t value = 0, record[4];
        struct txn txn = {.kind = i % 3 == 1 ? TXN_WRITE : TXN_READ,
                          .addr = VA,
                          .size = 8,
                          .data = (uint8_t *)&value,
                          .stream_id = sid,
                          .privileged = i < 3,
                          .instruction = i % 3 == 2};
        if (device_access(&txn) == TXN_OK) {
            result |= 1u << i;
            continue;
        }
        ck_assert(next_event(record));
        ck_assert_uint_eq(record[0], event_head(0x13, sid));
        ck_assert_uint_eq(record[1], event_flags(i < 3, i % 3 == 2, i % 3 != 1, false, C_IN));
    }
    return result;
}

START_TEST(stage1_permission_table)
{
    enum { PR = 1, PW = 2, PX = 4, UR = 8, UW = 16, UX = 32 };
    static const struct {
        uint64_t leaf, table;
        unsigned expected;
    } rows[] = {
        {0, 0, PR | PW | PX | UX},               /* AP 00 */
        {1 << 6, 0, PR | PW | UR | UW | UX},     /* AP 01: writable by all is not executable at EL1 */
        {2 << 6, 0, PR | PX | UX},               /* AP 10 */
        {3 << 6, 0, PR | PX | UR | UX},          /* AP 11 */
        {3 << 6 | 1ull << 53, 0, PR | UR | UX},  /* PXN */
        {3 << 6 | 1ull << 54, 0, PR | PX | UR},  /* UXN */
        {1 << 6, 1ull << 61, PR | PW | PX | UX}, /* APTable[0]: no user access */
        {1 << 6, 1ull << 62, PR | PX | UR | UX}, /* APTable[1]: read only */
        {0, 1ull << 60, PR | PW | PX},           /* XNTable */
        {0, 1ull << 59, PR | PW | UX},           /* PXNTable */
    };

    bring_up();
    page_stream(1);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t table = descriptor_of(bench.root, 25, 12, VA, 2);
        set_word(descriptor_of(bench.root, 25, 12, VA, 3), DATA_AT | 1 << 10 | 3 << 8 | 3 | rows[i].leaf);
        set_word(table, (word(table) & 0xFFFFFFFFF003ull) | rows[i].table);
        forget_all();
        ck_assert_msg(allowed(1) == rows[i].expected, "row %u: 0x%x", i, allowed(1));
    }
    set_word(descriptor_of(bench.root, 25, 12, VA, 2),
             word(descriptor_of(bench.root, 25, 12, VA, 2)) & 0xFFFFFFFFF003ull);
    set_word(descriptor_of(bench.root, 25, 12, VA, 3), DATA_AT | 1 << 10 | 3 << 8 | 3);
    set_word(CD(1), word(CD(1)) | 1ull << 36); /* WXN */
    forget_all();
    ck_assert_uint_eq(allowed(1), PR | PW | UX);
}
END_TEST

/* EL2 has one privilege: AP[1], APTable[0] and PXN mean nothing, and all that is said of execution holds for all. */
START_TEST(el2_permission_table)
{
    enum { R = 1 | 8, W = 2 | 16, X = 4 | 32 };
    static const struct {
        uint64_t leaf, table, cd;
        unsigned expected;
    } rows[] = {
        {0, 0, 0, R | W | X},           {1 << 6, 0, 0, R | W | X},
        {2 << 6, 0, 0, R | X},          {1ull << 53, 0, 0, R | W | X},
        {1ull << 54, 0, 0, R | W},      {0, 1ull << 59, 0, R | W | X},
        {0, 1ull << 60, 0, R | W},      {1 << 6, 1ull << 61, 0, R | W | X},
        {0, 1ull << 62, 0, R | X},      {0, 1ull << 62 | 1ull << 60, 1ull << 1, R | W | X}, /* HAD0 */
        {0, 0, 1ull << 36, R | W},                                                          /* WXN */
        {2 << 6, 0, 1ull << 36, R | X}, {1 << 6, 0, 1ull << 40, R | W | X},                 /* PAN */
    };

    bring_up();
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t table;
        page_stream(1);
        set_word(STE(1) + 8, word(STE(1) + 8) | 2ull << 30);
        set_word(CD(1) + (rows[i].cd < 4 ? 8 : 0), word(CD(1) + (rows[i].cd < 4 ? 8 : 0)) | rows[i].cd);
        table = descriptor_of(bench.root, 25, 12, VA, 2);
        set_word(descriptor_of(bench.root, 25, 12, VA, 3), DATA_AT | 1 << 10 | 3 << 8 | 3 | rows[i].leaf);
        set_word(table, word(table) | rows[i].table);
        command(0x20, 0);
        forget_all();
        ck_assert_msg(allowed(1) == rows[i].expected, "row %u: 0x%x", i, allowed(1));
    }
}
END_TEST

START_TEST(ste_overrides_privilege)
{
    bring_up();
    page_stream(1);
    set_word(descriptor_of(bench.root, 25, 12, VA, 3), DATA_AT | 1 << 10 | 3 << 8 | 3); /* privileged only */
    set_word(STE(1) + 8, word(STE(1) + 8) | 3ull << 48);                                /* PRIVCFG: privileged */
    forget_all();
    expect_works(1, VA, DATA_AT);
    set_word(STE(1) + 8, (word(STE(1) + 8) & ~(3ull << 48)) | 2ull << 48);
    forget_all();
    expect_fault(1, VA, event_head(0x13, 1), event_flags(false, false, true, false, C_IN), VA, 0);
}
END_TEST

/* Tables of two entries are aligned to their 16 bytes. */
START_TEST(small_tables)
{
    const uint64_t tables[] = {TABLES_AT + 0x10010, TABLES_AT + 0x10020, TABLES_AT + 0x10030};

    bring_up();
    for (unsigned i = 0; i < 3; i++) {
        uint64_t base = TABLES_AT + 0x40000 + 0x30000 * i;
        set_stage1_stream(1, CD(1));
        set_word(tables[i] + 8, base | 3); /* 30 bits: two entries at level 2 */
        set_word(base + (0x12345678 >> 16) * 8, 0x800000 | LEAF_RW | 3);
        set_cd(CD(1), tables[i], 34, 16, 7);
        forget_all();
        expect_works(1, 0x20000000 | 0x12345678, 0x800000 | 0x5678);
    }
}
END_TEST

START_TEST(stale_until_invalidated)
{
    uint64_t value;

    bring_up();
    page_stream(1);
    expect_works(1, VA, DATA_AT);
    set_word(descriptor_of(bench.root, 25, 12, VA, 3), 0);
    expect_works(1, VA, DATA_AT); /* the TLB still has it */
    put_command(0x12 | 7ull << 48, VA | 1);
    put_command(0x46, 0);
    expect_works(1, VA, DATA_AT);
    ring();
    run_ps(10 * PS_PER_US);
    ck_assert_int_eq(device_read(1, VA, &value), TXN_FAULT);
    expect_event(event_head(0x10, 1), event_flags(false, false, true, false, C_IN), VA, 0);
}
END_TEST

START_TEST(event_queue_overflow)
{
    uint64_t value, record[4];
    unsigned events = 0;

    bench.eventq_bits = 2;
    bring_up();
    for (unsigned i = 0; i < 6; i++) /* four fit */
        device_read(1, VA, &value);
    ck_assert_uint_eq(rd32(R_EVENTQ_PROD), 0x80000000 | 4);
    ck_assert_uint_eq(smmu_counters(bench.smmu)->events_lost, 2);
    ck_assert_uint_eq(bench.pulses[0], 1); /* only when the queue was empty */
    while (next_event(record))
        events++;
    ck_assert_uint_eq(events, 4);
    for (unsigned i = 0; i < 6; i++) /* not acknowledged: the flag does not toggle again */
        device_read(1, VA, &value);
    ck_assert_uint_eq(rd32(R_EVENTQ_PROD), 0x80000000);
    wr32(R_EVENTQ_CONS, 0x80000000 | 4);
    device_read(1, VA, &value);
    ck_assert_uint_eq(rd32(R_EVENTQ_PROD), 0); /* full: 0 is one lap ahead of 4 */
}
END_TEST

START_TEST(event_queue_errors)
{
    uint64_t value;

    bring_up();
    wr32(R_CR0, SMMUEN | CMDQEN);
    device_read(1, VA, &value);
    ck_assert_uint_eq(smmu_counters(bench.smmu)->events, 0);
    wr64(R_EVENTQ_BASE, MEMORY_BYTES | 4);
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    device_read(1, VA, &value);
    ck_assert_uint_eq(rd32(R_GERROR), 1 << 2); /* EVENTQ_ABT_ERR */
    ck_assert_uint_eq(rd32(R_EVENTQ_PROD), 0);
    wr32(R_CR0, SMMUEN | CMDQEN);
    wr64(R_EVENTQ_BASE, EVENTQ_AT | 4);
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    device_read(1, VA, &value);
    ck_assert_uint_eq(rd32(R_EVENTQ_PROD), 0); /* not before the error is acknowledged */
    wr32(R_GERRORN, 1 << 2);
    device_read(1, VA, &value);
    ck_assert_uint_eq(rd32(R_EVENTQ_PROD), 1);
}
END_TEST

START_TEST(who_snoops)
{
    uint64_t value, before;

    bring_up();
    page_stream(1);
    map_at(bench.root, 25, 12, VA + 0x1000, DATA_AT, 3, LEAF_RW | 1 << 2); /* MAIR 1: Write-Back */
    forget_all();
    before = bench.coherent;
    ck_assert_int_eq(device_read(1, VA, &value), TXN_OK);
    ck_assert_uint_eq(bench.coherent - before, 5); /* STE, CD, three descriptors; the page is Non-cacheable */
    ck_assert(!bench.last.coherent && bench.last.type == MEM_NORMAL_NC);
    device_read(1, VA + 0x1000, &value);
    ck_assert(bench.last.coherent && bench.last.type == MEM_NORMAL_WB);
    set_word(CD(1), word(CD(1)) & ~0xF00ull); /* a walk through Non-cacheable memory */
    forget_all();
    before = bench.coherent;
    device_read(1, VA, &value);
    ck_assert_uint_eq(bench.coherent - before, 2);
    smmu_bench_stop();
    smmu_bench_reset();
    bench.config.cohacc = false;
    bring_up();
    page_stream(1);
    before = bench.coherent;
    ck_assert_int_eq(device_read(1, VA, &value), TXN_OK);
    ck_assert_uint_eq(bench.coherent - before, 0);
}
END_TEST

static uint64_t time_of_read(uint64_t va)
{
    uint64_t value;
    struct txn txn = {.kind = TXN_READ, .addr = va, .size = 8, .data = (uint8_t *)&value, .stream_id = 1};

    ck_assert_int_eq(device_access(&txn), TXN_OK);
    run_ps(10 * PS_PER_US);
    return txn.done_ps - txn.start_ps;
}

START_TEST(time_of_a_translation)
{
    bench.config.translator.micro_entries = 1;
    bring_up();
    page_stream(1);
    map_at(bench.root, 25, 12, VA + 0x1000, DATA_AT, 3, LEAF_RW);
    /* configuration: lookup, STE, CD; micro-TLB, main TLB, three descriptors; the access */
    ck_assert_uint_eq(time_of_read(VA), 2000 + 2 * 100000 + 1000 + 4000 + 3 * 102000 + 100000);
    ck_assert_uint_eq(time_of_read(VA), 2000 + 1000 + 100000);
    ck_assert_uint_eq(time_of_read(VA + 0x1000), 2000 + 1000 + 4000 + 102000 + 100000); /* walk cache */
    ck_assert_uint_eq(time_of_read(VA), 2000 + 1000 + 4000 + 100000);                   /* main TLB */
    ck_assert_uint_eq(time_of_read(VA), 2000 + 1000 + 100000); /* from where it came into the micro-TLB */
}
END_TEST

/* Two walker slots: the third walk at the same time waits for one. */
START_TEST(walker_slots)
{
    uint64_t done[3], value;

    bring_up();
    page_stream(1);
    time_of_read(VA);
    for (uint64_t i = 0; i < 3; i++) {
        struct txn txn = {
            .kind = TXN_READ, .addr = VA + (i + 1) * 0x1000, .size = 8, .data = (uint8_t *)&value, .stream_id = 1};
        map_at(bench.root, 25, 12, txn.addr, DATA_AT, 3, LEAF_RW);
        ck_assert_int_eq(device_access(&txn), TXN_OK);
        done[i] = txn.done_ps;
    }
    ck_assert_uint_eq(done[1], done[0]);
    ck_assert_uint_eq(done[2] - done[0], 102000);
}
END_TEST

/* A second access to a page whose walk is under way waits for that walk; it takes no slot. */
START_TEST(walks_merge)
{
    uint64_t value, walks;
    struct txn txn = {.kind = TXN_READ, .addr = VA, .size = 8, .data = (uint8_t *)&value, .stream_id = 1};
    struct txn same = txn;

    bring_up();
    page_stream(1);
    map_at(bench.root, 25, 12, VA + 0x1000, DATA_AT, 3, LEAF_RW);
    time_of_read(VA + 0x1000); /* the configuration */
    forget_all();
    walks = smmu_translator_counters(bench.smmu)->walks;
    ck_assert_int_eq(device_access(&txn), TXN_OK);
    ck_assert_int_eq(device_access(&same), TXN_OK);
    ck_assert_uint_eq(smmu_translator_counters(bench.smmu)->walks - walks, 1);
    ck_assert_uint_eq(same.done_ps, txn.done_ps);
}
END_TEST

/* A walk slot is busy while its walk lasts, not longer. */
START_TEST(slots_become_free)
{
    uint64_t value;
    struct txn txn = {.kind = TXN_READ, .size = 8, .data = (uint8_t *)&value, .stream_id = 1};

    bench.config.translator.walk_slots = 1;
    bring_up();
    page_stream(1);
    time_of_read(VA);
    for (uint64_t i = 1; i <= 2; i++) {
        map_at(bench.root, 25, 12, VA + i * 0x1000, DATA_AT, 3, LEAF_RW);
        txn.addr = VA + i * 0x1000;
        ck_assert_int_eq(device_access(&txn), TXN_OK);
        ck_assert_uint_eq(txn.done_ps - bench.now_ps, 2000 + 1000 + 4000 + 102000 + 100000);
        run_ps(102000); /* the walk began 7 ns after the access and the next one does too */
    }
}
END_TEST

START_TEST(pages_of_one_access)
{
    uint8_t bytes[0x1800];
    struct txn txn = {.kind = TXN_READ, .addr = VA + 0x800, .size = sizeof(bytes), .data = bytes, .stream_id = 1};

    bring_up();
    page_stream(1);
    map_at(bench.root, 25, 12, VA + 0x1000, DATA_AT + 0x5000, 3, LEAF_RW);
    memset(bench.memory + DATA_AT + 0x800, 0xAA, 0x800);
    memset(bench.memory + DATA_AT + 0x5000, 0xBB, 0x1000);
    ck_assert_int_eq(device_access(&txn), TXN_OK);
    ck_assert_uint_eq(bytes[0x7FF], 0xAA);
    ck_assert_uint_eq(bytes[0x800], 0xBB);
    ck_assert_uint_eq(bytes[0x17FF], 0xBB);
    txn.addr += 0x1000;
    ck_assert_int_eq(device_access(&txn), TXN_FAULT); /* its second page is not mapped */
    expect_event(event_head(0x10, 1), event_flags(false, false, true, false, C_IN), VA + 0x2000, 0);
}
END_TEST

START_TEST(big_endian_tables)
{
    bring_up();
    page_stream(1);
    for (unsigned level = 1; level <= 3; level++)
        set_word(descriptor_of(bench.root, 25, 12, VA, level), word(descriptor_of(bench.root, 25, 12, VA, level)));
    uint64_t entries[3];
    for (unsigned level = 1; level <= 3; level++)
        entries[level - 1] = descriptor_of(bench.root, 25, 12, VA, level);
    for (unsigned i = 0; i < 3; i++)
        set_word(entries[i], __builtin_bswap64(word(entries[i])));
    set_word(CD(1), word(CD(1)) | 1 << 15);
    expect_works(1, VA, DATA_AT);
}
END_TEST

START_TEST(el2_streams)
{
    bring_up();
    page_stream(1);
    set_word(STE(1) + 8, word(STE(1) + 8) | 2ull << 30);                                /* STRW: EL2 */
    set_word(CD(1), word(CD(1)) | 1 << 14);                                             /* EPD0 is ignored there */
    set_word(descriptor_of(bench.root, 25, 12, VA, 3), DATA_AT | 1 << 10 | 3 << 8 | 3); /* one privilege only */
    expect_works(1, VA, DATA_AT);
    set_word(descriptor_of(bench.root, 25, 12, VA, 3), 0);
    command(0x10, 0); /* TLBI_NH_ALL is about EL1 */
    expect_works(1, VA, DATA_AT);
    command(0x22, VA | 1);
    expect_fault(1, VA, event_head(0x10, 1), event_flags(false, false, true, false, C_IN), VA, 0);
}
END_TEST

void test_smmu_translate(struct unit_registry *registry)
{
    unit_suite(registry, "SmmuTranslate", smmu_bench_reset, smmu_bench_stop);
    unit_test(registry, granules_and_levels);
    unit_test(registry, upper_half_and_top_byte);
    unit_test(registry, stage1_faults);
    unit_test(registry, stage1_permission_table);
    unit_test(registry, el2_permission_table);
    unit_test(registry, ste_overrides_privilege);
    unit_test(registry, small_tables);
    unit_test(registry, stale_until_invalidated);
    unit_test(registry, event_queue_overflow);
    unit_test(registry, event_queue_errors);
    unit_test(registry, who_snoops);
    unit_test(registry, time_of_a_translation);
    unit_test(registry, walker_slots);
    unit_test(registry, walks_merge);
    unit_test(registry, slots_become_free);
    unit_test(registry, pages_of_one_access);
    unit_test(registry, big_endian_tables);
    unit_test(registry, el2_streams);
}
