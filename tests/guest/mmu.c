/* Stage 1 translation of the three granules: sizes, faults of each level, permissions, ASIDs, TLB maintenance, AT. */
#include "guest.h"

#define WINDOW    0x1000000000ull /* a range of virtual addresses for experiments, 1 GB aligned and more */
#define READ_ESR  0x96000000ull
#define WRITE_ESR 0x96000040ull
#define FETCH_ESR 0x86000000ull

enum { TRANSLATION = 0x04, ACCESS_FLAG = 0x08, PERMISSION = 0x0C, ADDRESS_SIZE = 0x00, WALK_ABORT = 0x14 };

static struct space space;
static char name[64];

/* "16K: what" */
static const char *about(const char *what)
{
    const char *granule = space.granule_shift == 12 ? "4K: " : space.granule_shift == 14 ? "16K: " : "64K: ";
    unsigned n = 0;

    while (*granule)
        name[n++] = *granule++;
    while (*what && n < sizeof(name) - 1)
        name[n++] = *what++;
    name[n] = 0;
    return name;
}

static void expect_fault(const char *what, uint64_t va, bool write, uint64_t status)
{
    trap_clear();
    if (write)
        poke(va, 1);
    else
        peek(va);
    check_trap(about(what), 0x200, (write ? WRITE_ESR : READ_ESR) | status, 0);
    check_equal(about("FAR"), trap.far, va);
}

static bool has_block(unsigned level)
{
    return level == 3 || level == 2 || (level == 1 && space.granule_shift == 12);
}

/* Memory seen at va is the memory at pa. */
static void expect_maps(const char *what, uint64_t va, uint64_t pa)
{
    static uint64_t number = 0x1000;

    trap_clear();
    number += 0x1111;
    poke(pa, number);
    check_equal(about(what), peek(va), number);
    poke(va, ~number);
    check_equal(about(what), peek(pa), ~number);
    check_no_trap(about(what));
}

static void sizes(void)
{
    for (unsigned level = space_start_level(&space); level <= 3; level++) {
        uint64_t bytes = 1ull << space_shift(&space, level), pa = SPARE & ~(bytes - 1), va = WINDOW + bytes * 3;
        if (!has_block(level) || (va >> space.va_bits) != 0)
            continue;
        space_map(&space, va, level, pa, NORMAL);
        tlb_flush();
        expect_maps("a block or page", va + (SPARE & (bytes - 1)) + 0x128, SPARE + 0x128);
        *space_entry(&space, va, level) = 0;
        tlb_flush();
    }
}

static void translation_faults(void)
{
    for (unsigned level = space_start_level(&space); level <= 3; level++) {
        uint64_t va = WINDOW + (2ull << space_shift(&space, level)) + 0x40;
        if (va >> space.va_bits)
            continue;
        *space_entry(&space, va, level) = 0;
        tlb_flush();
        expect_fault("translation fault", va, false, TRANSLATION + level);
        expect_fault("translation fault", va, true, TRANSLATION + level);
        trap_clear();
        call_at((const void *)va, 0);
        check_trap(about("translation fault of a fetch"), 0x200, FETCH_ESR | (TRANSLATION + level), va);
    }
    *space_entry(&space, WINDOW, 3) = SPARE | NORMAL | 1; /* bits 1:0 = 01 are reserved at level 3 */
    tlb_flush();
    expect_fault("reserved descriptor", WINDOW, false, TRANSLATION + 3);
    expect_fault("above the range", 1ull << space.va_bits, false, TRANSLATION);
    expect_fault("below the upper range", 0xFF00000000000000ull, true, TRANSLATION);
}

