/* The event queue, GERROR and the interrupts (IHI 0070 3.5.3, 3.18, 6.3.17, 7.2). */
#include <string.h>

#include "smmu/smmu_internal.h"

#define OVERFLOW_FLAG 0x80000000u

const struct smmu_event_info smmu_event_table[] = {
    {0x01, "F_UUT", SMMU_ABSENT, "no transaction is unsupported"},
    {0x02, "C_BAD_STREAMID", SMMU_FUNCTIONAL, NULL},
    {0x03, "F_STE_FETCH", SMMU_FUNCTIONAL, NULL},
    {0x04, "C_BAD_STE", SMMU_FUNCTIONAL, NULL},
    {0x05, "F_BAD_ATS_TREQ", SMMU_ABSENT, "IDR0.ATS = 0"},
    {0x06, "F_STREAM_DISABLED", SMMU_FUNCTIONAL, NULL},
    {0x07, "F_TRANSL_FORBIDDEN", SMMU_ABSENT, "IDR0.ATS = 0"},
    {0x08, "C_BAD_SUBSTREAMID", SMMU_FUNCTIONAL, NULL},
    {0x09, "F_CD_FETCH", SMMU_FUNCTIONAL, NULL},
    {0x0A, "C_BAD_CD", SMMU_FUNCTIONAL, NULL},
    {0x0B, "F_WALK_EABT", SMMU_FUNCTIONAL, NULL},
    {0x10, "F_TRANSLATION", SMMU_FUNCTIONAL, NULL},
    {0x11, "F_ADDR_SIZE", SMMU_FUNCTIONAL, NULL},
    {0x12, "F_ACCESS", SMMU_FUNCTIONAL, NULL},
    {0x13, "F_PERMISSION", SMMU_FUNCTIONAL, "TTRnW is 0: walks never write (IDR0.HTTU = 0)"},
    {0x20, "F_TLB_CONFLICT", SMMU_ABSENT, "overlapping entries do not conflict: the smaller wins"},
    {0x21, "F_CFG_CONFLICT", SMMU_ABSENT, "cannot happen"},
    {0x24, "E_PAGE_REQUEST", SMMU_ABSENT, "no speculative page requests"},
    {0x25, "F_VMS_FETCH", SMMU_ABSENT, "no VMS: IDR3.MPAM = 0"},
};
const unsigned smmu_event_count = sizeof(smmu_event_table) / sizeof(smmu_event_table[0]);

bool interrupt_send(struct smmu *smmu, const struct msi_registers *msi, unsigned spi, uint64_t at_ps)
{
    const struct irq_port *irq = &smmu->ports.irq;
    bool arrived = true;

    if (smmu->config.msi && msi->address) {
        uint8_t attributes = msi->attributes & 15, write_back = attributes == 15;
        struct access_attributes how = {write_back, write_back, (uint8_t)bits_of(msi->attributes, 5, 4)};
        uint64_t t_ps = at_ps;
        arrived = smmu_memory_write(&smmu->memory, msi->address, &msi->data, 4, how, &t_ps) == TXN_OK;
    }
    irq->set(irq->ctx, 0, smmu->config.intid + spi, true, at_ps);
    irq->set(irq->ctx, 0, smmu->config.intid + spi, false, at_ps);
    return arrived;
}

void gerror_raise(struct smmu *smmu, uint32_t bit, uint64_t at_ps)
{
    if ((smmu->gerror ^ smmu->gerrorn) & bit)
        return;
    smmu->gerror ^= bit;
    if ((smmu->irq_ctrl & IRQ_GERROR) && !interrupt_send(smmu, &smmu->gerror_msi, SPI_GERROR, at_ps))
        gerror_raise(smmu, GERROR_MSI_GERROR_ABT_ERR, at_ps);
}

static unsigned eventq_bits(const struct smmu *smmu)
{
    unsigned bits = bits_of(smmu->eventq_base, 4, 0);

    return bits > smmu->config.eventq_bits ? smmu->config.eventq_bits : bits;
}

/* Field [high:low], absolute bit numbers in the record. */
static void put(uint64_t *record, unsigned high, unsigned low, uint64_t value)
{
    record[low / 64] |= bits_of(value, high - low, 0) << low % 64;
}

static void encode(const struct event *event, uint64_t *record)
{
    bool faulted = event->type >= EVENT_WALK_EABT; /* the events with transaction flags */

    memset(record, 0, EVENT_BYTES);
    put(record, 7, 0, event->type);
    put(record, 63, 32, event->sid);
    if (event->ssv && event->type != EVENT_STREAM_DISABLED) {
        put(record, 11, 11, event->type != EVENT_BAD_SUBSTREAMID); /* there always valid: RES0 */
        put(record, 31, 12, event->ssid);
    }
    if (event->type == EVENT_STE_FETCH || event->type == EVENT_CD_FETCH)
        put(record, 247, 195, event->fetch_address >> 3);
    if (!faulted)
        return;
    put(record, 97, 97, event->privileged);
    put(record, 98, 98, event->instruction && event->read);
    put(record, 99, 99, event->read);
    put(record, 103, 103, event->stage2);
    put(record, 105, 104, event->class);
    put(record, 191, 128, event->input);
    if (event->type == EVENT_WALK_EABT)
        put(record, 247, 195, event->fetch_address >> 3);
    else if (event->stage2)
        put(record, 247, 204, event->ipa >> 12);
}

void event_record(struct smmu *smmu, const struct event *event, uint64_t at_ps)
{
    unsigned bits = eventq_bits(smmu);
    uint64_t base = bits_of(smmu->eventq_base, 55, 5) << 5, record[EVENT_BYTES / 8], t_ps = at_ps;
    uint32_t prod = queue_pointer(smmu->eventq_prod, bits), cons = queue_pointer(smmu->eventq_cons, bits);
    bool was_empty = prod == cons;

    if (!(smmu->cr0ack & CR0_EVENTQEN) || smmu->eventq_failed) {
        smmu->counters.events_lost++;
        return;
    }
    if (queue_full(prod, cons, bits)) {
        smmu->counters.events_lost++;
        if (!((smmu->eventq_prod ^ smmu->eventq_cons) & OVERFLOW_FLAG))
            smmu->eventq_prod ^= OVERFLOW_FLAG;
        return;
    }
    encode(event, record);
    base = (base & ~(((uint64_t)EVENT_BYTES << bits) - 1)) + (uint64_t)EVENT_BYTES * queue_index(prod, bits);
    if (smmu_memory_write(&smmu->memory, base, record, EVENT_BYTES, queue_attributes(smmu), &t_ps) != TXN_OK) {
        smmu->eventq_failed = true;
        gerror_raise(smmu, GERROR_EVENTQ_ABT_ERR, t_ps);
        return;
    }
    smmu->counters.events++;
    smmu->eventq_prod = (smmu->eventq_prod & OVERFLOW_FLAG) | queue_next(prod, bits);
    if (was_empty && (smmu->irq_ctrl & IRQ_EVENTQ) && !interrupt_send(smmu, &smmu->eventq_msi, SPI_EVENTQ, t_ps))
        gerror_raise(smmu, GERROR_MSI_EVENTQ_ABT_ERR, t_ps);
}
