/* The DMA API's view: what is mapped for devices, from the calls of its front doors (api.c). */
#ifndef DMASIM_HAZARD_MAPPING_H
#define DMASIM_HAZARD_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hazard/hazard.h"

enum dma_direction { DMA_BIDIRECTIONAL, DMA_TO_DEVICE, DMA_FROM_DEVICE }; /* as in the kernel */

/* Physically contiguous bytes, or a range of DMA addresses. */
struct piece {
    uint64_t start, bytes;
};

struct pieces {
    struct piece *piece;
    uint32_t count, capacity;
};

struct mapping {
    uint64_t dev;  /* address of the guest's struct device */
    uint64_t key;  /* DMA address, or of a scatterlist */
    bool list;     /* a scatterlist */
    uint64_t size; /* bytes; entries of a scatterlist */
    uint32_t direction;
    bool coherent;               /* the device snoops: who touches the buffer does not matter */
    bool lasting;                /* as long as the machine: it cannot leak */
    bool translated;             /* the DMA addresses are an SMMU's */
    bool maintained;             /* by the map: no core has a pointer to a line of it that the caches do not hear of */
    bool bounced;                /* the device sees a copy of it, or of parts */
    uint64_t dma_start, dma_end; /* of a list: where the first segment begins and the last one ends */
    struct pieces buffer, dma;

    bool active;                 /* else it was unmapped */
    uint64_t cpu_start, cpu_end; /* what a sync has given back to the cores (physical) */
    unsigned core;
    struct hazard_place mapped_at, unmapped_at;
    uint64_t mapped_ps, unmapped_ps;
    uint32_t next; /* of the same hash; + 1 */
};

/* Bytes [start, end] of a page belong to a mapping. */
struct page_use {
    uint32_t mapping, next; /* + 1 */
    uint16_t start, end;
};

/* A page, or 2 MB, of I/O addresses. */
struct io_page {
    uint64_t key;
    uint32_t active;  /* mappings that cover it now */
    uint32_t mapping; /* the last one + 1; 0: the entry is empty */
};

struct mappings {
    struct mapping *items;
    uint32_t count, capacity;
    uint32_t *buckets; /* + 1 */
    uint32_t *pages;   /* of RAM: the first page_use + 1 */
    uint32_t *watched; /* of RAM: mappings that a core must not touch (memory_observer.watched_pages) */
    uint64_t pages_bytes;
    struct page_use *uses;
    uint32_t use_count, use_capacity, free_use;
    struct io_page *io;
    uint32_t io_count, io_capacity;
};

bool mappings_create(struct mappings *mappings, uint64_t ram_bytes);
void mappings_destroy(struct mappings *mappings);

/* A new mapping, active, to fill in: dev, key and list are set. NULL: out of memory. The pointer is valid until the
 * next one. */
struct mapping *mapping_new(struct mappings *mappings, uint64_t dev, uint64_t key, bool list);
/* At the end of them. */
void pieces_add(struct pieces *pieces, uint64_t start, uint64_t bytes);
/* The rest is filled in: from now on it counts. */
void mapping_begin(struct hazards *hazards, struct mapping *mapping);
/* What cores stored into the buffer is with the device now. */
void mapping_pass_stores(struct hazards *hazards, const struct mapping *mapping);
/* The device may touch it no more; ownership and, for an SMMU's addresses, access. */
void mapping_give_back(struct hazards *hazards, struct mapping *mapping);
void mapping_end(struct hazards *hazards, struct mapping *mapping);

/* The mapping of this key: an active one when there is one (of this size and direction, if possible), else an ended
 * one, else NULL. */
struct mapping *mapping_find(struct mappings *mappings, uint64_t dev, uint64_t key, bool list, uint64_t size,
                             uint32_t direction);
/* The active mapping of dev that contains the DMA address; NULL: none. */
struct mapping *mapping_containing(struct hazards *hazards, uint64_t dev, uint64_t dma);

/* A core touches bytes of a page with mappings. */
void mappings_core_access(struct hazards *hazards, unsigned core, uint64_t pa, unsigned bytes, bool writes);
/* Memory is given back to its allocator. */
void mappings_freed(struct hazards *hazards, unsigned core, struct hazard_place place, uint64_t pa, uint64_t bytes);

#endif
