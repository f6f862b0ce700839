/*
 * SMMUv3 (Arm IHI 0070 G.b): Non-secure programming interface, command queues, event queue, translation.
 *
 * Active parts: the command engines, smmu_engine_run(), one thread each. Everything else is called by others: registers
 * by cores, smmu_translate() by DMA masters.
 *
 * Where the architecture permits several behaviours, README.md says which one this SMMU has.
 */
#ifndef DMASIM_SMMU_SMMU_H
#define DMASIM_SMMU_SMMU_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error_list.h"
#include "common/port.h"
#include "smmu/translator.h"

/* Which queue an idle engine serves next. */
enum smmu_arbitration {
    ARBITRATE_ROUND_ROBIN, /* one command a turn */
    ARBITRATE_WEIGHTED,    /* round robin, several commands a turn: cmdq_weight, ecmdq_weight */
    ARBITRATE_FIXED,       /* lowest number first; 0 is the CMDQ */
};

#define SMMU_ENGINES_MOST 64u

struct smmu_config {
    /* identification registers */
    uint32_t sid_bits;         /* IDR1.SIDSIZE, 0..32 */
    uint32_t ssid_bits;        /* IDR1.SSIDSIZE, 0..20 */
    bool two_level;            /* IDR0.ST_LEVEL: two-level stream tables */
    bool stage1, stage2;       /* IDR0.S1P, S2P */
    bool hyp;                  /* IDR0.HYP: EL2 streams */
    bool cohacc, msi, sev;     /* IDR0 */
    bool range_invalidation;   /* IDR3.RIL */
    uint32_t cmdq_bits;        /* IDR1.CMDQS, 0..19 */
    uint32_t eventq_bits;      /* IDR1.EVENTQS, 0..19 */
    bool ecmdq;                /* IDR1.ECMDQ */
    uint32_t ecmdq_page_bits;  /* IDR6.CMDQ_CONTROL_PAGE_LOG2NUMP, 0..8 */
    uint32_t ecmdq_queue_bits; /* IDR6.CMDQ_CONTROL_PAGE_LOG2NUMQ, 0..8 */

    struct translator_config translator; /* output_bits is IDR5.OAS */
    uint32_t config_entries;             /* configuration cache: STE and CD of a (SubstreamID,) StreamID */

    /* command engines */
    uint32_t engines; /* 1..SMMU_ENGINES_MOST */
    enum smmu_arbitration arbitration;
    uint32_t cmdq_weight, ecmdq_weight;
    uint32_t prefetch;        /* commands fetched ahead, 1..64 */
    uint64_t command_ps;      /* an engine's time for any command: decode, CONS */
    uint64_t tlbi_ps;         /* added for a TLBI */
    uint64_t cfgi_ps;         /* added for a CFGI */
    uint64_t sync_ps;         /* added for a CMD_SYNC, after what it waits for */
    uint64_t invalidation_ps; /* from a TLBI's or CFGI's execution to its completion; they overlap */

    uint64_t config_ps; /* configuration cache lookup */
    uint64_t access_ps; /* one register access */
    uint32_t intid;     /* SPI of the event queue; +1 PRI queue, +2 CMD_SYNC, +3 GERROR */
    uint32_t requester; /* txn.requester of its own accesses */
};

/* Every rule of the architecture and of this model that config breaks, one error each; true when there is none. */
bool smmu_config_check(const struct smmu_config *config, struct error_list *errors);

struct smmu_ports {
    struct mem_port memory;          /* own accesses, and the translated ones of the masters */
    const struct time_port *engines; /* one an engine; copied */
    struct irq_port irq;
    void *sev_ctx;
    void (*sev)(void *ctx, uint64_t at_ps); /* the event signal to all cores */
};

/* Events that an engine's time port needs. */
#define SMMU_ENGINE_EVENTS 1u

