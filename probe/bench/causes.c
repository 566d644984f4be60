// SPDX-License-Identifier: MIT OR Apache-2.0
// Makes a thread late on purpose: `causes KIND TIMES CPU [GROUP] [PROCESS]` starts a real-time thread `victim` that sleeps a
// millisecond at a time (a fifth of that where a processor goes off line, which takes less than one), or takes that of a process that is
// there, and has a process `culprit` keep it from its work for some milliseconds, so many times. What masks interrupts does so for 4 ms, or
// `KIND@US`. It says `thread TID`, waits for a line, and ends with how often that was.
#define _GNU_SOURCE
#include "burst.h"
#include "masks.h"
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { VICTIM_PRIORITY = 80, PAGES = 256 };

static const int64_t MILLISECOND = 1000000;
// BACKWALL_HELD_MS says otherwise, for a machine that stands still as long by itself.
static int64_t held_ns = 8 * 1000000;
static int64_t period_ns = 1000000;
static const int64_t BETWEEN = 60 * 1000000;
static const int64_t MASKED = 4 * 1000000;
static const int64_t AHEAD = 5 * 1000;

struct shared {
    volatile int fault;  // the victim is to touch the next page
    volatile int faults; // the victim's file that tells of its page faults
    volatile int ready;
    int64_t began; // the victim's releases are a period apart from here on
    int page;
};

static struct shared *shared;
static const struct mask *masking; // what keeps interrupts out, where that is the kind
static char *pages;
static int faults;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 * MILLISECOND + time.tv_nsec;
}

static void sleep_until(int64_t at)
{
    struct timespec time = {.tv_sec = at / (1000 * MILLISECOND), .tv_nsec = at % (1000 * MILLISECOND)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) {
    }
}

static void become(const char *name, int cpu, int priority)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
    struct sched_param parameter = {.sched_priority = priority};
    sched_setscheduler(0, priority > 0 ? SCHED_FIFO : SCHED_OTHER, &parameter);
    prctl(PR_SET_NAME, name);
}

static void prepare_faults(void)
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

// The same file in this process.
static void take_faults_of(int victim)
{
    int process = (int)syscall(SYS_pidfd_open, victim, 0);
    faults = (int)syscall(SYS_pidfd_getfd, process, shared->faults, 0);
    if (faults < 0) {
        perror("pidfd_getfd");
        exit(4);
    }
}

static void be_the_victim(int cpu, int with_faults)
{
    become("victim", cpu, VICTIM_PRIORITY);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (with_faults) {
        prepare_faults();
    }
    shared->began = now();
    shared->ready = 1;
    for (int64_t at = shared->began + period_ns;; at += period_ns) {
        sleep_until(at);
        // Who was held up goes on with the next instant that is still to come, but for a page of its own the next one is past.
        at += period_ns * ((now() - at) / period_ns);
        if (shared->fault) {
            shared->fault = 0;
            *(volatile char *)(pages + 4096 * (shared->page++ % PAGES));
        }
    }
}

// A write to a file of a control group, or of a processor.
static void say(const char *folder, const char *file, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    int number = open(path, O_WRONLY | O_CLOEXEC);
    if (number < 0 || write(number, text, strlen(text)) < 0) {
        perror(path);
        exit(4);
    }
    close(number);
}

static void join(const char *group, int process)
{
    char number[16];
    snprintf(number, sizeof number, "%d", process);
    say(group, "cgroup.procs", number);
}

// By the kernel's own word (proc(5)); its name is ours and has no bracket.
static int is_asleep(int victim)
{
    char path[32], text[128] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", victim);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    close(file);
    const char *end = length < 0 ? NULL : strchr(text, ')');
    return end != NULL && end[1] == ' ' && end[2] == 'S';
}

// Early in a period, when the victim sleeps again: who is stopped or frozen on the way to its work has answered its release already, by
// the kernel's events, and one whose next release comes before the stop does has answered that.
static void await_its_sleep(int victim)
{
    int64_t phase;
    do {
        int64_t release = shared->began + period_ns * ((now() - shared->began) / period_ns + 1);
        sleep_until(release + period_ns / 4);
        phase = (now() - shared->began) % period_ns;
    } while (!is_asleep(victim) || phase > period_ns / 2);
}

static void spin(int cpu, int priority)
{
    become("culprit", cpu, priority);
    for (int64_t until = now() + held_ns; now() < until;) {
    }
    become("culprit", cpu == 0 ? 1 : 0, 0);
}

// A function of the kernel masks interrupts; where the victim is ours, from shortly before a release of it on.
static void keep_interrupts_out(int cpu, int given)
{
    mask_arm(masking);
    become("culprit", cpu, 0);
    if (!given) {
        int64_t release = shared->began + period_ns * ((now() - shared->began) / period_ns + 2);
        sleep_until(release - period_ns / 4);
        while (now() < release - AHEAD) {
        }
    }
    mask_call(masking);
    become("culprit", cpu == 0 ? 1 : 0, 0);
}

