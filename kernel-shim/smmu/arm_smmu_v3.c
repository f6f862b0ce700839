/*
 * The SMMUv3 driver: probe, reset, stream table and context descriptor, invalidation, events and errors. One stream,
 * one domain, stage 1.
 */
#include "smmu/arm_smmu_v3.h"

#include "dmac.h"
#include "irqflags.h"
#include "simctl.h"
#include "smmu/smmu.h"

enum {
    IDR0 = 0x0,
    IDR1 = 0x4,
    IDR3 = 0xC,
    IDR5 = 0x14,
    CR0 = 0x20,
    CR0ACK = 0x24,
    CR1 = 0x28,
    CR2 = 0x2C,
    GBPA = 0x44,
    IRQ_CTRL = 0x50,
    IRQ_CTRLACK = 0x54,
    GERROR = 0x60,
    GERRORN = 0x64,
    GERROR_IRQ_CFG0 = 0x68,
    STRTAB_BASE = 0x80,
    STRTAB_BASE_CFG = 0x88,
    CMDQ_BASE = 0x90,
    CMDQ_PROD = 0x98,
    CMDQ_CONS = 0x9C,
    EVTQ_BASE = 0xA0,
    EVTQ_IRQ_CFG0 = 0xB0,
    EVTQ_PROD = 0x100A8,
    EVTQ_CONS = 0x100AC,
};
enum { CR0_SMMUEN = 1, CR0_EVTQEN = 4, CR0_CMDQEN = 8 };
enum { CR2_E2H = 1, CR2_RECINVSID = 2, CR2_PTM = 4 };
enum { GERROR_CMDQ_ERR = 1, GERROR_CMDQP_ERR = 1 << 9 };
enum { CERROR_ILL = 1 }; /* CMDQ_CONS.ERR, ECMDQ_CONS.ERR_REASON */
enum { IRQ_CTRL_GERROR = 1, IRQ_CTRL_EVTQ = 4 };
#define GBPA_UPDATE   (1u << 31)
#define GBPA_ABORT    (1u << 20)
#define TABLES_PRESET (1u << 30)
#define QUEUES_PRESET (1u << 29)
/* Queues and tables: Write-Back, Inner Shareable. */
#define CR1_ALL_ISH_WB (3u << 10 | 1u << 8 | 1u << 6 | 3u << 4 | 1u << 2 | 1u)

#define STRTAB_SPLIT      8
#define STRTAB_STE_BYTES  64
#define STRTAB_STE_DWORDS 8
#define STRTAB_L1_SPAN    (STRTAB_SPLIT + 1ull)
#define STRTAB_FMT_2LVL   (1u << 16)
#define STE_V             1ull
#define STE_CFG_ABORT     (0ull << 1)
#define STE_CFG_S1_TRANS  (5ull << 1)
#define STE_S1CIR_WBRA    (1ull << 2)
#define STE_S1COR_WBRA    (1ull << 4)
#define STE_S1CSH_ISH     (3ull << 6)
#define CD_EPD1           (1ull << 30)
#define CD_V              (1ull << 31)
#define CD_AA64           (1ull << 41)
#define CD_R              (1ull << 45)
#define CD_A              (1ull << 46)
#define CD_ASET           (1ull << 47)
#define ASID              1ull
#define TLBI_LEAF         1ull
#define CFGI_LEAF         1ull
#define RA                (1ull << 62)

#define EVT_ENT_DWORDS 4
#define EVENTS_KEPT    16

struct arm_smmu_domain {
    struct iommu_domain domain;
    struct arm_smmu_device *smmu;
};

static struct arm_smmu_device the_smmu;

static struct arm_smmu_event events[EVENTS_KEPT]; /* the last ones, a ring */
static unsigned event_count;

/* --- invalidation --- */

static void arm_smmu_issue(struct arm_smmu_device *smmu, uint64_t word0, uint64_t word1)
{
    uint64_t cmd[CMDQ_ENT_DWORDS] = {word0, word1};

    arm_smmu_cmdq_issue_cmd_with_sync(smmu, cmd);
}

