/*
 * A reference model without time against the timed SMMU, on random streams of commands, table edits and accesses. The
 * reference keeps, for every page, what it has been since the last completed invalidation that covers it: an access
 * must see one of these. And it knows which command stops the queue, what CONS may be, and which CMD_SYNCs have been
 * seen.
 */
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "tests/support/a64_random.h"
#include "tests/support/smmu_bench.h"
#include "tests/unit.h"

enum { STREAMS = 2, PAGES = 8, HISTORY = 64, QUEUE = 1024, TSZ = 25 };
#define VA(page) (0x40000000ull + (uint64_t)(page)*0x1000)
#define FAULT    UINT64_MAX

enum action { SYNC, ILLEGAL, NOTHING, INVALIDATE };
struct queued {
    enum action action;
    unsigned stream, first, last; /* INVALIDATE; stream STREAMS: all */
    uint64_t issued;              /* step at which it was put into the queue */
    uint64_t msi;                 /* SYNC: the value it writes */
};
struct page {
    uint64_t value[HISTORY], from[HISTORY]; /* what it was, from which step on */
    unsigned count;
};
static struct reference {
    struct a64_random random;
    uint64_t step, root[STREAMS], msi_seen;
    struct page pages[STREAMS][PAGES];
    struct queued queue[QUEUE];
    uint32_t prod, cons, synced; /* counted without wrap; synced: complete up to there */
} ref;

static unsigned pick(unsigned below)
{
    return (unsigned)((a64_next(&ref.random) >> 33) % below);
}

static void edit(unsigned stream, unsigned number)
{
    struct page *page = &ref.pages[stream][number];
    uint64_t value = pick(3) ? DATA_AT + 0x1000ull * pick(64) : FAULT;

    if (page->count == HISTORY) /* nothing was invalidated for long: forget nothing, change nothing */
        return;
    set_word(descriptor_of(ref.root[stream], TSZ, 12, VA(number), 3),
             value == FAULT ? 0 : value | LEAF_RW | LEAF_NG | 3);
    page->value[page->count] = value;
    page->from[page->count++] = ref.step;
}

/* An invalidation issued at a step is complete: what ended before that step cannot be seen any more. */
static void forget_before(struct page *page, uint64_t step)
{
    unsigned keep = 0;

    while (keep + 1 < page->count && page->from[keep + 1] <= step)
        keep++;
    memmove(page->value, page->value + keep, (page->count - keep) * sizeof(page->value[0]));
    memmove(page->from, page->from + keep, (page->count - keep) * sizeof(page->from[0]));
    page->count -= keep;
}

static void complete(const struct queued *command)
{
    for (unsigned stream = 0; stream < STREAMS; stream++)
        for (unsigned page = command->first; page <= command->last; page++)
            if (command->stream == STREAMS || command->stream == stream)
                forget_before(&ref.pages[stream][page], command->issued);
}

/* Follow CONS; a CMD_SYNC completes everything before it. */
static void follow(void)
{
    uint32_t mask = (2u << bench.cmdq_bits) - 1, cons = rd32(R_CMDQ_CONS) & mask;
    bool stopped = (rd32(R_GERROR) ^ rd32(R_GERRORN)) & 1;

    ck_assert_uint_le((cons - ref.cons) & mask, ref.prod - ref.cons); /* never beyond PROD */
    while ((ref.cons & mask) != cons) {
        const struct queued *command = &ref.queue[ref.cons % QUEUE];
        ck_assert_int_ne(command->action, ILLEGAL);
        if (command->action == SYNC) {
            for (; ref.synced < ref.cons; ref.synced++)
                if (ref.queue[ref.synced % QUEUE].action == INVALIDATE)
                    complete(&ref.queue[ref.synced % QUEUE]);
            ref.msi_seen = command->msi;
        }
        ref.cons++;
    }
    ck_assert_uint_eq((uint32_t)word(MSI_AT), ref.msi_seen);
    if (!stopped)
        return;
    ck_assert_int_eq(ref.queue[ref.cons % QUEUE].action, ILLEGAL); /* and it is the one at CONS */
    set_word(CMDQ_AT + 16 * (cons & mask >> 1), 0x01);             /* as a driver: something harmless instead */
    ref.queue[ref.cons % QUEUE].action = NOTHING;
    wr32(R_GERRORN, rd32(R_GERROR));
}

