/* The receiving side: the link partner, the FIFO, frames into buffers. */
#include "dmac/nic_internal.h"

#include <stdlib.h>
#include <string.h>

/* --- frames of the link partner --- */

enum { TYPE = 12, NUMBER = 16, CHECK = 24, PAYLOAD = 32 };

static uint64_t sum_of_words(const uint8_t *data, uint32_t bytes)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < bytes; i += 8) {
        uint64_t word = 0;
        memcpy(&word, data + i, bytes - i < 8 ? bytes - i : 8);
        sum += word;
    }
    return sum;
}

void nic_frame(uint64_t number, uint32_t length, uint8_t *data)
{
    static const uint8_t header[NUMBER] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xB5};
    uint32_t bytes = length - NIC_FCS;
    uint64_t sum;

    memcpy(data, header, sizeof(header));
    memcpy(data + NUMBER, &number, 8);
    memset(data + CHECK, 0, 8);
    for (uint32_t i = PAYLOAD; i < bytes; i++)
        data[i] = (uint8_t)((number + i) * 0x9E3779B97F4A7C15 >> 56);
    sum = -sum_of_words(data, bytes);
    memcpy(data + CHECK, &sum, 8);
}

/* --- the FIFO --- */

static bool fits(const struct nic *nic, uint32_t length)
{
    return nic->fifo_bytes + nic_padded(length) <= nic->config.fifo_bytes;
}

static void push(struct nic *nic, struct frame frame)
{
    nic->fifo[(nic->fifo_first + nic->fifo_count++) % nic->fifo_entries] = frame;
    nic->fifo_bytes += nic_padded(frame.length);
}

static struct frame pop(struct nic *nic)
{
    struct frame frame = nic->fifo[nic->fifo_first];

    nic->fifo_first = (nic->fifo_first + 1) % nic->fifo_entries;
    nic->fifo_count--;
    nic->fifo_bytes -= nic_padded(frame.length);
    return frame;
}

void receive_clear(struct nic *nic)
{
    while (nic->fifo_count)
        free(pop(nic).data);
}

static void lose(struct nic *nic, uint64_t frames)
{
    const struct ring *ring = &nic->rings[NIC_RECEIVE];

    if (ring->next == ring->tail)
        nic->rx_no_descriptor += frames;
    else
        nic->rx_overflow += frames;
}

static uint64_t interval_ps(const struct nic *nic)
{
    return (nic->generator.bytes + NIC_GAP) * nic->config.byte_ps;
}

static bool is_generating(const struct nic *nic)
{
    return (nic->control & CTRL_GENERATE) && (nic->generator.endless || nic->generator.left);
}

void receive_start_generator(struct nic *nic, uint64_t at_ps)
{
    struct generator *generator = &nic->generator;

    generator->endless = nic->generate_frames == 0;
    generator->left = nic->generate_frames;
    generator->arrival_ps = at_ps + (NIC_GAP + generator->bytes) * nic->config.byte_ps;
}

void receive_admit(struct nic *nic, uint64_t at_ps)
{
    struct generator *generator = &nic->generator;

    while (is_generating(nic) && generator->arrival_ps <= at_ps) {
        uint64_t frames = 1;
        if ((nic->control & CTRL_RX) && fits(nic, generator->bytes - NIC_FCS)) {
            push(nic, (struct frame){.number = generator->number, .length = generator->bytes - NIC_FCS});
        } else {
            frames = (at_ps - generator->arrival_ps) / interval_ps(nic) + 1;
            if (!generator->endless && frames > generator->left)
                frames = generator->left;
            if (nic->control & CTRL_RX)
                lose(nic, frames);
        }
        generator->number += frames;
        generator->left -= generator->endless ? 0 : frames;
        generator->arrival_ps += frames * interval_ps(nic);
    }
}

void receive_put(struct nic *nic, struct frame frame, uint64_t at_ps)
{
    struct time_port *time = &nic->times[NIC_RECEIVE];

    receive_admit(nic, at_ps);
    if ((nic->control & CTRL_RX) && fits(nic, frame.length)) {
        push(nic, frame);
        time->notify(time->ctx, NIC_RECEIVE, at_ps);
        return;
    }
    if (nic->control & CTRL_RX)
        lose(nic, 1);
    free(frame.data);
}

/* --- into memory --- */

uint64_t receive_due(struct nic *nic)
{
    const struct ring *ring = &nic->rings[NIC_RECEIVE];
    uint64_t now_ps = nic_now(nic, NIC_RECEIVE);

    receive_admit(nic, now_ps);
    if (!ring_has_work(nic, ring))
        return NEVER_PS; /* what arrives meanwhile is looked at later */
    if (nic->fifo_count)
        return now_ps;
    return is_generating(nic) ? nic->generator.arrival_ps : NEVER_PS;
}

/* The frame into the buffer of the descriptor, which becomes what is to be written back. */
static uint64_t store(struct nic *nic, struct frame frame, struct nic_descriptor *descriptor)
{
    uint8_t *data = nic->frame[NIC_RECEIVE];
    bool fine = frame.length <= descriptor->bytes;
    uint64_t done_ps;

    if (frame.data)
        memcpy(data, frame.data, frame.length);
    else
        nic_frame(frame.number, frame.length + NIC_FCS, data);
    if (!nic_transfer(nic, NIC_RECEIVE, TXN_WRITE, descriptor->address, data, fine ? frame.length : descriptor->bytes,
                      nic_now(nic, NIC_RECEIVE), &done_ps)) {
        fine = false;
        nic_raise(nic, CAUSE_ERROR, done_ps);
    }
    nic->rx_frames += fine;
    nic->rx_bytes += fine ? frame.length : 0;
    nic->rx_errors += !fine;
    descriptor->bytes = frame.length;
    descriptor->flags = fine ? DESCRIPTOR_DONE : DESCRIPTOR_DONE | DESCRIPTOR_ERROR;
    return done_ps;
}

void receive_step(struct nic *nic)
{
    struct ring *ring = &nic->rings[NIC_RECEIVE];
    struct nic_descriptor descriptor;
    unsigned epoch = ring->epoch;
    struct frame frame;
    uint64_t done_ps;

    if (!ring_take(nic, ring, &descriptor))
        return;
    receive_admit(nic, nic_now(nic, NIC_RECEIVE));
    frame = pop(nic);
    done_ps = store(nic, frame, &descriptor);
    free(frame.data);
    if (epoch == ring->epoch)
        ring_complete(ring, descriptor, true, done_ps);
}
