/* The slow path of a queued spin lock: the waiters form a list (Mellor-Crummey and Scott). */
#include "spinlock.h"

enum { LOCKED = 1, PENDING = 1 << 8, LOCKED_PENDING = 0xFFFF };
enum { NESTING = 4, PENDING_LOOPS = 1 };

struct mcs_node {
    struct mcs_node *next;
    uint32_t locked;
    uint32_t count; /* nodes in use, kept in the first */
};
static struct mcs_node nodes[MAX_CPUS][NESTING] __attribute__((aligned(64)));

static uint16_t encode_tail(unsigned cpu, unsigned nesting)
{
    return (uint16_t)((cpu + 1) << 2 | nesting);
}

static struct mcs_node *decode_tail(uint16_t tail)
{
    return &nodes[(tail >> 2) - 1][tail & 3];
}

/* Joins the queue, waits to be its head and then for the lock. */
static void queue(spinlock_t *lock, struct mcs_node *node, uint16_t tail)
{
    struct mcs_node *next = NULL;
    uint16_t before;
    uint32_t value;

    node->locked = 0;
    node->next = NULL;
    if (atomic_read(&lock->val) == 0 && atomic_cmpxchg_acquire(&lock->val, 0, LOCKED) == 0)
        return;
    dmb(ishst); /* the node is ready before anybody can find it */
    before = xchg16_relaxed(&lock->tail, tail);
    if (before) {
        WRITE_ONCE(decode_tail(before)->next, node);
        smp_cond_load_acquire(&node->locked, VAL);
        next = READ_ONCE(node->next);
    }
    value = atomic_cond_read_acquire(&lock->val, !(VAL & LOCKED_PENDING));
    if (value >> 16 == tail && atomic_cmpxchg_relaxed(&lock->val, value, LOCKED) == value)
        return; /* nobody behind */
    WRITE_ONCE(lock->locked, 1);
    if (!next)
        next = smp_cond_load_relaxed(&node->next, VAL);
    smp_store_release(&next->locked, 1);
}

static void take_node_and_queue(spinlock_t *lock)
{
    unsigned cpu = smp_processor_id();
    unsigned nesting = nodes[cpu][0].count++;

    barrier(); /* an interrupt from here on uses the next node */
    queue(lock, &nodes[cpu][nesting], encode_tail(cpu, nesting));
    nodes[cpu][0].count--;
}

void queued_spin_lock_slowpath(spinlock_t *lock, uint32_t value)
{
    if (value == PENDING) { /* a hand-over is under way */
        for (unsigned loops = PENDING_LOOPS; value == PENDING && loops; loops--)
            value = atomic_read(&lock->val);
    }
    if (value & ~(uint32_t)LOCKED) {
        take_node_and_queue(lock);
        return;
    }
    value = atomic_fetch_or_acquire(PENDING, &lock->val);
    if (value & ~(uint32_t)LOCKED) {
        if (!(value & PENDING))
            WRITE_ONCE(lock->pending, 0);
        take_node_and_queue(lock);
        return;
    }
    if (value & LOCKED)
        smp_cond_load_acquire(&lock->locked, !VAL);
    WRITE_ONCE(lock->locked_pending, LOCKED);
}
