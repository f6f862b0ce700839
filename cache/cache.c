#include "cache/cache.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "cache/cache_internal.h"

/* Sets of a level; 0 when the geometry is impossible (an error was added). */
static uint32_t sets_of(const char *name, struct cache_geometry geometry, struct error_list *errors)
{
    uint64_t lines = geometry.bytes / LINE_BYTES;
    uint64_t sets;

    if (geometry.ways == 0 || geometry.ways > 64) {
        error_add(errors, NULL, "%s.ways is %u; 1 to 64 are possible", name, geometry.ways);
        return 0;
    }
    sets = lines / geometry.ways;
    if (geometry.bytes % LINE_BYTES || lines % geometry.ways || sets == 0 || (sets & (sets - 1)) || sets > 1u << 24) {
        error_add(errors, NULL,
                  "%s.bytes / (64 * %s.ways) must be a power of two (the number of sets); it is %llu / (64 * %u)", name,
                  name, (unsigned long long)geometry.bytes, geometry.ways);
        return 0;
    }
    return (uint32_t)sets;
}

static bool level_create(struct tags *tags, const char *name, struct cache_geometry geometry, bool optional,
                         struct error_list *errors)
{
    uint32_t sets;

    if (optional && geometry.bytes == 0)
        return true;
    sets = sets_of(name, geometry, errors);
    return sets && tags_create(tags, sets, geometry.ways);
}

static bool create_levels(struct cache *cache, struct error_list *errors)
{
    const struct cache_config *config = &cache->config;
    bool fine = level_create(&cache->l3, "l3", config->l3, true, errors);

    fine &= level_create(&cache->slc, "slc", config->slc, true, errors);
    if (config->l2.bytes < config->l1d.bytes) {
        error_add(errors, NULL, "l2.bytes must be at least l1d.bytes: L2 is inclusive of L1D");
        fine = false;
    }
    for (unsigned core = 0; core < config->cores; core++) {
        struct error_list ignored = {0}; /* all cores are alike: core 0 reports */
        struct error_list *list = core == 0 ? errors : &ignored;
        struct core_caches *own = &cache->cores[core];
        fine &= level_create(&own->l1d, "l1d", config->l1d, false, list);
        fine &= level_create(&own->l2, "l2", config->l2, false, list);
        fine &= cmo_queue_create(&own->cmos, config->cmo_slots);
        own->watched = NO_LINE;
        error_clear(&ignored);
    }
    return fine;
}

static bool config_possible(const struct cache_config *config, struct error_list *errors)
{
    size_t before = errors->count;

    if (config->cores == 0 || config->cores > MAX_CORES)
        error_add(errors, NULL, "cpu.cores is %u; 1 to %d are possible", config->cores, MAX_CORES);
    if (config->cmo_slots == 0 || config->cmo_slots > 65536)
        error_add(errors, NULL, "cmo.slots is %u; 1 to 65536 are possible", config->cmo_slots);
    if (config->cluster_cores == 0 || config->die_cores == 0 || config->die_cores % config->cluster_cores)
        error_add(errors, NULL, "cpu.die_cores is %u; it must be a multiple of cpu.cluster_cores (%u)",
                  config->die_cores, config->cluster_cores);
    if (config->die_cores == 0 || config->socket_cores == 0 || config->socket_cores % config->die_cores)
        error_add(errors, NULL, "cpu.socket_cores is %u; it must be a multiple of cpu.die_cores (%u)",
                  config->socket_cores, config->die_cores);
    return errors->count == before;
}

struct cache *cache_create(const struct cache_config *config, struct memory *memory, struct error_list *errors)
{
    struct cache *cache;

    if (!config_possible(config, errors))
        return NULL;
    cache = calloc(1, sizeof(*cache));
    if (!cache)
        return NULL;
    cache->config = *config;
    cache->memory = memory;
    cache->earliest_cmo_ps = NEVER_PS;
    cache->remote_line = (uint32_t)((memory->bytes - config->remote_bytes) >> LINE_SHIFT);
    cache->cores = calloc(config->cores, sizeof(*cache->cores));
    cache->records_bytes = (memory->bytes >> LINE_SHIFT) * sizeof(*cache->records);
    cache->records =
        mmap(NULL, cache->records_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (cache->records == MAP_FAILED) {
        cache->records = NULL;
        error_add(errors, NULL, "the host has no address space for a directory of %llu MiB of RAM",
                  (unsigned long long)(memory->bytes / MIB));
    }
    if (!cache->cores || !cache->records || !create_levels(cache, errors)) {
        cache_destroy(cache);
        return NULL;
    }
    return cache;
}

void cache_destroy(struct cache *cache)
{
    if (!cache)
        return;
    for (unsigned core = 0; cache->cores && core < cache->config.cores; core++) {
        tags_destroy(&cache->cores[core].l1d);
        tags_destroy(&cache->cores[core].l2);
        cmo_queue_destroy(&cache->cores[core].cmos);
    }
    free(cache->queues);
    free(cache->cores);
    tags_destroy(&cache->l3);
    tags_destroy(&cache->slc);
    if (cache->records)
        munmap(cache->records, cache->records_bytes);
    free(cache);
}

void cache_attach_core(struct cache *cache, unsigned core, const struct core_bus_client *client)
{
    cache->cores[core].client = *client;
}

void cache_attach_waiter(struct cache *cache, unsigned core, const struct cache_waiter *waiter)
{
    cache->cores[core].waiter = *waiter;
}

const struct cache_counters *cache_counters(const struct cache *cache, unsigned core)
{
    return &cache->cores[core].counters;
}

/* Calls copy for each piece of a line in [pa, pa + bytes). */
static bool debug_access(struct cache *cache, uint64_t pa, uint8_t *data, uint64_t bytes, bool write)
{
    if (!memory_contains(cache->memory, pa, bytes))
        return false;
    while (bytes) {
        uint64_t offset = pa & (LINE_BYTES - 1);
        uint64_t part = bytes < LINE_BYTES - offset ? bytes : LINE_BYTES - offset;
        uint32_t line = line_of(cache, pa);
        bool cached = record_cached(&cache->records[line]);
        if (write) {
            memcpy(line_poc(cache, line) + offset, data, part);
            memcpy(line_cpu(cache, line) + offset, data, part);
        } else {
            memcpy(data, (cached ? line_cpu(cache, line) : line_poc(cache, line)) + offset, part);
        }
        pa += part;
        data += part;
        bytes -= part;
    }
    return true;
}

bool cache_debug_read(struct cache *cache, uint64_t pa, void *data, uint64_t bytes)
{
    return debug_access(cache, pa, data, bytes, false);
}

bool cache_debug_write(struct cache *cache, uint64_t pa, const void *data, uint64_t bytes)
{
    return debug_access(cache, pa, (uint8_t *)(uintptr_t)data, bytes, true);
}
