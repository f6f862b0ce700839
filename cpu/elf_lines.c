#include "cpu/elf_lines.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct elf_lines {
    int fd;
    Dwarf *dwarf;
};

struct elf_lines *elf_lines_open(const char *path)
{
    struct elf_lines *lines = calloc(1, sizeof(*lines));

    if (!lines)
        return NULL;
    lines->fd = open(path, O_RDONLY | O_CLOEXEC);
    lines->dwarf = lines->fd >= 0 ? dwarf_begin(lines->fd, DWARF_C_READ) : NULL;
    if (lines->dwarf)
        return lines;
    elf_lines_close(lines);
    return NULL;
}

void elf_lines_close(struct elf_lines *lines)
{
    if (!lines)
        return;
    dwarf_end(lines->dwarf);
    if (lines->fd >= 0)
        close(lines->fd);
    free(lines);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool elf_lines_find(const struct elf_lines *lines, uint64_t pc, const char **file, int *line)
{
    Dwarf_Die unit;
    Dwarf_Line *found;
    const char *path;

    if (!lines || !dwarf_addrdie(lines->dwarf, pc, &unit) || !(found = dwarf_getsrc_die(&unit, pc)))
        return false;
    path = dwarf_linesrc(found, NULL, NULL);
    if (!path || dwarf_lineno(found, line))
        return false;
    *file = last_part(path);
    return true;
}
