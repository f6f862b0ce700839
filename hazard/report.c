/* Occurrences become reports: one for each kind, place and cause. */
#include <stdlib.h>

#include "hazard/hazard_internal.h"

#define REPORTS_MOST 256u /* a guest with more different places than that has no need of another one */

static struct hazard_report *same_report(struct hazards *hazards, const struct hazard_report *example)
{
    for (size_t i = 0; i < hazards->report_count; i++) {
        struct hazard_report *report = &hazards->reports[i];
        if (report->kind == example->kind && report->where.pc == example->where.pc &&
            report->cause.pc == example->cause.pc)
            return report;
    }
    return NULL;
}

static struct hazard_report *new_report(struct hazards *hazards)
{
    if (!hazards->reports)
        hazards->reports = calloc(REPORTS_MOST, sizeof(*hazards->reports));
    if (!hazards->reports || hazards->report_count == REPORTS_MOST)
        return NULL;
    return &hazards->reports[hazards->report_count++];
}

void hazard_report_add(struct hazards *hazards, const struct hazard_report *example)
{
    struct hazard_report *report = same_report(hazards, example);

    if (!report) {
        report = new_report(hazards);
        if (!report)
            return;
        *report = *example;
        report->count = 0;
        if (hazards->host.context)
            report->context = hazards->host.context(hazards->host.ctx, report->core);
        if (!report->missing)
            report->missing = hazard_kind_info(report->kind)->missing;
    }
    report->count++;
    if (example->window_ps > report->window_ps)
        report->window_ps = example->window_ps;
}

const struct hazard_report *hazard_reports(const struct hazards *hazards, size_t *count)
{
    *count = hazards->report_count;
    return hazards->reports;
}
