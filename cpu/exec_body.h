/*
 * The interpreter loop: one body per operation of insn.h. Included twice, with TIMED 1 (exec_timed.c) and 0 (exec_functional.c,
 * where an instruction takes a cycle and memory no time), so that timing costs nothing where it is off.
 */
#include "cpu/alu.h"
#include "cpu/exec.h"
#include "cpu/icache.h"
#include "cpu/lsu.h"
#include "cpu/predictor.h"
#include "cpu/simd.h"
#include "cpu/timing.h"

#include "cpu/exec_macros.h"

enum cpu_stop EXEC_NAME(struct cpu *cpu)
{
    static const void *const labels[2 * INSN_OP_COUNT] = {
#define OP(name) &&L_##name,
        INSN_OPS(OP)
#undef OP
            [INSN_OP_COUNT... 2 * INSN_OP_COUNT - 1] = &&L_PROBE,
    };
    struct timing *const timing = cpu->timing;
    struct predictor *const predictor = cpu->predictor;
    struct l0_entry *const l0 = cpu->lsu->l0;
    uint64_t *const x = cpu->x;
    uint64_t *const ready = timing->ready;
    const uint64_t cycle = timing->cycle, slot = timing->slot, l1_latency = timing->l1;
    const uint32_t window_size = timing->window;
    uint64_t count, dispatch, retire, pc = cpu->pc, base = 0, result;
    struct decoded_line *line = NULL;
    const struct insn *i = NULL;
    enum cpu_stop stop;

    (void)ready, (void)slot, (void)l1_latency, (void)window_size, (void)result, (void)predictor;
    LOAD_STATE;
    cpu->attention = true;

taken:
    if (UNLIKELY(cpu->attention || retire > timing->run_limit || count >= cpu->instruction_stop)) {
        timing->count = count;
        timing->dispatch = dispatch;
        timing->retire = retire;
        cpu->pc = pc;
        cpu->now_ps = ticks_to_ps(retire);
        if (exec_attention(cpu, &stop))
            return stop;
        LOAD_STATE;
        pc = cpu->pc;
        line = NULL;
    }
    if (line && (pc & ~(uint64_t)(LINE_BYTES - 1)) == base && !(pc & 3)) {
        i = &line->insn[(pc >> 2) & (INSNS_PER_LINE - 1)];
        DISPATCH;
    }
    {
        struct fetch_entry *entry = &cpu->icache->table[(pc >> LINE_SHIFT) & (FETCH_ENTRIES - 1)];
        if (LIKELY(entry->tag == pc >> LINE_SHIFT && !(pc & 3))) {
            line = entry->line;
            line->used = 1;
        } else {
            timing->count = count;
            timing->dispatch = dispatch;
            timing->retire = retire;
            cpu->pc = pc;
            cpu->now_ps = ticks_to_ps(retire);
            line = exec_fetch(cpu);
            LOAD_STATE;
            pc = cpu->pc;
            if (!line)
                goto taken;
        }
        base = pc & ~(uint64_t)(LINE_BYTES - 1);
        i = &line->insn[(pc >> 2) & (INSNS_PER_LINE - 1)];
        DISPATCH;
    }

    L_NEXT_LINE:
    JUMP(base + LINE_BYTES);

    L_STEP_END:
    JUMP(PC);

    L_PROBE: /* the instruction itself follows */
    SAVE_STATE;
    cpu->probes->hit(cpu->probes->ctx, cpu->config.index, PC);
    goto *labels[i->op - INSN_OP_COUNT];

    L_UNDEFINED:
    SAVE_STATE;
    exception_undefined(cpu, PC);
    EXCEPTION;

    L_NOP:
    L_YIELD:
    {
        BEGIN;
        RETIRE(start);
        NEXT;
    }

