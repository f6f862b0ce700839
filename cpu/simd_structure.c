/* LD1-LD4 and ST1-ST4: elements of one to four registers side by side in memory, whole registers or one element of
 * each (DDI 0487 C4.1, "Advanced SIMD load/store multiple structures" and "single structure"). */
#include <string.h>

#include "cpu/exec.h"
#include "cpu/lsu.h"
#include "cpu/simd.h"
#include "cpu/timing.h"

enum { STRUCTURE_BYTES_MOST = 64 };

struct shape {
    bool load, whole, replicate;
    unsigned registers, structure; /* of which so many take turns in memory */
    unsigned size, index;          /* log2 of an element's bytes; which element, when not whole */
};

/* Registers and elements of a structure by opcode; 0: reserved. */
static const struct {
    uint8_t registers, structure;
} multiple[16] = {
    [0x0] = {4, 4}, [0x2] = {4, 1}, [0x4] = {3, 3}, [0x6] = {3, 1}, [0x7] = {1, 1}, [0x8] = {2, 2}, [0xA] = {2, 1},
};

static bool multiple_shape(uint32_t word, struct shape *shape)
{
    unsigned opcode = bits(word, 15, 12);

    shape->whole = true;
    shape->size = bits(word, 11, 10);
    shape->registers = multiple[opcode].registers;
    shape->structure = multiple[opcode].structure;
    return shape->registers && (shape->structure == 1 || shape->size < 3 || simd_q(word));
}

static bool single_shape(uint32_t word, struct shape *shape)
{
    unsigned size = bits(word, 11, 10), place = simd_q(word) << 3 | bit(word, 12) << 2 | size;

    shape->registers = shape->structure = 1 + (bit(word, 13) << 1 | bit(word, 21));
    shape->size = bits(word, 15, 14);
    switch (shape->size) {
    case 0:
        break;
    case 1:
        if (size & 1)
            return false;
        break;
    case 2:
        if (size > 1 || (size == 1 && bit(word, 12)))
            return false;
        shape->size += size; /* doublewords */
        break;
    default: /* LD1R to LD4R */
        shape->replicate = true;
        shape->size = size;
        return shape->load && !bit(word, 12);
    }
    shape->index = place >> shape->size;
    return true;
}

static bool shape_of(uint32_t word, struct shape *shape)
{
    *shape = (struct shape){.load = bit(word, 22)};
    if (!bit(word, 23) && bits(word, 20, 16))
        return false; /* without post-index there is no Rm */
    if (!bit(word, 24))
        return !bit(word, 21) && multiple_shape(word, shape);
    return single_shape(word, shape);
}

void simd_decode_structure(uint32_t word, struct insn *insn)
{
    struct shape shape;

    if (!shape_of(word, &shape))
        return;
    insn->op = INSN_STRUCTURE;
    insn->rn = (uint8_t)simd_rn(word);
    insn->rm = bit(word, 23) ? source(simd_rm(word)) : REG_ZERO;
    insn->rd = (uint8_t)(REG_V0 + simd_rd(word));
    insn->imm = word;
}

/* Calls for each element in the order of memory: register (modulo 32) and index. */
static void each_element(uint32_t word, const struct shape *shape, union vector *v, uint8_t *data,
                         void (*move)(union vector *v, unsigned bits, unsigned index, uint8_t *data))
{
    unsigned bytes = 1u << shape->size, count = shape->whole ? (simd_q(word) ? 16 : 8) / bytes : 1;

    for (unsigned first = 0; first < shape->registers; first += shape->structure)
        for (unsigned e = 0; e < count; e++)
            for (unsigned s = 0; s < shape->structure; s++) {
                move(&v[(simd_rd(word) + first + s) % 32], 8 * bytes, shape->whole ? e : shape->index, data);
                data += bytes;
            }
}
static void move_in(union vector *v, unsigned bits, unsigned index, uint8_t *data)
{
    uint64_t value = 0;

    memcpy(&value, data, bits / 8);
    simd_set(v, bits, index, value);
}
static void move_everywhere(union vector *v, unsigned bits, unsigned index, uint8_t *data)
{
    for (unsigned i = 0; i < 128 / bits; i++)
        move_in(v, bits, i, data);
}
static void move_out(union vector *v, unsigned bits, unsigned index, uint8_t *data)
{
    uint64_t value = simd_get(v, bits, index);

    memcpy(data, &value, bits / 8);
}

