/* Which streams there are and what they do: stream tables, STEs, substreams, CDs (IHI 0070 3.3, 5). */
#include "tests/support/smmu_expect.h"
#include "tests/unit.h"

START_TEST(disabled_bypasses_or_aborts)
{
    uint64_t value;

    smmu_bench_start();
    expect_works(1, DATA_AT, DATA_AT);
    ck_assert_int_eq(device_read(1, 1ull << 48, &value), TXN_FAULT); /* beyond OAS */
    wr32(R_GBPA, 0x80100000);
    ck_assert_int_eq(device_read(1, DATA_AT, &value), TXN_FAULT);
    expect_nothing();
}
END_TEST

START_TEST(stream_kinds)
{
    uint64_t value;

    bring_up();
    expect_fault(1, VA, event_head(0x04, 1), 0, 0, 0); /* V = 0 */
    set_word(STE(1), 1);                               /* abort, silently */
    forget_all();
    ck_assert_int_eq(device_read(1, VA, &value), TXN_FAULT);
    expect_nothing();
    set_word(STE(1), 1 | 4 << 1); /* bypass */
    forget_all();
    expect_works(1, DATA_AT, DATA_AT);
    ck_assert_int_eq(device_read(1, 1ull << 50, &value), TXN_FAULT);
    expect_event(event_head(0x11, 1), event_flags(false, false, true, false, C_IN), 1ull << 50, 0);
    page_stream(1);
    forget_all();
    expect_works(1, VA + 8, DATA_AT + 8);
}
END_TEST

START_TEST(stream_ids)
{
    uint64_t value;

    bring_up();
    expect_fault(64, VA, event_head(0x02, 64), 0, 0, 0);
    expect_fault(0xFFFFFFFF, VA, event_head(0x02, 0xFFFFFFFF), 0, 0, 0);
    wr32(R_CR0, EVENTQEN | CMDQEN);
    wr32(R_CR2, 0); /* RECINVSID off: not recorded */
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    ck_assert_int_eq(device_read(64, VA, &value), TXN_FAULT);
    expect_nothing();
}
END_TEST

/* LOG2SIZE counts as SIDSIZE at most (6.3.25): for the range, and for the table's alignment. */
START_TEST(stream_table_larger_than_sidsize)
{
    bench.config.sid_bits = 7;
    bring_up();
    wr32(R_CR0, EVENTQEN | CMDQEN);
    wr64(R_STRTAB_BASE, TABLES_AT + 0x2000); /* aligned to 128 STEs */
    wr32(R_STRTAB_CFG, 20);
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    set_word(TABLES_AT + 0x2000 + 64 * 127, 1 | 4 << 1);
    expect_works(127, DATA_AT, DATA_AT);
    expect_fault(128, VA, event_head(0x02, 128), 0, 0, 0);
}
END_TEST

/* Low bits of the base are ignored. */
START_TEST(stream_table_alignment)
{
    bring_up();
    wr32(R_CR0, EVENTQEN | CMDQEN);
    wr64(R_STRTAB_BASE, STRTAB_AT + 0x40); /* 64 STEs are 4 KB */
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    set_word(STE(1), 1 | 4 << 1);
    expect_works(1, DATA_AT, DATA_AT);
}
END_TEST

/* Reserved SPLITs behave as 6, reserved FMTs as linear. */
START_TEST(reserved_formats)
{
    uint64_t level1 = TABLES_AT + 0x10000, level2 = TABLES_AT + 0x20000;

    bring_up();
    set_word(STE(5), 1 | 4 << 1);
    set_word(level1 + 8, level2 | 7);
    set_word(level2 + 64 * 5, 1 | 4 << 1);
    for (unsigned split = 0; split < 32; split++)
        if (split != 6 && split != 8 && split != 10) {
            wr32(R_CR0, EVENTQEN | CMDQEN);
            wr64(R_STRTAB_BASE, level1);
            wr32(R_STRTAB_CFG, 12 | split << 6 | 1 << 16);
            wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
            forget_all();
            expect_works(64 + 5, DATA_AT, DATA_AT);
        }
    for (unsigned format = 2; format < 4; format++) {
        wr32(R_CR0, EVENTQEN | CMDQEN);
        wr64(R_STRTAB_BASE, STRTAB_AT);
        wr32(R_STRTAB_CFG, 6 | 6 << 6 | format << 16);
        wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
        forget_all();
        expect_works(5, DATA_AT, DATA_AT);
    }
}
END_TEST

