/*
 * Illegal commands in ECMDQs: such a queue stops alone, the driver repairs it, and no other command is lost. Each core
 * has a queue; core 0 takes the interrupts; the cores with odd numbers insert illegal commands again and again, also
 * with the queue full behind them and across its wrap, those with even numbers work on meanwhile. Parameters: rounds.
 */
#include "delay.h"
#include "irqflags.h"
#include "percpu.h"
#include "selftest.h"
#include "smmu/arm_smmu_v3.h"
#include "smp.h"

enum { GERROR_CMDQP_ERR = 1 << 9, STREAM_ID = 0, FILL = 250 };
#define CMD_NOT_EXTANT 0xFFull
#define POINTER_MASK   0x1FFu /* 256 entries and the wrap bit */

static struct arm_smmu_device *smmu;
static unsigned rounds;
static atomic_t finished, illegal_inserted;
static volatile bool stopped_alone __attribute__((aligned(64)));
static const uint64_t harmless[CMDQ_ENT_DWORDS] = {CMDQ_OP_TLBI_NH_ASID | 0xFFFFull << 48, 0};

static struct arm_smmu_cmdq *own_queue(void)
{
    return smmu->queue_of_cpu[smp_processor_id()];
}

static bool in_error(const struct arm_smmu_cmdq *queue)
{
    return (readl(queue->q.cons_reg) ^ readl(queue->q.prod_reg)) & 1u << 23;
}

/* Without CMD_SYNC: its wait has interrupts off, and this core has to acknowledge. */
static void insert(const uint64_t *cmd)
{
    arm_smmu_cmdq_issue_cmdlist(smmu, own_queue(), cmd, 1, false);
}

static void wait_until_consumed(void)
{
    const struct arm_smmu_cmdq *queue = own_queue();
    uint64_t end_ns = ktime_get_ns() + 1000000;

    while ((readl(queue->q.cons_reg) ^ readl(queue->q.prod_reg)) & POINTER_MASK)
        if (ktime_get_ns() > end_ns)
            sim_fail("an ECMDQ with an illegal command was not repaired");
    CHECK(!in_error(queue));
}

static void spoil(unsigned round)
{
    const uint64_t illegal[CMDQ_ENT_DWORDS] = {CMD_NOT_EXTANT, 0};

    for (unsigned i = 0; i < round % 5; i++)
        insert(harmless);
    insert(illegal);
    atomic_fetch_add(1, &illegal_inserted);
    for (unsigned i = 0; i < (round % 3 == 2 ? FILL : round % 7); i++) /* every third time more than there is room */
        insert(harmless);
    wait_until_consumed();
    arm_smmu_cmdq_issue_cmd_with_sync(smmu, harmless);
}

static void work_on(void)
{
    const struct arm_smmu_cmdq *neighbour = smmu->queue_of_cpu[smp_processor_id() - 1];

    for (unsigned i = 0; i < rounds * 8; i++) {
        bool before = in_error(neighbour);
        arm_smmu_cmdq_issue_cmd_with_sync(smmu, harmless);
        if (before && in_error(neighbour))
            stopped_alone = true; /* a command of this queue completed meanwhile */
    }
}

static void other_core(void *argument)
{
    smp_call_enable();
    local_irq_enable();
    if (smp_processor_id() % 2)
        for (unsigned round = 0; round < rounds; round++)
            spoil(round);
    else
        work_on();
    atomic_fetch_add(1, &finished);
    dsb(ishst);
    asm volatile("sev");
}

/* Every queue has consumed what it got, and the shadows agree. */
static void check_idle(const struct arm_smmu_cmdq *cmdq)
{
    uint32_t prod = readl(cmdq->q.prod_reg) & POINTER_MASK;

    CHECK((readl(cmdq->q.cons_reg) & POINTER_MASK) == prod);
    CHECK((READ_ONCE(cmdq->q.llq.prod) & POINTER_MASK) == prod);
    CHECK(!in_error(cmdq));
}

int main(void)
{
    static struct device dev;
    unsigned cpus = num_online_cpus();

    dev = (struct device){.dma_coherent = sim_param("dmac.coherent", 0), .dma_mask = ~0ull};
    rounds = (unsigned)sim_param("rounds", 20);
    iommu_attach_device(&dev, STREAM_ID, false);
    smmu = arm_smmu_v3_device();
    if (cpus < 3 || smmu->nr_ecmdq != cpus)
        sim_fail("ecmdq_errors needs three cores with an ECMDQ each");
    smp_call_enable();
    local_irq_enable();
    for (unsigned cpu = 1; cpu < cpus; cpu++)
        cpu_start(cpu, other_core, NULL);
    while (atomic_read(&finished) != cpus - 1)
        asm volatile("wfe" ::: "memory");
    for (unsigned i = 0; i < smmu->nr_ecmdq; i++)
        check_idle(&smmu->ecmdqs[i]);
    CHECK(smmu->gerror_seen == GERROR_CMDQP_ERR); /* and no error of the CMDQ */
    CHECK(stopped_alone);
    CHECK(atomic_read(&illegal_inserted) == rounds * (cpus / 2));
    return 0;
}
