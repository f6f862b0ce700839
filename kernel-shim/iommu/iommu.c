/* drivers/iommu/iommu.c: ranges of any size become calls for pages of one size. */
#include "iommu.h"

/* Bits up to and including n. */
static uint64_t bits_to(unsigned n)
{
    return ~0ull >> (63 - n);
}

static unsigned highest_bit(uint64_t value)
{
    return 63 - (unsigned)__builtin_clzl(value);
}

/*
 * The largest page that size and the alignment of both addresses allow, and how many of them until a larger one could
 * be used: that needs both addresses to reach the larger alignment together, and enough bytes behind that point.
 */
size_t iommu_pgsize(const struct iommu_domain *domain, uint64_t iova, phys_addr_t pa, size_t size, size_t *count)
{
    uint64_t both = iova | pa, sizes = domain->cfg.pgsize_bitmap & bits_to(highest_bit(size));
    size_t next, offset;
    unsigned shift;

    if (both)
        sizes &= bits_to((unsigned)__builtin_ctzl(both));
    if (!sizes)
        sim_fail("iommu: a range is smaller than, or not aligned to, the smallest page");
    shift = highest_bit(sizes);
    sizes = domain->cfg.pgsize_bitmap & ~bits_to(shift);
    next = sizes & -sizes;
    if (next && ((iova ^ pa) & (next - 1)) == 0) {
        offset = next - (both & (next - 1));
        if (offset + next > offset && offset + next <= size)
            size = offset;
    }
    *count = size >> shift;
    return 1ul << shift;
}

int iommu_map(struct iommu_domain *domain, uint64_t iova, phys_addr_t pa, size_t size, int prot)
{
    uint64_t smallest = domain->cfg.pgsize_bitmap & -domain->cfg.pgsize_bitmap;
    size_t done = 0, count;
    int error = 0;

    if ((iova | pa | size) & (smallest - 1))
        return -1;
    while (done < size) {
        size_t pgsize = iommu_pgsize(domain, iova + done, pa + done, size - done, &count), mapped = 0;

        error = arm_lpae_map_pages(domain->pgtable, iova + done, pa + done, pgsize, count, prot, &mapped);
        done += mapped; /* also after an error some may be mapped */
        if (error)
            break;
    }
    if (error)
        iommu_unmap(domain, iova, done);
    return error;
}

size_t iommu_unmap_fast(struct iommu_domain *domain, uint64_t iova, size_t size, struct iommu_iotlb_gather *gather)
{
    uint64_t smallest = domain->cfg.pgsize_bitmap & -domain->cfg.pgsize_bitmap;
    size_t done = 0, count;

    if ((iova | size) & (smallest - 1))
        return 0;
    while (done < size) {
        size_t pgsize = iommu_pgsize(domain, iova + done, iova + done, size - done, &count);
        size_t unmapped = arm_lpae_unmap_pages(domain->pgtable, iova + done, pgsize, count, gather);

        if (!unmapped)
            break;
        done += unmapped;
    }
    return done;
}

void iommu_iotlb_sync(struct iommu_domain *domain, struct iommu_iotlb_gather *gather)
{
    if (domain->ops->iotlb_sync)
        domain->ops->iotlb_sync(domain, gather);
    iommu_iotlb_gather_init(gather);
}

size_t iommu_unmap(struct iommu_domain *domain, uint64_t iova, size_t size)
{
    struct iommu_iotlb_gather gather;
    size_t unmapped;

    iommu_iotlb_gather_init(&gather);
    unmapped = iommu_unmap_fast(domain, iova, size, &gather);
    iommu_iotlb_sync(domain, &gather);
    return unmapped;
}

phys_addr_t iommu_iova_to_phys(struct iommu_domain *domain, uint64_t iova)
{
    return arm_lpae_iova_to_phys(domain->pgtable, iova);
}

size_t iommu_map_sg(struct iommu_domain *domain, uint64_t iova, struct scatterlist *sg, int nents, int prot)
{
    size_t mapped = 0, length = 0;
    phys_addr_t start = 0;

    for (int i = 0; i <= nents; i++) { /* the last round maps what is left */
        if (length && (i == nents || sg->pa != start + length)) {
            if (iommu_map(domain, iova + mapped, start, length, prot)) {
                iommu_unmap(domain, iova, mapped);
                return 0;
            }
            mapped += length;
            length = 0;
        }
        if (i == nents)
            break;
        if (!length)
            start = sg->pa;
        length += sg->length;
        sg = sg_next(sg);
    }
    return mapped;
}

void iommu_iotlb_gather_add_page(struct iommu_domain *domain, struct iommu_iotlb_gather *gather, uint64_t iova,
                                 size_t size)
{
    uint64_t end = iova + size - 1;

    /* another page size, or neither in nor beside the range */
    if ((gather->pgsize && gather->pgsize != size) ||
        (gather->end && (iova > gather->end + 1 || end + 1 < gather->start)))
        iommu_iotlb_sync(domain, gather);
    gather->pgsize = size;
    if (gather->start > iova)
        gather->start = iova;
    if (gather->end < end)
        gather->end = end;
}
