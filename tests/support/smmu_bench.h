/*
 * An SMMUv3 alone: flat memory, virtual time, and helpers that do what a driver does, register by register. The bench
 * is one global object; a test changes bench.config before smmu_bench_start().
 */
#ifndef DMASIM_TESTS_SMMU_BENCH_H
#define DMASIM_TESTS_SMMU_BENCH_H

#include "smmu/smmu.h"
#include "tests/support/vsim.h"

/* Memory map of the bench; beyond MEMORY_BYTES every access is a DECERR. */
enum {
    MEMORY_BYTES = 0x1000000,
    CMDQ_AT = 0x10000,
    EVENTQ_AT = 0x20000,
    MSI_AT = 0x30000,
    STRTAB_AT = 0x40000,
    CD_AT = 0x50000,
    ECMDQ_AT = 0x60000, /* queue n at + n * 0x1000 */
    TABLES_AT = 0x100000,
    DATA_AT = 0x800000,
};
/* Register offsets that the tests use. */
enum {
    R_IDR0 = 0x00,
    R_IDR1 = 0x04,
    R_CR0 = 0x20,
    R_CR0ACK = 0x24,
    R_CR1 = 0x28,
    R_CR2 = 0x2C,
    R_GBPA = 0x44,
    R_IRQ_CTRL = 0x50,
    R_IRQ_CTRLACK = 0x54,
    R_GERROR = 0x60,
    R_GERRORN = 0x64,
    R_GERROR_CFG0 = 0x68,
    R_GERROR_CFG1 = 0x70,
    R_STRTAB_BASE = 0x80,
    R_STRTAB_CFG = 0x88,
    R_CMDQ_BASE = 0x90,
    R_CMDQ_PROD = 0x98,
    R_CMDQ_CONS = 0x9C,
    R_EVENTQ_BASE = 0xA0,
    R_EVENTQ_CFG0 = 0xB0,
    R_EVENTQ_CFG1 = 0xB8,
    R_IDR6 = 0x190,
    R_EVENTQ_PROD = 0x100A8,
    R_EVENTQ_CONS = 0x100AC,
};
enum { SMMUEN = 1, EVENTQEN = 4, CMDQEN = 8 };

struct smmu_bench {
    struct smmu_config config;
    struct smmu *smmu;
    struct vsim *vsim;
    uint8_t *memory;
    uint64_t now_ps;
    uint64_t memory_ps; /* latency of every memory access; default 100 ns */
    uint64_t hole_at;   /* an access that touches these 16 bytes is a DECERR; default: nowhere */
    uint64_t reads;     /* by the SMMU and through it */
    uint64_t coherent;  /* of all accesses, those that snoop */
    struct txn last;    /* the last access to memory */
    unsigned pulses[4]; /* by SPI: event queue, PRI queue, CMD_SYNC, GERROR */
    unsigned sevs;
    uint64_t sev_ps, pulse_ps;
    uint32_t cons_at_sev, cons_at_msi; /* CMDQ_CONS when the event came, when MSI_AT was written */
    uint32_t cmdq_bits, eventq_bits;
    uint32_t prod; /* of the CMDQ, as software keeps it */
    uint64_t next_table;
    uint64_t root, stage2_root; /* of the stream set up last */
};
extern struct smmu_bench bench;

void smmu_bench_reset(void); /* defaults; before each test */
void smmu_bench_start(void); /* creates the SMMU from bench.config */
void smmu_bench_stop(void);

uint32_t rd32(uint32_t offset);
uint64_t rd64(uint32_t offset);
void wr32(uint32_t offset, uint32_t value);
void wr64(uint32_t offset, uint64_t value);
void run_ps(uint64_t ps); /* let time pass */

/* Queues of 2^bits entries, all attributes Write-Back Inner Shareable, StreamIDs 0..63 in a linear table, everything
 * on. */
void bring_up(void);
void put_command(uint64_t word0, uint64_t word1); /* at the software's PROD; no doorbell */
void ring(void);
void command(uint64_t word0, uint64_t word1); /* put, ring, run 10 us */
void sync_command(void);

uint64_t word(uint64_t address);
void set_word(uint64_t address, uint64_t value);

/* Stream sid uses stage 1 with the CD at CD_AT + 64 * sid; returns the CD's address. */
void set_stage1_stream(uint32_t sid, uint64_t cd);
/* A CD: AArch64, V, A, R, TTB1 off. */
void set_cd(uint64_t cd, uint64_t root, unsigned tsz, unsigned granule_bits, uint16_t asid);
/* A new table of the granule's size, all invalid. */
uint64_t new_table(unsigned granule_bits);
/* The address of the descriptor of va at level, tables being made on the way. */
uint64_t descriptor_of(uint64_t root, unsigned tsz, unsigned granule_bits, uint64_t va, unsigned level);
/* A leaf at level: attributes are added to the type and address bits. */
void map_at(uint64_t root, unsigned tsz, unsigned granule_bits, uint64_t va, uint64_t pa, unsigned level,
            uint64_t attributes);
/* Stage 2 of stream sid: VMID 5, 40-bit IPAs, 4 KB granule from level 1 on, two concatenated tables;
 * bench.stage2_root is the root. With nested the stream has stage 1 with the CD at CD_AT + 64 * sid as well. */
void set_stage2_stream(uint32_t sid, bool nested);
/* The level 3 descriptor of ipa. */
uint64_t stage2_descriptor(uint64_t root, uint64_t ipa);
/* A page: AF, Write-Back, Inner Shareable; attributes are added. */
void stage2_map(uint64_t root, uint64_t ipa, uint64_t pa, uint64_t attributes);
#define S2_R    (1ull << 6)
#define S2_W    (2ull << 6)
#define S2_RW   (3ull << 6)
#define LEAF_RW (1ull << 10 | 1ull << 6 | 3ull << 8) /* AF, user, ISH */
#define LEAF_NG (1ull << 11)
#define LEAF_RO (1ull << 7)

/* 8 bytes by a master: status, and for a read the value. */
enum txn_status device_read(uint32_t sid, uint64_t va, uint64_t *value);
enum txn_status device_write(uint32_t sid, uint64_t va, uint64_t value);
enum txn_status device_access(struct txn *txn);

/* The next event record (4 words); false: none. */
bool next_event(uint64_t record[4]);

#endif
