/* Advanced SIMD shift by immediate, vector and scalar. The highest set bit of immh is the size; immh:immb holds the
 * amount: of a right shift 2 x bits less it, of a left shift it less bits. */
#include "cpu/simd_lanes.h"

static unsigned size_of(uint32_t word)
{
    return 31 - (unsigned)__builtin_clz(bits(word, 22, 19));
}
static unsigned bits_of(uint32_t word)
{
    return 8u << size_of(word);
}
static unsigned right_of(uint32_t word)
{
    return 2 * bits_of(word) - bits(word, 22, 16);
}
static unsigned left_of(uint32_t word)
{
    return bits(word, 22, 16) - bits_of(word);
}

static uint64_t shift_right(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (uint64_t)simd_shift_right(simd_wide(lane, n), (unsigned)m, false);
}
static uint64_t rounding_shift_right(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (uint64_t)simd_shift_right(simd_wide(lane, n), (unsigned)m, true);
}
static uint64_t shift_right_add(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return d + shift_right(lane, n, m, d);
}
static uint64_t rounding_shift_right_add(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return d + rounding_shift_right(lane, n, m, d);
}
static uint64_t sri(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    uint64_t ones = ~0ull >> (64 - lane->bits), moved = m > 63 ? 0 : ones >> m;

    return (d & ~moved) | (m > 63 ? 0 : n >> m);
}
static uint64_t sli(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (d & ((1ull << m) - 1)) | n << m;
}
/* A signed operand, an unsigned result. */
static uint64_t sqshlu(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return simd_saturate(lane, false, simd_wide(lane, n) * ((__int128)1 << m));
}

#define NARROW(name, to_signed, rounding)                                                                   \
    static uint64_t name(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)                       \
    {                                                                                                       \
        return simd_saturate(lane, to_signed, simd_shift_right(simd_wide(lane, n), (unsigned)m, rounding)); \
    }
NARROW(sqshrn, lane->is_signed, false)
NARROW(sqrshrn, lane->is_signed, true)
NARROW(sqshrun, false, false)
NARROW(sqrshrun, false, true)

/* m: binary places */
static uint64_t from_fixed(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return fp_from_fixed(lane->env, lane->bits, n, !lane->is_signed, (unsigned)m);
}
static uint64_t to_fixed(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return fp_to_fixed(lane->env, lane->bits, n, lane->bits, !lane->is_signed, (unsigned)m, FP_TO_ZERO);
}

static void right(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    simd_each_with(cpu, word, op, bits_of(word), right_of(word));
}
static void left(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    simd_each_with(cpu, word, op, bits_of(word), left_of(word));
}
static void narrow(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    simd_narrow_with(cpu, word, op, bits_of(word), right_of(word));
}
static void widen(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    simd_widen_with(cpu, word, op, bits_of(word), left_of(word));
}

#define SHIFT(u, opcode) 0x2000F800, (uint32_t)(u) << 29 | (opcode) << 11

/* Sizes as elsewhere, but told by immh: exists() looks them up. */
enum {
    ALL = VECTOR_ALL | SCALAR_ALL | SIZE_ELSEWHERE | NO_M,
    ALL_D = VECTOR_ALL | SCALAR_D | SIZE_ELSEWHERE | NO_M,
    NARROWING = VECTOR_BHS | SIZE_ELSEWHERE | NO_M | ACCUMULATE,
    BOTH_NARROWING = NARROWING | SCALAR_B | SCALAR_HS,
    FP = BOTH_SD | SIZE_ELSEWHERE | NO_M,
};

