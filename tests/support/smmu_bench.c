#include "tests/support/smmu_bench.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

struct smmu_bench bench;

static void access_memory(void *ctx, struct txn *txn)
{
    txn->done_ps = txn->start_ps + bench.memory_ps;
    bench.last = *txn;
    bench.coherent += txn->coherent;
    bench.reads += txn->kind == TXN_READ;
    if (txn->kind == TXN_WRITE && txn->addr == MSI_AT)
        bench.cons_at_msi = rd32(R_CMDQ_CONS);
    if (txn->addr >= MEMORY_BYTES || txn->size > MEMORY_BYTES - txn->addr ||
        (txn->addr < bench.hole_at + 16 && bench.hole_at < txn->addr + txn->size)) {
        txn->status = TXN_DECERR;
        return;
    }
    txn->status = TXN_OK;
    if (txn->kind == TXN_READ)
        memcpy(txn->data, bench.memory + txn->addr, txn->size);
    else
        memcpy(bench.memory + txn->addr, txn->data, txn->size);
}

static void set_irq(void *ctx, unsigned core, unsigned intid, bool level, uint64_t at_ps)
{
    if (!level)
        return;
    bench.pulses[intid - bench.config.intid]++;
    bench.pulse_ps = at_ps;
}

static void sev(void *ctx, uint64_t at_ps)
{
    bench.sevs++;
    bench.sev_ps = at_ps;
    bench.cons_at_sev = rd32(R_CMDQ_CONS);
}

void smmu_bench_reset(void)
{
    bench =
        (struct smmu_bench){.memory_ps = 100 * PS_PER_NS, .hole_at = MEMORY_BYTES, .cmdq_bits = 6, .eventq_bits = 4};
    bench.config = (struct smmu_config){
        .sid_bits = 16,
        .ssid_bits = 8,
        .two_level = true,
        .stage1 = true,
        .stage2 = true,
        .hyp = true,
        .cohacc = true,
        .msi = true,
        .sev = true,
        .range_invalidation = true,
        .cmdq_bits = 8,
        .eventq_bits = 7,
        .ecmdq_page_bits = 0,
        .ecmdq_queue_bits = 2,
        .translator = {.output_bits = 48,
                       .micro_entries = 8,
                       .tlb_entries = 64,
                       .tlb_ways = 4,
                       .walk_cache_entries = 16,
                       .walk_slots = 2,
                       .micro_ps = 1000,
                       .tlb_ps = 4000,
                       .walk_step_ps = 2000},
        .config_entries = 16,
        .engines = 1,
        .cmdq_weight = 1,
        .ecmdq_weight = 1,
        .prefetch = 16,
        .command_ps = 5000,
        .tlbi_ps = 10000,
        .cfgi_ps = 7000,
        .sync_ps = 20000,
        .invalidation_ps = 50000,
        .config_ps = 2000,
        .access_ps = 5000,
        .intid = 106,
        .requester = REQUESTER_DEVICE_BASE + 0x100,
    };
    bench.memory = calloc(1, MEMORY_BYTES);
    bench.next_table = TABLES_AT;
}

static void run_engine(void *argument)
{
    smmu_engine_run(bench.smmu, (unsigned)(uintptr_t)argument);
}

void smmu_bench_start(void)
{
    struct time_port times[SMMU_ENGINES_MOST];
    struct smmu_ports ports = {.memory = {NULL, access_memory}, .engines = times, .irq = {NULL, set_irq}, .sev = sev};
    struct error_list errors = {0};

    bench.vsim = vsim_create();
    for (uintptr_t i = 0; i < bench.config.engines; i++)
        times[i] = vsim_add(bench.vsim, run_engine, (void *)i);
    bench.smmu = smmu_create(&bench.config, &ports, &errors);
    ck_assert_ptr_nonnull(bench.smmu);
    run_ps(PS_PER_US);
}

void smmu_bench_stop(void)
{
    smmu_destroy(bench.smmu);
    if (bench.vsim)
        vsim_destroy(bench.vsim);
    free(bench.memory);
}

