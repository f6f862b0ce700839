/* Accesses that bypass the CPU caches: a core's Device and Non-cacheable ones, and those of DMA masters, snooping or
 * not. */
#include "cache/cache_internal.h"

/* The newest bytes that a snoop of the line finds. */
static const uint8_t *newest(struct cache *cache, uint32_t line)
{
    return record_cached(&cache->records[line]) ? line_cpu(cache, line) : line_poc(cache, line);
}

/* A snooping write of part of a line: other copies are cleaned and dropped first. */
static void snoop_for_write(struct cache *cache, uint32_t line, uint64_t at_ps)
{
    line_make_communal(cache, line);
    line_write_back(cache, NO_CORE, line, WRITE_BACK_SNOOP);
    line_drop(cache, line);
    monitor_written(cache, line, NO_CORE, at_ps);
}

static void tell_observer(struct cache *cache, const struct txn *txn, uint32_t line, uint32_t offset, uint32_t bytes)
{
    struct line_view view;

    if (!cache->observer.bypassed)
        return;
    view = line_view_of(cache, line);
    cache->observer.bypassed(cache->observer.ctx, txn, &view, offset, bytes);
}

/* Bytes of one line; returns completion. */
static uint64_t piece(struct cache *cache, struct txn *txn, uint64_t addr, uint8_t *data, uint32_t bytes,
                      uint64_t start_ps)
{
    uint32_t line = line_of(cache, addr);
    uint32_t offset = (uint32_t)(addr & (LINE_BYTES - 1));
    enum mem_level level;
    bool snooped = txn->coherent && record_cached(&cache->records[line]);
    uint64_t done_ps = snooped ? start_ps + cache->config.l3_ps + remote_trip(cache, line)
                               : memory_side(cache, line, start_ps, &level);

    tell_observer(cache, txn, line, offset, bytes);
    if (txn->kind == TXN_READ) {
        if (txn->coherent)
            line_make_communal(cache, line);
        memcpy(data, (txn->coherent ? newest(cache, line) : line_poc(cache, line)) + offset, bytes);
        return done_ps;
    }
    if (txn->coherent)
        snoop_for_write(cache, line, done_ps);
    memcpy(line_poc(cache, line) + offset, data, bytes);
    return done_ps;
}

void cache_device(struct cache *cache, struct txn *txn)
{
    uint32_t bytes = txn->size;
    uint64_t addr = txn->addr;
    uint8_t *data = txn->data;

    txn->done_ps = txn->start_ps;
    if (!memory_contains(cache->memory, addr, bytes)) {
        txn->status = TXN_DECERR;
        return;
    }
    txn->status = TXN_OK;
    cache_advance(cache, txn->start_ps);
    while (bytes) {
        uint32_t room = LINE_BYTES - (uint32_t)(addr & (LINE_BYTES - 1));
        uint32_t part = bytes < room ? bytes : room;
        uint64_t done_ps = piece(cache, txn, addr, data, part, txn->start_ps);
        if (done_ps > txn->done_ps)
            txn->done_ps = done_ps;
        addr += part;
        data += part;
        bytes -= part;
    }
}

void cache_noncacheable(struct cache *cache, struct txn *txn)
{
    txn->coherent = false; /* a cacheable alias of the same line is not looked at (DDI 0487 B2.8) */
    cache_device(cache, txn);
    if (txn->status == TXN_OK && txn->kind != TXN_READ)
        monitor_written(cache, line_of(cache, txn->addr), txn->requester, txn->done_ps);
}
