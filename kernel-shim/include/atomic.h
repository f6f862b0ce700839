/*
 * Atomic operations, ordered accesses and waiting for a word (asm/atomic_lse.h, atomic_ll_sc.h, cmpxchg.h). GUEST_LSE
 * selects what a kernel's alternatives would have patched in: 1 the LSE instructions, 0 loops of exclusives.
 */
#ifndef ATOMIC_H
#define ATOMIC_H

#include "runtime.h"

#ifndef GUEST_LSE
#define GUEST_LSE 1
#endif

typedef struct {
    uint32_t counter;
} atomic_t;
typedef struct {
    uint64_t counter;
} atomic64_t;

#define atomic_read(v)     READ_ONCE((v)->counter)
#define atomic_set(v, i)   WRITE_ONCE((v)->counter, i)
#define atomic64_read(v)   READ_ONCE((v)->counter)
#define atomic64_set(v, i) WRITE_ONCE((v)->counter, i)

/*
 * Read-modify-write that returns the old value, for both widths. r: register width of the operand; ldx, stx: the
 * exclusives that give the order; after: the barrier that a loop of exclusives needs to be fully ordered.
 */
#if GUEST_LSE
#define ATOMIC_FETCH(name, type, bits, r, lse, op, ldx, stx, after)        \
    static inline uint##bits##_t name(uint##bits##_t operand, type *v)     \
    {                                                                      \
        uint##bits##_t old;                                                \
                                                                           \
        asm volatile(".arch_extension lse\n\t" lse " %" r "2, %" r "0, %1" \
                     : "=r"(old), "+Q"(v->counter)                         \
                     : "r"(operand)                                        \
                     : "memory");                                          \
        return old;                                                        \
    }
#else
#define ATOMIC_FETCH(name, type, bits, r, lse, op, ldx, stx, after)                     \
    static inline uint##bits##_t name(uint##bits##_t operand, type *v)                  \
    {                                                                                   \
        uint##bits##_t old, new;                                                        \
        uint32_t failed;                                                                \
                                                                                        \
        asm volatile("prfm pstl1strm, %3\n"                                             \
                     "1: " ldx " %" r "0, %3\n\t" op "\n\t" stx " %w2, %" r "1, %3\n\t" \
                     "cbnz %w2, 1b\n\t" after                                           \
                     : "=&r"(old), "=&r"(new), "=&r"(failed), "+Q"(v->counter)          \
                     : "r"(operand)                                                     \
                     : "memory");                                                       \
        return old;                                                                     \
    }
#endif

ATOMIC_FETCH(atomic_fetch_add, atomic_t, 32, "w", "ldaddal", "add %w1, %w0, %w4", "ldxr", "stlxr", "dmb ish")
ATOMIC_FETCH(atomic_fetch_add_relaxed, atomic_t, 32, "w", "ldadd", "add %w1, %w0, %w4", "ldxr", "stxr", "")
ATOMIC_FETCH(atomic_fetch_add_release, atomic_t, 32, "w", "ldaddl", "add %w1, %w0, %w4", "ldxr", "stlxr", "")
ATOMIC_FETCH(atomic_fetch_or_acquire, atomic_t, 32, "w", "ldseta", "orr %w1, %w0, %w4", "ldaxr", "stxr", "")
ATOMIC_FETCH(atomic_fetch_andnot_relaxed, atomic_t, 32, "w", "ldclr", "bic %w1, %w0, %w4", "ldxr", "stxr", "")
ATOMIC_FETCH(atomic_fetch_andnot_release, atomic_t, 32, "w", "ldclrl", "bic %w1, %w0, %w4", "ldxr", "stlxr", "")
ATOMIC_FETCH(atomic_xchg, atomic_t, 32, "w", "swpal", "mov %w1, %w4", "ldxr", "stlxr", "dmb ish")
ATOMIC_FETCH(atomic64_fetch_add, atomic64_t, 64, "", "ldaddal", "add %1, %0, %4", "ldxr", "stlxr", "dmb ish")
ATOMIC_FETCH(atomic64_fetch_add_relaxed, atomic64_t, 64, "", "ldadd", "add %1, %0, %4", "ldxr", "stxr", "")
ATOMIC_FETCH(atomic64_fetch_andnot_relaxed, atomic64_t, 64, "", "ldclr", "bic %1, %0, %4", "ldxr", "stxr", "")
ATOMIC_FETCH(atomic64_fetch_xor_relaxed, atomic64_t, 64, "", "ldeor", "eor %1, %0, %4", "ldxr", "stxr", "")

