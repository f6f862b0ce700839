/*
 * The vocabulary of exec_body.h: what it means to begin, finish, load, store and branch, with timing (TIMED 1) and without. No include
 * guard: it belongs to one inclusion of exec_body.h.
 */
#define UNLIKELY(c) __builtin_expect(!!(c), 0)
#define LIKELY(c) __builtin_expect(!!(c), 1)

#define PC (base + ((uint64_t)(i - line->insn) << 2))

/* The scoreboard of one instruction: BEGIN dispatches, READY waits for a source, DONE_AT publishes the result and retires. */
#if TIMED
#define BEGIN                                                                                                          \
    uint64_t start, done;                                                                                              \
    dispatch += slot;                                                                                                  \
    {                                                                                                                  \
        uint64_t window = timing->retired[(count - window_size) & (WINDOW_MOST - 1)];                                  \
        if (window > dispatch)                                                                                         \
            dispatch = window;                                                                                         \
    }                                                                                                                  \
    start = dispatch;                                                                                                  \
    (void)done
#define READY(reg)                                                                                                     \
    if (ready[reg] > start)                                                                                            \
    start = ready[reg]
#define DONE_AT(when, reg)                                                                                             \
    done = (when);                                                                                                     \
    ready[reg] = done;                                                                                                 \
    RETIRE(done)
#define RETIRE(when)                                                                                                   \
    if ((when) > retire)                                                                                               \
        retire = (when);                                                                                               \
    timing->retired[count++ & (WINDOW_MOST - 1)] = retire
#define READY_AT(reg, when) ready[reg] = (when)
#define MISPREDICTED(wrong)                                                                                            \
    if (UNLIKELY(wrong)) {                                                                                             \
        uint64_t again = done + timing->mispredict;                                                                    \
        cpu->counters.mispredicts++;                                                                                   \
        if (again > dispatch)                                                                                          \
            dispatch = again;                                                                                          \
        if (again > retire) {                                                                                          \
            cpu->stack_ps[STACK_BRANCH] += again - retire;                                                             \
            retire = again;                                                                                            \
        }                                                                                                              \
    }
#define LOAD_STATE                                                                                                     \
    count = timing->count;                                                                                             \
    dispatch = timing->dispatch;                                                                                       \
    retire = timing->retire
#define LOAD_STATE_AFTER_MEMORY LOAD_STATE
#else
#define BEGIN                                                                                                          \
    uint64_t start = dispatch, done = start;                                                                           \
    dispatch += cycle;                                                                                                 \
    (void)done
#define READY(reg) (void)0
#define DONE_AT(when, reg) RETIRE(when)
#define RETIRE(when)                                                                                                   \
    (void)(when);                                                                                                      \
    retire = dispatch;                                                                                                 \
    count++
#define READY_AT(reg, when) (void)0
#define MISPREDICTED(wrong) (void)(wrong)
#define LOAD_STATE                                                                                                     \
    count = timing->count;                                                                                             \
    dispatch = retire = timing->retire
#define LOAD_STATE_AFTER_MEMORY (void)0
#endif

#define SAVE_STATE                                                                                                     \
    cpu->pc = PC;                                                                                                      \
    timing->count = count;                                                                                             \
    timing->dispatch = dispatch;                                                                                       \
    timing->retire = retire;                                                                                           \
    cpu->now_ps = ticks_to_ps(retire)

#define DISPATCH goto *labels[i->op]
#define NEXT                                                                                                           \
    i++;                                                                                                               \
    DISPATCH
#define JUMP(target)                                                                                                   \
    do {                                                                                                               \
        pc = (target);                                                                                                 \
        goto taken;                                                                                                    \
    } while (0)
/* After a call that may have changed anything: continue behind this instruction through the checks. */
#define RESTART JUMP(PC + 4)
#define EXCEPTION                                                                                                      \
    do {                                                                                                               \
        LOAD_STATE;                                                                                                    \
        pc = cpu->pc;                                                                                                  \
        goto taken;                                                                                                    \
    } while (0)

#define ALU_LATENCY cycle

/* rd = expression of a = Xn. */
#define ALU1(name, latency, expression)                                                                                \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        uint64_t a = x[i->rn];                                                                                         \
        BEGIN;                                                                                                         \
        READY(i->rn);                                                                                                  \
        x[i->rd] = (expression);                                                                                       \
        DONE_AT(start + (latency), i->rd);                                                                             \
        NEXT;                                                                                                          \
    }
