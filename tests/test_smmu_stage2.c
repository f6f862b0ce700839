/* Stage 2 alone and nested: faults, permissions, attributes, the order of all checks (IHI 0070 3.4, 7.3, 13). */
#include "tests/support/smmu_expect.h"
#include "tests/unit.h"

START_TEST(stage2_only)
{
    const uint64_t ipa = 0x9000001000ull; /* in the second concatenated table */

    bring_up();
    set_stage2_stream(1, false);
    stage2_map(bench.stage2_root, ipa, DATA_AT, 1 << 6);
    expect_works(1, ipa, DATA_AT);
    ck_assert_int_eq(device_write(1, ipa, 0), TXN_FAULT); /* S2AP: read only */
    expect_event(event_head(0x13, 1), event_flags(false, false, false, true, C_IN), ipa, ipa);
    expect_fault(1, ipa + 0x1000, event_head(0x10, 1), event_flags(false, false, true, true, C_IN), ipa + 0x1000,
                 ipa + 0x1000);
    expect_fault(1, 1ull << 40, event_head(0x10, 1), event_flags(false, false, true, true, C_IN), 1ull << 40,
                 1ull << 40);
    set_word(stage2_descriptor(bench.stage2_root, ipa),
             word(stage2_descriptor(bench.stage2_root, ipa)) & ~(1ull << 10));
    expect_fault(1, ipa, event_head(0x12, 1), event_flags(false, false, true, true, C_IN), ipa, ipa);
    set_word(STE(1) + 16, word(STE(1) + 16) | 1ull << 53); /* S2AFFD */
    forget_all();
    expect_works(1, ipa, DATA_AT);
    set_word(STE(1) + 16, word(STE(1) + 16) & ~(7ull << 48)); /* PS 32 bits */
    stage2_map(bench.stage2_root, ipa, 1ull << 33, 3 << 6);
    expect_fault(1, ipa, event_head(0x11, 1), event_flags(false, false, true, true, C_IN), ipa, ipa);
    set_word(STE(1) + 16, word(STE(1) + 16) & ~(1ull << 58)); /* S2R = 0: not recorded */
    forget_all();
    uint64_t value;
    ck_assert_int_eq(device_read(1, ipa, &value), TXN_FAULT);
    expect_nothing();
}
END_TEST

/* Everything of a nested stream identity-mapped except what a test changes; the data is at IPA 0x40000000. */
static void nested_stream(void)
{
    page_stream(1);
    set_stage2_stream(1, true);
    map_at(bench.root, 25, 12, VA, 0x40000000, 3, LEAF_RW);
    for (uint64_t at = TABLES_AT; at < TABLES_AT + 0x40000; at += 0x1000)
        stage2_map(bench.stage2_root, at, at, 3 << 6);
    stage2_map(bench.stage2_root, CD_AT, CD_AT, 3 << 6);
    stage2_map(bench.stage2_root, 0x40000000, DATA_AT, 3 << 6);
}

START_TEST(nested)
{
    uint64_t level3;

    bring_up();
    nested_stream();
    expect_works(1, VA, DATA_AT);
    level3 = descriptor_of(bench.root, 25, 12, VA, 3);
    set_word(stage2_descriptor(bench.stage2_root, 0x40000000), 0); /* the input's stage 2 */
    expect_fault(1, VA, event_head(0x10, 1), event_flags(false, false, true, true, C_IN), VA, 0x40000000);
    stage2_map(bench.stage2_root, 0x40000000, DATA_AT, 1 << 6);
    forget_all();
    ck_assert_int_eq(device_write(1, VA, 0), TXN_FAULT);
    expect_event(event_head(0x13, 1), event_flags(false, false, false, true, C_IN), VA, 0x40000000);
    set_word(level3, word(level3) | LEAF_RO); /* stage 1 refuses first */
    forget_all();
    ck_assert_int_eq(device_write(1, VA, 0), TXN_FAULT);
    expect_event(event_head(0x13, 1), event_flags(false, false, false, false, C_IN), VA, 0);
    set_word(stage2_descriptor(bench.stage2_root, level3), 0); /* a table of stage 1 */
    expect_fault(1, VA, event_head(0x10, 1), event_flags(false, false, true, true, C_TT), VA, level3 & ~0xFFFull);
    set_word(stage2_descriptor(bench.stage2_root, CD_AT), 0); /* the CD */
    expect_fault(1, VA, event_head(0x10, 1), event_flags(false, false, true, true, C_CD), VA, CD(1) & ~0xFFFull);
    set_word(STE(1) + 16, word(STE(1) + 16) & ~(1ull << 58)); /* S2R = 0 */
    forget_all();
    ck_assert_int_eq(device_write(1, VA, 0), TXN_FAULT);
    expect_nothing();
}
END_TEST

