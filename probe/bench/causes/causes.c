// SPDX-License-Identifier: MIT OR Apache-2.0
// Makes a thread late on purpose.
//
//   causes KIND[@US] TIMES CPU [GROUP] [PROCESS]
//   causes crowd POLLERS PAIRS
//
// The first form starts a periodic thread `victim`, or uses that of PROCESS. A process `culprit` delays the victim
// TIMES times, by 8 ms each unless BACKWALL_HELD_MS names other milliseconds. Kinds that disable interrupts do so for 4
// ms, or for US microseconds. The program prints `thread TID`, waits for a line, and finally prints how often it
// delayed the victim. If BACKWALL_LEDGER is set, victim and culprit write what they saw to $BACKWALL_LEDGER.victim and
// .culprit. The second form is a load.
#define _GNU_SOURCE
#include "cause.h"
#include "crowd.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

// Default of BACKWALL_HELD_MS. A longer time is needed on a machine that stops this long by itself.
static const int64_t HELD = 8 * MILLISECOND;
static const int64_t BETWEEN = 60 * MILLISECOND;

static const struct kind *const tables[] = {kinds_of_threads, kinds_of_kernel, kinds_of_groups, kinds_of_wakers,
                                            kinds_of_itself};

void allow(int thread, int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int each = 0; each < CPU_SETSIZE; each++) {
        if (cpu < 0 || each == cpu) {
            CPU_SET(each, &set);
        }
    }
    sched_setaffinity(thread, sizeof set, &set);
}

void become(const char *name, int cpu, int priority)
{
    allow(0, cpu);
    struct sched_param parameter = {.sched_priority = priority};
    sched_setscheduler(0, priority > 0 ? SCHED_FIFO : SCHED_OTHER, &parameter);
    prctl(PR_SET_NAME, name);
}

void stand_aside(const struct scene *scene)
{
    become("culprit", scene->other, 0);
}

void end_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

int64_t next_release_ns(const struct scene *scene)
{
    if (scene->given) {
        return clock_now() + scene->period_ns;
    }
    int64_t began_ns = scene->shared->began_ns, soon_ns = clock_now() + scene->period_ns / 4;
    return began_ns + scene->period_ns * ((soon_ns - began_ns) / scene->period_ns + 1);
}

// Whether the victim sleeps, according to the kernel (proc(5)). Its name is known and contains no parenthesis.
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

void await_its_sleep(const struct scene *scene)
{
    int64_t began_ns = scene->shared->began_ns, period_ns = scene->period_ns, phase_ns;
    do {
        int64_t release_ns = began_ns + period_ns * ((clock_now() - began_ns) / period_ns + 1);
        clock_sleep_until(release_ns + period_ns / 4);
        phase_ns = (clock_now() - began_ns) % period_ns;
    } while (!is_asleep(scene->victim) || phase_ns > period_ns / 2);
}

void say(const char *folder, const char *file, const char *text)
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

static const struct kind *kind_of(const char *word)
{
    size_t length = strcspn(word, "@");
    for (size_t table = 0; table < sizeof tables / sizeof tables[0]; table++) {
        for (const struct kind *kind = tables[table]; kind->name != NULL; kind++) {
            if (strlen(kind->name) == length && strncmp(kind->name, word, length) == 0) {
                return kind;
            }
        }
    }
    return NULL;
}

static int no_kind(void)
{
    fprintf(stderr, "causes KIND TIMES CPU [GROUP] [PROCESS]; KIND, of which some take @US:");
    for (size_t table = 0; table < sizeof tables / sizeof tables[0]; table++) {
        for (const struct kind *kind = tables[table]; kind->name != NULL; kind++) {
            fprintf(stderr, " %s", kind->name);
        }
    }
    fprintf(stderr, "\n");
    return 2;
}

static void be_the_victim(struct scene *scene)
{
    end_with_parent();
    scene->seen = ledger_open("victim");
    become("victim", scene->cpu, VICTIM_PRIORITY);
    mlockall(MCL_CURRENT);
    scene->shared->began_ns = clock_now();
    (scene->kind->loop != NULL ? scene->kind->loop : loop_timed)(scene);
}

static void begin_victim(struct scene *scene)
{
    scene->victim = fork();
    if (scene->victim == 0) {
        be_the_victim(scene);
    }
    while (!scene->shared->ready) {
        clock_sleep_until(clock_now() + MILLISECOND);
    }
}

// Gives this process's session a lower nice value: with autogroup (sched(7)), nice values of threads count only within their
// session.
static void precede_other_sessions(void)
{
    setsid();
    int file = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)!write(file, "-20", 3);
        close(file);
    }
}

static void set_the_scene(struct scene *scene, int count, char **words)
{
    const char *held_ms = getenv("BACKWALL_HELD_MS");
    scene->word = words[1];
    scene->cpu = atoi(words[3]);
    scene->other = scene->cpu == 0 ? 1 : 0;
    scene->group = count > 4 ? words[4] : "";
    scene->given = count > 5 && atoi(words[5]) != 0;
    scene->victim = scene->given ? atoi(words[5]) : 0;
    scene->period_ns = scene->kind->period_ns != 0 ? scene->kind->period_ns : MILLISECOND;
    scene->held_ns = held_ms != NULL ? MILLISECOND * atoi(held_ms) : HELD;
    scene->shared = mmap(NULL, sizeof *scene->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

int main(int count, char **words)
{
    if (count == 4 && strcmp(words[1], "crowd") == 0) {
        crowd_begin(atoi(words[2]), atoi(words[3]));
    }
    struct scene scene = {.kind = count < 4 ? NULL : kind_of(words[1])};
    if (scene.kind == NULL) {
        return no_kind();
    }
    int times = atoi(words[2]);
    precede_other_sessions();
    set_the_scene(&scene, count, words);
    if (!scene.given) {
        begin_victim(&scene);
    }
    scene.injected = ledger_open("culprit");
    prctl(PR_SET_TIMERSLACK, 1);
    stand_aside(&scene);
    if (scene.kind->prepare != NULL) {
        scene.kind->prepare(&scene);
    }
    printf("thread %d\n", scene.victim);
    fflush(stdout);
    getchar();
    int64_t between_ns = scene.kind->between_ns != 0 ? scene.kind->between_ns : BETWEEN;
    for (int time = 0; time < times; time++) {
        clock_sleep_until(clock_now() + between_ns);
        scene.kind->hold(&scene);
    }
    clock_sleep_until(clock_now() + BETWEEN);
    printf("held %d\n", times);
    fflush(stdout);
    if (!scene.given) {
        kill(scene.victim, SIGKILL);
    }
    return 0;
}
