/* The SMMUv3's registers: values, access, what may be written when. Expected values are those of IHI 0070 6.3. */
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "tests/support/smmu_bench.h"
#include "tests/unit.h"

START_TEST(identification)
{
    smmu_bench_start();
    /* S2P S1P TTF=2 COHACC HYP ASID16 MSI SEV VMID16 CD2L STALL_MODEL=1 ST_LEVEL=1 */
    ck_assert_uint_eq(rd32(R_IDR0), 1u | 2u | 2u << 2 | 1u << 4 | 1u << 9 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 18 |
                                        1u << 19 | 1u << 24 | 1u << 27);
    /* SIDSIZE SSIDSIZE EVENTQS CMDQS ATTR_PERMS_OVR ATTR_TYPES_OVR */
    ck_assert_uint_eq(rd32(R_IDR1), 16u | 8u << 6 | 7u << 16 | 8u << 21 | 3u << 26);
    ck_assert_uint_eq(rd32(0x0C), 1u << 2 | 1u << 4 | 1u << 10 | 2u << 11);
    ck_assert_uint_eq(rd32(0x14), 5u | 7u << 4);
    ck_assert_uint_eq(rd32(0x18) & 0xFFF, 0x43B);
    ck_assert_uint_eq(rd32(R_IDR6), 0);
    ck_assert_uint_eq(rd32(0xFF0), 0x0D);
    ck_assert_uint_eq(rd32(0xFFC), 0xB1);
    for (uint32_t offset = 0; offset < 0x20; offset += 4) {
        uint32_t before = rd32(offset);
        wr32(offset, ~before);
        ck_assert_uint_eq(rd32(offset), before);
    }
}
END_TEST

/* Every register: value after reset, and the bits that can be written from there. */
static const struct {
    uint32_t offset, bytes;
    uint64_t reset, writable;
} registers[] = {
    {R_IDR0, 4, 0x090C721B, 0},
    {R_IDR1, 4, 0x8D070210, 0},
    {0x08, 4, 0, 0},
    {0x0C, 4, 0x1414, 0},
    {0x10, 4, 0, 0},
    {0x14, 4, 0x75, 0},
    {0x18, 4, 0x43B, 0},
    {0x1C, 4, 3, 0},
    {R_CR0, 4, 0, 0xD},
    {R_CR0ACK, 4, 0, 0},
    {R_CR1, 4, 0, 0xFFF},
    {R_CR2, 4, 0, 3},
    {0x40, 4, 0, 0},
    {R_GBPA, 4, 0x1000, 0}, /* see handshakes */
    {0x48, 4, 0, 0},
    {R_IRQ_CTRL, 4, 0, 5},
    {R_IRQ_CTRLACK, 4, 0, 0},
    {R_GERROR, 4, 0, 0},
    {R_GERRORN, 4, 0, 0x3B5},
    {R_GERROR_CFG0, 8, 0, 0x00FFFFFFFFFFFFFC},
    {R_GERROR_CFG1, 4, 0, 0xFFFFFFFF},
    {0x74, 4, 0, 0x3F},
    {R_STRTAB_BASE, 8, 0, 0x40FFFFFFFFFFFFC0},
    {R_STRTAB_CFG, 4, 0, 0x307FF},
    {R_CMDQ_BASE, 8, 0, 0x40FFFFFFFFFFFFFF},
    {R_CMDQ_PROD, 4, 0, 0xFFFFF},
    {R_CMDQ_CONS, 4, 0, 0x7F000001}, /* LOG2SIZE is 0: one bit of pointer */
    {R_EVENTQ_BASE, 8, 0, 0x40FFFFFFFFFFFFFF},
    {0xA8, 4, 0, 0x800FFFFF},
    {0xAC, 4, 0, 0x800FFFFF},
    {R_EVENTQ_CFG0, 8, 0, 0x00FFFFFFFFFFFFFC},
    {R_EVENTQ_CFG1, 4, 0, 0xFFFFFFFF},
    {0xBC, 4, 0, 0x3F},
    {0xC0, 8, 0, 0},
    {0xD0, 8, 0, 0},
    {0xD8, 4, 0, 0},
    {0xDC, 4, 0, 0},
    {R_IDR6, 4, 0x20000, 0},
    {0xFD0, 4, 4, 0},
    {0x4000, 8, 0x180003, 0},
    {0x4008, 4, 1, 0},
    {0x400C, 4, 1, 0},
    {R_EVENTQ_PROD, 4, 0, 0x800FFFFF},
    {R_EVENTQ_CONS, 4, 0, 0x800FFFFF},
    {0x180000, 8, 0, 0x40FFFFFFFFFFFFFF},
    {0x180008, 4, 0, 0x808FFFFF},
    {0x18000C, 4, 0, 0x07800001},
};
#define REGISTERS (sizeof(registers) / sizeof(registers[0]))

