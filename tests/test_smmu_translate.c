/* Translation without a guest: streams, walks, faults and their event records (IHI 0070 3.3, 5, 7.3). */
#include <string.h>

#include "common/units.h"
#include "tests/support/smmu_bench.h"
#include "tests/unit.h"

enum { C_CD = 0, C_TT = 1, C_IN = 2 };
#define STE(sid) (STRTAB_AT + 64ull * (sid))
#define CD(sid)  (CD_AT + 64ull * (sid))
#define VA       0x12345000ull
#define VALUE    0x1122334455667788ull

static uint64_t root;

static void page_stream(uint32_t sid)
{
    root = new_table(12);
    set_stage1_stream(sid, CD(sid));
    set_cd(CD(sid), root, 25, 12, 7);
    map_at(root, 25, 12, VA, DATA_AT, 3, LEAF_RW);
}

static void forget(void)
{
    command(0x04, 31);
    command(0x30, 0);
}

/* The one event there is, whole. */
static void expect_event(uint64_t word0, uint64_t word1, uint64_t word2, uint64_t word3)
{
    uint64_t record[4];

    ck_assert_msg(next_event(record), "no event");
    ck_assert_msg(record[0] == word0 && record[1] == word1 && record[2] == word2 && record[3] == word3,
                  "event %lx %lx %lx %lx", record[0], record[1], record[2], record[3]);
    ck_assert_msg(!next_event(record), "a second event %lx", record[0]);
}

static void expect_nothing(void)
{
    uint64_t record[4];

    ck_assert_msg(!next_event(record), "event %lx", record[0]);
}

/* Word 0 and word 1 of a record. */
static uint64_t head(unsigned type, uint32_t sid)
{
    return type | (uint64_t)sid << 32;
}
static uint64_t flags(bool privileged, bool instruction, bool read, bool stage2, unsigned class)
{
    return (uint64_t)privileged << 33 | (uint64_t)instruction << 34 | (uint64_t)read << 35 | (uint64_t)stage2 << 39 |
           (uint64_t) class << 40;
}

static void faults(uint32_t sid, uint64_t va, uint64_t word0, uint64_t word1, uint64_t word2, uint64_t word3)
{
    uint64_t value;

    forget();
    ck_assert_int_eq(device_read(sid, va, &value), TXN_FAULT);
    expect_event(word0, word1, word2, word3);
}

static void works(uint32_t sid, uint64_t va, uint64_t pa)
{
    uint64_t value = 0;

    set_word(pa, VALUE + pa);
    ck_assert_int_eq(device_read(sid, va, &value), TXN_OK);
    ck_assert_uint_eq(value, VALUE + pa);
}

START_TEST(disabled_bypasses_or_aborts)
{
    uint64_t value;

    smmu_bench_start();
    works(1, DATA_AT, DATA_AT);
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
    faults(1, VA, head(0x04, 1), 0, 0, 0); /* V = 0 */
    set_word(STE(1), 1);                   /* abort, silently */
    forget();
    ck_assert_int_eq(device_read(1, VA, &value), TXN_FAULT);
    expect_nothing();
    set_word(STE(1), 1 | 4 << 1); /* bypass */
    forget();
    works(1, DATA_AT, DATA_AT);
    ck_assert_int_eq(device_read(1, 1ull << 50, &value), TXN_FAULT);
    expect_event(head(0x11, 1), flags(false, false, true, false, C_IN), 1ull << 50, 0);
    page_stream(1);
    forget();
    works(1, VA + 8, DATA_AT + 8);
}
END_TEST

