/*
 * The CMO engine: start = max(issue, completion of the CMO Q before), completion = start + L, effect at completion.
 * Sources: DDI 0487 D7.5.9 (what each operation does), D7.5.9.15 (order).
 */
#include "cache/cache_internal.h"

#include <stdlib.h>

bool cmo_queue_create(struct cmo_queue *queue, uint32_t slots)
{
    queue->slot_done_ps = calloc(slots, sizeof(*queue->slot_done_ps));
    queue->capacity = 64;
    queue->pending = malloc(queue->capacity * sizeof(*queue->pending));
    queue->earliest_ps = NEVER_PS;
    queue->in_order = true;
    return queue->slot_done_ps && queue->pending;
}

void cmo_queue_destroy(struct cmo_queue *queue)
{
    free(queue->slot_done_ps);
    free(queue->pending);
}

static struct pending_cmo *pending_at(struct cmo_queue *queue, uint32_t index)
{
    return &queue->pending[(queue->head + index) & (queue->capacity - 1)];
}

static void grow(struct cmo_queue *queue)
{
    struct pending_cmo *larger = malloc(2 * (size_t)queue->capacity * sizeof(*larger));

    if (!larger)
        abort();
    for (uint32_t i = 0; i < queue->count; i++)
        larger[i] = *pending_at(queue, i);
    free(queue->pending);
    queue->pending = larger;
    queue->head = 0;
    queue->capacity *= 2;
}

static void push(struct cache *cache, struct cmo_queue *queue, struct pending_cmo cmo)
{
    if (queue->count == queue->capacity)
        grow(queue);
    if (queue->count && cmo.done_ps < pending_at(queue, queue->count - 1)->done_ps)
        queue->in_order = false;
    *pending_at(queue, queue->count++) = cmo;
    if (cmo.done_ps < queue->earliest_ps)
        queue->earliest_ps = cmo.done_ps;
    if (cmo.done_ps < cache->earliest_cmo_ps)
        cache->earliest_cmo_ps = cmo.done_ps;
    if (cmo.line != NO_LINE)
        cache->records[cmo.line].pending_cmos++;
}

static void invalidate_instructions(struct cache *cache, unsigned core, const struct pending_cmo *cmo)
{
    bool all = cmo->line == NO_LINE;
    uint64_t pa = all ? 0 : cache->memory->base + ((uint64_t)cmo->line << LINE_SHIFT);

    for (unsigned other = 0; other < cache->config.cores; other++) {
        struct core_bus_client *client = &cache->cores[other].client;
        if (client->icache_invalidate && (other == core || cmo->op != CMO_IC_IALLU))
            client->icache_invalidate(client->ctx, pa, all);
    }
}

static bool is_data_op(unsigned op)
{
    return op < CMO_IC_IVAU && op != CMO_DC_CVAU;
}

static void tell_issued(struct cache *cache, unsigned core, enum cmo_op op, uint32_t line)
{
    struct line_view view;

    if (!(cache->records[line].flags & (LINE_DIRTY | LINE_MARKED | LINE_OBSERVED)) || !is_data_op(op) ||
        !cache->observer.maintenance_issued)
        return;
    view = line_view_of(cache, line);
    cache->observer.maintenance_issued(cache->observer.ctx, core, op, &view);
}

static void tell_applied(struct cache *cache, unsigned core, enum cmo_op op, uint32_t line)
{
    if ((cache->records[line].flags & (LINE_MARKED | LINE_OBSERVED)) && is_data_op(op) &&
        cache->observer.maintenance_applied)
        cache->observer.maintenance_applied(cache->observer.ctx, core, op, line);
}

