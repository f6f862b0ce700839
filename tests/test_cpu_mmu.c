/* Stage 1 translation: levels, faults, permissions, attributes, cost of walks. */
#include <string.h>

#include "tests/support/system_bench.h"
#include "tests/unit.h"

static struct system_bench *bench;

static void setup(void)
{
    bench = bench_create(1, 0);
}

static void teardown(void)
{
    bench_destroy(bench);
}

static struct translation translate(uint64_t va, enum mmu_access access)
{
    return mmu_translate(bench->cpu, va, access, false, 1000);
}

/* Forgets everything that the TLB knows. */
static void forget(void)
{
    struct tlbi_request all = {.encoding = BENCH_SYS(0, 8, 7, 0)};

    mmu_tlbi(bench->cpu, &all);
}

#define ASSERT_FAULT(va, access, fsc) ck_assert_uint_eq(translate(va, access).fault, fsc)
START_TEST(off_is_flat)
{
    struct translation t = translate(0x0000123456789ABCull, MMU_WRITE);

    ck_assert_uint_eq(t.fault, 0);
    ck_assert_uint_eq(t.pa, 0x0000123456789ABCull);
    ck_assert_int_eq(t.type, MEM_DEVICE_nGnRnE);
    ck_assert_int_eq(t.sh, SH_OUTER);
    ck_assert_uint_eq(t.done_ps, 1000);
    ck_assert_int_eq(translate(BENCH_RAM, MMU_FETCH).type, MEM_NORMAL_NC);
    bench->cpu->sys.sctlr[1] |= 1 << 12; /* I */
    ck_assert_int_eq(translate(BENCH_RAM, MMU_FETCH).type, MEM_NORMAL_WB);
    ck_assert_uint_eq(translate(1ull << 47, MMU_READ).fault, 0);
    ck_assert_uint_eq(translate(1ull << 48, MMU_READ).fault, FSC_ADDRESS_SIZE_LEVEL_0);
    ck_assert_uint_eq(translate(1ull << 48, MMU_FETCH).fault, FSC_ADDRESS_SIZE_LEVEL_0);
}
END_TEST

/* The FSC of an address size fault of level 0 is 0. */
START_TEST(off_address_too_large_aborts)
{
    const uint32_t code[] = {0xF9400001 /* ldr x1, [x0] */, A64_LOOP};

    bench->cpu->x[0] = 1ull << 48;
    bench->cpu->x[1] = 77;
    bench_run(bench, code, 2, 20);
    ck_assert_uint_eq(bench->cpu->x[1], 77);
    ck_assert_uint_eq(bench->cpu->pc, BENCH_VECTORS + 0x200);
    ck_assert_uint_eq(bench->cpu->sys.esr[1], 0x96000000);
    ck_assert_uint_eq(bench->cpu->sys.far_[1], 1ull << 48);
}
END_TEST

/* Every granule, every TxSZ, every leaf level: address, and as many table reads as levels. */
START_TEST(every_size_walks_its_levels)
{
    static const unsigned granules[] = {12, 14, 16};

    for (unsigned g = 0; g < 3; g++)
        for (unsigned bits = 25; bits <= 48; bits++) {
            bench->next_table = BENCH_TABLES;
            bench_mmu_on(bench, granules[g], bits);
            unsigned start = bench_start_level(&bench->lower);
            for (unsigned level = start; level <= 3; level++) {
                unsigned shift = bench_level_shift(&bench->lower, level);
                uint64_t va = ((1ull << bits) - 1) & ~0xFFFull, mask = (1ull << shift) - 1;
                uint64_t pa = 0x0000800000000000ull;
                struct translation t;
                if (level < 2 && !(level == 1 && granules[g] == 12))
                    continue;
                forget();
                bench_map(bench, &bench->lower, va, level, pa, 0);
                bench->walks = 0;
                t = translate(va | 0x123, MMU_READ);
                ck_assert_msg(t.fault == 0 && t.pa == (pa | (va & mask) | 0x123) && bench->walks == level - start + 1,
                              "granule %u, %u bits, level %u: fault %02x, pa %llx, %u reads", granules[g], bits, level,
                              t.fault, (unsigned long long)t.pa, bench->walks);
                ck_assert_uint_eq(t.done_ps, 1000 + 2000 * bench->walks);
                *bench_slot(bench, &bench->lower, va, level) = 0;
            }
        }
}
END_TEST