/* One command a granule, or with range invalidation as few as the encoding of a length allows. */
static void arm_smmu_tlb_inv_range(struct arm_smmu_device *smmu, uint64_t iova, size_t size, size_t granule, bool leaf,
                                   unsigned tg)
{
    struct arm_smmu_cmdq_batch batch;
    uint64_t word0 = CMDQ_OP_TLBI_NH_VA | ASID << 48, end = iova + size, pages = 0, hint = leaf ? TLBI_LEAF : 0;
    size_t step = granule;
    bool range = smmu->features & FEAT_RANGE_INV;

    if (!size)
        return;
    if (range) {
        uint64_t ttl = 0;
        pages = size >> tg;
        if (leaf)
            ttl = 4 - ((uint64_t)(__builtin_ctzl(granule) - 3) / (tg - 3));
        else if ((pages & 31) == 1)
            pages++; /* scale 0 and num 0 without a level cannot be encoded */
        hint |= ttl << 8 | (uint64_t)((tg - 10) / 2) << 10;
    }
    arm_smmu_cmdq_batch_init(smmu, &batch);
    while (iova < end) {
        uint64_t cmd[CMDQ_ENT_DWORDS] = {word0, hint | iova};
        if (range) {
            unsigned scale = (unsigned)__builtin_ctzl(pages);
            uint64_t num = pages >> scale & 31;
            cmd[0] |= (num - 1) << 12 | (uint64_t)scale << 20;
            step = num << (scale + tg);
            pages -= num << scale;
        }
        arm_smmu_cmdq_batch_add(smmu, &batch, cmd);
        iova += step;
    }
    arm_smmu_cmdq_batch_submit(smmu, &batch);
}

static void arm_smmu_tlb_inv_range_domain(struct arm_smmu_domain *smmu_domain, uint64_t iova, size_t size,
                                          size_t granule, bool leaf)
{
    unsigned tg = (unsigned)__builtin_ctzl(smmu_domain->domain.cfg.pgsize_bitmap);

    arm_smmu_tlb_inv_range(smmu_domain->smmu, iova, size, granule, leaf, tg);
}

static void arm_smmu_tlb_inv_walk(uint64_t iova, size_t size, size_t granule, void *cookie)
{
    arm_smmu_tlb_inv_range_domain(cookie, iova, size, granule, false);
}

static void arm_smmu_tlb_inv_page_nosync(struct iommu_iotlb_gather *gather, uint64_t iova, size_t granule, void *cookie)
{
    struct arm_smmu_domain *smmu_domain = cookie;

    iommu_iotlb_gather_add_page(&smmu_domain->domain, gather, iova, granule);
}

static void arm_smmu_tlb_inv_context(void *cookie)
{
    struct arm_smmu_domain *smmu_domain = cookie;

    arm_smmu_issue(smmu_domain->smmu, CMDQ_OP_TLBI_NH_ASID | ASID << 48, 0);
}

static const struct iommu_flush_ops arm_smmu_flush_ops = {
    .tlb_flush_all = arm_smmu_tlb_inv_context,
    .tlb_flush_walk = arm_smmu_tlb_inv_walk,
    .tlb_add_page = arm_smmu_tlb_inv_page_nosync,
};

static void arm_smmu_flush_iotlb_all(struct iommu_domain *domain)
{
    arm_smmu_tlb_inv_context(domain);
}

static void arm_smmu_iotlb_sync(struct iommu_domain *domain, struct iommu_iotlb_gather *gather)
{
    if (gather->pgsize)
        arm_smmu_tlb_inv_range_domain((struct arm_smmu_domain *)domain, gather->start, gather->end - gather->start + 1,
                                      gather->pgsize, true);
}

static const struct iommu_domain_ops arm_smmu_domain_ops = {arm_smmu_flush_iotlb_all, arm_smmu_iotlb_sync};

/* --- events and errors --- */

static void keep_event(const uint64_t *record)
{
    events[event_count++ % EVENTS_KEPT] =
        (struct arm_smmu_event){record[0] & 0xFF, (uint32_t)(record[0] >> 32), record[2]};
}

