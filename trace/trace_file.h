/*
 * A timeline as Chrome JSON trace events, which ui.perfetto.dev and trace_processor read. One process a run; a
 * track is a thread of it. Times are simulated picoseconds (written in us with six decimals).
 *
 * A file made here is a fragment: every event begins with a comma. The command joins fragments (cli/timeline.c).
 */
#ifndef DMASIM_TRACE_TRACE_FILE_H
#define DMASIM_TRACE_TRACE_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct trace_options {
    const char *path;
    uint32_t process;        /* number of the run, from 1 */
    uint64_t from_ps, to_ps; /* only what happens in this window is written; slices that cross a border are cut there */
    uint64_t events_most;    /* what comes after that many is not written */
};

struct trace_file;

/* NULL: the file cannot be created (errno) or memory is short. */
struct trace_file *trace_open(const struct trace_options *options);
/* Ends what is still open at t_ps, closes the file. *cut_ps: where events_most cut the trace, 0: nowhere. False: it
 * could not be written completely. */
bool trace_close(struct trace_file *trace, uint64_t t_ps, uint64_t *cut_ps);

/* A track; numbers below TRACKS_MOST give the order on the screen. Before its first event. */
#define TRACKS_MOST 0x20000u
bool trace_has_track(const struct trace_file *trace, uint32_t track);
void trace_add_track(struct trace_file *trace, uint32_t track, const char *name);

/* A slice of a track; slices nest, times of a track do not decrease. name must stay valid until the slice's end. */
void trace_begin(struct trace_file *trace, uint32_t track, const char *name, uint64_t t_ps);
void trace_end(struct trace_file *trace, uint32_t track, uint64_t t_ps);

/* An arrow, its points each in the slice that is open there. */
enum trace_point { TRACE_FLOW_START = 's', TRACE_FLOW_STEP = 't', TRACE_FLOW_END = 'f' };
void trace_flow(struct trace_file *trace, uint32_t track, enum trace_point point, uint64_t flow, uint64_t t_ps);

/* A value over time, shown by name. */
void trace_counter(struct trace_file *trace, const char *name, uint64_t value, uint64_t t_ps);

#endif
