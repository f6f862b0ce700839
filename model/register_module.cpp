#include "model/register_module.h"

#include "model/txn_extension.h"

register_module::register_module(sc_core::sc_module_name name, access_function access)
    : sc_module(name), registers("registers"), access_(std::move(access))
{
    registers.register_b_transport(this, &register_module::transport);
}

void register_module::transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
{
    struct txn txn = txn_of_payload(payload, delay);

    access_(&txn);
    answer_payload(payload, delay, txn);
}
