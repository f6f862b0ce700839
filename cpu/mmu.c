/* Stage 1 translation, VMSAv8-64 (DDI 0487 D8): EL1&0 with two ranges, EL2 with one; 4K, 16K and 64K granules, 48-bit.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/timing.h"
#include "cpu/tlb.h"

/* Fault status codes without level (ESR_ELx.DFSC). */
enum {
    FSC_ADDRESS_SIZE = 0x00,
    FSC_TRANSLATION = 0x04,
    FSC_ACCESS_FLAG = 0x08,
    FSC_PERMISSION = 0x0C,
    FSC_WALK_EXTERNAL = 0x14
};

#define PA_BITS 48u

enum { SCTLR_M = 1 << 0, SCTLR_C = 1 << 2, SCTLR_I = 1 << 12, SCTLR_WXN = 1 << 19 };

bool mmu_create(struct cpu *cpu, struct error_list *errors)
{
    uint32_t sets = cpu->config.tlb_entries / TLB_WAYS;

    if (sets == 0 || (sets & (sets - 1)) || sets * TLB_WAYS != cpu->config.tlb_entries || sets > 65536) {
        error_add(errors, NULL, "cpu.tlb_entries is %u; it must be 4 times a power of two", cpu->config.tlb_entries);
        return false;
    }
    cpu->mmu = calloc(1, sizeof(*cpu->mmu));
    if (!cpu->mmu)
        return false;
    cpu->mmu->sets = sets;
    cpu->mmu->entries = calloc(cpu->config.tlb_entries, sizeof(*cpu->mmu->entries));
    cpu->mmu->hand = calloc(sets, 1);
    return cpu->mmu->entries && cpu->mmu->hand;
}

void mmu_destroy(struct cpu *cpu)
{
    if (!cpu->mmu)
        return;
    free(cpu->mmu->entries);
    free(cpu->mmu->hand);
    free(cpu->mmu);
}

void mmu_reset(struct cpu *cpu)
{
    struct mmu *mmu = cpu->mmu;

    memset(mmu->entries, 0, mmu->sets * TLB_WAYS * sizeof(*mmu->entries));
    memset(mmu->hand, 0, mmu->sets);
    for (uint32_t i = 0; i < MICRO_ENTRIES; i++)
        mmu->micro[i].page = UINT64_MAX;
    mmu->sizes = 0;
}

/* TCR_EL1.AS = 0: ASIDs have 8 bits, the upper ones are ignored (DDI 0487 D8.16). */
static uint16_t asid_mask(const struct cpu *cpu)
{
    return cpu->sys.tcr[1] >> 36 & 1 ? 0xFFFF : 0xFF;
}

/* TCR_EL1.A1 says which base register names the ASID. */
static uint16_t current_asid(const struct cpu *cpu)
{
    uint64_t source = cpu->sys.tcr[1] >> 22 & 1 ? cpu->sys.ttbr1[1] : cpu->sys.ttbr0[1];

    return (uint16_t)(source >> 48) & asid_mask(cpu);
}

static enum mem_type type_of_attribute(uint8_t attribute)
{
    if ((attribute & 0xF0) == 0)
        return (enum mem_type)(MEM_DEVICE_nGnRnE + (attribute >> 2 & 3));
    if (attribute == 0x44)
        return MEM_NORMAL_NC;
    if ((attribute >> 4 & 0xC) == 0xC && (attribute & 0xC) == 0xC)
        return MEM_NORMAL_WB;
    return attribute >> 4 == 4 || (attribute & 15) == 4 ? MEM_NORMAL_NC : MEM_NORMAL_WT;
}

/* What a walk needs to know of its range. */
struct walk {
    uint64_t va, table;
    unsigned granule_shift; /* 12, 14, 16 */
    unsigned input_bits;    /* 64 - TxSZ */
    unsigned output_bits;
    bool cacheable;
    unsigned regime;
};

static unsigned output_bits(unsigned ips)
{
    static const uint8_t bits[] = {32, 36, 40, 42, 44, 48, 48, 48};

    return bits[ips & 7];
}

static bool top_byte_ignored(uint64_t tcr, bool upper, unsigned regime)
{
    return regime ? tcr >> 20 & 1 : tcr >> (upper ? 38 : 37) & 1;
}

/* The address that is translated: where the top byte is ignored, bit 55 takes its place, so that all tags share one
 * entry. */
