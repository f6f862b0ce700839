/* Points in processes of this machine. A point whose process is killed is tried again; all end with the sweep. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/sweep.h"

enum { ATTEMPTS = 3 };

struct worker {
    pid_t pid;
    size_t number; /* in the todo */
};

struct pool {
    const struct sweep *sweep;
    const struct sweep_todo *todo;
    struct worker *workers;
    unsigned *attempts;
    unsigned running;
    size_t *waiting; /* numbers to start, the next one last */
    size_t waiting_count, done, failed;
};

/* The process of a point; its exit status is how the point ended. */
static void work(const struct sweep *sweep, const struct sweep_point *point, pid_t parent)
{
    struct error_list errors = {0};
    sigset_t none;
    int status;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(POINT_LOST);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    status = (int)sweep_run_point(sweep, point, &errors);
    print_errors(&errors);
    fflush(NULL);
    _exit(status);
}

/* False: no process can be started. */
static bool start_next(struct pool *pool)
{
    size_t number = pool->waiting[pool->waiting_count - 1];
    pid_t parent = getpid(), pid;

    fflush(NULL);
    pid = fork();
    if (pid < 0)
        return false;
    if (pid == 0)
        work(pool->sweep, pool->todo->points[number], parent);
    pool->waiting_count--;
    pool->attempts[number]++;
    pool->workers[pool->running++] = (struct worker){pid, number};
    return true;
}

static int stored_status(const struct sweep *sweep, const struct sweep_point *point)
{
    json_t *file = sweep_load_point(sweep->folder, point->hash, sweep->judged);
    int status = (int)sweep_status_of(file);

    json_decref(file);
    return status;
}

static void end_worker(struct pool *pool, unsigned index, int wait_status, struct error_list *errors)
{
    static const char lost[] = "the simulation was ended from outside every time it was tried";
    size_t number = pool->workers[index].number;
    const struct sweep_point *point = pool->todo->points[number];
    int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : POINT_LOST;

    pool->workers[index] = pool->workers[--pool->running];
    if (status == POINT_LOST)
        status = stored_status(pool->sweep, point); /* it may have been killed after its file was there */
    if (status == POINT_LOST && pool->attempts[number] < ATTEMPTS) {
        pool->waiting[pool->waiting_count++] = number;
        return;
    }
    if (status == POINT_LOST)
        sweep_write_lost(pool->sweep, point, lost, errors);
    pool->done++;
    pool->failed += status > POINT_MISSED;
}

static void collect(struct pool *pool, struct error_list *errors)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (unsigned i = 0; i < pool->running; i++)
            if (pool->workers[i].pid == pid) {
                end_worker(pool, i, status, errors);
                break;
            }
}

static void run_pool(struct pool *pool, unsigned jobs, bool quiet, struct error_list *errors)
{
    const struct timespec tick = {.tv_nsec = 200000000};
    struct progress progress;
    sigset_t child, before;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    progress_begin(&progress, quiet);
    while (pool->done < pool->todo->count) {
        while (pool->running < jobs && pool->waiting_count && start_next(pool))
            ;
        if (pool->running == 0) {
            error_add(errors, NULL, "a process cannot be started: %s", strerror(errno));
            break;
        }
        progress_show(&progress, "sweep of %s: %zu of %zu points, %zu failed", pool->sweep->scenario->name, pool->done,
                      pool->todo->count, pool->failed);
        sigtimedwait(&child, NULL, &tick);
        collect(pool, errors);
    }
    progress_end(&progress);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

bool sweep_run_local(const struct sweep *sweep, const struct sweep_todo *todo, unsigned jobs, bool quiet,
                     struct error_list *errors)
{
    size_t before = errors->count;
    struct pool pool = {.sweep = sweep, .todo = todo, .waiting_count = todo->count};

    pool.workers = calloc(jobs, sizeof(*pool.workers));
    pool.attempts = calloc(todo->count + 1, sizeof(*pool.attempts));
    pool.waiting = calloc(todo->count + 1, sizeof(*pool.waiting));
    for (size_t i = 0; i < todo->count; i++)
        pool.waiting[i] = todo->count - 1 - i;
    run_pool(&pool, jobs, quiet, errors);
    free(pool.workers);
    free(pool.attempts);
    free(pool.waiting);
    return errors->count == before;
}
