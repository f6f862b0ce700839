/*
 * Queued spin locks (include/asm-generic/qspinlock.h). A free lock costs one cmpxchg; the second waiter watches the
 * lock word, all others a word of their own, each in WFE.
 */
#ifndef SPINLOCK_H
#define SPINLOCK_H

#include "atomic.h"
#include "irqflags.h"

typedef union {
    atomic_t val;
    struct {
        uint8_t locked, pending;
        uint16_t tail; /* of the queue: (core + 1) << 2 | nesting */
    };
    uint16_t locked_pending;
} spinlock_t;

void queued_spin_lock_slowpath(spinlock_t *lock, uint32_t value);

static inline void spin_lock_init(spinlock_t *lock)
{
    lock->val.counter = 0;
}

static inline void spin_lock(spinlock_t *lock)
{
    uint32_t old = atomic_cmpxchg_acquire(&lock->val, 0, 1);

    if (__builtin_expect(old != 0, 0))
        queued_spin_lock_slowpath(lock, old);
}

static inline void spin_unlock(spinlock_t *lock)
{
    smp_store_release(&lock->locked, 0);
}

#define spin_lock_irqsave(lock, flags) \
    do {                               \
        (flags) = local_irq_save();    \
        spin_lock(lock);               \
    } while (0)

static inline void spin_unlock_irqrestore(spinlock_t *lock, uint64_t flags)
{
    spin_unlock(lock);
    local_irq_restore(flags);
}

#endif
