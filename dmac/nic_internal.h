/* Between the files of the network interface: nic.c (registers, interrupt), nic_ring.c, nic_receive.c, nic_transmit.c.
 */
#ifndef DMASIM_DMAC_NIC_INTERNAL_H
#define DMASIM_DMAC_NIC_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/units.h"
#include "dmac/flight.h"
#include "dmac/nic.h"

enum { CTRL_RX = 1, CTRL_TX = 2, CTRL_GENERATE = 4, CTRL_LOOPBACK = 8 };
enum { STATUS_RX_FAULT = 1, STATUS_TX_FAULT = 2 };
enum { CAUSE_RX = 1, CAUSE_TX = 2, CAUSE_ERROR = 4 };
enum { DESCRIPTOR_DONE = 1, DESCRIPTOR_ERROR = 2, DESCRIPTOR_REPORT = 4 };

#define NIC_BATCH_MOST  64u   /* descriptors fetched or written back at once */
#define COMPLETIONS     1024u /* descriptors in use and not yet written back */
#define NIC_SENT        1024u /* frames read and not yet off the wire */
#define NIC_BURST_LEAST 64u
#define NIC_BURST_MOST  4096u

struct nic_descriptor {
    uint64_t address;
    uint32_t bytes, flags;
};

/* Descriptors that one read brought. */
struct fetched {
    struct nic_descriptor descriptors[NIC_BATCH_MOST];
    uint32_t next, count;
    uint64_t ready_ps;
};

/* A descriptor that is done with at due_ps. */
struct completion {
    struct nic_descriptor descriptor; /* as it is to be written back */
    bool report;
    uint64_t due_ps;
};

/* head <= (written back) .. next <= (in use) .. fetch <= (fetched) .. tail, all around the ring. */
struct ring {
    enum nic_part part;
    uint64_t base;
    uint32_t entries, head, next, fetch, tail;
    struct fetched fetched[2]; /* [0] is used up first */
    struct completion completions[COMPLETIONS];
    uint32_t completion_first, completion_count;
    unsigned epoch;            /* counts how often the ring was turned off */
    uint32_t on, fault, cause; /* bits of CTRL, STATUS and CAUSE */
};

/* A frame that has arrived; data NULL: the link partner's frame of that number. length without FCS. */
struct frame {
    uint64_t number;
    uint8_t *data;
    uint32_t length;
};

/* What the link partner sends. */
struct generator {
    uint32_t bytes; /* with FCS */
    bool endless;
    uint64_t left, number, arrival_ps; /* the next frame: it has arrived completely */
};

struct sent {
    struct frame frame;
    uint64_t off_ps; /* the last byte leaves */
};

struct nic {
    struct nic_config config;
    struct mem_port memory;
    struct irq_port irq;
    struct time_port times[NIC_PARTS];
    struct flight reads, writes;

    uint32_t control, status, cause, enable;
    uint64_t moderation_ps, allowed_ps; /* of the next interrupt */
    bool level;
    uint64_t generate_frames, error_address;
    uint64_t rx_frames, rx_bytes, rx_no_descriptor, rx_overflow, rx_errors, tx_frames, tx_bytes, tx_errors;

    struct ring rings[2]; /* NIC_RECEIVE, NIC_TRANSMIT */
    struct generator generator;
    struct frame *fifo; /* of received frames */
    uint32_t fifo_entries, fifo_first, fifo_count;
    uint64_t fifo_bytes;
    struct sent sent[NIC_SENT];
    uint32_t sent_first, sent_count;
    uint64_t wire_free_ps;
    uint8_t frame[2][NIC_FRAME_MOST]; /* the frame that a part is at work on */
};

static inline uint64_t nic_now(const struct nic *nic, enum nic_part part)
{
    return nic->times[part].now(nic->times[part].ctx);
}

static inline uint32_t nic_padded(uint32_t length) /* on the wire, with FCS */
{
    return length + NIC_FCS > NIC_FRAME_LEAST ? length + NIC_FCS : NIC_FRAME_LEAST;
}

/* nic.c: causes come up, and interrupt at at_ps or later. */
void nic_raise(struct nic *nic, uint32_t causes, uint64_t at_ps);

/* nic_ring.c */
void ring_reset(struct ring *ring);
static inline bool ring_has_work(const struct nic *nic, const struct ring *ring)
{
    return (nic->control & ring->on) && !(nic->status & ring->fault) && ring->next != ring->tail &&
           ring->completion_count < COMPLETIONS;
}
/* Moves bytes between memory and data, ready at ready_ps, in bursts; true: all of it worked. *done_ps: at the other
 * end. */
bool nic_transfer(struct nic *nic, enum nic_part part, enum txn_kind kind, uint64_t addr, uint8_t *data, uint32_t bytes,
                  uint64_t ready_ps, uint64_t *done_ps);
/* The next descriptor; waits for it. False: there is none any more, the ring was turned off or has failed. */
bool ring_take(struct nic *nic, struct ring *ring, struct nic_descriptor *descriptor);
/* The taken descriptor is done with at due_ps. */
void ring_complete(struct ring *ring, struct nic_descriptor descriptor, bool report, uint64_t due_ps);
/* When ring_write_back() is due. */
uint64_t ring_due(const struct nic *nic, const struct ring *ring);
void ring_write_back(struct nic *nic, struct ring *ring);

/* nic_receive.c: everything that arrives until at_ps is in the FIFO or lost. */
void receive_admit(struct nic *nic, uint64_t at_ps);
void receive_start_generator(struct nic *nic, uint64_t at_ps);
/* A frame from the wire; takes over its data. */
void receive_put(struct nic *nic, struct frame frame, uint64_t at_ps);
/* The FIFO is empty. */
void receive_clear(struct nic *nic);
/* When there is something to do, and doing it. */
uint64_t receive_due(struct nic *nic);
void receive_step(struct nic *nic);

/* nic_transmit.c */
uint64_t transmit_due(struct nic *nic);
void transmit_step(struct nic *nic);

#endif
