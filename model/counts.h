/* Sums over structs that hold nothing but 64-bit counts (cpu_counters, cache_counters). */
#ifndef DMASIM_MODEL_COUNTS_H
#define DMASIM_MODEL_COUNTS_H

#include <cstdint>
#include <cstring>

/* sum += now - before, count by count. */
template <typename T> void add_counts(T &sum, const T &now, const T &before = {})
{
    uint64_t s[sizeof(T) / 8], n[sizeof(T) / 8], b[sizeof(T) / 8];

    static_assert(sizeof(T) % 8 == 0, "counters are 64-bit counts");
    memcpy(s, &sum, sizeof(s));
    memcpy(n, &now, sizeof(n));
    memcpy(b, &before, sizeof(b));
    for (size_t i = 0; i < sizeof(T) / 8; i++)
        s[i] += n[i] - b[i];
    memcpy(&sum, s, sizeof(s));
}

#endif
