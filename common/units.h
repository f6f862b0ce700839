/* Units: time is uint64_t picoseconds everywhere; names end in _ps, _cycles, _bytes, _hz. */
#ifndef DMASIM_COMMON_UNITS_H
#define DMASIM_COMMON_UNITS_H

#include <stdint.h>

#define PS_PER_NS 1000ull
#define PS_PER_US 1000000ull
#define PS_PER_MS 1000000000ull
#define PS_PER_S  1000000000000ull

#define KIB 1024ull
#define MIB (1024ull * KIB)
#define GIB (1024ull * MIB)

/* The cache line of every modelled part (CTR_EL0.DminLine = IminLine = 4, Arm DDI 0487 D24). */
#define LINE_SHIFT 6
#define LINE_BYTES 64u
#define LINE_MASK  (~(uint64_t)(LINE_BYTES - 1))

#define NEVER_PS UINT64_MAX

#endif
