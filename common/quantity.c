#include "common/quantity.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit frequency_units[] = {{"Hz", 1}, {"kHz", 1000}, {"MHz", 1000000}, {"GHz", 1000000000}, {0}};
static const struct unit byte_units[] = {{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {0}};
static const struct unit time_units[] = {
    {"ps", 1}, {"ns", 1000}, {"us", 1000000}, {"ms", 1000000000}, {"s", 1000000000000ull}, {0}};
static const struct unit percent_units[] = {{"%", 100}, {"pp", 100}, {0}};
static const struct unit no_units[] = {{"", 1}, {0}};

static const struct unit *units_of(enum key_type type)
{
    switch (type) {
    case KEY_FREQUENCY:
        return frequency_units;
    case KEY_BYTES:
        return byte_units;
    case KEY_TIME:
        return time_units;
    case KEY_PERCENT:
        return percent_units;
    default:
        return no_units;
    }
}

const char *quantity_units(enum key_type type)
{
    switch (type) {
    case KEY_FREQUENCY:
        return "Hz, kHz, MHz or GHz";
    case KEY_BYTES:
        return "B, KiB, MiB or GiB";
    case KEY_TIME:
        return "ps, ns, us, ms or s";
    case KEY_PERCENT:
        return "% or pp";
    case KEY_BOOL:
        return "true or false";
    default:
        return "a whole number without unit";
    }
}

/* Digits with at most one point: mantissa / 10^places. */
static const char *parse_decimal(const char *text, unsigned __int128 *mantissa, unsigned *places, bool *fits)
{
    bool point = false, digits = false;

    *mantissa = 0;
    *places = 0;
    *fits = true;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        digits = true;
        if (*mantissa > ((unsigned __int128)1 << 120) / 10)
            *fits = false;
        else
            *mantissa = *mantissa * 10 + (unsigned)(*text - '0');
        *places += point;
    }
    return digits ? text : NULL;
}

static enum quantity_result scale(unsigned __int128 mantissa, unsigned places, uint64_t factor, uint64_t *value)
{
    if (mantissa > ((unsigned __int128)1 << 127) / factor)
        return QUANTITY_TOO_LARGE;
    mantissa *= factor;
    for (; places; places--) {
        if (mantissa % 10)
            return QUANTITY_NOT_WHOLE;
        mantissa /= 10;
    }
    if (mantissa > UINT64_MAX)
        return QUANTITY_TOO_LARGE;
    *value = (uint64_t)mantissa;
    return QUANTITY_OK;
}

static enum quantity_result parse_hexadecimal(const char *text, uint64_t *value)
{
    uint64_t result = 0;

    if (!*text)
        return QUANTITY_NOT_A_NUMBER;
    for (; *text; text++) {
        if (!isxdigit((unsigned char)*text))
            return QUANTITY_NOT_A_NUMBER;
        if (result >> 60)
            return QUANTITY_TOO_LARGE;
        result = result << 4 | (uint64_t)(isdigit((unsigned char)*text) ? *text - '0' : (*text | 32) - 'a' + 10);
    }
    *value = result;
    return QUANTITY_OK;
}

enum quantity_result quantity_parse(enum key_type type, const char *text, uint64_t *value)
{
    unsigned __int128 mantissa;
    unsigned places;
    bool fits;
    const char *rest;

    if (type == KEY_BOOL) {
        *value = strcmp(text, "true") == 0;
        return *value || strcmp(text, "false") == 0 ? QUANTITY_OK : QUANTITY_WRONG_UNIT;
    }
    if (type == KEY_COUNT && text[0] == '0' && (text[1] | 32) == 'x')
        return parse_hexadecimal(text + 2, value);
    rest = parse_decimal(text, &mantissa, &places, &fits);
    if (!rest)
        return QUANTITY_NOT_A_NUMBER;
    if (!fits)
        return QUANTITY_TOO_LARGE;
    while (*rest == ' ')
        rest++;
    for (const struct unit *unit = units_of(type); unit->name; unit++)
        if (strcmp(rest, unit->name) == 0)
            return scale(mantissa, places, unit->factor, value);
    return QUANTITY_WRONG_UNIT;
}

char *quantity_format(enum key_type type, uint64_t value, char *buffer, size_t bytes)
{
    const struct unit *best = units_of(type);

    if (type == KEY_BOOL) {
        snprintf(buffer, bytes, "%s", value ? "true" : "false");
        return buffer;
    }
    if (type == KEY_PERCENT) {
        snprintf(buffer, bytes, "%llu.%02llu%%", (unsigned long long)(value / 100), (unsigned long long)(value % 100));
        return buffer;
    }
    for (const struct unit *unit = best; unit->name; unit++)
        if (value && value % unit->factor == 0)
            best = unit;
    snprintf(buffer, bytes, "%llu%s", (unsigned long long)(value / best->factor), best->name);
    return buffer;
}
