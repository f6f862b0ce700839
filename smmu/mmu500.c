#include "smmu/mmu500.h"

#include <stdlib.h>
#include <string.h>

/* Global register space 0 (offsets) and 1. */
enum {
    SCR0 = 0x000,
    SIDR0 = 0x020,
    SIDR1 = 0x024,
    SIDR2 = 0x028,
    SIDR7 = 0x03C,
    SGFSR = 0x048,
    SGFSYNR0 = 0x050,
    SGFSYNR1 = 0x054,
    STLBIALL = 0x060,
    TLBIVMID = 0x064,
    TLBIALLNSNH = 0x068,
    STLBGSYNC = 0x070,
    STLBGSTATUS = 0x074,
    SMR = 0x800,
    S2CR = 0xC00,
};
enum { CBAR = 0x000, CBFRSYNRA = 0x400, CBA2R = 0x800 };
/* A context bank. */
enum {
    SCTLR = 0x00,
    ACTLR = 0x04,
    TCR2 = 0x10,
    TTBR0 = 0x20,
    TTBR1 = 0x28,
    TCR = 0x30,
    MAIR0 = 0x38,
    MAIR1 = 0x3C,
    FSR = 0x58,
    FAR = 0x60,
    FSYNR0 = 0x68,
    CB_TLBIVA = 0x600,
    CB_TLBIVAA = 0x608,
    CB_TLBIASID = 0x610,
    CB_TLBIALL = 0x618,
    CB_TLBIVAL = 0x620,
    CB_TLBIVAAL = 0x628,
    CB_TLBSYNC = 0x7F0,
    CB_TLBSTATUS = 0x7F4,
};
enum { SCR0_CLIENTPD = 1, SCR0_GFIE = 4, SCR0_USFCFG = 1 << 10 };
enum { SCTLR_M = 1, SCTLR_E = 1 << 4, SCTLR_CFRE = 1 << 5, SCTLR_CFIE = 1 << 6 };
enum { FSR_TF = 2, FSR_AFF = 4, FSR_PF = 8, FSR_EF = 16, FSR_FAULTS = 0x400001FE };
#define FSR_MULTI 0x80000000u
enum { S2CR_TRANSLATE, S2CR_BYPASS };
enum { GFSR_USF = 2 };

#define PAGE_BITS     16 /* IDR1.PAGESIZE = 1: 64 KB pages */
#define PAGE_BYTES    (1u << PAGE_BITS)
#define CONTEXTS_MOST 128u
#define GROUPS_MOST   128u
/* NUMPAGENDXB = 6: 2^7 pages of global space, then as many of context banks */
#define GLOBAL_PAGES 128u

struct context_bank {
    uint32_t sctlr, actlr, tcr, tcr2, mair[2], cbar, cba2r, frsynra, fsr, fsynr0;
    uint64_t ttbr[2], far;
    uint64_t sync_done_ps;
};

struct instance {
    struct translator translator;
    uint32_t scr0, gfsr, gfsynr[2];
    uint32_t smr[GROUPS_MOST], s2cr[GROUPS_MOST];
    struct context_bank banks[CONTEXTS_MOST];
    uint64_t invalidated_ps; /* when the invalidations so far are done */
    uint64_t sync_done_ps;   /* of sTLBGSYNC */
};

struct mmu500 {
    struct mmu500_config config;
    struct mem_port memory;
    struct irq_port irq;
    struct mmu500_counters counters;
    struct instance *instances;
};

