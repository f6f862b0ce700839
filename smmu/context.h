/*
 * A translation context: everything that decides how one stream's (and substream's) addresses are translated. An SMMUv3
 * reads it from STE and CD, an MMU-500 has it in its context bank registers.
 */
#ifndef DMASIM_SMMU_CONTEXT_H
#define DMASIM_SMMU_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "smmu/memory.h"

/* Who owns the translation (IHI 0070 3.3.2, StreamWorld). */
enum stream_world { WORLD_NS_EL1, WORLD_EL2, WORLD_EL2_E2H };

/* One table base: TTB0 or TTB1 of stage 1, or S2TTB. */
struct table_base {
    bool enabled;
    uint64_t address;
    unsigned tsz;          /* TxSZ: the region has 64 - tsz bits */
    unsigned granule_bits; /* 12, 14, 16 */
    unsigned start_level;
    bool top_byte_ignored;
    bool no_hierarchy; /* HADx: APTable and XNTable are ignored */
    struct access_attributes walk;
};

struct translation_stage {
    bool enabled;
    struct table_base base[2]; /* [1]: only stage 1 */
    unsigned output_bits;      /* IPS or S2PS, at most OAS */
    bool no_access_faults;     /* AFFD */
    bool big_endian;
    /* stage 1 */
    uint64_t mair;
    bool wxn, uwxn, pan;
    bool abort;  /* CD.A: a terminated transaction is aborted; otherwise RAZ/WI */
    bool record; /* CD.R, STE.S2R: faults are recorded */
    /* stage 2 */
    bool protect_walk; /* S2PTW: walks of stage 1 and fetches of CDs in Device memory are permission faults */
};

struct translation_context {
    enum stream_world world;
    uint16_t vmid, asid;
    struct translation_stage stage1, stage2;
};

#endif
