/*
 * Instructions of the SIMD&FP registers that the interpreter does not know by name (all but plain loads and stores).
 *
 * Each class of the manual's index (DDI 0487 C4.1) is a file with one table; a row names the instruction, its encoding
 * within the class, the element sizes for which it exists, the function that makes one element of the result (a
 * "lane"), the function that goes through the elements, and the class of its latency. Decoding keeps the row's place
 * and the instruction word; the fields are read when it executes.
 */
#ifndef DMASIM_CPU_SIMD_H
#define DMASIM_CPU_SIMD_H

#include "cpu/core_internal.h"
#include "cpu/word.h"

/* Properties of a row. The low byte is the element sizes for which the vector and the scalar form exist. */
enum {
    VECTOR_B = 1 << 0,
    VECTOR_H = 1 << 1,
    VECTOR_S = 1 << 2,
    VECTOR_D = 1 << 3, /* with Q only: there is no 1D arrangement */
    SCALAR_B = 1 << 4,
    SCALAR_H = 1 << 5,
    SCALAR_S = 1 << 6,
    SCALAR_D = 1 << 7,
    VECTOR_BH = VECTOR_B | VECTOR_H,
    VECTOR_HS = VECTOR_H | VECTOR_S,
    VECTOR_BHS = VECTOR_B | VECTOR_HS,
    VECTOR_SD = VECTOR_S | VECTOR_D,
    VECTOR_ALL = VECTOR_BHS | VECTOR_D,
    SCALAR_HS = SCALAR_H | SCALAR_S,
    SCALAR_SD = SCALAR_S | SCALAR_D,
    SCALAR_ALL = SCALAR_B | SCALAR_HS | SCALAR_D,
    BOTH_SD = VECTOR_SD | SCALAR_SD,

    SIGNED = 1 << 8,       /* elements are sign-extended on their way into a lane function */
    FLOAT = 1 << 9,        /* the size is bit 22: single or double */
    WHOLE = 1 << 10,       /* bitwise: the size field belongs to the opcode */
    ACCUMULATE = 1 << 11,  /* the old destination is a source */
    N_GENERAL = 1 << 12,   /* Rn is a general register */
    D_GENERAL = 1 << 13,   /* Rd is a general register */
    NO_M = 1 << 14,        /* bits 20:16 are no register */
    READS_FLAGS = 1 << 15, /* NZCV is a source */
    SETS_FLAGS = 1 << 16,  /* NZCV is the destination */
    THREE_SOURCES = 1 << 17 /* Ra in bits 14:10 */,
    Q_ONLY = 1 << 18,         /* the vector form needs Q */
    CHECKED = 1 << 19,        /* a size needs no Q by itself; simd_group.exists, where there is one, has the rule */
    SIZE_ELSEWHERE = 1 << 21, /* neither bits 23:22 nor bit 22 is the size: simd_group.exists knows */
    INDEXED = 1 << 20,        /* Vm is one of 16 registers where it has halfwords */
};

/* What a lane function may need besides its operands. */
struct lane {
    struct fp_env *env;
    unsigned bits; /* of the result's element */
    bool is_signed;
};

/* One element of the result from elements of Vn, Vm (or the immediate) and the old Vd, extended to 64 bits. Bits above
 * the element are ignored. */
typedef uint64_t simd_lane(const struct lane *lane, uint64_t n, uint64_t m, uint64_t d);

struct simd_op;
typedef void simd_execute(struct cpu *cpu, uint32_t word, const struct simd_op *op);

struct simd_op {
    const char *name;
    uint32_t mask, value; /* within the class */
    uint32_t properties;
    simd_lane *lane;
    simd_execute *execute;
    uint8_t latency;
};

/* A class: where its encodings lie and its rows. exists: NULL where sizes tell all. */
struct simd_group {
    uint32_t mask, value;
    const struct simd_op *ops;
    unsigned count;
    bool (*exists)(uint32_t word, const struct simd_op *op);
};

/* simd.c. False: no such instruction. */
bool simd_decode(uint32_t word, struct insn *insn);
void simd_run(struct cpu *cpu, const struct insn *insn);
const char *simd_name(const struct insn *insn);

