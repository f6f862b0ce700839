/* Decoding of A64 loads and stores (DDI 0487 C4.1, "Loads and stores"). */
#include "cpu/simd.h"

enum mode { MODE_IMM, MODE_POST, MODE_PRE, MODE_REG };

/* The operation of a single-register access; INSN_UNDEFINED when size and opc name none, INSN_NOP for PRFM. */
static uint16_t single_op(uint32_t size, uint32_t opc, bool prefetch_allowed)
{
    static const uint16_t ops[4][4] = {
        {INSN_STRB_IMM, INSN_LDRB_IMM, INSN_LDRSB_X_IMM, INSN_LDRSB_W_IMM},
        {INSN_STRH_IMM, INSN_LDRH_IMM, INSN_LDRSH_X_IMM, INSN_LDRSH_W_IMM},
        {INSN_STR_W_IMM, INSN_LDR_W_IMM, INSN_LDRSW_IMM, INSN_UNDEFINED},
        {INSN_STR_X_IMM, INSN_LDR_X_IMM, INSN_UNDEFINED, INSN_UNDEFINED},
    };

    if (size == 3 && opc == 2)
        return prefetch_allowed ? INSN_NOP : INSN_UNDEFINED;
    return ops[size][opc];
}

/* size | sign | width of an access, for operations that take it from field a. */
static uint8_t access_shape(uint32_t size, uint32_t opc)
{
    return (uint8_t)(size | (opc >= 2 ? MEM_SIGNED : 0) | (opc == 2 ? MEM_TO_X : 0));
}

/* log2 of the bytes of a SIMD&FP register access; 5 and above: there is none. */
static unsigned vector_scale(uint32_t word)
{
    return bits(word, 31, 30) | (bit(word, 23) << 2u);
}

static void set_single_vector(uint32_t word, struct insn *insn, enum mode mode)
{
    static const uint16_t loads[] = {INSN_LDR_VB_IMM, INSN_LDR_VH_IMM, INSN_LDR_VS_IMM, INSN_LDR_VD_IMM,
                                     INSN_LDR_VQ_IMM};
    static const uint16_t stores[] = {INSN_STR_VB_IMM, INSN_STR_VH_IMM, INSN_STR_VS_IMM, INSN_STR_VD_IMM,
                                      INSN_STR_VQ_IMM};
    unsigned scale = vector_scale(word);

    if (scale > 4)
        return;
    insn->op = (uint16_t)((bit(word, 22) ? loads : stores)[scale] + mode);
    insn->rn = (uint8_t)bits(word, 9, 5);
    insn->rd = (uint8_t)(REG_V0 + bits(word, 4, 0));
}

static void set_single(uint32_t word, struct insn *insn, enum mode mode, bool prefetch_allowed)
{
    uint32_t size = bits(word, 31, 30), opc = bits(word, 23, 22);
    uint16_t op = single_op(size, opc, prefetch_allowed);

    if (bit(word, 26)) {
        set_single_vector(word, insn, mode);
        return;
    }

    if (op == INSN_UNDEFINED || op == INSN_NOP) {
        insn->op = op;
        return;
    }
    insn->op = (uint16_t)(op + mode);
    insn->rn = (uint8_t)bits(word, 9, 5);
    insn->rd = opc == 0 ? source(bits(word, 4, 0)) : target(bits(word, 4, 0));
}

static unsigned access_scale(uint32_t word)
{
    return bit(word, 26) ? vector_scale(word) : bits(word, 31, 30);
}

static void decode_unsigned_immediate(uint32_t word, struct insn *insn)
{
    set_single(word, insn, MODE_IMM, true);
    insn->imm = (int64_t)bits(word, 21, 10) << access_scale(word);
}

static void decode_unprivileged(uint32_t word, struct insn *insn)
{
    uint32_t size = bits(word, 31, 30), opc = bits(word, 23, 22);

    if (bit(word, 26) || single_op(size, opc, false) == INSN_UNDEFINED)
        return;
    insn->op = opc == 0 ? INSN_STTR : INSN_LDTR;
    insn->a = access_shape(size, opc);
    insn->rn = (uint8_t)bits(word, 9, 5);
    insn->rd = opc == 0 ? source(bits(word, 4, 0)) : target(bits(word, 4, 0));
}

static void decode_immediate_9(uint32_t word, struct insn *insn)
{
    switch (bits(word, 11, 10)) {
    case 0:
        set_single(word, insn, MODE_IMM, true);
        break;
    case 1:
        set_single(word, insn, MODE_POST, false);
        break;
    case 2:
        decode_unprivileged(word, insn);
        break;
    default:
        set_single(word, insn, MODE_PRE, false);
        break;
    }
    insn->imm = sign_extend(bits(word, 20, 12), 9);
}

