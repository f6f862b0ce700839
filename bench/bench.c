/*
 * How fast the simulator is, as JSON: million guest instructions and DC operations per second of host time on one core,
 * with timing on, with and without the hazard detector, and functional-only. usage: bench GUEST_FOLDER
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model/platform.h"

struct measure {
    const char *name;
    uint64_t kind, millions;
    const char *functional, *detector;
};

static const struct measure measures[] = {
    {"alu", 0, 400, "false", "true"},
    {"memcpy", 1, 300, "false", "true"},
    {"dc", 2, 40, "false", "true"},
    {"alu_without_detector", 0, 400, "false", "false"},
    {"memcpy_without_detector", 1, 300, "false", "false"},
    {"dc_without_detector", 2, 40, "false", "false"},
    {"alu_functional", 0, 600, "true", "true"},
    {"memcpy_functional", 1, 400, "true", "true"},
    {"dc_functional", 2, 40, "true", "true"},
};

static void nothing(void *ctx, const char *text, size_t bytes) {}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs in a child: SystemC elaborates once a process. Writes two numbers into the pipe. */
static void run_measure(const struct measure *measure, const char *elf, int out)
{
    struct platform_parameter parameters[] = {{"kind", measure->kind}, {"millions", measure->millions}};
    struct platform_guest guest = {.elf_path = elf, .parameters = parameters, .parameter_count = 2};
    struct platform_console console = {NULL, nothing};
    struct error_list errors = {0};
    struct config *config = config_create();
    struct platform_result result;
    double rates[2] = {0}, start = seconds(), elapsed;

    config_set(config, "cpu.functional_only", measure->functional, ORIGIN_COMMAND, NULL, NULL, &errors);
    config_set(config, "hazard.detect", measure->detector, ORIGIN_COMMAND, NULL, NULL, &errors);
    if (platform_run(config, &guest, &console, &result, &errors) && result.end == PLATFORM_EXIT) {
        elapsed = seconds() - start;
        rates[0] = (double)result.instructions / elapsed / 1e6;
        rates[1] = (double)result.counters.dc_ops / elapsed / 1e6;
    }
    if (write(out, rates, sizeof(rates)) != sizeof(rates))
        _exit(1);
    _exit(0);
}

int main(int argc, char **argv)
{
    json_t *report = json_object();
    char elf[4096];

    if (argc != 2) {
        fprintf(stderr, "usage: bench GUEST_FOLDER\n");
        return 2;
    }
    snprintf(elf, sizeof(elf), "%s/speed-plain.elf", argv[1]);
    for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++) {
        double rates[2] = {0};
        int ends[2];
        if (pipe(ends))
            return 3;
        if (fork() == 0)
            run_measure(&measures[i], elf, ends[1]);
        close(ends[1]);
        if (read(ends[0], rates, sizeof(rates)) != sizeof(rates) || rates[0] == 0) {
            fprintf(stderr, "bench: %s failed\n", measures[i].name);
            return 3;
        }
        close(ends[0]);
        wait(NULL);
        json_object_set_new(
            report, measures[i].name,
            json_pack("{s:f, s:f}", "million_instructions_per_s", rates[0], "million_dc_per_s", rates[1]));
    }
    json_dumpf(report, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(4));
    putchar('\n');
    json_decref(report);
    return 0;
}
