/* The commands: which exist, when they are illegal, what they do (IHI 0070 chapter 4). */
#include "smmu/smmu_internal.h"

enum {
    CMD_PREFETCH_CONFIG = 0x01,
    CMD_PREFETCH_ADDR = 0x02,
    CMD_CFGI_STE = 0x03,
    CMD_CFGI_STE_RANGE = 0x04,
    CMD_CFGI_CD = 0x05,
    CMD_CFGI_CD_ALL = 0x06,
    CMD_CFGI_VMS_PIDM = 0x07,
    CMD_TLBI_NH_ALL = 0x10,
    CMD_TLBI_NH_ASID = 0x11,
    CMD_TLBI_NH_VA = 0x12,
    CMD_TLBI_NH_VAA = 0x13,
    CMD_TLBI_EL2_ALL = 0x20,
    CMD_TLBI_EL2_ASID = 0x21,
    CMD_TLBI_EL2_VA = 0x22,
    CMD_TLBI_EL2_VAA = 0x23,
    CMD_TLBI_S12_VMALL = 0x28,
    CMD_TLBI_S2_IPA = 0x2A,
    CMD_TLBI_NSNH_ALL = 0x30,
    CMD_SYNC = SMMU_CMD_SYNC,
};

/* What must be implemented for a command to be legal. */
enum need { NEED_NOTHING, NEED_STAGE1, NEED_STAGE2, NEED_HYP, NEED_ABSENT };

struct command {
    uint8_t opcode, class, need;
};

static const struct command commands[] = {
    {CMD_PREFETCH_CONFIG, COMMAND_OTHER, NEED_NOTHING},
    {CMD_PREFETCH_ADDR, COMMAND_OTHER, NEED_NOTHING},
    {CMD_CFGI_STE, COMMAND_CFGI, NEED_NOTHING},
    {CMD_CFGI_STE_RANGE, COMMAND_CFGI, NEED_NOTHING},
    {CMD_CFGI_CD, COMMAND_CFGI, NEED_STAGE1},
    {CMD_CFGI_CD_ALL, COMMAND_CFGI, NEED_STAGE1},
    {CMD_CFGI_VMS_PIDM, COMMAND_CFGI, NEED_ABSENT},
    {CMD_TLBI_NH_ALL, COMMAND_TLBI, NEED_STAGE1},
    {CMD_TLBI_NH_ASID, COMMAND_TLBI, NEED_STAGE1},
    {CMD_TLBI_NH_VA, COMMAND_TLBI, NEED_STAGE1},
    {CMD_TLBI_NH_VAA, COMMAND_TLBI, NEED_STAGE1},
    {CMD_TLBI_EL2_ALL, COMMAND_TLBI, NEED_HYP},
    {CMD_TLBI_EL2_ASID, COMMAND_TLBI, NEED_HYP},
    {CMD_TLBI_EL2_VA, COMMAND_TLBI, NEED_HYP},
    {CMD_TLBI_EL2_VAA, COMMAND_TLBI, NEED_HYP},
    {CMD_TLBI_S12_VMALL, COMMAND_TLBI, NEED_STAGE2},
    {CMD_TLBI_S2_IPA, COMMAND_TLBI, NEED_STAGE2},
    {CMD_TLBI_NSNH_ALL, COMMAND_TLBI, NEED_NOTHING},
    {CMD_SYNC, COMMAND_SYNC, NEED_NOTHING},
};

