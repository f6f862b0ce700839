/*
 * Arithmetic of the SMMU's circular queues (IHI 0070 3.5.1): a pointer is an index of `bits` bits and a wrap bit above
 * it; bits beyond are ignored.
 */
#ifndef DMASIM_SMMU_QUEUE_H
#define DMASIM_SMMU_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t queue_pointer(uint32_t value, unsigned bits)
{
    return value & ((2u << bits) - 1);
}

static inline uint32_t queue_index(uint32_t pointer, unsigned bits)
{
    return pointer & ((1u << bits) - 1);
}

/* Entries between consumer and producer; a producer more than the size ahead is taken modulo twice the size. */
static inline uint32_t queue_count(uint32_t producer, uint32_t consumer, unsigned bits)
{
    return queue_pointer(producer - consumer, bits);
}

static inline bool queue_full(uint32_t producer, uint32_t consumer, unsigned bits)
{
    return queue_count(producer, consumer, bits) == 1u << bits;
}

static inline uint32_t queue_next(uint32_t pointer, unsigned bits)
{
    return queue_pointer(pointer + 1, bits);
}

#endif
