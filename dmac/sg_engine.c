#include "dmac/sg_engine.h"

#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "dmac/flight.h"

enum {
    CTRL = 0x00,
    STATUS = 0x08,
    DESC = 0x10,
    ERROR_ADDRESS = 0x18,
    ERROR_STATUS = 0x20,
    STREAM = 0x24,
    SUBSTREAM = 0x28,
    ATTRIBUTES = 0x2C,
    BYTES_DONE = 0x30
};
enum { CTRL_START = 1, CTRL_IRQ_ENABLE = 2, CTRL_ABORT = 4 };
enum { STATUS_BUSY = 1, STATUS_DONE = 2, STATUS_ERROR = 4 };
enum { ATTRIBUTE_COHERENT = 1, ATTRIBUTE_PRIVILEGED = 2 };
enum { FLAG_FILL = 1, FLAG_DISCARD = 2 };
enum { EVENT_START };

#define BURST_MOST 4096u

struct descriptor {
    uint64_t source, destination;
    uint32_t bytes, flags;
    uint64_t next;
};

struct channel {
    uint32_t control, status, error_status, stream, substream, attributes;
    uint64_t desc, error_address, bytes_done;
    bool abort;
    struct time_port time;
    struct flight reads, writes;
    uint8_t buffer[BURST_MOST];
};

struct sg_engine {
    struct sg_engine_config config;
    struct mem_port memory;
    struct irq_port irq;
    struct sg_observer observer;
    struct channel *channels;
};

struct sg_engine *sg_engine_create(const struct sg_engine_config *config, const struct mem_port *memory,
                                   const struct time_port *times, const struct irq_port *irq)
{
    struct sg_engine *engine;

    if (config->channels == 0 || config->channels > SG_CHANNELS_MOST || config->burst_bytes < 16 ||
        config->burst_bytes > BURST_MOST || (config->burst_bytes & (config->burst_bytes - 1)) ||
        config->outstanding == 0 || config->outstanding > OUTSTANDING_MOST)
        return NULL;
    engine = calloc(1, sizeof(*engine));
    if (!engine)
        return NULL;
    engine->config = *config;
    engine->memory = *memory;
    engine->irq = *irq;
    engine->channels = calloc(config->channels, sizeof(*engine->channels));
    if (!engine->channels) {
        free(engine);
        return NULL;
    }
    for (unsigned i = 0; i < config->channels; i++) {
        engine->channels[i].time = times[i];
        engine->channels[i].stream = config->stream_id + i;
        engine->channels[i].attributes = config->coherent ? ATTRIBUTE_COHERENT : 0;
        engine->channels[i].reads = engine->channels[i].writes = (struct flight){
            .outstanding = config->outstanding,
            .gap_ps = config->issue_ps,
        };
    }
    return engine;
}

void sg_engine_destroy(struct sg_engine *engine)
{
    if (!engine)
        return;
    free(engine->channels);
    free(engine);
}

void sg_engine_observe(struct sg_engine *engine, const struct sg_observer *observer)
{
    engine->observer = *observer;
}

static void update_irq(struct sg_engine *engine, unsigned number, uint64_t at_ps)
{
    struct channel *channel = &engine->channels[number];
    bool level = (channel->control & CTRL_IRQ_ENABLE) && (channel->status & (STATUS_DONE | STATUS_ERROR));

    engine->irq.set(engine->irq.ctx, 0, engine->config.intid + number, level, at_ps);
}

static uint64_t read_register(const struct channel *channel, uint64_t offset)
{
    switch (offset) {
    case CTRL:
        return channel->control;
    case STATUS:
        return channel->status;
    case DESC:
        return channel->desc;
    case ERROR_ADDRESS:
        return channel->error_address;
    case ERROR_STATUS:
        return channel->error_status;
    case STREAM:
        return channel->stream;
    case SUBSTREAM:
        return channel->substream;
    case ATTRIBUTES:
        return channel->attributes;
    case BYTES_DONE:
        return channel->bytes_done;
    default:
        return 0;
    }
}

