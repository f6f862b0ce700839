#include "tests/support/a64_random.h"

#include <stddef.h>

enum { BASE = 26, INDEX = 27, COUNTER = 28, SP = 31 };

uint64_t a64_next(struct a64_random *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return r->state * 0x2545F4914F6CDD1Dull;
}

uint64_t a64_value(struct a64_random *r)
{
    static const uint64_t special[] = {0, 1, ~0ull, 1ull << 63, 1ull << 31, 0x7FFFFFFF, ~0ull >> 1, 0xFFFFFFFF};
    uint64_t choice = a64_next(r) >> 32;

    return choice % 4 == 0 ? special[choice / 4 % 8] : choice % 4 == 1 ? a64_next(r) & 0xFF : a64_next(r);
}

static uint32_t below(struct a64_random *r, uint32_t limit)
{
    return (uint32_t)((a64_next(r) >> 32) * limit >> 32);
}

static uint32_t bits(struct a64_random *r, unsigned count)
{
    return (uint32_t)(a64_next(r) >> (64 - count));
}

static void emit(struct a64_random *r, uint32_t word)
{
    r->words[r->count++] = word;
}

/* A register to write: not the ones with a role. */
static uint32_t target(struct a64_random *r)
{
    uint32_t n = below(r, 28);

    return n < A64_WINDOW ? n : n + 4; /* 29, 30, 31 */
}

static uint32_t source(struct a64_random *r)
{
    return bits(r, 5);
}

static uint32_t three_registers(struct a64_random *r)
{
    return source(r) << 16 | source(r) << 5 | target(r);
}

/* As target, but register 31 would be SP: kept out, as SP is a base that must stay aligned. */
static uint32_t target_not_sp(struct a64_random *r)
{
    uint32_t n = target(r);

    return n == SP ? 30 : n;
}

/* add Xd, X25, #offset (within half the window, 12 bits) */
static void point(struct a64_random *r, uint32_t reg, uint32_t offset)
{
    emit(r, 0x91000000 | offset << 10 | A64_WINDOW << 5 | reg);
}

static uint32_t logical_immediate(struct a64_random *r)
{
    uint32_t sf = bits(r, 1), n = sf & bits(r, 1), size_bits = n ? 6 : 1 + below(r, 5);
    uint32_t ones_most = (1u << size_bits) - 1, s = below(r, ones_most),
             pattern = n ? 0 : (~0u << (size_bits + 1)) & 0x3F;
    uint32_t opc = bits(r, 2);

    return 0x12000000 | sf << 31 | opc << 29 | n << 22 | bits(r, 6) << 16 | (pattern | s) << 10 | source(r) << 5 |
           (opc == 3 ? target(r) : target_not_sp(r));
}

static uint32_t add_sub_immediate(struct a64_random *r)
{
    uint32_t flags = bits(r, 1);

    return 0x11000000 | bits(r, 2) << 30 | flags << 29 | bits(r, 13) << 10 | source(r) << 5 |
           (flags ? target(r) : target_not_sp(r));
}

static uint32_t move_wide(struct a64_random *r)
{
    static const uint32_t opcs[] = {0, 2, 3};
    uint32_t sf = bits(r, 1);

    return 0x12800000 | sf << 31 | opcs[below(r, 3)] << 29 | (sf ? bits(r, 2) : bits(r, 1)) << 21 | bits(r, 16) << 5 |
           target(r);
}

static uint32_t bitfield(struct a64_random *r)
{
    uint32_t sf = bits(r, 1), width = sf ? 6 : 5;

    return 0x13000000 | sf << 31 | below(r, 3) << 29 | sf << 22 | bits(r, width) << 16 | bits(r, width) << 10 |
           source(r) << 5 | target(r);
}

static uint32_t extract(struct a64_random *r)
{
    uint32_t sf = bits(r, 1);

    return 0x13800000 | sf << 31 | sf << 22 | bits(r, sf ? 6 : 5) << 10 | three_registers(r);
}

static uint32_t shifted_register(struct a64_random *r)
{
    uint32_t sf = bits(r, 1), amount = (bits(r, 1) ? bits(r, sf ? 6 : 5) : 0) << 10;

    if (bits(r, 1))
        return 0x0A000000 | sf << 31 | bits(r, 2) << 29 | bits(r, 2) << 22 | bits(r, 1) << 21 | amount |
               three_registers(r);
    return 0x0B000000 | sf << 31 | bits(r, 2) << 29 | below(r, 3) << 22 | amount | three_registers(r);
}

