#include "model/active_part.h"

#include "model/txn_extension.h"

void horizon::refresh()
{
    sc_core::sc_simcontext *context = sc_core::sc_get_curr_simcontext();
    uint64_t now = now_ps();

    if (sc_core::sc_pending_activity_at_current_time(context))
        next_ps_ = now;
    else if (sc_core::sc_pending_activity_at_future_time(context))
        next_ps_ = now + sc_core::sc_time_to_pending_activity(context).value();
    else
        next_ps_ = NEVER_PS;
}

void horizon::wait_until(uint64_t ps)
{
    uint64_t now = now_ps();

    if (ps > now)
        sc_core::wait(time_of_ps(ps - now));
    refresh();
}

event_set::event_set(horizon &horizon, unsigned events) : horizon_(horizon)
{
    for (unsigned i = 0; i < events; i++)
        items_.push_back(std::make_unique<item>());
}

void event_set::notify(unsigned event, uint64_t at_ps)
{
    item &item = *items_[event];
    uint64_t at = at_ps > now_ps() ? at_ps : now_ps();

    if (at >= item.due_ps)
        return;
    item.due_ps = at;
    item.event.notify(time_of_ps(at - now_ps()));
    horizon_.at(at);
}

bool event_set::wait_event(unsigned event, uint64_t until_ps)
{
    item &item = *items_[event];

    while (item.due_ps > now_ps()) {
        if (until_ps == NEVER_PS)
            sc_core::wait(item.event);
        else if (until_ps > now_ps())
            sc_core::wait(time_of_ps(until_ps - now_ps()), item.event);
        horizon_.refresh();
        if (item.due_ps > now_ps() && until_ps <= now_ps())
            return false;
    }
    item.due_ps = NEVER_PS;
    return true;
}

struct time_port event_set::port()
{
    struct time_port port = {};

    port.ctx = this;
    port.now = [](void *) { return now_ps(); };
    port.wait_until = [](void *ctx, uint64_t ps) { static_cast<event_set *>(ctx)->horizon_.wait_until(ps); };
    port.notify = [](void *ctx, unsigned event, uint64_t at_ps) {
        static_cast<event_set *>(ctx)->notify(event, at_ps);
    };
    port.wait_event = [](void *ctx, unsigned event, uint64_t until_ps) {
        return static_cast<event_set *>(ctx)->wait_event(event, until_ps);
    };
    return port;
}
