#include "cache/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

static uint8_t *reserve(uint64_t bytes)
{
    void *image = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return image == MAP_FAILED ? NULL : image;
}

struct memory *memory_create(uint64_t base, uint64_t bytes)
{
    struct memory *memory = calloc(1, sizeof(*memory));

    if (!memory)
        return NULL;
    memory->base = base;
    memory->bytes = bytes;
    memory->poc = reserve(bytes);
    memory->cpu = reserve(bytes);
    if (!memory->poc || !memory->cpu) {
        memory_destroy(memory);
        return NULL;
    }
    return memory;
}

void memory_destroy(struct memory *memory)
{
    if (!memory)
        return;
    if (memory->poc)
        munmap(memory->poc, memory->bytes);
    if (memory->cpu)
        munmap(memory->cpu, memory->bytes);
    free(memory);
}
