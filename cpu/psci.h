/*
 * The firmware of `dmasim exec`: PSCI 1.1 (Arm DEN 0022), as QEMU's virt machine offers it. A platform attaches it to
 * its cores with the conduit that fits the level at which programs are entered: HVC at EL1, SMC at EL2.
 */
#ifndef DMASIM_CPU_PSCI_H
#define DMASIM_CPU_PSCI_H

#include "cpu/cpu.h"

#define PSCI_CORES_MOST 128u

struct psci_host {
    void *ctx;
    unsigned cores;
    const uint64_t *mpidr; /* affinity fields of each core; must outlive the firmware */
    unsigned el;           /* at which cores are entered */
    /* Core begins at entry with X0 = context at t_ps; it is off. */
    void (*start_core)(void *ctx, unsigned core, uint64_t entry, uint64_t context, uint64_t t_ps);
    /* SYSTEM_OFF, SYSTEM_RESET: the machine stops. */
    void (*system_off)(void *ctx);
};

struct psci {
    struct psci_host host;
    bool on[PSCI_CORES_MOST]; /* core 0 from the start */
};

/* psci->host is filled in; psci must outlive the cores. */
struct cpu_firmware psci_port(struct psci *psci);

#endif
