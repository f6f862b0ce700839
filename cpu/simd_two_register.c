/* Advanced SIMD two-register miscellaneous, vector and scalar. */
#include "cpu/simd_lanes.h"

#define MASK_IF(condition) ((condition) ? ~0ull : 0)

/* The parts of an element of the container's width in reverse order. */
static uint64_t reverse(uint64_t value, unsigned container, unsigned part)
{
    uint64_t result = 0;

    for (unsigned i = 0; i < container; i += part)
        result |= (value >> i & (~0ull >> (64 - part))) << (container - part - i);
    return result;
}

static void reverse_in(struct cpu *cpu, uint32_t word, unsigned container, unsigned part)
{
    union vector result = {{0}};

    for (unsigned i = 0; i < (simd_q(word) ? 128 : 64) / container; i++)
        simd_set(&result, container, i, reverse(simd_get(&cpu->v[simd_rn(word)], container, i), container, part));
    cpu->v[simd_rd(word)] = result;
}
static void rev64(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    reverse_in(cpu, word, 64, simd_bits(word, op));
}
static void rev32(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    reverse_in(cpu, word, 32, simd_bits(word, op));
}
static void rev16(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    reverse_in(cpu, word, 16, 8);
}

/* Sums of neighbours as wide elements, added to the old ones where the lane function says so. */
static void long_pairs(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    const union vector n = cpu->v[simd_rn(word)], d = cpu->v[simd_rd(word)];
    unsigned bits = simd_bits(word, op);
    struct lane lane = simd_lane_of(cpu, op, 2 * bits);
    union vector result = {{0}};

    for (unsigned i = 0; i < simd_count(word, bits) / 2; i++)
        simd_set(&result, 2 * bits, i,
                 op->lane(&lane, simd_extend(simd_get(&n, bits, 2 * i), bits, lane.is_signed),
                          simd_extend(simd_get(&n, bits, 2 * i + 1), bits, lane.is_signed), simd_get(&d, 2 * bits, i)));
    cpu->v[simd_rd(word)] = result;
}
static uint64_t add_to(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return d + n + m;
}

/* signed sum of a signed accumulator and an unsigned operand, and the reverse */
static uint64_t suqadd(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return simd_saturate(lane, true, (__int128)simd_extend(n, lane->bits, false) + (int64_t)d);
}
static uint64_t usqadd(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return simd_saturate(lane, false, (__int128)(int64_t)n + simd_extend(d, lane->bits, false));
}
static uint64_t cls(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (uint64_t)__builtin_clrsbll((int64_t)n) - (64 - lane->bits);
}
static uint64_t clz(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return n ? (uint64_t)__builtin_clzll(n) - (64 - lane->bits) : lane->bits;
}
static uint64_t cnt(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (uint64_t)__builtin_popcountll(n);
}
static uint64_t bitwise_not(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return ~n;
}
static uint64_t rbit(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return reverse(n, 8, 1);
}
static uint64_t absolute(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (int64_t)n < 0 ? -n : n;
}
static uint64_t negate(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return -n;
}
static uint64_t sqabs(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    __int128 value = (int64_t)n;

    return simd_saturate(lane, true, value < 0 ? -value : value);
}
static uint64_t sqneg(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return simd_saturate(lane, true, -(__int128)(int64_t)n);
}
static uint64_t greater_zero(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return MASK_IF((int64_t)n > 0);
}
static uint64_t greater_equal_zero(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return MASK_IF((int64_t)n >= 0);
}
static uint64_t equal_zero(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return MASK_IF(n == 0);
}
static uint64_t less_equal_zero(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return MASK_IF((int64_t)n <= 0);
}
static uint64_t less_zero(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return MASK_IF((int64_t)n < 0);
}

static uint64_t xtn(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return n;
}
static uint64_t sqxtn(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return simd_saturate(lane, true, (int64_t)n);
}
static uint64_t sqxtun(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return simd_saturate(lane, false, (int64_t)n);
}
static uint64_t uqxtn(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return simd_saturate(lane, false, n);
}
static void narrow(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    simd_narrow_with(cpu, word, op, simd_bits(word, op), 0);
}
static void shll(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    simd_widen_with(cpu, word, op, simd_bits(word, op), simd_bits(word, op));
}

