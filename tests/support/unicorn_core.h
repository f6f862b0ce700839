/* The other implementation in comparisons: Unicorn's "max" core over flat memory. */
#ifndef DMASIM_TESTS_UNICORN_CORE_H
#define DMASIM_TESTS_UNICORN_CORE_H

#include <unicorn/unicorn.h>

/* bytes of memory at base; each exception calls taken(unicorn, number, ctx), which should stop it. */
uc_engine *unicorn_create(uint64_t base, uint64_t bytes, uc_cb_hookintr_t taken, void *ctx);
/* Unicorn's name of register n; 31: SP. */
int unicorn_register(unsigned n);

#endif
