/* Ways through the elements of vectors; a scalar instruction has one element and clears the rest. */
#include "cpu/simd.h"

static uint64_t element(const union vector *v, const struct simd_op *op, unsigned bits, unsigned i)
{
    return simd_extend(simd_get(v, bits, i), bits, op->properties & SIGNED);
}

static void each(struct cpu *cpu, uint32_t word, const struct simd_op *op, unsigned bits, const union vector *m)
{
    const union vector n = cpu->v[simd_rn(word)], d = cpu->v[simd_rd(word)];
    struct lane lane = simd_lane_of(cpu, op, bits);
    union vector result = {{0}};

    for (unsigned i = 0; i < simd_count(word, bits); i++)
        simd_set(&result, bits, i,
                 op->lane(&lane, element(&n, op, bits, i), element(m, op, bits, i), element(&d, op, bits, i)));
    cpu->v[simd_rd(word)] = result;
}

/* A vector whose elements all are m. */
static union vector filled(unsigned bits, uint64_t m)
{
    union vector v;

    for (unsigned i = 0; i < 128 / bits; i++)
        simd_set(&v, bits, i, m);
    return v;
}

void simd_each(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    const union vector m = cpu->v[simd_rm(word)];

    each(cpu, word, op, simd_bits(word, op), &m);
}

void simd_each_with(struct cpu *cpu, uint32_t word, const struct simd_op *op, unsigned bits, uint64_t m)
{
    const union vector all = filled(bits, m);

    each(cpu, word, op, bits, &all);
}

void simd_each_pair(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    const union vector n = cpu->v[simd_rn(word)], m = cpu->v[simd_rm(word)];
    unsigned bits = simd_bits(word, op), count = simd_count(word, bits);
    struct lane lane = simd_lane_of(cpu, op, bits);
    union vector result = {{0}};

    for (unsigned i = 0; i < count; i++) {
        const union vector *from = i < count / 2 ? &n : &m;
        unsigned first = 2 * (i % (count / 2));
        simd_set(&result, bits, i,
                 op->lane(&lane, element(from, op, bits, first), element(from, op, bits, first + 1), 0));
    }
    cpu->v[simd_rd(word)] = result;
}

/* bits: of the narrow elements; wide_n: Vn has wide ones. */
static void widen(struct cpu *cpu, uint32_t word, const struct simd_op *op, unsigned bits, const union vector *m,
                  bool wide_n)
{
    const union vector n = cpu->v[simd_rn(word)], d = cpu->v[simd_rd(word)];
    struct lane lane = simd_lane_of(cpu, op, 2 * bits);
    unsigned count = simd_is_scalar(word) ? 1 : 64 / bits;
    unsigned first = simd_is_scalar(word) || !simd_q(word) ? 0 : count;
    union vector result = {{0}};

    for (unsigned i = 0; i < count; i++)
        simd_set(&result, 2 * bits, i,
                 op->lane(&lane, wide_n ? element(&n, op, 2 * bits, i) : element(&n, op, bits, first + i),
                          element(m, op, bits, first + i), element(&d, op, 2 * bits, i)));
    cpu->v[simd_rd(word)] = result;
}

void simd_widen(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    const union vector m = cpu->v[simd_rm(word)];

    widen(cpu, word, op, simd_bits(word, op), &m, false);
}

void simd_widen_m(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    const union vector m = cpu->v[simd_rm(word)];

    widen(cpu, word, op, simd_bits(word, op), &m, true);
}

void simd_widen_with(struct cpu *cpu, uint32_t word, const struct simd_op *op, unsigned bits, uint64_t m)
{
    const union vector all = filled(bits, m);

    widen(cpu, word, op, bits, &all, false);
}

static void narrow(struct cpu *cpu, uint32_t word, const struct simd_op *op, unsigned bits, const union vector *m)
{
    const union vector n = cpu->v[simd_rn(word)];
    struct lane lane = simd_lane_of(cpu, op, bits);
    bool scalar = simd_is_scalar(word), upper = !scalar && simd_q(word);
    unsigned count = scalar ? 1 : 64 / bits;
    union vector result = {{0}};

    if (upper)
        result.d[0] = cpu->v[simd_rd(word)].d[0];
    for (unsigned i = 0; i < count; i++)
        simd_set(&result, bits, upper ? count + i : i,
                 op->lane(&lane, element(&n, op, 2 * bits, i), element(m, op, 2 * bits, i), 0));
    cpu->v[simd_rd(word)] = result;
}

void simd_narrow(struct cpu *cpu, uint32_t word, const struct simd_op *op)
{
    const union vector m = cpu->v[simd_rm(word)];

    narrow(cpu, word, op, simd_bits(word, op), &m);
}

void simd_narrow_with(struct cpu *cpu, uint32_t word, const struct simd_op *op, unsigned bits, uint64_t m)
{
    const union vector all = filled(2 * bits, m);

    narrow(cpu, word, op, bits, &all);
}
