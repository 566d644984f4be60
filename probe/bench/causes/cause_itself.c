// SPDX-License-Identifier: MIT OR Apache-2.0
// Delays that the victim causes itself, or that concern it alone: page faults, stops, signals, timer slack, its own budget.
#define _GNU_SOURCE
#include "cause.h"
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 1024, SIGNALS = 300, DEADLINE_POLICY = 6 };

static const int64_t HANDLER = 20 * 1000;
static const int64_t SLACK = 5 * MILLISECOND;
static const int64_t WORK = 100 * 1000;

static char *pages;
static int faults;
static int page;
static struct shared *handling;

static void prepare_faults(struct shared *shared)
{
    pages = mmap(NULL, 4096 * PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register whole = {.range = {(uintptr_t)pages, 4096 * PAGES}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    if (faults < 0 || ioctl(faults, UFFDIO_API, &api) < 0 || ioctl(faults, UFFDIO_REGISTER, &whole) < 0) {
        perror("userfaultfd");
        exit(4);
    }
    shared->faults = faults;
}

static void touch_if_asked(struct shared *shared)
{
    if (shared->asked) {
        shared->asked = 0;
        *(volatile char *)(pages + 4096 * (page++ % PAGES));
    }
}

// After a page fault of its own, the victim continues with the next release that is still ahead.
static void loop_with_faults(struct scene *scene)
{
    prepare_faults(scene->shared);
    scene->shared->ready = 1;
    int64_t period_ns = scene->period_ns;
    for (int64_t at_ns = scene->shared->began_ns + period_ns;; at_ns += period_ns) {
        clock_sleep_until(at_ns);
        int64_t woke_ns = clock_now();
        saw(scene, at_ns, woke_ns);
        at_ns += period_ns * ((woke_ns - at_ns) / period_ns);
        touch_if_asked(scene->shared);
    }
}

// The victim skips releases that passed meanwhile, but records the first of them.
static void loop_that_skips(struct scene *scene)
{
    prepare_faults(scene->shared);
    scene->shared->ready = 1;
    int64_t period_ns = scene->period_ns;
    for (int64_t at_ns = scene->shared->began_ns + period_ns;; at_ns += period_ns) {
        clock_sleep_until(at_ns);
        saw(scene, at_ns, clock_now());
        touch_if_asked(scene->shared);
        int64_t done_ns = clock_now();
        if (done_ns >= at_ns + period_ns) {
            saw(scene, at_ns + period_ns, done_ns);
        }
        at_ns += period_ns * ((done_ns - at_ns) / period_ns);
    }
}

// Opens the victim's file of page faults in this process too.
static void take_faults(struct scene *scene)
{
    int process = (int)syscall(SYS_pidfd_open, scene->victim, 0);
    faults = (int)syscall(SYS_pidfd_getfd, process, scene->shared->faults, 0);
    if (faults < 0) {
        perror("pidfd_getfd");
        exit(4);
    }
}

// The victim touches a page, which the culprit provides late through userfaultfd.
static void answer_fault_late(struct scene *scene)
{
    static char content[4096];
    struct uffd_msg message;
    scene->shared->asked = 1;
    if (read(faults, &message, sizeof message) != sizeof message) {
        exit(4);
    }
    int64_t from_ns = clock_now();
    clock_sleep_until(from_ns + scene->held_ns);
    struct uffdio_copy copy = {
        .dst = message.arg.pagefault.address & ~(uint64_t)4095, .src = (uintptr_t)content, .len = sizeof content};
    ioctl(faults, UFFDIO_COPY, &copy);
    ledger_add(scene->injected, from_ns, clock_now(), clock_now() - from_ns);
}

static void stop(struct scene *scene)
{
    if (!scene->given) {
        await_its_sleep(scene);
    }
    int64_t from_ns = clock_now();
    kill(scene->victim, SIGSTOP);
    clock_sleep_until(from_ns + scene->held_ns);
    ledger_add(scene->injected, from_ns, clock_now(), clock_now() - from_ns);
    kill(scene->victim, SIGCONT);
}

// A debugger stops the victim and lets it continue.
static void halt(struct scene *scene)
{
    if (!scene->given) {
        await_its_sleep(scene);
    }
    if (ptrace(PTRACE_SEIZE, scene->victim, NULL, NULL) < 0
        || ptrace(PTRACE_INTERRUPT, scene->victim, NULL, NULL) < 0) {
        perror("ptrace");
        exit(4);
    }
    waitpid(scene->victim, NULL, __WALL);
    int64_t from_ns = clock_now();
    clock_sleep_until(from_ns + scene->held_ns);
    ledger_add(scene->injected, from_ns, clock_now(), clock_now() - from_ns);
    ptrace(PTRACE_DETACH, scene->victim, NULL, NULL);
}

static void handle(int signal)
{
    (void)signal;
    clock_spin_until(clock_now() + HANDLER);
    handling->handled++;
}

static void loop_with_handler(struct scene *scene)
{
    handling = scene->shared;
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGRTMIN + 5, &action, NULL);
    loop_timed(scene);
}

static void prepare_storm(struct scene *scene)
{
    struct rlimit many = {.rlim_cur = 100 * SIGNALS, .rlim_max = 100 * SIGNALS};
    prlimit(scene->victim, RLIMIT_SIGPENDING, &many, NULL);
    setrlimit(RLIMIT_SIGPENDING, &many);
}

// Sends enough signals to keep the victim busy for some milliseconds.
static void send_signals(struct scene *scene)
{
    union sigval none = {0};
    int until = scene->shared->handled + SIGNALS;
    int64_t from_ns = clock_now();
    for (int each = 0; each < SIGNALS; each++) {
        sigqueue(scene->victim, SIGRTMIN + 5, none);
    }
    while (scene->shared->handled < until && clock_now() < from_ns + SECOND) {
    }
    ledger_add(scene->injected, from_ns, clock_now(), clock_now() - from_ns);
}

static void become_ordinary(int nice)
{
    struct sched_param parameter = {.sched_priority = 0};
    sched_setscheduler(0, SCHED_OTHER, &parameter);
    setpriority(PRIO_PROCESS, 0, nice);
}

// An ordinary thread that precedes all other ordinary ones, and whose timers may be late by SLACK.
static void loop_with_slack(struct scene *scene)
{
    become_ordinary(-20);
    prctl(PR_SET_TIMERSLACK, SLACK);
    loop_timed(scene);
}

// Waits with a timeout, to which the kernel adds a thousandth as slack.
static void loop_that_polls(struct scene *scene)
{
    become_ordinary(-20);
    scene->shared->ready = 1;
    struct timespec timeout = {.tv_nsec = scene->period_ns};
    for (;;) {
        int64_t at_ns = clock_now() + scene->period_ns;
        ppoll(NULL, 0, &timeout, NULL);
        saw(scene, at_ns, clock_now());
    }
}

// Handles every release, including those that are past.
static void loop_that_catches_up(struct scene *scene)
{
    become_ordinary(0);
    scene->shared->ready = 1;
    for (int64_t at_ns = scene->shared->began_ns + scene->period_ns;; at_ns += scene->period_ns) {
        clock_sleep_until(at_ns);
        saw(scene, at_ns, clock_now());
        for (int64_t until_ns = clock_used() + WORK; clock_used() < until_ns;) {
        }
    }
}

// For causes inside the victim itself: the culprit only waits.
static void wait_a_period(struct scene *scene)
{
    clock_sleep_until(clock_now() + scene->period_ns);
}

// Two threads that use all the CPU time they get, until this process ends.
static void begin_spinners(struct scene *scene)
{
    for (int each = 0; each < 2; each++) {
        if (fork() == 0) {
            end_with_parent();
            become("culprit", scene->cpu, 0);
            clock_spin_until(INT64_MAX);
        }
    }
}

struct deadline {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns;
    uint64_t deadline_ns;
    uint64_t period_ns;
};

// SCHED_DEADLINE with a fifth of a CPU, which it exceeds when asked to.
static void loop_with_budget(struct scene *scene)
{
    uint64_t period_ns = (uint64_t)scene->period_ns;
    struct deadline budget = {
        .size = sizeof budget,
        .policy = DEADLINE_POLICY,
        .runtime_ns = period_ns / 5,
        .deadline_ns = period_ns,
        .period_ns = period_ns,
    };
    allow(0, -1);
    if (syscall(SYS_sched_setattr, 0, &budget, 0) < 0) {
        perror("sched_setattr");
        exit(4);
    }
    scene->shared->ready = 1;
    for (int64_t at_ns = clock_now() + scene->period_ns;; at_ns += scene->period_ns) {
        clock_sleep_until(at_ns);
        int64_t woke_ns = clock_now();
        saw(scene, at_ns, woke_ns);
        at_ns += scene->period_ns * ((woke_ns - at_ns) / scene->period_ns);
        if (scene->shared->asked) {
            int64_t until_ns = clock_used() + scene->period_ns / 2;
            while (clock_used() < until_ns) {
            }
            scene->shared->asked = 0;
        }
    }
}

static void overrun(struct scene *scene)
{
    scene->shared->asked = 1;
    int64_t from_ns = clock_now();
    while (scene->shared->asked) {
        clock_sleep_until(clock_now() + MILLISECOND);
    }
    ledger_add(scene->injected, from_ns, clock_now(), clock_now() - from_ns);
}

const struct kind kinds_of_itself[] = {
    {.name = "fault", .loop = loop_with_faults, .prepare = take_faults, .hold = answer_fault_late},
    {.name = "fault-skip", .loop = loop_that_skips, .prepare = take_faults, .hold = answer_fault_late},
    {.name = "stop", .hold = stop},
    {.name = "ptrace", .hold = halt},
    {.name = "signals", .loop = loop_with_handler, .prepare = prepare_storm, .hold = send_signals},
    {.name = "slack", .period_ns = 10000000, .loop = loop_with_slack, .hold = wait_a_period},
    {.name = "ppoll", .period_ns = 500000000, .loop = loop_that_polls, .hold = wait_a_period},
    {.name = "catch-up", .loop = loop_that_catches_up, .prepare = begin_spinners, .hold = wait_a_period},
    {.name = "deadline", .period_ns = 10000000, .loop = loop_with_budget, .hold = overrun},
    {0},
};
