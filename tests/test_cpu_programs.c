/*
 * Random programs on three machines: this core with timing, this core functional only, and Unicorn. After each program
 * registers, flags, memory and PC must agree; a difference is narrowed down to the shortest beginning of the program
 * that shows it. Then random words of the whole encoding space: they must be Undefined here exactly where they are
 * there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/insn.h"
#include "tests/support/a64_random.h"
#include "tests/support/flat_bus.h"
#include "tests/support/unicorn_core.h"
#include "tests/unit.h"

#define CODE         0x40000000ull
#define VECTORS      (CODE + 0x10000)
#define DATA         0x40210000ull
#define BYTES        0x400000ull
#define HLT_SEMIHOST 0xD45E0000u
enum { LENGTH = 48 };

struct core {
    struct flat_bus *bus;
    struct cpu *cpu;
    bool stopped;
};

struct state {
    uint64_t x[32], pc, nzcv;
    uint8_t data[A64_WINDOW_BYTES];
};

struct machines {
    struct core timed, functional;
    uc_engine *unicorn;
    uint32_t exception; /* Unicorn's number of the last one; 0: none */
    struct a64_random random;
};

/* The program's last word: stop, X0 unchanged. */
static uint64_t stop_at_end(void *ctx, struct cpu *cpu, uint32_t operation, uint64_t parameter)
{
    struct core *core = ctx;

    core->stopped = true;
    cpu_request_stop(cpu);
    return cpu_x(cpu, 0);
}

static void core_create(struct core *core, bool functional_only)
{
    struct error_list errors = {0};
    struct cpu_config config = flat_cpu_config();
    struct cpu_semihost semihost = {core, stop_at_end};
    const uint32_t stop = HLT_SEMIHOST;
    struct core_bus port;

    config.functional_only = functional_only;
    core->bus = flat_bus_create(CODE, BYTES);
    port = flat_bus_port(core->bus);
    core->cpu = cpu_create(&config, &port, &semihost, &errors);
    ck_assert_uint_eq(errors.count, 0);
    core->bus->client = cpu_bus_client(core->cpu);
    flat_cpu_normal_memory(core->bus, core->cpu);
    /* VBAR_EL1 = VECTORS, by the one way there is from outside */
    const uint32_t program[] = {0xD518C000 /* msr vbar_el1, x0 */, HLT_SEMIHOST};
    memcpy(flat_bus_memory(core->bus, CODE), program, sizeof(program));
    core->bus->client.icache_invalidate(core->bus->client.ctx, 0, true);
    cpu_set_pc(core->cpu, CODE);
    cpu_set_x(core->cpu, 0, VECTORS);
    cpu_run(core->cpu);
    for (unsigned offset = 0; offset < 0x800; offset += 0x80)
        memcpy(flat_bus_memory(core->bus, VECTORS + offset), &stop, 4);
}

static void core_destroy(struct core *core)
{
    cpu_destroy(core->cpu);
    flat_bus_destroy(core->bus);
}

static void interrupt(uc_engine *unicorn, uint32_t number, void *data)
{
    struct machines *m = data;

    m->exception = number;
    uc_emu_stop(unicorn);
}

static void machines_create(struct machines *m, uint64_t seed)
{
    *m = (struct machines){.random.state = seed * 0x9E3779B97F4A7C15ull + 1};
    core_create(&m->timed, false);
    core_create(&m->functional, true);
    m->unicorn = unicorn_create(CODE, BYTES, interrupt, m);
}

static void machines_destroy(struct machines *m)
{
    uc_close(m->unicorn);
    core_destroy(&m->timed);
    core_destroy(&m->functional);
}

static uint64_t window(void)
{
    return DATA - A64_WINDOW_BYTES / 2;
}

/* Runs words from state at pc; end receives what became of it. Undefined shows as a PC at the instruction. */
static void run_core(struct core *core, const struct state *begin, const uint32_t *words, unsigned count,
                     struct state *end)
{
    const uint32_t stop = HLT_SEMIHOST;
    uint64_t exceptions = cpu_counters(core->cpu)->exceptions, esr, elr, far;

    memcpy(flat_bus_memory(core->bus, begin->pc), words, 4 * count);
    memcpy(flat_bus_memory(core->bus, begin->pc + 4 * count), &stop, 4);
    memcpy(flat_bus_memory(core->bus, window()), begin->data, sizeof(begin->data));
    core->bus->client.icache_invalidate(core->bus->client.ctx, 0, true);
    cpu_set_pstate(core->cpu, (uint32_t)begin->nzcv | 0x3C5);
    for (unsigned n = 0; n < 32; n++)
        cpu_set_x(core->cpu, n, begin->x[n]);
    cpu_set_pc(core->cpu, begin->pc);
    core->stopped = false;
    cpu_run(core->cpu);
    ck_assert(core->stopped);
    for (unsigned n = 0; n < 32; n++)
        end->x[n] = cpu_x(core->cpu, n);
    end->nzcv = cpu_pstate(core->cpu) & 0xF0000000;
    end->pc = cpu_pc(core->cpu) - 4;
    if (cpu_counters(core->cpu)->exceptions != exceptions && cpu_last_exception(core->cpu, &esr, &elr, &far))
        end->pc = elr;
    memcpy(end->data, flat_bus_memory(core->bus, window()), sizeof(end->data));
}

