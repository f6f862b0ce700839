#include "cpu/elf_image.h"

#include <fcntl.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What must stay open while the image is used. */
struct elf_file {
    int fd;
    Elf *elf;
};

static bool refuse(struct error_list *errors, const char *path, const char *rule)
{
    struct error_place place = {.file = path};

    error_add(errors, &place, "%s", rule);
    return false;
}

static bool header_fine(const Elf64_Ehdr *header, const char *path, struct error_list *errors)
{
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
        return refuse(errors, path, "not a 64-bit little-endian ELF file");
    if (header->e_machine != EM_AARCH64)
        return refuse(errors, path, "the ELF file is not for AArch64 (EM_AARCH64)");
    if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
        return refuse(errors, path,
                      "the ELF file is not an executable (ET_EXEC, or ET_DYN without relocations): link it first");
    return true;
}

/* Dynamic relocations would need a loader; an executable with them must be linked statically. */
static bool dynamic_fine(Elf *elf, const Elf64_Phdr *program, size_t count, const char *path, struct error_list *errors)
{
    for (size_t i = 0; i < count; i++) {
        Elf_Data *data;
        if (program[i].p_type == PT_INTERP)
            return refuse(errors, path, "the ELF file asks for a dynamic loader (PT_INTERP): link it with -static");
        if (program[i].p_type != PT_DYNAMIC)
            continue;
        data = elf_getdata_rawchunk(elf, (int64_t)program[i].p_offset, program[i].p_filesz, ELF_T_DYN);
        if (!data)
            return refuse(errors, path, "the dynamic section lies outside the file");
        for (size_t n = 0; n < data->d_size / sizeof(Elf64_Dyn); n++) {
            const Elf64_Dyn *dyn = (const Elf64_Dyn *)data->d_buf + n;
            if (dyn->d_tag == DT_NULL)
                break;
            if ((dyn->d_tag == DT_RELASZ || dyn->d_tag == DT_RELSZ || dyn->d_tag == DT_PLTRELSZ ||
                 dyn->d_tag == DT_RELRSZ) &&
                dyn->d_un.d_val)
                return refuse(errors, path, "the ELF file has dynamic relocations: link it with -static -no-pie");
        }
    }
    return true;
}

static bool add_segment(struct elf_image *image, Elf *elf, const Elf64_Phdr *program, const char *path,
                        uint64_t ram_base, uint64_t ram_bytes, struct error_list *errors)
{
    struct elf_segment *segment = &image->segments[image->segment_count];
    Elf_Data *data = NULL;

    if (program->p_filesz > program->p_memsz)
        return refuse(errors, path, "a segment has more bytes in the file than in memory (p_filesz > p_memsz)");
    if (program->p_paddr < ram_base || program->p_memsz > ram_bytes ||
        program->p_paddr - ram_base > ram_bytes - program->p_memsz) {
        struct error_place place = {.file = path};
        error_add(errors, &place, "the segment at 0x%llx (0x%llx bytes) lies outside RAM, which is 0x%llx to 0x%llx",
                  (unsigned long long)program->p_paddr, (unsigned long long)program->p_memsz,
                  (unsigned long long)ram_base, (unsigned long long)(ram_base + ram_bytes - 1));
        return false;
    }
    for (size_t i = 0; i < image->segment_count; i++)
        if (program->p_paddr < image->segments[i].pa + image->segments[i].mem_size &&
            image->segments[i].pa < program->p_paddr + program->p_memsz)
            return refuse(errors, path, "two segments overlap in memory");
    if (program->p_filesz) {
        data = elf_getdata_rawchunk(elf, (int64_t)program->p_offset, program->p_filesz, ELF_T_BYTE);
        if (!data || data->d_size != program->p_filesz)
            return refuse(errors, path, "a segment lies outside the file: the file is truncated");
    }
    *segment = (struct elf_segment){program->p_paddr, program->p_filesz, program->p_memsz, data ? data->d_buf : NULL};
    image->segment_count++;
    return true;
}

/* The entry is a virtual address; what is loaded is placed by physical ones. */
static bool find_entry(struct elf_image *image, const Elf64_Phdr *program, size_t count, uint64_t entry,
                       const char *path, struct error_list *errors)
{
    for (size_t i = 0; i < count; i++)
        if (program[i].p_type == PT_LOAD && entry >= program[i].p_vaddr &&
            entry - program[i].p_vaddr < program[i].p_memsz) {
            image->entry = entry - program[i].p_vaddr + program[i].p_paddr;
            return true;
        }
    return refuse(errors, path, "the entry point lies in no loadable segment");
}