/* simd_structure.c: LD1-LD4, ST1-ST4. */
void simd_decode_structure(uint32_t word, struct insn *insn);
bool simd_structure(struct cpu *cpu, const struct insn *insn, uint64_t start);

/* The classes. */
extern const struct simd_group simd_three_same, simd_scalar_three_same, simd_three_different,
    simd_scalar_three_different, simd_two_register, simd_scalar_two_register, simd_across, simd_scalar_pairwise,
    simd_copy, simd_scalar_copy, simd_by_element, simd_scalar_by_element, simd_shift_immediate,
    simd_scalar_shift_immediate, simd_modified_immediate, simd_permute, simd_extract, simd_table, fp_fixed, fp_integer,
    fp_one_source, fp_two_source, fp_three_source, fp_comparison, fp_conditional_comparison, fp_conditional_select,
    fp_immediate;

#define SIMD_GROUP(group_mask, group_value, table, rule)                         \
    {                                                                            \
        group_mask, group_value, table, sizeof(table) / sizeof((table)[0]), rule \
    }

/* simd_walk.c: ways through the elements. */
simd_execute simd_each;      /* d[i] = f(n[i], m[i], d[i]) */
simd_execute simd_each_pair; /* d[i] = f of neighbours in the concatenation of m and n */
simd_execute simd_widen;     /* elements of 2 x size from two halves */
simd_execute simd_widen_m;   /* Vn has wide elements already */
simd_execute simd_narrow;    /* into the lower or upper half; Vn (and Vm) have wide elements */
/* The same with a given second operand instead of Vm. */
void simd_each_with(struct cpu *cpu, uint32_t word, const struct simd_op *op, unsigned bits, uint64_t m);
void simd_widen_with(struct cpu *cpu, uint32_t word, const struct simd_op *op, unsigned bits, uint64_t m);
void simd_narrow_with(struct cpu *cpu, uint32_t word, const struct simd_op *op, unsigned bits, uint64_t m);

/* Fields of the word. */
static inline unsigned simd_rd(uint32_t word)
{
    return bits(word, 4, 0);
}
static inline unsigned simd_rn(uint32_t word)
{
    return bits(word, 9, 5);
}
static inline unsigned simd_rm(uint32_t word)
{
    return bits(word, 20, 16);
}
static inline bool simd_q(uint32_t word)
{
    return bit(word, 30);
}
static inline bool simd_is_scalar(uint32_t word)
{
    return bit(word, 28);
}
/* log2 of the bytes of an element. */
static inline unsigned simd_size(uint32_t word, const struct simd_op *op)
{
    return op->properties & WHOLE ? 3 : op->properties & FLOAT ? 2u + bit(word, 22) : bits(word, 23, 22);
}
static inline unsigned simd_bits(uint32_t word, const struct simd_op *op)
{
    return 8u << simd_size(word, op);
}
static inline unsigned simd_count(uint32_t word, unsigned element_bits)
{
    return simd_is_scalar(word) ? 1 : (simd_q(word) ? 128 : 64) / element_bits;
}

/* Elements. */
static inline uint64_t simd_get(const union vector *v, unsigned element_bits, unsigned i)
{
    switch (element_bits) {
    case 8:
        return v->b[i];
    case 16:
        return v->h[i];
    case 32:
        return v->s[i];
    default:
        return v->d[i];
    }
}
static inline void simd_set(union vector *v, unsigned element_bits, unsigned i, uint64_t value)
{
    switch (element_bits) {
    case 8:
        v->b[i] = (uint8_t)value;
        break;
    case 16:
        v->h[i] = (uint16_t)value;
        break;
    case 32:
        v->s[i] = (uint32_t)value;
        break;
    default:
        v->d[i] = value;
        break;
    }
}
static inline uint64_t simd_extend(uint64_t value, unsigned element_bits, bool is_signed)
{
    unsigned unused = 64 - element_bits;

    return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value << unused >> unused;
}
static inline struct lane simd_lane_of(struct cpu *cpu, const struct simd_op *op, unsigned element_bits)
{
    return (struct lane){&cpu->sys.fp, element_bits, op->properties & SIGNED};
}

#endif