static void arm_smmu_evtq_handler(unsigned intid, void *data)
{
    struct arm_smmu_device *smmu = data;
    struct arm_smmu_queue *q = &smmu->evtq;
    uint32_t mask = (2u << q->llq.max_n_shift) - 1, prod = readl(q->prod_reg);

    while (q->llq.cons != (prod & mask)) {
        keep_event(q->base + (q->llq.cons & (mask >> 1)) * q->ent_dwords);
        q->llq.cons = (q->llq.cons + 1) & mask;
        prod = readl(q->prod_reg);
    }
    mb(); /* the records are read before their slots are free */
    writel_relaxed(q->llq.cons | (prod & 1u << 31), q->cons_reg);
}

/* A command that the SMMU refuses is replaced by a CMD_SYNC without signal; then the queue goes on. After any other
 * error the command is good and only tried again. */
void arm_smmu_replace_command(struct arm_smmu_queue *q, uint32_t cons)
{
    uint64_t *entry = q->base + (cons & ((1u << q->llq.max_n_shift) - 1)) * q->ent_dwords;

    if ((cons >> 24 & 7) != CERROR_ILL)
        return;
    WRITE_ONCE(entry[0], CMDQ_OP_CMD_SYNC);
    WRITE_ONCE(entry[1], 0);
}

static void arm_smmu_gerror_handler(unsigned intid, void *data)
{
    struct arm_smmu_device *smmu = data;
    uint32_t gerror = readl_relaxed(smmu->base + GERROR), gerrorn = readl_relaxed(smmu->base + GERRORN);

    smmu->gerror_seen |= gerror ^ gerrorn;
    if ((gerror ^ gerrorn) & GERROR_CMDQ_ERR)
        arm_smmu_replace_command(&smmu->cmdq.q, readl_relaxed(smmu->cmdq.q.cons_reg));
    if ((gerror ^ gerrorn) & GERROR_CMDQP_ERR)
        arm_smmu_ecmdq_errors(smmu);
    writel(gerror, smmu->base + GERRORN);
    arm_smmu_ecmdq_errors(smmu); /* a queue that stopped after the look and before the acknowledgement raises nothing */
}

/* The interrupt may be under way still: what the queue holds is read first. */
static void read_events(void)
{
    uint64_t flags = local_irq_save();

    arm_smmu_evtq_handler(0, &the_smmu);
    local_irq_restore(flags);
}

const struct arm_smmu_event *arm_smmu_evtq_last(unsigned *count)
{
    read_events();
    *count = event_count;
    return event_count ? &events[(event_count - 1) % EVENTS_KEPT] : NULL;
}

bool arm_smmu_v3_fault(uint32_t sid, uint64_t address)
{
    bool found = false;

    read_events();
    for (unsigned i = 0; i < event_count && i < EVENTS_KEPT; i++)
        found |= events[i].type == EVT_ID_TRANSLATION_FAULT && events[i].sid == sid && events[i].address == address;
    event_count = 0;
    return found;
}

/* --- structures in memory --- */

/* dma_alloc_coherent(): plain cacheable memory when the SMMU snoops, else the Non-cacheable alias. */
void *arm_smmu_alloc(const struct arm_smmu_device *smmu, size_t bytes, uint64_t *dma)
{
    void *memory;

    if (!(smmu->features & FEAT_COHERENCY))
        return dma_alloc_coherent(bytes, dma);
    memory = smmu->queue_node ? alloc_remote_pages(bytes) : alloc_pages_exact(bytes);
    memset(memory, 0, bytes);
    *dma = virt_to_phys(memory);
    return memory;
}

/* A structure may be cached before it is valid, and as invalid (IHI 0070 3.21.3). */
static void arm_smmu_sync_cd(struct arm_smmu_device *smmu, uint32_t sid)
{
    arm_smmu_issue(smmu, CMDQ_OP_CFGI_CD | (uint64_t)sid << 32, CFGI_LEAF);
}

