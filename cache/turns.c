/*
 * Who gets a line that several cores want. A core that gets it to write has it from the arrival of the data on, for
 * residency_ps; then one of those that wait gets it, by cache_config.arbitration, conflict_ps later than one that need
 * not have waited. Readers are served by the home one after the other.
 */
#include <stdlib.h>

#include "cache/cache_internal.h"

static unsigned apart(unsigned a, unsigned b)
{
    return a > b ? a - b : b - a;
}

static uint64_t mesh_ps(const struct cache_config *config, unsigned from, unsigned to)
{
    unsigned clusters = config->die_cores / config->cluster_cores, columns = config->mesh_columns;
    unsigned a = from / config->cluster_cores % clusters, b = to / config->cluster_cores % clusters;

    if (columns == 0)
        return 0;
    return config->hop_ps * (apart(a % columns, b % columns) + apart(a / columns, b / columns));
}

uint64_t core_distance_ps(const struct cache *cache, unsigned from, unsigned to)
{
    const struct cache_config *config = &cache->config;

    if (from / config->cluster_cores == to / config->cluster_cores)
        return config->cluster_ps;
    if (from / config->die_cores == to / config->die_cores)
        return config->core_to_core_ps + mesh_ps(config, from, to);
    return from / config->socket_cores == to / config->socket_cores ? config->cross_die_ps : config->cross_socket_ps;
}

static struct line_queue *queue_of(struct cache *cache, const struct line_record *record)
{
    return record->queue ? &cache->queues[record->queue - 1] : NULL;
}

/* A queue for a line that has none; NULL: out of memory. */
static struct line_queue *new_queue(struct cache *cache, uint32_t line)
{
    struct line_queue *queues;
    uint32_t number = 0;

    while (number < cache->queue_count && cache->queues[number].count)
        number++;
    if (number == cache->queue_count) {
        queues = realloc(cache->queues, (number + 1) * sizeof(*queues));
        if (!queues)
            return NULL;
        cache->queues = queues;
        cache->queue_count++;
    }
    cache->queues[number] = (struct line_queue){.line = line};
    cache->records[line].queue = (uint16_t)(number + 1);
    return &cache->queues[number];
}

/* splitmix64 of the number of the draw (Steele, Lea, Flood 2014). */
static uint64_t draw(struct cache *cache)
{
    uint64_t z = ++cache->draws * 0x9e3779b97f4a7c15ull;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* The place of the one that gets the line next. */
static uint32_t choose(struct cache *cache, const struct line_record *record, const struct line_queue *queue)
{
    unsigned die = record->holder ? (record->holder - 1u) / cache->config.die_cores : 0;

    if (cache->config.arbitration == ARBITRATE_RANDOM)
        return (uint32_t)(draw(cache) % queue->count);
    if (cache->config.arbitration == ARBITRATE_OLDEST || !record->holder ||
        queue->local_run >= cache->config.local_turns)
        return 0;
    for (uint32_t i = 0; i < queue->count; i++)
        if (queue->core[i] / cache->config.die_cores == die)
            return i;
    return 0;
}

static void tell(struct cache *cache, unsigned core, uint64_t at_ps)
{
    struct cache_waiter *waiter = &cache->cores[core].waiter;

    if (waiter->turn)
        waiter->turn(waiter->ctx, at_ps);
}

static void tell_next(struct cache *cache, const struct line_record *record, struct line_queue *queue)
{
    queue->next = choose(cache, record, queue);
    tell(cache, queue->core[queue->next], record->free_ps);
}

static uint32_t place_of(const struct line_queue *queue, unsigned core)
{
    uint32_t i = 0;

    while (i < queue->count && queue->core[i] != core)
        i++;
    return i;
}

static void leave(struct cache *cache, struct line_record *record, struct line_queue *queue, uint32_t place)
{
    unsigned die = queue->core[place] / cache->config.die_cores;
    bool local = record->holder && (record->holder - 1u) / cache->config.die_cores == die;

    queue->local_run = local && place > 0 ? queue->local_run + 1 : local ? queue->local_run : 0;
    queue->count--;
    memmove(queue->core + place, queue->core + place + 1, queue->count - place);
    if (queue->count == 0)
        record->queue = 0;
    else
        tell_next(cache, record, queue);
}

static bool may_hit(const struct line_record *record, unsigned core, enum line_want want)
{
    return record_shared_by(record, core) && (!wants_write(want) || (record->flags & LINE_EXCLUSIVE));
}

bool cache_line_turn(struct cache *cache, unsigned core, uint64_t pa, enum line_want want, uint64_t start_ps)
{
    struct line_record *record;
    struct line_queue *queue;
    uint32_t place, before;
    bool lost;

    if (!memory_contains(cache->memory, pa, 1))
        return true;
    record = &cache->records[line_of(cache, pa)];
    queue = queue_of(cache, record);
    if (!(record->flags & LINE_COMMUNAL) || (!queue && record->free_ps <= start_ps))
        return true;
    place = queue ? place_of(queue, core) : 0;
    lost = want == LINE_EXCLUSIVE_STORE && cache->cores[core].watched != line_of(cache, pa);
    if (queue && place < queue->count) {
        if (!lost && (place != queue->next || record->free_ps > start_ps)) {
            if (place == queue->next) /* it was woken too early, by the loss of a monitor that it does not need */
                tell(cache, core, record->free_ps);
            return false;
        }
        cache->cores[core].waited = !lost;
        leave(cache, record, queue, place);
        return true;
    }
    if (lost || may_hit(record, core, want))
        return true;
    if (!queue && !(queue = new_queue(cache, line_of(cache, pa))))
        return true;
    before = queue->count ? queue->core[queue->next] : core;
    queue->core[queue->count++] = (uint8_t)core;
    queue->next = choose(cache, record, queue);
    if (queue->core[queue->next] != before)
        tell(cache, before, NEVER_PS);
    if (queue->core[queue->next] != before || queue->count == 1)
        tell(cache, queue->core[queue->next], record->free_ps);
    return false;
}

void turns_monitor_lost(struct cache *cache, unsigned core, uint32_t line, uint64_t at_ps)
{
    struct line_queue *queue = queue_of(cache, &cache->records[line]);

    if (queue && place_of(queue, core) < queue->count)
        tell(cache, core, at_ps);
}

void turns_given(struct cache *cache, unsigned core, uint32_t line, bool to_write, uint64_t start_ps, uint64_t done_ps)
{
    struct line_record *record = &cache->records[line];
    struct line_queue *queue = queue_of(cache, record);

    if (!(record->flags & LINE_COMMUNAL))
        return;
    record->free_ps = to_write ? done_ps + cache->config.residency_ps : start_ps + cache->config.home_ps;
    if (to_write)
        record->holder = (uint8_t)(core + 1);
    if (queue)
        tell_next(cache, record, queue);
}
