/* What devices, and cores by Non-cacheable accesses, read and write in the PoC image. */
#include "hazard/line.h"

static bool is_smmu(const struct hazards *hazards, uint32_t requester)
{
    return requester >= hazards->config.smmu_requester;
}

static struct doorbell *doorbell_at(struct hazards *hazards, uint32_t requester)
{
    uint32_t device = requester - REQUESTER_DEVICE_BASE;

    return &hazards->doorbells[device < DEVICES_MOST ? device : DEVICES_MOST - 1];
}

void hazard_doorbell(struct hazards *hazards, unsigned core, uint32_t requester, uint64_t t_ps)
{
    struct doorbell *doorbell = doorbell_at(hazards, requester);

    *doorbell = (struct doorbell){place_of_core(hazards, core), t_ps, core};
    hazards->last_doorbell = *doorbell;
    order_doorbell(hazards);
}

const struct doorbell *hazard_doorbell_of(const struct hazards *hazards, uint32_t requester)
{
    if (is_smmu(hazards, requester)) /* it also works for the device that rang last */
        return &hazards->last_doorbell;
    return doorbell_at((struct hazards *)hazards, requester);
}

/* The parts of a report that a device's access has in common. */
static struct hazard_report report_of(const struct hazards *hazards, const struct txn *txn, enum hazard_kind kind)
{
    const struct doorbell *doorbell = hazard_doorbell_of(hazards, txn->requester);

    return (struct hazard_report){
        .kind = kind, .first_ps = txn->start_ps, .core = doorbell->core, .where = doorbell->place};
}

/* Bytes that cores wrote, and no clean took to the PoC image. */
static uint64_t not_cleaned(const struct line_shadow *shadow, const struct line_view *view)
{
    return shadow->uncleaned | (view->dirty ? line_difference(view->cpu, view->poc) : 0);
}

/*
 * A table entry (the only reads of 8 bytes) whose bits for software alone are not cleaned: the SMMU ignores 58:55 (DDI
 * 0487 D8.3), and the kernel marks there what it has cleaned. Of a line that went out by an eviction only bytes are
 * known.
 */
static bool only_software_bits(const struct txn *txn, const struct line_view *view, uint32_t offset, uint64_t bytes)
{
    const uint64_t software = 0xFull << 55;
    uint64_t cpu, poc;

    if (txn->size != 8 || bytes & ~byte_mask(offset + 6, 2))
        return false;
    memcpy(&cpu, view->cpu + offset, 8);
    memcpy(&poc, view->poc + offset, 8);
    return !view->dirty || ((cpu ^ poc) & ~software) == 0;
}

/* The clean is complete for the core, a DSB has waited for it, but nothing has for the bytes. */
static bool acknowledged_early(const struct hazards *hazards, const struct line_shadow *shadow)
{
    return shadow->cleaned_once && !order_clean_open(hazards, shadow);
}

static void uncleaned_read(struct hazards *hazards, const struct txn *txn, const struct line_view *view, uint64_t bytes)
{
    const struct line_shadow *shadow = &hazards->shadow.lines[view->line];
    bool issued = view->clean_pending || (order_clean_open(hazards, shadow) && shadow->clean.rung);
    struct hazard_report example =
        report_of(hazards, txn, issued ? HAZARD_CLEAN_NOT_COMPLETE : HAZARD_DEVICE_READ_OF_DIRTY_LINE);

    example.cause = issued ? shadow->clean.place : shadow->store;
    example.cause_what = issued ? "clean" : "store";
    if (is_smmu(hazards, txn->requester)) {
        example.kind = HAZARD_SMMU_READ_OF_UNCLEANED_ENTRY;
        example.missing = issued ? "DSB SY" : NULL;
    }
    if (acknowledged_early(hazards, shadow)) {
        example.kind = HAZARD_CLEAN_ACKNOWLEDGED_EARLY;
        example.cause = shadow->clean.place;
        example.cause_what = "clean";
        example.missing = NULL;
    }
    line_report(hazards, view->line, bytes, example);
}

static void unordered_read(struct hazards *hazards, const struct txn *txn, uint32_t line, uint64_t bytes)
{
    struct hazard_report example = report_of(hazards, txn, HAZARD_DOORBELL_BEFORE_DESCRIPTOR);

    example.cause = hazards->shadow.lines[line].stored.place;
    example.cause_what = "store";
    line_report(hazards, line, bytes, example);
}