/* FCVTN of sz 0 makes half precision out of single, of sz 1 single out of double; FCVTL the reverse. */
static uint64_t fcvt_narrow(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return fp_convert(lane->env, lane->bits, 2 * lane->bits, n, fp_rounding_of(lane->env));
}
static uint64_t fcvt_narrow_odd(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return fp_convert(lane->env, lane->bits, 2 * lane->bits, n, FP_TO_ODD);
}
static uint64_t fcvt_long(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return fp_convert(lane->env, lane->bits, lane->bits / 2, n, FP_NEAREST);
}
static void fcvtn(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    simd_narrow_with(cpu, word, op, simd_bits(word, op) / 2, 0);
}
static void fcvtl(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    simd_widen_with(cpu, word, op, simd_bits(word, op) / 2, 0);
}

#define TO_FIXED(name, is_unsigned, rounding)                                               \
    static uint64_t name(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)       \
    {                                                                                       \
        return fp_to_fixed(lane->env, lane->bits, n, lane->bits, is_unsigned, 0, rounding); \
    }
TO_FIXED(fcvtns, false, FP_NEAREST)
TO_FIXED(fcvtps, false, FP_UP)
TO_FIXED(fcvtms, false, FP_DOWN)
TO_FIXED(fcvtzs, false, FP_TO_ZERO)
TO_FIXED(fcvtas, false, FP_TIES_AWAY)
TO_FIXED(fcvtnu, true, FP_NEAREST)
TO_FIXED(fcvtpu, true, FP_UP)
TO_FIXED(fcvtmu, true, FP_DOWN)
TO_FIXED(fcvtzu, true, FP_TO_ZERO)
TO_FIXED(fcvtau, true, FP_TIES_AWAY)

static uint64_t scvtf(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return fp_from_fixed(lane->env, lane->bits, n, !lane->is_signed, 0);
}
static uint64_t fcmgt_zero(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return lane_fcmgt(lane, n, 0, 0);
}
static uint64_t fcmge_zero(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return lane_fcmge(lane, n, 0, 0);
}
static uint64_t fcmeq_zero(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return lane_fcmeq(lane, n, 0, 0);
}
static uint64_t fcmle_zero(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return lane_fcmge(lane, 0, n, 0);
}
static uint64_t fcmlt_zero(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return lane_fcmgt(lane, 0, n, 0);
}
static uint64_t frecpe(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return fp_recip_estimate(lane->env, lane->bits, n);
}
static uint64_t frsqrte(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return fp_rsqrt_estimate(lane->env, lane->bits, n);
}
static uint64_t frecpx(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return fp_recip_exponent(lane->env, lane->bits, n);
}
static uint64_t urecpe(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return fp_recip_estimate_unsigned((uint32_t)n);
}
static uint64_t ursqrte(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return fp_rsqrt_estimate_unsigned((uint32_t)n);
}

static void each(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    simd_each_with(cpu, word, op, simd_bits(word, op), 0);
}
/* NOT and RBIT are of bytes whatever the size field says. */
static void each_byte(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    simd_each_with(cpu, word, op, 8, 0);
}

/* Within the class: U and opcode; upper and lower bit of the size where they belong to the opcode. */
#define TWO(u, opcode)            0x2001F000, (uint32_t)(u) << 29 | (opcode) << 12
#define TWO_FP(u, upper, opcode)  0x2081F000, (uint32_t)(u) << 29 | (uint32_t)(upper) << 23 | (opcode) << 12
#define TWO_SIZE(u, size, opcode) 0x20C1F000, (uint32_t)(u) << 29 | (uint32_t)(size) << 22 | (opcode) << 12

enum {
    ALL = VECTOR_ALL | SCALAR_ALL | NO_M,
    ALL_D = VECTOR_ALL | SCALAR_D | NO_M,
    BHS = VECTOR_BHS | NO_M,
    FP = BOTH_SD | FLOAT | NO_M,
    FP_VECTOR = VECTOR_SD | FLOAT | NO_M,
    NARROW = VECTOR_BHS | SCALAR_B | SCALAR_HS | ACCUMULATE | NO_M,
};

