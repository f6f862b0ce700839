/* Life of an SMMUv3 and the rules that its configuration keeps. */
#include "smmu/smmu.h"

#include <stdlib.h>

#include "smmu/smmu_internal.h"

#define ECMDQ_MOST_BITS 12u

static bool power_of_two(uint32_t value)
{
    return value && (value & (value - 1)) == 0;
}

static bool output_size_exists(unsigned bits)
{
    return bits == 32 || bits == 36 || bits == 40 || bits == 42 || bits == 44 || bits == 48;
}

static void check_ecmdq(const struct smmu_config *c, struct error_list *errors)
{
    if (!c->ecmdq)
        return;
    if (!c->cohacc)
        error_add(errors, NULL,
                  "smmu.ecmdq needs smmu.cohacc: IDR1.ECMDQ = 1 only with IDR0.COHACC = 1 (IHI 0070 6.3.2)");
    if (!c->msi)
        error_add(errors, NULL, "smmu.ecmdq needs smmu.msi: IDR1.ECMDQ = 1 only with IDR0.MSI = 1 (IHI 0070 6.3.2)");
    if (c->ecmdq_page_bits > 8 || c->ecmdq_queue_bits > 8)
        error_add(errors, NULL,
                  "smmu.ecmdq_page_bits is %u and smmu.ecmdq_queue_bits %u; each is at most 8 (IHI 0070 6.3.45)",
                  c->ecmdq_page_bits, c->ecmdq_queue_bits);
    else if (c->ecmdq_page_bits + c->ecmdq_queue_bits > ECMDQ_MOST_BITS)
        error_add(errors, NULL, "smmu.ecmdq_page_bits + smmu.ecmdq_queue_bits is %u; this model holds 2^%u queues",
                  c->ecmdq_page_bits + c->ecmdq_queue_bits, ECMDQ_MOST_BITS);
}

static void check_identification(const struct smmu_config *c, struct error_list *errors)
{
    if (c->sid_bits > 32)
        error_add(errors, NULL, "smmu.sid_bits is %u; IDR1.SIDSIZE is at most 32 (IHI 0070 6.3.2)", c->sid_bits);
    if (c->sid_bits >= 7 && !c->two_level)
        error_add(errors, NULL,
                  "smmu.sid_bits is %u; from 7 on smmu.two_level must be true: IDR0.ST_LEVEL != 0 (IHI 0070 6.3.2)",
                  c->sid_bits);
    if (c->ssid_bits > 20)
        error_add(errors, NULL, "smmu.ssid_bits is %u; IDR1.SSIDSIZE is at most 20 (IHI 0070 6.3.2)", c->ssid_bits);
    if (!c->stage1 && !c->stage2)
        error_add(errors, NULL, "smmu.stage1 and smmu.stage2 are both false; IDR0 needs S1P or S2P (IHI 0070 6.3.1)");
    if (c->hyp && !(c->stage1 && c->stage2))
        error_add(errors, NULL,
                  "smmu.hyp needs smmu.stage1 and smmu.stage2: IDR0.HYP = 1 only with S1P = S2P = 1 (IHI 0070 6.3.1)");
    if (c->cmdq_bits > 19 || c->eventq_bits > 19)
        error_add(errors, NULL, "smmu.cmdq_bits is %u and smmu.eventq_bits %u; each is at most 19 (IHI 0070 6.3.2)",
                  c->cmdq_bits, c->eventq_bits);
    if (!output_size_exists(c->translator.output_bits))
        error_add(errors, NULL, "smmu.output_bits is %u; IDR5.OAS is 32, 36, 40, 42, 44 or 48 (IHI 0070 6.3.6)",
                  c->translator.output_bits);
}

