/*
 * MMU-500 (SMMUv2, Arm IHI 0062): the register interface of a driver that invalidates by register writes, over the same
 * TLBs and walker as the SMMUv3. One or two mirrored instances, as on SoCs that interleave the traffic of their masters
 * over both: software programs them alike, a transaction goes through one of them.
 *
 * Context banks translate with stage 1 (AArch64 format); StreamIDs are matched by SMR registers. README.md lists what
 * is left out.
 */
#ifndef DMASIM_SMMU_MMU500_H
#define DMASIM_SMMU_MMU500_H

#include "common/error_list.h"
#include "common/port.h"
#include "smmu/translator.h"

#define MMU500_INSTANCES_MOST 4u

struct mmu500_config {
    uint32_t instances;      /* 1, 2 or 4 */
    uint32_t contexts;       /* context banks, 1..128 */
    uint32_t mapping_groups; /* SMR/S2CR pairs, 1..128 */
    bool cohacc;             /* IDR0.CTTW: walks snoop the CPU caches */
    struct translator_config translator;
    uint64_t access_ps;      /* one register access */
    uint64_t tlbi_ps;        /* one invalidation; they queue, and a write is acknowledged when its turn is over */
    uint64_t sync_ps;        /* TLBSYNC after all that it waits for */
    uint32_t intid;          /* SPI of instance 0's faults; further instances count up */
    uint32_t requester;      /* txn.requester of instance 0's walks */
    uint64_t instance_bytes; /* distance between the register blocks of two instances */
};

struct mmu500_counters {
    uint64_t tlbi, sync, faults;
};

struct mmu500;

/* Every rule that config breaks, one error each. */
bool mmu500_config_check(const struct mmu500_config *config, struct error_list *errors);
/* NULL when the check fails (errors says why) or memory is short. */
struct mmu500 *mmu500_create(const struct mmu500_config *config, const struct mem_port *memory,
                             const struct irq_port *irq, struct error_list *errors);
void mmu500_destroy(struct mmu500 *mmu500);

/* Register access; addr is the offset from instance 0. */
void mmu500_access(struct mmu500 *mmu500, struct txn *txn);
/* A transaction of a master: translated and sent on, or ended with TXN_FAULT and FSR, FAR, FSYNR0 set. */
void mmu500_translate(struct mmu500 *mmu500, struct txn *txn);

/* Who is told of translated accesses; copied. */
void mmu500_observe(struct mmu500 *mmu500, const struct translation_observer *observer);

const struct mmu500_counters *mmu500_counters(const struct mmu500 *mmu500);

#endif