START_TEST(two_level_stream_tables)
{
    static const unsigned splits[] = {6, 8, 10};

    for (unsigned i = 0; i < 3; i++) {
        unsigned split = splits[i];
        uint32_t sid = (3u << split) | 5;
        uint64_t level1 = TABLES_AT + 0x10000, level2 = TABLES_AT + 0x20000;
        bring_up();
        wr32(R_CR0, EVENTQEN | CMDQEN);
        wr64(R_STRTAB_BASE, level1);
        wr32(R_STRTAB_CFG, 12 | split << 6 | 1 << 16);
        wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
        bench.next_table = TABLES_AT + 0x40000;
        expect_fault(sid, VA, event_head(0x02, sid), 0, 0, 0); /* Span 0 */
        set_word(level1 + 8 * 3, level2 | 3);                  /* four STEs */
        expect_fault(sid, VA, event_head(0x02, sid), 0, 0, 0); /* the fifth is not among them */
        set_word(level1 + 8 * 3, level2 | (split + 2));
        expect_fault(sid, VA, event_head(0x02, sid), 0, 0, 0); /* Span beyond the split */
        set_word(level1 + 8 * 3, level2 | 4);
        expect_fault(sid, VA, event_head(0x04, sid), 0, 0, 0);
        set_word(level2 + 64 * 5, 1 | 4 << 1);
        forget_all();
        expect_works(sid, DATA_AT, DATA_AT);
        set_word(level1 + 8 * 3, (uint64_t)MEMORY_BYTES | 4);
        expect_fault(sid, VA, event_head(0x03, sid), 0, 0, (uint64_t)MEMORY_BYTES + 64 * 5);
        expect_fault(1u << 12, VA, event_head(0x02, 1u << 12), 0, 0, 0);
        smmu_bench_stop();
        smmu_bench_reset();
    }
    smmu_bench_start();
}
END_TEST

/* Stage 2: T0SZ, SL0, TG, PS, AA64; the base is DATA_AT, where all descriptors are invalid. */
#define S2(t0sz, sl0, tg, ps)                                                                                    \
    ((uint64_t)(t0sz) << 32 | (uint64_t)(sl0) << 38 | (uint64_t)(tg) << 46 | (uint64_t)(ps) << 48 | 1ull << 51 | \
     1ull << 58)

/* The event of a read with this STE; 0: none. */
static unsigned event_of_ste(uint64_t word0, uint64_t word1, uint64_t word2, uint64_t word3)
{
    uint64_t value, record[4];

    set_word(STE(1), 1 | word0);
    set_word(STE(1) + 8, word1);
    set_word(STE(1) + 16, word2);
    set_word(STE(1) + 24, word3);
    forget_all();
    if (device_read(1, VA, &value) != TXN_FAULT) /* a DECERR behind the SMMU is none of its events */
        return 0;
    ck_assert(next_event(record));
    return (unsigned)record[0] & 0xFF;
}

