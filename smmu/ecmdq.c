/* The ECMDQ control pages (IHI 0070 3.5.6, 6.2.5, 6.3.107): one window a queue, 0x10000 >> LOG2NUMQ bytes apart. */
#include "smmu/smmu_internal.h"

enum { ECMDQ_BASE = 0x0, ECMDQ_PROD = 0x8, ECMDQ_CONS = 0xC };

#define PAGE_BITS  16
#define FLAG_EN    0x80000000u /* PROD.EN, CONS.ENACK */
#define FLAG_ERR   0x00800000u /* PROD.ERRACK, CONS.ERR */
#define POINTER    0x000FFFFFu
#define BASE_VALID 0x40FFFFFFFFFFFFFFull /* RA, ADDR[55:5], LOG2SIZE */

/* The queue whose window holds offset (from the first control page), and the offset in the window. */
static struct command_queue *queue_at(const struct smmu *smmu, uint64_t offset, uint64_t *rest)
{
    unsigned window_bits = PAGE_BITS - smmu->config.ecmdq_queue_bits;

    *rest = offset & ((1ull << window_bits) - 1);
    return &smmu->queues[1 + (offset >> window_bits)];
}

uint64_t ecmdq_read(const struct smmu *smmu, uint64_t offset)
{
    uint64_t rest;
    const struct command_queue *queue = queue_at(smmu, offset, &rest);
    uint32_t cons;

    switch (rest & ~4ull) {
    case ECMDQ_BASE:
        return queue->base;
    case ECMDQ_PROD: /* PROD and CONS, as one 64-bit word */
        cons = queue_pointer(queue->cons, queue_bits(smmu, queue)) | (queue->enabled ? FLAG_EN : 0) |
               (queue->err ? FLAG_ERR : 0) | (uint32_t)queue->error << 24;
        return (queue->prod | (queue->wanted ? FLAG_EN : 0) | (queue->errack ? FLAG_ERR : 0)) | (uint64_t)cons << 32;
    default:
        return 0;
    }
}

static void write_prod(struct smmu *smmu, struct command_queue *queue, uint32_t value, uint64_t at_ps)
{
    if (queue->wanted != queue->enabled)
        return; /* in transition */
    queue->errack = value & FLAG_ERR;
    if (queue->errack == queue->err)
        queue->stopped = false;
    queue->wanted = value & FLAG_EN;
    if (queue->wanted)
        queue->enabled = true;
    queue_disable(smmu, queue);
    queue_produce(smmu, queue, value & POINTER, at_ps);
}

/* A disabled queue's CONS belongs to software, all but ENACK (6.3.109). */
static void write_cons(struct command_queue *queue, uint32_t value)
{
    queue->cons = value & POINTER;
    queue->err = value & FLAG_ERR;
    queue->error = (uint8_t)bits_of(value, 26, 24);
}

void ecmdq_write(struct smmu *smmu, uint64_t offset, unsigned bytes, uint64_t value, uint64_t at_ps)
{
    uint64_t rest;
    struct command_queue *queue = queue_at(smmu, offset, &rest);
    bool off = !queue->wanted && !queue->enabled;

    if (rest == ECMDQ_PROD && bytes == 4) {
        write_prod(smmu, queue, (uint32_t)value, at_ps);
    } else if (off && rest == ECMDQ_CONS && bytes == 4) {
        write_cons(queue, (uint32_t)value);
    } else if (off && rest == ECMDQ_BASE && bytes == 8) {
        queue->base = value & BASE_VALID;
    } else if (off && rest == ECMDQ_BASE) {
        queue->base = ((queue->base & ~0xFFFFFFFFull) | (uint32_t)value) & BASE_VALID;
    } else if (off && rest == ECMDQ_BASE + 4) {
        queue->base = ((uint32_t)queue->base | value << 32) & BASE_VALID;
    }
}
