#include "cpu/lsu.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/timing.h"

/* DFSC of an alignment fault and of a synchronous external abort (DDI 0487 ESR_ELx). */
enum { FSC_ALIGNMENT = 0x21, FSC_EXTERNAL = 0x10 };

bool lsu_create(struct cpu *cpu)
{
    cpu->lsu = calloc(1, sizeof(*cpu->lsu));
    if (!cpu->lsu)
        return false;
    cpu->lsu->filled = 1;
    l0_flush(cpu);
    return true;
}

void lsu_destroy(struct cpu *cpu)
{
    if (cpu->lsu)
        free(cpu->lsu->slot_of_way);
    free(cpu->lsu);
}

void l0_flush(struct cpu *cpu)
{
    struct lsu *lsu = cpu->lsu;

    lsu->cmo_page = L0_NONE;
    if (lsu->filled == 0)
        return;
    for (uint32_t slot = 0; slot < L0_ENTRIES; slot++)
        lsu->l0[slot].read_tag = lsu->l0[slot].write_tag = L0_NONE;
    if (lsu->ways)
        memset(lsu->slot_of_way, 0, lsu->ways * sizeof(*lsu->slot_of_way));
    lsu->filled = 0;
}

void lsu_line_lost(struct cpu *cpu, uint32_t way)
{
    struct lsu *lsu = cpu->lsu;
    uint32_t slot;

    if (way >= lsu->ways || lsu->slot_of_way[way] == 0)
        return;
    slot = lsu->slot_of_way[way] - 1;
    lsu->l0[slot].read_tag = lsu->l0[slot].write_tag = L0_NONE;
    lsu->slot_of_way[way] = 0;
}

static bool know_way(struct lsu *lsu, uint32_t way)
{
    uint32_t ways = lsu->ways ? lsu->ways : 256;
    uint32_t *larger;

    if (way < lsu->ways)
        return true;
    while (ways <= way)
        ways *= 2;
    larger = realloc(lsu->slot_of_way, ways * sizeof(*larger));
    if (!larger)
        return false;
    memset(larger + lsu->ways, 0, (ways - lsu->ways) * sizeof(*larger));
    lsu->slot_of_way = larger;
    lsu->ways = ways;
    return true;
}

static bool strict_alignment(const struct cpu *cpu)
{
    return cpu->sys.sctlr[cpu->pstate.el == 2 ? 2 : 1] >> 1 & 1; /* SCTLR_ELx.A */
}

static void l0_fill(struct cpu *cpu, uint64_t va, const struct translation *translation, const struct line_grant *grant)
{
    struct lsu *lsu = cpu->lsu;
    uint32_t slot = l0_slot(va);
    struct l0_entry *entry = &lsu->l0[slot];

    if (!grant->keep || strict_alignment(cpu) || !know_way(lsu, grant->way))
        return;
    if (translation->epoch != cpu->translation_epoch)
        return; /* a TLBI of another core arrived while the line was on its way */
    if (entry->read_tag != L0_NONE)
        lsu->slot_of_way[entry->way] = 0;
    lsu_line_lost(cpu, grant->way); /* another VA of the same line */
    entry->read_tag = va >> LINE_SHIFT;
    entry->write_tag = grant->writable && translation->writable ? entry->read_tag : L0_NONE;
    entry->delta = grant->data - (va & LINE_MASK);
    entry->used = grant->used;
    entry->way = grant->way;
    lsu->slot_of_way[grant->way] = slot + 1;
    lsu->filled++;
}

/* What one piece (inside one line) of an access needs. */
struct piece {
    uint64_t pc, va;
    unsigned bytes;
    unsigned flags;
    bool write;
    enum line_want want;
};

static bool data_abort(struct cpu *cpu, const struct piece *piece, uint8_t fsc)
{
    exception_data_abort(cpu, piece->pc, piece->va, fsc, piece->write, false);
    return false;
}

static bool aligned(const struct piece *piece)
{
    return (piece->va & (piece->bytes - 1)) == 0;
}

/* The store buffer drains in order: a Device write at its head leaves when one of the slots for unacknowledged ones is
 * free, and the writes and cache operations behind it wait too. */
static uint64_t after_device_writes(struct cpu *cpu, uint64_t start)
{
    struct timing *timing = cpu->timing;
    uint64_t free_at = timing->device_ring[timing->device_write_next];

    if (free_at <= start)
        return start;
    timing_retire_at(cpu, timing, free_at, STACK_MMIO);
    return free_at;
}