#define atomic_inc(v)                ((void)atomic_fetch_add_relaxed(1, v))
#define atomic_dec(v)                ((void)atomic_fetch_add_relaxed(-1u, v))
#define atomic_fetch_inc_relaxed(v)  atomic_fetch_add_relaxed(1, v)
#define atomic_dec_return_release(v) (atomic_fetch_add_release(-1u, v) - 1)
#define atomic64_inc(v)              ((void)atomic64_fetch_add_relaxed(1, v))
#define atomic64_xor(mask, v)        ((void)atomic64_fetch_xor_relaxed(mask, v))

/* Compare and swap; returns the old value. */
#if GUEST_LSE
#define ATOMIC_CMPXCHG(name, bits, r, lse, ldx, stx)                                             \
    static inline uint##bits##_t name(uint##bits##_t *p, uint##bits##_t old, uint##bits##_t new) \
    {                                                                                            \
        asm volatile(".arch_extension lse\n\t" lse " %" r "0, %" r "2, %1"                       \
                     : "+r"(old), "+Q"(*p)                                                       \
                     : "r"(new)                                                                  \
                     : "memory");                                                                \
        return old;                                                                              \
    }
#else
#define ATOMIC_CMPXCHG(name, bits, r, lse, ldx, stx)                                                                   \
    static inline uint##bits##_t name(uint##bits##_t *p, uint##bits##_t old, uint##bits##_t new)                       \
    {                                                                                                                  \
        uint##bits##_t seen;                                                                                           \
        uint64_t scratch;                                                                                              \
                                                                                                                       \
        asm volatile("prfm pstl1strm, %2\n"                                                                            \
                     "1: " ldx " %" r "0, %2\n\teor %" r "1, %" r "0, %" r "3\n\tcbnz %" r "1, 2f\n\t" stx " %w1, %" r \
                     "4, %2\n\tcbnz %w1, 1b\n2:"                                                                       \
                     : "=&r"(seen), "=&r"(scratch), "+Q"(*p)                                                           \
                     : "r"(old), "r"(new)                                                                              \
                     : "memory");                                                                                      \
        return seen;                                                                                                   \
    }
#endif

ATOMIC_CMPXCHG(cmpxchg32_relaxed, 32, "w", "cas", "ldxr", "stxr")
ATOMIC_CMPXCHG(cmpxchg32_acquire, 32, "w", "casa", "ldaxr", "stxr")
ATOMIC_CMPXCHG(cmpxchg64_relaxed, 64, "", "cas", "ldxr", "stxr")

#define atomic_cmpxchg_relaxed(v, old, new) cmpxchg32_relaxed(&(v)->counter, old, new)
#define atomic_cmpxchg_acquire(v, old, new) cmpxchg32_acquire(&(v)->counter, old, new)

static inline uint16_t xchg16_relaxed(uint16_t *p, uint16_t value)
{
    uint16_t old;
#if GUEST_LSE
    asm volatile(".arch_extension lse\n\tswph %w2, %w0, %1" : "=r"(old), "+Q"(*p) : "r"(value) : "memory");
#else
    uint32_t failed;

    asm volatile("prfm pstl1strm, %2\n1: ldxrh %w0, %2\n\tstxrh %w1, %w3, %2\n\tcbnz %w1, 1b"
                 : "=&r"(old), "=&r"(failed), "+Q"(*p)
                 : "r"(value)
                 : "memory");
#endif
    return old;
}

