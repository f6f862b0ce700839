/* What each TLBI and CFGI drops and what it leaves (IHI 0070 4.3, 4.4): all kinds of entries against all commands. */
#include <string.h>

#include "common/units.h"
#include "tests/support/a64_random.h"
#include "tests/support/smmu_bench.h"
#include "tests/unit.h"

#define VA     0x12345000ull
#define GLOBAL 0x12350000ull /* a page of its own: a global entry serves every ASID */
#define IPA    0x40000000ull
enum { TSZ = 25, VMID = 5 };

static uint64_t roots[64];

static void roomy(void)
{
    smmu_bench_reset();
    bench.config.translator.tlb_entries = bench.config.translator.tlb_ways = 256; /* nothing is replaced */
    bench.config.translator.walk_cache_entries = bench.config.config_entries = 64;
}

/* Stage 1 of stream sid, VMID vmid: one page at va. */
static void stage1_stream(uint32_t sid, uint16_t vmid, uint16_t asid, uint64_t va, uint64_t attributes)
{
    roots[sid] = new_table(12);
    set_stage1_stream(sid, CD_AT + 64 * sid);
    set_word(STRTAB_AT + 64 * sid + 16, vmid);
    set_cd(CD_AT + 64 * sid, roots[sid], TSZ, 12, asid);
    map_at(roots[sid], TSZ, 12, va, DATA_AT, 3, LEAF_RW | attributes);
}

static uint64_t walks(void)
{
    return smmu_translator_counters(bench.smmu)->walks;
}

/* The access needs no walk; afterwards it is cached in any case. */
static bool cached(uint32_t sid, uint64_t va)
{
    uint64_t value, before = walks();

    ck_assert_msg(device_read(sid, va, &value) == TXN_OK, "stream %u", sid);
    return walks() == before;
}

/* The kinds of entries; each has a stream of its own. */
enum entry { A7, A107, GLOBAL9, V5_A7, V5_STAGE2, V5_NESTED17, EL2, ENTRIES };
#define BIT(entry) (1u << (entry))

static bool entry_cached(unsigned entry)
{
    static const uint64_t addresses[ENTRIES] = {VA, VA, GLOBAL, VA, IPA, VA, VA};

    return cached(entry + 1, addresses[entry]);
}

static void make_entries(void)
{
    uint64_t stage2;

    bring_up();
    stage1_stream(A7 + 1, 0, 7, VA, LEAF_NG);
    stage1_stream(A107 + 1, 0, 0x107, VA, LEAF_NG); /* 16 bits of ASIDs count */
    stage1_stream(GLOBAL9 + 1, 0, 9, GLOBAL, 0);
    stage1_stream(V5_A7 + 1, VMID, 7, VA, LEAF_NG);
    stage1_stream(V5_NESTED17 + 1, VMID, 17, VA, LEAF_NG);
    map_at(roots[V5_NESTED17 + 1], TSZ, 12, VA, IPA, 3, LEAF_RW | LEAF_NG);
    set_stage2_stream(V5_NESTED17 + 1, true);
    stage2 = bench.stage2_root;
    stage2_map(stage2, IPA, DATA_AT, S2_RW);
    stage2_map(stage2, CD_AT, CD_AT, S2_RW);
    for (uint64_t at = TABLES_AT; at < TABLES_AT + 0x40000; at += 0x1000)
        stage2_map(stage2, at, at, S2_RW);
    set_stage2_stream(V5_STAGE2 + 1, false);
    set_word(STRTAB_AT + 64 * (V5_STAGE2 + 1) + 24, stage2); /* one VMID, one set of tables */
    stage1_stream(EL2 + 1, 0, 3, VA, LEAF_NG);
    set_word(STRTAB_AT + 64 * (EL2 + 1) + 8, word(STRTAB_AT + 64 * (EL2 + 1) + 8) | 2ull << 30); /* STRW */
    for (unsigned i = 0; i < ENTRIES; i++)
        entry_cached(i);
}

#define VMID_ASID(vmid, asid) ((uint64_t)(vmid) << 32 | (uint64_t)(asid) << 48)