static const struct simd_op ops[] = {
    {"SSHR", SHIFT(0, 0x00), ALL_D | SIGNED, shift_right, right, LATENCY_SIMD},
    {"USHR", SHIFT(1, 0x00), ALL_D, shift_right, right, LATENCY_SIMD},
    {"SSRA", SHIFT(0, 0x02), ALL_D | SIGNED | ACCUMULATE, shift_right_add, right, LATENCY_SIMD},
    {"USRA", SHIFT(1, 0x02), ALL_D | ACCUMULATE, shift_right_add, right, LATENCY_SIMD},
    {"SRSHR", SHIFT(0, 0x04), ALL_D | SIGNED, rounding_shift_right, right, LATENCY_SIMD},
    {"URSHR", SHIFT(1, 0x04), ALL_D, rounding_shift_right, right, LATENCY_SIMD},
    {"SRSRA", SHIFT(0, 0x06), ALL_D | SIGNED | ACCUMULATE, rounding_shift_right_add, right, LATENCY_SIMD},
    {"URSRA", SHIFT(1, 0x06), ALL_D | ACCUMULATE, rounding_shift_right_add, right, LATENCY_SIMD},
    {"SRI", SHIFT(1, 0x08), ALL_D | ACCUMULATE, sri, right, LATENCY_SIMD},
    {"SHL", SHIFT(0, 0x0A), ALL_D, lane_shl, left, LATENCY_SIMD},
    {"SLI", SHIFT(1, 0x0A), ALL_D | ACCUMULATE, sli, left, LATENCY_SIMD},
    {"SQSHLU", SHIFT(1, 0x0C), ALL | SIGNED, sqshlu, left, LATENCY_SIMD},
    {"SQSHL (immediate)", SHIFT(0, 0x0E), ALL | SIGNED, lane_sqshl, left, LATENCY_SIMD},
    {"UQSHL (immediate)", SHIFT(1, 0x0E), ALL, lane_sqshl, left, LATENCY_SIMD},
    {"SHRN", SHIFT(0, 0x10), NARROWING, shift_right, narrow, LATENCY_SIMD},
    {"SQSHRUN", SHIFT(1, 0x10), BOTH_NARROWING | SIGNED, sqshrun, narrow, LATENCY_SIMD},
    {"RSHRN", SHIFT(0, 0x11), NARROWING, rounding_shift_right, narrow, LATENCY_SIMD},
    {"SQRSHRUN", SHIFT(1, 0x11), BOTH_NARROWING | SIGNED, sqrshrun, narrow, LATENCY_SIMD},
    {"SQSHRN", SHIFT(0, 0x12), BOTH_NARROWING | SIGNED, sqshrn, narrow, LATENCY_SIMD},
    {"UQSHRN", SHIFT(1, 0x12), BOTH_NARROWING, sqshrn, narrow, LATENCY_SIMD},
    {"SQRSHRN", SHIFT(0, 0x13), BOTH_NARROWING | SIGNED, sqrshrn, narrow, LATENCY_SIMD},
    {"UQRSHRN", SHIFT(1, 0x13), BOTH_NARROWING, sqrshrn, narrow, LATENCY_SIMD},
    {"SSHLL", SHIFT(0, 0x14), VECTOR_BHS | SIZE_ELSEWHERE | NO_M | SIGNED, lane_shl, widen, LATENCY_SIMD},
    {"USHLL", SHIFT(1, 0x14), VECTOR_BHS | SIZE_ELSEWHERE | NO_M, lane_shl, widen, LATENCY_SIMD},
    {"SCVTF (fixed)", SHIFT(0, 0x1C), FP | SIGNED, from_fixed, right, LATENCY_FP_CONVERT},
    {"UCVTF (fixed)", SHIFT(1, 0x1C), FP, from_fixed, right, LATENCY_FP_CONVERT},
    {"FCVTZS (fixed)", SHIFT(0, 0x1F), FP | SIGNED, to_fixed, right, LATENCY_FP_CONVERT},
    {"FCVTZU (fixed)", SHIFT(1, 0x1F), FP, to_fixed, right, LATENCY_FP_CONVERT},
};

static bool exists(uint32_t word, const struct simd_op *op)
{
    unsigned size;

    if (bits(word, 22, 19) == 0)
        return false; /* vector: modified immediate */
    size = size_of(word);
    if (simd_is_scalar(word))
        return op->properties >> (4 + size) & 1;
    return (op->properties >> size & 1) && (size < 3 || simd_q(word));
}

const struct simd_group simd_shift_immediate = SIMD_GROUP(0x9F800400, 0x0F000400, ops, exists);
const struct simd_group simd_scalar_shift_immediate = SIMD_GROUP(0xDF800400, 0x5F000400, ops, exists);
