/*
 * A core bus for unit tests: flat memory, fixed latencies, a CMO queue of Q slots without effect on bytes.
 */
#ifndef DMASIM_TESTS_FLAT_BUS_H
#define DMASIM_TESTS_FLAT_BUS_H

#include "common/core_bus.h"
#include "cpu/cpu.h"

struct flat_bus {
    uint64_t base, bytes;
    uint8_t *memory;
    uint64_t line_ps, access_ps; /* latency of a line, of an uncached access */
    uint32_t cmo_slots;
    uint64_t cmo_ps, cmo_issue_ps;
    uint64_t slot_done_ps[1024];
    uint32_t next_slot;
    uint64_t cmo_last_ps;
    uint8_t used;
    bool keep; /* lines may be kept by the core */
    struct core_bus_client client;
    uint64_t synced_ps; /* latest time the core has synchronised to */
    uint64_t sleep_until_ps;
    unsigned broadcasts;
};

struct flat_bus *flat_bus_create(uint64_t base, uint64_t bytes);
void flat_bus_destroy(struct flat_bus *bus);
struct core_bus flat_bus_port(struct flat_bus *bus);
/* NULL outside memory. */
uint8_t *flat_bus_memory(struct flat_bus *bus, uint64_t pa);

/* A configuration of round numbers: 1 GHz, width 4, window 64, L1 2 ns. */
struct cpu_config flat_cpu_config(void);

/*
 * Runs a short program that maps the bus's memory (at least 4 MB from a 1 GB boundary) Normal Write-Back, caches and
 * MMU on: its first 2 MB for EL1, the next 2 MB for EL0 too. Tables at base + 0x30000. The core is then at EL1.
 */
void flat_cpu_normal_memory(struct flat_bus *bus, struct cpu *cpu);

#endif
