/*
 * Loops for measuring the simulator itself. Parameters: kind (0 integer arithmetic, 1 memcpy in L1 and L2, 2 DC CVAC
 * over a buffer), millions (instructions or operations, roughly).
 */
#include "dma.h"

static uint64_t arithmetic(uint64_t rounds)
{
    uint64_t a = 1, b = 2, c = 3;

    for (uint64_t i = 0; i < rounds; i++) {
        a = a * 5 + b;
        b ^= a >> 7;
        c += b & 0xFF;
        if (c & 64)
            a -= c;
        barrier();
    }
    return a + b + c;
}

int main(void)
{
    uint64_t kind = sim_param("kind", 0), millions = sim_param("millions", 100);
    const size_t bytes = 256 << 10;
    char *from = alloc_pages_exact(bytes), *to = alloc_pages_exact(bytes);

    memset(from, 1, bytes);
    if (kind == 0)
        return arithmetic(millions * 1000000 / 10) == 0;
    for (uint64_t done = 0; done < millions * 1000000;) {
        if (kind == 1) {
            memcpy(to, from, bytes);
            done += bytes / 16 * 6;
        } else {
            dcache_clean_poc_nosync((uintptr_t)from, (uintptr_t)from + bytes);
            done += bytes / 64;
        }
    }
    return 0;
}
