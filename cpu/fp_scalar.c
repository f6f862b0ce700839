/* Scalar floating point (DDI 0487 C4.1, "Data Processing -- Scalar Floating-Point"): everything of class 0x1E, 0x1F. */
#include "cpu/alu.h"
#include "cpu/simd_lanes.h"

enum { FP = SCALAR_SD | FLOAT };

static uint64_t value_of(const struct cpu *cpu, unsigned reg, unsigned bits)
{
    return simd_get(&cpu->v[reg], bits, 0);
}
static void write(struct cpu *cpu, uint32_t word, uint64_t value)
{
    cpu->v[simd_rd(word)] = (union vector){.d = {value, 0}};
}
static unsigned general_bits(uint32_t word)
{
    return bit(word, 31) ? 64 : 32;
}

/* --- Conversions with a general register: rounding in 20:19, operation in 18:16 --- */

static void to_general(struct cpu *cpu, uint32_t word, const struct simd_op *op, unsigned places,
                       enum fp_rounding rounding)
{
    unsigned bits = simd_bits(word, op);

    cpu->x[target(simd_rd(word))] = fp_to_fixed(&cpu->sys.fp, bits, value_of(cpu, simd_rn(word), bits),
                                                general_bits(word), bit(word, 16), places, rounding);
}
static void from_general(struct cpu *cpu, uint32_t word, const struct simd_op *op, unsigned places)
{
    bool is_unsigned = bit(word, 16);
    uint64_t value = simd_extend(cpu->x[source(simd_rn(word))], general_bits(word), !is_unsigned);

    write(cpu, word, fp_from_fixed(&cpu->sys.fp, simd_bits(word, op), value, is_unsigned, places));
}
static unsigned places_of(uint32_t word)
{
    return 64 - bits(word, 15, 10);
}
static void fixed_from(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    from_general(cpu, word, op, places_of(word));
}
static void fixed_to(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    to_general(cpu, word, op, places_of(word), FP_TO_ZERO);
}
static void integer_from(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    from_general(cpu, word, op, 0);
}
/* The values of the field are those of FPCR.RMode. */
static void integer_to(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    to_general(cpu, word, op, 0, (enum fp_rounding)bits(word, 20, 19));
}
static void integer_to_away(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    to_general(cpu, word, op, 0, FP_TIES_AWAY);
}
static void fmov_to(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    cpu->x[target(simd_rd(word))] = value_of(cpu, simd_rn(word), general_bits(word));
}
static void fmov_from(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    write(cpu, word, simd_extend(cpu->x[source(simd_rn(word))], general_bits(word), false));
}
static void fmov_upper_to(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    cpu->x[target(simd_rd(word))] = cpu->v[simd_rn(word)].d[1];
}
static void fmov_upper_from(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    cpu->v[simd_rd(word)].d[1] = cpu->x[source(simd_rn(word))];
}

/* ptype is 0 or 1, mode and opcode as in the manual's table; the lowest opcode bit is "unsigned". */
#define CONVERSION(mode, opcode, both_signs) \
    0x009F0000 & ~((uint32_t)(both_signs) << 16), (uint32_t)(mode) << 19 | (opcode) << 16
/* sf and ptype fixed as well */
#define MOVE(sf, type, mode, opcode) 0x80DF0000, (uint32_t)(sf) << 31 | (type) << 22 | (mode) << 19 | (opcode) << 16

enum { TO = FP | D_GENERAL | NO_M, FROM = FP | N_GENERAL | NO_M, ANY = WHOLE | NO_M };

static const struct simd_op fixed_ops[] = {
    {"SCVTF, UCVTF (scalar, fixed)", CONVERSION(0, 2, 1), FROM, NULL, fixed_from, LATENCY_FP_CONVERT},
    {"FCVTZS, FCVTZU (scalar, fixed)", CONVERSION(3, 0, 1), TO, NULL, fixed_to, LATENCY_FP_CONVERT},
};

static bool fixed_exists(uint32_t word, const struct simd_op *op)
{
    return general_bits(word) == 64 || bit(word, 15); /* at most 32 places */
}