/* rd = expression of a = Xn, b = Xm. */
#define ALU2(name, latency, expression)                                                                                \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        uint64_t a = x[i->rn], b = x[i->rm];                                                                           \
        BEGIN;                                                                                                         \
        READY(i->rn);                                                                                                  \
        READY(i->rm);                                                                                                  \
        x[i->rd] = (expression);                                                                                       \
        DONE_AT(start + (latency), i->rd);                                                                             \
        NEXT;                                                                                                          \
    }
/* The same, setting flags; the expression may assign flags. */
#define ALU1_FLAGS(name, expression)                                                                                   \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        uint64_t a = x[i->rn];                                                                                         \
        uint32_t flags;                                                                                                \
        BEGIN;                                                                                                         \
        READY(i->rn);                                                                                                  \
        x[i->rd] = (expression);                                                                                       \
        cpu->pstate.nzcv = flags;                                                                                      \
        DONE_AT(start + ALU_LATENCY, i->rd);                                                                           \
        READY_AT(REG_FLAGS, done);                                                                                     \
        NEXT;                                                                                                          \
    }
#define ALU2_FLAGS(name, expression)                                                                                   \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        uint64_t a = x[i->rn], b = x[i->rm];                                                                           \
        uint32_t flags;                                                                                                \
        BEGIN;                                                                                                         \
        READY(i->rn);                                                                                                  \
        READY(i->rm);                                                                                                  \
        x[i->rd] = (expression);                                                                                       \
        cpu->pstate.nzcv = flags;                                                                                      \
        DONE_AT(start + ALU_LATENCY, i->rd);                                                                           \
        READY_AT(REG_FLAGS, done);                                                                                     \
        NEXT;                                                                                                          \
    }
/* rd = expression of a, b and the flags. */
#define ALU2_CONDITIONAL(name, expression)                                                                             \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        uint64_t a = x[i->rn], b = x[i->rm];                                                                           \
        BEGIN;                                                                                                         \
        READY(i->rn);                                                                                                  \
        READY(i->rm);                                                                                                  \
        READY(REG_FLAGS);                                                                                              \
        x[i->rd] = (expression);                                                                                       \
        DONE_AT(start + ALU_LATENCY, i->rd);                                                                           \
        NEXT;                                                                                                          \
    }
#define ALU2_CARRY_FLAGS(name, expression)                                                                             \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        uint64_t a = x[i->rn], b = x[i->rm];                                                                           \
        uint32_t flags;                                                                                                \
        BEGIN;                                                                                                         \
        READY(i->rn);                                                                                                  \
        READY(i->rm);                                                                                                  \
        READY(REG_FLAGS);                                                                                              \
        x[i->rd] = (expression);                                                                                       \
        cpu->pstate.nzcv = flags;                                                                                      \
        DONE_AT(start + ALU_LATENCY, i->rd);                                                                           \
        READY_AT(REG_FLAGS, done);                                                                                     \
        NEXT;                                                                                                          \
    }
/* Conditional compare with operand b. */
#define COMPARE(name, operand, adder, subtrahend, carry)                                                               \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        uint64_t a = x[i->rn], b = (operand);                                                                          \
        uint32_t flags = (uint32_t)i->a << 28;                                                                         \
        BEGIN;                                                                                                         \
        READY(i->rn);                                                                                                  \
        READY(i->rm);                                                                                                  \
        READY(REG_FLAGS);                                                                                              \
        if (condition_holds(cpu->pstate.nzcv, i->b))                                                                   \
            adder(a, subtrahend, carry, &flags);                                                                       \
        cpu->pstate.nzcv = flags;                                                                                      \
        DONE_AT(start + ALU_LATENCY, REG_FLAGS);                                                                       \
        NEXT;                                                                                                          \
    }
#define THREE(name, latency, expression)                                                                               \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        uint64_t a = x[i->rn], b = x[i->rm], c = x[i->ra];                                                             \
        BEGIN;                                                                                                         \
        READY(i->rn);                                                                                                  \
        READY(i->rm);                                                                                                  \
        READY(i->ra);                                                                                                  \
        x[i->rd] = (expression);                                                                                       \
        DONE_AT(start + (latency), i->rd);                                                                             \
        NEXT;                                                                                                          \
    }

