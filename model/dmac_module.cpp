#include "model/dmac_module.h"

dmac_module::dmac_module(sc_core::sc_module_name name, const struct sg_engine_config &config,
                         const struct irq_port &irq, class horizon &horizon)
    : sc_module(name), registers("registers"), memory("memory"), horizon_(horizon)
{
    struct mem_port port = {};
    std::vector<struct time_port> times;

    port.ctx = this;
    port.access = [](void *ctx, struct txn *txn) {
        dmac_module *self = static_cast<dmac_module *>(ctx);
        self->sender_.send(self->memory, *txn);
    };
    for (unsigned channel = 0; channel < config.channels; channel++) {
        events_.push_back(std::make_unique<event_set>(horizon, SG_ENGINE_EVENTS));
        times.push_back(events_.back()->port());
    }
    engine_ = sg_engine_create(&config, &port, times.data(), &irq);
    registers.register_b_transport(this, &dmac_module::transport);
    for (unsigned channel = 0; channel < config.channels; channel++)
        sc_core::sc_spawn(
            [this, channel] {
                horizon_.refresh();
                sg_engine_run(engine_, channel);
            },
            ("channel" + std::to_string(channel)).c_str());
}

dmac_module::~dmac_module()
{
    sg_engine_destroy(engine_);
}

void dmac_module::transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
{
    struct txn txn = txn_of_payload(payload, delay);

    sg_engine_access(engine_, &txn);
    answer_payload(payload, delay, txn);
}