static void take_effect(struct cache *cache, unsigned core, const struct pending_cmo *cmo)
{
    switch ((enum cmo_op)cmo->op) {
    case CMO_DC_IVAC:
        if (cache->config.ivac_cleans)
            line_write_back(cache, core, cmo->line, WRITE_BACK_MAINTENANCE);
        line_drop(cache, cmo->line);
        break;
    case CMO_DC_CIVAC:
        line_write_back(cache, core, cmo->line, WRITE_BACK_MAINTENANCE);
        line_drop(cache, cmo->line);
        break;
    case CMO_DC_CVAC:
    case CMO_DC_CVAP:
    case CMO_DC_CSW:
        line_write_back(cache, core, cmo->line, WRITE_BACK_MAINTENANCE);
        break;
    case CMO_DC_CVAU: /* the PoU is L2: instructions are fetched from the CPU image */
        break;
    case CMO_DC_CISW:
    case CMO_DC_ISW: /* as CISW, which the architecture allows and Cortex-A cores do */
        line_write_back(cache, core, cmo->line, WRITE_BACK_MAINTENANCE);
        line_drop_from_core(cache, core, cmo->line);
        break;
    case CMO_IC_IVAU:
    case CMO_IC_IALLUIS:
    case CMO_IC_IALLU:
        invalidate_instructions(cache, core, cmo);
        break;
    case CMO_OP_COUNT:
        break;
    }
}

/* The operation is complete: its effect, now. */
static void apply(struct cache *cache, unsigned core, const struct pending_cmo *cmo)
{
    if (cmo->line == NO_LINE) {
        take_effect(cache, core, cmo);
        return;
    }
    cache->records[cmo->line].pending_cmos--;
    if (record_cached(&cache->records[cmo->line]) || cmo->op >= CMO_IC_IVAU)
        take_effect(cache, core, cmo);
    tell_applied(cache, core, (enum cmo_op)cmo->op, cmo->line);
}

/* Remove the entry at index, keeping the order of the others. */
static void remove_at(struct cmo_queue *queue, uint32_t index)
{
    for (uint32_t i = index; i > 0; i--)
        *pending_at(queue, i) = *pending_at(queue, i - 1);
    queue->head = (queue->head + 1) & (queue->capacity - 1);
    queue->count--;
}

/* Also notices when the completions ascend again. */
static void find_earliest(struct cmo_queue *queue)
{
    uint64_t before = 0;

    queue->earliest_ps = NEVER_PS;
    queue->in_order = true;
    for (uint32_t i = 0; i < queue->count; i++) {
        uint64_t done_ps = pending_at(queue, i)->done_ps;
        if (done_ps < queue->earliest_ps)
            queue->earliest_ps = done_ps;
        queue->in_order &= done_ps >= before;
        before = done_ps;
    }
}

static void advance_queue(struct cache *cache, unsigned core, uint64_t t_ps)
{
    struct cmo_queue *queue = &cache->cores[core].cmos;

    if (queue->in_order) {
        while (queue->count && pending_at(queue, 0)->done_ps <= t_ps) {
            struct pending_cmo cmo = *pending_at(queue, 0);
            queue->head = (queue->head + 1) & (queue->capacity - 1);
            queue->count--;
            apply(cache, core, &cmo);
        }
        queue->earliest_ps = queue->count ? pending_at(queue, 0)->done_ps : NEVER_PS;
        return;
    }
    while (queue->earliest_ps <= t_ps) {
        uint32_t index = 0;
        while (pending_at(queue, index)->done_ps != queue->earliest_ps)
            index++;
        struct pending_cmo cmo = *pending_at(queue, index);
        remove_at(queue, index);
        apply(cache, core, &cmo);
        find_earliest(queue);
    }
}

static void find_earliest_of_all(struct cache *cache)
{
    cache->earliest_cmo_ps = NEVER_PS;
    for (unsigned core = 0; core < cache->config.cores; core++)
        if (cache->cores[core].cmos.earliest_ps < cache->earliest_cmo_ps)
            cache->earliest_cmo_ps = cache->cores[core].cmos.earliest_ps;
}

void cache_advance(struct cache *cache, uint64_t t_ps)
{
    if (cache->earliest_cmo_ps > t_ps)
        return;
    for (unsigned core = 0; core < cache->config.cores; core++)
        advance_queue(cache, core, t_ps);
    find_earliest_of_all(cache);
}