/* Returns the address of a new context descriptor. */
static uint64_t arm_smmu_write_cd(struct arm_smmu_device *smmu, uint32_t sid, const struct io_pgtable_cfg *cfg)
{
    uint64_t dma, *cd = arm_smmu_alloc(smmu, PAGE_SIZE, &dma);

    WRITE_ONCE(cd[1], cfg->ttbr);
    WRITE_ONCE(cd[3], cfg->mair);
    dma_wmb();
    WRITE_ONCE(cd[0], cfg->tsz | (uint64_t)cfg->tg << 6 | (uint64_t)cfg->irgn << 8 | (uint64_t)cfg->orgn << 10 |
                          (uint64_t)cfg->sh << 12 | CD_EPD1 | (uint64_t)cfg->ips << 32 | CD_AA64 | CD_R | CD_A |
                          CD_ASET | ASID << 48 | CD_V);
    arm_smmu_sync_cd(smmu, sid);
    return dma;
}

/* The entry of a StreamID; the second level of a two-level table is made when it is first needed. */
static uint64_t *arm_smmu_get_step_for_sid(struct arm_smmu_device *smmu, uint32_t sid)
{
    uint64_t dma, *level2;

    if (!(smmu->features & FEAT_2_LVL_STRTAB))
        return smmu->strtab + (uint64_t)sid * STRTAB_STE_DWORDS;
    level2 = arm_smmu_alloc(smmu, STRTAB_STE_BYTES << STRTAB_SPLIT, &dma);
    for (unsigned i = 0; i < 1u << STRTAB_SPLIT; i++)
        level2[i * STRTAB_STE_DWORDS] = STE_V | STE_CFG_ABORT;
    dma_wmb();
    WRITE_ONCE(smmu->strtab[sid >> STRTAB_SPLIT], dma | STRTAB_L1_SPAN);
    return level2 + (uint64_t)(sid & ((1u << STRTAB_SPLIT) - 1)) * STRTAB_STE_DWORDS;
}

static void arm_smmu_sync_ste_for_sid(struct arm_smmu_device *smmu, uint32_t sid)
{
    arm_smmu_issue(smmu, CMDQ_OP_CFGI_STE | (uint64_t)sid << 32, CFGI_LEAF);
}

/* The words behind the first are written while V is 0 (IHI 0070 3.21.3.1). */
static void arm_smmu_write_strtab_ent(struct arm_smmu_device *smmu, uint32_t sid, uint64_t cd_dma)
{
    uint64_t *ste = arm_smmu_get_step_for_sid(smmu, sid);

    WRITE_ONCE(ste[0], 0);
    arm_smmu_sync_ste_for_sid(smmu, sid);
    WRITE_ONCE(ste[1], STE_S1CIR_WBRA | STE_S1COR_WBRA | STE_S1CSH_ISH);
    arm_smmu_sync_ste_for_sid(smmu, sid);
    WRITE_ONCE(ste[0], STE_V | STE_CFG_S1_TRANS | cd_dma);
    arm_smmu_sync_ste_for_sid(smmu, sid);
}

static void arm_smmu_init_strtab(struct arm_smmu_device *smmu)
{
    bool two = smmu->features & FEAT_2_LVL_STRTAB;
    unsigned bits = smmu->sid_bits;
    uint64_t dma, entries;

    if (two && bits < STRTAB_SPLIT)
        bits = STRTAB_SPLIT;
    entries = two ? 1ull << (bits - STRTAB_SPLIT) : 1ull << bits;
    smmu->strtab = arm_smmu_alloc(smmu, entries * (two ? 8 : STRTAB_STE_BYTES), &dma);
    for (uint64_t i = 0; !two && i < entries; i++)
        smmu->strtab[i * STRTAB_STE_DWORDS] = STE_V | STE_CFG_ABORT;
    writeq_relaxed(dma | RA, smmu->base + STRTAB_BASE);
    writel_relaxed(two ? bits | STRTAB_SPLIT << 6 | STRTAB_FMT_2LVL : bits, smmu->base + STRTAB_BASE_CFG);
}

/* --- probe and reset --- */

