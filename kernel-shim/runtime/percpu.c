#include "percpu.h"

#include "simctl.h"
#include "spinlock.h"

static struct {
    spinlock_t lock;
    char *unit; /* core 0's part of the chunk in use */
    size_t used;
} chunk;

unsigned num_online_cpus(void)
{
    return (unsigned)readq_relaxed(SIMCTL_BASE + SIMCTL_CORES);
}

void *alloc_percpu(size_t bytes, size_t align)
{
    size_t chunk_bytes = num_online_cpus() * PERCPU_UNIT;
    uint64_t flags;
    char *object;

    spin_lock_irqsave(&chunk.lock, flags);
    chunk.used = (chunk.used + align - 1) & ~(align - 1);
    if (!chunk.unit || chunk.used + bytes > PERCPU_UNIT) {
        chunk.unit = memset(alloc_pages_exact(chunk_bytes), 0, chunk_bytes);
        chunk.used = 0;
    }
    object = chunk.unit + chunk.used;
    chunk.used += bytes;
    spin_unlock_irqrestore(&chunk.lock, flags);
    return object;
}
