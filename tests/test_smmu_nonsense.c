/* A driver that programs nonsense: random registers, queues, structures and accesses end in faults and errors, never in
 * a crash or a hang, and what the registers say stays consistent. */
#include <stdlib.h>

#include "common/units.h"
#include "tests/support/a64_random.h"
#include "tests/support/smmu_bench.h"
#include "tests/unit.h"

static struct a64_random random_source;

static uint64_t pick(uint64_t below)
{
    return (a64_next(&random_source) >> 20) % below;
}

/* Plausible often enough to get far. */
static uint64_t nonsense(void)
{
    switch (pick(4)) {
    case 0:
        return a64_next(&random_source);
    case 1:
        return pick(MEMORY_BYTES) & ~0x3Full;
    case 2:
        return 1ull << pick(64);
    default:
        return pick(64);
    }
}

static uint32_t some_offset(void)
{
    static const uint32_t often[] = {R_CR0,         R_CR1,         R_CR2,       R_GBPA,      R_IRQ_CTRL,  R_GERRORN,
                                     R_STRTAB_BASE, R_STRTAB_CFG,  R_CMDQ_BASE, R_CMDQ_PROD, R_CMDQ_CONS, R_EVENTQ_BASE,
                                     R_EVENTQ_CONS, R_EVENTQ_PROD, 0x180000,    0x180008,    0x18000C,    0x184008};

    return pick(4) ? often[pick(sizeof(often) / sizeof(often[0]))] : (uint32_t)pick(0x1A0000);
}

static void some_access(void)
{
    uint8_t data[256];
    struct txn txn = {.kind = pick(2) ? TXN_READ : TXN_WRITE,
                      .addr = nonsense(),
                      .size = (uint32_t)(1 + pick(sizeof(data))),
                      .data = data,
                      .stream_id = (uint32_t)(pick(2) ? pick(80) : nonsense()),
                      .substream_id = (uint32_t)pick(1 << 20),
                      .substream_valid = pick(3) == 0,
                      .privileged = pick(2),
                      .instruction = pick(2)};

    device_access(&txn);
    ck_assert_uint_ge(txn.done_ps, bench.now_ps);
}

static void some_register(void)
{
    uint64_t value = nonsense();
    struct txn txn = {.kind = pick(4) ? TXN_WRITE : TXN_READ,
                      .addr = some_offset(),
                      .size = (uint32_t)(pick(8) ? 4u << pick(2) : 1 + pick(8)),
                      .data = (uint8_t *)&value,
                      .start_ps = bench.now_ps};

    smmu_access(bench.smmu, &txn);
    ck_assert_int_eq(txn.status, TXN_OK);
}

static void nonsense_steps(uint64_t seed, unsigned steps)
{
    random_source.state = seed;
    bench.config.ecmdq = true;
    bench.config.engines = 3;
    bring_up();
    for (unsigned step = 0; step < steps; step++) {
        uint64_t choice = pick(8);
        if (choice == 0)
            some_register();
        else if (choice == 1)
            some_access();
        else if (choice == 2) /* a command, often of a kind that exists */
            put_command((pick(2) ? pick(0x60) : nonsense()) | nonsense() << 32, nonsense());
        else if (choice == 3)
            ring();
        else
            set_word(pick(MEMORY_BYTES / 8) % (choice < 6 ? 0x20000 : MEMORY_BYTES / 8) * 8, nonsense());
        run_ps(pick(200) * PS_PER_NS);
        ck_assert_uint_eq(rd32(R_CR0ACK) & ~(uint32_t)(SMMUEN | EVENTQEN | CMDQEN), 0);
        if (step % 64 == 0 && ((rd32(R_GERROR) ^ rd32(R_GERRORN)) & 1)) /* go on after an error, as a driver */
            wr32(R_GERRORN, rd32(R_GERROR));
    }
}

START_TEST(nonsense_is_survived)
{
    nonsense_steps(0x9E3779B97F4A7C15ull, getenv("DMASIM_FULL") ? 3000000 : 100000);
}
END_TEST

START_TEST(other_nonsense_is_survived)
{
    bench.config.cohacc = true;
    bench.config.two_level = true;
    bench.config.translator.tlb_entries = bench.config.translator.tlb_ways = 1;
    bench.config.translator.micro_entries = bench.config.translator.walk_cache_entries = 1;
    nonsense_steps(0xC2B2AE3D27D4EB4Full, getenv("DMASIM_FULL") ? 3000000 : 100000);
}
END_TEST

void test_smmu_nonsense(struct unit_registry *registry)
{
    unit_suite(registry, "SmmuNonsense", smmu_bench_reset, smmu_bench_stop);
    unit_timeout(registry, 300);
    unit_test(registry, nonsense_is_survived);
    unit_test(registry, other_nonsense_is_survived);
}
