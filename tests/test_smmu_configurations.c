/*
 * Random STEs, CDs and tables against a second reading of the architecture without caches or time: IHI 0070 3.3, 3.4,
 * 5.2.2, 5.4.2, 7.3, 13 and DDI 0487 D8. Tables point at random into a pool of pages whose words are descriptors of any
 * kind, CDs at their beginning; so walks of all granules end anywhere. After every change all caches are invalidated;
 * the accesses between may hit them.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/a64_random.h"
#include "tests/support/smmu_expect.h"
#include "tests/unit.h"

enum { POOL_AT = 0x100000, POOL_PAGES = 512, SID = 1 };
/* In every page of the pool: CDs 48 to 55 of a leaf table, and the first level of such tables. */
enum { CDS = 8, FIRST_CD = 48, CDS_AT = 64 * FIRST_CD, LEVEL1_AT = 0xA00 };

static struct a64_random dice;
static unsigned calm; /* how much rarer than usual mistakes are in this world */

/* --- the reference --- */

struct access {
    uint32_t ssid;
    bool ssv, write, privileged, instruction;
    uint64_t va;
};
enum verdict { PASSES, ABORTS, IGNORED /* RAZ/WI */ };
struct outcome {
    enum verdict verdict;
    uint64_t pa, record[4]; /* record[0] is 0: none */
    enum mem_type type;
    enum shareability sh;
};
static struct reference {
    unsigned oas, ssid_bits;
    bool hyp, e2h;
    uint64_t ste[8], cd[8];
    struct access access;
    bool stage1, stage2, el2;
    struct outcome outcome;
} ref;

static uint64_t bits(const uint64_t *record, unsigned high, unsigned low)
{
    return record[low / 64] >> low % 64 & (UINT64_MAX >> (63 - (high - low)));
}

static bool load(uint64_t address, uint64_t *value)
{
    bool there = address + 8 <= MEMORY_BYTES;

    if (there)
        *value = word(address);
    return there;
}

/* Ends with a record of a configuration error. */
static bool bad(unsigned type, uint64_t fetched)
{
    const struct access *a = &ref.access;
    bool ssid = a->ssv && type != 0x06;

    ref.outcome.verdict = ABORTS;
    ref.outcome.record[0] = event_head(type, SID) | (ssid && type != 0x08 ? 1 << 11 : 0) | (ssid ? a->ssid << 12 : 0);
    ref.outcome.record[3] = fetched;
    return false;
}

/* Ends with a fault of a translation. */
static bool faulted(unsigned type, bool stage2, unsigned class, uint64_t ipa, uint64_t fetched)
{
    const struct access *a = &ref.access;
    bool always = type == 0x0B || (!stage2 && !ref.stage1);

    bad(type, type == 0x0B ? fetched : stage2 ? ipa & ~0xFFFull : 0);
    ref.outcome.record[1] = event_flags(a->privileged, a->instruction, !a->write, stage2, class);
    ref.outcome.record[2] = a->va;
    if (!always && !(stage2 ? bits(ref.ste, 186, 186) : bits(ref.cd, 45, 45)))
        memset(ref.outcome.record, 0, sizeof(ref.outcome.record));
    if (!always && !stage2 && !bits(ref.cd, 46, 46))
        ref.outcome.verdict = IGNORED;
    return false;
}

static unsigned size_of(uint64_t code)
{
    static const unsigned sizes[] = {32, 36, 40, 42, 44, 48, 48, 48};

    return sizes[code] < ref.oas ? sizes[code] : ref.oas;
}

struct regime { /* one set of tables */
    unsigned granule, tsz, start, output;
    bool swap, affd;
    uint64_t base;
};

static struct regime stage2_regime(void)
{
    static const unsigned granules[] = {12, 16, 14, 0};
    const uint64_t *ste = ref.ste;
    unsigned tg = bits(ste, 175, 174), sl0 = bits(ste, 167, 166);

