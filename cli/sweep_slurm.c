/*
 * Points as one job array of Slurm. A task takes a share of the points, as `--point` does by hand, and writes their
 * files into the folder, which all nodes must see. The array is found again by its name, which comes from the folder: a
 * sweep that was killed and is resumed waits for the tasks that are still at work. Partition, account and time limit:
 * SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT.
 */
#define _GNU_SOURCE
#include <sha256.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/folder.h"
#include "cli/progress.h"
#include "cli/quote.h"
#include "cli/sweep.h"

enum {
    ROUNDS = 2,         /* submissions, before a point counts as lost */
    MOST_SHARES = 1000, /* Slurm's standard MaxArraySize, 1001, is one more than the largest index */
    PATIENCE = 300,     /* seconds without an answer of the controller */
};

struct array {
    const struct sweep *sweep;
    const char *command;
    char name[32], *folder; /* folder: of the script and the tasks' output */
    size_t shares;
    unsigned jobs;
};

static void name_array(struct array *array)
{
    char *path = realpath(array->sweep->folder, NULL), hash[65];
    SHA2_CTX context;

    SHA256Init(&context);
    SHA256Update(&context, (const uint8_t *)path, path ? strlen(path) : 0);
    SHA256End(&context, hash);
    snprintf(array->name, sizeof(array->name), "dmasim-%.16s", hash);
    free(path);
}

static bool write_script(const struct array *array, struct error_list *errors)
{
    char *text = NULL;
    bool fine = asprintf(&text, "#!/bin/sh\nexec %s --point \"$SLURM_ARRAY_TASK_ID/%zu\"\n", array->command,
                         array->shares) > 0 &&
                folder_make(array->folder, errors) && folder_write(array->folder, "task.sh", text, errors);

    free(text);
    return fine;
}

/* The shares that have something to do: 1,4,7 */
static char *share_list(const struct array *array)
{
    char *text = NULL;
    size_t bytes, listed = 0;
    FILE *stream = open_memstream(&text, &bytes);

    for (size_t share = 1; share <= array->shares; share++) {
        struct sweep_todo todo = sweep_find_todo(array->sweep, share, array->shares);
        if (todo.count)
            fprintf(stream, "%s%zu", listed++ ? "," : "", share);
        free(todo.points);
    }
    fclose(stream);
    return text;
}

static bool submit(const struct array *array, struct error_list *errors)
{
    char *list = share_list(array), *command = NULL, limit[16] = "";
    size_t bytes;
    FILE *stream = open_memstream(&command, &bytes);
    int status;

    if (array->jobs)
        snprintf(limit, sizeof(limit), "%%%u", array->jobs);
    fprintf(stream, "exec sbatch --parsable --ntasks=1 --job-name=%s --array=%s%s --output=", array->name, list, limit);
    quote_shell(stream, array->folder);
    fputs("/%a.log ", stream);
    quote_shell(stream, array->folder);
    fputs("/task.sh >/dev/null", stream);
    fclose(stream);
    fflush(NULL);
    status = system(command);
    if (status)
        error_add(errors, NULL, "--engine slurm: sbatch refused the job array; what it said stands above");
    free(list);
    free(command);
    return status == 0;
}

enum queue { QUEUE_EMPTY, QUEUE_BUSY, QUEUE_SILENT };

static enum queue look(const struct array *array)
{
    char command[128], line[64];
    FILE *pipe;
    bool busy;

    snprintf(command, sizeof(command), "squeue --me --noheader --name=%s --format=%%i 2>/dev/null", array->name);
    pipe = popen(command, "r");
    if (!pipe)
        return QUEUE_SILENT;
    for (busy = false; fgets(line, sizeof(line), pipe);)
        busy = true;
    return pclose(pipe) ? QUEUE_SILENT : busy ? QUEUE_BUSY : QUEUE_EMPTY;
}

static size_t count_missing(const struct sweep *sweep)
{
    struct sweep_todo todo = sweep_find_todo(sweep, 1, 1);

    free(todo.points);
    return todo.count;
}

/* Until no task is waiting or at work. */
static bool wait_for(const struct array *array, struct progress *progress, struct error_list *errors)
{
    unsigned silent = 0;
    enum queue queue;

    while ((queue = look(array)) != QUEUE_EMPTY) {
        silent = queue == QUEUE_SILENT ? silent + 1 : 0;
        if (silent >= PATIENCE) {
            error_add(errors, NULL, "--engine slurm: squeue has not answered for %d s; --resume goes on later",
                      PATIENCE);
            return false;
        }
        progress_show(progress, "sweep of %s in Slurm: %zu of %zu points", array->sweep->scenario->name,
                      array->sweep->count - count_missing(array->sweep), array->sweep->count);
        sleep(1);
    }
    return true;
}

static void record_lost(const struct array *array, struct error_list *errors)
{
    struct sweep_todo todo = sweep_find_todo(array->sweep, 1, 1);

    for (size_t i = 0; i < todo.count; i++)
        sweep_write_lost(array->sweep, todo.points[i],
                         "its Slurm task ended without a result every time; what it said stands in the folder slurm",
                         errors);
    free(todo.points);
}

static bool run_rounds(const struct array *array, bool quiet, struct error_list *errors)
{
    struct progress progress;
    bool fine;

    progress_begin(&progress, quiet);
    fine = wait_for(array, &progress, errors); /* tasks of a sweep that was killed */
    for (unsigned round = 0; fine && round < ROUNDS && count_missing(array->sweep); round++)
        fine = submit(array, errors) && wait_for(array, &progress, errors);
    progress_end(&progress);
    return fine;
}

bool sweep_run_slurm(const struct sweep *sweep, const char *command, unsigned jobs, bool quiet,
                     struct error_list *errors)
{
    struct array array = {.sweep = sweep, .command = command, .jobs = jobs};
    bool fine;

    if (system("command -v sbatch >/dev/null 2>&1")) {
        error_add(errors, NULL, "--engine slurm: there is no command sbatch on this machine");
        return false;
    }
    array.shares = sweep->count < MOST_SHARES ? sweep->count : MOST_SHARES;
    array.folder = folder_join(sweep->folder, "slurm");
    name_array(&array);
    fine = write_script(&array, errors) && run_rounds(&array, quiet, errors);
    if (fine && count_missing(sweep))
        record_lost(&array, errors);
    else if (fine)
        folder_remove(array.folder);
    free(array.folder);
    return fine;
}
