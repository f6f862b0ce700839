/* Which driver the platform needs. */
#include "smmu/smmu.h"

enum { SMMU_NONE, SMMU_V3, SMMU_MMU500 }; /* smmu.kind */

static uint64_t smmu_kind(void)
{
    return sim_param("smmu.kind", SMMU_NONE);
}

struct iommu_domain *iommu_attach_device(struct device *dev, uint32_t sid, bool lazy)
{
    struct iommu_domain *domain;

    switch (smmu_kind()) {
    case SMMU_V3:
        domain = arm_smmu_v3_attach(dev, sid);
        break;
    case SMMU_MMU500:
        domain = mmu500_attach(dev, sid);
        break;
    default:
        return NULL;
    }
    domain->lazy = lazy;
    iommu_dma_init_domain(domain);
    dev->domain = domain;
#if DMA_MAP_OPS
    dev->dma_ops = &iommu_dma_ops;
#endif
    return domain;
}

bool iommu_faulted(uint32_t sid, uint64_t address)
{
    return smmu_kind() == SMMU_V3 ? arm_smmu_v3_fault(sid, address) : mmu500_fault(sid, address);
}
