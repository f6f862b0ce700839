/*
 * Programs for QEMU's virt machine (GICv3, PL011, PSCI), without semihosting: they print through the UART and end by
 * SYSTEM_OFF. run_virt_tests.sh compares what each prints on dmasim and on QEMU.
 */
#ifndef DMASIM_TESTS_VIRT_VIRT_H
#define DMASIM_TESTS_VIRT_VIRT_H

#include <stdbool.h>
#include <stdint.h>

#define PL011_BASE 0x09000000ull
#define GICD_BASE  0x08000000ull
#define GICR_BASE  0x080A0000ull
#define CORES      4u

/* The program; x0 as the machine passed it. */
void virt_main(const void *tree);
/* What a core does that virt_start_core() has started; it may return. */
extern void (*volatile core_work)(unsigned core);
/* Called for each exception: 0-15, the vector. */
extern void (*volatile exception_handler)(unsigned vector);

void print(const char *text);
void print_hex(uint64_t value);
/* "name: value\n" */
void print_value(const char *name, uint64_t value);
void power_off(void) __attribute__((noreturn));

/* PSCI by the conduit of the device tree. */
int64_t psci(uint64_t function, uint64_t x1, uint64_t x2, uint64_t x3);
enum {
    PSCI_VERSION = 0x84000000,
    CPU_SUSPEND = 0xC4000001,
    CPU_OFF = 0x84000002,
    CPU_ON = 0xC4000003,
    AFFINITY_INFO = 0xC4000004,
    MIGRATE = 0x84000005,
    MIGRATE_INFO_TYPE = 0x84000006,
    SYSTEM_OFF = 0x84000008,
    SYSTEM_RESET = 0x84000009,
    PSCI_FEATURES = 0x8400000A,
};
extern char secondary_entry[];
/* CPU_ON with core_work; the affinity of core n is n. */
int64_t virt_start_core(unsigned core);
/* Wait until the other core has come so far. */
void wait_for(volatile uint64_t *place, uint64_t value);

/* Flattened device tree. A node is its offset; 0: not found. */
void tree_set(const void *tree);
uint32_t tree_compatible(const char *compatible, uint32_t after); /* the next node after that one */
uint32_t tree_named(const char *prefix, uint32_t after);          /* its name begins so */
const char *tree_name(uint32_t node);
const uint32_t *tree_property(uint32_t node, const char *name, uint32_t *bytes);
uint32_t tree_cell(uint32_t node, const char *name, unsigned index);

/* GICv3: the distributor once, redistributor and CPU interface of each core. */
void gic_setup(void);
void gic_setup_core(unsigned core);
void gic_enable(unsigned core, unsigned intid); /* an SGI or PPI, priority 0x80, Group 1 */
uint64_t gic_redistributor(unsigned core);      /* its RD frame */

static inline uint32_t read32(uint64_t address)
{
    return *(volatile uint32_t *)address;
}
static inline void write32(uint64_t address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
}
#define READ_SYSREG(name)                                        \
    ({                                                           \
        uint64_t value_;                                         \
        asm volatile("mrs %0, " #name : "=r"(value_)::"memory"); \
        value_;                                                  \
    })
#define WRITE_SYSREG(name, value)                                                \
    do {                                                                         \
        asm volatile("msr " #name ", %0; isb" ::"r"((uint64_t)(value)) : "memory"); \
    } while (0)

#endif
