/*
 * What a run was at work on: the timeline (trace/trace_file.h) and the profile (trace/call_stack.h) of a platform, from
 * probes at the guest's functions and the observers of cores, SMMU and DMA channels. Nothing here has an influence on
 * the simulation.
 */
#ifndef DMASIM_MODEL_ACTIVITY_WATCH_H
#define DMASIM_MODEL_ACTIVITY_WATCH_H

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "model/c_models.h"
#include "model/platform.h"
#include "model/probe_hub.h"

extern "C" {
#include "trace/call_stack.h"
}

struct activity_surroundings {
    std::function<struct cpu *(unsigned core)> core;
    unsigned cores;
    class probe_hub *probes;
};

class activity_watch
{
  public:
    /* trace may be NULL: only a profile. */
    activity_watch(activity_surroundings around, const struct trace_options *trace, struct error_list &errors);
    ~activity_watch();
    activity_watch(const activity_watch &) = delete;
    activity_watch &operator=(const activity_watch &) = delete;

    struct smmu_observer queue_observer();
    struct sg_observer channel_observer();
    /* Before the first instruction: the cores exist, the program is loaded. */
    void begin(const struct elf_image &image);

    void region(unsigned core, const std::string &name, bool begins, uint64_t t_ps);
    /* A core's write to a device. */
    void device_access(unsigned core, const struct txn &txn);
    /* The run is over. */
    void collect(struct platform_result &result, struct error_list &errors);

  private:
    struct doorbell {
        uint64_t flow, first; /* its first command, counted from the start of the run */
    };
    struct queue {
        std::string entries; /* name of the counter */
        uint64_t produced = 0, consumed = 0;
        std::deque<doorbell> doorbells; /* not yet followed by a CMD_SYNC */
    };

    void add_probes(const struct elf_image &image);
    void probe_hit(unsigned core, uint64_t pc);
    uint32_t function_at(uint64_t pc) const;
    const char *function_name(uint32_t function) const;
    void need_track(uint32_t track, const std::string &name);
    void need_core_tracks(unsigned core);
    struct queue &queue_at(uint32_t number);
    uint64_t ring_doorbell(unsigned core, uint64_t t_ps);
    void produced(uint32_t number, uint32_t added, uint32_t entries, uint64_t t_ps);
    void consumed(unsigned engine, uint32_t number, uint8_t opcode, uint32_t entries, uint64_t from_ps, uint64_t to_ps);
    void channel_started(unsigned channel, uint64_t t_ps);

    activity_surroundings around_;
    struct trace_file *trace_ = nullptr;
    std::string trace_path_;
    struct call_stacks *calls_;
    unsigned listener_;
    const struct elf_image *image_ = nullptr;
    std::map<uint32_t, queue> queues_;
    std::map<unsigned, unsigned> channel_cores_; /* who wrote to a channel's CTRL last */
    std::map<std::string, int> region_names_;    /* names that the trace refers to */
    uint64_t flows_ = 0;
    unsigned writing_core_ = 0; /* to a device: the SMMU tells of entries from within the write */
};

#endif
