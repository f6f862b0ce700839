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
    DOOR_IOVA_LINK,
    DOOR_IOVA_UNLINK,
    DOOR_IOVA_DESTROY,
    DOOR_BOUNCE,
    DOOR_FREE,
};

/* Arguments: (dev, address or list, size or entries, direction, attrs); of a link (dev, state, buffer, offset, size,
 * direction, attrs), an unlink (dev, state, offset, size, direction), a destroy (dev, state, size, direction); of a
 * free: (address, bytes). Addresses of buffers are in the linear map, which is the identity. */
static const struct {
    const char *name;
    enum door door;
} door_names[] = {
    {"dma_map_single_attrs", DOOR_MAP_SINGLE},
    {"dma_unmap_single_attrs", DOOR_UNMAP_SINGLE},
    {"dma_map_sg_attrs", DOOR_MAP_SG},
    {"dma_unmap_sg_attrs", DOOR_UNMAP_SG},
    {"__dma_sync_single_for_device", DOOR_SYNC_SINGLE_FOR_DEVICE},
    {"__dma_sync_single_for_cpu", DOOR_SYNC_SINGLE_FOR_CPU},
    {"__dma_sync_sg_for_device", DOOR_SYNC_SG_FOR_DEVICE},
    {"__dma_sync_sg_for_cpu", DOOR_SYNC_SG_FOR_CPU},
    {"dma_iova_link", DOOR_IOVA_LINK},
    {"dma_iova_unlink", DOOR_IOVA_UNLINK},
    {"dma_iova_destroy", DOOR_IOVA_DESTROY},
    {"swiotlb_tbl_map_single", DOOR_BOUNCE},
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
    mapping->size = call->size;
    mapping->direction = call->direction;
    mapping->coherent = read_guest(hazards, core, call->dev + DEVICE_DMA_COHERENT, 1);
    mapping->translated = read_guest(hazards, core, call->dev + DEVICE_DOMAIN, 8) != 0;
    mapping->bounced = call->bounced;
    mapping->maintained = !call->bounced && !(call->attrs & DMA_ATTR_SKIP_CPU_SYNC);
    mapping->lasting = call->place.pc - hazards->lasting_start < hazards->lasting_bytes;
    site_of(hazards, call->place.pc)->maps++;
    mapping->core = core;
    mapping->mapped_at = call->place;
    mapping->mapped_ps = hazards->host.now_ps(hazards->host.ctx, core);
}

static void mapped_single(struct hazards *hazards, unsigned core, const struct api_call *call, uint64_t dma,
                          uint64_t buffer)
{
    struct mapping *mapping;

    if (dma == UINT64_MAX)
        return;
    mapping = mapping_new(&hazards->mappings, call->dev, dma, false);
    if (!mapping)
        return;
    describe(hazards, core, call, mapping);
    mapping->dma_start = dma;
    mapping->dma_end = dma + mapping->size;
    pieces_add(&mapping->dma, dma, mapping->size);
    pieces_add(&mapping->buffer, buffer, mapping->size);
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
    uint64_t va = call->address;

    if ((int32_t)segments <= 0)
        return;
    mapping = mapping_new(&hazards->mappings, call->dev, call->address, true);
    if (!mapping)
        return;
    describe(hazards, core, call, mapping);
    for (uint64_t i = 0; i < mapping->size && read_entry(hazards, core, va, &entry); i++, va = entry.next) {
        pieces_add(&mapping->buffer, entry.pa, entry.length);
        if (i == 0)
            mapping->dma_start = entry.dma_address;
        if (i >= (uint32_t)segments)
            continue;
        pieces_add(&mapping->dma, entry.dma_address, entry.dma_length);
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
                                                       .address = call->address,
                                                       .where = call->place,
                                                       .cause = !mapping ? (struct hazard_place){0, 0}
                                                                : ended  ? mapping->unmapped_at
                                                                         : mapping->mapped_at,
                                                       .cause_what = !mapping ? NULL
                                                                     : ended  ? "unmap"
                                                                              : "map"});
}

static uint32_t number_of(const struct hazards *hazards, const struct mapping *mapping)
{
    return (uint32_t)(mapping - hazards->mappings.items) + 1;
}