static void run_unicorn(struct machines *m, const struct state *begin, const uint32_t *words, unsigned count,
                        struct state *end)
{
    const uint32_t stop = HLT_SEMIHOST;
    uint64_t last = begin->pc + 4 * count;

    uc_mem_write(m->unicorn, begin->pc, words, 4 * count);
    uc_mem_write(m->unicorn, last, &stop, 4);
    uc_mem_write(m->unicorn, window(), begin->data, sizeof(begin->data));
    uc_ctl_remove_cache(m->unicorn, CODE, CODE + 0x1000);
    for (unsigned n = 0; n < 32; n++)
        uc_reg_write(m->unicorn, unicorn_register(n), &begin->x[n]);
    uc_reg_write(m->unicorn, UC_ARM64_REG_NZCV, &begin->nzcv);
    m->exception = 0;
    uc_emu_start(m->unicorn, begin->pc, last, 0, 0);
    for (unsigned n = 0; n < 32; n++)
        uc_reg_read(m->unicorn, unicorn_register(n), &end->x[n]);
    uc_reg_read(m->unicorn, UC_ARM64_REG_PC, &end->pc);
    uc_reg_read(m->unicorn, UC_ARM64_REG_NZCV, &end->nzcv);
    end->nzcv &= 0xF0000000;
    uc_mem_read(m->unicorn, window(), end->data, sizeof(end->data));
}

/* Prints what differs, if anything; text may be NULL. */
static bool equal(const struct state *ours, const struct state *theirs, char *text, size_t bytes)
{
    for (unsigned n = 0; n < 32; n++)
        if (ours->x[n] != theirs->x[n]) {
            if (text)
                snprintf(text, bytes, "X%u is %016llx, should be %016llx", n, (unsigned long long)ours->x[n],
                         (unsigned long long)theirs->x[n]);
            return false;
        }
    for (unsigned i = 0; i < sizeof(ours->data); i++)
        if (ours->data[i] != theirs->data[i]) {
            if (text)
                snprintf(text, bytes, "byte at window %+d is %02x, should be %02x",
                         (int)i - (int)sizeof(ours->data) / 2, ours->data[i], theirs->data[i]);
            return false;
        }
    if (ours->pc == theirs->pc && ours->nzcv == theirs->nzcv)
        return true;
    if (text)
        snprintf(text, bytes, "PC %llx NZCV %llx, should be %llx %llx", (unsigned long long)ours->pc,
                 (unsigned long long)ours->nzcv, (unsigned long long)theirs->pc, (unsigned long long)theirs->nzcv);
    return false;
}

/* One beginning of the program, the rest NOPs, on one of our machines and on Unicorn. */
static bool agrees(struct machines *m, struct core *core, const struct state *begin, unsigned count, char *text,
                   size_t bytes)
{
    static struct state ours, theirs;
    uint32_t words[A64_PROGRAM_MOST];

    for (unsigned i = 0; i < m->random.count; i++)
        words[i] = i < count ? m->random.words[i] : 0xD503201F;
    run_core(core, begin, words, m->random.count, &ours);
    run_unicorn(m, begin, words, m->random.count, &theirs);
    return equal(&ours, &theirs, text, bytes);
}

static void complain(struct machines *m, struct core *core, const struct state *begin)
{
    unsigned count = 1;
    char text[128] = "";
    struct insn insn;

    while (count < m->random.count && agrees(m, core, begin, count, NULL, 0))
        count++;
    agrees(m, core, begin, count, text, sizeof(text));
    insn_decode(m->random.words[count - 1], &(struct insn_features){.lse = true}, &insn);
    ck_abort_msg("%s core, program at %llx, word %u = %08x (%s): %s", core == &m->timed ? "timed" : "functional",
                 (unsigned long long)begin->pc, count - 1, m->random.words[count - 1], insn_name(insn.op), text);
}

static void random_begin(struct machines *m, struct state *begin)
{
    for (unsigned n = 0; n < 32; n++)
        begin->x[n] = a64_value(&m->random);
    begin->x[A64_WINDOW] = DATA;
    begin->x[31] = DATA + (begin->x[31] & 0x3F0);
    begin->nzcv = a64_next(&m->random) & 0xF0000000;
    begin->pc = CODE + 0x100 + (a64_next(&m->random) & 0x7C);
}

