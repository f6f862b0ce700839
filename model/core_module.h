/*
 * One core (cpu/cpu.h): an SC_THREAD, a socket to the coherent memory system and one to the system bus.
 *
 * Here lives the rule of synchronisation: a private action goes on at once; before a shared one the thread lets
 * simulated time catch up with the core's local time. See README.md.
 */
#ifndef DMASIM_MODEL_CORE_MODULE_H
#define DMASIM_MODEL_CORE_MODULE_H

#include <functional>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>

#include "model/active_part.h"
#include "model/coherence_extension.h"
#include "model/txn_extension.h"

/* What the cores of a platform share. */
struct core_surroundings {
    class horizon *horizon;
    struct cache *cache;
    struct gic *gic;
    uint64_t run_ahead_ps;
    uint64_t time_limit_ps;
    uint64_t dvm_ps;
    std::function<void(unsigned core, enum cpu_stop stop)> stopped; /* a core's cpu_run() has returned */
    std::function<void()> past_limit;                               /* a core has come beyond time_limit_ps */
    std::function<struct cpu *(unsigned core)> core;
    unsigned cores;
    class hazard_watch *hazards;    /* NULL: nobody judges the accesses */
    class activity_watch *activity; /* NULL: nobody wants a trace or a profile */
};

class core_module : public sc_core::sc_module
{
  public:
    core_module(sc_core::sc_module_name name, const struct cpu_config &config, core_surroundings &surroundings,
                const struct cpu_semihost &semihost, struct error_list &errors);
    ~core_module() override;

    tlm_utils::simple_initiator_socket<core_module> coherent;
    tlm_utils::simple_initiator_socket<core_module> bus;

    struct cpu *cpu() const
    {
        return cpu_;
    }

    /* Begin at pc with x0 at time at_ps; a core that was never started, or has stopped, sleeps. */
    void start(uint64_t pc, uint64_t x0, unsigned el, uint64_t at_ps);
    /* Something changed that may wake a sleeping core. */
    void wake(uint64_t at_ps);
    /* The IRQ input rises at at_ps, unless it falls before; it falls at once. */
    void set_irq(bool level, uint64_t at_ps);

  private:
    SC_HAS_PROCESS(core_module);
    void run();
    void reset();
    void raise_irq();
    uint64_t sync(uint64_t t_ps);
    struct line_grant line(uint64_t pa, enum line_want want, uint64_t start_ps);
    uint64_t wait_for_turn(uint64_t pa, enum line_want want, uint64_t start_ps);
    void turn(uint64_t at_ps);
    struct line_grant fetch(uint64_t pa, uint64_t start_ps);
    struct cmo_times cmo(enum cmo_op op, uint64_t addr, uint64_t issue_ps);
    void access(struct txn *txn);
    uint64_t broadcast(enum broadcast_kind kind, const struct tlbi_request *tlbi, uint64_t t_ps);
    uint64_t sleep(uint64_t t_ps, uint64_t until_ps);
    struct core_bus bus_port();
    void send_coherent(uint64_t addr);

    const unsigned index_;
    core_surroundings &around_;
    struct cpu *cpu_;
    txn_sender sender_;
    tlm::tlm_generic_payload payload_;
    coherence_extension *request_;
    sc_core::sc_event started_;
    sc_core::sc_event wake_event_;
    sc_core::sc_event turn_event_;
    sc_core::sc_event raise_irq_event_;
    uint64_t irq_due_ps_ = NEVER_PS; /* when the IRQ input will rise */
    bool irq_level_ = false;         /* outlives a reset of the core */
    bool has_run_ = false;
    uint64_t start_pc_ = 0, start_x0_ = 0, start_ps_ = NEVER_PS;
    unsigned start_el_ = 1;
};

#endif