static void arm_smmu_device_hw_probe(struct arm_smmu_device *smmu)
{
    static const uint8_t sizes[] = {32, 36, 40, 42, 44, 48, 52, 52};
    uint32_t idr0 = readl_relaxed(smmu->base + IDR0), idr1 = readl_relaxed(smmu->base + IDR1);
    uint32_t idr5 = readl_relaxed(smmu->base + IDR5);

    if (!(idr0 & 1 << 1) || !(idr0 >> 2 & 2) || !(idr5 & 1 << 4))
        sim_fail("the SMMUv3 has no stage 1 or no AArch64 tables of 4 KB");
    if (idr0 >> 21 & 1) /* TTENDIAN: 0 both, 2 little */
        sim_fail("the SMMUv3 walks no little-endian tables");
    if (idr1 & (TABLES_PRESET | QUEUES_PRESET))
        sim_fail("the SMMUv3's tables and queues are at fixed addresses");
    smmu->features = (idr0 >> 27 & 3 ? FEAT_2_LVL_STRTAB : 0) | (idr0 >> 4 & 1 ? FEAT_COHERENCY : 0) |
                     (idr0 >> 13 & 1 ? FEAT_MSI : 0) | (idr0 >> 14 & 1 ? FEAT_SEV : 0) | (idr0 >> 9 & 1 ? FEAT_HYP : 0);
    if (readl_relaxed(smmu->base + IDR3) >> 10 & 1)
        smmu->features |= FEAT_RANGE_INV;
    smmu->sid_bits = idr1 & 63;
    smmu->cmdq_bits = idr1 >> 21 & 31;
    smmu->evtq_bits = idr1 >> 16 & 31;
    smmu->oas = sizes[idr5 & 7];
    if ((smmu->features & FEAT_COHERENCY) && (smmu->features & FEAT_MSI) && !sim_param("disable_msipolling", 0))
        smmu->options |= OPT_MSIPOLL;
    if (sim_param("force_sync", 0))
        smmu->options |= OPT_CMDQ_FORCE_SYNC;
    smmu->queue_node = (unsigned)sim_param("queue_node", 0);
    smmu->batch = (int)sim_param("cmdq_batch", 64);
    if (smmu->batch < 1 || smmu->batch > CMDQ_BATCH_MOST)
        sim_fail("cmdq_batch is 1 to 256");
    smmu->dev = (struct device){.dma_coherent = smmu->features & FEAT_COHERENCY, .dma_mask = ~0ull};
}

static void arm_smmu_write_reg_sync(struct arm_smmu_device *smmu, uint32_t value, unsigned reg, unsigned ack)
{
    writel_relaxed(value, smmu->base + reg);
    while (readl_relaxed(smmu->base + ack) != value)
        cpu_relax();
}

/* At most what the page allocator of a kernel would give. */
static unsigned queue_bits(unsigned most)
{
    unsigned wanted = (unsigned)sim_param("queue_bits", 16);

    return wanted < most ? wanted : most;
}

static void arm_smmu_init_queues(struct arm_smmu_device *smmu)
{
    struct arm_smmu_queue *q = &smmu->cmdq.q;
    unsigned bits = queue_bits(smmu->cmdq_bits);

    arm_smmu_cmdq_init(smmu, &smmu->cmdq, bits);
    q->base = arm_smmu_alloc(smmu, (CMDQ_ENT_DWORDS * 8ul) << bits, &q->base_dma);
    q->prod_reg = smmu->base + CMDQ_PROD;
    q->cons_reg = smmu->base + CMDQ_CONS;
    writeq_relaxed(q->base_dma | RA | bits, smmu->base + CMDQ_BASE);
    writel_relaxed(0, q->prod_reg);
    writel_relaxed(0, q->cons_reg);
}

static void arm_smmu_init_evtq(struct arm_smmu_device *smmu)
{
    struct arm_smmu_queue *q = &smmu->evtq;
    unsigned bits = smmu->evtq_bits < 7 ? smmu->evtq_bits : 7;

    q->llq.max_n_shift = bits;
    q->ent_dwords = EVT_ENT_DWORDS;
    q->base = arm_smmu_alloc(smmu, (EVT_ENT_DWORDS * 8ul) << bits, &q->base_dma);
    q->prod_reg = smmu->base + EVTQ_PROD;
    q->cons_reg = smmu->base + EVTQ_CONS;
    writeq_relaxed(q->base_dma | RA | bits, smmu->base + EVTQ_BASE);
    writel_relaxed(0, q->prod_reg);
    writel_relaxed(0, q->cons_reg);
}

