#include "guest.h"

/* For translation tables; a new set is made in the other half, as the old one is still in use. */
#define POOL      0x40800000ull
#define POOL_HALF 0x00400000ull

enum { SYS_WRITE0 = 0x04, SYS_GET_CMDLINE = 0x15, SYS_EXIT = 0x18 };
enum { EC_SVC = 0x15, EC_HVC = 0x16, EC_SMC = 0x17, EC_IABT_LOW = 0x20, EC_IABT = 0x21, EC_PC = 0x22 };

volatile struct trap trap;
void (*volatile irq_handler)(struct frame *frame);
static unsigned failures;
static uint64_t pool_next;

void guest_main(void);
void guest_exception(uint64_t vector, struct frame *frame);

static uint64_t semihost(uint64_t operation, const void *parameter)
{
    register uint64_t x0 asm("x0") = operation;
    register const void *x1 asm("x1") = parameter;

    asm volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
    return x0;
}

void print(const char *text)
{
    semihost(SYS_WRITE0, text);
}

void print_hex(uint64_t value)
{
    char text[19] = "0x";
    unsigned n = 2;

    for (int shift = 60; shift >= 0; shift -= 4)
        if (value >> shift || shift == 0)
            text[n++] = "0123456789abcdef"[value >> shift & 15];
    text[n] = 0;
    print(text);
}

void guest_exit(unsigned status)
{
    const uint64_t block[2] = {0x20026 /* ADP_Stopped_ApplicationExit */, status};

    for (;;)
        semihost(SYS_EXIT, block);
}

bool option(const char *word)
{
    static char line[256];
    uint64_t block[2] = {(uint64_t)line, sizeof(line)};

    if (semihost(SYS_GET_CMDLINE, block))
        return false;
    for (const char *p = line; *p; p++) {
        const char *a = p, *b = word;
        while (*b && *a == *b)
            a++, b++;
        if (!*b)
            return true;
    }
    return false;
}

void check_equal(const char *what, uint64_t actual, uint64_t expected)
{
    if (actual == expected)
        return;
    failures++;
    print("FAIL ");
    print(what);
    print(": ");
    print_hex(actual);
    print(", expected ");
    print_hex(expected);
    print("\n");
}

void check_true(const char *what, bool condition)
{
    check_equal(what, condition, true);
}

void trap_clear(void)
{
    trap.count = trap.resume = 0;
    trap.allowed = trap.leave_el0 = true;
}

void check_trap(const char *what, uint64_t vector, uint64_t esr, uint64_t elr)
{
    check_equal(what, trap.count, 1);
    if (trap.count != 1)
        return;
    check_equal(what, trap.vector, vector);
    check_equal(what, trap.esr, esr);
    if (elr)
        check_equal(what, trap.elr, elr);
}

void check_no_trap(const char *what)
{
    check_equal(what, trap.count ? trap.esr : 0, 0);
}

static void unexpected(uint64_t vector)
{
    print("FAIL unexpected exception: vector ");
    print_hex(vector);
    print(" ESR ");
    print_hex(READ_SYSREG(esr_el1));
    print(" ELR ");
    print_hex(READ_SYSREG(elr_el1));
    print(" FAR ");
    print_hex(READ_SYSREG(far_el1));
    print("\n");
    guest_exit(1);
}

/* Where to go on: fetches that abort return to call_at()'s caller, everything else goes on behind the instruction. */
static void choose_return(uint64_t vector, uint64_t class, struct frame *frame)
{
    if (trap.resume) {
        frame->elr = trap.resume;
        frame->spsr &= ~(1ull << 20); /* IL */
        trap.resume = 0;
    } else if (vector >= 0x400 && trap.leave_el0) {
        frame->elr = (uint64_t)user_back;
        frame->spsr = 0x3C5;
    } else if (class == EC_IABT || class == EC_PC) {
        frame->elr = (uint64_t)call_back;
    } else if (class != EC_SVC && class != EC_HVC && class != EC_SMC) {
        frame->elr += 4;
    }
}