START_TEST(upper_range_uses_ttbr1)
{
    uint64_t va = 0xFFFF800012345000ull;

    bench_mmu_on(bench, 12, 48);
    bench_map(bench, &bench->upper, va, 3, BENCH_DATA, 0);
    ck_assert_uint_eq(translate(va + 8, MMU_READ).pa, BENCH_DATA + 8);
    ASSERT_FAULT(va & 0xFFFFFFFFFFFFull, MMU_READ, 0x04);
}
END_TEST

START_TEST(outside_both_ranges_is_level_0)
{
    bench_mmu_on(bench, 12, 39);
    bench_map(bench, &bench->lower, 0x7FFFFFF000ull, 3, BENCH_DATA, 0);
    bench_map(bench, &bench->upper, 0xFFFFFF8000000000ull, 3, BENCH_DATA, 0);
    ASSERT_FAULT(0x7FFFFFF000ull, MMU_READ, 0);
    ASSERT_FAULT(0xFFFFFF8000000000ull, MMU_READ, 0);
    ASSERT_FAULT(0x8000000000ull, MMU_READ, 0x04);
    ASSERT_FAULT(0xFFFFFF7FFFFFFFFFull, MMU_READ, 0x04);
    ASSERT_FAULT(0x0100007FFFFFF000ull, MMU_READ, 0x04); /* a tag without TBI */
}
END_TEST

START_TEST(epd_disables_walks)
{
    bench_mmu_on(bench, 12, 39);
    bench_map(bench, &bench->lower, 0x1000, 3, BENCH_DATA, 0);
    bench_map(bench, &bench->upper, 0xFFFFFF8000000000ull, 3, BENCH_DATA, 0);
    bench->cpu->sys.tcr[1] |= 1 << 7;
    ASSERT_FAULT(0x1000, MMU_READ, 0x04);
    ck_assert_uint_eq(bench->walks, 0);
    ASSERT_FAULT(0xFFFFFF8000000000ull, MMU_READ, 0);
    forget();
    bench->cpu->sys.tcr[1] ^= 1 << 7 | 1 << 23;
    ASSERT_FAULT(0x1000, MMU_READ, 0);
    ASSERT_FAULT(0xFFFFFF8000000000ull, MMU_READ, 0x04);
}
END_TEST

START_TEST(top_byte_ignored_shares_the_entry)
{
    struct tlbi_request vae1 = {.encoding = BENCH_SYS(0, 8, 7, 1), .operand = 0x1};

    bench_mmu_on(bench, 12, 39);
    bench->cpu->sys.tcr[1] |= 1ull << 37;
    bench_map(bench, &bench->lower, 0x1000, 3, BENCH_DATA, 0);
    ck_assert_uint_eq(translate(0xAB00000000001234ull, MMU_READ).pa, BENCH_DATA + 0x234);
    ck_assert_uint_eq(bench->walks, 3);
    ck_assert_uint_eq(translate(0x1234, MMU_READ).pa, BENCH_DATA + 0x234);
    ck_assert_uint_eq(bench->walks, 3); /* the tag made no second entry */
    bench_map(bench, &bench->lower, 0x1000, 3, BENCH_DATA + 0x1000, 0);
    mmu_tlbi(bench->cpu, &vae1);
    ck_assert_uint_eq(translate(0xAB00000000001234ull, MMU_READ).pa, BENCH_DATA + 0x1234);
    ASSERT_FAULT(0xAB80000000001234ull, MMU_READ, 0x04); /* bit 55: upper range, TBI1 is 0 */
}
END_TEST

