// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: the objects by which one thread wakes another in Linux programs.
//
// Everything is in the room or is an open file without a name, which a forked process has too. So nothing remains after
// the processes. If a signal interrupts a wait, the wait continues.
#define _GNU_SOURCE
#include "operations.h"
#include "port.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *linux_refuse(const char *what)
{
    static char why[160];

    snprintf(why, sizeof why, "this kernel provides no %s: %s", what, strerror(errno));
    return why;
}

static int linux_sharing(bool across)
{
    return across ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
}

// Semaphore.

static const char *semaphore_make(void *room, bool across)
{
    return sem_init(room, across, 0) == 0 ? NULL : linux_refuse("semaphore");
}

static void semaphore_wait(void *room)
{
    while (sem_wait(room) != 0 && errno == EINTR) {
    }
}

static void semaphore_wake(void *room)
{
    sem_post(room);
}

// Mutex with priority inheritance. If its owner dies, others can still take it. A critical section is the variant within one
// process.

static const char *mutex_make_so(void *room, bool across, int robust)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_setpshared(&attributes, linux_sharing(across));
    pthread_mutexattr_setrobust(&attributes, robust);
    errno = pthread_mutex_init(room, &attributes);
    return errno == 0 ? NULL : linux_refuse("mutex with priority inheritance (CONFIG_FUTEX_PI)");
}

static const char *mutex_make(void *room, bool across)
{
    return mutex_make_so(room, across, PTHREAD_MUTEX_ROBUST);
}

static const char *critical_section_make(void *room, bool across)
{
    return mutex_make_so(room, across, PTHREAD_MUTEX_STALLED);
}

static void mutex_lock(void *room)
{
    if (pthread_mutex_lock(room) == EOWNERDEAD)
        pthread_mutex_consistent(room);
}

static void mutex_unlock(void *room)
{
    pthread_mutex_unlock(room);
}

// Read-write lock.

static const char *read_write_lock_make(void *room, bool across)
{
    pthread_rwlockattr_t attributes;

    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setpshared(&attributes, linux_sharing(across));
    errno = pthread_rwlock_init(room, &attributes);
    return errno == 0 ? NULL : linux_refuse("read-write lock");
}

static void read_write_lock_hold(void *room)
{
    pthread_rwlock_wrlock(room);
}

static void read_write_lock_wait(void *room)
{
    pthread_rwlock_rdlock(room);
}

static void read_write_lock_release(void *room)
{
    pthread_rwlock_unlock(room);
}

// Barrier of two.

static const char *barrier_make(void *room, bool across)
{
    pthread_barrierattr_t attributes;

    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, linux_sharing(across));
    errno = pthread_barrier_init(room, &attributes, 2);
    return errno == 0 ? NULL : linux_refuse("barrier");
}

static void barrier_wait(void *room)
{
    pthread_barrier_wait(room);
}

// Condition variable. It is signalled after the mutex is released, so that the woken thread does not block on it.

struct condition {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    bool set;
};

static const char *condition_make(void *room, bool across)
{
    struct condition *own = room;
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setpshared(&attributes, linux_sharing(across));
    errno = pthread_cond_init(&own->condition, &attributes);
    if (errno != 0)
        return linux_refuse("condition variable");
    return mutex_make_so(&own->mutex, across, PTHREAD_MUTEX_STALLED);
}

static void condition_wait(void *room)
{
    struct condition *own = room;

    pthread_mutex_lock(&own->mutex);
    while (!own->set)
        pthread_cond_wait(&own->condition, &own->mutex);
    own->set = false;
    pthread_mutex_unlock(&own->mutex);
}

static void condition_wake(void *room)
{
    struct condition *own = room;

    pthread_mutex_lock(&own->mutex);
    own->set = true;
    pthread_mutex_unlock(&own->mutex);
    pthread_cond_signal(&own->condition);
}

// Files: the waiter reads from one, the waker writes to the other. Each write has the same length.

struct files {
    int from;
    int to;
    int watch; // an epoll file
    size_t bytes;
};

static void files_wait(void *room)
{
    struct files *own = room;
    uint64_t word;

    while (read(own->from, &word, own->bytes) < 0 && errno == EINTR) {
    }
}

static void files_wake(void *room)
{
    struct files *own = room;
    uint64_t word = 1;

    while (write(own->to, &word, own->bytes) < 0 && errno == EINTR) {
    }
}

static const char *eventfd_make(void *room, bool across)
{
    int file = eventfd(0, EFD_CLOEXEC);

    (void)across;
    *(struct files *)room = (struct files){.from = file, .to = file, .bytes = sizeof(uint64_t)};
    return file >= 0 ? NULL : linux_refuse("eventfd");
}

