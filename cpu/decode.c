/* Decoding of A64 (DDI 0487 C4). One function a group of the manual's index; what a group does not name stays
 * INSN_UNDEFINED. */
#include "cpu/simd.h"

static uint8_t rd_of(uint32_t word)
{
    return (uint8_t)bits(word, 4, 0);
}
static uint8_t rn_of(uint32_t word)
{
    return (uint8_t)bits(word, 9, 5);
}
static uint8_t rm_of(uint32_t word)
{
    return (uint8_t)bits(word, 20, 16);
}

/* The _W operation, or the _X behind it. */
static uint16_t sized(enum insn_op op_w, bool x)
{
    return (uint16_t)(op_w + x);
}

/* DecodeBitMasks() for logical immediates; false: reserved. */
static bool logical_immediate(bool n, uint32_t imms, uint32_t immr, bool x, uint64_t *value)
{
    unsigned length = 31 - (unsigned)__builtin_clz((n << 6 | (~imms & 0x3F)) | 1);
    unsigned size = 1u << length;
    uint32_t levels = size - 1;
    uint32_t s = imms & levels, r = immr & levels;
    uint64_t element;

    if ((n && !x) || length < 1 || s == levels)
        return false;
    element = s == 63 ? ~0ull : (1ull << (s + 1)) - 1;
    if (r)
        element = size == 64 ? element >> r | element << (64 - r)
                             : (element >> r | element << (size - r)) & ((1ull << size) - 1);
    for (unsigned width = size; width < 64; width *= 2)
        element |= element << width;
    *value = x ? element : (uint32_t)element;
    return true;
}

static void decode_add_sub_immediate(uint32_t word, struct insn *insn)
{
    bool x = bit(word, 31), subtract = bit(word, 30), flags = bit(word, 29);

    insn->imm = (int64_t)bits(word, 21, 10) << (bit(word, 22) ? 12 : 0);
    insn->rn = rn_of(word);
    if (flags) {
        insn->op = sized(subtract ? INSN_SUBS_IMM_W : INSN_ADDS_IMM_W, x);
        insn->rd = target(rd_of(word));
    } else {
        insn->op = sized(INSN_ADD_IMM_W, x);
        insn->rd = rd_of(word);
        if (subtract)
            insn->imm = -insn->imm;
    }
}

static void decode_logical_immediate(uint32_t word, struct insn *insn)
{
    static const uint16_t ops[] = {INSN_AND_IMM_W, INSN_ORR_IMM_W, INSN_EOR_IMM_W, INSN_ANDS_IMM_W};
    uint32_t opc = bits(word, 30, 29);
    uint64_t value;

    if (!logical_immediate(bit(word, 22), bits(word, 15, 10), bits(word, 21, 16), bit(word, 31), &value))
        return;
    insn->op = sized(ops[opc], bit(word, 31));
    insn->imm = (int64_t)value;
    insn->rn = source(rn_of(word));
    insn->rd = opc == 3 ? target(rd_of(word)) : rd_of(word);
}

static void decode_move_wide(uint32_t word, struct insn *insn)
{
    bool x = bit(word, 31);
    unsigned shift = bits(word, 22, 21) * 16;
    uint64_t value = (uint64_t)bits(word, 20, 5) << shift;

    if (!x && shift >= 32)
        return;
    insn->rd = target(rd_of(word));
    switch (bits(word, 30, 29)) {
    case 0: /* MOVN */
        value = ~value;
        /* fall through */
    case 2: /* MOVZ */
        insn->op = INSN_MOV_IMM;
        insn->imm = (int64_t)(x ? value : (uint32_t)value);
        break;
    case 3:
        insn->op = sized(INSN_MOVK_W, x);
        insn->imm = (int64_t)value;
        insn->rn = source(rd_of(word));
        insn->b = (uint8_t)shift;
        break;
    default:
        break;
    }
}

static uint64_t ones(unsigned count)
{
    return count >= 64 ? ~0ull : (1ull << count) - 1;
}

