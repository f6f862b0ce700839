/* The table walks behind translate(). */
#ifndef DMASIM_SMMU_WALKER_H
#define DMASIM_SMMU_WALKER_H

#include "smmu/translator.h"

/* The address as stage 1 tags it: an ignored top byte becomes the sign of bit 55. */
uint64_t walker_canonical(const struct translation_stage *stage, uint64_t va);

/* Walk; on success *entry is the TLB entry, else *failed says why. */
void walker_stage1(struct translator *translator, const struct translation_context *context,
                   const struct translation_request *request, struct iotlb_entry *entry, struct translation *failed,
                   uint64_t *t_ps);
void walker_stage2(struct translator *translator, const struct translation_context *context, uint64_t ipa,
                   enum fault_class what, struct iotlb_entry *entry, struct translation *failed, uint64_t *t_ps);

#endif