/* Stage 1 is bypassed: what stage 2 cannot even be asked is stage 1's fault (3.4). */
START_TEST(stage2_input_above_the_output_size)
{
    bring_up();
    set_stage2_stream(1, false);
    expect_fault(1, 1ull << 48, event_head(0x11, 1), event_flags(false, false, true, false, C_IN), 1ull << 48, 0);
    expect_fault(1, (1ull << 48) - 8, event_head(0x10, 1), event_flags(false, false, true, true, C_IN),
                 (1ull << 48) - 8, ((1ull << 48) - 8) & ~0xFFFull);
}
END_TEST

/* S2AP and XN of stage 2 for {privileged, user} x {read, write, execute} (DDI 0487 D8.4, XNX). */
START_TEST(stage2_permission_table)
{
    enum { PR = 1, PW = 2, PX = 4, UR = 8, UW = 16, UX = 32 };
    static const struct {
        uint64_t attributes;
        unsigned expected;
    } rows[] = {
        {0, PX | UX}, /* execute-only */
        {2ull << 53, 0},
        {S2_R, PR | PX | UR | UX},
        {S2_W, PW | PX | UW | UX},
        {S2_RW, PR | PW | PX | UR | UW | UX},
        {S2_RW | 1ull << 53, PR | PW | UR | UW | UX},
        {S2_RW | 2ull << 53, PR | PW | UR | UW},
        {S2_RW | 3ull << 53, PR | PW | PX | UR | UW},
        {S2_W | 3ull << 53, PW | PX | UW},
    };

    bring_up();
    set_stage2_stream(1, false);
    for (unsigned row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        stage2_map(bench.stage2_root, VA, DATA_AT, rows[row].attributes);
        forget_all();
        for (unsigned i = 0; i < 6; i++) {
            uint64_t value = 0, record[4];
            struct txn txn = {.kind = i % 3 == 1 ? TXN_WRITE : TXN_READ,
                              .addr = VA,
                              .size = 8,
                              .data = (uint8_t *)&value,
                              .stream_id = 1,
                              .privileged = i < 3,
                              .instruction = i % 3 == 2};
            ck_assert_msg((device_access(&txn) == TXN_OK) == (rows[row].expected >> i & 1), "row %u, %u", row, i);
            if (txn.status == TXN_OK)
                continue;
            ck_assert(next_event(record));
            ck_assert_uint_eq(record[0], event_head(0x13, 1));
            ck_assert_uint_eq(record[1], event_flags(i < 3, i % 3 == 2, i % 3 != 1, true, C_IN));
        }
    }
}
END_TEST

/* What goes out: type and shareability of stage 1, of stage 2, of the input; the stronger and the wider win. */
START_TEST(attributes)
{
    static const struct {
        unsigned mair, s1_sh, s2, s2_sh;
        enum mem_type type;
        enum shareability sh;
    } rows[] = {
        {0xFF, 3, 15, 3, MEM_NORMAL_WB, SH_INNER},    {0xFF, 0, 15, 3, MEM_NORMAL_WB, SH_INNER},
        {0xFF, 3, 15, 0, MEM_NORMAL_WB, SH_INNER},    {0xFF, 3, 15, 2, MEM_NORMAL_WB, SH_OUTER},
        {0xFF, 0, 15, 0, MEM_NORMAL_WB, SH_NON},      {0xFF, 1, 15, 1, MEM_NORMAL_WB, SH_NON},
        {0xBB, 3, 15, 3, MEM_NORMAL_WT, SH_INNER},    {0xFF, 3, 10, 3, MEM_NORMAL_WT, SH_INNER},
        {0x44, 3, 15, 3, MEM_NORMAL_NC, SH_OUTER},    {0xFF, 3, 5, 3, MEM_NORMAL_NC, SH_OUTER},
        {0xF4, 3, 15, 3, MEM_NORMAL_NC, SH_OUTER},    {0x04, 3, 15, 3, MEM_DEVICE_nGnRE, SH_OUTER},
        {0x0C, 3, 1, 3, MEM_DEVICE_nGnRE, SH_OUTER},  {0x08, 3, 3, 3, MEM_DEVICE_nGRE, SH_OUTER},
        {0xFF, 3, 0, 3, MEM_DEVICE_nGnRnE, SH_OUTER}, {0x00, 3, 15, 3, MEM_DEVICE_nGnRnE, SH_OUTER},
    };
    uint64_t value;

    bring_up();
    nested_stream();
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        set_word(CD(1) + 24, rows[i].mair);
        map_at(bench.root, 25, 12, VA, 0x40000000, 3, 1 << 10 | 1 << 6 | rows[i].s1_sh << 8);
        set_word(stage2_descriptor(bench.stage2_root, 0x40000000),
                 DATA_AT | 3 | 1 << 10 | S2_RW | rows[i].s2 << 2 | rows[i].s2_sh << 8);
        forget_all();
        ck_assert_int_eq(device_read(1, VA, &value), TXN_OK);
        ck_assert_msg(bench.last.type == rows[i].type && bench.last.sh == rows[i].sh, "row %u: %u %u", i,
                      bench.last.type, bench.last.sh);
        ck_assert_int_eq(bench.last.coherent, rows[i].type == MEM_NORMAL_WB && rows[i].sh != SH_NON);
    }
}
END_TEST