static void run_programs(uint64_t seed, unsigned instructions)
{
    static struct state begin, theirs, ours;
    struct machines m;
    uint64_t before;

    machines_create(&m, seed);
    for (unsigned i = 0; i < sizeof(begin.data); i++)
        begin.data[i] = (uint8_t)(a64_next(&m.random) >> 56);
    before = cpu_counters(m.timed.cpu)->instructions;
    while (cpu_counters(m.timed.cpu)->instructions - before < instructions) {
        struct core *const cores[] = {&m.timed, &m.functional};
        random_begin(&m, &begin);
        a64_program(&m.random, LENGTH);
        /* what lies before and behind is read by literal loads: alike on all */
        run_unicorn(&m, &begin, m.random.words, m.random.count, &theirs);
        for (unsigned i = 0; i < 2; i++) {
            run_core(cores[i], &begin, m.random.words, m.random.count, &ours);
            if (!equal(&ours, &theirs, NULL, 0))
                complain(&m, cores[i], &begin);
        }
        ck_assert_uint_eq(m.exception, 0);
        ck_assert_uint_eq(theirs.pc, begin.pc + 4 * m.random.count);
        memcpy(begin.data, theirs.data, sizeof(begin.data));
    }
    machines_destroy(&m);
}

static unsigned instructions_each(void)
{
    return getenv("DMASIM_FULL") ? 500000 : 50000;
}

START_TEST(programs_agree_seed_1)
{
    run_programs(1, instructions_each());
}
END_TEST

START_TEST(programs_agree_seed_2)
{
    run_programs(2, instructions_each());
}
END_TEST

START_TEST(programs_agree_seed_3)
{
    run_programs(3, instructions_each());
}
END_TEST

/* A word at a program's place with all registers in the window; true: Undefined. The NOP before it ends any chain of
 * exceptions, of which cpu_last_exception() tells the first. */
static bool undefined_here(struct core *core, const struct state *begin, uint32_t word)
{
    const uint32_t words[] = {0xD503201F /* nop */, word};
    uint64_t exceptions = cpu_counters(core->cpu)->exceptions, esr, elr, far;

    memcpy(flat_bus_memory(core->bus, begin->pc - 4), words, sizeof(words));
    core->bus->client.icache_invalidate(core->bus->client.ctx, 0, true);
    cpu_set_pstate(core->cpu, (uint32_t)begin->nzcv | 0x3C5);
    for (unsigned n = 0; n < 32; n++)
        cpu_set_x(core->cpu, n, begin->x[n]);
    cpu_set_pc(core->cpu, begin->pc - 4);
    cpu_step(core->cpu);
    cpu_step(core->cpu);
    return cpu_counters(core->cpu)->exceptions != exceptions && cpu_last_exception(core->cpu, &esr, &elr, &far) &&
           esr >> 26 == 0;
}

static bool undefined_there(struct machines *m, const struct state *begin, uint32_t word)
{
    enum { EXCP_UDEF = 1 };

    uc_mem_write(m->unicorn, begin->pc, &word, 4);
    uc_ctl_remove_cache(m->unicorn, begin->pc, begin->pc + 4);
    for (unsigned n = 0; n < 32; n++)
        uc_reg_write(m->unicorn, unicorn_register(n), &begin->x[n]);
    m->exception = 0;
    return uc_emu_start(m->unicorn, begin->pc, begin->pc + 4, 0, 1) == UC_ERR_EXCEPTION || m->exception == EXCP_UDEF;
}

START_TEST(undefined_exactly_where_unicorn_says)
{
    static struct state begin;
    unsigned words = getenv("DMASIM_FULL") ? 1000000 : 100000, undefined = 0, tried = 0;
    struct machines m;
    const char *reason;

    machines_create(&m, 99);
    for (unsigned i = 0; i < words; i++) {
        uint32_t word = (uint32_t)(a64_next(&m.random) >> 32);
        if (i % 2) { /* an existing instruction with one to three bits turned */
            a64_program(&m.random, 8);
            word = m.random.words[1];
            for (unsigned turns = 1 + i / 2 % 3; turns; turns--)
                word ^= 1u << (a64_next(&m.random) >> 59);
        }
        if (a64_features_differ(word, &reason))
            continue;
        random_begin(&m, &begin);
        for (unsigned n = 0; n < 32; n++)
            begin.x[n] = DATA + n * 16;
        bool here = undefined_here(&m.timed, &begin, word), there = undefined_there(&m, &begin, word);
        if (here != there) {
            struct insn insn;
            insn_decode(word, &(struct insn_features){.lse = true}, &insn);
            ck_abort_msg("%08x (%s) is %sdefined here and %sdefined in Unicorn", word, insn_name(insn.op),
                         here ? "un" : "", there ? "un" : "");
        }
        undefined += here;
        tried++;
    }
    ck_assert_uint_gt(undefined, tried / 20);
    ck_assert_uint_gt(tried, words / 3);
    machines_destroy(&m);
}
END_TEST

void test_cpu_programs(struct unit_registry *registry)
{
    unit_suite(registry, "CpuPrograms", NULL, NULL);
    unit_timeout(registry, 280);
    unit_test(registry, programs_agree_seed_1);
    unit_test(registry, programs_agree_seed_2);
    unit_test(registry, programs_agree_seed_3);
    unit_test(registry, undefined_exactly_where_unicorn_says);
}
