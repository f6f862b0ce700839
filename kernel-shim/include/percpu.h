/*
 * Memory of which every core has a copy (include/linux/percpu.h). A pointer to it names the copy of core 0; that of
 * another core is found by adding a distance, as with TPIDR_EL1 in a kernel.
 */
#ifndef PERCPU_H
#define PERCPU_H

#include "runtime.h"

#define PERCPU_SHIFT 14 /* bytes of a core in a chunk: more than the largest object, a flush queue */
#define PERCPU_UNIT  (1ul << PERCPU_SHIFT)

/* Zeroed memory on every core; never freed. align: a power of two. */
void *alloc_percpu(size_t bytes, size_t align);
unsigned num_online_cpus(void);

static inline uint64_t this_cpu_area(void)
{
    uint64_t area;

    asm("mrs %0, tpidr_el1" : "=r"(area));
    return area;
}

#define per_cpu_ptr(p, cpu) ((__typeof__(p))((char *)(p) + ((uint64_t)(cpu) << PERCPU_SHIFT)))
#define this_cpu_ptr(p) \
    ((__typeof__(p))((char *)(p) + ((this_cpu_area() - (uint64_t)per_cpu_areas) << (PERCPU_SHIFT - 12))))
#define for_each_online_cpu(cpu) for (unsigned cpu = 0; cpu < num_online_cpus(); cpu++)

#endif