uint64_t cmo_order_line(struct cache *cache, unsigned core, uint32_t line)
{
    struct cmo_queue *queue = &cache->cores[core].cmos;
    uint64_t done_ps = 0;

    if (cache->records[line].pending_cmos == 0)
        return 0;
    for (uint32_t i = 0; i < queue->count;) {
        struct pending_cmo cmo = *pending_at(queue, i);
        if (cmo.line != line) {
            i++;
            continue;
        }
        remove_at(queue, i);
        apply(cache, core, &cmo);
        if (cmo.done_ps > done_ps)
            done_ps = cmo.done_ps;
    }
    find_earliest(queue);
    find_earliest_of_all(cache);
    return done_ps;
}

/* Completion of this core's last pending CMO on the line; 0: none. */
static uint64_t pending_on_line(struct cache *cache, unsigned core, uint32_t line)
{
    struct cmo_queue *queue = &cache->cores[core].cmos;
    uint64_t done_ps = 0;

    if (cache->records[line].pending_cmos == 0)
        return 0;
    for (uint32_t i = 0; i < queue->count; i++)
        if (pending_at(queue, i)->line == line && pending_at(queue, i)->done_ps > done_ps)
            done_ps = pending_at(queue, i)->done_ps;
    return done_ps;
}

static bool cleans(unsigned op)
{
    return is_data_op(op) && op != CMO_DC_IVAC && op != CMO_DC_ISW;
}

bool cmo_clean_pending(const struct cache *cache, uint32_t line)
{
    for (unsigned core = 0; cache->records[line].pending_cmos && core < cache->config.cores; core++) {
        struct cmo_queue *queue = &cache->cores[core].cmos;
        for (uint32_t i = 0; i < queue->count; i++)
            if (pending_at(queue, i)->line == line && cleans(pending_at(queue, i)->op))
                return true;
    }
    return false;
}

static enum mem_level find_level(struct cache *cache, unsigned core, uint32_t line)
{
    const struct line_record *record = &cache->records[line];

    if (record_shared_by(record, core))
        return tags_find(&cache->cores[core].l1d, line) != NO_WAY ? LEVEL_L1 : LEVEL_L2;
    if (record_in_private_caches(record))
        return LEVEL_CORE;
    return record->flags & LINE_IN_L3 ? LEVEL_L3 : LEVEL_DRAM;
}

static uint64_t issue_interval(const struct cache_config *config, enum mem_level level)
{
    switch (level) {
    case LEVEL_L1:
        return config->cmo_issue_l1_ps;
    case LEVEL_L2:
        return config->cmo_issue_l2_ps;
    case LEVEL_L3:
    case LEVEL_CORE:
        return config->cmo_issue_l3_ps;
    default:
        return config->cmo_issue_absent_ps;
    }
}

static uint64_t service_time(const struct cache_config *config, enum cmo_op op, bool dirty)
{
    switch (op) {
    case CMO_DC_CVAC:
    case CMO_DC_CVAP:
    case CMO_DC_CSW:
        return config->cmo_clean_ps + (dirty ? config->cmo_writeback_ps : 0);
    case CMO_DC_IVAC:
    case CMO_DC_CIVAC:
    case CMO_DC_CISW:
    case CMO_DC_ISW:
        return config->cmo_invalidate_ps + (dirty ? config->cmo_writeback_ps : 0);
    case CMO_DC_CVAU:
        return config->cmo_pou_ps;
    default:
        return config->cmo_pou_ps + (config->cores > 1 && op != CMO_IC_IALLU ? config->dvm_ps : 0);
    }
}

