/* Interrupts of the virtual and the physical timer, on the first core and on another. */
#include "virt.h"

enum { VIRTUAL = 27, PHYSICAL = 30, ENABLE = 1, IMASK = 2, ISTATUS = 4 };

static volatile uint64_t taken, intid_taken, done;

static void take(unsigned vector)
{
    uint64_t intid = READ_SYSREG(icc_iar1_el1);

    intid_taken = intid;
    taken++;
    if (intid == VIRTUAL) /* the level must fall before the interrupt is ended */
        WRITE_SYSREG(cntv_ctl_el0, ENABLE | IMASK);
    else
        WRITE_SYSREG(cntp_ctl_el0, ENABLE | IMASK);
    WRITE_SYSREG(icc_eoir1_el1, intid);
}

static void try_timers(unsigned core)
{
    uint64_t start, wait = READ_SYSREG(cntfrq_el0) / 1000;

    gic_setup_core(core);
    gic_enable(core, VIRTUAL);
    gic_enable(core, PHYSICAL);
    taken = 0;
    asm volatile("msr daifclr, #2");
    start = READ_SYSREG(cntvct_el0);
    WRITE_SYSREG(cntv_tval_el0, wait);
    WRITE_SYSREG(cntv_ctl_el0, ENABLE);
    while (!taken)
        asm volatile("wfi");
    print_value("interrupt", intid_taken);
    print_value("not early", READ_SYSREG(cntvct_el0) - start >= wait);
    print_value("control", READ_SYSREG(cntv_ctl_el0));
    start = READ_SYSREG(cntpct_el0);
    WRITE_SYSREG(cntp_cval_el0, start + wait);
    WRITE_SYSREG(cntp_ctl_el0, ENABLE);
    while (taken < 2)
        asm volatile("wfi");
    print_value("interrupt", intid_taken);
    print_value("not early", READ_SYSREG(cntpct_el0) - start >= wait);
    WRITE_SYSREG(cntp_ctl_el0, ENABLE | IMASK);
    WRITE_SYSREG(cntp_tval_el0, 0); /* due, but masked */
    print_value("masked: control", READ_SYSREG(cntp_ctl_el0));
    WRITE_SYSREG(cntp_ctl_el0, 0);
    print_value("off: control", READ_SYSREG(cntp_ctl_el0));
    print_value("taken", taken);
    WRITE_SYSREG(cntv_ctl_el0, 0);
    asm volatile("msr daifset, #2");
    /* standby of the whole core ends with an interrupt that is masked */
    WRITE_SYSREG(cntv_tval_el0, wait);
    WRITE_SYSREG(cntv_ctl_el0, ENABLE);
    print_value("suspend", (uint64_t)psci(CPU_SUSPEND, 0, 0, 0));
    print_value("due", READ_SYSREG(cntv_ctl_el0));
    WRITE_SYSREG(cntv_ctl_el0, 0);
    print_value("taken", taken);
    done = core + 1;
}

void virt_main(const void *tree)
{
    tree_set(tree);
    exception_handler = take;
    gic_setup();
    try_timers(0);
    core_work = try_timers;
    virt_start_core(3);
    wait_for(&done, 4);
    power_off();
}
