/* Floating-point lanes: what vectors and the scalar instructions of fp_scalar.c have in common. */
#include "cpu/simd_lanes.h"

#define FP_LANE(name, expression)                                                     \
    uint64_t lane_##name(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d) \
    {                                                                                 \
        return expression;                                                            \
    }
#define MASK_IF(condition) ((condition) ? ~0ull : 0)

FP_LANE(fadd, fp_add(lane->env, lane->bits, n, m))
FP_LANE(fsub, fp_sub(lane->env, lane->bits, n, m))
FP_LANE(fmul, fp_mul(lane->env, lane->bits, n, m))
FP_LANE(fmulx, fp_mulx(lane->env, lane->bits, n, m))
FP_LANE(fdiv, fp_div(lane->env, lane->bits, n, m))
FP_LANE(fmla, fp_mul_add(lane->env, lane->bits, d, n, m))
FP_LANE(fmls, fp_mul_add(lane->env, lane->bits, d, fp_negate(lane->bits, n), m))
FP_LANE(fmax, fp_max(lane->env, lane->bits, n, m, false))
FP_LANE(fmin, fp_min(lane->env, lane->bits, n, m, false))
FP_LANE(fmaxnm, fp_max(lane->env, lane->bits, n, m, true))
FP_LANE(fminnm, fp_min(lane->env, lane->bits, n, m, true))
FP_LANE(fabd, fp_absolute(lane->bits, fp_sub(lane->env, lane->bits, n, m)))
FP_LANE(frecps, fp_recip_step(lane->env, lane->bits, n, m))
FP_LANE(frsqrts, fp_rsqrt_step(lane->env, lane->bits, n, m))
FP_LANE(fcmeq, MASK_IF(fp_equal(lane->env, lane->bits, n, m)))
FP_LANE(fcmge, MASK_IF(fp_greater_equal(lane->env, lane->bits, n, m)))
FP_LANE(fcmgt, MASK_IF(fp_greater(lane->env, lane->bits, n, m)))
FP_LANE(facge, MASK_IF(fp_greater_equal(lane->env, lane->bits, fp_absolute(lane->bits, n), fp_absolute(lane->bits, m))))
FP_LANE(facgt, MASK_IF(fp_greater(lane->env, lane->bits, fp_absolute(lane->bits, n), fp_absolute(lane->bits, m))))
FP_LANE(fabs, fp_absolute(lane->bits, n))
FP_LANE(fneg, fp_negate(lane->bits, n))
FP_LANE(fsqrt, fp_sqrt(lane->env, lane->bits, n))
FP_LANE(frintn, fp_round_to_integral(lane->env, lane->bits, n, FP_NEAREST, false))
FP_LANE(frintp, fp_round_to_integral(lane->env, lane->bits, n, FP_UP, false))
FP_LANE(frintm, fp_round_to_integral(lane->env, lane->bits, n, FP_DOWN, false))
FP_LANE(frintz, fp_round_to_integral(lane->env, lane->bits, n, FP_TO_ZERO, false))
FP_LANE(frinta, fp_round_to_integral(lane->env, lane->bits, n, FP_TIES_AWAY, false))
FP_LANE(frintx, fp_round_to_integral(lane->env, lane->bits, n, fp_rounding_of(lane->env), true))
FP_LANE(frinti, fp_round_to_integral(lane->env, lane->bits, n, fp_rounding_of(lane->env), false))