START_TEST(translation_fault_of_each_level)
{
    static const unsigned granules[] = {12, 14, 16};

    for (unsigned g = 0; g < 3; g++) {
        bench->next_table = BENCH_TABLES;
        bench_mmu_on(bench, granules[g], 48);
        for (unsigned level = bench_start_level(&bench->lower); level <= 3; level++) {
            forget();
            *bench_slot(bench, &bench->lower, 0x10000, level) = 0;
            ASSERT_FAULT(0x10000, MMU_READ, 0x04 + level);
            ASSERT_FAULT(0x10000, MMU_WRITE, 0x04 + level);
            ASSERT_FAULT(0x10000, MMU_FETCH, 0x04 + level);
        }
        *bench_slot(bench, &bench->lower, 0x10000, 3) = BENCH_DATA | DESC_AF | 1; /* 01 is reserved at level 3 */
        ASSERT_FAULT(0x10000, MMU_READ, 0x07);
        *bench_slot(bench, &bench->lower, 0x10000, 3) = BENCH_DATA | DESC_AF | 2; /* invalid, whatever bit 1 says */
        ASSERT_FAULT(0x10000, MMU_READ, 0x07);
    }
}
END_TEST

/* Blocks exist at levels 1 and 2 of 4K, at level 2 of the others. */
START_TEST(blocks_where_none_exist)
{
    static const struct {
        unsigned granule, level;
        uint8_t fsc;
    } cases[] = {{12, 0, 0x04}, {12, 1, 0}, {12, 2, 0},    {14, 0, 0x04},
                 {14, 1, 0x05}, {14, 2, 0}, {16, 1, 0x05}, {16, 2, 0}};

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bench->next_table = BENCH_TABLES;
        bench_mmu_on(bench, cases[i].granule, 48);
        forget();
        bench_map(bench, &bench->lower, 0, cases[i].level, 0, 0);
        ck_assert_uint_eq(translate(0x1000, MMU_READ).fault, cases[i].fsc);
        ck_assert_int_eq(mmu_debug_translate(bench->cpu, 0x1000, &(uint64_t){0}), cases[i].fsc == 0);
    }
}
END_TEST

START_TEST(access_flag_fault_of_each_level)
{
    bench_mmu_on(bench, 12, 48);
    for (unsigned level = 1; level <= 3; level++) {
        uint64_t va = (uint64_t)level << 39;
        bench_map(bench, &bench->lower, va, level, 0x40000000, DESC_AP(2));
        *bench_slot(bench, &bench->lower, va, level) &= ~DESC_AF;
        ASSERT_FAULT(va, MMU_READ, 0x08 + level);
        ASSERT_FAULT(va, MMU_WRITE, 0x08 + level);               /* before the permission */
        *bench_slot(bench, &bench->lower, va, level) |= DESC_AF; /* a faulting entry is not kept */
        ASSERT_FAULT(va, MMU_READ, 0);
        ASSERT_FAULT(va, MMU_WRITE, 0x0C + level);
    }
}
END_TEST

/* Addresses above TCR.IPS: of a leaf, of a table, of the base register; before the access flag. */
START_TEST(address_size_faults)
{
    bench_mmu_on(bench, 12, 48);
    bench_map(bench, &bench->lower, 0x1000, 3, 1ull << 36, 0);
    bench->cpu->sys.tcr[1] &= ~(7ull << 32);
    bench->cpu->sys.tcr[1] |= 1ull << 32; /* 36 bits */
    ASSERT_FAULT(0x1000, MMU_READ, 0x03);
    *bench_slot(bench, &bench->lower, 0x1000, 3) &= ~DESC_AF;
    ASSERT_FAULT(0x1000, MMU_READ, 0x03);
    *bench_slot(bench, &bench->lower, 0x1000, 3) = 1ull << 36; /* invalid: its address is not looked at */
    ASSERT_FAULT(0x1000, MMU_READ, 0x07);
    bench_map(bench, &bench->lower, 0x1000, 3, 0xFFFFFF000ull, 0);
    ck_assert_uint_eq(translate(0x1000, MMU_READ).pa, 0xFFFFFF000ull);
    *bench_slot(bench, &bench->lower, 0x40000000, 1) = 1ull << 40 | DESC_TABLE;
    ASSERT_FAULT(0x40000000, MMU_READ, 0x01);
    *bench_slot(bench, &bench->lower, 0x40000000, 1) = 1ull << 40 | DESC_BLOCK | DESC_AF;
    ASSERT_FAULT(0x40000000, MMU_READ, 0x01);
}
END_TEST

