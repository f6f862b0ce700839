/* Conversions between formats, to and from fixed point, to integral values (DDI 0487 FPConvert, FPToFixed, FixedToFP,
 * FPRoundInt). */
#include "cpu/fp_number.h"

/* The payload moves with its upper end. */
static uint64_t convert_nan(unsigned to_bits, unsigned from_bits, bool sign, uint64_t raw)
{
    uint64_t payload = raw << (64 - fp_fraction_bits(from_bits)) >> (64 - fp_fraction_bits(to_bits));

    return fp_infinity(to_bits, sign) | payload | 1ull << (fp_fraction_bits(to_bits) - 1);
}

uint64_t fp_convert(struct fp_env *env, unsigned to_bits, unsigned from_bits, uint64_t a, enum fp_rounding rounding)
{
    struct fp_number n = fp_unpack(env, from_bits, a);
    bool alternative = to_bits == 16 && (env->fpcr & FPCR_AHP);

    switch (n.kind) {
    case FP_KIND_ZERO:
        return fp_zero(to_bits, n.sign);
    case FP_KIND_FINITE:
        return fp_round(env, to_bits, fp_exact_of(&n), rounding);
    case FP_KIND_INFINITY:
        if (!alternative)
            return fp_infinity(to_bits, n.sign);
        env->fpsr |= FPSR_IOC;
        return fp_signed(to_bits, n.sign, 0x7FFF);
    default:
        if (alternative || n.kind == FP_KIND_SNAN)
            env->fpsr |= FPSR_IOC;
        if (alternative)
            return fp_zero(to_bits, n.sign);
        if (env->fpcr & FPCR_DN)
            return fp_process_nan(env, to_bits, FP_KIND_QNAN, 0);
        return convert_nan(to_bits, from_bits, n.sign, a);
    }
}

uint64_t fp_from_fixed(struct fp_env *env, unsigned bits, uint64_t value, bool is_unsigned, unsigned fraction_bits)
{
    bool sign = !is_unsigned && value >> 63;
    fp_u128 magnitude = sign ? -value : value;

    if (!value)
        return 0;
    return fp_round(env, bits, (struct fp_exact){sign, 126 - (int)fraction_bits, magnitude}, fp_rounding_of(env));
}

/* The magnitude of significand * 2^(exponent - 63), exponent at most 64, rounded to an integer. */
static fp_u128 integral_magnitude(const struct fp_number *n, int exponent, enum fp_rounding rounding, bool *inexact)
{
    int cut = 63 - exponent;
    fp_u128 integer, rest;

    *inexact = false;
    if (cut <= 0)
        return (fp_u128)n->significand << -cut;
    integer = cut > 63 ? 0 : n->significand >> cut;
    rest = cut > 128 ? 1 : (fp_u128)n->significand << (128 - cut);
    *inexact = rest != 0;
    return integer + fp_rounds_up(rounding, n->sign, integer & 1, rest);
}

uint64_t fp_to_fixed(struct fp_env *env, unsigned bits, uint64_t a, unsigned width, bool is_unsigned,
                     unsigned fraction_bits, enum fp_rounding rounding)
{
    struct fp_number n = fp_unpack(env, bits, a);
    fp_u128 most = is_unsigned ? ((fp_u128)1 << width) - 1 : ((fp_u128)1 << (width - 1)) - 1;
    fp_u128 least = is_unsigned ? 0 : (fp_u128)1 << (width - 1); /* magnitude of the lowest value */
    fp_u128 magnitude = 0, limit = n.sign ? least : most;
    int exponent = n.exponent + (int)fraction_bits;
    bool inexact = false, saturated = fp_is_nan(&n);

    if (fp_is_infinite(&n) || (n.kind == FP_KIND_FINITE && exponent > 64))
        saturated = true;
    else if (n.kind == FP_KIND_FINITE)
        magnitude = integral_magnitude(&n, exponent, rounding, &inexact);
    if (saturated || magnitude > limit) {
        env->fpsr |= FPSR_IOC;
        magnitude = fp_is_nan(&n) ? 0 : limit;
    } else if (inexact) {
        env->fpsr |= FPSR_IXC;
    }
    return (n.sign ? -(uint64_t)magnitude : (uint64_t)magnitude) & (~0ull >> (64 - width));
}

uint64_t fp_round_to_integral(struct fp_env *env, unsigned bits, uint64_t a, enum fp_rounding rounding, bool exact)
{
    struct fp_number n = fp_unpack(env, bits, a);
    fp_u128 magnitude;
    bool inexact;

    if (fp_is_nan(&n))
        return fp_process_nan(env, bits, n.kind, a);
    if (n.kind != FP_KIND_FINITE)
        return fp_is_zero(&n) ? fp_zero(bits, n.sign) : a;
    if (n.exponent >= (int)fp_fraction_bits(bits))
        return a;
    magnitude = integral_magnitude(&n, n.exponent, rounding, &inexact);
    if (inexact && exact)
        env->fpsr |= FPSR_IXC;
    if (!magnitude)
        return fp_zero(bits, n.sign);
    return fp_round(env, bits, (struct fp_exact){n.sign, 126, magnitude}, FP_TO_ZERO);
}
