/* ELF files: what is loaded, every reason to refuse with its message, and damaged files without number. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/elf_image.h"
#include "tests/unit.h"

#define RAM       0x40000000ull
#define RAM_BYTES 0x100000ull

/* The file that is written: headers, 64 bytes of program, a symbol table and a dynamic section. */
static struct {
    Elf64_Ehdr header;
    Elf64_Phdr program[4];
    uint8_t text[64];
    Elf64_Dyn dynamic[4];
    Elf64_Sym symbols[6];
    char names[32];
    Elf64_Shdr sections[3];
} file;

static char path[] = "/tmp/dmasim-elf-XXXXXX";
static struct elf_image image;
static struct error_list errors;

#define OFFSET(member) offsetof(__typeof__(file), member)

static void function(unsigned n, uint32_t name, uint64_t value, uint64_t size, unsigned type)
{
    file.symbols[n] = (Elf64_Sym){
        .st_name = name, .st_info = ELF64_ST_INFO(STB_GLOBAL, type), .st_shndx = 1, .st_value = value, .st_size = size};
}

/* A correct file: 64 bytes at RAM + 0x1000 linked at 0xFFFF000000001000, 32 zero bytes behind; one more zero-filled
 * segment. */
static void correct(void)
{
    memset(&file, 0, sizeof(file));
    memcpy(file.header.e_ident, ELFMAG, SELFMAG);
    file.header.e_ident[EI_CLASS] = ELFCLASS64;
    file.header.e_ident[EI_DATA] = ELFDATA2LSB;
    file.header.e_ident[EI_VERSION] = EV_CURRENT;
    file.header.e_type = ET_EXEC;
    file.header.e_machine = EM_AARCH64;
    file.header.e_version = EV_CURRENT;
    file.header.e_entry = 0xFFFF000000001010ull;
    file.header.e_phoff = OFFSET(program);
    file.header.e_phentsize = sizeof(Elf64_Phdr);
    file.header.e_phnum = 2;
    file.header.e_ehsize = sizeof(Elf64_Ehdr);
    file.header.e_shoff = OFFSET(sections);
    file.header.e_shentsize = sizeof(Elf64_Shdr);
    file.header.e_shnum = 3;
    file.program[0] = (Elf64_Phdr){.p_type = PT_LOAD,
                                   .p_offset = OFFSET(text),
                                   .p_vaddr = 0xFFFF000000001000ull,
                                   .p_paddr = RAM + 0x1000,
                                   .p_filesz = 64,
                                   .p_memsz = 96};
    file.program[1] =
        (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = 0xFFFF000000002000ull, .p_paddr = RAM + 0x2000, .p_memsz = 0x100};
    for (unsigned i = 0; i < 64; i++)
        file.text[i] = (uint8_t)(i * 3);
    memcpy(file.names, "\0main\0start\0data", 16);
    function(1, 1, 0x1020, 0x10, STT_FUNC);
    function(2, 6, 0x1000, 0x18, STT_FUNC);
    function(3, 12, 0x1008, 8, STT_OBJECT);
    function(4, 1, 0x1030, 0, STT_FUNC); /* without size */
    file.sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                    .sh_offset = OFFSET(symbols),
                                    .sh_size = sizeof(file.symbols),
                                    .sh_link = 2,
                                    .sh_entsize = sizeof(Elf64_Sym),
                                    .sh_addralign = 8};
    file.sections[2] = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = OFFSET(names), .sh_size = sizeof(file.names), .sh_addralign = 1};
}

static void write_file(const void *data, size_t bytes)
{
    FILE *out = fopen(path, "wb");

    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(data, 1, bytes, out), bytes);
    fclose(out);
}

static bool read_bytes(const void *data, size_t bytes)
{
    write_file(data, bytes);
    return elf_image_read(path, RAM, RAM_BYTES, &image, &errors);
}

static void setup(void)
{
    close(mkstemp(path));
    correct();
}

static void teardown(void)
{
    elf_image_free(&image);
    error_clear(&errors);
    unlink(path);
}

static void assert_message(const char *rule)
{
    char expected[300];

    snprintf(expected, sizeof(expected), "%s: %s", path, rule);
    ck_assert_uint_eq(errors.count, 1);
    ck_assert_str_eq(errors.entries[0].text, expected);
    ck_assert_ptr_null(image.segments);
    ck_assert_ptr_null(image.file);
    error_clear(&errors);
}