static void device_write_done(struct cpu *cpu, uint64_t done)
{
    struct timing *timing = cpu->timing;

    timing->device_ring[timing->device_write_next] = done;
    timing->device_write_next = (timing->device_write_next + 1) % cpu->config.device_writes;
}

/* Device and Non-cacheable memory: in program order, not speculative. */
static bool uncached(struct cpu *cpu, const struct piece *piece, const struct translation *translation, uint8_t *data,
                     uint64_t start, uint64_t *done)
{
    struct timing *timing = cpu->timing;
    bool device = translation->type <= MEM_DEVICE_GRE;
    struct txn txn = {.kind = piece->write ? TXN_WRITE : TXN_READ,
                      .addr = translation->pa,
                      .size = piece->bytes,
                      .data = data,
                      .type = translation->type,
                      .sh = translation->sh,
                      .privileged = cpu->pstate.el > 0};

    if (start < timing->retire)
        start = timing->retire;
    if (start < timing->device_next)
        start = timing->device_next;
    if (device && piece->write)
        start = after_device_writes(cpu, start);
    if (start < ps_to_ticks(translation->done_ps))
        start = ps_to_ticks(translation->done_ps);
    txn.start_ps = ticks_to_ps(start);
    cpu->now_ps = txn.start_ps;
    timing_sync(cpu, txn.start_ps);
    cpu->bus.access(cpu->bus.ctx, &txn);
    *done = ps_to_ticks(txn.done_ps);
    if (piece->write) {
        if (device)
            device_write_done(cpu, *done);
        if (*done > timing->device_acked)
            timing->device_acked = *done;
        timing->device_next = translation->type == MEM_DEVICE_nGnRnE ? *done : start;
    } else {
        timing->device_next = device ? *done : start;
        timing_retire_at(cpu, timing, *done, STACK_MMIO);
    }
    return txn.status == TXN_OK || data_abort(cpu, piece, FSC_EXTERNAL);
}

/* A translation that needed a walk delays the access. */
static uint64_t after_walk(uint64_t start, const struct translation *translation)
{
    return translation->done_ps > ticks_to_ps(start) ? ps_to_ticks(translation->done_ps) : start;
}

/* One piece of Normal Write-Back memory; *place is where its bytes are. */
static bool cached(struct cpu *cpu, const struct piece *piece, const struct translation *translation, uint64_t start,
                   uint8_t **place, uint64_t *done)
{
    struct timing *timing = cpu->timing;
    struct line_grant grant;
    uint64_t begin = after_walk(start, translation);
    uint64_t asked_ps = ticks_to_ps(timing_mshr_start(timing, begin));

    grant = cpu->bus.line(cpu->bus.ctx, translation->pa, piece->want, asked_ps);
    if (grant.status != TXN_OK)
        return data_abort(cpu, piece, FSC_EXTERNAL);
    *done = ps_to_ticks(grant.done_ps);
    if (grant.turn_ps) /* nothing that follows may come before what the queue has let pass */
        timing_stall_until(cpu, grant.turn_ps, piece->want == LINE_SHARED ? STACK_CACHE_MISS : STACK_ATOMIC);
    if (grant.level != LEVEL_L1)
        timing_mshr_done(timing, *done);
    else if (grant.done_ps == asked_ps + cpu->config.l1_ps)
        *done = begin + timing->l1; /* a plain hit: exactly what the interpreter's fast path takes */
    if (grant.monitor_lost) {
        *place = NULL;
        return true;
    }
    *place = grant.data + (translation->pa & (LINE_BYTES - 1));
    l0_fill(cpu, piece->va, translation, &grant);
    if (grant.observed)
        cpu->bus.observe(cpu->bus.ctx, translation->pa, piece->bytes, piece->want);
    return true;
}

