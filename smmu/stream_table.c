/*
 * Stream table entries and context descriptors: fetched from memory, checked, cached (IHI 0070 3.3, 5.2, 5.4). Only
 * valid and legal ones are cached. The checks come in the order of 7.3.22.
 */
#include <string.h>

#include "smmu/smmu_internal.h"

#define STE_BYTES 64u
#define CD_BYTES  64u

enum { STRTAB_LINEAR, STRTAB_TWO_LEVEL };
enum { CONFIG_BYPASS = 4, CONFIG_STAGE1 = 1, CONFIG_STAGE2 = 2 }; /* STE.Config: 0b1xx, with the stages as bits */
enum { S1FMT_LINEAR, S1FMT_4KB, S1FMT_64KB };
enum { S1DSS_TERMINATE, S1DSS_BYPASS, S1DSS_CD0 };

/* One lookup: what it needs and where its answer goes. */
struct lookup {
    struct smmu *smmu;
    const struct txn *txn;
    struct event *event;
    struct stream_config *config;
    uint64_t *t_ps;
    uint64_t ste[8], cd[8];
};

static bool fail(struct lookup *lookup, uint8_t type)
{
    lookup->event->type = type;
    return false;
}

/* Field [high:low], absolute bit numbers in a record; inside one 64-bit word. */
static uint64_t field(const uint64_t *record, unsigned high, unsigned low)
{
    return bits_of(record[low / 64], high % 64, low % 64);
}

static struct access_attributes table_attributes(const struct smmu *smmu)
{
    return (struct access_attributes){bits_of(smmu->cr1, 7, 6), bits_of(smmu->cr1, 9, 8), bits_of(smmu->cr1, 11, 10)};
}

static bool fetch(struct lookup *lookup, uint64_t address, void *data, uint32_t bytes, struct access_attributes how,
                  uint8_t failure)
{
    if (smmu_memory_read(&lookup->smmu->memory, address, data, bytes, how, lookup->t_ps) == TXN_OK)
        return true;
    lookup->event->fetch_address = address;
    return fail(lookup, failure);
}

static uint64_t low_bits(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : value & ((1ull << bits) - 1);
}

/* Address of the STE (3.3.1). */
static bool find_ste(struct lookup *lookup, uint64_t *address)
{
    struct smmu *smmu = lookup->smmu;
    uint32_t sid = lookup->txn->stream_id, cfg = smmu->strtab_cfg;
    unsigned log2size = bits_of(cfg, 5, 0), split = bits_of(cfg, 10, 6), span;
    uint64_t base = low_bits(smmu->strtab_base, 56) & ~63ull, descriptor;

    if (log2size > smmu->config.sid_bits)
        log2size = smmu->config.sid_bits;
    if ((uint64_t)sid >> log2size)
        return fail(lookup, EVENT_BAD_STREAMID);
    if (!smmu->config.two_level || bits_of(cfg, 17, 16) != STRTAB_TWO_LEVEL) {
        *address = (base & ~(((uint64_t)STE_BYTES << log2size) - 1)) + (uint64_t)sid * STE_BYTES;
        return true;
    }
    if (split != 8 && split != 10)
        split = 6;
    if (log2size > split + 3)
        base &= ~((8ull << (log2size - split)) - 1);
    if (!fetch(lookup, base + 8 * (uint64_t)(sid >> split), &descriptor, 8, table_attributes(smmu), EVENT_STE_FETCH))
        return false;
    span = bits_of(descriptor, 4, 0);
    if (span == 0 || span > split + 1 || low_bits(sid, split) >> (span - 1))
        return fail(lookup, EVENT_BAD_STREAMID);
    base = low_bits(descriptor, 56) & ~(((uint64_t)STE_BYTES << (span - 1)) - 1);
    *address = base + low_bits(sid, split) * STE_BYTES;
    return true;
}

