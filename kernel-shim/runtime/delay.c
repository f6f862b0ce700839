#include "delay.h"

static uint64_t counter(void)
{
    uint64_t count;

    asm volatile("isb; mrs %0, cntvct_el0" : "=r"(count)::"memory");
    return count;
}

void ndelay(uint64_t ns)
{
    uint64_t start = counter(), frequency, ticks;

    asm("mrs %0, cntfrq_el0" : "=r"(frequency));
    ticks = (ns * frequency + 999999999) / 1000000000;
    while (counter() - start < ticks)
        cpu_relax();
}
