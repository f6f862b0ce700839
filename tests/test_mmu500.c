/* The MMU-500's registers without a guest: matching of streams, a context bank, invalidation, TLBSYNC, faults,
 * instances. */
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "smmu/mmu500.h"
#include "tests/unit.h"

enum { INSTANCE = 0x1000000, GR1 = 0x10000, CB0 = 0x800000, BYTES = 0x400000 };
enum { SCR0 = 0, SMR0 = 0x800, S2CR0 = 0xC00, STLBGSYNC = 0x70, STLBGSTATUS = 0x74 };
enum { SCTLR = 0, TCR2 = 0x10, TTBR0 = 0x20, TCR = 0x30, MAIR0 = 0x38, FSR = 0x58, FAR = 0x60, FSYNR0 = 0x68 };
enum { TLBIVA = 0x600, TLBIASID = 0x610, TLBIALL = 0x618, TLBIVAL = 0x620, TLBSYNC = 0x7F0, TLBSTATUS = 0x7F4 };
#define VA   0x40000000ull
#define ROOT 0x10000ull
#define DATA 0x200000ull

static struct mmu500 *mmu500;
static uint8_t *memory;
static uint64_t now_ps, done_ps;
static unsigned reads, pulses[4];

static void access_memory(void *ctx, struct txn *txn)
{
    txn->done_ps = txn->start_ps + 100000;
    reads++;
    txn->status = txn->addr + txn->size <= BYTES ? TXN_OK : TXN_DECERR;
    if (txn->status == TXN_OK && txn->kind == TXN_READ)
        memcpy(txn->data, memory + txn->addr, txn->size);
    else if (txn->status == TXN_OK)
        memcpy(memory + txn->addr, txn->data, txn->size);
}

static void set_irq(void *ctx, unsigned core, unsigned intid, bool level, uint64_t at_ps)
{
    pulses[intid - 112] += level;
}

static uint64_t reg(enum txn_kind kind, uint64_t offset, uint32_t size, uint64_t value)
{
    struct txn txn = {.kind = kind, .addr = offset, .size = size, .data = (uint8_t *)&value, .start_ps = now_ps};

    mmu500_access(mmu500, &txn);
    ck_assert_int_eq(txn.status, TXN_OK);
    done_ps = txn.done_ps;
    return size == 4 ? (uint32_t)value : value;
}

/* To both instances, as a driver does. */
static void wr(uint64_t offset, uint32_t size, uint64_t value)
{
    reg(TXN_WRITE, offset, size, value);
    reg(TXN_WRITE, INSTANCE + offset, size, value);
}

static void set_word(uint64_t at, uint64_t value)
{
    memcpy(memory + at, &value, 8);
}

static void map_page(uint64_t va, uint64_t pa)
{
    set_word(ROOT + (va >> 30 & 511) * 8, (ROOT + 0x1000) | 3);
    set_word(ROOT + 0x1000 + (va >> 21 & 511) * 8, (ROOT + 0x2000) | 3);
    set_word(ROOT + 0x2000 + (va >> 12 & 511) * 8, pa ? pa | 1 << 11 | 1 << 10 | 3 << 8 | 1 << 6 | 3 : 0);
}

static void setup(void)
{
    struct mmu500_config config = {.instances = 2,
                                   .contexts = 4,
                                   .mapping_groups = 8,
                                   .translator = {.output_bits = 40,
                                                  .micro_entries = 4,
                                                  .tlb_entries = 64,
                                                  .tlb_ways = 4,
                                                  .walk_cache_entries = 8,
                                                  .walk_slots = 2},
                                   .access_ps = 5000,
                                   .tlbi_ps = 20000,
                                   .sync_ps = 30000,
                                   .intid = 112,
                                   .requester = REQUESTER_DEVICE_BASE,
                                   .instance_bytes = INSTANCE};
    struct mem_port port = {NULL, access_memory};
    struct irq_port irq = {NULL, set_irq};
    struct error_list errors = {0};

    memory = calloc(1, BYTES);
    memset(pulses, 0, sizeof(pulses));
    reads = 0;
    now_ps = PS_PER_US;
    mmu500 = mmu500_create(&config, &port, &irq, &errors);
    ck_assert_ptr_nonnull(mmu500);
    for (uint64_t page = 0; page < 4; page++)
        map_page(VA + page * 0x1000, DATA + page * 0x1000);
}

static void teardown(void)
{
    mmu500_destroy(mmu500);
    free(memory);
}