START_TEST(stream_ids)
{
    uint64_t value;

    bring_up();
    faults(64, VA, head(0x02, 64), 0, 0, 0);
    faults(0xFFFFFFFF, VA, head(0x02, 0xFFFFFFFF), 0, 0, 0);
    wr32(R_CR0, EVENTQEN | CMDQEN);
    wr32(R_CR2, 0); /* RECINVSID off: not recorded */
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    ck_assert_int_eq(device_read(64, VA, &value), TXN_FAULT);
    expect_nothing();
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
        faults(sid, VA, head(0x02, sid), 0, 0, 0); /* Span 0 */
        set_word(level1 + 8 * 3, level2 | 3);      /* four STEs */
        faults(sid, VA, head(0x02, sid), 0, 0, 0); /* the fifth is not among them */
        set_word(level1 + 8 * 3, level2 | (split + 2));
        faults(sid, VA, head(0x02, sid), 0, 0, 0); /* Span beyond the split */
        set_word(level1 + 8 * 3, level2 | 4);
        faults(sid, VA, head(0x04, sid), 0, 0, 0);
        set_word(level2 + 64 * 5, 1 | 4 << 1);
        forget();
        works(sid, DATA_AT, DATA_AT);
        set_word(level1 + 8 * 3, (uint64_t)MEMORY_BYTES | 4);
        faults(sid, VA, head(0x03, sid), 0, 0, (uint64_t)MEMORY_BYTES + 64 * 5);
        faults(1u << 12, VA, head(0x02, 1u << 12), 0, 0, 0);
        smmu_bench_stop();
        smmu_bench_reset();
    }
    smmu_bench_start();
}
END_TEST

START_TEST(illegal_stream_table_entries)
{
    static const struct {
        uint64_t word0, word1, word2, word3;
    } rows[] = {
        {5 << 1 | 3 << 4, 0, 0, 0},                                                      /* S1Fmt 3 */
        {5 << 1, 1ull << 30, 0, 0},                                                      /* STRW 01 */
        {5 << 1, 3ull << 30, 0, 0},                                                      /* STRW 11 */
        {7 << 1, 2ull << 30, 0, 0},                                                      /* EL2 with stage 2 */
        {5 << 1 | 9ull << 59, 0, 0, 0},                                                  /* S1CDMax above SSIDSIZE */
        {5 << 1 | 4ull << 59, 3, 0, 0},                                                  /* S1DSS 3 */
        {6 << 1, 0, 24ull << 32 | 1ull << 38 | 5ull << 48, 0},                           /* S2AA64 = 0 */
        {6 << 1, 0, 15ull << 32 | 2ull << 38 | 5ull << 48 | 1ull << 51, 0},              /* S2T0SZ 15 */
        {6 << 1, 0, 40ull << 32 | 0ull << 38 | 5ull << 48 | 1ull << 51, 0},              /* S2T0SZ 40 */
        {6 << 1, 0, 24ull << 32 | 3ull << 38 | 5ull << 48 | 1ull << 51, 0},              /* S2SL0 3 */
        {6 << 1, 0, 24ull << 32 | 0ull << 38 | 5ull << 48 | 1ull << 51, 0},              /* too large for level 2 */
        {6 << 1, 0, 34ull << 32 | 1ull << 38 | 5ull << 48 | 1ull << 51, 0},              /* too small for level 1 */
        {6 << 1, 0, 24ull << 32 | 1ull << 38 | 3ull << 46 | 5ull << 48 | 1ull << 51, 0}, /* S2TG 3 */
        {6 << 1, 0, 24ull << 32 | 1ull << 38 | 1ull << 51, 1ull << 32},                  /* S2TTB above S2PS */
        {6 << 1, 0, 24ull << 32 | 1ull << 38 | 5ull << 48 | 1ull << 51 | 1ull << 57, 0}, /* S2S: no stalls */
    };

    bring_up();
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t value, record[4];
        set_word(STE(1), 1 | rows[i].word0 | CD(1));
        set_word(STE(1) + 8, rows[i].word1);
        set_word(STE(1) + 16, rows[i].word2);
        set_word(STE(1) + 24, rows[i].word3);
        forget();
        ck_assert_int_eq(device_read(1, VA, &value), TXN_FAULT);
        ck_assert_msg(next_event(record) && record[0] == head(0x04, 1), "row %u: %lx", i, record[0]);
    }
}
END_TEST

