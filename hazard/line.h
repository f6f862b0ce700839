/* Judging one line. */
#ifndef DMASIM_HAZARD_LINE_H
#define DMASIM_HAZARD_LINE_H

#include "hazard/hazard_internal.h"

/* The bytes of a line in which the two images differ. */
uint64_t line_difference(const uint8_t *cpu, const uint8_t *poc);

/* A hazard of the line, unless it is the consequence of another kind that was reported since the last maintenance. */
void line_report(struct hazards *hazards, uint32_t line, uint64_t bytes, struct hazard_report example);

/* A store to the device's buffer that nothing has made good comes to light; false: there was none among the bytes. */
bool line_report_touch(struct hazards *hazards, uint32_t line, uint64_t bytes);

/* The parts of a memory_observer that are about lines (lines.c), and core_bus.observe. */
void line_dirtied(void *ctx, unsigned core, uint32_t line);
void line_written_back(void *ctx, const struct line_view *view, enum write_back_cause cause, unsigned core);
void line_maintenance_issued(void *ctx, unsigned core, enum cmo_op op, const struct line_view *view);
void line_maintenance_applied(void *ctx, unsigned core, enum cmo_op op, uint32_t line);

#endif