    return (struct regime){
        granules[tg],        bits(ste, 165, 160), (tg == 0 ? 2 : 3) - sl0, size_of(bits(ste, 178, 176)),
        bits(ste, 180, 180), bits(ste, 181, 181), bits(ste, 247, 196) << 4};
}

static unsigned shift_of(const struct regime *r, unsigned level)
{
    return r->granule + (3 - level) * (r->granule - 3);
}

static bool stage2_legal(void)
{
    const uint64_t *ste = ref.ste;
    struct regime r = stage2_regime();
    unsigned sl0 = bits(ste, 167, 166), input = 64 - r.tsz;

    if (!bits(ste, 179, 179) || r.granule == 0 || sl0 == 3 || bits(ste, 185, 183) || r.tsz < 16 || r.tsz > 39 ||
        input > ref.oas || r.base >> r.output)
        return false;
    if (sl0 == 2 && ref.oas < (r.granule == 14 ? 42 : 44))
        return false;
    return input >= shift_of(&r, r.start) + 1 && input <= shift_of(&r, r.start) + r.granule - 3 + 4;
}

/* What a walk found. */
struct leaf {
    uint64_t out, descriptor, tables; /* tables: OR of the table descriptors */
};
static bool through_stage2(uint64_t ipa, unsigned class, bool data, struct leaf *leaf);

/* Walks r for input; stage 1 tables of a nested stream go through stage 2. */
static bool walk(const struct regime *r, bool stage2, unsigned class, uint64_t input, struct leaf *leaf)
{
    unsigned index_bits = 64 - r->tsz - shift_of(r, r->start);
    uint64_t table = r->base >> (index_bits + 3) << (index_bits + 3);

    leaf->tables = 0;
    for (unsigned level = r->start;; level++, index_bits = r->granule - 3) {
        unsigned shift = shift_of(r, level), type;
        uint64_t at = table + (input >> shift & ((1ull << index_bits) - 1)) * 8, d;
        bool end;
        struct leaf second;
        if (!stage2 && ref.stage2) {
            if (!through_stage2(at, C_TT, false, &second))
                return false;
            at = second.out;
        }
        if (!load(at, &d))
            return faulted(0x0B, stage2, stage2 ? class : C_TT, input, at);
        d = r->swap ? __builtin_bswap64(d) : d;
        type = d & 3;
        end = level == 3 || type == 1;
        if (!(type & 1) || (level == 3 && type == 1) ||
            (level < 3 && type == 1 && level != 2 && !(level == 1 && r->granule == 12)))
            return faulted(0x10, stage2, class, input, 0);
        table = (d & 0xFFFFFFFFFFFFull) >> (end ? shift : r->granule) << (end ? shift : r->granule);
        if (table >> r->output)
            return faulted(0x11, stage2, class, input, 0);
        if (!end) {
            leaf->tables |= d;
            continue;
        }
        if (!(d >> 10 & 1) && !r->affd)
            return faulted(0x12, stage2, class, input, 0);
        leaf->descriptor = d;
        leaf->out = table | (input & ((1ull << shift) - 1));
        return true;
    }
}

static enum mem_type type_of(unsigned memattr)
{
    if (memattr < 4)
        return (enum mem_type)memattr;
    return (memattr & 3) == 0                              ? MEM_DEVICE_nGnRnE
           : (memattr & 3) == 1 || (memattr >> 2 & 3) == 1 ? MEM_NORMAL_NC
           : memattr == 15                                 ? MEM_NORMAL_WB
                                                           : MEM_NORMAL_WT;
}

/* data: the access itself; otherwise the SMMU reads a CD or a table. */
static bool through_stage2(uint64_t ipa, unsigned class, bool data, struct leaf *leaf)
{
    struct regime r = stage2_regime();
    const struct access *a = &ref.access;
    unsigned xn;
    bool allowed, device;

    if (ipa >> (64 - r.tsz))
        return faulted(0x10, true, class, ipa, 0);
    if (!walk(&r, true, class, ipa, leaf))
        return false;
    xn = leaf->descriptor >> 53 & 3;
    device = type_of(leaf->descriptor >> 2 & 15) <= MEM_DEVICE_GRE;
    if (data && a->instruction)
        allowed = xn == 0 || xn == (a->privileged ? 3 : 1);
    else
        allowed = leaf->descriptor >> (data && a->write ? 7 : 6) & 1;
    if (!data && device && bits(ref.ste, 182, 182)) /* S2PTW */
        allowed = false;
    return allowed || faulted(0x13, true, class, ipa, 0);
}