static void put(void)
{
    struct queued *command = &ref.queue[ref.prod % QUEUE];
    unsigned stream = pick(STREAMS), first = pick(PAGES), count = 1 + pick(PAGES - first);
    uint64_t asid = (uint64_t)(stream + 1) << 48, leaf = pick(2);

    if (ref.prod - ref.cons == 1u << bench.cmdq_bits || ref.prod - ref.synced == QUEUE)
        return;
    *command = (struct queued){.action = INVALIDATE, .stream = stream, .last = PAGES - 1, .issued = ref.step};
    switch (ref.prod - ref.synced > QUEUE / 2 ? 1 : pick(8)) {
    case 0:
        command->action = ILLEGAL;
        put_command(0xE0 + pick(16), 0);
        break;
    case 1:
    case 2:
        command->action = SYNC;
        command->msi = ref.step;
        put_command(0x46 | 1 << 12 | 3 << 22 | 15 << 24 | ref.step << 32, MSI_AT);
        break;
    case 3:
        put_command(0x11 | asid, 0); /* by ASID */
        break;
    case 4:
        command->stream = STREAMS;
        put_command(pick(2) ? 0x30 : 0x10, 0);
        break;
    case 5:
        command->action = NOTHING; /* the configuration does not change */
        put_command(0x04, 31);
        break;
    case 6:
        command->first = command->last = first;
        put_command(0x12 | asid, VA(first) | leaf);
        break;
    default:
        command->first = first;
        command->last = first + count - 1;
        put_command(0x12 | asid | (uint64_t)(count - 1) << 12, VA(first) | 1 << 10 | 3 << 8 | leaf);
        break;
    }
    ref.prod++;
}

static void look(unsigned stream, unsigned number)
{
    const struct page *page = &ref.pages[stream][number];
    uint64_t value = 0, record[4], seen;
    bool possible = false;

    seen = device_read(stream, VA(number), &value) == TXN_OK ? value : FAULT;
    if (seen == FAULT)
        ck_assert(next_event(record) && record[0] == (0x10 | (uint64_t)stream << 32) && record[2] == VA(number));
    for (unsigned i = 0; i < page->count; i++)
        possible |= page->value[i] == seen;
    ck_assert_msg(possible, "step %lu stream %u page %u: 0x%lx", ref.step, stream, number, seen);
}

static void run_random(uint64_t seed, unsigned steps)
{
    memset(&ref, 0, sizeof(ref));
    ref.random.state = seed;
    bring_up();
    for (uint64_t at = DATA_AT; at < DATA_AT + 64 * 0x1000; at += 0x1000)
        set_word(at, at); /* a page says where it is */
    for (unsigned stream = 0; stream < STREAMS; stream++) {
        ref.root[stream] = new_table(12);
        set_stage1_stream(stream, CD_AT + 64 * stream);
        set_cd(CD_AT + 64 * stream, ref.root[stream], TSZ, 12, (uint16_t)(stream + 1));
        for (unsigned page = 0; page < PAGES; page++)
            edit(stream, page);
    }
    for (ref.step = 1; ref.step <= steps; ref.step++) {
        switch (pick(8)) {
        case 0:
            edit(pick(STREAMS), pick(PAGES));
            break;
        case 1:
        case 2:
            put();
            break;
        case 3:
            ring();
            break;
        default:
            look(pick(STREAMS), pick(PAGES));
            break;
        }
        run_ps(pick(3) ? pick(40) * PS_PER_NS : pick(2) * PS_PER_US);
        follow();
    }
    ring();
    for (unsigned i = 0; i < QUEUE; i++) {
        run_ps(10 * PS_PER_US);
        follow();
    }
    ck_assert_uint_eq(ref.cons, ref.prod);
}

START_TEST(random_streams_agree)
{
    unsigned steps = getenv("DMASIM_FULL") ? 250000 : 5000;

    run_random(0x9E3779B97F4A7C15ull * (uint64_t)(_i + 1), steps);
}
END_TEST

/* The same with little room: queue, TLBs and prefetch as small as they can be. */
START_TEST(random_streams_agree_when_small)
{
    unsigned steps = getenv("DMASIM_FULL") ? 250000 : 5000;

    bench.cmdq_bits = 2;
    bench.config.translator.tlb_entries = bench.config.translator.tlb_ways = 2;
    bench.config.translator.micro_entries = bench.config.prefetch = 1;
    bench.config.config_entries = 1;
    run_random(0xD1B54A32D192ED03ull, steps);
}
END_TEST

START_TEST(random_streams_agree_with_other_seed)
{
    unsigned steps = getenv("DMASIM_FULL") ? 500000 : 5000;

    run_random(0x8CB92BA72F3D8DD7ull, steps);
}
END_TEST

void test_smmu_reference(struct unit_registry *registry)
{
    unit_suite(registry, "SmmuReference", smmu_bench_reset, smmu_bench_stop);
    unit_timeout(registry, 300);
    unit_test(registry, random_streams_agree);
    unit_test(registry, random_streams_agree_when_small);
    unit_test(registry, random_streams_agree_with_other_seed);
}