static void decode_bitfield(uint32_t word, struct insn *insn)
{
    bool x = bit(word, 31);
    unsigned size = x ? 64 : 32;
    unsigned r = bits(word, 21, 16), s = bits(word, 15, 10);
    bool extract = s >= r;
    unsigned lsb = size - r; /* of an insertion */

    if (bit(word, 22) != x || r >= size || s >= size || bits(word, 30, 29) == 3)
        return;
    insn->rd = target(rd_of(word));
    insn->rn = source(rn_of(word));
    switch (bits(word, 30, 29)) {
    case 0: /* SBFM */
        insn->op = sized(extract ? INSN_SBFX_W : INSN_SBFIZ_W, x);
        insn->a = (uint8_t)(63 - s);
        insn->b = (uint8_t)(extract ? 63 - s + r : 63 - s);
        insn->ra = (uint8_t)(extract ? 0 : lsb);
        break;
    case 1: /* BFM */
        insn->op = sized(extract ? INSN_BFXIL_W : INSN_BFI_W, x);
        insn->rm = source(rd_of(word));
        insn->b = (uint8_t)(extract ? r : lsb);
        insn->imm = (int64_t)(extract ? ones(s - r + 1) : ones(s + 1) << lsb);
        break;
    default: /* UBFM */
        insn->op = extract ? INSN_UBFX : INSN_UBFIZ;
        insn->b = (uint8_t)(extract ? r : lsb);
        insn->imm = (int64_t)(extract ? ones(s - r + 1) : ones(s + 1));
        break;
    }
}

static void decode_extract(uint32_t word, struct insn *insn)
{
    bool x = bit(word, 31);

    if (bits(word, 30, 29) || bit(word, 21) || bit(word, 22) != x || (!x && bit(word, 15)))
        return;
    insn->op = sized(INSN_EXTR_W, x);
    insn->rd = target(rd_of(word));
    insn->rn = source(rn_of(word));
    insn->rm = source(rm_of(word));
    insn->b = (uint8_t)bits(word, 15, 10);
}

static void decode_immediate(uint32_t word, struct insn *insn)
{
    switch (bits(word, 25, 23)) {
    case 0:
    case 1:
        insn->op = bit(word, 31) ? INSN_ADRP : INSN_ADR;
        insn->rd = target(rd_of(word));
        insn->imm = sign_extend(bits(word, 23, 5) << 2 | bits(word, 30, 29), 21);
        if (bit(word, 31))
            insn->imm *= 4096;
        break;
    case 2:
        decode_add_sub_immediate(word, insn);
        break;
    case 4:
        decode_logical_immediate(word, insn);
        break;
    case 5:
        decode_move_wide(word, insn);
        break;
    case 6:
        decode_bitfield(word, insn);
        break;
    case 7:
        decode_extract(word, insn);
        break;
    default:
        break;
    }
}

static void decode_exception(uint32_t word, struct insn *insn)
{
    insn->imm = bits(word, 20, 5);
    switch (bits(word, 23, 21) << 8 | bits(word, 4, 0)) {
    case 0x001:
        insn->op = INSN_SVC;
        break;
    case 0x002:
        insn->op = INSN_HVC;
        break;
    case 0x003:
        insn->op = INSN_SMC;
        break;
    case 0x100:
        insn->op = INSN_BRK;
        break;
    case 0x200:
        insn->op = INSN_HLT;
        break;
    default:
        break;
    }
}

static void decode_hint(uint32_t word, struct insn *insn)
{
    static const uint16_t ops[] = {INSN_NOP, INSN_YIELD, INSN_WFE, INSN_WFI, INSN_SEV, INSN_SEVL};
    uint32_t number = bits(word, 11, 5);

    insn->op = number < 6 ? ops[number] : INSN_NOP;
}

static void decode_barrier(uint32_t word, struct insn *insn)
{
    uint32_t crm = bits(word, 11, 8);

    insn->b = (uint8_t)crm;
    switch (bits(word, 7, 5)) {
    case 1: /* DSB nXS: CRm<3:2> is the domain */
        if ((crm & 3) == 2) {
            insn->op = INSN_DSB;
            insn->b = (uint8_t)(crm | 3);
            insn->a = 1;
        }
        break;
    case 2:
        insn->op = INSN_CLREX;
        break;
    case 4:
        insn->op = crm == 0 || crm == 4 ? INSN_NOP /* SSBB, PSSBB */ : INSN_DSB;
        break;
    case 5:
        insn->op = INSN_DMB;
        break;
    case 6:
        insn->op = INSN_ISB;
        break;
    default:
        break;
    }
}

/* op0 | op1 | CRn | CRm | op2, as in core_bus.gic_read. */
static int64_t system_encoding(uint32_t word)
{
    return bits(word, 20, 5);
}