static void arm_smmu_setup_irqs(struct arm_smmu_device *smmu)
{
    arm_smmu_write_reg_sync(smmu, 0, IRQ_CTRL, IRQ_CTRLACK);
    writeq_relaxed(0, smmu->base + GERROR_IRQ_CFG0); /* wired */
    writeq_relaxed(0, smmu->base + EVTQ_IRQ_CFG0);
    request_irq(32 + SPI_SMMU_EVENTQ, true, arm_smmu_evtq_handler, smmu);
    request_irq(32 + SPI_SMMU_GERROR, true, arm_smmu_gerror_handler, smmu);
    arm_smmu_write_reg_sync(smmu, IRQ_CTRL_EVTQ | IRQ_CTRL_GERROR, IRQ_CTRL, IRQ_CTRLACK);
}

static uint32_t gbpa_after_update(const struct arm_smmu_device *smmu)
{
    uint32_t gbpa;

    while ((gbpa = readl_relaxed(smmu->base + GBPA)) & GBPA_UPDATE)
        cpu_relax();
    return gbpa;
}

static void arm_smmu_device_reset(struct arm_smmu_device *smmu)
{
    uint32_t enables = 0;

    if (readl_relaxed(smmu->base + CR0) & CR0_SMMUEN) {
        writel_relaxed(gbpa_after_update(smmu) | GBPA_ABORT | GBPA_UPDATE, smmu->base + GBPA);
        gbpa_after_update(smmu);
    }
    arm_smmu_write_reg_sync(smmu, 0, CR0, CR0ACK);
    writel_relaxed(CR1_ALL_ISH_WB, smmu->base + CR1);
    writel_relaxed(CR2_PTM | CR2_RECINVSID, smmu->base + CR2);
    arm_smmu_init_strtab(smmu);
    arm_smmu_init_queues(smmu);
    enables |= CR0_CMDQEN;
    arm_smmu_write_reg_sync(smmu, enables, CR0, CR0ACK);
    arm_smmu_ecmdq_init(smmu);
    arm_smmu_issue(smmu, CMDQ_OP_CFGI_ALL, 31);
    if (smmu->features & FEAT_HYP)
        arm_smmu_issue(smmu, CMDQ_OP_TLBI_EL2_ALL, 0);
    arm_smmu_issue(smmu, CMDQ_OP_TLBI_NSNH_ALL, 0);
    arm_smmu_init_evtq(smmu);
    enables |= CR0_EVTQEN;
    arm_smmu_write_reg_sync(smmu, enables, CR0, CR0ACK);
    arm_smmu_setup_irqs(smmu);
    enables |= CR0_SMMUEN;
    arm_smmu_write_reg_sync(smmu, enables, CR0, CR0ACK);
}

struct arm_smmu_device *arm_smmu_v3_device(void)
{
    return &the_smmu;
}

struct iommu_domain *arm_smmu_v3_attach(struct device *dev, uint32_t sid)
{
    struct arm_smmu_device *smmu = &the_smmu;
    struct arm_smmu_domain *smmu_domain = kzalloc(sizeof(*smmu_domain));
    struct iommu_domain *domain = &smmu_domain->domain;

    smmu->base = SMMU_BASE;
    arm_smmu_device_hw_probe(smmu);
    arm_smmu_device_reset(smmu);
    smmu_domain->smmu = smmu;
    domain->ops = &arm_smmu_domain_ops;
    domain->cfg = (struct io_pgtable_cfg){.pgsize_bitmap = 1ull << 12 | 1ull << 21 | 1ull << 30,
                                          .ias = 48,
                                          .oas = smmu->oas,
                                          .coherent_walk = smmu->features & FEAT_COHERENCY,
                                          .tlb = &arm_smmu_flush_ops,
                                          .iommu_dev = &smmu->dev};
    domain->pgtable = alloc_io_pgtable(&domain->cfg, smmu_domain);
    if (!domain->pgtable)
        sim_fail("no page tables for the SMMUv3");
    arm_smmu_write_strtab_ent(smmu, sid, arm_smmu_write_cd(smmu, sid, &domain->cfg));
    return domain;
}
