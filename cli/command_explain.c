#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/scenario.h"
#include "common/quantity.h"
#include "hazard/kinds.h"
#include "smmu/smmu.h"

static const char *const type_names[] = {"whole number", "true or false",     "frequency", "bytes",
                                         "time",         "percentage points", "choice"};

/* "time (ps, ns, us, ms or s)", "choice (none, smmuv3, mmu500)", "whole number" */
static void put_type(const struct key *key)
{
    bool has_unit = key->type != KEY_COUNT && key->type != KEY_BOOL;

    printf("  type      %s%s", type_names[key->type], has_unit ? " (" : "");
    for (size_t i = 0; key->type == KEY_CHOICE && key->choices[i]; i++)
        printf("%s%s", i ? ", " : "", key->choices[i]);
    printf("%s%s\n", has_unit && key->type != KEY_CHOICE ? quantity_units(key->type) : "", has_unit ? ")" : "");
}

static void explain(const struct key *key)
{
    printf("%s\n  meaning   %s\n", key->name, key->meaning);
    put_type(key);
    if (key->least)
        printf("  bounds    %s to %s\n", key->least, key->most);
    printf("  default   %s\n  origin    %s\n", key->standard, key->origin);
}

static const char *const support_names[] = {"functional", "stored", "not implemented"};

static void put_support(const char *name, uint8_t support, const char *note)
{
    printf("  %-34s %-16s %s\n", name, support_names[support], note ? note : "");
}

/* What of the SMMUv3 is there, from the tables that the model itself uses. */
static void explain_smmu(void)
{
    char name[64];

    puts("SMMUv3 registers (Arm IHI 0070 6.2; offsets from page 0, <n> in its window)");
    for (unsigned i = 0; i < smmu_register_count; i++) {
        const struct smmu_register *r = &smmu_register_table[i];
        printf("\n0x%05x %s, %u bits, %s\n", r->offset, r->name, 8u * r->bytes, r->access);
        for (uint32_t f = 0; f < r->field_count; f++) {
            snprintf(name, sizeof(name), "%s [%u:%u]", r->fields[f].name, r->fields[f].high, r->fields[f].low);
            put_support(name, r->fields[f].support, r->fields[f].note);
        }
    }
    puts("\nCommands (chapter 4); all others are CERROR_ILL");
    for (unsigned i = 0; i < smmu_command_count; i++) {
        snprintf(name, sizeof(name), "0x%02x %s", smmu_command_table[i].opcode, smmu_command_table[i].name);
        put_support(name, smmu_command_table[i].support, smmu_command_table[i].note);
    }
    puts("\nEvents (7.3)");
    for (unsigned i = 0; i < smmu_event_count; i++) {
        snprintf(name, sizeof(name), "0x%02x %s", smmu_event_table[i].number, smmu_event_table[i].name);
        put_support(name, smmu_event_table[i].support, smmu_event_table[i].note);
    }
}

/* What the detector knows, from its own table. */
static void explain_hazards(void)
{
    for (int kind = HAZARD_NONE + 1; kind < HAZARD_KINDS; kind++) {
        const struct hazard_kind_info *info = hazard_kind_info((enum hazard_kind)kind);
        printf("%s\n  what      %s\n  missing   %s\n", info->name, info->what, info->missing);
    }
}

int command_explain(int argc, char **argv)
{
    struct error_list errors = {0};
    int status = EXIT_FINE;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        puts("usage: dmasim explain [KEY]...\n  what a key means, its unit, bounds, default and the default's origin; "
             "without KEY: all; `smmu`: which registers, commands and events of the SMMUv3 are implemented; `hazards`: "
             "what the "
             "hazard detector reports\n"
             "example: dmasim explain cmo.slots");
        return EXIT_FINE;
    }
    if (!arguments_no_options(argc, argv, &errors)) {
        print_errors(&errors);
        return EXIT_USAGE;
    }
    for (size_t i = 0; argc == 1 && i < key_table_count; i++)
        printf("%-28s %-10s %s\n", key_table[i].name, key_table[i].standard, key_table[i].meaning);
    for (int i = 1; i < argc; i++) {
        const struct key *key = key_find(argv[i]);
        const char *near = key_nearest(argv[i]);
        if (strcmp(argv[i], "smmu") == 0)
            explain_smmu();
        else if (strcmp(argv[i], "hazards") == 0)
            explain_hazards();
        else if (key)
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
    struct error_list errors = {0};
    int status = EXIT_FINE;

    if (argc > 1 && strcmp(argv[1], "--help") != 0) {
        error_add(&errors, NULL, "list takes no arguments; \"%s\" is one", argv[1]);
        print_errors(&errors);
        status = EXIT_USAGE;
    } else if (argc > 1) {
        puts("usage: dmasim list\n  scenarios, platforms and guest programs that can be named\nexample: dmasim list");
    } else if (asprintf(&platforms, "%s/platforms", scenarios) > 0) {
        list_folder("scenarios", scenarios, ".yaml");
        list_folder("platforms", platforms, ".yaml");
        list_folder("guest programs", guests, ".elf");
    }
    free(scenarios);
    free(platforms);
    free(guests);
    return status;
}
