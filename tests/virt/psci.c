/* PSCI: what it answers, cores that go on, off and on again. */
#include "virt.h"

static volatile uint64_t arrived[CORES], turns[CORES], level[CORES];

static void count_and_go(unsigned core)
{
    level[core] = READ_SYSREG(CurrentEL) | READ_SYSREG(mpidr_el1) << 8;
    turns[core]++;
    asm volatile("dsb sy" ::: "memory");
    arrived[core] = 1;
    psci(CPU_OFF, 0, 0, 0);
    print("CPU_OFF has returned\n");
}

static void wait_until_off(unsigned core)
{
    while (psci(AFFINITY_INFO, core, 0, 0) != 1)
        ;
}

static void stay(unsigned core)
{
    arrived[core] = 2;
    for (;;)
        asm volatile("wfi");
}

void virt_main(const void *tree)
{
    static const uint64_t functions[] = {PSCI_VERSION, CPU_SUSPEND, CPU_OFF, CPU_ON, AFFINITY_INFO, MIGRATE,
                                         MIGRATE_INFO_TYPE, SYSTEM_OFF, SYSTEM_RESET, PSCI_FEATURES, 0x84000001,
                                         0x84000003, 0x84000004, 0x84000099, 0x12345678};

    tree_set(tree);
    print_value("version", (uint64_t)psci(PSCI_VERSION, 0, 0, 0));
    print_value("migration", (uint64_t)psci(MIGRATE_INFO_TYPE, 0, 0, 0));
    for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        print_value("feature", (uint64_t)psci(PSCI_FEATURES, functions[i], 0, 0));
    print_value("unknown function", (uint64_t)psci(0x8400FFFF, 0, 0, 0));
    print_value("migrate", (uint64_t)psci(MIGRATE, 0, 0, 0));
    for (unsigned core = 0; core <= CORES; core++)
        print_value("affinity info", (uint64_t)psci(AFFINITY_INFO, core, 0, 0));
    print_value("affinity info of level 1", (uint64_t)psci(AFFINITY_INFO, 0, 1, 0));
    print_value("on: itself", (uint64_t)psci(CPU_ON, 0, (uint64_t)secondary_entry, 0));
    print_value("on: nobody", (uint64_t)psci(CPU_ON, 0x77, (uint64_t)secondary_entry, 0));
    print_value("suspend: reserved bits", (uint64_t)psci(CPU_SUSPEND, 0x00020000, 0, 0));
    core_work = count_and_go;
    for (unsigned turn = 1; turn <= 3; turn++)
        for (unsigned core = 1; core < CORES; core++) {
            arrived[core] = 0;
            print_value("on", (uint64_t)virt_start_core(core));
            wait_for(&arrived[core], 1);
            wait_until_off(core);
            print_value("turns", turns[core]);
            print_value("level and affinity", level[core]);
        }
    core_work = stay;
    print_value("on", (uint64_t)virt_start_core(2));
    wait_for(&arrived[2], 2);
    print_value("affinity info", (uint64_t)psci(AFFINITY_INFO, 2, 0, 0));
    print_value("on again", (uint64_t)virt_start_core(2));
    psci(SYSTEM_RESET, 0, 0, 0); /* QEMU is told not to reboot */
    print("SYSTEM_RESET has returned\n");
    power_off();
}
