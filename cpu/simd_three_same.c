/* Advanced SIMD three same, vector and scalar (DDI 0487 C4.1, "Advanced SIMD three same"). */
#include "cpu/simd_lanes.h"

#define MASK_IF(condition) ((condition) ? ~0ull : 0)

static uint64_t halving_add(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (uint64_t)((int64_t)(n + m) >> 1);
}
static uint64_t rounding_halving_add(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (uint64_t)((int64_t)(n + m + 1) >> 1);
}
static uint64_t halving_sub(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (uint64_t)((int64_t)(n - m) >> 1);
}
static uint64_t saturating_add(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return simd_saturate(lane, lane->is_signed, simd_wide(lane, n) + simd_wide(lane, m));
}
static uint64_t saturating_sub(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return simd_saturate(lane, lane->is_signed, simd_wide(lane, n) - simd_wide(lane, m));
}

static uint64_t bitwise_and(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return n & m;
}
static uint64_t bic(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return n & ~m;
}
static uint64_t orr(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return n | m;
}
static uint64_t orn(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return n | ~m;
}
static uint64_t eor(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return n ^ m;
}
static uint64_t bsl(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (n & d) | (m & ~d);
}
static uint64_t bit_insert(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (n & m) | (d & ~m);
}
static uint64_t bit_insert_if_false(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (n & ~m) | (d & m);
}

static uint64_t greater(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return MASK_IF(simd_wide(lane, n) > simd_wide(lane, m));
}
static uint64_t greater_equal(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return MASK_IF(simd_wide(lane, n) >= simd_wide(lane, m));
}
static uint64_t equal(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return MASK_IF(n == m);
}
static uint64_t test(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return MASK_IF(n & m);
}

/* Left by the signed lowest byte of m. */
static uint64_t shift(const struct lane *lane, uint64_t n, uint64_t m, bool rounding, bool saturating)
{
    int count = (int8_t)m;

    if (count < 0) {
        __int128 value = simd_shift_right(simd_wide(lane, n), (unsigned)-count, rounding);
        return saturating ? simd_saturate(lane, lane->is_signed, value) : (uint64_t)value;
    }
    if (!saturating)
        return lane_shl(lane, n, (unsigned)count, 0);
    if (count >= (int)lane->bits) /* every value but 0 leaves the range */
        return n ? simd_saturate(lane, lane->is_signed,
                                 (__int128)(simd_wide(lane, n) < 0 ? -1 : 1) * ((__int128)1 << 100))
                 : 0;
    return lane_sqshl(lane, n, (unsigned)count, 0);
}
static uint64_t shl(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return shift(lane, n, m, false, false);
}
static uint64_t rshl(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return shift(lane, n, m, true, false);
}
static uint64_t qshl(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return shift(lane, n, m, false, true);
}
static uint64_t qrshl(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return shift(lane, n, m, true, true);
}

/* Within the class: U and opcode; for bitwise operations the size too; for floating point its upper bit. */
#define SAME(u, opcode)           0x2000F800, (uint32_t)(u) << 29 | (opcode) << 11
#define SAME_BITWISE(u, size)     0x20C0F800, (uint32_t)(u) << 29 | (size) << 22 | 0x03 << 11
#define SAME_FP(u, upper, opcode) 0x2080F800, (uint32_t)(u) << 29 | (upper) << 23 | (opcode) << 11

enum { BITWISE = VECTOR_ALL | WHOLE, ALL = VECTOR_ALL | SCALAR_ALL, ALL_D = VECTOR_ALL | SCALAR_D };

