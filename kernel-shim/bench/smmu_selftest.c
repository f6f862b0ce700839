/*
 * The SMMUv3 driver against the SMMU: how many commands a batch and an invalidation make, commands of all cores through
 * one small queue, a command that is refused, and faults by the dozen. Parameters: rounds (lists of each core), stuck
 * (1: the queue is switched off before a CMD_SYNC, whose wait must then end).
 */
#include "delay.h"
#include "dmac.h"
#include "irqflags.h"
#include "percpu.h"
#include "selftest.h"
#include "smmu/arm_smmu_v3.h"

enum { STREAM_ID = 0, TXN_FAULT = 3, FAULTS = 40, GERROR_CMDQ_ERR = 1 };
#define SMMU_CR0       0x20
#define UNMAPPED       0x7000000000ull
#define CMD_NOT_EXTANT 0xFFull

static struct arm_smmu_device *smmu;
static struct iommu_domain *domain;
static struct device dev;
static unsigned rounds;
static atomic_t ready, go, finished, slots_taken;

static const uint64_t harmless[CMDQ_ENT_DWORDS] = {CMDQ_OP_TLBI_NH_ASID | 0xFFFFull << 48, 0};

/* Entries that the queue has got since *prod was read; moves it on. */
static unsigned entries_since(uint32_t *prod)
{
    uint32_t mask = (2u << smmu->cmdq.q.llq.max_n_shift) - 1, now = readl(smmu->cmdq.q.prod_reg) & mask;
    unsigned entries = (now - *prod) & mask;

    *prod = now;
    return entries;
}

static void check_idle(void)
{
    const struct arm_smmu_cmdq *cmdq = &smmu->cmdq;
    uint32_t prod = readl(cmdq->q.prod_reg);

    CHECK((readl(cmdq->q.cons_reg) & 0xFFFFF) == prod); /* the reason of an error stays in it */
    CHECK(READ_ONCE(cmdq->q.llq.prod) == prod);
    CHECK(READ_ONCE(cmdq->owner_prod.counter) == prod);
    CHECK(READ_ONCE(cmdq->lock.counter) == 0);
}

/* --- counts --- */

static unsigned syncs_of_batch(unsigned commands)
{
    unsigned most = smmu->batch > 1 ? (unsigned)smmu->batch - 1 : 1;

    return smmu->options & OPT_CMDQ_FORCE_SYNC ? (commands - 1) / most + 1 : 1;
}

static void batch_of(unsigned commands)
{
    struct arm_smmu_cmdq_batch batch;
    uint32_t prod = 0;

    entries_since(&prod);
    arm_smmu_cmdq_batch_init(smmu, &batch);
    for (unsigned i = 0; i < commands; i++)
        arm_smmu_cmdq_batch_add(smmu, &batch, harmless);
    arm_smmu_cmdq_batch_submit(smmu, &batch);
    CHECK(entries_since(&prod) == commands + syncs_of_batch(commands));
    check_idle();
}

static void batches(void)
{
    unsigned batch = (unsigned)smmu->batch;

    for (unsigned commands = 1; commands <= 3; commands++)
        batch_of(commands);
    batch_of(batch);
    batch_of(batch + 1);
    for (unsigned lap = 0; lap < 5; lap++)
        batch_of(2 * batch + lap);
}

/* A range of pages needs a command a page, or with range invalidation ranged commands. */
static void range_of(size_t pages, bool leaf, unsigned ranged)
{
    unsigned commands = smmu->features & FEAT_RANGE_INV ? ranged : (unsigned)pages;
    struct iommu_iotlb_gather gather = {
        .start = UNMAPPED, .end = UNMAPPED + pages * PAGE_SIZE - 1, .pgsize = PAGE_SIZE};
    uint32_t prod = 0;

    entries_since(&prod);
    if (leaf)
        domain->ops->iotlb_sync(domain, &gather);
    else
        domain->cfg.tlb->tlb_flush_walk(UNMAPPED, pages * PAGE_SIZE, PAGE_SIZE, domain);
    CHECK(entries_since(&prod) == commands + syncs_of_batch(commands));
}

static void ranges(void)
{
    static const struct {
        uint16_t pages, leaf, walk;
    } cases[] = {{1, 1, 1}, {31, 1, 1}, {32, 1, 1}, {33, 2, 1}, {63, 2, 2}, {65, 2, 2}, {96, 1, 1}};

    for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        range_of(cases[i].pages, true, cases[i].leaf);
        range_of(cases[i].pages, false, cases[i].walk);
    }
}

/* --- many cores; one of them inserts a command that is refused, before the others begin --- */

