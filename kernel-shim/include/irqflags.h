/* Masking of interrupts around a critical section (asm/irqflags.h). */
#ifndef IRQFLAGS_H
#define IRQFLAGS_H

#include "runtime.h"

#define DAIF_I 0x80ul

static inline uint64_t local_irq_save(void)
{
    uint64_t flags;

    asm volatile("mrs %0, daif" : "=r"(flags)::"memory");
    if (!(flags & DAIF_I))
        local_irq_disable();
    return flags;
}

static inline void local_irq_restore(uint64_t flags)
{
    asm volatile("msr daif, %0" ::"r"(flags) : "memory");
}

#endif
