#include "model/activity_watch.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "kernel-shim/include/simctl.h"
#include "trace/trace_file.h"
}

/* Tracks, in the order of the screen: a core and its regions, channels, engines, queues. */
enum : uint32_t { TRACK_CORE = 1, TRACK_CHANNEL = 1000, TRACK_ENGINE = 2000, TRACK_QUEUE = 3000 };

static const uint32_t RET_MASK = 0xFFFFFC1F, RET = 0xD65F0000, ERET = 0xD69F03E0;
static const unsigned LINK_REGISTER = 30, STACK_POINTER = 31;

static uint32_t core_track(unsigned core)
{
    return TRACK_CORE + 2 * core;
}

static uint32_t region_track(unsigned core)
{
    return core_track(core) + 1;
}

static activity_watch *self(void *ctx)
{
    return static_cast<activity_watch *>(ctx);
}

activity_watch::activity_watch(activity_surroundings around, const struct trace_options *trace,
                               struct error_list &errors)
    : around_(std::move(around))
{
    struct call_listener listener = {};

    if (trace) {
        trace_path_ = trace->path;
        trace_ = trace_open(trace);
        if (!trace_)
            error_add(&errors, nullptr, "%s: the trace cannot be written: %s", trace->path, strerror(errno));
    }
    listener.ctx = this;
    if (trace_) {
        listener.entered = [](void *ctx, unsigned core, uint32_t function, uint64_t t_ps) {
            trace_begin(self(ctx)->trace_, core_track(core), self(ctx)->function_name(function), t_ps);
        };
        listener.left = [](void *ctx, unsigned core, uint64_t t_ps) {
            trace_end(self(ctx)->trace_, core_track(core), t_ps);
        };
    }
    calls_ = call_stacks_create(around_.cores, &listener);
    if (!calls_)
        abort(); /* as where any other memory of the host is out */
    listener_ = around_.probes->listen([this](unsigned core, uint64_t pc) { probe_hit(core, pc); });
}

activity_watch::~activity_watch()
{
    uint64_t cut_ps;

    call_stacks_destroy(calls_);
    if (trace_)
        trace_close(trace_, 0, &cut_ps);
}

/* --- the cores --- */

/* Data that looks like a return is never executed. */
void activity_watch::add_probes(const struct elf_image &image)
{
    for (size_t i = 0; i < image.function_count; i++)
        around_.probes->add(listener_, image.functions[i].value);
    for (size_t i = 0; i < image.segment_count; i++)
        for (uint64_t at = 0; at + 4 <= image.segments[i].file_size; at += 4) {
            uint32_t word;
            memcpy(&word, image.segments[i].data + at, 4);
            if ((word & RET_MASK) == RET || word == ERET)
                around_.probes->add(listener_, image.segments[i].pa + at);
        }
}

/* Waits that a guest asks for; what the caches do belongs to the function. */
static bool is_wait(enum cpu_stack_part reason)
{
    return reason == STACK_DSB_WAIT || reason == STACK_MMIO || reason == STACK_IDLE || reason == STACK_ATOMIC;
}

void activity_watch::begin(const struct elf_image &image)
{
    struct cpu_observer observer = {};

    image_ = &image;
    add_probes(image);
    observer.ctx = this;
    observer.exception = [](void *ctx, unsigned core, uint64_t vector, uint64_t t_ps) {
        call_exception(self(ctx)->calls_, core, self(ctx)->function_at(vector), t_ps);
    };
    if (trace_)
        observer.waited = [](void *ctx, unsigned core, enum cpu_stack_part reason, uint64_t from_ps, uint64_t to_ps) {
            if (!is_wait(reason))
                return;
            trace_begin(self(ctx)->trace_, core_track(core), cpu_stack_part_names[reason], from_ps);
            trace_end(self(ctx)->trace_, core_track(core), to_ps);
        };
    for (unsigned core = 0; core < around_.cores; core++) {
        cpu_observe(around_.core(core), &observer);
        if (trace_)
            need_track(core_track(core), "core " + std::to_string(core));
    }
}