static const char *pipe_make(void *room, bool across)
{
    int ends[2] = {-1, -1};
    int refused = pipe2(ends, O_CLOEXEC);

    (void)across;
    *(struct files *)room = (struct files){.from = ends[0], .to = ends[1], .bytes = 1};
    return refused == 0 ? NULL : linux_refuse("pipe");
}

static const char *socket_make(void *room, bool across)
{
    int ends[2] = {-1, -1};
    int refused = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);

    (void)across;
    *(struct files *)room = (struct files){.from = ends[0], .to = ends[1], .bytes = 1};
    return refused == 0 ? NULL : linux_refuse("Unix socket");
}

static const char *epoll_make(void *room, bool across)
{
    struct files *own = room;
    const char *refusal = eventfd_make(room, across);
    struct epoll_event wanted = {.events = EPOLLIN};

    if (refusal)
        return refusal;
    own->watch = epoll_create1(EPOLL_CLOEXEC);
    return own->watch >= 0 && epoll_ctl(own->watch, EPOLL_CTL_ADD, own->from, &wanted) == 0 ? NULL
                                                                                            : linux_refuse("epoll");
}

static void epoll_wait_for(void *room)
{
    struct files *own = room;
    struct epoll_event happened;

    while (epoll_wait(own->watch, &happened, 1, -1) < 0 && errno == EINTR) {
    }
}

// Message queue: its name is removed before anybody can see it; the queue lives on in the open file.

struct queue {
    mqd_t file;
};

static const char *message_queue_make(void *room, bool across)
{
    struct queue *own = room;
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = sizeof(uint64_t)};
    char name[64];

    (void)across;
    snprintf(name, sizeof name, "/backwall-%ld", (long)getpid());
    own->file = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &attributes);
    if (own->file == (mqd_t)-1)
        return linux_refuse("message queue (CONFIG_POSIX_MQUEUE, ulimit -q)");
    mq_unlink(name);
    return NULL;
}

static void message_queue_wait(void *room)
{
    uint64_t word;

    while (mq_receive(((struct queue *)room)->file, (char *)&word, sizeof word, NULL) < 0 && errno == EINTR) {
    }
}

static void message_queue_wake(void *room)
{
    uint64_t word = 1;

    while (mq_send(((struct queue *)room)->file, (const char *)&word, sizeof word, 0) < 0 && errno == EINTR) {
    }
}

// Signal: every thread of the probe blocks it, and the waiter takes it when it comes.

struct receiver {
    pid_t process;
    pid_t thread;
};

static const char *signal_make(void *room, bool across)
{
    (void)room;
    (void)across;
    return NULL;
}

static void signal_enter(void *room)
{
    *(struct receiver *)room = (struct receiver){getpid(), (pid_t)syscall(SYS_gettid)};
}

static void signal_wait(void *room)
{
    sigset_t wanted;

    (void)room;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGRTMIN);
    while (sigwaitinfo(&wanted, NULL) < 0 && errno == EINTR) {
    }
}

static void signal_wake(void *room)
{
    struct receiver *to = room;

    syscall(SYS_tgkill, to->process, to->thread, SIGRTMIN);
}

static const struct port_waker WAKERS[] = {
    {"semaphore", semaphore_make, NULL, NULL, semaphore_wait, semaphore_wake, NULL},
    {"mutex", mutex_make, NULL, mutex_lock, mutex_lock, mutex_unlock, mutex_unlock},
    {"critical-section", critical_section_make, NULL, mutex_lock, mutex_lock, mutex_unlock, mutex_unlock},
    {"read-write-lock", read_write_lock_make, NULL, read_write_lock_hold, read_write_lock_wait, read_write_lock_release,
     read_write_lock_release},
    {"barrier", barrier_make, NULL, NULL, barrier_wait, barrier_wait, NULL},
    {"condition", condition_make, NULL, NULL, condition_wait, condition_wake, NULL},
    {"eventfd", eventfd_make, NULL, NULL, files_wait, files_wake, NULL},
    {"pipe", pipe_make, NULL, NULL, files_wait, files_wake, NULL},
    {"socket", socket_make, NULL, NULL, files_wait, files_wake, NULL},
    {"epoll", epoll_make, NULL, NULL, epoll_wait_for, files_wake, files_wait},
    {"message-queue", message_queue_make, NULL, NULL, message_queue_wait, message_queue_wake, NULL},
    {"signal", signal_make, signal_enter, NULL, signal_wait, signal_wake, NULL},
};

const struct port_waker *port_waker(const char *name)
{
    return PORT_ROW(WAKERS, name);
}