bool mmu500_config_check(const struct mmu500_config *config, struct error_list *errors)
{
    const struct translator_config *t = &config->translator;
    size_t before = errors->count;
    uint32_t sets = t->tlb_ways ? t->tlb_entries / t->tlb_ways : 0;

    if (config->instances != 1 && config->instances != 2 && config->instances != 4)
        error_add(errors, NULL, "mmu500.instances is %u; it is 1, 2 or 4", config->instances);
    if (config->contexts == 0 || config->contexts > CONTEXTS_MOST)
        error_add(errors, NULL, "mmu500.contexts is %u; it is 1 to %u", config->contexts, CONTEXTS_MOST);
    if (config->mapping_groups == 0 || config->mapping_groups > GROUPS_MOST)
        error_add(errors, NULL, "mmu500.mapping_groups is %u; it is 1 to %u", config->mapping_groups, GROUPS_MOST);
    if (sets == 0 || t->tlb_entries % t->tlb_ways || (sets & (sets - 1)))
        error_add(errors, NULL,
                  "smmu.tlb_entries is %u and smmu.tlb_ways %u; the number of sets must be a power of two",
                  t->tlb_entries, t->tlb_ways);
    if (t->walk_slots == 0 || t->walk_slots > WALK_SLOTS_MOST)
        error_add(errors, NULL, "smmu.walk_slots is %u; it is 1 to %u", t->walk_slots, WALK_SLOTS_MOST);
    return errors->count == before;
}

struct mmu500 *mmu500_create(const struct mmu500_config *config, const struct mem_port *memory,
                             const struct irq_port *irq, struct error_list *errors)
{
    struct mmu500 *mmu500;
    bool fine = true;

    if (!mmu500_config_check(config, errors))
        return NULL;
    mmu500 = calloc(1, sizeof(*mmu500));
    if (!mmu500)
        return NULL;
    mmu500->config = *config;
    mmu500->memory = *memory;
    mmu500->irq = *irq;
    mmu500->instances = calloc(config->instances, sizeof(*mmu500->instances));
    for (uint32_t i = 0; mmu500->instances && i < config->instances; i++) {
        struct smmu_memory own = {*memory, config->requester + i, config->cohacc, 64};
        mmu500->instances[i].scr0 = SCR0_CLIENTPD;
        fine = translator_create(&mmu500->instances[i].translator, &config->translator, &own) && fine;
    }
    if (mmu500->instances && fine)
        return mmu500;
    mmu500_destroy(mmu500);
    return NULL;
}

void mmu500_destroy(struct mmu500 *mmu500)
{
    if (!mmu500)
        return;
    for (uint32_t i = 0; mmu500->instances && i < mmu500->config.instances; i++)
        translator_destroy(&mmu500->instances[i].translator);
    free(mmu500->instances);
    free(mmu500);
}

void mmu500_observe(struct mmu500 *mmu500, const struct translation_observer *observer)
{
    for (uint32_t i = 0; i < mmu500->config.instances; i++)
        mmu500->instances[i].translator.observer = *observer;
}

const struct mmu500_counters *mmu500_counters(const struct mmu500 *mmu500)
{
    return &mmu500->counters;
}

static uint64_t field(uint64_t word, unsigned high, unsigned low)
{
    return word >> low & (UINT64_MAX >> (63 - (high - low)));
}

static unsigned bits_of_size_code(unsigned code)
{
    static const uint8_t bits[8] = {32, 36, 40, 42, 44, 48, 48, 48};

    return bits[code & 7];
}

static unsigned code_of_size(unsigned bits)
{
    return bits == 32 ? 0 : bits == 36 ? 1 : bits == 40 ? 2 : bits == 42 ? 3 : bits == 44 ? 4 : 5;
}

/* --- contexts --- */

static void decode_half(const struct context_bank *bank, bool upper, struct table_base *base)
{
    static const uint8_t granules[2][4] = {{12, 16, 14, 0}, {0, 14, 12, 16}};
    unsigned at = upper ? 16 : 0, tsz = field(bank->tcr, at + 5, at), bits;

    *base = (struct table_base){.tsz = tsz, .granule_bits = granules[upper][field(bank->tcr, at + 15, at + 14)]};
    if (field(bank->tcr, at + 7, at + 7) || base->granule_bits == 0 || tsz < 16 || tsz > 39)
        return;
    base->enabled = true;
    base->start_level = stage1_start_level(tsz, base->granule_bits);
    base->walk = (struct access_attributes){(uint8_t)field(bank->tcr, at + 9, at + 8),
                                            (uint8_t)field(bank->tcr, at + 11, at + 10),
                                            (uint8_t)field(bank->tcr, at + 13, at + 12)};
    bits = 64 - tsz - (base->granule_bits + (3 - base->start_level) * (base->granule_bits - 3));
    base->address = field(bank->ttbr[upper], 47, 0) & ~((bits < 3 ? 64ull : 8ull << bits) - 1);
}

