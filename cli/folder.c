#define _GNU_SOURCE
#include "cli/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/result.h"

bool folder_make(const char *path, struct error_list *errors)
{
    struct error_place place = {.file = path};
    char *copy = strdup(path);

    for (char *slash = copy + 1; *copy && *slash; slash++)
        if (*slash == '/') {
            *slash = 0;
            mkdir(copy, 0777);
            *slash = '/';
        }
    mkdir(copy, 0777);
    free(copy);
    if (access(path, W_OK) == 0)
        return true;
    error_add(errors, &place, "the output folder cannot be written");
    return false;
}

char *folder_join(const char *folder, const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

bool folder_write(const char *folder, const char *name, const char *text, struct error_list *errors)
{
    char *path = folder_join(folder, name);
    bool fine = result_write_file(path, text, errors);

    free(path);
    return fine;
}

static void remove_files(const char *folder, const char *suffix)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;

    while (directory && (entry = readdir(directory))) {
        size_t length = strlen(entry->d_name), tail = strlen(suffix);
        if (length >= tail && strcmp(entry->d_name + length - tail, suffix) == 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    if (directory)
        closedir(directory);
}

void folder_clean(const char *folder)
{
    remove_files(folder, ".tmp");
}

void folder_remove(const char *folder)
{
    remove_files(folder, "");
    rmdir(folder);
}
