/* WFE and the event register: SEV, SEVL, the event stream, exception return, a cleared monitor. None may hang. */
#include "guest.h"

static uint64_t microseconds(uint64_t n)
{
    return READ_SYSREG(cntfrq_el0) * n / 1000000;
}

static uint64_t time_of(void (*body)(void))
{
    uint64_t before;

    ISB();
    before = READ_SYSREG(cntvct_el0);
    body();
    ISB();
    return READ_SYSREG(cntvct_el0) - before;
}

static void wait_once(void)
{
    asm volatile("wfe" ::: "memory");
}

static void clear_event(void)
{
    asm volatile("sevl\n wfe" ::: "memory"); /* an event from before or this one: consumed */
}

static void local_and_global(void)
{
    asm volatile("sevl\n wfe" ::: "memory");
    asm volatile("sev\n wfe" ::: "memory");
    asm volatile("sev\n sev\n sevl\n wfe" ::: "memory"); /* one register, not a counter */
}

/* Every 2^(EVNTI+1) counts (DDI 0487 CNTKCTL_EL1); a WFE sleeps no longer than that. */
static void event_stream(void)
{
    uint64_t bit = 0, took;

    while (bit < 15 && 2ull << (bit + 1) < microseconds(500))
        bit++;
    WRITE_SYSREG(cntkctl_el1, 1 << 2 | bit << 4);
    ISB();
    clear_event();
    took = time_of(wait_once);
    check_true("WFE ends by the event stream", took <= 2ull << bit << 1);
    if (option("silicon")) { /* QEMU's WFE does not sleep */
        wait_once();
        took = time_of(wait_once);
        check_true("and sleeps between two events", took > (2ull << bit) / 2);
        took = time_of(wait_once);
        check_true("of one period", took > (2ull << bit) * 9 / 10 && took < (2ull << bit) * 11 / 10);
    }
}

/* An exception return is an event (DDI 0487 D1.7.1: the register is set by it), so this WFE does not sleep. */
static void exception_return(void)
{
    uint64_t took;

    clear_event();
    trap_clear();
    asm volatile("svc #0" ::: "memory");
    took = time_of(wait_once);
    check_true("WFE after an exception return", took < microseconds(100));
}

static void spin_on_monitor(void)
{
    static volatile uint64_t word __attribute__((aligned(64)));
    uint64_t value;

    clear_event();
    asm volatile("ldxr %0, [%1]\n clrex" : "=r"(value) : "r"(&word) : "memory");
    asm volatile("sevl\n1: wfe\n ldxr %0, [%1]\n cbnz %0, 1b" : "=&r"(value) : "r"(&word) : "memory", "cc");
    check_equal("the polled word", value, 0);
}

void test_main(void)
{
    local_and_global();
    event_stream();
    exception_return();
    spin_on_monitor();
    WRITE_SYSREG(cntkctl_el1, 0);
}
