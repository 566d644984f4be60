/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Runs the programs of a list one after the other. For each, it tells the host how many instructions the whole guest executed
 * meanwhile, in user and in kernel mode.
 *
 * The list is the file /programs: a command in each line, its words separated by single blanks.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <sys/io.h>
#else
#include "../bench/ports.h"
#endif

enum { WORDS_MAX = 32, LINE_BYTES = 512, HALVES = 4, SETTLE_US = 50000 };

/* Instructions in user mode and in kernel mode. */
struct counts {
    uint64_t user, kernel;
};

static struct counts counts_take(void)
{
    uint32_t half[HALVES];
    outl(0, CONNECTOR_MODES_PORT);
    for (unsigned i = 0; i < HALVES; i++)
        half[i] = inl(CONNECTOR_MODES_PORT);
    return (struct counts){half[0] | (uint64_t)half[1] << 32, half[2] | (uint64_t)half[3] << 32};
}

/* Drops the program's standard output; its standard error goes to the console. */
static _Noreturn void program_become(char *line)
{
    char *words[WORDS_MAX + 1] = {0};
    int nowhere = open("/dev/null", O_WRONLY);
    unsigned count = 0;
    for (char *word = strtok(line, " "); word && count < WORDS_MAX; word = strtok(NULL, " "))
        words[count++] = word;
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    execv(words[0], words);
    fprintf(stderr, "bench: %s: %s\n", words[0], strerror(errno));
    _exit(127);
}

static void program_run(unsigned which, char *line)
{
    int status;
    char text[LINE_BYTES];
    usleep(SETTLE_US);
    struct counts before = counts_take();
    pid_t child = fork();
    if (child == 0)
        program_become(line);
    if (child < 0 || waitpid(child, &status, 0) != child)
        boot_fail("starting a program", strerror(errno));
    struct counts after = counts_take();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        boot_fail(line, "the program failed");
    int length = snprintf(text, sizeof text, "%u %llu %llu\n", which, (unsigned long long)(after.user - before.user),
                          (unsigned long long)(after.kernel - before.kernel));
    lines_send(text, (size_t)length);
}

void programs_run(void)
{
    char line[LINE_BYTES];
    FILE *list = fopen("/programs", "r");
    if (!list)
        boot_fail("/programs", strerror(errno));
    for (unsigned which = 0; fgets(line, sizeof line, list); which++) {
        line[strcspn(line, "\n")] = 0;
        program_run(which, line);
    }
    lines_end(0);
}