static uint64_t untagged(const struct cpu *cpu, uint64_t va, unsigned regime)
{
    bool upper = regime == 0 && (va >> 55 & 1);

    if (!top_byte_ignored(cpu->sys.tcr[regime ? 2 : 1], upper, regime))
        return va;
    return regime ? va << 8 >> 8 : (uint64_t)((int64_t)(va << 8) >> 8);
}

/* TG0 and TG1 are encoded differently. */
static unsigned granule_of(uint64_t tcr, bool upper)
{
    static const uint8_t tg0[] = {12, 16, 14, 12}, tg1[] = {12, 14, 12, 16};

    return upper ? tg1[tcr >> 30 & 3] : tg0[tcr >> 14 & 3];
}

/* Chooses the table base for an untagged va; false: the address lies in neither range, or the walk is disabled. */
static bool walk_begin(const struct cpu *cpu, uint64_t va, unsigned regime, struct walk *walk)
{
    unsigned el = regime ? 2 : 1;
    uint64_t tcr = cpu->sys.tcr[el];
    bool upper = regime == 0 && (va >> 55 & 1);
    unsigned tsz = (unsigned)(tcr >> (upper ? 16 : 0)) & 63;

    walk->va = va;
    walk->regime = regime;
    walk->granule_shift = granule_of(tcr, upper);
    if (tsz < 16)
        tsz = 16; /* out of range values: the nearest, as DDI 0487 D8.2 permits */
    if (tsz > 39)
        tsz = 39;
    walk->input_bits = 64 - tsz;
    walk->output_bits = output_bits((unsigned)(tcr >> (regime ? 16 : 32)));
    if (regime == 0 && (tcr >> (upper ? 23 : 7) & 1)) /* EPD */
        return false;
    if (upper ? ~va >> walk->input_bits : va >> walk->input_bits)
        return false;
    walk->table = upper ? cpu->sys.ttbr1[1] : cpu->sys.ttbr0[el];
    /* SCTLR_ELx.C = 0 makes the walks Non-cacheable too. */
    walk->cacheable =
        (cpu->sys.sctlr[el] & SCTLR_C) && (tcr >> (upper ? 26 : 10) & 3) != 0 && (tcr >> (upper ? 24 : 8) & 3) != 0;
    return true;
}

static bool read_descriptor(struct cpu *cpu, const struct walk *walk, uint64_t pa, uint64_t *descriptor,
                            uint64_t *time_ps)
{
    struct txn txn = {.kind = TXN_READ,
                      .addr = pa,
                      .size = 8,
                      .data = (uint8_t *)descriptor,
                      .type = MEM_NORMAL_NC,
                      .sh = SH_OUTER,
                      .privileged = true,
                      .start_ps = *time_ps};

    if (walk->cacheable) {
        struct line_grant grant = cpu->bus.line(cpu->bus.ctx, pa, LINE_WALK, *time_ps);
        if (grant.status != TXN_OK)
            return false;
        memcpy(descriptor, grant.data + (pa & (LINE_BYTES - 1)), 8);
        *time_ps = grant.done_ps;
        return true;
    }
    cpu->bus.access(cpu->bus.ctx, &txn);
    *time_ps = txn.done_ps;
    return txn.status == TXN_OK;
}

static unsigned level_shift(const struct walk *walk, unsigned level)
{
    return walk->granule_shift + (3 - level) * (walk->granule_shift - 3);
}

static unsigned start_level(const struct walk *walk)
{
    unsigned level = 3;

    while (level > 0 && walk->input_bits > level_shift(walk, level) + walk->granule_shift - 3)
        level--;
    return level;
}

/* The base register is aligned to the size of the first table, at least to 64 bytes; lower bits (CnP among them) do not
 * count. */
static uint64_t root_table(const struct walk *walk, unsigned width)
{
    unsigned align = width + 3 > 6 ? width + 3 : 6;

    return walk->table & ((1ull << PA_BITS) - 1) & ~((1ull << align) - 1);
}

static bool block_allowed(const struct walk *walk, unsigned level)
{
    return level == 3 || level == 2 || (level == 1 && walk->granule_shift == 12);
}