    /* --- Data processing, immediate --- */
    L_ADR:
    {
        BEGIN;
        x[i->rd] = PC + IMM;
        DONE_AT(start + ALU_LATENCY, i->rd);
        NEXT;
    }
    L_ADRP:
    {
        BEGIN;
        x[i->rd] = (PC & ~0xFFFull) + IMM;
        DONE_AT(start + ALU_LATENCY, i->rd);
        NEXT;
    }
    L_MOV_IMM:
    {
        BEGIN;
        x[i->rd] = IMM;
        DONE_AT(start + ALU_LATENCY, i->rd);
        NEXT;
    }
    ALU1(MOVK_W, ALU_LATENCY, W((a & ~(0xFFFFull << i->b)) | IMM))
    ALU1(MOVK_X, ALU_LATENCY, (a & ~(0xFFFFull << i->b)) | IMM)
    ALU1(ADD_IMM_W, ALU_LATENCY, W(a + IMM))
    ALU1(ADD_IMM_X, ALU_LATENCY, a + IMM)
    ALU1_FLAGS(ADDS_IMM_W, add_with_carry_w(a, IMM, 0, &flags))
    ALU1_FLAGS(ADDS_IMM_X, add_with_carry_x(a, IMM, 0, &flags))
    ALU1_FLAGS(SUBS_IMM_W, add_with_carry_w(a, ~IMM, 1, &flags))
    ALU1_FLAGS(SUBS_IMM_X, add_with_carry_x(a, ~IMM, 1, &flags))
    ALU1(AND_IMM_W, ALU_LATENCY, W(a & IMM))
    ALU1(AND_IMM_X, ALU_LATENCY, a & IMM)
    ALU1(ORR_IMM_W, ALU_LATENCY, W(a | IMM))
    ALU1(ORR_IMM_X, ALU_LATENCY, a | IMM)
    ALU1(EOR_IMM_W, ALU_LATENCY, W(a ^ IMM))
    ALU1(EOR_IMM_X, ALU_LATENCY, a ^ IMM)
    ALU1_FLAGS(ANDS_IMM_W, FLAGS_W(a & IMM))
    ALU1_FLAGS(ANDS_IMM_X, FLAGS_X(a & IMM))
    ALU1(UBFX, ALU_LATENCY, a >> i->b & IMM)
    ALU1(UBFIZ, ALU_LATENCY, (a & IMM) << i->b)
    ALU1(SBFX_W, ALU_LATENCY, W((int64_t)(a << i->a) >> i->b))
    ALU1(SBFX_X, ALU_LATENCY, (uint64_t)((int64_t)(a << i->a) >> i->b))
    ALU1(SBFIZ_W, ALU_LATENCY, W((uint64_t)((int64_t)(a << i->a) >> i->b) << i->ra))
    ALU1(SBFIZ_X, ALU_LATENCY, (uint64_t)((int64_t)(a << i->a) >> i->b) << i->ra)
    ALU2(BFXIL_W, ALU_LATENCY, W((b & ~IMM) | (a >> i->b & IMM)))
    ALU2(BFXIL_X, ALU_LATENCY, (b & ~IMM) | (a >> i->b & IMM))
    ALU2(BFI_W, ALU_LATENCY, W((b & ~IMM) | (a << i->b & IMM)))
    ALU2(BFI_X, ALU_LATENCY, (b & ~IMM) | (a << i->b & IMM))
    ALU2(EXTR_W, ALU_LATENCY, i->b ? W(W(b) >> i->b | W(a) << (32 - i->b)) : W(b))
    ALU2(EXTR_X, ALU_LATENCY, i->b ? b >> i->b | a << (64 - i->b) : b)