static void unmap_begins(struct hazards *hazards, unsigned core, struct api_call *call, bool list)
{
    struct mapping *mapping =
        mapping_find(&hazards->mappings, call->dev, call->address, list, call->size, call->direction);

    if (!mapping || !mapping->active) {
        misuse(hazards, core, call, mapping ? HAZARD_DOUBLE_UNMAP : HAZARD_NOT_MAPPED, mapping);
        return;
    }
    if (mapping->size != call->size)
        misuse(hazards, core, call, HAZARD_WRONG_SIZE, mapping);
    if (mapping->direction != call->direction)
        misuse(hazards, core, call, HAZARD_WRONG_DIRECTION, mapping);
    mapping_give_back(hazards, mapping);
    call->mapping = number_of(hazards, mapping);
}

static void ended(struct hazards *hazards, unsigned core, const struct api_call *call, struct mapping *mapping)
{
    mapping->unmapped_at = call->place;
    mapping->unmapped_ps = hazards->host.now_ps(hazards->host.ctx, core);
    mapping_end(hazards, mapping);
}

static void unmap_ends(struct hazards *hazards, unsigned core, const struct api_call *call)
{
    if (call->mapping)
        ended(hazards, core, call, &hazards->mappings.items[call->mapping - 1]);
}

/* What was linked at this address: active, or, after an unlink, not any more. NULL: nothing. */
static struct mapping *linked_at(struct hazards *hazards, const struct api_call *call, uint64_t dma)
{
    struct mapping *mapping = mapping_find(&hazards->mappings, call->dev, dma, false, 0, 0);

    return mapping && mapping->translated ? mapping : NULL;
}

/* All pieces of a range; one that is there only in part counts as there, with the wrong size. */
static void unlink_begins(struct hazards *hazards, unsigned core, const struct api_call *call)
{
    uint64_t at = call->address, end = at + call->size;

    while (at < end) {
        struct mapping *mapping = linked_at(hazards, call, at);
        if (!mapping || !mapping->active) {
            misuse(hazards, core, call, mapping ? HAZARD_DOUBLE_UNMAP : HAZARD_NOT_MAPPED, mapping);
            return;
        }
        if (mapping->dma_end > end)
            misuse(hazards, core, call, HAZARD_WRONG_SIZE, mapping);
        if (mapping->direction != call->direction)
            misuse(hazards, core, call, HAZARD_WRONG_DIRECTION, mapping);
        mapping_give_back(hazards, mapping);
        at = mapping->dma_end;
    }
}

static void unlink_ends(struct hazards *hazards, unsigned core, const struct api_call *call)
{
    uint64_t at = call->address, end = at + call->size;

    while (at < end) {
        struct mapping *mapping = linked_at(hazards, call, at);
        if (!mapping || mapping->active)
            return;
        ended(hazards, core, call, mapping);
        at = mapping->dma_end;
    }
}

/* What a sync is about, checked as the kernel's CONFIG_DMA_API_DEBUG does; NULL: nothing that is mapped. */
static struct mapping *synced(struct hazards *hazards, unsigned core, struct api_call *call, bool list)
{
    struct mapping *mapping =
        mapping_find(&hazards->mappings, call->dev, call->address, list, call->size, call->direction);

    if ((!mapping || !mapping->active) && !list) {
        struct mapping *around = mapping_containing(hazards, call->dev, call->address);
        mapping = around ? around : mapping;
    }
    if (!mapping || !mapping->active) {
        misuse(hazards, core, call, HAZARD_NOT_MAPPED, mapping);
        return NULL;
    }
    if (list ? mapping->size != call->size : call->address + call->size > mapping->dma_end)
        misuse(hazards, core, call, HAZARD_WRONG_SIZE, mapping);
    if (mapping->direction != call->direction && mapping->direction != DMA_BIDIRECTIONAL)
        misuse(hazards, core, call, HAZARD_WRONG_DIRECTION, mapping);
    call->mapping = number_of(hazards, mapping);
    return mapping;
}

/* The cores have what was synced when the call is over. */
static void sync_for_cpu(struct hazards *hazards, const struct api_call *call, bool list)
{
    struct mapping *mapping;
    uint64_t start = 0, end = UINT64_MAX;

    if (!call->mapping)
        return;
    mapping = &hazards->mappings.items[call->mapping - 1];
    if (!list && !mapping->list) {
        start = mapping->buffer.piece[0].start + (call->address - mapping->dma_start);
        end = start + call->size;
    }
    if (mapping->cpu_end == 0 || start < mapping->cpu_start)
        mapping->cpu_start = start;
    if (end > mapping->cpu_end)
        mapping->cpu_end = end;
}

