#include "model/memory_module.h"

#include "model/coherence_extension.h"
#include "model/txn_extension.h"

memory_module::memory_module(sc_core::sc_module_name name, struct cache *cache, uint64_t base, unsigned cores)
    : sc_module(name), coherent("coherent", cores), plain("plain"), cache_(cache), base_(base)
{
    for (auto &socket : coherent)
        socket.register_b_transport(this, &memory_module::coherent_transport);
    plain.register_b_transport(this, &memory_module::plain_transport);
}

void memory_module::coherent_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &)
{
    coherence_extension &request = *payload.get_extension<coherence_extension>();
    uint64_t addr = payload.get_address();

    switch (request.what) {
    case coherence_extension::request::line:
        request.grant = cache_line(cache_, request.core, addr, request.want, request.start_ps);
        break;
    case coherence_extension::request::fetch:
        request.grant = cache_fetch(cache_, request.core, addr, request.start_ps);
        break;
    case coherence_extension::request::cmo:
        request.times = cache_cmo(cache_, request.core, request.operation, addr, request.start_ps);
        break;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void memory_module::plain_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
{
    struct txn txn = txn_of_payload(payload, delay);

    txn.addr += base_; /* the bus delivers offsets */
    if (txn.requester < REQUESTER_DEVICE_BASE)
        cache_noncacheable(cache_, &txn);
    else
        cache_device(cache_, &txn);
    answer_payload(payload, delay, txn);
}
