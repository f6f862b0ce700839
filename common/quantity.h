/* Numbers with units: text to base units and back. */
#ifndef DMASIM_COMMON_QUANTITY_H
#define DMASIM_COMMON_QUANTITY_H

#include "common/config.h"

enum quantity_result {
    QUANTITY_OK,
    QUANTITY_NOT_A_NUMBER,
    QUANTITY_WRONG_UNIT,
    QUANTITY_TOO_LARGE,
    QUANTITY_NOT_WHOLE
};

/* Parses text ("2.6GHz", "0x10", "40ns", "true") as a value of type, exactly (no floating point). */
enum quantity_result quantity_parse(enum key_type type, const char *text, uint64_t *value);
/* The units of a type, for messages: "Hz, kHz, MHz or GHz". */
const char *quantity_units(enum key_type type);
/* The shortest exact text with unit. */
char *quantity_format(enum key_type type, uint64_t value, char *buffer, size_t bytes);

#endif