START_TEST(illegal_stream_table_entries)
{
    const uint64_t cd = CD(1), ttb = DATA_AT;
    const struct {
        const char *what;
        uint64_t word0, word1, word2, word3;
        unsigned event;
    } rows[] = {
        {"legal stage 1", 5 << 1 | cd, 0, 0, 0, 0},
        {"S1Fmt counts only with substreams", 5 << 1 | 1 << 4 | cd, 0, 0, 0, 0},
        {"S1Fmt 3 behaves as 0", 5 << 1 | 3 << 4 | 4ull << 59 | cd, 2, 0, 0, 0},
        {"S1DSS counts only with substreams", 5 << 1 | cd, 3, 0, 0, 0},
        {"S1DSS 3 behaves as 0", 5 << 1 | 4ull << 59 | cd, 3, 0, 0, 0x06},
        {"S1CDMax is SSIDSIZE", 5 << 1 | 8ull << 59 | cd, 2, 0, 0, 0},
        {"S1CDMax above SSIDSIZE", 5 << 1 | 9ull << 59 | cd, 2, 0, 0, 0x04},
        {"S1STALLD", 5 << 1 | cd, 1ull << 27, 0, 0, 0x04},
        {"STRW 1", 5 << 1 | cd, 1ull << 30, 0, 0, 0x04},
        {"STRW 3", 5 << 1 | cd, 3ull << 30, 0, 0, 0x04},
        {"S1ContextPtr above OAS", 5 << 1 | 1ull << 48 | cd, 0, 0, 0, 0x04},
        {"stage 2 fields are ignored", 5 << 1 | cd, 0, 3ull << 46 | 3ull << 55, UINT64_MAX, 0},
        {"stage 1 fields are ignored", 4 << 1 | 31ull << 59 | 3 << 4, 3 | 1ull << 27 | 3ull << 30, 0, 0, 0},
        {"bypass ignores all", 4 << 1, 0, UINT64_MAX, UINT64_MAX, 0},
        {"legal stage 2", 6 << 1, 0, S2(24, 1, 0, 5), ttb, 0x10},
        {"STRW is ignored with stage 2", 6 << 1, 3ull << 30, S2(24, 1, 0, 5), ttb, 0x10},
        {"and when nested", 7 << 1 | cd, 2ull << 30, S2(24, 1, 0, 5), ttb, 0x10},
        {"S2AA64 0", 6 << 1, 0, S2(24, 1, 0, 5) & ~(1ull << 51), ttb, 0x04},
        {"S2TG 3", 6 << 1, 0, S2(24, 1, 3, 5), ttb, 0x04},
        {"S2HD", 6 << 1, 0, S2(24, 1, 0, 5) | 1ull << 55, ttb, 0x04},
        {"S2HA", 6 << 1, 0, S2(24, 1, 0, 5) | 1ull << 56, ttb, 0x04},
        {"S2S", 6 << 1, 0, S2(24, 1, 0, 5) | 1ull << 57, ttb, 0x04},
        {"S2TTB above S2PS", 6 << 1, 0, S2(24, 1, 0, 1), 1ull << 36, 0x04},
        {"S2TTB above OAS", 6 << 1, 0, S2(24, 1, 0, 5), 1ull << 48, 0x04},
        {"S2TTB just fits", 6 << 1, 0, S2(24, 1, 0, 1), 1ull << 35, 0x0B},
        {"S2PS above OAS is OAS", 6 << 1, 0, S2(24, 1, 0, 7), ttb, 0x10},
    };

    bring_up();
    page_stream(1);
    map_at(bench.root, 25, 12, VA, DATA_AT, 3, LEAF_RW);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        unsigned event = event_of_ste(rows[i].word0, rows[i].word1, rows[i].word2, rows[i].word3);
        ck_assert_msg(event == rows[i].event, "%s: 0x%x", rows[i].what, event);
    }
}
END_TEST

/* Which T0SZ goes with which start level (DDI 0487 D8.2): the region needs more than one entry's worth, and at most 16
 * concatenated tables; 64 - T0SZ is at most OAS. */
START_TEST(stage2_sizes)
{
    static const struct {
        unsigned tg, sl0, first, last; /* legal T0SZ; first > last: none */
    } rows[] = {
        {0, 2, 16, 24}, {0, 1, 21, 33}, {0, 0, 30, 39}, {0, 3, 1, 0},   {2, 2, 16, 27}, {2, 1, 24, 38},
        {2, 0, 35, 39}, {2, 3, 1, 0},   {1, 2, 16, 21}, {1, 1, 18, 34}, {1, 0, 31, 39}, {1, 3, 1, 0},
    };

    bring_up();
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (unsigned t0sz = 0; t0sz < 64; t0sz++) {
            bool legal = rows[i].first <= t0sz && t0sz <= rows[i].last;
            unsigned event = event_of_ste(6 << 1, 0, S2(t0sz, rows[i].sl0, rows[i].tg, 5), DATA_AT);
            ck_assert_msg(event == (legal ? 0x10 : 0x04), "TG %u SL0 %u T0SZ %u: 0x%x", rows[i].tg, rows[i].sl0, t0sz,
                          event);
        }
}
END_TEST

