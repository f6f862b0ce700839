/*
 * The scatter-gather copy engine (dmac/sg_engine.h): registers, and one SC_THREAD a channel.
 */
#ifndef DMASIM_MODEL_DMAC_MODULE_H
#define DMASIM_MODEL_DMAC_MODULE_H

#include <memory>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "model/active_part.h"
#include "model/txn_extension.h"

class dmac_module : public sc_core::sc_module
{
  public:
    dmac_module(sc_core::sc_module_name name, const struct sg_engine_config &config, const struct irq_port &irq,
                class horizon &horizon);
    ~dmac_module() override;

    tlm_utils::simple_target_socket<dmac_module> registers;
    tlm_utils::simple_initiator_socket<dmac_module> memory;

    void observe(const struct sg_observer &observer)
    {
        sg_engine_observe(engine_, &observer);
    }

  private:
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);

    class horizon &horizon_;
    std::vector<std::unique_ptr<event_set>> events_;
    txn_sender sender_;
    struct sg_engine *engine_ = nullptr;
};

#endif
