/*
 * A core's coherent request in TLM-2.0: a line for reading, writing or an atomic, instructions, or a cache maintenance
 * operation with its kind (enum cmo_op carries operation and scope). The payload's address is the line (or Xt of a
 * set/way form); no data travels: the grant names the line in the CPU image. Times are absolute, so delay is not used.
 */
#ifndef DMASIM_MODEL_COHERENCE_EXTENSION_H
#define DMASIM_MODEL_COHERENCE_EXTENSION_H

#include <tlm>

#include "model/c_models.h"

struct coherence_extension : tlm::tlm_extension<coherence_extension> {
    enum class request { line, fetch, cmo };

    request what = request::line;
    unsigned core = 0;
    line_want want = LINE_SHARED;   /* of a line */
    cmo_op operation = CMO_DC_IVAC; /* of a CMO */
    uint64_t start_ps = 0;
    line_grant grant = {}; /* out: line, fetch */
    cmo_times times = {};  /* out: CMO */

    tlm::tlm_extension_base *clone() const override
    {
        return new coherence_extension(*this);
    }
    void copy_from(const tlm::tlm_extension_base &other) override
    {
        *this = static_cast<const coherence_extension &>(other);
    }
};

#endif