static void assert_refused(const char *rule)
{
    ck_assert(!read_bytes(&file, sizeof(file)));
    assert_message(rule);
    correct();
}

START_TEST(segments_and_entry)
{
    ck_assert(read_bytes(&file, sizeof(file)));
    ck_assert_uint_eq(errors.count, 0);
    ck_assert_uint_eq(image.entry, RAM + 0x1010); /* physical */
    ck_assert_uint_eq(image.segment_count, 2);
    ck_assert_uint_eq(image.segments[0].pa, RAM + 0x1000);
    ck_assert_uint_eq(image.segments[0].file_size, 64);
    ck_assert_uint_eq(image.segments[0].mem_size, 96);
    ck_assert_mem_eq(image.segments[0].data, file.text, 64);
    ck_assert_uint_eq(image.segments[1].pa, RAM + 0x2000);
    ck_assert_uint_eq(image.segments[1].file_size, 0);
    ck_assert_uint_eq(image.segments[1].mem_size, 0x100);
}
END_TEST

START_TEST(functions)
{
    ck_assert(read_bytes(&file, sizeof(file)));
    ck_assert_uint_eq(image.function_count, 3);
    ck_assert_str_eq(image.functions[0].name, "start");
    ck_assert_str_eq(image.functions[1].name, "main");
    ck_assert_uint_eq(image.functions[1].value, 0x1020);
    ck_assert_ptr_null(elf_image_function(&image, 0xFFF));
    ck_assert_str_eq(elf_image_function(&image, 0x1000)->name, "start");
    ck_assert_str_eq(elf_image_function(&image, 0x1017)->name, "start");
    ck_assert_ptr_null(elf_image_function(&image, 0x1018));
    ck_assert_str_eq(elf_image_function(&image, 0x102F)->name, "main");
    ck_assert_ptr_eq(elf_image_function(&image, 0x1030), &image.functions[2]);
    ck_assert_ptr_eq(elf_image_function(&image, 0x9999), &image.functions[2]); /* no size: open-ended */
}
END_TEST

/* Messages must not depend on symbols: a damaged table is as none. */
START_TEST(damaged_symbols_do_not_refuse)
{
    file.sections[1].sh_offset = 1 << 30;
    ck_assert(read_bytes(&file, sizeof(file)));
    ck_assert_uint_eq(image.function_count, 0);
    elf_image_free(&image);
    correct();
    file.sections[1].sh_link = 77;
    ck_assert(read_bytes(&file, sizeof(file)));
    ck_assert_uint_eq(image.function_count, 0);
    elf_image_free(&image);
    correct();
    memset(file.names, 'x', sizeof(file.names)); /* names that do not end */
    ck_assert(read_bytes(&file, sizeof(file)));
    elf_image_free(&image);
    correct();
    file.header.e_shoff = 0;
    file.header.e_shnum = 0;
    ck_assert(read_bytes(&file, sizeof(file)));
    ck_assert_uint_eq(image.function_count, 0);
}
END_TEST

START_TEST(no_file)
{
    unlink(path);
    ck_assert(!elf_image_read(path, RAM, RAM_BYTES, &image, &errors));
    assert_message("cannot be opened");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert(!elf_image_read(path, RAM, RAM_BYTES, &image, &errors));
    assert_message("is not a regular file");
}
END_TEST

START_TEST(not_elf)
{
    ck_assert(!read_bytes("", 0));
    assert_message("not an ELF file");
    ck_assert(!read_bytes("#!/bin/sh\necho hello\n", 21));
    assert_message("not an ELF file");
    ck_assert(!read_bytes("!<arch>\n", 8));
    assert_message("not an ELF file");
    ck_assert(!read_bytes(&file, 20));
    ck_assert_uint_eq(errors.count, 1);
}
END_TEST

START_TEST(wrong_kind)
{
    file.header.e_ident[EI_CLASS] = ELFCLASS32;
    assert_refused("not a 64-bit little-endian ELF file");
    file.header.e_ident[EI_DATA] = ELFDATA2MSB;
    assert_refused("not a 64-bit little-endian ELF file");
    file.header.e_machine = EM_X86_64;
    assert_refused("the ELF file is not for AArch64 (EM_AARCH64)");
    file.header.e_type = ET_REL;
    assert_refused("the ELF file is not an executable (ET_EXEC, or ET_DYN without relocations): link it first");
    file.header.e_type = ET_CORE;
    assert_refused("the ELF file is not an executable (ET_EXEC, or ET_DYN without relocations): link it first");
}
END_TEST

