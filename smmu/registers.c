/* The register file of pages 0 and 1 (IHI 0070 6.2, 6.3): one table, one read and one write function. */
#include <string.h>

#include "smmu/smmu_internal.h"

/* Offsets from page 0. */
enum {
    IDR0 = 0x00,
    IDR1 = 0x04,
    IDR2 = 0x08,
    IDR3 = 0x0C,
    IDR4 = 0x10,
    IDR5 = 0x14,
    IIDR = 0x18,
    AIDR = 0x1C,
    CR0 = 0x20,
    CR0ACK = 0x24,
    CR1 = 0x28,
    CR2 = 0x2C,
    STATUSR = 0x40,
    GBPA = 0x44,
    AGBPA = 0x48,
    IRQ_CTRL = 0x50,
    IRQ_CTRLACK = 0x54,
    GERROR = 0x60,
    GERRORN = 0x64,
    GERROR_IRQ_CFG0 = 0x68,
    GERROR_IRQ_CFG1 = 0x70,
    GERROR_IRQ_CFG2 = 0x74,
    STRTAB_BASE = 0x80,
    STRTAB_BASE_CFG = 0x88,
    CMDQ_BASE = 0x90,
    CMDQ_PROD = 0x98,
    CMDQ_CONS = 0x9C,
    EVENTQ_BASE = 0xA0,
    EVENTQ_PROD_ALIAS = 0xA8,
    EVENTQ_CONS_ALIAS = 0xAC,
    EVENTQ_IRQ_CFG0 = 0xB0,
    EVENTQ_IRQ_CFG1 = 0xB8,
    EVENTQ_IRQ_CFG2 = 0xBC,
    PRIQ_BASE = 0xC0,
    PRIQ_IRQ_CFG0 = 0xD0,
    PRIQ_IRQ_CFG1 = 0xD8,
    PRIQ_IRQ_CFG2 = 0xDC,
    IDR6 = 0x190,
    ID_REGS = 0xFD0,
    CONTROL_PAGES = 0x4000,
    EVENTQ_PROD = 0x100A8,
    EVENTQ_CONS = 0x100AC,
};
#define CONTROL_PAGE_STRIDE 32u
#define PAGE_BYTES          0x10000u

#define FIELDS(name) name, sizeof(name) / sizeof((name)[0])
#define WHOLE(name)  name, 1

