/* A master's transaction through the SMMU (IHI 0070 3.3, 3.12, 13). */
#include <string.h>

#include "smmu/smmu_internal.h"

static void end_with_fault(struct txn *txn, uint64_t t_ps)
{
    txn->status = TXN_FAULT;
    txn->done_ps = t_ps;
}

static void send_on(struct smmu *smmu, struct txn *txn)
{
    smmu->ports.memory.access(smmu->ports.memory.ctx, txn);
    if (txn->done_ps > smmu->translator.in_flight_ps)
        smmu->translator.in_flight_ps = txn->done_ps;
}

/* A snoop is possible only for shareable Write-Back memory, and only by a master that can. */
static void set_attributes(struct txn *txn, enum mem_type type, enum shareability sh)
{
    txn->type = type;
    txn->sh = type <= MEM_NORMAL_NC ? SH_OUTER : sh;
    txn->coherent = txn->coherent && type == MEM_NORMAL_WB && sh != SH_NON;
}

/* SHCFG: 1 is the incoming one, 0, 2, 3 replace it. */
static void override_attributes(struct txn *txn, unsigned mtcfg, unsigned memattr, unsigned shcfg)
{
    set_attributes(txn, mtcfg ? type_of_memattr(memattr) : txn->type, shcfg == 1 ? txn->sh : (enum shareability)shcfg);
}

static void while_disabled(struct smmu *smmu, struct txn *txn)
{
    uint32_t gbpa = smmu->gbpa;

    if (bits_of(gbpa, 20, 20) || txn->addr >> smmu->config.translator.output_bits) {
        end_with_fault(txn, txn->start_ps);
        return;
    }
    override_attributes(txn, bits_of(gbpa, 4, 4), bits_of(gbpa, 3, 0), bits_of(gbpa, 13, 12));
    send_on(smmu, txn);
}

static struct event event_of(const struct txn *txn)
{
    return (struct event){.sid = txn->stream_id,
                          .ssid = txn->substream_id,
                          .ssv = txn->substream_valid,
                          .privileged = txn->privileged,
                          .instruction = txn->instruction,
                          .read = txn->kind == TXN_READ,
                          .class = CLASS_IN,
                          .input = txn->addr};
}

/* C_BAD_STREAMID is recorded only when CR2.RECINVSID says so; type 0 is never. */
static void refuse(struct smmu *smmu, struct txn *txn, const struct event *event, uint64_t t_ps)
{
    if (event->type != 0 && (event->type != EVENT_BAD_STREAMID || (smmu->cr2 & 2)))
        event_record(smmu, event, t_ps);
    end_with_fault(txn, t_ps);
}

/* CD.A, CD.R, STE.S2R (5.5): record or not, abort or RAZ/WI. */
static void refuse_translation(struct smmu *smmu, struct txn *txn, const struct stream_config *config,
                               const struct translation *result, uint64_t t_ps)
{
    const struct translation_context *context = &config->context;
    const struct translation_stage *stage = result->stage2 ? &context->stage2 : &context->stage1;
    struct event event = event_of(txn);

    event.type = (uint8_t)result->fault;
    event.stage2 = result->stage2;
    event.class = (uint8_t)result->what;
    event.ipa = result->ipa;
    event.fetch_address = result->fetch_address;
    if (result->fault == FAULT_WALK_EABT || stage->record)
        event_record(smmu, &event, t_ps);
    end_with_fault(txn, t_ps);
    if (result->fault == FAULT_WALK_EABT || stage->abort)
        return;
    txn->status = TXN_OK;
    if (txn->kind == TXN_READ)
        memset(txn->data, 0, txn->size);
}

/* Without stage 1 the input is the IPA: one that is too large is stage 1's fault, even so (3.4). */
static bool input_fits(struct smmu *smmu, struct txn *txn, const struct stream_config *config, uint64_t t_ps)
{
    struct event event = event_of(txn);

    if (config->context.stage1.enabled || txn->addr >> smmu->config.translator.output_bits == 0)
        return true;
    event.type = EVENT_ADDR_SIZE;
    refuse(smmu, txn, &event, t_ps);
    return false;
}

/* What goes out: stage 1's attributes, or the incoming ones after the overrides; combined with stage 2's (13.4). */
static void set_translated_attributes(struct txn *txn, const struct stream_config *config,
                                      const struct translation *result)
{
    enum mem_type type = result->type;
    enum shareability sh = result->sh;

    if (!config->context.stage1.enabled) {
        override_attributes(txn, config->mtcfg, config->memattr, config->shcfg);
        combine_attributes(&type, &sh, txn->type, txn->sh);
    }
    set_attributes(txn, type, sh);
}

static void bypass(struct smmu *smmu, struct txn *txn, const struct stream_config *config, uint64_t t_ps)
{
    txn->start_ps = t_ps;
    override_attributes(txn, config->mtcfg, config->memattr, config->shcfg);
    send_on(smmu, txn);
}

/* One transaction inside a 4 KiB page. */
static void translate_page(void *ctx, struct txn *txn)
{
    struct smmu *smmu = ctx;
    uint64_t t_ps = txn->start_ps;
    struct event event = event_of(txn);
    struct translation_request request = {.va = txn->addr, .write = txn->kind != TXN_READ};
    const struct stream_config *config;
    struct translation result;

    if (!(smmu->cr0ack & CR0_SMMUEN)) {
        while_disabled(smmu, txn);
        return;
    }
    config = stream_config_find(smmu, txn, &event, &t_ps);
    if (!config) {
        refuse(smmu, txn, &event, t_ps);
        return;
    }
    if (config->action == STREAM_ABORT) {
        end_with_fault(txn, t_ps);
        return;
    }
    txn->privileged = override_bit(txn->privileged, config->privcfg);
    txn->instruction = !request.write && override_bit(txn->instruction, config->instcfg);
    if (!input_fits(smmu, txn, config, t_ps))
        return;
    if (config->action == STREAM_BYPASS) {
        bypass(smmu, txn, config, t_ps);
        return;
    }
    request.privileged = txn->privileged;
    request.instruction = txn->instruction;
    result = translate(&smmu->translator, &config->context, &request, &t_ps);
    if (result.fault) {
        refuse_translation(smmu, txn, config, &result, t_ps);
        return;
    }
    translator_tell(&smmu->translator, txn, &result, t_ps);
    txn->addr = result.pa;
    txn->start_ps = t_ps;
    set_translated_attributes(txn, config, &result);
    send_on(smmu, txn);
}

void smmu_translate(struct smmu *smmu, struct txn *txn)
{
    for_each_page(txn, translate_page, smmu);
}
