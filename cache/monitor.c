/* Exclusive monitors: this module's part is to tell a core that another observer wrote the line it watches (DDI 0487
 * B2.12). */
#include "cache/cache_internal.h"

void cache_monitor_arm(struct cache *cache, unsigned core, uint64_t pa)
{
    uint32_t line;

    if (!memory_contains(cache->memory, pa, 1))
        return;
    line = line_of(cache, pa);
    cache->cores[core].watched = line;
    cache->records[line].flags |= LINE_WATCHED;
}

void cache_monitor_clear(struct cache *cache, unsigned core)
{
    cache->cores[core].watched = NO_LINE;
}

void monitor_written(struct cache *cache, uint32_t line, unsigned writer, uint64_t at_ps)
{
    struct line_record *record = &cache->records[line];
    bool watched = false;

    if (!(record->flags & LINE_WATCHED))
        return;
    for (unsigned core = 0; core < cache->config.cores; core++) {
        struct core_caches *own = &cache->cores[core];
        if (own->watched != line)
            continue;
        if (core == writer) {
            watched = true;
            continue;
        }
        own->watched = NO_LINE;
        own->client.monitor_cleared(own->client.ctx, at_ps);
        turns_monitor_lost(cache, core, line, at_ps);
    }
    if (!watched)
        record->flags &= (uint8_t)~LINE_WATCHED;
}