static bool piece_access(struct cpu *cpu, const struct piece *piece, uint8_t *data, uint64_t start, uint64_t *done)
{
    struct translation translation = mmu_translate(cpu, piece->va, piece->write ? MMU_WRITE : MMU_READ,
                                                   piece->flags & LSU_UNPRIVILEGED, ticks_to_ps(start));
    bool device = translation.type <= MEM_DEVICE_GRE;
    uint8_t *place;

    if (translation.fault)
        return data_abort(cpu, piece, translation.fault);
    if (device && !aligned(piece) && !(translation.flat && cpu->config.unaligned_flat))
        return data_abort(cpu, piece, FSC_ALIGNMENT);
    if (translation.type != MEM_NORMAL_WB)
        return uncached(cpu, piece, &translation, data, start, done);
    if (!cached(cpu, piece, &translation, start, &place, done))
        return false;
    if (piece->write) {
        memcpy(place, data, piece->bytes);
        timing_store(cpu->timing, start, *done > start + cpu->timing->l1 ? *done : 0); /* a hit is written at once */
        *done = start;
    } else {
        memcpy(data, place, piece->bytes);
    }
    return true;
}

static bool access_pieces(struct cpu *cpu, struct piece piece, uint8_t *data, uint64_t start, uint64_t *done)
{
    uint64_t va = piece.va;
    unsigned left = piece.bytes;

    *done = start;
    if (((piece.flags & LSU_ALIGNED) || strict_alignment(cpu)) && !aligned(&piece))
        return data_abort(cpu, &piece, FSC_ALIGNMENT);
    while (left) {
        unsigned room = LINE_BYTES - (unsigned)(va & (LINE_BYTES - 1));
        uint64_t piece_done;
        piece.va = va;
        piece.bytes = left < room ? left : room;
        if (!piece_access(cpu, &piece, data, start, &piece_done))
            return false;
        if (piece_done > *done)
            *done = piece_done;
        va += piece.bytes;
        data += piece.bytes;
        left -= piece.bytes;
    }
    return true;
}

/* A load's value is there at done; what an L1D hit would not have taken goes to part. */
static void loaded(struct cpu *cpu, uint64_t start, uint64_t done, enum cpu_stack_part part)
{
    struct timing *timing = cpu->timing;

    if (done > timing->last_load)
        timing->last_load = done;
    if (done > start + timing->l1)
        timing_retire_at(cpu, timing, done, part);
}

bool lsu_load(struct cpu *cpu, uint64_t pc, uint64_t va, unsigned bytes, unsigned flags, uint64_t start, void *data,
              uint64_t *done)
{
    struct piece piece = {pc, va, bytes, flags, false, LINE_SHARED};

    if (start < cpu->timing->load_floor)
        start = cpu->timing->load_floor;
    if (!access_pieces(cpu, piece, data, start, done))
        return false;
    loaded(cpu, start, *done, STACK_CACHE_MISS);
    return true;
}

bool lsu_store(struct cpu *cpu, uint64_t pc, uint64_t va, unsigned bytes, unsigned flags, uint64_t start,
               const void *data)
{
    struct piece piece = {pc, va, bytes, flags, true, LINE_UNIQUE};
    uint8_t copy[32]; /* a pair of Q registers in one line */
    uint64_t done;

    memcpy(copy, data, bytes);
    if (start < cpu->timing->store_floor)
        start = cpu->timing->store_floor;
    return access_pieces(cpu, piece, copy, start, &done);
}

bool lsu_unaligned_allowed(struct cpu *cpu, uint64_t va, bool write, uint64_t start)
{
    return !strict_alignment(cpu) &&
           mmu_translate(cpu, va, write ? MMU_WRITE : MMU_READ, false, ticks_to_ps(start)).type == MEM_NORMAL_WB;
}

bool lsu_store_pair(struct cpu *cpu, uint64_t pc, uint64_t va, unsigned bytes, uint64_t start, const void *data)
{
    bool one_line = (va & (LINE_BYTES - 1)) <= LINE_BYTES - 2 * bytes;

    /* a pair in one line of Normal memory takes one entry of the store buffer, as on the interpreter's fast path */
    if (one_line && lsu_unaligned_allowed(cpu, va, true, start))
        return lsu_store(cpu, pc, va, 2 * bytes, 0, start, data);
    return lsu_store(cpu, pc, va, bytes, 0, start, data) &&
           lsu_store(cpu, pc, va + bytes, bytes, 0, start, (const uint8_t *)data + bytes);
}

/* Translation for exclusives and atomics: Normal Write-Back only (IMPLEMENTATION DEFINED elsewhere: an external abort,
 * as most interconnects answer). */