static uint32_t extended_register(struct a64_random *r)
{
    uint32_t flags = bits(r, 1);

    return 0x0B200000 | bits(r, 2) << 30 | flags << 29 | source(r) << 16 | bits(r, 3) << 13 | below(r, 5) << 10 |
           source(r) << 5 | (flags ? target(r) : target_not_sp(r));
}

static uint32_t with_flags(struct a64_random *r)
{
    switch (below(r, 4)) {
    case 0: /* ADC, SBC */
        return 0x1A000000 | bits(r, 3) << 29 | three_registers(r);
    case 1: /* CCMP, CCMN */
        return 0x3A400000 | bits(r, 2) << 30 | source(r) << 16 | bits(r, 4) << 12 | bits(r, 1) << 11 | source(r) << 5 |
               bits(r, 4);
    case 2:
        return 0x1A800000 | bits(r, 2) << 30 | bits(r, 4) << 12 | bits(r, 1) << 10 | three_registers(r);
    default: /* MSR NZCV, Xt or MRS Xt, NZCV */
        return bits(r, 1) ? 0xD51B4200 | source(r) : 0xD53B4200 | target(r);
    }
}

static uint32_t one_or_two_sources(struct a64_random *r)
{
    static const uint32_t two[] = {2, 3, 8, 9, 10, 11};
    uint32_t sf = bits(r, 1), size = bits(r, 2);

    switch (below(r, 3)) {
    case 0:
        return 0x5AC00000 | sf << 31 | (sf ? below(r, 6) : below(r, 3) + 3 * bits(r, 1)) % 6 << 10 | source(r) << 5 |
               target(r);
    case 1:
        return 0x1AC00000 | sf << 31 | two[below(r, 6)] << 10 | three_registers(r);
    default: /* CRC32, CRC32C */
        return 0x1AC04000 | (uint32_t)(size == 3) << 31 | bits(r, 1) << 12 | size << 10 | three_registers(r);
    }
}

static uint32_t three_sources(struct a64_random *r)
{
    static const uint32_t forms[] = {0x1B000000, 0x1B008000, 0x9B000000, 0x9B008000, 0x9B200000,
                                     0x9B208000, 0x9BA00000, 0x9BA08000, 0x9B407C00, 0x9BC07C00};
    uint32_t form = forms[below(r, 10)];

    return form | ((form & 0x7C00) ? 0 : source(r) << 10) | three_registers(r);
}

static void data_processing(struct a64_random *r)
{
    static uint32_t (*const kinds[])(struct a64_random *) = {
        logical_immediate, add_sub_immediate, move_wide,          bitfield,
        extract,           shifted_register,  shifted_register,   extended_register,
        with_flags,        with_flags,        one_or_two_sources, three_sources};
    uint32_t word = kinds[below(r, sizeof(kinds) / sizeof(kinds[0]))](r);

    if ((word & 0x7FFFF800) == 0x5AC00800 && !(word >> 31) && (word >> 10 & 1))
        word &= ~(1u << 10); /* REV32 of a W register does not exist */
    emit(r, word);
}

/* size, opc of every single-register access there is; PRFM left out. */
static uint32_t access_kind(struct a64_random *r)
{
    uint32_t size, opc;

    do {
        size = bits(r, 2);
        opc = bits(r, 2);
    } while (size + (opc >= 2 ? opc - 1 : 0) > 3);
    return size << 30 | opc << 22;
}

static void load_store(struct a64_random *r)
{
    static const uint32_t immediate_9[] = {0x38000000, 0x38000400, 0x38000800, 0x38000C00, 0x19000000};
    uint32_t kind = access_kind(r), base = bits(r, 3) ? BASE : SP, size = kind >> 30;

    switch (below(r, 4)) {
    case 0: /* unsigned offset: scaled, at most 0x7F8 here */
        point(r, base, (bits(r, 9) + 0x100) & ~15u);
        emit(r, 0x39000000 | kind | bits(r, 11) >> size << 10 | base << 5 | target(r));
        break;
    case 1: /* register offset of up to 255 * 8 */
        point(r, base, bits(r, 9) & ~15u);
        emit(r, 0xD3401C00 | source(r) << 5 | INDEX); /* ubfx x27, xn, #0, #8 */
        emit(r, 0x38200800 | kind | INDEX << 16 | (2 | bits(r, 1) | bits(r, 1) << 2) << 13 | bits(r, 1) << 12 |
                    base << 5 | target(r));
        break;
    case 2: { /* LDAPUR, STLUR need their natural alignment (FEAT_LSE2 is not there) */
        uint32_t form = immediate_9[below(r, 5)];
        point(r, base, 0x200 + (bits(r, 9) & ~15u));
        emit(r, form | kind | (form == 0x19000000 ? bits(r, 9) >> size << size : bits(r, 9)) << 12 | base << 5 |
                    target(r));
        break;
    }
    default: { /* pairs */
        uint32_t first = target(r), second = target(r), opc = below(r, 3), load = opc == 1 ? 1 : bits(r, 1);
        uint32_t mode = opc == 1 ? 1 + below(r, 3) : bits(r, 2);
        if (first == second)
            second = first == 5 ? 6 : 5;
        point(r, base, 0x200 + (bits(r, 9) & ~15u));
        emit(r, 0x28000000 | opc << 30 | mode << 23 | load << 22 | bits(r, 7) << 15 | second << 10 | base << 5 | first);
        break;
    }
    }
}