START_TEST(stage2_sizes_with_little_memory)
{
    bench.config.translator.output_bits = 40;
    bring_up();
    ck_assert_uint_eq(event_of_ste(6 << 1, 0, S2(24, 1, 0, 5), DATA_AT), 0x10);
    ck_assert_uint_eq(event_of_ste(6 << 1, 0, S2(23, 1, 0, 5), DATA_AT), 0x04); /* 41 bits */
    ck_assert_uint_eq(event_of_ste(6 << 1, 0, S2(24, 2, 0, 5), DATA_AT), 0x04); /* level 0 is for 44 bits and more */
    ck_assert_uint_eq(event_of_ste(6 << 1, 0, S2(27, 2, 2, 5), DATA_AT), 0x04); /* level 1 of 16 KB: 42 */
    ck_assert_uint_eq(event_of_ste(6 << 1, 0, S2(24, 1, 1, 5), DATA_AT), 0x10);
}
END_TEST

START_TEST(without_substreams)
{
    bench.config.ssid_bits = 0;
    bring_up();
    page_stream(1);
    ck_assert_uint_eq(event_of_ste(5 << 1 | 2 << 4 | 31ull << 59 | CD(1), 0, 0, 0), 0); /* S1CDMax is ignored */
}
END_TEST

START_TEST(illegal_context_descriptors)
{
    static const struct {
        const char *what;
        unsigned word;
        uint64_t clear, set;
        unsigned event;
    } rows[] = {
        {"legal", 0, 0, 0, 0},
        {"V", 0, 1ull << 31, 0, 0x0A},
        {"AA64", 0, 1ull << 41, 0, 0x0A},
        {"S", 0, 0, 1ull << 44, 0x0A},
        {"HD", 0, 0, 1ull << 42, 0x0A},
        {"HA", 0, 0, 1ull << 43, 0x0A},
        {"A may be 0", 0, 1ull << 46, 0, 0},
        {"T0SZ 15", 0, 0x3F, 15, 0x0A},
        {"T0SZ 40", 0, 0x3F, 40, 0x0A},
        {"TG0 3", 0, 0, 3 << 6, 0x0A},
        {"TTB1 on with TG1 0", 0, 1ull << 30, 25 << 16, 0x0A},
        {"TTB1 on with T1SZ 15", 0, 1ull << 30, 2 << 22 | 15 << 16, 0x0A},
        {"TTB1 on with T1SZ 40", 0, 1ull << 30, 2 << 22 | 40 << 16, 0x0A},
        {"TTB1 on", 0, 1ull << 30, 2 << 22 | 39 << 16, 0},
        {"T1SZ means nothing with EPD1", 0, 0, 3 << 16, 0},
        {"T0SZ means nothing with EPD0", 0, 0x3F, 1 << 14, 0x10},
        {"TG0 means nothing with EPD0", 0, 0, 3 << 6 | 1 << 14, 0x10},
        {"TTB0 above OAS", 1, 0, 1ull << 48, 0x0A},
        {"TTB1 means nothing with EPD1", 2, 0, 1ull << 48, 0},
        {"IPS 7 is the largest", 0, 0, 7ull << 32, 0},
    };
    uint64_t value;

    bring_up();
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t record[4] = {0};
        page_stream(1);
        set_word(CD(1) + 8 * rows[i].word, (word(CD(1) + 8 * rows[i].word) & ~rows[i].clear) | rows[i].set);
        forget_all();
        if (device_read(1, VA, &value) != TXN_OK)
            ck_assert(next_event(record));
        ck_assert_msg(record[0] == (rows[i].event ? event_head(rows[i].event, 1) : 0), "%s: %lx", rows[i].what,
                      record[0]);
    }
    page_stream(1);
    set_word(CD(1), (word(CD(1)) & ~(7ull << 32)) | 1ull << 32); /* IPS 36 bits */
    set_word(CD(1) + 8, 1ull << 36);
    expect_fault(1, VA, event_head(0x0A, 1), 0, 0, 0);
    set_word(CD(1), word(CD(1)) & ~(1ull << 31)); /* V = 0 comes before everything else */
    expect_fault(1, VA, event_head(0x0A, 1), 0, 0, 0);
    set_stage1_stream(1, MEMORY_BYTES);
    expect_fault(1, VA, event_head(0x09, 1), 0, 0, MEMORY_BYTES);
}
END_TEST

