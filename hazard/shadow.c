#include "hazard/shadow.h"

#include <sys/mman.h>

#include "hazard/hazard_internal.h"

bool shadow_create(struct shadow *shadow, uint64_t lines)
{
    void *image;

    shadow->bytes = lines * sizeof(*shadow->lines);
    image = mmap(NULL, shadow->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    shadow->lines = image == MAP_FAILED ? NULL : image;
    return shadow->lines;
}

void shadow_destroy(struct shadow *shadow)
{
    if (shadow->lines)
        munmap(shadow->lines, shadow->bytes);
    shadow->lines = NULL;
}

void shadow_mark(struct hazards *hazards, uint32_t line)
{
    const struct line_shadow *shadow = &hazards->shadow.lines[line];
    unsigned marks = 0;

    if (shadow->uncleaned || shadow->cleaned_once || shadow->reported || shadow->touch.bytes)
        marks |= MARK_MAINTENANCE;
    if (shadow->device)
        marks |= MARK_ACCESS;
    hazards->host.mark(hazards->host.ctx, line, marks);
}
