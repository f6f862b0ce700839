#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_begin(struct progress *progress, bool quiet)
{
    double now = seconds_now();
    bool terminal = isatty(STDERR_FILENO);

    *progress = (struct progress){now, terminal ? now : now + 10, quiet, terminal};
}

double progress_seconds(const struct progress *progress)
{
    return seconds_now() - progress->start;
}

void progress_show(struct progress *progress, const char *format, ...)
{
    double now = seconds_now();
    va_list arguments;

    if (progress->quiet || now < progress->next)
        return;
    progress->next = now + (progress->terminal ? 0.2 : 10);
    if (progress->terminal)
        fputc('\r', stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, progress->terminal ? ", %.0f s \033[K" : ", %.0f s\n", now - progress->start);
    fflush(stderr);
}

void progress_end(struct progress *progress)
{
    if (!progress->quiet && progress->terminal)
        fprintf(stderr, "\r\033[K");
}
