/*
 * Probes: instruction addresses at which somebody outside is told before the instruction executes. They cost no
 * simulated time, and no host time where there is none: the decoded instruction itself is marked.
 */
#ifndef DMASIM_CPU_PROBE_H
#define DMASIM_CPU_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/* One set serves all cores of a platform. hit may read the core's registers and memory, nothing else. */
struct probe_set {
    void *ctx;
    void (*hit)(void *ctx, unsigned core, uint64_t pc);
    uint64_t *pa; /* open addressing; 0: empty */
    uint32_t capacity, count;
};

/* Physical addresses, word-aligned, not 0. */
void probe_set_add(struct probe_set *set, uint64_t pa);
bool probe_set_has(const struct probe_set *set, uint64_t pa);
void probe_set_free(struct probe_set *set);

/* Before the core's first instruction. */
void cpu_attach_probes(struct cpu *cpu, const struct probe_set *set);
/* The set has got pa: mark the instruction where this core has it decoded already. */
void cpu_probe_added(struct cpu *cpu, uint64_t pa);

#endif
