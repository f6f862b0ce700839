/* VMSAv8-64 table walks (Arm DDI 0487 D8.2-D8.6). Faults come in the order of IHI 0070 7.3.22. */
#include "smmu/walker.h"

/* IOTLB_TABLE.table_flags: what APTable, XNTable and PXNTable of the tables above forbid. */
enum { TABLE_NO_USER = 1, TABLE_READ_ONLY = 2, TABLE_XN = 4, TABLE_PXN = 8 };

/* A walk in progress through the tables of one stage. */
struct walk {
    struct translator *translator;
    const struct translation_context *context;
    const struct translation_stage *stage;
    const struct table_base *base;
    bool stage2;
    enum fault_class what; /* stage 2: what is being translated */
    uint64_t input;        /* VA or IPA */
    uint64_t table;        /* of the current level: an IPA in stage 1 of a nested context */
    unsigned level, flags;
    uint64_t descriptor;
    struct translation *failed;
    uint64_t *t_ps;
};

static bool fail(struct walk *walk, enum translation_fault fault)
{
    *walk->failed = (struct translation){
        .fault = fault, .stage2 = walk->stage2, .what = walk->stage2 ? walk->what : CLASS_IN, .ipa = walk->input};
    return false;
}

static unsigned level_shift(const struct table_base *base, unsigned level)
{
    return base->granule_bits + (3 - level) * (base->granule_bits - 3);
}

unsigned stage1_start_level(unsigned tsz, unsigned granule_bits)
{
    unsigned stride = granule_bits - 3, bits = 64 - tsz - granule_bits;

    return 4 - (bits + stride - 1) / stride;
}

uint64_t walker_canonical(const struct translation_stage *stage, uint64_t va)
{
    bool upper = va >> 55 & 1;

    if (!stage->base[upper].top_byte_ignored)
        return va;
    return upper ? va | 0xFFull << 56 : va & ~(0xFFull << 56);
}

/* Which table base; false: the address is in none, or its half is disabled. */
static bool choose_base(struct walk *walk)
{
    bool upper = !walk->stage2 && (walk->input >> 55 & 1);
    const struct table_base *base = &walk->stage->base[upper];
    unsigned bits = 64 - base->tsz;
    uint64_t top = bits < 64 ? walk->input >> bits : 0;

    walk->base = base;
    if (!base->enabled)
        return false;
    return upper ? top == UINT64_MAX >> bits : top == 0;
}

static bool read_descriptor(struct walk *walk)
{
    unsigned shift = level_shift(walk->base, walk->level);
    unsigned top = walk->level == walk->base->start_level ? 64 - walk->base->tsz : shift + walk->base->granule_bits - 3;
    uint64_t index = (walk->input & ((1ull << top) - 1)) >> shift;
    uint64_t address = walk->table + index * 8;
    struct access_attributes how = walk->base->walk;
    enum txn_status status;

    if (!walk->stage2 && walk->context->stage2.enabled) {
        struct translation table = translate_ipa(walk->translator, walk->context, address, CLASS_TT, walk->t_ps);
        if (table.fault) {
            *walk->failed = table;
            return false;
        }
        address = table.pa;
        how = access_through_stage2(how, &table);
    }
    walk->translator->counters.walk_reads++;
    status = smmu_memory_read(&walk->translator->memory, address, &walk->descriptor, 8, how, walk->t_ps);
    *walk->t_ps += walk->translator->config.walk_step_ps;
    if (status != TXN_OK) {
        fail(walk, FAULT_WALK_EABT);
        walk->failed->what = walk->stage2 ? walk->what : CLASS_TT;
        walk->failed->fetch_address = address;
        return false;
    }
    if (walk->stage->big_endian)
        walk->descriptor = __builtin_bswap64(walk->descriptor);
    return true;
}

enum descriptor_kind { DESCRIPTOR_INVALID, DESCRIPTOR_TABLE, DESCRIPTOR_LEAF };

static enum descriptor_kind kind_of(const struct walk *walk)
{
    unsigned low = walk->descriptor & 3, level = walk->level;

    if (!(low & 1))
        return DESCRIPTOR_INVALID;
    if (level == 3)
        return low == 3 ? DESCRIPTOR_LEAF : DESCRIPTOR_INVALID;
    if (low == 3)
        return DESCRIPTOR_TABLE;
    return level == 2 || (level == 1 && walk->base->granule_bits == 12) ? DESCRIPTOR_LEAF : DESCRIPTOR_INVALID;
}

/* The address field of a descriptor, from bit low on. */
static uint64_t address_of(uint64_t descriptor, unsigned low)
{
    return descriptor & ((1ull << 48) - 1) & ~((1ull << low) - 1);
}

static bool fits(const struct walk *walk, uint64_t address)
{
    return address >> walk->stage->output_bits == 0;
}

