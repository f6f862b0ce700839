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

/* What sits between the DMA masters and memory. */
static const char *const smmu_kinds[] = {"none", "smmuv3", "mmu500", NULL};
static const char *const line_arbitrations[] = {"random", "oldest", "local", NULL};
static const char *const arbitrations[] = {"round_robin", "weighted", "fixed", NULL};

#define NOTE_MMU600 "assumed: an SMMUv3 of the class of Arm's MMU-600"

const struct key key_table[] = {
    TIME("sim.run_ahead_ps", "100ns", "how far a core may run ahead of the others on private work",
         "assumed: below any lock hand-over"),
    COUNT("sim.instruction_limit", "0", "0", "18446744073709551615",
          "instructions after which a core is stopped; 0: none", "no limit"),
    {"sim.time_limit_ps", KEY_TIME, "1000s", "1ns", "10000s", NULL, "simulated time after which the run is stopped",
     "assumed: beyond any scenario"},
    BYTES("ram.bytes", "1GiB", "16MiB", "64GiB", "RAM from 0x40000000", "assumed"),
    BYTES("ram.remote_bytes", "0B", "0B", "64GiB", "the last bytes of RAM that lie on another node", "one node"),
    COUNT("cpu.cores", "1", "1", "128", "number of cores", "assumed"),
    COUNT("cpu.cluster_cores", "1", "1", "128", "cores of a cluster", "one core each"),
    COUNT("cpu.die_cores", "128", "1", "128", "cores of a die, whole clusters", "one die"),
    COUNT("cpu.socket_cores", "128", "1", "128", "cores of a socket, whole dies", "one socket"),
    COUNT("cpu.mesh_columns", "0", "0", "64", "clusters of a die lie row by row on a mesh this wide; 0: no mesh",
          "no mesh"),
    HERTZ("cpu.freq_hz", "2GHz", "1MHz", "10GHz", "core clock", "assumed"),
    COUNT("cpu.midr", "0x410fd0b1", "0", "0xffffffff", "MIDR_EL1",
          "assumed: the value of a Cortex-A76 with another part number"),
    HERTZ("cpu.cntfrq_hz", "1GHz", "1kHz", "10GHz", "frequency of the generic timer (CNTFRQ_EL0)",
          "Arm DDI 0487 D11: 1 GHz from v8.6 on"),
    BOOL("cpu.lse", "true", "FEAT_LSE: CAS, SWP, LDADD and the like exist", "Arm DDI 0487: mandatory from v8.1 on"),
    BOOL("cpu.functional_only", "false", "no timing: an instruction takes a cycle, memory none",
         "off: timing is what is asked for"),
    COUNT("cpu.width", "4", "1", "16", "instructions issued per cycle", NOTE_ASSUMED),
    COUNT("cpu.window", "128", "1", "1023", "reorder window, instructions", NOTE_ASSUMED),
    COUNT("cpu.store_buffer", "48", "1", "256", "store buffer, entries", NOTE_ASSUMED),
    COUNT("cpu.mshrs", "20", "1", "256", "outstanding misses of a core", NOTE_ASSUMED),
    COUNT("cpu.device_writes", "16", "1", "64", "Device writes of a core that are not yet acknowledged", NOTE_ASSUMED),
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
    TIME("dram.remote_ps", "100ns", "added to every trip to the memory of the other node", NOTE_ASSUMED),
    TIME("coherence.cluster_ps", "30ns", "a line from a core of the same cluster", NOTE_ASSUMED),
    TIME("coherence.core_to_core_ps", "45ns", "a line from a core of another cluster of the die", NOTE_ASSUMED),
    TIME("coherence.cross_die_ps", "80ns", "a line from another die of the socket", NOTE_ASSUMED),
    TIME("coherence.cross_socket_ps", "200ns", "a line from another socket", NOTE_ASSUMED),
    TIME("coherence.hop_ps", "1ns", "added for each hop on the mesh", "CMN-600 and 700: 1 to 2 cycles at about 2 GHz"),
    TIME("coherence.residency_ps", "0ps", "a core keeps a line it got to write at least so long", NOTE_ASSUMED),
    {"coherence.arbitration", KEY_CHOICE, "random", NULL, NULL, line_arbitrations,
     "which of several waiting cores gets a line next",
     "random explains the published compare-and-swap attempts of Kunpeng 920, the others do not"},
    COUNT("coherence.local_turns", "1", "0", "1000000",
          "local arbitration: waiting cores of the holder's die that go before one that has waited longer", NOTE_ASSUMED),
    TIME("coherence.home_ps", "10ns", "one read's, or far atomic's, occupation of a line's home", NOTE_ASSUMED),
    TIME("cpu.atomic_ps", "0ps", "an LSE atomic in L1D beyond a load; the line stays meanwhile",
         "assumed: part of the latency of L1D"),
    BOOL("coherence.far_atomics", "false", "LSE atomics on a line that several cores use execute at its home",
         NOTE_ASSUMED),
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
    COUNT("dmac.channels", "2", "1", "128", "channels of the copy engine", NOTE_ASSUMED),
    BOOL("dmac.coherent", "false", "the copy engine snoops the CPU caches", NOTE_ASSUMED),
    COUNT("dmac.burst_bytes", "256", "16", "4096", "largest request of the copy engine, a power of two", NOTE_ASSUMED),
    COUNT("dmac.outstanding", "16", "1", "256", "reads, and writes, in flight", NOTE_ASSUMED),
    TIME("dmac.issue_ps", "10ns", "least time between two requests", NOTE_ASSUMED),
    {"smmu.kind", KEY_CHOICE, "none", NULL, NULL, smmu_kinds, "the SMMU before the DMA masters",
     "no SMMU unless the platform has one"},
    COUNT("smmu.sid_bits", "16", "0", "63", "bits of a StreamID (IDR1.SIDSIZE)", NOTE_MMU600),
    COUNT("smmu.ssid_bits", "8", "0", "31", "bits of a SubstreamID (IDR1.SSIDSIZE)", NOTE_MMU600),
    BOOL("smmu.two_level", "true", "two-level stream tables (IDR0.ST_LEVEL)", NOTE_MMU600),
    BOOL("smmu.stage1", "true", "stage 1 translation (IDR0.S1P)", NOTE_MMU600),
    BOOL("smmu.stage2", "true", "stage 2 translation (IDR0.S2P)", NOTE_MMU600),
    BOOL("smmu.hyp", "true", "EL2 streams (IDR0.HYP)", NOTE_MMU600),
    BOOL("smmu.cohacc", "true", "the SMMU's own accesses snoop the CPU caches (IDR0.COHACC; MMU-500: IDR0.CTTW)",
         NOTE_MMU600),
    BOOL("smmu.msi", "true", "message-signalled interrupts (IDR0.MSI)", NOTE_MMU600),
    BOOL("smmu.sev", "true", "events wake the cores (IDR0.SEV)", NOTE_MMU600),
    BOOL("smmu.ril", "true", "range invalidation and level hints (IDR3.RIL)", "IHI 0070: mandatory from v3.2 on"),
    COUNT("smmu.cmdq_bits", "16", "0", "31", "log2 of the largest command queue (IDR1.CMDQS)", NOTE_MMU600),
    COUNT("smmu.eventq_bits", "16", "0", "31", "log2 of the largest event queue (IDR1.EVENTQS)", NOTE_MMU600),
    BOOL("smmu.ecmdq", "false", "enhanced command queues (IDR1.ECMDQ)", "most SMMUs have none"),
    COUNT("smmu.ecmdq_page_bits", "0", "0", "15", "log2 of the ECMDQ control pages (IDR6.LOG2NUMP)", "one page"),
    COUNT("smmu.ecmdq_queue_bits", "7", "0", "15", "log2 of the ECMDQs of a page (IDR6.LOG2NUMQ)",
          "Marvell Odyssey: 128 queues a page"),
    COUNT("smmu.output_bits", "48", "32", "48", "output address size (IDR5.OAS)", NOTE_MMU600),
    COUNT("smmu.micro_entries", "32", "1", "4096", "micro-TLB entries", NOTE_MMU600),
    COUNT("smmu.tlb_entries", "2048", "1", "1048576", "main TLB entries", NOTE_MMU600),
    COUNT("smmu.tlb_ways", "4", "1", "1024", "associativity of the main TLB", NOTE_MMU600),
    COUNT("smmu.walk_cache_entries", "256", "1", "65536", "walk cache entries", NOTE_MMU600),
    COUNT("smmu.config_entries", "256", "1", "65536", "configuration cache entries", NOTE_MMU600),
    COUNT("smmu.walk_slots", "16", "1", "64", "table walks at the same time", NOTE_MMU600),
    COUNT("smmu.engines", "1", "1", "64", "command engines that execute commands in parallel",
          "known ECMDQ silicon executes one command at a time"),
    {"smmu.arbitration", KEY_CHOICE, "round_robin", NULL, NULL, arbitrations, "which queue an engine serves next",
     "assumed"},
    COUNT("smmu.cmdq_weight", "1", "1", "65536", "weighted arbitration: commands of the CMDQ a turn", "assumed"),
    COUNT("smmu.ecmdq_weight", "1", "1", "65536", "weighted arbitration: commands of an ECMDQ a turn", "assumed"),
    COUNT("smmu.prefetch", "16", "1", "64", "commands fetched ahead", "assumed"),
    TIME("smmu.command_ps", "5ns", "an engine's time for any command", "assumed: a few cycles at 1 GHz"),
    TIME("smmu.tlbi_ps", "10ns", "added for a TLBI", "assumed"),
    TIME("smmu.cfgi_ps", "10ns", "added for a CFGI", "assumed"),
    TIME("smmu.sync_ps", "20ns", "added for a CMD_SYNC, after what it waits for", "assumed"),
    TIME("smmu.invalidation_ps", "50ns", "from an invalidation's execution to its completion", "assumed"),
    TIME("smmu.config_ps", "2ns", "configuration cache lookup", "assumed"),
    TIME("smmu.micro_ps", "1ns", "micro-TLB lookup", "assumed"),
    TIME("smmu.tlb_ps", "4ns", "main TLB lookup", "assumed"),
    TIME("smmu.walk_step_ps", "2ns", "added to each memory read of a walk", "assumed"),
    TIME("smmu.access_ps", "5ns", "one register access in the SMMU", "assumed"),
    COUNT("mmu500.instances", "1", "1", "4", "mirrored MMU-500s: 1, 2 or 4", "assumed"),
    COUNT("mmu500.contexts", "16", "1", "128", "context banks", "assumed"),
    COUNT("mmu500.mapping_groups", "32", "1", "128", "stream mapping registers", "assumed"),
    TIME("mmu500.tlbi_ps", "20ns", "one invalidation by register write", "assumed"),
    TIME("mmu500.sync_ps", "20ns", "TLBSYNC after all that it waits for", "assumed"),
    BOOL("hazard.detect", "true", "judge accesses to memory that is not coherent and the use of the DMA API",
         "on: it costs no simulated time"),
    BOOL("exec.unaligned", "true",
         "with the MMU off, `dmasim exec` performs unaligned accesses instead of an alignment fault",
         "as QEMU does, for programs built without -mstrict-align; silicon faults (Device memory, DDI 0487 B2.10)"),
    COUNT("exec.el", "1", "1", "2", "exception level at which `dmasim exec` enters",
          "EL1, as kernels are entered without EL2"),
};
const size_t key_table_count = sizeof(key_table) / sizeof(key_table[0]);
