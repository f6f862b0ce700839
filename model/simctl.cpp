#include "model/simctl.h"

#include "model/counts.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "kernel-shim/include/simctl.h"
}

static const uint64_t SIMCTL_ID_VALUE = 0x4D49534D4144; /* "DMASIM", little-endian */
static const uint64_t REGIONS = 64;
static const size_t STRING_LIMIT = 256;
static const size_t P99_SAMPLES = 1000;

simctl::simctl(simctl_host host, const struct platform_guest &guest) : host_(std::move(host))
{
    for (size_t i = 0; i < guest.parameter_count; i++)
        parameters_[guest.parameters[i].name] = guest.parameters[i].value;
}

void simctl::access(struct txn *txn)
{
    uint64_t value = 0;

    if (txn->size > 8 || txn->addr % txn->size != 0) {
        txn->status = TXN_SLVERR;
        return;
    }
    if (txn->kind == TXN_READ) {
        value = read(txn->addr, txn->requester, txn->start_ps);
        memcpy(txn->data, &value, txn->size);
    } else {
        memcpy(&value, txn->data, txn->size);
        write(txn->addr, value, txn->requester, txn->start_ps);
    }
}

uint64_t simctl::read(uint64_t offset, unsigned, uint64_t t_ps) const
{
    switch (offset) {
    case SIMCTL_ID:
        return SIMCTL_ID_VALUE;
    case SIMCTL_TIME_PS:
        return t_ps;
    case SIMCTL_CORES:
        return host_.cores;
    case SIMCTL_RAM_BASE:
        return host_.ram_base;
    case SIMCTL_RAM_BYTES:
        return host_.ram_bytes;
    case SIMCTL_PARAM_FOUND:
        return found_;
    case SIMCTL_PARAM_VALUE:
        return parameter_;
    default:
        return 0;
    }
}

void simctl::write(uint64_t offset, uint64_t value, unsigned core, uint64_t t_ps)
{
    char byte = static_cast<char>(value);

    switch (offset) {
    case SIMCTL_CONSOLE:
        host_.console(&byte, 1);
        break;
    case SIMCTL_EXIT:
        host_.exit(value, t_ps);
        break;
    case SIMCTL_PARAM_NAME:
        find_parameter(guest_string(core, value));
        break;
    case SIMCTL_REGION_SELECT:
        selected_ = value;
        break;
    case SIMCTL_REGION_NAME:
        region_at(selected_).name = guest_string(core, value);
        break;
    case SIMCTL_REGION_BEGIN:
        begin(core, value, t_ps);
        break;
    case SIMCTL_REGION_END:
        end(core, value, t_ps);
        break;
    case SIMCTL_VALUE_CASE:
        case_ = guest_string(core, value);
        break;
    case SIMCTL_VALUE_NAME:
        name_ = guest_string(core, value);
        break;
    case SIMCTL_VALUE_UNIT:
        unit_ = guest_string(core, value);
        break;
    case SIMCTL_VALUE_SCALE:
        scale_ = std::max<uint64_t>(value, 1);
        break;
    case SIMCTL_VALUE_EMIT:
        values_.push_back({case_, name_, unit_, static_cast<int64_t>(value), scale_});
        break;
    case SIMCTL_CORE_START:
        host_.start_core(static_cast<unsigned>(value >> 48), value & ((1ull << 48) - 1), t_ps);
        break;
    case SIMCTL_PHASE_WINDOW:
        host_.phase_window(value != 0, t_ps);
        break;
    case SIMCTL_CHECK_FAIL:
        host_.fail(guest_string(core, value));
        break;
    default:
        break;
    }
}

std::string simctl::guest_string(unsigned core, uint64_t va) const
{
    std::string text;
    char byte = 0;

    while (text.size() < STRING_LIMIT && cpu_debug_read(host_.core(core), va + text.size(), &byte, 1) && byte)
        text.push_back(byte);
    return text;
}

