#include "model/platform_config.h"

#include <string>

extern "C" {
#include "kernel-shim/include/simctl.h"
}

static uint64_t get(const struct config *config, const char *key)
{
    return config_get(config, key);
}

static uint32_t get32(const struct config *config, const char *key)
{
    return static_cast<uint32_t>(config_get(config, key));
}

static struct cache_geometry geometry(const struct config *config, const std::string &level)
{
    struct cache_geometry result = {};

    result.bytes = get(config, (level + ".bytes").c_str());
    result.ways = get32(config, (level + ".ways").c_str());
    return result;
}

struct cache_config cache_config_of(const struct config *config)
{
    struct cache_config c = {};

    c.cores = get32(config, "cpu.cores");
    c.l1d = geometry(config, "l1d");
    c.l2 = geometry(config, "l2");
    c.l3 = geometry(config, "l3");
    c.slc = geometry(config, "slc");
    c.l1_ps = get(config, "l1d.latency_ps");
    c.l2_ps = get(config, "l2.latency_ps");
    c.l3_ps = get(config, "l3.latency_ps");
    c.slc_ps = get(config, "slc.latency_ps");
    c.dram_ps = get(config, "dram.latency_ps");
    c.dram_occupancy_ps = get(config, "dram.occupancy_ps");
    c.remote_bytes = get(config, "ram.remote_bytes");
    c.remote_ps = get(config, "dram.remote_ps");
    c.cluster_cores = get32(config, "cpu.cluster_cores");
    c.die_cores = get32(config, "cpu.die_cores");
    c.socket_cores = get32(config, "cpu.socket_cores");
    c.mesh_columns = get32(config, "cpu.mesh_columns");
    c.cluster_ps = get(config, "coherence.cluster_ps");
    c.core_to_core_ps = get(config, "coherence.core_to_core_ps");
    c.cross_die_ps = get(config, "coherence.cross_die_ps");
    c.cross_socket_ps = get(config, "coherence.cross_socket_ps");
    c.hop_ps = get(config, "coherence.hop_ps");
    c.residency_ps = get(config, "coherence.residency_ps");
    c.arbitration = static_cast<enum cache_arbitration>(get(config, "coherence.arbitration"));
    c.conflict_ps = get(config, "coherence.conflict_ps");
    c.local_turns = get32(config, "coherence.local_turns");
    c.home_ps = get(config, "coherence.home_ps");
    c.far_atomics = get(config, "coherence.far_atomics");
    c.cmo_slots = get32(config, "cmo.slots");
    c.cmo_issue_absent_ps = get(config, "cmo.issue_absent_ps");
    c.cmo_issue_l1_ps = get(config, "cmo.issue_l1_ps");
    c.cmo_issue_l2_ps = get(config, "cmo.issue_l2_ps");
    c.cmo_issue_l3_ps = get(config, "cmo.issue_l3_ps");
    c.cmo_clean_ps = get(config, "cmo.clean_ps");
    c.cmo_invalidate_ps = get(config, "cmo.invalidate_ps");
    c.cmo_writeback_ps = get(config, "cmo.writeback_ps");
    c.cmo_pou_ps = get(config, "cmo.pou_ps");
    c.dvm_ps = get(config, "cmo.dvm_ps");
    c.ivac_cleans = get(config, "cmo.ivac_cleans");
    c.loads_pass_invalidates = get(config, "cmo.loads_pass_invalidates");
    c.cmo_early_ack = get(config, "cmo.erratum_4311569");
    c.cmo_early_ack_ps = get(config, "cmo.erratum_4311569_ps");
    return c;
}

uint64_t mpidr_of_core(unsigned core)
{
    const uint64_t MT = 1ull << 24; /* MPIDR_EL1.MT: Aff0 is the thread */

    return MT | static_cast<uint64_t>(core) << 8;
}

uint64_t mpidr_of_virt_core(unsigned core)
{
    return (core / 16) << 8 | core % 16;
}

struct cpu_config cpu_config_of(const struct config *config, unsigned core)
{
    struct cpu_config c = {};

    c.index = core;
    c.mpidr = get32(config, "cpu.cores") == 1 ? 0 : mpidr_of_core(core);
    c.midr = get(config, "cpu.midr");
    c.freq_hz = get(config, "cpu.freq_hz");
    c.cntfrq_hz = get(config, "cpu.cntfrq_hz");
    c.lse = get(config, "cpu.lse");
    c.functional_only = get(config, "cpu.functional_only");
    c.width = get32(config, "cpu.width");
    c.window = get32(config, "cpu.window");
    c.store_buffer = get32(config, "cpu.store_buffer");
    c.mshrs = get32(config, "cpu.mshrs");
    c.device_writes = get32(config, "cpu.device_writes");
    c.mispredict_cycles = get32(config, "cpu.mispredict_cycles");
    c.indirect_predictor = get32(config, "cpu.indirect_predictor");
    c.mul_cycles = get32(config, "cpu.mul_cycles");
    c.div_cycles = get32(config, "cpu.div_cycles");
    c.simd_alu_cycles = get32(config, "cpu.simd_alu_cycles");
    c.simd_mul_cycles = get32(config, "cpu.simd_mul_cycles");
    c.simd_move_cycles = get32(config, "cpu.simd_move_cycles");
    c.fp_add_cycles = get32(config, "cpu.fp_add_cycles");
    c.fp_mul_cycles = get32(config, "cpu.fp_mul_cycles");
    c.fp_fma_cycles = get32(config, "cpu.fp_fma_cycles");
    c.fp_div_cycles = get32(config, "cpu.fp_div_cycles");
    c.fp_sqrt_cycles = get32(config, "cpu.fp_sqrt_cycles");
    c.fp_convert_cycles = get32(config, "cpu.fp_convert_cycles");
    c.dsb_restart_ps = get(config, "cpu.dsb_restart_ps");
    c.isb_cycles = get(config, "cpu.isb_cycles");
    c.exception_cycles = get(config, "cpu.exception_cycles");
    c.wfe_wake_ps = get(config, "cpu.wfe_wake_ps");
    c.l1_ps = get(config, "l1d.latency_ps");
    c.l1i_bytes = get(config, "cpu.l1i_bytes");
    c.l1i_ways = get32(config, "cpu.l1i_ways");
    c.tlb_entries = get32(config, "cpu.tlb_entries");
    c.instruction_limit = get(config, "sim.instruction_limit");
    c.semihosting = true;
    return c;
}

