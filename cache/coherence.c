/* Lines moving between L1D, L2, other cores, L3 and memory. L2 includes L1D; L3 takes what the last L2 gives up. */
#include "cache/cache_internal.h"

static struct line_record *record_of(struct cache *cache, uint32_t line)
{
    return &cache->records[line];
}

/* The core may no longer use its pointer to this L1D way. */
static void tell_lost(struct cache *cache, unsigned core, uint32_t way)
{
    struct core_bus_client *client = &cache->cores[core].client;

    if (client->line_lost)
        client->line_lost(client->ctx, way);
}

static void drop_from_l1d(struct cache *cache, unsigned core, uint32_t line)
{
    struct tags *l1d = &cache->cores[core].l1d;
    uint32_t way = tags_find(l1d, line);

    if (way == NO_WAY)
        return;
    tags_drop(l1d, way);
    tell_lost(cache, core, way);
}

void line_write_back(struct cache *cache, unsigned core, uint32_t line, enum write_back_cause cause)
{
    struct line_record *record = record_of(cache, line);

    if (!(record->flags & LINE_DIRTY))
        return;
    if (cache->observer.written_back) {
        struct line_view view = line_view_of(cache, line);
        cache->observer.written_back(cache->observer.ctx, &view, cause, core);
    }
    memcpy(line_poc(cache, line), line_cpu(cache, line), LINE_BYTES);
    record->flags &= (uint8_t)~LINE_DIRTY;
}

void line_drop_from_core(struct cache *cache, unsigned core, uint32_t line)
{
    struct line_record *record = record_of(cache, line);
    struct tags *l2 = &cache->cores[core].l2;
    uint32_t way = tags_find(l2, line);

    drop_from_l1d(cache, core, line);
    if (way != NO_WAY)
        tags_drop(l2, way);
    record->sharers[core / 64] &= ~(1ull << (core % 64));
    if (!record_in_private_caches(record))
        record->flags &= (uint8_t)~LINE_EXCLUSIVE;
}

/* Calls action for each sharer except one (NO_CORE: for all). */
static void for_sharers(struct cache *cache, uint32_t line, unsigned except,
                        void (*action)(struct cache *cache, unsigned core, uint32_t line))
{
    for (unsigned word = 0; word < MAX_CORES / 64; word++) {
        uint64_t bits = record_of(cache, line)->sharers[word];
        while (bits) {
            unsigned core = word * 64 + (unsigned)__builtin_ctzll(bits);
            bits &= bits - 1;
            if (core != except)
                action(cache, core, line);
        }
    }
}

static void drop_from_l3(struct cache *cache, uint32_t line)
{
    struct line_record *record = record_of(cache, line);
    uint32_t way;

    if (!(record->flags & LINE_IN_L3))
        return;
    way = tags_find(&cache->l3, line);
    if (way != NO_WAY)
        tags_drop(&cache->l3, way);
    record->flags &= (uint8_t)~LINE_IN_L3;
}

void line_drop(struct cache *cache, uint32_t line)
{
    for_sharers(cache, line, NO_CORE, line_drop_from_core);
    drop_from_l3(cache, line);
    record_of(cache, line)->flags &= (uint8_t) ~(LINE_DIRTY | LINE_EXCLUSIVE);
}

static void forget_pointer(struct cache *cache, unsigned core, uint32_t line)
{
    uint32_t way = tags_find(&cache->cores[core].l1d, line);

    if (way != NO_WAY)
        tell_lost(cache, core, way);
}

void line_forget_pointers(struct cache *cache, uint32_t line)
{
    if (!(record_of(cache, line)->flags & LINE_COMMUNAL)) /* nobody keeps a pointer to a communal line */
        for_sharers(cache, line, NO_CORE, forget_pointer);
}

void line_make_communal(struct cache *cache, uint32_t line)
{
    line_forget_pointers(cache, line);
    record_of(cache, line)->flags |= LINE_COMMUNAL;
}

/* A line enters the memory-side cache; what falls out is clean, for the SLC lies below the PoC. */
static void slc_allocate(struct cache *cache, uint32_t line)
{
    if (cache->slc.line && tags_find(&cache->slc, line) == NO_WAY)
        tags_put(&cache->slc, tags_victim(&cache->slc, line), line);
}