void simctl::find_parameter(const std::string &name)
{
    auto found = parameters_.find(name);

    found_ = true;
    if (found != parameters_.end())
        parameter_ = found->second;
    else if (key_find(name.c_str()))
        parameter_ = config_get(host_.config, name.c_str());
    else
        found_ = false;
}

simctl::region &simctl::region_at(uint64_t number)
{
    region &region = regions_[number % REGIONS];

    if (region.name.empty())
        region.name = "region" + std::to_string(number % REGIONS);
    return region;
}

void simctl::begin(unsigned core, uint64_t number, uint64_t t_ps)
{
    open_region &open = region_at(number).by_core[core];

    if (host_.region)
        host_.region(core, region_at(number).name, true, t_ps);
    open.open = true;
    open.begin_ps = t_ps;
    open.counters = *cpu_counters(host_.core(core));
    open.smmu = host_.smmu();
    cpu_stack(host_.core(core), open.stack_ps);
}

void simctl::end(unsigned core, uint64_t number, uint64_t t_ps)
{
    region &region = region_at(number);
    open_region &open = region.by_core[core];
    uint64_t stack[STACK_PARTS];

    if (!open.open)
        return;
    open.open = false;
    if (host_.region)
        host_.region(core, region.name, false, t_ps);
    region.samples++;
    region.total_ps += t_ps - open.begin_ps;
    region.sample_ps.push_back(t_ps - open.begin_ps);
    cpu_stack(host_.core(core), stack);
    for (unsigned i = 0; i < STACK_PARTS; i++)
        region.stack_ps[i] += stack[i] - open.stack_ps[i];
    add_counts(region.counters, *cpu_counters(host_.core(core)), open.counters);
    add_counts(region.smmu, host_.smmu(), open.smmu);
}

uint64_t simctl::latest_region(unsigned core) const
{
    uint64_t latest_ps = 0, found = 0;

    for (const auto &[number, region] : regions_) {
        auto open = region.by_core.find(core);
        if (open != region.by_core.end() && open->second.open && open->second.begin_ps >= latest_ps) {
            latest_ps = open->second.begin_ps;
            found = number + 1;
        }
    }
    return found;
}

std::string simctl::region_name(uint64_t number) const
{
    auto region = number ? regions_.find(number - 1) : regions_.end();

    return region == regions_.end() ? "" : region->second.name;
}

template <typename T> static T *array_of(size_t count)
{
    return static_cast<T *>(calloc(count ? count : 1, sizeof(T)));
}

/* The smallest sample that 99 % do not exceed; 0: too few for that. */
static uint64_t p99_of(std::vector<uint64_t> sample_ps)
{
    size_t rank = (sample_ps.size() * 99 + 99) / 100;

    if (sample_ps.size() < P99_SAMPLES)
        return 0;
    std::nth_element(sample_ps.begin(), sample_ps.begin() + static_cast<ptrdiff_t>(rank - 1), sample_ps.end());
    return sample_ps[rank - 1];
}

void simctl::collect(struct platform_result &result)
{
    result.regions = array_of<struct platform_region>(regions_.size());
    for (const auto &[number, region] : regions_) {
        if (region.samples == 0)
            continue;
        struct platform_region &out = result.regions[result.region_count++];
        out.name = strdup(region.name.c_str());
        out.samples = region.samples;
        out.total_ps = region.total_ps;
        out.p99_ps = p99_of(region.sample_ps);
        std::copy(region.stack_ps, region.stack_ps + STACK_PARTS, out.stack_ps);
        out.counters = region.counters;
        out.smmu = region.smmu;
    }
    result.values = array_of<struct platform_value>(values_.size());
    for (const value &value : values_) {
        struct platform_value &out = result.values[result.value_count++];
        out.case_name = strdup(value.case_name.c_str());
        out.metric = strdup(value.metric.c_str());
        out.unit = strdup(value.unit.c_str());
        out.value = value.value;
        out.scale = value.scale;
    }
}