static uint64_t read_register(uint32_t offset, uint32_t bytes)
{
    return bytes == 8 ? rd64(offset) : rd32(offset);
}

START_TEST(every_register)
{
    bench.config.ecmdq = true;
    smmu_bench_start();
    ck_assert_uint_eq(smmu_register_count, REGISTERS); /* none is missing here */
    for (unsigned i = 0; i < REGISTERS; i++) {
        ck_assert_uint_eq(smmu_register_table[i].offset, registers[i].offset);
        ck_assert_uint_eq(smmu_register_table[i].bytes, registers[i].bytes);
        ck_assert_msg(read_register(registers[i].offset, registers[i].bytes) == registers[i].reset,
                      "reset of 0x%x: 0x%lx", registers[i].offset,
                      read_register(registers[i].offset, registers[i].bytes));
    }
    for (unsigned i = 0; i < REGISTERS; i++) {
        uint32_t offset = registers[i].offset, bytes = registers[i].bytes;
        uint64_t fixed = registers[i].reset & ~registers[i].writable;
        if (offset == R_GBPA)
            continue;
        if (bytes == 8)
            wr64(offset, UINT64_MAX);
        else
            wr32(offset, UINT32_MAX);
        ck_assert_msg(read_register(offset, bytes) == (fixed | registers[i].writable), "0x%x reads 0x%lx", offset,
                      read_register(offset, bytes));
        wr32(offset, 0); /* the halves of a 64-bit register are written apart */
        ck_assert_uint_eq(read_register(offset, bytes) >> 32, (fixed | registers[i].writable) >> 32);
        ck_assert_uint_eq((uint32_t)read_register(offset, bytes), (uint32_t)fixed);
        if (bytes == 8)
            wr32(offset + 4, 0);
        ck_assert_uint_eq(read_register(offset, bytes), fixed);
        ck_assert_msg(!strcmp(smmu_register_table[i].access, "RO") == !registers[i].writable ||
                          smmu_register_table[i].fields[0].support == SMMU_ABSENT,
                      "%s", smmu_register_table[i].name);
    }
}
END_TEST

START_TEST(halves_are_read_apart)
{
    smmu_bench_start();
    wr64(R_STRTAB_BASE, 0x40123456789ABC40);
    ck_assert_uint_eq(rd32(R_STRTAB_BASE), 0x789ABC40);
    ck_assert_uint_eq(rd32(R_STRTAB_BASE + 4), 0x40123456);
    wr32(R_STRTAB_BASE + 4, 0x00FEDCBA);
    ck_assert_uint_eq(rd64(R_STRTAB_BASE), 0x00FEDCBA789ABC40);
    wr32(R_STRTAB_BASE, 0x11111140);
    ck_assert_uint_eq(rd64(R_STRTAB_BASE), 0x00FEDCBA11111140);
}
END_TEST