/* MTCFG, MemAttr, SHCFG where stage 1 does not translate; the bench's masters come as Write-Back Inner Shareable. */
START_TEST(overrides_of_attributes)
{
    static const struct {
        bool mtcfg;
        unsigned memattr, shcfg;
        enum mem_type type;
        enum shareability sh;
    } rows[] = {
        {false, 0, 1, MEM_NORMAL_WB, SH_INNER},    {false, 0, 0, MEM_NORMAL_WB, SH_NON},
        {false, 0, 2, MEM_NORMAL_WB, SH_OUTER},    {false, 5, 3, MEM_NORMAL_WB, SH_INNER},
        {true, 15, 3, MEM_NORMAL_WB, SH_INNER},    {true, 10, 1, MEM_NORMAL_WT, SH_INNER},
        {true, 5, 3, MEM_NORMAL_NC, SH_OUTER},     {true, 0, 3, MEM_DEVICE_nGnRnE, SH_OUTER},
        {true, 3, 3, MEM_DEVICE_GRE, SH_OUTER},    {true, 4, 3, MEM_DEVICE_nGnRnE, SH_OUTER},
        {true, 8, 3, MEM_DEVICE_nGnRnE, SH_OUTER}, {true, 12, 3, MEM_DEVICE_nGnRnE, SH_OUTER},
        {true, 13, 3, MEM_NORMAL_NC, SH_OUTER},
    };
    uint64_t value;

    bring_up();
    set_stage2_stream(2, false);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t overrides =
            (uint64_t)rows[i].mtcfg << 36 | (uint64_t)rows[i].memattr << 32 | (uint64_t)rows[i].shcfg << 44;
        set_word(STE(1), 1 | 4 << 1);
        set_word(STE(1) + 8, overrides);
        set_word(STE(2) + 8, overrides);
        set_word(stage2_descriptor(bench.stage2_root, VA),
                 DATA_AT | 3 | 1 << 10 | S2_RW | 15 << 2); /* WB, Non-shareable */
        wr32(R_CR0, EVENTQEN | CMDQEN);
        wr32(R_GBPA, 1u << 31 | rows[i].mtcfg << 4 | rows[i].memattr | rows[i].shcfg << 12);
        for (unsigned way = 0; way < 3; way++) { /* disabled, bypass, stage 2 */
            if (way == 1)
                wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
            forget_all();
            ck_assert_int_eq(device_read(way, way == 2 ? VA : DATA_AT, &value), TXN_OK);
            ck_assert_msg(bench.last.type == rows[i].type && bench.last.sh == rows[i].sh, "row %u way %u", i, way);
        }
    }
    set_word(STE(2) + 8, 1ull << 44); /* incoming */
    set_word(stage2_descriptor(bench.stage2_root, VA), DATA_AT | 3 | 1 << 10 | S2_RW | 5 << 2);
    forget_all();
    ck_assert_int_eq(device_read(2, VA, &value), TXN_OK);
    ck_assert(bench.last.type == MEM_NORMAL_NC && !bench.last.coherent);
}
END_TEST

