/* Advanced SIMD across lanes, and scalar pairwise: one element out of all, or of two. */
#include "cpu/simd_lanes.h"

/* Reduce(): the halves first. */
static uint64_t reduce(const struct lane *lane, simd_lane *f, const uint64_t *elements, unsigned count)
{
    if (count == 1)
        return elements[0];
    return f(lane, reduce(lane, f, elements, count / 2), reduce(lane, f, elements + count / 2, count / 2), 0);
}

static void across(struct cpu *cpu, uint32_t word, const struct simd_op *op, unsigned count, unsigned result_bits)
{
    const union vector n = cpu->v[simd_rn(word)];
    unsigned bits = simd_bits(word, op);
    struct lane lane = simd_lane_of(cpu, op, result_bits);
    union vector result = {{0}};
    uint64_t elements[16];

    for (unsigned i = 0; i < count; i++)
        elements[i] = simd_extend(simd_get(&n, bits, i), bits, lane.is_signed);
    simd_set(&result, result_bits, 0, reduce(&lane, op->lane, elements, count));
    cpu->v[simd_rd(word)] = result;
}

static void all(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    across(cpu, word, op, simd_count(word, simd_bits(word, op)), simd_bits(word, op));
}
static void all_long(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    across(cpu, word, op, simd_count(word, simd_bits(word, op)), 2 * simd_bits(word, op));
}
static void pair(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    across(cpu, word, op, 2, simd_bits(word, op));
}

#define ACROSS(u, opcode)           0x2001F000, (uint32_t)(u) << 29 | (opcode) << 12
#define ACROSS_FP(u, upper, opcode) 0x2081F000, (uint32_t)(u) << 29 | (uint32_t)(upper) << 23 | (opcode) << 12

enum { INTEGER = VECTOR_BHS | CHECKED | NO_M, FP = VECTOR_S | FLOAT | CHECKED | NO_M };

static const struct simd_op across_ops[] = {
    {"SADDLV", ACROSS(0, 0x03), INTEGER | SIGNED, lane_add, all_long, LATENCY_SIMD},
    {"UADDLV", ACROSS(1, 0x03), INTEGER, lane_add, all_long, LATENCY_SIMD},
    {"SMAXV", ACROSS(0, 0x0A), INTEGER | SIGNED, lane_max, all, LATENCY_SIMD},
    {"UMAXV", ACROSS(1, 0x0A), INTEGER, lane_max, all, LATENCY_SIMD},
    {"SMINV", ACROSS(0, 0x1A), INTEGER | SIGNED, lane_min, all, LATENCY_SIMD},
    {"UMINV", ACROSS(1, 0x1A), INTEGER, lane_min, all, LATENCY_SIMD},
    {"ADDV", ACROSS(0, 0x1B), INTEGER, lane_add, all, LATENCY_SIMD},
    {"FMAXNMV", ACROSS_FP(1, 0, 0x0C), FP, lane_fmaxnm, all, LATENCY_FP_ADD},
    {"FMINNMV", ACROSS_FP(1, 1, 0x0C), FP, lane_fminnm, all, LATENCY_FP_ADD},
    {"FMAXV", ACROSS_FP(1, 0, 0x0F), FP, lane_fmax, all, LATENCY_FP_ADD},
    {"FMINV", ACROSS_FP(1, 1, 0x0F), FP, lane_fmin, all, LATENCY_FP_ADD},
};

/* Two elements are no vector here: words need Q. */
static bool exists(uint32_t word, const struct simd_op *op)
{
    return simd_size(word, op) != 2 || simd_q(word);
}

static const struct simd_op pairwise_ops[] = {
    {"ADDP (scalar)", ACROSS(0, 0x1B), SCALAR_D | NO_M, lane_add, pair, LATENCY_SIMD},
    {"FMAXNMP (scalar)", ACROSS_FP(1, 0, 0x0C), SCALAR_SD | FLOAT | NO_M, lane_fmaxnm, pair, LATENCY_FP_ADD},
    {"FMINNMP (scalar)", ACROSS_FP(1, 1, 0x0C), SCALAR_SD | FLOAT | NO_M, lane_fminnm, pair, LATENCY_FP_ADD},
    {"FADDP (scalar)", ACROSS_FP(1, 0, 0x0D), SCALAR_SD | FLOAT | NO_M, lane_fadd, pair, LATENCY_FP_ADD},
    {"FMAXP (scalar)", ACROSS_FP(1, 0, 0x0F), SCALAR_SD | FLOAT | NO_M, lane_fmax, pair, LATENCY_FP_ADD},
    {"FMINP (scalar)", ACROSS_FP(1, 1, 0x0F), SCALAR_SD | FLOAT | NO_M, lane_fmin, pair, LATENCY_FP_ADD},
};

const struct simd_group simd_across = SIMD_GROUP(0x9F3E0C00, 0x0E300800, across_ops, exists);
const struct simd_group simd_scalar_pairwise = SIMD_GROUP(0xDF3E0C00, 0x5E300800, pairwise_ops, NULL);
