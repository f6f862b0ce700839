/* The IOVA allocator: what it gives, to one core and to several at once; and the lock below it. */
#include "iova.h"
#include "percpu.h"
#include "selftest.h"

#define LIMIT 65535ull /* the last page of the small space that most tests use */

static struct iova_domain *new_domain(void)
{
    struct iova_domain *iovad = kzalloc(sizeof(*iovad));

    init_iova_domain(iovad, PAGE_SIZE, 1);
    return iovad;
}

/* Black nodes from here to any leaf, checking colours and order on the way. */
static unsigned black_height(const struct rb_node *node)
{
    unsigned left, right;

    if (!node)
        return 1;
    for (int side = RB_LEFT; side <= RB_RIGHT; side++) {
        const struct rb_node *child = node->child[side];

        CHECK(!child || rb_parent(child) == node);
        CHECK(!(rb_is_red(node) && rb_is_red(child)));
    }
    left = black_height(node->child[RB_LEFT]);
    right = black_height(node->child[RB_RIGHT]);
    CHECK(left == right);
    return left + !rb_is_red(node);
}

/* The number of ranges in the tree beside the anchor. */
static unsigned ranges(struct iova_domain *iovad)
{
    unsigned count = 0;

    black_height(iovad->rbroot.node);
    for (struct rb_node *node = &iovad->anchor.node, *before; (before = rb_prev(node)); node = before) {
        CHECK(rb_next(before) == node);
        CHECK(((struct iova *)before)->pfn_hi < ((struct iova *)node)->pfn_lo);
        count++;
    }
    return count;
}

static void what_is_freed_last_comes_first(void)
{
    struct iova_domain *iovad = new_domain();
    uint64_t a = alloc_iova_fast(iovad, 1, LIMIT, true), b = alloc_iova_fast(iovad, 1, LIMIT, true);

    CHECK(a == LIMIT && b == LIMIT - 1); /* top-down */
    free_iova_fast(iovad, a, 1);
    free_iova_fast(iovad, b, 1);
    CHECK(alloc_iova_fast(iovad, 1, LIMIT, true) == b);
    CHECK(alloc_iova_fast(iovad, 1, LIMIT, true) == a);
    free_iova_fast(iovad, b, 1);
    free_iova_fast(iovad, a, 1);
    CHECK(alloc_iova_fast(iovad, 1, LIMIT - 1, true) == b); /* the one on top lies above the limit */
}

static void small_sizes_stay_in_the_tree_and_large_ones_leave(void)
{
    struct iova_domain *iovad = new_domain();
    uint64_t small = alloc_iova_fast(iovad, 20, LIMIT, true), large = alloc_iova_fast(iovad, 33, LIMIT, true);

    CHECK(small % 32 == 0 && large % 64 == 0);
    CHECK(ranges(iovad) == 2);
    free_iova_fast(iovad, small, 20);
    free_iova_fast(iovad, large, 33);
    CHECK(ranges(iovad) == 1);
    CHECK(alloc_iova_fast(iovad, 33, LIMIT, true) == large);
    CHECK(alloc_iova_fast(iovad, 32, LIMIT, true) == small); /* the same class */
}

static void full_magazines_go_to_the_depot(void)
{
    enum { COUNT = 600 };
    static uint64_t pfns[COUNT];
    struct iova_domain *iovad = new_domain();

    for (unsigned i = 0; i < COUNT; i++)
        pfns[i] = alloc_iova_fast(iovad, 1, LIMIT, true);
    for (unsigned i = 0; i < COUNT; i++)
        free_iova_fast(iovad, pfns[i], 1);
    CHECK(iovad->rcaches[0].depot_size == 3); /* five magazines, less the two of this core */
    for (unsigned i = 0; i < COUNT; i++)
        CHECK(alloc_iova_fast(iovad, 1, LIMIT, true) != 0);
    CHECK(iovad->rcaches[0].depot_size == 0);
    CHECK(ranges(iovad) == COUNT); /* none was new */
}

static void a_full_space_is_found_out(void)
{
    const uint64_t limit = 1023;
    struct iova_domain *iovad = new_domain();
    uint64_t last = 0;
    unsigned count = 0;

    for (uint64_t pfn; (pfn = alloc_iova_fast(iovad, 64, limit, true)); count++)
        last = pfn;
    CHECK(count == 15 && last == 64); /* not the block of page 0 */
    CHECK(iovad->max32_alloc_size == 64);
    free_iova_fast(iovad, 512, 64);
    CHECK(alloc_iova_fast(iovad, 64, limit, true) == 512);
    CHECK(alloc_iova_fast(iovad, 32, limit, true) == 32);
    CHECK(alloc_iova_fast(iovad, 64, 2 * limit + 1, true) == 2048 - 64); /* a higher limit: below the cached node */
}

