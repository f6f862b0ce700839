/*
 * ELF files: the loadable segments and symbols of a bare-metal AArch64 executable, read with libelf.
 */
#ifndef DMASIM_CPU_ELF_IMAGE_H
#define DMASIM_CPU_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error_list.h"

struct elf_segment {
    uint64_t pa;        /* p_paddr */
    uint64_t file_size; /* bytes from the file */
    uint64_t mem_size;  /* the rest is zero */
    const uint8_t *data;
};

struct elf_symbol {
    const char *name;
    uint64_t value, size;
};

struct elf_image {
    uint64_t entry; /* physical entry address */
    struct elf_segment *segments;
    size_t segment_count;
    struct elf_symbol *functions; /* STT_FUNC, ascending by value */
    size_t function_count;
    void *file; /* private */
};

/*
 * Reads path. Refuses (each with one message naming the rule; false): unreadable, not ELF, not ELFCLASS64 little-endian
 * EM_AARCH64, not ET_EXEC or a static ET_DYN without dynamic relocations, truncated or overflowing headers, segments
 * that overlap or leave [ram_base, ram_base + ram_bytes), no loadable segment, entry outside every segment.
 */
bool elf_image_read(const char *path, uint64_t ram_base, uint64_t ram_bytes, struct elf_image *image,
                    struct error_list *errors);
void elf_image_free(struct elf_image *image);

/* The bytes of a section of the file, whether or not it is loaded; valid until the free. NULL: there is none. */
const uint8_t *elf_image_section(const struct elf_image *image, const char *name, size_t *bytes);

/* The function that contains value; NULL when none does. */
const struct elf_symbol *elf_image_function(const struct elf_image *image, uint64_t value);

#endif
