/* I/O addresses that an SMMU translates: which mapping covers a page, or covered it last. */
#ifndef DMASIM_HAZARD_IO_PAGE_H
#define DMASIM_HAZARD_IO_PAGE_H

#include "hazard/hazard_internal.h"

void io_pages_map(struct hazards *hazards, const struct mapping *mapping);
void io_pages_unmap(struct hazards *hazards, const struct mapping *mapping);
/* The last mapping of the page of iova; NULL: there was none. */
struct mapping *io_page_mapping(struct hazards *hazards, uint64_t iova);

#endif