static void atomic(struct a64_random *r)
{
    uint32_t size = bits(r, 2), order = bits(r, 2), even;

    point(r, BASE, bits(r, 9) & ~15u);
    switch (below(r, 5)) {
    case 0: /* LDADD to LDUMIN (the signed and unsigned extremes only of 8 bytes: Unicorn 2.0.1 errs) */
        if (bits(r, 1))
            size = 3;
        emit(r, 0x38200000 | size << 30 | order << 22 | source(r) << 16 | (size == 3 ? bits(r, 3) : bits(r, 2)) << 12 |
                    BASE << 5 | target(r));
        break;
    case 1: /* SWP */
        emit(r, 0x38208000 | size << 30 | order << 22 | source(r) << 16 | BASE << 5 | target(r));
        break;
    case 2: /* CAS; half of them after a load of the same, so that some succeed */
        even = target(r);
        if (bits(r, 1))
            emit(r, 0x39400000 | size << 30 | BASE << 5 | even);
        emit(r, 0x08A07C00 | size << 30 | (order & 1) << 22 | order >> 1 << 15 | even << 16 | BASE << 5 | source(r));
        break;
    case 3: /* CASP */
        even = below(r, 12) * 2;
        if (bits(r, 1))
            emit(r, 0x29400000 | (size & 1) << 31 | (even + 1) << 10 | BASE << 5 | even);
        emit(r, 0x08207C00 | (size & 1) << 30 | (order & 1) << 22 | order >> 1 << 15 | even << 16 | BASE << 5 |
                    below(r, 16) * 2);
        break;
    default: /* LDAR, STLR, LDAPR */
        if (order == 0)
            emit(r, 0x38BFC000 | size << 30 | BASE << 5 | target(r));
        else
            emit(r, 0x089FFC00 | size << 30 | (order & 1) << 22 | BASE << 5 | target(r));
        break;
    }
}

/* LDXR ... STXR of the same size and place, sometimes with CLREX or another place between. */
static void exclusive(struct a64_random *r)
{
    uint32_t size = bits(r, 2), pair = size >= 2 && bits(r, 1), order = bits(r, 1) << 15;
    uint32_t first = below(r, 10), second = 10 + below(r, 10), status = 20 + below(r, 5);

    point(r, BASE, bits(r, 9) & ~15u);
    if (bits(r, 3))
        emit(r,
             0x085F0000 | size << 30 | pair << 21 | order | 31 << 16 | (pair ? second : 31u) << 10 | BASE << 5 | first);
    if (bits(r, 1))
        emit(r, 0x91000400 | first << 5 | first); /* add x, x, #1 */
    if (bits(r, 3) == 0)
        emit(r, 0xD5033F5F); /* clrex */
    if (bits(r, 3) == 0)
        point(r, BASE, bits(r, 9) & ~15u);
    emit(r,
         0x08000000 | size << 30 | pair << 21 | order | status << 16 | (pair ? second : 31u) << 10 | BASE << 5 | first);
}

static void system_instruction(struct a64_random *r)
{
    static const uint32_t words[] = {
        0xD503201F, 0xD503203F,
        0xD503209F, 0xD50320BF /* nop, yield, sev, sevl */,
        0xD5033FBF, 0xD5033F9F,
        0xD5033FDF, 0xD5033BBF /* dmb, dsb, isb, dmb ish */,
        0xD503233F, 0xD50323BF,
        0xD503245F, 0xD503229F /* paciasp, autiasp, bti c, csdb */,
        0xD503221F, 0xD5033F5F /* esb, clrex */,
    };

    switch (below(r, 4)) {
    case 0:
        emit(r, 0xF9800000 | bits(r, 12) << 10 | source(r) << 5 | bits(r, 5)); /* prfm */
        break;
    case 1:
        emit(r, (bits(r, 1) ? 0xD51BD040 | source(r) : 0xD53BD040 | target(r))); /* tpidr_el0 */
        break;
    default:
        emit(r, words[below(r, sizeof(words) / sizeof(words[0]))]);
        break;
    }
}

