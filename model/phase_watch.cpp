#include "model/phase_watch.h"

#include <cstdlib>
#include <cstring>

extern "C" {
#include "kernel-shim/include/simctl.h"
}

const char *const phase_part_names[PHASE_PARTS] = {"compute",    "cache_miss", "mmio",     "lock_cas",
                                                   "queue_full", "owner_wait", "sync_wait"};

static const enum phase_part part_of_phase[PHASES] = {
    PHASE_PART_COMPUTE,    /* PHASE_WORK */
    PHASE_PART_LOCK_CAS,   /* PHASE_LOCK_CAS */
    PHASE_PART_QUEUE_FULL, /* PHASE_QUEUE_FULL */
    PHASE_PART_OWNER_WAIT, /* PHASE_OWNER_WAIT */
    PHASE_PART_MMIO,       /* PHASE_DOORBELL */
    PHASE_PART_SYNC_WAIT,  /* PHASE_SYNC_WAIT */
};

phase_watch::phase_watch(phase_surroundings around) : around_(std::move(around)), cores_(around_.cores)
{
    listener_ = around_.probes->listen([this](unsigned core, uint64_t pc) {
        if (open_)
            account(core);
        cores_[core].phase = phase_at_[pc];
    });
}

void phase_watch::begin(const struct elf_image &image)
{
    size_t bytes = 0;
    const uint8_t *marks = elf_image_section(&image, ".sim_phases", &bytes);

    for (size_t at = 0; at + 16 <= bytes; at += 16) {
        uint64_t pair[2]; /* address, phase */
        memcpy(pair, marks + at, sizeof(pair));
        if (pair[0] == 0 || pair[1] >= PHASES || !phase_at_.emplace(pair[0], pair[1]).second)
            continue;
        around_.probes->add(listener_, pair[0]);
    }
}

void phase_watch::account(unsigned core)
{
    core_account &account = cores_[core];
    uint64_t now_ps[STACK_PARTS];

    cpu_stack(around_.core(core), now_ps);
    for (unsigned part = 0; part < STACK_PARTS; part++) {
        enum phase_part to = part_of_phase[account.phase];
        if (account.phase == PHASE_WORK && part == STACK_CACHE_MISS)
            to = PHASE_PART_CACHE_MISS;
        if (account.phase == PHASE_WORK && part == STACK_MMIO)
            to = PHASE_PART_MMIO;
        account.part_ps[to] += now_ps[part] - account.stack_ps[part];
    }
    memcpy(account.stack_ps, now_ps, sizeof(now_ps));
}

void phase_watch::window(bool open, uint64_t t_ps)
{
    uint64_t entry_ps = around_.smmu().entry_ps;

    if (open == open_)
        return;
    for (unsigned core = 0; core < around_.cores; core++)
        if (open)
            cpu_stack(around_.core(core), cores_[core].stack_ps);
        else
            account(core);
    open_ = open;
    used_ = true;
    (open ? begin_ps_ : end_ps_) = t_ps;
    (open ? begin_entry_ps_ : end_entry_ps_) = entry_ps;
}

void phase_watch::collect(struct platform_result &result) const
{
    if (!used_ || open_ || phase_at_.empty() || end_ps_ <= begin_ps_)
        return;
    result.phases = static_cast<struct platform_phases *>(calloc(cores_.size(), sizeof(*result.phases)));
    for (unsigned core = 0; core < cores_.size(); core++) {
        struct platform_phases &out = result.phases[result.phase_count++];
        out.core = core;
        memcpy(out.part_ps, cores_[core].part_ps, sizeof(out.part_ps));
    }
    result.queue_entries =
        static_cast<double>(end_entry_ps_ - begin_entry_ps_) / static_cast<double>(end_ps_ - begin_ps_);
}
