#include "tests/support/flat_bus.h"

#include <stdlib.h>
#include <string.h>

#include "common/units.h"

struct flat_bus *flat_bus_create(uint64_t base, uint64_t bytes)
{
    struct flat_bus *bus = calloc(1, sizeof(*bus));

    *bus = (struct flat_bus){.base = base,
                             .bytes = bytes,
                             .memory = calloc(1, bytes),
                             .line_ps = 2000,
                             .access_ps = 10000,
                             .cmo_slots = 4,
                             .cmo_ps = 100000,
                             .cmo_issue_ps = 2000,
                             .keep = true};
    return bus;
}

void flat_bus_destroy(struct flat_bus *bus)
{
    free(bus->memory);
    free(bus);
}

uint8_t *flat_bus_memory(struct flat_bus *bus, uint64_t pa)
{
    return pa >= bus->base && pa - bus->base < bus->bytes ? bus->memory + (pa - bus->base) : NULL;
}

static uint64_t sync(void *ctx, uint64_t t_ps)
{
    struct flat_bus *bus = ctx;

    if (t_ps > bus->synced_ps)
        bus->synced_ps = t_ps;
    return t_ps + PS_PER_MS;
}

/* Every line has a way of its own, so nothing is ever lost. */
static struct line_grant line(void *ctx, uint64_t pa, enum line_want want, uint64_t start_ps)
{
    struct flat_bus *bus = ctx;
    uint8_t *data = flat_bus_memory(bus, pa & LINE_MASK);

    if (!data)
        return (struct line_grant){.status = TXN_DECERR, .done_ps = start_ps};
    return (struct line_grant){.data = data,
                               .done_ps = start_ps + bus->line_ps,
                               .level = bus->line_ps > 2000 ? LEVEL_L2 : LEVEL_L1,
                               .keep = bus->keep && want != LINE_WALK,
                               .writable = want == LINE_UNIQUE,
                               .way = (uint32_t)((pa - bus->base) >> LINE_SHIFT),
                               .used = &bus->used};
}

static struct line_grant fetch(void *ctx, uint64_t pa, uint64_t start_ps)
{
    struct line_grant grant = line(ctx, pa, LINE_WALK, start_ps);

    grant.done_ps = start_ps; /* instructions cost nothing here */
    return grant;
}

static void access_memory(void *ctx, struct txn *txn)
{
    struct flat_bus *bus = ctx;
    uint8_t *place = flat_bus_memory(bus, txn->addr);

    txn->done_ps = txn->start_ps + bus->access_ps;
    txn->status = place ? TXN_OK : TXN_DECERR;
    if (!place)
        return;
    if (txn->kind == TXN_READ)
        memcpy(txn->data, place, txn->size);
    else
        memcpy(place, txn->data, txn->size);
}

static struct cmo_times cmo(void *ctx, enum cmo_op op, uint64_t addr, uint64_t issue_ps)
{
    struct flat_bus *bus = ctx;
    uint64_t *slot = &bus->slot_done_ps[bus->next_slot];
    struct cmo_times times = {.start_ps = *slot > issue_ps ? *slot : issue_ps, .level = LEVEL_DRAM};

    times.done_ps = times.start_ps + bus->cmo_ps;
    times.next_issue_ps = times.start_ps + bus->cmo_issue_ps;
    *slot = times.done_ps;
    bus->next_slot = (bus->next_slot + 1) % bus->cmo_slots;
    if (times.done_ps > bus->cmo_last_ps)
        bus->cmo_last_ps = times.done_ps;
    if (op >= CMO_IC_IVAU && bus->client.icache_invalidate)
        bus->client.icache_invalidate(bus->client.ctx, addr, op != CMO_IC_IVAU);
    return times;
}

static uint64_t cmo_drain(void *ctx, uint64_t t_ps)
{
    struct flat_bus *bus = ctx;

    return bus->cmo_last_ps > t_ps ? bus->cmo_last_ps : t_ps;
}

static void monitor_arm(void *ctx, uint64_t pa) {}

static void monitor_clear(void *ctx) {}

