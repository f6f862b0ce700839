/*
 * A decoded instruction and the list of operations the interpreter knows. Decoding fills the record once (decode.c),
 * execution has one body per operation (exec_body.h). Names are the Arm manual's; _W and _X are the 32- and 64-bit
 * forms.
 */
#ifndef DMASIM_CPU_INSN_H
#define DMASIM_CPU_INSN_H

#include <stdint.h>

/* Register numbers in records: 0-30, and these. */
enum {
    REG_SP = 31,
    REG_ZERO = 32 /* reads as 0 */,
    REG_SINK = 33 /* written, never read */,
    REG_FLAGS = 34,
    REG_V0 = 35, /* to V31: the scoreboard's numbers; the registers are in cpu->v */
    REG_COUNT = 67
};

struct insn {
    uint16_t op;
    uint8_t rd, rn, rm, ra; /* for loads and stores rd is Rt, ra is Rt2 or Rs */
    uint8_t a, b;           /* small operands: condition, shift type and amount, size, barrier type ... */
    int64_t imm;
};

#define INSNS_PER_LINE 16

/* Both widths of one operation. */
#define INSN_PAIR(OP, name) OP(name##_W) OP(name##_X)
/* The four addressing modes of a load or store: immediate offset, post-index, pre-index, register offset. */
#define INSN_MODES(OP, name)      OP(name##_IMM) OP(name##_POST) OP(name##_PRE) OP(name##_REG)
#define INSN_PAIR_MODES(OP, name) OP(name##_OFF) OP(name##_POST) OP(name##_PRE)

/* clang-format off */
#define INSN_OPS(OP)                                                                                                   \
    OP(NEXT_LINE) OP(STEP_END) OP(UNDEFINED)                                                                           \
    OP(NOP)                                                                                                            \
    OP(ADR) OP(ADRP) OP(MOV_IMM) INSN_PAIR(OP, MOVK) INSN_PAIR(OP, ADD_IMM) INSN_PAIR(OP, ADDS_IMM)                    \
    INSN_PAIR(OP, SUBS_IMM) INSN_PAIR(OP, AND_IMM) INSN_PAIR(OP, ORR_IMM) INSN_PAIR(OP, EOR_IMM)                       \
    INSN_PAIR(OP, ANDS_IMM)                                                                                            \
    OP(UBFX) OP(UBFIZ) INSN_PAIR(OP, SBFX) INSN_PAIR(OP, SBFIZ) INSN_PAIR(OP, BFXIL) INSN_PAIR(OP, BFI)                \
    INSN_PAIR(OP, EXTR)                                                                                                \
    OP(B) OP(BL) OP(B_COND) INSN_PAIR(OP, CBZ) INSN_PAIR(OP, CBNZ) OP(TBZ) OP(TBNZ) OP(BR) OP(BLR) OP(RET) OP(ERET)    \
    OP(SVC) OP(HVC) OP(SMC) OP(BRK) OP(HLT) OP(YIELD)                                                                  \
    OP(WFE) OP(WFI) OP(SEV) OP(SEVL) OP(DSB) OP(DMB) OP(ISB) OP(CLREX) OP(MSR_IMM) OP(MSR) OP(MRS) OP(SYS)             \
    INSN_PAIR(OP, AND_REG) INSN_PAIR(OP, BIC_REG) INSN_PAIR(OP, ORR_REG) INSN_PAIR(OP, ORN_REG)                        \
    INSN_PAIR(OP, EOR_REG) INSN_PAIR(OP, EON_REG) INSN_PAIR(OP, ANDS_REG) INSN_PAIR(OP, BICS_REG)                      \
    INSN_PAIR(OP, AND_SHIFT) INSN_PAIR(OP, BIC_SHIFT) INSN_PAIR(OP, ORR_SHIFT) INSN_PAIR(OP, ORN_SHIFT)                \
    INSN_PAIR(OP, EOR_SHIFT) INSN_PAIR(OP, EON_SHIFT) INSN_PAIR(OP, ANDS_SHIFT) INSN_PAIR(OP, BICS_SHIFT)              \
    INSN_PAIR(OP, ADD_REG) INSN_PAIR(OP, ADDS_REG) INSN_PAIR(OP, SUB_REG) INSN_PAIR(OP, SUBS_REG)                      \
    INSN_PAIR(OP, ADD_SHIFT) INSN_PAIR(OP, ADDS_SHIFT) INSN_PAIR(OP, SUB_SHIFT) INSN_PAIR(OP, SUBS_SHIFT)              \
    INSN_PAIR(OP, ADD_EXT) INSN_PAIR(OP, ADDS_EXT) INSN_PAIR(OP, SUB_EXT) INSN_PAIR(OP, SUBS_EXT)                      \
    INSN_PAIR(OP, ADC) INSN_PAIR(OP, ADCS) INSN_PAIR(OP, SBC) INSN_PAIR(OP, SBCS)                                      \
    INSN_PAIR(OP, CCMN_REG) INSN_PAIR(OP, CCMP_REG) INSN_PAIR(OP, CCMN_IMM) INSN_PAIR(OP, CCMP_IMM)                    \
    INSN_PAIR(OP, CSEL) INSN_PAIR(OP, CSINC) INSN_PAIR(OP, CSINV) INSN_PAIR(OP, CSNEG)                                 \
    INSN_PAIR(OP, RBIT) INSN_PAIR(OP, REV16) OP(REV32) INSN_PAIR(OP, REV) INSN_PAIR(OP, CLZ) INSN_PAIR(OP, CLS)        \
    INSN_PAIR(OP, UDIV) INSN_PAIR(OP, SDIV) INSN_PAIR(OP, LSLV) INSN_PAIR(OP, LSRV) INSN_PAIR(OP, ASRV)                \
    INSN_PAIR(OP, RORV)                                                                                                \
    OP(CRC32) OP(CRC32C)                                                                                               \
    INSN_PAIR(OP, MADD) INSN_PAIR(OP, MSUB) OP(SMADDL) OP(SMSUBL) OP(UMADDL) OP(UMSUBL) OP(SMULH) OP(UMULH)            \
    INSN_MODES(OP, LDRB) INSN_MODES(OP, LDRH) INSN_MODES(OP, LDR_W) INSN_MODES(OP, LDR_X) INSN_MODES(OP, LDRSB_W)      \
    INSN_MODES(OP, LDRSB_X) INSN_MODES(OP, LDRSH_W) INSN_MODES(OP, LDRSH_X) INSN_MODES(OP, LDRSW)                      \
    INSN_MODES(OP, STRB) INSN_MODES(OP, STRH) INSN_MODES(OP, STR_W) INSN_MODES(OP, STR_X)                              \
    INSN_PAIR_MODES(OP, LDP_W) INSN_PAIR_MODES(OP, LDP_X) INSN_PAIR_MODES(OP, LDPSW) INSN_PAIR_MODES(OP, STP_W)        \
    INSN_PAIR_MODES(OP, STP_X)                                                                                         \
    OP(LDR_LITERAL) OP(LDTR) OP(STTR) OP(LDAR) OP(STLR) OP(LDAPR) OP(LDXR) OP(STXR) OP(LDXP) OP(STXP) OP(CAS)          \
    OP(CASP) OP(ATOMIC)                                                                                                \
    INSN_MODES(OP, LDR_VB) INSN_MODES(OP, LDR_VH) INSN_MODES(OP, LDR_VS) INSN_MODES(OP, LDR_VD)                        \
    INSN_MODES(OP, LDR_VQ)                                                                                             \
    INSN_MODES(OP, STR_VB) INSN_MODES(OP, STR_VH) INSN_MODES(OP, STR_VS) INSN_MODES(OP, STR_VD)                        \
    INSN_MODES(OP, STR_VQ)                                                                                             \
    INSN_PAIR_MODES(OP, LDP_VS) INSN_PAIR_MODES(OP, LDP_VD) INSN_PAIR_MODES(OP, LDP_VQ) INSN_PAIR_MODES(OP, STP_VS)    \
    INSN_PAIR_MODES(OP, STP_VD) INSN_PAIR_MODES(OP, STP_VQ)                                                            \
    OP(LDR_LITERAL_V) OP(STRUCTURE) OP(SIMD)
