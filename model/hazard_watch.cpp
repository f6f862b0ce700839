#include "model/hazard_watch.h"

#include <cstdlib>
#include <cstring>

#include "model/platform_config.h"

extern "C" {
#include "kernel-shim/include/simctl.h"
}

static hazard_watch *self(void *ctx)
{
    return static_cast<hazard_watch *>(ctx);
}

hazard_watch::hazard_watch(const struct config *config, hazard_surroundings around) : around_(std::move(around))
{
    struct hazard_config c = {};
    struct smmu_config smmu = smmu_config_of(config);
    struct hazard_host port = host();
    struct memory_observer observer;

    c.cores = around_.cores;
    c.ram_base = around_.ram_base;
    c.ram_bytes = around_.ram_bytes;
    c.smmu_requester = smmu_requester_ = smmu.requester;
    nic_requester_ = nic_config_of(config).requester;
    c.early_acknowledgement = cache_config_of(config).cmo_early_ack;
    smmu_bytes_ = smmu_register_bytes(&smmu);
    listener_ = around_.probes->listen([this](unsigned core, uint64_t pc) { hazard_probe_hit(hazards_, core, pc); });
    hazards_ = hazard_create(&c, &port);
    if (!hazards_)
        abort(); /* as where any other memory of the host is out */
    observer = hazard_memory_observer(hazards_);
    cache_attach_observer(around_.cache, &observer);
}

hazard_watch::~hazard_watch()
{
    hazard_destroy(hazards_);
    elf_lines_close(lines_);
}

struct hazard_host hazard_watch::host()
{
    struct hazard_host port = {};

    port.ctx = this;
    port.reg = [](void *ctx, unsigned core, unsigned number) {
        struct cpu *cpu = self(ctx)->around_.core(core);
        return number == HAZARD_REG_PC ? cpu_pc(cpu) : cpu_x(cpu, number);
    };
    port.now_ps = [](void *ctx, unsigned core) { return cpu_now_ps(self(ctx)->around_.core(core)); };
    port.read = [](void *ctx, unsigned core, uint64_t va, void *data, uint64_t bytes) {
        return cpu_debug_read(self(ctx)->around_.core(core), va, data, bytes);
    };
    port.mark = [](void *ctx, uint32_t line, unsigned marks) { cache_mark(self(ctx)->around_.cache, line, marks); };
    port.context = [](void *ctx, unsigned core) { return self(ctx)->around_.context(core); };
    port.probe = [](void *ctx, uint64_t pc) { self(ctx)->around_.probes->add(self(ctx)->listener_, pc); };
    return port;
}

struct translation_observer hazard_watch::translation_observer()
{
    struct translation_observer observer = {};

    observer.ctx = this;
    observer.translated = [](void *ctx, const struct txn *txn, bool from_tlb, uint64_t t_ps) {
        hazard_translated(self(ctx)->hazards_, txn->requester, txn->addr, txn->size, from_tlb, t_ps);
    };
    return observer;
}

void hazard_watch::begin(const struct elf_image &image, const char *path)
{
    image_ = &image;
    lines_ = elf_lines_open(path);
    for (size_t i = 0; i < image.function_count; i++)
        hazard_function(hazards_, image.functions[i].name, image.functions[i].value, image.functions[i].size);
}

void hazard_watch::device_access(unsigned core, const struct txn &txn)
{
    if (txn.kind == TXN_READ)
        return;
    if (txn.addr >= DMAC_BASE && txn.addr < DMAC_BASE + DMAC_SIZE)
        hazard_doorbell(hazards_, core,
                        REQUESTER_DEVICE_BASE + static_cast<uint32_t>((txn.addr - DMAC_BASE) / SG_CHANNEL_BYTES),
                        txn.start_ps);
    else if (txn.addr >= NIC_BASE && txn.addr < NIC_BASE + NIC_SIZE)
        hazard_doorbell(hazards_, core, nic_requester_, txn.start_ps);
    else if ((txn.addr >= SMMU_BASE && txn.addr < SMMU_BASE + smmu_bytes_) ||
             (txn.addr >= MMU500_BASE && txn.addr < MMU500_BASE + 4ull * MMU500_SIZE))
        hazard_doorbell(hazards_, core, smmu_requester_, txn.start_ps);
}

/* --- text --- */

/* "function (file:line)" */
std::string hazard_watch::function_line(uint64_t pc) const
{
    const struct elf_symbol *function = elf_image_function(image_, pc);
    const char *file;
    char number[32];
    int line;

    snprintf(number, sizeof(number), "0x%llx", static_cast<unsigned long long>(pc));
    std::string text = function ? function->name : number;
    return elf_lines_find(lines_, pc, &file, &line) ? text + " (" + file + ":" + std::to_string(line) + ")" : text;
}

/* Whether the instruction before link is a BL to the function, so that link was not left over from another call. */
bool hazard_watch::called_by(const struct elf_symbol &function, uint64_t link) const
{
    uint32_t word = 0;

    for (size_t i = 0; i < image_->segment_count; i++) {
        const struct elf_segment &segment = image_->segments[i];
        if (link - 4 >= segment.pa && link - segment.pa <= segment.file_size)
            memcpy(&word, segment.data + (link - 4 - segment.pa), 4);
    }
    int64_t offset = static_cast<int64_t>(static_cast<uint64_t>(word & 0x3FFFFFF) << 38) >> 36;
    return word >> 26 == 0x25 && link - 4 + static_cast<uint64_t>(offset) == function.value;
}

/* A leaf function is named with its caller. */
std::string hazard_watch::describe(const struct hazard_place &place) const
{
    const struct elf_symbol *function = elf_image_function(image_, place.pc);

    if (!place.pc)
        return "";
    if (!function || !place.link || !called_by(*function, place.link))
        return function_line(place.pc);
    return function_line(place.pc) + ", called by " + function_line(place.link - 4);
}

void hazard_watch::collect(struct platform_result &result) const
{
    size_t count;
    const struct hazard_report *reports = hazard_reports(hazards_, &count);

    result.hazards = static_cast<struct platform_hazard *>(calloc(count ? count : 1, sizeof(*result.hazards)));
    for (size_t i = 0; i < count; i++) {
        const struct hazard_report &report = reports[i];
        struct platform_hazard &out = result.hazards[result.hazard_count++];
        out.kind = hazard_kind_info(report.kind)->name;
        out.what = hazard_kind_info(report.kind)->what;
        out.missing = report.missing;
        out.cause_what = report.cause_what ? report.cause_what : "";
        out.case_name = strdup(around_.case_name(report.context).c_str());
        out.where = strdup(describe(report.where).c_str());
        out.cause = strdup(describe(report.cause).c_str());
        out.count = report.count;
        out.first_ps = report.first_ps;
        out.core = report.core;
        out.address = report.address;
        out.window_ps = report.window_ps;
    }
}