/* function_count: none that has a name. */
uint32_t activity_watch::function_at(uint64_t pc) const
{
    const struct elf_symbol *function = elf_image_function(image_, pc);

    return static_cast<uint32_t>(function ? function - image_->functions : image_->function_count);
}

const char *activity_watch::function_name(uint32_t function) const
{
    return function < image_->function_count ? image_->functions[function].name : "exception";
}

void activity_watch::probe_hit(unsigned core, uint64_t pc)
{
    struct cpu *cpu = around_.core(core);
    const struct elf_symbol *function = elf_image_function(image_, pc);
    uint64_t t_ps = cpu_now_ps(cpu);
    uint32_t word = 0;

    if (function && function->value == pc)
        call_entered(calls_, core, static_cast<uint32_t>(function - image_->functions), cpu_x(cpu, LINK_REGISTER),
                     cpu_x(cpu, STACK_POINTER), t_ps);
    cpu_debug_read(cpu, pc, &word, sizeof(word));
    if (word == ERET)
        call_exception_returned(calls_, core, t_ps);
    else if ((word & RET_MASK) == RET)
        call_returned(calls_, core, cpu_x(cpu, word >> 5 & 31), t_ps);
}

void activity_watch::region(unsigned core, const std::string &name, bool begins, uint64_t t_ps)
{
    if (!trace_)
        return;
    need_track(region_track(core), "core " + std::to_string(core) + " regions");
    if (begins)
        trace_begin(trace_, region_track(core), region_names_.try_emplace(name).first->first.c_str(), t_ps);
    else
        trace_end(trace_, region_track(core), t_ps);
}

/* --- devices --- */

void activity_watch::need_track(uint32_t track, const std::string &name)
{
    if (!trace_has_track(trace_, track))
        trace_add_track(trace_, track, name.c_str());
}

void activity_watch::device_access(unsigned core, const struct txn &txn)
{
    if (txn.kind == TXN_READ)
        return;
    writing_core_ = core;
    if (txn.addr >= DMAC_BASE && txn.addr < DMAC_BASE + DMAC_SIZE && (txn.addr - DMAC_BASE) % SG_CHANNEL_BYTES == 0)
        channel_cores_[static_cast<unsigned>((txn.addr - DMAC_BASE) / SG_CHANNEL_BYTES)] = core;
}

/* A posted write is acknowledged to nobody: the doorbell is a slice without length where it reaches the device. */
uint64_t activity_watch::ring_doorbell(unsigned core, uint64_t t_ps)
{
    uint32_t track = core_track(core);

    trace_begin(trace_, track, "doorbell", t_ps);
    trace_flow(trace_, track, TRACE_FLOW_START, ++flows_, t_ps);
    trace_end(trace_, track, t_ps);
    return flows_;
}

struct activity_watch::queue &activity_watch::queue_at(uint32_t number)
{
    struct queue &queue = queues_[number];

    if (queue.entries.empty()) {
        std::string name = number ? "ECMDQ " + std::to_string(number - 1) : "CMDQ";
        need_track(TRACK_QUEUE + number, name);
        queue.entries = name + " entries";
    }
    return queue;
}

void activity_watch::produced(uint32_t number, uint32_t added, uint32_t entries, uint64_t t_ps)
{
    struct queue &queue = queue_at(number);

    if (!added)
        return;
    queue.doorbells.push_back({ring_doorbell(writing_core_, t_ps), queue.produced});
    queue.produced += added;
    trace_counter(trace_, queue.entries.c_str(), entries, t_ps);
}

