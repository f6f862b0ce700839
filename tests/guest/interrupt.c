/* The generic timer through GICv3: delivery, masks, acknowledge and end, priorities, SGI, WFI, and how late an
 * interrupt may be. */
#include "guest.h"

#define GICD     0x08000000ull
#define GICR     0x080A0000ull
#define GICR_SGI (GICR + 0x10000)

enum { VIRTUAL_TIMER = 27, PHYSICAL_TIMER = 30, SPURIOUS = 1023 };

#define ICC_PMR                    s3_0_c4_c6_0
#define ICC_IAR1                   s3_0_c12_c12_0
#define ICC_EOIR1                  s3_0_c12_c12_1
#define ICC_HPPIR1                 s3_0_c12_c12_2
#define ICC_BPR1                   s3_0_c12_c12_3
#define ICC_CTLR                   s3_0_c12_c12_4
#define ICC_SRE                    s3_0_c12_c12_5
#define ICC_IGRPEN1                s3_0_c12_c12_7
#define ICC_SGI1R                  s3_0_c12_c11_5
#define ICC_RPR                    s3_0_c12_c11_3
#define READ(name)                 READ_SYSREG_(name)
#define READ_SYSREG_(name)         READ_SYSREG(name)
#define WRITE(name, value)         WRITE_SYSREG_(name, value)
#define WRITE_SYSREG_(name, value) WRITE_SYSREG(name, value)

static volatile struct {
    unsigned count;
    uint64_t id, count_at, running_priority;
    unsigned mask_timer_at; /* at which interrupt the handler masks the virtual timer */
} seen;

static volatile uint32_t *reg32(uint64_t address)
{
    return (volatile uint32_t *)address;
}

static void on_irq(struct frame *frame)
{
    uint64_t id = READ(ICC_IAR1);

    seen.count++;
    seen.id = id;
    seen.count_at = READ_SYSREG(cntvct_el0);
    seen.running_priority = READ(ICC_RPR);
    if (id == VIRTUAL_TIMER && seen.count >= seen.mask_timer_at)
        WRITE_SYSREG(cntv_ctl_el0, 3);
    if (id == PHYSICAL_TIMER)
        WRITE_SYSREG(cntp_ctl_el0, 0);
    WRITE(ICC_EOIR1, id);
    ISB();
}

static void gic_on(void)
{
    *reg32(GICD) = 1 << 4;          /* ARE */
    *reg32(GICD) = 1 << 4 | 1 << 1; /* Group 1 */
    *reg32(GICR + 0x14) &= ~2u;     /* WAKER.ProcessorSleep */
    while (*reg32(GICR + 0x14) & 4)
        ;
    *reg32(GICR_SGI + 0x80) = ~0u; /* all Group 1 */
    *reg32(GICR_SGI + 0x180) = ~0u;
    for (unsigned i = 0; i < 32; i += 4)
        *reg32(GICR_SGI + 0x400 + i) = 0xA0A0A0A0;
    *reg32(GICR_SGI + 0x100) = 1u << VIRTUAL_TIMER | 1u << PHYSICAL_TIMER | 1u << 5;
    WRITE(ICC_SRE, 7);
    ISB();
    WRITE(ICC_PMR, 0xFF);
    WRITE(ICC_BPR1, 0);
    WRITE(ICC_IGRPEN1, 1);
    ISB();
}

static void expect(const char *what, uint64_t id, unsigned count)
{
    check_equal(what, seen.count, count);
    if (count)
        check_equal(what, seen.id, id);
    seen.count = 0;
    seen.id = 0;
}

static void irqs_on(void)
{
    asm volatile("msr daifclr, #2\n isb" ::: "memory");
}

static void irqs_off(void)
{
    asm volatile("msr daifset, #2\n isb" ::: "memory");
}

static uint64_t microseconds(uint64_t n)
{
    return READ_SYSREG(cntfrq_el0) * n / 1000000;
}