static bool stage1_allows(const struct leaf *leaf, bool upper)
{
    const struct access *a = &ref.access;
    uint64_t d = leaf->descriptor,
             tables = bits(ref.cd, upper ? 129 : 65, upper ? 129 : 65) ? 0 : leaf->tables; /* HAD */
    bool wxn = bits(ref.cd, 36, 36), pan = bits(ref.cd, 40, 40);
    bool writable = !(d >> 7 & 1) && !(tables >> 62 & 1);
    bool user = (d >> 6 & 1) && !(tables >> 61 & 1);
    bool uxn = (d >> 54 & 1) || (tables >> 60 & 1);

    if (ref.el2) /* one privilege */
        return a->instruction ? !uxn && !(wxn && writable) : !a->write || writable;
    if (a->privileged && a->instruction)
        return !(d >> 53 & 1) && !(tables >> 59 & 1) && !(user && writable) && !(wxn && writable);
    if (a->privileged)
        return !(pan && user) && (!a->write || writable);
    if (a->instruction)
        return !uxn && !(wxn && user && writable);
    return user && (!a->write || writable);
}

static const uint8_t mairs[8] = {0x44, 0xFF, 0x04, 0xBB, 0x00, 0x0C, 0xF4, 0x08};

/* Strength of a type: the enumeration goes from the strongest to the weakest. */
static void combine(enum mem_type type, unsigned sh, bool first)
{
    struct outcome *o = &ref.outcome;
    enum shareability wide = sh == 1 ? SH_NON : (enum shareability)sh;

    o->type = first || type < o->type ? type : o->type;
    o->sh = first                                   ? wide
            : o->sh == SH_OUTER || wide == SH_OUTER ? SH_OUTER
            : o->sh == SH_INNER || wide == SH_INNER ? SH_INNER
                                                    : SH_NON;
    if (o->type <= MEM_NORMAL_NC)
        o->sh = SH_OUTER;
}

static bool ste_legal(unsigned max)
{
    const uint64_t *ste = ref.ste;
    bool strw_used = ref.stage1 && !ref.stage2 && ref.hyp;

    if (strw_used && bits(ste, 94, 94))
        return false;
    if (ref.stage1 && (bits(ste, 91, 91) || max > ref.ssid_bits || (!ref.stage2 && bits(ste, 55, 6) << 6 >> ref.oas)))
        return false;
    return !ref.stage2 || stage2_legal();
}

static bool fetch(uint64_t at, unsigned out_of_range, uint64_t *data, unsigned words)
{
    struct leaf leaf;

    if (!ref.stage2 && at >> ref.oas)
        return bad(out_of_range, 0);
    if (ref.stage2) {
        if (!through_stage2(at, C_CD, false, &leaf))
            return false;
        at = leaf.out;
    }
    for (unsigned i = 0; i < words; i++)
        if (!load(at + 8 * i, &data[i]))
            return bad(0x09, at);
    return true;
}

static bool half_legal(bool upper)
{
    static const unsigned granules[2][4] = {{12, 16, 14, 0}, {0, 14, 12, 16}};
    unsigned at = upper ? 16 : 0, tsz = bits(ref.cd, at + 5, at), base = upper ? 132 : 68;

    if (ref.el2 ? upper : bits(ref.cd, at + 14, at + 14))
        return true;
    return tsz >= 16 && tsz <= 39 && granules[upper][bits(ref.cd, at + 7, at + 6)] &&
           !(bits(ref.cd, base + 51, base) << 4 >> size_of(bits(ref.cd, 34, 32)));
}

