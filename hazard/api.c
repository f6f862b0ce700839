/* Calls of the DMA API, seen by probes at the entries of its functions and at their return addresses. */
#include <stdlib.h>

#include "hazard/hazard_internal.h"
#include "kernel-shim/include/dma_layout.h"

enum door {
    DOOR_MAP_SINGLE,
    DOOR_UNMAP_SINGLE,
    DOOR_MAP_SG,
    DOOR_UNMAP_SG,
    DOOR_SYNC_SINGLE_FOR_DEVICE,
    DOOR_SYNC_SINGLE_FOR_CPU,
    DOOR_SYNC_SG_FOR_DEVICE,
    DOOR_SYNC_SG_FOR_CPU,
    DOOR_FREE,
};

/* Arguments: (dev, address or list, size or entries, direction); of a free: (address, bytes). Addresses of buffers are
 * in the linear map, which is the identity. */
static const struct {
    const char *name;
    enum door door;
} door_names[] = {
    {"dma_map_single", DOOR_MAP_SINGLE},
    {"dma_unmap_single", DOOR_UNMAP_SINGLE},
    {"dma_map_sg", DOOR_MAP_SG},
    {"dma_unmap_sg", DOOR_UNMAP_SG},
    {"dma_sync_single_for_device", DOOR_SYNC_SINGLE_FOR_DEVICE},
    {"dma_sync_single_for_cpu", DOOR_SYNC_SINGLE_FOR_CPU},
    {"dma_sync_sg_for_device", DOOR_SYNC_SG_FOR_DEVICE},
    {"dma_sync_sg_for_cpu", DOOR_SYNC_SG_FOR_CPU},
    {"free_pages_exact", DOOR_FREE},
};

/* What this function maps (the I/O page tables) stays mapped as long as there is a machine. */
static const char lasting_name[] = "__arm_lpae_alloc_pages";

static void add_door(struct hazards *hazards, enum door door, uint64_t address)
{
    struct api_door *larger = realloc(hazards->doors, (hazards->door_count + 1) * sizeof(*larger));

    if (!larger)
        return;
    hazards->doors = larger;
    hazards->doors[hazards->door_count++] = (struct api_door){address, door};
    hazards->host.probe(hazards->host.ctx, address);
}

void hazard_function(struct hazards *hazards, const char *name, uint64_t address, uint64_t bytes)
{
    for (size_t i = 0; i < sizeof(door_names) / sizeof(door_names[0]); i++)
        if (strcmp(door_names[i].name, name) == 0)
            add_door(hazards, door_names[i].door, address);
    if (strcmp(lasting_name, name) == 0) {
        hazards->lasting_start = address;
        hazards->lasting_bytes = bytes;
    }
}

static uint64_t read_guest(const struct hazards *hazards, unsigned core, uint64_t va, unsigned bytes)
{
    uint64_t value = 0;

    hazards->host.read(hazards->host.ctx, core, va, &value, bytes);
    return value;
}

/* --- maps --- */

/* Places that map more often than once must unmap; one that maps once may do so for good. */
static struct map_site *site_of(struct hazards *hazards, uint64_t pc)
{
    struct map_site *larger;

    for (unsigned i = 0; i < hazards->site_count; i++)
        if (hazards->sites[i].pc == pc)
            return &hazards->sites[i];
    larger = realloc(hazards->sites, (hazards->site_count + 1) * sizeof(*larger));
    if (!larger)
        abort(); /* as where any other memory of the host is out */
    hazards->sites = larger;
    hazards->sites[hazards->site_count] = (struct map_site){.pc = pc};
    return &hazards->sites[hazards->site_count++];
}

static void describe(struct hazards *hazards, unsigned core, const struct api_call *call, struct mapping *mapping)
{
    mapping->size = call->argument[2];
    mapping->direction = (uint32_t)call->argument[3];
    mapping->coherent = read_guest(hazards, core, call->argument[0] + DEVICE_DMA_COHERENT, 1);
    mapping->translated = read_guest(hazards, core, call->argument[0] + DEVICE_DOMAIN, 8) != 0;
    mapping->lasting = call->place.pc - hazards->lasting_start < hazards->lasting_bytes;
    site_of(hazards, call->place.pc)->maps++;
    mapping->core = core;
    mapping->mapped_at = call->place;
    mapping->mapped_ps = hazards->host.now_ps(hazards->host.ctx, core);
}

static void mapped_single(struct hazards *hazards, unsigned core, const struct api_call *call, uint64_t dma)
{
    struct mapping *mapping;

    if (dma == UINT64_MAX)
        return;
    mapping = mapping_new(&hazards->mappings, call->argument[0], dma, false);
    if (!mapping)
        return;
    describe(hazards, core, call, mapping);
    mapping->dma_start = dma;
    mapping->dma_end = dma + mapping->size;
    mapping_add_piece(mapping, call->argument[1], mapping->size);
    mapping_begin(hazards, mapping);
}

