/* Fields of an instruction word, and register 31 by its role. */
#ifndef DMASIM_CPU_WORD_H
#define DMASIM_CPU_WORD_H

#include <stdbool.h>

#include "cpu/insn.h"

static inline uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return (word >> low) & ((1u << (high - low + 1)) - 1);
}
static inline bool bit(uint32_t word, unsigned n)
{
    return word >> n & 1;
}
static inline int64_t sign_extend(uint64_t value, unsigned width)
{
    return (int64_t)(value << (64 - width)) >> (64 - width);
}
/* 31 as a source is zero, as a destination it is thrown away; where it is the stack pointer it stays 31 (REG_SP). */
static inline uint8_t source(uint32_t n)
{
    return (uint8_t)(n == 31 ? REG_ZERO : n);
}
static inline uint8_t target(uint32_t n)
{
    return (uint8_t)(n == 31 ? REG_SINK : n);
}

/* decode_memory.c: loads and stores. */
void insn_decode_memory(uint32_t word, const struct insn_features *features, struct insn *insn);

#endif