/* Attributes of a leaf; tables holds the inherited APTable, XNTable, PXNTable bits. */
static void leaf_entry(const struct cpu *cpu, const struct walk *walk, uint64_t descriptor, uint64_t tables,
                       unsigned shift, unsigned level, struct tlb_entry *entry)
{
    unsigned el = walk->regime ? 2 : 1;

    *entry = (struct tlb_entry){.va_tag = walk->va >> shift,
                                .pa = descriptor & ((1ull << PA_BITS) - 1) & ~((1ull << shift) - 1),
                                .shift = (uint8_t)shift,
                                .level = (uint8_t)level,
                                .regime = (uint8_t)walk->regime};
    entry->memtype = (uint8_t)type_of_attribute((uint8_t)(cpu->sys.mair[el] >> (descriptor >> 2 & 7) * 8));
    /* Device and Non-cacheable memory is Outer Shareable whatever SH says (DDI 0487 D8.6.2). */
    entry->sh = entry->memtype <= MEM_NORMAL_NC ? SH_OUTER : descriptor >> 8 & 3;
    entry->ap = descriptor >> 6 & 3;
    if (tables >> 62 & 1)
        entry->ap |= 2;
    if (tables >> 61 & 1)
        entry->ap &= 2;
    entry->pxn = (descriptor >> 53 & 1) | (tables >> 59 & 1);
    entry->uxn = (descriptor >> 54 & 1) | (tables >> 60 & 1);
    entry->ng = descriptor >> 11 & 1;
    entry->global = walk->regime || !entry->ng;
    entry->asid = current_asid(cpu);
}

/* Walks the tables. 0, or the fault status; entry is valid with 0. */
static uint8_t walk_tables(struct cpu *cpu, struct walk *walk, struct tlb_entry *entry, uint64_t *time_ps)
{
    unsigned level = start_level(walk);
    unsigned width = walk->input_bits - level_shift(walk, level);
    uint64_t table = root_table(walk, width);
    uint64_t inherited = 0, descriptor = 0;

    if (table >> walk->output_bits)
        return FSC_ADDRESS_SIZE_LEVEL_0;
    for (;; level++) {
        unsigned shift = level_shift(walk, level);
        uint64_t index = walk->va >> shift & ((1ull << width) - 1);
        if (!read_descriptor(cpu, walk, table + index * 8, &descriptor, time_ps))
            return (uint8_t)(FSC_WALK_EXTERNAL + level);
        bool leaf = level == 3 || !(descriptor & 2);
        if (!(descriptor & 1) || (level == 3 && !(descriptor & 2)) || (leaf && !block_allowed(walk, level)))
            return (uint8_t)(FSC_TRANSLATION + level);
        uint64_t address = descriptor & ((1ull << PA_BITS) - 1) & ~((1ull << (leaf ? shift : walk->granule_shift)) - 1);
        if (address >> walk->output_bits)
            return level ? (uint8_t)(FSC_ADDRESS_SIZE + level) : FSC_ADDRESS_SIZE_LEVEL_0;
        if (leaf) {
            if (!(descriptor >> 10 & 1))
                return (uint8_t)(FSC_ACCESS_FLAG + level);
            leaf_entry(cpu, walk, descriptor, inherited, shift, level, entry);
            return 0;
        }
        inherited |= descriptor;
        table = address;
        width = walk->granule_shift - 3;
    }
}

static bool may_write(const struct cpu *cpu, const struct tlb_entry *entry, bool privileged)
{
    if (entry->regime)
        return !(entry->ap & 2);
    if (privileged)
        return !(entry->ap & 2) && !(cpu->pstate.pan && (entry->ap & 1));
    return entry->ap == 1;
}

static bool may_read(const struct cpu *cpu, const struct tlb_entry *entry, bool privileged)
{
    if (entry->regime)
        return true;
    return privileged ? !(cpu->pstate.pan && (entry->ap & 1)) : entry->ap & 1;
}

/* Table D8-65: execution is refused also where the other privilege could write, or by WXN. */
static bool may_execute(const struct cpu *cpu, const struct tlb_entry *entry, bool privileged)
{
    bool wxn = cpu->sys.sctlr[entry->regime ? 2 : 1] & SCTLR_WXN;

    if (entry->regime)
        return !entry->uxn && !(wxn && !(entry->ap & 2));
    if (privileged)
        return !entry->pxn && entry->ap != 1 && !(wxn && !(entry->ap & 2));
    return !entry->uxn && !(wxn && entry->ap == 1);
}

static uint8_t permission(const struct cpu *cpu, const struct tlb_entry *entry, enum mmu_access access, bool privileged)
{
    bool allowed = access == MMU_FETCH   ? may_execute(cpu, entry, privileged)
                   : access == MMU_WRITE ? may_write(cpu, entry, privileged)
                                         : may_read(cpu, entry, privileged);

    return allowed ? 0 : (uint8_t)(FSC_PERMISSION + entry->level);
}

