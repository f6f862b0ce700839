/*
 * RAM with its two images (design: README.md of this folder).
 *
 * The PoC image is what DRAM and every non-snooping observer see; the CPU image is what the mutually coherent cores see
 * and is meaningful only for lines that some CPU cache holds. Both are reserved lazily: untouched pages cost nothing
 * and read as zero.
 */
#ifndef DMASIM_CACHE_MEMORY_H
#define DMASIM_CACHE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory {
    uint64_t base;
    uint64_t bytes;
    uint8_t *poc;
    uint8_t *cpu;
};

/* base and bytes are multiples of 4 KiB. NULL when the host cannot reserve the address space. */
struct memory *memory_create(uint64_t base, uint64_t bytes);
void memory_destroy(struct memory *memory);

/* Whether [addr, addr + bytes) lies inside; never overflows. */
static inline bool memory_contains(const struct memory *memory, uint64_t addr, uint64_t bytes)
{
    return addr >= memory->base && bytes <= memory->bytes && addr - memory->base <= memory->bytes - bytes;
}

/* Pointers into the images; addr must be inside. */
static inline uint8_t *memory_poc(struct memory *memory, uint64_t addr)
{
    return memory->poc + (addr - memory->base);
}
static inline uint8_t *memory_cpu(struct memory *memory, uint64_t addr)
{
    return memory->cpu + (addr - memory->base);
}

#endif