/* A load of two to eight words ahead or behind, ADR and ADRP too. */
static void relative_to_pc(struct a64_random *r)
{
    int32_t distance = (int32_t)below(r, 16) - 8;

    if (bits(r, 1))
        emit(r, 0x18000000 | below(r, 3) << 30 | ((uint32_t)distance & 0x7FFFF) << 5 | target(r));
    else
        emit(r, 0x10000000 | bits(r, 1) << 31 | bits(r, 2) << 29 | ((uint32_t)distance & 0x7FFFF) << 5 | target(r));
}

static void fill(struct a64_random *r, unsigned count)
{
    while (count--)
        data_processing(r);
}

static void branch(struct a64_random *r)
{
    uint32_t over = 1 + below(r, 5), offset = over + 1;

    switch (below(r, 7)) {
    case 0:
        emit(r, 0x54000000 | offset << 5 | bits(r, 4));
        break;
    case 1:
        emit(r, 0x34000000 | bits(r, 1) << 31 | bits(r, 1) << 24 | offset << 5 | source(r));
        break;
    case 2:
        emit(r, 0x36000000 | bits(r, 1) << 31 | bits(r, 1) << 24 | bits(r, 5) << 19 | offset << 5 | source(r));
        break;
    case 3:
        emit(r, 0x14000000 | bits(r, 1) << 31 | offset);
        break;
    case 4: /* BR, BLR, RET to an address made by ADR */
        emit(r, 0x10000000 | (offset + 1) << 5 | INDEX);
        emit(r, 0xD61F0000 | below(r, 3) << 21 | INDEX << 5);
        break;
    default: { /* a counted loop: movz x28, #n; ...; subs x28, x28, #1; b.ne */
        emit(r, 0xD2800000 | (1 + below(r, 4)) << 5 | COUNTER);
        fill(r, over);
        emit(r, 0xF1000400 | COUNTER << 5 | COUNTER);
        emit(r, 0x54000001 | ((0u - (over + 1)) & 0x7FFFF) << 5);
        return;
    }
    }
    fill(r, over);
}

void a64_program(struct a64_random *r, unsigned length)
{
    r->count = 0;
    emit(r, 0xD5033F5F); /* clrex: the monitors start alike */
    while (r->count < length) {
        uint32_t kind = below(r, 16);
        if (kind < 7)
            data_processing(r);
        else if (kind < 11)
            load_store(r);
        else if (kind < 12)
            atomic(r);
        else if (kind < 13)
            exclusive(r);
        else if (kind < 14)
            relative_to_pc(r);
        else if (kind < 15)
            branch(r);
        else
            system_instruction(r);
    }
}