START_TEST(illegal_context_descriptors)
{
    static const struct {
        unsigned word;
        uint64_t clear, set;
    } rows[] = {
        {0, 1ull << 31, 0},           /* V */
        {0, 1ull << 41, 0},           /* AA64 */
        {0, 0, 1ull << 44},           /* S: terminate only */
        {0, 0x3F, 15},                /* T0SZ */
        {0, 0x3F, 40},                /* T0SZ */
        {0, 0, 3 << 6},               /* TG0 */
        {0, 1ull << 30, 25ull << 16}, /* TTB1 on with TG1 = 0 */
        {1, 0, 1ull << 48},           /* TTB0 above IPS */
    };
    uint64_t value;

    bring_up();
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t record[4];
        page_stream(1);
        set_word(CD(1) + 8 * rows[i].word, (word(CD(1) + 8 * rows[i].word) & ~rows[i].clear) | rows[i].set);
        forget();
        ck_assert_int_eq(device_read(1, VA, &value), TXN_FAULT);
        ck_assert_msg(next_event(record) && record[0] == head(0x0A, 1), "row %u: %lx", i, record[0]);
    }
    set_stage1_stream(1, MEMORY_BYTES);
    faults(1, VA, head(0x09, 1), 0, 0, MEMORY_BYTES);
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

    forget();
    return device_access(&txn);
}

static uint64_t head_with_substream(unsigned type, uint32_t sid, uint32_t ssid)
{
    return head(type, sid) | 1 << 11 | (uint64_t)ssid << 12;
}

START_TEST(substreams)
{
    uint64_t cds = TABLES_AT + 0x8000;

    bring_up();
    page_stream(1);
    ck_assert_int_eq(substream_read(1, 1, true), TXN_FAULT); /* S1CDMax = 0 */
    expect_event(head_with_substream(0x08, 1, 1), 0, 0, 0);
    bench.next_table = TABLES_AT + 0x40000;
    root = new_table(12);
    map_at(root, 25, 12, VA, DATA_AT, 3, LEAF_RW);
    set_word(STE(1), 1 | 5 << 1 | cds | 2ull << 59); /* four CDs */
    set_cd(cds + 64 * 3, root, 25, 12, 3);
    ck_assert_int_eq(substream_read(1, 3, true), TXN_OK);
    ck_assert_int_eq(substream_read(1, 4, true), TXN_FAULT);
    expect_event(head_with_substream(0x08, 1, 4), 0, 0, 0);
    ck_assert_int_eq(substream_read(1, 2, true), TXN_FAULT); /* its CD is not valid */
    expect_event(head_with_substream(0x0A, 1, 2), 0, 0, 0);
    ck_assert_int_eq(substream_read(1, 0, false), TXN_FAULT); /* S1DSS 0 */
    expect_event(head(0x06, 1), 0, 0, 0);
    set_word(STE(1) + 8, word(STE(1) + 8) | 2); /* S1DSS 2: CD 0 */
    set_cd(cds, root, 25, 12, 4);
    ck_assert_int_eq(substream_read(1, 0, false), TXN_OK);
    ck_assert_int_eq(substream_read(1, 0, true), TXN_FAULT); /* substream 0 is then taken */
    expect_event(head(0x06, 1), 0, 0, 0);
    set_word(STE(1) + 8, (word(STE(1) + 8) & ~3ull) | 1); /* S1DSS 1: bypass */
    forget();
    works(1, DATA_AT + 0x40, DATA_AT + 0x40);
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
        set_word(level1 + 8 * (ssid / leaf), level2 | 1);
        set_cd(level2 + 64 * (ssid % leaf), root, 25, 12, 3);
        ck_assert_int_eq(substream_read(1, ssid, true), TXN_OK);
        smmu_bench_stop();
        smmu_bench_reset();
    }
    smmu_bench_start();
}
END_TEST

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
        root = new_table(rows[i].granule);
        set_stage1_stream(1, CD(1));
        set_cd(CD(1), root, rows[i].tsz, rows[i].granule, 7);
        map_at(root, rows[i].tsz, rows[i].granule, va, pa, rows[i].level, LEAF_RW);
        offset &= 0x7FF8; /* inside the bench's memory, and not on the tables */
        if (shift >= 23)
            offset |= DATA_AT;
        works(1, block + offset, pa + offset);
        faults(1, block + (1ull << shift) == 1ull << (64 - rows[i].tsz) ? 0 : block + (1ull << shift), head(0x10, 1),
               flags(false, false, true, false, C_IN),
               block + (1ull << shift) == 1ull << (64 - rows[i].tsz) ? 0 : block + (1ull << shift), 0);
        faults(1, 1ull << (64 - rows[i].tsz), head(0x10, 1), flags(false, false, true, false, C_IN),
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
    faults(1, upper, head(0x10, 1), flags(false, false, true, false, C_IN), upper, 0); /* EPD1 */
    set_word(CD(1), (word(CD(1)) & ~(1ull << 30)) | 25 << 16 | 2 << 22 | 1 << 24 | 1 << 26 | 3 << 28);
    set_word(CD(1) + 16, root);
    forget();
    works(1, upper, DATA_AT);
    works(1, VA, DATA_AT);
    faults(1, upper & ~(1ull << 60), head(0x10, 1), flags(false, false, true, false, C_IN), upper & ~(1ull << 60), 0);
    set_word(CD(1), word(CD(1)) | 1ull << 39); /* TBI1 */
    forget();
    works(1, upper & ~(0xA5ull << 56), DATA_AT);
    faults(1, VA | 1ull << 60, head(0x10, 1), flags(false, false, true, false, C_IN), VA | 1ull << 60, 0);
    set_word(CD(1), word(CD(1)) | 1ull << 38);
    forget();
    works(1, VA | 0x5Aull << 56, DATA_AT);
    set_word(CD(1), word(CD(1)) | 1 << 14); /* EPD0 */
    faults(1, VA, head(0x10, 1), flags(false, false, true, false, C_IN), VA, 0);
}
END_TEST