static uint64_t access_register(uint32_t offset, enum txn_kind kind, uint32_t size, uint64_t value)
{
    struct txn txn = {.kind = kind, .addr = offset, .size = size, .data = (uint8_t *)&value, .start_ps = bench.now_ps};

    smmu_access(bench.smmu, &txn);
    ck_assert_int_eq(txn.status, TXN_OK);
    return size == 4 ? (uint32_t)value : value;
}

uint32_t rd32(uint32_t offset)
{
    return (uint32_t)access_register(offset, TXN_READ, 4, 0);
}

uint64_t rd64(uint32_t offset)
{
    return access_register(offset, TXN_READ, 8, 0);
}

void wr32(uint32_t offset, uint32_t value)
{
    access_register(offset, TXN_WRITE, 4, value);
}

void wr64(uint32_t offset, uint64_t value)
{
    access_register(offset, TXN_WRITE, 8, value);
}

void run_ps(uint64_t ps)
{
    bench.now_ps += ps;
    vsim_run(bench.vsim, bench.now_ps);
}

void bring_up(void)
{
    smmu_bench_start();
    wr32(R_CR1, 0xD75);
    wr32(R_CR2, 2); /* RECINVSID */
    wr64(R_STRTAB_BASE, STRTAB_AT);
    wr32(R_STRTAB_CFG, 6);
    wr64(R_CMDQ_BASE, CMDQ_AT | bench.cmdq_bits);
    wr64(R_EVENTQ_BASE, EVENTQ_AT | bench.eventq_bits);
    wr32(R_IRQ_CTRL, 5);
    wr32(R_CR0, SMMUEN | EVENTQEN | CMDQEN);
}

void put_command(uint64_t word0, uint64_t word1)
{
    uint64_t at = CMDQ_AT + 16ull * (bench.prod & ((1u << bench.cmdq_bits) - 1));

    set_word(at, word0);
    set_word(at + 8, word1);
    bench.prod = (bench.prod + 1) & ((2u << bench.cmdq_bits) - 1);
}

void ring(void)
{
    wr32(R_CMDQ_PROD, bench.prod);
}

void command(uint64_t word0, uint64_t word1)
{
    put_command(word0, word1);
    ring();
    run_ps(10 * PS_PER_US);
}

void sync_command(void)
{
    command(0x46, 0);
}

uint64_t word(uint64_t address)
{
    uint64_t value;

    memcpy(&value, bench.memory + address, 8);
    return value;
}

void set_word(uint64_t address, uint64_t value)
{
    memcpy(bench.memory + address, &value, 8);
}

void set_stage1_stream(uint32_t sid, uint64_t cd)
{
    set_word(STRTAB_AT + 64 * sid, 1 | 5 << 1 | cd);
    set_word(STRTAB_AT + 64 * sid + 8, 1 << 2 | 1 << 4 | 3 << 6); /* S1CIR, S1COR, S1CSH */
}

void set_cd(uint64_t cd, uint64_t root, unsigned tsz, unsigned granule_bits, uint16_t asid)
{
    uint64_t tg = granule_bits == 12 ? 0 : granule_bits == 16 ? 1 : 2;

    set_word(cd, tsz | tg << 6 | 1 << 8 | 1 << 10 | 3 << 12 | 1ull << 30 | 1ull << 31 | 5ull << 32 | 1ull << 41 |
                     1ull << 45 | 1ull << 46 | (uint64_t)asid << 48);
    set_word(cd + 8, root);
    set_word(cd + 24, 0x44ull | 0xFFull << 8 | 0x04ull << 16); /* MAIR: NC, WB, Device-nGnRE */
}

uint64_t new_table(unsigned granule_bits)
{
    uint64_t size = 1ull << granule_bits, table = (bench.next_table + size - 1) & ~(size - 1);

    bench.next_table = table + size;
    ck_assert_uint_le(bench.next_table, DATA_AT);
    return table;
}

