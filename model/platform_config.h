/* From configuration keys (common/key_table.c) to the configurations of the C models. */
#ifndef DMASIM_MODEL_PLATFORM_CONFIG_H
#define DMASIM_MODEL_PLATFORM_CONFIG_H

#include "model/c_models.h"

struct cache_config cache_config_of(const struct config *config);
struct cpu_config cpu_config_of(const struct config *config, unsigned core);
struct sg_engine_config sg_engine_config_of(const struct config *config);
struct nic_config nic_config_of(const struct config *config);
struct smmu_config smmu_config_of(const struct config *config);
struct mmu500_config mmu500_config_of(const struct config *config);

/* Values of smmu.kind. */
enum smmu_kind { SMMU_NONE, SMMU_V3, SMMU_MMU500 };

/* Affinity as Arm's DSU and mesh systems number it: one core a cluster slot, Aff1 = core number modulo 256 (MT bit
 * set). */
uint64_t mpidr_of_core(unsigned core);
/* As QEMU's virt machine with a GICv3 numbers them: clusters of 16. */
uint64_t mpidr_of_virt_core(unsigned core);

#endif
