/*
 * Objects of one size (include/linux/slab.h). A free list a core stands for the fast path of SLUB, which takes no lock
 * either.
 */
#ifndef SLAB_H
#define SLAB_H

#include "runtime.h"

struct kmem_cache;
struct kmem_cache *kmem_cache_create(size_t bytes);
void *kmem_cache_alloc(struct kmem_cache *cache); /* contents are undefined */
void kmem_cache_free(struct kmem_cache *cache, void *object);

#endif
