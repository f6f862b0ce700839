#define _GNU_SOURCE
#include "common/error_list.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *place_prefix(const struct error_place *place)
{
    char *text = NULL;
    int length = 0;

    if (!place || !place->file)
        length = asprintf(&text, "%s", "");
    else if (place->line == 0)
        length = asprintf(&text, "%s: ", place->file);
    else if (place->column == 0)
        length = asprintf(&text, "%s:%u: ", place->file, place->line);
    else
        length = asprintf(&text, "%s:%u:%u: ", place->file, place->line, place->column);
    return length < 0 ? NULL : text;
}

static void append(struct error_list *list, struct error_entry entry)
{
    struct error_entry *entries = realloc(list->entries, (list->count + 1) * sizeof(*entries));

    if (!entries)
        abort();
    list->entries = entries;
    list->entries[list->count++] = entry;
}

void error_add(struct error_list *list, const struct error_place *place, const char *format, ...)
{
    char *message = NULL;
    char *line = NULL;
    char *prefix = place_prefix(place);
    va_list args;

    va_start(args, format);
    if (vasprintf(&message, format, args) < 0)
        message = NULL;
    va_end(args);
    if (!prefix || !message || asprintf(&line, "%s%s", prefix, message) < 0)
        abort(); /* out of memory */
    free(prefix);
    free(message);
    append(list, (struct error_entry){line, place ? place->line : 0, place ? place->column : 0});
}

static bool has(const struct error_list *list, const char *line)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->entries[i].text, line) == 0)
            return true;
    return false;
}

void error_move_new(struct error_list *list, struct error_list *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!has(list, from->entries[i].text)) {
            append(list, from->entries[i]);
            from->entries[i].text = NULL;
        }
    error_clear(from);
}

static bool is_before(const struct error_entry *a, const struct error_entry *b)
{
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

/* By insertion: few messages, and those of one place keep their order. */
void error_sort(struct error_list *list, size_t first)
{
    for (size_t i = first + 1; i < list->count; i++) {
        struct error_entry entry = list->entries[i];
        size_t at = i;
        for (; at > first && is_before(&entry, &list->entries[at - 1]); at--)
            list->entries[at] = list->entries[at - 1];
        list->entries[at] = entry;
    }
}

void error_clear(struct error_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->entries[i].text);
    free(list->entries);
    *list = (struct error_list){0};
}