uint64_t remote_trip(const struct cache *cache, uint32_t line)
{
    return line >= cache->remote_line ? cache->config.remote_ps : 0;
}

uint64_t memory_side(struct cache *cache, uint32_t line, uint64_t start_ps, enum mem_level *level)
{
    uint32_t way = cache->slc.line ? tags_find(&cache->slc, line) : NO_WAY;

    if (way != NO_WAY) {
        cache->slc.used[way] = 1;
        *level = LEVEL_SLC;
        return start_ps + cache->config.slc_ps + remote_trip(cache, line);
    }
    slc_allocate(cache, line);
    if (start_ps < cache->dram_free_ps)
        start_ps = cache->dram_free_ps;
    cache->dram_free_ps = start_ps + cache->config.dram_occupancy_ps;
    *level = LEVEL_DRAM;
    return start_ps + cache->config.dram_ps + remote_trip(cache, line);
}

/* The line leaves the last CPU cache. */
static void leave_cpu_caches(struct cache *cache, unsigned core, uint32_t line)
{
    struct cache_counters *counters = &cache->cores[core].counters;

    if (record_of(cache, line)->flags & LINE_DIRTY) {
        counters->writebacks++;
        line_write_back(cache, core, line, WRITE_BACK_EVICTION);
        slc_allocate(cache, line);
    }
}

static void l3_allocate(struct cache *cache, unsigned core, uint32_t line)
{
    uint32_t way = tags_victim(&cache->l3, line);
    uint32_t victim = cache->l3.line[way];

    if (victim != NO_LINE) {
        record_of(cache, victim)->flags &= (uint8_t)~LINE_IN_L3;
        if (!record_cached(record_of(cache, victim)))
            leave_cpu_caches(cache, core, victim);
    }
    tags_put(&cache->l3, way, line);
    record_of(cache, line)->flags |= LINE_IN_L3;
}

static void evict_from_l2(struct cache *cache, unsigned core, uint32_t line)
{
    cache->cores[core].counters.evictions++;
    line_drop_from_core(cache, core, line);
    if (record_cached(record_of(cache, line)))
        return;
    if (cache->l3.line)
        l3_allocate(cache, core, line);
    else
        leave_cpu_caches(cache, core, line);
}

static void l2_allocate(struct cache *cache, unsigned core, uint32_t line)
{
    struct tags *l2 = &cache->cores[core].l2;
    uint32_t way = tags_victim(l2, line);
    struct line_record *record = record_of(cache, line);

    if (l2->line[way] != NO_LINE)
        evict_from_l2(cache, core, l2->line[way]);
    tags_put(l2, way, line);
    record->sharers[core / 64] |= 1ull << (core % 64);
}

static uint32_t l1d_allocate(struct cache *cache, unsigned core, uint32_t line)
{
    struct tags *l1d = &cache->cores[core].l1d;
    uint32_t way = tags_victim(l1d, line);

    if (l1d->line[way] != NO_LINE)
        tell_lost(cache, core, way); /* its line stays in L2 */
    tags_put(l1d, way, line);
    return way;
}

/* Stores to lines that others use are told too: a device may read what no barrier has ordered. */
static bool observed(const struct cache *cache, uint32_t line, enum line_want want)
{
    const uint32_t *pages = cache->observer.watched_pages;
    unsigned flags = cache->records[line].flags;

    if (!pages)
        return false;
    return (flags & LINE_OBSERVED) || pages[line / LINES_PER_PAGE] || ((flags & LINE_COMMUNAL) && wants_write(want));
}

/* The grant of a line that this L1D way holds. */
static void grant_way(struct cache *cache, unsigned core, uint32_t line, enum line_want want, uint32_t way,
                      struct line_grant *grant)
{
    struct line_record *record = record_of(cache, line);

    grant->way = way;
    grant->used = &cache->cores[core].l1d.used[way];
    grant->observed = observed(cache, line, want);
    grant->keep = !grant->observed && !(record->flags & LINE_COMMUNAL) && record->pending_cmos == 0;
    grant->writable = grant->keep && (record->flags & LINE_EXCLUSIVE) && (record->flags & LINE_DIRTY);
    *grant->used = 1;
}