bool insn_is_cache_op(uint32_t encoding)
{
    uint32_t op1 = encoding >> 11 & 7, crn = encoding >> 7 & 15, crm = encoding >> 3 & 15, op2 = encoding & 7;

    if (crn != 7)
        return false;
    if (op1 == 0)
        return (crm == 1 && op2 == 0) || (crm == 5 && op2 == 0) || (crm == 6 && (op2 == 1 || op2 == 2)) ||
               (crm == 10 && op2 == 2) || (crm == 14 && op2 == 2);
    return op1 == 3 && op2 == 1 && (crm == 4 || crm == 5 || crm == 10 || crm == 11 || crm == 12 || crm == 14);
}

static void decode_system(uint32_t word, struct insn *insn)
{
    bool read = bit(word, 21);

    insn->imm = system_encoding(word);
    if (bit(word, 20)) {
        insn->op = read ? INSN_MRS : INSN_MSR;
        insn->rd = read ? target(rd_of(word)) : source(rd_of(word));
    } else if (bit(word, 19)) {
        if (read)
            return; /* SYSL: none exists in v8.0 */
        insn->op = INSN_SYS;
        insn->a = insn_is_cache_op((uint32_t)insn->imm);
        insn->rd = source(rd_of(word));
    } else if ((word & 0xFFFFF01F) == 0xD503201F) {
        decode_hint(word, insn);
    } else if ((word & 0xFFFFF01F) == 0xD503301F) {
        decode_barrier(word, insn);
    } else if ((word & 0xFFF8F01F) == 0xD500401F) {
        insn->op = INSN_MSR_IMM;
        insn->rd = REG_ZERO; /* as a trap reports it: Rt is 31 */
        insn->a = (uint8_t)(bits(word, 18, 16) << 3 | bits(word, 7, 5));
        insn->b = (uint8_t)bits(word, 11, 8);
    }
}

static void decode_branch_register(uint32_t word, struct insn *insn)
{
    if ((word & 0x001FFC1F) != 0x001F0000)
        return;
    insn->rn = source(rn_of(word));
    switch (bits(word, 24, 21)) {
    case 0:
        insn->op = INSN_BR;
        break;
    case 1:
        insn->op = INSN_BLR;
        break;
    case 2:
        insn->op = INSN_RET;
        break;
    case 4:
        if (rn_of(word) == 31)
            insn->op = INSN_ERET;
        break;
    default:
        break;
    }
}

static void decode_branch(uint32_t word, struct insn *insn)
{
    bool x = bit(word, 31);

    if ((word & 0x7C000000) == 0x14000000) {
        insn->op = x ? INSN_BL : INSN_B;
        insn->imm = sign_extend(bits(word, 25, 0), 26) * 4;
    } else if ((word & 0xFF000010) == 0x54000000) {
        insn->op = INSN_B_COND;
        insn->imm = sign_extend(bits(word, 23, 5), 19) * 4;
        insn->b = (uint8_t)bits(word, 3, 0);
    } else if ((word & 0x7E000000) == 0x34000000) {
        insn->op = sized(bit(word, 24) ? INSN_CBNZ_W : INSN_CBZ_W, x);
        insn->imm = sign_extend(bits(word, 23, 5), 19) * 4;
        insn->rn = source(rd_of(word));
    } else if ((word & 0x7E000000) == 0x36000000) {
        insn->op = bit(word, 24) ? INSN_TBNZ : INSN_TBZ;
        insn->imm = sign_extend(bits(word, 18, 5), 14) * 4;
        insn->rn = source(rd_of(word));
        insn->b = (uint8_t)(x << 5 | bits(word, 23, 19));
    } else if ((word & 0xFF000000) == 0xD4000000) {
        decode_exception(word, insn);
    } else if ((word & 0xFFC00000) == 0xD5000000) {
        decode_system(word, insn);
    } else if ((word & 0xFE000000) == 0xD6000000) {
        decode_branch_register(word, insn);
    }
}

static void decode_logical_shifted(uint32_t word, struct insn *insn)
{
    static const uint16_t plain[] = {INSN_AND_REG_W, INSN_BIC_REG_W, INSN_ORR_REG_W,  INSN_ORN_REG_W,
                                     INSN_EOR_REG_W, INSN_EON_REG_W, INSN_ANDS_REG_W, INSN_BICS_REG_W};
    static const uint16_t shifted[] = {INSN_AND_SHIFT_W, INSN_BIC_SHIFT_W, INSN_ORR_SHIFT_W,  INSN_ORN_SHIFT_W,
                                       INSN_EOR_SHIFT_W, INSN_EON_SHIFT_W, INSN_ANDS_SHIFT_W, INSN_BICS_SHIFT_W};
    bool x = bit(word, 31);
    uint32_t which = bits(word, 30, 29) << 1 | bit(word, 21);

    if (!x && bit(word, 15))
        return;
    insn->a = (uint8_t)bits(word, 23, 22);
    insn->b = (uint8_t)bits(word, 15, 10);
    insn->op = sized(insn->b ? shifted[which] : plain[which], x);
    insn->rd = target(rd_of(word));
    insn->rn = source(rn_of(word));
    insn->rm = source(rm_of(word));
}

