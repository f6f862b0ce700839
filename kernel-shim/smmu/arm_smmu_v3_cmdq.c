/*
 * The lock-free command queue. Cores reserve slots with one compare-and-swap; the first of a group becomes the owner
 * and publishes all slots of the group with one register write. Interrupts are off from the reservation to the end of
 * the wait for CMD_SYNC, so a core has one list under way at most. CMDQ_LOCK_OLD = 1 builds the release of the
 * exclusive lock before Linux commit df180b1a4cc5: cores that look for room starve those that wait to share it.
 */
#include "smmu/arm_smmu_v3.h"

#include "delay.h"
#include "irqflags.h"
#include "percpu.h"

#ifndef CMDQ_LOCK_OLD
#define CMDQ_LOCK_OLD 0
#endif

#ifndef CMDQ_ATOMIC_ADD
#define CMDQ_ATOMIC_ADD 0 /* 1: the insertion proposed in 2020, without a compare-and-swap loop */
#endif

#define POLL_TIMEOUT_NS 1000000000ull
#define POLL_SPIN_COUNT 10
#define LOCK_EXCLUSIVE  0x80000000u

#define CMDQ_SYNC_CS_IRQ   (1ull << 12)
#define CMDQ_SYNC_CS_SEV   (2ull << 12)
#define CMDQ_SYNC_MSH_ISH  (3ull << 22)
#define CMDQ_SYNC_MSI_OIWB (15ull << 24)

/* --- indices --- */

static uint32_t q_mask(const struct arm_smmu_ll_queue *q)
{
    return (2u << q->max_n_shift) - 1; /* index and wrap bit */
}

static uint32_t q_index(const struct arm_smmu_ll_queue *q, uint32_t pointer)
{
    return pointer & ((1u << q->max_n_shift) - 1);
}

static bool q_wrap(const struct arm_smmu_ll_queue *q, uint32_t pointer)
{
    return pointer >> q->max_n_shift & 1;
}

static uint32_t q_used(const struct arm_smmu_ll_queue *q)
{
    return (q->prod - q->cons) & q_mask(q);
}

static bool queue_has_space(const struct arm_smmu_ll_queue *q, uint32_t n)
{
    return (1u << q->max_n_shift) - q_used(q) >= n;
}

static bool queue_full(const struct arm_smmu_ll_queue *q)
{
    return q_used(q) == 1u << q->max_n_shift;
}

/* CONS has gone past the slot at prod. */
static bool queue_consumed(const struct arm_smmu_ll_queue *q, uint32_t prod)
{
    return ((prod - q->cons) & q_mask(q)) >= 1u << q->max_n_shift;
}

static uint32_t queue_inc_prod_n(const struct arm_smmu_ll_queue *q, uint32_t n)
{
    return (q->prod + n) & q_mask(q);
}

static uint64_t *q_entry(const struct arm_smmu_queue *q, uint32_t pointer)
{
    return q->base + (uint64_t)q_index(&q->llq, pointer) * q->ent_dwords;
}

/* --- polling --- */

struct queue_poll {
    uint64_t timeout_ns;
    unsigned delay_us, spins;
    bool wfe;
};

static void queue_poll_init(const struct arm_smmu_device *smmu, struct queue_poll *poll)
{
    poll->delay_us = 1;
    poll->spins = 0;
    poll->wfe = smmu->features & FEAT_SEV;
    poll->timeout_ns = ktime_get_ns() + POLL_TIMEOUT_NS;
}

/* One step of a wait; true: time is over. */
static bool queue_poll(struct queue_poll *poll)
{
    if (ktime_get_ns() > poll->timeout_ns)
        return true;
    if (poll->wfe) {
        asm volatile("wfe" ::: "memory");
    } else if (++poll->spins < POLL_SPIN_COUNT) {
        cpu_relax();
    } else {
        udelay(poll->delay_us);
        poll->delay_us *= 2;
        poll->spins = 0;
    }
    return false;
}

