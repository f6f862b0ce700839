#include "cpu/fp_number.h"

/* The formats without infinities and NaNs of FPCR.AHP. */
static bool alternative_half(const struct fp_env *env, unsigned bits)
{
    return bits == 16 && (env->fpcr & FPCR_AHP);
}

struct fp_number fp_unpack(struct fp_env *env, unsigned bits, uint64_t raw)
{
    unsigned fraction_bits = fp_fraction_bits(bits), exponent_bits = fp_exponent_bits(bits);
    uint64_t fraction = raw & ((1ull << fraction_bits) - 1);
    int biased = (int)(raw >> fraction_bits & ((1u << exponent_bits) - 1));
    struct fp_number n = {.kind = FP_KIND_FINITE, .sign = raw >> (bits - 1) & 1};

    if (biased == 0) {
        if (fraction && bits != 16 && (env->fpcr & FPCR_FZ)) {
            env->fpsr |= FPSR_IDC;
            fraction = 0;
        }
        if (!fraction) {
            n.kind = FP_KIND_ZERO;
            return n;
        }
        unsigned zeros = (unsigned)__builtin_clzll(fraction);
        n.significand = fraction << zeros;
        n.exponent = 1 - fp_bias(bits) - (int)(zeros - (63 - fraction_bits));
    } else if (biased == (1 << exponent_bits) - 1 && !alternative_half(env, bits)) {
        n.kind = !fraction ? FP_KIND_INFINITY : fraction >> (fraction_bits - 1) & 1 ? FP_KIND_QNAN : FP_KIND_SNAN;
    } else {
        n.significand = (fraction | 1ull << fraction_bits) << (63 - fraction_bits);
        n.exponent = biased - fp_bias(bits);
    }
    return n;
}

bool fp_rounds_up(enum fp_rounding rounding, bool sign, bool odd, fp_u128 rest)
{
    const fp_u128 HALF = (fp_u128)1 << 127;

    switch (rounding) {
    case FP_NEAREST:
        return rest > HALF || (rest == HALF && odd);
    case FP_TIES_AWAY:
        return rest >= HALF;
    case FP_UP:
        return rest && !sign;
    case FP_DOWN:
        return rest && sign;
    default:
        return false;
    }
}

static uint64_t overflow(struct fp_env *env, unsigned bits, bool sign, enum fp_rounding rounding)
{
    bool to_infinity = rounding == FP_NEAREST || rounding == FP_TIES_AWAY || rounding == (sign ? FP_DOWN : FP_UP);

    if (alternative_half(env, bits)) {
        env->fpsr |= FPSR_IOC;
        return fp_signed(bits, sign, 0x7FFF);
    }
    env->fpsr |= FPSR_OFC | FPSR_IXC;
    return to_infinity ? fp_infinity(bits, sign) : fp_largest(bits, sign);
}

static unsigned leading_zeros(fp_u128 value)
{
    uint64_t high = (uint64_t)(value >> 64);

    return (unsigned)(high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)value));
}

uint64_t fp_round(struct fp_env *env, unsigned bits, struct fp_exact exact, enum fp_rounding rounding)
{
    unsigned fraction_bits = fp_fraction_bits(bits), zeros = leading_zeros(exact.significand);
    int most = (1 << fp_exponent_bits(bits)) - 1 + alternative_half(env, bits);
    int biased = exact.exponent + 1 - (int)zeros + fp_bias(bits);
    fp_u128 significand = exact.significand << zeros, rest;
    bool tiny = biased < 1;
    unsigned cut = 127 - fraction_bits;
    uint64_t kept;

    if (tiny && bits != 16 && (env->fpcr & FPCR_FZ)) {
        env->fpsr |= FPSR_UFC;
        return fp_zero(bits, exact.sign);
    }
    if (tiny)
        cut = biased < -200 ? 129 : cut + 1 - (unsigned)biased;
    kept = cut > 127 ? 0 : (uint64_t)(significand >> cut);
    rest = cut > 128 ? 1 : cut == 128 ? significand : significand << (128 - cut);
    if (rounding == FP_TO_ODD)
        kept |= rest != 0;
    else
        kept += fp_rounds_up(rounding, exact.sign, kept & 1, rest);
    if (!tiny && biased - 1 + (int)(kept >> fraction_bits) >= most)
        return overflow(env, bits, exact.sign, rounding);
    if (rest)
        env->fpsr |= tiny ? FPSR_IXC | FPSR_UFC : FPSR_IXC;
    /* the leading one of a normal number, or of a subnormal one that was rounded up to normal, counts one exponent */
    return fp_signed(bits, exact.sign, ((uint64_t)(tiny ? 0 : biased - 1) << fraction_bits) + kept);
}

static uint64_t default_nan(unsigned bits)
{
    return fp_infinity(bits, false) | 1ull << (fp_fraction_bits(bits) - 1);
}

uint64_t fp_invalid(struct fp_env *env, unsigned bits)
{
    env->fpsr |= FPSR_IOC;
    return default_nan(bits);
}

uint64_t fp_process_nan(struct fp_env *env, unsigned bits, enum fp_kind kind, uint64_t raw)
{
    if (kind == FP_KIND_SNAN)
        env->fpsr |= FPSR_IOC;
    return env->fpcr & FPCR_DN ? default_nan(bits) : raw | 1ull << (fp_fraction_bits(bits) - 1);
}

bool fp_process_nans(struct fp_env *env, unsigned bits, const struct fp_number n[], const uint64_t raw[],
                     unsigned count, uint64_t *result)
{
    for (enum fp_kind kind = FP_KIND_SNAN; kind >= FP_KIND_QNAN; kind--)
        for (unsigned i = 0; i < count; i++)
            if (n[i].kind == kind) {
                *result = fp_process_nan(env, bits, kind, raw[i]);
                return true;
            }
    return false;
}