const struct smmu_command_info smmu_command_table[] = {
    {0x01, "CMD_PREFETCH_CONFIG", SMMU_STORED, "a hint; consumed without effect"},
    {0x02, "CMD_PREFETCH_ADDR", SMMU_STORED, "a hint; consumed without effect"},
    {0x03, "CMD_CFGI_STE", SMMU_FUNCTIONAL, "drops the CDs of the stream as well, whatever Leaf says"},
    {0x04, "CMD_CFGI_STE_RANGE, CMD_CFGI_ALL", SMMU_FUNCTIONAL, NULL},
    {0x05, "CMD_CFGI_CD", SMMU_FUNCTIONAL, NULL},
    {0x06, "CMD_CFGI_CD_ALL", SMMU_FUNCTIONAL, NULL},
    {0x07, "CMD_CFGI_VMS_PIDM", SMMU_ABSENT, "CERROR_ILL: IDR3.MPAM = 0"},
    {0x10, "CMD_TLBI_NH_ALL", SMMU_FUNCTIONAL, NULL},
    {0x11, "CMD_TLBI_NH_ASID", SMMU_FUNCTIONAL, NULL},
    {0x12, "CMD_TLBI_NH_VA", SMMU_FUNCTIONAL, "ranges and hints when IDR3.RIL = 1; a TTL hint never narrows"},
    {0x13, "CMD_TLBI_NH_VAA", SMMU_FUNCTIONAL, "as CMD_TLBI_NH_VA"},
    {0x18, "CMD_TLBI_EL3_ALL", SMMU_ABSENT, "CERROR_ILL on a Non-secure queue"},
    {0x1A, "CMD_TLBI_EL3_VA", SMMU_ABSENT, "CERROR_ILL on a Non-secure queue"},
    {0x20, "CMD_TLBI_EL2_ALL", SMMU_FUNCTIONAL, "CERROR_ILL when IDR0.HYP = 0"},
    {0x21, "CMD_TLBI_EL2_ASID", SMMU_FUNCTIONAL, "CERROR_ILL when IDR0.HYP = 0"},
    {0x22, "CMD_TLBI_EL2_VA", SMMU_FUNCTIONAL, "CERROR_ILL when IDR0.HYP = 0"},
    {0x23, "CMD_TLBI_EL2_VAA", SMMU_FUNCTIONAL, "CERROR_ILL when IDR0.HYP = 0"},
    {0x28, "CMD_TLBI_S12_VMALL", SMMU_FUNCTIONAL, "CERROR_ILL when IDR0.S2P = 0"},
    {0x2A, "CMD_TLBI_S2_IPA", SMMU_FUNCTIONAL, "CERROR_ILL when IDR0.S2P = 0"},
    {0x30, "CMD_TLBI_NSNH_ALL", SMMU_FUNCTIONAL, NULL},
    {0x40, "CMD_ATC_INV", SMMU_ABSENT, "CERROR_ILL: IDR0.ATS = 0"},
    {0x41, "CMD_PRI_RESP", SMMU_ABSENT, "CERROR_ILL: IDR0.PRI = 0"},
    {0x44, "CMD_RESUME", SMMU_ABSENT, "CERROR_ILL: IDR0.STALL_MODEL = 1 (terminate only)"},
    {0x45, "CMD_STALL_TERM", SMMU_ABSENT, "CERROR_ILL: IDR0.STALL_MODEL = 1 (terminate only)"},
    {0x46, "CMD_SYNC", SMMU_FUNCTIONAL, "CS none, IRQ (MSI and wired), SEV"},
};
const unsigned smmu_command_count = sizeof(smmu_command_table) / sizeof(smmu_command_table[0]);

const char *smmu_command_name(uint8_t opcode)
{
    for (unsigned i = 0; i < smmu_command_count; i++)
        if (smmu_command_table[i].opcode == opcode)
            return smmu_command_table[i].name + 4;
    return "?";
}