/* --- the lock: sharers wait for a CMD_SYNC, the exclusive holder updates the shadow of CONS --- */

static void arm_smmu_cmdq_shared_lock(struct arm_smmu_cmdq *cmdq)
{
    if ((int32_t)atomic_fetch_inc_relaxed(&cmdq->lock) >= 0)
        return;
#if CMDQ_LOCK_OLD
    uint32_t value;
    do {
        value = atomic_cond_read_relaxed(&cmdq->lock, (int32_t)VAL >= 0);
    } while (atomic_cmpxchg_relaxed(&cmdq->lock, value, value + 1) != value);
#else
    atomic_cond_read_relaxed(&cmdq->lock, (int32_t)VAL > 0);
#endif
}

static void arm_smmu_cmdq_shared_unlock(struct arm_smmu_cmdq *cmdq)
{
    (void)atomic_dec_return_release(&cmdq->lock);
}

/* False: somebody else still waits for a CMD_SYNC; the lock is kept. */
static bool arm_smmu_cmdq_shared_tryunlock(struct arm_smmu_cmdq *cmdq)
{
    if (atomic_read(&cmdq->lock) == 1)
        return false;
    arm_smmu_cmdq_shared_unlock(cmdq);
    return true;
}

static inline bool arm_smmu_cmdq_exclusive_trylock(struct arm_smmu_cmdq *cmdq, uint64_t *flags)
{
    *flags = local_irq_save();
    if (atomic_cmpxchg_relaxed(&cmdq->lock, 0, LOCK_EXCLUSIVE) == 0)
        return true;
    local_irq_restore(*flags);
    return false;
}

static inline void arm_smmu_cmdq_exclusive_unlock(struct arm_smmu_cmdq *cmdq, uint64_t flags)
{
#if CMDQ_LOCK_OLD
    smp_store_release(&cmdq->lock.counter, 0);
#else
    atomic_fetch_andnot_release(LOCK_EXCLUSIVE, &cmdq->lock);
#endif
    local_irq_restore(flags);
}

/* --- the map of valid slots: a bit is the complement of its slot's wrap bit once the slot is written --- */

/* The bits of one word of the map from pointer on, not beyond end; returns how many slots they stand for. */
static uint32_t word_of_map(const struct arm_smmu_ll_queue *q, uint32_t pointer, uint32_t end, uint64_t *mask)
{
    uint32_t first = q_index(q, pointer) % 64, last = 64;

    if (q_index(q, pointer) / 64 == q_index(q, end) / 64 && first < q_index(q, end) % 64)
        last = q_index(q, end) % 64;
    *mask = (~0ull >> (64 - (last - first))) << first;
    return last - first;
}

static void arm_smmu_cmdq_set_valid_map(struct arm_smmu_cmdq *cmdq, uint32_t prod, uint32_t end)
{
    struct arm_smmu_ll_queue q = {.prod = prod, .max_n_shift = cmdq->q.llq.max_n_shift};

    while (q.prod != end) {
        atomic64_t *word = &cmdq->valid_map[q_index(&q, q.prod) / 64];
        uint64_t mask;
        uint32_t slots = word_of_map(&q, q.prod, end, &mask);

        atomic64_xor(mask, word);
        q.prod = queue_inc_prod_n(&q, slots);
    }
}

static void arm_smmu_cmdq_poll_valid_map(struct arm_smmu_cmdq *cmdq, uint32_t prod, uint32_t end)
{
    struct arm_smmu_ll_queue q = {.prod = prod, .max_n_shift = cmdq->q.llq.max_n_shift};

    while (q.prod != end) {
        atomic64_t *word = &cmdq->valid_map[q_index(&q, q.prod) / 64];
        uint64_t mask, valid;
        uint32_t slots = word_of_map(&q, q.prod, end, &mask);

        valid = q_wrap(&q, q.prod) ? 0 : mask;
        atomic_cond_read_relaxed(word, (VAL & mask) == valid);
        q.prod = queue_inc_prod_n(&q, slots);
    }
}