static void device_read(struct hazards *hazards, const struct txn *txn, const struct line_view *view, uint32_t offset,
                        uint64_t mask)
{
    const struct line_shadow *shadow = &hazards->shadow.lines[view->line];
    uint64_t bytes = 0;

    if (!txn->coherent) {
        bytes = not_cleaned(shadow, view) & mask;
        if (order_clean_open(hazards, shadow) && shadow->clean.rung)
            bytes |= shadow->clean_bytes & mask;
        bytes |= shadow->cleaned_once & mask;
        if (is_smmu(hazards, txn->requester) && only_software_bits(txn, view, offset, bytes))
            bytes = 0;
    }
    if (bytes && line_report_touch(hazards, view->line, bytes))
        return;
    if (bytes)
        uncleaned_read(hazards, txn, view, bytes);
    else if ((shadow->stored_bytes & mask) && shadow->stored.rung && order_store_open(hazards, shadow))
        unordered_read(hazards, txn, view->line, shadow->stored_bytes & mask);
}

/* The line is dirty, or went out without a clean: its eviction could come after the device's write as well. */
static void write_over_dirty(struct hazards *hazards, const struct txn *txn, const struct line_view *view,
                             uint64_t mask)
{
    const struct line_shadow *shadow = &hazards->shadow.lines[view->line];
    uint64_t written = not_cleaned(shadow, view);
    struct hazard_report example = report_of(hazards, txn, HAZARD_DIRTY_EVICTION);

    if (written && !(written & mask) && !shadow->cleaned_once)
        example.kind = HAZARD_PARTIAL_LINE_SHARING;
    example.cause = shadow->store;
    example.cause_what = "store";
    if (acknowledged_early(hazards, shadow)) {
        example.kind = HAZARD_CLEAN_ACKNOWLEDGED_EARLY;
        example.cause = shadow->clean.place;
        example.cause_what = "clean";
    }
    line_report(hazards, view->line, written ? written : mask, example);
}

static void external_write(struct hazards *hazards, const struct txn *txn, const struct line_view *view, uint64_t mask,
                           struct hazard_place place, bool by_cpu)
{
    struct line_shadow *shadow = &hazards->shadow.lines[view->line];

    if ((view->dirty || shadow->uncleaned || shadow->cleaned_once) && !line_report_touch(hazards, view->line, mask))
        write_over_dirty(hazards, txn, view, mask);
    shadow->uncleaned &= ~mask;
    shadow->cleaned_once = 0;
    shadow->device |= mask;
    shadow->external = place;
    shadow->external_is_cpu = by_cpu;
    shadow->invalidate.core = 0; /* what was issued before does not cover these bytes */
    shadow_mark(hazards, view->line);
}

/* Bytes that the caches have dropped to let a snooping device write. */
static void coherent_write(struct hazards *hazards, uint32_t line, uint64_t mask)
{
    struct line_shadow *shadow = &hazards->shadow.lines[line];

    if (!((shadow->uncleaned | shadow->device) & mask))
        return;
    shadow->uncleaned &= ~mask;
    shadow->device &= ~mask;
    shadow_mark(hazards, line);
}

static void core_bypassed(struct hazards *hazards, const struct txn *txn, const struct line_view *view, uint64_t mask)
{
    if (txn->kind == TXN_READ || txn->type != MEM_NORMAL_NC) /* with the MMU off no cache speculates */
        return;
    external_write(hazards, txn, view, mask, place_of_core(hazards, txn->requester), true);
    order_store(hazards, txn->requester, view->line, mask);
}

void hazard_bypassed(void *ctx, const struct txn *txn, const struct line_view *view, uint32_t offset, uint32_t bytes)
{
    struct hazards *hazards = ctx;
    uint64_t mask = byte_mask(offset, bytes);

    if (txn->requester < REQUESTER_DEVICE_BASE)
        core_bypassed(hazards, txn, view, mask);
    else if (txn->kind == TXN_READ)
        device_read(hazards, txn, view, offset, mask);
    else if (txn->coherent)
        coherent_write(hazards, view->line, mask);
    else
        external_write(hazards, txn, view, mask, hazard_doorbell_of(hazards, txn->requester)->place, false);
}