/* Fields of what is not implemented are RES0. */
START_TEST(fields_of_what_is_not_there)
{
    bench.config.msi = bench.config.hyp = bench.config.two_level = false;
    bench.config.sid_bits = 6;
    smmu_bench_start();
    wr64(R_GERROR_CFG0, UINT64_MAX);
    wr32(R_GERROR_CFG1, UINT32_MAX);
    wr32(0x74, UINT32_MAX);
    wr64(R_EVENTQ_CFG0, UINT64_MAX);
    wr32(R_EVENTQ_CFG1, UINT32_MAX);
    wr32(0xBC, UINT32_MAX);
    ck_assert_uint_eq(rd64(R_GERROR_CFG0) | rd32(R_GERROR_CFG1) | rd32(0x74), 0);
    ck_assert_uint_eq(rd64(R_EVENTQ_CFG0) | rd32(R_EVENTQ_CFG1) | rd32(0xBC), 0);
    wr32(R_CR2, UINT32_MAX);
    ck_assert_uint_eq(rd32(R_CR2), 2);
    wr32(R_STRTAB_CFG, UINT32_MAX);
    ck_assert_uint_eq(rd32(R_STRTAB_CFG), 0x3F);
    wr32(R_GERRORN, UINT32_MAX);
    ck_assert_uint_eq(rd32(R_GERRORN), 0x105);
}
END_TEST

START_TEST(odd_accesses_do_nothing)
{
    static const uint32_t offsets[] = {R_IDR0,      R_CR1,       R_GERROR_CFG0, R_STRTAB_BASE,
                                       R_CMDQ_BASE, R_CMDQ_PROD, 0x180000,      0x180008};
    uint8_t bytes[16];
    struct txn txn = {.data = bytes};

    bench.config.ecmdq = true;
    smmu_bench_start();
    for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
        for (uint32_t size = 1; size <= 16; size++)
            for (uint32_t shift = 0; shift < 8; shift++) {
                bool wide = offsets[i] != R_IDR0 && offsets[i] != R_CR1 && (offsets[i] & 0xFF) != R_CMDQ_PROD &&
                            (offsets[i] & 0xFF) != 8;
                if ((size == 4 && shift % 4 == 0) || (size == 8 && shift == 0 && wide))
                    continue;
                memset(bytes, 0xFF, 16);
                txn.addr = offsets[i] + shift;
                txn.size = size;
                txn.kind = TXN_WRITE;
                smmu_access(bench.smmu, &txn);
                ck_assert_int_eq(txn.status, TXN_OK);
                txn.kind = TXN_READ;
                smmu_access(bench.smmu, &txn);
                ck_assert_int_eq(txn.status, TXN_OK);
                for (uint32_t at = 0; at < size; at++)
                    ck_assert_uint_eq(bytes[at], 0);
            }
    ck_assert_uint_eq(rd32(R_CR1) | rd64(R_GERROR_CFG0) | rd64(R_STRTAB_BASE) | rd64(R_CMDQ_BASE), 0);
    ck_assert_uint_eq(rd32(R_CMDQ_PROD) | rd32(R_CMDQ_CONS) | rd64(0x180000) | rd32(0x180008) | rd32(0x18000C), 0);
}
END_TEST

START_TEST(unassigned_is_raz_wi)
{
    static const uint64_t offsets[] = {
        0x30,   0x4C,    0x58,    0x8C,    0x100,   0x194,    0xE00,    0x1000,   0x4020,   0x8000,     0xC000,
        0xFFFC, 0x10000, 0x100C8, 0x1FFFC, 0x20000, 0x17FFFC, 0x180010, 0x183FFC, 0x190000, 1ull << 40, UINT64_MAX - 3};
    uint32_t value;
    struct txn txn = {.size = 4, .data = (uint8_t *)&value};

    bench.config.ecmdq = true;
    smmu_bench_start();
    for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        txn.addr = offsets[i];
        txn.kind = TXN_WRITE;
        value = UINT32_MAX;
        smmu_access(bench.smmu, &txn);
        txn.kind = TXN_READ;
        smmu_access(bench.smmu, &txn);
        ck_assert_int_eq(txn.status, TXN_OK);
        ck_assert_msg(value == 0, "0x%lx", offsets[i]);
        ck_assert_uint_eq(txn.done_ps - txn.start_ps, bench.config.access_ps);
    }
}
END_TEST

