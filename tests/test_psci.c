/* The firmware's edges that the programs of tests/virt do not reach: conduits by level, 32-bit arguments, time of a
 * core that was off. */
#include <string.h>

#include "cpu/core_internal.h"
#include "cpu/psci.h"
#include "tests/support/flat_bus.h"
#include "tests/unit.h"

#define BASE 0x40000000ull

enum {
    HVC = 0xD4000002,
    SMC = 0xD4000003,
    NOP = 0xD503201F,
    PSCI_VERSION = 0x84000000,
    CPU_OFF = 0x84000002,
    CPU_ON_W = 0x84000003,
    SYSTEM_OFF = 0x84000008,
};

static const uint64_t mpidr[] = {0, 1, 0x100000000};
static struct flat_bus *bus;
static struct cpu *cpu;
static struct psci psci;
static struct {
    unsigned count, core, off;
    uint64_t entry, context;
} started;

static void start_core(void *ctx, unsigned core, uint64_t entry, uint64_t context, uint64_t t_ps)
{
    started.count++;
    started.core = core;
    started.entry = entry;
    started.context = context;
}

static void system_off(void *ctx)
{
    started.off++;
}

static void begin(unsigned el)
{
    struct error_list errors = {0};
    struct cpu_config config = flat_cpu_config();
    struct cpu_firmware firmware;
    struct core_bus port;

    memset(&started, 0, sizeof(started));
    bus = flat_bus_create(BASE, 0x400000);
    port = flat_bus_port(bus);
    cpu = cpu_create(&config, &port, NULL, &errors);
    ck_assert_uint_eq(errors.count, 0);
    bus->client = cpu_bus_client(cpu);
    psci = (struct psci){
        .host = {.cores = 3, .mpidr = mpidr, .el = el, .start_core = start_core, .system_off = system_off}};
    firmware = psci_port(&psci);
    cpu_attach_firmware(cpu, &firmware);
    cpu_reset(cpu, BASE, 0, el);
}

static void setup(void)
{
    begin(1);
}

static void teardown(void)
{
    cpu_destroy(cpu);
    flat_bus_destroy(bus);
}

/* X0 after the call; the core goes on behind it. */
static uint64_t call(uint32_t word, uint64_t x0, uint64_t x1, uint64_t x2, uint64_t x3)
{
    memcpy(flat_bus_memory(bus, BASE), &word, 4);
    bus->client.icache_invalidate(bus->client.ctx, 0, true);
    cpu_set_pc(cpu, BASE);
    cpu_set_x(cpu, 0, x0);
    cpu_set_x(cpu, 1, x1);
    cpu_set_x(cpu, 2, x2);
    cpu_set_x(cpu, 3, x3);
    cpu_step(cpu);
    return cpu_x(cpu, 0);
}

START_TEST(each_level_has_its_conduit)
{
    ck_assert_uint_eq(call(HVC, PSCI_VERSION, 0, 0, 0), 0x10001);
    ck_assert_uint_eq(cpu_pc(cpu), BASE + 4);
    ck_assert_uint_eq(call(SMC, PSCI_VERSION, 0, 0, 0), PSCI_VERSION); /* Undefined */
    ck_assert_uint_eq(cpu->sys.esr[1] >> 26, 0);
    cpu_set_pstate(cpu, 0x3C0);
    ck_assert_uint_eq(call(HVC, PSCI_VERSION, 0, 0, 0), PSCI_VERSION); /* not from EL0 */
    teardown();
    begin(2);
    ck_assert_uint_eq(call(SMC, PSCI_VERSION, 0, 0, 0), 0x10001);
    call(HVC, PSCI_VERSION, 0, 0, 0); /* the program's own EL2 */
    ck_assert_uint_eq(cpu->sys.esr[2] >> 26, EC_HVC64);
    cpu_set_pstate(cpu, 0x3C5);
    ck_assert_uint_eq(call(SMC, PSCI_VERSION, 0, 0, 0), 0x10001); /* from EL1 below it too */
}
END_TEST

START_TEST(arguments_of_32_bit_calls_are_32_bits)
{
    ck_assert_uint_eq(call(HVC, CPU_ON_W, 0xFFFFFFFF00000001, 0xFFFFFFFF40000000, ~0ull), 0);
    ck_assert_uint_eq(started.core, 1);
    ck_assert_uint_eq(started.entry, 0x40000000);
    ck_assert_uint_eq(started.context, 0xFFFFFFFF);
    ck_assert_uint_eq(call(HVC, CPU_ON_W | 0x40000000, 0x100000000, 0x40000002, 0), -2ull); /* entry not aligned */
    ck_assert_uint_eq(call(HVC, CPU_ON_W | 0x40000000, 0x100000000, 0x40000000, ~0ull), 0); /* Aff3 counts */
    ck_assert_uint_eq(started.core, 2);
    ck_assert_uint_eq(started.context, ~0ull);
    ck_assert_uint_eq(call(HVC, SYSTEM_OFF, 0, 0, 0), 0);
    ck_assert_uint_eq(started.off, 1);
}
END_TEST

/* Counters stay, what was between is idle, and the parts of the stack still make up the time. */
START_TEST(time_off_is_idle)
{
    uint64_t parts[STACK_PARTS], sum = 0, instructions;

    cpu->sys.cntv_ctl = 1;
    call(NOP, 0, 0, 0, 0);
    call(HVC, CPU_OFF, 0, 0, 0);
    ck_assert(!psci.on[0]);
    ck_assert_uint_eq(cpu->sys.cntv_ctl, 0);
    instructions = cpu_counters(cpu)->instructions;
    cpu_restart(cpu, BASE, 7, 1, cpu_now_ps(cpu) + 1000000);
    call(NOP, 0, 0, 0, 0);
    ck_assert_uint_eq(cpu_counters(cpu)->instructions, instructions + 1);
    cpu_stack(cpu, parts);
    ck_assert_uint_ge(parts[STACK_IDLE], 999999);
    ck_assert_uint_le(parts[STACK_IDLE], 1000001);
    for (unsigned part = 0; part < STACK_PARTS; part++)
        sum += parts[part];
    ck_assert_uint_le(cpu_now_ps(cpu) - sum, STACK_PARTS); /* each part is rounded down */
}
END_TEST

void test_psci(struct unit_registry *registry)
{
    unit_suite(registry, "Psci", setup, teardown);
    unit_test(registry, each_level_has_its_conduit);
    unit_test(registry, arguments_of_32_bit_calls_are_32_bits);
    unit_test(registry, time_off_is_idle);
}