static const struct command *find_command(uint8_t opcode)
{
    for (unsigned i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (commands[i].opcode == opcode)
            return &commands[i];
    return NULL;
}

static bool available(const struct smmu *smmu, uint8_t need)
{
    switch (need) {
    case NEED_STAGE1:
        return smmu->config.stage1;
    case NEED_STAGE2:
        return smmu->config.stage2;
    case NEED_HYP:
        return smmu->config.hyp;
    default:
        return need == NEED_NOTHING;
    }
}

static bool has_address(uint8_t opcode)
{
    return opcode == CMD_TLBI_NH_VA || opcode == CMD_TLBI_NH_VAA || opcode == CMD_TLBI_EL2_VA ||
           opcode == CMD_TLBI_EL2_VAA || opcode == CMD_TLBI_S2_IPA;
}

bool command_legal(const struct smmu *smmu, const uint64_t command[2], enum command_class *class)
{
    uint8_t opcode = command[0] & 0xFF;
    const struct command *row = find_command(opcode);
    bool names_stream = opcode <= CMD_CFGI_VMS_PIDM;

    if (!row || !available(smmu, row->need))
        return false;
    *class = (enum command_class)row->class;
    if (names_stream && bits_of(command[0], 10, 10)) /* SSec on a Non-secure queue */
        return false;
    if (row->class == COMMAND_SYNC)
        return bits_of(command[0], 13, 12) != 3; /* CS */
    if (has_address(opcode) && smmu->config.range_invalidation) {
        bool range = bits_of(command[1], 11, 10); /* TG */
        bool anything = bits_of(command[0], 16, 12) || bits_of(command[0], 24, 20) ||
                        bits_of(command[1], 9, 8); /* NUM, SCALE, TTL */
        return !range || (anything && !(bits_of(command[1], 11, 10) == 2 && bits_of(command[1], 9, 8) == 1 &&
                                        !bits_of(command[0], 16, 12) && !bits_of(command[0], 24, 20)));
    }
    return true;
}

/* The addresses that a TLBI names (4.4.1). */
static void set_range(const struct smmu *smmu, const uint64_t command[2], struct iotlb_match *match)
{
    static const uint8_t granules[4] = {12, 12, 14, 16};
    unsigned tg = smmu->config.range_invalidation ? bits_of(command[1], 11, 10) : 0;
    uint64_t num = tg ? bits_of(command[0], 16, 12) : 0, scale = tg ? bits_of(command[0], 24, 20) : 0;
    uint64_t bytes;

    match->by_address = true;
    match->start = command[1] & ~0xFFFull;
    if ((command[0] & 0xFF) == CMD_TLBI_S2_IPA)
        match->start = bits_of(command[1], 55, 12) << 12;
    if (scale + granules[tg] + 5 >= 64) { /* everything from there on */
        match->end = UINT64_MAX;
        return;
    }
    bytes = (num + 1) << (scale + granules[tg]);
    match->end = match->start + bytes - 1 < match->start ? UINT64_MAX : match->start + bytes - 1;
}

static unsigned kind_bit(enum iotlb_kind kind)
{
    return 1u << kind;
}

static void execute_tlbi(struct smmu *smmu, const uint64_t command[2])
{
    uint8_t opcode = command[0] & 0xFF;
    bool leaf = command[1] & 1;
    bool e2h = smmu->cr2 & 1;
    struct iotlb_match match = {.worlds = 1u << WORLD_NS_EL1,
                                .by_vmid = true,
                                .vmid = smmu->config.stage2 ? (uint16_t)bits_of(command[0], 47, 32) : 0,
                                .asid = (uint16_t)bits_of(command[0], 63, 48),
                                .kinds = kind_bit(IOTLB_STAGE1) | kind_bit(IOTLB_COMBINED) | kind_bit(IOTLB_TABLE)};

    if (opcode >= CMD_TLBI_EL2_ALL && opcode <= CMD_TLBI_EL2_VAA) {
        match.by_vmid = false;
        match.worlds = 1u << (e2h ? WORLD_EL2_E2H : WORLD_EL2);
    }
    if (has_address(opcode)) {
        set_range(smmu, command, &match);
        if (leaf)
            match.kinds &= ~kind_bit(IOTLB_TABLE);
    }
    switch (opcode) {
    case CMD_TLBI_EL2_ALL: /* with and without ASIDs (4.4.2.7) */
        match.worlds = 1u << WORLD_EL2 | 1u << WORLD_EL2_E2H;
        break;
    case CMD_TLBI_EL2_ASID: /* only E2H has ASIDs */
        match.worlds = 1u << WORLD_EL2_E2H;
        match.by_asid = match.keep_global = true;
        break;
    case CMD_TLBI_NH_ASID:
        match.by_asid = match.keep_global = true;
        break;
    case CMD_TLBI_NH_VA:
        match.by_asid = true;
        break;
    case CMD_TLBI_EL2_VA:
        match.by_asid = e2h;
        break;
    case CMD_TLBI_S12_VMALL:
        match.kinds |= kind_bit(IOTLB_STAGE2);
        break;
    case CMD_TLBI_S2_IPA:
        match.kinds = kind_bit(IOTLB_STAGE2);
        break;
    case CMD_TLBI_NSNH_ALL:
        match.by_vmid = false;
        match.kinds |= kind_bit(IOTLB_STAGE2);
        break;
    default: /* NH_ALL, NH_VAA, EL2_VAA: any ASID */
        break;
    }
    translator_invalidate(&smmu->translator, &match);
}

static void execute_cfgi(struct smmu *smmu, const uint64_t command[2])
{
    uint32_t sid = command[0] >> 32;
    unsigned range = bits_of(command[1], 4, 0);

    switch (command[0] & 0xFF) {
    case CMD_CFGI_STE_RANGE:
        if (range == 31) /* CMD_CFGI_ALL */
            stream_config_invalidate(smmu, 0, 0, false, 0);
        else
            stream_config_invalidate(smmu, sid & ~((2u << range) - 1), 2ull << range, false, 0);
        break;
    case CMD_CFGI_CD:
        stream_config_invalidate(smmu, sid, 1, true, (uint32_t)bits_of(command[0], 31, 12));
        break;
    default: /* CFGI_STE, CFGI_CD_ALL */
        stream_config_invalidate(smmu, sid, 1, false, 0);
        break;
    }
}

void command_execute(struct smmu *smmu, const uint64_t command[2])
{
    const struct command *row = find_command(command[0] & 0xFF);

    if (row->class == COMMAND_TLBI)
        execute_tlbi(smmu, command);
    else if (row->class == COMMAND_CFGI)
        execute_cfgi(smmu, command);
}
