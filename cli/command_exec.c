#define _GNU_SOURCE
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/child.h"
#include "cli/commands.h"
#include "cli/platform_file.h"
#include "cli/result.h"
#include "model/platform.h"

static const char exec_help[] =
    "usage: dmasim exec ELF [options] [-- ARGUMENTS]\n"
    "  runs a bare-metal AArch64 program (semihosting, PL011) and ends with its exit status;\n"
    "  the machine is QEMU's virt with GICv3: RAM from 0x40000000, device tree in X0, PSCI;\n"
    "  ARGUMENTS are semihosting's command line and the device tree's bootargs;\n"
    "  2 when the file is refused, 124 at a limit, 125 when the guest is stuck\n"
    "  -p, --platform NAME   platform file (default: built-in values)\n"
    "  -s, --set KEY=VALUE   override a key (repeat; the last wins)\n"
    "      --json FILE       counters and simulated time (- for the terminal)\n"
    "example: dmasim exec hello.elf -p rk3588 -s sim.instruction_limit=1000000 -- one two\n";

static void to_stdout(void *ctx, const char *text, size_t bytes)
{
    fwrite(text, 1, bytes, stdout);
}

static bool write_json(const char *path, const struct platform_result *result, struct error_list *errors)
{
    static const char *const ends[] = {"exit",        "check_failed", "instruction_limit", "time_limit", "stuck",
                                       "guest_fault", "failed"};
    const struct cpu_counters *c = &result->counters;
    json_t *stack = json_object();
    json_t *object =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}}", "schema",
                  "dmasim-exec/1", "end", ends[result->end], "exit_status", (json_int_t)result->exit_status,
                  "simulated_ps", (json_int_t)result->simulated_ps, "instructions", (json_int_t)result->instructions,
                  "counters", "loads", (json_int_t)c->loads, "stores", (json_int_t)c->stores, "dc_ops",
                  (json_int_t)c->dc_ops, "ic_ops", (json_int_t)c->ic_ops, "dsbs", (json_int_t)c->dsbs, "dmbs",
                  (json_int_t)c->dmbs, "isbs", (json_int_t)c->isbs, "atomics", (json_int_t)c->atomics, "exceptions",
                  (json_int_t)c->exceptions, "mispredicts", (json_int_t)c->mispredicts);
    char *text, *line = NULL;
    bool fine;

    for (unsigned part = 0; part < STACK_PARTS; part++)
        json_object_set_new(stack, cpu_stack_part_names[part], json_integer((json_int_t)result->stack_ps[part]));
    json_object_set_new(object, "stack_ps", stack);
    text = json_dumps(object, JSON_INDENT(2));
    fine = asprintf(&line, "%s\n", text) > 0 && result_write_file(path, line, errors);
    json_decref(object);
    free(text);
    free(line);
    return fine;
}

static char *join_arguments(int argc, char **argv)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    for (int i = 0; i < argc; i++)
        fprintf(stream, "%s%s", i ? " " : "", argv[i]);
    fclose(stream);
    return text;
}

static int status_of(const struct platform_result *result, struct error_list *errors)
{
    switch (result->end) {
    case PLATFORM_EXIT:
        return (int)(result->exit_status & 0xFF);
    case PLATFORM_INSTRUCTION_LIMIT:
    case PLATFORM_TIME_LIMIT:
        error_add(errors, NULL, "%s", result->message);
        return EXIT_LIMIT;
    default:
        error_add(errors, NULL, "%s", result->message);
        return EXIT_STUCK;
    }
}

int command_exec(int argc, char **argv)
{
    enum { OPTION_JSON = 256, OPTION_HELP };
    static const struct option long_options[] = {{"platform", required_argument, NULL, 'p'},
                                                 {"set", required_argument, NULL, 's'},
                                                 {"json", required_argument, NULL, OPTION_JSON},
                                                 {"help", no_argument, NULL, OPTION_HELP},
                                                 {0}};
    struct platform_console console = {NULL, to_stdout};
    struct platform_guest guest = {.bare = true};
    struct config *config = config_create();
    struct platform_result result = {0};
    struct settings overrides = {0};
    struct error_list errors = {0};
    const char *json = NULL, *platform = NULL;
    char *path = NULL, *command_line, *arguments;
    int option, status = EXIT_USAGE;

    while ((option = arguments_next(argc, argv, "p:s:", long_options, &errors)) != -1) {
        if (option == 'p')
            platform = optarg;
        else if (option == 's')
            settings_add_argument(&overrides, optarg, &errors);
        else if (option == OPTION_JSON)
            json = optarg;
        else {
            fputs(exec_help, stdout);
            config_destroy(config);
            return EXIT_FINE;
        }
    }
    if (optind == argc)
        error_add(&errors, NULL, "exec needs an ELF file; see dmasim exec --help");
    if (platform && (path = platform_find(platform, NULL, &errors)))
        platform_read(path, config, &errors);
    child_apply_keys(config, &overrides, ORIGIN_COMMAND, &errors);
    command_line = join_arguments(argc - optind, argv + optind);
    arguments = join_arguments(argc - optind - 1, argv + optind + 1);
    guest.elf_path = argv[optind];
    guest.command_line = command_line;
    guest.arguments = arguments;
    if (errors.count == 0 && platform_run(config, &guest, &console, &result, &errors)) {
        fflush(stdout);
        status = status_of(&result, &errors);
        if (json && !write_json(json, &result, &errors))
            status = EXIT_USAGE;
    }
    print_errors(&errors);
    platform_result_free(&result);
    settings_free(&overrides);
    config_destroy(config);
    free(command_line);
    free(arguments);
    free(path);
    return status;
}