START_TEST(stage1_faults)
{
    uint64_t entry;

    bring_up();
    page_stream(1);
    entry = descriptor_of(root, 25, 12, VA, 3);
    set_word(entry, DATA_AT | LEAF_RW | 1); /* 01 at level 3 */
    faults(1, VA, head(0x10, 1), flags(false, false, true, false, C_IN), VA, 0);
    set_word(entry, (DATA_AT | LEAF_RW | 3) & ~(1ull << 10)); /* AF = 0 */
    faults(1, VA, head(0x12, 1), flags(false, false, true, false, C_IN), VA, 0);
    set_word(CD(1), word(CD(1)) | 1ull << 35); /* AFFD */
    forget();
    works(1, VA, DATA_AT);
    set_word(CD(1), word(CD(1)) & ~(7ull << 32)); /* IPS 32 bits */
    set_word(entry, 1ull << 32 | LEAF_RW | 3);
    faults(1, VA, head(0x11, 1), flags(false, false, true, false, C_IN), VA, 0);
    set_word(descriptor_of(root, 25, 12, VA, 2), 1ull << 32 | 3); /* a table is checked as well */
    faults(1, VA, head(0x11, 1), flags(false, false, true, false, C_IN), VA, 0);
    set_word(descriptor_of(root, 25, 12, VA, 2), MEMORY_BYTES | 3);
    faults(1, VA, head(0x0B, 1), flags(false, false, true, false, C_TT), VA, MEMORY_BYTES + ((VA >> 12) & 511) * 8);
    set_word(CD(1), word(CD(1)) & ~(1ull << 45)); /* R = 0: not recorded, but aborts of walks are */
    faults(1, VA, head(0x0B, 1), flags(false, false, true, false, C_TT), VA, MEMORY_BYTES + ((VA >> 12) & 511) * 8);
    set_word(descriptor_of(root, 25, 12, VA, 2), 0);
    forget();
    ck_assert_int_eq(device_write(1, VA, 1), TXN_FAULT);
    expect_nothing();
    set_word(CD(1), word(CD(1)) & ~(1ull << 46)); /* A = 0: RAZ/WI */
    forget();
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
        ck_assert_uint_eq(record[0], head(0x13, sid));
        ck_assert_uint_eq(record[1], flags(i < 3, i % 3 == 2, i % 3 != 1, false, C_IN));
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
        uint64_t table = descriptor_of(root, 25, 12, VA, 2);
        set_word(descriptor_of(root, 25, 12, VA, 3), DATA_AT | 1 << 10 | 3 << 8 | 3 | rows[i].leaf);
        set_word(table, (word(table) & 0xFFFFFFFFF003ull) | rows[i].table);
        forget();
        ck_assert_msg(allowed(1) == rows[i].expected, "row %u: 0x%x", i, allowed(1));
    }
    set_word(descriptor_of(root, 25, 12, VA, 2), word(descriptor_of(root, 25, 12, VA, 2)) & 0xFFFFFFFFF003ull);
    set_word(descriptor_of(root, 25, 12, VA, 3), DATA_AT | 1 << 10 | 3 << 8 | 3);
    set_word(CD(1), word(CD(1)) | 1ull << 36); /* WXN */
    forget();
    ck_assert_uint_eq(allowed(1), PR | PW | UX);
}
END_TEST