static void wait_until(uint64_t count)
{
    while (READ_SYSREG(cntvct_el0) < count)
        ;
}

static void virtual_timer(void)
{
    uint64_t deadline;

    seen.mask_timer_at = 1;
    irqs_on();
    deadline = READ_SYSREG(cntvct_el0) + microseconds(200);
    WRITE_SYSREG(cntv_cval_el0, deadline);
    WRITE_SYSREG(cntv_ctl_el0, 1);
    ISB();
    check_equal("CTL before the deadline", READ_SYSREG(cntv_ctl_el0), 1);
    wait_until(deadline + microseconds(2000));
    check_true("not before its deadline", seen.count_at >= deadline);
    check_equal("running priority in the handler", seen.running_priority, 0xA0);
    check_equal("running priority behind it", READ(ICC_RPR), 0xFF);
    expect("virtual timer", VIRTUAL_TIMER, 1);
    check_equal("CTL behind it", READ_SYSREG(cntv_ctl_el0), 7);
    WRITE_SYSREG(cntv_ctl_el0, 0);
    irqs_off();
}

/* A level stays until its cause is gone: here the handler masks the timer only at the third time. */
static void level_stays(void)
{
    seen.mask_timer_at = 3;
    WRITE_SYSREG(cntv_cval_el0, 0);
    WRITE_SYSREG(cntv_ctl_el0, 1);
    ISB();
    wait_until(READ_SYSREG(cntvct_el0) + microseconds(100));
    irqs_on();
    wait_until(READ_SYSREG(cntvct_el0) + microseconds(500));
    irqs_off();
    expect("a level that stays", VIRTUAL_TIMER, 3);
    seen.mask_timer_at = 1;
    WRITE_SYSREG(cntv_ctl_el0, 0);
    ISB();
}

static void masked(void)
{
    WRITE_SYSREG(cntp_tval_el0, microseconds(50));
    WRITE_SYSREG(cntp_ctl_el0, 1);
    ISB();
    wait_until(READ_SYSREG(cntvct_el0) + microseconds(1000));
    expect("masked by PSTATE", 0, 0);
    check_equal("ISR_EL1", READ_SYSREG(isr_el1), 0x80);
    check_equal("highest pending", READ(ICC_HPPIR1), PHYSICAL_TIMER);
    irqs_on();
    wait_until(READ_SYSREG(cntvct_el0) + microseconds(200));
    irqs_off();
    expect("physical timer when unmasked", PHYSICAL_TIMER, 1);
    check_equal("ISR_EL1 behind it", READ_SYSREG(isr_el1), 0);
    check_equal("nothing to acknowledge", READ(ICC_IAR1), SPURIOUS);
}

static void priority_mask(void)
{
    WRITE(ICC_PMR, 0xA0); /* equal is not enough */
    WRITE_SYSREG(cntp_tval_el0, 0);
    WRITE_SYSREG(cntp_ctl_el0, 1);
    ISB();
    irqs_on();
    wait_until(READ_SYSREG(cntvct_el0) + microseconds(200));
    expect("below the priority mask", 0, 0);
    WRITE(ICC_PMR, 0xFF);
    ISB();
    wait_until(READ_SYSREG(cntvct_el0) + microseconds(200));
    expect("with the mask lifted", PHYSICAL_TIMER, 1);
    irqs_off();
}

static void disabled(void)
{
    *reg32(GICR_SGI + 0x180) = 1u << PHYSICAL_TIMER;
    DSB();
    WRITE_SYSREG(cntp_tval_el0, 0);
    WRITE_SYSREG(cntp_ctl_el0, 1);
    ISB();
    irqs_on();
    wait_until(READ_SYSREG(cntvct_el0) + microseconds(200));
    expect("disabled at the redistributor", 0, 0);
    check_equal("pending there", *reg32(GICR_SGI + 0x200) >> PHYSICAL_TIMER & 1, 1);
    *reg32(GICR_SGI + 0x100) = 1u << PHYSICAL_TIMER;
    DSB();
    wait_until(READ_SYSREG(cntvct_el0) + microseconds(200));
    expect("enabled", PHYSICAL_TIMER, 1);
    irqs_off();
}