static const struct simd_op ops[] = {
    {"REV64", TWO(0, 0x00), BHS, NULL, rev64, LATENCY_SIMD},
    {"REV32", TWO(1, 0x00), VECTOR_BH | NO_M, NULL, rev32, LATENCY_SIMD},
    {"REV16", TWO(0, 0x01), VECTOR_B | NO_M, NULL, rev16, LATENCY_SIMD},
    {"SADDLP", TWO(0, 0x02), BHS | SIGNED, lane_add, long_pairs, LATENCY_SIMD},
    {"UADDLP", TWO(1, 0x02), BHS, lane_add, long_pairs, LATENCY_SIMD},
    {"SUQADD", TWO(0, 0x03), ALL | SIGNED | ACCUMULATE, suqadd, each, LATENCY_SIMD},
    {"USQADD", TWO(1, 0x03), ALL | SIGNED | ACCUMULATE, usqadd, each, LATENCY_SIMD},
    {"CLS", TWO(0, 0x04), BHS | SIGNED, cls, each, LATENCY_SIMD},
    {"CLZ", TWO(1, 0x04), BHS, clz, each, LATENCY_SIMD},
    {"CNT", TWO_SIZE(0, 0, 0x05), VECTOR_B | NO_M, cnt, each, LATENCY_SIMD},
    {"NOT", TWO_SIZE(1, 0, 0x05), VECTOR_B | NO_M, bitwise_not, each, LATENCY_SIMD},
    {"RBIT", TWO_SIZE(1, 1, 0x05), VECTOR_H | NO_M, rbit, each_byte, LATENCY_SIMD},
    {"SADALP", TWO(0, 0x06), BHS | SIGNED | ACCUMULATE, add_to, long_pairs, LATENCY_SIMD},
    {"UADALP", TWO(1, 0x06), BHS | ACCUMULATE, add_to, long_pairs, LATENCY_SIMD},
    {"SQABS", TWO(0, 0x07), ALL | SIGNED, sqabs, each, LATENCY_SIMD},
    {"SQNEG", TWO(1, 0x07), ALL | SIGNED, sqneg, each, LATENCY_SIMD},
    {"CMGT (zero)", TWO(0, 0x08), ALL_D | SIGNED, greater_zero, each, LATENCY_SIMD},
    {"CMGE (zero)", TWO(1, 0x08), ALL_D | SIGNED, greater_equal_zero, each, LATENCY_SIMD},
    {"CMEQ (zero)", TWO(0, 0x09), ALL_D, equal_zero, each, LATENCY_SIMD},
    {"CMLE (zero)", TWO(1, 0x09), ALL_D | SIGNED, less_equal_zero, each, LATENCY_SIMD},
    {"CMLT (zero)", TWO(0, 0x0A), ALL_D | SIGNED, less_zero, each, LATENCY_SIMD},
    {"ABS", TWO(0, 0x0B), ALL_D | SIGNED, absolute, each, LATENCY_SIMD},
    {"NEG", TWO(1, 0x0B), ALL_D, negate, each, LATENCY_SIMD},
    {"XTN", TWO(0, 0x12), BHS | ACCUMULATE, xtn, narrow, LATENCY_SIMD},
    {"SQXTUN", TWO(1, 0x12), NARROW | SIGNED, sqxtun, narrow, LATENCY_SIMD},
    {"SHLL", TWO(1, 0x13), BHS, lane_shl, shll, LATENCY_SIMD},
    {"SQXTN", TWO(0, 0x14), NARROW | SIGNED, sqxtn, narrow, LATENCY_SIMD},
    {"UQXTN", TWO(1, 0x14), NARROW, uqxtn, narrow, LATENCY_SIMD},
    {"FCVTN", TWO_FP(0, 0, 0x16), VECTOR_SD | FLOAT | ACCUMULATE | CHECKED | NO_M, fcvt_narrow, fcvtn,
     LATENCY_FP_CONVERT},
    {"FCVTXN", TWO_SIZE(1, 1, 0x16), VECTOR_D | SCALAR_D | FLOAT | ACCUMULATE | CHECKED | NO_M, fcvt_narrow_odd, fcvtn,
     LATENCY_FP_CONVERT},
    {"FCVTL", TWO_FP(0, 0, 0x17), VECTOR_SD | FLOAT | CHECKED | NO_M, fcvt_long, fcvtl, LATENCY_FP_CONVERT},
    {"FRINTN", TWO_FP(0, 0, 0x18), FP_VECTOR, lane_frintn, each, LATENCY_FP_CONVERT},
    {"FRINTP", TWO_FP(0, 1, 0x18), FP_VECTOR, lane_frintp, each, LATENCY_FP_CONVERT},
    {"FRINTM", TWO_FP(0, 0, 0x19), FP_VECTOR, lane_frintm, each, LATENCY_FP_CONVERT},
    {"FRINTZ", TWO_FP(0, 1, 0x19), FP_VECTOR, lane_frintz, each, LATENCY_FP_CONVERT},
    {"FRINTA", TWO_FP(1, 0, 0x18), FP_VECTOR, lane_frinta, each, LATENCY_FP_CONVERT},
    {"FRINTX", TWO_FP(1, 0, 0x19), FP_VECTOR, lane_frintx, each, LATENCY_FP_CONVERT},
    {"FRINTI", TWO_FP(1, 1, 0x19), FP_VECTOR, lane_frinti, each, LATENCY_FP_CONVERT},
    {"FCVTNS", TWO_FP(0, 0, 0x1A), FP, fcvtns, each, LATENCY_FP_CONVERT},
    {"FCVTPS", TWO_FP(0, 1, 0x1A), FP, fcvtps, each, LATENCY_FP_CONVERT},
    {"FCVTMS", TWO_FP(0, 0, 0x1B), FP, fcvtms, each, LATENCY_FP_CONVERT},
    {"FCVTZS", TWO_FP(0, 1, 0x1B), FP, fcvtzs, each, LATENCY_FP_CONVERT},
    {"FCVTAS", TWO_FP(0, 0, 0x1C), FP, fcvtas, each, LATENCY_FP_CONVERT},
    {"SCVTF", TWO_FP(0, 0, 0x1D), FP | SIGNED, scvtf, each, LATENCY_FP_CONVERT},
    {"FCVTNU", TWO_FP(1, 0, 0x1A), FP, fcvtnu, each, LATENCY_FP_CONVERT},
    {"FCVTPU", TWO_FP(1, 1, 0x1A), FP, fcvtpu, each, LATENCY_FP_CONVERT},
    {"FCVTMU", TWO_FP(1, 0, 0x1B), FP, fcvtmu, each, LATENCY_FP_CONVERT},
    {"FCVTZU", TWO_FP(1, 1, 0x1B), FP, fcvtzu, each, LATENCY_FP_CONVERT},
    {"FCVTAU", TWO_FP(1, 0, 0x1C), FP, fcvtau, each, LATENCY_FP_CONVERT},
    {"UCVTF", TWO_FP(1, 0, 0x1D), FP, scvtf, each, LATENCY_FP_CONVERT},
    {"FCMGT (zero)", TWO_FP(0, 1, 0x0C), FP, fcmgt_zero, each, LATENCY_FP_ADD},
    {"FCMGE (zero)", TWO_FP(1, 1, 0x0C), FP, fcmge_zero, each, LATENCY_FP_ADD},
    {"FCMEQ (zero)", TWO_FP(0, 1, 0x0D), FP, fcmeq_zero, each, LATENCY_FP_ADD},
    {"FCMLE (zero)", TWO_FP(1, 1, 0x0D), FP, fcmle_zero, each, LATENCY_FP_ADD},
    {"FCMLT (zero)", TWO_FP(0, 1, 0x0E), FP, fcmlt_zero, each, LATENCY_FP_ADD},
    {"FABS", TWO_FP(0, 1, 0x0F), FP_VECTOR, lane_fabs, each, LATENCY_FP_ADD},
    {"FNEG", TWO_FP(1, 1, 0x0F), FP_VECTOR, lane_fneg, each, LATENCY_FP_ADD},
    {"URECPE", TWO_FP(0, 1, 0x1C), VECTOR_S | NO_M, urecpe, each, LATENCY_FP_CONVERT},
    {"URSQRTE", TWO_FP(1, 1, 0x1C), VECTOR_S | NO_M, ursqrte, each, LATENCY_FP_CONVERT},
    {"FRECPE", TWO_FP(0, 1, 0x1D), FP, frecpe, each, LATENCY_FP_CONVERT},
    {"FRSQRTE", TWO_FP(1, 1, 0x1D), FP, frsqrte, each, LATENCY_FP_CONVERT},
    {"FRECPX", TWO_FP(0, 1, 0x1F), SCALAR_SD | FLOAT | NO_M, frecpx, each, LATENCY_FP_CONVERT},
    {"FSQRT", TWO_FP(1, 1, 0x1F), FP_VECTOR, lane_fsqrt, each, LATENCY_FP_SQRT},
};

const struct simd_group simd_two_register = SIMD_GROUP(0x9F3E0C00, 0x0E200800, ops, NULL);
const struct simd_group simd_scalar_two_register = SIMD_GROUP(0xDF3E0C00, 0x5E200800, ops, NULL);
