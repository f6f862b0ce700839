/* What the files of the SMMUv3 share. */
#ifndef DMASIM_SMMU_INTERNAL_H
#define DMASIM_SMMU_INTERNAL_H

#include "smmu/queue.h"
#include "smmu/smmu.h"

#define COMMAND_BYTES 16u
#define EVENT_BYTES   32u
#define PREFETCH_MOST 64u

/* CR0 */
enum { CR0_SMMUEN = 1, CR0_PRIQEN = 2, CR0_EVENTQEN = 4, CR0_CMDQEN = 8 };
/* IRQ_CTRL */
enum { IRQ_GERROR = 1, IRQ_PRIQ = 2, IRQ_EVENTQ = 4 };
/* GERROR */
enum {
    GERROR_CMDQ_ERR = 1 << 0,
    GERROR_EVENTQ_ABT_ERR = 1 << 2,
    GERROR_MSI_CMDQ_ABT_ERR = 1 << 4,
    GERROR_MSI_EVENTQ_ABT_ERR = 1 << 5,
    GERROR_MSI_GERROR_ABT_ERR = 1 << 7,
    GERROR_SFM_ERR = 1 << 8,
    GERROR_CMDQP_ERR = 1 << 9,
};
/* CMDQ_CONS.ERR and ECMDQ_CONS.ERR_REASON */
enum command_error { CERROR_NONE, CERROR_ILL, CERROR_ABT, CERROR_ATC_INV_SYNC };
/* SPIs, from config.intid */
enum { SPI_EVENTQ, SPI_PRIQ, SPI_CMD_SYNC, SPI_GERROR };

/* *_IRQ_CFG0..2 of one interrupt. */
struct msi_registers {
    uint64_t address;
    uint32_t data, attributes;
};

/* A command queue: the CMDQ (number 0) or an ECMDQ. */
struct command_queue {
    uint64_t base;       /* register value */
    uint32_t prod, cons; /* pointers, without the flags beside them */
    bool enabled;        /* CR0ACK.CMDQEN, ECMDQ_CONS.ENACK */
    bool wanted;         /* CR0.CMDQEN, ECMDQ_PROD.EN */
    bool stopped;        /* an error is not yet acknowledged */
    bool err, errack;    /* ECMDQ: the toggles */
    bool busy;           /* an engine is at work on it */
    uint8_t error;       /* enum command_error: ERR or ERR_REASON */
    uint64_t changed_ps; /* entries are accounted up to here */
    uint64_t visible_ps; /* when the doorbell that made it non-empty has arrived */
    uint64_t pending_ps; /* when all invalidations executed so far will be complete */
    /* commands fetched ahead: the next `fetched` entries from cons on */
    uint32_t fetched;
    uint64_t fetch_ready_ps[PREFETCH_MOST];
    uint8_t fetch_failed[PREFETCH_MOST];
    uint64_t fetch_data[PREFETCH_MOST][2];
};

/* What STE and CD say about a stream (and substream). */
enum stream_action { STREAM_ABORT, STREAM_BYPASS, STREAM_TRANSLATE };
struct stream_config {
    bool valid;
    uint32_t sid, ssid;
    bool ssv;
    enum stream_action action;
    struct translation_context context;
    uint8_t mtcfg, memattr, shcfg, privcfg, instcfg; /* STE's overrides */
    uint64_t used;
};

struct event {
    uint8_t type;
    uint32_t sid, ssid;
    bool ssv;
    bool privileged, instruction, read, stage2;
    uint8_t class;
    uint64_t input, ipa, fetch_address;
};

struct smmu {
    struct smmu_config config;
    struct smmu_ports ports;
    struct time_port *engine_times;
    struct smmu_memory memory;
    struct translator translator;
    struct smmu_counters counters;
    struct smmu_observer observer;

    uint32_t cr0, cr0ack, cr1, cr2, gbpa, irq_ctrl, gerror, gerrorn;
    struct msi_registers gerror_msi, eventq_msi;
    uint64_t strtab_base;
    uint32_t strtab_cfg;
    uint64_t eventq_base;
    uint32_t eventq_prod, eventq_cons; /* with OVFLG, OVACKFLG */
    bool eventq_failed;                /* EVENTQ_ABT_ERR is not acknowledged */

