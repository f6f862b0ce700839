#include "tests/unit_internal.h"

#include <stdlib.h>

void unit_suite(struct unit_registry *registry, const char *name, void (*setup)(void), void (*teardown)(void))
{
    registry->next = (struct unit_entry){name, NULL, setup, teardown, 30};
}

void unit_timeout(struct unit_registry *registry, double seconds)
{
    registry->next.timeout_s = seconds;
}

void unit_test(struct unit_registry *registry, const TTest *test)
{
    registry->entries = realloc(registry->entries, (registry->count + 1) * sizeof(*registry->entries));
    registry->entries[registry->count] = registry->next;
    registry->entries[registry->count++].test = test;
}
