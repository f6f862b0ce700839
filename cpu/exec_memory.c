/* Loads and stores with order, exclusives and atomics: everything off the interpreter's fast path. */
#include <string.h>

#include "cpu/exec.h"
#include "cpu/lsu.h"
#include "cpu/timing.h"

bool exec_base_aligned(struct cpu *cpu, const struct insn *insn)
{
    if (insn->rn != REG_SP || !(cpu->x[REG_SP] & 15) || !exec_sp_checked(cpu))
        return true;
    exception_sync(cpu, EC_SP_ALIGN, 0, cpu->pc, 0, false);
    return false;
}

static unsigned bytes_of(const struct insn *insn)
{
    return 1u << (insn->a & MEM_SIZE_MASK);
}

/* The register value of what was loaded. */
static uint64_t extend_loaded(const struct insn *insn, uint64_t raw)
{
    unsigned unused = 64 - 8 * bytes_of(insn);
    uint64_t value = raw << unused >> unused;

    if (!(insn->a & MEM_SIGNED))
        return value;
    value = (uint64_t)((int64_t)(raw << unused) >> unused);
    return insn->a & MEM_TO_X ? value : (uint32_t)value;
}

static void loaded(struct cpu *cpu, unsigned reg, uint64_t value, uint64_t done)
{
    cpu->x[reg] = value;
    cpu->timing->ready[reg] = done;
}

static void wait_for(struct cpu *cpu, uint64_t *start, unsigned reg)
{
    if (cpu->timing->ready[reg] > *start)
        *start = cpu->timing->ready[reg];
}

/* Later accesses start no earlier than done (acquire). */
static void acquire(struct cpu *cpu, uint64_t done)
{
    struct timing *timing = cpu->timing;

    if (cpu->config.total_store_order)
        return;
    if (done > timing->load_floor)
        timing->load_floor = done;
    if (done > timing->store_floor)
        timing->store_floor = done;
}

/* When all earlier accesses are done (release). */
static uint64_t release(const struct cpu *cpu, uint64_t start)
{
    const struct timing *timing = cpu->timing;

    if (cpu->config.total_store_order)
        return start;
    if (timing->last_load > start)
        start = timing->last_load;
    return timing->last_store > start ? timing->last_store : start;
}

static bool load(struct cpu *cpu, const struct insn *insn, uint64_t va, unsigned flags, uint64_t start)
{
    uint64_t raw = 0, done;

    cpu->counters.loads++;
    if (!lsu_load(cpu, cpu->pc, va, bytes_of(insn), flags, start, &raw, &done))
        return false;
    loaded(cpu, insn->rd, extend_loaded(insn, raw), done);
    if (insn->a & MEM_ACQUIRE)
        acquire(cpu, done);
    return true;
}

bool exec_load_literal(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    return load(cpu, insn, cpu->pc + (uint64_t)insn->imm, 0, start);
}

bool exec_load_literal_vector(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    unsigned __int128 value = 0;
    uint64_t done;

    if (exception_fp_trapped(cpu)) {
        exception_fp(cpu);
        return false;
    }
    cpu->counters.loads++;
    if (!lsu_load(cpu, cpu->pc, cpu->pc + (uint64_t)insn->imm, insn->a, 0, start, &value, &done))
        return false;
    cpu->v[insn->rd - REG_V0].q = value;
    cpu->timing->ready[insn->rd] = done;
    return true;
}

bool exec_load_unprivileged(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    return exec_base_aligned(cpu, insn) &&
           load(cpu, insn, cpu->x[insn->rn] + (uint64_t)insn->imm, LSU_UNPRIVILEGED, start);
}

/* A load-acquire starts after earlier store-releases have been written (RCsc); LDAPR need not, which only costs time
 * here. */
bool exec_load_acquire(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    return exec_base_aligned(cpu, insn) && load(cpu, insn, cpu->x[insn->rn] + (uint64_t)insn->imm, LSU_ALIGNED, start);
}

static bool store(struct cpu *cpu, const struct insn *insn, unsigned flags, uint64_t start)
{
    wait_for(cpu, &start, insn->rd);
    cpu->counters.stores++;
    return lsu_store(cpu, cpu->pc, cpu->x[insn->rn] + (uint64_t)insn->imm, bytes_of(insn), flags, start,
                     &cpu->x[insn->rd]);
}

bool exec_store_unprivileged(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    return exec_base_aligned(cpu, insn) && store(cpu, insn, LSU_UNPRIVILEGED, start);
}

bool exec_store_release(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    return exec_base_aligned(cpu, insn) && store(cpu, insn, LSU_ALIGNED, release(cpu, start));
}