static void make_dirty(struct cache *cache, unsigned core, uint32_t line)
{
    struct line_record *record = record_of(cache, line);

    if (record->flags & LINE_DIRTY)
        return;
    record->flags |= LINE_DIRTY;
    if (cache->observer.dirtied)
        cache->observer.dirtied(cache->observer.ctx, core, line);
}

static struct line_grant answer(struct cache *cache, unsigned core, uint32_t line, enum line_want want,
                                enum mem_level level, uint64_t done_ps)
{
    struct line_grant grant = {.data = line_cpu(cache, line), .done_ps = done_ps, .level = level};

    if (wants_write(want))
        make_dirty(cache, core, line);
    cache->cores[core].counters.hits[level]++;
    return grant;
}

bool cache_line_private(struct cache *cache, unsigned core, uint64_t pa, enum line_want want, uint64_t start_ps,
                        struct line_grant *grant)
{
    struct core_caches *own = &cache->cores[core];
    struct line_record *record;
    uint32_t line, way;

    if (!memory_contains(cache->memory, pa, 1))
        return false;
    line = line_of(cache, pa);
    record = record_of(cache, line);
    if ((record->flags & LINE_COMMUNAL) || record->pending_cmos || !record_shared_by(record, core))
        return false;
    if (wants_write(want) && !(record->flags & LINE_EXCLUSIVE))
        return false;
    way = tags_find(&own->l1d, line);
    if (way != NO_WAY) {
        *grant = answer(cache, core, line, want, LEVEL_L1, start_ps + cache->config.l1_ps);
        grant_way(cache, core, line, want, way, grant);
        return true;
    }
    *grant = answer(cache, core, line, want, LEVEL_L2, start_ps + cache->config.l2_ps);
    own->l2.used[tags_find(&own->l2, line)] = 1;
    if (want != LINE_WALK)
        grant_way(cache, core, line, want, l1d_allocate(cache, core, line), grant);
    return true;
}

static void lose_exclusive(struct cache *cache, unsigned core, uint32_t line)
{
    forget_pointer(cache, core, line);
    record_of(cache, line)->flags &= (uint8_t)~LINE_EXCLUSIVE;
}

/* The holder answers, or the nearest of those that share the line. */
static uint64_t nearest_ps(const struct cache *cache, unsigned core, const struct line_record *record)
{
    uint64_t nearest = NEVER_PS;

    if (record->holder && record_shared_by(record, record->holder - 1u) && record->holder - 1u != core)
        return core_distance_ps(cache, record->holder - 1u, core);
    for (unsigned other = 0; other < cache->config.cores; other++)
        if (other != core && record_shared_by(record, other) && core_distance_ps(cache, other, core) < nearest)
            nearest = core_distance_ps(cache, other, core);
    return nearest == NEVER_PS ? cache->config.core_to_core_ps : nearest;
}

/* Where the line comes from when core's own caches do not hold it; returns completion. The CPU image is valid
 * afterwards. */
static uint64_t bring(struct cache *cache, unsigned core, uint32_t line, uint64_t start_ps, enum mem_level *level)
{
    struct line_record *record = record_of(cache, line);
    uint64_t done_ps;

    if (record_in_private_caches(record)) {
        *level = LEVEL_CORE;
        return start_ps + nearest_ps(cache, core, record);
    }
    if (record->flags & LINE_IN_L3) {
        *level = LEVEL_L3;
        return start_ps + cache->config.l3_ps;
    }
    done_ps = memory_side(cache, line, start_ps, level);
    memcpy(line_cpu(cache, line), line_poc(cache, line), LINE_BYTES);
    return done_ps;
}

static bool touched_by_others(const struct line_record *record, unsigned core)
{
    return (record->sharers[0] & ~(core < 64 ? 1ull << core : 0)) ||
           (record->sharers[1] & ~(core >= 64 ? 1ull << (core - 64) : 0));
}

/* The line enters core's L2 with the rights that want needs. */
static void take(struct cache *cache, unsigned core, uint32_t line, enum line_want want)
{
    struct line_record *record = record_of(cache, line);

    if (wants_write(want))
        for_sharers(cache, line, core, line_drop_from_core);
    else
        for_sharers(cache, line, core, lose_exclusive);
    if (!record_shared_by(record, core))
        l2_allocate(cache, core, line);
    drop_from_l3(cache, line);
    if (!touched_by_others(record, core))
        record->flags |= LINE_EXCLUSIVE;
}

