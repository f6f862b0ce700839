/*
 * The runtime of the guests: what the algorithms need of a kernel, under the kernel's names where it has them.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "simctl.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_CPUS            128
#define PAGE_SHIFT          12
#define PAGE_SIZE           (1ul << PAGE_SHIFT)
#define NONCACHEABLE_OFFSET 0x4000000000ull /* VA of RAM's Non-cacheable alias - VA of RAM */

/* Barriers (arch/arm64/include/asm/barrier.h). */
#define barrier()   asm volatile("" ::: "memory")
#define isb()       asm volatile("isb" ::: "memory")
#define dsb(opt)    asm volatile("dsb " #opt ::: "memory")
#define dmb(opt)    asm volatile("dmb " #opt ::: "memory")
#define mb()        dsb(sy)
#define wmb()       dsb(st)
#define dma_wmb()   dmb(oshst)
#define dma_rmb()   dmb(oshld)
#define smp_mb()    dmb(ish)
#define cpu_relax() asm volatile("yield" ::: "memory")

#define READ_ONCE(x)     (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))

/* Register accesses (asm/io.h). */
static inline uint32_t readl_relaxed(uintptr_t addr)
{
    uint32_t value;

    asm volatile("ldr %w0, [%1]" : "=r"(value) : "r"(addr));
    return value;
}
static inline uint64_t readq_relaxed(uintptr_t addr)
{
    uint64_t value;

    asm volatile("ldr %0, [%1]" : "=r"(value) : "r"(addr));
    return value;
}
static inline void writel_relaxed(uint32_t value, uintptr_t addr)
{
    asm volatile("str %w0, [%1]" ::"rZ"(value), "r"(addr));
}
static inline void writeq_relaxed(uint64_t value, uintptr_t addr)
{
    asm volatile("str %x0, [%1]" ::"rZ"(value), "r"(addr));
}
static inline uint32_t readl(uintptr_t addr)
{
    uint32_t value = readl_relaxed(addr);

    dma_rmb();
    return value;
}
static inline void writel(uint32_t value, uintptr_t addr)
{
    dma_wmb();
    writel_relaxed(value, addr);
}
static inline void writeq(uint64_t value, uintptr_t addr)
{
    dma_wmb();
    writeq_relaxed(value, addr);
}

/* Linear map: identity. */
typedef uint64_t phys_addr_t;
typedef uint64_t dma_addr_t;
static inline void *phys_to_virt(phys_addr_t pa)
{
    return (void *)pa;
}
static inline phys_addr_t virt_to_phys(const void *va)
{
    return (phys_addr_t)va;
}

extern char per_cpu_areas[MAX_CPUS][4096];
static inline unsigned smp_processor_id(void)
{
    uint64_t area;
    asm("mrs %0, tpidr_el1" : "=r"(area));
    return (unsigned)((area - (uint64_t)per_cpu_areas) >> 12);
}

/* Memory: pages from a bump allocator with free lists by order, a set of lists a core; contents are undefined. When
 * memory is out, the run fails. */
void *alloc_pages_exact(size_t bytes);
/* From the other node (ram.remote_bytes); never freed. */
void *alloc_remote_pages(size_t bytes);
void free_pages_exact(void *pages, size_t bytes);
/* Whole pages, by DC ZVA as clear_page() does. */
void clear_pages(void *pages, size_t bytes);
/* Bytes from pages; never freed. */
void *kzalloc(size_t bytes);

void *memset(void *to, int value, size_t bytes);
void *memcpy(void *to, const void *from, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *text);

/* Console; printf understands %s %c %d %u %x %lu %lx %llu %llx %p. */
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

uint64_t ktime_get_ns(void);
/* On each core, at start: no WFE lasts longer than about 100 us. */
void arch_timer_evtstrm_enable(void);

/* Interrupts: one handler an INTID; edge: a pulse is enough. */
void request_irq(unsigned intid, bool edge, void (*handler)(unsigned intid, void *data), void *data);
static inline void local_irq_enable(void)
{
    asm volatile("msr daifclr, #2" ::: "memory");
}
static inline void local_irq_disable(void)
{
    asm volatile("msr daifset, #2" ::: "memory");
}

/* The simulation-control device. */
uint64_t sim_param(const char *name, uint64_t standard);
void sim_region_name(unsigned region, const char *name);
void sim_emit(const char *case_name, const char *metric, const char *unit, int64_t value, uint64_t scale);
void sim_exit(uint64_t status) __attribute__((noreturn));
void sim_fail(const char *message) __attribute__((noreturn));
/* From here on the core is in this phase (simctl.h); costs nothing. The mark goes where the linker drops the function.
 */
#define sim_phase(phase)                                                                                              \
    asm volatile(                                                                                                     \
        ".Lphase%=: .pushsection .sim_phases, \"o\", %%progbits, .Lphase%=; .xword .Lphase%=, %0; .popsection" ::"i"( \
            phase)                                                                                                    \
        : "memory")
/* Opens and closes the time over which phases are accounted. */
void sim_phase_window(bool open);
void sim_region_begin(unsigned region);
void sim_region_end(unsigned region);

/* Runs function(argument) on another core; function returns to a wait. */
void cpu_start(unsigned cpu, void (*function)(void *argument), void *argument);

/* The program. Returning ends the simulation with the value. */
int main(void);

#endif
