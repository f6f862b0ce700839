/*
 * A network interface: one receive and one transmit ring of descriptors in memory, status by write-back, a moderated
 * interrupt, and a wire of a given speed with a link partner at its other end that sends numbered frames.
 *
 * Registers (32 or 64 bit accesses, little-endian, at multiples of 8):
 *   0x00 CTRL        1 RX, 2 TX (the rings work), 4 GENERATE (the link partner sends), 8 LOOPBACK (what is
 *                    transmitted is received)
 *   0x08 STATUS      1 RX_FAULT, 2 TX_FAULT (write 1 to clear): an access to the ring itself failed, the ring stands
 *   0x10 CAUSE       1 RX, 2 TX (descriptors were written back), 4 ERROR (write 1 to clear)
 *   0x18 ENABLE      causes that interrupt
 *   0x20 MODERATION  least time between two interrupts, ps (reset value: configured)
 *   0x28 GENERATE_BYTES   length of the link partner's frames with FCS, 64..NIC_FRAME_MOST
 *   0x30 GENERATE_FRAMES  how many it sends from now on; 0: no end
 *   0x38 ERROR_ADDRESS    read only: of the last access that failed
 *   0x40 RX_BASE, 0x48 RX_ENTRIES (2..65536), 0x50 RX_HEAD (read only), 0x58 RX_TAIL; the same for TX from 0x60 on.
 *                    The descriptors from HEAD up to but not including TAIL belong to the interface. BASE and ENTRIES
 *                    can be written while the ring is off, which also takes HEAD and TAIL to 0.
 *   0x80 RX_FRAMES, 0x88 RX_BYTES, 0x90 RX_NO_DESCRIPTOR, 0x98 RX_OVERFLOW, 0xA0 RX_ERRORS, 0xA8 TX_FRAMES,
 *   0xB0 TX_BYTES, 0xB8 TX_ERRORS   read only: counts; bytes without FCS
 *
 * Descriptor, 16 bytes: u64 address, u32 bytes, u32 flags. Receive: bytes is the size of the buffer; written back with
 * the frame's length without FCS, and DONE. Transmit: bytes of the frame without FCS (14..NIC_FRAME_MOST - 4; short
 * ones are padded on the wire); flags: 4 REPORT asks for the write-back. ERROR is written back when a frame did not
 * fit or its buffer could not be accessed.
 *
 * A frame that finds no descriptor waits in the receive FIFO; one that finds no room there is lost and counted, as
 * NO_DESCRIPTOR when the ring is empty, else as OVERFLOW. With the ring off frames are not seen at all.
 *
 * Frames of the link partner: 14 bytes Ethernet header of type 0x88B5 (for local experiments), 2 bytes 0, u64 number
 * from 0 on (of all it sent, lost ones too), u64 such that the sum of all 64-bit words is 0, and words that depend on
 * the number. The last word may be incomplete: its missing bytes count as 0.
 */
#ifndef DMASIM_DMAC_NIC_H
#define DMASIM_DMAC_NIC_H

#include <stdint.h>

#include "common/port.h"

#define NIC_FRAME_LEAST 64u   /* with FCS (IEEE 802.3 4A.4.2) */
#define NIC_FRAME_MOST  9600u /* with FCS */
#define NIC_FCS         4u
#define NIC_GAP         20u /* preamble, start of frame, least gap: bytes of the wire between two frames */

struct nic_config {
    uint32_t requester;     /* txn.requester */
    uint32_t stream_id;     /* StreamID of all accesses */
    bool coherent;          /* snoops the CPU caches */
    uint32_t intid;         /* SPI */
    uint32_t burst_bytes;   /* largest request, a power of two, 64..4096 */
    uint32_t outstanding;   /* reads, and writes, in flight: 1..256 */
    uint32_t prefetch;      /* descriptors fetched at once, 1..64 */
    uint32_t writeback;     /* descriptors written back at once, 1..64 */
    uint32_t fifo_bytes;    /* receive FIFO, and transmit FIFO: NIC_FRAME_MOST..1 MiB */
    uint64_t writeback_ps;  /* a descriptor waits no longer for others to be written back with it */
    uint64_t issue_ps;      /* least time between two requests */
    uint64_t travel_ps;     /* between the interface and memory, one way */
    uint64_t byte_ps;       /* one byte on the wire, > 0 */
    uint64_t moderation_ps; /* reset value of MODERATION */
    uint64_t access_ps;     /* one register access */
};

struct nic;

/* The active parts; each has a time port of its own, all share the events. */
enum nic_part { NIC_RECEIVE, NIC_TRANSMIT, NIC_INTERRUPT, NIC_PARTS };
#define NIC_EVENTS 3u

/* times: NIC_PARTS of them; ports are copied. NULL when the configuration is out of range. */
struct nic *nic_create(const struct nic_config *config, const struct mem_port *memory, const struct time_port *times,
                       const struct irq_port *irq);
void nic_destroy(struct nic *nic);

/* Register access; addr is the offset. */
void nic_access(struct nic *nic, struct txn *txn);

/* The life of a part; never returns. */
void nic_run(struct nic *nic, enum nic_part part);

/* Bytes of frame number of the link partner, without FCS; length with FCS. */
void nic_frame(uint64_t number, uint32_t length, uint8_t *data);

#endif