START_TEST(handshakes)
{
    smmu_bench_start();
    wr32(R_CR0, 0xFFFFFFFF);
    ck_assert_uint_eq(rd32(R_CR0), SMMUEN | EVENTQEN | CMDQEN);
    ck_assert_uint_eq(rd32(R_CR0ACK), SMMUEN | EVENTQEN | CMDQEN);
    wr32(R_CR0ACK, 0);
    ck_assert_uint_eq(rd32(R_CR0ACK), SMMUEN | EVENTQEN | CMDQEN);
    wr32(R_CR0, 0);
    ck_assert_uint_eq(rd32(R_CR0ACK), 0);
    wr32(R_IRQ_CTRL, 7);
    ck_assert_uint_eq(rd32(R_IRQ_CTRLACK), 5);
    wr32(R_GBPA, 0x100000); /* without Update */
    ck_assert_uint_eq(rd32(R_GBPA), 0x1000);
    wr32(R_GBPA, 0xFFFFFFFF);
    ck_assert_uint_eq(rd32(R_GBPA), 0x1F3F1F);
    wr32(R_GBPA, 0x80000000);
    ck_assert_uint_eq(rd32(R_GBPA), 0);
}
END_TEST

START_TEST(fixed_while_enabled)
{
    bring_up();
    wr32(R_CR1, 0);
    ck_assert_uint_eq(rd32(R_CR1), 0xD75);
    wr32(R_CR2, 0);
    ck_assert_uint_eq(rd32(R_CR2), 2);
    wr64(R_STRTAB_BASE, 0);
    ck_assert_uint_eq(rd64(R_STRTAB_BASE), STRTAB_AT);
    wr32(R_STRTAB_CFG, 0);
    ck_assert_uint_eq(rd32(R_STRTAB_CFG), 6);
    wr64(R_CMDQ_BASE, 0);
    ck_assert_uint_eq(rd64(R_CMDQ_BASE), CMDQ_AT | bench.cmdq_bits);
    wr32(R_CMDQ_CONS, 5);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS), 0);
    wr64(R_EVENTQ_BASE, 0);
    ck_assert_uint_eq(rd64(R_EVENTQ_BASE), EVENTQ_AT | bench.eventq_bits);
    wr32(R_EVENTQ_PROD, 3);
    ck_assert_uint_eq(rd32(R_EVENTQ_PROD), 0);
    wr32(R_CR0, SMMUEN); /* queues off: QUEUE_* may change, TABLE_* not */
    wr32(R_CR1, 0);
    ck_assert_uint_eq(rd32(R_CR1), 0xD40);
    wr32(R_CR0, 0);
    wr32(R_CR1, 0);
    ck_assert_uint_eq(rd32(R_CR1), 0);
}
END_TEST

/* An interrupt's MSI is fixed while the interrupt is enabled, and only then. */
START_TEST(msi_registers_are_guarded)
{
    static const uint32_t offsets[2][3] = {{R_GERROR_CFG0, R_GERROR_CFG1, 0x74}, {R_EVENTQ_CFG0, R_EVENTQ_CFG1, 0xBC}};

    smmu_bench_start();
    for (unsigned own = 0; own < 2; own++)
        for (unsigned enabled = 0; enabled < 2; enabled++) {
            wr32(R_IRQ_CTRL, 0);
            for (unsigned i = 0; i < 3; i++)
                wr32(offsets[own][i], 0x14);
            wr32(R_IRQ_CTRL, enabled ? 4 : 1);
            for (unsigned i = 0; i < 3; i++) {
                wr32(offsets[own][i], 0x28);
                ck_assert_uint_eq(rd32(offsets[own][i]), own == enabled ? 0x14 : 0x28);
            }
        }
}
END_TEST

