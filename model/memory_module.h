/*
 * RAM and the coherent caches around it (cache/cache.h). One coherent socket a core, one socket for everybody's plain
 * accesses.
 */
#ifndef DMASIM_MODEL_MEMORY_MODULE_H
#define DMASIM_MODEL_MEMORY_MODULE_H

#include <systemc>
#include <tlm_utils/simple_target_socket.h>

#include "model/c_models.h"

class memory_module : public sc_core::sc_module
{
  public:
    memory_module(sc_core::sc_module_name name, struct cache *cache, uint64_t base, unsigned cores);

    sc_core::sc_vector<tlm_utils::simple_target_socket<memory_module>> coherent;
    tlm_utils::simple_target_socket<memory_module> plain;

  private:
    void coherent_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    void plain_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);

    struct cache *cache_;
    uint64_t base_;
};

#endif
