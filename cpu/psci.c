#include "cpu/psci.h"

#include "cpu/exec.h"

/* Function identifiers (DEN 0022 5.1): W is the SMC32 form, X the SMC64 form. */
enum {
    PSCI_VERSION = 0x84000000,
    CPU_SUSPEND_W = 0x84000001,
    CPU_OFF = 0x84000002,
    CPU_ON_W = 0x84000003,
    AFFINITY_INFO_W = 0x84000004,
    MIGRATE_INFO_TYPE = 0x84000006,
    SYSTEM_OFF = 0x84000008,
    SYSTEM_RESET = 0x84000009,
    PSCI_FEATURES = 0x8400000A,
    CPU_SUSPEND_X = 0xC4000001,
    CPU_ON_X = 0xC4000003,
    AFFINITY_INFO_X = 0xC4000004,
    SMC64 = 0x40000000,
};

enum {
    SUCCESS = 0,
    NOT_SUPPORTED = -1,
    INVALID_PARAMETERS = -2,
    ALREADY_ON = -4,
};

enum { VERSION_1_1 = 1 << 16 | 1, MIGRATION_NOT_REQUIRED = 2, STATE_ON = 0, STATE_OFF = 1 };
enum { POWER_STATE_RESERVED = 0xFCFE0000u };
#define AFFINITY_FIELDS 0xFF00FFFFFFull

/* The core with these affinity fields; cores: none. */
static unsigned core_of(const struct psci *psci, uint64_t target)
{
    for (unsigned core = 0; core < psci->host.cores; core++)
        if ((psci->host.mpidr[core] & AFFINITY_FIELDS) == target)
            return core;
    return psci->host.cores;
}

static int64_t cpu_on(struct psci *psci, struct cpu *cpu, uint64_t target, uint64_t entry, uint64_t context)
{
    unsigned core = core_of(psci, target);

    if (core == psci->host.cores || entry & 3)
        return INVALID_PARAMETERS;
    if (psci->on[core])
        return ALREADY_ON;
    psci->on[core] = true;
    psci->host.start_core(psci->host.ctx, core, entry, context, cpu_now_ps(cpu));
    return SUCCESS;
}

/* The timers lose their power with the core. */
static void cpu_off(struct psci *psci, struct cpu *cpu)
{
    psci->on[cpu->config.index] = false;
    cpu->sys.cntp_ctl = cpu->sys.cntv_ctl = 0;
    timer_update(cpu, cpu->now_ps);
    cpu_request_stop(cpu);
}

/* Every state is a standby state: it ends with the next interrupt, and nothing is lost. */
static int64_t cpu_suspend(struct cpu *cpu, uint64_t power_state)
{
    if (power_state & POWER_STATE_RESERVED)
        return INVALID_PARAMETERS;
    exec_wfi(cpu, NULL, 0);
    return SUCCESS;
}

/* Above level 0 there is always one core that runs: who asks. */
static int64_t affinity_info(const struct psci *psci, uint64_t target, uint64_t level)
{
    unsigned core = core_of(psci, target);

    if (level)
        return STATE_ON;
    if (core == psci->host.cores)
        return INVALID_PARAMETERS;
    return psci->on[core] ? STATE_ON : STATE_OFF;
}

static int64_t features(uint32_t function)
{
    switch (function) {
    case PSCI_VERSION:
    case CPU_SUSPEND_W:
    case CPU_SUSPEND_X:
    case CPU_OFF:
    case CPU_ON_W:
    case CPU_ON_X:
    case AFFINITY_INFO_W:
    case AFFINITY_INFO_X:
    case MIGRATE_INFO_TYPE:
    case SYSTEM_OFF:
    case SYSTEM_RESET:
    case PSCI_FEATURES:
        return SUCCESS;
    default:
        return NOT_SUPPORTED;
    }
}

static int64_t dispatch(struct psci *psci, struct cpu *cpu, uint32_t function, uint64_t x1, uint64_t x2, uint64_t x3)
{
    switch (function) {
    case PSCI_VERSION:
        return VERSION_1_1;
    case CPU_SUSPEND_W:
    case CPU_SUSPEND_X:
        return cpu_suspend(cpu, x1);
    case CPU_OFF:
        cpu_off(psci, cpu);
        return SUCCESS;
    case CPU_ON_W:
    case CPU_ON_X:
        return cpu_on(psci, cpu, x1, x2, x3);
    case AFFINITY_INFO_W:
    case AFFINITY_INFO_X:
        return affinity_info(psci, x1, x2);
    case MIGRATE_INFO_TYPE:
        return MIGRATION_NOT_REQUIRED;
    case SYSTEM_OFF:
    case SYSTEM_RESET:
        psci->host.system_off(psci->host.ctx);
        return SUCCESS;
    case PSCI_FEATURES:
        return features((uint32_t)x1);
    default:
        return NOT_SUPPORTED;
    }
}

static void call(void *ctx, struct cpu *cpu)
{
    uint32_t function = (uint32_t)cpu->x[0];
    uint64_t arguments = function & SMC64 ? ~0ull : ~0u;

    cpu->x[0] =
        (uint64_t)dispatch(ctx, cpu, function, cpu->x[1] & arguments, cpu->x[2] & arguments, cpu->x[3] & arguments);
}

struct cpu_firmware psci_port(struct psci *psci)
{
    psci->on[0] = true;
    return (struct cpu_firmware){psci, psci->host.el == 2 ? CPU_CONDUIT_SMC : CPU_CONDUIT_HVC, call};
}