/* LDAR and STLR of any width. */
#define smp_load_acquire(p)                                                      \
    ({                                                                           \
        __typeof__(*(p)) value_;                                                 \
                                                                                 \
        if (sizeof(*(p)) == 1)                                                   \
            asm volatile("ldarb %w0, %1" : "=r"(value_) : "Q"(*(p)) : "memory"); \
        else if (sizeof(*(p)) == 2)                                              \
            asm volatile("ldarh %w0, %1" : "=r"(value_) : "Q"(*(p)) : "memory"); \
        else if (sizeof(*(p)) == 4)                                              \
            asm volatile("ldar %w0, %1" : "=r"(value_) : "Q"(*(p)) : "memory");  \
        else                                                                     \
            asm volatile("ldar %0, %1" : "=r"(value_) : "Q"(*(p)) : "memory");   \
        value_;                                                                  \
    })
#define smp_store_release(p, v)                                                   \
    ({                                                                            \
        __typeof__(*(p)) value_ = (v);                                            \
                                                                                  \
        if (sizeof(*(p)) == 1)                                                    \
            asm volatile("stlrb %w1, %0" : "=Q"(*(p)) : "rZ"(value_) : "memory"); \
        else if (sizeof(*(p)) == 2)                                               \
            asm volatile("stlrh %w1, %0" : "=Q"(*(p)) : "rZ"(value_) : "memory"); \
        else if (sizeof(*(p)) == 4)                                               \
            asm volatile("stlr %w1, %0" : "=Q"(*(p)) : "rZ"(value_) : "memory");  \
        else                                                                      \
            asm volatile("stlr %x1, %0" : "=Q"(*(p)) : "rZ"(value_) : "memory");  \
    })

/* Sleeps until the word at p is written, unless it differs from value already; may also wake for nothing. */
#define CMPWAIT(bits, ldx, r)                                                                            \
    static inline void cmpwait##bits(const volatile void *p, uint64_t value)                             \
    {                                                                                                    \
        uint64_t scratch;                                                                                \
                                                                                                         \
        asm volatile("sevl\n\twfe\n\t" ldx " %" r "0, [%1]\n\teor %" r "0, %" r "0, %" r "2\n\tcbnz %" r \
                     "0, 1f\n\twfe\n1:"                                                                  \
                     : "=&r"(scratch)                                                                    \
                     : "r"(p), "r"(value)                                                                \
                     : "memory");                                                                        \
    }
CMPWAIT(8, "ldxrb", "w")
CMPWAIT(16, "ldxrh", "w")
CMPWAIT(32, "ldxr", "w")
CMPWAIT(64, "ldxr", "")

#define cmpwait_relaxed(p, value)                          \
    (sizeof(*(p)) == 1   ? cmpwait8(p, (uint64_t)(value))  \
     : sizeof(*(p)) == 2 ? cmpwait16(p, (uint64_t)(value)) \
     : sizeof(*(p)) == 4 ? cmpwait32(p, (uint64_t)(value)) \
                         : cmpwait64(p, (uint64_t)(value)))

/* Waits in WFE until the condition on VAL, the word at p, holds; returns the word. */
#define SMP_COND_LOAD(p, condition, load) \
    ({                                    \
        __auto_type p_ = (p);             \
        __typeof__(*p_) VAL;              \
                                          \
        for (;;) {                        \
            VAL = load;                   \
            if (condition)                \
                break;                    \
            cmpwait_relaxed(p_, VAL);     \
        }                                 \
        VAL;                              \
    })
#define smp_cond_load_relaxed(p, condition)    SMP_COND_LOAD(p, condition, READ_ONCE(*p_))
#define smp_cond_load_acquire(p, condition)    SMP_COND_LOAD(p, condition, smp_load_acquire(p_))
#define atomic_cond_read_relaxed(v, condition) smp_cond_load_relaxed(&(v)->counter, condition)
#define atomic_cond_read_acquire(v, condition) smp_cond_load_acquire(&(v)->counter, condition)

#endif