/* A base register above TCR.IPS: level 0. */
START_TEST(base_register_too_large_aborts)
{
    const uint32_t code[] = {0xF9400001 /* ldr x1, [x0] */, A64_LOOP};

    bench_mmu_on(bench, 12, 39);
    bench_map(bench, &bench->lower, BENCH_RAM & ~0x3FFFFFFFull, 1, BENCH_RAM & ~0x3FFFFFFFull, 0);
    bench->cpu->sys.ttbr1[1] = 1ull << 44;
    bench->cpu->sys.tcr[1] &= ~(7ull << 32); /* 32 bits */
    bench->cpu->x[0] = 0xFFFFFFFFFFFFF000ull;
    bench_run(bench, code, 2, 20);
    ck_assert_uint_eq(bench->cpu->sys.esr[1], 0x96000000);
    ck_assert_uint_eq(bench->cpu->sys.far_[1], 0xFFFFFFFFFFFFF000ull);
    ck_assert_uint_eq(bench->cpu->pc, BENCH_VECTORS + 0x200);
}
END_TEST

START_TEST(external_abort_on_walk)
{
    bench_mmu_on(bench, 12, 48);
    *bench_slot(bench, &bench->lower, 0, 0) = 0x1000 | DESC_TABLE; /* no memory there */
    ASSERT_FAULT(0x1000, MMU_READ, 0x15);
    *bench_slot(bench, &bench->lower, 1ull << 39, 1) = 0x1000 | DESC_TABLE;
    ASSERT_FAULT(1ull << 39, MMU_FETCH, 0x16);
    bench->cpu->sys.ttbr0[1] = 0x2000;
    ASSERT_FAULT(0x1000, MMU_READ, 0x14);
}
END_TEST

/* What may be done: rwx of EL1, then rwx of EL0. */
static void permissions(uint64_t va, char text[7])
{
    static const char letters[] = "rwx";
    struct cpu *cpu = bench->cpu;

    for (unsigned el = 0; el < 2; el++)
        for (unsigned access = MMU_READ; access <= MMU_FETCH; access++) {
            cpu->pstate.el = (uint8_t)(1 - el);
            uint8_t fault = translate(va, (enum mmu_access)access).fault;
            ck_assert(fault == 0 || fault == 0x0F);
            text[el * 3 + access] = fault ? '-' : letters[access];
        }
    cpu->pstate.el = 1;
    text[6] = 0;
}

static void assert_permissions(uint64_t bits, const char *expected)
{
    char text[7];

    forget();
    bench_map(bench, &bench->lower, 0x1000, 3, BENCH_DATA, bits);
    permissions(0x1000, text);
    ck_assert_str_eq(text, expected);
}

START_TEST(permission_matrix)
{
    static const char *const expected[4][4] = {
        /* none, PXN, UXN, both */
        {"rwx--x", "rw---x", "rwx---", "rw----"},
        {"rw-rwx", "rw-rwx", "rw-rw-", "rw-rw-"},
        {"r-x--x", "r----x", "r-x---", "r-----"},
        {"r-xr-x", "r--r-x", "r-xr--", "r--r--"},
    };

    bench_mmu_on(bench, 12, 39);
    for (unsigned ap = 0; ap < 4; ap++)
        for (unsigned xn = 0; xn < 4; xn++)
            assert_permissions(DESC_AP(ap) | (xn & 1 ? DESC_PXN : 0) | (xn & 2 ? DESC_UXN : 0), expected[ap][xn]);
}
END_TEST

