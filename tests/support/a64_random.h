/*
 * Random programs of A64 integer instructions for comparisons with another implementation. A program runs straight or
 * forward, with counted loops; every access of memory falls into the window that X25 names; nothing in it is
 * UNPREDICTABLE.
 */
#ifndef DMASIM_TESTS_A64_RANDOM_H
#define DMASIM_TESTS_A64_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#define A64_WINDOW       25      /* this register holds the window's middle; programs do not write it */
#define A64_WINDOW_BYTES 0x2000u /* accesses stay within half of this around it */
#define A64_PROGRAM_MOST 192     /* words */

struct a64_random {
    uint64_t state;
    uint32_t words[A64_PROGRAM_MOST];
    unsigned count;
};

uint64_t a64_next(struct a64_random *random);
/* A register value; interesting ones more often than chance would give. */
uint64_t a64_value(struct a64_random *random);
/* Fills words with about length instructions. */
void a64_program(struct a64_random *random, unsigned length);

/* Any word whose meaning this core and Unicorn's "max" share: an encoding listed here is of an extension that only one
 * of them has. */
bool a64_features_differ(uint32_t word, const char **reason);

#endif