static void gather_table_flags(struct walk *walk)
{
    uint64_t d = walk->descriptor;

    if (walk->stage2 || walk->base->no_hierarchy)
        return;
    walk->flags |= (d >> 61 & 1 ? TABLE_NO_USER : 0) | (d >> 62 & 1 ? TABLE_READ_ONLY : 0) |
                   (d >> 60 & 1 ? TABLE_XN : 0) | (d >> 59 & 1 ? TABLE_PXN : 0);
}

/* Down to the leaf; false: a fault is recorded. */
static bool descend(struct walk *walk)
{
    for (;;) {
        enum descriptor_kind kind;
        uint64_t next;
        if (!read_descriptor(walk))
            return false;
        kind = kind_of(walk);
        if (kind == DESCRIPTOR_INVALID)
            return fail(walk, FAULT_TRANSLATION);
        next = address_of(walk->descriptor,
                          kind == DESCRIPTOR_TABLE ? walk->base->granule_bits : level_shift(walk->base, walk->level));
        if (!fits(walk, next))
            return fail(walk, FAULT_ADDR_SIZE);
        if (kind == DESCRIPTOR_LEAF)
            return (walk->descriptor >> 10 & 1) || walk->stage->no_access_faults || fail(walk, FAULT_ACCESS);
        gather_table_flags(walk);
        walk->table = next;
        walk->level++;
    }
}

static enum mem_type type_of_mair(uint8_t attribute)
{
    static const enum mem_type device[] = {MEM_DEVICE_nGnRnE, MEM_DEVICE_nGnRE, MEM_DEVICE_nGRE, MEM_DEVICE_GRE};
    unsigned outer = attribute >> 4, inner = attribute & 15;

    if (outer == 0)
        return device[inner >> 2 & 3];
    if (outer == 4 || inner == 4)
        return MEM_NORMAL_NC;
    return (outer & 4) && (inner & 4) ? MEM_NORMAL_WB : MEM_NORMAL_WT;
}

static enum shareability sharing(enum mem_type type, unsigned sh)
{
    return type <= MEM_NORMAL_NC ? SH_OUTER : sh == 1 ? SH_NON : (enum shareability)sh;
}

/* The two-privilege regime of NS-EL1 and E2H, or the one-privilege regime of EL2 (DDI 0487 D8.4). */
static unsigned stage1_permissions(const struct walk *walk)
{
    uint64_t d = walk->descriptor;
    bool two = walk->context->world != WORLD_EL2;
    bool user = two && (d >> 6 & 1) && !(walk->flags & TABLE_NO_USER);
    bool write = !(d >> 7 & 1) && !(walk->flags & TABLE_READ_ONLY);
    bool xn = (d >> 54 & 1) || (walk->flags & TABLE_XN);
    bool pxn = two ? (d >> 53 & 1) || (walk->flags & TABLE_PXN) || (user && write) : xn;
    bool priv_write = write, user_write = user && write;
    unsigned rights = PRIV_READ | (write ? PRIV_WRITE : 0) | (user ? USER_READ : 0) | (user_write ? USER_WRITE : 0);

    if (!pxn && !(walk->stage->wxn && priv_write))
        rights |= PRIV_EXECUTE;
    if (!xn && !(walk->stage->wxn && user_write))
        rights |= USER_EXECUTE;
    if (walk->stage->uwxn && user_write)
        rights &= ~(unsigned)PRIV_EXECUTE;
    if (walk->stage->pan && user)
        rights &= ~(unsigned)(PRIV_READ | PRIV_WRITE);
    if (!two) { /* PnU means nothing */
        rights &= PRIV_READ | PRIV_WRITE | PRIV_EXECUTE;
        rights |= rights << 3;
    }
    return rights;
}

static unsigned stage2_permissions(uint64_t descriptor)
{
    unsigned ap = descriptor >> 6 & 3, xn = descriptor >> 53 & 3;
    unsigned one = (ap & 1 ? PRIV_READ : 0) | (ap & 2 ? PRIV_WRITE : 0);
    unsigned rights = one | one << 3;

    /* execution does not depend on the data rights: stage 2 can be execute-only */
    if (xn == 0 || xn == 3)
        rights |= PRIV_EXECUTE;
    if (xn == 0 || xn == 1)
        rights |= USER_EXECUTE;
    return rights;
}

static struct iotlb_entry entry_of(const struct walk *walk, enum iotlb_kind kind, unsigned size_bits, uint64_t output)
{
    uint64_t mask = (1ull << size_bits) - 1;

    return (struct iotlb_entry){.kind = (uint8_t)kind,
                                .world = (uint8_t)walk->context->world,
                                .vmid = walk->context->vmid,
                                .asid = walk->context->asid,
                                .size_bits = (uint8_t)size_bits,
                                .level = (uint8_t)walk->level,
                                .va = walk->input & ~mask,
                                .pa = output & ~mask,
                                .ready_ps = *walk->t_ps};
}

void walker_stage2(struct translator *translator, const struct translation_context *context, uint64_t ipa,
                   enum fault_class what, struct iotlb_entry *entry, struct translation *failed, uint64_t *t_ps)
{
    struct walk walk = {.translator = translator,
                        .context = context,
                        .stage = &context->stage2,
                        .stage2 = true,
                        .what = what,
                        .input = ipa,
                        .failed = failed,
                        .t_ps = t_ps};
    unsigned shift;