static const struct smmu_field idr0_fields[] = {
    {"S2P", 0, 0, SMMU_FUNCTIONAL, NULL},
    {"S1P", 1, 1, SMMU_FUNCTIONAL, NULL},
    {"TTF", 3, 2, SMMU_FUNCTIONAL, "2: AArch64 tables"},
    {"COHACC", 4, 4, SMMU_FUNCTIONAL, NULL},
    {"BTM", 5, 5, SMMU_ABSENT, "0: broadcast TLBIs are ignored"},
    {"HTTU", 7, 6, SMMU_ABSENT, "0: no hardware update of flags"},
    {"HYP", 9, 9, SMMU_FUNCTIONAL, NULL},
    {"ATS", 10, 10, SMMU_ABSENT, "0"},
    {"ASID16", 12, 12, SMMU_FUNCTIONAL, "1"},
    {"MSI", 13, 13, SMMU_FUNCTIONAL, NULL},
    {"SEV", 14, 14, SMMU_FUNCTIONAL, NULL},
    {"ATOS", 15, 15, SMMU_ABSENT, "0"},
    {"PRI", 16, 16, SMMU_ABSENT, "0"},
    {"VMID16", 18, 18, SMMU_FUNCTIONAL, "1 with stage 2"},
    {"CD2L", 19, 19, SMMU_FUNCTIONAL, "1"},
    {"TTENDIAN", 22, 21, SMMU_FUNCTIONAL, "0: mixed"},
    {"STALL_MODEL", 25, 24, SMMU_FUNCTIONAL, "1: terminate only"},
    {"TERM_MODEL", 26, 26, SMMU_FUNCTIONAL, "0: abort or RAZ/WI"},
    {"ST_LEVEL", 28, 27, SMMU_FUNCTIONAL, NULL},
};
static const struct smmu_field idr1_fields[] = {
    {"SIDSIZE", 5, 0, SMMU_FUNCTIONAL, NULL},
    {"SSIDSIZE", 10, 6, SMMU_FUNCTIONAL, NULL},
    {"PRIQS", 15, 11, SMMU_ABSENT, "0"},
    {"EVENTQS", 20, 16, SMMU_FUNCTIONAL, NULL},
    {"CMDQS", 25, 21, SMMU_FUNCTIONAL, NULL},
    {"ATTR_PERMS_OVR", 26, 26, SMMU_FUNCTIONAL, "1"},
    {"ATTR_TYPES_OVR", 27, 27, SMMU_FUNCTIONAL, "1"},
    {"QUEUES_PRESET", 29, 29, SMMU_FUNCTIONAL, "0"},
    {"TABLES_PRESET", 30, 30, SMMU_FUNCTIONAL, "0"},
    {"ECMDQ", 31, 31, SMMU_FUNCTIONAL, NULL},
};
static const struct smmu_field idr3_fields[] = {
    {"HAD", 2, 2, SMMU_FUNCTIONAL, "1"},
    {"XNX", 4, 4, SMMU_FUNCTIONAL, "1"},
    {"STT", 9, 9, SMMU_ABSENT, "0"},
    {"RIL", 10, 10, SMMU_FUNCTIONAL, NULL},
    {"BBML", 12, 11, SMMU_FUNCTIONAL, "2: changes of size need no break"},
};
static const struct smmu_field idr5_fields[] = {
    {"OAS", 2, 0, SMMU_FUNCTIONAL, NULL},           {"GRAN4K", 4, 4, SMMU_FUNCTIONAL, "1"},
    {"GRAN16K", 5, 5, SMMU_FUNCTIONAL, "1"},        {"GRAN64K", 6, 6, SMMU_FUNCTIONAL, "1"},
    {"VAX", 11, 10, SMMU_FUNCTIONAL, "0: 48 bits"}, {"STALL_MAX", 31, 16, SMMU_ABSENT, "0"},
};
static const struct smmu_field idr6_fields[] = {
    {"CMDQ_CONTROL_PAGE_LOG2NUMQ", 19, 16, SMMU_FUNCTIONAL, NULL},
    {"CMDQ_CONTROL_PAGE_LOG2NUMP", 27, 24, SMMU_FUNCTIONAL, NULL},
};
static const struct smmu_field cr0_fields[] = {
    {"SMMUEN", 0, 0, SMMU_FUNCTIONAL, NULL},
    {"PRIQEN", 1, 1, SMMU_ABSENT, "RES0: IDR0.PRI = 0"},
    {"EVENTQEN", 2, 2, SMMU_FUNCTIONAL, NULL},
    {"CMDQEN", 3, 3, SMMU_FUNCTIONAL, NULL},
    {"ATSCHK", 4, 4, SMMU_ABSENT, "RES0: IDR0.ATS = 0"},
    {"VMW", 8, 6, SMMU_ABSENT, "RES0: IDR0.VMW = 0"},
};
static const struct smmu_field cr1_fields[] = {
    {"QUEUE_IC", 1, 0, SMMU_FUNCTIONAL, NULL}, {"QUEUE_OC", 3, 2, SMMU_FUNCTIONAL, NULL},
    {"QUEUE_SH", 5, 4, SMMU_FUNCTIONAL, NULL}, {"TABLE_IC", 7, 6, SMMU_FUNCTIONAL, NULL},
    {"TABLE_OC", 9, 8, SMMU_FUNCTIONAL, NULL}, {"TABLE_SH", 11, 10, SMMU_FUNCTIONAL, NULL},
};
static const struct smmu_field cr2_fields[] = {
    {"E2H", 0, 0, SMMU_FUNCTIONAL, NULL},
    {"RECINVSID", 1, 1, SMMU_FUNCTIONAL, NULL},
    {"PTM", 2, 2, SMMU_ABSENT, "RES0: IDR0.BTM = 0"},
};
static const struct smmu_field gbpa_fields[] = {
    {"MemAttr", 3, 0, SMMU_FUNCTIONAL, NULL},
    {"MTCFG", 4, 4, SMMU_FUNCTIONAL, NULL},
    {"ALLOCCFG", 11, 8, SMMU_STORED, "no allocation hints"},
    {"SHCFG", 13, 12, SMMU_FUNCTIONAL, NULL},
    {"PRIVCFG", 17, 16, SMMU_STORED, "nothing behind the SMMU looks at PnU"},
    {"INSTCFG", 19, 18, SMMU_STORED, "nothing behind the SMMU looks at InD"},
    {"ABORT", 20, 20, SMMU_FUNCTIONAL, NULL},
    {"Update", 31, 31, SMMU_FUNCTIONAL, "completes at once"},
};
static const struct smmu_field irq_fields[] = {
    {"GERROR_IRQEN", 0, 0, SMMU_FUNCTIONAL, NULL},
    {"PRIQ_IRQEN", 1, 1, SMMU_ABSENT, "RES0: IDR0.PRI = 0"},
    {"EVENTQ_IRQEN", 2, 2, SMMU_FUNCTIONAL, NULL},
};
static const struct smmu_field gerror_fields[] = {
    {"CMDQ_ERR", 0, 0, SMMU_FUNCTIONAL, NULL},           {"EVENTQ_ABT_ERR", 2, 2, SMMU_FUNCTIONAL, NULL},
    {"PRIQ_ABT_ERR", 3, 3, SMMU_ABSENT, "never active"}, {"MSI_CMDQ_ABT_ERR", 4, 4, SMMU_FUNCTIONAL, NULL},
    {"MSI_EVENTQ_ABT_ERR", 5, 5, SMMU_FUNCTIONAL, NULL}, {"MSI_PRIQ_ABT_ERR", 6, 6, SMMU_ABSENT, "never active"},
    {"MSI_GERROR_ABT_ERR", 7, 7, SMMU_FUNCTIONAL, NULL}, {"SFM_ERR", 8, 8, SMMU_ABSENT, "no service failure mode"},
    {"CMDQP_ERR", 9, 9, SMMU_FUNCTIONAL, NULL},          {"DPT_ERR", 10, 10, SMMU_ABSENT, "no device permission table"},
};
static const struct smmu_field msi_address_fields[] = {{"ADDR", 55, 2, SMMU_FUNCTIONAL, NULL}};
static const struct smmu_field msi_data_fields[] = {{"DATA", 31, 0, SMMU_FUNCTIONAL, NULL}};
static const struct smmu_field msi_attribute_fields[] = {{"MemAttr", 3, 0, SMMU_FUNCTIONAL, NULL},
                                                         {"SH", 5, 4, SMMU_FUNCTIONAL, NULL}};