    struct command_queue *queues; /* 0: CMDQ; then the ECMDQs, page by page */
    uint32_t queue_count;
    uint64_t *ready; /* bit a queue: an engine may take a command from it */
    uint32_t next_queue;
    uint32_t turn_left; /* commands left in the current turn of next_queue */
    bool engine_idle[SMMU_ENGINES_MOST];

    struct stream_config *configs;
    uint64_t config_clock;
};

/* registers.c / ecmdq.c */
uint64_t ecmdq_read(const struct smmu *smmu, uint64_t offset);
void ecmdq_write(struct smmu *smmu, uint64_t offset, unsigned bytes, uint64_t value, uint64_t at_ps);

/* engine.c: a queue was enabled or restarted at at_ps. */
void queue_changed(struct smmu *smmu, struct command_queue *queue, uint64_t at_ps);
/* PROD was written. */
void queue_produce(struct smmu *smmu, struct command_queue *queue, uint32_t prod, uint64_t at_ps);
/* Completes a disable (wanted is false) as soon as no engine is at work on the queue. */
void queue_disable(struct smmu *smmu, struct command_queue *queue);
unsigned queue_bits(const struct smmu *smmu, const struct command_queue *queue);
bool any_queue_enabled(const struct smmu *smmu);
struct access_attributes queue_attributes(const struct smmu *smmu);

/* commands.c: what a command is and does. */
enum command_class { COMMAND_OTHER, COMMAND_TLBI, COMMAND_CFGI, COMMAND_SYNC };
/* False: CERROR_ILL. */
bool command_legal(const struct smmu *smmu, const uint64_t command[2], enum command_class *class);
/* The effect of a legal command other than CMD_SYNC. */
void command_execute(struct smmu *smmu, const uint64_t command[2]);

/* stream_table.c: the configuration of a transaction's stream, from the cache or memory; NULL: *event says why.
 * *t_ps moves on. */
const struct stream_config *stream_config_find(struct smmu *smmu, const struct txn *txn, struct event *event,
                                               uint64_t *t_ps);
/* Drop cached configurations: of SIDs sid .. sid + count - 1 (0: all), and of one substream when by_ssid. */
void stream_config_invalidate(struct smmu *smmu, uint32_t sid, uint64_t count, bool by_ssid, uint32_t ssid);

/* events.c */
void event_record(struct smmu *smmu, const struct event *event, uint64_t at_ps);
/* Make an error active at at_ps (GERROR toggles unless it already is). */
void gerror_raise(struct smmu *smmu, uint32_t bit, uint64_t at_ps);
/* MSI (when the address is not 0) and wired pulse of an interrupt; true when the MSI arrived or was not due. */
bool interrupt_send(struct smmu *smmu, const struct msi_registers *msi, unsigned spi, uint64_t at_ps);

enum {
    EVENT_UUT = 0x01,
    EVENT_BAD_STREAMID = 0x02,
    EVENT_STE_FETCH = 0x03,
    EVENT_BAD_STE = 0x04,
    EVENT_STREAM_DISABLED = 0x06,
    EVENT_BAD_SUBSTREAMID = 0x08,
    EVENT_CD_FETCH = 0x09,
    EVENT_BAD_CD = 0x0A,
    EVENT_WALK_EABT = FAULT_WALK_EABT,
    EVENT_TRANSLATION = FAULT_TRANSLATION,
    EVENT_ADDR_SIZE = FAULT_ADDR_SIZE,
};

/* PRIVCFG and INSTCFG: 0, 1 incoming; 2 unprivileged, data; 3 privileged, instruction. */
static inline bool override_bit(bool incoming, unsigned cfg)
{
    return cfg < 2 ? incoming : cfg == 3;
}

static inline uint64_t bits_of(uint64_t word, unsigned high, unsigned low)
{
    return word >> low & (UINT64_MAX >> (63 - (high - low)));
}

#endif
