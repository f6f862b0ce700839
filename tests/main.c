/*
 * The main of all unit tests: runs Check's tests with GoogleTest's command line, output and XML, so that IDEs and CI
 * that know GoogleTest can list, filter and read them. Each test runs in a process of its own.
 */
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit_internal.h"

struct outcome {
    bool run, passed;
    double seconds;
    char *message;
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void full_name(const struct unit_entry *entry, char name[256])
{
    snprintf(name, 256, "%s.%s", entry->suite, entry->test->name);
}

/* Whether name matches one of the patterns separated by ':'. */
static bool matches_any(const char *name, const char *patterns)
{
    char *copy = strdup(patterns), *rest = copy, *pattern;
    bool found = false;

    while ((pattern = strsep(&rest, ":")))
        found |= *pattern && fnmatch(pattern, name, 0) == 0;
    free(copy);
    return found;
}

/* GoogleTest's filter: positive patterns, then '-' and negative ones. */
static bool selected(const struct unit_entry *entry, const char *filter)
{
    const char *minus = strchr(filter, '-');
    char *positive = strndup(filter, minus ? (size_t)(minus - filter) : strlen(filter)), name[256];
    bool chosen;

    full_name(entry, name);
    chosen = (*positive == 0 || matches_any(name, positive)) && !(minus && matches_any(name, minus + 1));
    free(positive);
    return chosen;
}

static void list(const struct unit_registry *registry, const char *filter)
{
    const char *suite = "";

    for (size_t i = 0; i < registry->count; i++) {
        const struct unit_entry *entry = &registry->entries[i];
        if (!selected(entry, filter))
            continue;
        if (strcmp(suite, entry->suite))
            printf("%s.\n", suite = entry->suite);
        printf("  %s\n", entry->test->name);
    }
}

static void run(const struct unit_entry *entry, struct outcome *outcome)
{
    Suite *suite = suite_create(entry->suite);
    TCase *tcase = tcase_create(entry->test->name);
    SRunner *runner;
    TestResult **results;
    char name[256];
    double start = now_s();

    full_name(entry, name);
    printf("[ RUN      ] %s\n", name);
    fflush(stdout);
    tcase_set_timeout(tcase, entry->timeout_s);
    if (entry->setup || entry->teardown)
        tcase_add_checked_fixture(tcase, entry->setup, entry->teardown);
    tcase_add_test(tcase, entry->test);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_SILENT);
    outcome->run = true;
    outcome->passed = srunner_ntests_failed(runner) == 0;
    outcome->seconds = now_s() - start;
    results = srunner_results(runner);
    if (!outcome->passed) {
        size_t bytes = 512 + strlen(tr_msg(results[0]));
        outcome->message = malloc(bytes);
        snprintf(outcome->message, bytes, "%s:%d: %s", tr_lfile(results[0]) ? tr_lfile(results[0]) : "?",
                 tr_lno(results[0]), tr_msg(results[0]));
        printf("%s\n", outcome->message);
    }
    free(results);
    srunner_free(runner);
    printf("[  %s ] %s (%.0f ms)\n", outcome->passed ? "     OK" : "FAILED ", name, 1000 * outcome->seconds);
}

static void put_escaped(FILE *stream, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", stream);
        else if (*text == '>')
            fputs("&gt;", stream);
        else if (*text == '&')
            fputs("&amp;", stream);
        else if (*text == '"')
            fputs("&quot;", stream);
        else if (*text == '\n')
            fputs("&#10;", stream);
        else if ((unsigned char)*text >= 32)
            fputc(*text, stream);
    }
}

