/* Exclusives and atomics of one core: what keeps the monitor, what clears it; every LSE operation's result. */
#include "guest.h"

static volatile uint64_t words[16] __attribute__((aligned(128)));

static uint64_t load_exclusive(volatile uint64_t *address)
{
    uint64_t value;

    asm volatile("ldxr %0, [%1]" : "=r"(value) : "r"(address) : "memory");
    return value;
}

static uint32_t store_exclusive(volatile uint64_t *address, uint64_t value)
{
    uint32_t status;

    asm volatile("stxr %w0, %1, [%2]" : "=&r"(status) : "r"(value), "r"(address) : "memory");
    return status;
}

static void monitor(void)
{
    words[0] = 1;
    asm volatile("clrex");
    check_equal("STXR without LDXR", store_exclusive(&words[0], 2), 1);
    check_equal("memory is as before", words[0], 1);
    check_equal("LDXR", load_exclusive(&words[0]), 1);
    check_equal("STXR after LDXR", store_exclusive(&words[0], 2), 0);
    check_equal("memory is written", words[0], 2);
    check_equal("a second STXR", store_exclusive(&words[0], 3), 1);
    check_equal("memory is as before", words[0], 2);
    load_exclusive(&words[0]);
    asm volatile("clrex");
    check_equal("STXR after CLREX", store_exclusive(&words[0], 4), 1);
    load_exclusive(&words[0]);
    trap_clear();
    asm volatile("svc #0" ::: "memory");
    check_equal("STXR after an exception and its return", store_exclusive(&words[0], 5), 1);
    load_exclusive(&words[0]);
    check_equal("STXR to another line", store_exclusive(&words[8], 6), 1);
    check_equal("STXR to the watched line afterwards", store_exclusive(&words[0], 7), 1);
    check_equal("memory is as before", words[0], 2);
}

static void sizes(void)
{
    volatile uint8_t *byte = (volatile uint8_t *)&words[2];
    uint64_t a, b;
    uint32_t status;

    words[2] = 0x8877665544332211;
    words[3] = 0x1122334455667788;
    asm volatile("ldxrb %w0, [%2]\n add %w0, %w0, #1\n stxrb %w1, %w0, [%2]"
                 : "=&r"(a), "=&r"(status)
                 : "r"(byte + 3)
                 : "memory");
    check_equal("LDXRB, STXRB", status << 8 | a, 0x45);
    asm volatile("ldaxrh %w0, [%2]\n add %w0, %w0, #1\n stlxrh %w1, %w0, [%2]"
                 : "=&r"(a), "=&r"(status)
                 : "r"(byte + 6)
                 : "memory");
    check_equal("LDAXRH, STLXRH", status << 16 | a, 0x8878);
    check_equal("memory after both", words[2], 0x8878665545332211);
    asm volatile("ldxp %w0, %w1, [%2]" : "=&r"(a), "=&r"(b) : "r"(&words[2]) : "memory");
    check_equal("LDXP W, first", a, 0x45332211);
    check_equal("LDXP W, second", b, 0x88786655);
    asm volatile("stxp %w0, %w1, %w2, [%3]" : "=&r"(status) : "r"(1ull), "r"(2ull), "r"(&words[2]) : "memory");
    check_equal("STXP W", status, 0);
    check_equal("memory after it", words[2], 0x200000001);
    asm volatile("ldaxp %0, %1, [%2]" : "=&r"(a), "=&r"(b) : "r"(&words[2]) : "memory");
    asm volatile("stlxp %w0, %1, %2, [%3]" : "=&r"(status) : "r"(b), "r"(a), "r"(&words[2]) : "memory");
    check_equal("STLXP X", status, 0);
    check_equal("first after it", words[2], 0x1122334455667788);
    check_equal("second after it", words[3], 0x200000001);
}

