/* Sums, products, quotients, roots (DDI 0487 FPAdd, FPMul, FPMulAdd, FPDiv, FPSqrt and the fused steps). */
#include <math.h>
#include <string.h>

#include "cpu/fp_number.h"

/*
 * The host's arithmetic may stand in where it cannot differ: round to nearest, the inexact flag already set (nothing
 * else can be raised), operands zero or normal, a result that is normal and not near an end of the range.
 */
static bool host_allowed(const struct fp_env *env, unsigned bits)
{
    return bits != 16 && (env->fpsr & FPSR_IXC) && !(env->fpcr & FPCR_RMODE);
}

static bool host_fits(unsigned bits, uint64_t raw)
{
    unsigned fraction_bits = fp_fraction_bits(bits);
    uint64_t biased = raw >> fraction_bits & ((1u << fp_exponent_bits(bits)) - 1);

    return biased - 1 < (1u << fp_exponent_bits(bits)) - 2;
}

/* A normal number, and not the smallest power of two, which may be one that was rounded up to it. */
static bool host_result(unsigned bits, uint64_t raw)
{
    return host_fits(bits, raw) && fp_absolute(bits, raw) != 1ull << fp_fraction_bits(bits);
}

static float single_of(uint64_t raw)
{
    uint32_t word = (uint32_t)raw;
    float value;

    memcpy(&value, &word, sizeof(value));
    return value;
}
static double double_of(uint64_t raw)
{
    double value;

    memcpy(&value, &raw, sizeof(value));
    return value;
}
static uint64_t raw_single(float value)
{
    uint32_t word;

    memcpy(&word, &value, sizeof(word));
    return word;
}
static uint64_t raw_double(double value)
{
    uint64_t word;

    memcpy(&word, &value, sizeof(word));
    return word;
}

static bool host_binary(const struct fp_env *env, unsigned bits, uint64_t a, uint64_t b, char operation,
                        uint64_t *result)
{
    if (!host_allowed(env, bits) || !host_fits(bits, a) || !host_fits(bits, b))
        return false;
    if (bits == 32) {
        float x = single_of(a), y = single_of(b);
        *result = raw_single(operation == '+' ? x + y : operation == '*' ? x * y : x / y);
    } else {
        double x = double_of(a), y = double_of(b);
        *result = raw_double(operation == '+' ? x + y : operation == '*' ? x * y : x / y);
    }
    return host_result(bits, *result);
}

static bool host_mul_add(const struct fp_env *env, unsigned bits, uint64_t addend, uint64_t a, uint64_t b,
                         uint64_t *result)
{
    if (!host_allowed(env, bits) || !host_fits(bits, addend) || !host_fits(bits, a) || !host_fits(bits, b))
        return false;
    *result = bits == 32 ? raw_single(fmaf(single_of(a), single_of(b), single_of(addend)))
                         : raw_double(fma(double_of(a), double_of(b), double_of(addend)));
    return host_result(bits, *result);
}

static uint64_t zero_sum(const struct fp_env *env, unsigned bits)
{
    return fp_zero(bits, fp_rounding_of(env) == FP_DOWN);
}

/* Right shift that keeps in the lowest bit whether anything was lost. */
static fp_u128 shift_jam(fp_u128 value, int count)
{
    if (count > 127)
        return value != 0;
    return value >> count | (count && value << (128 - count));
}

/* The sum of two values below 2^127, leading bit at 125 or above unless zero: what a shift loses can then only matter
 * as a sticky bit. */
static uint64_t sum(struct fp_env *env, unsigned bits, struct fp_exact a, struct fp_exact b)
{
    struct fp_exact result, *small = a.exponent < b.exponent ? &a : &b, *large = small == &a ? &b : &a;

    if (!b.significand) {
        result = a;
    } else if (!a.significand) {
        result = b;
    } else {
        fp_u128 shifted = shift_jam(small->significand, large->exponent - small->exponent);
        result = *large;
        if (small->sign == large->sign) {
            result.significand += shifted;
        } else if (shifted > result.significand) {
            result.significand = shifted - result.significand;
            result.sign = small->sign;
        } else {
            result.significand -= shifted;
        }
    }
    return result.significand ? fp_round(env, bits, result, fp_rounding_of(env)) : zero_sum(env, bits);
}

