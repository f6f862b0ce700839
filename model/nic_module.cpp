#include "model/nic_module.h"

#include <string>
#include <vector>

nic_module::nic_module(sc_core::sc_module_name name, const struct nic_config &config, const struct irq_port &irq,
                       class horizon &horizon)
    : sc_module(name), registers("registers"), memory("memory"), horizon_(horizon), events_(horizon, NIC_EVENTS)
{
    struct mem_port port = {};
    std::vector<struct time_port> times(NIC_PARTS, events_.port());

    port.ctx = this;
    port.access = [](void *ctx, struct txn *txn) {
        nic_module *self = static_cast<nic_module *>(ctx);
        self->sender_.send(self->memory, *txn);
    };
    nic_ = nic_create(&config, &port, times.data(), &irq);
    registers.register_b_transport(this, &nic_module::transport);
    for (unsigned part = 0; part < NIC_PARTS; part++)
        sc_core::sc_spawn(
            [this, part] {
                horizon_.refresh();
                nic_run(nic_, static_cast<enum nic_part>(part));
            },
            ("part" + std::to_string(part)).c_str());
}

nic_module::~nic_module()
{
    nic_destroy(nic_);
}

void nic_module::transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
{
    struct txn txn = txn_of_payload(payload, delay);

    nic_access(nic_, &txn);
    answer_payload(payload, delay, txn);
}
