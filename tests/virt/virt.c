#pragma GCC target("general-regs-only") /* exception handlers come here, with X registers saved only */
#include "virt.h"

enum { UART_DATA = 0x00, UART_FLAGS = 0x18, UART_CONTROL = 0x30, FLAG_TX_FULL = 1 << 5, CONTROL_ON = 1 | 1 << 8 | 1 << 9 };

void (*volatile core_work)(unsigned core);
void (*volatile exception_handler)(unsigned vector);
static bool conduit_is_smc;

void virt_secondary(unsigned core);
void virt_exception(unsigned vector);

void print(const char *text)
{
    for (; *text; text++) {
        while (read32(PL011_BASE + UART_FLAGS) & FLAG_TX_FULL)
            ;
        write32(PL011_BASE + UART_DATA, (uint8_t)*text);
    }
}

void print_hex(uint64_t value)
{
    char text[17];
    unsigned n = 0;

    for (int shift = 60; shift >= 0; shift -= 4)
        if (value >> shift || shift == 0)
            text[n++] = "0123456789abcdef"[value >> shift & 15];
    text[n] = 0;
    print(text);
}

void print_value(const char *name, uint64_t value)
{
    print(name);
    print(": ");
    print_hex(value);
    print("\n");
}

int64_t psci(uint64_t function, uint64_t x1, uint64_t x2, uint64_t x3)
{
    register uint64_t r0 asm("x0") = function, r1 asm("x1") = x1, r2 asm("x2") = x2, r3 asm("x3") = x3;

    if (conduit_is_smc)
        asm volatile("smc #0" : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)::"memory");
    else
        asm volatile("hvc #0" : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)::"memory");
    return (int64_t)r0;
}

void power_off(void)
{
    psci(SYSTEM_OFF, 0, 0, 0);
    for (;;)
        ;
}

int64_t virt_start_core(unsigned core)
{
    return psci(CPU_ON, core, (uint64_t)secondary_entry, core);
}

void virt_secondary(unsigned core)
{
    if (core_work)
        core_work(core);
    for (;;)
        asm volatile("wfi");
}

void wait_for(volatile uint64_t *place, uint64_t value)
{
    while (*place != value)
        ;
    asm volatile("dsb sy" ::: "memory");
}

void virt_exception(unsigned vector)
{
    if (exception_handler) {
        exception_handler(vector);
        return;
    }
    print_value("unexpected exception", vector);
    power_off();
}

/* --- Device tree (Devicetree Specification 5): tokens and strings are big-endian --- */

enum { BEGIN_NODE = 1, END_NODE = 2, PROPERTY = 3, NOP = 4 };
static const uint8_t *tree;

static uint32_t big(const void *place)
{
    return __builtin_bswap32(*(const uint32_t *)place);
}

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static bool begins(const char *text, const char *prefix)
{
    while (*prefix && *text == *prefix)
        text++, prefix++;
    return !*prefix;
}

static uint32_t structure(void)
{
    return big(tree + 8);
}

static uint32_t round_up(uint32_t offset)
{
    return (offset + 3) & ~3u;
}

/* The token behind this one; 0 at the end. */
static uint32_t next_token(uint32_t at)
{
    const char *name;

    switch (big(tree + at)) {
    case BEGIN_NODE:
        for (name = tree_name(at); *name; name++)
            ;
        return round_up((uint32_t)((const uint8_t *)name - tree) + 1);
    case PROPERTY:
        return round_up(at + 12 + big(tree + at + 4));
    case END_NODE:
    case NOP:
        return at + 4;
    default:
        return 0;
    }
}

const char *tree_name(uint32_t node)
{
    return (const char *)tree + node + 4;
}

static uint32_t next_node(uint32_t at)
{
    at = at ? next_token(at) : structure();
    while (at && big(tree + at) != BEGIN_NODE)
        at = next_token(at);
    return at;
}

const uint32_t *tree_property(uint32_t node, const char *name, uint32_t *bytes)
{
    for (uint32_t at = next_token(node); big(tree + at) == PROPERTY || big(tree + at) == NOP; at = next_token(at))
        if (big(tree + at) == PROPERTY && same((const char *)tree + big(tree + 12) + big(tree + at + 8), name)) {
            if (bytes)
                *bytes = big(tree + at + 4);
            return (const uint32_t *)(tree + at + 12);
        }
    return 0;
}

uint32_t tree_cell(uint32_t node, const char *name, unsigned index)
{
    const uint32_t *cells = tree_property(node, name, 0);

    return cells ? big(cells + index) : ~0u;
}

uint32_t tree_compatible(const char *compatible, uint32_t after)
{
    for (uint32_t node = next_node(after); node; node = next_node(node)) {
        uint32_t bytes = 0;
        const char *text = (const char *)tree_property(node, "compatible", &bytes), *end = text + bytes;
        while (text && text < end) {
            if (same(text, compatible))
                return node;
            while (*text++)
                ;
        }
    }
    return 0;
}

uint32_t tree_named(const char *prefix, uint32_t after)
{
    for (uint32_t node = next_node(after); node; node = next_node(node))
        if (begins(tree_name(node), prefix))
            return node;
    return 0;
}

void tree_set(const void *address)
{
    tree = address;
    conduit_is_smc = same((const char *)tree_property(tree_compatible("arm,psci", 0), "method", 0), "smc");
}

/* --- GICv3 (IHI 0069) --- */

enum {
    GICD_CTLR = 0x0000,
    GICR_WAKER = 0x0014,
    GICR_IGROUPR0 = 0x10080,
    GICR_ISENABLER0 = 0x10100,
    GICR_IPRIORITYR = 0x10400,
    ENABLE_GROUP1 = 1 << 1,
    AFFINITY_ROUTING = 1 << 4,
    PROCESSOR_SLEEP = 1 << 1,
    CHILDREN_ASLEEP = 1 << 2,
};

uint64_t gic_redistributor(unsigned core)
{
    return GICR_BASE + core * 0x20000ull;
}

void gic_setup(void)
{
    write32(GICD_BASE + GICD_CTLR, AFFINITY_ROUTING | ENABLE_GROUP1);
}

void gic_setup_core(unsigned core)
{
    uint64_t frame = gic_redistributor(core);

    write32(frame + GICR_WAKER, read32(frame + GICR_WAKER) & ~(uint32_t)PROCESSOR_SLEEP);
    while (read32(frame + GICR_WAKER) & CHILDREN_ASLEEP)
        ;
    WRITE_SYSREG(icc_sre_el1, 7);
    WRITE_SYSREG(icc_pmr_el1, 0xF0);
    WRITE_SYSREG(icc_igrpen1_el1, 1);
}

void gic_enable(unsigned core, unsigned intid)
{
    uint64_t frame = gic_redistributor(core);

    write32(frame + GICR_IGROUPR0, read32(frame + GICR_IGROUPR0) | 1u << intid);
    *(volatile uint8_t *)(frame + GICR_IPRIORITYR + intid) = 0x80;
    write32(frame + GICR_ISENABLER0, 1u << intid);
}