/* Tables and CDs that stage 2 maps Non-cacheable are not read coherently; with S2PTW Device memory is refused. */
START_TEST(own_accesses_through_stage2)
{
    uint64_t value, before, level3;

    bring_up();
    nested_stream();
    forget_all();
    before = bench.coherent;
    ck_assert_int_eq(device_read(1, VA, &value), TXN_OK);
    /* STE; CD and three tables with their stage 2 walks of up to three reads; not the page, which is Non-cacheable */
    ck_assert_uint_gt(bench.coherent - before, 5);
    for (uint64_t at = TABLES_AT; at < TABLES_AT + 0x40000; at += 0x1000)
        set_word(stage2_descriptor(bench.stage2_root, at), at | 3 | 1 << 10 | 3 << 8 | S2_RW | 5 << 2);
    set_word(stage2_descriptor(bench.stage2_root, CD_AT), CD_AT | 3 | 1 << 10 | 3 << 8 | S2_RW | 5 << 2);
    set_word(STE(1) + 16, word(STE(1) + 16) & ~(15ull << 40)); /* stage 2's own walks: Non-cacheable */
    forget_all();
    before = bench.coherent;
    ck_assert_int_eq(device_read(1, VA, &value), TXN_OK);
    ck_assert_uint_eq(bench.coherent - before, 1); /* the STE */
    level3 = descriptor_of(bench.root, 25, 12, VA, 3);
    set_word(stage2_descriptor(bench.stage2_root, level3), (level3 & ~0xFFFull) | 3 | 1 << 10 | S2_RW | 1 << 2);
    forget_all();
    expect_works(1, VA, DATA_AT);
    set_word(STE(1) + 16, word(STE(1) + 16) | 1ull << 54); /* S2PTW */
    expect_fault(1, VA, event_head(0x13, 1), event_flags(false, false, true, true, C_TT), VA, level3 & ~0xFFFull);
    set_word(stage2_descriptor(bench.stage2_root, CD_AT), CD_AT | 3 | 1 << 10 | S2_RW | 1 << 2);
    expect_fault(1, VA, event_head(0x13, 1), event_flags(false, false, true, true, C_CD), VA, CD_AT);
}
END_TEST

/* PnU and InD of a record are what the STE makes of them, also when the CD's fetch faults. */
START_TEST(overrides_in_records)
{
    uint64_t value = 0;
    struct txn txn = {.kind = TXN_READ, .addr = VA, .size = 8, .data = (uint8_t *)&value, .stream_id = 1};

    bring_up();
    nested_stream();
    set_word(STE(1) + 8, word(STE(1) + 8) | 3ull << 48 | 3ull << 50); /* privileged, instruction */
    set_word(stage2_descriptor(bench.stage2_root, CD_AT), 0);
    expect_fault(1, VA, event_head(0x10, 1), event_flags(true, true, true, true, C_CD), VA, CD_AT);
    ck_assert_int_eq(device_write(1, VA, 0), TXN_FAULT); /* a write is never an instruction */
    expect_event(event_head(0x10, 1), event_flags(true, false, false, true, C_CD), VA, CD_AT);
    set_word(STE(1) + 8, (word(STE(1) + 8) & ~(15ull << 48)) | 2ull << 48 | 2ull << 50); /* user, data */
    forget_all();
    txn.privileged = txn.instruction = true;
    ck_assert_int_eq(device_access(&txn), TXN_FAULT);
    expect_event(event_head(0x10, 1), event_flags(false, false, true, true, C_CD), VA, CD_AT);
    stage2_map(bench.stage2_root, CD_AT, CD_AT, S2_RW);
    set_word(descriptor_of(bench.root, 25, 12, VA, 3), 0);
    forget_all();
    txn.addr = VA;
    txn.privileged = txn.instruction = true;
    ck_assert_int_eq(device_access(&txn), TXN_FAULT);
    expect_event(event_head(0x10, 1), event_flags(false, false, true, false, C_IN), VA, 0);
}
END_TEST

