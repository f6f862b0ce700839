/*
 * Accounts the time of each core by the phases that the guest marks (kernel-shim/include/simctl.h). Probes at the marks
 * and the cores' cycle stacks tell it all; simulated time is not touched.
 */
#ifndef DMASIM_MODEL_PHASE_WATCH_H
#define DMASIM_MODEL_PHASE_WATCH_H

#include <functional>
#include <unordered_map>
#include <vector>

#include "model/platform.h"
#include "model/probe_hub.h"

extern "C" {
#include "cpu/elf_image.h"
}

struct phase_surroundings {
    std::function<struct cpu *(unsigned core)> core;
    unsigned cores;
    class probe_hub *probes;
    std::function<struct smmu_statistics()> smmu;
};

class phase_watch
{
  public:
    explicit phase_watch(phase_surroundings around);
    /* The guest is loaded: find its marks. */
    void begin(const struct elf_image &image);
    /* PHASE_WINDOW was written. */
    void window(bool open, uint64_t t_ps);
    void collect(struct platform_result &result) const;

  private:
    struct core_account {
        uint64_t phase = 0;
        uint64_t stack_ps[STACK_PARTS] = {}; /* accounted up to here */
        uint64_t part_ps[PHASE_PARTS] = {};
    };

    void account(unsigned core);

    phase_surroundings around_;
    unsigned listener_;
    std::unordered_map<uint64_t, uint64_t> phase_at_;
    std::vector<core_account> cores_;
    bool open_ = false, used_ = false;
    uint64_t begin_ps_ = 0, end_ps_ = 0, begin_entry_ps_ = 0, end_entry_ps_ = 0;
};

#endif
