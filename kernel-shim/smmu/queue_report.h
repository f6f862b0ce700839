/* Rows about the command queues: what a list cost in reservations and doorbells. */
#ifndef QUEUE_REPORT_H
#define QUEUE_REPORT_H

/* Call before each piece of work; the count begins with the first one of the measured time (throughput.h). */
void queue_report_look(unsigned cpu);
/* Over cores 0 to threads - 1. Rows: attempts (reservations tried per list), lists_per_doorbell, owners (% of the lists
 * whose core wrote the doorbell), syncs (CMD_SYNCs per list). */
void queue_report_emit(unsigned threads);

#endif