static uint64_t broadcast(void *ctx, enum broadcast_kind kind, const struct tlbi_request *tlbi, uint64_t t_ps)
{
    struct flat_bus *bus = ctx;

    bus->broadcasts++;
    return t_ps + 50000;
}

/* Nobody ever wakes the core from outside. */
static uint64_t sleep_until(void *ctx, uint64_t t_ps, uint64_t until_ps)
{
    struct flat_bus *bus = ctx;

    bus->sleep_until_ps = until_ps;
    return until_ps;
}

static bool debug(void *ctx, uint64_t pa, void *data, uint64_t bytes, bool write)
{
    struct flat_bus *bus = ctx;
    uint8_t *place = flat_bus_memory(bus, pa);

    if (!place || bytes > bus->bytes - (pa - bus->base))
        return false;
    memcpy(write ? (void *)place : data, write ? data : (void *)place, bytes);
    return true;
}

static void set_ppi(void *ctx, unsigned intid, bool level, uint64_t at_ps) {}

struct core_bus flat_bus_port(struct flat_bus *bus)
{
    return (struct core_bus){.ctx = bus,
                             .sync = sync,
                             .line = line,
                             .fetch = fetch,
                             .access = access_memory,
                             .cmo = cmo,
                             .cmo_drain = cmo_drain,
                             .monitor_arm = monitor_arm,
                             .monitor_clear = monitor_clear,
                             .broadcast = broadcast,
                             .sleep = sleep_until,
                             .debug = debug,
                             .set_ppi = set_ppi};
}

struct cpu_config flat_cpu_config(void)
{
    return (struct cpu_config){.midr = 0x410fd0b1,
                               .freq_hz = 1000000000,
                               .cntfrq_hz = 1000000000,
                               .lse = true,
                               .width = 4,
                               .window = 64,
                               .store_buffer = 16,
                               .mshrs = 8,
                               .device_writes = 16,
                               .mispredict_cycles = 10,
                               .branch_predictor = 4096,
                               .indirect_predictor = 64,
                               .mul_cycles = 3,
                               .div_cycles = 12,
                               .simd_alu_cycles = 2,
                               .simd_mul_cycles = 4,
                               .simd_move_cycles = 3,
                               .fp_add_cycles = 2,
                               .fp_mul_cycles = 3,
                               .fp_fma_cycles = 4,
                               .fp_div_cycles = 15,
                               .fp_sqrt_cycles = 17,
                               .fp_convert_cycles = 3,
                               .dsb_restart_ps = 20000,
                               .isb_cycles = 8,
                               .exception_cycles = 20,
                               .wfe_wake_ps = 5000,
                               .l1_ps = 2000,
                               .l1i_bytes = 65536,
                               .l1i_ways = 4,
                               .tlb_entries = 64,
                               .semihosting = true};
}

void flat_cpu_normal_memory(struct flat_bus *bus, struct cpu *cpu)
{
    static const uint32_t program[] = {
        0xD518A200, /* msr mair_el1, x0 */
        0xD5182041, /* msr tcr_el1, x1 */
        0xD5182002, /* msr ttbr0_el1, x2 */
        0xD5181003, /* msr sctlr_el1, x3 */
        0xD5033FDF, /* isb */
        0xD45E0000, /* hlt #0xf000: without a host, Undefined: stops at the vector */
    };
    uint64_t base = bus->base, table = base + 0x30000, second = table + 0x1000, pointer = second | 3;
    uint64_t block = 1 | 1 << 10 | 3 << 8, blocks[] = {base | block, (base + 0x200000) | block | 1 << 6};

    memcpy(flat_bus_memory(bus, table + 8), &pointer, 8);
    memcpy(flat_bus_memory(bus, second), blocks, sizeof(blocks));
    memcpy(flat_bus_memory(bus, base), program, sizeof(program));
    cpu_reset(cpu, base, 0, 1);
    cpu_set_x(cpu, 0, 0xFF);
    cpu_set_x(cpu, 1, 25 | 1 << 8 | 1 << 10 | 3 << 12 | 1ull << 23 | 5ull << 32);
    cpu_set_x(cpu, 2, table);
    cpu_set_x(cpu, 3, 0x30D00800 | 1 | 4 | 1 << 12);
    cpu_run(cpu);
}