void activity_watch::consumed(unsigned engine, uint32_t number, uint8_t opcode, uint32_t entries, uint64_t from_ps,
                              uint64_t to_ps)
{
    struct queue &queue = queue_at(number);
    const uint32_t track = TRACK_QUEUE + number;
    const char *name = smmu_command_name(opcode);
    const uint64_t command = queue.consumed++;

    need_track(TRACK_ENGINE + engine, "command engine " + std::to_string(engine));
    trace_begin(trace_, TRACK_ENGINE + engine, name, from_ps);
    trace_end(trace_, TRACK_ENGINE + engine, to_ps);
    trace_begin(trace_, track, name, from_ps);
    for (const doorbell &doorbell : queue.doorbells)
        if (doorbell.first == command)
            trace_flow(trace_, track, TRACE_FLOW_STEP, doorbell.flow, from_ps);
    for (; opcode == SMMU_CMD_SYNC && !queue.doorbells.empty() && queue.doorbells.front().first <= command;
         queue.doorbells.pop_front())
        trace_flow(trace_, track, TRACE_FLOW_END, queue.doorbells.front().flow, to_ps);
    trace_end(trace_, track, to_ps);
    trace_counter(trace_, queue.entries.c_str(), entries, to_ps);
}

struct smmu_observer activity_watch::queue_observer()
{
    struct smmu_observer observer = {};

    observer.ctx = this;
    observer.produced = [](void *ctx, uint32_t queue, uint32_t added, uint32_t entries, uint64_t t_ps) {
        self(ctx)->produced(queue, added, entries, t_ps);
    };
    observer.consumed = [](void *ctx, unsigned engine, uint32_t queue, uint8_t opcode, uint32_t entries,
                           uint64_t from_ps,
                           uint64_t to_ps) { self(ctx)->consumed(engine, queue, opcode, entries, from_ps, to_ps); };
    return trace_ ? observer : smmu_observer{};
}

void activity_watch::channel_started(unsigned channel, uint64_t t_ps)
{
    need_track(TRACK_CHANNEL + channel, "DMA channel " + std::to_string(channel));
    uint64_t flow = ring_doorbell(channel_cores_[channel], t_ps);
    trace_begin(trace_, TRACK_CHANNEL + channel, "transfer", t_ps);
    trace_flow(trace_, TRACK_CHANNEL + channel, TRACE_FLOW_END, flow, t_ps);
}

struct sg_observer activity_watch::channel_observer()
{
    struct sg_observer observer = {};

    observer.ctx = this;
    observer.started = [](void *ctx, unsigned channel, uint64_t t_ps) { self(ctx)->channel_started(channel, t_ps); };
    observer.descriptor = [](void *ctx, unsigned channel, uint64_t from_ps, uint64_t to_ps) {
        trace_begin(self(ctx)->trace_, TRACK_CHANNEL + channel, "descriptor", from_ps);
        trace_end(self(ctx)->trace_, TRACK_CHANNEL + channel, to_ps);
    };
    observer.ended = [](void *ctx, unsigned channel, uint64_t t_ps) {
        trace_end(self(ctx)->trace_, TRACK_CHANNEL + channel, t_ps);
    };
    return trace_ ? observer : sg_observer{};
}

/* --- the end --- */

void activity_watch::collect(struct platform_result &result, struct error_list &errors)
{
    std::vector<std::pair<std::string, uint64_t>> chains;
    auto visit = [this, &chains](const uint32_t *functions, size_t depth, uint64_t ps) {
        std::string path;
        for (size_t i = 0; i < depth; i++)
            path += (i ? ";" : "") + std::string(function_name(functions[i]));
        chains.emplace_back(path, ps);
    };

    for (unsigned core = 0; core < around_.cores; core++)
        call_ended(calls_, core, cpu_now_ps(around_.core(core)));
    call_stacks_visit(
        calls_,
        [](void *ctx, const uint32_t *functions, size_t depth, uint64_t ps) {
            (*static_cast<decltype(visit) *>(ctx))(functions, depth, ps);
        },
        &visit);
    result.chains = static_cast<struct platform_chain *>(calloc(chains.size() + 1, sizeof(*result.chains)));
    for (const auto &[path, ps] : chains)
        result.chains[result.chain_count++] = {strdup(path.c_str()), ps};
    if (trace_ && !trace_close(trace_, result.simulated_ps, &result.trace_cut_ps))
        error_add(&errors, nullptr, "%s: the trace could not be written completely", trace_path_.c_str());
    trace_ = nullptr;
}