/* Who is told of the command queues, without influence on them; copied. Functions may be NULL. Queue 0 is the CMDQ. */
struct smmu_observer {
    void *ctx;
    /* PROD was written: so many entries more, so many in all. */
    void (*produced)(void *ctx, uint32_t queue, uint32_t added, uint32_t entries, uint64_t t_ps);
    /* An engine took up a command at from_ps; it was consumed at to_ps. entries: what is left in the queue. */
    void (*consumed)(void *ctx, unsigned engine, uint32_t queue, uint8_t opcode, uint32_t entries, uint64_t from_ps,
                     uint64_t to_ps);
};

struct smmu_counters {
    uint64_t commands, tlbi, cfgi, sync; /* consumed */
    uint64_t events, events_lost;        /* records written; dropped because the queue could not be written */
    uint64_t config_hits, config_misses;
    uint64_t entry_ps; /* entries in all queues, summed over time */
};

struct smmu;

/* NULL when smmu_config_check() fails (errors says why) or memory is short. */
struct smmu *smmu_create(const struct smmu_config *config, const struct smmu_ports *ports, struct error_list *errors);
void smmu_destroy(struct smmu *smmu);

/* Bytes of the register space: pages 0 and 1 and the ECMDQ control pages. */
uint64_t smmu_register_bytes(const struct smmu_config *config);
#define SMMU_ECMDQ_PAGES 0x180000u /* offset of the first ECMDQ control page from page 0 */

/* Register access; addr is the offset from page 0. Misaligned, odd-sized and unassigned: RAZ/WI. */
void smmu_access(struct smmu *smmu, struct txn *txn);

/* A transaction of a master: translated, sent on, or ended with TXN_FAULT and an event record. */
void smmu_translate(struct smmu *smmu, struct txn *txn);

/* The life of a command engine; never returns. */
void smmu_engine_run(struct smmu *smmu, unsigned engine);

/* What a command queue is at. */
struct smmu_queue_state {
    uint32_t prod, cons, entries; /* pointers with their wrap bit */
    bool enabled, stopped;        /* stopped: an error is not acknowledged */
    uint8_t error;                /* CMDQ_CONS.ERR or ECMDQ_CONS.ERR_REASON */
};
/* Queue 0 is the CMDQ, then come the ECMDQs. False: there is no such queue. */
bool smmu_queue_state(const struct smmu *smmu, uint32_t queue, struct smmu_queue_state *state);

const struct smmu_counters *smmu_counters(const struct smmu *smmu);
/* Who is told of translated accesses; copied. */
void smmu_observe(struct smmu *smmu, const struct translation_observer *observer);
void smmu_observe_queues(struct smmu *smmu, const struct smmu_observer *observer);
#define SMMU_CMD_SYNC 0x46u /* opcode */
/* Of an opcode, without "CMD_"; "?" when there is none. */
const char *smmu_command_name(uint8_t opcode);
const struct translator_counters *smmu_translator_counters(const struct smmu *smmu);

/* Tables of what is implemented, for `dmasim explain smmu` and the compliance page. */
enum smmu_support { SMMU_FUNCTIONAL, SMMU_STORED, SMMU_ABSENT };
struct smmu_field {
    const char *name;
    uint8_t high, low; /* bits */
    uint8_t support;   /* enum smmu_support */
    const char *note;  /* may be NULL */
};
struct smmu_register {
    uint32_t offset;           /* from page 0; for ECMDQ registers in their window */
    uint8_t bytes;             /* 4 or 8 */
    const char *name, *access; /* RO, RW */
    const struct smmu_field *fields;
    uint32_t field_count;
};
struct smmu_command_info {
    uint8_t opcode;
    const char *name;
    uint8_t support;
    const char *note;
};
struct smmu_event_info {
    uint8_t number;
    const char *name;
    uint8_t support;
    const char *note;
};
extern const struct smmu_register smmu_register_table[];
extern const unsigned smmu_register_count;
extern const struct smmu_command_info smmu_command_table[];
extern const unsigned smmu_command_count;
extern const struct smmu_event_info smmu_event_table[];
extern const unsigned smmu_event_count;

#endif
