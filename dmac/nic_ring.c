/* Rings: descriptors are fetched ahead, used in order and written back in order. */
#include "dmac/nic_internal.h"

#include <string.h>

void ring_reset(struct ring *ring)
{
    ring->head = ring->next = ring->fetch = ring->tail = 0;
    ring->fetched[0].count = ring->fetched[1].count = 0;
    ring->completion_count = 0;
}

/* One request; it has its effect on memory when it leaves. */
static bool request(struct nic *nic, enum nic_part part, struct txn *txn, uint64_t ready_ps)
{
    struct time_port *time = &nic->times[part];
    struct flight *flight = txn->kind == TXN_READ ? &nic->reads : &nic->writes;
    uint64_t start_ps;

    while ((start_ps = flight_start(flight, ready_ps)) > time->now(time->ctx)) /* another part may have been faster */
        time->wait_until(time->ctx, start_ps);
    start_ps = time->now(time->ctx);
    txn->requester = nic->config.requester;
    txn->stream_id = nic->config.stream_id;
    txn->coherent = nic->config.coherent;
    txn->type = txn->coherent ? MEM_NORMAL_WB : MEM_NORMAL_NC;
    txn->sh = SH_OUTER;
    txn->start_ps = start_ps + nic->config.travel_ps;
    nic->memory.access(nic->memory.ctx, txn);
    if (txn->kind == TXN_READ)
        txn->done_ps += nic->config.travel_ps;
    flight_issued(flight, start_ps, txn->done_ps);
    if (txn->status != TXN_OK)
        nic->error_address = txn->addr;
    return txn->status == TXN_OK;
}

bool nic_transfer(struct nic *nic, enum nic_part part, enum txn_kind kind, uint64_t addr, uint8_t *data, uint32_t bytes,
                  uint64_t ready_ps, uint64_t *done_ps)
{
    uint32_t burst = nic->config.burst_bytes;

    *done_ps = ready_ps;
    while (bytes) {
        uint64_t room = burst - (addr & (burst - 1));
        struct txn txn = {.kind = kind, .addr = addr, .size = bytes < room ? bytes : (uint32_t)room, .data = data};
        bool fine = request(nic, part, &txn, ready_ps);
        if (txn.done_ps > *done_ps)
            *done_ps = txn.done_ps;
        if (!fine)
            return false;
        addr += txn.size;
        data += txn.size;
        bytes -= txn.size;
    }
    return true;
}

static void fail(struct nic *nic, struct ring *ring)
{
    nic->status |= ring->fault;
    nic_raise(nic, CAUSE_ERROR, nic_now(nic, ring->part));
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Asks for the next descriptors; they are here at ready_ps. */
static void fetch(struct nic *nic, struct ring *ring, struct fetched *fetched)
{
    uint32_t to_end = (ring->fetch > ring->tail ? ring->entries : ring->tail) - ring->fetch;
    uint32_t count = least(least(nic->config.prefetch, to_end), ring->entries - ring->fetch);
    unsigned epoch = ring->epoch;
    bool fine;

    if (count == 0)
        return;
    fine = nic_transfer(nic, ring->part, TXN_READ, ring->base + 16ull * ring->fetch, (uint8_t *)fetched->descriptors,
                        16 * count, nic_now(nic, ring->part), &fetched->ready_ps);
    if (epoch != ring->epoch)
        return;
    if (!fine) {
        fail(nic, ring);
        return;
    }
    fetched->next = 0;
    fetched->count = count;
    ring->fetch = (ring->fetch + count) % ring->entries;
}

bool ring_take(struct nic *nic, struct ring *ring, struct nic_descriptor *descriptor)
{
    struct time_port *time = &nic->times[ring->part];
    struct fetched *fetched = &ring->fetched[0];
    unsigned epoch = ring->epoch;

    if (fetched->count == 0)
        fetch(nic, ring, fetched);
    if (epoch == ring->epoch && fetched->count && ring->fetched[1].count == 0)
        fetch(nic, ring, &ring->fetched[1]);
    if (epoch != ring->epoch || fetched->count == 0 || (nic->status & ring->fault))
        return false;
    time->wait_until(time->ctx, fetched->ready_ps);
    if (epoch != ring->epoch)
        return false;
    *descriptor = fetched->descriptors[fetched->next++];
    if (--fetched->count == 0) {
        *fetched = ring->fetched[1];
        ring->fetched[1].count = 0;
    }
    ring->next = ring->next + 1 == ring->entries ? 0 : ring->next + 1;
    return true;
}

void ring_complete(struct ring *ring, struct nic_descriptor descriptor, bool report, uint64_t due_ps)
{
    uint32_t last = (ring->completion_first + ring->completion_count - 1) % COMPLETIONS;

    if (ring->completion_count && ring->completions[last].due_ps > due_ps)
        due_ps = ring->completions[last].due_ps; /* in order */
    ring->completions[(last + 1) % COMPLETIONS] = (struct completion){descriptor, report, due_ps};
    ring->completion_count++;
}

static const struct completion *completion_at(const struct ring *ring, uint32_t n)
{
    return &ring->completions[(ring->completion_first + n) % COMPLETIONS];
}

/* How many of the first completions go together: all reported or none, in one piece of the ring. *full: no more will
 * join them. */
static uint32_t run_of(const struct nic *nic, const struct ring *ring, bool *full)
{
    uint32_t most = least(nic->config.writeback, ring->entries - ring->head), run = 1;

    while (run < most && run < ring->completion_count &&
           completion_at(ring, run)->report == completion_at(ring, 0)->report)
        run++;
    *full = run == most || run < ring->completion_count || !completion_at(ring, 0)->report;
    return run;
}

uint64_t ring_due(const struct nic *nic, const struct ring *ring)
{
    bool full;
    uint32_t run;
    uint64_t last_ps, patience_ps;

    if (ring->completion_count == 0 || !(nic->control & ring->on) || (nic->status & ring->fault))
        return NEVER_PS;
    run = run_of(nic, ring, &full);
    last_ps = completion_at(ring, run - 1)->due_ps;
    patience_ps = completion_at(ring, 0)->due_ps + nic->config.writeback_ps;
    return full && last_ps < patience_ps ? last_ps : patience_ps;
}

static void written_back(struct ring *ring, uint32_t run)
{
    ring->completion_first = (ring->completion_first + run) % COMPLETIONS;
    ring->completion_count -= run;
    ring->head = (ring->head + run) % ring->entries;
}

void ring_write_back(struct nic *nic, struct ring *ring)
{
    struct nic_descriptor descriptors[NIC_BATCH_MOST];
    uint64_t now_ps = nic_now(nic, ring->part), done_ps = now_ps;
    unsigned epoch = ring->epoch;
    bool full, report = completion_at(ring, 0)->report;
    uint32_t run = run_of(nic, ring, &full);

    while (run > 1 && completion_at(ring, run - 1)->due_ps > now_ps)
        run--;
    for (uint32_t i = 0; i < run; i++)
        descriptors[i] = completion_at(ring, i)->descriptor;
    if (report && !nic_transfer(nic, ring->part, TXN_WRITE, ring->base + 16ull * ring->head, (uint8_t *)descriptors,
                                16 * run, now_ps, &done_ps)) {
        if (epoch == ring->epoch)
            fail(nic, ring);
        return;
    }
    if (epoch != ring->epoch)
        return;
    written_back(ring, run);
    if (report)
        nic_raise(nic, ring->cause, done_ps);
}