static const struct smmu_field strtab_fields[] = {{"ADDR", 55, 6, SMMU_FUNCTIONAL, NULL},
                                                  {"RA", 62, 62, SMMU_STORED, "no allocation hints"}};
static const struct smmu_field strtab_cfg_fields[] = {{"LOG2SIZE", 5, 0, SMMU_FUNCTIONAL, NULL},
                                                      {"SPLIT", 10, 6, SMMU_FUNCTIONAL, NULL},
                                                      {"FMT", 17, 16, SMMU_FUNCTIONAL, NULL}};
static const struct smmu_field queue_base_fields[] = {{"LOG2SIZE", 4, 0, SMMU_FUNCTIONAL, NULL},
                                                      {"ADDR", 55, 5, SMMU_FUNCTIONAL, NULL},
                                                      {"RA, WA", 62, 62, SMMU_STORED, "no allocation hints"}};
static const struct smmu_field prod_fields[] = {{"WR", 19, 0, SMMU_FUNCTIONAL, NULL}};
static const struct smmu_field cons_fields[] = {{"RD", 19, 0, SMMU_FUNCTIONAL, NULL},
                                                {"ERR", 30, 24, SMMU_FUNCTIONAL, NULL}};
static const struct smmu_field eventq_prod_fields[] = {{"WR", 19, 0, SMMU_FUNCTIONAL, NULL},
                                                       {"OVFLG", 31, 31, SMMU_FUNCTIONAL, NULL}};
static const struct smmu_field eventq_cons_fields[] = {{"RD", 19, 0, SMMU_FUNCTIONAL, NULL},
                                                       {"OVACKFLG", 31, 31, SMMU_FUNCTIONAL, NULL}};
static const struct smmu_field page_base_fields[] = {{"CMDQ_CONTROL_PAGE_PRESET", 0, 0, SMMU_FUNCTIONAL, "1"},
                                                     {"CMDQGS", 2, 1, SMMU_FUNCTIONAL, "1: 64 KB"},
                                                     {"ADDR", 55, 16, SMMU_FUNCTIONAL, "offset from page 0"}};