START_TEST(program_headers)
{
    file.header.e_phnum = 0;
    assert_refused("the ELF file has no readable program headers");
    file.header.e_phoff = 1 << 20;
    assert_refused("the ELF file has no readable program headers");
    file.header.e_phoff = UINT64_MAX - 8;
    assert_refused("the ELF file has no readable program headers");
    file.header.e_phnum = 0xFFFE;
    assert_refused("the ELF file has no readable program headers");
    file.program[0].p_type = file.program[1].p_type = PT_NOTE;
    assert_refused("the ELF file has no loadable segment (PT_LOAD)");
    file.program[0].p_memsz = file.program[0].p_filesz = file.program[1].p_memsz = 0;
    assert_refused("the ELF file has no loadable segment (PT_LOAD)");
}
END_TEST

START_TEST(segments_in_memory)
{
    file.program[0].p_memsz = 63;
    assert_refused("a segment has more bytes in the file than in memory (p_filesz > p_memsz)");
    file.program[0].p_paddr = RAM - 1;
    assert_refused("the segment at 0x3fffffff (0x60 bytes) lies outside RAM, which is 0x40000000 to 0x400fffff");
    file.program[0].p_paddr = RAM + RAM_BYTES - 95;
    assert_refused("the segment at 0x400fffa1 (0x60 bytes) lies outside RAM, which is 0x40000000 to 0x400fffff");
    file.program[0].p_paddr = UINT64_MAX - 15;
    assert_refused(
        "the segment at 0xfffffffffffffff0 (0x60 bytes) lies outside RAM, which is 0x40000000 to 0x400fffff");
    file.program[1].p_memsz = UINT64_MAX;
    assert_refused(
        "the segment at 0x40002000 (0xffffffffffffffff bytes) lies outside RAM, which is 0x40000000 to 0x400fffff");
    file.program[1].p_paddr = RAM + 0x1000 + 95;
    assert_refused("two segments overlap in memory");
    file.program[1].p_paddr = RAM + 0x1000 - 0xFF;
    assert_refused("two segments overlap in memory");
    file.program[1].p_paddr = RAM + 0x1000 + 96; /* side by side */
    ck_assert(read_bytes(&file, sizeof(file)));
    elf_image_free(&image);
    file.program[1].p_paddr = RAM + RAM_BYTES - 0x100; /* the very end */
    ck_assert(read_bytes(&file, sizeof(file)));
}
END_TEST

START_TEST(segments_in_the_file)
{
    static const char rule[] = "a segment lies outside the file: the file is truncated";

    file.program[0].p_offset = sizeof(file) - 63;
    assert_refused(rule);
    file.program[0].p_offset = UINT64_MAX - 3;
    assert_refused(rule);
    file.program[0].p_offset = INT64_MAX;
    assert_refused(rule);
    ck_assert(!read_bytes(&file, OFFSET(text) + 63));
    assert_message(rule);
    file.program[0].p_offset = sizeof(file) - 64;
    ck_assert(read_bytes(&file, sizeof(file)));
}
END_TEST

START_TEST(entry_outside)
{
    static const char rule[] = "the entry point lies in no loadable segment";

    file.header.e_entry = 0;
    assert_refused(rule);
    file.header.e_entry = 0xFFFF000000000FFFull;
    assert_refused(rule);
    file.header.e_entry = 0xFFFF000000001060ull;
    assert_refused(rule);
    file.header.e_entry = RAM + 0x1010; /* physical is not what counts */
    assert_refused(rule);
    file.header.e_entry = 0xFFFF00000000105Full;
    ck_assert(read_bytes(&file, sizeof(file)));
}
END_TEST

static void with_dynamic(int64_t tag, uint64_t value)
{
    file.header.e_type = ET_DYN;
    file.header.e_phnum = 3;
    file.program[2] = (Elf64_Phdr){.p_type = PT_DYNAMIC, .p_offset = OFFSET(dynamic), .p_filesz = sizeof(file.dynamic)};
    file.dynamic[0] = (Elf64_Dyn){.d_tag = DT_FLAGS};
    file.dynamic[1] = (Elf64_Dyn){.d_tag = tag, .d_un.d_val = value};
}