static void send_sgi_5(void)
{
    uint64_t mpidr = READ_SYSREG(mpidr_el1);
    uint64_t target = 1ull << (mpidr & 15) | (mpidr >> 8 & 0xFF) << 16 | (mpidr >> 16 & 0xFF) << 32;

    WRITE(ICC_SGI1R, 5ull << 24 | target);
    ISB();
}

static void software_generated(void)
{
    irqs_on();
    send_sgi_5();
    wait_until(READ_SYSREG(cntvct_el0) + microseconds(200));
    irqs_off();
    expect("SGI 5 to itself", 5, 1);
}

/* WFI ends by a pending interrupt even when PSTATE masks it. */
static void wait_for_interrupt(void)
{
    uint64_t deadline;

    for (unsigned mask = 0; mask < 2; mask++) {
        if (!mask)
            irqs_on();
        deadline = READ_SYSREG(cntvct_el0) + microseconds(300);
        WRITE_SYSREG(cntv_cval_el0, deadline);
        WRITE_SYSREG(cntv_ctl_el0, 1);
        ISB();
        while (READ_SYSREG(cntvct_el0) < deadline)
            asm volatile("wfi" ::: "memory");
        wait_until(deadline + microseconds(100));
        irqs_off();
        expect(mask ? "WFI with interrupts masked" : "WFI", VIRTUAL_TIMER, !mask);
        WRITE_SYSREG(cntv_ctl_el0, 0);
        ISB();
    }
}

/* An interrupt while EL0 runs comes through the other vector and EL0 goes on where it was. */
asm(".pushsection .user_text, \"ax\"\n"
    "user_spin: mov x1, #0\n"
    "1: add x1, x1, #1\n ldr x2, [x0]\n cbz x2, 1b\n mov x0, x1\n svc #1\n.popsection");
void user_spin(void);

static void on_user_irq(struct frame *frame)
{
    check_equal("SPSR.M of an interrupted EL0", frame->spsr & 0x1F, 0);
    on_irq(frame);
    *(volatile uint64_t *)USER_DATA = 1;
}

static void from_el0(void)
{
    *(volatile uint64_t *)USER_DATA = 0;
    trap_clear();
    irq_handler = on_user_irq;
    WRITE_SYSREG(cntp_tval_el0, microseconds(100));
    WRITE_SYSREG(cntp_ctl_el0, 1);
    ISB();
    check_true("EL0 went round", user_run((const void *)user_spin, USER_DATA, USER_DATA + 0x1000, 0) >= 1);
    check_trap("and came back by SVC", 0x400, 0x56000001, 0);
    expect("interrupt of EL0", PHYSICAL_TIMER, 1);
    irq_handler = on_irq;
}

/* Work with flags, multiplications, memory and exclusives, whose result interrupts must not change. */
static uint64_t work(unsigned rounds)
{
    static volatile uint64_t place[16];
    uint64_t value = 1, status;

    for (unsigned i = 0; i < 16; i++)
        place[i] = i;
    for (unsigned i = 0; i < rounds; i++) {
        asm volatile("adds %0, %0, %2\n cset x9, cs\n adc %0, %0, x9\n ccmp %0, #5, #8, ne\n csinc %0, %0, x9, lt\n"
                     "1: ldxr x10, [%3]\n add x10, x10, %0\n stxr %w1, x10, [%3]\n cbnz %w1, 1b"
                     : "+r"(value), "=&r"(status)
                     : "r"(0x9E3779B97F4A7C15ull), "r"(&place[i % 16])
                     : "x9", "x10", "cc", "memory");
        value = value * 6364136223846793005 + place[(i + 3) % 16];
    }
    return value;
}

