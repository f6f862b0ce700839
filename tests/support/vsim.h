/*
 * Virtual time for unit tests of blocking models: each active part is a coroutine; the part with the earliest wake-up
 * runs next, ties by its number. Implements struct time_port.
 */
#ifndef DMASIM_TESTS_VSIM_H
#define DMASIM_TESTS_VSIM_H

#include "common/port.h"

struct vsim;

struct vsim *vsim_create(void);
void vsim_destroy(struct vsim *vsim);
/* A new part with its own events; run(argument) starts with the simulation and may return. */
struct time_port vsim_add(struct vsim *vsim, void (*run)(void *argument), void *argument);
/* Runs until nothing is due before until_ps. */
void vsim_run(struct vsim *vsim, uint64_t until_ps);

#endif
