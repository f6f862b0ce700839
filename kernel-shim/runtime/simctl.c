#include "simctl.h"
#include "runtime.h"

static void control(unsigned offset, uint64_t value)
{
    barrier();
    writeq_relaxed(value, SIMCTL_BASE + offset);
}

uint64_t sim_param(const char *name, uint64_t standard)
{
    control(SIMCTL_PARAM_NAME, (uint64_t)name);
    return readq_relaxed(SIMCTL_BASE + SIMCTL_PARAM_FOUND) ? readq_relaxed(SIMCTL_BASE + SIMCTL_PARAM_VALUE) : standard;
}

void sim_region_name(unsigned region, const char *name)
{
    control(SIMCTL_REGION_SELECT, region);
    control(SIMCTL_REGION_NAME, (uint64_t)name);
}

void sim_phase_window(bool open)
{
    control(SIMCTL_PHASE_WINDOW, open);
}

void sim_region_begin(unsigned region)
{
    control(SIMCTL_REGION_BEGIN, region);
}

void sim_region_end(unsigned region)
{
    control(SIMCTL_REGION_END, region);
}

void sim_emit(const char *case_name, const char *metric, const char *unit, int64_t value, uint64_t scale)
{
    control(SIMCTL_VALUE_CASE, (uint64_t)case_name);
    control(SIMCTL_VALUE_NAME, (uint64_t)metric);
    control(SIMCTL_VALUE_UNIT, (uint64_t)unit);
    control(SIMCTL_VALUE_SCALE, scale);
    control(SIMCTL_VALUE_EMIT, (uint64_t)value);
}

void sim_exit(uint64_t status)
{
    control(SIMCTL_EXIT, status);
    for (;;)
        asm volatile("wfi");
}

void sim_fail(const char *message)
{
    control(SIMCTL_CHECK_FAIL, (uint64_t)message);
    for (;;)
        asm volatile("wfi");
}
