#include "model/core_module.h"

#include <algorithm>

#include "model/activity_watch.h"
#include "model/hazard_watch.h"

static core_module *self(void *ctx)
{
    return static_cast<core_module *>(ctx);
}

core_module::core_module(sc_core::sc_module_name name, const struct cpu_config &config, core_surroundings &surroundings,
                         const struct cpu_semihost &semihost, struct error_list &errors)
    : sc_module(name), coherent("coherent"), bus("bus"), index_(config.index), around_(surroundings),
      request_(new coherence_extension)
{
    struct core_bus port = bus_port();

    request_->core = index_;
    payload_.set_extension(request_);
    payload_.set_command(tlm::TLM_READ_COMMAND);
    payload_.set_data_length(LINE_BYTES);
    payload_.set_streaming_width(LINE_BYTES);
    cpu_ = cpu_create(&config, &port, &semihost, &errors);
    if (cpu_) {
        struct core_bus_client client = cpu_bus_client(cpu_);
        struct cache_waiter waiter = {};
        waiter.ctx = this;
        waiter.turn = [](void *c, uint64_t at_ps) { self(c)->turn(at_ps); };
        cache_attach_core(around_.cache, index_, &client);
        cache_attach_waiter(around_.cache, index_, &waiter);
    }
    SC_THREAD(run);
    SC_METHOD(raise_irq);
    sensitive << raise_irq_event_;
    dont_initialize();
}

core_module::~core_module()
{
    payload_.clear_extension(request_);
    delete request_;
    cpu_destroy(cpu_);
}

void core_module::start(uint64_t pc, uint64_t x0, unsigned el, uint64_t at_ps)
{
    start_pc_ = pc;
    start_x0_ = x0;
    start_el_ = el;
    start_ps_ = at_ps;
    started_.notify(time_of_ps(at_ps > now_ps() ? at_ps - now_ps() : 0));
    around_.horizon->at(at_ps);
}

void core_module::reset()
{
    if (has_run_) {
        cpu_restart(cpu_, start_pc_, start_x0_, start_el_, now_ps());
    } else {
        cpu_reset(cpu_, start_pc_, start_x0_, start_el_);
        cpu_start_at(cpu_, now_ps());
    }
    has_run_ = true;
    cpu_set_irq(cpu_, irq_level_);
}

void core_module::run()
{
    for (;;) {
        while (start_ps_ > now_ps()) /* NEVER_PS until start() */
            sc_core::wait(started_);
        around_.horizon->refresh();
        start_ps_ = NEVER_PS;
        reset();
        around_.stopped(index_, cpu_run(cpu_));
    }
}

/* Private work with nothing else pending is cut here, so that limits are seen. */
static const uint64_t LONGEST_RUN_PS = PS_PER_MS;

uint64_t core_module::sync(uint64_t t_ps)
{
    around_.horizon->catch_up(t_ps);
    /* what a DSB has waited for takes effect now, not when somebody looks: an IC IVAU is never looked at */
    cache_advance(around_.cache, t_ps);
    if (t_ps > around_.time_limit_ps)
        around_.past_limit();
    uint64_t ahead = std::max(around_.horizon->next_ps(), t_ps + around_.run_ahead_ps);
    return std::min({ahead, t_ps + LONGEST_RUN_PS, irq_due_ps_});
}

void core_module::send_coherent(uint64_t addr)
{
    sc_core::sc_time delay;

    payload_.set_address(addr);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    coherent->b_transport(payload_, delay);
}

struct line_grant core_module::line(uint64_t pa, enum line_want want, uint64_t start_ps)
{
    struct line_grant grant;

    if (cache_line_private(around_.cache, index_, pa, want, start_ps, &grant))
        return grant;
    around_.horizon->catch_up(start_ps);
    uint64_t turn_ps = wait_for_turn(pa, want, start_ps);
    request_->what = coherence_extension::request::line;
    request_->want = want;
    request_->start_ps = turn_ps;
    send_coherent(pa);
    if (turn_ps > start_ps)
        request_->grant.turn_ps = turn_ps;
    return request_->grant;
}

/* Returns the time at which the line can be asked for. */
uint64_t core_module::wait_for_turn(uint64_t pa, enum line_want want, uint64_t start_ps)
{
    while (!cache_line_turn(around_.cache, index_, pa, want, start_ps)) {
        sc_core::wait(turn_event_);
        around_.horizon->refresh();
        start_ps = std::max(start_ps, now_ps());
    }
    return start_ps;
}

void core_module::turn(uint64_t at_ps)
{
    turn_event_.cancel();
    if (at_ps == NEVER_PS)
        return;
    turn_event_.notify(time_of_ps(at_ps > now_ps() ? at_ps - now_ps() : 0));
    around_.horizon->at(at_ps);
}

struct line_grant core_module::fetch(uint64_t pa, uint64_t start_ps)
{
    around_.horizon->catch_up(start_ps);
    request_->what = coherence_extension::request::fetch;
    request_->start_ps = start_ps;
    send_coherent(pa);
    return request_->grant;
}

struct cmo_times core_module::cmo(enum cmo_op op, uint64_t addr, uint64_t issue_ps)
{
    around_.horizon->catch_up(issue_ps);
    request_->what = coherence_extension::request::cmo;
    request_->operation = op;
    request_->start_ps = issue_ps;
    send_coherent(addr);
    return request_->times;
}

