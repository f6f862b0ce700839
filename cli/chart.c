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

static void text_of(FILE *stream, const struct row *row)
{
    fprintf(stream, "\"%s, %s\" %.6g %.6g\n", row->case_name, row->variant, row->value, row->expectation->published);
}

/* Rows with published values when there are any, else the derived or measured ones of the last metric. */
static bool in_chart(const struct result *result, const struct row *row, bool published)
{
    return published ? row->expectation != NULL : strcmp(row->metric, result->rows[result->row_count - 1].metric) == 0;
}

static void script(const struct result *result, const char *path, bool published, FILE *stream)
{
    const struct row *first = NULL;

    for (size_t i = 0; !first && i < result->row_count; i++)
        if (in_chart(result, &result->rows[i], published))
            first = &result->rows[i];
    fprintf(stream,
            "set terminal svg size 760,440 font 'Helvetica,13' background 'white'\nset output '%s'\n"
            "set title '%s' noenhanced\nset ylabel '%s [%s]' noenhanced\nset style data histograms\n"
            "set style histogram clustered gap 1.2\nset style fill solid 1.0 border -1\nset boxwidth 0.9\nset grid "
            "ytics lc rgb '#d0d0d0'\n"
            "set yrange [0:*]\nset offsets 0,0,graph 0.12,0\nset key outside top center horizontal\nset xtics "
            "noenhanced\nset border 3\nset tics nomirror\n$data << END\n",
            path, result->scenario->name, first->metric, first->unit);
    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        if (!in_chart(result, row, published))
            continue;
        if (published)
            text_of(stream, row);
        else
            fprintf(stream, "\"%s, %s\" %.6g\n", row->case_name, row->variant, row->value);
    }
    fprintf(stream, "END\n");
    if (published)
        fprintf(
            stream,
            "plot $data using 3:xtic(1) title 'published' lc rgb '#999999', '' using 2 title 'simulated' lc rgb "
            "'#0072B2', "
            "'' using 0:3:3 with labels offset -3.2,0.6 notitle, '' using 0:2:2 with labels offset 3.2,0.6 notitle\n");
    else
        fprintf(stream, "set xtics rotate by -35\nplot $data using 2:xtic(1) title 'simulated' lc rgb '#0072B2', "
                        "'' using 0:2:2 with labels offset 0,0.6 notitle\n");
}

bool result_chart(const struct result *result, const char *path, struct error_list *errors)
{
    struct error_place place = {.file = path};
    bool published = false;
    FILE *pipe;

    if (result->row_count == 0)
        return true;
    if (!has_gnuplot()) {
        fprintf(stderr, "note: gnuplot is not installed; no chart was drawn\n");
        return true;
    }
    for (size_t i = 0; i < result->row_count; i++)
        published |= result->rows[i].expectation != NULL;
    pipe = popen("LC_ALL=C gnuplot", "w");
    if (!pipe)
        return false;
    script(result, path, published, pipe);
    if (pclose(pipe) != 0) {
        error_add(errors, &place, "gnuplot could not draw the chart");
        return false;
    }
    return true;
}
