/* Advanced SIMD modified immediate: MOVI, MVNI, ORR, BIC and FMOV of a constant (DDI 0487 AdvSIMDExpandImm). */
#include "cpu/simd.h"

static uint64_t imm8_of(uint32_t word)
{
    return bits(word, 18, 16) << 5 | bits(word, 9, 5);
}

static void write_both(struct cpu *cpu, uint32_t word, uint64_t value)
{
    cpu->v[simd_rd(word)] = (union vector){.d = {value, simd_q(word) ? value : 0}};
}

/* Words or halfwords of imm8 shifted, ones coming in from the right where cmode says so. */
static uint64_t shifted(uint32_t word)
{
    unsigned cmode = bits(word, 15, 12);
    uint64_t imm8 = imm8_of(word);

    if (cmode >= 0xC)
        return (cmode & 1 ? imm8 << 16 | 0xFFFF : imm8 << 8 | 0xFF) * 0x0000000100000001;
    if (cmode >= 0x8)
        return (imm8 << (cmode & 2 ? 8 : 0)) * 0x0001000100010001;
    return (imm8 << (cmode >> 1) * 8) * 0x0000000100000001;
}

static void movi(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    write_both(cpu, word, shifted(word));
}
static void mvni(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    write_both(cpu, word, ~shifted(word));
}
static void orr(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    uint64_t value = shifted(word);
    const union vector d = cpu->v[simd_rd(word)];

    cpu->v[simd_rd(word)] = (union vector){.d = {d.d[0] | value, simd_q(word) ? d.d[1] | value : 0}};
}
static void bic(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    uint64_t value = shifted(word);
    const union vector d = cpu->v[simd_rd(word)];

    cpu->v[simd_rd(word)] = (union vector){.d = {d.d[0] & ~value, simd_q(word) ? d.d[1] & ~value : 0}};
}
static void movi_bytes(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    write_both(cpu, word, imm8_of(word) * 0x0101010101010101);
}
/* Each bit of imm8 is a byte of the doubleword. */
static void movi_doubleword(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < 8; i++)
        value |= imm8_of(word) >> i & 1 ? 0xFFull << 8 * i : 0;
    write_both(cpu, word, value);
}
static void fmov_single(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    write_both(cpu, word, fp_expand_immediate(32, (unsigned)imm8_of(word)) * 0x0000000100000001);
}
static void fmov_double(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    write_both(cpu, word, fp_expand_immediate(64, (unsigned)imm8_of(word)));
}

/* op and the bits of cmode that are fixed; o2 (bit 11) is FEAT_FP16's. */
#define IMMEDIATE(op, fixed, cmode) 0x20000800 | (fixed) << 12, (uint32_t)(op) << 29 | (cmode) << 12

enum { PLAIN = WHOLE | NO_M, MODIFY = PLAIN | ACCUMULATE };

static const struct simd_op ops[] = {
    {"MOVI (words)", IMMEDIATE(0, 0x9, 0x0), PLAIN, NULL, movi, LATENCY_SIMD},
    {"ORR (immediate, words)", IMMEDIATE(0, 0x9, 0x1), MODIFY, NULL, orr, LATENCY_SIMD},
    {"MOVI (halfwords)", IMMEDIATE(0, 0xD, 0x8), PLAIN, NULL, movi, LATENCY_SIMD},
    {"ORR (immediate, halfwords)", IMMEDIATE(0, 0xD, 0x9), MODIFY, NULL, orr, LATENCY_SIMD},
    {"MOVI (shifting ones)", IMMEDIATE(0, 0xE, 0xC), PLAIN, NULL, movi, LATENCY_SIMD},
    {"MVNI (words)", IMMEDIATE(1, 0x9, 0x0), PLAIN, NULL, mvni, LATENCY_SIMD},
    {"BIC (immediate, words)", IMMEDIATE(1, 0x9, 0x1), MODIFY, NULL, bic, LATENCY_SIMD},
    {"MVNI (halfwords)", IMMEDIATE(1, 0xD, 0x8), PLAIN, NULL, mvni, LATENCY_SIMD},
    {"BIC (immediate, halfwords)", IMMEDIATE(1, 0xD, 0x9), MODIFY, NULL, bic, LATENCY_SIMD},
    {"MVNI (shifting ones)", IMMEDIATE(1, 0xE, 0xC), PLAIN, NULL, mvni, LATENCY_SIMD},
    {"MOVI (bytes)", IMMEDIATE(0, 0xF, 0xE), PLAIN, NULL, movi_bytes, LATENCY_SIMD},
    {"MOVI (doubleword)", IMMEDIATE(1, 0xF, 0xE), PLAIN, NULL, movi_doubleword, LATENCY_SIMD},
    {"FMOV (immediate, single)", IMMEDIATE(0, 0xF, 0xF), PLAIN, NULL, fmov_single, LATENCY_SIMD},
    {"FMOV (immediate, double)", IMMEDIATE(1, 0xF, 0xF), PLAIN | Q_ONLY, NULL, fmov_double, LATENCY_SIMD},
};

const struct simd_group simd_modified_immediate = SIMD_GROUP(0x9FF80400, 0x0F000400, ops, NULL);