START_TEST(ste_overrides_privilege)
{
    bring_up();
    page_stream(1);
    set_word(descriptor_of(root, 25, 12, VA, 3), DATA_AT | 1 << 10 | 3 << 8 | 3); /* privileged only */
    set_word(STE(1) + 8, word(STE(1) + 8) | 3ull << 48);                          /* PRIVCFG: privileged */
    forget();
    works(1, VA, DATA_AT);
    set_word(STE(1) + 8, (word(STE(1) + 8) & ~(3ull << 48)) | 2ull << 48);
    forget();
    faults(1, VA, head(0x13, 1), flags(false, false, true, false, C_IN), VA, 0);
}
END_TEST

/* --- stage 2 --- */

static uint64_t stage2_root;

START_TEST(stage2_only)
{
    const uint64_t ipa = 0x9000001000ull; /* in the second concatenated table */

    bring_up();
    stage2_root = set_stage2_stream(1, false);
    stage2_map(stage2_root, ipa, DATA_AT, 1 << 6);
    works(1, ipa, DATA_AT);
    ck_assert_int_eq(device_write(1, ipa, 0), TXN_FAULT); /* S2AP: read only */
    expect_event(head(0x13, 1), flags(false, false, false, true, C_IN), ipa, ipa);
    faults(1, ipa + 0x1000, head(0x10, 1), flags(false, false, true, true, C_IN), ipa + 0x1000, ipa + 0x1000);
    faults(1, 1ull << 40, head(0x10, 1), flags(false, false, true, true, C_IN), 1ull << 40, 1ull << 40);
    set_word(stage2_descriptor(stage2_root, ipa), word(stage2_descriptor(stage2_root, ipa)) & ~(1ull << 10));
    faults(1, ipa, head(0x12, 1), flags(false, false, true, true, C_IN), ipa, ipa);
    set_word(STE(1) + 16, word(STE(1) + 16) | 1ull << 53); /* S2AFFD */
    forget();
    works(1, ipa, DATA_AT);
    set_word(STE(1) + 16, word(STE(1) + 16) & ~(7ull << 48)); /* PS 32 bits */
    stage2_map(stage2_root, ipa, 1ull << 33, 3 << 6);
    faults(1, ipa, head(0x11, 1), flags(false, false, true, true, C_IN), ipa, ipa);
    set_word(STE(1) + 16, word(STE(1) + 16) & ~(1ull << 58)); /* S2R = 0: not recorded */
    forget();
    uint64_t value;
    ck_assert_int_eq(device_read(1, ipa, &value), TXN_FAULT);
    expect_nothing();
}
END_TEST

/* Everything of a nested stream identity-mapped except what a test changes; the data is at IPA 0x40000000. */
static void nested_stream(void)
{
    page_stream(1);
    stage2_root = set_stage2_stream(1, true);
    map_at(root, 25, 12, VA, 0x40000000, 3, LEAF_RW);
    for (uint64_t at = TABLES_AT; at < TABLES_AT + 0x40000; at += 0x1000)
        stage2_map(stage2_root, at, at, 3 << 6);
    stage2_map(stage2_root, CD_AT, CD_AT, 3 << 6);
    stage2_map(stage2_root, 0x40000000, DATA_AT, 3 << 6);
}