static struct translation_context context_of(const struct mmu500 *mmu500, const struct context_bank *bank)
{
    struct translation_context context = {.world = WORLD_NS_EL1, .vmid = (uint16_t)field(bank->cbar, 7, 0)};
    struct translation_stage *stage = &context.stage1;
    unsigned size = bits_of_size_code((unsigned)field(bank->tcr2, 2, 0));

    stage->enabled = true;
    stage->output_bits = size < mmu500->config.translator.output_bits ? size : mmu500->config.translator.output_bits;
    stage->big_endian = bank->sctlr & SCTLR_E;
    stage->mair = bank->mair[0] | (uint64_t)bank->mair[1] << 32;
    stage->no_access_faults = false;
    decode_half(bank, false, &stage->base[0]);
    decode_half(bank, true, &stage->base[1]);
    context.asid = (uint16_t)field(bank->ttbr[field(bank->tcr, 22, 22)], 63, 48); /* TCR.A1 */
    return context;
}

/* --- invalidation --- */

/* Invalidations queue up; returns when this one is done. */
static uint64_t invalidate(struct mmu500 *mmu500, struct instance *instance, const struct iotlb_match *match,
                           uint64_t at_ps)
{
    uint64_t start_ps = at_ps > instance->invalidated_ps ? at_ps : instance->invalidated_ps;

    translator_invalidate(&instance->translator, match);
    mmu500->counters.tlbi++;
    instance->invalidated_ps = start_ps + mmu500->config.tlbi_ps;
    return instance->invalidated_ps;
}

#define LEAVES (1u << IOTLB_STAGE1)
#define ALL    (1u << IOTLB_STAGE1 | 1u << IOTLB_TABLE)

static uint64_t invalidate_context(struct mmu500 *mmu500, struct instance *instance, struct context_bank *bank,
                                   uint32_t offset, uint64_t value, uint64_t at_ps)
{
    bool leaf = offset == CB_TLBIVAL || offset == CB_TLBIVAAL;
    struct iotlb_match match = {.worlds = 1u << WORLD_NS_EL1,
                                .by_vmid = true,
                                .vmid = (uint16_t)field(bank->cbar, 7, 0),
                                .kinds = leaf ? LEAVES : ALL};

    if (offset == CB_TLBIASID) {
        match.by_asid = match.keep_global = true;
        match.asid = (uint16_t)value;
    } else if (offset != CB_TLBIALL) {
        match.by_address = true;
        match.start = (uint64_t)((int64_t)(field(value, 43, 0) << 20) >> 8); /* VA[55:12], the sign goes on */
        match.end = match.start + 0xFFF;
        match.by_asid = offset == CB_TLBIVA || offset == CB_TLBIVAL;
        match.asid = (uint16_t)field(value, 63, 48);
    }
    return invalidate(mmu500, instance, &match, at_ps);
}

/* When a TLBSYNC that arrives at at_ps is complete: invalidations and the transactions that used what they dropped. */
static uint64_t sync_done(struct mmu500 *mmu500, const struct instance *instance, uint64_t at_ps)
{
    uint64_t done_ps = at_ps;

    mmu500->counters.sync++;
    if (instance->invalidated_ps > done_ps)
        done_ps = instance->invalidated_ps;
    if (instance->translator.in_flight_ps > done_ps)
        done_ps = instance->translator.in_flight_ps;
    return done_ps + mmu500->config.sync_ps;
}

/* --- registers --- */

