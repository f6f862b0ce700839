#include "cpu/icache.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/timing.h"

bool icache_create(struct cpu *cpu, struct error_list *errors)
{
    uint64_t lines = cpu->config.l1i_bytes / LINE_BYTES;
    uint32_t ways = cpu->config.l1i_ways;
    uint64_t sets = ways ? lines / ways : 0;
    struct icache *icache;

    if (sets == 0 || (sets & (sets - 1)) || sets * ways != lines || lines > 1u << 16) {
        error_add(errors, NULL, "cpu.l1i_bytes / (64 * cpu.l1i_ways) must be a power of two; it is %llu / (64 * %u)",
                  (unsigned long long)cpu->config.l1i_bytes, ways);
        return false;
    }
    cpu->icache = icache = calloc(1, sizeof(*icache));
    if (!icache)
        return false;
    icache->sets = (uint32_t)sets;
    icache->ways = ways;
    icache->lines = calloc(lines, sizeof(*icache->lines));
    icache->hand = calloc(sets, 1);
    if (!icache->lines || !icache->hand)
        return false;
    for (uint64_t i = 0; i < lines; i++)
        icache->lines[i].pa = UINT64_MAX;
    icache->filled = 1;
    fetch_flush(cpu);
    return true;
}

void icache_destroy(struct cpu *cpu)
{
    if (!cpu->icache)
        return;
    free(cpu->icache->lines);
    free(cpu->icache->hand);
    free(cpu->icache);
}

void fetch_flush(struct cpu *cpu)
{
    struct icache *icache = cpu->icache;

    if (icache->filled == 0)
        return;
    for (uint32_t i = 0; i < FETCH_ENTRIES; i++) {
        if (icache->table[i].line)
            icache->table[i].line->fetch_slot = 0;
        icache->table[i] = (struct fetch_entry){.tag = UINT64_MAX};
    }
    icache->filled = 0;
}

/* Nothing in the table leads to this line any more. */
static void unlink_line(struct icache *icache, struct decoded_line *line)
{
    if (line->fetch_slot)
        icache->table[line->fetch_slot - 1] = (struct fetch_entry){.tag = UINT64_MAX};
    line->fetch_slot = 0;
}

static void forget_line(struct icache *icache, struct decoded_line *line)
{
    unlink_line(icache, line);
    line->pa = UINT64_MAX;
}

void icache_invalidate(struct cpu *cpu, uint64_t pa, bool all)
{
    struct icache *icache = cpu->icache;
    uint32_t first = ((uint32_t)(pa >> LINE_SHIFT) & (icache->sets - 1)) * icache->ways;

    for (uint32_t i = 0; all && i < icache->sets * icache->ways; i++)
        forget_line(icache, &icache->lines[i]);
    for (uint32_t i = first; !all && i < first + icache->ways; i++)
        if (icache->lines[i].pa == (pa & LINE_MASK))
            forget_line(icache, &icache->lines[i]);
}

static struct decoded_line *find(struct icache *icache, uint64_t pa)
{
    uint32_t first = ((uint32_t)(pa >> LINE_SHIFT) & (icache->sets - 1)) * icache->ways;

    for (uint32_t i = first; i < first + icache->ways; i++)
        if (icache->lines[i].pa == pa)
            return &icache->lines[i];
    return NULL;
}

static struct decoded_line *victim(struct icache *icache, uint64_t pa)
{
    uint32_t set = (uint32_t)(pa >> LINE_SHIFT) & (icache->sets - 1);
    struct decoded_line *lines = &icache->lines[set * icache->ways];
    uint8_t *hand = &icache->hand[set];

    for (uint32_t i = 0; i < icache->ways; i++)
        if (lines[i].pa == UINT64_MAX)
            return &lines[i];
    while (lines[*hand].used) {
        lines[*hand].used = 0;
        *hand = (uint8_t)((*hand + 1u) % icache->ways);
    }
    return &lines[*hand];
}

