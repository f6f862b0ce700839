/*
 * The MMU-500 (drivers/iommu/arm/arm-smmu/arm-smmu.c and arm-smmu-nvidia.c): every register write goes to all
 * instances, so that they stay mirrors; TLB entries are invalidated by register writes, one a page and instance.
 */
#include "smmu/arm_smmu.h"

#include "delay.h"
#include "simctl.h"
#include "smmu/smmu.h"
#include "spinlock.h"

#define PAGE_SHIFT_64K   16
#define TLB_LOOP_TIMEOUT 1000000 /* 1 s */
#define TLB_SPIN_COUNT   10
#define CONTEXT          0
#define ASID             1

struct arm_smmu_device {
    struct device dev; /* whose page tables are cleaned */
    unsigned num_instances;
    unsigned numpage; /* pages before the context banks */
    bool coherent_walk;
    unsigned va_bits, pa_bits;
    bool stream_matching; /* else a StreamID is the index of its S2CR */
    unsigned mapping_groups, context_banks;
};

struct arm_smmu_domain {
    struct iommu_domain domain;
    struct arm_smmu_device *smmu;
    spinlock_t cb_lock; /* one TLBSYNC at a time */
};

static struct arm_smmu_device the_smmu;

static uintptr_t nvidia_smmu_page(unsigned instance, unsigned page)
{
    return MMU500_BASE + (uintptr_t)instance * MMU500_SIZE + ((uintptr_t)page << PAGE_SHIFT_64K);
}

static void arm_smmu_writel(const struct arm_smmu_device *smmu, unsigned page, unsigned offset, uint32_t value)
{
    for (unsigned i = 0; i < smmu->num_instances; i++)
        writel_relaxed(value, nvidia_smmu_page(i, page) + offset);
}

static void arm_smmu_writeq(const struct arm_smmu_device *smmu, unsigned page, unsigned offset, uint64_t value)
{
    for (unsigned i = 0; i < smmu->num_instances; i++)
        writeq_relaxed(value, nvidia_smmu_page(i, page) + offset);
}

static uint32_t arm_smmu_readl(unsigned page, unsigned offset)
{
    return readl_relaxed(nvidia_smmu_page(0, page) + offset);
}

static unsigned cb_page(const struct arm_smmu_device *smmu)
{
    return smmu->numpage + CONTEXT;
}

/* --- TLB --- */

static void nvidia_smmu_tlb_sync(const struct arm_smmu_device *smmu, unsigned page, unsigned sync, unsigned status)
{
    arm_smmu_writel(smmu, page, sync, 0);
    for (unsigned delay = 1; delay < TLB_LOOP_TIMEOUT; delay *= 2) {
        for (unsigned spin = TLB_SPIN_COUNT; spin > 0; spin--) {
            uint32_t value = 0;

            for (unsigned i = 0; i < smmu->num_instances; i++)
                value |= readl_relaxed(nvidia_smmu_page(i, page) + status);
            if (!(value & sTLBGSTATUS_GSACTIVE))
                return;
            cpu_relax();
        }
        udelay(delay);
    }
    sim_fail("TLB sync timed out");
}

static void arm_smmu_tlb_sync_context(struct arm_smmu_domain *smmu_domain)
{
    struct arm_smmu_device *smmu = smmu_domain->smmu;
    uint64_t flags;

    spin_lock_irqsave(&smmu_domain->cb_lock, flags);
    nvidia_smmu_tlb_sync(smmu, cb_page(smmu), ARM_SMMU_CB_TLBSYNC, ARM_SMMU_CB_TLBSTATUS);
    spin_unlock_irqrestore(&smmu_domain->cb_lock, flags);
}

static void arm_smmu_tlb_inv_range_s1(uint64_t iova, size_t size, size_t granule, void *cookie, unsigned offset)
{
    struct arm_smmu_domain *smmu_domain = cookie;
    struct arm_smmu_device *smmu = smmu_domain->smmu;

    if (smmu->coherent_walk)
        wmb();
    iova = iova >> 12 | (uint64_t)ASID << 48;
    do {
        arm_smmu_writeq(smmu, cb_page(smmu), offset, iova);
        iova += granule >> 12;
    } while (size -= granule);
}

static void arm_smmu_tlb_inv_walk_s1(uint64_t iova, size_t size, size_t granule, void *cookie)
{
    arm_smmu_tlb_inv_range_s1(iova, size, granule, cookie, ARM_SMMU_CB_S1_TLBIVA);
    arm_smmu_tlb_sync_context(cookie);
}

