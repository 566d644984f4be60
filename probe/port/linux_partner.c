// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: a second thread or process, and a process for a single run.
//
// The process is forked, so it has the open files and the shared memory. The kernel ends it when the thread that
// started it ends for any reason, so it may wait without limit.
#define _GNU_SOURCE
#include "linux_memory.h"
#include "operations.h"
#include "port.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define SPAWNED_STACK_BYTES (64u * 1024u) // locked in memory

static pid_t linux_partner; // 0: no partner, or it is a thread
static pid_t linux_client;  // in the partner's process: the process that started it; otherwise 0
static bool linux_partner_ended;

// Closes the stream in this process. The stream belongs to the first process alone, and the host waits until no process
// has it open.
static void linux_let_go_of_stream(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
}

static _Noreturn void linux_partner_body(void (*run)(void *argument), void *argument, pid_t client)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != client) // the parent ended before the request took effect
        _exit(0);
    linux_client = client;
    linux_let_go_of_stream();
    run(argument);
    _exit(0);
}

static const char *linux_no_process(void)
{
    static char why[160];

    snprintf(why, sizeof why, "a second process cannot be started: %s (ulimit -u, or pids.max of the container)",
             strerror(errno));
    return why;
}

const char *port_partner_start(void (*run)(void *argument), void *argument, bool across)
{
    if (!across)
        return port_thread_start(run, argument);
    pid_t client = getpid();
    pid_t partner = fork();

    if (partner == 0)
        linux_partner_body(run, argument, client);
    if (partner < 0)
        return linux_no_process();
    linux_partner = partner;
    prctl(PR_SET_PTRACER, partner); // lets the partner read this memory; if the call fails, no permission is needed
    return NULL;
}

bool port_partner_alive(void)
{
    if (linux_partner != 0 && waitpid(linux_partner, NULL, WNOHANG) != 0)
        linux_partner_ended = true;
    return !linux_partner_ended;
}

void port_partner_end(void)
{
    if (linux_partner == 0 || linux_partner_ended)
        return;
    kill(linux_partner, SIGKILL);
    waitpid(linux_partner, NULL, 0);
    linux_partner_ended = true;
}

void *port_memory_shared(size_t bytes)
{
    return linux_memory_of(bytes, MAP_SHARED | MAP_POPULATE);
}

bool port_partner_read(void *to, uint64_t from, size_t bytes)
{
    struct iovec own = {.iov_base = to, .iov_len = bytes};
    struct iovec others = {.iov_base = (void *)(uintptr_t)from, .iov_len = bytes};

    if (linux_client != 0)
        return process_vm_readv(linux_client, &own, 1, &others, 1, 0) == (ssize_t)bytes;
    memcpy(to, others.iov_base, bytes);
    return true;
}

static struct {
    void (*run)(void *argument);
    void *argument;
    pthread_t thread;
    pid_t process; // 0: the partner is a thread
} linux_spawned;

static void *linux_spawned_run(void *unused)
{
    linux_spawned.run(linux_spawned.argument);
    return unused;
}

static int linux_spawn_thread(void)
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SPAWNED_STACK_BYTES);
    int refused = 0;

    do
        refused = pthread_create(&linux_spawned.thread, &attributes, linux_spawned_run, NULL);
    while (refused && linux_memory_relent(refused));

    pthread_attr_destroy(&attributes);
    return refused;
}

const char *port_spawn(void (*run)(void *argument), void *argument, bool across)
{
    linux_spawned.run = run;
    linux_spawned.argument = argument;
    linux_spawned.process = 0;
    if (!across) {
        errno = linux_spawn_thread();
        return errno == 0 ? NULL
                          : "a thread cannot be made: the limit of processes (ulimit -u) or of memory is reached";
    }
    pid_t process = fork();

    if (process == 0) {
        run(argument);
        _exit(0);
    }
    linux_spawned.process = process;
    return process > 0 ? NULL : linux_no_process();
}

void port_spawn_end(void)
{
    if (linux_spawned.process != 0)
        waitpid(linux_spawned.process, NULL, 0);
    else
        pthread_join(linux_spawned.thread, NULL);
}

uint64_t port_thread_waits(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nvcsw : UINT64_MAX;
}

void port_yield(void)
{
    sched_yield();
}

// There are no such servers here; another thread answers instead.
bool port_server_start(port_serve serve, const char **refusal)
{
    (void)serve;
    *refusal = NULL;
    return false;
}

uint64_t port_server_call(uint64_t method, const uint64_t *words)
{
    (void)method;
    (void)words;
    return 0;
}