static const struct simd_op ops[] = {
    {"SHADD", SAME(0, 0x00), VECTOR_BHS | SIGNED, halving_add, simd_each, LATENCY_SIMD},
    {"UHADD", SAME(1, 0x00), VECTOR_BHS, halving_add, simd_each, LATENCY_SIMD},
    {"SQADD", SAME(0, 0x01), ALL | SIGNED, saturating_add, simd_each, LATENCY_SIMD},
    {"UQADD", SAME(1, 0x01), ALL, saturating_add, simd_each, LATENCY_SIMD},
    {"SRHADD", SAME(0, 0x02), VECTOR_BHS | SIGNED, rounding_halving_add, simd_each, LATENCY_SIMD},
    {"URHADD", SAME(1, 0x02), VECTOR_BHS, rounding_halving_add, simd_each, LATENCY_SIMD},
    {"AND", SAME_BITWISE(0, 0), BITWISE, bitwise_and, simd_each, LATENCY_SIMD},
    {"BIC", SAME_BITWISE(0, 1), BITWISE, bic, simd_each, LATENCY_SIMD},
    {"ORR", SAME_BITWISE(0, 2), BITWISE, orr, simd_each, LATENCY_SIMD},
    {"ORN", SAME_BITWISE(0, 3), BITWISE, orn, simd_each, LATENCY_SIMD},
    {"EOR", SAME_BITWISE(1, 0), BITWISE, eor, simd_each, LATENCY_SIMD},
    {"BSL", SAME_BITWISE(1, 1), BITWISE | ACCUMULATE, bsl, simd_each, LATENCY_SIMD},
    {"BIT", SAME_BITWISE(1, 2), BITWISE | ACCUMULATE, bit_insert, simd_each, LATENCY_SIMD},
    {"BIF", SAME_BITWISE(1, 3), BITWISE | ACCUMULATE, bit_insert_if_false, simd_each, LATENCY_SIMD},
    {"SHSUB", SAME(0, 0x04), VECTOR_BHS | SIGNED, halving_sub, simd_each, LATENCY_SIMD},
    {"UHSUB", SAME(1, 0x04), VECTOR_BHS, halving_sub, simd_each, LATENCY_SIMD},
    {"SQSUB", SAME(0, 0x05), ALL | SIGNED, saturating_sub, simd_each, LATENCY_SIMD},
    {"UQSUB", SAME(1, 0x05), ALL, saturating_sub, simd_each, LATENCY_SIMD},
    {"CMGT", SAME(0, 0x06), ALL_D | SIGNED, greater, simd_each, LATENCY_SIMD},
    {"CMHI", SAME(1, 0x06), ALL_D, greater, simd_each, LATENCY_SIMD},
    {"CMGE", SAME(0, 0x07), ALL_D | SIGNED, greater_equal, simd_each, LATENCY_SIMD},
    {"CMHS", SAME(1, 0x07), ALL_D, greater_equal, simd_each, LATENCY_SIMD},
    {"SSHL", SAME(0, 0x08), ALL_D | SIGNED, shl, simd_each, LATENCY_SIMD},
    {"USHL", SAME(1, 0x08), ALL_D, shl, simd_each, LATENCY_SIMD},
    {"SQSHL", SAME(0, 0x09), ALL | SIGNED, qshl, simd_each, LATENCY_SIMD},
    {"UQSHL", SAME(1, 0x09), ALL, qshl, simd_each, LATENCY_SIMD},
    {"SRSHL", SAME(0, 0x0A), ALL_D | SIGNED, rshl, simd_each, LATENCY_SIMD},
    {"URSHL", SAME(1, 0x0A), ALL_D, rshl, simd_each, LATENCY_SIMD},
    {"SQRSHL", SAME(0, 0x0B), ALL | SIGNED, qrshl, simd_each, LATENCY_SIMD},
    {"UQRSHL", SAME(1, 0x0B), ALL, qrshl, simd_each, LATENCY_SIMD},
    {"SMAX", SAME(0, 0x0C), VECTOR_BHS | SIGNED, lane_max, simd_each, LATENCY_SIMD},
    {"UMAX", SAME(1, 0x0C), VECTOR_BHS, lane_max, simd_each, LATENCY_SIMD},
    {"SMIN", SAME(0, 0x0D), VECTOR_BHS | SIGNED, lane_min, simd_each, LATENCY_SIMD},
    {"UMIN", SAME(1, 0x0D), VECTOR_BHS, lane_min, simd_each, LATENCY_SIMD},
    {"SABD", SAME(0, 0x0E), VECTOR_BHS | SIGNED, lane_abd, simd_each, LATENCY_SIMD},
    {"UABD", SAME(1, 0x0E), VECTOR_BHS, lane_abd, simd_each, LATENCY_SIMD},
    {"SABA", SAME(0, 0x0F), VECTOR_BHS | SIGNED | ACCUMULATE, lane_aba, simd_each, LATENCY_SIMD},
    {"UABA", SAME(1, 0x0F), VECTOR_BHS | ACCUMULATE, lane_aba, simd_each, LATENCY_SIMD},
    {"ADD", SAME(0, 0x10), ALL_D, lane_add, simd_each, LATENCY_SIMD},
    {"SUB", SAME(1, 0x10), ALL_D, lane_sub, simd_each, LATENCY_SIMD},
    {"CMTST", SAME(0, 0x11), ALL_D, test, simd_each, LATENCY_SIMD},
    {"CMEQ", SAME(1, 0x11), ALL_D, equal, simd_each, LATENCY_SIMD},
    {"MLA", SAME(0, 0x12), VECTOR_BHS | ACCUMULATE, lane_mla, simd_each, LATENCY_MUL},
    {"MLS", SAME(1, 0x12), VECTOR_BHS | ACCUMULATE, lane_mls, simd_each, LATENCY_MUL},
    {"MUL", SAME(0, 0x13), VECTOR_BHS, lane_mul, simd_each, LATENCY_MUL},
    {"PMUL", SAME(1, 0x13), VECTOR_B, lane_pmul, simd_each, LATENCY_MUL},
    {"SMAXP", SAME(0, 0x14), VECTOR_BHS | SIGNED, lane_max, simd_each_pair, LATENCY_SIMD},
    {"UMAXP", SAME(1, 0x14), VECTOR_BHS, lane_max, simd_each_pair, LATENCY_SIMD},
    {"SMINP", SAME(0, 0x15), VECTOR_BHS | SIGNED, lane_min, simd_each_pair, LATENCY_SIMD},
    {"UMINP", SAME(1, 0x15), VECTOR_BHS, lane_min, simd_each_pair, LATENCY_SIMD},
    {"SQDMULH", SAME(0, 0x16), VECTOR_HS | SCALAR_HS | SIGNED, lane_sqdmulh, simd_each, LATENCY_MUL},
    {"SQRDMULH", SAME(1, 0x16), VECTOR_HS | SCALAR_HS | SIGNED, lane_sqrdmulh, simd_each, LATENCY_MUL},
    {"ADDP", SAME(0, 0x17), VECTOR_ALL, lane_add, simd_each_pair, LATENCY_SIMD},
    {"FMAXNM", SAME_FP(0, 0, 0x18), VECTOR_SD | FLOAT, lane_fmaxnm, simd_each, LATENCY_FP_ADD},
    {"FMINNM", SAME_FP(0, 1, 0x18), VECTOR_SD | FLOAT, lane_fminnm, simd_each, LATENCY_FP_ADD},
    {"FMAXNMP", SAME_FP(1, 0, 0x18), VECTOR_SD | FLOAT, lane_fmaxnm, simd_each_pair, LATENCY_FP_ADD},
    {"FMINNMP", SAME_FP(1, 1, 0x18), VECTOR_SD | FLOAT, lane_fminnm, simd_each_pair, LATENCY_FP_ADD},
    {"FMLA", SAME_FP(0, 0, 0x19), VECTOR_SD | FLOAT | ACCUMULATE, lane_fmla, simd_each, LATENCY_FP_FMA},
    {"FMLS", SAME_FP(0, 1, 0x19), VECTOR_SD | FLOAT | ACCUMULATE, lane_fmls, simd_each, LATENCY_FP_FMA},
    {"FADD", SAME_FP(0, 0, 0x1A), VECTOR_SD | FLOAT, lane_fadd, simd_each, LATENCY_FP_ADD},
    {"FSUB", SAME_FP(0, 1, 0x1A), VECTOR_SD | FLOAT, lane_fsub, simd_each, LATENCY_FP_ADD},
    {"FADDP", SAME_FP(1, 0, 0x1A), VECTOR_SD | FLOAT, lane_fadd, simd_each_pair, LATENCY_FP_ADD},
    {"FABD", SAME_FP(1, 1, 0x1A), BOTH_SD | FLOAT, lane_fabd, simd_each, LATENCY_FP_ADD},
    {"FMULX", SAME_FP(0, 0, 0x1B), BOTH_SD | FLOAT, lane_fmulx, simd_each, LATENCY_FP_MUL},
    {"FMUL", SAME_FP(1, 0, 0x1B), VECTOR_SD | FLOAT, lane_fmul, simd_each, LATENCY_FP_MUL},
    {"FCMEQ", SAME_FP(0, 0, 0x1C), BOTH_SD | FLOAT, lane_fcmeq, simd_each, LATENCY_FP_ADD},
    {"FCMGE", SAME_FP(1, 0, 0x1C), BOTH_SD | FLOAT, lane_fcmge, simd_each, LATENCY_FP_ADD},
    {"FCMGT", SAME_FP(1, 1, 0x1C), BOTH_SD | FLOAT, lane_fcmgt, simd_each, LATENCY_FP_ADD},
    {"FACGE", SAME_FP(1, 0, 0x1D), BOTH_SD | FLOAT, lane_facge, simd_each, LATENCY_FP_ADD},
    {"FACGT", SAME_FP(1, 1, 0x1D), BOTH_SD | FLOAT, lane_facgt, simd_each, LATENCY_FP_ADD},
    {"FMAX", SAME_FP(0, 0, 0x1E), VECTOR_SD | FLOAT, lane_fmax, simd_each, LATENCY_FP_ADD},
    {"FMIN", SAME_FP(0, 1, 0x1E), VECTOR_SD | FLOAT, lane_fmin, simd_each, LATENCY_FP_ADD},
    {"FMAXP", SAME_FP(1, 0, 0x1E), VECTOR_SD | FLOAT, lane_fmax, simd_each_pair, LATENCY_FP_ADD},
    {"FMINP", SAME_FP(1, 1, 0x1E), VECTOR_SD | FLOAT, lane_fmin, simd_each_pair, LATENCY_FP_ADD},
    {"FRECPS", SAME_FP(0, 0, 0x1F), BOTH_SD | FLOAT, lane_frecps, simd_each, LATENCY_FP_FMA},
    {"FRSQRTS", SAME_FP(0, 1, 0x1F), BOTH_SD | FLOAT, lane_frsqrts, simd_each, LATENCY_FP_FMA},
    {"FDIV", SAME_FP(1, 0, 0x1F), VECTOR_SD | FLOAT, lane_fdiv, simd_each, LATENCY_FP_DIV},
};

const struct simd_group simd_three_same = SIMD_GROUP(0x9F200400, 0x0E200400, ops, NULL);
/* Bitwise instructions have no scalar form. */
static bool has_elements(uint32_t word, const struct simd_op *op)
{
    return !(op->properties & WHOLE);
}
const struct simd_group simd_scalar_three_same = SIMD_GROUP(0xDF200400, 0x5E200400, ops, has_elements);
