/* Which row an instruction word belongs to, and what it reads and writes. */
#include "cpu/simd.h"

static const struct simd_group *const groups[] = {
    &fp_two_source,
    &fp_one_source,
    &fp_three_source,
    &fp_comparison,
    &fp_conditional_comparison,
    &fp_conditional_select,
    &fp_immediate,
    &fp_integer,
    &fp_fixed,
    &simd_three_same,
    &simd_scalar_three_same,
    &simd_three_different,
    &simd_scalar_three_different,
    &simd_two_register,
    &simd_scalar_two_register,
    &simd_across,
    &simd_scalar_pairwise,
    &simd_copy,
    &simd_scalar_copy,
    &simd_by_element,
    &simd_scalar_by_element,
    &simd_modified_immediate,
    &simd_shift_immediate,
    &simd_scalar_shift_immediate,
    &simd_permute,
    &simd_extract,
    &simd_table,
};

static bool exists(uint32_t word, const struct simd_group *group, const struct simd_op *op)
{
    bool scalar = simd_is_scalar(word), checked = op->properties & CHECKED;
    unsigned size = simd_size(word, op);

    if ((word & op->mask) != op->value || (group->exists && !group->exists(word, op)))
        return false;
    if (!scalar && (op->properties & Q_ONLY) && !simd_q(word))
        return false;
    if (op->properties & WHOLE)
        return true;
    if (op->properties & SIZE_ELSEWHERE)
        return true;
    return (op->properties >> (size + (scalar ? 4 : 0)) & 1) && (scalar || checked || size < 3 || simd_q(word));
}

static const struct simd_op *op_of(const struct insn *insn)
{
    return &groups[insn->imm >> 48]->ops[insn->imm >> 32 & 0xFFFF];
}

static uint8_t latency_of(uint32_t word, const struct simd_op *op)
{
    bool single = simd_size(word, op) == 2;

    return (uint8_t)(op->latency + (single && (op->latency == LATENCY_FP_DIV || op->latency == LATENCY_FP_SQRT)));
}

/* The registers whose readiness counts, as the scoreboard numbers them. */
static void set_registers(uint32_t word, const struct simd_op *op, struct insn *insn)
{
    uint32_t properties = op->properties;
    unsigned m = simd_rm(word);

    if ((properties & INDEXED) && simd_size(word, op) == 1)
        m &= 15;
    insn->rn = properties & N_GENERAL ? source(simd_rn(word)) : (uint8_t)(REG_V0 + simd_rn(word));
    insn->rm = properties & NO_M ? REG_ZERO : (uint8_t)(REG_V0 + m);
    insn->ra = properties & READS_FLAGS     ? REG_FLAGS
               : properties & THREE_SOURCES ? (uint8_t)(REG_V0 + bits(word, 14, 10))
               : properties & ACCUMULATE    ? (uint8_t)(REG_V0 + simd_rd(word))
                                            : REG_ZERO;
    insn->rd = properties & SETS_FLAGS  ? REG_FLAGS
               : properties & D_GENERAL ? target(simd_rd(word))
                                        : (uint8_t)(REG_V0 + simd_rd(word));
}

bool simd_decode(uint32_t word, struct insn *insn)
{
    for (unsigned g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
        if ((word & groups[g]->mask) != groups[g]->value)
            continue;
        for (unsigned row = 0; row < groups[g]->count; row++) {
            const struct simd_op *op = &groups[g]->ops[row];
            if (!exists(word, groups[g], op))
                continue;
            insn->op = INSN_SIMD;
            insn->imm = (int64_t)((uint64_t)g << 48 | (uint64_t)row << 32 | word);
            insn->a = latency_of(word, op);
            set_registers(word, op, insn);
            return true;
        }
    }
    return false;
}

void simd_run(struct cpu *cpu, const struct insn *insn)
{
    const struct simd_op *op = op_of(insn);

    op->execute(cpu, (uint32_t)insn->imm, op);
}

const char *simd_name(const struct insn *insn)
{
    return op_of(insn)->name;
}
