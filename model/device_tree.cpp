#include "model/device_tree.h"

#include <algorithm>
#include <libfdt.h>
#include <string>

extern "C" {
#include "kernel-shim/include/simctl.h"
}

namespace
{

const uint32_t GIC_PHANDLE = 1, CLOCK_PHANDLE = 2;

/* libfdt's sequential writer with C++ strings. */
class writer
{
  public:
    writer() : bytes_(65536)
    {
        fdt_create(bytes_.data(), static_cast<int>(bytes_.size()));
        fdt_finish_reservemap(bytes_.data());
    }
    void begin(const std::string &name)
    {
        fdt_begin_node(bytes_.data(), name.c_str());
    }
    void end()
    {
        fdt_end_node(bytes_.data());
    }
    void text(const char *name, const std::string &value)
    {
        fdt_property(bytes_.data(), name, value.data(), static_cast<int>(value.size() + 1));
    }
    void cell(const char *name, uint32_t value)
    {
        fdt_property_u32(bytes_.data(), name, value);
    }
    void empty(const char *name)
    {
        fdt_property(bytes_.data(), name, nullptr, 0);
    }
    void cells(const char *name, const std::vector<uint32_t> &values)
    {
        std::vector<fdt32_t> big;
        for (uint32_t value : values)
            big.push_back(cpu_to_fdt32(value));
        fdt_property(bytes_.data(), name, big.data(), static_cast<int>(big.size() * sizeof(fdt32_t)));
    }
    std::vector<uint8_t> take()
    {
        fdt_finish(bytes_.data());
        bytes_.resize(fdt_totalsize(bytes_.data()));
        return bytes_;
    }

  private:
    std::vector<uint8_t> bytes_;
};

uint32_t high(uint64_t value)
{
    return static_cast<uint32_t>(value >> 32);
}

uint32_t low(uint64_t value)
{
    return static_cast<uint32_t>(value);
}

void cpus(writer &tree, const std::vector<uint64_t> &mpidr)
{
    tree.begin("cpus");
    tree.cell("#address-cells", 1);
    tree.cell("#size-cells", 0);
    for (size_t core = 0; core < mpidr.size(); core++) {
        tree.begin("cpu@" + std::to_string(core));
        tree.text("device_type", "cpu");
        tree.text("compatible", "arm,armv8");
        tree.cell("reg", low(mpidr[core]));
        if (mpidr.size() > 1)
            tree.text("enable-method", "psci");
        tree.end();
    }
    tree.end();
}

void firmware(writer &tree, unsigned el)
{
    tree.begin("psci");
    tree.text("compatible", std::string("arm,psci-1.0\0arm,psci-0.2\0arm,psci", 34));
    tree.text("method", el == 2 ? "smc" : "hvc");
    tree.end();
}

void devices(writer &tree, unsigned cores)
{
    const uint32_t PPI = 1, SPI = 0, LEVEL_HIGH = 4;

    tree.begin("timer");
    tree.text("compatible", "arm,armv8-timer");
    tree.cells("interrupts", {PPI, 13, LEVEL_HIGH, PPI, 14, LEVEL_HIGH, PPI, 11, LEVEL_HIGH, PPI, 10, LEVEL_HIGH});
    tree.empty("always-on");
    tree.end();
    tree.begin("intc@8000000");
    tree.text("compatible", "arm,gic-v3");
    tree.cell("phandle", GIC_PHANDLE);
    tree.empty("interrupt-controller");
    tree.cell("#interrupt-cells", 3);
    uint32_t first = std::min<uint32_t>(cores, GICR_CORES);
    std::vector<uint32_t> reg = {0, GICD_BASE, 0, 0x10000, 0, GICR_BASE, 0, 0x20000 * first};
    if (cores > first)
        reg.insert(reg.end(), {0, GICR2_BASE, 0, 0x20000 * (cores - first)});
    tree.cell("#redistributor-regions", cores > first ? 2 : 1);
    tree.cells("reg", reg);
    tree.end();
    tree.begin("apb-pclk");
    tree.text("compatible", "fixed-clock");
    tree.cell("phandle", CLOCK_PHANDLE);
    tree.cell("#clock-cells", 0);
    tree.cell("clock-frequency", 24000000);
    tree.end();
    tree.begin("pl011@9000000");
    tree.text("compatible", std::string("arm,pl011\0arm,primecell", 23));
    tree.cells("reg", {0, PL011_BASE, 0, 0x1000});
    tree.cells("interrupts", {SPI, SPI_PL011, LEVEL_HIGH});
    tree.cells("clocks", {CLOCK_PHANDLE, CLOCK_PHANDLE});
    tree.text("clock-names", std::string("uartclk\0apb_pclk", 16));
    tree.end();
}

} // namespace

std::vector<uint8_t> device_tree(const std::vector<uint64_t> &mpidr, unsigned el, uint64_t ram_base, uint64_t ram_bytes,
                                 const std::string &arguments)
{
    writer tree;

    tree.begin("");
    tree.text("compatible", "linux,dummy-virt");
    tree.cell("#address-cells", 2);
    tree.cell("#size-cells", 2);
    tree.cell("interrupt-parent", GIC_PHANDLE);
    tree.begin("chosen");
    tree.text("stdout-path", "/pl011@9000000");
    if (!arguments.empty())
        tree.text("bootargs", arguments);
    tree.end();
    tree.begin("memory@40000000");
    tree.text("device_type", "memory");
    tree.cells("reg", {high(ram_base), low(ram_base), high(ram_bytes), low(ram_bytes)});
    tree.end();
    cpus(tree, mpidr);
    firmware(tree, el);
    devices(tree, static_cast<unsigned>(mpidr.size()));
    tree.end();
    return tree.take();
}
