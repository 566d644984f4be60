// SPDX-License-Identifier: MIT OR Apache-2.0
// See runs.h.
#include "runs.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNTS_MAX 64
#define RUN_SECONDS_MAX 120 // a run that takes longer has hung
#define FAILED_SHOWN 40

static uint64_t random_state;
static unsigned long *counts; // shared by all child processes
static unsigned long failed, known_failed;

unsigned random_below(unsigned limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 20) % limit;
}

void runs_count(unsigned place, unsigned long more)
{
    counts[place] += more;
}

void runs_end(bool good)
{
    fflush(stdout);
    _exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
}

// True if the run passed in a child process.
static bool run_in_child(const struct runs *runs, unsigned long seed)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        random_state = seed * 0x9E3779B97F4A7C15u + 1;
        alarm(RUN_SECONDS_MAX);
        runs->run(seed);
        runs_end(false);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror(runs->test);
        exit(EXIT_FAILURE);
    }
    if (WIFSIGNALED(status))
        printf("FAIL %s: seed %lu: signal %d\n", runs->test, seed, WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

static bool is_known(unsigned long seed, int count, char **arguments)
{
    for (int i = 3; i < count; i++)
        if (strtoul(arguments[i], NULL, 10) == seed)
            return true;
    return false;
}

static void seed_failed(const struct runs *runs, unsigned long seed)
{
    if (++failed <= FAILED_SHOWN)
        printf("FAIL %s: seed %lu\n", runs->test, seed);
}

int runs_main(const struct runs *runs, int count, char **arguments)
{
    unsigned long first = count > 1 ? strtoul(arguments[1], NULL, 10) : 1;
    unsigned long seeds = count > 2 ? strtoul(arguments[2], NULL, 10) : 1;
    counts = mmap(NULL, COUNTS_MAX * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED || seeds == 0)
        return EXIT_FAILURE;
    for (unsigned long i = 0; i < seeds; i++)
        if (!run_in_child(runs, first + i))
            is_known(first + i, count, arguments) ? (void)known_failed++ : seed_failed(runs, first + i);
    printf("%s: seeds %lu to %lu, %lu failed, %lu as known;", runs->test, first, first + seeds - 1, failed,
           known_failed);
    for (unsigned i = 0; i < runs->names_count; i++)
        printf(" %s %lu%s", runs->names[i], counts[i], i + 1 < runs->names_count ? "," : "\n");
    bool enough = runs->enough == NULL || runs->enough(counts);
    return failed == 0 && enough ? EXIT_SUCCESS : EXIT_FAILURE;
}
