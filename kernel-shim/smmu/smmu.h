/* The SMMU drivers behind iommu_attach_device(). */
#ifndef SMMU_H
#define SMMU_H

#include "iommu.h"

struct iommu_domain *arm_smmu_v3_attach(struct device *dev, uint32_t sid);
struct iommu_domain *mmu500_attach(struct device *dev, uint32_t sid);

/* Whether a translation fault of this stream at this address was reported since the last call; it is acknowledged. */
bool arm_smmu_v3_fault(uint32_t sid, uint64_t address);
bool mmu500_fault(uint32_t sid, uint64_t address);

#endif