/* Extensions of Unicorn's "max" (QEMU 5.0) that this core has not, or the reverse, and the known faults of either. */
static const struct {
    uint32_t mask, value;
    const char *reason;
} differ[] = {
    {0x9F60C400, 0x0E400400, "FEAT_FP16 three same: Undefined here"},
    {0xDF60C400, 0x5E400400, "FEAT_FP16 scalar three same: Undefined here"},
    {0x8F7E0C00, 0x0E780800, "FEAT_FP16 two-register: Undefined here"},
    {0xBF3FCC00, 0x0E30C800, "FEAT_FP16 across lanes: Undefined here"},
    {0xFF3FCC00, 0x5E30C800, "FEAT_FP16 scalar pairwise: Undefined here"},
    {0xAFC0B400, 0x0F001000, "FEAT_FP16 FMLA, FMLS by element: Undefined here"},
    {0x8FC0F400, 0x0F009000, "FEAT_FP16 FMUL, FMULX by element: Undefined here"},
    {0x8FF0FC00, 0x0F10E400, "FEAT_FP16 SCVTF, UCVTF (fixed): Undefined here"},
    {0x8FF0FC00, 0x0F10FC00, "FEAT_FP16 FCVTZS, FCVTZU (fixed): Undefined here"},
    {0x9FF8FC00, 0x0F00FC00, "FEAT_FP16 FMOV (vector, immediate): Undefined here"},
    {0x7FE00000, 0x1EC00000, "FEAT_FP16 scalar conversions (fixed): Undefined here"},
    {0x7FE0FC00, 0x1EE00000, "FEAT_FP16 scalar conversions: Undefined here"},
    {0x7FE01C00, 0x1EE01000, "FEAT_FP16 FMOV (scalar, immediate): Undefined here"},
    {0x7FE03C00, 0x1EE02000, "FEAT_FP16 FCMP: Undefined here"},
    {0x7FFE7C00, 0x1EE04000, "FEAT_FP16 FMOV, FABS, FNEG, FSQRT: Undefined here"},
    {0x7FFC7C00, 0x1EE44000, "FEAT_FP16 FRINTN and the like: Undefined here"},
    {0x7FE00400, 0x1EE00400, "FEAT_FP16 FCCMP, FCSEL: Undefined here"},
    {0x7FE00800, 0x1EE00800, "FEAT_FP16 two sources: Undefined here"},
    {0xFFC00000, 0x1FC00000, "FEAT_FP16 three sources: Undefined here"},
    {0x9F208400, 0x0E008400, "FEAT_RDM, FEAT_DotProd, FEAT_FCMA three same: Undefined here"},
    {0xDF208400, 0x5E008400, "FEAT_RDM scalar three same: Undefined here"},
    {0xAF00D400, 0x2F00D000, "FEAT_RDM by element: Undefined here"},
    {0xBF009400, 0x2F001000, "FEAT_FCMA by element: Undefined here"},
    {0x9FC0F400, 0x0F80E000, "FEAT_DotProd by element: Undefined here"},
    {0xBF60FC00, 0x0E20EC00, "FEAT_FHM FMLAL, FMLSL: Undefined here"},
    {0xBF60FC00, 0x2E20CC00, "FEAT_FHM FMLAL2, FMLSL2: Undefined here"},
    {0xBFC0B400, 0x0F800000, "FEAT_FHM FMLAL, FMLSL by element: Undefined here"},
    {0xBFC0B400, 0x2F808000, "FEAT_FHM FMLAL2, FMLSL2 by element: Undefined here"},
    {0x9FBFEC00, 0x0E21E800, "FEAT_FRINTTS FRINT32Z and the like: Undefined here"},
    {0xFFBE7C00, 0x1E284000, "FEAT_FRINTTS FRINT32Z (scalar) and the like: Undefined here"},
    {0xFFFFFC00, 0x1E7E0000, "FEAT_JSCVT FJCVTZS: Undefined here"},
    {0xBFE0FC00, 0x0EE0E000, "FEAT_PMULL: Undefined here"},
    {0xFF3E0C00, 0x4E280800, "FEAT_AES: Undefined here"},
    {0xFF208C00, 0x5E000000, "FEAT_SHA1, FEAT_SHA256: Undefined here"},
    {0xFF3E0C00, 0x5E280800, "FEAT_SHA1, FEAT_SHA256: Undefined here"},
    {0xFF000000, 0xCE000000, "FEAT_SHA3, FEAT_SHA512, FEAT_SM3, FEAT_SM4: Undefined here"},
    {0x1E000000, 0x04000000, "SVE: Undefined here"},
    {0x1FE07C00, 0x1A000400, "FEAT_FlagM RMIF: Undefined here"},
    {0x1FE03C00, 0x1A000800, "FEAT_FlagM SETF8, SETF16: Undefined here"},
    {0x7FFF0000, 0x5AC10000, "FEAT_PAuth PACIA and the like: Undefined here"},
    {0xFFE0FC00, 0x9AC03000, "FEAT_PAuth PACGA: Undefined here"},
    {0xFF200400, 0xF8200400, "FEAT_PAuth LDRAA, LDRAB: Undefined here"},
    {0xFE00F800, 0xD6000800, "FEAT_PAuth BRAA, RETAA and the like: Undefined here"},
    {0xFFE00000, 0xD6800000, "ERET: other tests"},
    {0xFFE0F000, 0x9AC01000, "FEAT_MTE IRG, GMI: Undefined here"},
    {0xDFE0FC00, 0x9AC00000, "FEAT_MTE SUBP, SUBPS: Undefined here"},
    {0xBF800000, 0x91800000, "FEAT_MTE ADDG, SUBG: Undefined here"},
    {0xFE000000, 0x68000000, "FEAT_MTE STGP: Undefined here"},
    {0xFF200000, 0xD9200000, "FEAT_MTE STG and the like: Undefined here"},
    {0x3FA08000, 0x08800000, "FEAT_LOR LDLAR, STLLR: Undefined here"},
    {0xFF000000, 0xD4000000, "exception generation: other tests"},
    {0xFF000000, 0xD5000000, "system instructions and registers: other tests"},
};

bool a64_features_differ(uint32_t word, const char **reason)
{
    for (size_t i = 0; i < sizeof(differ) / sizeof(differ[0]); i++)
        if ((word & differ[i].mask) == differ[i].value) {
            *reason = differ[i].reason;
            return true;
        }
    return false;
}