static uint32_t read_global0(const struct mmu500 *mmu500, const struct instance *instance, uint32_t offset,
                             uint64_t at_ps)
{
    const struct mmu500_config *c = &mmu500->config;

    if (offset >= SMR && offset < SMR + 4 * c->mapping_groups)
        return instance->smr[(offset - SMR) / 4];
    if (offset >= S2CR && offset < S2CR + 4 * c->mapping_groups)
        return instance->s2cr[(offset - S2CR) / 4];
    switch (offset) {
    case SCR0:
        return instance->scr0;
    case SIDR0: /* S1TS, SMS, NUMIRPT 1, CTTW, NUMSIDB 15, NUMSMRG */
        return 1u << 30 | 1u << 27 | 1u << 16 | (uint32_t)c->cohacc << 14 | 15u << 9 | c->mapping_groups;
    case SIDR1: /* PAGESIZE, NUMPAGENDXB, NUMCB */
        return 1u << 31 | 6u << 28 | c->contexts;
    case SIDR2: /* PTFSv8 of all granules, UBS 48 bits, OAS, IAS */
        return 7u << 12 | 5u << 8 | code_of_size(c->translator.output_bits) << 4 |
               code_of_size(c->translator.output_bits);
    case SIDR7:
        return 0x20;
    case SGFSR:
        return instance->gfsr;
    case SGFSYNR0:
    case SGFSYNR1:
        return instance->gfsynr[(offset - SGFSYNR0) / 4];
    case STLBGSTATUS:
        return at_ps < instance->sync_done_ps;
    default:
        return 0;
    }
}

static uint64_t write_global0(struct mmu500 *mmu500, struct instance *instance, uint32_t offset, uint32_t value,
                              uint64_t at_ps)
{
    const struct mmu500_config *c = &mmu500->config;
    struct iotlb_match match = {.worlds = 1u << WORLD_NS_EL1, .kinds = ALL};

    if (offset >= SMR && offset < SMR + 4 * c->mapping_groups)
        instance->smr[(offset - SMR) / 4] = value;
    else if (offset >= S2CR && offset < S2CR + 4 * c->mapping_groups)
        instance->s2cr[(offset - S2CR) / 4] = value;
    switch (offset) {
    case SCR0:
        instance->scr0 = value;
        break;
    case SGFSR:
        instance->gfsr &= ~value;
        break;
    case TLBIVMID:
        match.by_vmid = true;
        match.vmid = (uint16_t)value;
        return invalidate(mmu500, instance, &match, at_ps);
    case STLBIALL:
    case TLBIALLNSNH:
        return invalidate(mmu500, instance, &match, at_ps);
    case STLBGSYNC:
        instance->sync_done_ps = sync_done(mmu500, instance, at_ps);
        break;
    default:
        break;
    }
    return at_ps;
}

/* The 32-bit registers of global space 1, one a context bank. */
static uint32_t *global1(const struct mmu500 *mmu500, struct instance *instance, uint32_t offset)
{
    uint32_t number = offset % 0x400 / 4;
    struct context_bank *bank = &instance->banks[number];

    if (number >= mmu500->config.contexts)
        return NULL;
    return offset < CBFRSYNRA ? &bank->cbar : offset < CBA2R ? &bank->frsynra : offset < 0xC00 ? &bank->cba2r : NULL;
}

/* The storage of a context bank register: 8 bytes wide or 4. NULL: not one of them. */
static void *bank_register(struct context_bank *bank, uint32_t offset, unsigned *bytes)
{
    *bytes = 4;
    switch (offset) {
    case SCTLR:
        return &bank->sctlr;
    case ACTLR:
        return &bank->actlr;
    case TCR2:
        return &bank->tcr2;
    case TCR:
        return &bank->tcr;
    case MAIR0:
    case MAIR1:
        return &bank->mair[offset == MAIR1];
    case FSR:
        return &bank->fsr;
    case FSYNR0:
        return &bank->fsynr0;
    case TTBR0:
    case TTBR0 + 4:
    case TTBR1:
    case TTBR1 + 4:
        *bytes = 8;
        return (char *)&bank->ttbr[offset >= TTBR1] + (offset & 4);
    case FAR:
    case FAR + 4:
        *bytes = 8;
        return (char *)&bank->far + (offset & 4);
    default:
        return NULL;
    }
}