static const struct smmu_field page_enable_fields[] = {{"EN", 0, 0, SMMU_FUNCTIONAL, "1"}};
static const struct smmu_field page_status_fields[] = {{"ENACK", 0, 0, SMMU_FUNCTIONAL, "1"}};
static const struct smmu_field ecmdq_prod_fields[] = {{"WR", 19, 0, SMMU_FUNCTIONAL, NULL},
                                                      {"ERRACK", 23, 23, SMMU_FUNCTIONAL, NULL},
                                                      {"EN", 31, 31, SMMU_FUNCTIONAL, NULL}};
static const struct smmu_field ecmdq_cons_fields[] = {{"RD", 19, 0, SMMU_FUNCTIONAL, NULL},
                                                      {"ERR", 23, 23, SMMU_FUNCTIONAL, NULL},
                                                      {"ERR_REASON", 26, 24, SMMU_FUNCTIONAL, NULL},
                                                      {"ENACK", 31, 31, SMMU_FUNCTIONAL, NULL}};
static const struct smmu_field constant_fields[] = {{"all", 31, 0, SMMU_FUNCTIONAL, "constant"}};
static const struct smmu_field absent_fields[] = {{"all", 31, 0, SMMU_ABSENT, "RAZ/WI"}};

const struct smmu_register smmu_register_table[] = {
    {IDR0, 4, "SMMU_IDR0", "RO", FIELDS(idr0_fields)},
    {IDR1, 4, "SMMU_IDR1", "RO", FIELDS(idr1_fields)},
    {IDR2, 4, "SMMU_IDR2", "RO", WHOLE(absent_fields)},
    {IDR3, 4, "SMMU_IDR3", "RO", FIELDS(idr3_fields)},
    {IDR4, 4, "SMMU_IDR4", "RO", WHOLE(absent_fields)},
    {IDR5, 4, "SMMU_IDR5", "RO", FIELDS(idr5_fields)},
    {IIDR, 4, "SMMU_IIDR", "RO", WHOLE(constant_fields)},
    {AIDR, 4, "SMMU_AIDR", "RO", WHOLE(constant_fields)},
    {CR0, 4, "SMMU_CR0", "RW", FIELDS(cr0_fields)},
    {CR0ACK, 4, "SMMU_CR0ACK", "RO", FIELDS(cr0_fields)},
    {CR1, 4, "SMMU_CR1", "RW", FIELDS(cr1_fields)},
    {CR2, 4, "SMMU_CR2", "RW", FIELDS(cr2_fields)},
    {STATUSR, 4, "SMMU_STATUSR", "RO", WHOLE(absent_fields)},
    {GBPA, 4, "SMMU_GBPA", "RW", FIELDS(gbpa_fields)},
    {AGBPA, 4, "SMMU_AGBPA", "RW", WHOLE(absent_fields)},
    {IRQ_CTRL, 4, "SMMU_IRQ_CTRL", "RW", FIELDS(irq_fields)},
    {IRQ_CTRLACK, 4, "SMMU_IRQ_CTRLACK", "RO", FIELDS(irq_fields)},
    {GERROR, 4, "SMMU_GERROR", "RO", FIELDS(gerror_fields)},
    {GERRORN, 4, "SMMU_GERRORN", "RW", FIELDS(gerror_fields)},
    {GERROR_IRQ_CFG0, 8, "SMMU_GERROR_IRQ_CFG0", "RW", FIELDS(msi_address_fields)},
    {GERROR_IRQ_CFG1, 4, "SMMU_GERROR_IRQ_CFG1", "RW", FIELDS(msi_data_fields)},
    {GERROR_IRQ_CFG2, 4, "SMMU_GERROR_IRQ_CFG2", "RW", FIELDS(msi_attribute_fields)},
    {STRTAB_BASE, 8, "SMMU_STRTAB_BASE", "RW", FIELDS(strtab_fields)},
    {STRTAB_BASE_CFG, 4, "SMMU_STRTAB_BASE_CFG", "RW", FIELDS(strtab_cfg_fields)},
    {CMDQ_BASE, 8, "SMMU_CMDQ_BASE", "RW", FIELDS(queue_base_fields)},
    {CMDQ_PROD, 4, "SMMU_CMDQ_PROD", "RW", FIELDS(prod_fields)},
    {CMDQ_CONS, 4, "SMMU_CMDQ_CONS", "RW", FIELDS(cons_fields)},
    {EVENTQ_BASE, 8, "SMMU_EVENTQ_BASE", "RW", FIELDS(queue_base_fields)},
    {EVENTQ_PROD_ALIAS, 4, "SMMU_EVENTQ_PROD (alias)", "RW", FIELDS(eventq_prod_fields)},
    {EVENTQ_CONS_ALIAS, 4, "SMMU_EVENTQ_CONS (alias)", "RW", FIELDS(eventq_cons_fields)},
    {EVENTQ_IRQ_CFG0, 8, "SMMU_EVENTQ_IRQ_CFG0", "RW", FIELDS(msi_address_fields)},
    {EVENTQ_IRQ_CFG1, 4, "SMMU_EVENTQ_IRQ_CFG1", "RW", FIELDS(msi_data_fields)},
    {EVENTQ_IRQ_CFG2, 4, "SMMU_EVENTQ_IRQ_CFG2", "RW", FIELDS(msi_attribute_fields)},
    {PRIQ_BASE, 8, "SMMU_PRIQ_BASE", "RW", WHOLE(absent_fields)},
    {PRIQ_IRQ_CFG0, 8, "SMMU_PRIQ_IRQ_CFG0", "RW", WHOLE(absent_fields)},
    {PRIQ_IRQ_CFG1, 4, "SMMU_PRIQ_IRQ_CFG1", "RW", WHOLE(absent_fields)},
    {PRIQ_IRQ_CFG2, 4, "SMMU_PRIQ_IRQ_CFG2", "RW", WHOLE(absent_fields)},
    {IDR6, 4, "SMMU_IDR6", "RO", FIELDS(idr6_fields)},
    {ID_REGS, 4, "ID_REGS (0xFD0-0xFFC)", "RO", WHOLE(constant_fields)},
    {CONTROL_PAGES, 8, "SMMU_CMDQ_CONTROL_PAGE_BASE<n>", "RO", FIELDS(page_base_fields)},
    {CONTROL_PAGES + 8, 4, "SMMU_CMDQ_CONTROL_PAGE_CFG<n>", "RO", FIELDS(page_enable_fields)},
    {CONTROL_PAGES + 12, 4, "SMMU_CMDQ_CONTROL_PAGE_STATUS<n>", "RO", FIELDS(page_status_fields)},
    {EVENTQ_PROD, 4, "SMMU_EVENTQ_PROD", "RW", FIELDS(eventq_prod_fields)},
    {EVENTQ_CONS, 4, "SMMU_EVENTQ_CONS", "RW", FIELDS(eventq_cons_fields)},
    {SMMU_ECMDQ_PAGES + 0, 8, "SMMU_ECMDQ_BASE<n>", "RW", FIELDS(queue_base_fields)},
    {SMMU_ECMDQ_PAGES + 8, 4, "SMMU_ECMDQ_PROD<n>", "RW", FIELDS(ecmdq_prod_fields)},
    {SMMU_ECMDQ_PAGES + 12, 4, "SMMU_ECMDQ_CONS<n>", "RO while enabled", FIELDS(ecmdq_cons_fields)},
};
const unsigned smmu_register_count = sizeof(smmu_register_table) / sizeof(smmu_register_table[0]);

