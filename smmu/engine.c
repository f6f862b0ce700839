/*
 * The command engines: fetch, decode, execute, CONS, CMD_SYNC (IHI 0070 3.5, 4.1, 4.7, 7.1). CONS never moves past a
 * command that was not fetched and executed.
 */
#include "common/units.h"
#include "smmu/smmu_internal.h"

enum { EVENT_WORK };
enum { CS_NONE, CS_IRQ, CS_SEV };

unsigned queue_bits(const struct smmu *smmu, const struct command_queue *queue)
{
    unsigned bits = bits_of(queue->base, 4, 0);

    return bits > smmu->config.cmdq_bits ? smmu->config.cmdq_bits : bits;
}

struct access_attributes queue_attributes(const struct smmu *smmu)
{
    return (struct access_attributes){bits_of(smmu->cr1, 1, 0), bits_of(smmu->cr1, 3, 2), bits_of(smmu->cr1, 5, 4)};
}

bool any_queue_enabled(const struct smmu *smmu)
{
    for (uint32_t i = 0; i < smmu->queue_count; i++)
        if (smmu->queues[i].enabled || smmu->queues[i].wanted)
            return true;
    return smmu->cr0ack & CR0_EVENTQEN;
}

/* --- which queue, which engine --- */

static void wake_engine(struct smmu *smmu, uint64_t at_ps)
{
    for (unsigned i = 0; i < smmu->config.engines; i++)
        if (smmu->engine_idle[i]) {
            smmu->engine_idle[i] = false;
            smmu->engine_times[i].notify(smmu->engine_times[i].ctx, EVENT_WORK, at_ps);
            return;
        }
}

/* Keeps the queue's bit in smmu->ready right. */
static bool update_ready(struct smmu *smmu, struct command_queue *queue)
{
    uint32_t number = (uint32_t)(queue - smmu->queues);
    uint64_t bit = 1ull << number % 64, *word = &smmu->ready[number / 64];
    bool waiting = queue_count(queue->prod, queue->cons, queue_bits(smmu, queue)) > 0;
    bool ready = queue->enabled && queue->wanted && !queue->stopped && !queue->busy && waiting;

    *word = ready ? *word | bit : *word & ~bit;
    return ready;
}

void queue_changed(struct smmu *smmu, struct command_queue *queue, uint64_t at_ps)
{
    if (update_ready(smmu, queue))
        wake_engine(smmu, at_ps);
}

