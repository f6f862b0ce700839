/* Advanced SIMD vector x indexed element, and scalar x indexed element. */
#include "cpu/simd_lanes.h"

/* The element of Vm that the word names: halfwords are in V0-V15, indexed by H:L:M, words by H:L, doublewords by H. */
static uint64_t indexed(const struct cpu *cpu, uint32_t word, unsigned bits)
{
    unsigned h = bit(word, 11), l = bit(word, 21), m = bit(word, 20);

    switch (bits) {
    case 16:
        return simd_get(&cpu->v[simd_rm(word) & 15], 16, h << 2 | l << 1 | m);
    case 32:
        return simd_get(&cpu->v[simd_rm(word)], 32, h << 1 | l);
    default:
        return simd_get(&cpu->v[simd_rm(word)], 64, h);
    }
}

static void each(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    unsigned bits = simd_bits(word, op);

    simd_each_with(cpu, word, op, bits, indexed(cpu, word, bits));
}
static void widen(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    unsigned bits = simd_bits(word, op);

    simd_widen_with(cpu, word, op, bits, indexed(cpu, word, bits));
}

#define ELEMENT(u, opcode)    0x2000F000, (uint32_t)(u) << 29 | (opcode) << 12
#define ELEMENT_FP(u, opcode) 0x2080F000, (uint32_t)(u) << 29 | 1u << 23 | (opcode) << 12

enum { VECTOR = VECTOR_HS | INDEXED, BOTH = VECTOR_HS | SCALAR_HS | SIGNED | INDEXED, FP = BOTH_SD | FLOAT };

static const struct simd_op ops[] = {
    {"MLA", ELEMENT(1, 0x0), VECTOR | ACCUMULATE, lane_mla, each, LATENCY_MUL},
    {"MLS", ELEMENT(1, 0x4), VECTOR | ACCUMULATE, lane_mls, each, LATENCY_MUL},
    {"MUL", ELEMENT(0, 0x8), VECTOR, lane_mul, each, LATENCY_MUL},
    {"SMLAL", ELEMENT(0, 0x2), VECTOR | SIGNED | ACCUMULATE, lane_mla, widen, LATENCY_MUL},
    {"UMLAL", ELEMENT(1, 0x2), VECTOR | ACCUMULATE, lane_mla, widen, LATENCY_MUL},
    {"SMLSL", ELEMENT(0, 0x6), VECTOR | SIGNED | ACCUMULATE, lane_mls, widen, LATENCY_MUL},
    {"UMLSL", ELEMENT(1, 0x6), VECTOR | ACCUMULATE, lane_mls, widen, LATENCY_MUL},
    {"SMULL", ELEMENT(0, 0xA), VECTOR | SIGNED, lane_mul, widen, LATENCY_MUL},
    {"UMULL", ELEMENT(1, 0xA), VECTOR, lane_mul, widen, LATENCY_MUL},
    {"SQDMLAL", ELEMENT(0, 0x3), BOTH | ACCUMULATE, lane_sqdmlal, widen, LATENCY_MUL},
    {"SQDMLSL", ELEMENT(0, 0x7), BOTH | ACCUMULATE, lane_sqdmlsl, widen, LATENCY_MUL},
    {"SQDMULL", ELEMENT(0, 0xB), BOTH, lane_sqdmull, widen, LATENCY_MUL},
    {"SQDMULH", ELEMENT(0, 0xC), BOTH, lane_sqdmulh, each, LATENCY_MUL},
    {"SQRDMULH", ELEMENT(0, 0xD), BOTH, lane_sqrdmulh, each, LATENCY_MUL},
    {"FMLA", ELEMENT_FP(0, 0x1), FP | ACCUMULATE, lane_fmla, each, LATENCY_FP_FMA},
    {"FMLS", ELEMENT_FP(0, 0x5), FP | ACCUMULATE, lane_fmls, each, LATENCY_FP_FMA},
    {"FMUL", ELEMENT_FP(0, 0x9), FP, lane_fmul, each, LATENCY_FP_MUL},
    {"FMULX", ELEMENT_FP(1, 0x9), FP, lane_fmulx, each, LATENCY_FP_MUL},
};

/* Of doublewords there are two: L must be 0. */
static bool exists(uint32_t word, const struct simd_op *op)
{
    return simd_size(word, op) != 3 || !bit(word, 21);
}

const struct simd_group simd_by_element = SIMD_GROUP(0x9F000400, 0x0F000000, ops, exists);
const struct simd_group simd_scalar_by_element = SIMD_GROUP(0xDF000400, 0x5F000000, ops, exists);