uint64_t descriptor_of(uint64_t root, unsigned tsz, unsigned granule_bits, uint64_t va, unsigned level)
{
    unsigned stride = granule_bits - 3, at = stage1_start_level(tsz, granule_bits);
    uint64_t table = root;

    for (;; at++) {
        unsigned shift = granule_bits + (3 - at) * stride;
        uint64_t mask = at == stage1_start_level(tsz, granule_bits) ? ~0ull >> tsz >> shift : (1ull << stride) - 1;
        uint64_t entry = table + (va >> shift & mask) * 8;
        if (at == level)
            return entry;
        if (!word(entry))
            set_word(entry, new_table(granule_bits) | 3);
        table = word(entry) & 0xFFFFFFFFF000ull;
    }
}

void map_at(uint64_t root, unsigned tsz, unsigned granule_bits, uint64_t va, uint64_t pa, unsigned level,
            uint64_t attributes)
{
    set_word(descriptor_of(root, tsz, granule_bits, va, level), pa | attributes | (level == 3 ? 3 : 1));
}

void set_stage2_stream(uint32_t sid, bool nested)
{
    bench.next_table = (bench.next_table + 0x1FFF) & ~0x1FFFull;
    bench.stage2_root = new_table(12);
    new_table(12);
    set_word(STRTAB_AT + 64 * sid, 1 | (nested ? 7 : 6) << 1 | (nested ? CD_AT + 64 * sid : 0));
    set_word(STRTAB_AT + 64 * sid + 8, 1 << 2 | 1 << 4 | 3 << 6);
    /* VMID 5, T0SZ 24, SL0 1, walk attributes, PS 48 bits, AA64, R */
    set_word(STRTAB_AT + 64 * sid + 16, 5 | 24ull << 32 | 1ull << 38 | 1ull << 40 | 1ull << 42 | 3ull << 44 |
                                            5ull << 48 | 1ull << 51 | 1ull << 58);
    set_word(STRTAB_AT + 64 * sid + 24, bench.stage2_root);
}

uint64_t stage2_descriptor(uint64_t root, uint64_t ipa)
{
    uint64_t level1 = root + (ipa >> 30) * 8, level2;

    if (!word(level1))
        set_word(level1, new_table(12) | 3);
    level2 = (word(level1) & 0xFFFFFFFFF000ull) + (ipa >> 21 & 511) * 8;
    if (!word(level2))
        set_word(level2, new_table(12) | 3);
    return (word(level2) & 0xFFFFFFFFF000ull) + (ipa >> 12 & 511) * 8;
}

void stage2_map(uint64_t root, uint64_t ipa, uint64_t pa, uint64_t attributes)
{
    set_word(stage2_descriptor(root, ipa), pa | 3 | 1 << 10 | 3 << 8 | 15 << 2 | attributes);
}

enum txn_status device_access(struct txn *txn)
{
    txn->start_ps = bench.now_ps;
    txn->type = MEM_NORMAL_WB;
    txn->sh = SH_INNER;
    txn->coherent = true;
    smmu_translate(bench.smmu, txn);
    return txn->status;
}

enum txn_status device_read(uint32_t sid, uint64_t va, uint64_t *value)
{
    struct txn txn = {.kind = TXN_READ, .addr = va, .size = 8, .data = (uint8_t *)value, .stream_id = sid};

    return device_access(&txn);
}

enum txn_status device_write(uint32_t sid, uint64_t va, uint64_t value)
{
    struct txn txn = {.kind = TXN_WRITE, .addr = va, .size = 8, .data = (uint8_t *)&value, .stream_id = sid};

    return device_access(&txn);
}

bool next_event(uint64_t record[4])
{
    uint32_t cons = rd32(R_EVENTQ_CONS), prod = rd32(R_EVENTQ_PROD), mask = (2u << bench.eventq_bits) - 1;

    if (((prod ^ cons) & mask) == 0)
        return false;
    memcpy(record, bench.memory + EVENTQ_AT + 32 * (cons & mask >> 1), 32);
    wr32(R_EVENTQ_CONS, (cons & 1u << 31) | ((cons + 1) & mask));
    return true;
}