/* Aborts of stage 2's walks: S2 = 1, CLASS says for what; of stage 1's walks when nested: S2 = 0 (7.3.12). */
START_TEST(aborts_of_walks_when_nested)
{
    uint64_t level3, entry;

    bring_up();
    nested_stream();
    level3 = descriptor_of(bench.root, 25, 12, VA, 3);
    entry = stage2_descriptor(bench.stage2_root, 0x40000000);
    bench.hole_at = entry & ~15ull;
    expect_fault(1, VA, event_head(0x0B, 1), event_flags(false, false, true, true, C_IN), VA, entry);
    set_word(descriptor_of(bench.root, 25, 12, VA, 3), 0); /* stage 1's own fault comes before */
    expect_fault(1, VA, event_head(0x10, 1), event_flags(false, false, true, false, C_IN), VA, 0);
    bench.hole_at = level3 & ~15ull;
    expect_fault(1, VA, event_head(0x0B, 1), event_flags(false, false, true, false, C_TT), VA, level3);
    entry = stage2_descriptor(bench.stage2_root, bench.root);
    bench.hole_at = entry & ~15ull;
    expect_fault(1, VA, event_head(0x0B, 1), event_flags(false, false, true, true, C_TT), VA, entry);
    entry = stage2_descriptor(bench.stage2_root, CD_AT);
    bench.hole_at = entry & ~15ull;
    expect_fault(1, VA, event_head(0x0B, 1), event_flags(false, false, true, true, C_CD), VA, entry);
    set_word(STE(1) + 16, word(STE(1) + 16) & ~(1ull << 58)); /* S2R = 0: aborts are recorded all the same */
    expect_fault(1, VA, event_head(0x0B, 1), event_flags(false, false, true, true, C_CD), VA, entry);
    bench.hole_at = STE(1);
    expect_fault(1, VA, event_head(0x03, 1), 0, 0, STE(1));
}
END_TEST

/* Everything is wrong at once; repaired one by one, the faults come in the order of 7.3.22. */
START_TEST(order_of_checks)
{
    uint64_t level2, level3, value, s2_cd, s2_level3;
    struct txn substream = {.kind = TXN_READ,
                            .addr = VA,
                            .size = 8,
                            .data = (uint8_t *)&value,
                            .stream_id = 1,
                            .substream_id = 4,
                            .substream_valid = true};

    bring_up();
    wr32(R_CR0, EVENTQEN | CMDQEN);
    wr32(R_STRTAB_CFG, 0);
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    nested_stream();
    level2 = descriptor_of(bench.root, 25, 12, VA, 2);
    level3 = descriptor_of(bench.root, 25, 12, VA, 3);
    s2_cd = stage2_descriptor(bench.stage2_root, CD_AT);
    s2_level3 = stage2_descriptor(bench.stage2_root, level3);
    bench.hole_at = STE(1);
    set_word(STE(1), (word(STE(1)) & ~1ull) | 2ull << 59); /* V = 0; four CDs */
    set_word(CD(1), word(CD(1)) & ~(1ull << 31));          /* V = 0 */
    set_word(s2_cd, word(s2_cd) & ~(1ull << 10 | S2_R));   /* no AF, no permission */
    set_word(level2, word(level2) | 1ull << 47);           /* a table above IPS */
    set_word(CD(1), word(CD(1)) & ~(7ull << 32));
    set_word(level3, 1ull << 40 | LEAF_RO | 3); /* above IPS, no AF, no permission */
    set_word(stage2_descriptor(bench.stage2_root, 0x40000000), 1ull << 40 | 3);
    set_word(STE(1) + 16, word(STE(1) + 16) & ~(7ull << 48)); /* S2PS 32 bits */

    expect_fault(1, VA, event_head(0x02, 1), 0, 0, 0);
    wr32(R_CR0, EVENTQEN | CMDQEN);
    wr32(R_STRTAB_CFG, 6);
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    expect_fault(1, VA, event_head(0x03, 1), 0, 0, STE(1));
    bench.hole_at = CD(1);
    expect_fault(1, VA, event_head(0x04, 1), 0, 0, 0);
    set_word(STE(1), word(STE(1)) | 1);
    forget_all();
    ck_assert_int_eq(device_access(&substream), TXN_FAULT);
    expect_event(event_head(0x08, 1) | 4 << 12, 0, 0, 0);
    expect_fault(1, VA, event_head(0x06, 1), 0, 0, 0); /* S1DSS 0 */
    set_word(STE(1) + 8, word(STE(1) + 8) | 2);
    expect_fault(1, VA, event_head(0x12, 1), event_flags(false, false, true, true, C_CD), VA, CD_AT);
    set_word(s2_cd, word(s2_cd) | 1 << 10);
    expect_fault(1, VA, event_head(0x13, 1), event_flags(false, false, true, true, C_CD), VA, CD_AT);
    set_word(s2_cd, word(s2_cd) | S2_R);
    expect_fault(1, VA, event_head(0x09, 1), 0, 0, CD(1));
    bench.hole_at = level2 & ~15ull;
    expect_fault(1, VA, event_head(0x0A, 1), 0, 0, 0);
    set_word(CD(1), word(CD(1)) | 1ull << 31);
    expect_fault(1, 1ull << 39, event_head(0x10, 1), event_flags(false, false, true, false, C_IN), 1ull << 39, 0);
    expect_fault(1, VA, event_head(0x0B, 1), event_flags(false, false, true, false, C_TT), VA, level2);
    bench.hole_at = MEMORY_BYTES;
    expect_fault(1, VA, event_head(0x11, 1), event_flags(false, false, true, false, C_IN), VA, 0);
    set_word(level2, word(level2) & ~(1ull << 47));
    set_word(s2_level3, word(s2_level3) & ~(1ull << 10));
    expect_fault(1, VA, event_head(0x12, 1), event_flags(false, false, true, true, C_TT), VA, level3 & ~0xFFFull);
    set_word(s2_level3, word(s2_level3) | 1 << 10);
    expect_fault(1, VA, event_head(0x11, 1), event_flags(false, false, true, false, C_IN), VA, 0);
    set_word(level3, 0x40000000 | LEAF_RO | 3);
    expect_fault(1, VA, event_head(0x12, 1), event_flags(false, false, true, false, C_IN), VA, 0);
    set_word(level3, word(level3) | 1 << 10);
    expect_fault(1, VA, event_head(0x13, 1), event_flags(false, false, true, false, C_IN), VA, 0); /* user */
    set_word(level3, word(level3) | 1 << 6);
    expect_fault(1, VA, event_head(0x11, 1), event_flags(false, false, true, true, C_IN), VA, 0x40000000);
    set_word(stage2_descriptor(bench.stage2_root, 0x40000000), DATA_AT | 3);
    expect_fault(1, VA, event_head(0x12, 1), event_flags(false, false, true, true, C_IN), VA, 0x40000000);
    set_word(stage2_descriptor(bench.stage2_root, 0x40000000), DATA_AT | 1 << 10 | 3);
    expect_fault(1, VA, event_head(0x13, 1), event_flags(false, false, true, true, C_IN), VA, 0x40000000);
    stage2_map(bench.stage2_root, 0x40000000, DATA_AT, S2_R);
    forget_all();
    expect_works(1, VA, DATA_AT);
    forget_all();
    ck_assert_int_eq(device_read(1, VA, &value), TXN_OK);
    expect_nothing();
}
END_TEST