static bool find_cd(unsigned max)
{
    unsigned format = bits(ref.ste, 5, 4), leaf = format == 2 ? 10 : 6, ssid = ref.access.ssv ? ref.access.ssid : 0;
    uint64_t at = bits(ref.ste, 55, 6) << 6, level1;

    if (max && (format == 1 || format == 2)) {
        if (!fetch(at + 8 * (ssid >> leaf), 0x04, &level1, 1))
            return false;
        if (!(level1 & 1))
            return bad(0x08, 0);
        at = (level1 & 0xFFFFFFFFFFFFFFull) >> (leaf + 6) << (leaf + 6);
        if (!fetch(at + 64 * (ssid & ((1u << leaf) - 1)), 0x08, ref.cd, 8))
            return false;
    } else if (!fetch(at + 64 * ssid, 0x04, ref.cd, 8)) {
        return false;
    }
    if (!bits(ref.cd, 31, 31) || !bits(ref.cd, 41, 41) || bits(ref.cd, 44, 42) || !half_legal(false) ||
        !half_legal(true))
        return bad(0x0A, 0);
    return true;
}

static bool stage1(struct leaf *leaf)
{
    static const unsigned granules[2][4] = {{12, 16, 14, 0}, {0, 14, 12, 16}};
    uint64_t va = ref.access.va;
    bool upper = va >> 55 & 1;
    unsigned at = upper ? 16 : 0, base = upper ? 132 : 68;
    struct regime r = {.tsz = bits(ref.cd, at + 5, at),
                       .granule = granules[upper][bits(ref.cd, at + 7, at + 6)],
                       .output = size_of(bits(ref.cd, 34, 32)),
                       .swap = bits(ref.cd, 15, 15),
                       .affd = bits(ref.cd, 35, 35),
                       .base = bits(ref.cd, base + 51, base) << 4};

    if (ref.el2 ? upper : bits(ref.cd, at + 14, at + 14))
        return faulted(0x10, false, C_IN, 0, 0);
    if (bits(ref.cd, 38 + upper, 38 + upper)) /* TBI */
        va = upper ? va | 0xFFull << 56 : va & ~(0xFFull << 56);
    if (va >> (64 - r.tsz) != (upper ? UINT64_MAX >> (64 - r.tsz) : 0))
        return faulted(0x10, false, C_IN, 0, 0);
    r.start = 3 - (64 - r.tsz - 1 - r.granule) / (r.granule - 3);
    if (!walk(&r, false, C_IN, va, leaf))
        return false;
    return stage1_allows(leaf, upper) || faulted(0x13, false, C_IN, 0, 0);
}

static bool judge(void)
{
    struct access *a = &ref.access;
    const uint64_t *ste = ref.ste;
    unsigned config = bits(ste, 3, 1), max = ref.ssid_bits ? bits(ste, 63, 59) : 0, dss = bits(ste, 65, 64);
    struct leaf leaf = {.out = a->va};
    unsigned attribute;

    ref.stage1 = config & 1;
    ref.stage2 = config & 2;
    if (!bits(ste, 0, 0))
        return bad(0x04, 0);
    if (config < 4)
        return bad(0, 0), memset(ref.outcome.record, 0, sizeof(ref.outcome.record)), false;
    if (!ste_legal(max))
        return bad(0x04, 0);
    ref.el2 = ref.stage1 && !ref.stage2 && ref.hyp && bits(ste, 95, 94) == 2 && !ref.e2h;
    if (bits(ste, 113, 113))
        a->privileged = bits(ste, 112, 112);
    if (bits(ste, 115, 115))
        a->instruction = bits(ste, 114, 114);
    a->instruction = a->instruction && !a->write;
    if (a->ssv) {
        if (!ref.stage1 || max == 0 || a->ssid >> max)
            return bad(0x08, 0);
        if (dss == 2 && a->ssid == 0)
            return bad(0x06, 0);
    } else if (ref.stage1 && max) {
        if (dss == 0 || dss == 3)
            return bad(0x06, 0);
        ref.stage1 = dss != 1;
    }
    if (ref.stage1) {
        if (!find_cd(max) || !stage1(&leaf))
            return false;
        attribute = mairs[leaf.descriptor >> 2 & 7];
        combine(attribute < 0x10    ? (enum mem_type)(attribute >> 2)
                : attribute == 0xFF ? MEM_NORMAL_WB
                : attribute == 0xBB ? MEM_NORMAL_WT
                                    : MEM_NORMAL_NC,
                leaf.descriptor >> 8 & 3, true);
    } else {
        if (a->va >> ref.oas)
            return faulted(0x11, false, C_IN, 0, 0);
        attribute = bits(ste, 109, 108);
        combine(bits(ste, 100, 100) ? type_of(bits(ste, 99, 96)) : MEM_NORMAL_WB, attribute == 1 ? SH_INNER : attribute,
                true);
    }
    if (ref.stage2) {
        if (!through_stage2(leaf.out, C_IN, true, &leaf))
            return false;
        combine(type_of(leaf.descriptor >> 2 & 15), leaf.descriptor >> 8 & 3, false);
    }
    ref.outcome.pa = leaf.out;
    return true;
}