static void check_sizes(const struct smmu_config *c, struct error_list *errors)
{
    const struct translator_config *t = &c->translator;

    if (t->tlb_ways == 0 || t->tlb_entries % t->tlb_ways || !power_of_two(t->tlb_entries / t->tlb_ways))
        error_add(errors, NULL,
                  "smmu.tlb_entries is %u and smmu.tlb_ways %u; the number of sets must be a power of two",
                  t->tlb_entries, t->tlb_ways);
    if (t->micro_entries == 0 || t->walk_cache_entries == 0 || c->config_entries == 0)
        error_add(errors, NULL, "smmu.micro_entries, smmu.walk_cache_entries and smmu.config_entries are at least 1");
    if (t->walk_slots == 0 || t->walk_slots > WALK_SLOTS_MOST)
        error_add(errors, NULL, "smmu.walk_slots is %u; it is 1 to %u", t->walk_slots, WALK_SLOTS_MOST);
    if (c->engines == 0 || c->engines > SMMU_ENGINES_MOST)
        error_add(errors, NULL, "smmu.engines is %u; it is 1 to %u", c->engines, SMMU_ENGINES_MOST);
    if (c->prefetch == 0 || c->prefetch > PREFETCH_MOST)
        error_add(errors, NULL, "smmu.prefetch is %u; it is 1 to %u", c->prefetch, PREFETCH_MOST);
    if (c->cmdq_weight == 0 || c->ecmdq_weight == 0)
        error_add(errors, NULL, "smmu.cmdq_weight and smmu.ecmdq_weight are at least 1");
}

bool smmu_config_check(const struct smmu_config *config, struct error_list *errors)
{
    size_t before = errors->count;

    check_identification(config, errors);
    check_ecmdq(config, errors);
    check_sizes(config, errors);
    return errors->count == before;
}

uint64_t smmu_register_bytes(const struct smmu_config *config)
{
    return config->ecmdq ? SMMU_ECMDQ_PAGES + (0x10000ull << config->ecmdq_page_bits) : 0x20000;
}

static bool allocate(struct smmu *smmu)
{
    const struct smmu_config *c = &smmu->config;

    smmu->queue_count = 1 + (c->ecmdq ? 1u << (c->ecmdq_page_bits + c->ecmdq_queue_bits) : 0);
    smmu->queues = calloc(smmu->queue_count, sizeof(*smmu->queues));
    smmu->ready = calloc((smmu->queue_count + 63) / 64, sizeof(*smmu->ready));
    smmu->configs = calloc(c->config_entries, sizeof(*smmu->configs));
    smmu->engine_times = calloc(c->engines, sizeof(*smmu->engine_times));
    return smmu->queues && smmu->ready && smmu->configs && smmu->engine_times &&
           translator_create(&smmu->translator, &c->translator, &smmu->memory);
}

struct smmu *smmu_create(const struct smmu_config *config, const struct smmu_ports *ports, struct error_list *errors)
{
    struct smmu *smmu;

    if (!smmu_config_check(config, errors))
        return NULL;
    smmu = calloc(1, sizeof(*smmu));
    if (!smmu)
        return NULL;
    smmu->config = *config;
    smmu->ports = *ports;
    smmu->gbpa = 1u << 12; /* SHCFG: what bypasses the SMMU before software sets it up keeps its attributes */
    smmu->memory =
        (struct smmu_memory){ports->memory, config->requester, config->cohacc, config->translator.output_bits};
    if (!allocate(smmu)) {
        smmu_destroy(smmu);
        return NULL;
    }
    for (unsigned i = 0; i < config->engines; i++)
        smmu->engine_times[i] = ports->engines[i];
    return smmu;
}

void smmu_destroy(struct smmu *smmu)
{
    if (!smmu)
        return;
    translator_destroy(&smmu->translator);
    free(smmu->queues);
    free(smmu->ready);
    free(smmu->configs);
    free(smmu->engine_times);
    free(smmu);
}

const struct smmu_counters *smmu_counters(const struct smmu *smmu)
{
    return &smmu->counters;
}

void smmu_observe_queues(struct smmu *smmu, const struct smmu_observer *observer)
{
    smmu->observer = *observer;
}

void smmu_observe(struct smmu *smmu, const struct translation_observer *observer)
{
    smmu->translator.observer = *observer;
}

const struct translator_counters *smmu_translator_counters(const struct smmu *smmu)
{
    return &smmu->translator.counters;
}
