/*
 * A device that consists of registers: hands every transaction to a C function.
 */
#ifndef DMASIM_MODEL_REGISTER_MODULE_H
#define DMASIM_MODEL_REGISTER_MODULE_H

#include <functional>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>

#include "model/c_models.h"

class register_module : public sc_core::sc_module
{
  public:
    using access_function = std::function<void(struct txn *)>;

    register_module(sc_core::sc_module_name name, access_function access);

    tlm_utils::simple_target_socket<register_module> registers;

  private:
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);

    access_function access_;
};

#endif
