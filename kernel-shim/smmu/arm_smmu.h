/* Registers of the SMMUv2 that the driver uses (Arm IHI 0062; names of drivers/iommu/arm/arm-smmu/arm-smmu.h). */
#ifndef ARM_SMMU_H
#define ARM_SMMU_H

#define ARM_SMMU_GR0_sCR0            0x0
#define sCR0_CLIENTPD                (1u << 0)
#define sCR0_GFRE                    (1u << 1)
#define sCR0_GFIE                    (1u << 2)
#define sCR0_GCFGFRE                 (1u << 4)
#define sCR0_GCFGFIE                 (1u << 5)
#define sCR0_USFCFG                  (1u << 10)
#define sCR0_VMIDPNE                 (1u << 11)
#define sCR0_PTM                     (1u << 12)
#define ARM_SMMU_GR0_ID0             0x20
#define ID0_CTTW                     (1u << 14)
#define ID0_SMS                      (1u << 27)
#define ARM_SMMU_GR0_ID1             0x24
#define ARM_SMMU_GR0_ID2             0x28
#define ARM_SMMU_GR0_sGFSR           0x48
#define ARM_SMMU_GR0_TLBIALLNSNH     0x68
#define ARM_SMMU_GR0_TLBIALLH        0x6C
#define ARM_SMMU_GR0_sTLBGSYNC       0x70
#define ARM_SMMU_GR0_sTLBGSTATUS     0x74
#define ARM_SMMU_GR0_SMR(n)          (0x800 + 4 * (n))
#define SMR_VALID                    (1u << 31)
#define ARM_SMMU_GR0_S2CR(n)         (0xC00 + 4 * (n))
#define S2CR_TYPE_TRANS              (0u << 16)
#define S2CR_TYPE_FAULT              (2u << 16)
#define ARM_SMMU_GR1_CBAR(n)         (0x0 + 4 * (n))
#define CBAR_TYPE_S1_TRANS_S2_BYPASS (1u << 16)
#define CBAR_BPSHCFG_NSH             (3u << 8)
#define CBAR_MEMATTR_WB              (15u << 12)
#define ARM_SMMU_GR1_CBA2R(n)        (0x800 + 4 * (n))
#define CBA2R_VA64                   (1u << 0)
#define ARM_SMMU_CB_SCTLR            0x0
#define SCTLR_M                      (1u << 0)
#define SCTLR_TRE                    (1u << 1)
#define SCTLR_AFE                    (1u << 2)
#define SCTLR_CFRE                   (1u << 5)
#define SCTLR_CFIE                   (1u << 6)
#define SCTLR_S1_ASIDPNE             (1u << 12)
#define ARM_SMMU_CB_TCR2             0x10
#define TCR2_AS                      (1u << 4)
#define TCR2_SEP_UPSTREAM            (7u << 15)
#define ARM_SMMU_CB_TTBR0            0x20
#define ARM_SMMU_CB_TTBR1            0x28
#define ARM_SMMU_CB_TCR              0x30
#define TCR_EPD1                     (1u << 23)
#define ARM_SMMU_CB_S1_MAIR0         0x38
#define ARM_SMMU_CB_S1_MAIR1         0x3C
#define ARM_SMMU_CB_FSR              0x58
#define ARM_SMMU_CB_FAR              0x60
#define ARM_SMMU_CB_FSYNR0           0x68
#define FSR_TF                       (1u << 1)
#define FSR_FAULT                    0xC00001FEu
#define ARM_SMMU_CB_S1_TLBIVA        0x600
#define ARM_SMMU_CB_S1_TLBIASID      0x610
#define ARM_SMMU_CB_S1_TLBIVAL       0x620
#define ARM_SMMU_CB_TLBSYNC          0x7F0
#define ARM_SMMU_CB_TLBSTATUS        0x7F4
#define sTLBGSTATUS_GSACTIVE         (1u << 0)

#endif
