/* Lane functions (simd.h) that more than one class uses. */
#ifndef DMASIM_CPU_SIMD_LANES_H
#define DMASIM_CPU_SIMD_LANES_H

#include "cpu/simd.h"

/* simd_integer.c. saturate: into the element, signed or not, with FPSR.QC. */
uint64_t simd_saturate(const struct lane *lane, bool is_signed, __int128 value);
__int128 simd_wide(const struct lane *lane, uint64_t value);
__int128 simd_shift_right(__int128 value, unsigned count, bool rounding);
simd_lane lane_add, lane_sub, lane_mul, lane_mla, lane_mls, lane_abd, lane_aba, lane_max, lane_min;
simd_lane lane_sqdmulh, lane_sqrdmulh, lane_sqdmull, lane_sqdmlal, lane_sqdmlsl, lane_pmul;
simd_lane lane_shl, lane_sqshl;

/* simd_float.c */
simd_lane lane_fadd, lane_fsub, lane_fmul, lane_fmulx, lane_fdiv, lane_fmla, lane_fmls, lane_fmax, lane_fmin,
    lane_fmaxnm, lane_fminnm, lane_fabd, lane_frecps, lane_frsqrts, lane_fcmeq, lane_fcmge, lane_fcmgt, lane_facge,
    lane_facgt, lane_fabs, lane_fneg, lane_fsqrt, lane_frintn, lane_frintp, lane_frintm, lane_frintz, lane_frinta,
    lane_frintx, lane_frinti;

#endif