START_TEST(every_tlbi_against_every_entry)
{
    const unsigned vm0 = BIT(A7) | BIT(A107) | BIT(GLOBAL9), vm5 = BIT(V5_A7) | BIT(V5_NESTED17);
    const struct {
        const char *what;
        uint64_t word0, word1;
        unsigned dropped;
    } rows[] = {
        {"NH_ALL", 0x10, 0, vm0},
        {"NH_ALL of the VM", 0x10 | VMID_ASID(VMID, 0), 0, vm5},
        {"NH_ALL of nobody", 0x10 | VMID_ASID(6, 0), 0, 0},
        {"NH_ASID", 0x11 | VMID_ASID(0, 7), 0, BIT(A7)},
        {"NH_ASID of the VM", 0x11 | VMID_ASID(VMID, 7), 0, BIT(V5_A7)},
        {"NH_ASID of the nested", 0x11 | VMID_ASID(VMID, 17), 0, BIT(V5_NESTED17)},
        {"NH_ASID keeps global", 0x11 | VMID_ASID(0, 9), 0, 0},
        {"NH_ASID with a high byte", 0x11 | VMID_ASID(0, 0x107), 0, BIT(A107)},
        {"NH_ASID of nobody", 0x11 | VMID_ASID(0, 0x207), 0, 0},
        {"NH_VA", 0x12 | VMID_ASID(0, 7), VA, BIT(A7)},
        {"NH_VA leaf", 0x12 | VMID_ASID(0, 0x107), VA | 1, BIT(A107)},
        {"NH_VA global, any ASID", 0x12 | VMID_ASID(0, 7), GLOBAL | 1, BIT(GLOBAL9)},
        {"NH_VA global, other VMID", 0x12 | VMID_ASID(VMID, 9), GLOBAL, 0},
        {"NH_VA nested", 0x12 | VMID_ASID(VMID, 17), VA, BIT(V5_NESTED17)},
        {"NH_VA elsewhere", 0x12 | VMID_ASID(0, 7), VA + 0x1000, 0},
        {"NH_VAA", 0x13, VA, BIT(A7) | BIT(A107)},
        {"NH_VAA leaf of the VM", 0x13 | VMID_ASID(VMID, 0), VA | 1, vm5},
        {"NH_VAA global", 0x13, GLOBAL, BIT(GLOBAL9)},
        {"EL2_ALL", 0x20, 0, BIT(EL2)},
        {"EL2_ASID: EL2 has none", 0x21 | VMID_ASID(0, 3), 0, 0},
        {"EL2_VA, the ASID does not count", 0x22 | VMID_ASID(0, 99), VA, BIT(EL2)},
        {"EL2_VA elsewhere", 0x22, VA - 0x1000, 0},
        {"EL2_VAA", 0x23, VA | 1, BIT(EL2)},
        {"S12_VMALL", 0x28, 0, vm0},
        {"S12_VMALL of the VM", 0x28 | VMID_ASID(VMID, 0), 0, vm5 | BIT(V5_STAGE2)},
        {"S2_IPA leaves combined entries", 0x2A | VMID_ASID(VMID, 0), IPA, BIT(V5_STAGE2)},
        {"S2_IPA leaf", 0x2A | VMID_ASID(VMID, 0), IPA | 1, BIT(V5_STAGE2)},
        {"S2_IPA: bits above 55 are not the address", 0x2A | VMID_ASID(VMID, 0), IPA | 0xFFull << 56, BIT(V5_STAGE2)},
        {"S2_IPA is no VA", 0x2A, VA, 0},
        {"S2_IPA of another VM", 0x2A | VMID_ASID(6, 0), IPA, 0},
        {"NSNH_ALL", 0x30, 0, vm0 | vm5 | BIT(V5_STAGE2)},
        {"CFGI_ALL leaves translations", 0x04, 31, 0},
        {"CFGI_STE leaves translations", 0x03 | 1ull << 32, 1, 0},
        {"PREFETCH_CONFIG", 0x01, 0, 0},
        {"SYNC", 0x46, 0, 0},
    };

    make_entries();
    for (unsigned i = 0; i < ENTRIES; i++)
        ck_assert_msg(entry_cached(i), "entry %u", i);
    for (unsigned row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        command(rows[row].word0, rows[row].word1);
        for (unsigned i = 0; i < ENTRIES; i++)
            ck_assert_msg(entry_cached(i) == !(rows[row].dropped & BIT(i)), "%s, entry %u", rows[row].what, i);
    }
}
END_TEST