START_TEST(event_queue_aliases)
{
    smmu_bench_start();
    wr32(0xA8, 0x12345);
    ck_assert_uint_eq(rd32(R_EVENTQ_PROD), 0x12345);
    wr32(R_EVENTQ_CONS, 0x54321);
    ck_assert_uint_eq(rd32(0xAC), 0x54321);
}
END_TEST

START_TEST(gerror_is_acknowledged_once)
{
    bring_up();
    command(0xFF, 0);
    ck_assert_uint_eq(rd32(R_GERROR), 1);
    ck_assert_uint_eq(bench.pulses[3], 1);
    wr32(R_GERROR, 0); /* RO */
    ck_assert_uint_eq(rd32(R_GERROR), 1);
    wr32(R_GERRORN, 0); /* as it was: nothing is acknowledged */
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS) & 0xFFFFF, 0);
    put_command(0x46, 0);
    set_word(CMDQ_AT, 0x46);
    wr32(R_GERRORN, 1);
    wr32(R_GERRORN, 1); /* a second time changes nothing */
    ck_assert_uint_eq(rd32(R_GERRORN), 1);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS) & 0xFFFFF, 1);
    command(0xFF, 0);
    ck_assert_uint_eq(rd32(R_GERROR), 0); /* the toggle goes back */
    ck_assert_uint_eq(bench.pulses[3], 2);
}
END_TEST

START_TEST(no_interrupt_unless_enabled)
{
    uint64_t value;

    bring_up();
    wr32(R_IRQ_CTRL, 0);
    command(0xFF, 0);
    device_read(1, 0, &value); /* C_BAD_STE */
    ck_assert_uint_eq(rd32(R_GERROR), 1);
    ck_assert_uint_eq(rd32(R_EVENTQ_PROD), 1);
    ck_assert_uint_eq(bench.pulses[0] + bench.pulses[3], 0);
}
END_TEST

START_TEST(ecmdq_pages)
{
    bench.config.ecmdq = true;
    bench.config.ecmdq_page_bits = 1;
    bench.config.ecmdq_queue_bits = 3;
    smmu_bench_start();
    ck_assert_uint_eq(rd32(R_IDR1) >> 31, 1);
    ck_assert_uint_eq(rd32(R_IDR6), 3u << 16 | 1u << 24);
    ck_assert_uint_eq(rd64(0x4000), 0x180000 | 1 << 1 | 1);
    ck_assert_uint_eq(rd64(0x4020), 0x190000 | 1 << 1 | 1);
    ck_assert_uint_eq(rd64(0x4040), 0);
    ck_assert_uint_eq(rd32(0x4008), 1);
    ck_assert_uint_eq(rd32(0x400C), 1);
    for (uint32_t n = 0; n < 16; n++) { /* 0x10000 >> 3 apart, the second page follows the first */
        wr64(0x180000 + n * 0x2000, UINT64_MAX);
        ck_assert_uint_eq(rd64(0x180000 + n * 0x2000), 0x40FFFFFFFFFFFFFF);
        wr64(0x180000 + n * 0x2000, (0x60000 + n * 0x1000) | 5);
        ck_assert_uint_eq(rd64(0x180000 + n * 0x2000), (0x60000 + n * 0x1000) | 5);
        wr32(0x18000C + n * 0x2000, n);
        ck_assert_uint_eq(rd32(0x18000C + n * 0x2000), n);
        wr32(0x180008 + n * 0x2000, 0x80000000 | n);
        ck_assert_uint_eq(rd32(0x180008 + n * 0x2000), 0x80000000 | n);
        ck_assert_uint_eq(rd32(0x18000C + n * 0x2000), 0x80000000 | n);
        wr64(0x180000 + n * 0x2000, 0); /* enabled: BASE and CONS are fixed */
        wr32(0x18000C + n * 0x2000, 0);
        ck_assert_uint_eq(rd64(0x180000 + n * 0x2000), (0x60000 + n * 0x1000) | 5);
        ck_assert_uint_eq(rd32(0x18000C + n * 0x2000), 0x80000000 | n);
    }
    wr32(R_CR1, 0x3F); /* an enabled ECMDQ fixes QUEUE_* */
    ck_assert_uint_eq(rd32(R_CR1), 0);
}
END_TEST