static void arm_smmu_tlb_add_page_s1(struct iommu_iotlb_gather *gather, uint64_t iova, size_t granule, void *cookie)
{
    arm_smmu_tlb_inv_range_s1(iova, granule, granule, cookie, ARM_SMMU_CB_S1_TLBIVAL);
}

static void arm_smmu_tlb_inv_context_s1(void *cookie)
{
    struct arm_smmu_domain *smmu_domain = cookie;

    wmb(); /* the descriptors are clear before the TLB is */
    arm_smmu_writel(smmu_domain->smmu, cb_page(smmu_domain->smmu), ARM_SMMU_CB_S1_TLBIASID, ASID);
    arm_smmu_tlb_sync_context(smmu_domain);
}

static const struct iommu_flush_ops arm_smmu_s1_tlb_ops = {
    .tlb_flush_all = arm_smmu_tlb_inv_context_s1,
    .tlb_flush_walk = arm_smmu_tlb_inv_walk_s1,
    .tlb_add_page = arm_smmu_tlb_add_page_s1,
};

static void arm_smmu_flush_iotlb_all(struct iommu_domain *domain)
{
    arm_smmu_tlb_inv_context_s1(domain);
}

static void arm_smmu_iotlb_sync(struct iommu_domain *domain, struct iommu_iotlb_gather *gather)
{
    arm_smmu_tlb_sync_context((struct arm_smmu_domain *)domain);
}

static const struct iommu_domain_ops arm_smmu_domain_ops = {arm_smmu_flush_iotlb_all, arm_smmu_iotlb_sync};

/* --- device --- */

static unsigned arm_smmu_id_size_to_bits(unsigned size)
{
    static const uint8_t bits[] = {32, 36, 40, 42, 44, 48};

    return size < sizeof(bits) ? bits[size] : 48;
}

static void arm_smmu_device_cfg_probe(struct arm_smmu_device *smmu)
{
    uint32_t id0 = arm_smmu_readl(0, ARM_SMMU_GR0_ID0), id1 = arm_smmu_readl(0, ARM_SMMU_GR0_ID1);
    uint32_t id2 = arm_smmu_readl(0, ARM_SMMU_GR0_ID2);

    smmu->num_instances = (unsigned)sim_param("mmu500.instances", 1);
    smmu->coherent_walk = id0 & ID0_CTTW;
    smmu->stream_matching = id0 & ID0_SMS;
    smmu->mapping_groups = smmu->stream_matching ? id0 & 0xFF : 1u << (id0 >> 9 & 15);
    smmu->context_banks = id1 & 0xFF;
    smmu->dev = (struct device){.dma_coherent = smmu->coherent_walk, .dma_mask = ~0ull};
    smmu->numpage = 1u << ((id1 >> 28 & 7) + 1);
    smmu->pa_bits = arm_smmu_id_size_to_bits(id2 >> 4 & 15);
    smmu->va_bits = arm_smmu_id_size_to_bits(id2 >> 8 & 15);
    if (!(id1 >> 31))
        sim_fail("the MMU-500 has no 64 KB pages");
}

/* Entry n of the stream mapping; without stream matching n is the StreamID. */
static void arm_smmu_write_sme(const struct arm_smmu_device *smmu, unsigned n, uint32_t smr, uint32_t s2cr)
{
    if (smmu->stream_matching)
        arm_smmu_writel(smmu, 0, ARM_SMMU_GR0_SMR(n), smr);
    arm_smmu_writel(smmu, 0, ARM_SMMU_GR0_S2CR(n), s2cr);
}

static void arm_smmu_device_reset(struct arm_smmu_device *smmu)
{
    arm_smmu_writel(smmu, 0, ARM_SMMU_GR0_sGFSR, arm_smmu_readl(0, ARM_SMMU_GR0_sGFSR));
    for (unsigned i = 0; i < smmu->mapping_groups; i++)
        arm_smmu_write_sme(smmu, i, 0, S2CR_TYPE_FAULT);
    for (unsigned i = 0; i < smmu->context_banks; i++) {
        arm_smmu_writel(smmu, smmu->numpage + i, ARM_SMMU_CB_SCTLR, 0);
        arm_smmu_writel(smmu, smmu->numpage + i, ARM_SMMU_CB_FSR, FSR_FAULT);
    }
    arm_smmu_writel(smmu, 0, ARM_SMMU_GR0_TLBIALLH, 0);
    arm_smmu_writel(smmu, 0, ARM_SMMU_GR0_TLBIALLNSNH, 0);
    nvidia_smmu_tlb_sync(smmu, 0, ARM_SMMU_GR0_sTLBGSYNC, ARM_SMMU_GR0_sTLBGSTATUS);
    arm_smmu_writel(smmu, 0, ARM_SMMU_GR0_sCR0,
                    sCR0_GFRE | sCR0_GFIE | sCR0_GCFGFRE | sCR0_GCFGFIE | sCR0_VMIDPNE | sCR0_PTM | sCR0_USFCFG);
}