static void xml_suite(FILE *stream, const struct unit_registry *registry, const struct outcome *outcomes, size_t first)
{
    const char *suite = registry->entries[first].suite;
    unsigned tests = 0, failures = 0;
    double seconds = 0;

    for (size_t i = first; i < registry->count; i++)
        if (outcomes[i].run && strcmp(registry->entries[i].suite, suite) == 0) {
            tests++;
            failures += !outcomes[i].passed;
            seconds += outcomes[i].seconds;
        }
    fprintf(stream,
            "  <testsuite name=\"%s\" tests=\"%u\" failures=\"%u\" disabled=\"0\" errors=\"0\" time=\"%.3f\">\n", suite,
            tests, failures, seconds);
    for (size_t i = first; i < registry->count; i++) {
        if (!outcomes[i].run || strcmp(registry->entries[i].suite, suite))
            continue;
        fprintf(stream, "    <testcase name=\"%s\" status=\"run\" result=\"completed\" time=\"%.3f\" classname=\"%s\"",
                registry->entries[i].test->name, outcomes[i].seconds, suite);
        if (outcomes[i].passed) {
            fprintf(stream, " />\n");
            continue;
        }
        fprintf(stream, ">\n      <failure message=\"");
        put_escaped(stream, outcomes[i].message);
        fprintf(stream, "\" type=\"\"></failure>\n    </testcase>\n");
    }
    fprintf(stream, "  </testsuite>\n");
}

static bool write_xml(const char *path, const struct unit_registry *registry, const struct outcome *outcomes,
                      unsigned tests, unsigned failures)
{
    char file[4096];
    FILE *stream;

    snprintf(file, sizeof(file), "%s%s", path, path[strlen(path) - 1] == '/' ? "unit_tests.xml" : "");
    stream = fopen(file, "w");
    if (!stream) {
        fprintf(stderr, "%s: cannot be written\n", file);
        return false;
    }
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%u\" failures=\"%u\" disabled=\"0\" "
            "errors=\"0\" name=\"AllTests\">\n",
            tests, failures);
    for (size_t i = 0; i < registry->count; i++) {
        bool first = outcomes[i].run;
        for (size_t before = 0; before < i; before++)
            first &=
                !(outcomes[before].run && strcmp(registry->entries[before].suite, registry->entries[i].suite) == 0);
        if (first)
            xml_suite(stream, registry, outcomes, i);
    }
    fprintf(stream, "</testsuites>\n");
    return fclose(stream) == 0;
}

int main(int argc, char **argv)
{
    struct unit_registry registry = {0};
    const char *filter = "*", *xml = NULL;
    unsigned tests = 0, failures = 0;
    struct outcome *outcomes;
    bool listing = false;

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--gtest_filter=", 15) == 0)
            filter = argv[i] + 15;
        else if (strncmp(argv[i], "--gtest_output=xml", 18) == 0)
            xml = argv[i][18] == ':' ? argv[i] + 19 : "test_detail.xml";
        else if (strcmp(argv[i], "--gtest_list_tests") == 0)
            listing = true;
        else if (strcmp(argv[i], "--help") == 0) {
            puts("options: --gtest_list_tests --gtest_filter=PATTERNS[-NEGATIVE] --gtest_output=xml[:FILE]");
            return 0;
        } else if (strncmp(argv[i], "--gtest_", 8)) {
            fprintf(stderr, "unknown option %s\n", argv[i]);
            return 2;
        }
    }
    unit_register_all(&registry);
    if (listing) {
        list(&registry, filter);
        free(registry.entries);
        return 0;
    }
    outcomes = calloc(registry.count + 1, sizeof(*outcomes));
    for (size_t i = 0; i < registry.count; i++) {
        if (!selected(&registry.entries[i], filter))
            continue;
        run(&registry.entries[i], &outcomes[i]);
        tests++;
        failures += !outcomes[i].passed;
    }
    printf("[==========] %u tests ran.\n[  PASSED  ] %u tests.\n", tests, tests - failures);
    if (failures)
        printf("[  FAILED  ] %u tests.\n", failures);
    if (xml && !write_xml(xml, &registry, outcomes, tests, failures))
        return 2;
    for (size_t i = 0; i < registry.count; i++)
        free(outcomes[i].message);
    free(outcomes);
    free(registry.entries);
    return failures != 0;
}
