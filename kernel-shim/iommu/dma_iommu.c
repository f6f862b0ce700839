/*
 * drivers/iommu/dma-iommu.c: a DMA address is an IOVA of the device's domain. No peer-to-peer segments; ranges linked
 * one by one are in dma_iova.c. A single unmap walks the page tables for the physical address even when no sync needs
 * it, as the kernel does.
 */
#include "dma_iommu_internal.h"
#include "swiotlb.h"

#define SEG_BOUNDARY_MASK 0xFFFFFFFFull /* of a device that sets no dma_parms */
#define MAX_SEG_SIZE      65536u

void iommu_dma_init_domain(struct iommu_domain *domain)
{
    struct iommu_dma_cookie *cookie = kzalloc(sizeof(*cookie));

    if (!IOMMU_DMA)
        sim_fail("the program was built without IOMMU_DMA");
    cookie->domain = domain;
    init_iova_domain(&cookie->iovad, domain->cfg.pgsize_bitmap & -domain->cfg.pgsize_bitmap, 1);
    domain->cookie = cookie;
    if (domain->lazy)
        iommu_dma_init_fq(domain);
}

int dma_info_to_prot(enum dma_data_direction dir, bool coherent)
{
    int prot = coherent ? IOMMU_CACHE : 0;

    switch (dir) {
    case DMA_BIDIRECTIONAL:
        return prot | IOMMU_READ | IOMMU_WRITE;
    case DMA_TO_DEVICE:
        return prot | IOMMU_READ;
    case DMA_FROM_DEVICE:
        return prot | IOMMU_WRITE;
    default:
        return 0;
    }
}

dma_addr_t iommu_dma_alloc_iova(struct iommu_domain *domain, size_t size, uint64_t dma_limit, struct device *dev)
{
    struct iova_domain *iovad = &domain->cookie->iovad;
    uint64_t aperture_end = (1ull << domain->cfg.ias) - 1, pfn = 0;
    unsigned shift = iova_shift(iovad);

    if (aperture_end < dma_limit)
        dma_limit = aperture_end;
    if (dma_limit > 0xFFFFFFFF && dev->pci_32bit_workaround) {
        pfn = alloc_iova_fast(iovad, size >> shift, 0xFFFFFFFF >> shift, false);
        if (!pfn)
            dev->pci_32bit_workaround = false;
    }
    if (!pfn)
        pfn = alloc_iova_fast(iovad, size >> shift, dma_limit >> shift, true);
    return pfn << shift;
}

void iommu_dma_free_iova(struct iommu_dma_cookie *cookie, dma_addr_t iova, size_t size,
                         const struct iommu_iotlb_gather *gather)
{
    unsigned shift = iova_shift(&cookie->iovad);

    if (gather && gather->queued)
        queue_iova(cookie, iova >> shift, size >> shift);
    else
        free_iova_fast(&cookie->iovad, iova >> shift, size >> shift);
}

static dma_addr_t __iommu_dma_map(struct device *dev, phys_addr_t pa, size_t size, int prot)
{
    struct iommu_domain *domain = dev->domain;
    struct iommu_dma_cookie *cookie = domain->cookie;
    size_t offset = iova_offset(&cookie->iovad, pa);
    dma_addr_t iova;

    size = iova_align(&cookie->iovad, size + offset);
    iova = iommu_dma_alloc_iova(domain, size, dev->dma_mask, dev);
    if (!iova)
        return DMA_MAPPING_ERROR;
    if (iommu_map(domain, iova, pa - offset, size, prot)) {
        iommu_dma_free_iova(cookie, iova, size, NULL);
        return DMA_MAPPING_ERROR;
    }
    return iova + offset;
}

static void __iommu_dma_unmap(struct device *dev, dma_addr_t addr, size_t size)
{
    struct iommu_domain *domain = dev->domain;
    struct iommu_dma_cookie *cookie = domain->cookie;
    size_t offset = iova_offset(&cookie->iovad, addr);
    struct iommu_iotlb_gather gather;

    addr -= offset;
    size = iova_align(&cookie->iovad, size + offset);
    iommu_iotlb_gather_init(&gather);
    gather.queued = READ_ONCE(cookie->fq_domain);
    if (iommu_unmap_fast(domain, addr, size, &gather) != size)
        sim_fail("iommu: less was unmapped than had been mapped");
    if (!gather.queued)
        iommu_iotlb_sync(domain, &gather);
    iommu_dma_free_iova(cookie, addr, size, &gather);
}