struct list_entry {
    uint64_t pa;
    uint32_t length, dma_length;
    uint64_t dma_address, next;
};

static bool read_entry(const struct hazards *hazards, unsigned core, uint64_t va, struct list_entry *entry)
{
    uint8_t raw[SCATTERLIST_BYTES];

    if (!va || !hazards->host.read(hazards->host.ctx, core, va, raw, sizeof(raw)))
        return false;
    memcpy(&entry->pa, raw + SCATTERLIST_PA, 8);
    memcpy(&entry->length, raw + SCATTERLIST_LENGTH, 4);
    memcpy(&entry->dma_length, raw + SCATTERLIST_DMA_LENGTH, 4);
    memcpy(&entry->dma_address, raw + SCATTERLIST_DMA_ADDRESS, 8);
    memcpy(&entry->next, raw + SCATTERLIST_NEXT, 8);
    return true;
}

static void mapped_sg(struct hazards *hazards, unsigned core, const struct api_call *call, uint64_t segments)
{
    struct mapping *mapping;
    struct list_entry entry;
    uint64_t va = call->argument[1];

    if ((int32_t)segments <= 0)
        return;
    mapping = mapping_new(&hazards->mappings, call->argument[0], call->argument[1], true);
    if (!mapping)
        return;
    describe(hazards, core, call, mapping);
    mapping->size = (uint32_t)mapping->size; /* an int */
    for (uint64_t i = 0; i < mapping->size && read_entry(hazards, core, va, &entry); i++, va = entry.next) {
        mapping_add_piece(mapping, entry.pa, entry.length);
        if (i == 0)
            mapping->dma_start = entry.dma_address;
        if (i < (uint32_t)segments)
            mapping->dma_end = entry.dma_address + entry.dma_length;
    }
    mapping_begin(hazards, mapping);
}

/* --- unmaps and syncs --- */

static void misuse(struct hazards *hazards, unsigned core, const struct api_call *call, enum hazard_kind kind,
                   const struct mapping *mapping)
{
    bool ended = mapping && !mapping->active;

    hazard_report_add(hazards, &(struct hazard_report){.kind = kind,
                                                       .core = core,
                                                       .first_ps = hazards->host.now_ps(hazards->host.ctx, core),
                                                       .address = call->argument[1],
                                                       .where = call->place,
                                                       .cause = !mapping ? (struct hazard_place){0, 0}
                                                                : ended  ? mapping->unmapped_at
                                                                         : mapping->mapped_at,
                                                       .cause_what = !mapping ? NULL
                                                                     : ended  ? "unmap"
                                                                              : "map"});
}

static void unmap_begins(struct hazards *hazards, unsigned core, struct api_call *call, bool list)
{
    uint64_t size = list ? (uint32_t)call->argument[2] : call->argument[2];
    uint32_t direction = (uint32_t)call->argument[3];
    struct mapping *mapping =
        mapping_find(&hazards->mappings, call->argument[0], call->argument[1], list, size, direction);

    call->mapping = 0;
    if (!mapping || !mapping->active) {
        misuse(hazards, core, call, mapping ? HAZARD_DOUBLE_UNMAP : HAZARD_NOT_MAPPED, mapping);
        return;
    }
    if (mapping->size != size)
        misuse(hazards, core, call, HAZARD_WRONG_SIZE, mapping);
    if (mapping->direction != direction)
        misuse(hazards, core, call, HAZARD_WRONG_DIRECTION, mapping);
    mapping_give_back(hazards, mapping);
    call->mapping = (uint32_t)(mapping - hazards->mappings.items) + 1;
}

static void unmap_ends(struct hazards *hazards, unsigned core, const struct api_call *call)
{
    struct mapping *mapping;

    if (!call->mapping)
        return;
    mapping = &hazards->mappings.items[call->mapping - 1];
    mapping->unmapped_at = call->place;
    mapping->unmapped_ps = hazards->host.now_ps(hazards->host.ctx, core);
    mapping_end(hazards, mapping);
}

/* What a sync is about, checked as the kernel's CONFIG_DMA_API_DEBUG does; NULL: nothing that is mapped. */
static struct mapping *synced(struct hazards *hazards, unsigned core, const struct api_call *call, bool list)
{
    uint64_t dev = call->argument[0], address = call->argument[1];
    uint64_t size = list ? (uint32_t)call->argument[2] : call->argument[2];
    uint32_t direction = (uint32_t)call->argument[3];
    struct mapping *mapping = mapping_find(&hazards->mappings, dev, address, list, size, direction);

    if ((!mapping || !mapping->active) && !list) {
        struct mapping *around = mapping_containing(hazards, dev, address);
        mapping = around ? around : mapping;
    }
    if (!mapping || !mapping->active) {
        misuse(hazards, core, call, HAZARD_NOT_MAPPED, mapping);
        return NULL;
    }
    if (list ? mapping->size != size : address + size > mapping->dma_end)
        misuse(hazards, core, call, HAZARD_WRONG_SIZE, mapping);
    if (mapping->direction != direction && mapping->direction != DMA_BIDIRECTIONAL)
        misuse(hazards, core, call, HAZARD_WRONG_DIRECTION, mapping);
    return mapping;
}