/* Faults that a descriptor's attributes cause, at every level that may hold blocks. */
static void attribute_faults(void)
{
    for (unsigned level = 1; level <= 3; level++) {
        uint64_t bytes = 1ull << space_shift(&space, level), va = WINDOW + 5 * bytes, pa = SPARE & ~(bytes - 1);
        uint64_t inside = va + (SPARE & (bytes - 1)) + 8;
        if (!has_block(level) || level < space_start_level(&space))
            continue;
        space_map(&space, va, level, pa, NORMAL & ~DESC_AF);
        tlb_flush();
        expect_fault("access flag", inside, false, ACCESS_FLAG + level);
        expect_fault("access flag", inside, true, ACCESS_FLAG + level);
        space_map(&space, va, level, pa, NORMAL | DESC_RO);
        tlb_flush();
        trap_clear();
        peek(inside);
        check_no_trap(about("load of a read-only page"));
        expect_fault("read only", inside, true, PERMISSION + level);
        space_map(&space, va, level, pa, NORMAL | DESC_PXN);
        tlb_flush();
        trap_clear();
        call_at((const void *)inside, 0);
        check_trap(about("PXN"), 0x200, FETCH_ESR | (PERMISSION + level), inside);
        space_map(&space, va, level, pa, NORMAL | DESC_EL0); /* what EL0 may write, EL1 may not execute */
        tlb_flush();
        trap_clear();
        call_at((const void *)inside, 0);
        check_trap(about("EL0's page"), 0x200, FETCH_ESR | (PERMISSION + level), inside);
        space_map(&space, va, level, pa | 1ull << 44, NORMAL); /* TCR.IPS: 40 bits */
        tlb_flush();
        expect_fault("address size", inside, false, ADDRESS_SIZE + level);
        *space_entry(&space, va, level) = 0;
    }
}

static void table_faults(void)
{
    unsigned start = space_start_level(&space);
    uint64_t va = WINDOW + (7ull << space_shift(&space, 3));
    volatile uint64_t *table;

    space_map(&space, va, 3, SPARE, NORMAL);
    table = space_entry(&space, va, 2);
    if (start < 3) {
        uint64_t saved = *table;
        *table = saved | 1ull << 62; /* APTable: read only */
        tlb_flush();
        expect_fault("read only by the table", va, true, PERMISSION + 3);
        *table = saved | 1ull << 59; /* PXNTable */
        tlb_flush();
        trap_clear();
        call_at((const void *)va, 0);
        check_trap(about("PXNTable"), 0x200, FETCH_ESR | (PERMISSION + 3), va);
        *table = saved | 1ull << 44;
        tlb_flush();
        expect_fault("address size of a table", va, false, ADDRESS_SIZE + 2);
        *table = 0x0B000000ull | 3; /* nothing answers there */
        tlb_flush();
        expect_fault("external abort of a walk", va, false, WALK_ABORT + 3);
        *table = saved;
        tlb_flush();
        expect_maps("the table as it was", va + 8, SPARE + 8);
    }
}

/* The new translation holds after TLBI and DSB; a stale one before them is allowed, and with "silicon" expected. */
static void maintenance(void)
{
    uint64_t bytes = 1ull << space.granule_shift, va = WINDOW + 9 * bytes, other = SPARE + bytes;

    poke(SPARE, 1);
    poke(other, 2);
    space_map(&space, va, 3, SPARE, NORMAL);
    tlb_flush();
    check_equal(about("before"), peek(va), 1);
    space_map(&space, va, 3, other, NORMAL);
    DSB();
    if (option("silicon"))
        check_equal(about("without TLBI"), peek(va), 1);
    asm volatile("tlbi vae1is, %0; dsb ish; isb" ::"r"(va >> 12) : "memory");
    check_equal(about("after TLBI VAE1IS"), peek(va), 2);
    space_map(&space, va, 3, SPARE, NORMAL);
    asm volatile("dsb ishst; tlbi vaale1is, %0; dsb ish; isb" ::"r"(va >> 12) : "memory");
    check_equal(about("after TLBI VAALE1IS"), peek(va), 1);
    *space_entry(&space, va, 3) = 0;
    asm volatile("dsb ishst; tlbi aside1is, xzr; dsb ish; isb" ::: "memory");
    trap_clear();
    peek(va); /* a global page: by ASID it need not go */
    asm volatile("tlbi vmalle1is; dsb ish; isb" ::: "memory");
    expect_fault("after TLBI VMALLE1IS", va, false, TRANSLATION + 3);
}

static void set_ttbr0(uint64_t root, uint64_t asid)
{
    WRITE_SYSREG(ttbr0_el1, root | asid << 48);
    ISB();
}