static void sync_for_device(struct hazards *hazards, unsigned core, struct api_call *call, bool list)
{
    struct mapping *mapping = synced(hazards, core, call, list);

    if (!mapping)
        return;
    mapping->cpu_start = mapping->cpu_end = 0;
    mapping_pass_stores(hazards, mapping);
}

bool hazard_api_is_in(const struct hazards *hazards, unsigned core, const struct mapping *mapping)
{
    const struct api_core *api = &hazards->api[core];

    for (unsigned i = 0; i < api->depth; i++)
        if (api->calls[i].mapping == number_of(hazards, mapping))
            return true;
    return false;
}

/* --- calls --- */

static void take_arguments(struct hazards *hazards, unsigned core, struct api_call *call)
{
    const uint64_t *argument = call->argument;
    uint64_t range = 0;

    call->dev = argument[0];
    call->address = argument[1];
    call->size = argument[2];
    call->direction = (uint32_t)argument[3];
    call->attrs = argument[4];
    switch ((enum door)call->door) {
    case DOOR_MAP_SG:
    case DOOR_UNMAP_SG:
    case DOOR_SYNC_SG_FOR_DEVICE:
    case DOOR_SYNC_SG_FOR_CPU:
        call->size = (uint32_t)call->size; /* an int */
        break;
    case DOOR_IOVA_LINK:
    case DOOR_IOVA_UNLINK:
    case DOOR_IOVA_DESTROY:
        range = read_guest(hazards, core, argument[1] + DMA_IOVA_STATE_ADDR, 8);
        break;
    default:
        break;
    }
    if (call->door == DOOR_IOVA_LINK) {
        call->address = range + argument[3];
        call->size = argument[4];
        call->direction = (uint32_t)argument[5];
        call->attrs = argument[6];
    } else if (call->door == DOOR_IOVA_UNLINK) {
        call->address = range + argument[2];
        call->size = argument[3];
        call->direction = (uint32_t)argument[4];
    } else if (call->door == DOOR_IOVA_DESTROY) {
        call->address = range;
    }
}

/* The call that uses it is the one around. */
static void bounce(struct api_core *api)
{
    if (api->depth)
        api->calls[api->depth - 1].bounced = true;
}

static void call_begins(struct hazards *hazards, unsigned core, struct api_call *call)
{
    take_arguments(hazards, core, call);
    switch ((enum door)call->door) {
    case DOOR_UNMAP_SINGLE:
    case DOOR_UNMAP_SG:
        unmap_begins(hazards, core, call, call->door == DOOR_UNMAP_SG);
        break;
    case DOOR_SYNC_SINGLE_FOR_DEVICE:
    case DOOR_SYNC_SG_FOR_DEVICE:
        sync_for_device(hazards, core, call, call->door == DOOR_SYNC_SG_FOR_DEVICE);
        break;
    case DOOR_SYNC_SINGLE_FOR_CPU:
    case DOOR_SYNC_SG_FOR_CPU:
        synced(hazards, core, call, call->door == DOOR_SYNC_SG_FOR_CPU);
        break;
    case DOOR_IOVA_UNLINK:
    case DOOR_IOVA_DESTROY:
        unlink_begins(hazards, core, call);
        break;
    case DOOR_BOUNCE:
        bounce(&hazards->api[core]);
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
        mapped_single(hazards, core, call, result, call->argument[1]);
        break;
    case DOOR_IOVA_LINK:
        if ((int32_t)result == 0)
            mapped_single(hazards, core, call, call->address, call->argument[2]);
        break;
    case DOOR_MAP_SG:
        mapped_sg(hazards, core, call, result);
        break;
    case DOOR_UNMAP_SINGLE:
    case DOOR_UNMAP_SG:
        unmap_ends(hazards, core, call);
        break;
    case DOOR_IOVA_UNLINK:
    case DOOR_IOVA_DESTROY:
        unlink_ends(hazards, core, call);
        break;
    case DOOR_SYNC_SINGLE_FOR_CPU:
    case DOOR_SYNC_SG_FOR_CPU:
        sync_for_cpu(hazards, call, call->door == DOOR_SYNC_SG_FOR_CPU);
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
    for (unsigned i = 0; i < sizeof(call.argument) / sizeof(call.argument[0]); i++)
        call.argument[i] = hazards->host.reg(hazards->host.ctx, core, i);
    call_begins(hazards, core, &call);
    if (api->depth == CALLS_MOST || door == DOOR_BOUNCE)
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
