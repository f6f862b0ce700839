/*
 * How a transaction travels in TLM-2.0: the generic payload plus one extension.
 *
 * The payload carries what TLM knows: command, address, data, length, response. The extension carries the rest of
 * struct txn (common/txn.h): who asks (requester), StreamID and SubstreamID with its valid flag, PnU and InD, memory
 * type and shareability, whether the access snoops, and the kind of an atomic. A payload without extension is taken as
 * an access of an unprivileged, non-coherent device with StreamID 0 and Device-nGnRE attributes, so that any TLM
 * initiator can be bound.
 *
 * Time: loosely timed. start_ps = sc_time_stamp() + delay; a target adds its latency to delay. A target never waits.
 */
#ifndef DMASIM_MODEL_TXN_EXTENSION_H
#define DMASIM_MODEL_TXN_EXTENSION_H

#include <systemc>
#include <tlm>

#include "model/c_models.h"

struct txn_extension : tlm::tlm_extension<txn_extension> {
    uint32_t requester = REQUESTER_DEVICE_BASE;
    uint32_t stream_id = 0;
    uint32_t substream_id = 0;
    bool substream_valid = false;
    bool privileged = false;
    bool instruction = false;
    bool coherent = false;
    mem_type type = MEM_DEVICE_nGnRE;
    shareability sh = SH_OUTER;
    txn_status status = TXN_OK; /* out: tells TXN_FAULT from other errors */

    tlm::tlm_extension_base *clone() const override;
    void copy_from(const tlm::tlm_extension_base &other) override;
};

inline uint64_t now_ps()
{
    return sc_core::sc_time_stamp().value(); /* resolution is 1 ps */
}

inline sc_core::sc_time time_of_ps(uint64_t ps)
{
    return sc_core::sc_time::from_value(ps);
}

/* A payload in C form; the start is now + delay. */
txn txn_of_payload(tlm::tlm_generic_payload &payload, const sc_core::sc_time &delay);

/* Write the answer of a C model back: response, extension status, delay. */
void answer_payload(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay, const txn &txn);

/* An initiator's side: sends C transactions through a blocking TLM socket. One payload and extension, reused. */
class txn_sender
{
  public:
    txn_sender();
    ~txn_sender();
    txn_sender(const txn_sender &) = delete;
    txn_sender &operator=(const txn_sender &) = delete;

    template <typename Socket> void send(Socket &socket, txn &txn)
    {
        sc_core::sc_time delay = fill(txn);
        socket->b_transport(payload_, delay);
        take(txn, delay);
    }

  private:
    sc_core::sc_time fill(const txn &txn);
    void take(txn &txn, const sc_core::sc_time &delay);

    tlm::tlm_generic_payload payload_;
    txn_extension *extension_;
};

#endif