static uint64_t write_bank(struct mmu500 *mmu500, struct instance *instance, struct context_bank *bank, uint32_t offset,
                           unsigned bytes, uint64_t value, uint64_t at_ps)
{
    unsigned width;
    void *place = bank_register(bank, offset, &width);

    if (offset >= CB_TLBIVA && offset <= CB_TLBIVAAL)
        return invalidate_context(mmu500, instance, bank, offset, value, at_ps);
    if (offset == CB_TLBSYNC)
        bank->sync_done_ps = sync_done(mmu500, instance, at_ps);
    else if (offset == FSR)
        bank->fsr &= ~(uint32_t)value;
    else if (place && offset != FSYNR0)
        memcpy(place, &value, bytes < width ? bytes : width);
    return at_ps;
}

static void access_instance(struct mmu500 *mmu500, struct instance *instance, uint64_t offset, struct txn *txn)
{
    uint32_t page = (uint32_t)(offset >> PAGE_BITS), rest = offset & (PAGE_BYTES - 1);
    uint64_t value = 0, done_ps = txn->start_ps;
    bool write = txn->kind != TXN_READ;

    if (write)
        memcpy(&value, txn->data, txn->size);
    if (page == 0 && write) {
        done_ps = write_global0(mmu500, instance, rest, (uint32_t)value, txn->start_ps);
    } else if (page == 0) {
        value = read_global0(mmu500, instance, rest, txn->start_ps);
    } else if (page == 1) {
        uint32_t *place = global1(mmu500, instance, rest);
        if (place && write)
            *place = (uint32_t)value;
        value = place ? *place : 0;
    } else if (page >= GLOBAL_PAGES && page - GLOBAL_PAGES < mmu500->config.contexts) {
        struct context_bank *bank = &instance->banks[page - GLOBAL_PAGES];
        unsigned width;
        void *place = bank_register(bank, rest, &width);
        if (write)
            done_ps = write_bank(mmu500, instance, bank, rest, txn->size, value, txn->start_ps);
        else if (rest == CB_TLBSTATUS)
            value = txn->start_ps < bank->sync_done_ps;
        else if (place)
            memcpy(&value, place, txn->size < width ? txn->size : width);
    }
    if (!write)
        memcpy(txn->data, &value, txn->size);
    txn->done_ps = done_ps + mmu500->config.access_ps;
}

void mmu500_access(struct mmu500 *mmu500, struct txn *txn)
{
    uint64_t number = txn->addr / mmu500->config.instance_bytes, offset = txn->addr % mmu500->config.instance_bytes;

    txn->status = TXN_OK;
    txn->done_ps = txn->start_ps + mmu500->config.access_ps;
    if ((txn->size == 4 || txn->size == 8) && offset % txn->size == 0 && number < mmu500->config.instances)
        access_instance(mmu500, &mmu500->instances[number], offset, txn);
    else if (txn->kind == TXN_READ)
        memset(txn->data, 0, txn->size);
}

/* --- translation --- */

static void end_with_fault(struct txn *txn, uint64_t t_ps)
{
    txn->status = TXN_FAULT;
    txn->done_ps = t_ps;
}

static void pulse(struct mmu500 *mmu500, const struct instance *instance, uint64_t at_ps)
{
    unsigned intid = mmu500->config.intid + (unsigned)(instance - mmu500->instances);

    mmu500->irq.set(mmu500->irq.ctx, 0, intid, true, at_ps);
    mmu500->irq.set(mmu500->irq.ctx, 0, intid, false, at_ps);
}