uint64_t fp_add(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b)
{
    const uint64_t raw[] = {a, b};
    struct fp_number n[2];
    uint64_t result;

    if (host_binary(env, bits, a, b, '+', &result))
        return result;
    n[0] = fp_unpack(env, bits, a);
    n[1] = fp_unpack(env, bits, b);
    if (fp_process_nans(env, bits, n, raw, 2, &result))
        return result;
    if (fp_is_infinite(&n[0]) || fp_is_infinite(&n[1])) {
        if (fp_is_infinite(&n[0]) && fp_is_infinite(&n[1]) && n[0].sign != n[1].sign)
            return fp_invalid(env, bits);
        return fp_infinity(bits, fp_is_infinite(&n[0]) ? n[0].sign : n[1].sign);
    }
    if (fp_is_zero(&n[0]) && fp_is_zero(&n[1]) && n[0].sign == n[1].sign)
        return fp_zero(bits, n[0].sign);
    return sum(env, bits, fp_exact_of(&n[0]), fp_exact_of(&n[1]));
}

/* A NaN keeps its own sign in a subtraction: only a number is negated. */
uint64_t fp_sub(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b)
{
    bool nan = fp_absolute(bits, b) > fp_infinity(bits, false);

    return fp_add(env, bits, a, nan ? b : fp_negate(bits, b));
}

/* exponent + 1: the product of two significands may reach bit 127, one above what sum() takes; its low bits are zero.
 */
static struct fp_exact product_of(const struct fp_number *a, const struct fp_number *b)
{
    return (struct fp_exact){a->sign != b->sign, a->exponent + b->exponent + 1,
                             (fp_u128)a->significand * b->significand >> 1};
}

static uint64_t multiply(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b, bool extended)
{
    const uint64_t raw[] = {a, b};
    struct fp_number n[2];
    uint64_t result;
    bool sign, infinite, zero;

    if (host_binary(env, bits, a, b, '*', &result))
        return result;
    n[0] = fp_unpack(env, bits, a);
    n[1] = fp_unpack(env, bits, b);
    if (fp_process_nans(env, bits, n, raw, 2, &result))
        return result;
    sign = n[0].sign != n[1].sign;
    infinite = fp_is_infinite(&n[0]) || fp_is_infinite(&n[1]);
    zero = fp_is_zero(&n[0]) || fp_is_zero(&n[1]);
    if (infinite && zero)
        return extended ? fp_signed(bits, sign, (uint64_t)(fp_bias(bits) + 1) << fp_fraction_bits(bits))
                        : fp_invalid(env, bits);
    if (infinite)
        return fp_infinity(bits, sign);
    if (zero)
        return fp_zero(bits, sign);
    return fp_round(env, bits, product_of(&n[0], &n[1]), fp_rounding_of(env));
}

uint64_t fp_mul(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b)
{
    return multiply(env, bits, a, b, false);
}

uint64_t fp_mulx(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b)
{
    return multiply(env, bits, a, b, true);
}

uint64_t fp_div(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b)
{
    const uint64_t raw[] = {a, b};
    struct fp_number n[2];
    uint64_t result;
    fp_u128 dividend, quotient;
    bool sign;

    if (host_binary(env, bits, a, b, '/', &result))
        return result;
    n[0] = fp_unpack(env, bits, a);
    n[1] = fp_unpack(env, bits, b);
    if (fp_process_nans(env, bits, n, raw, 2, &result))
        return result;
    sign = n[0].sign != n[1].sign;
    if (n[0].kind == n[1].kind && n[0].kind != FP_KIND_FINITE) /* 0 / 0, infinity / infinity */
        return fp_invalid(env, bits);
    if (fp_is_infinite(&n[0]) || fp_is_zero(&n[1])) {
        if (!fp_is_infinite(&n[0]))
            env->fpsr |= FPSR_DZC;
        return fp_infinity(bits, sign);
    }
    if (fp_is_zero(&n[0]) || fp_is_infinite(&n[1]))
        return fp_zero(bits, sign);
    dividend = (fp_u128)n[0].significand << 63;
    quotient = dividend / n[1].significand;
    quotient = quotient << 1 | (dividend % n[1].significand != 0);
    return fp_round(env, bits, (struct fp_exact){sign, n[0].exponent - n[1].exponent + 62, quotient},
                    fp_rounding_of(env));
}

