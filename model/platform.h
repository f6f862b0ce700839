/*
 * The platform: a modelled SoC built from a configuration, a guest in it, one run. C API over the SystemC model.
 *
 * SystemC allows one elaboration per process, so a process builds one platform, runs it once and ends; the command
 * forks a child per run.
 */
#ifndef DMASIM_MODEL_PLATFORM_H
#define DMASIM_MODEL_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "cache/cache.h"
#include "common/config.h"
#include "common/error_list.h"
#include "cpu/cpu.h"
#include "trace/trace_file.h"

struct platform_parameter {
    const char *name;
    uint64_t value;
};

/* What a run needs besides the configuration. */
struct platform_guest {
    const char *elf_path;
    const struct platform_parameter *parameters; /* for the simulation-control device */
    size_t parameter_count;
    bool bare; /* dmasim exec: enter at EL1 (or exec.el) with a device tree in X0 and semihosting; false: kernel-shim
                  guest */
    const struct trace_options *trace; /* NULL: no timeline */
    bool profile;                      /* fill result->chains */
    const char *command_line;          /* semihosting SYS_GET_CMDLINE; may be NULL */
    const char *arguments;    /* the device tree's bootargs; may be NULL */
};

/* What the SMMU did; all zero without one. */
struct smmu_statistics {
    uint64_t tlbi, cfgi, sync; /* commands or register writes executed */
    uint64_t events;           /* records written; faults of an MMU-500 */
    uint64_t walks;
    uint64_t entry_ps; /* entries in the command queues, summed over time */
};

/* Statistics of one region (simctl.h), over all cores. */
struct platform_region {
    char *name; /* the result's case */
    uint64_t samples;
    uint64_t total_ps;
    uint64_t p99_ps; /* 99 % of the samples took no longer; 0: fewer than 1000 samples */
    uint64_t stack_ps[STACK_PARTS];
    struct cpu_counters counters;
    struct smmu_statistics smmu; /* what the SMMU did meanwhile, for whomever */
};

/* One VALUE_EMIT. */
struct platform_value {
    char *case_name, *metric, *unit;
    int64_t value;
    uint64_t scale;
};

/* Where a core's time went while the guest accounted its phases (simctl.h). */
enum phase_part {
    PHASE_PART_COMPUTE, /* PHASE_WORK without what the next two take */
    PHASE_PART_CACHE_MISS,
    PHASE_PART_MMIO, /* and PHASE_DOORBELL */
    PHASE_PART_LOCK_CAS,
    PHASE_PART_QUEUE_FULL,
    PHASE_PART_OWNER_WAIT,
    PHASE_PART_SYNC_WAIT,
    PHASE_PARTS,
};
extern const char *const phase_part_names[PHASE_PARTS]; /* "compute", "cache_miss", ... */
struct platform_phases {
    unsigned core;
    uint64_t part_ps[PHASE_PARTS];
};

/* What the hazard detector found: one entry for each kind, place and cause. */
struct platform_hazard {
    const char *kind, *what, *missing, *cause_what; /* cause_what: the noun of the earlier action; empty: unknown */
    char *case_name;                                /* of the region that was open; may be empty */
    char *where, *cause;                            /* "function (file:line)"; may be empty */
    uint64_t count, first_ps;
    unsigned core;
    uint64_t address;
    uint64_t window_ps; /* 0: the kind has none */
};

/* Simulated time that passed in a chain of calls, all cores together. */
struct platform_chain {
    char *functions; /* "outermost;...;innermost" */
    uint64_t ps;
};

enum platform_end {
    PLATFORM_EXIT,         /* the guest ended with exit_status */
    PLATFORM_CHECK_FAILED, /* SIMCTL_CHECK_FAIL; message says what */
    PLATFORM_INSTRUCTION_LIMIT,
    PLATFORM_TIME_LIMIT,
    PLATFORM_STUCK,       /* nothing can happen any more; message says who waits for what */
    PLATFORM_GUEST_FAULT, /* exception without handler, e.g. a loop in the vectors; message has ESR, ELR, FAR, function
                           */
    PLATFORM_FAILED,      /* internal error */
};

struct platform_result {
    enum platform_end end;
    uint64_t exit_status;
    char *message;
    struct platform_region *regions;
    size_t region_count;
    struct platform_value *values;
    size_t value_count;
    struct platform_phases *phases; /* of each core, when the guest accounts any */
    size_t phase_count;
    double queue_entries; /* mean of the entries in the command queues meanwhile */
    struct platform_hazard *hazards;
    size_t hazard_count;
    struct platform_chain *chains; /* none without a wish for a profile */
    size_t chain_count;
    uint64_t trace_cut_ps; /* where its limit of events has cut the trace; 0: nowhere */
    uint64_t simulated_ps;
    uint64_t instructions;        /* all cores */
    struct cpu_counters counters; /* sum over cores */
    struct cache_counters cache;  /* sum over cores */
    struct smmu_statistics smmu;
    uint64_t stack_ps[STACK_PARTS]; /* sum over cores */
};

/* Console output of the guest (PL011, simctl, semihosting) goes here. */
struct platform_console {
    void *ctx;
    void (*write)(void *ctx, const char *text, size_t bytes);
};

/* Whether such a platform can be built; else false and every problem. As often as wanted: no SystemC. */
bool platform_check(const struct config *config, struct error_list *errors);

/*
 * Build, load, run, collect. False when the platform or guest was refused before the simulation began (errors says why,
 * every problem); true otherwise, with result->end. Only once per process.
 */
bool platform_run(const struct config *config, const struct platform_guest *guest,
                  const struct platform_console *console, struct platform_result *result, struct error_list *errors);
void platform_result_free(struct platform_result *result);

#ifdef __cplusplus
}
#endif

#endif
