/* Advanced SIMD permute, extract, table lookup and modified immediate. */
#include "cpu/simd.h"

/* Element i of the result is element from(i) of the concatenation of Vm (upper) and Vn. */
static void permute(struct cpu *cpu, uint32_t word, const struct simd_op *op,
                    unsigned (*from)(unsigned i, unsigned count, unsigned part))
{
    const union vector n = cpu->v[simd_rn(word)], m = cpu->v[simd_rm(word)];
    unsigned bits = simd_bits(word, op), count = simd_count(word, bits), part = bit(word, 14);
    union vector result = {{0}};

    for (unsigned i = 0; i < count; i++) {
        unsigned place = from(i, count, part);
        simd_set(&result, bits, i, simd_get(place < count ? &n : &m, bits, place % count));
    }
    cpu->v[simd_rd(word)] = result;
}
static unsigned unzipped(unsigned i, unsigned count, unsigned part)
{
    return 2 * i + part;
}
static unsigned transposed(unsigned i, unsigned count, unsigned part)
{
    return (i & ~1u) + part + (i & 1 ? count : 0);
}
static unsigned zipped(unsigned i, unsigned count, unsigned part)
{
    return i / 2 + part * (count / 2) + (i & 1 ? count : 0);
}
static void uzp(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    permute(cpu, word, op, unzipped);
}
static void trn(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    permute(cpu, word, op, transposed);
}
static void zip(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    permute(cpu, word, op, zipped);
}

#define PERMUTE(opcode) 0x00007000, (opcode) << 12

static const struct simd_op permute_ops[] = {
    {"UZP1", PERMUTE(1), VECTOR_ALL, NULL, uzp, LATENCY_SIMD},
    {"UZP2", PERMUTE(5), VECTOR_ALL, NULL, uzp, LATENCY_SIMD},
    {"TRN1", PERMUTE(2), VECTOR_ALL, NULL, trn, LATENCY_SIMD},
    {"TRN2", PERMUTE(6), VECTOR_ALL, NULL, trn, LATENCY_SIMD},
    {"ZIP1", PERMUTE(3), VECTOR_ALL, NULL, zip, LATENCY_SIMD},
    {"ZIP2", PERMUTE(7), VECTOR_ALL, NULL, zip, LATENCY_SIMD},
};
const struct simd_group simd_permute = SIMD_GROUP(0xBF208C00, 0x0E000800, permute_ops, NULL);

static void ext(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    const union vector n = cpu->v[simd_rn(word)], m = cpu->v[simd_rm(word)];
    unsigned count = simd_count(word, 8), first = bits(word, 14, 11);
    union vector result = {{0}};

    for (unsigned i = 0; i < count; i++)
        result.b[i] = first + i < count ? n.b[first + i] : m.b[first + i - count];
    cpu->v[simd_rd(word)] = result;
}
static const struct simd_op extract_ops[] = {{"EXT", 0, 0, WHOLE, NULL, ext, LATENCY_SIMD}};

static bool extract_exists(uint32_t word, const struct simd_op *op)
{
    return simd_q(word) || !bit(word, 14);
}
const struct simd_group simd_extract = SIMD_GROUP(0xBFE08400, 0x2E000000, extract_ops, extract_exists);

/* TBL makes bytes whose index is beyond the table 0, TBX leaves them. */
static void table(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    const union vector m = cpu->v[simd_rm(word)];
    unsigned bytes = 16 * (bits(word, 14, 13) + 1);
    union vector result = {{0}};

    for (unsigned i = 0; i < simd_count(word, 8); i++) {
        unsigned place = m.b[i];
        if (place < bytes)
            result.b[i] = cpu->v[(simd_rn(word) + place / 16) % 32].b[place % 16];
        else if (op->properties & ACCUMULATE)
            result.b[i] = cpu->v[simd_rd(word)].b[i];
    }
    cpu->v[simd_rd(word)] = result;
}
static const struct simd_op table_ops[] = {
    {"TBL", 0x00001000, 0, WHOLE, NULL, table, LATENCY_SIMD},
    {"TBX", 0x00001000, 0x00001000, WHOLE | ACCUMULATE, NULL, table, LATENCY_SIMD},
};
const struct simd_group simd_table = SIMD_GROUP(0xBFE08C00, 0x0E000000, table_ops, NULL);