static const struct simd_op integer_ops[] = {
    {"FCVTNS, FCVTNU (scalar)", CONVERSION(0, 0, 1), TO, NULL, integer_to, LATENCY_FP_CONVERT},
    {"FCVTPS, FCVTPU (scalar)", CONVERSION(1, 0, 1), TO, NULL, integer_to, LATENCY_FP_CONVERT},
    {"FCVTMS, FCVTMU (scalar)", CONVERSION(2, 0, 1), TO, NULL, integer_to, LATENCY_FP_CONVERT},
    {"FCVTZS, FCVTZU (scalar)", CONVERSION(3, 0, 1), TO, NULL, integer_to, LATENCY_FP_CONVERT},
    {"FCVTAS, FCVTAU (scalar)", CONVERSION(0, 4, 1), TO, NULL, integer_to_away, LATENCY_FP_CONVERT},
    {"SCVTF, UCVTF (scalar)", CONVERSION(0, 2, 1), FROM, NULL, integer_from, LATENCY_FP_CONVERT},
    {"FMOV (S to W)", MOVE(0, 0, 0, 6), ANY | D_GENERAL, NULL, fmov_to, LATENCY_MOVE},
    {"FMOV (W to S)", MOVE(0, 0, 0, 7), ANY | N_GENERAL, NULL, fmov_from, LATENCY_MOVE},
    {"FMOV (D to X)", MOVE(1, 1, 0, 6), ANY | D_GENERAL, NULL, fmov_to, LATENCY_MOVE},
    {"FMOV (X to D)", MOVE(1, 1, 0, 7), ANY | N_GENERAL, NULL, fmov_from, LATENCY_MOVE},
    {"FMOV (upper D to X)", MOVE(1, 2, 1, 6), ANY | D_GENERAL, NULL, fmov_upper_to, LATENCY_MOVE},
    {"FMOV (X to upper D)", MOVE(1, 2, 1, 7), ANY | N_GENERAL | ACCUMULATE, NULL, fmov_upper_from, LATENCY_MOVE},
};

/* --- One, two, three sources: the lane functions of vectors --- */

static void one_source(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    unsigned bits = simd_bits(word, op);
    struct lane lane = simd_lane_of(cpu, op, bits);

    write(cpu, word, op->lane(&lane, value_of(cpu, simd_rn(word), bits), 0, 0));
}
static void two_sources(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    unsigned bits = simd_bits(word, op);
    struct lane lane = simd_lane_of(cpu, op, bits);

    write(cpu, word, op->lane(&lane, value_of(cpu, simd_rn(word), bits), value_of(cpu, simd_rm(word), bits), 0));
}
static void three_sources(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    unsigned width = simd_bits(word, op);
    struct lane lane = simd_lane_of(cpu, op, width);

    write(cpu, word,
          op->lane(&lane, value_of(cpu, simd_rn(word), width), value_of(cpu, simd_rm(word), width),
                   value_of(cpu, bits(word, 14, 10), width)));
}
static uint64_t fmov(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return n;
}
static uint64_t fnmul(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return fp_negate(lane->bits, lane_fmul(lane, n, m, d));
}
static uint64_t fnmadd(const struct lane *lane, uint64_t n, uint64_t m, uint64_t a)
{
    return lane_fmls(lane, n, m, fp_negate(lane->bits, a));
}
static uint64_t fnmsub(const struct lane *lane, uint64_t n, uint64_t m, uint64_t a)
{
    return lane_fmla(lane, n, m, fp_negate(lane->bits, a));
}

/* Types as in ptype and opc: 0 single, 1 double, 3 half. */
static unsigned bits_of_type(unsigned type)
{
    return type == 3 ? 16 : 32u << type;
}
static void fcvt(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    unsigned from = bits_of_type(bits(word, 23, 22)), to = bits_of_type(bits(word, 16, 15));

    write(cpu, word,
          fp_convert(&cpu->sys.fp, to, from, value_of(cpu, simd_rn(word), from), fp_rounding_of(&cpu->sys.fp)));
}