static void insert_illegal(void)
{
    const uint64_t cmd[CMDQ_ENT_DWORDS] = {CMD_NOT_EXTANT, 0};

    arm_smmu_cmdq_issue_cmd_with_sync(smmu, cmd);
    arm_smmu_cmdq_issue_cmd_with_sync(smmu, harmless);
}

static void insert_lists(uint64_t random)
{
    static uint64_t lists[CMDQ_BATCH_MOST][CMDQ_ENT_DWORDS];

    for (unsigned i = 0; i < (unsigned)smmu->batch; i++) {
        WRITE_ONCE(lists[i][0], harmless[0]);
        WRITE_ONCE(lists[i][1], harmless[1]);
    }
    for (unsigned i = 0; i < rounds; i++) {
        bool sync = i + 1 == rounds || random >> 60 & 1;
        int n;

        random = random * 6364136223846793005ull + 1442695040888963407ull;
        n = (int)((random >> 33) % (uint64_t)smmu->batch) + !sync;
        arm_smmu_cmdq_issue_cmdlist(smmu, &smmu->cmdq, lists[0], n, sync);
        atomic_fetch_add((uint32_t)n + sync, &slots_taken);
    }
}

static void signal(atomic_t *counter)
{
    atomic_fetch_add(1, counter);
    dsb(ishst); /* an event orders nothing */
    asm volatile("sev");
}

static void wait_for(const atomic_t *counter, uint32_t value)
{
    while (atomic_read(counter) != value)
        asm volatile("wfe" ::: "memory");
}

static void other_core(void *argument)
{
    uint64_t cpu = (uint64_t)argument;

    if (cpu == 1)
        insert_illegal();
    signal(&ready);
    wait_for(&go, 1);
    insert_lists(cpu * 2 + 1);
    signal(&finished);
}

/* Interrupts are off while a core waits for its CMD_SYNC; core 0, which gets them, must not wait behind the command. */
static void illegal_command(void)
{
    for_each_online_cpu(cpu) if (cpu) cpu_start(cpu, other_core, (void *)(uintptr_t)cpu);
    wait_for(&ready, num_online_cpus() - 1);
    CHECK(smmu->gerror_seen == GERROR_CMDQ_ERR);
    check_idle();
}

static void all_cores(void)
{
    uint32_t prod = 0, mask = (2u << smmu->cmdq.q.llq.max_n_shift) - 1;

    entries_since(&prod);
    signal(&go);
    insert_lists(1);
    wait_for(&finished, num_online_cpus() - 1);
    arm_smmu_cmdq_issue_cmdlist(smmu, &smmu->cmdq, NULL, 0, true);
    CHECK(entries_since(&prod) == ((atomic_read(&slots_taken) + 1) & mask));
    check_idle();
}

/* --- events --- */

/* The engine's first access, that to its descriptor, faults. */
static void faults(void)
{
    const struct arm_smmu_event *event;
    unsigned count;

    for (unsigned i = 0; i < FAULTS; i++) {
        dmac_prepare(UNMAPPED + i * PAGE_SIZE, dev.dma_coherent);
        dmac_ring(false);
        CHECK(dmac_wait() == TXN_FAULT);
    }
    event = arm_smmu_evtq_last(&count);
    CHECK(count == FAULTS);
    CHECK(event->type == EVT_ID_TRANSLATION_FAULT && event->sid == STREAM_ID);
    CHECK(event->address == UNMAPPED + (FAULTS - 1) * PAGE_SIZE);
    CHECK(iommu_faulted(STREAM_ID, UNMAPPED + (FAULTS - 1) * PAGE_SIZE));
    CHECK(!iommu_faulted(STREAM_ID, UNMAPPED + (FAULTS - 1) * PAGE_SIZE));
}

static void stuck(void)
{
    writel(readl(smmu->base + SMMU_CR0) & ~8u, smmu->base + SMMU_CR0); /* CMDQEN */
    udelay(10);
    arm_smmu_cmdq_issue_cmd_with_sync(smmu, harmless);
    sim_fail("a CMD_SYNC that no SMMU has seen is complete");
}

int main(void)
{
    if (num_online_cpus() < 2)
        sim_fail("smmu_selftest needs two cores");
    dev = (struct device){.dma_coherent = sim_param("dmac.coherent", 0), .dma_mask = ~0ull};
    rounds = (unsigned)sim_param("rounds", 200);
    domain = iommu_attach_device(&dev, STREAM_ID, false);
    smmu = arm_smmu_v3_device();
    local_irq_enable();
    if (sim_param("stuck", 0))
        stuck();
    batches();
    ranges();
    illegal_command();
    faults();
    all_cores();
    return 0;
}
