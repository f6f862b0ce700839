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

/* All bits that can be written from reset, and none else. */
START_TEST(writable_bits)
{
    static const struct {
        uint32_t offset, bits;
    } rows[] = {
        {R_CR1, 0xFFF},
        {R_CR2, 7},
        {R_GERROR_CFG1, 0xFFFFFFFF},
        {0x74, 0x3F},
        {R_STRTAB_CFG, 0x307FF},
        {R_CMDQ_PROD, 0xFFFFF},
        {R_CMDQ_CONS, 0x7F0FFFFF},
        {R_EVENTQ_PROD, 0x800FFFFF},
        {R_EVENTQ_CONS, 0x800FFFFF},
        {R_EVENTQ_CFG1, 0xFFFFFFFF},
        {0xBC, 0x3F},
        {0x40, 0},
        {0x48, 0},
        {0xC8, 0},
        {0x100C8, 0},
        {0x80C, 0},
    };
    static const struct {
        uint32_t offset;
        uint64_t bits;
    } wide[] = {
        {R_GERROR_CFG0, 0x00FFFFFFFFFFFFFC},
        {R_STRTAB_BASE, 0x40FFFFFFFFFFFFC0},
        {R_CMDQ_BASE, 0x40FFFFFFFFFFFFFF},
        {R_EVENTQ_BASE, 0x40FFFFFFFFFFFFFF},
        {R_EVENTQ_CFG0, 0x00FFFFFFFFFFFFFC},
        {0xC0, 0},
        {0xD0, 0},
    };

    smmu_bench_start();
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        wr32(rows[i].offset, 0xFFFFFFFF);
        ck_assert_msg(rd32(rows[i].offset) == rows[i].bits, "offset 0x%x reads 0x%x", rows[i].offset,
                      rd32(rows[i].offset));
        wr32(rows[i].offset, 0);
        ck_assert_uint_eq(rd32(rows[i].offset), 0);
    }
    for (unsigned i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
        wr64(wide[i].offset, UINT64_MAX);
        ck_assert_msg(rd64(wide[i].offset) == wide[i].bits, "offset 0x%x", wide[i].offset);
        wr32(wide[i].offset, 0);
        ck_assert_uint_eq(rd64(wide[i].offset), wide[i].bits >> 32 << 32);
        wr32(wide[i].offset + 4, 0);
        ck_assert_uint_eq(rd64(wide[i].offset), 0);
    }
}
END_TEST