static void write_control(struct sg_engine *engine, unsigned number, uint64_t value, uint64_t at_ps)
{
    struct channel *channel = &engine->channels[number];

    channel->control = value & CTRL_IRQ_ENABLE;
    if ((value & CTRL_ABORT) && (channel->status & STATUS_BUSY))
        channel->abort = true;
    if ((value & CTRL_START) && !(channel->status & STATUS_BUSY)) {
        channel->status = STATUS_BUSY;
        channel->abort = false;
        channel->error_status = TXN_OK;
        channel->error_address = channel->bytes_done = 0;
        channel->time.notify(channel->time.ctx, EVENT_START, at_ps);
    }
}

static void write_register(struct sg_engine *engine, unsigned number, uint64_t offset, uint64_t value, uint64_t at_ps)
{
    struct channel *channel = &engine->channels[number];
    bool busy = channel->status & STATUS_BUSY;

    if (offset == CTRL)
        write_control(engine, number, value, at_ps);
    else if (offset == STATUS)
        channel->status &= ~(value & (STATUS_DONE | STATUS_ERROR));
    else if (busy)
        return; /* the rest is fixed while the channel works */
    else if (offset == DESC)
        channel->desc = value;
    else if (offset == STREAM)
        channel->stream = (uint32_t)value;
    else if (offset == SUBSTREAM)
        channel->substream = (uint32_t)value;
    else if (offset == ATTRIBUTES)
        channel->attributes = value & (ATTRIBUTE_COHERENT | ATTRIBUTE_PRIVILEGED);
    update_irq(engine, number, at_ps);
}

void sg_engine_access(struct sg_engine *engine, struct txn *txn)
{
    uint64_t number = txn->addr / SG_CHANNEL_BYTES, offset = txn->addr % SG_CHANNEL_BYTES, value = 0;

    txn->done_ps = txn->start_ps + engine->config.access_ps;
    txn->status = TXN_SLVERR;
    if ((txn->size != 4 && txn->size != 8) || offset % txn->size || number >= engine->config.channels)
        return;
    txn->status = TXN_OK;
    if (txn->kind == TXN_READ) {
        bool upper = (offset & 4) && offset != STREAM && offset != ATTRIBUTES; /* of a 64-bit register */
        value = read_register(&engine->channels[number], upper ? offset - 4 : offset) >> (upper ? 32 : 0);
        memcpy(txn->data, &value, txn->size);
        return;
    }
    memcpy(&value, txn->data, txn->size);
    if (txn->size == 4 && (offset & ~4ull) == DESC) { /* half of the 64-bit register */
        uint64_t desc = engine->channels[number].desc;
        value = offset & 4 ? (uint32_t)desc | value << 32 : (desc & ~(uint64_t)UINT32_MAX) | value;
        offset = DESC;
    }
    write_register(engine, (unsigned)number, offset, value, txn->start_ps);
}

/* One request; false: it failed and the channel has the error. */
static bool request(struct sg_engine *engine, unsigned number, enum txn_kind kind, uint64_t addr, uint8_t *data,
                    uint32_t bytes, uint64_t ready_ps, uint64_t *done_ps)
{
    struct channel *channel = &engine->channels[number];
    struct flight *flight = kind == TXN_READ ? &channel->reads : &channel->writes;
    uint64_t start = flight_start(flight, ready_ps);
    struct txn txn = {.kind = kind,
                      .addr = addr,
                      .size = bytes,
                      .data = data,
                      .requester = engine->config.requester + number,
                      .stream_id = channel->stream,
                      .substream_id = channel->substream & 0xFFFFF,
                      .substream_valid = channel->substream >> 31,
                      .privileged = channel->attributes & ATTRIBUTE_PRIVILEGED,
                      .coherent = channel->attributes & ATTRIBUTE_COHERENT,
                      .type = MEM_NORMAL_NC,
                      .sh = SH_OUTER};

    channel->time.wait_until(channel->time.ctx, start);
    txn.start_ps = start;
    if (txn.coherent)
        txn.type = MEM_NORMAL_WB;
    engine->memory.access(engine->memory.ctx, &txn);
    flight_issued(flight, start, txn.done_ps);
    *done_ps = txn.done_ps;
    if (txn.status == TXN_OK)
        return true;
    channel->error_address = addr;
    channel->error_status = txn.status;
    return false;
}

