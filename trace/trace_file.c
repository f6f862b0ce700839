#include "trace/trace_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BUFFER_BYTES (1u << 20)

struct track {
    bool known;
    bool written; /* the window has begun here: what was open then has been written */
    bool cut;     /* the window has ended here */
    uint64_t last_ps;
    const char **names; /* of the open slices */
    uint32_t depth, room;
};

struct trace_file {
    struct trace_options options;
    FILE *stream;
    struct track *tracks;
    uint64_t events, cut_ps;
    bool failed;
};

struct trace_file *trace_open(const struct trace_options *options)
{
    struct trace_file *trace = calloc(1, sizeof(*trace));

    if (!trace)
        return NULL;
    trace->options = *options;
    trace->tracks = calloc(TRACKS_MOST, sizeof(*trace->tracks));
    trace->stream = trace->tracks ? fopen(options->path, "w") : NULL;
    if (trace->stream) {
        setvbuf(trace->stream, NULL, _IOFBF, BUFFER_BYTES);
        return trace;
    }
    free(trace->tracks);
    free(trace);
    return NULL;
}

/* Guests name regions: whatever JSON cannot have becomes '?'. */
static void put_name(struct trace_file *trace, const char *name)
{
    for (; *name; name++)
        putc(*name < ' ' || *name > '~' || *name == '"' || *name == '\\' ? '?' : *name, trace->stream);
}

static void put_head(struct trace_file *trace, char phase, uint32_t track, uint64_t t_ps)
{
    trace->events++;
    fprintf(trace->stream, ",\n{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64 ".%06" PRIu64,
            phase, trace->options.process, track, t_ps / 1000000, t_ps % 1000000);
}

static void put_begin(struct trace_file *trace, uint32_t track, const char *name, uint64_t t_ps)
{
    put_head(trace, 'B', track, t_ps);
    fputs(",\"name\":\"", trace->stream);
    put_name(trace, name);
    fputs("\"}", trace->stream);
}

static void put_end(struct trace_file *trace, uint32_t track, uint64_t t_ps)
{
    put_head(trace, 'E', track, t_ps);
    putc('}', trace->stream);
}

bool trace_has_track(const struct trace_file *trace, uint32_t track)
{
    return track >= TRACKS_MOST || trace->tracks[track].known;
}

void trace_add_track(struct trace_file *trace, uint32_t track, const char *name)
{
    trace->tracks[track].known = true;
    put_head(trace, 'M', track, 0);
    fputs(",\"name\":\"thread_name\",\"args\":{\"name\":\"", trace->stream);
    put_name(trace, name);
    fputs("\"}}", trace->stream);
    put_head(trace, 'M', track, 0);
    fprintf(trace->stream, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%" PRIu32 "}}", track);
}

/* Ends everything of a track at t_ps, or where its last event was. */
static void cut(struct trace_file *trace, uint32_t number, uint64_t t_ps)
{
    struct track *track = &trace->tracks[number];

    if (track->written && !track->cut)
        for (uint32_t i = 0; i < track->depth; i++)
            put_end(trace, number, t_ps > track->last_ps ? t_ps : track->last_ps);
    track->cut = true;
}

static bool is_full(struct trace_file *trace, uint64_t t_ps)
{
    if (!trace->cut_ps && trace->events >= trace->options.events_most) {
        trace->cut_ps = t_ps;
        if (t_ps < trace->options.to_ps)
            trace->options.to_ps = t_ps;
    }
    return trace->cut_ps != 0;
}

/* Whether an event of the track at t_ps is written; at the window's borders slices are continued and cut. */
static bool in_window(struct trace_file *trace, uint32_t number, uint64_t t_ps)
{
    struct track *track = &trace->tracks[number];

    if (t_ps < trace->options.from_ps || track->cut)
        return false;
    if (is_full(trace, t_ps) || t_ps > trace->options.to_ps) {
        cut(trace, number, trace->options.to_ps);
        return false;
    }
    if (!track->written)
        for (uint32_t i = 0; i < track->depth; i++)
            put_begin(trace, number, track->names[i], trace->options.from_ps);
    track->written = true;
    track->last_ps = t_ps;
    return true;
}

void trace_begin(struct trace_file *trace, uint32_t number, const char *name, uint64_t t_ps)
{
    struct track *track;

    if (number >= TRACKS_MOST)
        return;
    track = &trace->tracks[number];
    if (in_window(trace, number, t_ps))
        put_begin(trace, number, name, t_ps);
    if (track->depth == track->room) {
        uint32_t room = track->room ? 2 * track->room : 16;
        const char **names = realloc(track->names, room * sizeof(*names));
        if (!names) {
            trace->failed = true;
            return;
        }
        track->names = names;
        track->room = room;
    }
    track->names[track->depth++] = name;
}

void trace_end(struct trace_file *trace, uint32_t number, uint64_t t_ps)
{
    if (number >= TRACKS_MOST || trace->tracks[number].depth == 0)
        return;
    if (in_window(trace, number, t_ps))
        put_end(trace, number, t_ps);
    trace->tracks[number].depth--;
}

void trace_flow(struct trace_file *trace, uint32_t number, enum trace_point point, uint64_t flow, uint64_t t_ps)
{
    if (number >= TRACKS_MOST || !in_window(trace, number, t_ps))
        return;
    put_head(trace, (char)point, number, t_ps);
    fprintf(trace->stream, ",\"cat\":\"command\",\"name\":\"doorbell\",\"id\":%" PRIu64 "%s}",
            (uint64_t)trace->options.process << 32 | flow, point == TRACE_FLOW_START ? "" : ",\"bp\":\"e\"");
}

void trace_counter(struct trace_file *trace, const char *name, uint64_t value, uint64_t t_ps)
{
    if (t_ps < trace->options.from_ps || is_full(trace, t_ps) || t_ps > trace->options.to_ps)
        return;
    put_head(trace, 'C', 0, t_ps);
    fputs(",\"name\":\"", trace->stream);
    put_name(trace, name);
    fprintf(trace->stream, "\",\"args\":{\"entries\":%" PRIu64 "}}", value);
}

bool trace_close(struct trace_file *trace, uint64_t t_ps, uint64_t *cut_ps)
{
    uint64_t end_ps = t_ps < trace->options.to_ps ? t_ps : trace->options.to_ps;
    bool fine;

    for (uint32_t i = 0; i < TRACKS_MOST; i++) {
        if (trace->tracks[i].depth && end_ps >= trace->options.from_ps)
            in_window(trace, i, end_ps);
        cut(trace, i, end_ps);
        free(trace->tracks[i].names);
    }
    *cut_ps = trace->cut_ps;
    fine = !ferror(trace->stream) && !trace->failed;
    fine &= fclose(trace->stream) == 0;
    free(trace->tracks);
    free(trace);
    return fine;
}
