/*
 * The guest's page tables: 4 KB granule, 39-bit addresses, blocks of 2 MB and 1 GB.
 *   0x0000_0000  devices, Device-nGnRE
 *   0x4000_0000  RAM, Normal Write-Back, Inner Shareable (identity)
 *   0x40_0000_0000  the same RAM, Normal Non-cacheable (what dma_alloc_coherent() returns for a non-coherent device)
 */
#include "runtime.h"
#include "simctl.h"

/* MAIR_EL1: 0 Device-nGnRE, 1 Normal NC, 2 Normal WB. */
enum { ATTR_DEVICE = 0, ATTR_NC = 1, ATTR_WB = 2 };
const uint64_t page_tables_mair = 0x04ull | 0x44ull << 8 | 0xFFull << 16;
/* T0SZ 25, IRGN0/ORGN0 WB, SH0 inner, EPD1, IPS 48 bits. */
const uint64_t page_tables_tcr = 25 | 1 << 8 | 1 << 10 | 3 << 12 | 1ull << 23 | 5ull << 32;

enum { DESC_BLOCK = 1, DESC_AF = 1 << 10, DESC_INNER = 3 << 8, DESC_OUTER = 2 << 8 };
#define DESC_XN  (3ull << 53)
#define GIGABYTE (1ull << 30)

uint64_t page_table_root[512] __attribute__((aligned(4096)));

static uint64_t block(uint64_t pa, unsigned attribute, uint64_t shareability)
{
    return pa | DESC_BLOCK | DESC_AF | (uint64_t)attribute << 2 | shareability;
}

/* Runs with the MMU off: the compiler must not merge or vectorise the stores. */
void page_tables_build(void)
{
    volatile uint64_t *root = page_table_root;

    root[0] = block(0, ATTR_DEVICE, DESC_OUTER) | DESC_XN;
    for (unsigned i = 1; i < 65; i++) {
        root[i] = block(i * GIGABYTE, ATTR_WB, DESC_INNER);
        root[NONCACHEABLE_OFFSET / GIGABYTE + i] = block(i * GIGABYTE, ATTR_NC, DESC_OUTER) | DESC_XN;
    }
    asm volatile("dsb sy" ::: "memory");
}