static enum txn_status substream_read(uint32_t sid, uint32_t ssid, bool valid)
{
    uint64_t value;
    struct txn txn = {.kind = TXN_READ,
                      .addr = VA,
                      .size = 8,
                      .data = (uint8_t *)&value,
                      .stream_id = sid,
                      .substream_id = ssid,
                      .substream_valid = valid};

    forget_all();
    return device_access(&txn);
}

static uint64_t head_with_substream(unsigned type, uint32_t sid, uint32_t ssid)
{
    return event_head(type, sid) | (type == 0x08 ? 0 : 1 << 11) |
           (uint64_t)ssid << 12; /* no SSV where it is always valid */
}

START_TEST(substreams)
{
    uint64_t cds = TABLES_AT + 0x8000;

    bring_up();
    page_stream(1);
    ck_assert_int_eq(substream_read(1, 1, true), TXN_FAULT); /* S1CDMax = 0 */
    expect_event(head_with_substream(0x08, 1, 1), 0, 0, 0);
    bench.next_table = TABLES_AT + 0x40000;
    bench.root = new_table(12);
    map_at(bench.root, 25, 12, VA, DATA_AT, 3, LEAF_RW);
    set_word(STE(1), 1 | 5 << 1 | cds | 2ull << 59); /* four CDs */
    set_cd(cds + 64 * 3, bench.root, 25, 12, 3);
    ck_assert_int_eq(substream_read(1, 3, true), TXN_OK);
    ck_assert_int_eq(substream_read(1, 4, true), TXN_FAULT);
    expect_event(head_with_substream(0x08, 1, 4), 0, 0, 0);
    ck_assert_int_eq(substream_read(1, 2, true), TXN_FAULT); /* its CD is not valid */
    expect_event(head_with_substream(0x0A, 1, 2), 0, 0, 0);
    ck_assert_int_eq(substream_read(1, 0, false), TXN_FAULT); /* S1DSS 0 */
    expect_event(event_head(0x06, 1), 0, 0, 0);
    set_word(STE(1) + 8, word(STE(1) + 8) | 2); /* S1DSS 2: CD 0 */
    set_cd(cds, bench.root, 25, 12, 4);
    ck_assert_int_eq(substream_read(1, 0, false), TXN_OK);
    ck_assert_int_eq(substream_read(1, 0, true), TXN_FAULT); /* substream 0 is then taken */
    expect_event(event_head(0x06, 1), 0, 0, 0);
    set_word(STE(1) + 8, word(STE(1) + 8) | 3); /* S1DSS 3 behaves as 0 */
    ck_assert_int_eq(substream_read(1, 0, false), TXN_FAULT);
    expect_event(event_head(0x06, 1), 0, 0, 0);
    ck_assert_int_eq(substream_read(1, 3, true), TXN_OK);
    set_word(STE(1) + 8, (word(STE(1) + 8) & ~3ull) | 1); /* S1DSS 1: bypass */
    forget_all();
    expect_works(1, DATA_AT + 0x40, DATA_AT + 0x40);
    expect_fault(1, 1ull << 48, event_head(0x11, 1), event_flags(false, false, true, false, C_IN), 1ull << 48, 0);
    ck_assert_int_eq(substream_read(1, 3, true), TXN_OK);
}
END_TEST