START_TEST(dynamic_relocations)
{
    static const int64_t tags[] = {DT_RELASZ, DT_RELSZ, DT_PLTRELSZ, 35 /* DT_RELRSZ */};

    for (unsigned i = 0; i < 4; i++) {
        with_dynamic(tags[i], 24);
        assert_refused("the ELF file has dynamic relocations: link it with -static -no-pie");
        with_dynamic(tags[i], 0); /* an empty table is none */
        ck_assert(read_bytes(&file, sizeof(file)));
        elf_image_free(&image);
        with_dynamic(DT_NULL, 0);
        file.dynamic[2] = (Elf64_Dyn){.d_tag = tags[i], .d_un.d_val = 24}; /* behind the end */
        ck_assert(read_bytes(&file, sizeof(file)));
        elf_image_free(&image);
        correct();
    }
    with_dynamic(DT_FLAGS, 0);
    file.program[2].p_offset = sizeof(file);
    assert_refused("the dynamic section lies outside the file");
    with_dynamic(DT_FLAGS, 0);
    file.program[2].p_type = PT_INTERP;
    assert_refused("the ELF file asks for a dynamic loader (PT_INTERP): link it with -static");
}
END_TEST

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* Whatever an accepted image says can be read and lies in RAM. */
static uint64_t touch(void)
{
    uint64_t sum = image.entry;

    for (size_t i = 0; i < image.segment_count; i++) {
        const struct elf_segment *segment = &image.segments[i];
        ck_assert(segment->pa >= RAM && segment->mem_size <= RAM_BYTES &&
                  segment->pa - RAM <= RAM_BYTES - segment->mem_size);
        ck_assert_uint_le(segment->file_size, segment->mem_size);
        for (uint64_t n = 0; n < segment->file_size; n++)
            sum += segment->data[n];
    }
    for (size_t i = 0; i < image.function_count; i++) {
        sum += strlen(image.functions[i].name);
        ck_assert(i == 0 || image.functions[i - 1].value <= image.functions[i].value);
        elf_image_function(&image, image.functions[i].value);
    }
    return sum;
}

/* Bytes changed and files cut at random (the same ones every time): refused with one message or loaded, never worse. */
START_TEST(damaged_files)
{
    uint32_t random = 12345;
    unsigned loaded = 0, refused = 0;

    for (unsigned round = 0; round < 3000; round++) {
        uint8_t bytes[sizeof(file)];
        size_t length = sizeof(bytes);
        with_dynamic(DT_FLAGS, 0);
        memcpy(bytes, &file, sizeof(bytes));
        for (unsigned n = next_random(&random) % 6 + 1; n; n--) {
            static const uint8_t favourites[] = {0, 1, 0x7F, 0x80, 0xFF};
            uint32_t r = next_random(&random), at = next_random(&random) % sizeof(bytes);
            bytes[at] = r & 1 ? favourites[r / 2 % 5] : (uint8_t)(r >> 4);
        }
        if (round % 5 == 0)
            length = next_random(&random) % sizeof(bytes);
        if (read_bytes(bytes, length)) {
            loaded += touch() != 0;
            ck_assert_uint_eq(errors.count, 0);
        } else {
            refused++;
            ck_assert_uint_eq(errors.count, 1);
        }
        elf_image_free(&image);
        error_clear(&errors);
    }
    ck_assert_uint_gt(loaded, 300);
    ck_assert_uint_gt(refused, 300);
}
END_TEST

void test_elf_image(struct unit_registry *r);
void test_elf_image(struct unit_registry *r)
{
    unit_suite(r, "ElfImage", setup, teardown);
    unit_test(r, segments_and_entry);
    unit_test(r, functions);
    unit_test(r, damaged_symbols_do_not_refuse);
    unit_test(r, no_file);
    unit_test(r, not_elf);
    unit_test(r, wrong_kind);
    unit_test(r, program_headers);
    unit_test(r, segments_in_memory);
    unit_test(r, segments_in_the_file);
    unit_test(r, entry_outside);
    unit_test(r, dynamic_relocations);
    unit_test(r, damaged_files);
}
