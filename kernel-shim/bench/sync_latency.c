/*
 * CMD_SYNC on an empty queue: the time from the reservation of its slot to the end of the wait. Parameters: iterations,
 * warmup, disable_msipolling (1: the completion is an event and CONS is read), queue_node (1: the queue lies on the other
 * node).
 */
#include "smmu/arm_smmu_v3.h"

enum { REGION_SYNC };

int main(void)
{
    unsigned iterations = (unsigned)sim_param("iterations", 100), warmup = (unsigned)sim_param("warmup", 10);
    struct device dev = {.dma_coherent = true, .dma_mask = ~0ull};
    struct arm_smmu_device *smmu;

    if (!iommu_attach_device(&dev, 0, false))
        sim_fail("the platform has no SMMU (smmu.kind)");
    smmu = arm_smmu_v3_device();
    sim_region_name(REGION_SYNC, "sync");
    for (unsigned i = 0; i < warmup + iterations; i++) {
        if (i >= warmup)
            sim_region_begin(REGION_SYNC);
        arm_smmu_cmdq_issue_cmdlist(smmu, &smmu->cmdq, NULL, 0, true);
        if (i >= warmup)
            sim_region_end(REGION_SYNC);
    }
    return 0;
}
