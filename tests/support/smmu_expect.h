/* What tests of translations expect: a translated access or one event record, all 256 bits of it. */
#ifndef DMASIM_TESTS_SMMU_EXPECT_H
#define DMASIM_TESTS_SMMU_EXPECT_H

#include <check.h>

#include "tests/support/smmu_bench.h"

#define STE(sid) (STRTAB_AT + 64ull * (sid))
#define CD(sid)  (CD_AT + 64ull * (sid))
#define VA       0x12345000ull

/* CLASS of a record */
enum { C_CD = 0, C_TT = 1, C_IN = 2 };

/* Stage 1 of stream sid: 39-bit VAs, 4 KB granule, ASID 7, page VA at DATA_AT; bench.root is its table. */
void page_stream(uint32_t sid);
/* Drops all configurations and translations. */
void forget_all(void);

/* Word 0 of a record, and word 1 of those with a transaction's flags. */
uint64_t event_head(unsigned type, uint32_t sid);
uint64_t event_flags(bool privileged, bool instruction, bool read, bool stage2, unsigned class);

/* The one record there is, whole. */
void expect_event(uint64_t word0, uint64_t word1, uint64_t word2, uint64_t word3);
void expect_nothing(void);
/* With nothing cached, a read is aborted and leaves this record. */
void expect_fault(uint32_t sid, uint64_t va, uint64_t word0, uint64_t word1, uint64_t word2, uint64_t word3);
/* A read of va sees what is at pa. */
void expect_works(uint32_t sid, uint64_t va, uint64_t pa);

#endif
