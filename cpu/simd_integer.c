#include "cpu/simd_lanes.h"

__int128 simd_wide(const struct lane *lane, uint64_t value)
{
    return lane->is_signed ? (__int128)(int64_t)value : (__int128)value;
}

uint64_t simd_saturate(const struct lane *lane, bool is_signed, __int128 value)
{
    const __int128 ONE = 1;
    __int128 most = (ONE << (lane->bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;

    if (value >= least && value <= most)
        return (uint64_t)value;
    lane->env->fpsr |= FPSR_QC;
    return (uint64_t)(value < least ? least : most);
}

__int128 simd_shift_right(__int128 value, unsigned count, bool rounding)
{
    if (count > 66) /* all that is left of 64 bits and a sign */
        return rounding || value >= 0 ? 0 : -1;
    return (value + (rounding && count ? (__int128)1 << (count - 1) : 0)) >> count;
}

uint64_t lane_add(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return n + m;
}
uint64_t lane_sub(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return n - m;
}
uint64_t lane_mul(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return n * m;
}
uint64_t lane_mla(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return d + n * m;
}
uint64_t lane_mls(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return d - n * m;
}
/* Elements of at most 32 bits, extended by their sign or with zeros: their order is that of int64_t. */
uint64_t lane_abd(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (int64_t)n > (int64_t)m ? n - m : m - n;
}
uint64_t lane_aba(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return d + lane_abd(lane, n, m, d);
}
uint64_t lane_max(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (int64_t)n > (int64_t)m ? n : m;
}
uint64_t lane_min(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return (int64_t)n < (int64_t)m ? n : m;
}

static uint64_t doubling_high(const struct lane *lane, uint64_t n, uint64_t m, bool rounding)
{
    __int128 product = 2 * (__int128)((int64_t)n * (int64_t)m);

    return simd_saturate(lane, true, simd_shift_right(product, lane->bits, rounding));
}
uint64_t lane_sqdmulh(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return doubling_high(lane, n, m, false);
}
uint64_t lane_sqrdmulh(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return doubling_high(lane, n, m, true);
}
uint64_t lane_sqdmull(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return simd_saturate(lane, true, 2 * (__int128)((int64_t)n * (int64_t)m));
}
/* The product saturates, then the sum. */
uint64_t lane_sqdmlal(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    int64_t product = (int64_t)simd_extend(lane_sqdmull(lane, n, m, d), lane->bits, true);

    return simd_saturate(lane, true, (__int128)(int64_t)d + product);
}
uint64_t lane_sqdmlsl(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    int64_t product = (int64_t)simd_extend(lane_sqdmull(lane, n, m, d), lane->bits, true);

    return simd_saturate(lane, true, (__int128)(int64_t)d - product);
}
/* Polynomials over GF(2) of 8 coefficients. */
uint64_t lane_pmul(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    uint64_t product = 0;

    for (unsigned i = 0; i < 8; i++)
        product ^= m >> i & 1 ? n << i : 0;
    return product;
}

uint64_t lane_shl(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return m > 63 ? 0 : n << m;
}
/* m < 64 */
uint64_t lane_sqshl(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d)
{
    return simd_saturate(lane, lane->is_signed, simd_wide(lane, n) * ((__int128)1 << m));
}
