#include "tests/support/unicorn_core.h"

#include <check.h>

uc_engine *unicorn_create(uint64_t base, uint64_t bytes, uc_cb_hookintr_t taken, void *ctx)
{
    uc_engine *unicorn;
    uc_hook hook;

    ck_assert_int_eq(uc_open(UC_ARCH_ARM64, UC_MODE_ARM, &unicorn), UC_ERR_OK);
    uc_ctl_set_cpu_model(unicorn, UC_CPU_ARM64_MAX);
    ck_assert_int_eq(uc_mem_map(unicorn, base, bytes, UC_PROT_ALL), UC_ERR_OK);
    uc_hook_add(unicorn, &hook, UC_HOOK_INTR, taken, ctx, 1, 0);
    return unicorn;
}

int unicorn_register(unsigned n)
{
    if (n < 29)
        return UC_ARM64_REG_X0 + (int)n;
    return n == 29 ? UC_ARM64_REG_X29 : n == 30 ? UC_ARM64_REG_X30 : UC_ARM64_REG_SP;
}
