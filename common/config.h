/*
 * The configuration: one key table (key_table.c) and a store of values, each with its origin and the place that set it.
 *
 * Values are held in base units (Hz, bytes, picoseconds for keys ending in _ps, plain numbers, percentage points). Text
 * carries units: "2.6GHz", "64KiB", "40ns", "3.5cycles" is not a unit. Key names end in the base unit: cpu.freq_hz,
 * l2.bytes, dram.latency_ps.
 */
#ifndef DMASIM_COMMON_CONFIG_H
#define DMASIM_COMMON_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error_list.h"

enum key_type {
    KEY_COUNT,     /* plain integer */
    KEY_BOOL,      /* true/false */
    KEY_FREQUENCY, /* Hz: Hz kHz MHz GHz */
    KEY_BYTES,     /* B KiB MiB GiB (kB, MB, GB are refused with the spelling to use) */
    KEY_TIME,      /* ps: ps ns us ms s */
    KEY_PERCENT,   /* hundredths of a percentage point: %, pp */
    KEY_CHOICE,    /* one of choices; the value is its index */
};

struct key {
    const char *name;
    enum key_type type;
    const char *standard;       /* default, as text with unit */
    const char *least, *most;   /* bounds, as text with unit; NULL for KEY_BOOL and KEY_CHOICE */
    const char *const *choices; /* NULL-terminated, for KEY_CHOICE */
    const char *meaning;        /* one line */
    const char *origin;         /* where the default comes from */
};

extern const struct key key_table[];
extern const size_t key_table_count;
const struct key *key_find(const char *name);
/* A name that is this far from the one written may be meant. */
unsigned spelling_tolerance(const char *name);
/* The nearest existing name by edit distance, for messages; NULL when nothing is near. */
const char *key_nearest(const char *name);

enum origin_kind { ORIGIN_DEFAULT, ORIGIN_MEASURED, ORIGIN_FITTED, ORIGIN_ASSUMED, ORIGIN_SCENARIO, ORIGIN_COMMAND };

struct config_value {
    uint64_t value; /* base unit */
    enum origin_kind origin;
    char *source; /* text of the origin; may be NULL */
};

struct config; /* one value for every key */

struct config *config_create(void); /* all defaults */
struct config *config_copy(const struct config *config);
void config_destroy(struct config *config);

/* Parses text by the key's type and stores it. False with a message (unknown key with the nearest name, wrong unit with
 * the allowed ones, out of bounds with the bounds) at place. */
bool config_set(struct config *config, const char *key, const char *text, enum origin_kind origin, const char *source,
                const struct error_place *place, struct error_list *errors);

/* The value of an existing key; asking for a name that is not in the table is a programming error and aborts. */
uint64_t config_get(const struct config *config, const char *key);
const struct config_value *config_value(const struct config *config, const char *key);

/* Edit distance between two names; 1000 when one is very long. */
unsigned spelling_distance(const char *a, const char *b);

/* value as text with a unit, such that config_set() of it gives the same value. Static formatting into buffer; returns
 * buffer. */
char *config_format(const struct key *key, uint64_t value, char *buffer, size_t bytes);

#endif
