/*
 * dma_map_sg() and dma_unmap_sg() of a scatterlist, over and over. Parameters: entries, entry_bytes, iterations,
 * warmup, direction (0 bidirectional, 1 to device, 2 from device), touch (1: the buffer is written before each map).
 */
#include "dma.h"

enum { REGION_MAP, REGION_UNMAP };

static struct scatterlist *build_list(unsigned entries, size_t entry_bytes)
{
    struct scatterlist *list = kzalloc(entries * sizeof(*list));

    for (unsigned i = 0; i < entries; i++) {
        list[i].pa = virt_to_phys(alloc_pages_exact(entry_bytes));
        list[i].length = (uint32_t)entry_bytes;
        list[i].next = i + 1 < entries ? &list[i + 1] : NULL;
    }
    return list;
}

static void touch_list(struct scatterlist *list, uint8_t value)
{
    for (; list; list = list->next)
        memset(phys_to_virt(list->pa), value, list->length);
}

int main(void)
{
    unsigned entries = (unsigned)sim_param("entries", 2560);
    size_t entry_bytes = sim_param("entry_bytes", 4096);
    unsigned iterations = (unsigned)sim_param("iterations", 200), warmup = (unsigned)sim_param("warmup", 1);
    enum dma_data_direction dir = (enum dma_data_direction)sim_param("direction", DMA_BIDIRECTIONAL);
    bool touch = sim_param("touch", 0);
    struct device dev = {.dma_coherent = false, .dma_mask = ~0ull};
    struct scatterlist *list = build_list(entries, entry_bytes);

    sim_region_name(REGION_MAP, "map");
    sim_region_name(REGION_UNMAP, "unmap");
    for (unsigned i = 0; i < warmup + iterations; i++) {
        bool measured = i >= warmup;
        if (touch)
            touch_list(list, (uint8_t)i);
        if (measured)
            sim_region_begin(REGION_MAP);
        if (dma_map_sg(&dev, list, (int)entries, dir) != (int)entries)
            sim_fail("dma_map_sg failed");
        if (measured)
            sim_region_end(REGION_MAP);
        if (measured)
            sim_region_begin(REGION_UNMAP);
        dma_unmap_sg(&dev, list, (int)entries, dir);
        if (measured)
            sim_region_end(REGION_UNMAP);
    }
    return 0;
}
