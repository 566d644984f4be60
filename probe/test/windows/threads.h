// SPDX-License-Identifier: MIT OR Apache-2.0
// The part of C11's <threads.h> that the fake port uses, which mingw-w64 does not have, by its pthreads. For its test alone.
#ifndef BACKWALL_TEST_THREADS_H
#define BACKWALL_TEST_THREADS_H

#include <pthread.h>
#include <stdint.h>

enum { mtx_plain, thrd_success = 0 };

typedef pthread_mutex_t mtx_t;
typedef pthread_cond_t cnd_t;
typedef pthread_t thrd_t;

static inline int mtx_init(mtx_t *mutex, int kind)
{
    (void)kind;
    return pthread_mutex_init(mutex, NULL);
}

static inline int mtx_lock(mtx_t *mutex)
{
    return pthread_mutex_lock(mutex);
}

static inline int cnd_init(cnd_t *condition)
{
    return pthread_cond_init(condition, NULL);
}

static inline int cnd_broadcast(cnd_t *condition)
{
    return pthread_cond_broadcast(condition);
}

static inline int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return pthread_cond_wait(condition, mutex);
}

static inline int thrd_create(thrd_t *thread, int (*run)(void *argument), void *argument)
{
    union {
        int (*given)(void *argument);
        void *(*wanted)(void *argument);
    } body = {run}; // nobody uses the result

    return pthread_create(thread, NULL, body.wanted, argument);
}

#endif