START_TEST(nested)
{
    uint64_t level3;

    bring_up();
    nested_stream();
    works(1, VA, DATA_AT);
    level3 = descriptor_of(root, 25, 12, VA, 3);
    set_word(stage2_descriptor(stage2_root, 0x40000000), 0); /* the input's stage 2 */
    faults(1, VA, head(0x10, 1), flags(false, false, true, true, C_IN), VA, 0x40000000);
    stage2_map(stage2_root, 0x40000000, DATA_AT, 1 << 6);
    forget();
    ck_assert_int_eq(device_write(1, VA, 0), TXN_FAULT);
    expect_event(head(0x13, 1), flags(false, false, false, true, C_IN), VA, 0x40000000);
    set_word(level3, word(level3) | LEAF_RO); /* stage 1 refuses first */
    forget();
    ck_assert_int_eq(device_write(1, VA, 0), TXN_FAULT);
    expect_event(head(0x13, 1), flags(false, false, false, false, C_IN), VA, 0);
    set_word(stage2_descriptor(stage2_root, level3), 0); /* a table of stage 1 */
    faults(1, VA, head(0x10, 1), flags(false, false, true, true, C_TT), VA, level3 & ~0xFFFull);
    set_word(stage2_descriptor(stage2_root, CD_AT), 0); /* the CD */
    faults(1, VA, head(0x10, 1), flags(false, false, true, true, C_CD), VA, CD(1) & ~0xFFFull);
}
END_TEST

START_TEST(nested_invalidation)
{
    bring_up();
    nested_stream();
    works(1, VA, DATA_AT);
    stage2_map(stage2_root, 0x40000000, DATA_AT + 0x1000, 3 << 6);
    command(0x2A | 5ull << 32, 0x40000000); /* TLBI_S2_IPA: the combined entry may stay, and does */
    works(1, VA, DATA_AT);
    command(0x12 | 5ull << 32 | 7ull << 48, VA); /* then it goes, and stage 2 is walked again */
    works(1, VA, DATA_AT + 0x1000);
    stage2_map(stage2_root, 0x40000000, DATA_AT + 0x2000, 3 << 6);
    command(0x12 | 5ull << 32 | 7ull << 48, VA); /* without TLBI_S2_IPA the old stage 2 entry serves */
    works(1, VA, DATA_AT + 0x1000);
    command(0x28 | 5ull << 32, 0);
    works(1, VA, DATA_AT + 0x2000);
}
END_TEST

START_TEST(stale_until_invalidated)
{
    uint64_t value;

    bring_up();
    page_stream(1);
    works(1, VA, DATA_AT);
    set_word(descriptor_of(root, 25, 12, VA, 3), 0);
    works(1, VA, DATA_AT); /* the TLB still has it */
    put_command(0x12 | 7ull << 48, VA | 1);
    put_command(0x46, 0);
    works(1, VA, DATA_AT);
    ring();
    run_ps(10 * PS_PER_US);
    ck_assert_int_eq(device_read(1, VA, &value), TXN_FAULT);
    expect_event(head(0x10, 1), flags(false, false, true, false, C_IN), VA, 0);
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
    map_at(root, 25, 12, VA + 0x1000, DATA_AT, 3, LEAF_RW | 1 << 2); /* MAIR 1: Write-Back */
    forget();
    before = bench.coherent;
    ck_assert_int_eq(device_read(1, VA, &value), TXN_OK);
    ck_assert_uint_eq(bench.coherent - before, 5); /* STE, CD, three descriptors; the page is Non-cacheable */
    ck_assert(!bench.last.coherent && bench.last.type == MEM_NORMAL_NC);
    device_read(1, VA + 0x1000, &value);
    ck_assert(bench.last.coherent && bench.last.type == MEM_NORMAL_WB);
    set_word(CD(1), word(CD(1)) & ~0xF00ull); /* a walk through Non-cacheable memory */
    forget();
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
    map_at(root, 25, 12, VA + 0x1000, DATA_AT, 3, LEAF_RW);
    /* configuration: lookup, STE, CD; micro-TLB, main TLB, three descriptors; the access */
    ck_assert_uint_eq(time_of_read(VA), 2000 + 2 * 100000 + 1000 + 4000 + 3 * 102000 + 100000);
    ck_assert_uint_eq(time_of_read(VA), 2000 + 1000 + 100000);
    ck_assert_uint_eq(time_of_read(VA + 0x1000), 2000 + 1000 + 4000 + 102000 + 100000); /* walk cache */
    ck_assert_uint_eq(time_of_read(VA), 2000 + 1000 + 4000 + 100000);                   /* main TLB */
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
        map_at(root, 25, 12, txn.addr, DATA_AT, 3, LEAF_RW);
        ck_assert_int_eq(device_access(&txn), TXN_OK);
        done[i] = txn.done_ps;
    }
    ck_assert_uint_eq(done[1], done[0]);
    ck_assert_uint_eq(done[2] - done[0], 102000);
}
END_TEST

