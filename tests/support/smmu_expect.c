#include "tests/support/smmu_expect.h"

void page_stream(uint32_t sid)
{
    bench.root = new_table(12);
    set_stage1_stream(sid, CD(sid));
    set_cd(CD(sid), bench.root, 25, 12, 7);
    map_at(bench.root, 25, 12, VA, DATA_AT, 3, LEAF_RW);
}

void forget_all(void)
{
    command(0x04, 31);
    command(0x30, 0);
}

uint64_t event_head(unsigned type, uint32_t sid)
{
    return type | (uint64_t)sid << 32;
}

uint64_t event_flags(bool privileged, bool instruction, bool read, bool stage2, unsigned class)
{
    return (uint64_t)privileged << 33 | (uint64_t)instruction << 34 | (uint64_t)read << 35 | (uint64_t)stage2 << 39 |
           (uint64_t) class << 40;
}

void expect_event(uint64_t word0, uint64_t word1, uint64_t word2, uint64_t word3)
{
    uint64_t record[4];

    ck_assert_msg(next_event(record), "no event");
    ck_assert_msg(record[0] == word0 && record[1] == word1 && record[2] == word2 && record[3] == word3,
                  "event %lx %lx %lx %lx", record[0], record[1], record[2], record[3]);
    ck_assert_msg(!next_event(record), "a second event %lx", record[0]);
}

void expect_nothing(void)
{
    uint64_t record[4];

    ck_assert_msg(!next_event(record), "event %lx", record[0]);
}

void expect_fault(uint32_t sid, uint64_t va, uint64_t word0, uint64_t word1, uint64_t word2, uint64_t word3)
{
    uint64_t value;

    forget_all();
    ck_assert_int_eq(device_read(sid, va, &value), TXN_FAULT);
    expect_event(word0, word1, word2, word3);
}

void expect_works(uint32_t sid, uint64_t va, uint64_t pa)
{
    uint64_t value = 0;

    set_word(pa, 0x1122334455667788ull + pa);
    ck_assert_int_eq(device_read(sid, va, &value), TXN_OK);
    ck_assert_uint_eq(value, 0x1122334455667788ull + pa);
}