#define ONE(opcode)    0x009F8000, (opcode) << 15
#define FCVT(to, from) 0x00DF8000, (uint32_t)(from) << 22 | (4u | (to)) << 15
#define TWO(opcode)    0x0080F000, (opcode) << 12
#define THREE(o1, o0)  0x00A08000, (uint32_t)(o1) << 21 | (o0) << 15

enum { UNARY = FP | NO_M };

static const struct simd_op one_source_ops[] = {
    {"FMOV (register)", ONE(0x0), UNARY, fmov, one_source, LATENCY_FP_ADD},
    {"FABS (scalar)", ONE(0x1), UNARY, lane_fabs, one_source, LATENCY_FP_ADD},
    {"FNEG (scalar)", ONE(0x2), UNARY, lane_fneg, one_source, LATENCY_FP_ADD},
    {"FSQRT (scalar)", ONE(0x3), UNARY, lane_fsqrt, one_source, LATENCY_FP_SQRT},
    {"FCVT (S to D)", FCVT(1, 0), ANY, NULL, fcvt, LATENCY_FP_CONVERT},
    {"FCVT (S to H)", FCVT(3, 0), ANY, NULL, fcvt, LATENCY_FP_CONVERT},
    {"FCVT (D to S)", FCVT(0, 1), ANY, NULL, fcvt, LATENCY_FP_CONVERT},
    {"FCVT (D to H)", FCVT(3, 1), ANY, NULL, fcvt, LATENCY_FP_CONVERT},
    {"FCVT (H to S)", FCVT(0, 3), ANY, NULL, fcvt, LATENCY_FP_CONVERT},
    {"FCVT (H to D)", FCVT(1, 3), ANY, NULL, fcvt, LATENCY_FP_CONVERT},
    {"FRINTN (scalar)", ONE(0x8), UNARY, lane_frintn, one_source, LATENCY_FP_CONVERT},
    {"FRINTP (scalar)", ONE(0x9), UNARY, lane_frintp, one_source, LATENCY_FP_CONVERT},
    {"FRINTM (scalar)", ONE(0xA), UNARY, lane_frintm, one_source, LATENCY_FP_CONVERT},
    {"FRINTZ (scalar)", ONE(0xB), UNARY, lane_frintz, one_source, LATENCY_FP_CONVERT},
    {"FRINTA (scalar)", ONE(0xC), UNARY, lane_frinta, one_source, LATENCY_FP_CONVERT},
    {"FRINTX (scalar)", ONE(0xE), UNARY, lane_frintx, one_source, LATENCY_FP_CONVERT},
    {"FRINTI (scalar)", ONE(0xF), UNARY, lane_frinti, one_source, LATENCY_FP_CONVERT},
};

static const struct simd_op two_source_ops[] = {
    {"FMUL (scalar)", TWO(0x0), FP, lane_fmul, two_sources, LATENCY_FP_MUL},
    {"FDIV (scalar)", TWO(0x1), FP, lane_fdiv, two_sources, LATENCY_FP_DIV},
    {"FADD (scalar)", TWO(0x2), FP, lane_fadd, two_sources, LATENCY_FP_ADD},
    {"FSUB (scalar)", TWO(0x3), FP, lane_fsub, two_sources, LATENCY_FP_ADD},
    {"FMAX (scalar)", TWO(0x4), FP, lane_fmax, two_sources, LATENCY_FP_ADD},
    {"FMIN (scalar)", TWO(0x5), FP, lane_fmin, two_sources, LATENCY_FP_ADD},
    {"FMAXNM (scalar)", TWO(0x6), FP, lane_fmaxnm, two_sources, LATENCY_FP_ADD},
    {"FMINNM (scalar)", TWO(0x7), FP, lane_fminnm, two_sources, LATENCY_FP_ADD},
    {"FNMUL (scalar)", TWO(0x8), FP, fnmul, two_sources, LATENCY_FP_MUL},
};

