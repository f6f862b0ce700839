/* A device, dmasim's SMMUv3 and a memory: one write through stage 2, one that has no translation. */
#include <cstdio>
#include <cstring>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "model/smmu_module.h"

/* Addresses of the memory. */
enum : uint64_t { COMMANDS = 0x1000, STREAM_TABLE = 0x2000, STAGE2_TABLE = 0x3000, MEMORY_BYTES = 0x10000 };
/* What the device uses: 1 GiB at IOVA is memory from 0 on. */
enum : uint64_t { IOVA = 0x40000000 };
/* Registers (Arm IHI 0070 6.2). */
enum : uint64_t {
    CR0 = 0x20,
    STRTAB_BASE = 0x80,
    STRTAB_BASE_CFG = 0x88,
    CMDQ_BASE = 0x90,
    CMDQ_PROD = 0x98,
    CMDQ_CONS = 0x9C
};
enum : uint32_t { SMMUEN = 1 << 0, CMDQEN = 1 << 3 };

class ram : public sc_core::sc_module
{
  public:
    tlm_utils::simple_target_socket<ram> socket;

    explicit ram(sc_core::sc_module_name name) : sc_module(name), socket("socket"), bytes_(MEMORY_BYTES)
    {
        socket.register_b_transport(this, &ram::transport);
    }

    uint64_t word(uint64_t at) const
    {
        uint64_t value;
        std::memcpy(&value, &bytes_[at], sizeof(value));
        return value;
    }
    void set_word(uint64_t at, uint64_t value)
    {
        std::memcpy(&bytes_[at], &value, sizeof(value));
    }

  private:
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
    {
        uint64_t at = payload.get_address(), length = payload.get_data_length();

        delay += sc_core::sc_time(90, sc_core::SC_NS);
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        if (at >= MEMORY_BYTES || length > MEMORY_BYTES - at)
            return;
        if (payload.is_write())
            std::memcpy(&bytes_[at], payload.get_data_ptr(), length);
        else
            std::memcpy(payload.get_data_ptr(), &bytes_[at], length);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    std::vector<unsigned char> bytes_;
};

class testbench : public sc_core::sc_module
{
  public:
    tlm_utils::simple_initiator_socket<testbench> registers, device;
    bool fine = false;

    SC_HAS_PROCESS(testbench);
    testbench(sc_core::sc_module_name name, ram &ram)
        : sc_module(name), registers("registers"), device("device"), ram_(ram)
    {
        SC_THREAD(run);
    }

  private:
    template <typename Socket, typename Value>
    bool access(Socket &socket, tlm::tlm_command command, uint64_t address, Value &value)
    {
        tlm::tlm_generic_payload payload;
        sc_core::sc_time delay;

        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(reinterpret_cast<unsigned char *>(&value));
        payload.set_data_length(sizeof(value));
        payload.set_streaming_width(sizeof(value));
        socket->b_transport(payload, delay);
        wait(delay);
        return payload.is_response_ok();
    }
    template <typename Value> void set_register(uint64_t offset, Value value)
    {
        access(registers, tlm::TLM_WRITE_COMMAND, offset, value);
    }

    /* Stream 0: stage 2 alone, one level 1 block (IHI 0070 5.2, DDI 0487 D8.3). */
    void write_tables()
    {
        ram_.set_word(STREAM_TABLE, 1 | 6 << 1); /* V, Config: stage 2 */
        /* VMID 1, S2T0SZ 32, S2SL0 1, 4 KB granule, S2PS 48 bits, S2AA64, S2R */
        ram_.set_word(STREAM_TABLE + 16, 1 | 32ull << 32 | 1ull << 38 | 5ull << 48 | 1ull << 51 | 1ull << 58);
        ram_.set_word(STREAM_TABLE + 24, STAGE2_TABLE);
        /* a block: AF, inner shareable, S2AP read and write, write-back memory */
        ram_.set_word(STAGE2_TABLE + 8 * (IOVA >> 30), 1 << 10 | 3 << 8 | 3 << 6 | 15 << 2 | 1);
    }

    void enable()
    {
        uint32_t consumed = 0;

        set_register(STRTAB_BASE, uint64_t(STREAM_TABLE));
        set_register(STRTAB_BASE_CFG, uint32_t(0)); /* linear, one entry */
        set_register(CMDQ_BASE, uint64_t(COMMANDS | 3));
        set_register(CR0, SMMUEN | CMDQEN);
        ram_.set_word(COMMANDS, 0x04); /* CMD_CFGI_ALL */
        ram_.set_word(COMMANDS + 8, 31);
        ram_.set_word(COMMANDS + 16, SMMU_CMD_SYNC);
        set_register(CMDQ_PROD, uint32_t(2));
        while (consumed != 2)
            access(registers, tlm::TLM_READ_COMMAND, CMDQ_CONS, consumed);
        std::printf("%8.1f ns: CMD_CFGI_ALL and CMD_SYNC are consumed\n", now_ns());
    }

    static double now_ns()
    {
        return sc_core::sc_time_stamp().to_seconds() * 1e9;
    }

    void run()
    {
        uint64_t value = 0x0123456789abcdef;
        bool written, refused;

        write_tables();
        enable();
        written = access(device, tlm::TLM_WRITE_COMMAND, IOVA + 0x8000, value) && ram_.word(0x8000) == value;
        std::printf("%8.1f ns: a write to 0x40008000 %s\n", now_ns(), written ? "arrived at 0x8000" : "was lost");
        refused = !access(device, tlm::TLM_WRITE_COMMAND, 0x8000, value);
        std::printf("%8.1f ns: a write to 0x8000 %s\n", now_ns(), refused ? "was refused" : "went through");
        fine = written && refused;
        sc_core::sc_stop();
    }

    ram &ram_;
};

static struct smmu_config configuration()
{
    struct smmu_config config = {};

    config.sid_bits = 6;
    config.stage1 = config.stage2 = config.cohacc = true;
    config.cmdq_bits = config.eventq_bits = 8;
    config.translator = {48, 8, 512, 4, 64, 4, 1000, 4000, 2000};
    config.config_entries = 16;
    config.engines = config.cmdq_weight = config.ecmdq_weight = 1;
    config.prefetch = 16;
    config.command_ps = 5000;
    config.sync_ps = 20000;
    config.invalidation_ps = 50000;
    config.config_ps = 2000;
    config.access_ps = 5000;
    config.requester = REQUESTER_DEVICE_BASE + 1;
    return config;
}

int sc_main(int, char **)
{
    struct error_list errors = {};
    struct irq_port no_interrupts = {nullptr, [](void *, unsigned, unsigned, bool, uint64_t) {}};
    class horizon horizon;
    ram ram("ram");
    smmu_module smmu(
        "smmu", configuration(), no_interrupts, horizon, [](uint64_t) {}, errors);
    testbench bench("bench", ram);

    for (size_t i = 0; i < errors.count; i++)
        std::fprintf(stderr, "%s\n", errors.entries[i].text);
    if (errors.count)
        return 2;
    bench.registers.bind(smmu.registers);
    bench.device.bind(smmu.masters);
    smmu.memory.bind(ram.socket);
    sc_core::sc_start();
    return bench.fine ? 0 : 1;
}
