/* For self tests: the run fails with the condition and its line. */
#ifndef SELFTEST_H
#define SELFTEST_H

#include "runtime.h"

#define CHECK_TEXT(x) #x
#define CHECK_LINE(x) CHECK_TEXT(x)
#define CHECK(condition)                                                 \
    do {                                                                 \
        if (!(condition))                                                \
            sim_fail(__FILE__ ":" CHECK_LINE(__LINE__) ": " #condition); \
    } while (0)

#endif
