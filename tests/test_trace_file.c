/* Trace files: what a window and a limit do to slices that cross them; names that JSON cannot have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit.h"
#include "trace/trace_file.h"

static char path[64];
static char text[8192];
static struct trace_file *trace;

static void begin(uint64_t from_ps, uint64_t to_ps, uint64_t most)
{
    struct trace_options options = {path, 7, from_ps, to_ps, most};
    int fd;

    strcpy(path, "/tmp/test_trace_XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    trace = trace_open(&options);
    ck_assert_ptr_nonnull(trace);
}

/* The events of the file without what all have. */
static const char *end(uint64_t t_ps, uint64_t cut_expected)
{
    uint64_t cut_ps;
    FILE *stream;
    char line[512];

    ck_assert(trace_close(trace, t_ps, &cut_ps));
    ck_assert_uint_eq(cut_ps, cut_expected);
    text[0] = 0;
    stream = fopen(path, "r");
    while (fgets(line, sizeof(line), stream)) {
        char phase, *name = strstr(line, "\"name\":\"");
        double ts;
        if (sscanf(line, "{\"ph\":\"%c\",\"pid\":7,\"tid\":3,\"ts\":%lf", &phase, &ts) == 2)
            sprintf(text + strlen(text), "%c%g%.*s ", phase, ts, name ? (int)strcspn(name + 8, "\"") : 0,
                    name ? name + 8 : "");
    }
    fclose(stream);
    unlink(path);
    return text;
}

#define US 1000000ull

static void two_slices(void)
{
    trace_begin(trace, 3, "out", 1 * US);
    trace_begin(trace, 3, "in", 2 * US);
    trace_end(trace, 3, 4 * US);
    trace_end(trace, 3, 6 * US);
}

START_TEST(everything_in_order)
{
    begin(0, UINT64_MAX, 100);
    two_slices();
    ck_assert_str_eq(end(9 * US, 0), "B1out B2in E4 E6 ");
}
END_TEST

START_TEST(a_window_cuts_slices)
{
    begin(3 * US, 5 * US, 100);
    two_slices();
    ck_assert_str_eq(end(9 * US, 0), "B3out B3in E4 E5 ");
}
END_TEST

START_TEST(a_slice_over_the_whole_window_is_seen)
{
    begin(3 * US, 5 * US, 100);
    trace_begin(trace, 3, "out", 1 * US);
    ck_assert_str_eq(end(9 * US, 0), "B3out E5 ");
}
END_TEST

START_TEST(an_open_slice_ends_with_the_run)
{
    begin(0, UINT64_MAX, 100);
    trace_begin(trace, 3, "out", 1 * US);
    ck_assert_str_eq(end(9 * US, 0), "B1out E9 ");
}
END_TEST

START_TEST(the_limit_says_when_and_slices_still_end)
{
    begin(0, UINT64_MAX, 2);
    two_slices();
    ck_assert_str_eq(end(9 * US, 4 * US), "B1out B2in E4 E4 ");
}
END_TEST

START_TEST(an_end_without_a_begin_is_nothing)
{
    begin(0, UINT64_MAX, 100);
    trace_end(trace, 3, 1 * US);
    ck_assert_str_eq(end(9 * US, 0), "");
}
END_TEST

START_TEST(names_stay_json)
{
    begin(0, UINT64_MAX, 100);
    trace_begin(trace, 3, "a\"b\\c\n\xff", 1 * US);
    ck_assert_str_eq(end(1 * US, 0), "B1a?b?c?? E1 ");
}
END_TEST

void test_trace_file(struct unit_registry *r)
{
    unit_suite(r, "TraceFile", NULL, NULL);
    unit_test(r, everything_in_order);
    unit_test(r, a_window_cuts_slices);
    unit_test(r, a_slice_over_the_whole_window_is_seen);
    unit_test(r, an_open_slice_ends_with_the_run);
    unit_test(r, the_limit_says_when_and_slices_still_end);
    unit_test(r, an_end_without_a_begin_is_nothing);
    unit_test(r, names_stay_json);
}
