#include "cache/tags.h"

#include <stdlib.h>
#include <string.h>

bool tags_create(struct tags *tags, uint32_t sets, uint32_t ways)
{
    size_t count = (size_t)sets * ways;

    tags->set_mask = sets - 1;
    tags->ways = ways;
    tags->line = malloc(count * sizeof(*tags->line));
    tags->used = calloc(count, 1);
    tags->hand = calloc(sets, 1);
    if (!tags->line || !tags->used || !tags->hand)
        return false;
    memset(tags->line, 0xFF, count * sizeof(*tags->line));
    return true;
}

void tags_destroy(struct tags *tags)
{
    free(tags->line);
    free(tags->used);
    free(tags->hand);
    *tags = (struct tags){0};
}

uint32_t tags_victim(struct tags *tags, uint32_t line)
{
    uint32_t set = line & tags->set_mask;
    uint32_t first = set * tags->ways;
    uint32_t hand = tags->hand[set];

    for (uint32_t way = first; way < first + tags->ways; way++)
        if (tags->line[way] == NO_LINE)
            return way;
    while (tags->used[first + hand]) {
        tags->used[first + hand] = 0;
        hand = hand + 1 == tags->ways ? 0 : hand + 1;
    }
    tags->hand[set] = hand + 1 == tags->ways ? 0 : hand + 1;
    return first + hand;
}
