/* The registry behind unit.h. */
#ifndef DMASIM_TESTS_UNIT_INTERNAL_H
#define DMASIM_TESTS_UNIT_INTERNAL_H

#include <stddef.h>

#include "tests/unit.h"

struct unit_entry {
    const char *suite;
    const TTest *test;
    void (*setup)(void), (*teardown)(void);
    double timeout_s;
};

struct unit_registry {
    struct unit_entry *entries;
    size_t count;
    struct unit_entry next; /* template of the suite that is being filled */
};

/* Generated from the names of the test files. */
void unit_register_all(struct unit_registry *registry);

#endif
