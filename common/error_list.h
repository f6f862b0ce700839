/*
 * Error list: functions that can fail collect every problem here; only the command prints.
 * A message reads "what is wrong, and what would be right"; a place is file:line:column where one exists.
 */
#ifndef DMASIM_COMMON_ERROR_LIST_H
#define DMASIM_COMMON_ERROR_LIST_H

#include <stddef.h>

struct error_place {
    const char *file; /* NULL: no place */
    unsigned line;    /* 1-based; 0: unknown */
    unsigned column;  /* 1-based; 0: unknown */
};

struct error_entry {
    char *text; /* complete line, place included */
    unsigned line, column;
};

struct error_list {
    struct error_entry *entries;
    size_t count;
};

/* Appends a message; place may be NULL. */
void error_add(struct error_list *list, const struct error_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Moves the messages of from to list, but those that list has already; from is empty then. */
void error_move_new(struct error_list *list, struct error_list *from);

/* The messages from number first on, which are all about one file, in the order of their places. */
void error_sort(struct error_list *list, size_t first);

/* Frees all entries and makes the list empty. */
void error_clear(struct error_list *list);

#endif
