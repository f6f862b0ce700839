/* The side of an observer of the accesses (common/memory_observer.h) that is not on anybody's path. */
#include "cache/cache_internal.h"

void cache_attach_observer(struct cache *cache, const struct memory_observer *observer)
{
    cache->observer = *observer;
}

void cache_mark(struct cache *cache, uint32_t line, unsigned marks)
{
    struct line_record *record = &cache->records[line];
    bool begins = (marks & MARK_ACCESS) && !(record->flags & LINE_OBSERVED);

    record->flags &= (uint8_t) ~(LINE_MARKED | LINE_OBSERVED);
    if (marks & MARK_MAINTENANCE)
        record->flags |= LINE_MARKED;
    if (marks & MARK_ACCESS)
        record->flags |= LINE_OBSERVED;
    if (begins)
        line_forget_pointers(cache, line);
}

struct line_view line_view_of(struct cache *cache, uint32_t line)
{
    const struct line_record *record = &cache->records[line];

    return (struct line_view){.line = line,
                              .cached = record_cached(record),
                              .dirty = record->flags & LINE_DIRTY,
                              .clean_pending = cmo_clean_pending(cache, line),
                              .cpu = line_cpu(cache, line),
                              .poc = line_poc(cache, line)};
}
