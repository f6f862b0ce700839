/*
 * The timer's event stream (drivers/clocksource/arm_arch_timer.c): a bound to what a core sleeps in WFE for an event
 * that was before, or that nobody sends, as in a wait for room in a command queue.
 */
#include "runtime.h"

#define ARCH_TIMER_EVT_STREAM_FREQ 10000
#define CNTKCTL_EVNTEN             (1ul << 2)
#define CNTKCTL_EVNTI_SHIFT        4

void arch_timer_evtstrm_enable(void)
{
    uint64_t control, frequency, divisor;
    int bit;

    asm("mrs %0, cntfrq_el0" : "=r"(frequency));
    divisor = frequency / ARCH_TIMER_EVT_STREAM_FREQ;
    bit = divisor ? 63 - __builtin_clzl(divisor) : 0; /* the nearest power of two */
    if (bit > 0 && (divisor >> (bit - 1) & 1))
        bit++;
    if (bit > 15)
        bit = 15;
    asm volatile("mrs %0, cntkctl_el1" : "=r"(control));
    control &= ~(15ul << CNTKCTL_EVNTI_SHIFT);
    control |= (uint64_t)bit << CNTKCTL_EVNTI_SHIFT | CNTKCTL_EVNTEN;
    asm volatile("msr cntkctl_el1, %0\n\tisb" ::"r"(control));
}
