/* What the files of the hazard detector share. */
#ifndef DMASIM_HAZARD_INTERNAL_H
#define DMASIM_HAZARD_INTERNAL_H

#include <string.h>

#include "common/units.h"
#include "hazard/hazard.h"
#include "hazard/mapping.h"
#include "hazard/order.h"
#include "hazard/shadow.h"

#define DEVICES_MOST 512u /* requesters from REQUESTER_DEVICE_BASE on */
#define CALLS_MOST   8u   /* DMA API calls of a core inside each other (interrupts) */

/* A device's last doorbell. */
struct doorbell {
    struct hazard_place place;
    uint64_t t_ps;
    unsigned core;
};

/* A call of the DMA API that has not returned. */
struct api_call {
    unsigned door;
    uint64_t return_pc, sp;
    uint64_t argument[8];
    /* The arguments that most have: of a scatterlist the address is its own, the size its entries. */
    uint64_t dev, address, size;
    uint32_t direction;
    uint64_t attrs;            /* of a map or link */
    uint32_t mapping;          /* that a sync or unmap is about, + 1; 0: none */
    bool bounced;              /* it has used a bounce buffer */
    struct hazard_place place; /* the caller */
};

struct api_core {
    struct api_call calls[CALLS_MOST];
    unsigned depth;
};

struct hazards {
    struct hazard_config config;
    struct hazard_host host;
    struct shadow shadow;
    struct order order;
    struct mappings mappings;
    struct doorbell doorbells[DEVICES_MOST], last_doorbell;
    struct api_core *api; /* [cores] */
    struct api_door {
        uint64_t address;
        unsigned door;
    } * doors;
    unsigned door_count;
    struct map_site {
        uint64_t pc, maps;
    } * sites;
    unsigned site_count;
    uint64_t lasting_start, lasting_bytes; /* the function whose mappings last */
    struct hazard_report *reports;
    size_t report_count;
};

static inline struct hazard_place place_of_core(const struct hazards *hazards, unsigned core)
{
    return (struct hazard_place){hazards->host.reg(hazards->host.ctx, core, HAZARD_REG_PC),
                                 hazards->host.reg(hazards->host.ctx, core, HAZARD_REG_LINK)};
}

/* report.c: one occurrence; count, missing and window_ps of the example are filled in when 0 (missing by its kind). */
void hazard_report_add(struct hazards *hazards, const struct hazard_report *example);

/* api.c: core is inside a sync or unmap of this mapping. */
bool hazard_api_is_in(const struct hazards *hazards, unsigned core, const struct mapping *mapping);

/* device.c: what a device's access through the PoC image means. */
void hazard_bypassed(void *ctx, const struct txn *txn, const struct line_view *view, uint32_t offset, uint32_t bytes);
/* The last doorbell that the requester may be at work for. */
const struct doorbell *hazard_doorbell_of(const struct hazards *hazards, uint32_t requester);

/* Bits offset .. offset + bytes - 1 of a line's byte mask. */
static inline uint64_t byte_mask(uint32_t offset, uint32_t bytes)
{
    uint64_t mask = bytes >= 64 ? UINT64_MAX : (1ull << bytes) - 1;

    return mask << offset;
}

#endif