static struct translation flat(const struct cpu *cpu, uint64_t va, enum mmu_access access, uint64_t sctlr,
                               uint64_t start_ps)
{
    struct translation result = {.pa = va,
                                 .done_ps = start_ps,
                                 .type = MEM_DEVICE_nGnRnE,
                                 .sh = SH_OUTER,
                                 .writable = true,
                                 .flat = true,
                                 .epoch = cpu->translation_epoch};

    if (access == MMU_FETCH)
        result.type = sctlr & SCTLR_I ? MEM_NORMAL_WB : MEM_NORMAL_NC;
    if (va >> PA_BITS)
        result.fault = FSC_ADDRESS_SIZE_LEVEL_0;
    return result;
}

/* Walks and keeps the result, unless a TLBI arrived during the walk: then it serves this access only. 0, or the fault
 * status. */
static uint8_t fill(struct cpu *cpu, uint64_t va, unsigned regime, struct tlb_entry *found, struct translation *result)
{
    struct walk walk;
    uint8_t fault;

    if (!walk_begin(cpu, va, regime, &walk))
        return FSC_TRANSLATION;
    fault = walk_tables(cpu, &walk, found, &result->done_ps);
    if (!fault && result->epoch == cpu->translation_epoch)
        tlb_add(cpu->mmu, va, found);
    return fault;
}

struct translation mmu_translate(struct cpu *cpu, uint64_t va, enum mmu_access access, bool unprivileged,
                                 uint64_t start_ps)
{
    unsigned regime = cpu->pstate.el == 2;
    uint64_t sctlr = cpu->sys.sctlr[regime ? 2 : 1];
    bool privileged = cpu->pstate.el > 0 && !unprivileged;
    struct translation result = {.done_ps = start_ps, .epoch = cpu->translation_epoch};
    const struct tlb_entry *entry;
    struct tlb_entry found;

    va = untagged(cpu, va, regime);
    if (!(sctlr & SCTLR_M))
        return flat(cpu, va, access, sctlr, start_ps);
    entry = tlb_find(cpu->mmu, va, regime, current_asid(cpu));
    if (!entry) {
        result.fault = fill(cpu, va, regime, &found, &result);
        if (result.fault)
            return result;
        entry = &found;
    }
    result.fault = permission(cpu, entry, access, privileged);
    result.pa = entry->pa | (va & ((1ull << entry->shift) - 1));
    result.type = (enum mem_type)entry->memtype;
    result.sh = (enum shareability)entry->sh;
    result.writable = may_write(cpu, entry, privileged);
    if (access == MMU_FETCH && result.type == MEM_NORMAL_WB && !(sctlr & SCTLR_I))
        result.type = MEM_NORMAL_NC;
    if (access != MMU_FETCH && result.type == MEM_NORMAL_WB && !(sctlr & SCTLR_C))
        result.type = MEM_NORMAL_NC;
    if (access == MMU_FETCH && result.type <= MEM_DEVICE_GRE && !result.fault)
        result.type = MEM_NORMAL_NC; /* CONSTRAINED UNPREDICTABLE: fetched as Normal Non-cacheable */
    return result;
}

bool mmu_debug_translate(struct cpu *cpu, uint64_t va, uint64_t *pa)
{
    unsigned regime = cpu->pstate.el == 2;
    struct walk walk;
    uint64_t table, descriptor = 0;
    unsigned width, level;

    va = untagged(cpu, va, regime);
    *pa = va;
    if (!(cpu->sys.sctlr[regime ? 2 : 1] & SCTLR_M))
        return !(va >> PA_BITS);
    if (!walk_begin(cpu, va, regime, &walk) || !cpu->bus.debug)
        return false;
    level = start_level(&walk);
    width = walk.input_bits - level_shift(&walk, level);
    table = root_table(&walk, width);
    for (;; level++) {
        unsigned shift = level_shift(&walk, level);
        uint64_t index = va >> shift & ((1ull << width) - 1);
        if (!cpu->bus.debug(cpu->bus.ctx, table + index * 8, &descriptor, 8, false) || !(descriptor & 1))
            return false;
        if (level == 3 ? !(descriptor & 2) : !(descriptor & 2) && !block_allowed(&walk, level))
            return false;
        if (level == 3 || !(descriptor & 2)) {
            *pa = (descriptor & ((1ull << PA_BITS) - 1) & ~((1ull << shift) - 1)) | (va & ((1ull << shift) - 1));
            return true;
        }
        table = descriptor & ((1ull << PA_BITS) - 1) & ~((1ull << walk.granule_shift) - 1);
        width = walk.granule_shift - 3;
    }
}

