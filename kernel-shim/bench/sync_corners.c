/*
 * The corner cases of one cache sync: how many DC operations it issues is counted by the host. Regions are named
 * direction:offset:bytes.
 */
#include "dma.h"

static char buffer[4096] __attribute__((aligned(4096)));

static const struct {
    const char *name;
    bool for_cpu;
    unsigned offset, bytes;
} corners[] = {
    {"device:0:64", false, 0, 64},     {"device:0:0", false, 0, 0},      {"device:1:1", false, 1, 1},
    {"device:63:2", false, 63, 2},     {"device:0:4096", false, 0, 4096}, {"cpu:0:64", true, 0, 64},
    {"cpu:0:32", true, 0, 32},         {"cpu:8:16", true, 8, 16},        {"cpu:32:64", true, 32, 64},
    {"cpu:0:4096", true, 0, 4096},     {"cpu:32:128", true, 32, 128},    {"cpu:0:65", true, 0, 65},
};

int main(void)
{
    for (unsigned i = 0; i < sizeof(corners) / sizeof(corners[0]); i++) {
        sim_region_name(i, corners[i].name);
        sim_region_begin(i);
        if (corners[i].for_cpu)
            arch_sync_dma_for_cpu(virt_to_phys(buffer + corners[i].offset), corners[i].bytes, DMA_FROM_DEVICE);
        else
            arch_sync_dma_for_device(virt_to_phys(buffer + corners[i].offset), corners[i].bytes, DMA_FROM_DEVICE);
        arch_sync_dma_flush();
        sim_region_end(i);
    }
    return 0;
}
