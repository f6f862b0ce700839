#include "smmu/memory.h"

static enum txn_status access_memory(const struct smmu_memory *memory, enum txn_kind kind, uint64_t pa, void *data,
                                     uint32_t bytes, struct access_attributes attributes, uint64_t *t_ps)
{
    bool write_back = (attributes.inner & 1) && (attributes.outer & 1); /* 1 and 3 */
    enum shareability sh = attributes.sh == 1 ? SH_NON : (enum shareability)attributes.sh;
    struct txn txn = {.kind = kind,
                      .addr = pa & UINT64_MAX >> (64 - memory->address_bits),
                      .size = bytes,
                      .data = data,
                      .requester = memory->requester,
                      .privileged = true,
                      .coherent = memory->cohacc && write_back && sh != SH_NON,
                      .type = write_back ? MEM_NORMAL_WB : MEM_NORMAL_NC,
                      .sh = write_back ? sh : SH_OUTER,
                      .start_ps = *t_ps};

    memory->port.access(memory->port.ctx, &txn);
    *t_ps = txn.done_ps;
    return txn.status;
}

enum txn_status smmu_memory_read(const struct smmu_memory *memory, uint64_t pa, void *data, uint32_t bytes,
                                 struct access_attributes attributes, uint64_t *t_ps)
{
    return access_memory(memory, TXN_READ, pa, data, bytes, attributes, t_ps);
}

enum txn_status smmu_memory_write(const struct smmu_memory *memory, uint64_t pa, const void *data, uint32_t bytes,
                                  struct access_attributes attributes, uint64_t *t_ps)
{
    return access_memory(memory, TXN_WRITE, pa, (void *)data, bytes, attributes, t_ps);
}