/* The line that a set/way operation names: Xt = way in the top bits, set, level in bits 3:1 (DDI 0487 C5.3 DC CISW). */
static uint32_t line_of_set_way(struct cache *cache, unsigned core, uint64_t xt)
{
    unsigned level = (unsigned)(xt >> 1) & 7;
    struct tags *tags = level == 0 ? &cache->cores[core].l1d : level == 1 ? &cache->cores[core].l2 : NULL;
    unsigned way_bits;
    uint64_t way;

    if (!tags)
        return NO_LINE;
    way_bits = tags->ways > 1 ? 32 - (unsigned)__builtin_clz(tags->ways - 1) : 0;
    way = way_bits ? (xt & UINT32_MAX) >> (32 - way_bits) : 0;
    if (way >= tags->ways)
        return NO_LINE;
    return tags->line[((xt >> LINE_SHIFT) & tags->set_mask) * tags->ways + way];
}

static bool is_set_way(enum cmo_op op)
{
    return op == CMO_DC_ISW || op == CMO_DC_CSW || op == CMO_DC_CISW;
}

/* The line an operation acts on; NO_LINE when there is nothing to act on. */
static uint32_t target_line(struct cache *cache, unsigned core, enum cmo_op op, uint64_t addr)
{
    if (is_set_way(op))
        return line_of_set_way(cache, core, addr);
    if (op == CMO_IC_IALLU || op == CMO_IC_IALLUIS || !memory_contains(cache->memory, addr, 1))
        return NO_LINE;
    return line_of(cache, addr);
}

/* The erratum is about an operation that writes a dirty line back to the PoC. */
static bool acknowledged_early(const struct cache *cache, enum cmo_op op, bool dirty)
{
    return cache->config.cmo_early_ack && dirty &&
           (op == CMO_DC_CVAC || op == CMO_DC_CVAP || op == CMO_DC_CIVAC ||
            (op == CMO_DC_IVAC && cache->config.ivac_cleans));
}

struct cmo_times cache_cmo(struct cache *cache, unsigned core, enum cmo_op op, uint64_t addr, uint64_t issue_ps)
{
    struct core_caches *own = &cache->cores[core];
    struct cmo_queue *queue = &own->cmos;
    struct cmo_times times = {.start_ps = issue_ps, .level = LEVEL_DRAM};
    uint64_t *slot = &queue->slot_done_ps[queue->next_slot];
    uint64_t effect_ps;
    uint32_t line;

    cache_advance(cache, issue_ps);
    line = target_line(cache, core, op, addr);
    own->counters.cmos[op]++;
    if (*slot > issue_ps) {
        own->counters.cmo_slot_stall_ps += *slot - issue_ps;
        times.start_ps = *slot;
    }
    if (line != NO_LINE) {
        uint64_t before_ps = pending_on_line(cache, core, line);
        times.level = find_level(cache, core, line);
        times.dirty = (cache->records[line].flags & LINE_DIRTY) && before_ps == 0;
        if (before_ps > times.start_ps)
            times.start_ps = before_ps;
        line_forget_pointers(cache, line); /* their next access is ordered behind this operation */
        tell_issued(cache, core, op, line);
    }
    own->counters.cmo_dirty += times.dirty;
    if (acknowledged_early(cache, op, times.dirty)) {
        times.done_ps = times.start_ps + service_time(&cache->config, op, false);
        effect_ps = times.done_ps + cache->config.cmo_early_ack_ps;
    } else {
        effect_ps = times.done_ps = times.start_ps + service_time(&cache->config, op, times.dirty);
    }
    times.next_issue_ps = times.start_ps + issue_interval(&cache->config, times.level);
    *slot = times.done_ps;
    queue->next_slot = queue->next_slot + 1 == cache->config.cmo_slots ? 0 : queue->next_slot + 1;
    if (times.done_ps > queue->last_done_ps)
        queue->last_done_ps = times.done_ps;
    if (line != NO_LINE || op >= CMO_IC_IVAU)
        push(cache, queue, (struct pending_cmo){.done_ps = effect_ps, .line = line, .op = (uint8_t)op});
    return times;
}

uint64_t cache_cmo_drain(struct cache *cache, unsigned core, uint64_t t_ps)
{
    uint64_t last_ps = cache->cores[core].cmos.last_done_ps;

    return last_ps > t_ps ? last_ps : t_ps;
}