void guest_exception(uint64_t vector, struct frame *frame)
{
    uint64_t esr = READ_SYSREG(esr_el1);

    if ((vector & 0x180) == 0x80 && irq_handler) {
        irq_handler(frame);
        return;
    }
    if (!trap.allowed || (vector & 0x180) || trap.count > 100)
        unexpected(vector);
    trap.count++;
    trap.vector = vector;
    trap.esr = esr;
    trap.elr = frame->elr;
    trap.far = READ_SYSREG(far_el1);
    trap.spsr = frame->spsr;
    choose_return(vector, esr >> 26, frame);
}

struct space space_new(unsigned granule_shift, unsigned va_bits, bool reset)
{
    struct space space = {granule_shift, va_bits, 0};

    if (reset)
        pool_next = pool_next < POOL + POOL_HALF && pool_next ? POOL + POOL_HALF : POOL;
    space.root = (pool_next + (1ull << granule_shift) - 1) & ~((1ull << granule_shift) - 1);
    pool_next = space.root + (1ull << granule_shift);
    for (uint64_t a = space.root; a < pool_next; a += 8)
        *(volatile uint64_t *)a = 0;
    return space;
}

unsigned space_shift(const struct space *space, unsigned level)
{
    return space->granule_shift + (3 - level) * (space->granule_shift - 3);
}

unsigned space_start_level(const struct space *space)
{
    unsigned level = 3;

    while (level > 0 && space_shift(space, level) + space->granule_shift - 3 < space->va_bits)
        level--;
    return level;
}

volatile uint64_t *space_entry(const struct space *space, uint64_t va, unsigned level)
{
    uint64_t table = space->root, index_mask = (1ull << (space->granule_shift - 3)) - 1;

    va &= (1ull << space->va_bits) - 1;
    for (unsigned at = space_start_level(space);; at++) {
        volatile uint64_t *entry = (volatile uint64_t *)table + (va >> space_shift(space, at) & index_mask);
        if (at == level)
            return entry;
        if ((*entry & 3) != 3) {
            struct space next = space_new(space->granule_shift, space->va_bits, false);
            *entry = next.root | 3;
        }
        table = *entry & 0x0000FFFFFFFFF000ull;
    }
}

void space_map(const struct space *space, uint64_t va, unsigned level, uint64_t pa, uint64_t attributes)
{
    *space_entry(space, va, level) = pa | attributes | (level == 3 ? 3 : 1);
}

void space_map_machine(const struct space *space)
{
    uint64_t block = 1ull << space_shift(space, 2);

    for (uint64_t pa = 0; pa < RAM_BASE; pa += block)
        if (pa + block > 0x08000000 && pa <= 0x0B000000)
            space_map(space, pa, 2, pa, DEVICE | DESC_PXN | DESC_UXN);
    for (uint64_t pa = RAM_BASE; pa < RAM_BASE + 0x04000000; pa += block)
        space_map(space, pa, 2, pa, NORMAL | DESC_UXN);
}

void tlb_flush(void)
{
    asm volatile("dsb ish; tlbi vmalle1; dsb ish; isb" ::: "memory");
}

/* TG0, TG1 by granule (DDI 0487 TCR_EL1). */
static uint64_t tcr_granule(unsigned granule_shift)
{
    uint64_t tg0 = granule_shift == 12 ? 0 : granule_shift == 14 ? 2 : 1;
    uint64_t tg1 = granule_shift == 12 ? 2 : granule_shift == 14 ? 1 : 3;

    return tg0 << 14 | tg1 << 30;
}

void mmu_on(const struct space *space, uint64_t tcr_extra)
{
    uint64_t size = 64 - space->va_bits, walks = 1 << 8 | 1 << 10 | 3 << 12; /* Write-Back, Inner Shareable */
    uint64_t tcr =
        size | size << 16 | walks | walks << 16 | tcr_granule(space->granule_shift) | 2ull << 32 /* 40 bits */;

    mmu_switch(MAIR, tcr | tcr_extra, space->root, SCTLR_ON);
}

void guest_main(void)
{
    struct space space = space_new(12, 39, true);

    space_map_machine(&space);
    space_map(&space, 0x40200000, 2, 0x40200000, NORMAL | DESC_EL0 | DESC_RO);
    space_map(&space, USER_DATA, 2, USER_DATA, NORMAL | DESC_EL0);
    mmu_on(&space, 0);
    test_main();
    print(failures ? "failed\n" : "passed\n");
    guest_exit(failures != 0);
}
