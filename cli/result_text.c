/* A result as text: the table on the terminal, CSV, Markdown, JUnit. */
#include <stdlib.h>
#include <string.h>

#include "cli/hazards.h"
#include "cli/quote.h"
#include "cli/result.h"
#include "cpu/cpu.h"

static const char *published_text(const struct row *row, char buffer[32])
{
    if (row->expectation)
        snprintf(buffer, 32, "%.6g", row->expectation->published);
    else
        strcpy(buffer, "");
    return buffer;
}

static const char *error_text(const struct row *row, char buffer[32])
{
    if (!row->expectation)
        strcpy(buffer, "");
    else if (strcmp(row->unit, "%") == 0)
        snprintf(buffer, 32, "%+.2f pp", row->value - row->expectation->published);
    else
        snprintf(buffer, 32, "%+.2f %%", 100 * (row->value / row->expectation->published - 1));
    return buffer;
}

static const char *verdict(const struct row *row)
{
    return !row->expectation ? "" : row->ok ? "ok" : "NOT OK";
}

/* Widths of the columns whose texts the scenario chooses. */
struct widths {
    int case_name, variant, metric;
};

static int wider(int width, const char *text)
{
    return (int)strlen(text) > width ? (int)strlen(text) : width;
}

static struct widths widths_of(const struct result *result)
{
    struct widths widths = {4, 7, 6};

    for (size_t i = 0; i < result->row_count; i++) {
        widths.case_name = wider(widths.case_name, result->rows[i].case_name);
        widths.variant = wider(widths.variant, result->rows[i].variant);
        widths.metric = wider(widths.metric, result->rows[i].metric);
    }
    return widths;
}

static void print_stacks(const struct result *result, const struct widths *widths, FILE *stream)
{
    for (size_t i = 0; i < result->stack_count; i++) {
        const struct stack *stack = &result->stacks[i];
        fprintf(stream, "  %-*s  %-*s", widths->case_name, stack->case_name, widths->variant, stack->variant);
        for (unsigned part = 0; part < STACK_PARTS; part++)
            if (stack->parts[part] >= 0.0005)
                fprintf(stream, "  %s %.1f %%", cpu_stack_part_names[part], 100 * stack->parts[part]);
        fputc('\n', stream);
    }
}

static void print_count(const struct count *count, const struct widths *widths, FILE *stream)
{
    fprintf(stream, "  %-*s  %-*s  %llu DC operations  %llu DSB  %llu instructions", widths->case_name,
            count->case_name, widths->variant, count->variant, (unsigned long long)count->dc_ops,
            (unsigned long long)count->dsbs, (unsigned long long)count->instructions);
    if (count->tlbi || count->syncs)
        fprintf(stream, "  %llu TLBI  %llu SYNC", (unsigned long long)count->tlbi, (unsigned long long)count->syncs);
    fputc('\n', stream);
}

void result_print_table(const struct result *result, FILE *stream)
{
    struct widths widths = widths_of(result);
    char published[32], error[32];
    struct error_summary errors = result_errors(result);
    const char *unit = result->scenario->derive ? "pp" : "%";

    fprintf(stream, "\n%s: %s\n\n", result->scenario->name,
            result->scenario->description ? result->scenario->description : "");
    fprintf(stream, "  %-*s  %-*s  %-*s  %14s  %9s  %9s  %s\n", widths.case_name, "case", widths.variant, "variant",
            widths.metric, "metric", "simulated", "published", "error", "role");
    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        fprintf(stream, "  %-*s  %-*s  %-*s  %10.6g %-3s", widths.case_name, row->case_name, widths.variant,
                row->variant, widths.metric, row->metric, row->value, row->unit);
        if (row->expectation)
            fprintf(stream, "  %9s  %9s  %-9s  %s", published_text(row, published), error_text(row, error),
                    row->expectation->role, verdict(row));
        fputc('\n', stream);
    }
    if (errors.rows)
        fprintf(stream, "\n  %zu rows with a published value: mean error %.2f %s, largest %.2f %s\n", errors.rows,
                errors.mean, unit, errors.largest, unit);
    if (result->stack_count) {
        fprintf(stream, "\nWhere the time went\n");
        print_stacks(result, &widths, stream);
    }
    if (result->count_count) {
        fprintf(stream, "\nPer call\n");
        for (size_t i = 0; i < result->count_count; i++)
            print_count(&result->counts[i], &widths, stream);
    }
    hazards_print(result, stream);
    fputc('\n', stream);
}

char *result_csv(const struct result *result)
{
    char *text = NULL, published[32];
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    fprintf(stream, "case,variant,metric,unit,value,samples,published,role,tolerance,ok\n");
    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        quote_csv(stream, row->case_name);
        fputc(',', stream);
        quote_csv(stream, row->variant);
        fprintf(stream, ",%s,%s,%.6g,%llu,%s,%s,", row->metric, row->unit, row->value, (unsigned long long)row->samples,
                published_text(row, published), row->expectation ? row->expectation->role : "");
        if (row->expectation)
            fprintf(stream, "%.6g,%s\n", row->expectation->tolerance, row->ok ? "true" : "false");
        else
            fprintf(stream, ",\n");
    }
    fclose(stream);
    return text;
}

char *result_markdown(const struct result *result)
{
    char *text = NULL, published[32], error[32];
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    fprintf(stream,
            "## %s\n\n| case | variant | metric | simulated | published | error | role | "
            "|\n|---|---|---|---:|---:|---:|---|---|\n",
            result->scenario->name);
    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        fprintf(stream, "| %s | %s | %s | %.6g %s | %s | %s | %s | %s |\n", row->case_name, row->variant, row->metric,
                row->value, row->unit, published_text(row, published), error_text(row, error),
                row->expectation ? row->expectation->role : "", verdict(row));
    }
    fclose(stream);
    return text;
}

static void put_junit(const struct result *result, const struct row *row, FILE *stream)
{
    fprintf(stream, "  <testcase classname=\"");
    quote_xml(stream, result->scenario->name);
    fprintf(stream, "\" name=\"");
    quote_xml(stream, row->case_name);
    fputc(' ', stream);
    quote_xml(stream, row->variant);
    fprintf(stream, " %s\"", row->metric);
    if (row->ok)
        fprintf(stream, "/>\n");
    else
        fprintf(stream, "><failure message=\"simulated %.6g %s, published %.6g, tolerance %.6g\"/></testcase>\n",
                row->value, row->unit, row->expectation->published, row->expectation->tolerance);
}

char *result_junit(const struct result *result)
{
    char *text = NULL;
    size_t bytes, tests = 0, failures = 0;
    FILE *stream = open_memstream(&text, &bytes);

    for (size_t i = 0; i < result->row_count; i++) {
        tests += result->rows[i].expectation != NULL;
        failures += result->rows[i].expectation && !result->rows[i].ok;
    }
    hazards_junit(result, NULL, &tests, &failures);
    fprintf(stream, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"");
    quote_xml(stream, result->scenario->name);
    fprintf(stream, "\" tests=\"%zu\" failures=\"%zu\">\n", tests, failures);
    for (size_t i = 0; i < result->row_count; i++)
        if (result->rows[i].expectation)
            put_junit(result, &result->rows[i], stream);
    hazards_junit(result, stream, &tests, &failures);
    fprintf(stream, "</testsuite>\n");
    fclose(stream);
    return text;
}