/* --- bounce buffers --- */

bool dev_use_swiotlb(const struct device *dev, size_t size, enum dma_data_direction dir)
{
    return SWIOTLB && (dev->untrusted || dma_kmalloc_needs_bounce(dev, size, dir));
}

/* Whole pages are the device's then: no other data may be in them, nor what was there before. */
phys_addr_t iommu_dma_map_swiotlb(struct device *dev, phys_addr_t pa, size_t size, enum dma_data_direction dir,
                                  unsigned long attrs)
{
    const struct iova_domain *iovad = &dev->domain->cookie->iovad;
    phys_addr_t start, end;

    if (!is_swiotlb_active(dev))
        return DMA_MAPPING_ERROR;
    pa = swiotlb_tbl_map_single(dev, pa, size, iova_mask(iovad), dir, attrs);
    if (pa == DMA_MAPPING_ERROR || !dev->untrusted)
        return pa;
    start = pa - iova_offset(iovad, pa);
    end = pa + size;
    memset(phys_to_virt(start), 0, pa - start);
    memset(phys_to_virt(end), 0, iova_align(iovad, end) - end);
    return pa;
}

/* --- single ranges --- */

dma_addr_t iommu_dma_map_phys(struct device *dev, phys_addr_t pa, size_t size, enum dma_data_direction dir,
                              unsigned long attrs)
{
    dma_addr_t addr;

    if (dev_use_swiotlb(dev, size, dir) && iova_offset(&dev->domain->cookie->iovad, pa | size)) {
        pa = iommu_dma_map_swiotlb(dev, pa, size, dir, attrs);
        if (pa == DMA_MAPPING_ERROR)
            return DMA_MAPPING_ERROR;
    }
    if (!dev->dma_coherent && !(attrs & DMA_ATTR_SKIP_CPU_SYNC)) {
        arch_sync_dma_for_device(pa, size, dir);
        arch_sync_dma_flush();
    }
    addr = __iommu_dma_map(dev, pa, size, dma_info_to_prot(dir, dev->dma_coherent));
    if (SWIOTLB && addr == DMA_MAPPING_ERROR)
        swiotlb_tbl_unmap_single(dev, pa, size, dir, attrs);
    return addr;
}

void iommu_dma_unmap_phys(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir,
                          unsigned long attrs)
{
    phys_addr_t pa = iommu_iova_to_phys(dev->domain, addr);

    if (!pa)
        return;
    if (!dev->dma_coherent && !(attrs & DMA_ATTR_SKIP_CPU_SYNC)) {
        arch_sync_dma_for_cpu(pa, size, dir);
        arch_sync_dma_flush();
    }
    __iommu_dma_unmap(dev, addr, size);
    swiotlb_tbl_unmap_single(dev, pa, size, dir, attrs);
}

/* --- scatterlists --- */

/*
 * Rounds every entry to whole pages and returns the sum. What that changes is kept in the DMA fields until
 * __finalise_sg(). An entry that would cross a segment boundary is moved behind it by lengthening the one before.
 */
static size_t align_segments(const struct iova_domain *iovad, struct scatterlist *sg, int nents)
{
    struct scatterlist *previous = NULL;
    size_t total = 0;

    for (int i = 0; i < nents; i++, previous = sg, sg = sg_next(sg)) {
        size_t offset = iova_offset(iovad, sg->pa), length = iova_align(iovad, sg->length + offset);
        size_t padding = (SEG_BOUNDARY_MASK - total + 1) & SEG_BOUNDARY_MASK;

        sg->dma_address = offset;
        sg->dma_length = sg->length;
        sg->pa -= offset;
        sg->length = (uint32_t)length;
        if (padding && padding < length - 1) {
            previous->length += (uint32_t)padding;
            total += padding;
        }
        total += length;
    }
    return total;
}

