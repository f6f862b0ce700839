#include "throughput.h"

#include "atomic.h"

#define INTERVALS_MOST 256

struct count {
    uint64_t done;
} __attribute__((aligned(64)));
static struct count counts[MAX_CPUS];

static struct {
    unsigned threads;
    void (*work)(unsigned cpu);
    uint64_t interval_ns, next_ns, last_total;
    unsigned least, most, intervals;
    uint64_t sum; /* of the rates */
    uint64_t rate[INTERVALS_MOST];
    bool converged;
} run;
static volatile bool measuring __attribute__((aligned(64))), stop __attribute__((aligned(64)));
static atomic_t running __attribute__((aligned(64))), arrived __attribute__((aligned(64)));

static uint64_t square_root(uint64_t value)
{
    uint64_t root = 0;

    for (uint64_t bit = 1ull << 31; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= value)
            root += bit;
    return root;
}

/* Half-width of the 95 % confidence interval of the mean, in hundredths of a percent. */
static uint64_t half_width(void)
{
    uint64_t n = run.intervals, mean = run.sum / n, variance = 0;

    for (unsigned i = 0; i < n; i++) {
        int64_t off = (int64_t)(run.rate[i] - mean);
        variance += (uint64_t)(off * off);
    }
    variance /= n - 1;
    return mean ? 19600 * square_root(variance * 10000 / n) / 100 / mean : 0;
}

/* An interval is over: on core 0. */
static void look(uint64_t now_ns)
{
    uint64_t total = 0;

    for (unsigned cpu = 0; cpu < run.threads; cpu++)
        total += READ_ONCE(counts[cpu].done);
    if (!measuring) {
        measuring = true;
        sim_phase_window(true);
    } else {
        /* what a whole interval would have brought: core 0 looks only between two pieces of work */
        uint64_t length = now_ns - run.next_ns + run.interval_ns;
        run.rate[run.intervals] = (total - run.last_total) * run.interval_ns / length;
        run.sum += run.rate[run.intervals++];
    }
    run.last_total = total;
    run.next_ns = now_ns + run.interval_ns;
    if (run.intervals < run.least)
        return;
    run.converged = half_width() < 100;
    if (run.converged || run.intervals == run.most) {
        sim_phase_window(false);
        stop = true;
    }
}

bool throughput_measuring(void)
{
    return measuring;
}

bool throughput_count(unsigned cpu, uint64_t done)
{
    WRITE_ONCE(counts[cpu].done, counts[cpu].done + done);
    if (cpu == 0) {
        uint64_t now_ns = ktime_get_ns();
        if (now_ns >= run.next_ns)
            look(now_ns);
    }
    return !stop;
}

/* Nobody begins before all are there. */
static void meet(void)
{
    atomic_fetch_inc_relaxed(&arrived);
    atomic_cond_read_relaxed(&arrived, (unsigned)VAL == run.threads);
}

static void start(void *argument)
{
    meet();
    run.work((unsigned)(uintptr_t)argument);
    atomic_fetch_add(-1u, &running);
    asm volatile("dsb ishst; sev" ::: "memory");
}

void throughput_run(unsigned threads, void (*work)(unsigned cpu))
{
    run.threads = threads;
    run.work = work;
    run.interval_ns = sim_param("interval_us", 100) * 1000;
    run.least = (unsigned)sim_param("intervals_least", 8);
    run.most = (unsigned)sim_param("intervals_most", 32);
    if (run.least < 2 || run.most < run.least || run.most > INTERVALS_MOST)
        sim_fail("intervals_least is 2 or more, intervals_most at least as many and at most 256");
    run.next_ns = ktime_get_ns() + sim_param("warmup_us", 100) * 1000;
    atomic_set(&running, threads);
    atomic_set(&arrived, 0);
    for (uintptr_t cpu = 1; cpu < threads; cpu++)
        cpu_start((unsigned)cpu, start, (void *)cpu);
    start(NULL);
    while (atomic_read(&running))
        asm volatile("wfe" ::: "memory");
}

void throughput_emit(const char *name)
{
    uint64_t per_interval = run.sum / run.intervals;

    sim_emit(name, "ops_per_cpu", "1/s", (int64_t)(per_interval * 1000000000 / run.interval_ns * 100 / run.threads),
             100);
    sim_emit(name, "half_width", "%", (int64_t)half_width(), 100);
    sim_emit(name, "converged", "", run.converged, 1);
}
