/*
 * A core on flat memory for tests of its system side: records timer lines and broadcasts, counts table walks, builds
 * translation tables descriptor by descriptor.
 */
#ifndef DMASIM_TESTS_SYSTEM_BENCH_H
#define DMASIM_TESTS_SYSTEM_BENCH_H

#include "cpu/core_internal.h"
#include "tests/support/flat_bus.h"

#define BENCH_RAM       0x40000000ull
#define BENCH_RAM_BYTES (32 * MIB)
#define BENCH_CODE      BENCH_RAM
#define BENCH_VECTORS   (BENCH_RAM + 0x8000)   /* VBAR_EL1 */
#define BENCH_VECTORS2  (BENCH_RAM + 0x9000)   /* VBAR_EL2 */
#define BENCH_TABLES    (BENCH_RAM + 0x100000) /* tables are taken from here upwards */
#define BENCH_DATA      (BENCH_RAM + 0x1800000)

/* Attribute indexes of the MAIR that bench_mmu_on() writes. */
enum { ATTR_WB, ATTR_NC, ATTR_nGnRE, ATTR_nGnRnE, ATTR_WT, ATTR_nGRE, ATTR_GRE };

/* Descriptor bits. */
#define DESC_PAGE        3ull
#define DESC_BLOCK       1ull
#define DESC_TABLE       3ull
#define DESC_ATTR(index) ((uint64_t)(index) << 2)
#define DESC_AP(ap)      ((uint64_t)(ap) << 6)
#define DESC_SH(sh)      ((uint64_t)(sh) << 8)
#define DESC_AF          (1ull << 10)
#define DESC_NG          (1ull << 11)
#define DESC_PXN         (1ull << 53)
#define DESC_UXN         (1ull << 54)

#define BENCH_TCR_AS (1ull << 36)

struct ppi_event {
    unsigned intid;
    bool level;
    uint64_t at_ps;
};

struct bench_tables {
    unsigned granule_shift, input_bits;
    uint64_t root;
};

struct system_bench {
    struct flat_bus flat; /* first: the bus functions get this address */
    struct cpu *cpu;
    unsigned walks, uncached_reads;
    struct ppi_event ppi[64];
    unsigned ppi_count;
    struct tlbi_request last_broadcast;
    uint64_t next_table;
    struct bench_tables lower, upper;
    /* What another core does meanwhile: during a walk, a line of a load or store, a fetch of fetch_pa. */
    void (*during_walk)(struct system_bench *bench);
    void (*during_line)(struct system_bench *bench);
    void (*during_fetch)(struct system_bench *bench);
    uint64_t fetch_pa;
};

/* The core after reset at EL el, PC at BENCH_CODE, with the given timer frequency; vectors hold endless loops. */
struct system_bench *bench_create(unsigned el, uint64_t cntfrq_hz);
void bench_destroy(struct system_bench *bench);

/* MMU, caches on for EL1&0: both ranges with the same granule and size, empty tables. */
void bench_mmu_on(struct system_bench *bench, unsigned granule_shift, unsigned input_bits);
/* The same for EL2, lower range. */
void bench_mmu_on_el2(struct system_bench *bench, unsigned granule_shift, unsigned input_bits);
unsigned bench_start_level(const struct bench_tables *tables);
unsigned bench_level_shift(const struct bench_tables *tables, unsigned level);
/* The place of the descriptor of va at level; tables above it are made. */
uint64_t *bench_slot(struct system_bench *bench, const struct bench_tables *tables, uint64_t va, unsigned level);
/* A page or block with AF for va -> pa. */
void bench_map(struct system_bench *bench, const struct bench_tables *tables, uint64_t va, unsigned level, uint64_t pa,
               uint64_t bits);

/* Runs the words from BENCH_CODE for at most instructions. */
void bench_run(struct system_bench *bench, const uint32_t *words, size_t count, uint64_t instructions);

/* System register encodings and instructions. */
#define BENCH_REG(op0, op1, crn, crm, op2) ((uint16_t)((op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2)))
#define BENCH_SYS(op1, crn, crm, op2)      ((uint16_t)((op1) << 11 | (crn) << 7 | (crm) << 3 | (op2)))
#define A64_MRS(rt, reg)                   (0xD5200000u | (uint32_t)(reg) << 5 | (rt))
#define A64_MSR(reg, rt)                   (0xD5000000u | (uint32_t)(reg) << 5 | (rt))
#define A64_LOOP                           0x14000000u
#define A64_NOP                            0xD503201Fu
#define A64_ERET                           0xD69F03E0u
#define A64_SVC(imm)                       (0xD4000001u | (imm) << 5)
#define A64_HVC(imm)                       (0xD4000002u | (imm) << 5)
#define A64_SMC(imm)                       (0xD4000003u | (imm) << 5)
#define A64_BRK(imm)                       (0xD4200000u | (imm) << 5)
#define A64_WFI                            0xD503207Fu
#define A64_WFE                            0xD503205Fu

#endif
