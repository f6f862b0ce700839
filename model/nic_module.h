/*
 * The network interface (dmac/nic.h): registers, and one SC_THREAD a part.
 */
#ifndef DMASIM_MODEL_NIC_MODULE_H
#define DMASIM_MODEL_NIC_MODULE_H

#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "model/active_part.h"
#include "model/txn_extension.h"

class nic_module : public sc_core::sc_module
{
  public:
    nic_module(sc_core::sc_module_name name, const struct nic_config &config, const struct irq_port &irq,
               class horizon &horizon);
    ~nic_module() override;

    tlm_utils::simple_target_socket<nic_module> registers;
    tlm_utils::simple_initiator_socket<nic_module> memory;

  private:
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);

    class horizon &horizon_;
    event_set events_;
    txn_sender sender_;
    struct nic *nic_ = nullptr;
};

#endif