/* --- random worlds --- */

static unsigned pick(unsigned below)
{
    return (unsigned)((a64_next(&dice) >> 33) % below);
}

static bool chance(unsigned percent)
{
    return pick(100) < percent;
}

static bool seldom(unsigned percent)
{
    return pick(100 * calm) < percent;
}

static uint64_t pool_page(void)
{
    return POOL_AT + pick(POOL_PAGES) * 0x1000ull;
}

/* Sometimes bits that no address has, sometimes an address where nothing is. */
static uint64_t pool_address(void)
{
    static const uint8_t high[] = {33, 37, 41, 43, 46, 47};

    return pool_page() | (seldom(2) ? 1ull << high[pick(6)] : 0) | (seldom(2) ? MEMORY_BYTES : 0);
}

static uint64_t any_descriptor(void)
{
    uint64_t flags = a64_next(&dice);
    uint64_t d = pool_address() | (chance(50) ? 15u : pick(16)) << 2 | (flags & 3) << 8 | 1 << 11; /* nG */

    d |= seldom(10) ? pick(2) * 2 : chance(8) ? 1 : 3;
    d |= (seldom(50) ? flags >> 2 & 3 : chance(50) ? 1 : 3) << 6;
    d |= seldom(10) ? 0 : 1 << 10;
    d |= chance(10) ? (flags >> 4 & 31) << 59 : 0;
    return d | (chance(30) ? (flags >> 9 & 3) << 53 : 0);
}

static void any_cd(uint64_t at, uint16_t asid, bool swap)
{
    static const uint8_t granules0[] = {0, 1, 2}, granules1[] = {2, 3, 1};
    uint64_t flags = a64_next(&dice), cd[8] = {0};

    cd[0] = (16 + pick(seldom(50) ? 24 : 12)) | granules0[pick(3)] << 6 | (flags & 63) << 8 | (16 + pick(24)) << 16 |
            granules1[pick(3)] << 22 | (flags >> 6 & 63) << 24;
    cd[0] |=
        (uint64_t)seldom(5) << 14 | (uint64_t)chance(40) << 30 | (uint64_t)swap << 15 | (seldom(3) ? 0 : 1ull << 31);
    cd[0] |= (uint64_t)(chance(80) ? 5 : pick(8)) << 32 | (uint64_t)chance(50) << 35 | (uint64_t)chance(20) << 36 |
             (uint64_t)pick(4) << 38 | (uint64_t)chance(20) << 40 | (seldom(3) ? 0 : 1ull << 41) |
             (uint64_t)chance(80) << 45 | (uint64_t)chance(70) << 46 | (uint64_t)asid << 48;
    if (seldom(5))
        cd[0] ^= 1ull << pick(48);
    for (unsigned half = 1; half <= 2; half++)
        cd[half] = pool_address() | (flags >> 16 & 0xFF) << 4 | (uint64_t)chance(30) << 1; /* HAD */
    memcpy(&cd[3], mairs, 8);
    for (unsigned i = 0; i < 8; i++)
        set_word(at + 8 * i, cd[i]);
}

