#include "model/smmu_module.h"

#include <string>

translating_module::translating_module(sc_core::sc_module_name name)
    : sc_module(name), registers("registers"), masters("masters"), memory("memory")
{
    registers.register_b_transport(this, &translating_module::access_transport);
    masters.register_b_transport(this, &translating_module::master_transport);
}

struct mem_port translating_module::memory_port()
{
    struct mem_port port = {};

    port.ctx = this;
    port.access = [](void *ctx, struct txn *txn) {
        translating_module *self = static_cast<translating_module *>(ctx);
        self->sender_.send(self->memory, *txn);
    };
    return port;
}

void translating_module::access_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
{
    struct txn txn = txn_of_payload(payload, delay);

    access(&txn);
    answer_payload(payload, delay, txn);
}

void translating_module::master_transport(int, tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
{
    struct txn txn = txn_of_payload(payload, delay);

    translate(&txn);
    answer_payload(payload, delay, txn);
}

smmu_module::smmu_module(sc_core::sc_module_name name, const struct smmu_config &config, const struct irq_port &irq,
                         class horizon &horizon, std::function<void(uint64_t at_ps)> sev, struct error_list &errors)
    : translating_module(name), horizon_(horizon), sev_(std::move(sev))
{
    struct smmu_ports ports = {};
    std::vector<struct time_port> times;

    for (unsigned engine = 0; engine < config.engines; engine++) {
        events_.push_back(std::make_unique<event_set>(horizon, SMMU_ENGINE_EVENTS));
        times.push_back(events_.back()->port());
    }
    ports.memory = memory_port();
    ports.engines = times.data();
    ports.irq = irq;
    ports.sev_ctx = this;
    ports.sev = [](void *ctx, uint64_t at_ps) { static_cast<smmu_module *>(ctx)->sev_(at_ps); };
    smmu_ = smmu_create(&config, &ports, &errors);
    for (unsigned engine = 0; smmu_ && engine < config.engines; engine++)
        sc_core::sc_spawn(
            [this, engine] {
                horizon_.refresh();
                smmu_engine_run(smmu_, engine);
            },
            ("engine" + std::to_string(engine)).c_str());
}

smmu_module::~smmu_module()
{
    smmu_destroy(smmu_);
}

void smmu_module::access(struct txn *txn)
{
    smmu_access(smmu_, txn);
}

void smmu_module::translate(struct txn *txn)
{
    smmu_translate(smmu_, txn);
}

void smmu_module::observe(const struct translation_observer &observer)
{
    smmu_observe(smmu_, &observer);
}

void smmu_module::observe_queues(const struct smmu_observer &observer)
{
    smmu_observe_queues(smmu_, &observer);
}

std::string smmu_module::waiting() const
{
    static const char *const errors[] = {"no error", "CERROR_ILL", "CERROR_ABT", "CERROR_ATC_INV_SYNC"};
    struct smmu_queue_state state;
    std::string text;

    for (uint32_t queue = 0; smmu_queue_state(smmu_, queue, &state); queue++) {
        if (!state.stopped && !state.entries)
            continue;
        char line[160];
        snprintf(line, sizeof(line), "; %s %u %s, %u entries, PROD 0x%x, CONS 0x%x", queue ? "ECMDQ" : "CMDQ",
                 queue ? queue - 1 : 0,
                 state.stopped   ? (std::string("is stopped by ") + errors[state.error & 3]).c_str()
                 : state.enabled ? "is at work"
                                 : "is disabled",
                 state.entries, state.prod, state.cons);
        text += line;
    }
    return text;
}

struct smmu_statistics smmu_module::statistics() const
{
    const struct smmu_counters *c = smmu_counters(smmu_);

    return {c->tlbi, c->cfgi, c->sync, c->events, smmu_translator_counters(smmu_)->walks, c->entry_ps};
}

mmu500_module::mmu500_module(sc_core::sc_module_name name, const struct mmu500_config &config,
                             const struct irq_port &irq, struct error_list &errors)
    : translating_module(name)
{
    struct mem_port port = memory_port();

    mmu500_ = mmu500_create(&config, &port, &irq, &errors);
}

mmu500_module::~mmu500_module()
{
    mmu500_destroy(mmu500_);
}

void mmu500_module::access(struct txn *txn)
{
    mmu500_access(mmu500_, txn);
}

void mmu500_module::translate(struct txn *txn)
{
    mmu500_translate(mmu500_, txn);
}

void mmu500_module::observe(const struct translation_observer &observer)
{
    mmu500_observe(mmu500_, &observer);
}

struct smmu_statistics mmu500_module::statistics() const
{
    const struct mmu500_counters *c = mmu500_counters(mmu500_);

    return {c->tlbi, 0, c->sync, c->faults, 0, 0};
}
