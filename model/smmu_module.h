/*
 * SMMUs (smmu/smmu.h, smmu/mmu500.h) between the DMA masters and the bus: a socket for registers, one for the masters'
 * transactions, one for what leaves. The SMMUv3 has an SC_THREAD a command engine.
 */
#ifndef DMASIM_MODEL_SMMU_MODULE_H
#define DMASIM_MODEL_SMMU_MODULE_H

#include <string>

#include <functional>
#include <memory>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "model/active_part.h"
#include "model/platform.h"
#include "model/txn_extension.h"

/* What both kinds have. */
class translating_module : public sc_core::sc_module
{
  public:
    explicit translating_module(sc_core::sc_module_name name);

    tlm_utils::simple_target_socket<translating_module> registers;
    tlm_utils::multi_passthrough_target_socket<translating_module> masters;
    tlm_utils::simple_initiator_socket<translating_module> memory;

    /* What is under way or stopped, for a message; empty: nothing. */
    virtual std::string waiting() const
    {
        return "";
    }
    virtual struct smmu_statistics statistics() const = 0;
    virtual void observe(const struct translation_observer &observer) = 0;
    /* An MMU-500 has no queues. */
    virtual void observe_queues(const struct smmu_observer &) {}

  protected:
    virtual void access(struct txn *txn) = 0;
    virtual void translate(struct txn *txn) = 0;
    struct mem_port memory_port();

  private:
    void access_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    void master_transport(int id, tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);

    txn_sender sender_;
};

class smmu_module : public translating_module
{
  public:
    smmu_module(sc_core::sc_module_name name, const struct smmu_config &config, const struct irq_port &irq,
                class horizon &horizon, std::function<void(uint64_t at_ps)> sev, struct error_list &errors);
    ~smmu_module() override;
    std::string waiting() const override;
    struct smmu_statistics statistics() const override;
    void observe(const struct translation_observer &observer) override;
    void observe_queues(const struct smmu_observer &observer) override;

  private:
    void access(struct txn *txn) override;
    void translate(struct txn *txn) override;

    class horizon &horizon_;
    std::function<void(uint64_t at_ps)> sev_;
    std::vector<std::unique_ptr<event_set>> events_;
    struct smmu *smmu_;
};

class mmu500_module : public translating_module
{
  public:
    mmu500_module(sc_core::sc_module_name name, const struct mmu500_config &config, const struct irq_port &irq,
                  struct error_list &errors);
    ~mmu500_module() override;
    struct smmu_statistics statistics() const override;
    void observe(const struct translation_observer &observer) override;

  private:
    void access(struct txn *txn) override;
    void translate(struct txn *txn) override;

    struct mmu500 *mmu500_;
};

#endif