static void decode_register_offset(uint32_t word, struct insn *insn)
{
    uint32_t option = bits(word, 15, 13);

    if (!(option & 2))
        return;
    set_single(word, insn, MODE_REG, true);
    insn->rm = source(bits(word, 20, 16));
    insn->a = (uint8_t)option;
    insn->b = (uint8_t)(bit(word, 12) ? access_scale(word) : 0);
}

static uint8_t acquire_release(bool acquire, bool release)
{
    return (uint8_t)((acquire ? MEM_ACQUIRE : 0) | (release ? MEM_RELEASE : 0));
}

static void decode_atomic(uint32_t word, const struct insn_features *features, struct insn *insn)
{
    bool acquire = bit(word, 23), release = bit(word, 22);
    uint32_t opc = bits(word, 14, 12);

    insn->a = (uint8_t)(bits(word, 31, 30) | acquire_release(acquire, release));
    insn->rn = (uint8_t)bits(word, 9, 5);
    insn->rd = target(bits(word, 4, 0));
    insn->rm = source(bits(word, 20, 16));
    if (bit(word, 15) && opc == 4) {
        if (acquire && !release && bits(word, 20, 16) == 31)
            insn->op = INSN_LDAPR;
        return;
    }
    if (!features->lse || (bit(word, 15) && opc != 0))
        return;
    insn->op = INSN_ATOMIC;
    insn->b = (uint8_t)(bit(word, 15) ? ATOMIC_SWP : opc);
}

static void decode_single(uint32_t word, const struct insn_features *features, struct insn *insn)
{
    if (bit(word, 24))
        decode_unsigned_immediate(word, insn);
    else if (!bit(word, 21))
        decode_immediate_9(word, insn);
    else if (bits(word, 11, 10) == 0 && !bit(word, 26))
        decode_atomic(word, features, insn);
    else if (bits(word, 11, 10) == 2)
        decode_register_offset(word, insn);
}

static void decode_pair_vector(uint32_t word, struct insn *insn, enum mode mode)
{
    static const uint16_t loads[] = {INSN_LDP_VS_OFF, INSN_LDP_VD_OFF, INSN_LDP_VQ_OFF};
    static const uint16_t stores[] = {INSN_STP_VS_OFF, INSN_STP_VD_OFF, INSN_STP_VQ_OFF};
    uint32_t opc = bits(word, 31, 30);

    if (opc == 3)
        return;
    insn->op = (uint16_t)((bit(word, 22) ? loads : stores)[opc] + mode);
    insn->rn = (uint8_t)bits(word, 9, 5);
    insn->rd = (uint8_t)(REG_V0 + bits(word, 4, 0));
    insn->ra = (uint8_t)(REG_V0 + bits(word, 14, 10));
    insn->imm = sign_extend(bits(word, 21, 15), 7) * (4 << opc);
}

static void decode_pair(uint32_t word, struct insn *insn)
{
    static const enum mode modes[] = {MODE_IMM /* no-allocate */, MODE_POST, MODE_IMM, MODE_PRE};
    uint32_t opc = bits(word, 31, 30);
    bool load = bit(word, 22), no_allocate = bits(word, 24, 23) == 0;
    enum mode mode = modes[bits(word, 24, 23)];

    if (bit(word, 26)) {
        decode_pair_vector(word, insn, mode);
        return;
    }
    if (opc == 3 || (opc == 1 && (!load || no_allocate)))
        return;
    insn->op = (uint16_t)((load ? (opc == 0   ? INSN_LDP_W_OFF
                                   : opc == 1 ? INSN_LDPSW_OFF
                                              : INSN_LDP_X_OFF)
                                : (opc == 0 ? INSN_STP_W_OFF : INSN_STP_X_OFF)) +
                          mode);
    insn->rn = (uint8_t)bits(word, 9, 5);
    insn->rd = load ? target(bits(word, 4, 0)) : source(bits(word, 4, 0));
    insn->ra = load ? target(bits(word, 14, 10)) : source(bits(word, 14, 10));
    insn->imm = sign_extend(bits(word, 21, 15), 7) * (opc == 2 ? 8 : 4);
}

