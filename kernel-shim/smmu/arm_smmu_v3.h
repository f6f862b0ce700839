/*
 * The SMMUv3 driver (drivers/iommu/arm/arm-smmu-v3/): the command queue and what is built on it. Several queues can
 * exist; all share the insertion.
 */
#ifndef ARM_SMMU_V3_H
#define ARM_SMMU_V3_H

#include "atomic.h"
#include "iommu.h"

#define CMDQ_ENT_DWORDS   2
#define CMDQ_BATCH_MOST   256
#define CMDQ_PROD_OWNED   (1u << 31)
#define CMDQ_BITS_REFUSED 6 /* a queue has more than 2^6 entries: a word of the map of valid slots */

/* Both indices in one word, so that one compare-and-swap moves them together. */
struct arm_smmu_ll_queue {
    union {
        uint64_t val;
        struct {
            uint32_t prod, cons; /* index and wrap bit; prod carries CMDQ_PROD_OWNED */
        };
        struct {
            atomic_t prod, cons;
        } atomic;
        uint8_t pad[64];
    };
    uint32_t max_n_shift;
} __attribute__((aligned(64)));

struct arm_smmu_queue {
    struct arm_smmu_ll_queue llq;
    uint64_t *base __attribute__((aligned(64)));
    uint64_t base_dma;
    uint64_t ent_dwords;
    uintptr_t prod_reg, cons_reg;
    uint32_t prod_bits; /* ECMDQ: EN and ERRACK, written with every PROD */
};

enum { ECMDQ_PROD_EN = 1u << 31, ECMDQ_PROD_ERRACK = 1u << 23 };

/* owner_prod and lock share a line with the pointer to the map, as in the kernel. */
struct arm_smmu_cmdq {
    struct arm_smmu_queue q;
    atomic64_t *valid_map __attribute__((aligned(64)));
    atomic_t owner_prod, lock;
    atomic64_t added __attribute__((aligned(64))); /* CMDQ_ATOMIC_ADD: slots and cores, counted by one add */
    bool is_private;                               /* one core only: no owner, no map of valid slots */
    unsigned owner_cpu;                            /* ECMDQ: who acknowledges its errors */
};

_Static_assert(offsetof(struct arm_smmu_cmdq, q.llq.max_n_shift) == 64 &&
                   offsetof(struct arm_smmu_cmdq, q.base) == 128 && offsetof(struct arm_smmu_cmdq, valid_map) == 192 &&
                   offsetof(struct arm_smmu_cmdq, owner_prod) == 200 && offsetof(struct arm_smmu_cmdq, lock) == 204,
               "who shares a line with whom is the kernel's");

struct arm_smmu_cmdq_batch {
    struct arm_smmu_cmdq *cmdq;
    int num;
    uint64_t cmds[CMDQ_BATCH_MOST * CMDQ_ENT_DWORDS];
};

enum { FEAT_2_LVL_STRTAB = 1, FEAT_COHERENCY = 2, FEAT_MSI = 4, FEAT_SEV = 8, FEAT_RANGE_INV = 16, FEAT_HYP = 32 };
enum { OPT_MSIPOLL = 1, OPT_CMDQ_FORCE_SYNC = 2 };

/* What a core has done with command queues; a line of its own. */
struct arm_smmu_stats {
    uint64_t lists, attempts, owned,
        syncs; /* lists inserted, reservations tried, doorbells rung, CMD_SYNCs waited for */
} __attribute__((aligned(64)));

struct arm_smmu_device {
    struct device dev;
    uintptr_t base;
    unsigned features, options;
    unsigned sid_bits, oas, cmdq_bits, evtq_bits;
    unsigned queue_node; /* 1: queues and tables lie on the other node */
    int batch;           /* commands of a list, CMDQ_BATCH_ENTRIES of the kernel */
    struct arm_smmu_cmdq cmdq;
    struct arm_smmu_queue evtq;
    uint64_t *strtab; /* linear: STEs; two-level: L1 descriptors */
    uint64_t gerror_seen;
    /* ECMDQs; none: every core uses cmdq */
    struct arm_smmu_cmdq *ecmdqs;
    unsigned nr_ecmdq;
    struct arm_smmu_cmdq *queue_of_cpu[MAX_CPUS];
    struct arm_smmu_stats stats[MAX_CPUS];
};

/* Commands. */
enum {
    CMDQ_OP_CFGI_STE = 0x03,
    CMDQ_OP_CFGI_ALL = 0x04,
    CMDQ_OP_CFGI_CD = 0x05,
    CMDQ_OP_TLBI_NH_ASID = 0x11,
    CMDQ_OP_TLBI_NH_VA = 0x12,
    CMDQ_OP_TLBI_EL2_ALL = 0x20,
    CMDQ_OP_TLBI_NSNH_ALL = 0x30,
    CMDQ_OP_CMD_SYNC = 0x46,
};

enum { EVT_ID_TRANSLATION_FAULT = 0x10 };
struct arm_smmu_event {
    uint32_t type, sid;
    uint64_t address;
};

/* The one SMMUv3, after iommu_attach_device(). */
struct arm_smmu_device *arm_smmu_v3_device(void);
/* The last event, NULL before the first; *count: of all since the last iommu_faulted(). */
const struct arm_smmu_event *arm_smmu_evtq_last(unsigned *count);

/* arm_smmu_v3_ecmdq.c: queues for the cores, when the SMMU has them and the parameter ecmdq_queues is not 0. */
void arm_smmu_ecmdq_init(struct arm_smmu_device *smmu);
/* GERROR.CMDQP_ERR: finds the queues in error and repairs them. */
void arm_smmu_ecmdq_errors(struct arm_smmu_device *smmu);
/* arm_smmu_v3.c: replaces the command at cons (the register's value) by a CMD_SYNC without signal, if it is illegal. */
void arm_smmu_replace_command(struct arm_smmu_queue *q, uint32_t cons);
void *arm_smmu_alloc(const struct arm_smmu_device *smmu, size_t bytes, uint64_t *dma);

/* arm_smmu_v3_cmdq.c */
/* depth_bits: log2 of the entries; q->base and the registers are set already. */
void arm_smmu_cmdq_init(const struct arm_smmu_device *smmu, struct arm_smmu_cmdq *cmdq, unsigned depth_bits);
/* Inserts n commands, and with sync a CMD_SYNC behind them, for whose completion it waits. */
void arm_smmu_cmdq_issue_cmdlist(struct arm_smmu_device *smmu, struct arm_smmu_cmdq *cmdq, const uint64_t *cmds, int n,
                                 bool sync);
void arm_smmu_cmdq_issue_cmd_with_sync(struct arm_smmu_device *smmu, const uint64_t cmd[CMDQ_ENT_DWORDS]);
void arm_smmu_cmdq_batch_init(struct arm_smmu_device *smmu, struct arm_smmu_cmdq_batch *batch);
void arm_smmu_cmdq_batch_add(struct arm_smmu_device *smmu, struct arm_smmu_cmdq_batch *batch,
                             const uint64_t cmd[CMDQ_ENT_DWORDS]);
void arm_smmu_cmdq_batch_submit(struct arm_smmu_device *smmu, struct arm_smmu_cmdq_batch *batch);

#endif
