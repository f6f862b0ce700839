/* Requests of a DMA master in flight in one direction: a slot is free when its request is done. */
#ifndef DMASIM_DMAC_FLIGHT_H
#define DMASIM_DMAC_FLIGHT_H

#include <stdint.h>

#define OUTSTANDING_MOST 256u

struct flight {
    uint32_t outstanding; /* 1..OUTSTANDING_MOST */
    uint64_t gap_ps;      /* least time between two requests: the inverse of the port's bandwidth */
    uint64_t done_ps[OUTSTANDING_MOST];
    uint32_t next;
    uint64_t issue_ps; /* earliest time of the next request */
    uint64_t last_ps;  /* latest completion */
};

/* When a request that is ready at ready_ps can leave. */
static inline uint64_t flight_start(const struct flight *flight, uint64_t ready_ps)
{
    uint64_t start_ps = ready_ps > flight->issue_ps ? ready_ps : flight->issue_ps;

    return flight->done_ps[flight->next] > start_ps ? flight->done_ps[flight->next] : start_ps;
}

static inline void flight_issued(struct flight *flight, uint64_t start_ps, uint64_t done_ps)
{
    flight->done_ps[flight->next] = done_ps;
    flight->next = flight->next + 1 == flight->outstanding ? 0 : flight->next + 1;
    flight->issue_ps = start_ps + flight->gap_ps;
    if (done_ps > flight->last_ps)
        flight->last_ps = done_ps;
}

#endif
