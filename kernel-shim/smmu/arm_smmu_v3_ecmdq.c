/*
 * ECMDQs (Zhen Lei 2021 to 2023, Tanmay Jagdale 2024; never merged): a queue a core with the unchanged insertion. With
 * fewer queues than cores every node gets its share and the cores of a node take turns at its queues; such queues are
 * shared. Parameters: ecmdq_queues (how many to use; 0: none), ecmdq_private (1: a queue of one core needs no
 * agreement).
 */
#include "percpu.h"
#include "simctl.h"
#include "smmu/arm_smmu_v3.h"
#include "smp.h"

enum { IDR1 = 0x4, IDR6 = 0x190, CONTROL_PAGE = 0x4000 };
enum { ECMDQ_BASE = 0x0, ECMDQ_PROD = 0x8, ECMDQ_CONS = 0xC };
#define ECMDQ_SHIFT        8 /* log2 of the entries */
#define CONTROL_PAGE_BYTES 0x10000u
#define ECMDQ_CONS_ENACK   (1u << 31)
#define ECMDQ_CONS_ERR     (1u << 23)
#define ECMDQ_RA           (1ull << 62)

static void init_queue(struct arm_smmu_device *smmu, struct arm_smmu_cmdq *queue, uintptr_t window)
{
    arm_smmu_cmdq_init(smmu, queue, ECMDQ_SHIFT);
    queue->q.base = arm_smmu_alloc(smmu, (CMDQ_ENT_DWORDS * 8ul) << ECMDQ_SHIFT, &queue->q.base_dma);
    queue->q.prod_reg = window + ECMDQ_PROD;
    queue->q.cons_reg = window + ECMDQ_CONS;
    writeq_relaxed(queue->q.base_dma | ECMDQ_RA | ECMDQ_SHIFT, window + ECMDQ_BASE);
    writel_relaxed(0, queue->q.prod_reg);
    writel_relaxed(0, queue->q.cons_reg);
    queue->q.prod_bits = ECMDQ_PROD_EN;
    writel_relaxed(ECMDQ_PROD_EN, queue->q.prod_reg);
    while (!(readl_relaxed(queue->q.cons_reg) & ECMDQ_CONS_ENACK))
        cpu_relax();
}

/* First queue of a node: the queues are divided in proportion to the cores, every node getting at least one. */
static unsigned first_queue(unsigned node, unsigned nodes, unsigned queues)
{
    return queues >= nodes ? node * queues / nodes : node % queues;
}

static void give_queues_to_cpus(struct arm_smmu_device *smmu)
{
    unsigned cpus = num_online_cpus(), per_node = (unsigned)sim_param("cpu.die_cores", MAX_CPUS);
    unsigned nodes = (cpus + per_node - 1) / per_node, queues = smmu->nr_ecmdq;
    unsigned users[MAX_CPUS] = {0};
    bool private_allowed = sim_param("ecmdq_private", 0);

    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        unsigned node = cpu / per_node, first = first_queue(node, nodes, queues);
        unsigned count = queues >= nodes ? first_queue(node + 1, nodes, queues) - first : 1;
        unsigned number = queues >= cpus ? cpu : first + cpu % per_node % count;

        smmu->queue_of_cpu[cpu] = &smmu->ecmdqs[number];
        if (users[number]++ == 0)
            smmu->ecmdqs[number].owner_cpu = cpu;
    }
    for (unsigned i = 0; i < queues; i++)
        smmu->ecmdqs[i].is_private = private_allowed && users[i] == 1;
}

void arm_smmu_ecmdq_init(struct arm_smmu_device *smmu)
{
    uint32_t idr6 = readl_relaxed(smmu->base + IDR6);
    unsigned queue_bits = idr6 >> 16 & 15, page_bits = idr6 >> 24 & 15, there = 1u << (queue_bits + page_bits);
    unsigned wanted = (unsigned)sim_param("ecmdq_queues", num_online_cpus());

    if (!(readl_relaxed(smmu->base + IDR1) >> 31) || wanted == 0)
        return;
    if (wanted > there)
        sim_fail("the SMMU has fewer ECMDQs than ecmdq_queues asks for: raise smmu.ecmdq_queue_bits");
    if (wanted > num_online_cpus())
        wanted = num_online_cpus();
    smmu->nr_ecmdq = wanted;
    smmu->ecmdqs = alloc_pages_exact(wanted * sizeof(*smmu->ecmdqs));
    memset(smmu->ecmdqs, 0, wanted * sizeof(*smmu->ecmdqs));
    for (unsigned i = 0; i < wanted; i++) {
        uint64_t page = readq_relaxed(smmu->base + CONTROL_PAGE + 32 * (i >> queue_bits)) & 0x00FFFFFFFFFF0000ull;
        uintptr_t offset = (uintptr_t)(i & ((1u << queue_bits) - 1)) * (CONTROL_PAGE_BYTES >> queue_bits);
        init_queue(smmu, &smmu->ecmdqs[i], smmu->base + page + offset);
    }
    give_queues_to_cpus(smmu);
}

/* On the core that owns the queue: its insertion runs with interrupts off, so PROD does not move meanwhile. */
static void acknowledge_error(void *argument)
{
    struct arm_smmu_cmdq *queue = argument;
    uint32_t prod = readl_relaxed(queue->q.prod_reg);

    prod = (prod & ~(uint32_t)ECMDQ_PROD_ERRACK) | (readl_relaxed(queue->q.cons_reg) & ECMDQ_CONS_ERR);
    WRITE_ONCE(queue->q.prod_bits, prod & (ECMDQ_PROD_EN | ECMDQ_PROD_ERRACK));
    writel(prod, queue->q.prod_reg);
}

void arm_smmu_ecmdq_errors(struct arm_smmu_device *smmu)
{
    for (unsigned i = 0; i < smmu->nr_ecmdq; i++) {
        struct arm_smmu_cmdq *queue = &smmu->ecmdqs[i];
        uint32_t cons = readl_relaxed(queue->q.cons_reg);

        if (!((cons ^ readl_relaxed(queue->q.prod_reg)) & ECMDQ_CONS_ERR))
            continue;
        arm_smmu_replace_command(&queue->q, cons);
        smp_call_function_single(queue->owner_cpu, acknowledge_error, queue);
    }
}