static void sync_for_cpu(struct hazards *hazards, unsigned core, const struct api_call *call, bool list)
{
    struct mapping *mapping = synced(hazards, core, call, list);
    uint64_t start = 0, end = UINT64_MAX;

    if (!mapping)
        return;
    if (!list && !mapping->list) {
        start = mapping->pieces[0].pa + (call->argument[1] - mapping->dma_start);
        end = start + call->argument[2];
    }
    if (mapping->cpu_end == 0 || start < mapping->cpu_start)
        mapping->cpu_start = start;
    if (end > mapping->cpu_end)
        mapping->cpu_end = end;
}

static void sync_for_device(struct hazards *hazards, unsigned core, const struct api_call *call, bool list)
{
    struct mapping *mapping = synced(hazards, core, call, list);

    if (mapping)
        mapping->cpu_start = mapping->cpu_end = 0;
}

/* --- calls --- */

static void call_begins(struct hazards *hazards, unsigned core, struct api_call *call)
{
    switch ((enum door)call->door) {
    case DOOR_UNMAP_SINGLE:
    case DOOR_UNMAP_SG:
        unmap_begins(hazards, core, call, call->door == DOOR_UNMAP_SG);
        break;
    case DOOR_SYNC_SINGLE_FOR_DEVICE:
    case DOOR_SYNC_SG_FOR_DEVICE:
        sync_for_device(hazards, core, call, call->door == DOOR_SYNC_SG_FOR_DEVICE);
        break;
    case DOOR_FREE:
        mappings_freed(hazards, core, call->place, call->argument[0], call->argument[1]);
        break;
    default:
        break;
    }
}

static void call_ends(struct hazards *hazards, unsigned core, const struct api_call *call)
{
    uint64_t result = hazards->host.reg(hazards->host.ctx, core, 0);

    switch ((enum door)call->door) {
    case DOOR_MAP_SINGLE:
        mapped_single(hazards, core, call, result);
        break;
    case DOOR_MAP_SG:
        mapped_sg(hazards, core, call, result);
        break;
    case DOOR_UNMAP_SINGLE:
    case DOOR_UNMAP_SG:
        unmap_ends(hazards, core, call);
        break;
    case DOOR_SYNC_SINGLE_FOR_CPU:
    case DOOR_SYNC_SG_FOR_CPU:
        sync_for_cpu(hazards, core, call, call->door == DOOR_SYNC_SG_FOR_CPU);
        break;
    default:
        break;
    }
}

static void enter(struct hazards *hazards, unsigned core, unsigned door)
{
    struct api_core *api = &hazards->api[core];
    struct api_call call = {.door = door};
    uint64_t link = hazards->host.reg(hazards->host.ctx, core, HAZARD_REG_LINK);

    call.return_pc = link;
    call.sp = hazards->host.reg(hazards->host.ctx, core, HAZARD_REG_SP);
    call.place = (struct hazard_place){link - 4, 0};
    for (unsigned i = 0; i < 4; i++)
        call.argument[i] = hazards->host.reg(hazards->host.ctx, core, i);
    call_begins(hazards, core, &call);
    if (api->depth == CALLS_MOST)
        return;
    api->calls[api->depth++] = call;
    hazards->host.probe(hazards->host.ctx, link);
}

static void leave(struct hazards *hazards, unsigned core, uint64_t pc)
{
    struct api_core *api = &hazards->api[core];
    uint64_t sp = hazards->host.reg(hazards->host.ctx, core, HAZARD_REG_SP);

    while (api->depth && api->calls[api->depth - 1].return_pc == pc && api->calls[api->depth - 1].sp == sp) {
        struct api_call call = api->calls[--api->depth];
        call_ends(hazards, core, &call);
    }
}

void hazard_probe_hit(struct hazards *hazards, unsigned core, uint64_t pc)
{
    leave(hazards, core, pc);
    for (unsigned i = 0; i < hazards->door_count; i++)
        if (hazards->doors[i].address == pc)
            enter(hazards, core, hazards->doors[i].door);
}

void hazard_end(struct hazards *hazards)
{
    for (uint32_t i = 0; i < hazards->mappings.count; i++) {
        const struct mapping *mapping = &hazards->mappings.items[i];
        if (!mapping->active || mapping->lasting || site_of(hazards, mapping->mapped_at.pc)->maps == 1)
            continue;
        hazard_report_add(hazards, &(struct hazard_report){.kind = HAZARD_MAPPING_LEAK,
                                                           .core = mapping->core,
                                                           .first_ps = mapping->mapped_ps,
                                                           .address = mapping->dma_start,
                                                           .where = mapping->mapped_at});
    }
}
