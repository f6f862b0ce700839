/* Floating point as a compiler uses it: enabled when first used, kept across exceptions, rounding and flags. */
#include "virt.h"

static unsigned traps;

static uint64_t bits_of(double value)
{
    uint64_t bits;

    __builtin_memcpy(&bits, &value, sizeof(bits));
    return bits;
}

__attribute__((target("general-regs-only"))) static void enable(unsigned vector)
{
    if (READ_SYSREG(esr_el1) >> 26 == 7) {
        traps++;
        WRITE_SYSREG(cpacr_el1, 3 << 20);
        return; /* to the instruction again */
    }
    WRITE_SYSREG(elr_el1, READ_SYSREG(elr_el1) + 4);
}

static double series(double x)
{
    double sum = 0, term = 1;

    for (int n = 1; n < 30; n++) {
        sum += term;
        term *= x / n;
    }
    return sum;
}

static float sums[16], left[64], right[64];

/* What gcc makes vector code of. */
__attribute__((optimize("O3"))) static void multiply(void)
{
    for (unsigned i = 0; i < 64; i++) {
        left[i] = 0.5f * (float)i;
        right[i] = 1.0f / (1.0f + (float)i);
    }
    for (unsigned i = 0; i < 16; i++)
        for (unsigned n = 0; n < 4; n++)
            sums[i] += left[4 * i + n] * right[4 * n + i % 4];
}

__attribute__((noinline)) static void calculate(void)
{
    volatile double one = 1, three = 3, huge = 1e308;

    print_value("exp(1)", bits_of(series(one)));
    print_value("traps", traps);
    multiply();
    for (unsigned i = 0; i < 16; i++)
        print_value("sum", bits_of(sums[i]));
    for (uint64_t mode = 0; mode < 4; mode++) {
        WRITE_SYSREG(fpcr, mode << 22);
        WRITE_SYSREG(fpsr, 0);
        print_value("1 / 3", bits_of(one / three));
        print_value("overflow", bits_of(huge * 10));
        print_value("flags", READ_SYSREG(fpsr));
    }
    WRITE_SYSREG(fpcr, 0);
    {
        register double kept asm("d8") = series(three);
        asm volatile(".inst 0" : "+w"(kept)); /* Undefined: through the handler and back */
        print_value("kept", bits_of(kept));
    }
}

void virt_main(const void *tree)
{
    tree_set(tree);
    exception_handler = enable;
    calculate();
    power_off();
}