/* Restores the entries, and describes the range from addr on by as few of them as the limits of a segment allow. */
static int __finalise_sg(struct scatterlist *sg, int nents, dma_addr_t addr)
{
    struct scatterlist *out = sg;
    uint32_t out_length = 0;
    int count = 0;

    for (int i = 0; i < nents; i++, sg = sg_next(sg)) {
        size_t offset = sg->dma_address;
        uint32_t length = sg->dma_length, padded = sg->length;

        sg->pa += offset;
        sg->length = length;
        sg->dma_address = DMA_MAPPING_ERROR;
        sg->dma_length = 0;
        if (out_length && !offset && (addr & SEG_BOUNDARY_MASK) && MAX_SEG_SIZE - out_length >= length) {
            out_length += length;
        } else {
            if (i > 0)
                out = sg_next(out);
            out_length = length;
            count++;
            out->dma_address = addr + offset;
        }
        out->dma_length = out_length;
        addr += padded;
        if (length + offset < padded) /* the next entry does not continue this one */
            out_length = 0;
    }
    return count;
}

static void __invalidate_sg(struct scatterlist *sg, int nents)
{
    for (int i = 0; i < nents; i++, sg = sg_next(sg)) {
        sg->pa += sg->dma_address;
        sg->length = sg->dma_length;
        sg->dma_address = DMA_MAPPING_ERROR;
        sg->dma_length = 0;
    }
}

static bool sg_dma_is_swiotlb(const struct scatterlist *sg)
{
#if SWIOTLB
    return sg->dma_flags & SG_DMA_SWIOTLB;
#else
    return false;
#endif
}

static void sg_dma_mark_swiotlb(struct scatterlist *sg, bool bounced)
{
#if SWIOTLB
    sg->dma_flags = bounced ? SG_DMA_SWIOTLB : 0;
#endif
}

static bool dev_use_sg_swiotlb(const struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir)
{
    if (!SWIOTLB)
        return false;
    if (dev->untrusted)
        return true;
    if (dma_kmalloc_safe(dev, dir))
        return false;
    for (int i = 0; i < nents; i++, sg = sg_next(sg))
        if (!dma_kmalloc_size_aligned(sg->length))
            return true;
    return false;
}

static void iommu_dma_unmap_sg_swiotlb(struct device *dev, struct scatterlist *sg, int nents,
                                       enum dma_data_direction dir, unsigned long attrs)
{
    for (int i = 0; i < nents; i++, sg = sg_next(sg))
        iommu_dma_unmap_phys(dev, sg->dma_address, sg->dma_length, dir, attrs);
}

/* An entry is a mapping of its own, bounced or not: nothing of it is batched. */
static int iommu_dma_map_sg_swiotlb(struct device *dev, struct scatterlist *sgl, int nents, enum dma_data_direction dir,
                                    unsigned long attrs)
{
    struct scatterlist *sg = sgl;

    sg_dma_mark_swiotlb(sgl, true);
    for (int i = 0; i < nents; i++, sg = sg_next(sg)) {
        sg->dma_address = iommu_dma_map_phys(dev, sg->pa, sg->length, dir, attrs);
        if (sg->dma_address == DMA_MAPPING_ERROR) {
            iommu_dma_unmap_sg_swiotlb(dev, sgl, i, dir, attrs | DMA_ATTR_SKIP_CPU_SYNC);
            return 0;
        }
        sg->dma_length = sg->length;
    }
    return nents;
}

int iommu_dma_map_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                     unsigned long attrs)
{
    struct iommu_domain *domain = dev->domain;
    struct iommu_dma_cookie *cookie = domain->cookie;
    size_t size;
    dma_addr_t iova;

    if (dev_use_sg_swiotlb(dev, sg, nents, dir))
        return iommu_dma_map_sg_swiotlb(dev, sg, nents, dir, attrs);
    sg_dma_mark_swiotlb(sg, false);
    if (!(attrs & DMA_ATTR_SKIP_CPU_SYNC))
        iommu_dma_sync_sg_for_device(dev, sg, nents, dir);
    size = align_segments(&cookie->iovad, sg, nents);
    if (!size)
        return __finalise_sg(sg, nents, 0);
    iova = iommu_dma_alloc_iova(domain, size, dev->dma_mask, dev);
    if (iova) {
        if (iommu_map_sg(domain, iova, sg, nents, dma_info_to_prot(dir, dev->dma_coherent)) >= size)
            return __finalise_sg(sg, nents, iova);
        iommu_dma_free_iova(cookie, iova, size, NULL);
    }
    __invalidate_sg(sg, nents);
    return 0;
}