/* The integer part of the root. */
static uint64_t root_of(fp_u128 value)
{
    uint64_t root = 0;

    for (uint64_t bit = 1ull << 63; bit; bit >>= 1)
        if ((fp_u128)(root | bit) * (root | bit) <= value)
            root |= bit;
    return root;
}

uint64_t fp_sqrt(struct fp_env *env, unsigned bits, uint64_t a)
{
    struct fp_number n;
    fp_u128 square;
    uint64_t root;
    int half;

    if (host_allowed(env, bits) && host_fits(bits, a) && !(a & fp_sign_bit(bits)))
        return bits == 32 ? raw_single(__builtin_sqrtf(single_of(a))) : raw_double(__builtin_sqrt(double_of(a)));
    n = fp_unpack(env, bits, a);
    if (fp_is_nan(&n))
        return fp_process_nan(env, bits, n.kind, a);
    if (fp_is_zero(&n))
        return fp_zero(bits, n.sign);
    if (n.sign)
        return fp_invalid(env, bits);
    if (fp_is_infinite(&n))
        return fp_infinity(bits, false);
    half = n.exponent >> 1; /* rounded down; an odd exponent leaves a factor of 2 in the significand */
    square = (fp_u128)n.significand << (63 + (n.exponent & 1));
    root = root_of(square);
    return fp_round(env, bits,
                    (struct fp_exact){false, half + 62, (fp_u128)root << 1 | ((fp_u128)root * root != square)},
                    fp_rounding_of(env));
}

uint64_t fp_mul_add(struct fp_env *env, unsigned bits, uint64_t addend, uint64_t a, uint64_t b)
{
    const uint64_t raw[] = {addend, a, b};
    struct fp_number n[3];
    bool sign, infinite, zero;
    uint64_t result;

    if (host_mul_add(env, bits, addend, a, b, &result))
        return result;
    for (unsigned i = 0; i < 3; i++)
        n[i] = fp_unpack(env, bits, raw[i]);
    sign = n[1].sign != n[2].sign;
    infinite = fp_is_infinite(&n[1]) || fp_is_infinite(&n[2]);
    zero = fp_is_zero(&n[1]) || fp_is_zero(&n[2]);
    if (n[0].kind == FP_KIND_QNAN && infinite && zero)
        return fp_invalid(env, bits);
    if (fp_process_nans(env, bits, n, raw, 3, &result))
        return result;
    if ((infinite && zero) || (fp_is_infinite(&n[0]) && infinite && n[0].sign != sign))
        return fp_invalid(env, bits);
    if (fp_is_infinite(&n[0]) || infinite)
        return fp_infinity(bits, infinite ? sign : n[0].sign);
    if (fp_is_zero(&n[0]) && zero && n[0].sign == sign)
        return fp_zero(bits, sign);
    return sum(env, bits, fp_exact_of(&n[0]), product_of(&n[1], &n[2]));
}

/* constant - a * b; halved: divided by 2 before it is rounded. constant is 2 or 3. */
static uint64_t fused_step(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b, unsigned constant, bool halved)
{
    const uint64_t raw[] = {fp_negate(bits, a), b};
    struct fp_number n[] = {fp_unpack(env, bits, raw[0]), fp_unpack(env, bits, b)};
    bool infinite = fp_is_infinite(&n[0]) || fp_is_infinite(&n[1]), zero = fp_is_zero(&n[0]) || fp_is_zero(&n[1]);
    struct fp_exact addend = {false, 1, (fp_u128)constant << 125}, product;
    uint64_t result;

    if (fp_process_nans(env, bits, n, raw, 2, &result))
        return result;
    if (infinite && zero) /* taken as a product of zero */
        return halved ? (uint64_t)fp_bias(bits) << fp_fraction_bits(bits) | 1ull << (fp_fraction_bits(bits) - 1)
                      : (uint64_t)(fp_bias(bits) + 1) << fp_fraction_bits(bits);
    if (infinite)
        return fp_infinity(bits, n[0].sign != n[1].sign);
    product = zero ? (struct fp_exact){.exponent = -4096} : product_of(&n[0], &n[1]);
    addend.exponent -= halved;
    product.exponent -= halved;
    return sum(env, bits, addend, product);
}

uint64_t fp_recip_step(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b)
{
    return fused_step(env, bits, a, b, 2, false);
}

uint64_t fp_rsqrt_step(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b)
{
    return fused_step(env, bits, a, b, 3, true);
}
