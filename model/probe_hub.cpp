#include "model/probe_hub.h"

probe_hub::probe_hub(std::function<struct cpu *(unsigned core)> core, unsigned cores)
    : core_(std::move(core)), cores_(cores)
{
    all_.ctx = this;
    all_.hit = [](void *ctx, unsigned core, uint64_t pc) {
        for (listener &listener : static_cast<probe_hub *>(ctx)->listeners_)
            if (probe_set_has(&listener.wanted, pc))
                listener.hit(core, pc);
    };
}

probe_hub::~probe_hub()
{
    for (listener &listener : listeners_)
        probe_set_free(&listener.wanted);
    probe_set_free(&all_);
}

unsigned probe_hub::listen(std::function<void(unsigned core, uint64_t pc)> hit)
{
    listeners_.push_back({{}, std::move(hit)});
    return static_cast<unsigned>(listeners_.size() - 1);
}

void probe_hub::add(unsigned listener, uint64_t pc)
{
    probe_set_add(&listeners_[listener].wanted, pc);
    probe_set_add(&all_, pc);
    for (unsigned core = 0; core < cores_; core++)
        cpu_probe_added(core_(core), pc);
}

void probe_hub::attach()
{
    for (unsigned core = 0; core < cores_ && !listeners_.empty(); core++)
        cpu_attach_probes(core_(core), &all_);
}
