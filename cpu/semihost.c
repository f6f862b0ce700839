#include "cpu/semihost.h"

#include <errno.h>
#include <string.h>

#include "common/units.h"

enum semihost_operation {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITEC = 0x03,
    SYS_WRITE0 = 0x04,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_READC = 0x07,
    SYS_ISERROR = 0x08,
    SYS_ISTTY = 0x09,
    SYS_SEEK = 0x0A,
    SYS_FLEN = 0x0C,
    SYS_TMPNAM = 0x0D,
    SYS_REMOVE = 0x0E,
    SYS_RENAME = 0x0F,
    SYS_CLOCK = 0x10,
    SYS_TIME = 0x11,
    SYS_SYSTEM = 0x12,
    SYS_ERRNO = 0x13,
    SYS_GET_CMDLINE = 0x15,
    SYS_HEAPINFO = 0x16,
    SYS_EXIT = 0x18,
    SYS_EXIT_EXTENDED = 0x20,
    SYS_ELAPSED = 0x30,
    SYS_TICKFREQ = 0x31,
};

#define FAILED                       UINT64_MAX
#define HANDLE_CONSOLE               1u
#define HANDLE_FEATURES              2u
#define ADP_STOPPED_APPLICATION_EXIT 0x20026u
#define EPOCH_S                      1577836800ull /* the simulated clock starts at 2020-01-01: the host's must not be seen */

/* Parameter n of the block at address. */
static uint64_t parameter(struct cpu *cpu, uint64_t block, unsigned n)
{
    uint64_t value = 0;

    cpu_debug_read(cpu, block + 8 * n, &value, sizeof(value));
    return value;
}

static uint64_t fail(struct semihost *semihost, uint64_t error)
{
    semihost->last_error = error;
    return FAILED;
}

static void put(struct semihost *semihost, const char *text, size_t bytes)
{
    semihost->host.write(semihost->host.ctx, text, bytes);
}

static uint64_t write_string(struct semihost *semihost, struct cpu *cpu, uint64_t address)
{
    char byte;

    while (cpu_debug_read(cpu, address++, &byte, 1) && byte)
        put(semihost, &byte, 1);
    return 0;
}

/* Returns the bytes not written. */
static uint64_t write_handle(struct semihost *semihost, struct cpu *cpu, uint64_t block)
{
    uint64_t address = parameter(cpu, block, 1), left = parameter(cpu, block, 2);
    char buffer[256];

    if (parameter(cpu, block, 0) != HANDLE_CONSOLE)
        return left;
    while (left) {
        uint64_t part = left < sizeof(buffer) ? left : sizeof(buffer);
        if (!cpu_debug_read(cpu, address, buffer, part))
            return left;
        put(semihost, buffer, part);
        address += part;
        left -= part;
    }
    return 0;
}

static uint64_t open_handle(struct semihost *semihost, struct cpu *cpu, uint64_t block)
{
    char name[32] = "";
    uint64_t length = parameter(cpu, block, 2);

    if (length >= sizeof(name) || !cpu_debug_read(cpu, parameter(cpu, block, 0), name, length))
        return fail(semihost, ENOENT);
    if (strcmp(name, ":tt") == 0)
        return HANDLE_CONSOLE;
    if (strcmp(name, ":semihosting-features") == 0) {
        semihost->position = 0;
        return HANDLE_FEATURES;
    }
    return fail(semihost, ENOENT);
}

/* The features file: magic "SHFB", then SH_EXT_EXIT_EXTENDED and SH_EXT_STDOUT_STDERR. */
static const char features[] = {'S', 'H', 'F', 'B', 3};

static uint64_t read_handle(struct semihost *semihost, struct cpu *cpu, uint64_t block)
{
    uint64_t wanted = parameter(cpu, block, 2), left = sizeof(features) - semihost->position;
    uint64_t part = wanted < left ? wanted : left;

    if (parameter(cpu, block, 0) != HANDLE_FEATURES)
        return wanted; /* end of file */
    if (!cpu_debug_write(cpu, parameter(cpu, block, 1), features + semihost->position, part))
        return wanted;
    semihost->position += part;
    return wanted - part;
}

