/* Redistributors, SGIs to every core and to all others, an SPI to a chosen core. */
#include "virt.h"

enum { SGI = 3, SPI = 40, GICD_IGROUPR = 0x080, GICD_ISENABLER = 0x100, GICD_ISPENDR = 0x200, GICD_IPRIORITYR = 0x400 };
#define GICD_IROUTER 0x6000ull
#define SGI_ALL_OTHERS (1ull << 40)

static volatile uint64_t ready[CORES], taken[CORES], last[CORES];

static unsigned this_core(void)
{
    return READ_SYSREG(mpidr_el1) & 0xFF;
}

static void take(unsigned vector)
{
    unsigned core = this_core();
    uint64_t intid = READ_SYSREG(icc_iar1_el1);

    last[core] = intid | (uint64_t)vector << 32;
    asm volatile("dsb sy" ::: "memory");
    taken[core]++;
    WRITE_SYSREG(icc_eoir1_el1, intid);
}

static void serve(unsigned core)
{
    gic_setup_core(core);
    gic_enable(core, SGI);
    asm volatile("msr daifclr, #2");
    ready[core] = 1;
    for (;;)
        asm volatile("wfi");
}

static void report(unsigned core, uint64_t count)
{
    wait_for(&taken[core], count);
    print_value("core", core);
    print_value("interrupt", last[core]);
}

void virt_main(const void *tree)
{
    tree_set(tree);
    exception_handler = take;
    gic_setup();
    gic_setup_core(0);
    gic_enable(0, SGI);
    for (unsigned core = 0; core < CORES; core++) {
        print_value("redistributor's affinity", read32(gic_redistributor(core) + 0xC));
        print_value("last, number", read32(gic_redistributor(core) + 8) & 0xFFFF10);
    }
    core_work = serve;
    for (unsigned core = 1; core < CORES; core++) {
        virt_start_core(core);
        wait_for(&ready[core], 1);
    }
    asm volatile("msr daifclr, #2");
    for (unsigned core = 0; core < CORES; core++) {
        WRITE_SYSREG(icc_sgi1r_el1, (uint64_t)SGI << 24 | 1u << core);
        report(core, 1);
    }
    WRITE_SYSREG(icc_sgi1r_el1, SGI_ALL_OTHERS | (uint64_t)SGI << 24);
    for (unsigned core = 1; core < CORES; core++)
        report(core, 2);
    print_value("core 0 has taken", taken[0]);
    write32(GICD_BASE + GICD_IGROUPR + SPI / 32 * 4, 1u << SPI % 32);
    *(volatile uint8_t *)(GICD_BASE + GICD_IPRIORITYR + SPI) = 0x80;
    for (unsigned core = 0; core < CORES; core++) {
        uint64_t count = taken[core];
        *(volatile uint64_t *)(GICD_BASE + GICD_IROUTER + SPI * 8) = core;
        write32(GICD_BASE + GICD_ISENABLER + SPI / 32 * 4, 1u << SPI % 32);
        write32(GICD_BASE + GICD_ISPENDR + SPI / 32 * 4, 1u << SPI % 32);
        report(core, count + 1);
    }
    power_off();
}
