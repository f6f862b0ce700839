/*
 * Many cores on shared lines: a counter under LDXR/STXR, one under LSE, one under a ticket lock that waits in WFE, and a hand-over ring.
 * Parameters: rounds. Fails when an update is lost.
 */
#include "runtime.h"
#include "simctl.h"

struct line {
    volatile uint64_t value;
    char rest[56];
};

static struct line exclusive __attribute__((aligned(64))), atomic __attribute__((aligned(64))), locked __attribute__((aligned(64)));
static struct line next_ticket __attribute__((aligned(64))), serving __attribute__((aligned(64))), finished __attribute__((aligned(64)));
static struct line baton __attribute__((aligned(64)));
static unsigned cores;
static uint64_t rounds;

static uint64_t fetch_add_exclusive(volatile uint64_t *counter)
{
    uint64_t old, new;
    uint32_t failed;

    asm volatile("1: ldaxr %0, [%3]\n\tadd %1, %0, #1\n\tstlxr %w2, %1, [%3]\n\tcbnz %w2, 1b"
                 : "=&r"(old), "=&r"(new), "=&r"(failed)
                 : "r"(counter)
                 : "memory");
    return old;
}

static void add_atomic(volatile uint64_t *counter)
{
    asm volatile(".arch_extension lse\n\tldaddal %0, xzr, [%1]" ::"r"(1ul), "r"(counter) : "memory");
}

/* Sleeps in WFE until the line is written, as smp_cond_load_acquire() does. */
static void wait_for(volatile uint64_t *place, uint64_t wanted)
{
    uint64_t value;

    asm volatile("sevl\n1: wfe\n\tldaxr %0, [%1]\n\tcmp %0, %2\n\tb.ne 1b" : "=&r"(value) : "r"(place), "r"(wanted) : "cc", "memory");
}

static void work(void *argument)
{
    uint64_t self = (uint64_t)argument;

    for (uint64_t i = 0; i < rounds; i++) {
        fetch_add_exclusive(&exclusive.value);
        add_atomic(&atomic.value);
        uint64_t ticket = fetch_add_exclusive(&next_ticket.value);
        wait_for(&serving.value, ticket);
        locked.value++;
        asm volatile("stlr %0, [%1]" ::"r"(ticket + 1), "r"(&serving.value) : "memory");
        wait_for(&baton.value, i * cores + self); /* round and round */
        asm volatile("stlr %0, [%1]" ::"r"(i * cores + self + 1), "r"(&baton.value) : "memory");
    }
    fetch_add_exclusive(&finished.value);
}

int main(void)
{
    cores = (unsigned)readq_relaxed(SIMCTL_BASE + SIMCTL_CORES);
    rounds = sim_param("rounds", 50);
    dsb(ish);
    for (uint64_t cpu = 1; cpu < cores; cpu++)
        cpu_start((unsigned)cpu, work, (void *)cpu);
    work(NULL);
    wait_for(&finished.value, cores);
    sim_emit("", "exclusive", "", (int64_t)exclusive.value, 1);
    sim_emit("", "atomic", "", (int64_t)atomic.value, 1);
    sim_emit("", "locked", "", (int64_t)locked.value, 1);
    if (exclusive.value != cores * rounds || atomic.value != cores * rounds || locked.value != cores * rounds)
        sim_fail("an update was lost");
    return 0;
}
