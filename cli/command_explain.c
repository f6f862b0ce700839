#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/scenario.h"
#include "common/quantity.h"

static const char *const type_names[] = {"whole number", "true or false",     "frequency", "bytes",
                                         "time",         "percentage points", "choice"};

static void explain(const struct key *key)
{
    printf("%s\n  meaning   %s\n  type      %s (%s)\n", key->name, key->meaning, type_names[key->type],
           quantity_units(key->type));
    if (key->least)
        printf("  bounds    %s to %s\n", key->least, key->most);
    printf("  default   %s\n  origin    %s\n", key->standard, key->origin);
}

int command_explain(int argc, char **argv)
{
    int status = EXIT_FINE;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        puts("usage: dmasim explain [KEY]...\n  what a key means, its unit, bounds, default and the default's origin; "
             "without KEY: all\n"
             "example: dmasim explain cmo.slots");
        return EXIT_FINE;
    }
    for (size_t i = 0; argc == 1 && i < key_table_count; i++)
        printf("%-28s %-10s %s\n", key_table[i].name, key_table[i].standard, key_table[i].meaning);
    for (int i = 1; i < argc; i++) {
        const struct key *key = key_find(argv[i]);
        const char *near = key_nearest(argv[i]);
        if (key)
            explain(key);
        else {
            fprintf(stderr, "unknown key \"%s\"%s%s%s\n", argv[i],
                    near ? "; did you mean \"" : "; `dmasim explain` lists all", near ? near : "", near ? "\"?" : "");
            status = EXIT_USAGE;
        }
    }
    return status;
}

static void list_folder(const char *title, const char *folder, const char *suffix)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);

    printf("%s (%s)\n", title, folder);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(entries[i]->d_name), cut = strlen(suffix);
        if (length > cut && strcmp(entries[i]->d_name + length - cut, suffix) == 0)
            printf("  %.*s\n", (int)(length - cut), entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

int command_list(int argc, char **argv)
{
    char *scenarios = data_folder("scenarios"), *guests = data_folder("guest"), *platforms = NULL;

    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        puts("usage: dmasim list\n  scenarios, platforms and guest programs that can be named\nexample: dmasim list");
    } else if (asprintf(&platforms, "%s/platforms", scenarios) > 0) {
        list_folder("scenarios", scenarios, ".yaml");
        list_folder("platforms", platforms, ".yaml");
        list_folder("guest programs", guests, ".elf");
    }
    free(scenarios);
    free(platforms);
    free(guests);
    return EXIT_FINE;
}
