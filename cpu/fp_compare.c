/* Comparisons, maximum and minimum (DDI 0487 FPCompare, FPMax, FPMaxNum and their kin). */
#include "cpu/alu.h"
#include "cpu/fp_number.h"

/* -1, 0 or 1; neither is a NaN. */
static int order(const struct fp_number *a, const struct fp_number *b)
{
    int sign = a->sign ? -1 : 1;

    if (fp_is_zero(a) && fp_is_zero(b))
        return 0;
    if (a->sign != b->sign || fp_is_zero(b))
        return fp_is_zero(a) ? (b->sign ? 1 : -1) : sign;
    if (fp_is_zero(a))
        return -sign;
    if (a->kind != b->kind)
        return fp_is_infinite(a) ? sign : -sign;
    if (a->exponent != b->exponent)
        return a->exponent > b->exponent ? sign : -sign;
    return a->significand == b->significand ? 0 : a->significand > b->significand ? sign : -sign;
}

/* FPCompare for numbers as -1, 0, 1; 2: unordered. */
static int compare(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b, bool signal)
{
    struct fp_number x = fp_unpack(env, bits, a), y = fp_unpack(env, bits, b);

    if (!fp_is_nan(&x) && !fp_is_nan(&y))
        return order(&x, &y);
    if (signal || x.kind == FP_KIND_SNAN || y.kind == FP_KIND_SNAN)
        env->fpsr |= FPSR_IOC;
    return 2;
}

uint32_t fp_compare(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b, bool signal)
{
    switch (compare(env, bits, a, b, signal)) {
    case -1:
        return FLAG_N;
    case 0:
        return FLAG_Z | FLAG_C;
    case 1:
        return FLAG_C;
    default:
        return FLAG_C | FLAG_V;
    }
}

bool fp_equal(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b)
{
    return compare(env, bits, a, b, false) == 0;
}

bool fp_greater_equal(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b)
{
    int outcome = compare(env, bits, a, b, true);

    return outcome == 0 || outcome == 1;
}

bool fp_greater(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b)
{
    return compare(env, bits, a, b, true) == 1;
}

static uint64_t extreme(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b, bool number, bool maximum)
{
    uint64_t raw[] = {a, b}, result;
    struct fp_number n[] = {fp_unpack(env, bits, a), fp_unpack(env, bits, b)};
    int outcome;

    for (unsigned i = 0; number && i < 2; i++) /* the loser of any comparison stands in for a quiet NaN */
        if (n[i].kind == FP_KIND_QNAN && n[!i].kind != FP_KIND_QNAN) {
            n[i] = (struct fp_number){.kind = FP_KIND_INFINITY, .sign = maximum};
            raw[i] = fp_infinity(bits, maximum);
            break;
        }
    if (fp_process_nans(env, bits, n, raw, 2, &result))
        return result;
    outcome = order(&n[0], &n[1]);
    if (fp_is_zero(&n[0]) && fp_is_zero(&n[1]))
        return fp_zero(bits, maximum ? n[0].sign && n[1].sign : n[0].sign || n[1].sign);
    unsigned chosen = (maximum ? outcome > 0 : outcome < 0) ? 0 : 1;
    return fp_is_zero(&n[chosen]) ? fp_zero(bits, n[chosen].sign) : raw[chosen];
}

uint64_t fp_max(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b, bool number)
{
    return extreme(env, bits, a, b, number, true);
}

uint64_t fp_min(struct fp_env *env, unsigned bits, uint64_t a, uint64_t b, bool number)
{
    return extreme(env, bits, a, b, number, false);
}
