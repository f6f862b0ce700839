#include "hazard/kinds.h"

#include <string.h>

static const struct hazard_kind_info kinds[HAZARD_KINDS] = {
    [HAZARD_NONE] = {"none", "", ""},
    [HAZARD_DEVICE_READ_OF_DIRTY_LINE] = {"device-read-of-dirty-line",
                                          "a device read bytes that a core had written and not cleaned",
                                          "DC CVAC of the line, then DSB SY, before the doorbell"},
    [HAZARD_CLEAN_NOT_COMPLETE] =
        {"clean-not-complete-at-doorbell",
         "a device read bytes whose clean was issued, but not waited for, before the doorbell", "DSB SY"},
    [HAZARD_CLEAN_ACKNOWLEDGED_EARLY] =
        {"clean-acknowledged-early",
         "a device reached bytes whose clean was acknowledged, and waited for, before its write-back had arrived",
         "the DC loop a second time before the DSB SY (ARM64_WORKAROUND_4311569)"},
    [HAZARD_DOORBELL_BEFORE_DESCRIPTOR] = {"doorbell-before-descriptor",
                                           "a device read what a store wrote that nothing orders before the doorbell",
                                           "dma_wmb() (DMB OSHST)"},
    [HAZARD_SMMU_READ_OF_UNCLEANED_ENTRY] = {"smmu-read-of-uncleaned-entry",
                                             "a non-coherent SMMU read a table or queue entry that was not cleaned",
                                             "DC CVAC of the entry, then DSB SY"},
    [HAZARD_CPU_READ_OF_STALE_LINE] = {"cpu-read-of-stale-line",
                                       "a core read cacheable bytes that a device had written, without an invalidation",
                                       "DC IVAC of the line after the transfer, then DSB SY"},
    [HAZARD_INVALIDATE_NOT_COMPLETE] = {"invalidate-not-complete-at-read",
                                        "a core read what a device had written before the invalidation was complete",
                                        "DSB SY"},
    [HAZARD_DIRTY_EVICTION] = {"dirty-eviction-over-device-data",
                               "a dirty line can be, or was, written over what a device has written",
                               "DC CVAC or IVAC of the line, then DSB SY, before the device writes"},
    [HAZARD_PARTIAL_LINE_SHARING] = {"partial-line-sharing", "a core wrote other data in a line that a device writes",
                                     "a buffer that has its lines for itself"},
    [HAZARD_BUFFER_TOUCHED] = {"buffer-touched-while-mapped", "a core touched a buffer while it belonged to the device",
                               "dma_sync_*_for_cpu() or an unmap"},
    [HAZARD_DEVICE_ACCESS_AFTER_UNMAP] = {"device-access-after-unmap",
                                          "a device reached memory through an address that was unmapped",
                                          "TLBI and CMD_SYNC before the unmap returns"},
    [HAZARD_WRONG_SIZE] = {"wrong-size", "a sync or unmap of another size than the mapping", "the size of the mapping"},
    [HAZARD_WRONG_DIRECTION] = {"wrong-direction", "a sync or unmap in another direction than the mapping",
                                "the direction of the mapping"},
    [HAZARD_NOT_MAPPED] = {"not-mapped", "a sync or unmap of what was never mapped", "a mapping"},
    [HAZARD_DOUBLE_UNMAP] = {"double-unmap", "an unmap of what was unmapped before", "only one unmap"},
    [HAZARD_MAPPING_LEAK] = {"mapping-leak", "a mapping outlived its memory or the program", "an unmap"},
};

const struct hazard_kind_info *hazard_kind_info(enum hazard_kind kind)
{
    return &kinds[kind];
}

enum hazard_kind hazard_kind_find(const char *name)
{
    for (int kind = HAZARD_NONE + 1; kind < HAZARD_KINDS; kind++)
        if (strcmp(kinds[kind].name, name) == 0)
            return (enum hazard_kind)kind;
    return HAZARD_NONE;
}