static void decode_add_sub_shifted(uint32_t word, struct insn *insn)
{
    static const uint16_t plain[] = {INSN_ADD_REG_W, INSN_ADDS_REG_W, INSN_SUB_REG_W, INSN_SUBS_REG_W};
    static const uint16_t shifted[] = {INSN_ADD_SHIFT_W, INSN_ADDS_SHIFT_W, INSN_SUB_SHIFT_W, INSN_SUBS_SHIFT_W};
    bool x = bit(word, 31);

    if (bits(word, 23, 22) == 3 || (!x && bit(word, 15)))
        return;
    insn->a = (uint8_t)bits(word, 23, 22);
    insn->b = (uint8_t)bits(word, 15, 10);
    insn->op = sized(insn->b ? shifted[bits(word, 30, 29)] : plain[bits(word, 30, 29)], x);
    insn->rd = target(rd_of(word));
    insn->rn = source(rn_of(word));
    insn->rm = source(rm_of(word));
}

static void decode_add_sub_extended(uint32_t word, struct insn *insn)
{
    static const uint16_t ops[] = {INSN_ADD_EXT_W, INSN_ADDS_EXT_W, INSN_SUB_EXT_W, INSN_SUBS_EXT_W};

    if (bits(word, 23, 22) || bits(word, 12, 10) > 4)
        return;
    insn->a = (uint8_t)bits(word, 15, 13);
    insn->b = (uint8_t)bits(word, 12, 10);
    insn->op = sized(ops[bits(word, 30, 29)], bit(word, 31));
    insn->rd = bit(word, 29) ? target(rd_of(word)) : rd_of(word);
    insn->rn = rn_of(word);
    insn->rm = source(rm_of(word));
}

static void decode_one_source(uint32_t word, struct insn *insn)
{
    static const uint16_t ops_w[] = {INSN_RBIT_W, INSN_REV16_W, INSN_REV_W, INSN_UNDEFINED, INSN_CLZ_W, INSN_CLS_W};
    static const uint16_t ops_x[] = {INSN_RBIT_X, INSN_REV16_X, INSN_REV32, INSN_REV_X, INSN_CLZ_X, INSN_CLS_X};
    uint32_t opcode = bits(word, 15, 10);

    if (bit(word, 29) || bits(word, 20, 16) || opcode > 5)
        return;
    insn->op = bit(word, 31) ? ops_x[opcode] : ops_w[opcode];
    insn->rd = target(rd_of(word));
    insn->rn = source(rn_of(word));
}

static void decode_two_source(uint32_t word, struct insn *insn)
{
    bool x = bit(word, 31);
    uint32_t opcode = bits(word, 15, 10);

    if (bit(word, 29))
        return;
    switch (opcode) {
    case 2:
        insn->op = sized(INSN_UDIV_W, x);
        break;
    case 3:
        insn->op = sized(INSN_SDIV_W, x);
        break;
    case 8:
        insn->op = sized(INSN_LSLV_W, x);
        break;
    case 9:
        insn->op = sized(INSN_LSRV_W, x);
        break;
    case 10:
        insn->op = sized(INSN_ASRV_W, x);
        break;
    case 11:
        insn->op = sized(INSN_RORV_W, x);
        break;
    default:
        if ((opcode & 0x38) != 0x10 || x != ((opcode & 3) == 3))
            return;
        insn->op = opcode & 4 ? INSN_CRC32C : INSN_CRC32;
        insn->b = (uint8_t)(opcode & 3);
        break;
    }
    insn->rd = target(rd_of(word));
    insn->rn = source(rn_of(word));
    insn->rm = source(rm_of(word));
}