bool exec_load_exclusive(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    bool pair = insn_operation(insn) == INSN_LDXP;
    unsigned bytes = bytes_of(insn);
    uint64_t raw[2] = {0}, done;

    if (!exec_base_aligned(cpu, insn))
        return false;
    if (!lsu_load_exclusive(cpu, cpu->pc, cpu->x[insn->rn], pair ? 2 * bytes : bytes, start, raw, &done))
        return false;
    if (pair && bytes == 4) {
        raw[1] = raw[0] >> 32;
        raw[0] = (uint32_t)raw[0];
    }
    loaded(cpu, insn->rd, raw[0], done);
    if (pair)
        loaded(cpu, insn->ra, raw[1], done);
    if (insn->a & MEM_ACQUIRE)
        acquire(cpu, done);
    return true;
}

bool exec_store_exclusive(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    bool pair = insn_operation(insn) == INSN_STXP;
    unsigned bytes = bytes_of(insn);
    uint64_t value[2] = {cpu->x[insn->rd], pair ? cpu->x[insn->rm] : 0}, done;
    uint32_t status;

    if (!exec_base_aligned(cpu, insn))
        return false;
    if (pair && bytes == 4)
        value[0] = (uint32_t)value[0] | value[1] << 32;
    wait_for(cpu, &start, insn->rd);
    if (insn->a & MEM_RELEASE)
        start = release(cpu, start);
    if (!lsu_store_exclusive(cpu, cpu->pc, cpu->x[insn->rn], pair ? 2 * bytes : bytes, start, value, &status, &done))
        return false;
    loaded(cpu, insn->ra, status, done);
    return true;
}

static uint64_t ordered_start(const struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    return insn->a & MEM_RELEASE ? release(cpu, start) : start;
}

bool exec_compare_and_swap(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    bool pair = insn_operation(insn) == INSN_CASP;
    unsigned bytes = bytes_of(insn), halves = pair ? 2 : 1;
    uint64_t old[2] = {0}, done;
    bool equal = true;
    uint8_t *place;

    if (!exec_base_aligned(cpu, insn))
        return false;
    wait_for(cpu, &start, insn->rd);
    place = lsu_atomic(cpu, cpu->pc, cpu->x[insn->rn], halves * bytes, ordered_start(cpu, insn, start), &done);
    if (!place)
        return false;
    for (unsigned i = 0; i < halves; i++) {
        /* the second register of a pair from X30 is XZR */
        uint64_t compare = i && insn->rm + 1 == REG_SP ? 0 : cpu->x[insn->rm + i];
        memcpy(&old[i], place + i * bytes, bytes);
        equal &= memcmp(&old[i], &compare, bytes) == 0;
    }
    for (unsigned i = 0; equal && i < halves; i++) {
        uint64_t value = i && insn->rd + 1 == REG_SP ? 0 : cpu->x[insn->rd + i];
        memcpy(place + i * bytes, &value, bytes);
    }
    loaded(cpu, insn->ra, old[0], done);
    if (pair)
        loaded(cpu, insn->ra + 1u == REG_SP ? REG_SINK : insn->ra + 1u, old[1], done);
    if (insn->a & MEM_ACQUIRE)
        acquire(cpu, done);
    return true;
}

static uint64_t signed_of(uint64_t value, unsigned bytes)
{
    unsigned unused = 64 - 8 * bytes;

    return (uint64_t)((int64_t)(value << unused) >> unused);
}

static uint64_t combine(enum atomic_op op, uint64_t old, uint64_t operand, unsigned bytes)
{
    int64_t a = (int64_t)signed_of(old, bytes), b = (int64_t)signed_of(operand, bytes);
    unsigned unused = 64 - 8 * bytes;
    uint64_t ua = old << unused, ub = operand << unused;

    switch (op) {
    case ATOMIC_ADD:
        return old + operand;
    case ATOMIC_CLR:
        return old & ~operand;
    case ATOMIC_EOR:
        return old ^ operand;
    case ATOMIC_SET:
        return old | operand;
    case ATOMIC_SMAX:
        return a > b ? old : operand;
    case ATOMIC_SMIN:
        return a < b ? old : operand;
    case ATOMIC_UMAX:
        return ua > ub ? old : operand;
    case ATOMIC_UMIN:
        return ua < ub ? old : operand;
    default: /* ATOMIC_SWP */
        return operand;
    }
}

bool exec_atomic(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    unsigned bytes = bytes_of(insn);
    uint64_t old = 0, value, done;
    uint8_t *place;

    if (!exec_base_aligned(cpu, insn))
        return false;
    place = lsu_atomic(cpu, cpu->pc, cpu->x[insn->rn], bytes, ordered_start(cpu, insn, start), &done);
    if (!place)
        return false;
    memcpy(&old, place, bytes);
    value = combine((enum atomic_op)insn->b, old, cpu->x[insn->rm], bytes);
    memcpy(place, &value, bytes);
    loaded(cpu, insn->rd, old, done);
    if (insn->a & MEM_ACQUIRE && insn->rd != REG_SINK)
        acquire(cpu, done);
    return true;
}