void core_module::access(struct txn *txn)
{
    around_.horizon->catch_up(txn->start_ps);
    txn->requester = index_;
    if (around_.hazards)
        around_.hazards->device_access(index_, *txn);
    if (around_.activity)
        around_.activity->device_access(index_, *txn);
    sender_.send(bus, *txn);
}

uint64_t core_module::broadcast(enum broadcast_kind kind, const struct tlbi_request *tlbi, uint64_t t_ps)
{
    around_.horizon->catch_up(t_ps);
    for (unsigned other = 0; other < around_.cores; other++) {
        if (other == index_)
            continue;
        if (kind == BROADCAST_SEV)
            cpu_send_event(around_.core(other), t_ps);
        else
            cpu_remote_tlbi(around_.core(other), tlbi);
    }
    return kind == BROADCAST_SEV ? t_ps : t_ps + around_.dvm_ps;
}

void core_module::wake(uint64_t at_ps)
{
    wake_event_.notify(time_of_ps(at_ps > now_ps() ? at_ps - now_ps() : 0));
    around_.horizon->at(at_ps);
}

void core_module::set_irq(bool level, uint64_t at_ps)
{
    irq_due_ps_ = level ? at_ps : NEVER_PS;
    if (!level) {
        raise_irq_event_.cancel();
        irq_level_ = false;
        cpu_set_irq(cpu_, false);
        return;
    }
    raise_irq_event_.notify(time_of_ps(at_ps > now_ps() ? at_ps - now_ps() : 0));
    around_.horizon->at(at_ps);
    cpu_sync_soon(cpu_);
}

void core_module::raise_irq()
{
    irq_due_ps_ = NEVER_PS;
    irq_level_ = true;
    cpu_set_irq(cpu_, true);
    wake_event_.notify();
}

uint64_t core_module::sleep(uint64_t t_ps, uint64_t until_ps)
{
    around_.horizon->wait_until(t_ps);
    while (!cpu_wants_wake(cpu_, now_ps()) && now_ps() < until_ps) {
        if (until_ps == NEVER_PS)
            sc_core::wait(wake_event_);
        else
            sc_core::wait(time_of_ps(until_ps - now_ps()), wake_event_);
        around_.horizon->refresh();
    }
    return std::max(t_ps, now_ps());
}

struct core_bus core_module::bus_port()
{
    struct core_bus port = {};

    port.ctx = this;
    port.sync = [](void *c, uint64_t t_ps) { return self(c)->sync(t_ps); };
    port.line = [](void *c, uint64_t pa, enum line_want want, uint64_t start_ps) {
        return self(c)->line(pa, want, start_ps);
    };
    port.fetch = [](void *c, uint64_t pa, uint64_t start_ps) { return self(c)->fetch(pa, start_ps); };
    port.access = [](void *c, struct txn *txn) { self(c)->access(txn); };
    port.cmo = [](void *c, enum cmo_op op, uint64_t addr, uint64_t issue_ps) {
        return self(c)->cmo(op, addr, issue_ps);
    };
    port.cmo_drain = [](void *c, uint64_t t_ps) {
        return cache_cmo_drain(self(c)->around_.cache, self(c)->index_, t_ps);
    };
    port.monitor_arm = [](void *c, uint64_t pa) { cache_monitor_arm(self(c)->around_.cache, self(c)->index_, pa); };
    port.monitor_clear = [](void *c) { cache_monitor_clear(self(c)->around_.cache, self(c)->index_); };
    port.broadcast = [](void *c, enum broadcast_kind kind, const struct tlbi_request *tlbi, uint64_t t_ps) {
        return self(c)->broadcast(kind, tlbi, t_ps);
    };
    port.wake = [](void *c, uint64_t at_ps) { self(c)->wake(at_ps); };
    port.debug = [](void *c, uint64_t pa, void *data, uint64_t bytes, bool write) {
        struct cache *cache = self(c)->around_.cache;
        return write ? cache_debug_write(cache, pa, data, bytes) : cache_debug_read(cache, pa, data, bytes);
    };
    port.sleep = [](void *c, uint64_t t_ps, uint64_t until_ps) { return self(c)->sleep(t_ps, until_ps); };
    port.gic_read = [](void *c, uint16_t encoding, uint64_t *value, uint64_t t_ps) {
        self(c)->around_.horizon->catch_up(t_ps);
        return gic_cpu_read(self(c)->around_.gic, self(c)->index_, encoding, value, t_ps);
    };
    port.gic_write = [](void *c, uint16_t encoding, uint64_t value, uint64_t t_ps) {
        self(c)->around_.horizon->catch_up(t_ps);
        return gic_cpu_write(self(c)->around_.gic, self(c)->index_, encoding, value, t_ps);
    };
    if (around_.hazards) {
        port.observe = [](void *c, uint64_t pa, unsigned bytes, enum line_want want) {
            self(c)->around_.hazards->core_access(self(c)->index_, pa, bytes, want);
        };
        port.barrier = [](void *c, enum barrier_reach reach) {
            self(c)->around_.hazards->barrier(self(c)->index_, reach);
        };
    }
    port.set_ppi = [](void *c, unsigned intid, bool level, uint64_t at_ps) {
        gic_set(self(c)->around_.gic, self(c)->index_, intid, level, at_ps);
    };
    return port;
}