/* Each element is an access of its own; where no alignment is asked for, 16 bytes at a time are the same. */
static bool transfer(struct cpu *cpu, const struct shape *shape, uint64_t va, unsigned bytes, uint8_t *data,
                     uint64_t start, uint64_t *done)
{
    unsigned step = lsu_unaligned_allowed(cpu, va, !shape->load, start) ? 16 : 1u << shape->size;

    *done = start;
    for (unsigned at = 0; at < bytes; at += step) {
        unsigned part = bytes - at < step ? bytes - at : step;
        uint64_t part_done = start;
        if (shape->load ? !lsu_load(cpu, cpu->pc, va + at, part, 0, start, data + at, &part_done)
                        : !lsu_store(cpu, cpu->pc, va + at, part, 0, start, data + at))
            return false;
        if (part_done > *done)
            *done = part_done;
    }
    return true;
}

/* What the interpreter does not do for an access with so many registers: wait for them, or say when they are there. */
static uint64_t when_ready(const struct cpu *cpu, uint32_t word, const struct shape *shape, uint64_t start)
{
    for (unsigned i = 0; i < shape->registers; i++) {
        uint64_t ready = cpu->timing->ready[REG_V0 + (simd_rd(word) + i) % 32];
        if (ready > start)
            start = ready;
    }
    return start;
}
static void registers_loaded(struct cpu *cpu, uint32_t word, const struct shape *shape, uint64_t done)
{
    for (unsigned i = 0; i < shape->registers; i++)
        cpu->timing->ready[REG_V0 + (simd_rd(word) + i) % 32] = done;
}

static void load_registers(struct cpu *cpu, uint32_t word, const struct shape *shape, uint8_t *data)
{
    for (unsigned i = 0; i < shape->registers && (shape->whole || shape->replicate); i++)
        cpu->v[(simd_rd(word) + i) % 32].q = 0;
    each_element(word, shape, cpu->v, data, shape->replicate ? move_everywhere : move_in);
    for (unsigned i = 0; i < shape->registers && shape->replicate && !simd_q(word); i++)
        cpu->v[(simd_rd(word) + i) % 32].d[1] = 0;
}

bool simd_structure(struct cpu *cpu, const struct insn *insn, uint64_t start)
{
    uint32_t word = (uint32_t)insn->imm;
    uint8_t data[STRUCTURE_BYTES_MOST];
    struct shape shape;
    unsigned bytes;
    uint64_t done;

    if (exception_fp_trapped(cpu)) {
        exception_fp(cpu);
        return false;
    }
    if (!exec_base_aligned(cpu, insn))
        return false;
    shape_of(word, &shape);
    bytes = shape.whole ? shape.registers * (simd_q(word) ? 16 : 8) : shape.registers << shape.size;
    if (!shape.load) {
        start = when_ready(cpu, word, &shape, start);
        each_element(word, &shape, cpu->v, data, move_out);
        cpu->counters.stores++;
    } else {
        cpu->counters.loads++;
    }
    if (!transfer(cpu, &shape, cpu->x[insn->rn], bytes, data, start, &done))
        return false;
    if (shape.load) {
        load_registers(cpu, word, &shape, data);
        registers_loaded(cpu, word, &shape, done);
    }
    if (bit(word, 23)) {
        cpu->x[insn->rn] += simd_rm(word) == 31 ? bytes : cpu->x[insn->rm];
        cpu->timing->ready[insn->rn] = start + cpu->timing->cycle;
    }
    return true;
}