/* --- identification --- */

static uint32_t size_code(unsigned bits)
{
    return bits == 32 ? 0 : bits == 36 ? 1 : bits == 40 ? 2 : bits == 42 ? 3 : bits == 44 ? 4 : 5;
}

static uint32_t read_id(const struct smmu *smmu, uint64_t offset)
{
    const struct smmu_config *c = &smmu->config;
    /* PIDR4-7, PIDR0-3, CIDR0-3: JEP106 code of Arm, part number 0, component class 0xF */
    static const uint8_t id_regs[12] = {0x04, 0, 0, 0, 0x00, 0xB0, 0x0B, 0x00, 0x0D, 0xF0, 0x05, 0xB1};

    switch (offset) {
    case IDR0: /* TTF 2, ASID16, CD2L, STALL_MODEL 1 */
        return (uint32_t)c->stage2 | (uint32_t)c->stage1 << 1 | 2u << 2 | (uint32_t)c->cohacc << 4 |
               (uint32_t)c->hyp << 9 | 1u << 12 | (uint32_t)c->msi << 13 | (uint32_t)c->sev << 14 |
               (uint32_t)c->stage2 << 18 | 1u << 19 | 1u << 24 | (uint32_t)c->two_level << 27;
    case IDR1:
        return c->sid_bits | c->ssid_bits << 6 | c->eventq_bits << 16 | c->cmdq_bits << 21 | 3u << 26 |
               (uint32_t)c->ecmdq << 31;
    case IDR3: /* HAD, XNX, BBML 2 */
        return 1u << 2 | 1u << 4 | (uint32_t)c->range_invalidation << 10 | 2u << 11;
    case IDR5: /* all granules */
        return size_code(c->translator.output_bits) | 7u << 4;
    case IDR6:
        return c->ecmdq ? c->ecmdq_queue_bits << 16 | c->ecmdq_page_bits << 24 : 0;
    case IIDR:
        return 0x43B;
    case AIDR:
        return c->ecmdq ? 3 : c->range_invalidation ? 2 : 1;
    default:
        return offset >= ID_REGS && offset < 0x1000 ? id_regs[(offset - ID_REGS) / 4] : 0;
    }
}

