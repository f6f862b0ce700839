/*
 * Flush queues of lazy domains (drivers/iommu/dma-iommu.c, 6.12): an unmapped IOVA waits in a ring of its core until
 * some core has invalidated the whole TLB after it.
 */
#include "dma_iommu_internal.h"
#include "percpu.h"

static bool fq_full(const struct iova_fq *fq)
{
    return ((fq->tail + 1) & fq->mod_mask) == fq->head;
}

static unsigned fq_ring_add(struct iova_fq *fq)
{
    unsigned index = fq->tail;

    fq->tail = (index + 1) & fq->mod_mask;
    return index;
}

static void fq_ring_free_locked(struct iommu_dma_cookie *cookie, struct iova_fq *fq)
{
    uint64_t finished = atomic64_read(&cookie->fq_flush_finish_cnt);

    for (; fq->head != fq->tail; fq->head = (fq->head + 1) & fq->mod_mask) {
        struct iova_fq_entry *entry = &fq->entries[fq->head];

        if (entry->counter >= finished)
            break;
        free_iova_fast(&cookie->iovad, entry->iova_pfn, entry->pages);
    }
}

static void fq_ring_free(struct iommu_dma_cookie *cookie, struct iova_fq *fq)
{
    uint64_t flags;

    spin_lock_irqsave(&fq->lock, flags);
    fq_ring_free_locked(cookie, fq);
    spin_unlock_irqrestore(&fq->lock, flags);
}

static void fq_flush_iotlb(struct iommu_dma_cookie *cookie)
{
    atomic64_inc(&cookie->fq_flush_start_cnt);
    cookie->domain->ops->flush_iotlb_all(cookie->domain);
    atomic64_inc(&cookie->fq_flush_finish_cnt);
}

static void fq_flush_timeout(struct iommu_dma_cookie *cookie)
{
    atomic_set(&cookie->fq_timer_on, 0);
    fq_flush_iotlb(cookie);
    for_each_online_cpu(cpu) fq_ring_free(cookie, per_cpu_ptr(cookie->percpu_fq, cpu));
}

/* The time, to compare with the timer's: read without an ISB, so that it costs no more than a kernel's jiffies. */
static uint64_t counter(void)
{
    uint64_t count;

    asm volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
}

void queue_iova(struct iommu_dma_cookie *cookie, uint64_t pfn, uint64_t pages)
{
    struct iova_fq *fq;
    struct iova_fq_entry *entry;
    uint64_t flags;

    smp_mb(); /* the cleared descriptor before the counter that says which flushes came after it */
    fq = this_cpu_ptr(cookie->percpu_fq);
    spin_lock_irqsave(&fq->lock, flags);
    fq_ring_free_locked(cookie, fq); /* others may have flushed */
    if (fq_full(fq)) {
        fq_flush_iotlb(cookie);
        fq_ring_free_locked(cookie, fq);
    }
    entry = &fq->entries[fq_ring_add(fq)];
    entry->iova_pfn = pfn;
    entry->pages = pages;
    entry->counter = atomic64_read(&cookie->fq_flush_start_cnt);
    spin_unlock_irqrestore(&fq->lock, flags);

    if (!atomic_read(&cookie->fq_timer_on) && !atomic_xchg(1, &cookie->fq_timer_on))
        WRITE_ONCE(cookie->fq_timer_expires, counter() + cookie->fq_timeout);
    else if (counter() >= READ_ONCE(cookie->fq_timer_expires))
        fq_timer(cookie->domain);
}

void fq_timer(struct iommu_domain *domain)
{
    struct iommu_dma_cookie *cookie = domain->cookie;

    if (atomic_xchg(0, &cookie->fq_timer_on))
        fq_flush_timeout(cookie);
}

void iommu_dma_init_fq(struct iommu_domain *domain)
{
    struct iommu_dma_cookie *cookie = domain->cookie;
    uint64_t frequency;

    asm("mrs %0, cntfrq_el0" : "=r"(frequency));
    cookie->fq_timeout = frequency * IOVA_DEFAULT_FQ_TIMEOUT / 1000;
    cookie->percpu_fq = alloc_percpu(sizeof(struct iova_fq), 64);
    for_each_online_cpu(cpu) per_cpu_ptr(cookie->percpu_fq, cpu)->mod_mask = IOVA_DEFAULT_FQ_SIZE - 1;
    smp_mb(); /* the queues before the flag that says there are any */
    WRITE_ONCE(cookie->fq_domain, true);
}