    /* --- Branches --- */
    L_B:
    {
        BEGIN;
        RETIRE(start);
        JUMP(PC + IMM);
    }
    L_BL:
    {
        BEGIN;
        x[30] = PC + 4;
        DONE_AT(start + ALU_LATENCY, 30);
        predict_call(predictor, x[30]);
        JUMP(PC + IMM);
    }
    BRANCH_IF(B_COND, REG_FLAGS, condition_holds(cpu->pstate.nzcv, i->b))
    BRANCH_IF(CBZ_W, i->rn, (uint32_t)x[i->rn] == 0)
    BRANCH_IF(CBZ_X, i->rn, x[i->rn] == 0)
    BRANCH_IF(CBNZ_W, i->rn, (uint32_t)x[i->rn] != 0)
    BRANCH_IF(CBNZ_X, i->rn, x[i->rn] != 0)
    BRANCH_IF(TBZ, i->rn, !(x[i->rn] >> i->b & 1))
    BRANCH_IF(TBNZ, i->rn, x[i->rn] >> i->b & 1)
    L_BR:
    {
        uint64_t to = x[i->rn];
        BEGIN;
        READY(i->rn);
        DONE_AT(start + ALU_LATENCY, REG_SINK);
        MISPREDICTED(predict_indirect(predictor, PC, to));
        JUMP(to);
    }
    L_BLR:
    {
        uint64_t to = x[i->rn];
        BEGIN;
        READY(i->rn);
        x[30] = PC + 4;
        DONE_AT(start + ALU_LATENCY, 30);
        predict_call(predictor, x[30]);
        MISPREDICTED(predict_indirect(predictor, PC, to));
        JUMP(to);
    }
    L_RET:
    {
        uint64_t to = x[i->rn];
        BEGIN;
        READY(i->rn);
        DONE_AT(start + ALU_LATENCY, REG_SINK);
        MISPREDICTED(predict_return(predictor, to));
        JUMP(to);
    }
    L_ERET:
    {
        BEGIN;
        RETIRE(start);
        SAVE_STATE;
        exec_eret(cpu, PC);
        EXCEPTION;
    }

    /* --- Exceptions, system --- */
    L_SVC:
    L_HVC:
    L_SMC:
    L_BRK:
    {
        BEGIN;
        RETIRE(start);
        SAVE_STATE;
        exec_exception(cpu, i);
        EXCEPTION;
    }
    CALL_RESTART(HLT, exec_hlt)
    CALL_RESTART(WFE, exec_wfe)
    CALL_RESTART(WFI, exec_wfi)
    CALL_RESTART(SEV, exec_sev)
    CALL_RESTART(SEVL, exec_sevl)
    CALL_RESTART(DSB, exec_dsb)
    CALL(DMB, exec_dmb)
    CALL_RESTART(ISB, exec_isb)
    CALL(CLREX, exec_clrex)
    CALL_RESTART(MSR_IMM, exec_msr_immediate)
    CALL_RESTART(MSR, exec_msr)
    L_MRS:
    {
        BEGIN;
        SAVE_STATE;
        if (!exec_mrs(cpu, i))
            EXCEPTION;
        LOAD_STATE;
        DONE_AT(start + ALU_LATENCY, i->rd);
        NEXT;
    }
    L_SYS:
    {
        BEGIN;
        READY(i->rd);
        SAVE_STATE;
        if (i->a && cpu->pstate.el > 0) { /* a DC or IC operation */
            if (!lsu_cache_op(cpu, PC, (uint16_t)i->imm, x[i->rd], start))
                EXCEPTION;
            LOAD_STATE;
            RETIRE(retire);
            NEXT;
        }
        if (!exec_sys(cpu, i, start))
            EXCEPTION;
        LOAD_STATE;
        RETIRE(retire);
        RESTART;
    }