/* --- reading --- */

static uint64_t read_control_page(const struct smmu *smmu, uint64_t offset)
{
    uint64_t page = offset / CONTROL_PAGE_STRIDE;

    if (!smmu->config.ecmdq || page >= 1u << smmu->config.ecmdq_page_bits)
        return 0;
    switch (offset % CONTROL_PAGE_STRIDE) {
    case 0:
        return (SMMU_ECMDQ_PAGES + page * PAGE_BYTES) | 1u << 1 | 1u;
    case 8: /* CFG and STATUS */
        return 1ull << 32 | 1;
    default:
        return 0;
    }
}

/* CONS as software sees it: the bits above the wrap bit are RAZ (6.3.28). */
static uint32_t read_cmdq_cons(const struct smmu *smmu)
{
    const struct command_queue *cmdq = &smmu->queues[0];

    return queue_pointer(cmdq->cons, queue_bits(smmu, cmdq)) | (uint32_t)cmdq->error << 24;
}

/* The 64-bit word at an offset that is a multiple of 8: two 32-bit registers, or one of 64 bits. */
static uint64_t read_word(const struct smmu *smmu, uint64_t offset)
{
    const struct command_queue *cmdq = &smmu->queues[0];

    switch (offset) {
    case CR0:
        return smmu->cr0 | (uint64_t)smmu->cr0ack << 32;
    case CR1:
        return smmu->cr1 | (uint64_t)smmu->cr2 << 32;
    case STATUSR:
        return (uint64_t)smmu->gbpa << 32;
    case IRQ_CTRL:
        return smmu->irq_ctrl | (uint64_t)smmu->irq_ctrl << 32;
    case GERROR:
        return smmu->gerror | (uint64_t)smmu->gerrorn << 32;
    case GERROR_IRQ_CFG0:
        return smmu->gerror_msi.address;
    case GERROR_IRQ_CFG1:
        return smmu->gerror_msi.data | (uint64_t)smmu->gerror_msi.attributes << 32;
    case STRTAB_BASE:
        return smmu->strtab_base;
    case STRTAB_BASE_CFG:
        return smmu->strtab_cfg;
    case CMDQ_BASE:
        return cmdq->base;
    case CMDQ_PROD:
        return cmdq->prod | (uint64_t)read_cmdq_cons(smmu) << 32;
    case EVENTQ_BASE:
        return smmu->eventq_base;
    case EVENTQ_PROD_ALIAS:
    case EVENTQ_PROD:
        return smmu->eventq_prod | (uint64_t)smmu->eventq_cons << 32;
    case EVENTQ_IRQ_CFG0:
        return smmu->eventq_msi.address;
    case EVENTQ_IRQ_CFG1:
        return smmu->eventq_msi.data | (uint64_t)smmu->eventq_msi.attributes << 32;
    default:
        if (offset >= SMMU_ECMDQ_PAGES)
            return ecmdq_read(smmu, offset - SMMU_ECMDQ_PAGES);
        if (offset >= CONTROL_PAGES && offset < 0x8000)
            return read_control_page(smmu, offset - CONTROL_PAGES);
        return read_id(smmu, offset) | (uint64_t)read_id(smmu, offset + 4) << 32;
    }
}

/* --- writing --- */

static void write_cr0(struct smmu *smmu, uint32_t value, uint64_t at_ps)
{
    struct command_queue *cmdq = &smmu->queues[0];

    smmu->cr0 = value & (CR0_SMMUEN | CR0_EVENTQEN | CR0_CMDQEN);
    smmu->cr0ack = (smmu->cr0ack & CR0_CMDQEN) | (smmu->cr0 & (CR0_SMMUEN | CR0_EVENTQEN));
    cmdq->wanted = smmu->cr0 & CR0_CMDQEN;
    if (cmdq->wanted) {
        cmdq->enabled = true;
        smmu->cr0ack |= CR0_CMDQEN;
    }
    queue_disable(smmu, cmdq);
    queue_changed(smmu, cmdq, at_ps);
}

