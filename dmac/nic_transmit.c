/* The sending side: frames out of buffers, the wire. */
#include "dmac/nic_internal.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 14 };

/* The wire is busy for longer than the FIFO is deep: when it is not any more. */
static uint64_t room_ps(const struct nic *nic)
{
    uint64_t depth_ps = nic->config.fifo_bytes * nic->config.byte_ps;

    return nic->wire_free_ps > depth_ps ? nic->wire_free_ps - depth_ps : 0;
}

uint64_t transmit_due(struct nic *nic)
{
    const struct ring *ring = &nic->rings[NIC_TRANSMIT];
    uint64_t due_ps = nic->sent_count ? nic->sent[nic->sent_first].off_ps : NEVER_PS;

    if (ring_has_work(nic, ring) && nic->sent_count < NIC_SENT && room_ps(nic) < due_ps)
        due_ps = room_ps(nic);
    return due_ps;
}

/* The first frame on the wire has left. */
static void leave(struct nic *nic)
{
    struct sent sent = nic->sent[nic->sent_first];

    nic->sent_first = (nic->sent_first + 1) % NIC_SENT;
    nic->sent_count--;
    nic->tx_frames++;
    nic->tx_bytes += sent.frame.length;
    if (nic->control & CTRL_LOOPBACK)
        receive_put(nic, sent.frame, nic_now(nic, NIC_TRANSMIT));
    else
        free(sent.frame.data);
}

/* A frame that is complete at ready_ps goes onto the wire; returns when its last byte has left. */
static uint64_t put_on_wire(struct nic *nic, const uint8_t *data, uint32_t bytes, uint64_t ready_ps)
{
    uint32_t on_wire = nic_padded(bytes);
    uint64_t start_ps = ready_ps > nic->wire_free_ps ? ready_ps : nic->wire_free_ps;
    struct sent *sent = &nic->sent[(nic->sent_first + nic->sent_count++) % NIC_SENT];

    nic->wire_free_ps = sent->off_ps = start_ps + (NIC_GAP + on_wire) * nic->config.byte_ps;
    sent->frame = (struct frame){.length = on_wire - NIC_FCS, .data = calloc(1, on_wire)};
    if (!sent->frame.data)
        abort(); /* as where any other memory of the host is out */
    memcpy(sent->frame.data, data, bytes);
    return sent->off_ps;
}

static void send(struct nic *nic)
{
    struct ring *ring = &nic->rings[NIC_TRANSMIT];
    uint8_t *data = nic->frame[NIC_TRANSMIT];
    struct nic_descriptor descriptor;
    unsigned epoch = ring->epoch;
    bool fine, report;
    uint64_t done_ps;

    if (!ring_take(nic, ring, &descriptor))
        return;
    done_ps = nic_now(nic, NIC_TRANSMIT);
    fine = descriptor.bytes >= HEADER && descriptor.bytes <= NIC_FRAME_MOST - NIC_FCS;
    if (fine &&
        !nic_transfer(nic, NIC_TRANSMIT, TXN_READ, descriptor.address, data, descriptor.bytes, done_ps, &done_ps)) {
        fine = false;
        nic_raise(nic, CAUSE_ERROR, done_ps);
    }
    nic->tx_errors += !fine;
    if (fine)
        done_ps = put_on_wire(nic, data, descriptor.bytes, done_ps);
    report = descriptor.flags & DESCRIPTOR_REPORT;
    descriptor.flags = fine ? DESCRIPTOR_DONE : DESCRIPTOR_DONE | DESCRIPTOR_ERROR;
    if (epoch == ring->epoch)
        ring_complete(ring, descriptor, report, done_ps);
}

void transmit_step(struct nic *nic)
{
    if (nic->sent_count && nic->sent[nic->sent_first].off_ps <= nic_now(nic, NIC_TRANSMIT))
        leave(nic);
    else
        send(nic);
}
