/* Advanced SIMD three different, vector and scalar: operands and result differ in width. */
#include "cpu/simd_lanes.h"

/* The upper half of a sum or difference of wide elements. */
static uint64_t add_high(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (n + m) >> lane->bits;
}
static uint64_t rounded_add_high(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (n + m + (1ull << (lane->bits - 1))) >> lane->bits;
}
static uint64_t sub_high(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (n - m) >> lane->bits;
}
static uint64_t rounded_sub_high(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (n - m + (1ull << (lane->bits - 1))) >> lane->bits;
}

#define DIFFERENT(u, opcode) 0x2000F000, (uint32_t)(u) << 29 | (opcode) << 12

enum { DOUBLING = VECTOR_HS | SCALAR_HS | SIGNED };

static const struct simd_op ops[] = {
    {"SADDL", DIFFERENT(0, 0x0), VECTOR_BHS | SIGNED, lane_add, simd_widen, LATENCY_SIMD},
    {"UADDL", DIFFERENT(1, 0x0), VECTOR_BHS, lane_add, simd_widen, LATENCY_SIMD},
    {"SADDW", DIFFERENT(0, 0x1), VECTOR_BHS | SIGNED, lane_add, simd_widen_m, LATENCY_SIMD},
    {"UADDW", DIFFERENT(1, 0x1), VECTOR_BHS, lane_add, simd_widen_m, LATENCY_SIMD},
    {"SSUBL", DIFFERENT(0, 0x2), VECTOR_BHS | SIGNED, lane_sub, simd_widen, LATENCY_SIMD},
    {"USUBL", DIFFERENT(1, 0x2), VECTOR_BHS, lane_sub, simd_widen, LATENCY_SIMD},
    {"SSUBW", DIFFERENT(0, 0x3), VECTOR_BHS | SIGNED, lane_sub, simd_widen_m, LATENCY_SIMD},
    {"USUBW", DIFFERENT(1, 0x3), VECTOR_BHS, lane_sub, simd_widen_m, LATENCY_SIMD},
    {"ADDHN", DIFFERENT(0, 0x4), VECTOR_BHS | ACCUMULATE, add_high, simd_narrow, LATENCY_SIMD},
    {"RADDHN", DIFFERENT(1, 0x4), VECTOR_BHS | ACCUMULATE, rounded_add_high, simd_narrow, LATENCY_SIMD},
    {"SABAL", DIFFERENT(0, 0x5), VECTOR_BHS | SIGNED | ACCUMULATE, lane_aba, simd_widen, LATENCY_SIMD},
    {"UABAL", DIFFERENT(1, 0x5), VECTOR_BHS | ACCUMULATE, lane_aba, simd_widen, LATENCY_SIMD},
    {"SUBHN", DIFFERENT(0, 0x6), VECTOR_BHS | ACCUMULATE, sub_high, simd_narrow, LATENCY_SIMD},
    {"RSUBHN", DIFFERENT(1, 0x6), VECTOR_BHS | ACCUMULATE, rounded_sub_high, simd_narrow, LATENCY_SIMD},
    {"SABDL", DIFFERENT(0, 0x7), VECTOR_BHS | SIGNED, lane_abd, simd_widen, LATENCY_SIMD},
    {"UABDL", DIFFERENT(1, 0x7), VECTOR_BHS, lane_abd, simd_widen, LATENCY_SIMD},
    {"SMLAL", DIFFERENT(0, 0x8), VECTOR_BHS | SIGNED | ACCUMULATE, lane_mla, simd_widen, LATENCY_MUL},
    {"UMLAL", DIFFERENT(1, 0x8), VECTOR_BHS | ACCUMULATE, lane_mla, simd_widen, LATENCY_MUL},
    {"SQDMLAL", DIFFERENT(0, 0x9), DOUBLING | ACCUMULATE, lane_sqdmlal, simd_widen, LATENCY_MUL},
    {"SMLSL", DIFFERENT(0, 0xA), VECTOR_BHS | SIGNED | ACCUMULATE, lane_mls, simd_widen, LATENCY_MUL},
    {"UMLSL", DIFFERENT(1, 0xA), VECTOR_BHS | ACCUMULATE, lane_mls, simd_widen, LATENCY_MUL},
    {"SQDMLSL", DIFFERENT(0, 0xB), DOUBLING | ACCUMULATE, lane_sqdmlsl, simd_widen, LATENCY_MUL},
    {"SMULL", DIFFERENT(0, 0xC), VECTOR_BHS | SIGNED, lane_mul, simd_widen, LATENCY_MUL},
    {"UMULL", DIFFERENT(1, 0xC), VECTOR_BHS, lane_mul, simd_widen, LATENCY_MUL},
    {"SQDMULL", DIFFERENT(0, 0xD), DOUBLING, lane_sqdmull, simd_widen, LATENCY_MUL},
    {"PMULL", DIFFERENT(0, 0xE), VECTOR_B, lane_pmul, simd_widen, LATENCY_MUL}, /* of 64 bits: FEAT_PMULL */
};

const struct simd_group simd_three_different = SIMD_GROUP(0x9F200C00, 0x0E200000, ops, NULL);
const struct simd_group simd_scalar_three_different = SIMD_GROUP(0xDF200C00, 0x5E200000, ops, NULL);