/* Queues lie 0x10000 >> LOG2NUMQ apart, whatever their number; the pages follow each other. */
START_TEST(ecmdq_strides)
{
    for (uint32_t queue_bits = 0; queue_bits <= 8; queue_bits++) {
        uint32_t queues = 2u << queue_bits, stride = 0x10000u >> queue_bits; /* two pages */
        bench.config.ecmdq = true;
        bench.config.ecmdq_page_bits = 1;
        bench.config.ecmdq_queue_bits = queue_bits;
        smmu_bench_start();
        ck_assert_uint_eq(smmu_register_bytes(&bench.config), 0x1A0000);
        for (uint32_t n = 0; n < queues; n++)
            wr32(0x180008 + n * stride, n + 1);
        for (uint32_t n = 0; n < queues; n++) {
            ck_assert_uint_eq(rd32(0x180008 + n * stride), n + 1);
            ck_assert_uint_eq(rd32(0x180008 + n * stride + 0x10), 0);
            ck_assert_uint_eq(rd32(0x180008 + n * stride + stride - 4 - 8), 0);
        }
        smmu_bench_stop();
        smmu_bench_reset();
    }
    smmu_bench_start();
    ck_assert_uint_eq(smmu_register_bytes(&bench.config), 0x20000);
    ck_assert_uint_eq(rd64(0x4000), 0); /* without ECMDQs there are no control pages */
    ck_assert_uint_eq(rd32(0x180008), 0);
}
END_TEST

static void refused(const char *rule)
{
    struct error_list errors = {0};

    ck_assert(!smmu_config_check(&bench.config, &errors));
    ck_assert_uint_eq(errors.count, 1);
    ck_assert_msg(strstr(errors.entries[0].text, rule), "%s", errors.entries[0].text);
    error_clear(&errors);
    free(bench.memory);
    smmu_bench_reset();
}

static void accepted(void)
{
    struct error_list errors = {0};

    ck_assert_msg(smmu_config_check(&bench.config, &errors), "%s", errors.entries[0].text);
    free(bench.memory);
    smmu_bench_reset();
}