/* A global entry serves every ASID of its VMID and world, tables or not. */
START_TEST(global_entries)
{
    uint64_t value;

    make_entries();
    ck_assert(cached(A7 + 1, GLOBAL) && cached(A107 + 1, GLOBAL));
    ck_assert_int_eq(device_read(V5_A7 + 1, GLOBAL, &value), TXN_FAULT);
    ck_assert_int_eq(device_read(EL2 + 1, GLOBAL, &value), TXN_FAULT);
    command(0x12 | VMID_ASID(0, 7), GLOBAL | 1);
    ck_assert_int_eq(device_read(A7 + 1, GLOBAL, &value), TXN_FAULT);
}
END_TEST

/* CR2.E2H may change only while the SMMU is off; the TLBs keep what they have. */
static void set_e2h(bool e2h)
{
    wr32(R_CR0, EVENTQEN | CMDQEN);
    wr32(R_CR2, 2 | e2h);
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    command(0x04, 31);
}

START_TEST(el2_with_and_without_asids)
{
    enum { PLAIN = 1, OTHER = 2 };

    bring_up();
    stage1_stream(PLAIN, 0, 3, VA, LEAF_NG);
    stage1_stream(OTHER, 9, 4, VA, LEAF_NG); /* nor VMIDs */
    for (uint32_t sid = PLAIN; sid <= OTHER; sid++)
        set_word(STRTAB_AT + 64 * sid + 8, word(STRTAB_AT + 64 * sid + 8) | 2ull << 30);
    cached(PLAIN, VA);
    ck_assert(cached(OTHER, VA)); /* one world without ASIDs: the same entry */
    set_e2h(true);
    ck_assert(!cached(PLAIN, VA)); /* another world */
    ck_assert(!cached(OTHER, VA)); /* with ASIDs */
    ck_assert(cached(PLAIN, VA) && cached(OTHER, VA));
    command(0x22 | VMID_ASID(0, 3), VA);
    ck_assert(!cached(PLAIN, VA) && cached(OTHER, VA));
    command(0x23, VA);
    ck_assert(!cached(PLAIN, VA) && !cached(OTHER, VA));
    command(0x21 | VMID_ASID(0, 4), 0);
    ck_assert(cached(PLAIN, VA) && !cached(OTHER, VA));
    set_e2h(false);
    ck_assert(cached(PLAIN, VA)); /* the EL2 entry is still there: the commands above were about E2H */
    command(0x20, 0);             /* both */
    ck_assert(!cached(PLAIN, VA));
    set_e2h(true);
    ck_assert(!cached(PLAIN, VA) && !cached(OTHER, VA));
}
END_TEST

static uint64_t reads_of(uint32_t sid, uint64_t va)
{
    uint64_t before = smmu_translator_counters(bench.smmu)->walk_reads;

    cached(sid, va);
    return smmu_translator_counters(bench.smmu)->walk_reads - before;
}

