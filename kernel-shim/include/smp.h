/* Calls on other cores by software-generated interrupts (kernel/smp.c). */
#ifndef SMP_H
#define SMP_H

#include "runtime.h"

/* Runs function(argument) on cpu, at once when it is this one; does not wait for it to be done. A core takes such calls
 * after smp_call_enable(), with interrupts on. */
void smp_call_function_single(unsigned cpu, void (*function)(void *argument), void *argument);
/* On each core that is to be called. */
void smp_call_enable(void);

#endif
