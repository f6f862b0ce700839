#include "tests/support/system_bench.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct core_bus flat_port; /* what is not watched here */

static struct line_grant line(void *ctx, uint64_t pa, enum line_want want, uint64_t start_ps)
{
    struct system_bench *bench = ctx;
    struct line_grant grant = flat_port.line(ctx, pa, want, start_ps);

    if (want == LINE_WALK) {
        bench->walks++;
        if (bench->during_walk)
            bench->during_walk(bench);
    } else if (bench->during_line) {
        bench->during_line(bench);
    }
    return grant;
}

static struct line_grant fetch(void *ctx, uint64_t pa, uint64_t start_ps)
{
    struct system_bench *bench = ctx;

    if (bench->during_fetch && pa == bench->fetch_pa)
        bench->during_fetch(bench);
    return flat_port.fetch(ctx, pa, start_ps);
}

static void access_memory(void *ctx, struct txn *txn)
{
    struct system_bench *bench = ctx;

    bench->uncached_reads += txn->kind == TXN_READ;
    flat_port.access(ctx, txn);
}

static uint64_t broadcast(void *ctx, enum broadcast_kind kind, const struct tlbi_request *tlbi, uint64_t t_ps)
{
    struct system_bench *bench = ctx;

    if (kind == BROADCAST_TLBI)
        bench->last_broadcast = *tlbi;
    return flat_port.broadcast(ctx, kind, tlbi, t_ps);
}

static void set_ppi(void *ctx, unsigned intid, bool level, uint64_t at_ps)
{
    struct system_bench *bench = ctx;
    unsigned n = bench->ppi_count;

    while (n > 0 && bench->ppi[n - 1].intid != intid)
        n--;
    if ((n ? bench->ppi[n - 1].level : false) == level)
        return;
    ck_assert_uint_lt(bench->ppi_count, 64);
    bench->ppi[bench->ppi_count++] = (struct ppi_event){intid, level, at_ps};
}

struct system_bench *bench_create(unsigned el, uint64_t cntfrq_hz)
{
    struct system_bench *bench = calloc(1, sizeof(*bench));
    struct flat_bus *flat = flat_bus_create(BENCH_RAM, BENCH_RAM_BYTES);
    struct cpu_config config = flat_cpu_config();
    struct error_list errors = {0};
    struct core_bus port;

    bench->flat = *flat;
    free(flat);
    flat_port = port = flat_bus_port(&bench->flat);
    port.line = line;
    port.fetch = fetch;
    port.access = access_memory;
    port.broadcast = broadcast;
    port.set_ppi = set_ppi;
    if (cntfrq_hz)
        config.cntfrq_hz = cntfrq_hz;
    bench->cpu = cpu_create(&config, &port, NULL, &errors);
    ck_assert_ptr_nonnull(bench->cpu);
    bench->flat.client = cpu_bus_client(bench->cpu);
    bench->next_table = BENCH_TABLES;
    for (uint64_t pa = BENCH_VECTORS; pa < BENCH_VECTORS2 + 0x800; pa += 4)
        *(uint32_t *)flat_bus_memory(&bench->flat, pa) = A64_LOOP;
    cpu_reset(bench->cpu, BENCH_CODE, 0, el);
    bench->cpu->sys.vbar[1] = BENCH_VECTORS;
    bench->cpu->sys.vbar[2] = BENCH_VECTORS2;
    return bench;
}

void bench_destroy(struct system_bench *bench)
{
    cpu_destroy(bench->cpu);
    free(bench->flat.memory);
    free(bench);
}

static uint64_t new_table(struct system_bench *bench, unsigned granule_shift)
{
    uint64_t bytes = 1ull << granule_shift, table = (bench->next_table + bytes - 1) & ~(bytes - 1);

    ck_assert_uint_lt(table + bytes, BENCH_DATA);
    bench->next_table = table + bytes;
    memset(flat_bus_memory(&bench->flat, table), 0, bytes);
    return table;
}

