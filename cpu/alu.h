/* Arithmetic of A64 with its flags (DDI 0487 shared pseudocode: AddWithCarry, ShiftReg, ExtendReg, CRC). */
#ifndef DMASIM_CPU_ALU_H
#define DMASIM_CPU_ALU_H

#include <stdbool.h>
#include <stdint.h>

#define FLAG_N (1u << 31)
#define FLAG_Z (1u << 30)
#define FLAG_C (1u << 29)
#define FLAG_V (1u << 28)

static inline uint32_t flags_of(bool n, bool z, bool c, bool v)
{
    return (uint32_t)n << 31 | (uint32_t)z << 30 | (uint32_t)c << 29 | (uint32_t)v << 28;
}

static inline uint64_t add_with_carry_x(uint64_t a, uint64_t b, bool carry, uint32_t *flags)
{
    uint64_t sum = a + b + carry;
    bool carry_out = carry ? sum <= a : sum < a;

    *flags = flags_of(sum >> 63, sum == 0, carry_out, ((a ^ sum) & (b ^ sum)) >> 63);
    return sum;
}

static inline uint64_t add_with_carry_w(uint64_t a, uint64_t b, bool carry, uint32_t *flags)
{
    uint64_t wide = (uint64_t)(uint32_t)a + (uint32_t)b + carry;
    uint32_t sum = (uint32_t)wide;

    *flags = flags_of(sum >> 31, sum == 0, wide >> 32, (((uint32_t)a ^ sum) & ((uint32_t)b ^ sum)) >> 31);
    return sum;
}

static inline uint64_t shift_x(uint64_t value, unsigned type, unsigned amount)
{
    switch (type) {
    case 0:
        return value << amount;
    case 1:
        return value >> amount;
    case 2:
        return (uint64_t)((int64_t)value >> amount);
    default:
        return amount ? value >> amount | value << (64 - amount) : value;
    }
}

static inline uint64_t shift_w(uint64_t value, unsigned type, unsigned amount)
{
    uint32_t v = (uint32_t)value;

    switch (type) {
    case 0:
        return v << amount;
    case 1:
        return v >> amount;
    case 2:
        return (uint32_t)((int32_t)v >> amount);
    default:
        return amount ? v >> amount | v << (32 - amount) : v;
    }
}

static inline uint64_t extend(uint64_t value, unsigned option, unsigned shift)
{
    switch (option) {
    case 0:
        return (uint64_t)(uint8_t)value << shift;
    case 1:
        return (uint64_t)(uint16_t)value << shift;
    case 2:
        return (uint64_t)(uint32_t)value << shift;
    case 4:
        return (uint64_t)(int64_t)(int8_t)value << shift;
    case 5:
        return (uint64_t)(int64_t)(int16_t)value << shift;
    case 6:
        return (uint64_t)(int64_t)(int32_t)value << shift;
    default:
        return value << shift;
    }
}

/* Whether condition code holds for NZCV in bits 31:28. */
static inline bool condition_holds(uint32_t nzcv, unsigned condition)
{
    /* bit i of row c: condition 2c holds for NZCV = i */
    static const uint16_t rows[] = {0xF0F0, 0xCCCC, 0xFF00, 0xAAAA, 0x0C0C, 0xAA55, 0x0A05, 0xFFFF};
    bool holds = rows[condition >> 1] >> (nzcv >> 28) & 1;

    return condition < 14 ? holds ^ (condition & 1) : true;
}

static inline uint64_t reverse_bits(uint64_t v)
{
    v = (v & 0x5555555555555555) << 1 | (v >> 1 & 0x5555555555555555);
    v = (v & 0x3333333333333333) << 2 | (v >> 2 & 0x3333333333333333);
    v = (v & 0x0F0F0F0F0F0F0F0F) << 4 | (v >> 4 & 0x0F0F0F0F0F0F0F0F);
    return __builtin_bswap64(v);
}

static inline uint64_t swap_halfword_bytes(uint64_t v)
{
    return (v & 0x00FF00FF00FF00FF) << 8 | (v >> 8 & 0x00FF00FF00FF00FF);
}

/* polynomial is bit-reversed: 0xEDB88320 (CRC32), 0x82F63B78 (CRC32C). */
static inline uint32_t crc32_step(uint32_t crc, uint64_t value, unsigned bytes, uint32_t polynomial)
{
    for (unsigned i = 0; i < bytes; i++) {
        crc ^= (uint8_t)(value >> (8 * i));
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
    }
    return crc;
}

static inline uint64_t divide_unsigned(uint64_t a, uint64_t b)
{
    return b ? a / b : 0;
}
static inline uint64_t divide_signed_x(int64_t a, int64_t b)
{
    return b == 0 ? 0 : b == -1 ? -(uint64_t)a : (uint64_t)(a / b);
}
static inline uint64_t divide_signed_w(int32_t a, int32_t b)
{
    return b == 0 ? 0 : b == -1 ? -(uint32_t)a : (uint32_t)(a / b);
}

#endif