/* --- waiting --- */

static void timed_out(void)
{
    sim_fail("arm-smmu-v3: the command queue made no progress for a second");
}

static inline void arm_smmu_cmdq_poll_until_not_full(struct arm_smmu_device *smmu, struct arm_smmu_cmdq *cmdq,
                                                     struct arm_smmu_ll_queue *llq)
{
    struct queue_poll poll;
    uint64_t flags;

    if (arm_smmu_cmdq_exclusive_trylock(cmdq, &flags)) {
        WRITE_ONCE(cmdq->q.llq.cons, readl_relaxed(cmdq->q.cons_reg) & q_mask(&cmdq->q.llq));
        arm_smmu_cmdq_exclusive_unlock(cmdq, flags);
        llq->val = READ_ONCE(cmdq->q.llq.val);
        return;
    }
    queue_poll_init(smmu, &poll);
    do {
        llq->val = READ_ONCE(cmdq->q.llq.val);
        if (!queue_full(llq))
            return;
    } while (!queue_poll(&poll));
    timed_out();
}

/* The SMMU writes 0 into the slot of the CMD_SYNC. */
static void arm_smmu_cmdq_poll_until_msi(struct arm_smmu_device *smmu, struct arm_smmu_cmdq *cmdq,
                                         struct arm_smmu_ll_queue *llq)
{
    uint32_t *slot = (uint32_t *)q_entry(&cmdq->q, llq->prod);
    struct queue_poll poll;
    bool late = false;

    queue_poll_init(smmu, &poll);
    poll.wfe = false; /* smp_cond_load sleeps by itself */
    smp_cond_load_relaxed(slot, !VAL || (late = queue_poll(&poll)));
    if (late)
        timed_out();
    llq->cons = queue_inc_prod_n(llq, 1);
}

static void arm_smmu_cmdq_poll_until_consumed(struct arm_smmu_device *smmu, struct arm_smmu_cmdq *cmdq,
                                              struct arm_smmu_ll_queue *llq)
{
    struct queue_poll poll;
    uint32_t prod = llq->prod;

    queue_poll_init(smmu, &poll);
    llq->val = READ_ONCE(cmdq->q.llq.val);
    while (!queue_consumed(llq, prod)) {
        if (queue_poll(&poll))
            timed_out();
        llq->cons = readl(cmdq->q.cons_reg) & q_mask(llq);
    }
}

static void arm_smmu_cmdq_poll_until_sync(struct arm_smmu_device *smmu, struct arm_smmu_cmdq *cmdq,
                                          struct arm_smmu_ll_queue *llq)
{
    if (smmu->options & OPT_MSIPOLL)
        arm_smmu_cmdq_poll_until_msi(smmu, cmdq, llq);
    else
        arm_smmu_cmdq_poll_until_consumed(smmu, cmdq, llq);
}

/* --- insertion --- */

static void arm_smmu_cmdq_build_sync_cmd(uint64_t *cmd, const struct arm_smmu_device *smmu,
                                         const struct arm_smmu_queue *q, uint32_t prod)
{
    cmd[0] = CMDQ_OP_CMD_SYNC;
    cmd[1] = 0;
    if (smmu->options & OPT_MSIPOLL) {
        cmd[0] |= CMDQ_SYNC_CS_IRQ | CMDQ_SYNC_MSH_ISH | CMDQ_SYNC_MSI_OIWB;
        cmd[1] = q->base_dma + (uint64_t)q_index(&q->llq, prod) * q->ent_dwords * 8;
    } else {
        cmd[0] |= CMDQ_SYNC_CS_SEV;
    }
}

static void write_entry(const struct arm_smmu_queue *q, uint32_t prod, const uint64_t *cmd)
{
    uint64_t *entry = q_entry(q, prod);

    WRITE_ONCE(entry[0], cmd[0]);
    WRITE_ONCE(entry[1], cmd[1]);
}