static bool atomic_place(struct cpu *cpu, struct piece *piece, uint64_t *start, struct translation *translation,
                         uint8_t **place, uint64_t *done)
{
    if (!aligned(piece))
        return data_abort(cpu, piece, FSC_ALIGNMENT);
    if (*start < cpu->timing->load_floor)
        *start = cpu->timing->load_floor;
    *translation = mmu_translate(cpu, piece->va, piece->write ? MMU_WRITE : MMU_READ, false, ticks_to_ps(*start));
    if (translation->fault && piece->want == LINE_ATOMIC) /* ESR.WnR is 0 where a read would have met the same fault */
        piece->write = !mmu_translate(cpu, piece->va, MMU_READ, false, ticks_to_ps(*start)).fault;
    if (translation->fault)
        return data_abort(cpu, piece, translation->fault);
    if (translation->type != MEM_NORMAL_WB)
        return data_abort(cpu, piece, FSC_EXTERNAL);
    if (piece->want == LINE_ATOMIC)
        piece->write = false; /* an external abort would meet a read too */
    return cached(cpu, piece, translation, *start, place, done);
}

bool lsu_load_exclusive(struct cpu *cpu, uint64_t pc, uint64_t va, unsigned bytes, uint64_t start, void *data,
                        uint64_t *done)
{
    struct piece piece = {pc, va, bytes, LSU_ALIGNED, false, LINE_SHARED};
    struct translation translation;
    uint8_t *place;

    if (!atomic_place(cpu, &piece, &start, &translation, &place, done))
        return false;
    memcpy(data, place, bytes);
    cpu->exclusive_valid = true;
    cpu->exclusive_pa = translation.pa;
    cpu->exclusive_bytes = (uint8_t)bytes;
    cpu->bus.monitor_arm(cpu->bus.ctx, translation.pa);
    loaded(cpu, start, *done, STACK_ATOMIC);
    return true;
}

bool lsu_store_exclusive(struct cpu *cpu, uint64_t pc, uint64_t va, unsigned bytes, uint64_t start, const void *data,
                         uint32_t *status, uint64_t *done)
{
    struct piece piece = {pc, va, bytes, LSU_ALIGNED, true, LINE_EXCLUSIVE_STORE};
    struct translation translation;
    uint8_t *place = NULL;

    *status = 1;
    *done = start;
    if (!aligned(&piece))
        return data_abort(cpu, &piece, FSC_ALIGNMENT);
    translation = mmu_translate(cpu, va, MMU_WRITE, false, ticks_to_ps(start));
    if (translation.fault)
        return data_abort(cpu, &piece, translation.fault);
    if (start < cpu->timing->store_floor)
        start = cpu->timing->store_floor;
    /* what others do before this moment decides: a store that will fail must not take the line from them */
    timing_sync(cpu, ticks_to_ps(timing_mshr_start(cpu->timing, after_walk(start, &translation))));
    if (cpu->exclusive_valid && cpu->exclusive_pa == translation.pa && cpu->exclusive_bytes == bytes) {
        if (!cached(cpu, &piece, &translation, start, &place, done))
            return false;
        *status = !place; /* others may have gone first while the line was waited for */
    }
    if (!*status) {
        memcpy(place, data, bytes);
        timing_store(cpu->timing, start, *done);
        timing_retire_at(cpu, cpu->timing, *done, STACK_ATOMIC);
    }
    cpu->counters.exclusives_failed += *status;
    cpu->exclusive_valid = false;
    cpu->bus.monitor_clear(cpu->bus.ctx);
    return true;
}

uint8_t *lsu_atomic(struct cpu *cpu, uint64_t pc, uint64_t va, unsigned bytes, uint64_t start, uint64_t *done)
{
    struct piece piece = {pc, va, bytes, LSU_ALIGNED, true, LINE_ATOMIC};
    struct translation translation;
    uint8_t *place;

    if (start < cpu->timing->store_floor)
        start = cpu->timing->store_floor;
    if (!atomic_place(cpu, &piece, &start, &translation, &place, done))
        return NULL;
    cpu->counters.atomics++;
    loaded(cpu, start, *done, STACK_ATOMIC);
    return place;
}

/* SYS encodings without op0: op1 << 11 | CRn << 7 | CRm << 3 | op2. */
#define SYS_OP(op1, crn, crm, op2) ((op1) << 11 | (crn) << 7 | (crm) << 3 | (op2))