static uint64_t seek_handle(struct semihost *semihost, struct cpu *cpu, uint64_t block)
{
    uint64_t position = parameter(cpu, block, 1);

    if (parameter(cpu, block, 0) != HANDLE_FEATURES || position > sizeof(features))
        return fail(semihost, EINVAL);
    semihost->position = position;
    return 0;
}

static uint64_t length_of_handle(struct semihost *semihost, struct cpu *cpu, uint64_t block)
{
    return parameter(cpu, block, 0) == HANDLE_FEATURES ? sizeof(features) : fail(semihost, EINVAL);
}

static uint64_t close_handle(struct semihost *semihost, struct cpu *cpu, uint64_t block)
{
    uint64_t handle = parameter(cpu, block, 0);

    return handle == HANDLE_CONSOLE || handle == HANDLE_FEATURES ? 0 : fail(semihost, EBADF);
}

static uint64_t command_line(struct semihost *semihost, struct cpu *cpu, uint64_t block)
{
    const char *text = semihost->host.command_line ? semihost->host.command_line : "";
    uint64_t length = strlen(text);

    if (length + 1 > parameter(cpu, block, 1) || !cpu_debug_write(cpu, parameter(cpu, block, 0), text, length + 1))
        return FAILED;
    cpu_debug_write(cpu, block + 8, &length, sizeof(length));
    return 0;
}

static uint64_t heap_info(struct cpu *cpu, uint64_t block)
{
    static const uint64_t unknown[4]; /* the program takes its own linker symbols */

    return cpu_debug_write(cpu, parameter(cpu, block, 0), unknown, sizeof(unknown)) ? 0 : FAILED;
}

static uint64_t leave(struct semihost *semihost, struct cpu *cpu, uint64_t block)
{
    uint64_t reason = parameter(cpu, block, 0), status = parameter(cpu, block, 1);

    semihost->host.exit(semihost->host.ctx, cpu, reason == ADP_STOPPED_APPLICATION_EXIT ? status : 1);
    return 0;
}

static uint64_t call(void *ctx, struct cpu *cpu, uint32_t operation, uint64_t argument)
{
    struct semihost *semihost = ctx;
    uint64_t now_ps = cpu_now_ps(cpu);
    char byte;

    switch (operation) {
    case SYS_OPEN:
        return open_handle(semihost, cpu, argument);
    case SYS_CLOSE:
        return close_handle(semihost, cpu, argument);
    case SYS_ISERROR: /* a value is an error when it is negative */
        return parameter(cpu, argument, 0) >> 63;
    case SYS_WRITEC:
        if (cpu_debug_read(cpu, argument, &byte, 1))
            put(semihost, &byte, 1);
        return 0;
    case SYS_WRITE0:
        return write_string(semihost, cpu, argument);
    case SYS_WRITE:
        return write_handle(semihost, cpu, argument);
    case SYS_READ:
        return read_handle(semihost, cpu, argument);
    case SYS_ISTTY:
        return parameter(cpu, argument, 0) == HANDLE_CONSOLE;
    case SYS_FLEN:
        return length_of_handle(semihost, cpu, argument);
    case SYS_SEEK:
        return seek_handle(semihost, cpu, argument);
    case SYS_CLOCK:
        return now_ps / (PS_PER_S / 100);
    case SYS_TIME:
        return EPOCH_S + now_ps / PS_PER_S;
    case SYS_ERRNO:
        return semihost->last_error;
    case SYS_GET_CMDLINE:
        return command_line(semihost, cpu, argument);
    case SYS_HEAPINFO:
        return heap_info(cpu, argument);
    case SYS_EXIT:
    case SYS_EXIT_EXTENDED:
        return leave(semihost, cpu, argument);
    case SYS_ELAPSED:
        now_ps /= PS_PER_NS;
        return cpu_debug_write(cpu, argument, &now_ps, sizeof(now_ps)) ? 0 : FAILED;
    case SYS_TICKFREQ:
        return PS_PER_S / PS_PER_NS;
    default: /* READC: no input; files and commands of the host: not reachable */
        return fail(semihost, ENOSYS);
    }
}

struct cpu_semihost semihost_port(struct semihost *semihost)
{
    return (struct cpu_semihost){.ctx = semihost, .call = call};
}