    if (!choose_base(&walk)) {
        fail(&walk, FAULT_TRANSLATION);
        return;
    }
    walk.level = walk.base->start_level;
    walk.table = walk.base->address;
    if (!descend(&walk))
        return;
    shift = level_shift(walk.base, walk.level);
    *entry = entry_of(&walk, IOTLB_STAGE2, shift, address_of(walk.descriptor, shift));
    entry->permissions = PERMISSION_ALL;
    entry->stage2_permissions = (uint8_t)stage2_permissions(walk.descriptor);
    entry->type = (uint8_t)type_of_memattr(walk.descriptor >> 2 & 15);
    entry->sh = (uint8_t)sharing((enum mem_type)entry->type, walk.descriptor >> 8 & 3);
    entry->ipa = entry->va;
}

/* The walk cache answers with the table nearest to the leaf. */
static void begin_stage1(struct walk *walk)
{
    struct iotlb_entry *table = iotlb_find_table(&walk->translator->walk_cache, walk->context, walk->input);

    walk->level = walk->base->start_level;
    walk->table = walk->base->address;
    if (!table)
        return;
    walk->level = table->level;
    walk->table = table->pa;
    walk->flags = table->table_flags;
    if (table->ready_ps > *walk->t_ps)
        *walk->t_ps = table->ready_ps;
}

/* The last table that the walk went through, unless it began there: its region is what one descriptor of the level
 * above covers. */
static void remember_table(const struct walk *walk, unsigned first_level)
{
    struct iotlb_entry entry;

    if (walk->level == first_level)
        return;
    entry = entry_of(walk, IOTLB_TABLE, level_shift(walk->base, walk->level - 1), 0);
    entry.pa = walk->table;
    entry.table_flags = (uint8_t)walk->flags;
    iotlb_insert(&walk->translator->walk_cache, &entry);
}

/* Both stages: the stronger attribute and the smaller region win (DDI 0487 D8.6.6). */
static void combine_with_stage2(struct walk *walk, struct iotlb_entry *entry)
{
    uint64_t ipa = entry->pa + (walk->input - entry->va), mask;
    enum mem_type type = (enum mem_type)entry->type;
    enum shareability sh = (enum shareability)entry->sh;
    struct iotlb_entry second, *found = iotlb_find(&walk->translator->main, IOTLB_STAGE2, walk->context, ipa);

    if (!found) {
        walker_stage2(walk->translator, walk->context, ipa, CLASS_IN, &second, walk->failed, walk->t_ps);
        if (walk->failed->fault)
            return;
        iotlb_insert(&walk->translator->main, &second);
        found = &second;
    }
    if (found->size_bits < entry->size_bits)
        entry->size_bits = found->size_bits;
    mask = (1ull << entry->size_bits) - 1;
    entry->va = walk->input & ~mask;
    entry->ipa = ipa & ~mask;
    entry->pa = found->pa + (entry->ipa - found->va);
    entry->stage2_permissions = found->stage2_permissions;
    combine_attributes(&type, &sh, (enum mem_type)found->type, (enum shareability)found->sh);
    entry->type = (uint8_t)type;
    entry->sh = (uint8_t)sh;
}

void walker_stage1(struct translator *translator, const struct translation_context *context,
                   const struct translation_request *request, struct iotlb_entry *entry, struct translation *failed,
                   uint64_t *t_ps)
{
    struct walk walk = {.translator = translator,
                        .context = context,
                        .stage = &context->stage1,
                        .input = request->va,
                        .failed = failed,
                        .t_ps = t_ps};
    unsigned shift, first_level;
    bool nested = context->stage2.enabled;

    if (!choose_base(&walk)) {
        fail(&walk, FAULT_TRANSLATION);
        return;
    }
    begin_stage1(&walk);
    first_level = walk.level;
    if (!descend(&walk))
        return;
    remember_table(&walk, first_level);
    shift = level_shift(walk.base, walk.level);
    *entry = entry_of(&walk, nested ? IOTLB_COMBINED : IOTLB_STAGE1, shift, address_of(walk.descriptor, shift));
    entry->global = !(walk.descriptor >> 11 & 1);
    entry->permissions = (uint8_t)stage1_permissions(&walk);
    entry->stage2_permissions = PERMISSION_ALL;
    entry->type = (uint8_t)type_of_mair((uint8_t)(context->stage1.mair >> (8 * (walk.descriptor >> 2 & 7))));
    entry->sh = (uint8_t)sharing((enum mem_type)entry->type, walk.descriptor >> 8 & 3);
    if (!nested)
        return;
    if (entry->permissions & permission_needed(request))
        combine_with_stage2(&walk, entry);
    else
        fail(&walk, FAULT_PERMISSION); /* stage 1 refuses before stage 2 is asked */
}