static uint64_t to_boundary(uint64_t addr, uint32_t burst)
{
    return burst - (addr & (burst - 1));
}

/* Bytes of the next piece: within a burst of source and destination. */
static uint32_t piece_of(const struct sg_engine *engine, const struct descriptor *desc, uint32_t left)
{
    uint32_t burst = engine->config.burst_bytes;
    uint64_t piece = left;

    if (!(desc->flags & FLAG_FILL) && to_boundary(desc->source, burst) < piece)
        piece = to_boundary(desc->source, burst);
    if (!(desc->flags & FLAG_DISCARD) && to_boundary(desc->destination, burst) < piece)
        piece = to_boundary(desc->destination, burst);
    return piece > burst ? burst : (uint32_t)piece;
}

static void fill_pattern(uint8_t *buffer, uint64_t pattern, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        buffer[i] = (uint8_t)(pattern >> (8 * (i % 8)));
}

static bool transfer(struct sg_engine *engine, unsigned number, struct descriptor desc)
{
    struct channel *channel = &engine->channels[number];
    uint64_t now = channel->time.now(channel->time.ctx);

    while (desc.bytes && !channel->abort) {
        uint32_t bytes = piece_of(engine, &desc, desc.bytes);
        uint64_t ready_ps = now, done_ps;
        if (desc.flags & FLAG_FILL)
            fill_pattern(channel->buffer, desc.source, bytes);
        else if (!request(engine, number, TXN_READ, desc.source, channel->buffer, bytes, now, &ready_ps))
            return false;
        if (!(desc.flags & FLAG_DISCARD) &&
            !request(engine, number, TXN_WRITE, desc.destination, channel->buffer, bytes, ready_ps, &done_ps))
            return false;
        if (!(desc.flags & FLAG_FILL))
            desc.source += bytes;
        desc.destination += bytes;
        desc.bytes -= bytes;
        channel->bytes_done += bytes;
    }
    return true;
}

/* The chain from DESC; false: an error is recorded. */
static bool work(struct sg_engine *engine, unsigned number)
{
    struct channel *channel = &engine->channels[number];
    uint64_t addr = channel->desc;

    while (addr && !channel->abort) {
        struct descriptor desc;
        uint64_t done_ps, from_ps = channel->time.now(channel->time.ctx);
        if (!request(engine, number, TXN_READ, addr, (uint8_t *)&desc, sizeof(desc), from_ps, &done_ps))
            return false;
        channel->time.wait_until(channel->time.ctx, done_ps);
        if (!transfer(engine, number, desc))
            return false;
        if (engine->observer.descriptor)
            engine->observer.descriptor(engine->observer.ctx, number, from_ps, channel->time.now(channel->time.ctx));
        addr = desc.next;
    }
    return true;
}

void sg_engine_run(struct sg_engine *engine, unsigned number)
{
    struct channel *channel = &engine->channels[number];
    struct time_port *time = &channel->time;

    for (;;) {
        time->wait_event(time->ctx, EVENT_START, NEVER_PS);
        if (engine->observer.started)
            engine->observer.started(engine->observer.ctx, number, time->now(time->ctx));
        bool fine = work(engine, number);
        uint64_t last =
            channel->reads.last_ps > channel->writes.last_ps ? channel->reads.last_ps : channel->writes.last_ps;
        time->wait_until(time->ctx, last);
        channel->status = fine && !channel->abort ? STATUS_DONE : STATUS_DONE | STATUS_ERROR;
        update_irq(engine, number, time->now(time->ctx));
        if (engine->observer.ended)
            engine->observer.ended(engine->observer.ctx, number, time->now(time->ctx));
    }
}
