/*
 * Branch prediction: a gshare direction predictor, a return stack, and a table of indirect targets. Small and
 * deterministic; what counts here is that loops are predicted and that cpu.indirect_predictor = 0 stands for a
 * retpoline. With few counters two branches may meet in one and mispredict for ever; predictors of large cores have
 * tags against that, for which many counters stand.
 */
#ifndef DMASIM_CPU_PREDICTOR_H
#define DMASIM_CPU_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BRANCH_LEAST  4096u /* counters */
#define BRANCH_MOST   1048576u
#define RETURN_STACK  16u
#define INDIRECT_MOST 4096u

struct predictor {
    uint8_t *counters;      /* 0..3; taken from 2 on */
    uint32_t branch_mask;   /* number of counters - 1 */
    uint32_t history_shift; /* where the history meets the address */
    uint32_t history;
    uint64_t returns[RETURN_STACK];
    uint32_t depth;
    uint32_t indirect_entries; /* 0: never predicted */
    uint64_t targets[INDIRECT_MOST];
};

/* True when the direction was mispredicted; learns it. */
static inline bool predict_direction(struct predictor *predictor, uint64_t pc, bool taken)
{
    uint8_t *counter =
        &predictor->counters[((pc >> 2) ^ predictor->history << predictor->history_shift) & predictor->branch_mask];
    bool predicted = *counter >= 2;

    if (taken)
        *counter += *counter < 3;
    else
        *counter -= *counter > 0;
    predictor->history = (predictor->history << 1 | taken) & 0xFF;
    return predicted != taken;
}

static inline void predict_call(struct predictor *predictor, uint64_t return_address)
{
    predictor->returns[predictor->depth++ % RETURN_STACK] = return_address;
}

static inline bool predict_return(struct predictor *predictor, uint64_t target)
{
    return predictor->returns[--predictor->depth % RETURN_STACK] != target;
}

static inline bool predict_indirect(struct predictor *predictor, uint64_t pc, uint64_t target)
{
    uint64_t *entry;
    bool wrong;

    if (predictor->indirect_entries == 0)
        return true;
    entry = &predictor->targets[(pc >> 2) % predictor->indirect_entries];
    wrong = *entry != target;
    *entry = target;
    return wrong;
}

#endif