/* A walk cache entry stands for levels 1 and 2: with it a walk reads one descriptor, without it three. */
START_TEST(walk_cache)
{
    const struct {
        uint64_t word0, word1;
        unsigned reads;
    } rows[] = {
        {0x12 | VMID_ASID(0, 7), VA | 1, 1}, /* leaf: only the last level */
        {0x13, VA | 1, 1},
        {0x12 | VMID_ASID(0, 7), VA, 3},
        {0x13, VA, 3},
        {0x12 | VMID_ASID(0, 8), VA, 0},
        {0x11 | VMID_ASID(0, 7), 0, 3},
        {0x10, 0, 3},
        {0x30, 0, 3},
        {0x2A, VA, 0},
        {0x20, 0, 0},
        {0x12 | VMID_ASID(0, 7), VA + 0x1000, 0}, /* the table goes, but the page needs no walk */
    };

    bring_up();
    stage1_stream(1, 0, 7, VA, LEAF_NG);
    cached(1, VA);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        command(rows[i].word0, rows[i].word1);
        ck_assert_msg(reads_of(1, VA) == rows[i].reads, "row %u", i);
    }
    command(0x12 | VMID_ASID(0, 7), VA | 1);
    ck_assert_uint_eq(reads_of(1, VA), 3);
}
END_TEST

/* Address, Address + (NUM + 1) * 2^SCALE granules, whatever the level hint. */
START_TEST(ranges)
{
    enum { PAGES = 160 };
    const uint64_t base = 0x40000000;
    struct a64_random random = {.state = 7};

    bring_up();
    stage1_stream(1, 0, 7, base, LEAF_NG);
    for (uint64_t page = 0; page < PAGES; page++) {
        map_at(roots[1], TSZ, 12, base + page * 0x1000, DATA_AT, 3, LEAF_RW | LEAF_NG);
        cached(1, base + page * 0x1000);
    }
    for (unsigned i = 0; i < 300; i++) {
        uint64_t dice = a64_next(&random) >> 16, granule, start, bytes;
        unsigned tg = 1 + dice % 3, num = dice >> 4 & 31, scale = dice >> 10 & 3, ttl = dice >> 12 & 3;
        granule = tg == 1 ? 0x1000 : tg == 2 ? 0x4000 : 0x10000;
        start = base + (dice >> 16) % PAGES * 0x1000 / granule * granule;
        bytes = (num + 1ull) << scale;
        bytes *= granule;
        if (num == 0 && scale == 0 && (ttl == 0 || (tg == 2 && ttl == 1)))
            continue; /* CERROR_ILL */
        command(0x12 | num << 12 | scale << 20 | VMID_ASID(0, 7), start | tg << 10 | ttl << 8 | 1);
        for (uint64_t page = 0; page < PAGES; page++) {
            uint64_t va = base + page * 0x1000;
            ck_assert_msg(cached(1, va) == !(start <= va && va < start + bytes), "tg %u num %u scale %u page %u", tg,
                          num, scale, (unsigned)page);
        }
    }
}
END_TEST

START_TEST(ranges_at_the_end_do_not_wrap)
{
    const uint64_t high = 0xFFFFFFFFFFFFF000ull;

    bring_up();
    stage1_stream(1, 0, 7, 0, LEAF_NG);
    map_at(roots[1], TSZ, 12, high & ((1ull << 39) - 1), DATA_AT, 3, LEAF_RW | LEAF_NG);
    set_word(CD_AT + 64, (word(CD_AT + 64) & ~(1ull << 30)) | 25 << 16 | 2 << 22);
    set_word(CD_AT + 64 + 16, roots[1]);
    cached(1, 0);
    cached(1, high);
    command(0x12 | 31 << 12 | 31 << 20 | VMID_ASID(0, 7), high | 1 << 10);
    ck_assert(cached(1, 0));
    ck_assert(!cached(1, high));
    command(0x12 | 31 << 12 | 31 << 20 | VMID_ASID(0, 7), 3 << 10); /* 2^52 bytes from 0 on */
    ck_assert(!cached(1, 0));
    ck_assert(cached(1, high));
}
END_TEST

/* SCALE has five bits: 2^16 granules. */
START_TEST(large_scales)
{
    bring_up();
    stage1_stream(1, 0, 7, VA, LEAF_NG);
    for (uint64_t i = 0; i < 3; i++)
        map_at(roots[1], TSZ, 12, i << 27, DATA_AT, 3, LEAF_RW | LEAF_NG);
    for (uint64_t i = 0; i < 3; i++)
        cached(1, i << 27);
    command(0x12 | 16 << 20 | VMID_ASID(0, 7), 1 << 10);
    ck_assert(!cached(1, 0) && !cached(1, 1ull << 27) && cached(1, 2ull << 27));
    command(0x12 | 3 << 12 | 1 << 25 | VMID_ASID(0, 7), 1 << 10); /* bit 25 is none of them */
    ck_assert(!cached(1, 0) && cached(1, 1ull << 27));
}
END_TEST