static void decode_three_source(uint32_t word, struct insn *insn)
{
    bool x = bit(word, 31), subtract = bit(word, 15);

    if (bits(word, 30, 29))
        return;
    switch (bits(word, 23, 21)) {
    case 0:
        insn->op = sized(subtract ? INSN_MSUB_W : INSN_MADD_W, x);
        break;
    case 1:
        insn->op = x ? (subtract ? INSN_SMSUBL : INSN_SMADDL) : INSN_UNDEFINED;
        break;
    case 2:
        insn->op = x && !subtract ? INSN_SMULH : INSN_UNDEFINED;
        break;
    case 5:
        insn->op = x ? (subtract ? INSN_UMSUBL : INSN_UMADDL) : INSN_UNDEFINED;
        break;
    case 6:
        insn->op = x && !subtract ? INSN_UMULH : INSN_UNDEFINED;
        break;
    default:
        return;
    }
    insn->rd = target(rd_of(word));
    insn->rn = source(rn_of(word));
    insn->rm = source(rm_of(word));
    insn->ra = source(bits(word, 14, 10));
}

static void decode_conditional(uint32_t word, struct insn *insn)
{
    static const uint16_t selects[] = {INSN_CSEL_W, INSN_CSINC_W, INSN_CSINV_W, INSN_CSNEG_W};
    bool x = bit(word, 31), negative = bit(word, 30), immediate = bit(word, 11);

    insn->rn = source(rn_of(word));
    insn->rm = source(rm_of(word));
    insn->b = (uint8_t)bits(word, 15, 12);
    if ((word & 0x1FE00000) == 0x1A800000) { /* conditional select */
        if (bit(word, 29) || bit(word, 11))
            return;
        insn->op = sized(selects[negative << 1 | bit(word, 10)], x);
        insn->rd = target(rd_of(word));
        return;
    }
    if (!bit(word, 29) || bit(word, 10) || bit(word, 4))
        return;
    insn->a = (uint8_t)bits(word, 3, 0);
    insn->imm = rm_of(word);
    if (immediate)
        insn->op = sized(negative ? INSN_CCMP_IMM_W : INSN_CCMN_IMM_W, x);
    else
        insn->op = sized(negative ? INSN_CCMP_REG_W : INSN_CCMN_REG_W, x);
}

static void decode_with_carry(uint32_t word, struct insn *insn)
{
    static const uint16_t ops[] = {INSN_ADC_W, INSN_ADCS_W, INSN_SBC_W, INSN_SBCS_W};

    if (bits(word, 15, 10))
        return; /* RMIF, SETF8, SETF16 belong to FEAT_FlagM */
    insn->op = sized(ops[bits(word, 30, 29)], bit(word, 31));
    insn->rd = target(rd_of(word));
    insn->rn = source(rn_of(word));
    insn->rm = source(rm_of(word));
}

static void decode_register(uint32_t word, struct insn *insn)
{
    if ((word & 0x1F000000) == 0x0A000000)
        decode_logical_shifted(word, insn);
    else if ((word & 0x1F200000) == 0x0B000000)
        decode_add_sub_shifted(word, insn);
    else if ((word & 0x1F200000) == 0x0B200000)
        decode_add_sub_extended(word, insn);
    else if ((word & 0x1FE00000) == 0x1A000000)
        decode_with_carry(word, insn);
    else if ((word & 0x1FE00000) == 0x1A400000 || (word & 0x1FE00000) == 0x1A800000)
        decode_conditional(word, insn);
    else if ((word & 0x5FE00000) == 0x5AC00000)
        decode_one_source(word, insn);
    else if ((word & 0x5FE00000) == 0x1AC00000)
        decode_two_source(word, insn);
    else if ((word & 0x1F000000) == 0x1B000000)
        decode_three_source(word, insn);
}

void insn_decode(uint32_t word, const struct insn_features *features, struct insn *insn)
{
    *insn = (struct insn){.op = INSN_UNDEFINED};
    switch (bits(word, 28, 25)) {
    case 8:
    case 9:
        decode_immediate(word, insn);
        break;
    case 10:
    case 11:
        decode_branch(word, insn);
        break;
    case 4:
    case 6:
    case 12:
    case 14:
        insn_decode_memory(word, features, insn);
        break;
    case 5:
    case 13:
        decode_register(word, insn);
        break;
    case 7:
    case 15:
        simd_decode(word, insn);
        break;
    default: /* reserved, SVE */
        break;
    }
}

const char *insn_name(enum insn_op op)
{
    static const char *const names[] = {
#define OP(name) #name,
        INSN_OPS(OP)
#undef OP
    };

    return op < INSN_OP_COUNT ? names[op] : "?";
}