static void arm_smmu_cmdq_write_entries(struct arm_smmu_cmdq *cmdq, const uint64_t *cmds, uint32_t prod, int n)
{
    struct arm_smmu_ll_queue q = {.prod = prod, .max_n_shift = cmdq->q.llq.max_n_shift};

    for (int i = 0; i < n; i++)
        write_entry(&cmdq->q, queue_inc_prod_n(&q, (uint32_t)i), &cmds[i * CMDQ_ENT_DWORDS]);
}

#if CMDQ_ATOMIC_ADD
/*
 * One atomic add takes the slots and counts the core in; nobody retries. There is always room: a core has one list
 * under way, and arm_smmu_cmdq_init() has refused a queue that is too small for all of them. The upper word counts the
 * cores that came since the last owner closed its window; it takes the place of CMDQ_PROD_OWNED.
 */
static bool reserve(struct arm_smmu_device *smmu, struct arm_smmu_cmdq *cmdq, uint32_t slots,
                    struct arm_smmu_ll_queue *llq, uint64_t *flags, struct arm_smmu_stats *stats)
{
    uint64_t old = atomic64_fetch_add_relaxed(1ull << 32 | slots, &cmdq->added);

    stats->attempts++;
    llq->max_n_shift = cmdq->q.llq.max_n_shift;
    llq->prod = (uint32_t)old & q_mask(llq);
    llq->cons = 0;
    return old >> 32 == 0;
}

static uint32_t close_window(struct arm_smmu_cmdq *cmdq)
{
    return (uint32_t)atomic64_fetch_andnot_relaxed(~0ull << 32, &cmdq->added) & q_mask(&cmdq->q.llq);
}
#else
/* Slots from llq->prod on; true: this core is the owner, the first of its group. */
static bool reserve(struct arm_smmu_device *smmu, struct arm_smmu_cmdq *cmdq, uint32_t slots,
                    struct arm_smmu_ll_queue *llq, uint64_t *flags, struct arm_smmu_stats *stats)
{
    struct arm_smmu_ll_queue head;
    uint64_t seen;
    bool owner;

    llq->max_n_shift = cmdq->q.llq.max_n_shift;
    llq->val = READ_ONCE(cmdq->q.llq.val);
    for (;;) {
        stats->attempts++;
        while (!queue_has_space(llq, slots)) {
            sim_phase(PHASE_QUEUE_FULL);
            local_irq_restore(*flags);
            arm_smmu_cmdq_poll_until_not_full(smmu, cmdq, llq);
            *flags = local_irq_save();
            sim_phase(PHASE_LOCK_CAS);
        }
        head.cons = llq->cons;
        head.prod = queue_inc_prod_n(llq, slots) | CMDQ_PROD_OWNED;
        seen = cmpxchg64_relaxed(&cmdq->q.llq.val, llq->val, head.val);
        if (seen == llq->val)
            break;
        llq->val = seen;
    }
    owner = !(llq->prod & CMDQ_PROD_OWNED);
    llq->prod &= ~CMDQ_PROD_OWNED;
    return owner;
}

static uint32_t close_window(struct arm_smmu_cmdq *cmdq)
{
    return atomic_fetch_andnot_relaxed(CMDQ_PROD_OWNED, &cmdq->q.llq.atomic.prod) & ~CMDQ_PROD_OWNED;
}
#endif

/* Publish every slot up to the point at which this core closes the group. */
static void publish(struct arm_smmu_cmdq *cmdq, uint32_t first)
{
    uint32_t prod;

    sim_phase(PHASE_OWNER_WAIT);
    atomic_cond_read_relaxed(&cmdq->owner_prod, VAL == first); /* the owner before is done */
    prod = close_window(cmdq);
    arm_smmu_cmdq_poll_valid_map(cmdq, first, prod);
    sim_phase(PHASE_DOORBELL);
    writel_relaxed(prod | READ_ONCE(cmdq->q.prod_bits), cmdq->q.prod_reg);
    smp_store_release(&cmdq->owner_prod.counter, prod);
}

