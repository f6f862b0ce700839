#include "smp.h"

#include "irqflags.h"
#include "simctl.h"
#include "spinlock.h"

#define SGI_CALL   0
#define CALLS      8 /* under way to one core */
#define MPIDR_AFF1 0xFF00ul

/* A core's calls; filled by others under the lock. */
struct call_queue {
    spinlock_t lock;
    unsigned count;
    struct {
        void (*function)(void *argument);
        void *argument;
    } calls[CALLS];
} __attribute__((aligned(64)));
static struct call_queue queues[MAX_CPUS];

static void run_calls(unsigned intid, void *data)
{
    struct call_queue *queue = &queues[smp_processor_id()];

    for (;;) {
        void (*function)(void *argument) = NULL;
        void *argument = NULL;
        uint64_t flags;

        spin_lock_irqsave(&queue->lock, flags);
        if (queue->count) {
            queue->count--;
            function = queue->calls[queue->count].function;
            argument = queue->calls[queue->count].argument;
        }
        spin_unlock_irqrestore(&queue->lock, flags);
        if (!function)
            return;
        function(argument);
    }
}

void smp_call_enable(void)
{
    request_irq(SGI_CALL, true, run_calls, NULL);
}

/* Aff1 is the number of the core (model: one core a cluster slot). */
static void send_sgi(unsigned cpu)
{
    uint64_t value = (uint64_t)SGI_CALL << 24 | (uint64_t)cpu << 16 | 1;

    dsb(ishst);
    asm volatile("msr S3_0_C12_C11_5, %0" ::"r"(value) : "memory"); /* ICC_SGI1R_EL1 */
    isb();
}

void smp_call_function_single(unsigned cpu, void (*function)(void *argument), void *argument)
{
    struct call_queue *queue = &queues[cpu];
    uint64_t flags;

    if (cpu == smp_processor_id()) {
        flags = local_irq_save();
        function(argument);
        local_irq_restore(flags);
        return;
    }
    spin_lock_irqsave(&queue->lock, flags);
    if (queue->count == CALLS)
        sim_fail("too many calls to one core are under way");
    queue->calls[queue->count].function = function;
    queue->calls[queue->count++].argument = argument;
    spin_unlock_irqrestore(&queue->lock, flags);
    send_sgi(cpu);
}