static void context_fault(struct mmu500 *mmu500, struct instance *instance, struct context_bank *bank,
                          const struct txn *txn, enum translation_fault fault, uint64_t t_ps)
{
    uint32_t bit = fault == FAULT_ACCESS       ? FSR_AFF
                   : fault == FAULT_PERMISSION ? FSR_PF
                   : fault == FAULT_WALK_EABT  ? FSR_EF
                                               : FSR_TF;

    mmu500->counters.faults++;
    if (!(bank->sctlr & SCTLR_CFRE))
        return;
    if (bank->fsr & FSR_FAULTS) {
        bank->fsr |= FSR_MULTI;
        return;
    }
    bank->fsr = bit;
    bank->far = txn->addr;
    bank->fsynr0 = (txn->kind != TXN_READ) << 4 | (uint32_t)txn->privileged << 5;
    bank->frsynra = txn->stream_id;
    if (bank->sctlr & SCTLR_CFIE)
        pulse(mmu500, instance, t_ps);
}

/* The mapping group of a StreamID; mapping_groups: none. */
static uint32_t find_group(const struct mmu500 *mmu500, const struct instance *instance, uint32_t sid)
{
    uint32_t i = 0;

    for (; i < mmu500->config.mapping_groups; i++) {
        uint32_t smr = instance->smr[i];
        if (smr >> 31 && ((smr ^ sid) & 0x7FFF & ~(smr >> 16 & 0x7FFF)) == 0)
            break;
    }
    return i;
}

static void unmatched(struct mmu500 *mmu500, struct instance *instance, struct txn *txn)
{
    if (!(instance->scr0 & SCR0_USFCFG)) {
        mmu500->memory.access(mmu500->memory.ctx, txn);
        return;
    }
    instance->gfsr |= GFSR_USF;
    instance->gfsynr[0] = (txn->kind != TXN_READ) << 1;
    instance->gfsynr[1] = txn->stream_id;
    if (instance->scr0 & SCR0_GFIE)
        pulse(mmu500, instance, txn->start_ps);
    end_with_fault(txn, txn->start_ps);
}

static void translate_bank(struct mmu500 *mmu500, struct instance *instance, struct context_bank *bank, struct txn *txn)
{
    struct translation_context context = context_of(mmu500, bank);
    struct translation_request request = {txn->addr, txn->kind != TXN_READ, txn->privileged, txn->instruction};
    uint64_t t_ps = txn->start_ps;
    struct translation result = translate(&instance->translator, &context, &request, &t_ps);

    if (result.fault) {
        context_fault(mmu500, instance, bank, txn, result.fault, t_ps);
        end_with_fault(txn, t_ps);
        return;
    }
    translator_tell(&instance->translator, txn, &result, t_ps);
    txn->addr = result.pa;
    txn->start_ps = t_ps;
    txn->type = result.type;
    txn->sh = result.sh;
    txn->coherent = txn->coherent && result.type == MEM_NORMAL_WB && result.sh != SH_NON;
    mmu500->memory.access(mmu500->memory.ctx, txn);
    if (txn->done_ps > instance->translator.in_flight_ps)
        instance->translator.in_flight_ps = txn->done_ps;
}

static void translate_page(void *ctx, struct txn *txn)
{
    struct mmu500 *mmu500 = ctx;
    /* masters' traffic is interleaved over the instances by 4 KB page */
    struct instance *instance = &mmu500->instances[(txn->addr >> 12) & (mmu500->config.instances - 1)];
    uint32_t group = find_group(mmu500, instance, txn->stream_id), type;
    struct context_bank *bank;

    if (instance->scr0 & SCR0_CLIENTPD) {
        mmu500->memory.access(mmu500->memory.ctx, txn);
        return;
    }
    if (group == mmu500->config.mapping_groups) {
        unmatched(mmu500, instance, txn);
        return;
    }
    type = (uint32_t)field(instance->s2cr[group], 17, 16);
    bank = &instance->banks[field(instance->s2cr[group], 7, 0) % mmu500->config.contexts];
    if (type == S2CR_BYPASS || (type == S2CR_TRANSLATE && !(bank->sctlr & SCTLR_M)))
        mmu500->memory.access(mmu500->memory.ctx, txn);
    else if (type == S2CR_TRANSLATE)
        translate_bank(mmu500, instance, bank, txn);
    else
        end_with_fault(txn, txn->start_ps);
}

void mmu500_translate(struct mmu500 *mmu500, struct txn *txn)
{
    for_each_page(txn, translate_page, mmu500);
}