static int by_value(const void *a, const void *b)
{
    const struct elf_symbol *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Symbols are a help for messages: a damaged table is no reason to refuse the program. */
static void read_functions(struct elf_image *image, Elf *elf)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(elf, section))) {
        Elf64_Shdr *header = elf64_getshdr(section);
        Elf_Data *data;
        if (!header || header->sh_type != SHT_SYMTAB || !(data = elf_getdata(section, NULL)))
            continue;
        size_t count = data->d_size / sizeof(Elf64_Sym);
        image->functions = calloc(count ? count : 1, sizeof(*image->functions));
        if (!image->functions)
            return;
        for (size_t i = 0; i < count; i++) {
            const Elf64_Sym *symbol = (const Elf64_Sym *)data->d_buf + i;
            const char *name = elf_strptr(elf, header->sh_link, symbol->st_name);
            if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && name)
                image->functions[image->function_count++] =
                    (struct elf_symbol){name, symbol->st_value, symbol->st_size};
        }
        qsort(image->functions, image->function_count, sizeof(*image->functions), by_value);
        return;
    }
}

static bool read_image(Elf *elf, const char *path, uint64_t ram_base, uint64_t ram_bytes, struct elf_image *image,
                       struct error_list *errors)
{
    Elf64_Ehdr *header = elf_kind(elf) == ELF_K_ELF ? elf64_getehdr(elf) : NULL;
    Elf64_Phdr *program;
    size_t count = 0;

    if (elf_kind(elf) != ELF_K_ELF)
        return refuse(errors, path, "not an ELF file");
    if (!header)
        return refuse(errors, path, "not a 64-bit little-endian ELF file");
    if (!header_fine(header, path, errors))
        return false;
    if (elf_getphdrnum(elf, &count) || count == 0 || !(program = elf64_getphdr(elf)))
        return refuse(errors, path, "the ELF file has no readable program headers");
    if (!dynamic_fine(elf, program, count, path, errors))
        return false;
    image->segments = calloc(count, sizeof(*image->segments));
    if (!image->segments)
        return false;
    for (size_t i = 0; i < count; i++)
        if (program[i].p_type == PT_LOAD && program[i].p_memsz &&
            !add_segment(image, elf, &program[i], path, ram_base, ram_bytes, errors))
            return false;
    if (image->segment_count == 0)
        return refuse(errors, path, "the ELF file has no loadable segment (PT_LOAD)");
    if (!find_entry(image, program, count, header->e_entry, path, errors))
        return false;
    read_functions(image, elf);
    return true;
}

bool elf_image_read(const char *path, uint64_t ram_base, uint64_t ram_bytes, struct elf_image *image,
                    struct error_list *errors)
{
    struct elf_file *file = calloc(1, sizeof(*file));
    struct stat status;

    *image = (struct elf_image){.file = file};
    if (!file)
        return false;
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not hold us */
    if (file->fd < 0 || fstat(file->fd, &status) || !S_ISREG(status.st_mode)) {
        bool opened = file->fd >= 0;
        elf_image_free(image);
        return refuse(errors, path, opened ? "is not a regular file" : "cannot be opened");
    }
    elf_version(EV_CURRENT);
    file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
    if (!file->elf || !read_image(file->elf, path, ram_base, ram_bytes, image, errors)) {
        if (!file->elf)
            refuse(errors, path, "not an ELF file");
        elf_image_free(image);
        return false;
    }
    return true;
}

const uint8_t *elf_image_section(const struct elf_image *image, const char *name, size_t *bytes)
{
    Elf *elf = ((struct elf_file *)image->file)->elf;
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(elf, &names))
        return NULL;
    while ((section = elf_nextscn(elf, section))) {
        Elf64_Shdr *header = elf64_getshdr(section);
        const char *text = header ? elf_strptr(elf, names, header->sh_name) : NULL;
        Elf_Data *data;
        if (!text || strcmp(text, name) || !(data = elf_rawdata(section, NULL)))
            continue;
        *bytes = data->d_size;
        return data->d_buf;
    }
    return NULL;
}

void elf_image_free(struct elf_image *image)
{
    struct elf_file *file = image->file;

    free(image->segments);
    free(image->functions);
    if (file) {
        elf_end(file->elf);
        if (file->fd >= 0)
            close(file->fd);
        free(file);
    }
    *image = (struct elf_image){0};
}

const struct elf_symbol *elf_image_function(const struct elf_image *image, uint64_t value)
{
    const struct elf_symbol *best = NULL;

    for (size_t i = 0; i < image->function_count && image->functions[i].value <= value; i++)
        best = &image->functions[i];
    return best && (best->size == 0 || value - best->value < best->size) ? best : NULL;
}
