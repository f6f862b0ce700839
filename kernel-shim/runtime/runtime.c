#include "runtime.h"

#include <stdarg.h>

#include "simctl.h"

char per_cpu_areas[MAX_CPUS][4096] __attribute__((aligned(4096)));
char core_stacks[MAX_CPUS][STACK_BYTES] __attribute__((aligned(4096)));

struct start_request {
    void (*function)(void *argument);
    void *argument;
};
static struct start_request start_requests[MAX_CPUS];

void runtime_begin(unsigned cpu);
void runtime_unexpected(uint64_t esr, uint64_t elr, uint64_t far);
void runtime_interrupt(void);

void runtime_begin(unsigned cpu)
{
    arch_timer_evtstrm_enable();
    if (cpu == 0)
        sim_exit((uint64_t)main());
    start_requests[cpu].function(start_requests[cpu].argument);
}

void cpu_start(unsigned cpu, void (*function)(void *argument), void *argument)
{
    extern char secondary_start[];

    start_requests[cpu] = (struct start_request){function, argument};
    dsb(ish);
    writeq_relaxed((uint64_t)cpu << 48 | (uint64_t)secondary_start, SIMCTL_BASE + SIMCTL_CORE_START);
}

void runtime_unexpected(uint64_t esr, uint64_t elr, uint64_t far)
{
    printf("unexpected exception: ESR 0x%lx ELR 0x%lx FAR 0x%lx\n", esr, elr, far);
    sim_fail("unexpected exception in the guest");
}

/* --- interrupts --- */

#define INTIDS 288
static struct {
    void (*handler)(unsigned intid, void *data);
    void *data;
} handlers[INTIDS];

static void gic_enable(unsigned intid, bool edge)
{
    unsigned cpu = smp_processor_id();
    uintptr_t redistributor =
        cpu < GICR_CORES ? GICR_BASE + 0x20000ul * cpu : GICR2_BASE + 0x20000ul * (cpu - GICR_CORES);
    uintptr_t frame = intid < 32 ? redistributor + 0x10000 : GICD_BASE, configuration = frame + 0xC00 + intid / 16 * 4;
    uint32_t edge_bit = 2u << intid % 16 * 2;

    writel(7, GICD_BASE); /* groups and affinity routing */
    writel(readl(redistributor + 0x14) & ~2u, redistributor + 0x14);
    writel(readl(frame + 0x80 + intid / 32 * 4) | 1u << intid % 32, frame + 0x80 + intid / 32 * 4);
    if (intid >= 16) /* SGIs are edges */
        writel(edge ? readl(configuration) | edge_bit : readl(configuration) & ~edge_bit, configuration);
    writel(1u << intid % 32, frame + 0x100 + intid / 32 * 4);
    if (intid >= 32) /* to core 0 */
        writeq(0, GICD_BASE + 0x6000 + 8 * intid);
    asm volatile("msr S3_0_C4_C6_0, %0" ::"r"(0xF8ul)); /* ICC_PMR_EL1 */
    asm volatile("msr S3_0_C12_C12_7, %0" ::"r"(1ul));  /* ICC_IGRPEN1_EL1 */
    isb();
}

void request_irq(unsigned intid, bool edge, void (*handler)(unsigned intid, void *data), void *data)
{
    handlers[intid].handler = handler;
    handlers[intid].data = data;
    gic_enable(intid, edge);
}

void runtime_interrupt(void)
{
    uint64_t intid;

    asm volatile("mrs %0, S3_0_C12_C12_0" : "=r"(intid)); /* ICC_IAR1_EL1 */
    if (intid >= INTIDS)
        return;
    if (handlers[intid].handler)
        handlers[intid].handler((unsigned)intid, handlers[intid].data);
    asm volatile("msr S3_0_C12_C12_1, %0" ::"r"(intid)); /* ICC_EOIR1_EL1 */
}

/* --- time --- */

uint64_t ktime_get_ns(void)
{
    uint64_t count, frequency;

    asm volatile("isb; mrs %0, cntvct_el0" : "=r"(count)::"memory");
    asm("mrs %0, cntfrq_el0" : "=r"(frequency));
    if (frequency == 1000000000)
        return count;
    return count / frequency * 1000000000 + count % frequency * 1000000000 / frequency;
}

/* --- memory --- */

void *memset(void *to, int value, size_t bytes)
{
    uint64_t pattern = 0x0101010101010101ull * (uint8_t)value;
    char *p = to;

    while (bytes && ((uintptr_t)p & 7)) {
        *p++ = (char)value;
        bytes--;
    }
    for (; bytes >= 16; bytes -= 16, p += 16)
        asm volatile("stp %0, %0, [%1]" ::"r"(pattern), "r"(p) : "memory");
    while (bytes--)
        *p++ = (char)value;
    return to;
}

void *memcpy(void *to, const void *from, size_t bytes)
{
    char *p = to;
    const char *q = from;

    for (; bytes >= 16; bytes -= 16, p += 16, q += 16) {
        uint64_t a, b;
        asm volatile("ldp %0, %1, [%2]\n\tstp %0, %1, [%3]" : "=&r"(a), "=&r"(b) : "r"(q), "r"(p) : "memory");
    }
    while (bytes--)
        *p++ = *q++;
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const unsigned char *p = a, *q = b;

    for (; bytes; bytes--, p++, q++)
        if (*p != *q)
            return *p - *q;
    return 0;
}

size_t strlen(const char *text)
{
    size_t length = 0;

    while (text[length])
        length++;
    return length;
}

/* --- console --- */

static void put(char c)
{
    writeq_relaxed((uint8_t)c, SIMCTL_BASE + SIMCTL_CONSOLE);
}

static void put_number(uint64_t value, unsigned base)
{
    char digits[24];
    unsigned n = 0;

    do {
        digits[n++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    while (n)
        put(digits[--n]);
}

static void put_argument(char kind, bool wide, va_list *args)
{
    uint64_t value;

    if (kind == 's') {
        for (const char *text = va_arg(*args, const char *); *text; text++)
            put(*text);
        return;
    }
    value = wide || kind == 'p' ? va_arg(*args, uint64_t) : va_arg(*args, unsigned);
    if (kind == 'c') {
        put((char)value);
        return;
    }
    if (kind == 'd' && (wide ? (int64_t)value < 0 : (int32_t)value < 0)) {
        put('-');
        value = wide ? -value : (uint32_t) - (int32_t)value;
    }
    put_number(value, kind == 'x' || kind == 'p' ? 16 : 10);
}

int printf(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    for (; *format; format++) {
        bool wide = false;
        if (*format != '%') {
            put(*format);
            continue;
        }
        for (format++; *format == 'l'; format++)
            wide = true;
        if (*format == '%')
            put('%');
        else
            put_argument(*format, wide, &args);
    }
    va_end(args);
    return 0;
}