/* Any address of a block names it, and all that it covers goes. */
START_TEST(blocks)
{
    const uint64_t block = 0x40000000;

    bring_up();
    stage1_stream(1, 0, 7, VA, LEAF_NG);
    map_at(roots[1], TSZ, 12, block, 0x800000, 2, LEAF_RW | LEAF_NG);
    cached(1, block);
    ck_assert(cached(1, block + 0x1FF000));
    command(0x12 | VMID_ASID(0, 7), (block + 0x123000) | 1);
    ck_assert(!cached(1, block));
    command(0x12 | VMID_ASID(0, 7), (block + 0x200000) | 1);
    ck_assert(cached(1, block));
    command(0x12 | 15 << 12 | VMID_ASID(0, 7), (block - 0x10000) | 1 << 10 | 1); /* the 16 pages before it */
    ck_assert(cached(1, block));
    command(0x12 | 16 << 12 | VMID_ASID(0, 7), (block - 0x10000) | 1 << 10 | 1); /* and one more */
    ck_assert(!cached(1, block));
}
END_TEST

START_TEST(without_range_commands_the_fields_mean_nothing)
{
    bench.config.range_invalidation = false;
    bring_up();
    stage1_stream(1, 0, 7, VA, LEAF_NG);
    map_at(roots[1], TSZ, 12, VA + 0x1000, DATA_AT, 3, LEAF_RW | LEAF_NG);
    cached(1, VA);
    cached(1, VA + 0x1000);
    command(0x12 | 31 << 12 | 5 << 20 | VMID_ASID(0, 7), VA | 1 << 10); /* only one page */
    ck_assert(!cached(1, VA));
    ck_assert(cached(1, VA + 0x1000));
}
END_TEST

START_TEST(without_stage2_the_vmid_means_nothing)
{
    bench.config.stage2 = bench.config.hyp = false;
    bring_up();
    stage1_stream(1, 3, 7, VA, LEAF_NG);
    cached(1, VA);
    command(0x12 | VMID_ASID(9, 7), VA | 1);
    ck_assert(!cached(1, VA));
}
END_TEST

/* --- configuration --- */

static bool configured(uint32_t sid, uint32_t ssid, bool valid)
{
    uint64_t value, before = smmu_counters(bench.smmu)->config_misses;
    struct txn txn = {.kind = TXN_READ,
                      .addr = VA,
                      .size = 8,
                      .data = (uint8_t *)&value,
                      .stream_id = sid,
                      .substream_id = valid ? ssid : 77, /* means nothing when not valid */
                      .substream_valid = valid};

    ck_assert_int_eq(device_access(&txn), TXN_OK);
    return smmu_counters(bench.smmu)->config_misses == before;
}

/* 2^(Range + 1) StreamIDs, aligned; the lower bits of the StreamID are ignored. */
START_TEST(ranges_of_streams)
{
    bring_up();
    stage1_stream(0, 0, 7, VA, LEAF_NG);
    for (uint32_t sid = 1; sid < 64; sid++) {
        set_stage1_stream(sid, CD_AT);
        configured(sid, 0, false);
    }
    configured(0, 0, false);
    for (unsigned range = 0; range <= 31; range++)
        for (uint32_t named = 0; named < 64; named += 7) {
            command(0x04 | (uint64_t)named << 32, range);
            for (uint32_t sid = 0; sid < 64; sid++)
                ck_assert_msg(configured(sid, 0, false) ==
                                  ((uint64_t)sid >> (range + 1) != (uint64_t)named >> (range + 1)),
                              "range %u of %u: %u", range, named, sid);
        }
}
END_TEST

