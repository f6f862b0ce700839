/* Floating-point numbers taken apart and put together: what the files fp_*.c share. */
#ifndef DMASIM_CPU_FP_NUMBER_H
#define DMASIM_CPU_FP_NUMBER_H

#include "cpu/fp.h"

typedef unsigned __int128 fp_u128;

enum fp_kind { FP_KIND_ZERO, FP_KIND_FINITE, FP_KIND_INFINITY, FP_KIND_QNAN, FP_KIND_SNAN };

/* An operand. FP_KIND_FINITE: significand * 2^(exponent - 63), bit 63 set. */
struct fp_number {
    enum fp_kind kind;
    bool sign;
    int exponent;
    uint64_t significand;
};

/* A result before rounding: significand * 2^(exponent - 126), not normalized; the lowest bit may stand for all below.
 */
struct fp_exact {
    bool sign;
    int exponent;
    fp_u128 significand;
};

static inline unsigned fp_exponent_bits(unsigned bits)
{
    return bits == 64 ? 11 : bits == 32 ? 8 : 5;
}
static inline unsigned fp_fraction_bits(unsigned bits)
{
    return bits - 1 - fp_exponent_bits(bits);
}
static inline int fp_bias(unsigned bits)
{
    return (1 << (fp_exponent_bits(bits) - 1)) - 1;
}
static inline uint64_t fp_signed(unsigned bits, bool sign, uint64_t magnitude)
{
    return (uint64_t)sign << (bits - 1) | magnitude;
}
static inline uint64_t fp_zero(unsigned bits, bool sign)
{
    return fp_signed(bits, sign, 0);
}
static inline uint64_t fp_infinity(unsigned bits, bool sign)
{
    return fp_signed(bits, sign, ((1ull << fp_exponent_bits(bits)) - 1) << fp_fraction_bits(bits));
}
static inline uint64_t fp_largest(unsigned bits, bool sign)
{
    return fp_infinity(bits, sign) - 1;
}
static inline bool fp_is_nan(const struct fp_number *n)
{
    return n->kind >= FP_KIND_QNAN;
}
static inline bool fp_is_zero(const struct fp_number *n)
{
    return n->kind == FP_KIND_ZERO;
}
static inline bool fp_is_infinite(const struct fp_number *n)
{
    return n->kind == FP_KIND_INFINITY;
}

/* FPUnpack: with FPCR.FZ a subnormal single or double becomes zero and sets IDC. */
struct fp_number fp_unpack(struct fp_env *env, unsigned bits, uint64_t raw);

/* FPRound of a value other than zero. */
uint64_t fp_round(struct fp_env *env, unsigned bits, struct fp_exact exact, enum fp_rounding rounding);

/* Whether what is cut off makes the kept part one larger; rest is a fraction of 2^128. */
bool fp_rounds_up(enum fp_rounding rounding, bool sign, bool odd, fp_u128 rest);

/* FPDefaultNaN, with IOC. */
uint64_t fp_invalid(struct fp_env *env, unsigned bits);
/* FPProcessNaN, FPProcessNaNs, FPProcessNaNs3. The latter two: false when no operand is a NaN. */
uint64_t fp_process_nan(struct fp_env *env, unsigned bits, enum fp_kind kind, uint64_t raw);
bool fp_process_nans(struct fp_env *env, unsigned bits, const struct fp_number n[], const uint64_t raw[],
                     unsigned count, uint64_t *result);

static inline struct fp_exact fp_exact_of(const struct fp_number *n)
{
    return (struct fp_exact){n->sign, n->exponent, (fp_u128)n->significand << 63};
}

#endif