static void decode_literal(uint32_t word, struct insn *insn)
{
    static const uint8_t shapes[] = {2, 3, 2 | MEM_SIGNED | MEM_TO_X};
    uint32_t opc = bits(word, 31, 30);

    if (bit(word, 26)) {
        if (opc == 3)
            return;
        insn->op = INSN_LDR_LITERAL_V;
        insn->a = (uint8_t)(4 << opc); /* bytes */
        insn->rd = (uint8_t)(REG_V0 + bits(word, 4, 0));
        insn->imm = sign_extend(bits(word, 23, 5), 19) * 4;
        return;
    }
    if (opc == 3) {
        insn->op = INSN_NOP; /* PRFM (literal) */
        return;
    }
    insn->op = INSN_LDR_LITERAL;
    insn->a = shapes[opc];
    insn->rd = target(bits(word, 4, 0));
    insn->imm = sign_extend(bits(word, 23, 5), 19) * 4;
}

/* LDAPUR, STLUR (FEAT_LRCPC2). */
static void decode_unscaled_ordered(uint32_t word, struct insn *insn)
{
    uint32_t size = bits(word, 31, 30), opc = bits(word, 23, 22);

    if ((word & 0x3F200C00) != 0x19000000 || single_op(size, opc, false) == INSN_UNDEFINED)
        return;
    insn->op = opc == 0 ? INSN_STLR : INSN_LDAPR;
    insn->a = (uint8_t)(access_shape(size, opc) | (opc == 0 ? MEM_RELEASE : MEM_ACQUIRE));
    insn->rn = (uint8_t)bits(word, 9, 5);
    insn->rd = opc == 0 ? source(bits(word, 4, 0)) : target(bits(word, 4, 0));
    insn->imm = sign_extend(bits(word, 20, 12), 9);
}

/* Compare and swap, single (pair: two registers from an even one). */
static void decode_compare_and_swap(uint32_t word, const struct insn_features *features, bool pair, struct insn *insn)
{
    uint32_t rs = bits(word, 20, 16), rt = bits(word, 4, 0);

    if (!features->lse || bits(word, 14, 10) != 31 || (pair && (rs % 2 || rt % 2)))
        return;
    insn->op = pair ? INSN_CASP : INSN_CAS;
    insn->a =
        (uint8_t)((pair ? 2u + bit(word, 30) : bits(word, 31, 30)) | acquire_release(bit(word, 22), bit(word, 15)));
    insn->rm = source(rs);
    insn->ra = target(rs);
    insn->rd = source(rt);
}

static void decode_exclusive(uint32_t word, const struct insn_features *features, struct insn *insn)
{
    bool load = bit(word, 22), ordered = bit(word, 15);
    uint32_t size = bits(word, 31, 30);

    insn->rn = (uint8_t)bits(word, 9, 5);
    if (bit(word, 23)) {
        if (bit(word, 21)) {
            decode_compare_and_swap(word, features, false, insn);
        } else if (ordered) { /* without o0: LDLAR, STLLR of FEAT_LOR */
            insn->op = load ? INSN_LDAR : INSN_STLR;
            insn->a = (uint8_t)(size | (load ? MEM_ACQUIRE : MEM_RELEASE));
            insn->rd = load ? target(bits(word, 4, 0)) : source(bits(word, 4, 0));
        }
        return;
    }
    if (bit(word, 21) && size < 2) {
        decode_compare_and_swap(word, features, true, insn);
        return;
    }
    insn->a = (uint8_t)(size | acquire_release(load && ordered, !load && ordered));
    if (load) {
        insn->op = bit(word, 21) ? INSN_LDXP : INSN_LDXR;
        insn->rd = target(bits(word, 4, 0));
        insn->ra = target(bits(word, 14, 10));
    } else {
        insn->op = bit(word, 21) ? INSN_STXP : INSN_STXR;
        insn->rd = source(bits(word, 4, 0));
        insn->rm = source(bits(word, 14, 10));
        insn->ra = target(bits(word, 20, 16));
    }
}

void insn_decode_memory(uint32_t word, const struct insn_features *features, struct insn *insn)
{
    if ((word & 0x3F000000) == 0x08000000)
        decode_exclusive(word, features, insn);
    else if ((word & 0x3B000000) == 0x18000000)
        decode_literal(word, insn);
    else if ((word & 0x3F000000) == 0x19000000)
        decode_unscaled_ordered(word, insn);
    else if ((word & 0x3A000000) == 0x28000000)
        decode_pair(word, insn);
    else if ((word & 0x3A000000) == 0x38000000)
        decode_single(word, features, insn);
    else if ((word & 0xBE000000) == 0x0C000000)
        simd_decode_structure(word, insn);
}