START_TEST(odd_accesses_do_nothing)
{
    uint8_t bytes[8];
    struct txn txn = {.kind = TXN_READ, .addr = R_IDR0, .data = bytes};

    smmu_bench_start();
    wr64(R_CMDQ_BASE, 0x1230000);
    for (uint32_t size = 1; size <= 8; size++)
        for (uint32_t shift = 0; shift < 8; shift++) {
            bool fine = (size == 4 && shift % 4 == 0) || (size == 8 && shift == 0);
            memset(bytes, 0xFF, 8);
            txn.addr = R_CMDQ_BASE + shift;
            txn.size = size;
            smmu_access(bench.smmu, &txn);
            ck_assert_int_eq(txn.status, TXN_OK);
            for (uint32_t i = 0; i < size && !fine; i++)
                ck_assert_uint_eq(bytes[i], 0);
        }
    ck_assert_uint_eq(rd64(R_CMDQ_PROD), 0); /* two 32-bit registers are not one of 64 bits */
    wr64(R_CR1, UINT64_MAX);
    ck_assert_uint_eq(rd32(R_CR1), 0);
    ck_assert_uint_eq(rd32(0x30000), 0);
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
    ck_assert_uint_eq(rd32(R_GBPA), 0);
    wr32(R_GBPA, 0x80100000);
    ck_assert_uint_eq(rd32(R_GBPA), 0x100000);
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
    wr64(R_EVENTQ_CFG0, 0x1000);
    ck_assert_uint_eq(rd64(R_EVENTQ_CFG0), 0);
    wr32(R_CR0, SMMUEN); /* queues off: QUEUE_* may change, TABLE_* not */
    wr32(R_CR1, 0);
    ck_assert_uint_eq(rd32(R_CR1), 0xD40);
    wr32(R_CR0, 0);
    wr32(R_CR1, 0);
    ck_assert_uint_eq(rd32(R_CR1), 0);
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
    wr32(R_GERRORN, 0xFFFFFFFE); /* bits that are not active are not touched */
    ck_assert_uint_eq(rd32(R_GERRORN), 0);
    put_command(0x46, 0);
    set_word(CMDQ_AT, 0x46);
    wr32(R_GERRORN, 1);
    ck_assert_uint_eq(rd32(R_GERRORN), 1);
    wr32(R_GERRORN, 0); /* a second time: nothing is active */
    ck_assert_uint_eq(rd32(R_GERRORN), 1);
    run_ps(10 * PS_PER_US);
    ck_assert_uint_eq(rd32(R_CMDQ_CONS) & 0xFFFFF, 1);
    command(0xFF, 0);
    ck_assert_uint_eq(rd32(R_GERROR), 0); /* the toggle goes back */
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
        wr64(0x180000 + n * 0x2000, 0x60000 + n * 0x1000);
        ck_assert_uint_eq(rd64(0x180000 + n * 0x2000), 0x60000 + n * 0x1000);
        wr32(0x18000C + n * 0x2000, n);
        ck_assert_uint_eq(rd32(0x18000C + n * 0x2000), n);
        wr32(0x180008 + n * 0x2000, 0x80000000 | n);
        ck_assert_uint_eq(rd32(0x180008 + n * 0x2000), 0x80000000 | n);
        ck_assert_uint_eq(rd32(0x18000C + n * 0x2000), 0x80000000 | n);
        wr64(0x180000 + n * 0x2000, 0); /* enabled: BASE and CONS are fixed */
        wr32(0x18000C + n * 0x2000, 0);
        ck_assert_uint_eq(rd64(0x180000 + n * 0x2000), 0x60000 + n * 0x1000);
        ck_assert_uint_eq(rd32(0x18000C + n * 0x2000), 0x80000000 | n);
    }
    wr32(R_CR1, 0x3F); /* an enabled ECMDQ fixes QUEUE_* */
    ck_assert_uint_eq(rd32(R_CR1), 0);
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

START_TEST(impossible_configurations)
{
    bench.config.ecmdq = true;
    bench.config.cohacc = false;
    refused("IDR0.COHACC = 1");
    bench.config.ecmdq = true;
    bench.config.msi = false;
    refused("IDR0.MSI = 1");
    bench.config.ecmdq = true;
    bench.config.ecmdq_queue_bits = 9;
    refused("at most 8");
    bench.config.sid_bits = 33;
    refused("at most 32");
    bench.config.two_level = false;
    refused("ST_LEVEL");
    bench.config.ssid_bits = 21;
    refused("at most 20");
    bench.config.stage1 = bench.config.stage2 = bench.config.hyp = false;
    refused("S1P or S2P");
    bench.config.stage1 = false;
    refused("IDR0.HYP");
    bench.config.cmdq_bits = 20;
    refused("at most 19");
    bench.config.translator.output_bits = 39;
    refused("IDR5.OAS");
    bench.config.translator.tlb_ways = 3;
    refused("power of two");
    bench.config.engines = 0;
    refused("smmu.engines");
    bench.config.prefetch = 65;
    refused("smmu.prefetch");
}
END_TEST

void test_smmu_registers(struct unit_registry *registry)
{
    unit_suite(registry, "SmmuRegisters", smmu_bench_reset, smmu_bench_stop);
    unit_test(registry, identification);
    unit_test(registry, writable_bits);
    unit_test(registry, odd_accesses_do_nothing);
    unit_test(registry, handshakes);
    unit_test(registry, fixed_while_enabled);
    unit_test(registry, event_queue_aliases);
    unit_test(registry, gerror_is_acknowledged_once);
    unit_test(registry, ecmdq_pages);
    unit_test(registry, impossible_configurations);
}
