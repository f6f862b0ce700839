/*
 * The system bus: decodes physical addresses to targets (which receive offsets), adds the travel time of register
 * accesses, and answers addresses that belong to nobody with an address error.
 */
#ifndef DMASIM_MODEL_BUS_MODULE_H
#define DMASIM_MODEL_BUS_MODULE_H

#include <systemc>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <vector>

#include "model/c_models.h"

class bus_module : public sc_core::sc_module
{
  public:
    explicit bus_module(sc_core::sc_module_name name);

    tlm_utils::multi_passthrough_target_socket<bus_module> initiators;
    tlm_utils::multi_passthrough_initiator_socket<bus_module> targets;

    /* Bind a target at [base, base + bytes); read_ps and write_ps are the travel times there (round trip, until
     * acknowledged). */
    template <typename Socket>
    void map(Socket &socket, uint64_t base, uint64_t bytes, uint64_t read_ps, uint64_t write_ps)
    {
        targets.bind(socket);
        ranges_.push_back({base, bytes, read_ps, write_ps});
    }

  private:
    struct range {
        uint64_t base, bytes, read_ps, write_ps;
    };
    void transport(int id, tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);

    std::vector<range> ranges_; /* same order as the bound targets */
};

#endif