static uint64_t translation_control(unsigned granule_shift, unsigned input_bits)
{
    uint64_t tsz = 64 - input_bits;
    uint64_t tg0 = granule_shift == 12 ? 0 : granule_shift == 14 ? 2 : 1;
    uint64_t tg1 = granule_shift == 12 ? 2 : granule_shift == 14 ? 1 : 3;

    return tsz | 1 << 8 | 1 << 10 | tg0 << 14 | tsz << 16 | 1 << 24 | 1 << 26 | tg1 << 30 | 5ull << 32 | BENCH_TCR_AS;
}

#define BENCH_MAIR 0x000C08BB000444FFull

void bench_mmu_on(struct system_bench *bench, unsigned granule_shift, unsigned input_bits)
{
    struct sysregs *sys = &bench->cpu->sys;

    bench->lower = (struct bench_tables){granule_shift, input_bits, new_table(bench, granule_shift)};
    bench->upper = (struct bench_tables){granule_shift, input_bits, new_table(bench, granule_shift)};
    sys->tcr[1] = translation_control(granule_shift, input_bits);
    sys->mair[1] = BENCH_MAIR;
    sys->ttbr0[1] = bench->lower.root;
    sys->ttbr1[1] = bench->upper.root;
    sys->sctlr[1] |= 1 << 0 | 1 << 2 | 1 << 12;
    l0_flush(bench->cpu);
    fetch_flush(bench->cpu);
}

void bench_mmu_on_el2(struct system_bench *bench, unsigned granule_shift, unsigned input_bits)
{
    struct sysregs *sys = &bench->cpu->sys;
    uint64_t tcr = translation_control(granule_shift, input_bits);

    bench->lower = (struct bench_tables){granule_shift, input_bits, new_table(bench, granule_shift)};
    sys->tcr[2] = (tcr & 0xFFFF) | 5 << 16;
    sys->mair[2] = BENCH_MAIR;
    sys->ttbr0[2] = bench->lower.root;
    sys->sctlr[2] |= 1 << 0 | 1 << 2 | 1 << 12;
}

unsigned bench_level_shift(const struct bench_tables *tables, unsigned level)
{
    return tables->granule_shift + (3 - level) * (tables->granule_shift - 3);
}

/* DDI 0487 D8.2, tables of initial lookup levels, by TxSZ. */
unsigned bench_start_level(const struct bench_tables *tables)
{
    unsigned tsz = 64 - tables->input_bits;

    if (tables->granule_shift == 12)
        return tsz <= 24 ? 0 : tsz <= 33 ? 1 : 2;
    if (tables->granule_shift == 14)
        return tsz <= 16 ? 0 : tsz <= 27 ? 1 : tsz <= 38 ? 2 : 3;
    return tsz <= 21 ? 1 : tsz <= 34 ? 2 : 3;
}

uint64_t *bench_slot(struct system_bench *bench, const struct bench_tables *tables, uint64_t va, unsigned level)
{
    uint64_t table = tables->root, address = va & ((1ull << tables->input_bits) - 1);

    for (unsigned at = bench_start_level(tables);; at++) {
        uint64_t index = address >> bench_level_shift(tables, at);
        uint64_t *slot = (uint64_t *)flat_bus_memory(&bench->flat, table) + index;
        if (at == level)
            return slot;
        if (!(*slot & 1))
            *slot = new_table(bench, tables->granule_shift) | DESC_TABLE;
        table = *slot & 0x0000FFFFFFFFF000ull;
        address &= (1ull << bench_level_shift(tables, at)) - 1;
    }
}

void bench_map(struct system_bench *bench, const struct bench_tables *tables, uint64_t va, unsigned level, uint64_t pa,
               uint64_t bits)
{
    *bench_slot(bench, tables, va, level) = pa | bits | DESC_AF | (level == 3 ? DESC_PAGE : DESC_BLOCK);
}

void bench_run(struct system_bench *bench, const uint32_t *words, size_t count, uint64_t instructions)
{
    memcpy(flat_bus_memory(&bench->flat, BENCH_CODE), words, count * sizeof(*words));
    icache_invalidate(bench->cpu, 0, true);
    bench->cpu->pc = BENCH_CODE;
    bench->cpu->instruction_stop = cpu_counters(bench->cpu)->instructions + instructions;
    cpu_run(bench->cpu);
}