START_TEST(substreams)
{
    const uint64_t cds = TABLES_AT + 0x8000;
    const struct {
        uint64_t word0;
        unsigned dropped; /* bit 0: without SubstreamID, bit n: SubstreamID n */
    } rows[] = {
        {0x05 | 1 << 12 | 1ull << 32, 2}, {0x05 | 2 << 12 | 1ull << 32, 4}, {0x05 | 1ull << 32, 1},
        {0x05 | 1 << 12 | 2ull << 32, 0}, {0x06 | 1ull << 32, 7},           {0x06 | 2ull << 32, 0},
        {0x03 | 1ull << 32, 7},           {0x03 | 2ull << 32, 0},           {0x30, 0},
    };

    bring_up();
    bench.next_table = TABLES_AT + 0x40000;
    stage1_stream(1, 0, 7, VA, LEAF_NG);
    set_word(STRTAB_AT + 64, 1 | 5 << 1 | cds | 2ull << 59);
    set_word(STRTAB_AT + 64 + 8, word(STRTAB_AT + 64 + 8) | 2); /* S1DSS: CD 0 */
    for (unsigned i = 0; i < 3; i++) {
        set_cd(cds + 64 * i, roots[1], TSZ, 12, 7);
        configured(1, i, i > 0);
    }
    for (unsigned row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        command(rows[row].word0, 0);
        for (unsigned i = 0; i < 3; i++)
            ck_assert_msg(configured(1, i, i > 0) == !(rows[row].dropped >> i & 1), "row %u substream %u", row, i);
    }
}
END_TEST

START_TEST(the_least_recently_used_configuration_goes)
{
    bench.config.config_entries = 2;
    bring_up();
    stage1_stream(1, 0, 7, VA, LEAF_NG);
    set_stage1_stream(2, CD_AT + 64);
    set_stage1_stream(3, CD_AT + 64);
    configured(1, 0, false);
    configured(2, 0, false);
    ck_assert(configured(1, 0, false));
    ck_assert(!configured(3, 0, false));
    ck_assert(configured(1, 0, false));
    ck_assert(!configured(2, 0, false));
}
END_TEST

/* A changed STE takes effect with the CFGI, and not before. */
START_TEST(changes_take_effect_with_the_cfgi)
{
    uint64_t value;

    bring_up();
    stage1_stream(1, 0, 7, VA, LEAF_NG);
    cached(1, VA);
    set_word(STRTAB_AT + 64, 1); /* abort */
    ck_assert_int_eq(device_read(1, VA, &value), TXN_OK);
    command(0x03 | 1ull << 32, 1);
    ck_assert_int_eq(device_read(1, VA, &value), TXN_FAULT);
    set_stage1_stream(1, CD_AT + 64);
    ck_assert_int_eq(device_read(1, VA, &value), TXN_FAULT);
    command(0x04 | 0ull << 32, 0);
    ck_assert_int_eq(device_read(1, VA, &value), TXN_OK);
    set_cd(CD_AT + 64, roots[1], TSZ, 12, 8); /* another ASID */
    ck_assert(cached(1, VA));
    command(0x05 | 1ull << 32, 1);
    ck_assert(!cached(1, VA));
}
END_TEST

void test_smmu_invalidation(struct unit_registry *registry)
{
    unit_suite(registry, "SmmuInvalidation", roomy, smmu_bench_stop);
    unit_test(registry, every_tlbi_against_every_entry);
    unit_test(registry, global_entries);
    unit_test(registry, el2_with_and_without_asids);
    unit_test(registry, walk_cache);
    unit_test(registry, ranges);
    unit_test(registry, ranges_at_the_end_do_not_wrap);
    unit_test(registry, large_scales);
    unit_test(registry, blocks);
    unit_test(registry, without_range_commands_the_fields_mean_nothing);
    unit_test(registry, without_stage2_the_vmid_means_nothing);
    unit_test(registry, ranges_of_streams);
    unit_test(registry, substreams);
    unit_test(registry, the_least_recently_used_configuration_goes);
    unit_test(registry, changes_take_effect_with_the_cfgi);
}
