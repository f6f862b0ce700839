/*
 * The transaction: what one model asks of another through a memory port.
 *
 * Plain C in the models; under SystemC it travels as the TLM generic payload plus one extension
 * (model/txn_extension.h). Attribute names are those of the Arm architecture (DDI 0487 B2.10, D8.6; IHI 0070 13).
 */
#ifndef DMASIM_COMMON_TXN_H
#define DMASIM_COMMON_TXN_H

#include <stdbool.h>
#include <stdint.h>

enum txn_kind {
    TXN_READ,
    TXN_WRITE,
};

/* How an access ended. */
enum txn_status {
    TXN_OK = 0,
    TXN_DECERR, /* no target at this address */
    TXN_SLVERR, /* the target refused: wrong size, alignment, register */
    TXN_FAULT,  /* an SMMU ended it; the event is recorded there */
};

enum mem_type {
    MEM_DEVICE_nGnRnE,
    MEM_DEVICE_nGnRE,
    MEM_DEVICE_nGRE,
    MEM_DEVICE_GRE,
    MEM_NORMAL_NC,
    MEM_NORMAL_WT,
    MEM_NORMAL_WB,
};

/* Encoded as SH[1:0] in descriptors. */
enum shareability { SH_NON = 0, SH_OUTER = 2, SH_INNER = 3 };

struct txn {
    enum txn_kind kind;
    enum txn_status status; /* out */
    uint64_t addr;
    uint32_t size; /* bytes; a device burst may span lines, a register access is 1, 2, 4 or 8 */
    uint8_t *data; /* size bytes, little-endian */

    /* Who asks. Cores are 0..127; devices have numbers from REQUESTER_DEVICE_BASE. */
    uint32_t requester;
    uint32_t stream_id;    /* StreamID, for masters behind an SMMU */
    uint32_t substream_id; /* SubstreamID, meaningful when substream_valid */
    bool substream_valid;
    bool privileged;  /* PnU */
    bool instruction; /* InD */
    bool coherent;    /* snoops the CPU caches; false: sees the PoC image only */

    enum mem_type type;
    enum shareability sh;

    uint64_t start_ps; /* when the request leaves its sender (absolute) */
    uint64_t done_ps;  /* out: when the answer, or the acknowledgement of a write, is back (absolute, >= start_ps) */
};

#define REQUESTER_DEVICE_BASE 0x1000u

#endif
