/*
 * Unit tests: Check's tests behind a small main that speaks GoogleTest's command line (tests/main.c).
 *
 * A file tests/test_foo_bar.c defines START_TEST bodies and one function
 *     void test_foo_bar(struct unit_registry *r) { unit_suite(r, "FooBar", setup, teardown); unit_test(r, a_test); ...
 * } CMake finds the file by its name and calls the function.
 */
#ifndef DMASIM_TESTS_UNIT_H
#define DMASIM_TESTS_UNIT_H

#include <check.h>

struct unit_registry;

/* Starts a suite; setup and teardown (may be NULL) run around each test. */
void unit_suite(struct unit_registry *registry, const char *name, void (*setup)(void), void (*teardown)(void));
/* Adds a test of the current suite; test is the name given to START_TEST. */
void unit_test(struct unit_registry *registry, const TTest *test);
/* Seconds allowed for each following test of the suite (default 30). */
void unit_timeout(struct unit_registry *registry, double seconds);

#endif
