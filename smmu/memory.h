/* The SMMU's own accesses to memory: structures, tables, queues, MSIs. Attributes as in IHI 0070 13.8. */
#ifndef DMASIM_SMMU_MEMORY_H
#define DMASIM_SMMU_MEMORY_H

#include "common/port.h"

/* Encoded as in CR1 and CD: cacheability 0 Non-cacheable, 1 Write-Back, 2 Write-Through, 3 Write-Back no
 * write-allocate. */
struct access_attributes {
    uint8_t inner, outer; /* cacheability */
    uint8_t sh;           /* enum shareability; 1 behaves as Non-shareable */
};

struct smmu_memory {
    struct mem_port port;
    uint32_t requester;
    bool cohacc;           /* IDR0.COHACC: Write-Back shareable accesses snoop the CPU caches; otherwise none does */
    unsigned address_bits; /* OAS: address bits above are taken as zero (IHI 0070 3.4.3); 64: none are */
};

/* Read or write bytes at pa, starting at *t_ps; *t_ps becomes the time of completion. */
enum txn_status smmu_memory_read(const struct smmu_memory *memory, uint64_t pa, void *data, uint32_t bytes,
                                 struct access_attributes attributes, uint64_t *t_ps);
enum txn_status smmu_memory_write(const struct smmu_memory *memory, uint64_t pa, const void *data, uint32_t bytes,
                                  struct access_attributes attributes, uint64_t *t_ps);

#endif