START_TEST(permissions_with_wxn)
{
    bench_mmu_on(bench, 12, 39);
    bench->cpu->sys.sctlr[1] |= 1 << 19;
    assert_permissions(DESC_AP(0), "rw---x");
    assert_permissions(DESC_AP(1), "rw-rw-");
    assert_permissions(DESC_AP(2), "r-x--x");
    assert_permissions(DESC_AP(3), "r-xr-x");
}
END_TEST

START_TEST(permissions_with_pan)
{
    bench_mmu_on(bench, 12, 39);
    bench->cpu->pstate.pan = 1;
    assert_permissions(DESC_AP(0), "rwx--x");
    assert_permissions(DESC_AP(1), "---rwx");
    assert_permissions(DESC_AP(2), "r-x--x");
    assert_permissions(DESC_AP(3), "--xr-x");
    /* LDTR and STTR are the way around it, DC by address and AT do not look at it */
    assert_permissions(DESC_AP(1), "---rwx");
    ck_assert_uint_eq(mmu_translate(bench->cpu, 0x1000, MMU_READ, true, 0).fault, 0);
    ck_assert_uint_eq(mmu_translate(bench->cpu, 0x1000, MMU_WRITE, true, 0).fault, 0);
    ck_assert_uint_eq(mmu_translate_maintenance(bench->cpu, 0x1000, MMU_WRITE, 0).fault, 0);
    ck_assert_uint_eq(bench->cpu->pstate.pan, 1);
}
END_TEST

START_TEST(unprivileged_access_from_el1)
{
    bench_mmu_on(bench, 12, 39);
    bench_map(bench, &bench->lower, 0x1000, 3, BENCH_DATA, DESC_AP(0));
    bench_map(bench, &bench->lower, 0x2000, 3, BENCH_DATA, DESC_AP(3));
    ck_assert_uint_eq(mmu_translate(bench->cpu, 0x1000, MMU_READ, true, 0).fault, 0x0F);
    ck_assert_uint_eq(mmu_translate(bench->cpu, 0x2000, MMU_READ, true, 0).fault, 0);
    ck_assert_uint_eq(mmu_translate(bench->cpu, 0x2000, MMU_WRITE, true, 0).fault, 0x0F);
    ck_assert(translate(0x1000, MMU_READ).writable);
    ck_assert(!translate(0x2000, MMU_READ).writable);
}
END_TEST

/* APTable, XNTable, PXNTable of any level above take rights away, never give them. */
START_TEST(table_attributes_are_inherited)
{
    static const struct {
        unsigned bit;
        const char *expected;
    } cases[] = {{61, "rwx--x"}, {62, "r-xr-x"}, {60, "rw-rw-"}, {59, "rw-rwx"}};

    bench_mmu_on(bench, 12, 48);
    for (unsigned level = 0; level < 3; level++)
        for (unsigned i = 0; i < 4; i++) {
            assert_permissions(DESC_AP(1), "rw-rwx");
            *bench_slot(bench, &bench->lower, 0x1000, level) |= 1ull << cases[i].bit;
            assert_permissions(DESC_AP(1), cases[i].expected);
            *bench_slot(bench, &bench->lower, 0x1000, level) &= ~(1ull << cases[i].bit);
        }
    *bench_slot(bench, &bench->lower, 0x1000, 0) |= 1ull << 59;
    assert_permissions(DESC_AP(0), "rw---x");
    *bench_slot(bench, &bench->lower, 0x1000, 1) |= 1ull << 60; /* two levels add up */
    assert_permissions(DESC_AP(0), "rw----");
}
END_TEST