void iommu_dma_unmap_sg(struct device *dev, struct scatterlist *sg, int nents, enum dma_data_direction dir,
                        unsigned long attrs)
{
    dma_addr_t start, end = 0;

    if (sg_dma_is_swiotlb(sg)) {
        iommu_dma_unmap_sg_swiotlb(dev, sg, nents, dir, attrs);
        return;
    }
    if (!(attrs & DMA_ATTR_SKIP_CPU_SYNC))
        iommu_dma_sync_sg_for_cpu(dev, sg, nents, dir);
    start = sg->dma_address; /* the list is one range: its ends are enough */
    for (int i = 0; i < nents && sg->dma_length; i++, sg = sg_next(sg))
        end = sg->dma_address + sg->dma_length;
    if (end)
        __iommu_dma_unmap(dev, start, end - start);
}

/* --- syncs --- */

void iommu_dma_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    phys_addr_t pa;

    if (dev->dma_coherent && !dev_use_swiotlb(dev, size, dir))
        return;
    pa = iommu_iova_to_phys(dev->domain, addr);
    swiotlb_sync_single_for_device(dev, pa, size, dir);
    if (dev->dma_coherent)
        return;
    arch_sync_dma_for_device(pa, size, dir);
    arch_sync_dma_flush();
}

void iommu_dma_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size, enum dma_data_direction dir)
{
    phys_addr_t pa;

    if (dev->dma_coherent && !dev_use_swiotlb(dev, size, dir))
        return;
    pa = iommu_iova_to_phys(dev->domain, addr);
    if (!dev->dma_coherent) {
        arch_sync_dma_for_cpu(pa, size, dir);
        arch_sync_dma_flush();
    }
    swiotlb_sync_single_for_cpu(dev, pa, size, dir);
}

void iommu_dma_sync_sg_for_device(struct device *dev, struct scatterlist *sgl, int nents, enum dma_data_direction dir)
{
    struct scatterlist *sg = sgl;

    if (sg_dma_is_swiotlb(sgl)) {
        for (int i = 0; i < nents; i++, sg = sg_next(sg))
            iommu_dma_sync_single_for_device(dev, sg->dma_address, sg->length, dir);
        return;
    }
    if (dev->dma_coherent)
        return;
    for (int i = 0; i < nents; i++, sg = sg_next(sg))
        arch_sync_dma_for_device(sg->pa, sg->length, dir);
    arch_sync_dma_flush();
}

void iommu_dma_sync_sg_for_cpu(struct device *dev, struct scatterlist *sgl, int nents, enum dma_data_direction dir)
{
    struct scatterlist *sg = sgl;

    if (sg_dma_is_swiotlb(sgl)) {
        for (int i = 0; i < nents; i++, sg = sg_next(sg))
            iommu_dma_sync_single_for_cpu(dev, sg->dma_address, sg->length, dir);
        return;
    }
    if (dev->dma_coherent)
        return;
    for (int i = 0; i < nents; i++, sg = sg_next(sg))
        arch_sync_dma_for_cpu(sg->pa, sg->length, dir);
    arch_sync_dma_flush();
}

#if DMA_MAP_OPS
const struct dma_map_ops iommu_dma_ops = {
    .map_phys = iommu_dma_map_phys,
    .unmap_phys = iommu_dma_unmap_phys,
    .map_sg = iommu_dma_map_sg,
    .unmap_sg = iommu_dma_unmap_sg,
    .sync_single_for_cpu = iommu_dma_sync_single_for_cpu,
    .sync_single_for_device = iommu_dma_sync_single_for_device,
    .sync_sg_for_cpu = iommu_dma_sync_sg_for_cpu,
    .sync_sg_for_device = iommu_dma_sync_sg_for_device,
    .flags = DMA_F_CAN_SKIP_SYNC,
};
#endif
