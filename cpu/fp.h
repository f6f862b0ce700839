/*
 * Floating point of A64 in software (DDI 0487, shared/functions/float): half, single and double precision as bit
 * patterns, with the rounding modes, NaN rules, flush to zero and cumulative flags of FPCR and FPSR. bits is always
 * 16, 32 or 64, the width of the format; results are exact to the bit on every host.
 */
#ifndef DMASIM_CPU_FP_H
#define DMASIM_CPU_FP_H

#include <stdbool.h>
#include <stdint.h>

/* FPCR and FPSR; operations read the one and accumulate in the other. */
struct fp_env {
    uint64_t fpcr, fpsr;
};

#define FPCR_AHP   (1u << 26)
#define FPCR_DN    (1u << 25)
#define FPCR_FZ    (1u << 24)
#define FPCR_RMODE (3u << 22)
#define FPCR_KEPT  (FPCR_AHP | FPCR_DN | FPCR_FZ | FPCR_RMODE) /* no trapped exceptions, no FZ16 */

#define FPSR_IOC  (1u << 0)
#define FPSR_DZC  (1u << 1)
#define FPSR_OFC  (1u << 2)
#define FPSR_UFC  (1u << 3)
#define FPSR_IXC  (1u << 4)
#define FPSR_IDC  (1u << 7)
#define FPSR_QC   (1u << 27)
#define FPSR_KEPT (FPSR_QC | FPSR_IDC | FPSR_IXC | FPSR_UFC | FPSR_OFC | FPSR_DZC | FPSR_IOC)

/* The first four are values of FPCR.RMode. */
enum fp_rounding { FP_NEAREST, FP_UP, FP_DOWN, FP_TO_ZERO, FP_TIES_AWAY, FP_TO_ODD };

static inline enum fp_rounding fp_rounding_of(const struct fp_env *env)
{
    return (enum fp_rounding)(env->fpcr >> 22 & 3);
}

/* fp_arithmetic.c */
uint64_t fp_add(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b);
uint64_t fp_sub(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b);
uint64_t fp_mul(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b);
uint64_t fp_mulx(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b); /* 0 x infinity is 2 */
uint64_t fp_div(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b);
uint64_t fp_sqrt(struct fp_env *env, unsigned bits, uint64_t a);
uint64_t fp_mul_add(struct fp_env *env, unsigned bits, uint64_t addend, uint64_t a, uint64_t b); /* fused */
uint64_t fp_recip_step(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b);               /* 2 - ab, fused */
uint64_t fp_rsqrt_step(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b); /* (3 - ab) / 2, fused */

/* fp_compare.c. number: FMAXNM and FMINNM, which prefer a number to a quiet NaN. */
uint64_t fp_max(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b, bool number);
uint64_t fp_min(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b, bool number);
/* NZCV in bits 31:28; signal: a quiet NaN is an invalid operation too. */
uint32_t fp_compare(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b, bool signal);
bool fp_equal(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b);
bool fp_greater_equal(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b);
bool fp_greater(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b);

/* fp_convert.c. Fixed-point numbers have fraction_bits binary places and saturate to width bits. */
uint64_t fp_convert(struct fp_env *env, unsigned to_bits, unsigned from_bits, uint64_t a, enum fp_rounding rounding);
uint64_t fp_from_fixed(struct fp_env *env, unsigned bits, uint64_t value, bool is_unsigned, unsigned fraction_bits);
uint64_t fp_to_fixed(struct fp_env *env, unsigned bits, uint64_t a, unsigned width, bool is_unsigned,
                     unsigned fraction_bits, enum fp_rounding rounding);
/* exact: an inexact result is noted (FRINTX). */
uint64_t fp_round_to_integral(struct fp_env *env, unsigned bits, uint64_t a, enum fp_rounding rounding, bool exact);

/* fp_estimate.c */
uint64_t fp_recip_estimate(struct fp_env *env, unsigned bits, uint64_t a);
uint64_t fp_rsqrt_estimate(struct fp_env *env, unsigned bits, uint64_t a);
uint64_t fp_recip_exponent(struct fp_env *env, unsigned bits, uint64_t a); /* FRECPX */
uint32_t fp_recip_estimate_unsigned(uint32_t a);                           /* URECPE */
uint32_t fp_rsqrt_estimate_unsigned(uint32_t a);                           /* URSQRTE */

/* VFPExpandImm: sign, an exponent near the bias, four places of fraction. */
static inline uint64_t fp_expand_immediate(unsigned bits, unsigned imm8)
{
    unsigned exponent_bits = bits == 64 ? 11 : bits == 32 ? 8 : 5, fraction_bits = bits - 1 - exponent_bits;
    uint64_t exponent = (imm8 & 0x40 ? (1u << (exponent_bits - 1)) - 4 : 1u << (exponent_bits - 1)) | (imm8 >> 4 & 3);

    return (uint64_t)(imm8 >> 7) << (bits - 1) | exponent << fraction_bits |
           (uint64_t)(imm8 & 15) << (fraction_bits - 4);
}

static inline uint64_t fp_sign_bit(unsigned bits)
{
    return 1ull << (bits - 1);
}
static inline uint64_t fp_negate(unsigned bits, uint64_t a)
{
    return a ^ fp_sign_bit(bits);
}
static inline uint64_t fp_absolute(unsigned bits, uint64_t a)
{
    return a & ~fp_sign_bit(bits);
}

#endif
