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
        /* a write takes effect when it arrives; a read gives the value of the moment at which it leaves */
        uint64_t there_ps = payload.is_read() ? 0 : range.write_ps / 2;
        uint64_t back_ps = (payload.is_read() ? range.read_ps : range.write_ps) - there_ps;
        payload.set_address(addr - range.base);
        delay += time_of_ps(there_ps);
        targets[static_cast<int>(i)]->b_transport(payload, delay);
        payload.set_address(addr);
        delay += time_of_ps(back_ps);
        return;
    }
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
}
