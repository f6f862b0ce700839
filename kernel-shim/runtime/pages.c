/* The page allocator: what a core frees it gets again, without a lock; fresh memory comes from one place under a lock.
 */
#include "simctl.h"
#include "spinlock.h"

#define ORDERS 20

struct page_lists { /* a core; a line of its own */
    void *free[ORDERS];
} __attribute__((aligned(64)));
static struct page_lists lists[MAX_CPUS];

static spinlock_t lock; /* of what follows */
static char *next_page;
static char *next_object, *end_of_objects;

static unsigned order_of(size_t bytes)
{
    unsigned order = 0;

    while (PAGE_SIZE << order < bytes)
        order++;
    return order;
}

static uint64_t remote_bytes(void)
{
    return sim_param("ram.remote_bytes", 0);
}

void *alloc_remote_pages(size_t bytes)
{
    static uint64_t taken;
    size_t size = PAGE_SIZE << order_of(bytes);

    taken = (taken + size - 1) & ~(size - 1);
    taken += size;
    if (taken > remote_bytes())
        sim_fail("the guest is out of memory on the other node: raise ram.remote_bytes");
    return (char *)RAM_BASE + readq_relaxed(SIMCTL_BASE + SIMCTL_RAM_BYTES) - taken;
}

static void *fresh_pages(size_t size)
{
    extern char guest_end[];
    char *block;

    if (!next_page)
        next_page = guest_end;
    block = (char *)(((uintptr_t)next_page + size - 1) & ~(size - 1));
    next_page = block + size;
    if ((uintptr_t)next_page > RAM_BASE + readq_relaxed(SIMCTL_BASE + SIMCTL_RAM_BYTES) - remote_bytes())
        sim_fail("the guest is out of memory: raise ram.bytes");
    return block;
}

/* Blocks are naturally aligned, as the kernel's page allocator gives them. */
void *alloc_pages_exact(size_t bytes)
{
    unsigned order = order_of(bytes);
    uint64_t flags = local_irq_save();
    void **list = &lists[smp_processor_id()].free[order];
    void *block = *list;

    if (block) {
        *list = *(void **)block;
    } else {
        spin_lock(&lock);
        block = fresh_pages(PAGE_SIZE << order);
        spin_unlock(&lock);
    }
    local_irq_restore(flags);
    return block;
}

void free_pages_exact(void *pages, size_t bytes)
{
    uint64_t flags = local_irq_save();
    void **list = &lists[smp_processor_id()].free[order_of(bytes)];

    *(void **)pages = *list;
    *list = pages;
    local_irq_restore(flags);
}

void clear_pages(void *pages, size_t bytes)
{
    uint64_t dczid;
    char *p = pages, *end = p + bytes;

    asm("mrs %0, dczid_el0" : "=r"(dczid));
    for (size_t block = 4ul << (dczid & 15); p < end; p += block)
        asm volatile("dc zva, %0" ::"r"(p) : "memory");
}

void *kzalloc(size_t bytes)
{
    uint64_t flags;
    char *object;

    bytes = (bytes + 63) & ~63ul;
    if (bytes >= PAGE_SIZE)
        return memset(alloc_pages_exact(bytes), 0, bytes);
    spin_lock_irqsave(&lock, flags);
    if (!next_object || next_object + bytes > end_of_objects) {
        next_object = fresh_pages(PAGE_SIZE);
        end_of_objects = next_object + PAGE_SIZE;
    }
    object = next_object;
    next_object += bytes;
    spin_unlock_irqrestore(&lock, flags);
    return memset(object, 0, bytes);
}
