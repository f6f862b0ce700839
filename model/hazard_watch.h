/*
 * The hazard detector (hazard/hazard.h) of a platform: connects it to the caches, cores and SMMU, and turns what it has
 * found into text with the guest's symbols and source lines.
 */
#ifndef DMASIM_MODEL_HAZARD_WATCH_H
#define DMASIM_MODEL_HAZARD_WATCH_H

#include <functional>
#include <string>

#include "model/c_models.h"
#include "model/platform.h"
#include "model/probe_hub.h"

struct hazard_surroundings {
    struct cache *cache;
    std::function<struct cpu *(unsigned core)> core;
    unsigned cores;
    uint64_t ram_base, ram_bytes;
    std::function<uint64_t(unsigned core)> context;         /* what a core is at work on ... */
    std::function<std::string(uint64_t context)> case_name; /* ... by name */
    class probe_hub *probes;
};

class hazard_watch
{
  public:
    hazard_watch(const struct config *config, hazard_surroundings around);
    ~hazard_watch();
    hazard_watch(const hazard_watch &) = delete;
    hazard_watch &operator=(const hazard_watch &) = delete;

    struct translation_observer translation_observer();
    /* Before the first instruction: the cores exist, the program is loaded. */
    void begin(const struct elf_image &image, const char *path);

    void core_access(unsigned core, uint64_t pa, unsigned bytes, enum line_want want)
    {
        hazard_core_access(hazards_, core, pa, bytes, want);
    }
    void barrier(unsigned core, enum barrier_reach reach)
    {
        hazard_barrier(hazards_, core, reach);
    }
    /* A core's access to a device; a doorbell when it writes to a DMA master or SMMU. */
    void device_access(unsigned core, const struct txn &txn);
    /* The guest has ended by itself. */
    void end()
    {
        hazard_end(hazards_);
    }
    void collect(struct platform_result &result) const;

  private:
    struct hazard_host host();
    std::string describe(const struct hazard_place &place) const;
    std::string function_line(uint64_t pc) const;
    bool called_by(const struct elf_symbol &function, uint64_t link) const;

    hazard_surroundings around_;
    uint32_t smmu_requester_;
    uint32_t nic_requester_;
    uint64_t smmu_bytes_;
    struct hazards *hazards_;
    unsigned listener_;
    const struct elf_image *image_ = nullptr;
    struct elf_lines *lines_ = nullptr;
};

#endif
