// SPDX-License-Identifier: MIT OR Apache-2.0
// Kernel functions that disable interrupts for a chosen time: each walks a list with interrupts disabled, and the code
// here makes the list long enough. On a kernel with PREEMPT_RT their locks sleep, and interrupts stay enabled.
#define _GNU_SOURCE
#include "masks.h"
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 800000, LAST = 1, OTHERS = 2 };

struct mask {
    const char *name;
    void (*begin)(void);
    int (*lengthen)(void); // makes the list one longer; not 0: that is impossible
    void (*arm)(void);     // called before each call
    void (*call)(void);
};

static int event;
static int watcher;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// The kernel keeps the pending signals of a process in a list. This code waits for the last one in it.
static void block_signals(void)
{
    struct rlimit many = {.rlim_cur = MOST, .rlim_max = MOST};
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGRTMIN + LAST);
    sigaddset(&both, SIGRTMIN + OTHERS);
    sigprocmask(SIG_BLOCK, &both, NULL);
    setrlimit(RLIMIT_SIGPENDING, &many);
}

static int queue(int which)
{
    union sigval none = {0};
    return sigqueue(getpid(), SIGRTMIN + which, none);
}

static int queue_other(void)
{
    return queue(OTHERS);
}

static void queue_last(void)
{
    signal(SIGRTMIN + LAST, SIG_DFL);
    queue(LAST);
}

// do_sigtimedwait searches the list for the signal.
static void wait_for_last(void)
{
    struct timespec no_time = {0};
    sigset_t last;
    sigemptyset(&last);
    sigaddset(&last, SIGRTMIN + LAST);
    sigtimedwait(&last, NULL, &no_time);
}

// do_sigaction removes all instances of the signal from the list.
static void ignore_last(void)
{
    signal(SIGRTMIN + LAST, SIG_IGN);
}

// The kernel keeps the waiters of an event in a list.
static void make_event(void)
{
    struct rlimit many = {.rlim_cur = MOST, .rlim_max = MOST};
    setrlimit(RLIMIT_NOFILE, &many);
    event = eventfd(0, EFD_NONBLOCK);
    watcher = epoll_create1(0);
}

static int watch_event(void)
{
    int another = dup(event);
    struct epoll_event any = {.events = EPOLLIN};
    return another < 0 || epoll_ctl(watcher, EPOLL_CTL_ADD, another, &any) < 0;
}

static void nothing(void)
{
}

// eventfd_write notifies each waiter.
static void write_event(void)
{
    uint64_t one = 1;
    (void)!write(event, &one, sizeof one);
}

static const struct mask masks[] = {
    {"sigtimedwait", block_signals, queue_other, queue_last, wait_for_last},
    {"sigaction", block_signals, queue_other, queue_last, ignore_last},
    {"eventfd", make_event, watch_event, nothing, write_event},
};

static int64_t length_ns(const struct mask *mask)
{
    mask_arm(mask);
    int64_t begun = now();
    mask->call();
    return now() - begun;
}

// The shortest of three calls, because a preempted call takes longer than the time for which it disables interrupts.
static int is_long_enough(const struct mask *mask, int64_t for_ns)
{
    for (int try = 0; try < 3; try++) {
        if (length_ns(mask) < for_ns) {
            return 0;
        }
    }
    return 1;
}

const struct mask *mask_prepare(const char *name, int64_t for_ns)
{
    const struct mask *mask = NULL;
    for (size_t at = 0; at < sizeof masks / sizeof masks[0]; at++) {
        mask = strcmp(masks[at].name, name) == 0 ? &masks[at] : mask;
    }
    if (mask == NULL) {
        return NULL;
    }
    mask->begin();
    for (int length = 0; !is_long_enough(mask, for_ns);) {
        for (int more = 16 + length / 16; more > 0; more--, length++) {
            if (length == MOST || mask->lengthen() != 0) {
                fprintf(stderr, "%s: no list is long enough here\n", name);
                exit(4);
            }
        }
    }
    return mask;
}

void mask_arm(const struct mask *mask)
{
    mask->arm();
}

void mask_call(const struct mask *mask)
{
    mask->call();
}
