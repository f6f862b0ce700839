#include "hazard/hazard.h"

#include <stdlib.h>

#include "hazard/line.h"

struct hazards *hazard_create(const struct hazard_config *config, const struct hazard_host *host)
{
    struct hazards *hazards = calloc(1, sizeof(*hazards));

    if (!hazards)
        return NULL;
    hazards->config = *config;
    hazards->host = *host;
    hazards->api = calloc(config->cores, sizeof(*hazards->api));
    if (hazards->api && shadow_create(&hazards->shadow, config->ram_bytes / LINE_BYTES) &&
        order_create(&hazards->order, config->cores) && mappings_create(&hazards->mappings, config->ram_bytes))
        return hazards;
    hazard_destroy(hazards);
    return NULL;
}

void hazard_destroy(struct hazards *hazards)
{
    if (!hazards)
        return;
    shadow_destroy(&hazards->shadow);
    order_destroy(&hazards->order, hazards->config.cores);
    mappings_destroy(&hazards->mappings);
    free(hazards->api);
    free(hazards->doors);
    free(hazards->sites);
    free(hazards->reports);
    free(hazards);
}

struct memory_observer hazard_memory_observer(struct hazards *hazards)
{
    return (struct memory_observer){.ctx = hazards,
                                    .watched_pages = hazards->mappings.watched,
                                    .dirtied = line_dirtied,
                                    .written_back = line_written_back,
                                    .maintenance_issued = line_maintenance_issued,
                                    .maintenance_applied = line_maintenance_applied,
                                    .bypassed = hazard_bypassed};
}

void hazard_barrier(struct hazards *hazards, unsigned core, enum barrier_reach reach)
{
    order_barrier(hazards, core, reach);
}
