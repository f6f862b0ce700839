/*
 * Tags of one set-associative cache: which lines it holds. Lines are numbered from the start of RAM.
 * Replacement is second chance: a way whose `used` byte is set is passed over once.
 */
#ifndef DMASIM_CACHE_TAGS_H
#define DMASIM_CACHE_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#define NO_LINE UINT32_MAX
#define NO_WAY  UINT32_MAX

struct tags {
    uint32_t set_mask;
    uint32_t ways;
    uint32_t *line; /* [set * ways + way]; NO_LINE: empty */
    uint8_t *used;
    uint8_t *hand; /* per set: where the search for a victim begins */
};

/* sets is a power of two. False: out of memory. */
bool tags_create(struct tags *tags, uint32_t sets, uint32_t ways);
void tags_destroy(struct tags *tags);

/* The way (set * ways + way) that holds line, or NO_WAY. */
static inline uint32_t tags_find(const struct tags *tags, uint32_t line)
{
    uint32_t first = (line & tags->set_mask) * tags->ways;

    for (uint32_t way = first; way < first + tags->ways; way++)
        if (tags->line[way] == line)
            return way;
    return NO_WAY;
}

/* The way that a new line would take: an empty one, else the victim. The way still holds the victim. */
uint32_t tags_victim(struct tags *tags, uint32_t line);

static inline void tags_put(struct tags *tags, uint32_t way, uint32_t line)
{
    tags->line[way] = line;
    tags->used[way] = 1;
}

static inline void tags_drop(struct tags *tags, uint32_t way)
{
    tags->line[way] = NO_LINE;
    tags->used[way] = 0;
}

#endif