/* The operation of an encoding; CMO_OP_COUNT: DC ZVA. */
static enum cmo_op cmo_of(uint16_t encoding)
{
    switch (encoding & 0x3FFF) {
    case SYS_OP(0, 7, 6, 1):
        return CMO_DC_IVAC;
    case SYS_OP(0, 7, 6, 2):
        return CMO_DC_ISW;
    case SYS_OP(0, 7, 10, 2):
        return CMO_DC_CSW;
    case SYS_OP(0, 7, 14, 2):
        return CMO_DC_CISW;
    case SYS_OP(3, 7, 10, 1):
        return CMO_DC_CVAC;
    case SYS_OP(3, 7, 11, 1):
        return CMO_DC_CVAU;
    case SYS_OP(3, 7, 12, 1):
        return CMO_DC_CVAP;
    case SYS_OP(3, 7, 14, 1):
        return CMO_DC_CIVAC;
    case SYS_OP(3, 7, 5, 1):
        return CMO_IC_IVAU;
    case SYS_OP(0, 7, 1, 0):
        return CMO_IC_IALLUIS;
    case SYS_OP(0, 7, 5, 0):
        return CMO_IC_IALLU;
    default:
        return CMO_OP_COUNT;
    }
}

static bool zero_block(struct cpu *cpu, uint64_t pc, uint64_t va, uint64_t start)
{
    static const uint8_t zeros[16];
    struct translation translation = mmu_translate(cpu, va, MMU_WRITE, false, ticks_to_ps(start));

    if (!translation.fault && translation.type <= MEM_DEVICE_GRE) {
        exception_data_abort(cpu, pc, va, FSC_ALIGNMENT, true, true);
        return false;
    }
    va &= LINE_MASK;
    for (unsigned i = 0; i < LINE_BYTES / sizeof(zeros); i++)
        if (!lsu_store(cpu, pc, va + i * sizeof(zeros), sizeof(zeros), 0, start, zeros))
            return false;
    return true;
}

static bool by_va(enum cmo_op op)
{
    return op != CMO_DC_ISW && op != CMO_DC_CSW && op != CMO_DC_CISW && op != CMO_IC_IALLU && op != CMO_IC_IALLUIS;
}

/* DC IVAC needs write permission, the others none at EL1 and read permission at EL0. False: exception. */
static bool cmo_translate(struct cpu *cpu, uint64_t pc, enum cmo_op op, uint64_t va, uint64_t *pa, uint64_t *start)
{
    struct lsu *lsu = cpu->lsu;
    uint64_t page = va >> 12 << 1 | (op == CMO_DC_IVAC);
    struct translation translation;

    if (lsu->cmo_page == page) {
        *pa = lsu->cmo_pa | (va & 0xFFF);
        return true;
    }
    translation = mmu_translate_maintenance(cpu, va, op == CMO_DC_IVAC ? MMU_WRITE : MMU_READ, ticks_to_ps(*start));
    if (translation.fault) {
        exception_data_abort(cpu, pc, va, translation.fault, true, true);
        return false;
    }
    *pa = translation.pa;
    *start = after_walk(*start, &translation);
    if (translation.epoch == cpu->translation_epoch) {
        lsu->cmo_page = page;
        lsu->cmo_pa = translation.pa & ~0xFFFull;
    }
    return true;
}

bool lsu_cache_op(struct cpu *cpu, uint64_t pc, uint16_t encoding, uint64_t xt, uint64_t start)
{
    struct timing *timing = cpu->timing;
    enum cmo_op op = cmo_of(encoding);
    struct cmo_times times;
    uint64_t addr = xt;

    if (op == CMO_OP_COUNT)
        return zero_block(cpu, pc, xt, start);
    if (by_va(op) && !cmo_translate(cpu, pc, op, xt, &addr, &start))
        return false;
    start = after_device_writes(cpu, start);
    if (start < timing->cmo_next)
        start = timing->cmo_next;
    times = cpu->bus.cmo(cpu->bus.ctx, op, addr, ticks_to_ps(start));
    timing->cmo_next = ps_to_ticks(times.next_issue_ps);
    timing_retire_at(cpu, timing, ps_to_ticks(times.start_ps), STACK_DC_ISSUE);
    if (op >= CMO_IC_IVAU)
        cpu->counters.ic_ops++;
    else
        cpu->counters.dc_ops++;
    return true;
}