static void any_pool(bool swap)
{
    for (uint64_t page = 0; page < POOL_PAGES; page++) {
        uint64_t at = POOL_AT + page * 0x1000;
        for (unsigned i = 0; i < 512; i++) {
            uint64_t d = any_descriptor();
            set_word(at + 8 * i, swap ? __builtin_bswap64(d) : d);
        }
        for (unsigned i = 0; i < CDS; i++)
            any_cd(at + CDS_AT + 64 * i, (uint16_t)(page * CDS + i), swap);
        for (unsigned i = 0; i < 16; i++) /* L1CDs */
            set_word(at + LEVEL1_AT + 8 * i, pool_address() | (uint64_t)seldom(1) << 52 | (seldom(5) ? 0 : 1));
    }
}

/* The STE, and the substream that the next accesses have. */
static void any_ste(bool swap, struct access *a)
{
    static const uint8_t configs[] = {5, 5, 5, 5, 5, 5, 7, 7, 7, 7, 7, 7, 7, 7, 6, 6, 6, 4, 4, 0};
    static const struct {
        uint8_t tg, sl0, first, count; /* T0SZ */
    } sizes[] = {{0, 2, 16, 9}, {0, 1, 21, 13}, {0, 0, 30, 10}, {2, 2, 16, 12}, {2, 1, 24, 15},
                 {2, 0, 35, 5}, {1, 2, 16, 6},  {1, 1, 18, 17}, {1, 0, 31, 9}};
    unsigned size = pick(9), max = chance(50) ? 0 : 1 + pick(9), format = pick(4);
    uint64_t flags = a64_next(&dice), *ste = ref.ste;

    memset(ste, 0, sizeof(ref.ste));
    ste[0] = (seldom(3) ? 0 : 1) | configs[pick(20)] << 1 | format << 4 | pool_page() | (uint64_t)max << 59;
    ste[0] |= max && (format == 1 || format == 2) ? LEVEL1_AT : CDS_AT;
    if (seldom(2))
        ste[0] |= 1ull << (40 + pick(16));
    ste[1] = pick(4) | (flags & 63) << 2 | (uint64_t)seldom(2) << 27 | (chance(30) ? (flags >> 6 & 3) << 30 : 0) |
             (flags >> 8 & 31) << 32 | (flags >> 13 & 3) << 44 | (chance(50) ? (flags >> 15 & 15) << 48 : 0);
    ste[2] = pick(3) | (uint64_t)(sizes[size].first + pick(sizes[size].count)) << 32 | (uint64_t)sizes[size].sl0 << 38 |
             (flags >> 20 & 63) << 40 | (uint64_t)sizes[size].tg << 46 | (uint64_t)(chance(80) ? 5 : pick(8)) << 48 |
             (seldom(2) ? 0 : 1ull << 51) | (uint64_t)swap << 52 | (uint64_t)chance(60) << 53 |
             (uint64_t)chance(20) << 54 | (uint64_t)chance(80) << 58;
    ste[3] = pool_address() | (flags >> 26 & 0xFF) << 4;
    if (seldom(5))
        ste[2] ^= 1ull << (32 + pick(26));
    for (unsigned i = 0; i < 8; i++)
        set_word(STE(SID) + 8 * i, ste[i]);
    a->ssv = seldom(50) ? chance(50) : max > 0 && (format == 1 || format == 2 || chance(50));
    a->ssid = format == 1 || format == 2 ? (FIRST_CD | pick(CDS)) + 64 * pick(seldom(90) ? 10 : 1) : pick(CDS);
}

static void any_access(struct access *a)
{
    uint64_t va = a64_next(&dice) >> (seldom(30) ? 16 + pick(24) : 28 + pick(12)) & ~7ull;

    if (chance(15))
        va = ~va & ~7ull;
    if (seldom(10))
        va ^= (uint64_t)(1 + pick(255)) << 56;
    a->va = va;
    a->write = chance(40);
    a->privileged = chance(50);
    a->instruction = chance(25);
}

