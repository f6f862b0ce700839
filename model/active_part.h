/*
 * Time for the active parts: C code that blocks (cores, engines, DMA channels) runs in SC_THREADs and reaches SystemC
 * through here.
 *
 * The horizon is the time of the next activity of any other part. Until then nobody could see or change anything, so an
 * active part may run ahead of sc_time_stamp() without waiting, with exactly the result that waiting would give.
 */
#ifndef DMASIM_MODEL_ACTIVE_PART_H
#define DMASIM_MODEL_ACTIVE_PART_H

#include <memory>
#include <systemc>
#include <vector>

#include "model/c_models.h"

class horizon
{
  public:
    uint64_t next_ps() const
    {
        return next_ps_;
    }
    /* Something will happen at ps. */
    void at(uint64_t ps)
    {
        if (ps < next_ps_)
            next_ps_ = ps;
    }
    /* Ask the kernel; after every return from wait(). */
    void refresh();
    /* Block the calling SC_THREAD until ps, or not at all when nothing else happens before. */
    void catch_up(uint64_t ps)
    {
        if (ps >= next_ps_)
            wait_until(ps);
    }
    /* Block the calling SC_THREAD until ps. */
    void wait_until(uint64_t ps);

  private:
    uint64_t next_ps_ = 0;
};

/* Events 0..n-1 of one C model, and the time ports of its active parts (they share the events). */
class event_set
{
  public:
    event_set(horizon &horizon, unsigned events);
    struct time_port port();
    void notify(unsigned event, uint64_t at_ps);
    bool wait_event(unsigned event, uint64_t until_ps);

  private:
    struct item {
        sc_core::sc_event event;
        uint64_t due_ps = NEVER_PS; /* earliest notification not yet taken */
    };
    horizon &horizon_;
    std::vector<std::unique_ptr<item>> items_;
};

#endif
