/* What the tree in X0 says about the machine, and whether the machine agrees. */
#include "virt.h"

static void print_cells(const char *name, uint32_t node, const char *property, unsigned count)
{
    print(name);
    for (unsigned i = 0; i < count; i++) {
        print(" ");
        print_hex(tree_cell(node, property, i));
    }
    print("\n");
}

void virt_main(const void *tree)
{
    uint32_t node, bytes;

    print_value("magic", __builtin_bswap32(*(const uint32_t *)tree));
    tree_set(tree);
    print_cells("memory", tree_named("memory@", 0), "reg", 4);
    for (node = tree_named("cpu@", 0); node; node = tree_named("cpu@", node)) {
        print_cells("cpu", node, "reg", 1);
        print((const char *)tree_property(node, "enable-method", 0));
        print("\n");
    }
    node = tree_compatible("arm,gic-v3", 0);
    print_cells("distributor", node, "reg", 3);
    print_value("redistributors", tree_cell(node, "reg", 5));
    print_cells("cells of an interrupt", node, "#interrupt-cells", 1);
    node = tree_compatible("arm,pl011", 0);
    print_cells("uart", node, "reg", 4);
    print_cells("uart interrupt", node, "interrupts", 3);
    node = tree_compatible("arm,armv8-timer", 0);
    print_cells("timer interrupts", node, "interrupts", 12);
    node = tree_compatible("arm,psci-1.0", 0);
    print((const char *)tree_property(node, "method", 0));
    print("\n");
    node = tree_named("chosen", 0);
    print((const char *)tree_property(node, "stdout-path", &bytes));
    print("\n");
    print((const char *)tree_property(node, "bootargs", &bytes));
    print("\n");
    print_value("virtio in the tree", tree_compatible("virtio,nothing", 0));
    print_value("level", READ_SYSREG(CurrentEL));
    print_value("affinity", READ_SYSREG(mpidr_el1));
    print_value("cache type", READ_SYSREG(ctr_el0));
    print_value("block zeroing", READ_SYSREG(dczid_el0));
    print_value("floating point, SIMD", READ_SYSREG(id_aa64pfr0_el1) >> 16 & 0xFF);
    print_value("GIC registers", READ_SYSREG(id_aa64pfr0_el1) >> 24 & 0xF);
    print_value("4K granule", READ_SYSREG(id_aa64mmfr0_el1) >> 28 & 0xF);
    print_value("64K granule", READ_SYSREG(id_aa64mmfr0_el1) >> 24 & 0xF);
    print_value("CRC32", READ_SYSREG(id_aa64isar0_el1) >> 16 & 0xF);
    print_value("masks", READ_SYSREG(daif));
    power_off();
}