START_TEST(nested_invalidation)
{
    bring_up();
    nested_stream();
    expect_works(1, VA, DATA_AT);
    stage2_map(bench.stage2_root, 0x40000000, DATA_AT + 0x1000, 3 << 6);
    command(0x2A | 5ull << 32, 0x40000000); /* TLBI_S2_IPA: the combined entry may stay, and does */
    expect_works(1, VA, DATA_AT);
    command(0x12 | 5ull << 32 | 7ull << 48, VA); /* then it goes, and stage 2 is walked again */
    expect_works(1, VA, DATA_AT + 0x1000);
    stage2_map(bench.stage2_root, 0x40000000, DATA_AT + 0x2000, 3 << 6);
    command(0x12 | 5ull << 32 | 7ull << 48, VA); /* without TLBI_S2_IPA the old stage 2 entry serves */
    expect_works(1, VA, DATA_AT + 0x1000);
    command(0x28 | 5ull << 32, 0);
    expect_works(1, VA, DATA_AT + 0x2000);
}
END_TEST

void test_smmu_stage2(struct unit_registry *registry)
{
    unit_suite(registry, "SmmuStage2", smmu_bench_reset, smmu_bench_stop);
    unit_test(registry, stage2_only);
    unit_test(registry, nested);
    unit_test(registry, stage2_input_above_the_output_size);
    unit_test(registry, stage2_permission_table);
    unit_test(registry, attributes);
    unit_test(registry, overrides_of_attributes);
    unit_test(registry, own_accesses_through_stage2);
    unit_test(registry, overrides_in_records);
    unit_test(registry, aborts_of_walks_when_nested);
    unit_test(registry, order_of_checks);
    unit_test(registry, nested_invalidation);
}