/* A queue that one core has for itself: nobody to agree with (Zhen Lei, 2021, patch 7). */
static void issue_private(struct arm_smmu_device *smmu, struct arm_smmu_cmdq *cmdq, const uint64_t *cmds, int n,
                          bool sync)
{
    uint64_t flags = local_irq_save(), sync_cmd[CMDQ_ENT_DWORDS];
    struct arm_smmu_stats *stats = &smmu->stats[smp_processor_id()];
    struct arm_smmu_ll_queue *shadow = &cmdq->q.llq, llq = {.max_n_shift = shadow->max_n_shift};

    sim_phase(PHASE_QUEUE_FULL);
    while (!queue_has_space(shadow, (uint32_t)(n + sync)))
        shadow->cons = readl_relaxed(cmdq->q.cons_reg) & q_mask(shadow);
    sim_phase(PHASE_DOORBELL);
    llq.val = shadow->val;
    arm_smmu_cmdq_write_entries(cmdq, cmds, llq.prod, n);
    if (sync) {
        uint32_t slot = queue_inc_prod_n(&llq, (uint32_t)n);
        arm_smmu_cmdq_build_sync_cmd(sync_cmd, smmu, &cmdq->q, slot);
        write_entry(&cmdq->q, slot, sync_cmd);
    }
    dma_wmb();
    shadow->prod = queue_inc_prod_n(&llq, (uint32_t)(n + sync));
    writel_relaxed(shadow->prod | READ_ONCE(cmdq->q.prod_bits), cmdq->q.prod_reg);
    stats->lists++;
    stats->attempts++;
    stats->owned++;
    stats->syncs += sync;
    if (sync) {
        sim_phase(PHASE_SYNC_WAIT);
        llq.prod = queue_inc_prod_n(&llq, (uint32_t)n);
        arm_smmu_cmdq_poll_until_sync(smmu, cmdq, &llq);
        shadow->cons = llq.cons;
    }
    sim_phase(PHASE_WORK);
    local_irq_restore(flags);
}

void arm_smmu_cmdq_issue_cmdlist(struct arm_smmu_device *smmu, struct arm_smmu_cmdq *cmdq, const uint64_t *cmds, int n,
                                 bool sync)
{
    struct arm_smmu_ll_queue llq;
    uint64_t flags, sync_cmd[CMDQ_ENT_DWORDS];
    uint32_t slots = (uint32_t)(n + sync), first, last;
    bool owner;
    struct arm_smmu_stats *stats = &smmu->stats[smp_processor_id()];

    if (cmdq->is_private) {
        issue_private(smmu, cmdq, cmds, n, sync);
        return;
    }
    sim_phase(PHASE_LOCK_CAS);
    flags = local_irq_save();
    owner = reserve(smmu, cmdq, slots, &llq, &flags, stats);
    first = llq.prod;
    last = queue_inc_prod_n(&llq, slots);

    arm_smmu_cmdq_write_entries(cmdq, cmds, first, n);
    if (sync) {
        uint32_t slot = queue_inc_prod_n(&llq, (uint32_t)n);
        arm_smmu_cmdq_build_sync_cmd(sync_cmd, smmu, &cmdq->q, slot);
        write_entry(&cmdq->q, slot, sync_cmd);
        arm_smmu_cmdq_shared_lock(cmdq); /* CONS must not pass the slot twice unseen */
    }
    dma_wmb(); /* the entries before the marks that they are valid */
    arm_smmu_cmdq_set_valid_map(cmdq, first, last);
    stats->lists++;
    stats->owned += owner;
    stats->syncs += sync;
    if (owner)
        publish(cmdq, first);
    if (sync) {
        sim_phase(PHASE_SYNC_WAIT);
        llq.prod = queue_inc_prod_n(&llq, (uint32_t)n);
        arm_smmu_cmdq_poll_until_sync(smmu, cmdq, &llq);
        sim_phase(PHASE_LOCK_CAS);
        if (!arm_smmu_cmdq_shared_tryunlock(cmdq)) { /* the last one publishes CONS */
            WRITE_ONCE(cmdq->q.llq.cons, llq.cons);
            arm_smmu_cmdq_shared_unlock(cmdq);
        }
    }
    sim_phase(PHASE_WORK);
    local_irq_restore(flags);
}

