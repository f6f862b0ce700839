#include "model/platform.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "model/activity_watch.h"
#include "model/bus_module.h"
#include "model/core_module.h"
#include "model/counts.h"
#include "model/device_tree.h"
#include "model/dmac_module.h"
#include "model/hazard_watch.h"
#include "model/memory_module.h"
#include "model/nic_module.h"
#include "model/phase_watch.h"
#include "model/platform_config.h"
#include "model/register_module.h"
#include "model/simctl.h"
#include "model/smmu_module.h"

extern "C" {
#include "cpu/psci.h"
#include "cpu/semihost.h"
#include "kernel-shim/include/simctl.h"
#include "uart/pl011.h"
}

/* SystemC's library wants a main of its own; this program starts the kernel by hand. */
int sc_main(int, char **)
{
    return 0;
}

namespace
{

const uint32_t SPIS = 256;
const uint64_t PAGE = 0x1000, FRAME = 0x10000;

/* One modelled SoC, alive for one run. */
class platform
{
  public:
    platform(const struct config *config, const struct platform_guest &guest, const struct platform_console &console,
             struct platform_result &result, struct error_list &errors);
    ~platform();

    bool build();
    bool load();
    void run();

  private:
    void build_memory();
    void build_hazards();
    void build_activity();
    void build_interrupts();
    void build_devices();
    void build_smmu(const struct irq_port &irq);
    void build_cores();
    void build_firmware();
    unsigned entry_el() const;
    std::function<void(uint64_t)> send_event();
    void core_stopped(unsigned core, enum cpu_stop stop);
    void finish(enum platform_end end, const std::string &message);
    void past_limit();
    void collect();
    std::string where(unsigned core) const;
    std::string who_waits() const;

    const struct config *config_;
    const struct platform_guest &guest_;
    struct platform_console console_;
    struct platform_result &result_;
    struct error_list &errors_;

