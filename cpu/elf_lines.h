/* Source lines of an ELF file's code, from its DWARF line table (libdw). */
#ifndef DMASIM_CPU_ELF_LINES_H
#define DMASIM_CPU_ELF_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct elf_lines;

/* NULL: no such file, or it has no debug information. */
struct elf_lines *elf_lines_open(const char *path);
void elf_lines_close(struct elf_lines *lines);

/* File (its last part; valid until the close) and line of an instruction. False: unknown. */
bool elf_lines_find(const struct elf_lines *lines, uint64_t pc, const char **file, int *line);

#endif