/* The line's bytes from the memory system, cacheable or not; false: external abort. */
static bool fetch_bytes(struct cpu *cpu, uint64_t pa, const struct translation *translation, uint8_t data[LINE_BYTES])
{
    struct txn txn = {.kind = TXN_READ,
                      .addr = pa,
                      .size = LINE_BYTES,
                      .data = data,
                      .type = translation->type,
                      .sh = translation->sh,
                      .instruction = true,
                      .start_ps = translation->done_ps};

    if (translation->type == MEM_NORMAL_WB) {
        struct line_grant grant = cpu->bus.fetch(cpu->bus.ctx, pa, translation->done_ps);
        if (grant.status != TXN_OK)
            return false;
        memcpy(data, grant.data, LINE_BYTES);
        timing_fetched(cpu, grant.done_ps);
        return true;
    }
    cpu->bus.access(cpu->bus.ctx, &txn);
    timing_fetched(cpu, txn.done_ps);
    return txn.status == TXN_OK;
}

static void mark_probe(struct insn *insn)
{
    if (insn->op < INSN_OP_COUNT)
        insn->op = (uint16_t)(insn->op + INSN_OP_COUNT);
}

void icache_mark_probe(struct cpu *cpu, uint64_t pa)
{
    struct decoded_line *line = find(cpu->icache, pa & LINE_MASK);

    if (line)
        mark_probe(&line->insn[(pa & ~LINE_MASK) >> 2]);
}

static void mark_probes(struct cpu *cpu, struct decoded_line *line, uint64_t pa)
{
    for (unsigned i = 0; cpu->probes && i < INSNS_PER_LINE; i++)
        if (probe_set_has(cpu->probes, pa + 4 * i))
            mark_probe(&line->insn[i]);
}

static void decode_line(struct cpu *cpu, struct decoded_line *line, const uint8_t data[LINE_BYTES])
{
    struct insn_features features = {.lse = cpu->config.lse};

    for (unsigned i = 0; i < INSNS_PER_LINE; i++) {
        uint32_t word;
        memcpy(&word, data + 4 * i, 4);
        insn_decode(word, &features, &line->insn[i]);
        if (line->insn[i].op == INSN_UNDEFINED)
            line->insn[i].imm = word;
    }
    line->insn[INSNS_PER_LINE] = (struct insn){.op = INSN_NEXT_LINE};
}

struct decoded_line *icache_line(struct cpu *cpu, uint64_t va)
{
    struct icache *icache = cpu->icache;
    uint32_t slot = (uint32_t)(va >> LINE_SHIFT) & (FETCH_ENTRIES - 1);
    struct fetch_entry *entry = &icache->table[slot];
    uint8_t data[LINE_BYTES];
    struct translation translation;
    struct decoded_line *line;
    uint64_t pa;

    if (entry->tag == va >> LINE_SHIFT) {
        entry->line->used = 1;
        return entry->line;
    }
    translation = mmu_translate(cpu, va, MMU_FETCH, false, ticks_to_ps(cpu->timing->dispatch));
    if (translation.fault) {
        exception_instruction_abort(cpu, va, translation.fault);
        return NULL;
    }
    pa = translation.pa & LINE_MASK;
    line = find(icache, pa);
    if (!line) {
        if (!fetch_bytes(cpu, pa, &translation, data)) {
            exception_instruction_abort(cpu, va, 0x10); /* synchronous external abort */
            return NULL;
        }
        line = victim(icache, pa);
        unlink_line(icache, line);
        decode_line(cpu, line, data);
        mark_probes(cpu, line, pa);
        line->pa = pa;
    } else {
        timing_fetched(cpu, translation.done_ps);
    }
    line->used = 1;
    if (translation.epoch != cpu->translation_epoch)
        return line; /* a TLBI of another core arrived during the fetch: not to be found by this address again */
    if (entry->line)
        entry->line->fetch_slot = 0;
    unlink_line(icache, line);
    *entry = (struct fetch_entry){.tag = va >> LINE_SHIFT, .line = line};
    line->fetch_slot = slot + 1;
    icache->filled++;
    return line;
}

struct decoded_line *icache_step_line(struct cpu *cpu, uint64_t va)
{
    struct decoded_line *line = icache_line(cpu, va), *step = &cpu->icache->step_line;
    unsigned index = (unsigned)(va >> 2) & (INSNS_PER_LINE - 1);

    if (!line)
        return NULL;
    for (unsigned i = 0; i <= INSNS_PER_LINE; i++)
        step->insn[i] = (struct insn){.op = INSN_STEP_END};
    step->insn[index] = line->insn[index];
    return step;
}
