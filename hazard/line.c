/* What cores, caches and maintenance do to a line. */
#include "hazard/line.h"

/* A bit for each byte of a word that is not zero. */
static uint64_t bytes_set(uint64_t word)
{
    const uint64_t low = 0x7F7F7F7F7F7F7F7Full;
    uint64_t high_bits = (((word & low) + low) | word) & ~low;

    return (high_bits >> 7) * 0x0102040810204080ull >> 56;
}

uint64_t line_difference(const uint8_t *cpu, const uint8_t *poc)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < LINE_BYTES / 8; i++) {
        uint64_t a, b;
        memcpy(&a, cpu + 8 * i, 8);
        memcpy(&b, poc + 8 * i, 8);
        if (a != b)
            mask |= bytes_set(a ^ b) << (8 * i);
    }
    return mask;
}

void line_report(struct hazards *hazards, uint32_t line, uint64_t bytes, struct hazard_report example)
{
    struct line_shadow *shadow = &hazards->shadow.lines[line];
    unsigned first = bytes ? (unsigned)__builtin_ctzll(bytes) : 0;

    if (shadow->reported && shadow->reported != example.kind)
        return;
    shadow->reported = (uint8_t)example.kind;
    shadow_mark(hazards, line);
    example.address = hazards->config.ram_base + ((uint64_t)line << LINE_SHIFT) + first;
    hazard_report_add(hazards, &example);
}

bool line_report_touch(struct hazards *hazards, uint32_t line, uint64_t bytes)
{
    struct touch *touch = &hazards->shadow.lines[line].touch;

    if (!(touch->bytes & bytes))
        return false;
    line_report(hazards, line, touch->bytes,
                (struct hazard_report){.kind = HAZARD_BUFFER_TOUCHED,
                                       .core = touch->core,
                                       .first_ps = touch->t_ps,
                                       .where = touch->place,
                                       .cause = touch->mapped_at,
                                       .cause_what = "map"});
    touch->bytes = 0;
    return true;
}

void line_dirtied(void *ctx, unsigned core, uint32_t line)
{
    struct hazards *hazards = ctx;

    hazards->shadow.lines[line].store = place_of_core(hazards, core);
}

/* Stale bytes go over what a device wrote. */
static void overwritten(struct hazards *hazards, const struct line_view *view, uint64_t bytes, unsigned core)
{
    const struct line_shadow *shadow = &hazards->shadow.lines[view->line];

    line_report(hazards, view->line, bytes,
                (struct hazard_report){.kind = HAZARD_DIRTY_EVICTION,
                                       .core = core,
                                       .first_ps = hazards->host.now_ps(hazards->host.ctx, core),
                                       .where = place_of_core(hazards, core),
                                       .cause = shadow->store,
                                       .cause_what = "store"});
}

void line_written_back(void *ctx, const struct line_view *view, enum write_back_cause cause, unsigned core)
{
    struct hazards *hazards = ctx;
    struct line_shadow *shadow = &hazards->shadow.lines[view->line];
    uint64_t difference;

    if (cause == WRITE_BACK_SNOOP)
        return;
    if (cause == WRITE_BACK_MAINTENANCE && !shadow->device)
        return;
    difference = line_difference(view->cpu, view->poc);
    if (difference & shadow->device)
        overwritten(hazards, view, difference & shadow->device, core);
    if (cause == WRITE_BACK_EVICTION && difference & ~shadow->uncleaned) {
        shadow->uncleaned |= difference;
        shadow_mark(hazards, view->line);
    }
}

static bool invalidates(enum cmo_op op)
{
    return op == CMO_DC_IVAC || op == CMO_DC_CIVAC;
}

static bool cleans(enum cmo_op op)
{
    return op == CMO_DC_CVAC || op == CMO_DC_CVAP || op == CMO_DC_CIVAC;
}

/* A second clean of the line is ordered behind the first one's write-back. */
static void count_cleans(struct hazards *hazards, const struct line_view *view, uint64_t bytes)
{
    struct line_shadow *shadow = &hazards->shadow.lines[view->line];

    shadow->cleaned_once = view->dirty && !view->clean_pending ? bytes : 0;
    shadow_mark(hazards, view->line);
}

void line_maintenance_issued(void *ctx, unsigned core, enum cmo_op op, const struct line_view *view)
{
    struct hazards *hazards = ctx;
    const struct line_shadow *shadow = &hazards->shadow.lines[view->line];
    uint64_t bytes = shadow->uncleaned;

    if (op == CMO_DC_IVAC)
        line_report_touch(hazards, view->line, UINT64_MAX);
    if (view->dirty)
        bytes |= line_difference(view->cpu, view->poc);
    if (cleans(op) && bytes)
        order_clean(hazards, core, view->line, bytes);
    if (cleans(op) && hazards->config.early_acknowledgement)
        count_cleans(hazards, view, bytes);
    if (invalidates(op) && shadow->device)
        order_invalidate(hazards, core, view->line);
}

void line_maintenance_applied(void *ctx, unsigned core, enum cmo_op op, uint32_t line)
{
    struct hazards *hazards = ctx;
    struct line_shadow *shadow = &hazards->shadow.lines[line];

    shadow->uncleaned = 0;
    shadow->touch.bytes = 0;
    shadow->reported = HAZARD_NONE;
    shadow_mark(hazards, line);
}

static void stale_read(struct hazards *hazards, unsigned core, uint32_t line, uint64_t bytes)
{
    const struct line_shadow *shadow = &hazards->shadow.lines[line];
    bool issued = order_invalidate_open(hazards, shadow);
    struct hazard_report example = {.kind = issued ? HAZARD_INVALIDATE_NOT_COMPLETE : HAZARD_CPU_READ_OF_STALE_LINE,
                                    .core = core,
                                    .first_ps = hazards->host.now_ps(hazards->host.ctx, core),
                                    .where = place_of_core(hazards, core),
                                    .cause = issued ? shadow->invalidate.place : shadow->external,
                                    .cause_what = issued                    ? "invalidation"
                                                  : shadow->external_is_cpu ? "Non-cacheable store"
                                                                            : "doorbell of the device"};

    line_report(hazards, line, bytes, example);
}

void hazard_core_access(struct hazards *hazards, unsigned core, uint64_t pa, unsigned bytes, enum line_want want)
{
    uint32_t line = (uint32_t)((pa - hazards->config.ram_base) >> LINE_SHIFT);
    struct line_shadow *shadow = &hazards->shadow.lines[line];
    uint64_t mask = byte_mask((uint32_t)(pa & (LINE_BYTES - 1)), bytes);
    bool reads = want == LINE_SHARED || want == LINE_ATOMIC, writes = want != LINE_SHARED;

    mappings_core_access(hazards, core, pa, bytes, writes);
    if (reads && (shadow->device & mask))
        stale_read(hazards, core, line, shadow->device & mask);
    if (!writes)
        return;
    if (shadow->device & mask) {
        shadow->device &= ~mask;
        shadow_mark(hazards, line);
    }
    if (want == LINE_UNIQUE)
        order_store(hazards, core, line, mask);
}
