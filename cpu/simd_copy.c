/* Advanced SIMD copy: DUP, INS, SMOV, UMOV. The lowest set bit of imm5 is the size, what is above it the index. */
#include "cpu/simd.h"

static unsigned size_of(uint32_t word)
{
    return (unsigned)__builtin_ctz(bits(word, 20, 16) | 32);
}
static unsigned index_of(uint32_t word)
{
    return bits(word, 20, 16) >> (size_of(word) + 1);
}
static unsigned bits_of(uint32_t word)
{
    return 8u << size_of(word);
}

static void fill(struct cpu *cpu, uint32_t word, uint64_t value)
{
    union vector result = {{0}};

    for (unsigned i = 0; i < simd_count(word, bits_of(word)); i++)
        simd_set(&result, bits_of(word), i, value);
    cpu->v[simd_rd(word)] = result;
}
static void dup_element(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    fill(cpu, word, simd_get(&cpu->v[simd_rn(word)], bits_of(word), index_of(word)));
}
static void dup_general(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    fill(cpu, word, cpu->x[source(simd_rn(word))]);
}
static void smov(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    uint64_t value = simd_extend(simd_get(&cpu->v[simd_rn(word)], bits_of(word), index_of(word)), bits_of(word), true);

    cpu->x[target(simd_rd(word))] = simd_q(word) ? value : (uint32_t)value;
}
static void umov(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    cpu->x[target(simd_rd(word))] = simd_get(&cpu->v[simd_rn(word)], bits_of(word), index_of(word));
}
static void ins_general(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    simd_set(&cpu->v[simd_rd(word)], bits_of(word), index_of(word), cpu->x[source(simd_rn(word))]);
}
static void ins_element(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    uint64_t value = simd_get(&cpu->v[simd_rn(word)], bits_of(word), bits(word, 14, 11) >> size_of(word));

    simd_set(&cpu->v[simd_rd(word)], bits_of(word), index_of(word), value);
}

#define COPY(op, imm4) 0x20007800, (uint32_t)(op) << 29 | (imm4) << 11

enum {
    DUP_ELEMENT = WHOLE | NO_M,
    DUP_GENERAL = DUP_ELEMENT | N_GENERAL,
    TO_GENERAL = DUP_ELEMENT | D_GENERAL,
    INSERT = DUP_ELEMENT | ACCUMULATE
};

static const struct simd_op ops[] = {
    {"DUP (element)", COPY(0, 0x0), DUP_ELEMENT, NULL, dup_element, LATENCY_SIMD},
    {"DUP (general)", COPY(0, 0x1), DUP_GENERAL, NULL, dup_general, LATENCY_MOVE},
    {"SMOV", COPY(0, 0x5), TO_GENERAL, NULL, smov, LATENCY_MOVE},
    {"UMOV", COPY(0, 0x7), TO_GENERAL, NULL, umov, LATENCY_MOVE},
    {"INS (general)", COPY(0, 0x3), INSERT | N_GENERAL, NULL, ins_general, LATENCY_MOVE},
    {"INS (element)", 0x20000000, 1u << 29, INSERT, NULL, ins_element, LATENCY_SIMD},
};

static const struct simd_op scalar_ops[] = {
    {"DUP (element, scalar)", COPY(0, 0x0), DUP_ELEMENT, NULL, dup_element, LATENCY_SIMD},
};

static bool exists(uint32_t word, const struct simd_op *op)
{
    unsigned size = size_of(word);

    if (size > 3)
        return false;
    if (simd_is_scalar(word))
        return true;
    if (op->execute == smov)
        return size < 2 || (size == 2 && simd_q(word));
    if (op->execute == umov)
        return (size == 3) == simd_q(word);
    if (op->execute == ins_general || op->execute == ins_element)
        return simd_q(word);
    return size < 3 || simd_q(word);
}

const struct simd_group simd_copy = SIMD_GROUP(0x9FE08400, 0x0E000400, ops, exists);
const struct simd_group simd_scalar_copy = SIMD_GROUP(0xDFE08400, 0x5E000400, scalar_ops, exists);