    /* --- Data processing, register --- */
    LOGICAL(AND, &)
    LOGICAL(BIC, &~)
    LOGICAL(ORR, |)
    LOGICAL(ORN, | ~)
    LOGICAL(EOR, ^)
    LOGICAL(EON, ^ ~)
    LOGICAL_FLAGS(ANDS, &)
    LOGICAL_FLAGS(BICS, &~)
    ALU2(ADD_REG_W, ALU_LATENCY, W(a + b))
    ALU2(ADD_REG_X, ALU_LATENCY, a + b)
    ALU2(SUB_REG_W, ALU_LATENCY, W(a - b))
    ALU2(SUB_REG_X, ALU_LATENCY, a - b)
    ALU2(ADD_SHIFT_W, 2 * cycle, W(a + SHIFTED_W))
    ALU2(ADD_SHIFT_X, 2 * cycle, a + SHIFTED_X)
    ALU2(SUB_SHIFT_W, 2 * cycle, W(a - SHIFTED_W))
    ALU2(SUB_SHIFT_X, 2 * cycle, a - SHIFTED_X)
    ALU2(ADD_EXT_W, 2 * cycle, W(a + EXTENDED))
    ALU2(ADD_EXT_X, 2 * cycle, a + EXTENDED)
    ALU2(SUB_EXT_W, 2 * cycle, W(a - EXTENDED))
    ALU2(SUB_EXT_X, 2 * cycle, a - EXTENDED)
    ALU2_FLAGS(ADDS_REG_W, add_with_carry_w(a, b, 0, &flags))
    ALU2_FLAGS(ADDS_REG_X, add_with_carry_x(a, b, 0, &flags))
    ALU2_FLAGS(SUBS_REG_W, add_with_carry_w(a, ~b, 1, &flags))
    ALU2_FLAGS(SUBS_REG_X, add_with_carry_x(a, ~b, 1, &flags))
    ALU2_FLAGS(ADDS_SHIFT_W, add_with_carry_w(a, SHIFTED_W, 0, &flags))
    ALU2_FLAGS(ADDS_SHIFT_X, add_with_carry_x(a, SHIFTED_X, 0, &flags))
    ALU2_FLAGS(SUBS_SHIFT_W, add_with_carry_w(a, ~SHIFTED_W, 1, &flags))
    ALU2_FLAGS(SUBS_SHIFT_X, add_with_carry_x(a, ~SHIFTED_X, 1, &flags))
    ALU2_FLAGS(ADDS_EXT_W, add_with_carry_w(a, EXTENDED, 0, &flags))
    ALU2_FLAGS(ADDS_EXT_X, add_with_carry_x(a, EXTENDED, 0, &flags))
    ALU2_FLAGS(SUBS_EXT_W, add_with_carry_w(a, ~EXTENDED, 1, &flags))
    ALU2_FLAGS(SUBS_EXT_X, add_with_carry_x(a, ~EXTENDED, 1, &flags))
    ALU2_CONDITIONAL(ADC_W, W(a + b + CARRY))
    ALU2_CONDITIONAL(ADC_X, a + b + CARRY)
    ALU2_CONDITIONAL(SBC_W, W(a + ~b + CARRY))
    ALU2_CONDITIONAL(SBC_X, a + ~b + CARRY)
    ALU2_CARRY_FLAGS(ADCS_W, add_with_carry_w(a, b, CARRY, &flags))
    ALU2_CARRY_FLAGS(ADCS_X, add_with_carry_x(a, b, CARRY, &flags))
    ALU2_CARRY_FLAGS(SBCS_W, add_with_carry_w(a, ~b, CARRY, &flags))
    ALU2_CARRY_FLAGS(SBCS_X, add_with_carry_x(a, ~b, CARRY, &flags))
    COMPARE(CCMN_REG_W, x[i->rm], add_with_carry_w, b, 0)
    COMPARE(CCMN_REG_X, x[i->rm], add_with_carry_x, b, 0)
    COMPARE(CCMP_REG_W, x[i->rm], add_with_carry_w, ~b, 1)
    COMPARE(CCMP_REG_X, x[i->rm], add_with_carry_x, ~b, 1)
    COMPARE(CCMN_IMM_W, IMM, add_with_carry_w, b, 0)
    COMPARE(CCMN_IMM_X, IMM, add_with_carry_x, b, 0)
    COMPARE(CCMP_IMM_W, IMM, add_with_carry_w, ~b, 1)
    COMPARE(CCMP_IMM_X, IMM, add_with_carry_x, ~b, 1)
#define SELECT(otherwise) (condition_holds(cpu->pstate.nzcv, i->b) ? a : (uint64_t)(otherwise))
    ALU2_CONDITIONAL(CSEL_W, W(SELECT(b)))
    ALU2_CONDITIONAL(CSEL_X, SELECT(b))
    ALU2_CONDITIONAL(CSINC_W, W(SELECT(b + 1)))
    ALU2_CONDITIONAL(CSINC_X, SELECT(b + 1))
    ALU2_CONDITIONAL(CSINV_W, W(SELECT(~b)))
    ALU2_CONDITIONAL(CSINV_X, SELECT(~b))
    ALU2_CONDITIONAL(CSNEG_W, W(SELECT(-b)))
    ALU2_CONDITIONAL(CSNEG_X, SELECT(-b))
    ALU1(RBIT_W, ALU_LATENCY, reverse_bits(W(a)) >> 32)
    ALU1(RBIT_X, ALU_LATENCY, reverse_bits(a))
    ALU1(REV16_W, ALU_LATENCY, W(swap_halfword_bytes(a)))
    ALU1(REV16_X, ALU_LATENCY, swap_halfword_bytes(a))
    ALU1(REV32, ALU_LATENCY, (uint64_t)__builtin_bswap32((uint32_t)(a >> 32)) << 32 | __builtin_bswap32((uint32_t)a))
    ALU1(REV_W, ALU_LATENCY, __builtin_bswap32((uint32_t)a))
    ALU1(REV_X, ALU_LATENCY, __builtin_bswap64(a))
    ALU1(CLZ_W, ALU_LATENCY, (uint32_t)a ? (uint64_t)__builtin_clz((uint32_t)a) : 32)
    ALU1(CLZ_X, ALU_LATENCY, a ? (uint64_t)__builtin_clzll(a) : 64)
    ALU1(CLS_W, ALU_LATENCY, (uint64_t)__builtin_clrsb((int32_t)a))
    ALU1(CLS_X, ALU_LATENCY, (uint64_t)__builtin_clrsbll((int64_t)a))
    ALU2(UDIV_W, timing->div32, divide_unsigned(W(a), W(b)))
    ALU2(UDIV_X, timing->div64, divide_unsigned(a, b))
    ALU2(SDIV_W, timing->div32, divide_signed_w((int32_t)a, (int32_t)b))
    ALU2(SDIV_X, timing->div64, divide_signed_x((int64_t)a, (int64_t)b))
    ALU2(LSLV_W, ALU_LATENCY, shift_w(a, 0, b & 31))
    ALU2(LSLV_X, ALU_LATENCY, shift_x(a, 0, b & 63))
    ALU2(LSRV_W, ALU_LATENCY, shift_w(a, 1, b & 31))
    ALU2(LSRV_X, ALU_LATENCY, shift_x(a, 1, b & 63))
    ALU2(ASRV_W, ALU_LATENCY, shift_w(a, 2, b & 31))
    ALU2(ASRV_X, ALU_LATENCY, shift_x(a, 2, b & 63))
    ALU2(RORV_W, ALU_LATENCY, shift_w(a, 3, b & 31))
    ALU2(RORV_X, ALU_LATENCY, shift_x(a, 3, b & 63))
    ALU2(CRC32, timing->mul, crc32_step((uint32_t)a, b, 1u << i->b, 0xEDB88320))
    ALU2(CRC32C, timing->mul, crc32_step((uint32_t)a, b, 1u << i->b, 0x82F63B78))
    THREE(MADD_W, timing->mul, W(c + a * b))
    THREE(MADD_X, timing->mul, c + a * b)
    THREE(MSUB_W, timing->mul, W(c - a * b))
    THREE(MSUB_X, timing->mul, c - a * b)
    THREE(SMADDL, timing->mul, c + (uint64_t)((int64_t)(int32_t)a * (int32_t)b))
    THREE(SMSUBL, timing->mul, c - (uint64_t)((int64_t)(int32_t)a * (int32_t)b))
    THREE(UMADDL, timing->mul, c + W(a) * W(b))
    THREE(UMSUBL, timing->mul, c - W(a) * W(b))
    ALU2(SMULH, timing->mul, (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64))
    ALU2(UMULH, timing->mul, (uint64_t)((unsigned __int128)a * b >> 64))

