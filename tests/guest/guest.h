/*
 * Directed tests that run as guests: each program checks the architecture from inside, prints what differs through
 * semihosting and ends with 0 or 1. The same ELF files run on QEMU's virt machine, which shows that the expectations
 * are not this model's own.
 */
#ifndef DMASIM_TESTS_GUEST_GUEST_H
#define DMASIM_TESTS_GUEST_GUEST_H

#include <stdbool.h>
#include <stdint.h>

/* What an exception saved; start.S writes it. */
struct frame {
    uint64_t x[31], elr, spsr;
};

/* The exceptions since trap_clear(). */
struct trap {
    uint64_t count, vector, esr, elr, far, spsr;
    uint64_t resume; /* where the next one returns to; 0: behind the instruction */
    bool allowed;    /* else an exception ends the test */
    bool leave_el0;  /* exceptions from EL0 come back through user_run() */
};
extern volatile struct trap trap;

/* Called for IRQs; a test defines it when it wants them. */
extern void (*volatile irq_handler)(struct frame *frame);

/* The test itself. */
void test_main(void);

void print(const char *text);
void print_hex(uint64_t value);
void guest_exit(unsigned status) __attribute__((noreturn));
/* Whether the command line contains the word. */
bool option(const char *word);

/* Counts a failure and prints both values when they differ. */
void check_equal(const char *what, uint64_t actual, uint64_t expected);
void check_true(const char *what, bool condition);

void trap_clear(void);
/* One exception happened since trap_clear(), at elr (0: any), with this syndrome. */
void check_trap(const char *what, uint64_t vector, uint64_t esr, uint64_t elr);
void check_no_trap(const char *what);

uint64_t user_run(const void *entry, uint64_t argument, uint64_t sp, uint64_t spsr);
extern char user_back[];
uint64_t call_at(const void *target, uint64_t argument);
extern char call_back[];

#define READ_SYSREG(name)                                        \
    ({                                                           \
        uint64_t value_;                                         \
        asm volatile("mrs %0, " #name : "=r"(value_)::"memory"); \
        value_;                                                  \
    })
#define WRITE_SYSREG(name, value) asm volatile("msr " #name ", %0" ::"r"((uint64_t)(value)) : "memory")
#define ISB()                     asm volatile("isb" ::: "memory")
#define DSB()                     asm volatile("dsb sy" ::: "memory")

/* One load or store that may abort; the trap handler goes on behind it. */
static inline uint64_t peek(uint64_t va)
{
    uint64_t value = 0;

    asm volatile("ldr %0, [%1]" : "+r"(value) : "r"(va) : "memory");
    return value;
}
static inline void poke(uint64_t va, uint64_t value)
{
    asm volatile("str %0, [%1]" ::"r"(value), "r"(va) : "memory");
}

/* Descriptor fields (DDI 0487 D8.3). */
enum {
    DESC_AF = 1 << 10,
    DESC_SH = 3 << 8,
    DESC_EL0 = 1 << 6, /* AP[1] */
    DESC_RO = 1 << 7,  /* AP[2] */
    DESC_NG = 1 << 11,
    ATTR_NORMAL = 0 << 2,
    ATTR_DEVICE = 1 << 2,
    ATTR_NC = 2 << 2,
    NORMAL = DESC_AF | DESC_SH | ATTR_NORMAL,
    DEVICE = DESC_AF | ATTR_DEVICE,
};
#define DESC_PXN (1ull << 53)
#define DESC_UXN (1ull << 54)
#define MAIR     0x4400FFull /* 0: Normal Write-Back, 1: Device-nGnRnE, 2: Normal Non-cacheable */

/* Address spaces of any granule; tables come from a pool in RAM; with reset space_new() begins its other half. */
struct space {
    unsigned granule_shift, va_bits;
    uint64_t root;
};
struct space space_new(unsigned granule_shift, unsigned va_bits, bool reset);
unsigned space_shift(const struct space *space, unsigned level);
unsigned space_start_level(const struct space *space);
/* The descriptor of va at level; tables on the way are made. */
volatile uint64_t *space_entry(const struct space *space, uint64_t va, unsigned level);
/* A block or page. */
void space_map(const struct space *space, uint64_t va, unsigned level, uint64_t pa, uint64_t attributes);
/* Device registers and RAM at their own addresses, for EL1, by the largest blocks. */
void space_map_machine(const struct space *space);
void mmu_on(const struct space *space, uint64_t tcr_extra);
void mmu_switch(uint64_t mair, uint64_t tcr, uint64_t ttbr,
                uint64_t sctlr); /* through MMU off, without memory accesses */
void tlb_flush(void);

#define SCTLR_OFF 0x30D00800ull                      /* RES1 */
#define SCTLR_ON  (SCTLR_OFF | 1 | 1 << 2 | 1 << 12) /* M, C, I */
#define RAM_BASE  0x40000000ull
#define USER_DATA 0x40400000ull /* writable by EL0 in the usual map */
#define SPARE     0x42000000ull /* RAM that nobody uses */

#endif
