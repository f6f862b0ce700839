#include "smmu/queue_report.h"

#include "smmu/arm_smmu_v3.h"
#include "throughput.h"

static struct arm_smmu_stats begin[MAX_CPUS];
static bool begun[MAX_CPUS];

void queue_report_look(unsigned cpu)
{
    if (begun[cpu] || !throughput_measuring())
        return;
    begun[cpu] = true;
    begin[cpu] = arm_smmu_v3_device()->stats[cpu];
}

void queue_report_emit(unsigned threads)
{
    struct arm_smmu_stats sum = {0};

    for (unsigned cpu = 0; cpu < threads; cpu++) {
        const struct arm_smmu_stats *now = &arm_smmu_v3_device()->stats[cpu];
        if (!begun[cpu])
            continue; /* too slow to have begun a piece of work in the measured time */
        sum.lists += now->lists - begin[cpu].lists;
        sum.attempts += now->attempts - begin[cpu].attempts;
        sum.owned += now->owned - begin[cpu].owned;
        sum.syncs += now->syncs - begin[cpu].syncs;
    }
    if (!sum.lists || !sum.owned)
        return;
    sim_emit("", "attempts", "per list", (int64_t)(sum.attempts * 1000 / sum.lists), 1000);
    sim_emit("", "lists_per_doorbell", "", (int64_t)(sum.lists * 1000 / sum.owned), 1000);
    sim_emit("", "owners", "%", (int64_t)(sum.owned * 10000 / sum.lists), 100);
    sim_emit("", "syncs", "per list", (int64_t)(sum.syncs * 1000 / sum.lists), 1000);
}