// The victim touches a page that the culprit gives it late.
static void answer_fault_late(void)
{
    static char page[4096];
    struct uffd_msg message;
    shared->fault = 1;
    if (read(faults, &message, sizeof message) != sizeof message) {
        exit(4);
    }
    sleep_until(now() + held_ns);
    struct uffdio_copy copy = {
        .dst = message.arg.pagefault.address & ~(uint64_t)4095, .src = (uintptr_t)page, .len = sizeof page};
    ioctl(faults, UFFDIO_COPY, &copy);
}

// The processor beside goes off line and comes back: all others stand still while it goes. Whoever called puts it back where this is killed.
static void unplug(int cpu)
{
    char folder[64];
    snprintf(folder, sizeof folder, "/sys/devices/system/cpu/cpu%d", cpu);
    say(folder, "online", "0");
    sleep_until(now() + held_ns);
    say(folder, "online", "1");
}

// The processor's timer serves a burst of timers from shortly before a release on, where the victim is ours.
static void interrupt_long(int cpu, int given)
{
    become("culprit", cpu, VICTIM_PRIORITY - 10);
    int64_t at = now() + 2 * BETWEEN;
    at = given ? at : shared->began + period_ns * ((at - shared->began) / period_ns) - AHEAD;
    burst_arm(at);
    sleep_until(at);
    become("culprit", cpu == 0 ? 1 : 0, 0);
}

static void hold(const char *kind, int cpu, const char *group, int victim, int given)
{
    if (!given && (strcmp(kind, "stop") == 0 || strcmp(kind, "freeze") == 0)) {
        await_its_sleep(victim);
    }
    if (strcmp(kind, "stop") == 0) {
        kill(victim, SIGSTOP);
        sleep_until(now() + held_ns);
        kill(victim, SIGCONT);
    } else if (strcmp(kind, "freeze") == 0) {
        say(group, "cgroup.freeze", "1");
        sleep_until(now() + held_ns);
        say(group, "cgroup.freeze", "0");
    } else if (strcmp(kind, "hotplug") == 0) {
        unplug(cpu == 0 ? 1 : 0);
    } else if (masking != NULL) {
        keep_interrupts_out(cpu, given);
    } else if (strcmp(kind, "above") == 0) {
        spin(cpu, VICTIM_PRIORITY + 10);
    } else if (strcmp(kind, "interrupt") == 0) {
        interrupt_long(cpu, given);
    } else {
        answer_fault_late();
    }
}

// `sigaction@30` masks for 30 microseconds; NULL where the kind is none that masks.
static const struct mask *masking_of(const char *kind)
{
    char name[32];
    int length_us = 0;
    int found = sscanf(kind, "%31[^@]@%d", name, &length_us);
    return found < 1 ? NULL : mask_prepare(name, found == 2 ? 1000 * (int64_t)length_us : MASKED);
}

// What the kind needs of the machine, before the victim is kept from anything.
static void prepare(const char *kind, const char *group, int cpu, int victim)
{
    const char *held_ms = getenv("BACKWALL_HELD_MS");
    held_ns = held_ms != NULL ? MILLISECOND * atoi(held_ms) : held_ns;
    if (strcmp(kind, "fault") == 0) {
        take_faults_of(victim);
    }
    if (strcmp(kind, "freeze") == 0) {
        join(group, victim);
    }
    if (strcmp(kind, "interrupt") == 0) {
        // Who runs between would be taken for the interrupt.
        become("culprit", cpu, VICTIM_PRIORITY - 10);
        burst_prepare(held_ns);
    }
    become("culprit", cpu == 0 ? 1 : 0, 0);
    masking = masking_of(kind);
    prctl(PR_SET_TIMERSLACK, 1);
}

// The process of the victim, once it is on its way.
static int begin_victim(const char *kind, int cpu)
{
    int victim = fork();
    if (victim == 0) {
        be_the_victim(cpu, strcmp(kind, "fault") == 0);
    }
    while (!shared->ready) {
        sleep_until(now() + MILLISECOND);
    }
    return victim;
}

int main(int count, char **words)
{
    if (count < 4) {
        fprintf(
            stderr,
            "causes stop|freeze|above|interrupt|fault|hotplug|sigtimedwait[@US]|sigaction[@US]|eventfd[@US] TIMES CPU "
            "[GROUP] [PROCESS]\n");
        return 2;
    }
    const char *kind = words[1], *group = count > 4 ? words[4] : "";
    int cpu = atoi(words[3]), given = count > 5 ? atoi(words[5]) : 0, times = atoi(words[2]);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    period_ns /= strcmp(kind, "hotplug") == 0 ? 5 : 1;
    int victim = given != 0 ? given : begin_victim(kind, cpu);
    prepare(kind, group, cpu, victim);
    printf("thread %d\n", victim);
    fflush(stdout);
    getchar();
    for (int time = 0; time < times; time++) {
        sleep_until(now() + BETWEEN);
        hold(kind, cpu, group, victim, given);
    }
    sleep_until(now() + BETWEEN);
    printf("held %d\n", times);
    if (given == 0) {
        kill(victim, SIGKILL);
    }
    return 0;
}