/* One row a rule: a field, and a value that breaks the rule. */
START_TEST(impossible_configurations)
{
    const struct {
        uint32_t *field, value;
        const char *rule;
    } rows[] = {
        {&bench.config.sid_bits, 33, "IDR1.SIDSIZE is at most 32"},
        {&bench.config.ssid_bits, 21, "IDR1.SSIDSIZE is at most 20"},
        {&bench.config.cmdq_bits, 20, "smmu.cmdq_bits is 20 and smmu.eventq_bits 7; each is at most 19"},
        {&bench.config.eventq_bits, 20, "smmu.eventq_bits 20; each is at most 19"},
        {&bench.config.translator.output_bits, 39, "IDR5.OAS"},
        {&bench.config.translator.output_bits, 52, "IDR5.OAS"},
        {&bench.config.translator.tlb_ways, 3, "power of two"},
        {&bench.config.translator.tlb_ways, 0, "power of two"},
        {&bench.config.translator.tlb_entries, 0, "power of two"},
        {&bench.config.translator.tlb_entries, 24, "power of two"},
        {&bench.config.translator.micro_entries, 0, "are at least 1"},
        {&bench.config.translator.walk_cache_entries, 0, "are at least 1"},
        {&bench.config.config_entries, 0, "are at least 1"},
        {&bench.config.translator.walk_slots, 0, "smmu.walk_slots is 0; it is 1 to 64"},
        {&bench.config.translator.walk_slots, 65, "smmu.walk_slots is 65; it is 1 to 64"},
        {&bench.config.engines, 0, "smmu.engines is 0; it is 1 to 64"},
        {&bench.config.engines, 65, "smmu.engines is 65; it is 1 to 64"},
        {&bench.config.prefetch, 0, "smmu.prefetch is 0; it is 1 to 64"},
        {&bench.config.prefetch, 65, "smmu.prefetch is 65; it is 1 to 64"},
        {&bench.config.cmdq_weight, 0, "smmu.cmdq_weight"},
        {&bench.config.ecmdq_weight, 0, "smmu.ecmdq_weight"},
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        *rows[i].field = rows[i].value;
        refused(rows[i].rule);
    }
    bench.config.two_level = false;
    refused("ST_LEVEL");
    bench.config.stage1 = bench.config.stage2 = bench.config.hyp = false;
    refused("S1P or S2P");
    bench.config.stage1 = false;
    refused("IDR0.HYP");
    bench.config.stage2 = false;
    refused("IDR0.HYP");
    bench.config.ecmdq = true;
    bench.config.cohacc = false;
    refused("IDR0.COHACC = 1");
    bench.config.ecmdq = true;
    bench.config.msi = false;
    refused("IDR0.MSI = 1");
    bench.config.ecmdq = true;
    bench.config.ecmdq_queue_bits = 9;
    refused("smmu.ecmdq_queue_bits 9; each is at most 8");
    bench.config.ecmdq = true;
    bench.config.ecmdq_page_bits = 9;
    refused("smmu.ecmdq_page_bits is 9");
    bench.config.ecmdq = true;
    bench.config.ecmdq_page_bits = 5;
    bench.config.ecmdq_queue_bits = 8;
    refused("is 13; this model holds 2^12 queues");
}
END_TEST

START_TEST(extreme_configurations)
{
    static const uint8_t sizes[] = {32, 36, 40, 42, 44, 48};

    bench.config.sid_bits = 32;
    bench.config.ssid_bits = 20;
    bench.config.cmdq_bits = bench.config.eventq_bits = 19;
    bench.config.engines = bench.config.prefetch = bench.config.translator.walk_slots = 64;
    bench.config.ecmdq = true;
    bench.config.ecmdq_page_bits = 4;
    bench.config.ecmdq_queue_bits = 8;
    accepted();
    bench.config.sid_bits = 6; /* a linear table is enough */
    bench.config.two_level = false;
    accepted();
    bench.config.sid_bits = bench.config.ssid_bits = bench.config.cmdq_bits = bench.config.eventq_bits = 0;
    bench.config.translator.tlb_entries = bench.config.translator.tlb_ways = 3; /* one set */
    accepted();
    bench.config.ecmdq_queue_bits = 99; /* means nothing without ECMDQs */
    accepted();
    for (unsigned i = 0; i < 6; i++) {
        bench.config.translator.output_bits = sizes[i];
        smmu_bench_start();
        ck_assert_uint_eq(rd32(0x14) & 7, i);
        smmu_bench_stop();
        smmu_bench_reset();
    }
    smmu_bench_start();
}
END_TEST

void test_smmu_registers(struct unit_registry *registry)
{
    unit_suite(registry, "SmmuRegisters", smmu_bench_reset, smmu_bench_stop);
    unit_test(registry, identification);
    unit_test(registry, every_register);
    unit_test(registry, halves_are_read_apart);
    unit_test(registry, fields_of_what_is_not_there);
    unit_test(registry, odd_accesses_do_nothing);
    unit_test(registry, unassigned_is_raz_wi);
    unit_test(registry, handshakes);
    unit_test(registry, fixed_while_enabled);
    unit_test(registry, msi_registers_are_guarded);
    unit_test(registry, event_queue_aliases);
    unit_test(registry, gerror_is_acknowledged_once);
    unit_test(registry, no_interrupt_unless_enabled);
    unit_test(registry, ecmdq_pages);
    unit_test(registry, ecmdq_strides);
    unit_test(registry, impossible_configurations);
    unit_test(registry, extreme_configurations);
}
