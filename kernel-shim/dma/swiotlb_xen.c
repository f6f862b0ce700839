/*
 * drivers/xen/swiotlb-xen.c: the DMA operations of a kernel that is a guest of Xen and has its devices. DMA addresses
 * are machine addresses, which for its own memory are the same. Every buffer is synchronised and waited for by itself,
 * lists included, so batching changes nothing. Memory of other domains, which this kernel has no pages for, is
 * maintained by the hypervisor: a hypercall a page.
 */
#include "swiotlb.h"

#define XEN_PAGE_SIZE 4096ul
enum gnttab_cache_op { GNTTAB_CACHE_CLEAN = 1, GNTTAB_CACHE_INVAL = 2 };

static struct {
    phys_addr_t start, end;
} foreign;

void xen_add_foreign_memory(phys_addr_t pa, size_t size)
{
    if (foreign.end)
        sim_fail("xen: one range of foreign memory only");
    foreign.start = pa;
    foreign.end = pa + size;
}

static bool pfn_valid(dma_addr_t addr)
{
    return addr < foreign.start || addr >= foreign.end;
}

/*
 * In place of GNTTABOP_cache_flush: what Xen does for it (a DSB before and after the loop, each of SY). The way to EL2
 * and back is parameter hypercall_ns, assumed.
 */
static void hypercall_cache_flush(dma_addr_t addr, size_t bytes, enum gnttab_cache_op op)
{
    static uint64_t hypercall_ns = ~0ull;
    uint64_t start;

    if (hypercall_ns == ~0ull)
        hypercall_ns = sim_param("hypercall_ns", 0);
    start = ktime_get_ns();
    while (hypercall_ns && ktime_get_ns() < start + hypercall_ns)
        cpu_relax();
    mb();
    if (op == GNTTAB_CACHE_INVAL)
        dcache_inval_poc((uintptr_t)phys_to_virt(addr), (uintptr_t)phys_to_virt(addr) + bytes);
    else
        dcache_clean_poc((uintptr_t)phys_to_virt(addr), (uintptr_t)phys_to_virt(addr) + bytes);
}

static void dma_cache_maint(dma_addr_t addr, size_t size, enum gnttab_cache_op op)
{
    while (size) {
        size_t room = XEN_PAGE_SIZE - (addr & (XEN_PAGE_SIZE - 1)), bytes = size < room ? size : room;

        hypercall_cache_flush(addr, bytes, op);
        addr += bytes;
        size -= bytes;
    }
}

static void sync_for_device(dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    if (pfn_valid(addr)) {
        arch_sync_dma_for_device(addr, size, dir);
        arch_sync_dma_flush();
    } else {
        dma_cache_maint(addr, size, dir == DMA_FROM_DEVICE ? GNTTAB_CACHE_INVAL : GNTTAB_CACHE_CLEAN);
    }
}

static void sync_for_cpu(dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    if (pfn_valid(addr)) {
        arch_sync_dma_for_cpu(addr, size, dir);
        arch_sync_dma_flush();
    } else if (dir != DMA_TO_DEVICE) {
        dma_cache_maint(addr, size, GNTTAB_CACHE_INVAL);
    }
}

dma_addr_t xen_swiotlb_map_phys(struct device *dev, phys_addr_t pa, size_t size, enum dma_data_direction dir,
                                unsigned long attrs)
{
    if (!dma_capable(dev, pa, size) || dma_kmalloc_needs_bounce(dev, size, dir) || is_swiotlb_force_bounce(dev)) {
        if (!is_swiotlb_active(dev))
            return DMA_MAPPING_ERROR;
        pa = swiotlb_tbl_map_single(dev, pa, size, 0, dir, attrs);
        if (pa == DMA_MAPPING_ERROR)
            return DMA_MAPPING_ERROR;
        if (!dma_capable(dev, pa, size)) {
            swiotlb_tbl_unmap_single(dev, pa, size, dir, attrs | DMA_ATTR_SKIP_CPU_SYNC);
            return DMA_MAPPING_ERROR;
        }
    }
    if (!dev->dma_coherent && !(attrs & DMA_ATTR_SKIP_CPU_SYNC))
        sync_for_device(pa, size, dir);
    return pa;
}

void xen_swiotlb_unmap_phys(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir,
                            unsigned long attrs)
{
    if (!dev->dma_coherent && !(attrs & DMA_ATTR_SKIP_CPU_SYNC))
        sync_for_cpu(addr, size, dir);
    swiotlb_tbl_unmap_single(dev, addr, size, dir, attrs);
}

int xen_swiotlb_map_sg(struct device *dev, struct scatterlist *sgl, int nents, enum dma_data_direction dir,
                       unsigned long attrs)
{
    struct scatterlist *sg = sgl;

    for (int i = 0; i < nents; i++, sg = sg_next(sg)) {
        sg->dma_address = xen_swiotlb_map_phys(dev, sg->pa, sg->length, dir, attrs);
        if (sg->dma_address == DMA_MAPPING_ERROR) {
            xen_swiotlb_unmap_sg(dev, sgl, i, dir, attrs | DMA_ATTR_SKIP_CPU_SYNC);
            sgl->dma_length = 0;
            return 0;
        }
        sg->dma_length = sg->length;
    }
    return nents;
}

void xen_swiotlb_unmap_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                          unsigned long attrs)
{
    for (int i = 0; i < nents; i++, sg = sg_next(sg))
        xen_swiotlb_unmap_phys(dev, sg->dma_address, sg->dma_length, dir, attrs);
}

void xen_swiotlb_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    swiotlb_sync_single_for_device(dev, addr, size, dir);
    if (!dev->dma_coherent)
        sync_for_device(addr, size, dir);
}

void xen_swiotlb_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    if (!dev->dma_coherent)
        sync_for_cpu(addr, size, dir);
    swiotlb_sync_single_for_cpu(dev, addr, size, dir);
}

void xen_swiotlb_sync_sg_for_device(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    for (int i = 0; i < nents; i++, sg = sg_next(sg))
        xen_swiotlb_sync_single_for_device(dev, sg->dma_address, sg->length, dir);
}

void xen_swiotlb_sync_sg_for_cpu(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    for (int i = 0; i < nents; i++, sg = sg_next(sg))
        xen_swiotlb_sync_single_for_cpu(dev, sg->dma_address, sg->length, dir);
}