struct sg_engine_config sg_engine_config_of(const struct config *config)
{
    struct sg_engine_config c = {};

    c.requester = REQUESTER_DEVICE_BASE;
    c.channels = get32(config, "dmac.channels");
    c.stream_id = 0;
    c.coherent = get(config, "dmac.coherent");
    c.intid = 32 + SPI_DMAC;
    c.burst_bytes = get32(config, "dmac.burst_bytes");
    c.outstanding = get32(config, "dmac.outstanding");
    c.issue_ps = get(config, "dmac.issue_ps");
    c.access_ps = 0;
    return c;
}

static struct translator_config translator_config_of(const struct config *config)
{
    struct translator_config c = {};

    c.output_bits = get32(config, "smmu.output_bits");
    c.micro_entries = get32(config, "smmu.micro_entries");
    c.tlb_entries = get32(config, "smmu.tlb_entries");
    c.tlb_ways = get32(config, "smmu.tlb_ways");
    c.walk_cache_entries = get32(config, "smmu.walk_cache_entries");
    c.walk_slots = get32(config, "smmu.walk_slots");
    c.micro_ps = get(config, "smmu.micro_ps");
    c.tlb_ps = get(config, "smmu.tlb_ps");
    c.walk_step_ps = get(config, "smmu.walk_step_ps");
    return c;
}

static const uint32_t REQUESTER_SMMU = REQUESTER_DEVICE_BASE + 0x100;

struct smmu_config smmu_config_of(const struct config *config)
{
    struct smmu_config c = {};

    c.sid_bits = get32(config, "smmu.sid_bits");
    c.ssid_bits = get32(config, "smmu.ssid_bits");
    c.two_level = get(config, "smmu.two_level");
    c.stage1 = get(config, "smmu.stage1");
    c.stage2 = get(config, "smmu.stage2");
    c.hyp = get(config, "smmu.hyp");
    c.cohacc = get(config, "smmu.cohacc");
    c.msi = get(config, "smmu.msi");
    c.sev = get(config, "smmu.sev");
    c.range_invalidation = get(config, "smmu.ril");
    c.cmdq_bits = get32(config, "smmu.cmdq_bits");
    c.eventq_bits = get32(config, "smmu.eventq_bits");
    c.ecmdq = get(config, "smmu.ecmdq");
    c.ecmdq_page_bits = get32(config, "smmu.ecmdq_page_bits");
    c.ecmdq_queue_bits = get32(config, "smmu.ecmdq_queue_bits");
    c.translator = translator_config_of(config);
    c.config_entries = get32(config, "smmu.config_entries");
    c.engines = get32(config, "smmu.engines");
    c.arbitration = static_cast<enum smmu_arbitration>(get(config, "smmu.arbitration"));
    c.cmdq_weight = get32(config, "smmu.cmdq_weight");
    c.ecmdq_weight = get32(config, "smmu.ecmdq_weight");
    c.prefetch = get32(config, "smmu.prefetch");
    c.command_ps = get(config, "smmu.command_ps");
    c.tlbi_ps = get(config, "smmu.tlbi_ps");
    c.cfgi_ps = get(config, "smmu.cfgi_ps");
    c.sync_ps = get(config, "smmu.sync_ps");
    c.invalidation_ps = get(config, "smmu.invalidation_ps");
    c.config_ps = get(config, "smmu.config_ps");
    c.access_ps = get(config, "smmu.access_ps");
    c.intid = 32 + SPI_SMMU_EVENTQ;
    c.requester = REQUESTER_SMMU;
    return c;
}

struct mmu500_config mmu500_config_of(const struct config *config)
{
    struct mmu500_config c = {};

    c.instances = get32(config, "mmu500.instances");
    c.contexts = get32(config, "mmu500.contexts");
    c.mapping_groups = get32(config, "mmu500.mapping_groups");
    c.cohacc = get(config, "smmu.cohacc");
    c.translator = translator_config_of(config);
    c.access_ps = get(config, "smmu.access_ps");
    c.tlbi_ps = get(config, "mmu500.tlbi_ps");
    c.sync_ps = get(config, "mmu500.sync_ps");
    c.intid = 32 + SPI_MMU500;
    c.requester = REQUESTER_SMMU;
    c.instance_bytes = MMU500_SIZE;
    return c;
}