/* Two spaces that differ in one nG page; only the ASID says which is meant. */
static void asids(void)
{
    uint64_t bytes = 1ull << space.granule_shift, va = WINDOW + 11 * bytes;
    struct space second = space_new(space.granule_shift, space.va_bits, false);

    space_map_machine(&second);
    poke(SPARE, 0xA);
    poke(SPARE + bytes, 0xB);
    space_map(&space, va, 3, SPARE, NORMAL | DESC_NG);
    space_map(&second, va, 3, SPARE + bytes, NORMAL | DESC_NG);
    tlb_flush();
    for (unsigned round = 0; round < 2; round++) {
        set_ttbr0(space.root, 1);
        check_equal(about("page of ASID 1"), peek(va), 0xA);
        set_ttbr0(second.root, 2);
        check_equal(about("page of ASID 2"), peek(va), 0xB);
    }
    space_map(&second, va, 3, SPARE, NORMAL | DESC_NG);
    asm volatile("dsb ishst; tlbi aside1, %0; dsb nsh; isb" ::"r"(2ull << 48) : "memory");
    check_equal(about("ASID 2 after its TLBI"), peek(va), 0xA);
    set_ttbr0(space.root, 0);
}

/* TTBR1 serves the same tables at the top (mmu_on()), until EPD1 forbids its walks. */
static void upper_range(void)
{
    uint64_t upper = ~0ull << space.va_bits, tcr = READ_SYSREG(tcr_el1);

    expect_maps("TTBR1", upper + SPARE + 0x300, SPARE + 0x300);
    WRITE_SYSREG(tcr_el1, tcr | 1ull << 23);
    tlb_flush();
    expect_fault("EPD1", upper + SPARE, false, TRANSLATION);
    WRITE_SYSREG(tcr_el1, tcr | 1ull << 37); /* TBI0 */
    tlb_flush();
    expect_maps("tagged address", 0xAB00000000000000 | (SPARE + 0x310), SPARE + 0x310);
    WRITE_SYSREG(tcr_el1, tcr);
    tlb_flush();
}

#define AT(operation, va)                                                           \
    ({                                                                              \
        asm volatile("at " operation ", %0; isb" ::"r"((uint64_t)(va)) : "memory"); \
        READ_SYSREG(par_el1);                                                       \
    })

static void address_translation(void)
{
    uint64_t bytes = 1ull << space.granule_shift, va = WINDOW + 13 * bytes, par;

    space_map(&space, va, 3, SPARE, NORMAL | DESC_RO);
    space_map(&space, va + bytes, 3, SPARE, NORMAL | DESC_EL0);
    *space_entry(&space, va + 2 * bytes, 3) = 0;
    tlb_flush();
    trap_clear();
    par = AT("s1e1r", va + 0x40);
    check_equal(about("AT S1E1R"), par & 0x0000FFFFFFFFF001ull, SPARE);
    check_equal(about("its attributes"), par >> 56, 0xFF);
    check_equal(about("its shareability"), par >> 7 & 3, 3);
    check_equal(about("AT S1E1W of a read-only page"), AT("s1e1w", va) & 0x7F, 1 | (PERMISSION + 3) << 1);
    check_equal(about("AT S1E0R of EL1's page"), AT("s1e0r", va) & 0x7F, 1 | (PERMISSION + 3) << 1);
    check_equal(about("AT S1E0W of EL0's page"), AT("s1e0w", va + bytes) & 0x0000FFFFFFFFF001ull, SPARE);
    check_equal(about("AT of nothing"), AT("s1e1r", va + 2 * bytes) & 0x7F, 1 | (TRANSLATION + 3) << 1);
    check_no_trap(about("AT"));
}

static void execution(void)
{
    uint64_t bytes = 1ull << space.granule_shift, va = WINDOW + 17 * bytes, result;

    poke(SPARE + 0x80, 0xD65F03C0D2800540); /* mov x0, #42; ret */
    asm volatile("dc cvau, %0; dsb ish; ic ivau, %0; dsb ish; isb" ::"r"(SPARE + 0x80) : "memory");
    space_map(&space, va, 3, SPARE, NORMAL);
    tlb_flush();
    trap_clear();
    result = call_at((const void *)(va + 0x80), 0);
    check_no_trap(about("execution"));
    check_equal(about("its result"), result, 42);
}

static void all_of_it(unsigned granule_shift, unsigned va_bits)
{
    space = space_new(granule_shift, va_bits, true);
    space_map_machine(&space);
    mmu_on(&space, 0);
    sizes();
    translation_faults();
    attribute_faults();
    table_faults();
    maintenance();
    asids();
    upper_range();
    address_translation();
    execution();
}

void test_main(void)
{
    all_of_it(12, 39);
    all_of_it(12, 48);
    all_of_it(14, 39);
    all_of_it(14, 47);
    all_of_it(16, 42);
    all_of_it(16, 48);
}