START_TEST(memory_types)
{
    static const enum mem_type types[] = {MEM_NORMAL_WB, MEM_NORMAL_NC,   MEM_DEVICE_nGnRE, MEM_DEVICE_nGnRnE,
                                          MEM_NORMAL_WT, MEM_DEVICE_nGRE, MEM_DEVICE_GRE};

    bench_mmu_on(bench, 12, 39);
    for (unsigned i = 0; i < 7; i++) {
        uint64_t va = 0x1000 * (i + 1);
        bool has_sh = types[i] == MEM_NORMAL_WB || types[i] == MEM_NORMAL_WT;
        bench_map(bench, &bench->lower, va, 3, BENCH_DATA, DESC_ATTR(i) | DESC_SH(3));
        ck_assert_int_eq(translate(va, MMU_READ).type, types[i]);
        ck_assert_int_eq(translate(va, MMU_READ).sh, has_sh ? SH_INNER : SH_OUTER);
        ck_assert_int_eq(translate(va, MMU_FETCH).type, types[i] <= MEM_NORMAL_NC ? MEM_NORMAL_NC : types[i]);
    }
    bench->cpu->sys.sctlr[1] &= ~(1ull << 2); /* C */
    ck_assert_int_eq(translate(0x1000, MMU_READ).type, MEM_NORMAL_NC);
    ck_assert_int_eq(translate(0x1000, MMU_FETCH).type, MEM_NORMAL_WB);
    bench->cpu->sys.sctlr[1] ^= 1 << 2 | 1 << 12; /* I */
    ck_assert_int_eq(translate(0x1000, MMU_READ).type, MEM_NORMAL_WB);
    ck_assert_int_eq(translate(0x1000, MMU_FETCH).type, MEM_NORMAL_NC);
}
END_TEST

/* Cacheable only with IRGN, ORGN and SCTLR.C; each read costs its latency, one after the other. */
START_TEST(walks_cacheable_or_not)
{
    bench_mmu_on(bench, 12, 39);
    bench_map(bench, &bench->lower, 0x1000, 3, BENCH_DATA, 0);
    ck_assert_uint_eq(translate(0x1000, MMU_READ).done_ps, 1000 + 3 * 2000);
    for (unsigned bit = 8; bit <= 10; bit += 2) {
        forget();
        bench->walks = bench->uncached_reads = 0;
        bench->cpu->sys.tcr[1] ^= 1ull << bit;
        ck_assert_uint_eq(translate(0x1000, MMU_READ).done_ps, 1000 + 3 * 10000);
        ck_assert_uint_eq(bench->walks, 0);
        ck_assert_uint_eq(bench->uncached_reads, 3);
        bench->cpu->sys.tcr[1] ^= 1ull << bit;
    }
    forget();
    bench->cpu->sys.sctlr[1] &= ~(1ull << 2);
    ck_assert_uint_eq(translate(0x1000, MMU_READ).done_ps, 1000 + 3 * 10000);
    ck_assert_uint_eq(bench->walks, 0);
}
END_TEST

START_TEST(el2_regime)
{
    bench->cpu->has_el2 = true;
    bench->cpu->pstate.el = 2;
    bench_mmu_on_el2(bench, 12, 39);
    bench_map(bench, &bench->lower, 0x1000, 3, BENCH_DATA, DESC_AP(1));
    bench_map(bench, &bench->lower, 0x2000, 3, BENCH_DATA, DESC_AP(3) | DESC_UXN);
    ASSERT_FAULT(0x1000, MMU_READ, 0);
    ASSERT_FAULT(0x1000, MMU_WRITE, 0);
    ASSERT_FAULT(0x1000, MMU_FETCH, 0);
    ASSERT_FAULT(0x2000, MMU_READ, 0);
    ASSERT_FAULT(0x2000, MMU_WRITE, 0x0F);
    ASSERT_FAULT(0x2000, MMU_FETCH, 0x0F);
    ASSERT_FAULT(0xFFFFFFFFFFFFF000ull, MMU_READ, 0x04); /* one range only */
    bench->cpu->pstate.el = 1;
    ck_assert_int_eq(translate(0x1000, MMU_READ).type, MEM_DEVICE_nGnRnE); /* the EL1 MMU is still off */
}
END_TEST