/* The next one comes before the work is done, many times. */
static void on_frequent_irq(struct frame *frame)
{
    uint64_t id = READ(ICC_IAR1);

    seen.count++;
    seen.id = id;
    WRITE_SYSREG(cntv_cval_el0, READ_SYSREG(cntvct_el0) + 60 + seen.count % 64);
    ISB();
    WRITE(ICC_EOIR1, id);
    ISB();
}

static void state_is_kept(void)
{
    uint64_t expected = work(20000);

    irq_handler = on_frequent_irq;
    WRITE_SYSREG(cntv_cval_el0, 0);
    WRITE_SYSREG(cntv_ctl_el0, 1);
    ISB();
    irqs_on();
    check_equal("result under interrupts", work(20000), expected);
    irqs_off();
    WRITE_SYSREG(cntv_ctl_el0, 0);
    ISB();
    check_true("there were many", seen.count > 100);
    seen.count = 0;
    irq_handler = on_irq;
}

static void timer_registers(void)
{
    int64_t left;

    check_true("CNTFRQ", READ_SYSREG(cntfrq_el0) >= 1000000);
    WRITE_SYSREG(cntv_ctl_el0, 0);
    WRITE_SYSREG(cntv_tval_el0, 0xFFFFFFFF); /* -1 */
    WRITE_SYSREG(cntv_ctl_el0, 3);
    ISB();
    check_equal("CTL.ISTATUS of a passed deadline", READ_SYSREG(cntv_ctl_el0), 7);
    left = (int32_t)READ_SYSREG(cntv_tval_el0);
    check_true("TVAL counts below zero", left < 0);
    WRITE_SYSREG(cntv_tval_el0, 0x7FFFFFFF);
    ISB();
    check_equal("CTL of one far away", READ_SYSREG(cntv_ctl_el0), 3);
    check_true("CVAL from TVAL", READ_SYSREG(cntv_cval_el0) > READ_SYSREG(cntvct_el0));
    WRITE_SYSREG(cntv_ctl_el0, 0);
    ISB();
    check_equal("CTL when off", READ_SYSREG(cntv_ctl_el0) & 3, 0);
}

/* How long an interrupt takes to the core when the model's gic.deliver_ps is 20 us: neither less nor much more. */
static void check_delivery(const char *what, uint64_t sent)
{
    const uint64_t OVERHEAD = READ_SYSREG(cntfrq_el0) / 5000000; /* 200 ns: register accesses, entry of the handler */

    check_true(what, seen.count_at >= sent + microseconds(20));
    check_true(what, seen.count_at <= sent + microseconds(20) + OVERHEAD);
    expect(what, 5, 1);
}

static void delivery(void)
{
    uint64_t sent;

    software_generated(); /* the handler is in the caches then */
    irqs_on();
    sent = READ_SYSREG(cntvct_el0);
    send_sgi_5();
    wait_until(sent + microseconds(40));
    check_delivery("delivery to a core at work", sent);

    irqs_off(); /* WFI must not miss it */
    sent = READ_SYSREG(cntvct_el0);
    send_sgi_5();
    asm volatile("wfi" ::: "memory");
    irqs_on();
    wait_until(sent + microseconds(40));
    check_delivery("delivery to a core that sleeps", sent);

    sent = READ_SYSREG(cntvct_el0);
    send_sgi_5();
    *reg32(GICR_SGI + 0x180) = 1u << 5;
    wait_until(sent + microseconds(40));
    expect("disabled on its way", 0, 0);
    irqs_off();
}

void test_main(void)
{
    gic_on();
    irq_handler = on_irq;
    if (option("delivery")) {
        delivery();
        return;
    }
    timer_registers();
    virtual_timer();
    level_stays();
    masked();
    priority_mask();
    disabled();
    software_generated();
    wait_for_interrupt();
    from_el0();
    state_is_kept();
}