/* QUEUE_* are fixed while a queue is enabled, TABLE_* while translation is. */
static void write_cr1(struct smmu *smmu, uint32_t value)
{
    uint32_t writable = (any_queue_enabled(smmu) ? 0 : 0x3Fu) | ((smmu->cr0 | smmu->cr0ack) & CR0_SMMUEN ? 0 : 0xFC0u);

    smmu->cr1 = (smmu->cr1 & ~writable) | (value & writable);
}

static void write_gbpa(struct smmu *smmu, uint32_t value)
{
    if (value >> 31) /* Update */
        smmu->gbpa = value & 0x001F3F1F;
}

/* The errors that this SMMU can have; the other bits are RES0. */
static uint32_t gerror_bits(const struct smmu *smmu)
{
    return GERROR_CMDQ_ERR | GERROR_EVENTQ_ABT_ERR | GERROR_SFM_ERR |
           (smmu->config.msi ? GERROR_MSI_CMDQ_ABT_ERR | GERROR_MSI_EVENTQ_ABT_ERR | GERROR_MSI_GERROR_ABT_ERR : 0) |
           (smmu->config.ecmdq ? GERROR_CMDQP_ERR : 0);
}

/* Reads return what was written (6.3.20): a bit toggled without an error makes its error active. */
static void write_gerrorn(struct smmu *smmu, uint32_t value, uint64_t at_ps)
{
    uint32_t active = smmu->gerror ^ smmu->gerrorn, acknowledged = active & ~(smmu->gerror ^ value);

    smmu->gerrorn = value & gerror_bits(smmu);
    if (acknowledged & GERROR_EVENTQ_ABT_ERR)
        smmu->eventq_failed = false;
    if (acknowledged & GERROR_CMDQ_ERR) {
        smmu->queues[0].stopped = false;
        queue_changed(smmu, &smmu->queues[0], at_ps);
    }
}

static void write_cmdq_cons(struct command_queue *cmdq, uint32_t value)
{
    if (cmdq->enabled || cmdq->wanted)
        return;
    cmdq->cons = value & 0xFFFFF;
    cmdq->error = (uint8_t)bits_of(value, 30, 24);
}

/* The MSI's registers are RES0 without MSIs, and guarded by their interrupt's enable (6.3.21). */
static bool msi_writable(const struct smmu *smmu, uint32_t enable)
{
    return smmu->config.msi && !(smmu->irq_ctrl & enable);
}

static void write_32(struct smmu *smmu, uint64_t offset, uint32_t value, uint64_t at_ps)
{
    bool translating = (smmu->cr0 | smmu->cr0ack) & CR0_SMMUEN;
    bool eventq = (smmu->cr0 | smmu->cr0ack) & CR0_EVENTQEN;

    switch (offset) {
    case CR0:
        write_cr0(smmu, value, at_ps);
        break;
    case CR1:
        write_cr1(smmu, value);
        break;
    case CR2:
        if (!translating)
            smmu->cr2 = value & (smmu->config.hyp ? 3 : 2);
        break;
    case GBPA:
        write_gbpa(smmu, value);
        break;
    case IRQ_CTRL:
        smmu->irq_ctrl = value & (IRQ_GERROR | IRQ_EVENTQ);
        break;
    case GERRORN:
        write_gerrorn(smmu, value, at_ps);
        break;
    case GERROR_IRQ_CFG1:
        if (msi_writable(smmu, IRQ_GERROR))
            smmu->gerror_msi.data = value;
        break;
    case GERROR_IRQ_CFG2:
        if (msi_writable(smmu, IRQ_GERROR))
            smmu->gerror_msi.attributes = value & 0x3F;
        break;
    case STRTAB_BASE_CFG:
        if (!translating)
            smmu->strtab_cfg = value & (smmu->config.two_level ? 0x307FF : 0x3F);
        break;
    case CMDQ_PROD:
        queue_produce(smmu, &smmu->queues[0], value & 0xFFFFF, at_ps);
        break;
    case CMDQ_CONS:
        write_cmdq_cons(&smmu->queues[0], value);
        break;
    case EVENTQ_PROD_ALIAS:
    case EVENTQ_PROD:
        if (!eventq)
            smmu->eventq_prod = value & 0x800FFFFF;
        break;
    case EVENTQ_CONS_ALIAS:
    case EVENTQ_CONS:
        smmu->eventq_cons = value & 0x800FFFFF;
        break;
    case EVENTQ_IRQ_CFG1:
        if (msi_writable(smmu, IRQ_EVENTQ))
            smmu->eventq_msi.data = value;
        break;
    case EVENTQ_IRQ_CFG2:
        if (msi_writable(smmu, IRQ_EVENTQ))
            smmu->eventq_msi.attributes = value & 0x3F;
        break;
    default:
        break;
    }
}

