/* Registers, the interrupt, and the loop of each part. */
#include "dmac/nic.h"

#include <stdlib.h>
#include <string.h>

#include "dmac/nic_internal.h"

enum {
    CTRL = 0x00,
    STATUS = 0x08,
    CAUSE = 0x10,
    ENABLE = 0x18,
    MODERATION = 0x20,
    GENERATE_BYTES = 0x28,
    GENERATE_FRAMES = 0x30,
    ERROR_ADDRESS = 0x38,
    RINGS = 0x40, /* 0x20 bytes each: BASE, ENTRIES, HEAD, TAIL */
    COUNTS = 0x80,
    REGISTERS_END = 0xC0
};
enum { RING_BASE = 0x00, RING_ENTRIES = 0x08, RING_HEAD = 0x10, RING_TAIL = 0x18, RING_BYTES = 0x20 };
enum { ENTRIES_LEAST = 2, ENTRIES_MOST = 65536, FIFO_MOST = 1 << 20 };

static bool config_is_fine(const struct nic_config *config)
{
    return config->burst_bytes >= NIC_BURST_LEAST && config->burst_bytes <= NIC_BURST_MOST &&
           !(config->burst_bytes & (config->burst_bytes - 1)) && config->outstanding >= 1 &&
           config->outstanding <= OUTSTANDING_MOST && config->prefetch >= 1 && config->prefetch <= NIC_BATCH_MOST &&
           config->writeback >= 1 && config->writeback <= NIC_BATCH_MOST && config->fifo_bytes >= NIC_FRAME_MOST &&
           config->fifo_bytes <= FIFO_MOST && config->byte_ps > 0;
}

struct nic *nic_create(const struct nic_config *config, const struct mem_port *memory, const struct time_port *times,
                       const struct irq_port *irq)
{
    struct nic *nic = config_is_fine(config) ? calloc(1, sizeof(*nic)) : NULL;

    if (!nic)
        return NULL;
    nic->config = *config;
    nic->memory = *memory;
    nic->irq = *irq;
    memcpy(nic->times, times, sizeof(nic->times));
    nic->reads = nic->writes = (struct flight){.outstanding = config->outstanding, .gap_ps = config->issue_ps};
    nic->moderation_ps = config->moderation_ps;
    nic->generator.bytes = NIC_FRAME_LEAST;
    nic->rings[NIC_RECEIVE] = (struct ring){
        .part = NIC_RECEIVE, .entries = ENTRIES_LEAST, .on = CTRL_RX, .fault = STATUS_RX_FAULT, .cause = CAUSE_RX};
    nic->rings[NIC_TRANSMIT] = (struct ring){
        .part = NIC_TRANSMIT, .entries = ENTRIES_LEAST, .on = CTRL_TX, .fault = STATUS_TX_FAULT, .cause = CAUSE_TX};
    nic->fifo_entries = config->fifo_bytes / NIC_FRAME_LEAST;
    nic->fifo = calloc(nic->fifo_entries, sizeof(*nic->fifo));
    if (!nic->fifo) {
        free(nic);
        return NULL;
    }
    return nic;
}

void nic_destroy(struct nic *nic)
{
    if (!nic)
        return;
    receive_clear(nic);
    for (uint32_t i = 0; i < nic->sent_count; i++)
        free(nic->sent[(nic->sent_first + i) % NIC_SENT].frame.data);
    free(nic->fifo);
    free(nic);
}

static void wake(struct nic *nic, enum nic_part part, uint64_t at_ps)
{
    nic->times[part].notify(nic->times[part].ctx, part, at_ps);
}

/* --- the interrupt --- */

void nic_raise(struct nic *nic, uint32_t causes, uint64_t at_ps)
{
    nic->cause |= causes;
    if (at_ps > nic->allowed_ps)
        nic->allowed_ps = at_ps;
    if (nic->cause & nic->enable)
        wake(nic, NIC_INTERRUPT, at_ps);
}

static void set_level(struct nic *nic, bool level, uint64_t at_ps)
{
    nic->level = level;
    nic->irq.set(nic->irq.ctx, 0, nic->config.intid, level, at_ps);
}

static void causes_written(struct nic *nic, uint64_t at_ps)
{
    if (nic->level && !(nic->cause & nic->enable))
        set_level(nic, false, at_ps);
    wake(nic, NIC_INTERRUPT, at_ps);
}

static uint64_t interrupt_due(struct nic *nic)
{
    return nic->level || !(nic->cause & nic->enable) ? NEVER_PS : nic->allowed_ps;
}

static void interrupt_step(struct nic *nic)
{
    uint64_t now_ps = nic_now(nic, NIC_INTERRUPT);

    set_level(nic, true, now_ps);
    nic->allowed_ps = now_ps + nic->moderation_ps;
}

/* --- the parts --- */

