/*
 * Semihosting (Arm "Semihosting for AArch32 and AArch64"): HLT #0xF000 with the operation in W0 and its parameter in
 * X1. Console, clock, command line and exit; files of the host are not reachable.
 */
#ifndef DMASIM_CPU_SEMIHOST_H
#define DMASIM_CPU_SEMIHOST_H

#include "cpu/cpu.h"

struct semihost_host {
    void *ctx;
    void (*write)(void *ctx, const char *text, size_t bytes);
    void (*exit)(void *ctx, struct cpu *cpu, uint64_t status);
    const char *command_line; /* may be NULL */
};

struct semihost {
    struct semihost_host host;
    uint64_t last_error;
    uint64_t position; /* in the features file */
};

struct cpu_semihost semihost_port(struct semihost *semihost);

#endif
