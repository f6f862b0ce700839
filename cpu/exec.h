/* The interpreter and the operations that are rare enough to be functions. */
#ifndef DMASIM_CPU_EXEC_H
#define DMASIM_CPU_EXEC_H

#include "cpu/core_internal.h"

struct decoded_line;

enum cpu_stop exec_run_timed(struct cpu *cpu);
enum cpu_stop exec_run_functional(struct cpu *cpu);

/* Stop requests, limits, timers, interrupts; true: leave the loop with *stop. */
bool exec_attention(struct cpu *cpu, enum cpu_stop *stop);
/* The decoded line of cpu->pc; NULL: an exception was taken. */
struct decoded_line *exec_fetch(struct cpu *cpu);

bool exec_sp_checked(const struct cpu *cpu); /* SCTLR.SA or SA0 */
/* SP must be 16-byte aligned as a base register where SCTLR asks for it; false: exception taken. */
bool exec_base_aligned(struct cpu *cpu, const struct insn *insn);
void exec_exception(struct cpu *cpu, const struct insn *insn);
void exec_eret(struct cpu *cpu, uint64_t pc);
bool exec_mrs(struct cpu *cpu, const struct insn *insn);

/* Bodies; start in ticks. False: an exception was taken. */
bool exec_hlt(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_wfe(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_wfi(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_sev(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_sevl(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_dsb(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_dmb(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_isb(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_clrex(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_msr_immediate(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_msr(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_sys(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_load_literal(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_load_literal_vector(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_load_unprivileged(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_store_unprivileged(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_load_acquire(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_store_release(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_load_exclusive(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_store_exclusive(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_compare_and_swap(struct cpu *cpu, const struct insn *insn, uint64_t start);
bool exec_atomic(struct cpu *cpu, const struct insn *insn, uint64_t start);

#endif
