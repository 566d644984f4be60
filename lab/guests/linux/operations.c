/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * osbench on Linux. Each row runs in its own process, as in the 2002 tool, so that everything that the row creates ends with that
 * process. The process's standard output goes to the instrument's channel.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../probe/exit.h"
#include "../../../probe/port/port.h"
#include "../../../probe/session.h"
#include "../bench/osbench.h"

enum { READ_BYTES = 4096 };

void operations_run(int count, char **words)
{
    struct osbench asked;
    bool good = osbench_read(&asked, count, words) && osbench_run(&asked);
    fflush(stdout);
    lines_end(good ? PROBE_EXIT_DONE : PROBE_EXIT_FAILED);
}

const char *system_lacks(const struct operation *of)
{
    (void)of;
    return NULL;
}

static _Noreturn void row_become(const struct plan *plan, int out)
{
    if (dup2(out, STDOUT_FILENO) < 0)
        _exit(PROBE_EXIT_MACHINE);
    port_begin(plan->measure->name);
    port_exit(session_run(plan));
}

static void row_hand_over(int in)
{
    char bytes[READ_BYTES];
    ssize_t count;
    while ((count = read(in, bytes, sizeof bytes)) > 0)
        lines_send(bytes, (size_t)count);
}

bool system_measure(const struct osbench *asked, const struct operation *of, const struct plan *plan)
{
    int status, ends[2];
    (void)asked;
    fflush(stdout); /* otherwise the child would print the buffered text again */
    if (pipe(ends) != 0)
        boot_fail("a pipe", strerror(errno));
    pid_t child = fork();
    if (child == 0)
        row_become(plan, ends[1]);
    close(ends[1]);
    row_hand_over(ends[0]);
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        boot_fail(of->test, strerror(errno));
    return WIFEXITED(status) && WEXITSTATUS(status) == PROBE_EXIT_DONE;
}