/* Fields of a TLBI encoding: op1 << 11 | CRn << 7 | CRm << 3 | op2. */
static unsigned tlbi_op1(uint16_t encoding)
{
    return encoding >> 11 & 7;
}
static unsigned tlbi_crm(uint16_t encoding)
{
    return encoding >> 3 & 15;
}
static unsigned tlbi_op2(uint16_t encoding)
{
    return encoding & 7;
}

/* IPAS2E1, IPAS2LE1 and their IS forms: there is no stage 2, so nothing matches. */
static bool tlbi_is_stage2(uint16_t encoding)
{
    unsigned crm = tlbi_crm(encoding), op2 = tlbi_op2(encoding);

    return tlbi_op1(encoding) == 4 && (crm == 0 || crm == 4) && (op2 == 1 || op2 == 5);
}

bool mmu_tlbi_known(uint16_t encoding)
{
    unsigned crm = tlbi_crm(encoding), op2 = tlbi_op2(encoding);

    if (tlbi_is_stage2(encoding))
        return true;
    if (crm != 3 && crm != 7)
        return false; /* Outer Shareable and range forms came with v8.4 */
    if (tlbi_op1(encoding) == 0)
        return op2 == 0 || op2 == 1 || op2 == 2 || op2 == 3 || op2 == 5 || op2 == 7;
    return tlbi_op1(encoding) == 4 && (op2 == 0 || op2 == 1 || op2 == 4 || op2 == 5 || op2 == 6);
}

bool mmu_tlbi_is_broadcast(uint16_t encoding)
{
    return tlbi_crm(encoding) == 3 || tlbi_crm(encoding) == 0;
}

void mmu_tlbi(struct cpu *cpu, const struct tlbi_request *tlbi)
{
    unsigned op2 = tlbi_op2(tlbi->encoding);
    bool el2_form = tlbi_op1(tlbi->encoding) == 4;
    bool el1_regime = !el2_form || op2 == 4 || op2 == 6; /* ALLE1, VMALLS12E1 */
    struct tlb_filter filter = {.regime = el1_regime ? 0 : 1,
                                .va = (uint64_t)((int64_t)(tlbi->operand << 20) >> 8),
                                .asid = (uint16_t)(tlbi->operand >> 48) & asid_mask(cpu)};

    cpu->translation_epoch++;
    if (tlbi_is_stage2(tlbi->encoding))
        return;
    if (el2_form) {
        filter.va_valid = op2 == 1 || op2 == 5;
    } else {
        filter.va_valid = op2 == 1 || op2 == 3 || op2 == 5 || op2 == 7;
        filter.asid_valid = op2 == 1 || op2 == 2 || op2 == 5;
    }
    tlb_invalidate(cpu->mmu, &filter);
    l0_flush(cpu);
    fetch_flush(cpu);
}

struct translation mmu_translate_maintenance(struct cpu *cpu, uint64_t va, enum mmu_access access, uint64_t start_ps)
{
    uint8_t pan = cpu->pstate.pan;
    struct translation result;

    cpu->pstate.pan = 0;
    result = mmu_translate(cpu, va, access, false, start_ps);
    cpu->pstate.pan = pan;
    return result;
}

void mmu_address_translate(struct cpu *cpu, unsigned op2, uint64_t va)
{
    static const uint8_t attributes[] = {0x00, 0x04, 0x08, 0x0C, 0x44, 0xBB, 0xFF};
    enum mmu_access access = op2 & 1 ? MMU_WRITE : MMU_READ;
    unsigned el = cpu->pstate.el;
    struct translation result;

    cpu->pstate.el = op2 & 2 ? 0 : 1;
    result = mmu_translate_maintenance(cpu, va, access, cpu->now_ps);
    cpu->pstate.el = (uint8_t)el;
    if (result.fault)
        cpu->sys.par = 1 | (uint64_t)(result.fault & FSC_MASK) << 1 | 1ull << 11;
    else
        cpu->sys.par = (result.pa & 0x0000FFFFFFFFF000ull) | (uint64_t)result.sh << 7 | 1ull << 11 |
                       (uint64_t)attributes[result.type] << 56;
}
