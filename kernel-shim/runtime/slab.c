#include "slab.h"

#include "irqflags.h"
#include "percpu.h"

struct slab_cpu {
    void *free;       /* list through the first word of the objects */
    char *next, *end; /* of the page that is being cut up */
};

struct kmem_cache {
    size_t bytes;
    struct slab_cpu *cpu;
};

struct kmem_cache *kmem_cache_create(size_t bytes)
{
    struct kmem_cache *cache = kzalloc(sizeof(*cache));

    cache->bytes = (bytes + 7) & ~7ul;
    cache->cpu = alloc_percpu(sizeof(struct slab_cpu), sizeof(void *));
    return cache;
}

static void *cut(struct kmem_cache *cache, struct slab_cpu *cpu)
{
    char *object;

    if (!cpu->next || cpu->next + cache->bytes > cpu->end) {
        cpu->next = alloc_pages_exact(PAGE_SIZE);
        cpu->end = cpu->next + PAGE_SIZE;
    }
    object = cpu->next;
    cpu->next += cache->bytes;
    return object;
}

void *kmem_cache_alloc(struct kmem_cache *cache)
{
    uint64_t flags = local_irq_save();
    struct slab_cpu *cpu = this_cpu_ptr(cache->cpu);
    void *object = cpu->free;

    if (object)
        cpu->free = *(void **)object;
    else
        object = cut(cache, cpu);
    local_irq_restore(flags);
    return object;
}

void kmem_cache_free(struct kmem_cache *cache, void *object)
{
    uint64_t flags = local_irq_save();
    struct slab_cpu *cpu = this_cpu_ptr(cache->cpu);

    *(void **)object = cpu->free;
    cpu->free = object;
    local_irq_restore(flags);
}
