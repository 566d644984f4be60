// SPDX-License-Identifier: MIT OR Apache-2.0
// See crowd.h.
#define _GNU_SOURCE
#include "crowd.h"
#include "clock.h"
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static const int64_t WORK = 3 * 1000 * 1000;

// Whether this is the new process.
static int is_begun(const char *name)
{
    if (fork() != 0) {
        return 0;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, name);
    return 1;
}

static void poll_for_ever(void)
{
    for (;;) {
        for (int64_t until_ns = clock_used() + WORK; clock_used() < until_ns;) {
        }
        poll(NULL, 0, 1);
    }
}

static void hand_on(int from, int to)
{
    char byte = 0;
    while (write(to, &byte, 1) == 1 && read(from, &byte, 1) == 1) {
    }
    exit(0);
}

static void begin_pair(void)
{
    int there[2], back[2];
    if (pipe(there) < 0 || pipe(back) < 0) {
        exit(4);
    }
    if (is_begun("crowd-pair")) {
        hand_on(back[0], there[1]);
    }
    if (is_begun("crowd-pair")) {
        hand_on(there[0], back[1]);
    }
    close(there[0]);
    close(there[1]);
    close(back[0]);
    close(back[1]);
}

void crowd_begin(int pollers, int pairs)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpriority(PRIO_PROCESS, 0, 10);
    for (int each = 0; each < pollers; each++) {
        if (is_begun("crowd-poller")) {
            poll_for_ever();
        }
    }
    for (int each = 0; each < pairs; each++) {
        begin_pair();
    }
    for (;;) {
        pause();
    }
}
