/* The 8-bit estimates from which software iterates (DDI 0487 FPRecipEstimate, FPRSqrtEstimate, FPRecpX). */
#include "cpu/fp_number.h"

/* 1 / a for a = 256..511, as a fraction of 2^-9: 256..511 (RecipEstimate). */
static unsigned recip_estimate(unsigned a)
{
    return ((1u << 19) / (2 * a + 1) + 1) / 2;
}

/* 1 / sqrt(a) for a = 128..511 (RecipSqrtEstimate). */
static unsigned rsqrt_estimate(unsigned a)
{
    unsigned b = 512;

    a = a < 256 ? 2 * a + 1 : ((a | 1) * 2);
    while (a * (b + 1) * (b + 1) < 1u << 28)
        b++;
    return (b + 1) / 2;
}

uint32_t fp_recip_estimate_unsigned(uint32_t a)
{
    return a >> 31 ? recip_estimate(a >> 23) << 23 : ~0u;
}

uint32_t fp_rsqrt_estimate_unsigned(uint32_t a)
{
    return a >> 30 ? rsqrt_estimate(a >> 23) << 23 : ~0u;
}

static uint64_t overflowed(struct fp_env *env, unsigned bits, bool sign)
{
    enum fp_rounding rounding = fp_rounding_of(env);

    env->fpsr |= FPSR_OFC | FPSR_IXC;
    return rounding == FP_NEAREST || rounding == (sign ? FP_DOWN : FP_UP) ? fp_infinity(bits, sign)
                                                                          : fp_largest(bits, sign);
}

uint64_t fp_recip_estimate(struct fp_env *env, unsigned bits, uint64_t a)
{
    struct fp_number n = fp_unpack(env, bits, a);
    unsigned fraction_bits = fp_fraction_bits(bits);
    int biased, bias = fp_bias(bits);
    uint64_t fraction;

    if (fp_is_nan(&n))
        return fp_process_nan(env, bits, n.kind, a);
    if (fp_is_infinite(&n))
        return fp_zero(bits, n.sign);
    if (fp_is_zero(&n)) {
        env->fpsr |= FPSR_DZC;
        return fp_infinity(bits, n.sign);
    }
    if (n.exponent < -bias - 1)
        return overflowed(env, bits, n.sign);
    if (bits != 16 && (env->fpcr & FPCR_FZ) && n.exponent >= bias - 1) {
        env->fpsr |= FPSR_UFC;
        return fp_zero(bits, n.sign);
    }
    biased = bias - 1 - n.exponent;
    fraction = (uint64_t)(recip_estimate((unsigned)(n.significand >> 55)) & 0xFF) << (fraction_bits - 8);
    if (biased <= 0) /* a subnormal result: the leading one is no longer implied */
        fraction = (fraction | 1ull << fraction_bits) >> (1 - biased);
    return fp_signed(bits, n.sign, (uint64_t)(biased > 0 ? biased : 0) << fraction_bits | fraction);
}

uint64_t fp_rsqrt_estimate(struct fp_env *env, unsigned bits, uint64_t a)
{
    struct fp_number n = fp_unpack(env, bits, a);
    unsigned fraction_bits = fp_fraction_bits(bits), scaled;
    int biased;

    if (fp_is_nan(&n))
        return fp_process_nan(env, bits, n.kind, a);
    if (fp_is_zero(&n)) {
        env->fpsr |= FPSR_DZC;
        return fp_infinity(bits, n.sign);
    }
    if (n.sign)
        return fp_invalid(env, bits);
    if (fp_is_infinite(&n))
        return fp_zero(bits, false);
    scaled = (unsigned)(n.significand >> (n.exponent & 1 ? 55 : 56)); /* 256..511 stands for [1/2, 1) */
    biased = (2 * fp_bias(bits) - 1 - n.exponent) >> 1;
    return (uint64_t)biased << fraction_bits | (uint64_t)(rsqrt_estimate(scaled) & 0xFF) << (fraction_bits - 8);
}

uint64_t fp_recip_exponent(struct fp_env *env, unsigned bits, uint64_t a)
{
    struct fp_number n = fp_unpack(env, bits, a);
    uint64_t ones = (1ull << fp_exponent_bits(bits)) - 1, biased = a >> fp_fraction_bits(bits) & ones;

    if (fp_is_nan(&n))
        return fp_process_nan(env, bits, n.kind, a);
    return fp_signed(bits, n.sign, (biased ? ~biased & ones : ones - 1) << fp_fraction_bits(bits));
}
