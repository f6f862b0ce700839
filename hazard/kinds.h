/* The hazards by name. */
#ifndef DMASIM_HAZARD_KINDS_H
#define DMASIM_HAZARD_KINDS_H

enum hazard_kind {
    HAZARD_NONE,
    HAZARD_DEVICE_READ_OF_DIRTY_LINE,
    HAZARD_CLEAN_NOT_COMPLETE,
    HAZARD_CLEAN_ACKNOWLEDGED_EARLY,
    HAZARD_DOORBELL_BEFORE_DESCRIPTOR,
    HAZARD_SMMU_READ_OF_UNCLEANED_ENTRY,
    HAZARD_CPU_READ_OF_STALE_LINE,
    HAZARD_INVALIDATE_NOT_COMPLETE,
    HAZARD_DIRTY_EVICTION,
    HAZARD_PARTIAL_LINE_SHARING,
    HAZARD_BUFFER_TOUCHED,
    HAZARD_DEVICE_ACCESS_AFTER_UNMAP,
    HAZARD_WRONG_SIZE,
    HAZARD_WRONG_DIRECTION,
    HAZARD_NOT_MAPPED,
    HAZARD_DOUBLE_UNMAP,
    HAZARD_MAPPING_LEAK,
    HAZARD_KINDS
};

struct hazard_kind_info {
    const char *name;    /* stable */
    const char *what;    /* one line for people */
    const char *missing; /* what would have been right, unless the report knows better */
};

const struct hazard_kind_info *hazard_kind_info(enum hazard_kind kind);
/* HAZARD_NONE: no such name. */
enum hazard_kind hazard_kind_find(const char *name);

#endif