/* The first ready queue from number on, round the end; queue_count: none. */
static uint32_t next_ready(const struct smmu *smmu, uint32_t number)
{
    uint32_t words = (smmu->queue_count + 63) / 64;

    for (uint32_t i = 0; i <= words; i++) {
        uint32_t word = (number / 64 + i) % words;
        uint64_t bits = smmu->ready[word];
        if (i == 0)
            bits &= UINT64_MAX << number % 64;
        if (i == words)
            bits &= ~(UINT64_MAX << number % 64);
        if (bits)
            return word * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return smmu->queue_count;
}

static uint32_t weight_of(const struct smmu *smmu, uint32_t number)
{
    if (smmu->config.arbitration != ARBITRATE_WEIGHTED)
        return 1;
    return number == 0 ? smmu->config.cmdq_weight : smmu->config.ecmdq_weight;
}

static struct command_queue *choose_queue(struct smmu *smmu)
{
    bool fixed = smmu->config.arbitration == ARBITRATE_FIXED;
    uint32_t number = next_ready(smmu, fixed ? 0 : smmu->next_queue);

    if (number == smmu->queue_count)
        return NULL;
    if (fixed)
        return &smmu->queues[number];
    if (number != smmu->next_queue || smmu->turn_left == 0)
        smmu->turn_left = weight_of(smmu, number);
    smmu->turn_left--;
    smmu->next_queue = smmu->turn_left ? number : (number + 1) % smmu->queue_count;
    return &smmu->queues[number];
}

/* --- fetch --- */

static uint64_t entry_address(const struct smmu *smmu, const struct command_queue *queue, uint32_t pointer)
{
    unsigned bits = queue_bits(smmu, queue);
    uint64_t base = bits_of(queue->base, 55, 5) << 5, bytes = (uint64_t)COMMAND_BYTES << bits;

    return (base & ~(bytes - 1)) + (uint64_t)COMMAND_BYTES * queue_index(pointer, bits);
}

/* Entries from pointer on that one read brings: up to the end of the line, of the queue and of what was produced. */
static uint32_t read_entries(struct smmu *smmu, struct command_queue *queue, uint32_t pointer, uint32_t wanted,
                             uint64_t now_ps)
{
    uint64_t address = entry_address(smmu, queue, pointer), done_ps = now_ps;
    uint32_t count = (LINE_BYTES - (uint32_t)(address % LINE_BYTES)) / COMMAND_BYTES;
    uint32_t room = (1u << queue_bits(smmu, queue)) - queue_index(pointer, queue_bits(smmu, queue));
    bool failed;

    count = count < wanted ? count : wanted;
    count = count < room ? count : room;
    failed = smmu_memory_read(&smmu->memory, address, queue->fetch_data[queue->fetched], count * COMMAND_BYTES,
                              queue_attributes(smmu), &done_ps) != TXN_OK;
    for (uint32_t i = 0; i < count; i++) {
        queue->fetch_ready_ps[queue->fetched + i] = done_ps;
        queue->fetch_failed[queue->fetched + i] = failed;
    }
    queue->fetched += count;
    return count;
}

/* Keep the prefetch buffer full. */
static void prefetch(struct smmu *smmu, struct command_queue *queue, uint64_t now_ps)
{
    unsigned bits = queue_bits(smmu, queue);
    uint32_t produced = queue_count(queue->prod, queue->cons, bits);
    uint32_t want = produced < smmu->config.prefetch ? produced : smmu->config.prefetch;

    while (queue->fetched < want)
        read_entries(smmu, queue, queue_pointer(queue->cons + queue->fetched, bits), want - queue->fetched, now_ps);
}

static void tell_produced(const struct smmu *smmu, const struct command_queue *queue, uint32_t added, uint64_t at_ps)
{
    if (smmu->observer.produced)
        smmu->observer.produced(smmu->observer.ctx, (uint32_t)(queue - smmu->queues), added,
                                queue_count(queue->prod, queue->cons, queue_bits(smmu, queue)), at_ps);
}

/* Before the number of entries changes. */
static void count_entry_time(struct smmu *smmu, struct command_queue *queue, uint64_t t_ps)
{
    if (t_ps <= queue->changed_ps)
        return;
    smmu->counters.entry_ps +=
        queue_count(queue->prod, queue->cons, queue_bits(smmu, queue)) * (t_ps - queue->changed_ps);
    queue->changed_ps = t_ps;
}

void queue_produce(struct smmu *smmu, struct command_queue *queue, uint32_t prod, uint64_t at_ps)
{
    uint32_t added = queue_count(prod, queue->prod, queue_bits(smmu, queue));

    if (queue_count(queue->prod, queue->cons, queue_bits(smmu, queue)) == 0)
        queue->visible_ps = at_ps;
    count_entry_time(smmu, queue, at_ps);
    queue->prod = prod;
    tell_produced(smmu, queue, added, at_ps);
    if (queue->enabled && !queue->stopped)
        prefetch(smmu, queue, at_ps);
    queue_changed(smmu, queue, at_ps);
}

static void drop_first(struct command_queue *queue)
{
    queue->fetched--;
    for (uint32_t i = 0; i < queue->fetched; i++) {
        queue->fetch_ready_ps[i] = queue->fetch_ready_ps[i + 1];
        queue->fetch_failed[i] = queue->fetch_failed[i + 1];
        queue->fetch_data[i][0] = queue->fetch_data[i + 1][0];
        queue->fetch_data[i][1] = queue->fetch_data[i + 1][1];
    }
}

/* --- execution --- */

/* The queue stops at the command; copies of newer ones are forgotten (7.1). */
static void stop_queue(struct smmu *smmu, struct command_queue *queue, enum command_error error, uint64_t now_ps)
{
    queue->stopped = true;
    queue->error = (uint8_t)error;
    queue->fetched = 0;
    if (queue == smmu->queues) {
        gerror_raise(smmu, GERROR_CMDQ_ERR, now_ps);
    } else {
        queue->err = !queue->errack;
        gerror_raise(smmu, GERROR_CMDQP_ERR, now_ps);
    }
}

static void consume(struct smmu *smmu, struct command_queue *queue, uint64_t now_ps)
{
    unsigned bits = queue_bits(smmu, queue);
    bool was_full = queue_full(queue->prod, queue->cons, bits);

    count_entry_time(smmu, queue, now_ps);
    queue->cons = queue_next(queue->cons, bits);
    smmu->counters.commands++;
    drop_first(queue);
    if (was_full && smmu->config.sev)
        smmu->ports.sev(smmu->ports.sev_ctx, now_ps);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* CMD_SYNC's signal: CONS has moved already (4.7.3). */
static void signal_sync(struct smmu *smmu, const uint64_t command[2], uint64_t now_ps)
{
    unsigned signal = bits_of(command[0], 13, 12);
    struct msi_registers msi = {.address = bits_of(command[1], 55, 2) << 2,
                                .data = (uint32_t)(command[0] >> 32),
                                .attributes =
                                    (uint32_t)(bits_of(command[0], 27, 24) | bits_of(command[0], 23, 22) << 4)};

    if (signal == CS_SEV && smmu->config.sev)
        smmu->ports.sev(smmu->ports.sev_ctx, now_ps);
    else if (signal == CS_IRQ && !interrupt_send(smmu, &msi, SPI_CMD_SYNC, now_ps))
        gerror_raise(smmu, GERROR_MSI_CMDQ_ABT_ERR, now_ps);
}

static void run_sync(struct smmu *smmu, struct command_queue *queue, struct time_port *time, const uint64_t command[2])
{
    uint64_t now_ps = time->now(time->ctx), done_ps = now_ps;
    uint64_t copy[2] = {command[0], command[1]}; /* the buffer moves on */

    if (queue->pending_ps) /* translations that used what was invalidated must be complete as well */
        done_ps = later(later(queue->pending_ps, smmu->translator.in_flight_ps), now_ps);
    queue->pending_ps = 0;
    time->wait_until(time->ctx, done_ps + smmu->config.command_ps + smmu->config.sync_ps);
    now_ps = time->now(time->ctx);
    smmu->counters.sync++;
    consume(smmu, queue, now_ps);
    signal_sync(smmu, copy, now_ps);
}

static void run_other(struct smmu *smmu, struct command_queue *queue, struct time_port *time, enum command_class class,
                      const uint64_t command[2])
{
    uint64_t cost_ps = smmu->config.command_ps, now_ps;

    if (class == COMMAND_TLBI)
        cost_ps += smmu->config.tlbi_ps;
    if (class == COMMAND_CFGI)
        cost_ps += smmu->config.cfgi_ps;
    time->wait_until(time->ctx, time->now(time->ctx) + cost_ps);
    now_ps = time->now(time->ctx);
    command_execute(smmu, command);
    if (class != COMMAND_OTHER)
        queue->pending_ps = later(queue->pending_ps, now_ps + smmu->config.invalidation_ps);
    smmu->counters.tlbi += class == COMMAND_TLBI;
    smmu->counters.cfgi += class == COMMAND_CFGI;
    consume(smmu, queue, now_ps);
}

static void tell_consumed(const struct smmu *smmu, unsigned engine, const struct command_queue *queue, uint8_t opcode,
                          uint64_t from_ps, uint64_t to_ps)
{
    if (smmu->observer.consumed)
        smmu->observer.consumed(smmu->observer.ctx, engine, (uint32_t)(queue - smmu->queues), opcode,
                                queue_count(queue->prod, queue->cons, queue_bits(smmu, queue)), from_ps, to_ps);
}

/* The command at CONS. */
static void run_command(struct smmu *smmu, struct command_queue *queue, unsigned engine)
{
    struct time_port *time = &smmu->engine_times[engine];
    enum command_class class;
    const uint64_t *command = queue->fetch_data[0];
    uint64_t from_ps;
    uint8_t opcode;

    time->wait_until(time->ctx, queue->visible_ps);
    from_ps = time->now(time->ctx);
    prefetch(smmu, queue, from_ps);
    time->wait_until(time->ctx, queue->fetch_ready_ps[0]);
    opcode = (uint8_t)command[0]; /* the buffer moves on */
    if (queue->fetch_failed[0])
        stop_queue(smmu, queue, CERROR_ABT, time->now(time->ctx));
    else if (!command_legal(smmu, command, &class))
        stop_queue(smmu, queue, CERROR_ILL, time->now(time->ctx));
    else if (class == COMMAND_SYNC)
        run_sync(smmu, queue, time, command);
    else
        run_other(smmu, queue, time, class, command);
    if (!queue->stopped)
        tell_consumed(smmu, engine, queue, opcode, from_ps, time->now(time->ctx));
}

/* Disabling completes when the command at work is done; the rest is fetched again after the next enable. */
void queue_disable(struct smmu *smmu, struct command_queue *queue)
{
    if (queue->wanted || !queue->enabled || queue->busy)
        return;
    queue->enabled = false;
    queue->fetched = 0;
    if (queue == smmu->queues)
        smmu->cr0ack &= ~(uint32_t)CR0_CMDQEN;
}

void smmu_engine_run(struct smmu *smmu, unsigned engine)
{
    struct time_port *time = &smmu->engine_times[engine];

    for (;;) {
        struct command_queue *queue = choose_queue(smmu);
        if (!queue) {
            smmu->engine_idle[engine] = true;
            time->wait_event(time->ctx, EVENT_WORK, NEVER_PS);
            smmu->engine_idle[engine] = false;
            continue;
        }
        queue->busy = true;
        update_ready(smmu, queue);
        run_command(smmu, queue, engine);
        queue->busy = false;
        queue_disable(smmu, queue);
        update_ready(smmu, queue);
    }
}

bool smmu_queue_state(const struct smmu *smmu, uint32_t queue, struct smmu_queue_state *state)
{
    const struct command_queue *q = &smmu->queues[queue];

    if (queue >= smmu->queue_count)
        return false;
    *state = (struct smmu_queue_state){.prod = q->prod,
                                       .cons = q->cons,
                                       .entries = queue_count(q->prod, q->cons, queue_bits(smmu, q)),
                                       .enabled = q->enabled,
                                       .stopped = q->stopped,
                                       .error = q->error};
    return true;
}