/* The 64-bit registers, with what may be written now; NULL: none at this offset, or fixed. */
static uint64_t *register_64(struct smmu *smmu, uint64_t offset, uint64_t *writable)
{
    const uint64_t queue_base = 0x40FFFFFFFFFFFFFFull, address = 0x00FFFFFFFFFFFFFCull;
    struct command_queue *cmdq = &smmu->queues[0];
    uint32_t on = smmu->cr0 | smmu->cr0ack;

    *writable = address;
    switch (offset) {
    case STRTAB_BASE:
        *writable = 0x40FFFFFFFFFFFFC0ull;
        return on & CR0_SMMUEN ? NULL : &smmu->strtab_base;
    case CMDQ_BASE:
        *writable = queue_base;
        return on & CR0_CMDQEN ? NULL : &cmdq->base;
    case EVENTQ_BASE:
        *writable = queue_base;
        return on & CR0_EVENTQEN ? NULL : &smmu->eventq_base;
    case GERROR_IRQ_CFG0:
        return msi_writable(smmu, IRQ_GERROR) ? &smmu->gerror_msi.address : NULL;
    case EVENTQ_IRQ_CFG0:
        return msi_writable(smmu, IRQ_EVENTQ) ? &smmu->eventq_msi.address : NULL;
    default:
        return NULL;
    }
}

static void write_word(struct smmu *smmu, uint64_t offset, unsigned bytes, uint64_t value, uint64_t at_ps)
{
    unsigned shift = bytes == 4 && (offset & 4) ? 32 : 0;
    uint64_t mask = bytes == 4 ? 0xFFFFFFFFull << shift : UINT64_MAX, writable;
    uint64_t *wide = register_64(smmu, offset & ~7ull, &writable);

    if (offset >= SMMU_ECMDQ_PAGES)
        ecmdq_write(smmu, offset - SMMU_ECMDQ_PAGES, bytes, value, at_ps);
    else if (wide)
        *wide = ((*wide & ~mask) | (value << shift & mask)) & writable;
    else if (bytes == 4)
        write_32(smmu, offset, (uint32_t)value, at_ps);
}

/* 64-bit accesses reach 64-bit registers only (6.2). */
static bool is_wide(uint64_t offset)
{
    for (unsigned i = 0; i < smmu_register_count; i++)
        if (smmu_register_table[i].offset == offset)
            return smmu_register_table[i].bytes == 8;
    return offset >= CONTROL_PAGES && offset < 0x8000 && offset % CONTROL_PAGE_STRIDE == 0;
}

static bool wide_allowed(const struct smmu *smmu, uint64_t offset)
{
    if (offset < SMMU_ECMDQ_PAGES)
        return is_wide(offset);
    return offset % (0x10000u >> smmu->config.ecmdq_queue_bits) == 0;
}

void smmu_access(struct smmu *smmu, struct txn *txn)
{
    uint64_t value = 0;

    txn->status = TXN_OK;
    txn->done_ps = txn->start_ps + smmu->config.access_ps;
    if (txn->kind == TXN_READ)
        memset(txn->data, 0, txn->size);
    if ((txn->size != 4 && txn->size != 8) || txn->addr % txn->size ||
        txn->addr > smmu_register_bytes(&smmu->config) - txn->size ||
        (txn->size == 8 && !wide_allowed(smmu, txn->addr)))
        return;
    if (txn->addr >= 2 * PAGE_BYTES && txn->addr < SMMU_ECMDQ_PAGES)
        return;
    if (txn->kind == TXN_READ) {
        value = read_word(smmu, txn->addr & ~7ull) >> (txn->addr & 4 ? 32 : 0);
        memcpy(txn->data, &value, txn->size);
    } else {
        memcpy(&value, txn->data, txn->size);
        write_word(smmu, txn->addr, txn->size, value, txn->start_ps);
    }
}