static const struct simd_op three_source_ops[] = {
    {"FMADD", THREE(0, 0), FP | THREE_SOURCES, lane_fmla, three_sources, LATENCY_FP_FMA},
    {"FMSUB", THREE(0, 1), FP | THREE_SOURCES, lane_fmls, three_sources, LATENCY_FP_FMA},
    {"FNMADD", THREE(1, 0), FP | THREE_SOURCES, fnmadd, three_sources, LATENCY_FP_FMA},
    {"FNMSUB", THREE(1, 1), FP | THREE_SOURCES, fnmsub, three_sources, LATENCY_FP_FMA},
};

/* --- Comparisons, select, immediate --- */

static void compare(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    unsigned bits = simd_bits(word, op);
    uint64_t m = bit(word, 3) ? 0 : value_of(cpu, simd_rm(word), bits);

    cpu->pstate.nzcv = fp_compare(&cpu->sys.fp, bits, value_of(cpu, simd_rn(word), bits), m, bit(word, 4));
}
static void conditional_compare(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    unsigned width = simd_bits(word, op);

    if (condition_holds(cpu->pstate.nzcv, bits(word, 15, 12)))
        cpu->pstate.nzcv = fp_compare(&cpu->sys.fp, width, value_of(cpu, simd_rn(word), width),
                                      value_of(cpu, simd_rm(word), width), bit(word, 4));
    else
        cpu->pstate.nzcv = bits(word, 3, 0) << 28;
}
static void select_one(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    bool first = condition_holds(cpu->pstate.nzcv, bits(word, 15, 12));

    write(cpu, word, value_of(cpu, first ? simd_rn(word) : simd_rm(word), simd_bits(word, op)));
}
static void fmov_immediate(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    write(cpu, word, fp_expand_immediate(simd_bits(word, op), bits(word, 20, 13)));
}

#define SINGLE_OR_DOUBLE 0x00800000, 0

static const struct simd_op comparison_ops[] = {
    {"FCMP, FCMPE", 0x00800008, 0, FP | SETS_FLAGS, NULL, compare, LATENCY_FP_ADD},
    {"FCMP, FCMPE (zero)", 0x00800008, 8, FP | SETS_FLAGS | NO_M, NULL, compare, LATENCY_FP_ADD},
};
static const struct simd_op conditional_comparison_ops[] = {
    {"FCCMP, FCCMPE", SINGLE_OR_DOUBLE, FP | SETS_FLAGS | READS_FLAGS, NULL, conditional_compare, LATENCY_FP_ADD},
};
static const struct simd_op select_ops[] = {
    {"FCSEL", SINGLE_OR_DOUBLE, FP | READS_FLAGS, NULL, select_one, LATENCY_FP_ADD},
};
static const struct simd_op immediate_ops[] = {
    {"FMOV (scalar, immediate)", SINGLE_OR_DOUBLE, FP | NO_M, NULL, fmov_immediate, LATENCY_SIMD},
};

const struct simd_group fp_fixed = SIMD_GROUP(0x7F200000, 0x1E000000, fixed_ops, fixed_exists);
const struct simd_group fp_integer = SIMD_GROUP(0x7F20FC00, 0x1E200000, integer_ops, NULL);
const struct simd_group fp_one_source = SIMD_GROUP(0xFF207C00, 0x1E204000, one_source_ops, NULL);
const struct simd_group fp_two_source = SIMD_GROUP(0xFF200C00, 0x1E200800, two_source_ops, NULL);
const struct simd_group fp_three_source = SIMD_GROUP(0xFF000000, 0x1F000000, three_source_ops, NULL);
const struct simd_group fp_comparison = SIMD_GROUP(0xFF20FC07, 0x1E202000, comparison_ops, NULL);
const struct simd_group fp_conditional_comparison =
    SIMD_GROUP(0xFF200C00, 0x1E200400, conditional_comparison_ops, NULL);
const struct simd_group fp_conditional_select = SIMD_GROUP(0xFF200C00, 0x1E200C00, select_ops, NULL);
const struct simd_group fp_immediate = SIMD_GROUP(0xFF201FE0, 0x1E201000, immediate_ops, NULL);
