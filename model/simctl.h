/*
 * The simulation-control device (kernel-shim/include/simctl.h): parameters in; console, regions, values, exit out.
 */
#ifndef DMASIM_MODEL_SIMCTL_H
#define DMASIM_MODEL_SIMCTL_H

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/c_models.h"
#include "model/platform.h"

struct simctl_host {
    std::function<struct cpu *(unsigned core)> core;
    std::function<void(uint64_t status, uint64_t t_ps)> exit;
    std::function<void(const std::string &message)> fail;
    std::function<void(unsigned core, uint64_t entry, uint64_t t_ps)> start_core;
    std::function<void(const char *text, size_t bytes)> console;
    unsigned cores;
    uint64_t ram_base, ram_bytes;
    const struct config *config;
    std::function<void(bool open, uint64_t t_ps)> phase_window;
    std::function<struct smmu_statistics()> smmu;
    std::function<void(unsigned core, const std::string &name, bool begins, uint64_t t_ps)> region; /* may be empty */
};

class simctl
{
  public:
    simctl(simctl_host host, const struct platform_guest &guest);

    /* One register access; txn->addr is the offset. */
    void access(struct txn *txn);
    /* The region that core began last and has not ended, + 1; 0: none. */
    uint64_t latest_region(unsigned core) const;
    /* Of such a number. */
    std::string region_name(uint64_t number) const;
    /* Moves regions (those with samples) and values into the result. */
    void collect(struct platform_result &result);

  private:
    struct open_region {
        bool open = false;
        uint64_t begin_ps = 0;
        uint64_t stack_ps[STACK_PARTS] = {};
        struct cpu_counters counters = {};
        struct smmu_statistics smmu = {};
    };
    struct region {
        std::string name;
        uint64_t samples = 0, total_ps = 0;
        std::vector<uint64_t> sample_ps;
        uint64_t stack_ps[STACK_PARTS] = {};
        struct cpu_counters counters = {};
        struct smmu_statistics smmu = {};
        std::map<unsigned, open_region> by_core;
    };
    struct value {
        std::string case_name, metric, unit;
        int64_t value;
        uint64_t scale;
    };

    uint64_t read(uint64_t offset, unsigned core, uint64_t t_ps) const;
    void write(uint64_t offset, uint64_t value, unsigned core, uint64_t t_ps);
    std::string guest_string(unsigned core, uint64_t va) const;
    void find_parameter(const std::string &name);
    void begin(unsigned core, uint64_t number, uint64_t t_ps);
    void end(unsigned core, uint64_t number, uint64_t t_ps);
    region &region_at(uint64_t number);

    simctl_host host_;
    std::map<std::string, uint64_t> parameters_;
    std::map<uint64_t, region> regions_;
    std::vector<value> values_;
    uint64_t selected_ = 0;
    bool found_ = false;
    uint64_t parameter_ = 0;
    std::string case_, name_, unit_;
    uint64_t scale_ = 1;
};

#endif