void nic_run(struct nic *nic, enum nic_part part)
{
    static const struct {
        uint64_t (*due)(struct nic *nic);
        void (*step)(struct nic *nic);
    } parts[NIC_PARTS] = {[NIC_RECEIVE] = {receive_due, receive_step},
                          [NIC_TRANSMIT] = {transmit_due, transmit_step},
                          [NIC_INTERRUPT] = {interrupt_due, interrupt_step}};
    struct time_port *time = &nic->times[part];
    struct ring *ring = part == NIC_INTERRUPT ? NULL : &nic->rings[part];

    for (;;) {
        uint64_t step_ps = parts[part].due(nic), write_ps = ring ? ring_due(nic, ring) : NEVER_PS;
        uint64_t now_ps = nic_now(nic, part);
        if (write_ps <= now_ps)
            ring_write_back(nic, ring);
        else if (step_ps <= now_ps)
            parts[part].step(nic);
        else
            time->wait_event(time->ctx, part, step_ps < write_ps ? step_ps : write_ps);
    }
}

/* --- registers --- */

static uint64_t read_ring(const struct ring *ring, uint64_t offset)
{
    switch (offset) {
    case RING_BASE:
        return ring->base;
    case RING_ENTRIES:
        return ring->entries;
    case RING_HEAD:
        return ring->head;
    default:
        return ring->tail;
    }
}

static uint64_t read_register(const struct nic *nic, uint64_t offset)
{
    const uint64_t counts[] = {nic->rx_frames, nic->rx_bytes,  nic->rx_no_descriptor, nic->rx_overflow,
                               nic->rx_errors, nic->tx_frames, nic->tx_bytes,         nic->tx_errors};

    if (offset >= COUNTS)
        return counts[(offset - COUNTS) / 8];
    if (offset >= RINGS)
        return read_ring(&nic->rings[(offset - RINGS) / RING_BYTES], offset % RING_BYTES);
    switch (offset) {
    case CTRL:
        return nic->control;
    case STATUS:
        return nic->status;
    case CAUSE:
        return nic->cause;
    case ENABLE:
        return nic->enable;
    case MODERATION:
        return nic->moderation_ps;
    case GENERATE_BYTES:
        return nic->generator.bytes;
    case GENERATE_FRAMES:
        return nic->generate_frames;
    default:
        return nic->error_address;
    }
}

static void write_control(struct nic *nic, uint32_t value, uint64_t at_ps)
{
    uint32_t off = nic->control & ~value;
    bool generate = (value & ~nic->control) & CTRL_GENERATE;

    nic->control = value & (CTRL_RX | CTRL_TX | CTRL_GENERATE | CTRL_LOOPBACK);
    for (unsigned i = 0; i < 2; i++)
        if (off & nic->rings[i].on) {
            nic->rings[i].epoch++;
            ring_reset(&nic->rings[i]);
        }
    if (off & CTRL_RX)
        receive_clear(nic);
    if (generate)
        receive_start_generator(nic, at_ps);
}

static void write_ring(struct nic *nic, struct ring *ring, uint64_t offset, uint64_t value)
{
    bool on = nic->control & ring->on;

    if (offset == RING_TAIL && value < ring->entries)
        ring->tail = (uint32_t)value;
    else if (offset == RING_BASE && !on)
        ring->base = value;
    else if (offset == RING_ENTRIES && !on && value >= ENTRIES_LEAST && value <= ENTRIES_MOST) {
        ring->entries = (uint32_t)value;
        ring_reset(ring);
    }
}

static void write_register(struct nic *nic, uint64_t offset, uint64_t value, uint64_t at_ps)
{
    receive_admit(nic, at_ps); /* what has arrived so far met the state before */
    if (offset >= RINGS && offset < COUNTS)
        write_ring(nic, &nic->rings[(offset - RINGS) / RING_BYTES], offset % RING_BYTES, value);
    else if (offset == CTRL)
        write_control(nic, (uint32_t)value, at_ps);
    else if (offset == STATUS)
        nic->status &= ~(uint32_t)value;
    else if (offset == CAUSE)
        nic->cause &= ~(uint32_t)value;
    else if (offset == ENABLE)
        nic->enable = value & (CAUSE_RX | CAUSE_TX | CAUSE_ERROR);
    else if (offset == MODERATION)
        nic->moderation_ps = value;
    else if (offset == GENERATE_BYTES && value >= NIC_FRAME_LEAST && value <= NIC_FRAME_MOST)
        nic->generator.bytes = (uint32_t)value;
    else if (offset == GENERATE_FRAMES)
        nic->generate_frames = value;
    if (offset == CAUSE || offset == ENABLE)
        causes_written(nic, at_ps);
    wake(nic, NIC_RECEIVE, at_ps);
    wake(nic, NIC_TRANSMIT, at_ps);
}

void nic_access(struct nic *nic, struct txn *txn)
{
    uint64_t value = 0;

    txn->done_ps = txn->start_ps + nic->config.access_ps;
    txn->status = TXN_SLVERR;
    if ((txn->size != 4 && txn->size != 8) || txn->addr % 8 || txn->addr >= REGISTERS_END)
        return;
    txn->status = TXN_OK;
    if (txn->kind == TXN_READ) {
        receive_admit(nic, txn->start_ps);
        value = read_register(nic, txn->addr);
        memcpy(txn->data, &value, txn->size);
        return;
    }
    memcpy(&value, txn->data, txn->size);
    write_register(nic, txn->addr, value, txn->start_ps);
}