    /* --- SIMD and floating point --- */
    L_SIMD:
    {
        FP_CHECK;
        BEGIN;
        READY(i->rn);
        READY(i->rm);
        READY(i->ra);
        simd_run(cpu, i);
        DONE_AT(start + timing->simd[i->a], i->rd);
        NEXT;
    }

    /* --- Loads and stores --- */
#define SIGNED_W(value) W((int32_t)(value))
#define SIGNED_X(value) (uint64_t)(int64_t)(value)
    LOAD_MODES(X, LDRB, uint8_t, )
    LOAD_MODES(X, LDRH, uint16_t, )
    LOAD_MODES(X, LDR_W, uint32_t, )
    LOAD_MODES(X, LDR_X, uint64_t, )
    LOAD_MODES(X, LDRSB_W, int8_t, SIGNED_W)
    LOAD_MODES(X, LDRSB_X, int8_t, SIGNED_X)
    LOAD_MODES(X, LDRSH_W, int16_t, SIGNED_W)
    LOAD_MODES(X, LDRSH_X, int16_t, SIGNED_X)
    LOAD_MODES(X, LDRSW, int32_t, SIGNED_X)
    STORE_MODES(X, STRB, uint8_t)
    STORE_MODES(X, STRH, uint16_t)
    STORE_MODES(X, STR_W, uint32_t)
    STORE_MODES(X, STR_X, uint64_t)
    LOAD_PAIR_MODES(X, LDP_W, uint32_t, )
    LOAD_PAIR_MODES(X, LDP_X, uint64_t, )
    LOAD_PAIR_MODES(X, LDPSW, int32_t, SIGNED_X)
    STORE_PAIR_MODES(X, STP_W, uint32_t)
    STORE_PAIR_MODES(X, STP_X, uint64_t)
    LOAD_MODES(V, LDR_VB, uint8_t, )
    LOAD_MODES(V, LDR_VH, uint16_t, )
    LOAD_MODES(V, LDR_VS, uint32_t, )
    LOAD_MODES(V, LDR_VD, uint64_t, )
    LOAD_MODES(V, LDR_VQ, unsigned __int128, )
    STORE_MODES(V, STR_VB, uint8_t)
    STORE_MODES(V, STR_VH, uint16_t)
    STORE_MODES(V, STR_VS, uint32_t)
    STORE_MODES(V, STR_VD, uint64_t)
    STORE_MODES(V, STR_VQ, unsigned __int128)
    LOAD_PAIR_MODES(V, LDP_VS, uint32_t, )
    LOAD_PAIR_MODES(V, LDP_VD, uint64_t, )
    LOAD_PAIR_MODES(V, LDP_VQ, unsigned __int128, )
    STORE_PAIR_MODES(V, STP_VS, uint32_t)
    STORE_PAIR_MODES(V, STP_VD, uint64_t)
    STORE_PAIR_MODES(V, STP_VQ, unsigned __int128)
    CALL(LDR_LITERAL, exec_load_literal)
    CALL(LDR_LITERAL_V, exec_load_literal_vector)
    CALL(STRUCTURE, simd_structure)
    CALL(LDTR, exec_load_unprivileged)
    CALL(STTR, exec_store_unprivileged)
    CALL(LDAR, exec_load_acquire)
    CALL(LDAPR, exec_load_acquire)
    CALL(STLR, exec_store_release)
    CALL(LDXR, exec_load_exclusive)
    CALL(STXR, exec_store_exclusive)
    CALL(LDXP, exec_load_exclusive)
    CALL(STXP, exec_store_exclusive)
    CALL(CAS, exec_compare_and_swap)
    CALL(CASP, exec_compare_and_swap)
    CALL(ATOMIC, exec_atomic)
}