/* An LSE atomic executed where the line is at home: no core keeps it. */
static struct line_grant far_atomic(struct cache *cache, unsigned core, uint32_t line, uint64_t start_ps)
{
    enum mem_level level;
    uint64_t done_ps = bring(cache, core, line, start_ps, &level);

    turns_given(cache, core, line, false, start_ps, done_ps);
    for_sharers(cache, line, NO_CORE, line_drop_from_core);
    if (cache->l3.line && !(record_of(cache, line)->flags & LINE_IN_L3))
        l3_allocate(cache, core, line);
    else if (!cache->l3.line)
        l2_allocate(cache, core, line);
    return answer(cache, core, line, LINE_ATOMIC, level == LEVEL_CORE ? LEVEL_CORE : LEVEL_L3, done_ps);
}

/* A load that a pending invalidation of the line does not hold up: a cache that it has not reached yet answers. */
static bool load_passes_cmos(struct cache *cache, uint32_t line, enum line_want want)
{
    return cache->config.loads_pass_invalidates && want == LINE_SHARED && record_cached(record_of(cache, line));
}

struct line_grant cache_line(struct cache *cache, unsigned core, uint64_t pa, enum line_want want, uint64_t start_ps)
{
    struct line_grant grant = {.status = TXN_DECERR, .done_ps = start_ps};
    struct line_record *record;
    enum mem_level level;
    uint64_t ordered_ps, done_ps, conflict_ps = cache->cores[core].waited ? cache->config.conflict_ps : 0;
    uint32_t line;

    cache->cores[core].waited = false;
    if (!memory_contains(cache->memory, pa, 1))
        return grant;
    line = line_of(cache, pa);
    record = record_of(cache, line);
    cache_advance(cache, start_ps);
    ordered_ps = load_passes_cmos(cache, line, want) ? 0 : cmo_order_line(cache, core, line);
    if (ordered_ps > start_ps)
        start_ps = ordered_ps;
    if (cache_line_private(cache, core, pa, want, start_ps, &grant))
        return grant;
    if (want == LINE_EXCLUSIVE_STORE && cache->cores[core].watched != line) {
        grant.status = TXN_OK;
        grant.monitor_lost = true;
        return grant;
    }
    if (touched_by_others(record, core))
        line_make_communal(cache, line);
    if (want == LINE_ATOMIC && cache->config.far_atomics && (record->flags & LINE_COMMUNAL)) {
        grant = far_atomic(cache, core, line, start_ps);
        monitor_written(cache, line, core, grant.done_ps);
        return grant;
    }
    if (record_shared_by(record, core) && (!wants_write(want) || (record->flags & LINE_EXCLUSIVE))) {
        level = tags_find(&cache->cores[core].l1d, line) != NO_WAY ? LEVEL_L1 : LEVEL_L2;
        done_ps = start_ps + (level == LEVEL_L1 ? cache->config.l1_ps : cache->config.l2_ps);
    } else {
        done_ps = bring(cache, core, line, start_ps, &level) + conflict_ps;
        take(cache, core, line, want);
        turns_given(cache, core, line, wants_write(want), start_ps, done_ps);
    }
    if (wants_write(want))
        monitor_written(cache, line, core, done_ps);
    grant = answer(cache, core, line, want, level, done_ps);
    if (want != LINE_WALK) {
        uint32_t way = tags_find(&cache->cores[core].l1d, line);
        grant_way(cache, core, line, want, way != NO_WAY ? way : l1d_allocate(cache, core, line), &grant);
    }
    return grant;
}

struct line_grant cache_fetch(struct cache *cache, unsigned core, uint64_t pa, uint64_t start_ps)
{
    struct line_grant grant = {.status = TXN_DECERR, .done_ps = start_ps};
    enum mem_level level = LEVEL_L2;
    uint64_t done_ps = start_ps + cache->config.l2_ps;
    uint32_t line;

    if (!memory_contains(cache->memory, pa, 1))
        return grant;
    line = line_of(cache, pa);
    cache_advance(cache, start_ps);
    if (!record_shared_by(record_of(cache, line), core)) {
        done_ps = bring(cache, core, line, start_ps, &level);
        take(cache, core, line, LINE_SHARED);
    }
    return answer(cache, core, line, LINE_SHARED, level, done_ps);
}