static void arm_smmu_write_context_bank(const struct arm_smmu_device *smmu, const struct io_pgtable_cfg *cfg)
{
    unsigned page = cb_page(smmu);

    arm_smmu_writel(smmu, 1, ARM_SMMU_GR1_CBA2R(CONTEXT), CBA2R_VA64);
    arm_smmu_writel(smmu, 1, ARM_SMMU_GR1_CBAR(CONTEXT),
                    CBAR_TYPE_S1_TRANS_S2_BYPASS | CBAR_BPSHCFG_NSH | CBAR_MEMATTR_WB);
    arm_smmu_writel(smmu, page, ARM_SMMU_CB_TCR2, cfg->ips | TCR2_AS | TCR2_SEP_UPSTREAM);
    arm_smmu_writel(smmu, page, ARM_SMMU_CB_TCR,
                    cfg->tsz | cfg->irgn << 8 | cfg->orgn << 10 | cfg->sh << 12 | cfg->tg << 14 | TCR_EPD1);
    arm_smmu_writeq(smmu, page, ARM_SMMU_CB_TTBR0, cfg->ttbr | (uint64_t)ASID << 48);
    arm_smmu_writeq(smmu, page, ARM_SMMU_CB_TTBR1, (uint64_t)ASID << 48);
    arm_smmu_writel(smmu, page, ARM_SMMU_CB_S1_MAIR0, (uint32_t)cfg->mair);
    arm_smmu_writel(smmu, page, ARM_SMMU_CB_S1_MAIR1, (uint32_t)(cfg->mair >> 32));
    arm_smmu_writel(smmu, page, ARM_SMMU_CB_SCTLR,
                    SCTLR_CFIE | SCTLR_CFRE | SCTLR_AFE | SCTLR_TRE | SCTLR_M | SCTLR_S1_ASIDPNE);
}

struct iommu_domain *mmu500_attach(struct device *dev, uint32_t sid)
{
    struct arm_smmu_device *smmu = &the_smmu;
    struct arm_smmu_domain *smmu_domain = kzalloc(sizeof(*smmu_domain));
    struct iommu_domain *domain = &smmu_domain->domain;

    arm_smmu_device_cfg_probe(smmu);
    arm_smmu_device_reset(smmu);
    smmu_domain->smmu = smmu;
    domain->ops = &arm_smmu_domain_ops;
    domain->cfg = (struct io_pgtable_cfg){.pgsize_bitmap = 1ull << 12 | 1ull << 21 | 1ull << 30,
                                          .ias = smmu->va_bits,
                                          .oas = smmu->pa_bits,
                                          .coherent_walk = smmu->coherent_walk,
                                          .tlb = &arm_smmu_s1_tlb_ops,
                                          .iommu_dev = &smmu->dev};
    domain->pgtable = alloc_io_pgtable(&domain->cfg, smmu_domain);
    if (!domain->pgtable)
        sim_fail("no page tables for the MMU-500");
    arm_smmu_write_context_bank(smmu, &domain->cfg);
    arm_smmu_write_sme(smmu, smmu->stream_matching ? 0 : sid, SMR_VALID | sid, S2CR_TYPE_TRANS | CONTEXT);
    return domain;
}

bool mmu500_fault(uint32_t sid, uint64_t address)
{
    const struct arm_smmu_device *smmu = &the_smmu;

    for (unsigned i = 0; i < smmu->num_instances; i++) { /* the transaction went through one of them */
        uintptr_t bank = nvidia_smmu_page(i, cb_page(smmu));
        /* of several faults the first one's address is kept */
        if ((readl_relaxed(bank + ARM_SMMU_CB_FSR) & FSR_TF) && readq_relaxed(bank + ARM_SMMU_CB_FAR) == address) {
            writel_relaxed(FSR_FAULT, bank + ARM_SMMU_CB_FSR);
            return true;
        }
    }
    return false;
}
