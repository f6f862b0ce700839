/*
 * A sweep: a scenario at every point of a cross product. Its folder:
 *   sweep.json          the plan: axes and points
 *   points/HASH.json    one a point: its result without "host", its status and messages; HASH is the config_hash
 *   result.json, .csv   all points together, when all are there
 * Every file appears complete or not at all, and depends on nothing but the scenario, the guest programs and the
 * simulator: where, when and in which order the points ran leaves no trace.
 */
#ifndef DMASIM_CLI_SWEEP_H
#define DMASIM_CLI_SWEEP_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/axis.h"
#include "cli/scenario.h"

struct sweep_point {
    struct settings settings; /* one value of each axis */
    char hash[65];
};

struct sweep {
    const struct scenario *scenario;
    struct settings overrides; /* -s */
    struct axes axes;
    struct sweep_point *points; /* no two have the same hash */
    size_t count;
    char judged[65]; /* hash of what the scenario expects: points that were judged by something else run again */
    char *folder;
};

/* Points that are still to run. */
struct sweep_todo {
    const struct sweep_point **points;
    size_t count;
};

/* How a point ended; the names in its file: fine, missed (an expectation), refused (an impossible platform), failed,
 * lost (ended from outside again and again: it runs again when the sweep is resumed). */
enum point_status { POINT_FINE, POINT_MISSED, POINT_REFUSED, POINT_FAILED, POINT_LOST, POINT_STATUSES };
extern const char *const point_status_names[POINT_STATUSES];

/* --- sweep_plan.c --- */

/* Expands the axes of scenario, overridden by varied, into points. False with messages. The scenario must outlive the
 * sweep; overrides are copied. */
bool sweep_plan(struct sweep *sweep, const struct scenario *scenario, const struct axes *varied,
                const struct settings *overrides, const char *folder, struct error_list *errors);
void sweep_free(struct sweep *sweep);
/* The content of sweep.json. */
json_t *sweep_description(const struct sweep *sweep);

/* --- sweep_point.c --- */

/* Simulates one point in this process' children and writes its file, but not when it is lost. Messages only about
 * what cannot be written. */
enum point_status sweep_run_point(const struct sweep *sweep, const struct sweep_point *point,
                                  struct error_list *errors);
bool sweep_write_lost(const struct sweep *sweep, const struct sweep_point *point, const char *message,
                      struct error_list *errors);
/* The file of a point; NULL: not there, not whole, of another version or judged by other expectations. */
json_t *sweep_load_point(const char *folder, const char *hash, const char *judged);
enum point_status sweep_status_of(const json_t *point);
/* What has not run yet, of share (1...) of shares. Caller frees points. */
struct sweep_todo sweep_find_todo(const struct sweep *sweep, size_t share, size_t shares);

/* --- sweep_local.c, sweep_slurm.c: run what is to do; false with messages when the engine itself does not work --- */

bool sweep_run_local(const struct sweep *sweep, const struct sweep_todo *todo, unsigned jobs, bool quiet,
                     struct error_list *errors);
/* jobs: array tasks at a time, 0: as many as the cluster likes. command: this sweep's command line, quoted for a shell,
 * without --point. */
bool sweep_run_slurm(const struct sweep *sweep, const char *command, unsigned jobs, bool quiet,
                     struct error_list *errors);

/* --- sweep_merge.c --- */

/* Makes result.json and result.csv of folder from the plan and the points that are there. Returns the exit status: 0, 1
 * an expectation was missed, 2 no sweep, 3 a point is missing, was refused, failed or was lost; the messages say which.
 */
int sweep_merge(const char *folder, bool quiet, struct error_list *errors);
/* Adds the points of another folder of the same sweep. False with a message. */
bool sweep_add(const char *folder, const char *other, struct error_list *errors);
/* Text of a JSON file as all of this folder are written; caller frees. */
char *sweep_json_text(const json_t *object);

#endif
