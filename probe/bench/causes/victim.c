// SPDX-License-Identifier: MIT OR Apache-2.0
// The usual loop of the victim, and the rows that the victim writes to its ledger.
#define _GNU_SOURCE
#include "cause.h"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

// How long the thread was ready without a CPU in total, according to the kernel.
static int64_t waited_ns(void)
{
    static int file = -1;
    char text[96] = "";
    file = file < 0 ? open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC) : file;
    if (file < 0 || pread(file, text, sizeof text - 1, 0) <= 0) {
        return 0;
    }
    char *end;
    strtoll(text, &end, 10); // how long the thread ran
    return strtoll(end, NULL, 10);
}

void saw(struct scene *scene, int64_t release_ns, int64_t woke_ns)
{
    static int64_t before_ns;
    if (scene->seen == NULL) {
        return;
    }
    int64_t waited = waited_ns();
    ledger_add(scene->seen, release_ns, woke_ns, waited - before_ns);
    before_ns = waited;
}

void loop_timed(struct scene *scene)
{
    scene->shared->ready = 1;
    int64_t period_ns = scene->period_ns;
    for (int64_t at_ns = scene->shared->began_ns + period_ns;; at_ns += period_ns) {
        clock_sleep_until(at_ns);
        int64_t woke_ns = clock_now();
        saw(scene, at_ns, woke_ns);
        // A thread that was delayed continues with the next time that is still ahead.
        at_ns += period_ns * ((woke_ns - at_ns) / period_ns);
    }
}