/* Stream sid goes through context bank 0 with ASID 1. */
static void enable(uint32_t sid)
{
    wr(GR1, 4, 1 << 16);
    wr(GR1 + 0x800, 4, 1);
    wr(CB0 + TCR2, 4, 2);
    wr(CB0 + TCR, 4, 25 | 1 << 23);
    wr(CB0 + TTBR0, 8, ROOT | 1ull << 48);
    wr(CB0 + MAIR0, 4, 0xFF44);
    wr(CB0 + SCTLR, 4, 1 | 1 << 5 | 1 << 6);
    wr(S2CR0, 4, 0);
    wr(SMR0, 4, 1u << 31 | sid);
    wr(SCR0, 4, 1 << 10 | 4);
}

static enum txn_status access_as(uint32_t sid, enum txn_kind kind, uint64_t va, uint64_t *value)
{
    struct txn txn = {
        .kind = kind, .addr = va, .size = 8, .data = (uint8_t *)value, .stream_id = sid, .start_ps = now_ps};

    mmu500_translate(mmu500, &txn);
    done_ps = txn.done_ps;
    return txn.status;
}

static bool cached(uint64_t va)
{
    uint64_t value;
    unsigned before = reads;

    ck_assert_int_eq(access_as(5, TXN_READ, va, &value), TXN_OK);
    return reads - before == 1; /* the access itself */
}

START_TEST(identification)
{
    ck_assert_uint_eq(reg(TXN_READ, 0x20, 4, 0), 1u << 30 | 1u << 27 | 1u << 16 | 15u << 9 | 8);
    ck_assert_uint_eq(reg(TXN_READ, 0x24, 4, 0), 1u << 31 | 6u << 28 | 4);
    ck_assert_uint_eq(reg(TXN_READ, 0x28, 4, 0), 7u << 12 | 5u << 8 | 2u << 4 | 2);
    ck_assert_uint_eq(reg(TXN_READ, SCR0, 4, 0), 1); /* CLIENTPD */
    ck_assert_uint_eq(reg(TXN_READ, 0x2000000, 4, ~0ull), 0);
    ck_assert_uint_eq(reg(TXN_READ, 2, 4, ~0ull), 0);
}
END_TEST

START_TEST(who_is_translated)
{
    uint64_t value = 1;

    set_word(DATA, 77);
    ck_assert_int_eq(access_as(5, TXN_READ, DATA, &value), TXN_OK); /* CLIENTPD: bypass */
    ck_assert_uint_eq(value, 77);
    enable(5);
    ck_assert_int_eq(access_as(5, TXN_READ, VA, &value), TXN_OK);
    ck_assert_uint_eq(value, 77);
    ck_assert_int_eq(access_as(6, TXN_READ, VA, &value), TXN_FAULT); /* no group: USFCFG */
    ck_assert_uint_eq(reg(TXN_READ, 0x48, 4, 0), 2);
    ck_assert_uint_eq(reg(TXN_READ, 0x54, 4, 0), 6);
    ck_assert_uint_eq(pulses[0], 1);
    wr(0x48, 4, 2);
    ck_assert_uint_eq(reg(TXN_READ, 0x48, 4, 0), 0);
    wr(SMR0, 4, 1u << 31 | 3 << 16 | 4); /* the mask leaves out two bits */
    ck_assert_int_eq(access_as(6, TXN_READ, VA, &value), TXN_OK);
    wr(S2CR0, 4, 1 << 16); /* bypass */
    ck_assert_int_eq(access_as(6, TXN_READ, DATA, &value), TXN_OK);
    wr(S2CR0, 4, 2 << 16);
    ck_assert_int_eq(access_as(6, TXN_READ, DATA, &value), TXN_FAULT);
}
END_TEST

START_TEST(invalidations)
{
    enable(5);
    cached(VA);
    cached(VA + 0x2000);
    wr(CB0 + TLBIVAL, 8, VA >> 12 | 2ull << 48); /* another ASID */
    ck_assert(cached(VA));
    wr(CB0 + TLBIVAL, 8, VA >> 12 | 1ull << 48);
    ck_assert(!cached(VA));
    ck_assert(cached(VA + 0x2000));
    wr(CB0 + TLBIASID, 4, 2);
    ck_assert(cached(VA));
    wr(CB0 + TLBIASID, 4, 1);
    ck_assert(!cached(VA) && !cached(VA + 0x2000));
    wr(CB0 + TLBIALL, 4, 0);
    ck_assert(!cached(VA));
    wr(0x68, 4, 0); /* TLBIALLNSNH */
    ck_assert(!cached(VA));
    wr(0x64, 4, 9); /* TLBIVMID of another */
    ck_assert(cached(VA));
}
END_TEST

