/* Every key of the configuration. Names end in the base unit; a new key needs nothing but a row here and a reader. */
#include "common/config.h"

#define NOTE_ASSUMED "assumed: typical of current Arm cores"

#define COUNT(name, standard, least, most, meaning, origin)           \
    {                                                                 \
        name, KEY_COUNT, standard, least, most, NULL, meaning, origin \
    }
#define BOOL(name, standard, meaning, origin)                       \
    {                                                               \
        name, KEY_BOOL, standard, NULL, NULL, NULL, meaning, origin \
    }
#define TIME(name, standard, meaning, origin)                        \
    {                                                                \
        name, KEY_TIME, standard, "0ps", "1s", NULL, meaning, origin \
    }
#define BYTES(name, standard, least, most, meaning, origin)           \
    {                                                                 \
        name, KEY_BYTES, standard, least, most, NULL, meaning, origin \
    }
#define HERTZ(name, standard, least, most, meaning, origin)               \
    {                                                                     \
        name, KEY_FREQUENCY, standard, least, most, NULL, meaning, origin \
    }

const struct key key_table[] = {
    TIME("sim.run_ahead_ps", "100ns", "how far a core may run ahead of the others on private work",
         "assumed: below any lock hand-over"),
    COUNT("sim.instruction_limit", "0", "0", "18446744073709551615",
          "instructions after which a core is stopped; 0: none", "no limit"),
    {"sim.time_limit_ps", KEY_TIME, "1000s", "1ns", "10000s", NULL, "simulated time after which the run is stopped",
     "assumed: beyond any scenario"},
    BYTES("ram.bytes", "1GiB", "16MiB", "64GiB", "RAM from 0x40000000", "assumed"),
    COUNT("cpu.cores", "1", "1", "128", "number of cores", "assumed"),
    HERTZ("cpu.freq_hz", "2GHz", "1MHz", "10GHz", "core clock", "assumed"),
    COUNT("cpu.midr", "0x410fd0b1", "0", "0xffffffff", "MIDR_EL1",
          "assumed: the value of a Cortex-A76 with another part number"),
    HERTZ("cpu.cntfrq_hz", "1GHz", "1kHz", "10GHz", "frequency of the generic timer (CNTFRQ_EL0)",
          "Arm DDI 0487 D11: 1 GHz from v8.6 on"),
    BOOL("cpu.lse", "true", "FEAT_LSE: CAS, SWP, LDADD and the like exist", "Arm DDI 0487: mandatory from v8.1 on"),
    BOOL("cpu.functional_only", "false", "no timing: an instruction takes a cycle, memory none", "off"),
    COUNT("cpu.width", "4", "1", "16", "instructions issued per cycle", NOTE_ASSUMED),
    COUNT("cpu.window", "128", "1", "1023", "reorder window, instructions", NOTE_ASSUMED),
    COUNT("cpu.store_buffer", "48", "1", "256", "store buffer, entries", NOTE_ASSUMED),
    COUNT("cpu.mshrs", "20", "1", "256", "outstanding misses of a core", NOTE_ASSUMED),
    COUNT("cpu.mispredict_cycles", "11", "0", "100", "penalty of a mispredicted branch", NOTE_ASSUMED),
    COUNT("cpu.indirect_predictor", "512", "0", "4096", "indirect branch targets remembered; 0: never predicted",
          NOTE_ASSUMED),
    COUNT("cpu.mul_cycles", "3", "1", "100", "latency of a multiplication", NOTE_ASSUMED),
    COUNT("cpu.div_cycles", "12", "1", "200", "latency of a 64-bit division", NOTE_ASSUMED),
    TIME("cpu.dsb_restart_ps", "20ns", "fixed cost of a full DSB after all that it waits for", NOTE_ASSUMED),
    COUNT("cpu.isb_cycles", "12", "0", "1000", "cost of an ISB", NOTE_ASSUMED),
    COUNT("cpu.exception_cycles", "30", "0", "10000", "cost of exception entry and of return, each", NOTE_ASSUMED),
    TIME("cpu.wfe_wake_ps", "30ns", "from the wake-up event to the next instruction", NOTE_ASSUMED),
    BYTES("cpu.l1i_bytes", "64KiB", "1KiB", "4MiB", "L1 instruction cache", NOTE_ASSUMED),
    COUNT("cpu.l1i_ways", "4", "1", "64", "associativity of L1I", NOTE_ASSUMED),
    COUNT("cpu.tlb_entries", "1024", "4", "262144", "second-level TLB entries", NOTE_ASSUMED),
    BYTES("l1d.bytes", "64KiB", "1KiB", "4MiB", "L1 data cache of each core", NOTE_ASSUMED),
    COUNT("l1d.ways", "4", "1", "64", "associativity of L1D", NOTE_ASSUMED),
    TIME("l1d.latency_ps", "2ns", "load-to-use of an L1D hit", NOTE_ASSUMED),
    BYTES("l2.bytes", "512KiB", "4KiB", "64MiB", "L2 of each core", NOTE_ASSUMED),
    COUNT("l2.ways", "8", "1", "64", "associativity of L2", NOTE_ASSUMED),
    TIME("l2.latency_ps", "6ns", "load-to-use of an L2 hit", NOTE_ASSUMED),
    BYTES("l3.bytes", "0B", "0B", "1GiB", "shared L3; 0: none", NOTE_ASSUMED),
    COUNT("l3.ways", "16", "1", "64", "associativity of L3", NOTE_ASSUMED),
    TIME("l3.latency_ps", "20ns", "load-to-use of an L3 hit", NOTE_ASSUMED),
    BYTES("slc.bytes", "0B", "0B", "1GiB", "memory-side system cache; 0: none", NOTE_ASSUMED),
    COUNT("slc.ways", "16", "1", "64", "associativity of the system cache", NOTE_ASSUMED),
    TIME("slc.latency_ps", "45ns", "load-to-use of a system cache hit", NOTE_ASSUMED),
    TIME("dram.latency_ps", "120ns", "load-to-use of a DRAM access", NOTE_ASSUMED),
    TIME("dram.occupancy_ps", "2ns", "one line's time on the DRAM channels (64 bytes / bandwidth)", NOTE_ASSUMED),
    TIME("coherence.core_to_core_ps", "45ns", "a line from another core's cache", NOTE_ASSUMED),
    TIME("coherence.home_ps", "10ns", "one transfer's occupation of a line's home", NOTE_ASSUMED),
    BOOL("coherence.far_atomics", "false", "LSE atomics execute at the line's home", NOTE_ASSUMED),
    COUNT("cmo.slots", "46", "1", "65536", "outstanding cache maintenance operations of a core (Q)",
          "Cortex-A76 TRM table A7-1: largest configuration"),
    TIME("cmo.issue_absent_ps", "2ns", "issue interval of a CMO to a line in no CPU cache", NOTE_ASSUMED),
    TIME("cmo.issue_l1_ps", "3500ps", "issue interval of a CMO to a line in L1D", NOTE_ASSUMED),
    TIME("cmo.issue_l2_ps", "3500ps", "issue interval of a CMO to a line in L2", NOTE_ASSUMED),
    TIME("cmo.issue_l3_ps", "2ns", "issue interval of a CMO to a line in L3 or another core", NOTE_ASSUMED),
    TIME("cmo.clean_ps", "100ns", "latency of a clean to the PoC, line not dirty", NOTE_ASSUMED),
    TIME("cmo.invalidate_ps", "100ns", "latency of IVAC and CIVAC, line not dirty", NOTE_ASSUMED),
    TIME("cmo.writeback_ps", "40ns", "added when the line is dirty", NOTE_ASSUMED),
    TIME("cmo.pou_ps", "10ns", "latency of CVAU and of IC operations", NOTE_ASSUMED),
    TIME("cmo.dvm_ps", "100ns", "a broadcast (TLBI, IC) complete on all cores", NOTE_ASSUMED),
    BOOL("cmo.ivac_cleans", "true", "IVAC of a dirty line writes it back first", "Cortex-A76 TRM A6.2.4"),
    TIME("mmio.read_ps", "150ns", "travel of a register read, round trip", NOTE_ASSUMED),
    TIME("mmio.write_ps", "150ns", "from a register write to its acknowledgement", NOTE_ASSUMED),
    TIME("gic.access_ps", "10ns", "one register access in the GIC", NOTE_ASSUMED),
    TIME("gic.deliver_ps", "50ns", "from a pending interrupt to the core's input", NOTE_ASSUMED),
    COUNT("dmac.channels", "2", "1", "16", "channels of the copy engine", NOTE_ASSUMED),
    BOOL("dmac.coherent", "false", "the copy engine snoops the CPU caches", NOTE_ASSUMED),
    COUNT("dmac.burst_bytes", "256", "16", "4096", "largest request of the copy engine, a power of two", NOTE_ASSUMED),
    COUNT("dmac.outstanding", "16", "1", "256", "reads, and writes, in flight", NOTE_ASSUMED),
    TIME("dmac.issue_ps", "10ns", "least time between two requests", NOTE_ASSUMED),
    BOOL("exec.unaligned", "true",
         "with the MMU off, `dmasim exec` performs unaligned accesses instead of an alignment fault",
         "as QEMU does, for programs built without -mstrict-align; silicon faults (Device memory, DDI 0487 B2.10)"),
    COUNT("exec.el", "1", "1", "2", "exception level at which `dmasim exec` enters",
          "EL1, as kernels are entered without EL2"),
};
const size_t key_table_count = sizeof(key_table) / sizeof(key_table[0]);
