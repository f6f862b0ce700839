/* Probes (cpu/probe.h) of all cores, for several listeners: each hears of the addresses that it asked for. */
#ifndef DMASIM_MODEL_PROBE_HUB_H
#define DMASIM_MODEL_PROBE_HUB_H

#include <deque>
#include <functional>

#include "model/c_models.h"

class probe_hub
{
  public:
    probe_hub(std::function<struct cpu *(unsigned core)> core, unsigned cores);
    ~probe_hub();
    probe_hub(const probe_hub &) = delete;
    probe_hub &operator=(const probe_hub &) = delete;

    /* hit: the instruction at pc is about to execute. Returns the listener's number. */
    unsigned listen(std::function<void(unsigned core, uint64_t pc)> hit);
    /* Once the cores exist. pc is a physical address too: guests map their code flat. */
    void add(unsigned listener, uint64_t pc);
    /* Before the first instruction. */
    void attach();

  private:
    struct listener {
        struct probe_set wanted;
        std::function<void(unsigned core, uint64_t pc)> hit;
    };

    std::function<struct cpu *(unsigned core)> core_;
    unsigned cores_;
    struct probe_set all_ = {};
    std::deque<listener> listeners_;
};

#endif