#define ATOMIC(text, size_modifier, before, operand, after)                 \
    do {                                                                    \
        uint64_t old_;                                                      \
        words[4] = (before);                                                \
        asm volatile(text " %" size_modifier "1, %" size_modifier "0, [%2]" \
                     : "=&r"(old_)                                          \
                     : "r"((uint64_t)(operand)), "r"(&words[4])             \
                     : "memory");                                           \
        check_equal(text ": memory", words[4], (after));                    \
        check_equal(text ": old value", old_, (before)&mask);               \
    } while (0)

static void atomics(void)
{
    uint64_t mask = ~0ull;

    ATOMIC("ldadd", "", 0x10ull, -1, 0xFull);
    ATOMIC("ldaddal", "", ~0ull, 2, 1ull);
    ATOMIC("ldclr", "", 0xFFull, 0xF0, 0x0Full);
    ATOMIC("ldeora", "", 0xFFull, 0xF0F, 0xFF0ull);
    ATOMIC("ldsetl", "", 0x0Full, 0xF0, 0xFFull);
    ATOMIC("ldsmax", "", ~0ull, 1, 1ull);
    ATOMIC("ldsmin", "", ~0ull, 1, ~0ull);
    ATOMIC("ldumax", "", ~0ull, 1, ~0ull);
    ATOMIC("ldumin", "", ~0ull, 1, 1ull);
    ATOMIC("swpal", "", 5ull, 6, 6ull);
    mask = 0xFFFFFFFF;
    ATOMIC("ldadd", "w", 0x7FFFFFFFFFFFFFFFull, 1, 0x7FFFFFFF00000000ull);
    ATOMIC("ldsmin", "w", 0x1180000000ull, 1, 0x1180000000ull);
    mask = 0xFF;
    ATOMIC("ldaddb", "w", 0x55FFull, 3, 0x5502ull);
    ATOMIC("ldsmaxb", "w", 0x5580ull, 0x7F, 0x557Full);
    ATOMIC("lduminb", "w", 0x5580ull, 0x17F, 0x557Full);
    mask = 0xFFFF;
    ATOMIC("ldsminh", "w", 0x118000ull, 0x7FFF, 0x118000ull);
    ATOMIC("swph", "w", 0x118000ull, 0x12345, 0x112345ull);
}

static uint64_t compare_and_swap_pair(uint64_t *first, uint64_t *second, uint64_t new_first, uint64_t new_second)
{
    register uint64_t x0 asm("x0") = *first, x1 asm("x1") = *second, x2 asm("x2") = new_first,
                         x3 asm("x3") = new_second;

    asm volatile("caspal x0, x1, x2, x3, [%4]" : "+r"(x0), "+r"(x1) : "r"(x2), "r"(x3), "r"(&words[4]) : "memory");
    *first = x0;
    *second = x1;
    return words[4];
}

static void compare_and_swap(void)
{
    uint64_t right = 5, wrong = 6, first = 9, second = 8;

    words[4] = 5;
    words[5] = 7;
    asm volatile("casal %0, %1, [%2]" : "+r"(wrong) : "r"(9ull), "r"(&words[4]) : "memory");
    check_equal("CAS that fails returns", wrong, 5);
    check_equal("and leaves", words[4], 5);
    asm volatile("cas %0, %1, [%2]" : "+r"(right) : "r"(9ull), "r"(&words[4]) : "memory");
    check_equal("CAS that succeeds", words[4], 9);
    check_equal("CASP that fails on the second leaves", compare_and_swap_pair(&first, &second, 30, 40), 9);
    check_equal("and returns", second, 7);
    check_equal("CASP that succeeds, first", compare_and_swap_pair(&first, &second, 30, 40), 30);
    check_equal("CASP that succeeds, second", words[5], 40);
}

/* Counting by both kinds together, as lock code does. */
static void counting(void)
{
    words[6] = 0;
    for (unsigned i = 0; i < 1000; i++) {
        while (store_exclusive(&words[6], load_exclusive(&words[6]) + 1))
            ;
        asm volatile("stadd %0, [%1]" ::"r"(2ull), "r"(&words[6]) : "memory");
    }
    check_equal("3000 increments", words[6], 3000);
}

void test_main(void)
{
    monitor();
    sizes();
    atomics();
    compare_and_swap();
    counting();
}
