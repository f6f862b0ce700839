/* Delays by the generic timer (arch/arm64/lib/delay.c). */
#ifndef DELAY_H
#define DELAY_H

#include "runtime.h"

void ndelay(uint64_t ns);
static inline void udelay(uint64_t us)
{
    ndelay(us * 1000);
}

#endif