START_TEST(mirrors_are_separate)
{
    enable(5);
    cached(VA);
    cached(VA + 0x1000); /* odd pages go through the second instance */
    reg(TXN_WRITE, CB0 + TLBIALL, 4, 0);
    ck_assert(!cached(VA));
    ck_assert(cached(VA + 0x1000));
}
END_TEST

START_TEST(sync_takes_its_time)
{
    uint64_t value;

    enable(5);
    now_ps += PS_PER_MS;
    for (unsigned i = 0; i < 3; i++) { /* invalidations queue */
        reg(TXN_WRITE, CB0 + TLBIVAL, 8, VA >> 12 | 1ull << 48);
        ck_assert_uint_eq(done_ps, now_ps + (i + 1) * 20000 + 5000);
    }
    reg(TXN_WRITE, CB0 + TLBSYNC, 4, 0);
    now_ps += 3 * 20000 + 30000 - 1;
    ck_assert_uint_eq(reg(TXN_READ, CB0 + TLBSTATUS, 4, 0), 1);
    now_ps += 1;
    ck_assert_uint_eq(reg(TXN_READ, CB0 + TLBSTATUS, 4, 0), 0);
    ck_assert_int_eq(access_as(5, TXN_READ, VA, &value), TXN_OK); /* a transaction in flight */
    reg(TXN_WRITE, STLBGSYNC, 4, 0);
    ck_assert_uint_eq(reg(TXN_READ, STLBGSTATUS, 4, 0), 1);
    now_ps += 400000 + 30000;
    ck_assert_uint_eq(reg(TXN_READ, STLBGSTATUS, 4, 0), 0);
}
END_TEST

START_TEST(context_faults)
{
    uint64_t value;

    enable(5);
    map_page(VA + 0x2000, 0);
    ck_assert_int_eq(access_as(5, TXN_WRITE, VA + 0x2008, &value), TXN_FAULT);
    ck_assert_uint_eq(reg(TXN_READ, CB0 + FSR, 4, 0), 2);
    ck_assert_uint_eq(reg(TXN_READ, CB0 + FAR, 8, 0), VA + 0x2008);
    ck_assert_uint_eq(reg(TXN_READ, CB0 + FSYNR0, 4, 0), 1 << 4);
    ck_assert_uint_eq(reg(TXN_READ, GR1 + 0x400, 4, 0), 5);
    ck_assert_uint_eq(pulses[0], 1);
    access_as(5, TXN_READ, VA + 0x4000, &value); /* a second one: only MULTI */
    ck_assert_uint_eq(reg(TXN_READ, CB0 + FSR, 4, 0), 1u << 31 | 2);
    ck_assert_uint_eq(reg(TXN_READ, CB0 + FAR, 8, 0), VA + 0x2008);
    wr(CB0 + FSR, 4, ~0u);
    ck_assert_uint_eq(reg(TXN_READ, CB0 + FSR, 4, 0), 0);
    set_word(ROOT + 0x2000 + 2 * 8, DATA | 3 << 8 | 3 << 6 | 3 | 1 << 10); /* read only */
    ck_assert_int_eq(access_as(5, TXN_WRITE, VA + 0x2000, &value), TXN_FAULT);
    ck_assert_uint_eq(reg(TXN_READ, CB0 + FSR, 4, 0), 8);
}
END_TEST

START_TEST(impossible_configurations)
{
    struct mmu500_config config = {.instances = 3,
                                   .contexts = 129,
                                   .mapping_groups = 0,
                                   .translator = {.tlb_entries = 10, .tlb_ways = 4, .walk_slots = 0}};
    struct error_list errors = {0};

    ck_assert(!mmu500_config_check(&config, &errors));
    ck_assert_uint_eq(errors.count, 5);
    error_clear(&errors);
}
END_TEST

void test_mmu500(struct unit_registry *registry)
{
    unit_suite(registry, "Mmu500", setup, teardown);
    unit_test(registry, identification);
    unit_test(registry, who_is_translated);
    unit_test(registry, invalidations);
    unit_test(registry, mirrors_are_separate);
    unit_test(registry, sync_takes_its_time);
    unit_test(registry, context_faults);
    unit_test(registry, impossible_configurations);
}