static void compare(struct access access, unsigned number)
{
    uint64_t value = 0x0123456789ABCDEF, record[4] = {0};
    struct txn txn = {.kind = access.write ? TXN_WRITE : TXN_READ,
                      .addr = access.va,
                      .size = 8,
                      .data = (uint8_t *)&value,
                      .stream_id = SID,
                      .substream_id = access.ssid,
                      .substream_valid = access.ssv,
                      .privileged = access.privileged,
                      .instruction = access.instruction};
    const struct outcome *o = &ref.outcome;

    memset(&ref.outcome, 0, sizeof(ref.outcome));
    ref.access = access;
    judge();
    if (o->verdict == PASSES && access.write && o->pa < MEMORY_BYTES)
        value = word(o->pa & ~7ull); /* writes back what is there: the pool must not change */
    device_access(&txn);
    next_event(record);
    ck_assert_msg(!memcmp(record, o->record, sizeof(record)),
                  "access %u: event %lx %lx %lx %lx, expected %lx %lx %lx %lx", number, record[0], record[1], record[2],
                  record[3], o->record[0], o->record[1], o->record[2], o->record[3]);
    ck_assert_msg((txn.status == TXN_FAULT) == (o->verdict == ABORTS), "access %u: status %u", number, txn.status);
    if (o->verdict == IGNORED)
        ck_assert_msg(access.write || value == 0, "access %u", number);
    if (o->verdict == PASSES)
        ck_assert_msg(bench.last.addr == o->pa && bench.last.type == o->type && bench.last.sh == o->sh,
                      "access %u: 0x%lx type %u sh %u, expected 0x%lx %u %u", number, bench.last.addr, bench.last.type,
                      bench.last.sh, o->pa, o->type, o->sh);
}

static void run_world(uint64_t seed, unsigned accesses)
{
    static const unsigned sizes[] = {40, 44, 48};
    struct access a = {0};
    bool swap;

    dice.state = seed;
    swap = chance(25);
    calm = chance(50) ? 1 : 12;
    ref = (struct reference){
        .oas = sizes[pick(3)], .ssid_bits = chance(80) ? 8 : 0, .hyp = chance(80), .e2h = chance(50)};
    bench.config.translator.output_bits = ref.oas;
    bench.config.ssid_bits = ref.ssid_bits;
    bench.config.hyp = ref.hyp;
    smmu_bench_start();
    wr32(R_CR1, 0xD75);
    wr32(R_CR2, 2 | ref.e2h);
    wr64(R_STRTAB_BASE, STRTAB_AT);
    wr32(R_STRTAB_CFG, 6);
    wr64(R_CMDQ_BASE, CMDQ_AT | bench.cmdq_bits);
    wr64(R_EVENTQ_BASE, EVENTQ_AT | bench.eventq_bits);
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
    any_pool(swap);
    for (unsigned i = 0; i < accesses; i++) {
        if (i % 8 == 0) { /* one substream between invalidations: CDs may share nothing */
            any_ste(swap, &a);
            if (ref.hyp)
                command(0x20, 0);
            forget_all();
        }
        if (i % 2 == 0 || chance(30))
            any_access(&a);
        else /* the same page with other rights, from the TLB */
            a = (struct access){a.ssid, a.ssv, chance(50), chance(50), chance(30), a.va ^ pick(512) * 8};
        compare(a, i);
    }
    smmu_bench_stop();
    smmu_bench_reset();
}

START_TEST(random_configurations_agree)
{
    unsigned worlds = getenv("DMASIM_FULL") ? 1000 : 20;

    for (unsigned i = 1; i <= worlds; i++)
        run_world(0x9E3779B97F4A7C15ull * i, 1000);
    smmu_bench_start();
}
END_TEST

void test_smmu_configurations(struct unit_registry *registry)
{
    unit_suite(registry, "SmmuConfigurations", smmu_bench_reset, smmu_bench_stop);
    unit_timeout(registry, 300);
    unit_test(registry, random_configurations_agree);
}
