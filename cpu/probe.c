#include "cpu/probe.h"

#include <stdlib.h>

#include "cpu/core_internal.h"
#include "cpu/icache.h"

static uint32_t place_of(const struct probe_set *set, uint64_t pa)
{
    uint32_t place = (uint32_t)((pa >> 2) * 2654435761u) & (set->capacity - 1);

    while (set->pa[place] && set->pa[place] != pa)
        place = (place + 1) & (set->capacity - 1);
    return place;
}

static bool grow(struct probe_set *set)
{
    struct probe_set larger = *set;

    larger.capacity = set->capacity ? 2 * set->capacity : 64;
    larger.pa = calloc(larger.capacity, sizeof(*larger.pa));
    if (!larger.pa)
        return false;
    for (uint32_t i = 0; i < set->capacity; i++)
        if (set->pa[i])
            larger.pa[place_of(&larger, set->pa[i])] = set->pa[i];
    free(set->pa);
    *set = larger;
    return true;
}

void probe_set_add(struct probe_set *set, uint64_t pa)
{
    uint32_t place;

    if (2 * set->count >= set->capacity && !grow(set))
        return;
    place = place_of(set, pa);
    set->count += !set->pa[place];
    set->pa[place] = pa;
}

bool probe_set_has(const struct probe_set *set, uint64_t pa)
{
    return set->count && set->pa[place_of(set, pa)] == pa;
}

void probe_set_free(struct probe_set *set)
{
    free(set->pa);
    *set = (struct probe_set){0};
}

void cpu_attach_probes(struct cpu *cpu, const struct probe_set *set)
{
    cpu->probes = set;
}

void cpu_probe_added(struct cpu *cpu, uint64_t pa)
{
    icache_mark_probe(cpu, pa);
}