#define IMM ((uint64_t)i->imm)
#define W(value) ((uint64_t)(uint32_t)(value))
#define FLAGS_X(r) (result = (r), flags = flags_of(result >> 63, result == 0, false, false), result)
#define FLAGS_W(r) (result = W(r), flags = flags_of(result >> 31, result == 0, false, false), result)
#define SHIFTED_X shift_x(b, i->a, i->b)
#define SHIFTED_W shift_w(b, i->a, i->b)
#define EXTENDED extend(b, i->a, i->b)
#define CARRY (cpu->pstate.nzcv >> 29 & 1)

#define LOGICAL(name, op)                                                                                              \
    ALU2(name##_REG_W, ALU_LATENCY, W(a op b))                                                                         \
    ALU2(name##_REG_X, ALU_LATENCY, a op b)                                                                            \
    ALU2(name##_SHIFT_W, ALU_LATENCY, W(a op SHIFTED_W))                                                               \
    ALU2(name##_SHIFT_X, ALU_LATENCY, a op SHIFTED_X)
#define LOGICAL_FLAGS(name, op)                                                                                        \
    ALU2_FLAGS(name##_REG_W, FLAGS_W(a op b))                                                                          \
    ALU2_FLAGS(name##_REG_X, FLAGS_X(a op b))                                                                          \
    ALU2_FLAGS(name##_SHIFT_W, FLAGS_W(a op SHIFTED_W))                                                                \
    ALU2_FLAGS(name##_SHIFT_X, FLAGS_X(a op SHIFTED_X))

/* Branch on a condition of Xn. */
#define BRANCH_IF(name, reg, condition)                                                                                \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        bool taken = (condition);                                                                                      \
        BEGIN;                                                                                                         \
        READY(reg);                                                                                                    \
        DONE_AT(start + ALU_LATENCY, REG_SINK);                                                                        \
        MISPREDICTED(predict_direction(predictor, PC, taken));                                                         \
        if (taken)                                                                                                     \
            JUMP(PC + IMM);                                                                                            \
        NEXT;                                                                                                          \
    }

#define SP_CHECK                                                                                                       \
    if (UNLIKELY(i->rn == REG_SP && (x[REG_SP] & 15) && exec_sp_checked(cpu))) {                                       \
        SAVE_STATE;                                                                                                    \
        exception_sync(cpu, EC_SP_ALIGN, 0, PC, 0, false);                                                             \
        EXCEPTION;                                                                                                     \
    }

#define FP_CHECK                                                                                                       \
    if (UNLIKELY(exception_fp_trapped(cpu))) {                                                                         \
        SAVE_STATE;                                                                                                    \
        exception_fp(cpu);                                                                                             \
        EXCEPTION;                                                                                                     \
    }

/* Loads and stores come in two kinds, of general registers (X) and of SIMD&FP registers (V). */
#define REG_X(n) x[n]
#define REG_V(n) cpu->v[(n)-REG_V0].q
#define CHECK_X  (void)0
#define CHECK_V  FP_CHECK

#define L0_OF(va) (&l0[l0_slot(va)])
#define IN_LINE(va, bytes) (((va) & (LINE_BYTES - 1)) <= LINE_BYTES - (bytes))

/* A load of one register from va into an X or V register; offset_ready names the register of the offset, writeback is a statement. */
#define LOAD(to, name, type, convert, address, offset_ready, writeback)                                                \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        uint64_t va = (address);                                                                                       \
        type value;                                                                                                    \
        CHECK_##to;                                                                                                    \
        SP_CHECK;                                                                                                      \
        BEGIN;                                                                                                         \
        READY(i->rn);                                                                                                  \
        offset_ready;                                                                                                  \
        cpu->counters.loads++;                                                                                         \
        struct l0_entry *entry = L0_OF(va);                                                                            \
        if (LIKELY(entry->read_tag == va >> LINE_SHIFT && IN_LINE(va, sizeof(type)))) {                                \
            memcpy(&value, entry->delta + va, sizeof(type));                                                           \
            *entry->used = 1;                                                                                          \
            LOAD_HIT;                                                                                                  \
        } else {                                                                                                       \
            SAVE_STATE;                                                                                                \
            if (!lsu_load(cpu, PC, va, sizeof(type), 0, start, &value, &done))                                         \
                EXCEPTION;                                                                                             \
            LOAD_STATE_AFTER_MEMORY;                                                                                   \
        }                                                                                                              \
        REG_##to(i->rd) = convert(value);                                                                              \
        DONE_AT(done, i->rd);                                                                                          \
        writeback;                                                                                                     \
        NEXT;                                                                                                          \
    }
#if TIMED
#define LOAD_HIT                                                                                                       \
    if (timing->load_floor > start)                                                                                    \
        start = timing->load_floor;                                                                                    \
    done = start + l1_latency;                                                                                         \
    if (done > timing->last_load)                                                                                      \
    timing->last_load = done
#define STORE_HIT                                                                                                      \
    if (timing->store_floor > start)                                                                                   \
        start = timing->store_floor;                                                                                   \
    timing->dispatch = dispatch;                                                                                       \
    timing_store(timing, start, 0);                                                                                    \
    dispatch = timing->dispatch
#else
#define LOAD_HIT (void)0
#define STORE_HIT (void)0
#endif

#define NO_WRITEBACK (void)0
#define WRITEBACK(value)                                                                                               \
    x[i->rn] = (value);                                                                                                \
    READY_AT(i->rn, dispatch + cycle)

#define LOAD_MODES(to, name, type, convert)                                                                            \
    LOAD(to, name##_IMM, type, convert, x[i->rn] + IMM, NO_WRITEBACK, NO_WRITEBACK)                                    \
    LOAD(to, name##_POST, type, convert, x[i->rn], NO_WRITEBACK, WRITEBACK(va + IMM))                                  \
    LOAD(to, name##_PRE, type, convert, x[i->rn] + IMM, NO_WRITEBACK, WRITEBACK(va))                                   \
    LOAD(to, name##_REG, type, convert, x[i->rn] + extend(x[i->rm], i->a, i->b), READY(i->rm), NO_WRITEBACK)

#define STORE(from, name, type, address, offset_ready, writeback)                                                      \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        uint64_t va = (address);                                                                                       \
        type value = (type)REG_##from(i->rd);                                                                          \
        CHECK_##from;                                                                                                  \
        SP_CHECK;                                                                                                      \
        BEGIN;                                                                                                         \
        READY(i->rn);                                                                                                  \
        READY(i->rd);                                                                                                  \
        offset_ready;                                                                                                  \
        cpu->counters.stores++;                                                                                        \
        struct l0_entry *entry = L0_OF(va);                                                                            \
        if (LIKELY(entry->write_tag == va >> LINE_SHIFT && IN_LINE(va, sizeof(type)))) {                               \
            memcpy(entry->delta + va, &value, sizeof(type));                                                           \
            *entry->used = 1;                                                                                          \
            STORE_HIT;                                                                                                 \
        } else {                                                                                                       \
            SAVE_STATE;                                                                                                \
            if (!lsu_store(cpu, PC, va, sizeof(type), 0, start, &value))                                               \
                EXCEPTION;                                                                                             \
            LOAD_STATE_AFTER_MEMORY;                                                                                   \
        }                                                                                                              \
        RETIRE(start);                                                                                                 \
        writeback;                                                                                                     \
        NEXT;                                                                                                          \
    }
#define STORE_MODES(from, name, type)                                                                                  \
    STORE(from, name##_IMM, type, x[i->rn] + IMM, NO_WRITEBACK, NO_WRITEBACK)                                          \
    STORE(from, name##_POST, type, x[i->rn], NO_WRITEBACK, WRITEBACK(va + IMM))                                        \
    STORE(from, name##_PRE, type, x[i->rn] + IMM, NO_WRITEBACK, WRITEBACK(va))                                         \
    STORE(from, name##_REG, type, x[i->rn] + extend(x[i->rm], i->a, i->b), READY(i->rm), NO_WRITEBACK)

/* Two registers. Each half is single-copy atomic, so a pair is one access where it lies in a line and two elsewhere. */
#define LOAD_PAIR(to, name, type, convert, address, writeback)                                                         \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        uint64_t va = (address);                                                                                       \
        type value[2];                                                                                                 \
        CHECK_##to;                                                                                                    \
        SP_CHECK;                                                                                                      \
        BEGIN;                                                                                                         \
        READY(i->rn);                                                                                                  \
        cpu->counters.loads++;                                                                                         \
        struct l0_entry *entry = L0_OF(va);                                                                            \
        if (LIKELY(entry->read_tag == va >> LINE_SHIFT && IN_LINE(va, sizeof(value)))) {                               \
            memcpy(value, entry->delta + va, sizeof(value));                                                           \
            *entry->used = 1;                                                                                          \
            LOAD_HIT;                                                                                                  \
        } else {                                                                                                       \
            uint64_t second;                                                                                           \
            SAVE_STATE;                                                                                                \
            if (!lsu_load(cpu, PC, va, sizeof(type), 0, start, &value[0], &done) ||                                    \
                !lsu_load(cpu, PC, va + sizeof(type), sizeof(type), 0, start, &value[1], &second))                     \
                EXCEPTION;                                                                                             \
            if (second > done)                                                                                         \
                done = second;                                                                                         \
            LOAD_STATE_AFTER_MEMORY;                                                                                   \
        }                                                                                                              \
        REG_##to(i->rd) = convert(value[0]);                                                                           \
        REG_##to(i->ra) = convert(value[1]);                                                                           \
        READY_AT(i->ra, done);                                                                                         \
        DONE_AT(done, i->rd);                                                                                          \
        writeback;                                                                                                     \
        NEXT;                                                                                                          \
    }
#define LOAD_PAIR_MODES(to, name, type, convert)                                                                       \
    LOAD_PAIR(to, name##_OFF, type, convert, x[i->rn] + IMM, NO_WRITEBACK)                                             \
    LOAD_PAIR(to, name##_POST, type, convert, x[i->rn], WRITEBACK(va + IMM))                                           \
    LOAD_PAIR(to, name##_PRE, type, convert, x[i->rn] + IMM, WRITEBACK(va))

#define STORE_PAIR(from, name, type, address, writeback)                                                               \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        uint64_t va = (address);                                                                                       \
        type value[2] = {(type)REG_##from(i->rd), (type)REG_##from(i->ra)};                                            \
        CHECK_##from;                                                                                                  \
        SP_CHECK;                                                                                                      \
        BEGIN;                                                                                                         \
        READY(i->rn);                                                                                                  \
        READY(i->rd);                                                                                                  \
        READY(i->ra);                                                                                                  \
        cpu->counters.stores++;                                                                                        \
        struct l0_entry *entry = L0_OF(va);                                                                            \
        if (LIKELY(entry->write_tag == va >> LINE_SHIFT && IN_LINE(va, sizeof(value)))) {                              \
            memcpy(entry->delta + va, value, sizeof(value));                                                           \
            *entry->used = 1;                                                                                          \
            STORE_HIT;                                                                                                 \
        } else {                                                                                                       \
            SAVE_STATE;                                                                                                \
            if (!lsu_store_pair(cpu, PC, va, sizeof(type), start, value))                                              \
                EXCEPTION;                                                                                             \
            LOAD_STATE_AFTER_MEMORY;                                                                                   \
        }                                                                                                              \
        RETIRE(start);                                                                                                 \
        writeback;                                                                                                     \
        NEXT;                                                                                                          \
    }
#define STORE_PAIR_MODES(from, name, type)                                                                             \
    STORE_PAIR(from, name##_OFF, type, x[i->rn] + IMM, NO_WRITEBACK)                                                   \
    STORE_PAIR(from, name##_POST, type, x[i->rn], WRITEBACK(va + IMM))                                                 \
    STORE_PAIR(from, name##_PRE, type, x[i->rn] + IMM, WRITEBACK(va))

/* A body that hands the instruction to a function of exec.c (rare operations); false means an exception. */
#define CALL(name, function)                                                                                           \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        BEGIN;                                                                                                         \
        READY(i->rn);                                                                                                  \
        READY(i->rm);                                                                                                  \
        SAVE_STATE;                                                                                                    \
        if (!function(cpu, i, start))                                                                                  \
            EXCEPTION;                                                                                                 \
        LOAD_STATE;                                                                                                    \
        RETIRE(retire);                                                                                                \
        NEXT;                                                                                                          \
    }
/* The same for operations after which interrupts, translation or instructions may be different. */
#define CALL_RESTART(name, function)                                                                                   \
    L_##name:                                                                                                          \
    {                                                                                                                  \
        BEGIN;                                                                                                         \
        READY(i->rd);                                                                                                  \
        SAVE_STATE;                                                                                                    \
        if (!function(cpu, i, start))                                                                                  \
            EXCEPTION;                                                                                                 \
        LOAD_STATE;                                                                                                    \
        RETIRE(retire);                                                                                                \
        RESTART;                                                                                                       \
    }