START_TEST(address_translate_instructions)
{
    struct cpu *cpu = bench->cpu;
    bool cache_op = false;

    bench_mmu_on(bench, 12, 39);
    bench_map(bench, &bench->lower, 0x1000, 3, BENCH_DATA, DESC_AP(3) | DESC_SH(3));
    bench_map(bench, &bench->lower, 0x2000, 3, BENCH_DATA, DESC_ATTR(ATTR_nGnRE));
    ck_assert_int_eq(sysreg_sys(cpu, BENCH_SYS(0, 7, 8, 0), 0x1234, &cache_op), SYSREG_OK); /* S1E1R */
    ck_assert_uint_eq(cpu->sys.par, 0xFF00000000000000ull | BENCH_DATA | 1 << 11 | 3 << 7);
    sysreg_sys(cpu, BENCH_SYS(0, 7, 8, 1), 0x1234, &cache_op); /* S1E1W of a read-only page */
    ck_assert_uint_eq(cpu->sys.par, 1 << 11 | 0x0F << 1 | 1);
    sysreg_sys(cpu, BENCH_SYS(0, 7, 8, 1), 0x2000, &cache_op);
    ck_assert_uint_eq(cpu->sys.par, 0x0400000000000000ull | BENCH_DATA | 1 << 11 | 2 << 7);
    sysreg_sys(cpu, BENCH_SYS(0, 7, 8, 2), 0x1000, &cache_op); /* S1E0R */
    ck_assert_uint_eq(cpu->sys.par & 1, 0);
    sysreg_sys(cpu, BENCH_SYS(0, 7, 8, 2), 0x2000, &cache_op);
    ck_assert_uint_eq(cpu->sys.par, 1 << 11 | 0x0F << 1 | 1);
    sysreg_sys(cpu, BENCH_SYS(0, 7, 8, 3), 0x1000, &cache_op); /* S1E0W */
    ck_assert_uint_eq(cpu->sys.par, 1 << 11 | 0x0F << 1 | 1);
    sysreg_sys(cpu, BENCH_SYS(0, 7, 8, 0), 0x3000, &cache_op);
    ck_assert_uint_eq(cpu->sys.par, 1 << 11 | 0x07 << 1 | 1);
    cpu->pstate.pan = 1;
    sysreg_sys(cpu, BENCH_SYS(0, 7, 8, 0), 0x1000, &cache_op);
    ck_assert_uint_eq(cpu->sys.par & 1, 0);
    ck_assert_uint_eq(cpu->pstate.el, 1);
    ck_assert(!cache_op);
    cpu->pstate.el = 0;
    ck_assert_int_eq(sysreg_sys(cpu, BENCH_SYS(0, 7, 8, 0), 0x1000, &cache_op), SYSREG_UNDEFINED);
}
END_TEST

START_TEST(debug_translation_leaves_no_trace)
{
    uint64_t pa = 0;
    uint32_t word = 0x12345678, back = 0;

    bench_mmu_on(bench, 14, 47);
    bench_map(bench, &bench->lower, 0x4000, 3, BENCH_DATA, DESC_AP(2));
    bench_map(bench, &bench->upper, 0xFFFF800002000000ull, 2, BENCH_RAM, 0);
    ck_assert(mmu_debug_translate(bench->cpu, 0x5678, &pa));
    ck_assert_uint_eq(pa, BENCH_DATA + 0x1678);
    ck_assert(mmu_debug_translate(bench->cpu, 0xFFFF800002345678ull, &pa));
    ck_assert_uint_eq(pa, BENCH_RAM + 0x345678);
    ck_assert(!mmu_debug_translate(bench->cpu, 0x8000, &pa));
    *bench_slot(bench, &bench->lower, 0xC000, 3) = BENCH_DATA | DESC_AF | 1;
    ck_assert(!mmu_debug_translate(bench->cpu, 0xC000, &pa));
    ck_assert(cpu_debug_write(bench->cpu, 0x7FFE, &word, 2));  /* read-only for the guest, not for us */
    ck_assert(!cpu_debug_write(bench->cpu, 0x7FFE, &word, 4)); /* the next page is not there */
    ck_assert(cpu_debug_read(bench->cpu, 0x7FFE, &back, 2));
    ck_assert_uint_eq(back, 0x5678);
    ck_assert_uint_eq(bench->walks, 0);
}
END_TEST

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return *state >> 20 ^ *state << 40;
}