/* This core's queue. */
static struct arm_smmu_cmdq *get_cmdq(struct arm_smmu_device *smmu)
{
    struct arm_smmu_cmdq *own = smmu->queue_of_cpu[smp_processor_id()];

    return own ? own : &smmu->cmdq;
}

void arm_smmu_cmdq_issue_cmd_with_sync(struct arm_smmu_device *smmu, const uint64_t cmd[CMDQ_ENT_DWORDS])
{
    arm_smmu_cmdq_issue_cmdlist(smmu, get_cmdq(smmu), cmd, 1, true);
}

/* --- batches --- */

/* The queue is chosen once: a CMD_SYNC only covers the queue that it is in. */
void arm_smmu_cmdq_batch_init(struct arm_smmu_device *smmu, struct arm_smmu_cmdq_batch *batch)
{
    batch->num = 0;
    batch->cmdq = get_cmdq(smmu);
}

/* With OPT_CMDQ_FORCE_SYNC a list is one command short of a full one, so that none goes without CMD_SYNC. */
static bool batch_wants_sync(const struct arm_smmu_device *smmu, const struct arm_smmu_cmdq_batch *batch)
{
    int most = smmu->batch > 1 ? smmu->batch - 1 : 1;

    return (smmu->options & OPT_CMDQ_FORCE_SYNC) && batch->num == most;
}

void arm_smmu_cmdq_batch_add(struct arm_smmu_device *smmu, struct arm_smmu_cmdq_batch *batch,
                             const uint64_t cmd[CMDQ_ENT_DWORDS])
{
    if (batch_wants_sync(smmu, batch)) {
        arm_smmu_cmdq_issue_cmdlist(smmu, batch->cmdq, batch->cmds, batch->num, true);
        arm_smmu_cmdq_batch_init(smmu, batch);
    }
    if (batch->num == smmu->batch) {
        arm_smmu_cmdq_issue_cmdlist(smmu, batch->cmdq, batch->cmds, batch->num, false);
        arm_smmu_cmdq_batch_init(smmu, batch);
    }
    batch->cmds[batch->num * CMDQ_ENT_DWORDS] = cmd[0];
    batch->cmds[batch->num * CMDQ_ENT_DWORDS + 1] = cmd[1];
    batch->num++;
}

void arm_smmu_cmdq_batch_submit(struct arm_smmu_device *smmu, struct arm_smmu_cmdq_batch *batch)
{
    arm_smmu_cmdq_issue_cmdlist(smmu, batch->cmdq, batch->cmds, batch->num, true);
}

void arm_smmu_cmdq_init(const struct arm_smmu_device *smmu, struct arm_smmu_cmdq *cmdq, unsigned depth_bits)
{
    /* else a list and its CMD_SYNC could never be inserted */
    if (depth_bits <= CMDQ_BITS_REFUSED || 1 << depth_bits <= smmu->batch)
        sim_fail("a command queue of the SMMUv3 is too small for cmdq_batch");
    cmdq->q.llq.val = 0;
    cmdq->q.llq.max_n_shift = depth_bits;
    cmdq->q.ent_dwords = CMDQ_ENT_DWORDS;
    if (CMDQ_ATOMIC_ADD && (CMDQ_BATCH_MOST + 1) * num_online_cpus() > 1u << depth_bits)
        sim_fail("CMDQ_ATOMIC_ADD needs a queue with room for a list of every core");
    cmdq->valid_map = kzalloc(depth_bits > 6 ? (1ul << depth_bits) / 8 : 8);
    atomic_set(&cmdq->owner_prod, 0);
    atomic_set(&cmdq->lock, 0);
}