static unsigned bits_of_size_code(unsigned code)
{
    static const uint8_t bits[8] = {32, 36, 40, 42, 44, 48, 48, 48};

    return bits[code];
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Stage 2 of an STE; false: illegal. */
static bool decode_stage2(const struct smmu *smmu, const uint64_t *ste, struct translation_stage *stage)
{
    static const uint8_t granules[4] = {12, 16, 14, 0};
    /* start level by S2SL0; 4: reserved */
    static const uint8_t starts[3][4] = {{2, 1, 0, 4}, {3, 2, 1, 4}, {3, 2, 1, 4}};
    unsigned tg = field(ste, 175, 174), tsz = field(ste, 165, 160), bits = 64 - tsz, shift, granule = granules[tg];
    unsigned oas = smmu->config.translator.output_bits, start;
    struct table_base *base = &stage->base[0];

    if (granule == 0 || !field(ste, 179, 179) || tsz < 16 || tsz > 39)
        return false;
    start = starts[tg][field(ste, 167, 166)];
    if (start > 3)
        return false;
    shift = granule + (3 - start) * (granule - 3);
    if ((field(ste, 167, 166) == 2 && oas < (granule == 14 ? 42 : 44)) || field(ste, 184, 183))
        return false; /* the largest start level is for large memories (DDI 0487 D8.2); S2HA, S2HD: HTTU = 0 */
    /* the region needs a table at the start level, and at most 16 concatenated ones */
    if (bits <= shift || bits > shift + granule - 3 + (start == 0 ? 0 : 4) || bits > oas)
        return false;
    *stage = (struct translation_stage){.enabled = true,
                                        .output_bits = smaller(bits_of_size_code(field(ste, 178, 176)), oas),
                                        .big_endian = field(ste, 180, 180),
                                        .no_access_faults = field(ste, 181, 181),
                                        .protect_walk = field(ste, 182, 182),
                                        .abort = true,
                                        .record = field(ste, 186, 186)};
    *base = (struct table_base){
        .enabled = true,
        .tsz = tsz,
        .granule_bits = granule,
        .start_level = start,
        .walk = {(uint8_t)field(ste, 169, 168), (uint8_t)field(ste, 171, 170), (uint8_t)field(ste, 173, 172)}};
    base->address = field(ste, 247, 196) << 4 & ~((8ull << (bits - shift)) - 1);
    return base->address >> stage->output_bits == 0 && !field(ste, 185, 185) /* S2S: STALL_MODEL is terminate only */;
}

/* S1CDMax; without SubstreamIDs it is ignored. */
static unsigned substream_bits(const struct lookup *lookup)
{
    return lookup->smmu->config.ssid_bits ? field(lookup->ste, 63, 59) : 0;
}

/* False: illegal (5.2.2). */
static bool decode_ste(struct lookup *lookup)
{
    const struct smmu *smmu = lookup->smmu;
    struct stream_config *config = lookup->config;
    const uint64_t *ste = lookup->ste;
    unsigned mode = field(ste, 3, 1), strw;
    bool s1 = mode & CONFIG_STAGE1, s2 = mode & CONFIG_STAGE2;

    if (!field(ste, 0, 0))
        return false;
    if (!(mode & CONFIG_BYPASS)) {
        config->action = STREAM_ABORT;
        return true;
    }
    config->mtcfg = field(ste, 100, 100);
    config->memattr = field(ste, 99, 96);
    config->shcfg = field(ste, 109, 108);
    config->privcfg = field(ste, 113, 112);
    config->instcfg = field(ste, 115, 114);
    config->action = s1 || s2 ? STREAM_TRANSLATE : STREAM_BYPASS;
    if ((s1 && !smmu->config.stage1) || (s2 && !smmu->config.stage2))
        return false;
    if (smmu->config.stage2)
        config->context.vmid = (uint16_t)field(ste, 143, 128);
    strw = s1 && !s2 && smmu->config.hyp ? field(ste, 95, 94) : 0; /* ignored otherwise */
    if (s1 && ((strw & 1) || field(ste, 91, 91) /* S1STALLD */ || substream_bits(lookup) > smmu->config.ssid_bits ||
               (!s2 && low_bits(ste[0], 56) >> smmu->config.translator.output_bits)))
        return false;
    config->context.world = strw == 0 ? WORLD_NS_EL1 : smmu->cr2 & 1 ? WORLD_EL2_E2H : WORLD_EL2;
    if (config->context.world != WORLD_NS_EL1)
        config->context.vmid = 0;
    return !s2 || decode_stage2(smmu, ste, &config->context.stage2);
}

/* Fetch through stage 2 when there is one: CD pointers are then IPAs. out_of_range: the event of a PA above OAS. */
static bool fetch_cd_structure(struct lookup *lookup, uint64_t address, void *data, uint32_t bytes,
                               uint8_t out_of_range)
{
    const struct translation_context *context = &lookup->config->context;
    struct access_attributes how = {(uint8_t)field(lookup->ste, 67, 66), (uint8_t)field(lookup->ste, 69, 68),
                                    (uint8_t)field(lookup->ste, 71, 70)};

    if (context->stage2.enabled) {
        struct translation result = translate_ipa(&lookup->smmu->translator, context, address, CLASS_CD, lookup->t_ps);
        if (result.fault) {
            lookup->event->stage2 = true;
            lookup->event->class = CLASS_CD;
            lookup->event->ipa = address;
            lookup->event->fetch_address = result.fetch_address;
            lookup->event->input = lookup->txn->addr;
            if (!context->stage2.record && result.fault != FAULT_WALK_EABT)
                return fail(lookup, 0);
            return fail(lookup, (uint8_t)result.fault);
        }
        address = result.pa;
        how = access_through_stage2(how, &result);
    } else if (address >> lookup->smmu->config.translator.output_bits) {
        return fail(lookup, out_of_range);
    }
    return fetch(lookup, address, data, bytes, how, EVENT_CD_FETCH);
}

/* The CD of a SubstreamID (3.3.2). */
static bool fetch_cd(struct lookup *lookup, uint32_t ssid)
{
    uint64_t pointer = low_bits(lookup->ste[0], 56) & ~63ull, descriptor;
    unsigned format = substream_bits(lookup) ? field(lookup->ste, 5, 4) : S1FMT_LINEAR;
    unsigned leaf = format == S1FMT_64KB ? 10 : 6;

    if (format == S1FMT_LINEAR || format == 3 /* reserved: as 0 */)
        return fetch_cd_structure(lookup, pointer + (uint64_t)ssid * CD_BYTES, lookup->cd, CD_BYTES, EVENT_BAD_STE);
    if (!fetch_cd_structure(lookup, pointer + 8 * (uint64_t)(ssid >> leaf), &descriptor, 8, EVENT_BAD_STE))
        return false;
    if (!(descriptor & 1))
        return fail(lookup, EVENT_BAD_SUBSTREAMID);
    pointer = low_bits(descriptor, 56) & ~(((uint64_t)CD_BYTES << leaf) - 1);
    return fetch_cd_structure(lookup, pointer + low_bits(ssid, leaf) * CD_BYTES, lookup->cd, CD_BYTES,
                              EVENT_BAD_SUBSTREAMID);
}

/* One half (TTB0: upper = false) of a CD; false: illegal. EPDx is ignored in EL2, which has one half. */
static bool decode_half(const uint64_t *cd, bool upper, bool el2, struct translation_stage *stage)
{
    static const uint8_t granules[2][4] = {{12, 16, 14, 0}, {0, 14, 12, 16}};
    unsigned at = upper ? 16 : 0, tsz = field(cd, at + 5, at), granule = granules[upper][field(cd, at + 7, at + 6)];
    struct table_base *base = &stage->base[upper];
    unsigned bits;

    base->top_byte_ignored = field(cd, 38 + upper, 38 + upper);
    if (!el2 && field(cd, at + 14, at + 14)) { /* EPDx */
        base->tsz = 16;
        return true;
    }
    if (granule == 0 || tsz < 16 || tsz > 39)
        return false;
    base->enabled = true;
    base->tsz = tsz;
    base->granule_bits = granule;
    base->start_level = stage1_start_level(tsz, granule);
    base->no_hierarchy = upper ? field(cd, 129, 129) : field(cd, 65, 65);
    base->walk = (struct access_attributes){(uint8_t)field(cd, at + 9, at + 8), (uint8_t)field(cd, at + 11, at + 10),
                                            (uint8_t)field(cd, at + 13, at + 12)};
    bits = 64 - tsz - (granule + (3 - base->start_level) * (granule - 3)); /* index bits of the start level */
    base->address = (upper ? field(cd, 183, 132) : field(cd, 119, 68)) << 4;
    if (base->address >> stage->output_bits)
        return false;
    base->address &= ~((8ull << bits) - 1);
    return true;
}

/* False: illegal. */
static bool decode_cd(struct lookup *lookup)
{
    const uint64_t *cd = lookup->cd;
    struct translation_context *context = &lookup->config->context;
    struct translation_stage *stage = &context->stage1;

    /* V, AA64, HD and HA (HTTU = 0), S (terminate only) */
    if (!field(cd, 31, 31) || !field(cd, 41, 41) || field(cd, 43, 42) || field(cd, 44, 44))
        return false;
    *stage = (struct translation_stage){
        .enabled = true,
        .output_bits = smaller(bits_of_size_code(field(cd, 34, 32)), lookup->smmu->config.translator.output_bits),
        .big_endian = field(cd, 15, 15),
        .no_access_faults = field(cd, 35, 35),
        .wxn = field(cd, 36, 36),
        .uwxn = field(cd, 37, 37),
        .pan = field(cd, 40, 40),
        .record = field(cd, 45, 45),
        .abort = field(cd, 46, 46),
        .mair = cd[3]};
    if (context->world != WORLD_EL2)
        context->asid = (uint16_t)field(cd, 63, 48);
    if (!decode_half(cd, false, context->world == WORLD_EL2, stage))
        return false;
    if (context->world != WORLD_EL2)
        return decode_half(cd, true, false, stage);
    stage->base[1].tsz = 16; /* one half only */
    return true;
}

/* Which CD the transaction uses; *bypass: stage 1 is skipped (S1DSS = 1). */
static bool choose_cd(struct lookup *lookup, uint32_t *ssid, bool *bypass)
{
    const struct txn *txn = lookup->txn;
    unsigned max = substream_bits(lookup), dss = field(lookup->ste, 65, 64);
    bool stage1 = lookup->config->action == STREAM_TRANSLATE && (field(lookup->ste, 3, 1) & CONFIG_STAGE1);

    *ssid = 0;
    *bypass = !stage1;
    if (txn->substream_valid) {
        if (!stage1 || max == 0 || txn->substream_id >> max)
            return fail(lookup, EVENT_BAD_SUBSTREAMID);
        if (txn->substream_id == 0 && dss == S1DSS_CD0)
            return fail(lookup, EVENT_STREAM_DISABLED);
        *ssid = txn->substream_id;
        return true;
    }
    if (!stage1 || max == 0)
        return true;
    if (dss == S1DSS_TERMINATE || dss == 3 /* reserved: as 0 */)
        return fail(lookup, EVENT_STREAM_DISABLED);
    *bypass = dss == S1DSS_BYPASS;
    return true;
}

static bool fetch_config(struct lookup *lookup)
{
    uint64_t address;
    uint32_t ssid;
    bool bypass;

    if (!find_ste(lookup, &address) ||
        !fetch(lookup, address, lookup->ste, STE_BYTES, table_attributes(lookup->smmu), EVENT_STE_FETCH))
        return false;
    if (!decode_ste(lookup))
        return fail(lookup, EVENT_BAD_STE);
    if (lookup->config->action == STREAM_ABORT)
        return true;
    /* events tell what the transaction is after the STE's overrides (7.3) */
    lookup->event->privileged = override_bit(lookup->event->privileged, lookup->config->privcfg);
    lookup->event->instruction = override_bit(lookup->event->instruction, lookup->config->instcfg);
    if (!choose_cd(lookup, &ssid, &bypass))
        return false;
    if (bypass) {
        if (!lookup->config->context.stage2.enabled)
            lookup->config->action = STREAM_BYPASS;
        return true;
    }
    if (!fetch_cd(lookup, ssid))
        return false;
    return decode_cd(lookup) || fail(lookup, EVENT_BAD_CD);
}

static bool same_stream(const struct stream_config *config, const struct txn *txn)
{
    return config->valid && config->sid == txn->stream_id && config->ssv == txn->substream_valid &&
           (!config->ssv || config->ssid == txn->substream_id);
}

static struct stream_config *place_for(struct smmu *smmu)
{
    struct stream_config *place = smmu->configs;

    for (uint32_t i = 0; i < smmu->config.config_entries; i++) {
        if (!smmu->configs[i].valid)
            return &smmu->configs[i];
        if (smmu->configs[i].used < place->used)
            place = &smmu->configs[i];
    }
    return place;
}

const struct stream_config *stream_config_find(struct smmu *smmu, const struct txn *txn, struct event *event,
                                               uint64_t *t_ps)
{
    struct lookup lookup = {.smmu = smmu, .txn = txn, .event = event, .t_ps = t_ps};
    struct stream_config fresh = {
        .sid = txn->stream_id, .ssid = txn->substream_id, .ssv = txn->substream_valid, .used = ++smmu->config_clock};
    struct stream_config *place;

    *t_ps += smmu->config.config_ps;
    for (uint32_t i = 0; i < smmu->config.config_entries; i++)
        if (same_stream(&smmu->configs[i], txn)) {
            smmu->counters.config_hits++;
            smmu->configs[i].used = smmu->config_clock;
            return &smmu->configs[i];
        }
    smmu->counters.config_misses++;
    lookup.config = &fresh;
    if (!fetch_config(&lookup))
        return NULL;
    place = place_for(smmu);
    *place = fresh;
    place->valid = true;
    return place;
}

void stream_config_invalidate(struct smmu *smmu, uint32_t sid, uint64_t count, bool by_ssid, uint32_t ssid)
{
    for (uint32_t i = 0; i < smmu->config.config_entries; i++) {
        struct stream_config *config = &smmu->configs[i];
        if (count && (config->sid < sid || config->sid - (uint64_t)sid >= count))
            continue;
        if (by_ssid && (config->ssv ? config->ssid : 0) != ssid)
            continue;
        config->valid = false;
    }
}