/* Anything in the registers and tables: a known fault or an address, the same one that the debug walk finds. */
START_TEST(nonsense_is_survived)
{
    struct sysregs *sys = &bench->cpu->sys;
    uint64_t state = 42, *memory = (uint64_t *)flat_bus_memory(&bench->flat, BENCH_TABLES);
    unsigned translated = 0, faults[64] = {0};

    for (unsigned i = 0; i < 65536 / 8; i++) { /* half of the descriptors lead back into this memory */
        memory[i] = next_random(&state);
        if (next_random(&state) & 1)
            memory[i] = (memory[i] & 0xFFF0000000000FFFull) | BENCH_TABLES | (next_random(&state) & 0xF000) | 3;
    }
    for (unsigned round = 0; round < 20000; round++) {
        enum mmu_access access = (enum mmu_access)(next_random(&state) % 3);
        uint64_t va = next_random(&state), pa = 0;
        struct translation t;
        va = round & 3 ? (uint64_t)((int64_t)va >> (16 + next_random(&state) % 24)) : va;
        bench->cpu->pstate.el = next_random(&state) % 3;
        for (unsigned el = 1; el < 3; el++) {
            sys->tcr[el] = next_random(&state) | (round & 4 ? 0 : 5ull << (el == 1 ? 32 : 16)); /* half: all 48 bits */
            sys->mair[el] = next_random(&state);
            sys->sctlr[el] = next_random(&state) | 1;
            sys->ttbr0[el] =
                round & 8 ? next_random(&state) : BENCH_TABLES | (next_random(&state) & 0xFFFF0000000000FFull);
            sys->ttbr1[el] =
                round & 8 ? next_random(&state) : BENCH_TABLES | (next_random(&state) & 0xFFFF0000000000FFull);
        }
        forget();
        mmu_tlbi(bench->cpu, &(struct tlbi_request){.encoding = BENCH_SYS(4, 8, 7, 0)});
        t = translate(va, access);
        ck_assert(t.fault <= 0x0F || (t.fault >= 0x14 && t.fault <= 0x17) || t.fault == FSC_ADDRESS_SIZE_LEVEL_0);
        faults[t.fault & 63]++;
        if (t.fault)
            continue;
        translated++;
        ck_assert(mmu_debug_translate(bench->cpu, va, &pa));
        ck_assert_uint_eq(pa, t.pa);
        ck_assert_uint_eq(translate(va, access).pa, t.pa); /* from the TLB */
        ck_assert_uint_eq(t.pa >> 48, 0);
    }
    ck_assert_uint_gt(translated, 50);
    ck_assert(faults[4] && faults[5] && faults[6] && faults[7] && faults[0] && faults[0xF] && faults[0x14]);
}
END_TEST

void test_cpu_mmu(struct unit_registry *r);
void test_cpu_mmu(struct unit_registry *r)
{
    unit_suite(r, "CpuMmu", setup, teardown);
    unit_test(r, off_is_flat);
    unit_test(r, off_address_too_large_aborts);
    unit_test(r, every_size_walks_its_levels);
    unit_test(r, upper_range_uses_ttbr1);
    unit_test(r, outside_both_ranges_is_level_0);
    unit_test(r, epd_disables_walks);
    unit_test(r, top_byte_ignored_shares_the_entry);
    unit_test(r, translation_fault_of_each_level);
    unit_test(r, blocks_where_none_exist);
    unit_test(r, access_flag_fault_of_each_level);
    unit_test(r, address_size_faults);
    unit_test(r, base_register_too_large_aborts);
    unit_test(r, external_abort_on_walk);
    unit_test(r, permission_matrix);
    unit_test(r, permissions_with_wxn);
    unit_test(r, permissions_with_pan);
    unit_test(r, unprivileged_access_from_el1);
    unit_test(r, table_attributes_are_inherited);
    unit_test(r, memory_types);
    unit_test(r, walks_cacheable_or_not);
    unit_test(r, el2_regime);
    unit_test(r, address_translate_instructions);
    unit_test(r, debug_translation_leaves_no_trace);
    unit_test(r, nonsense_is_survived);
}
