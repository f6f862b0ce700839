/* The chart: published beside simulated, as bars, drawn by gnuplot. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/result.h"

static bool has_gnuplot(void)
{
    return system("command -v gnuplot >/dev/null 2>&1") == 0;
}

/* Rows with published values when there are any, else the derived or measured ones of the last metric. */
static bool in_chart(const struct result *result, const struct row *row, bool published)
{
    return published ? row->expectation != NULL : strcmp(row->metric, result->rows[result->row_count - 1].metric) == 0;
}

/* What decides the size of the picture. */
struct chart {
    const struct row *first;
    unsigned rows;
    bool published, one_variant; /* one_variant: it stands in the title, not at every bar */
    unsigned longest;            /* characters under a bar */
};

static struct chart chart_of(const struct result *result)
{
    struct chart chart = {.one_variant = true};

    for (size_t i = 0; i < result->row_count; i++)
        chart.published |= result->rows[i].expectation != NULL;
    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        if (!in_chart(result, row, chart.published))
            continue;
        if (!chart.first)
            chart.first = row;
        chart.one_variant &= strcmp(row->variant, chart.first->variant) == 0;
        chart.rows++;
    }
    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        size_t length = strlen(row->case_name) + (chart.one_variant ? 0 : 2 + strlen(row->variant));
        if (in_chart(result, row, chart.published) && length > chart.longest)
            chart.longest = (unsigned)length;
    }
    return chart;
}

/* A height, and the text above the bar: three digits, no exponent. */
static void print_value(FILE *stream, double value)
{
    fprintf(stream, value < 999.5 ? " %.6g \"%.3g\"" : " %.6g \"%.0f\"", value, value);
}

static void print_data(const struct result *result, const struct chart *chart, FILE *stream)
{
    fprintf(stream, "$data << END\n");
    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        if (!in_chart(result, row, chart->published))
            continue;
        fprintf(stream, chart->one_variant ? "\"%s\"" : "\"%s, %s\"", row->case_name, row->variant);
        print_value(stream, row->value);
        if (chart->published)
            print_value(stream, row->expectation->published);
        fprintf(stream, "\n");
    }
    fprintf(stream, "END\n");
}

/* Wide enough for the text above each bar; names that do not fit under their bars stand askew in margins made for the
 * longest. */
static void print_size(const struct chart *chart, const char *path, FILE *stream)
{
    const unsigned BAR = 52, CHARACTER = 8, LEAST = 760, AROUND = 100; /* pixels */
    unsigned row_width = chart->published ? 2 * BAR : BAR, right = 20, bottom = 40, width;
    bool askew = chart->longest * CHARACTER > row_width;

    if (askew) { /* the cosine and sine of 35 degrees */
        right += chart->longest * CHARACTER * 82 / 100;
        bottom += chart->longest * CHARACTER * 57 / 100;
    }
    width = AROUND + chart->rows * row_width + right;
    if (width < LEAST)
        width = LEAST;
    fprintf(stream, "set terminal svg size %u,%u font 'Helvetica,13' background 'white'\nset output '%s'\n", width,
            400 + bottom, path);
    fprintf(stream, "set rmargin at screen %.4f\nset bmargin at screen %.4f\nset xtics scale 0 noenhanced%s\n",
            1 - (double)right / width, bottom / (400.0 + bottom), askew ? " rotate by -35" : "");
}

static void script(const struct result *result, const char *path, FILE *stream)
{
    struct chart chart = chart_of(result);

    print_size(&chart, path, stream);
    fprintf(stream, chart.one_variant ? "set title '%s, %s' noenhanced\n" : "set title '%s' noenhanced\n",
            result->scenario->name, chart.first->variant);
    fprintf(stream,
            "set ylabel '%s [%s]' noenhanced\nset style data histograms\nset style histogram clustered gap 1\n"
            "set style fill solid 1.0 border -1\nset boxwidth 0.9\nset grid ytics lc rgb '#d0d0d0'\n"
            "set yrange [*<0:0<*]\nset offsets 0,0,graph 0.12,0\nset key outside top center horizontal\nset border 3\n"
            "set tics nomirror\n",
            chart.first->metric, chart.first->unit);
    print_data(result, &chart, stream);
    if (chart.published)
        fprintf(stream, "plot $data using 4:xtic(1) title 'published' lc rgb '#999999', '' using 2 title 'simulated' "
                        "lc rgb '#0072B2', '' using ($0-1/6.):4:5 with labels offset 0,0.6 notitle, "
                        "'' using ($0+1/6.):2:3 with labels offset 0,0.6 notitle\n");
    else
        fprintf(stream, "plot $data using 2:xtic(1) title 'simulated' lc rgb '#0072B2', "
                        "'' using 0:2:3 with labels offset 0,0.6 notitle\n");
}

bool result_chart(const struct result *result, const char *path, struct error_list *errors)
{
    struct error_place place = {.file = path};
    FILE *pipe;

    if (result->row_count == 0)
        return true;
    if (!has_gnuplot()) {
        fprintf(stderr, "note: gnuplot is not installed; no chart was drawn\n");
        return true;
    }
    pipe = popen("LC_ALL=C gnuplot", "w");
    if (!pipe)
        return false;
    script(result, path, pipe);
    if (pclose(pipe) != 0) {
        error_add(errors, &place, "gnuplot could not draw the chart");
        return false;
    }
    return true;
}