START_TEST(pages_of_one_access)
{
    uint8_t bytes[0x1800];
    struct txn txn = {.kind = TXN_READ, .addr = VA + 0x800, .size = sizeof(bytes), .data = bytes, .stream_id = 1};

    bring_up();
    page_stream(1);
    map_at(root, 25, 12, VA + 0x1000, DATA_AT + 0x5000, 3, LEAF_RW);
    memset(bench.memory + DATA_AT + 0x800, 0xAA, 0x800);
    memset(bench.memory + DATA_AT + 0x5000, 0xBB, 0x1000);
    ck_assert_int_eq(device_access(&txn), TXN_OK);
    ck_assert_uint_eq(bytes[0x7FF], 0xAA);
    ck_assert_uint_eq(bytes[0x800], 0xBB);
    ck_assert_uint_eq(bytes[0x17FF], 0xBB);
    txn.addr += 0x1000;
    ck_assert_int_eq(device_access(&txn), TXN_FAULT); /* its second page is not mapped */
    expect_event(head(0x10, 1), flags(false, false, true, false, C_IN), VA + 0x2000, 0);
}
END_TEST

START_TEST(big_endian_tables)
{
    bring_up();
    page_stream(1);
    for (unsigned level = 1; level <= 3; level++)
        set_word(descriptor_of(root, 25, 12, VA, level), word(descriptor_of(root, 25, 12, VA, level)));
    uint64_t entries[3];
    for (unsigned level = 1; level <= 3; level++)
        entries[level - 1] = descriptor_of(root, 25, 12, VA, level);
    for (unsigned i = 0; i < 3; i++)
        set_word(entries[i], __builtin_bswap64(word(entries[i])));
    set_word(CD(1), word(CD(1)) | 1 << 15);
    works(1, VA, DATA_AT);
}
END_TEST

START_TEST(el2_streams)
{
    bring_up();
    page_stream(1);
    set_word(STE(1) + 8, word(STE(1) + 8) | 2ull << 30);                          /* STRW: EL2 */
    set_word(descriptor_of(root, 25, 12, VA, 3), DATA_AT | 1 << 10 | 3 << 8 | 3); /* one privilege only */
    works(1, VA, DATA_AT);
    set_word(descriptor_of(root, 25, 12, VA, 3), 0);
    command(0x10, 0); /* TLBI_NH_ALL is about EL1 */
    works(1, VA, DATA_AT);
    command(0x22, VA | 1);
    faults(1, VA, head(0x10, 1), flags(false, false, true, false, C_IN), VA, 0);
}
END_TEST

void test_smmu_translate(struct unit_registry *registry)
{
    unit_suite(registry, "SmmuTranslate", smmu_bench_reset, smmu_bench_stop);
    unit_test(registry, disabled_bypasses_or_aborts);
    unit_test(registry, stream_kinds);
    unit_test(registry, stream_ids);
    unit_test(registry, two_level_stream_tables);
    unit_test(registry, illegal_stream_table_entries);
    unit_test(registry, illegal_context_descriptors);
    unit_test(registry, substreams);
    unit_test(registry, two_level_context_descriptors);
    unit_test(registry, granules_and_levels);
    unit_test(registry, upper_half_and_top_byte);
    unit_test(registry, stage1_faults);
    unit_test(registry, stage1_permission_table);
    unit_test(registry, ste_overrides_privilege);
    unit_test(registry, stage2_only);
    unit_test(registry, nested);
    unit_test(registry, nested_invalidation);
    unit_test(registry, stale_until_invalidated);
    unit_test(registry, event_queue_overflow);
    unit_test(registry, event_queue_errors);
    unit_test(registry, who_snoops);
    unit_test(registry, time_of_a_translation);
    unit_test(registry, walker_slots);
    unit_test(registry, pages_of_one_access);
    unit_test(registry, big_endian_tables);
    unit_test(registry, el2_streams);
}