static void magazines_are_given_back_when_space_is_short(void)
{
    const uint64_t limit = 1023;
    struct iova_domain *iovad = new_domain();

    for (unsigned i = 1; i <= limit; i++)
        CHECK(alloc_iova_fast(iovad, 1, limit, true) != 0);
    CHECK(alloc_iova_fast(iovad, 1, limit, true) == 0);
    for (unsigned i = 1; i <= limit; i++)
        free_iova_fast(iovad, i, 1);
    CHECK(alloc_iova_fast(iovad, 512, limit, false) == 0);
    CHECK(alloc_iova_fast(iovad, 512, limit, true) == 512);
    CHECK(ranges(iovad) == 1);
}

static uint64_t random_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

struct range {
    uint64_t pfn, pages;
};
static atomic_t owner[LIMIT + 1]; /* of a page: core + 1, 0: free */

static void take(const struct range *range)
{
    CHECK(range->pfn >= 1 && range->pfn + range->pages - 1 <= LIMIT);
    CHECK((range->pfn & ((1ull << (64 - __builtin_clzl(range->pages | 1) - 1)) - 1)) == 0);
    for (uint64_t i = 0; i < range->pages; i++)
        CHECK(atomic_cmpxchg_relaxed(&owner[range->pfn + i], 0, smp_processor_id() + 1) == 0);
}

static void give_back(struct iova_domain *iovad, struct range *range)
{
    for (uint64_t i = 0; i < range->pages; i++)
        atomic_set(&owner[range->pfn + i], 0);
    free_iova_fast(iovad, range->pfn, range->pages);
    range->pages = 0;
}

/* Allocations and frees in a random order, of sizes on both sides of the largest class. */
static void random_use(struct iova_domain *iovad, unsigned rounds)
{
    enum { LIVE = 64 };
    struct range live[LIVE] = {0};
    uint64_t state = 88172645463325252ull + smp_processor_id();

    for (unsigned i = 0; i < rounds; i++) {
        uint64_t number = random_number(&state);
        struct range *range = &live[number % LIVE];

        if (range->pages) {
            give_back(iovad, range);
            continue;
        }
        range->pages = 1 + (number >> 8) % ((number >> 16) % 4 ? 32 : 150);
        range->pfn = alloc_iova_fast(iovad, range->pages, LIMIT, true);
        take(range);
    }
    for (unsigned i = 0; i < LIVE; i++)
        if (live[i].pages)
            give_back(iovad, &live[i]);
}

static void nothing_is_given_twice(void)
{
    struct iova_domain *iovad = new_domain();

    random_use(iovad, 10000);
    ranges(iovad);
    CHECK(alloc_iova_fast(iovad, 32768, LIMIT, true) == 32768); /* nothing was lost */
    CHECK(ranges(iovad) == 1);
}

/* --- several cores --- */

static struct {
    struct iova_domain *iovad;
    spinlock_t lock __attribute__((aligned(64)));
    uint64_t counted; /* under the lock */
    atomic_t finished __attribute__((aligned(64)));
} shared;

enum { COUNTS = 100, ROUNDS = 500 };

static void work(void *argument)
{
    for (unsigned i = 0; i < COUNTS; i++) {
        uint64_t flags;

        spin_lock_irqsave(&shared.lock, flags);
        shared.counted++;
        spin_unlock_irqrestore(&shared.lock, flags);
    }
    random_use(shared.iovad, ROUNDS);
    atomic_fetch_add_release(1, &shared.finished);
}

static void cores_share_an_allocator(void)
{
    shared.iovad = new_domain();
    for_each_online_cpu(cpu) if (cpu) cpu_start(cpu, work, NULL);
    work(NULL);
    atomic_cond_read_acquire(&shared.finished, VAL == num_online_cpus());
    CHECK(shared.counted == COUNTS * num_online_cpus());
    CHECK(alloc_iova_fast(shared.iovad, 32768, LIMIT, true) == 32768);
    CHECK(ranges(shared.iovad) == 1);
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"what_is_freed_last_comes_first", what_is_freed_last_comes_first},
    {"small_sizes_stay_in_the_tree_and_large_ones_leave", small_sizes_stay_in_the_tree_and_large_ones_leave},
    {"full_magazines_go_to_the_depot", full_magazines_go_to_the_depot},
    {"a_full_space_is_found_out", a_full_space_is_found_out},
    {"magazines_are_given_back_when_space_is_short", magazines_are_given_back_when_space_is_short},
    {"nothing_is_given_twice", nothing_is_given_twice},
    {"cores_share_an_allocator", cores_share_an_allocator},
};

int main(void)
{
    for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        tests[i].run();
        sim_emit(tests[i].name, "passed", "", 1, 1);
    }
    return 0;
}
