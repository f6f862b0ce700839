/*
 * Throughput of many cores: every core counts what it has done; core 0 looks at all counts when an interval is over.
 * After the warm-up the intervals go on until the half-width of the 95 % confidence interval of their mean is below 1
 * %, or until a limit, and the result says which.
 *
 * Parameters: threads, warmup_us, interval_us, intervals_least, intervals_most.
 */
#ifndef THROUGHPUT_H
#define THROUGHPUT_H

#include "runtime.h"

/* Runs work(cpu) on cores 0 to threads - 1; each calls throughput_count() after every piece of work and returns when
 * that is false. */
void throughput_run(unsigned threads, void (*work)(unsigned cpu));
bool throughput_count(unsigned cpu, uint64_t done);
/* Rows: ops_per_cpu (per second), half_width (%), converged (1 or 0). */
void throughput_emit(const char *name);
/* Whether the warm-up is over. */
bool throughput_measuring(void);

#endif
