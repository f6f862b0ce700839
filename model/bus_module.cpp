#include "model/bus_module.h"

#include "model/txn_extension.h"

bus_module::bus_module(sc_core::sc_module_name name) : sc_module(name), initiators("initiators"), targets("targets")
{
    initiators.register_b_transport(this, &bus_module::transport);
}

void bus_module::transport(int, tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
{
    uint64_t addr = payload.get_address();
    uint64_t bytes = payload.get_data_length();

    for (size_t i = 0; i < ranges_.size(); i++) {
        const range &range = ranges_[i];
        if (addr < range.base || addr - range.base >= range.bytes || bytes > range.bytes - (addr - range.base))
            continue;
        payload.set_address(addr - range.base);
        targets[static_cast<int>(i)]->b_transport(payload, delay);
        payload.set_address(addr);
        delay += time_of_ps(payload.is_read() ? range.read_ps : range.write_ps);
        return;
    }
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
}