/* clang-format on */

enum insn_op {
#define OP(name) INSN_##name,
    INSN_OPS(OP)
#undef OP
        INSN_OP_COUNT
};

/* A record whose instruction has a probe (probe.h) has INSN_OP_COUNT added to its op. */
static inline enum insn_op insn_operation(const struct insn *insn)
{
    return (enum insn_op)(insn->op < INSN_OP_COUNT ? insn->op : insn->op - INSN_OP_COUNT);
}

/* Fields a and b of memory operations. */
enum {
    MEM_SIZE_MASK = 3, /* a: log2 of the bytes */
    MEM_SIGNED = 4,    /* a: sign-extend */
    MEM_TO_X = 8,      /* a: sign-extend to 64 bits */
    MEM_ACQUIRE = 16,  /* a */
    MEM_RELEASE = 32,  /* a */
};
enum atomic_op {
    ATOMIC_ADD,
    ATOMIC_CLR,
    ATOMIC_EOR,
    ATOMIC_SET,
    ATOMIC_SMAX,
    ATOMIC_SMIN,
    ATOMIC_UMAX,
    ATOMIC_UMIN,
    ATOMIC_SWP
};

/* Field a of SIMD: classes of latency; the configuration keys are in cpu.h. */
enum simd_latency {
    LATENCY_SIMD,    /* integer, logical, shift, permute */
    LATENCY_MUL,     /* integer multiplication */
    LATENCY_MOVE,    /* between general and SIMD&FP registers */
    LATENCY_FP_ADD,  /* add, compare, minimum, select, move, absolute value */
    LATENCY_FP_MUL,
    LATENCY_FP_FMA,
    LATENCY_FP_DIV, /* double; single follows */
    LATENCY_FP_DIV_SINGLE,
    LATENCY_FP_SQRT,
    LATENCY_FP_SQRT_SINGLE,
    LATENCY_FP_CONVERT, /* conversions, rounding, estimates */
    LATENCY_CLASSES
};

/* What a core implements beyond v8.0; decides what is Undefined. */
struct insn_features {
    _Bool lse;
};

/* Decode one instruction word; anything not implemented or reserved becomes INSN_UNDEFINED. */
void insn_decode(uint32_t word, const struct insn_features *features, struct insn *insn);

/* Whether a SYS encoding (op1, CRn, CRm, op2) is one of the DC and IC operations. */
_Bool insn_is_cache_op(uint32_t encoding);

/* The name of an operation ("ADD_IMM_X"), for messages and traces. */
const char *insn_name(enum insn_op op);

#endif