/* A SubstreamID needs stage 1, whatever else the stream does. */
START_TEST(substreams_without_stage1)
{
    bring_up();
    set_word(STE(1), 1); /* abort: silent */
    ck_assert_int_eq(substream_read(1, 1, true), TXN_FAULT);
    expect_nothing();
    set_word(STE(1), 1 | 4 << 1);
    ck_assert_int_eq(substream_read(1, 1, true), TXN_FAULT);
    expect_event(event_head(0x08, 1) | 1 << 12, 0, 0, 0);
    set_stage2_stream(1, false);
    ck_assert_int_eq(substream_read(1, 0, true), TXN_FAULT);
    expect_event(event_head(0x08, 1), 0, 0, 0);
    page_stream(2); /* S1CDMax = 0 */
    ck_assert_int_eq(substream_read(2, 0, true), TXN_FAULT);
    expect_event(event_head(0x08, 2), 0, 0, 0);
}
END_TEST

START_TEST(two_level_context_descriptors)
{
    for (unsigned format = 1; format <= 2; format++) {
        uint64_t level1 = TABLES_AT + 0x8000, level2 = TABLES_AT + 0x20000;
        uint32_t leaf = format == 1 ? 64 : 1024, ssid = format == 1 ? leaf + 2 : 2;
        bench.config.ssid_bits = 12;
        bring_up();
        bench.next_table = TABLES_AT + 0x40000;
        page_stream(1);
        set_word(STE(1), 1 | 5 << 1 | (uint64_t)format << 4 | level1 | 12ull << 59);
        ck_assert_int_eq(substream_read(1, ssid, true), TXN_FAULT);
        expect_event(head_with_substream(0x08, 1, ssid), 0, 0, 0);
        set_word(level1 + 8 * (ssid / leaf), level2 | 1ull << 48 | 1); /* a CD above OAS */
        ck_assert_int_eq(substream_read(1, ssid, true), TXN_FAULT);
        expect_event(head_with_substream(0x08, 1, ssid), 0, 0, 0);
        bench.hole_at = level2 + 64 * (ssid % leaf);
        set_word(level1 + 8 * (ssid / leaf), level2 | 1);
        ck_assert_int_eq(substream_read(1, ssid, true), TXN_FAULT);
        expect_event(head_with_substream(0x09, 1, ssid), 0, 0, bench.hole_at);
        bench.hole_at = level1 + 8 * (ssid / leaf) / 16 * 16;
        ck_assert_int_eq(substream_read(1, ssid, true), TXN_FAULT);
        expect_event(head_with_substream(0x09, 1, ssid), 0, 0, level1 + 8 * (ssid / leaf));
        bench.hole_at = MEMORY_BYTES;
        set_cd(level2 + 64 * (ssid % leaf), bench.root, 25, 12, 3);
        ck_assert_int_eq(substream_read(1, ssid, true), TXN_OK);
        smmu_bench_stop();
        smmu_bench_reset();
    }
    smmu_bench_start();
}
END_TEST

void test_smmu_structures(struct unit_registry *registry)
{
    unit_suite(registry, "SmmuStructures", smmu_bench_reset, smmu_bench_stop);
    unit_test(registry, disabled_bypasses_or_aborts);
    unit_test(registry, stream_kinds);
    unit_test(registry, stream_ids);
    unit_test(registry, stream_table_larger_than_sidsize);
    unit_test(registry, stream_table_alignment);
    unit_test(registry, reserved_formats);
    unit_test(registry, two_level_stream_tables);
    unit_test(registry, illegal_stream_table_entries);
    unit_test(registry, stage2_sizes);
    unit_test(registry, stage2_sizes_with_little_memory);
    unit_test(registry, without_substreams);
    unit_test(registry, illegal_context_descriptors);
    unit_test(registry, substreams);
    unit_test(registry, substreams_without_stage1);
    unit_test(registry, two_level_context_descriptors);
}