    class horizon horizon_;
    struct memory *memory_ = nullptr;
    struct cache *cache_ = nullptr;
    struct gic *gic_ = nullptr;
    struct pl011 *uart_ = nullptr;
    struct elf_image image_ = {};
    struct semihost semihost_ = {};
    struct psci psci_ = {};
    std::vector<uint64_t> mpidr_; /* of each core */
    core_surroundings around_ = {};
    std::unique_ptr<probe_hub> probes_;
    std::unique_ptr<hazard_watch> hazards_;
    std::unique_ptr<activity_watch> activity_;
    std::unique_ptr<phase_watch> phases_;
    std::unique_ptr<simctl> simctl_;
    std::unique_ptr<bus_module> bus_;
    std::unique_ptr<memory_module> ram_;
    std::unique_ptr<dmac_module> dmac_;
    std::unique_ptr<nic_module> nic_;
    std::unique_ptr<translating_module> smmu_;
    std::vector<std::unique_ptr<register_module>> registers_;
    std::vector<std::unique_ptr<core_module>> cores_;
    uint64_t entry_x0_ = 0;
    bool ended_ = false;
};

platform::platform(const struct config *config, const struct platform_guest &guest,
                   const struct platform_console &console, struct platform_result &result, struct error_list &errors)
    : config_(config), guest_(guest), console_(console), result_(result), errors_(errors)
{
}

platform::~platform()
{
    cores_.clear();
    hazards_.reset();
    activity_.reset();
    phases_.reset();
    probes_.reset();
    dmac_.reset();
    nic_.reset();
    smmu_.reset();
    gic_destroy(gic_);
    pl011_destroy(uart_);
    cache_destroy(cache_);
    memory_destroy(memory_);
    elf_image_free(&image_);
}

void platform::build_memory()
{
    struct cache_config cache = cache_config_of(config_);

    memory_ = memory_create(RAM_BASE, config_get(config_, "ram.bytes"));
    if (!memory_) {
        error_add(&errors_, nullptr, "the host cannot reserve %llu MiB of address space for RAM",
                  static_cast<unsigned long long>(config_get(config_, "ram.bytes") / MIB));
        return;
    }
    cache_ = cache_create(&cache, memory_, &errors_);
}

void platform::build_hazards()
{
    hazard_surroundings around = {};

    if (!config_get(config_, "hazard.detect"))
        return;
    around.cache = cache_;
    around.core = around_.core;
    around.cores = around_.cores;
    around.ram_base = memory_->base;
    around.ram_bytes = memory_->bytes;
    around.context = [this](unsigned core) { return simctl_->latest_region(core); };
    around.case_name = [this](uint64_t context) { return simctl_->region_name(context); };
    around.probes = probes_.get();
    hazards_ = std::make_unique<hazard_watch>(config_, around);
    around_.hazards = hazards_.get();
}

/* For who has asked for a trace or a profile. */
void platform::build_activity()
{
    if (!guest_.trace && !guest_.profile)
        return;
    activity_ = std::make_unique<activity_watch>(activity_surroundings{around_.core, around_.cores, probes_.get()},
                                                 guest_.trace, errors_);
    around_.activity = activity_.get();
}

void platform::build_interrupts()
{
    struct gic_config gic = {};
    struct gic_output output = {};

    gic.cores = static_cast<uint32_t>(config_get(config_, "cpu.cores"));
    gic.mpidr = mpidr_.data();
    gic.spis = SPIS;
    gic.access_ps = config_get(config_, "gic.access_ps");
    gic.deliver_ps = config_get(config_, "gic.deliver_ps");
    output.ctx = this;
    output.drive_irq = [](void *ctx, unsigned core, bool level, uint64_t at_ps) {
        static_cast<platform *>(ctx)->cores_[core]->set_irq(level, at_ps);
    };
    gic_ = gic_create(&gic, &output);
}

void platform::build_devices()
{
    uint64_t read_ps = config_get(config_, "mmio.read_ps"), write_ps = config_get(config_, "mmio.write_ps");
    struct irq_port irq = {};
    struct pl011_console uart_console = {};
    simctl_host host = {};
    auto add = [this](const char *name, register_module::access_function access, uint64_t base, uint64_t bytes,
                      uint64_t read, uint64_t write) {
        registers_.push_back(std::make_unique<register_module>(name, std::move(access)));
        bus_->map(registers_.back()->registers, base, bytes, read, write);
    };

    bus_ = std::make_unique<bus_module>("bus");
    ram_ = std::make_unique<memory_module>("ram", cache_, memory_->base, around_.cores);
    bus_->map(ram_->plain, memory_->base, memory_->bytes, 0, 0);
    add(
        "gicd", [this](struct txn *txn) { gic_distributor(gic_, txn); }, GICD_BASE, FRAME, read_ps, write_ps);
    add(
        "gicr", [this](struct txn *txn) { gic_redistributor(gic_, txn); }, GICR_BASE,
        2 * FRAME * std::min<unsigned>(around_.cores, GICR_CORES), read_ps, write_ps);
    if (around_.cores > GICR_CORES)
        add(
            "gicr2",
            [this](struct txn *txn) {
                txn->addr += 2 * FRAME * GICR_CORES;
                gic_redistributor(gic_, txn);
            },
            GICR2_BASE, 2 * FRAME * (around_.cores - GICR_CORES), read_ps, write_ps);

    irq.ctx = gic_;
    irq.set = [](void *ctx, unsigned core, unsigned intid, bool level, uint64_t at_ps) {
        gic_set(static_cast<struct gic *>(ctx), core, intid, level, at_ps);
    };
    uart_console.ctx = this;
    uart_console.write = [](void *ctx, const char *text, uint64_t bytes) {
        platform *self = static_cast<platform *>(ctx);
        self->console_.write(self->console_.ctx, text, bytes);
    };
    uart_ = pl011_create(&uart_console, &irq, 32 + SPI_PL011);
    add(
        "uart", [this](struct txn *txn) { pl011_access(uart_, txn); }, PL011_BASE, PAGE, read_ps, write_ps);

    host.core = around_.core;
    host.cores = around_.cores;
    host.ram_base = memory_->base;
    host.ram_bytes = memory_->bytes;
    host.config = config_;
    host.phase_window = [this](bool open, uint64_t t_ps) { phases_->window(open, t_ps); };
    host.smmu = [this] { return smmu_ ? smmu_->statistics() : smmu_statistics{}; };
    host.console = [this](const char *text, size_t bytes) { console_.write(console_.ctx, text, bytes); };
    host.exit = [this](uint64_t status, uint64_t) {
        result_.exit_status = status;
        if (hazards_)
            hazards_->end();
        finish(PLATFORM_EXIT, "");
    };
    host.fail = [this](const std::string &message) { finish(PLATFORM_CHECK_FAILED, message); };
    host.start_core = [this](unsigned core, uint64_t entry, uint64_t t_ps) {
        if (core == 0 || core >= cores_.size())
            return;
        cores_[core]->start(entry, core, 1, t_ps);
    };
    if (activity_)
        host.region = [this](unsigned core, const std::string &name, bool begins, uint64_t t_ps) {
            activity_->region(core, name, begins, t_ps);
        };
    simctl_ = std::make_unique<simctl>(host, guest_);
    add(
        "simctl", [this](struct txn *txn) { simctl_->access(txn); }, SIMCTL_BASE, SIMCTL_SIZE, 0, 0);

    dmac_ = std::make_unique<dmac_module>("dmac", sg_engine_config_of(config_), irq, horizon_);
    if (activity_)
        dmac_->observe(activity_->channel_observer());
    bus_->map(dmac_->registers, DMAC_BASE, DMAC_SIZE, read_ps, write_ps);
    nic_ = std::make_unique<nic_module>("nic", nic_config_of(config_), irq, horizon_);
    bus_->map(nic_->registers, NIC_BASE, NIC_SIZE, read_ps, write_ps);
    build_smmu(irq);
}

/* Between the masters and the bus. */
void platform::build_smmu(const struct irq_port &irq)
{
    uint64_t read_ps = config_get(config_, "mmio.read_ps"), write_ps = config_get(config_, "mmio.write_ps");
    uint64_t kind = config_get(config_, "smmu.kind");

    if (kind == SMMU_NONE) {
        dmac_->memory.bind(bus_->initiators);
        nic_->memory.bind(bus_->initiators);
        return;
    }
    if (kind == SMMU_V3) {
        struct smmu_config config = smmu_config_of(config_);
        smmu_ = std::make_unique<smmu_module>("smmu", config, irq, horizon_, send_event(), errors_);
        bus_->map(smmu_->registers, SMMU_BASE, smmu_register_bytes(&config), read_ps, write_ps);
    } else {
        struct mmu500_config config = mmu500_config_of(config_);
        smmu_ = std::make_unique<mmu500_module>("mmu500", config, irq, errors_);
        bus_->map(smmu_->registers, MMU500_BASE, config.instances * config.instance_bytes, read_ps, write_ps);
    }
    if (hazards_)
        smmu_->observe(hazards_->translation_observer());
    if (activity_)
        smmu_->observe_queues(activity_->queue_observer());
    dmac_->memory.bind(smmu_->masters);
    nic_->memory.bind(smmu_->masters);
    smmu_->memory.bind(bus_->initiators);
}

/* SEV from a device: to every core. */
std::function<void(uint64_t)> platform::send_event()
{
    return [this](uint64_t at_ps) {
        for (const auto &core : cores_)
            cpu_send_event(core->cpu(), at_ps);
    };
}

void platform::build_cores()
{
    struct semihost_host host = {};
    struct cpu_semihost port;

    host.ctx = this;
    host.command_line = guest_.command_line;
    host.write = [](void *ctx, const char *text, size_t bytes) {
        platform *self = static_cast<platform *>(ctx);
        self->console_.write(self->console_.ctx, text, bytes);
    };
    host.exit = [](void *ctx, struct cpu *, uint64_t status) {
        platform *self = static_cast<platform *>(ctx);
        self->result_.exit_status = status;
        self->finish(PLATFORM_EXIT, "");
    };
    semihost_.host = host;
    port = semihost_port(&semihost_);
    for (unsigned core = 0; core < around_.cores; core++) {
        struct cpu_config config = cpu_config_of(config_, core);
        config.mpidr = mpidr_[core];
        config.unaligned_flat = guest_.bare && config_get(config_, "exec.unaligned");
        cores_.push_back(
            std::make_unique<core_module>(("core" + std::to_string(core)).c_str(), config, around_, port, errors_));
        cores_.back()->coherent.bind(ram_->coherent[core]);
        cores_.back()->bus.bind(bus_->initiators);
        if (!cores_.back()->cpu())
            return;
    }
    if (guest_.bare)
        build_firmware();
}

unsigned platform::entry_el() const
{
    return guest_.bare ? static_cast<unsigned>(config_get(config_, "exec.el")) : 1;
}

/* Programs made for QEMU's virt machine find its firmware. */
void platform::build_firmware()
{
    struct psci_host host = {};
    struct cpu_firmware port;

    host.ctx = this;
    host.cores = around_.cores;
    host.mpidr = mpidr_.data();
    host.el = entry_el();
    host.start_core = [](void *ctx, unsigned core, uint64_t entry, uint64_t context, uint64_t t_ps) {
        platform *self = static_cast<platform *>(ctx);
        self->cores_[core]->start(entry, context, self->entry_el(), t_ps);
    };
    host.system_off = [](void *ctx) { static_cast<platform *>(ctx)->finish(PLATFORM_EXIT, ""); };
    psci_.host = host;
    port = psci_port(&psci_);
    for (const auto &core : cores_)
        cpu_attach_firmware(core->cpu(), &port);
}

bool platform::build()
{
    around_.horizon = &horizon_;
    around_.run_ahead_ps = config_get(config_, "sim.run_ahead_ps");
    around_.time_limit_ps = config_get(config_, "sim.time_limit_ps");
    around_.dvm_ps = config_get(config_, "cmo.dvm_ps");
    around_.cores = static_cast<unsigned>(config_get(config_, "cpu.cores"));
    around_.core = [this](unsigned core) { return cores_[core]->cpu(); };
    around_.stopped = [this](unsigned core, enum cpu_stop stop) { core_stopped(core, stop); };
    around_.past_limit = [this] { past_limit(); };
    for (unsigned core = 0; core < around_.cores; core++)
        mpidr_.push_back(guest_.bare ? mpidr_of_virt_core(core) : cpu_config_of(config_, core).mpidr);
    build_memory();
    if (!memory_ || !cache_)
        return false;
    around_.cache = cache_;
    probes_ = std::make_unique<probe_hub>(around_.core, around_.cores);
    build_hazards();
    build_activity();
    phases_ =
        std::make_unique<phase_watch>(phase_surroundings{around_.core, around_.cores, probes_.get(), [this] {
                                                             return smmu_ ? smmu_->statistics() : smmu_statistics{};
                                                         }});
    build_interrupts();
    around_.gic = gic_;
    build_devices();
    build_cores();
    return errors_.count == 0;
}

bool platform::load()
{
    if (!elf_image_read(guest_.elf_path, memory_->base, memory_->bytes, &image_, &errors_))
        return false;
    for (size_t i = 0; i < image_.segment_count; i++)
        cache_debug_write(cache_, image_.segments[i].pa, image_.segments[i].data, image_.segments[i].file_size);
    if (hazards_)
        hazards_->begin(image_, guest_.elf_path);
    if (activity_)
        activity_->begin(image_);
    phases_->begin(image_);
    probes_->attach();
    if (!guest_.bare)
        return true;
    /* as QEMU's virt machine: the tree at the start of RAM, or at its end when the program lies there */
    std::vector<uint8_t> tree =
        device_tree(mpidr_, entry_el(), memory_->base, memory_->bytes, guest_.arguments ? guest_.arguments : "");
    entry_x0_ = memory_->base;
    for (size_t i = 0; i < image_.segment_count; i++)
        if (image_.segments[i].pa < memory_->base + tree.size())
            entry_x0_ = memory_->base + memory_->bytes - 2 * MIB;
    cache_debug_write(cache_, entry_x0_, tree.data(), tree.size());
    return true;
}

void platform::past_limit()
{
    finish(PLATFORM_TIME_LIMIT, "the simulated time limit (sim.time_limit_ps) is reached" + where(0) + who_waits());
}

/* Who waits for whom: the cores by function, the most first, and the command queues that are not empty. */
std::string platform::who_waits() const
{
    std::map<std::string, unsigned> cores;
    std::vector<std::pair<unsigned, std::string>> most;
    std::string text;

    for (const auto &core : cores_) {
        const struct elf_symbol *function = elf_image_function(&image_, cpu_pc(core->cpu()));
        cores[function ? function->name : "unknown code"]++;
    }
    for (const auto &[name, count] : cores)
        most.emplace_back(count, name);
    std::stable_sort(most.begin(), most.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    for (size_t i = 0; cores_.size() > 1 && i < most.size(); i++)
        text +=
            "; " + std::to_string(most[i].first) + (most[i].first == 1 ? " core in " : " cores in ") + most[i].second;
    return text + (smmu_ ? smmu_->waiting() : "");
}

std::string platform::where(unsigned core) const
{
    uint64_t pc = cpu_pc(cores_[core]->cpu());
    const struct elf_symbol *function = elf_image_function(&image_, pc);
    char text[64];

    snprintf(text, sizeof(text), "; core %u is at 0x%llx", core, static_cast<unsigned long long>(pc));
    return std::string(text) + (function ? std::string(" in ") + function->name : "");
}

void platform::finish(enum platform_end end, const std::string &message)
{
    if (ended_)
        return;
    ended_ = true;
    result_.end = end;
    result_.message = strdup(message.c_str());
    for (const auto &core : cores_)
        cpu_request_stop(core->cpu());
    sc_core::sc_stop();
}

static std::string describe_exception(const struct cpu *cpu)
{
    uint64_t esr, elr, far;
    char text[128];

    if (!cpu_last_exception(cpu, &esr, &elr, &far))
        return "";
    snprintf(text, sizeof(text), "; last exception: ESR 0x%llx ELR 0x%llx FAR 0x%llx",
             static_cast<unsigned long long>(esr), static_cast<unsigned long long>(elr),
             static_cast<unsigned long long>(far));
    return text;
}

void platform::core_stopped(unsigned core, enum cpu_stop stop)
{
    struct cpu *cpu = cores_[core]->cpu();
    std::string detail = where(core) + describe_exception(cpu);

    switch (stop) {
    case CPU_STOP_REQUESTED:
        break;
    case CPU_STOP_INSTRUCTION_LIMIT:
        finish(PLATFORM_INSTRUCTION_LIMIT, "the instruction limit (sim.instruction_limit) is reached" + detail);
        break;
    case CPU_STOP_STUCK:
        finish(PLATFORM_GUEST_FAULT, "the guest takes the same exception again and again" + detail);
        break;
    }
}

void platform::run()
{
    cores_[0]->start(image_.entry, entry_x0_, entry_el(), 0);
    sc_core::sc_start(time_of_ps(around_.time_limit_ps), sc_core::SC_EXIT_ON_STARVATION);
    if (!ended_ && (now_ps() >= around_.time_limit_ps || sc_core::sc_pending_activity()))
        past_limit();
    if (!ended_)
        finish(PLATFORM_STUCK, "nothing can happen any more: every core sleeps and no device is at work" + where(0) +
                                   who_waits() + describe_exception(cores_[0]->cpu()));
    collect();
}

void platform::collect()
{
    uint64_t parts[STACK_PARTS];

    simctl_->collect(result_);
    phases_->collect(result_);
    if (hazards_)
        hazards_->collect(result_);
    for (unsigned core = 0; core < cores_.size(); core++) {
        struct cpu *cpu = cores_[core]->cpu();
        if (cpu_now_ps(cpu) > result_.simulated_ps)
            result_.simulated_ps = cpu_now_ps(cpu);
        add_counts(result_.counters, *cpu_counters(cpu));
        add_counts(result_.cache, *cache_counters(cache_, core));
        cpu_stack(cpu, parts);
        for (unsigned part = 0; part < STACK_PARTS; part++)
            result_.stack_ps[part] += parts[part];
    }
    result_.instructions = result_.counters.instructions;
    if (activity_)
        activity_->collect(result_, errors_);
    if (smmu_)
        result_.smmu = smmu_->statistics();
}

} // namespace

static void check_smmu(const struct config *config, struct error_list *errors)
{
    uint64_t kind = config_get(config, "smmu.kind");
    struct smmu_config v3 = smmu_config_of(config);
    struct mmu500_config mmu500 = mmu500_config_of(config);

    if (kind == SMMU_V3)
        smmu_config_check(&v3, errors);
    else if (kind == SMMU_MMU500)
        mmu500_config_check(&mmu500, errors);
}

bool platform_check(const struct config *config, struct error_list *errors)
{
    struct memory memory = {};
    struct cache_config cache = cache_config_of(config);
    struct cpu_config cpu = cpu_config_of(config, 0);
    struct sg_engine_config dmac = sg_engine_config_of(config);
    struct nic_config nic = nic_config_of(config);
    struct core_bus bus = {};
    size_t before = errors->count;

    memory.base = RAM_BASE;
    memory.bytes = config_get(config, "ram.bytes");
    if (memory.bytes % PAGE)
        error_add(errors, nullptr, "ram.bytes must be a multiple of 4KiB");
    cache_destroy(cache_create(&cache, &memory, errors)); /* which reads no memory */
    cpu_destroy(cpu_create(&cpu, &bus, nullptr, errors)); /* all cores are alike */
    if (dmac.burst_bytes & (dmac.burst_bytes - 1))
        error_add(errors, nullptr, "dmac.burst_bytes is %u; it must be a power of two", dmac.burst_bytes);
    if (nic.burst_bytes & (nic.burst_bytes - 1))
        error_add(errors, nullptr, "nic.burst_bytes is %u; it must be a power of two", nic.burst_bytes);
    if (cache.remote_bytes >= memory.bytes)
        error_add(errors, nullptr, "ram.remote_bytes must be less than ram.bytes");
    check_smmu(config, errors);
    return errors->count == before;
}

bool platform_run(const struct config *config, const struct platform_guest *guest,
                  const struct platform_console *console, struct platform_result *result, struct error_list *errors)
{
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
    *result = {};
    if (!platform_check(config, errors))
        return false;
    class platform platform(config, *guest, *console, *result, *errors);
    if (!platform.build() || !platform.load())
        return false;
    platform.run();
    return true;
}

void platform_result_free(struct platform_result *result)
{
    for (size_t i = 0; i < result->region_count; i++)
        free(result->regions[i].name);
    for (size_t i = 0; i < result->value_count; i++) {
        free(result->values[i].case_name);
        free(result->values[i].metric);
        free(result->values[i].unit);
    }
    for (size_t i = 0; i < result->hazard_count; i++) {
        free(result->hazards[i].case_name);
        free(result->hazards[i].where);
        free(result->hazards[i].cause);
    }
    for (size_t i = 0; i < result->chain_count; i++)
        free(result->chains[i].functions);
    free(result->chains);
    free(result->regions);
    free(result->hazards);
    free(result->phases);
    free(result->values);
    free(result->message);
    *result = {};
}
