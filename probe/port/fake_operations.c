// SPDX-License-Identifier: MIT OR Apache-2.0
// Fake: operations with scripted costs, between two threads of which exactly one runs at a time.
//
// Costs in counts: setting an event 3, releasing a semaphore 5, releasing a mutex 7, leaving a critical section 2, a
// yield 4, a switch from one thread to the other 20, entering or leaving a free critical section 1, a call into the
// kernel 2, creating a thread or process 100. A woken thread runs at once if its priority is higher, and otherwise when
// the other one waits.
#include "fake.h"
#include "operations.h"
#include "port.h"

#include <string.h>
#include <threads.h>

enum {
    COST_EVENT = 3,
    COST_SEMAPHORE = 5,
    COST_MUTEX = 7,
    COST_SECTION = 2,
    COST_YIELD = 4,
    COST_SWITCH = 20,
    COST_SPAWN = 100
};
enum { COST_SECTION_FREE = 1, COST_SYSTEM_CALL = 2 };

// Thread 0 is the measured one, thread 1 its partner.
static struct {
    const void *waits_on; // NULL: the fibre is ready
    unsigned priority;
    uint64_t waits;
} fake_threads[2];

static struct {
    bool started;
    unsigned running; // index of the running fibre
    mtx_t lock;
    cnd_t changed;
    void (*run)(void *argument);
    void *argument;
} fake;

void fake_priority(unsigned priority)
{
    fake_threads[fake.running].priority = priority;
}

static void fake_wait_for_turn(unsigned own)
{
    while (fake.running != own)
        cnd_wait(&fake.changed, &fake.lock);
}

static void fake_switch(void)
{
    unsigned own = fake.running;

    fake_pass(COST_SWITCH);
    fake.running = 1 - own;
    cnd_broadcast(&fake.changed);
    fake_wait_for_turn(own);
}

void fake_rest(void)
{
    if (fake.started && !fake_threads[1 - fake.running].waits_on)
        fake_switch();
}

// False if no thread is left that could end the wait.
static bool fake_block(const void *on)
{
    unsigned own = fake.running;

    if (!fake.started || fake_threads[1 - own].waits_on)
        return false;
    fake_threads[own].waits_on = on;
    fake_threads[own].waits++;
    fake_switch();
    return true;
}

static void fake_wake(const void *on)
{
    unsigned other = 1 - fake.running;

    if (!fake.started || fake_threads[other].waits_on != on)
        return;
    fake_threads[other].waits_on = NULL;
    if (fake_threads[other].priority > fake_threads[fake.running].priority)
        fake_switch();
}

void port_event_set(struct port_event *event)
{
    fake_pass(COST_EVENT);
    event->set = 1;
    fake_wake(event);
}

bool port_event_wait(struct port_event *event, uint64_t timeout_ns)
{
    (void)timeout_ns;
    while (event->set == 0) {
        if (!fake_block(event))
            return false;
    }
    event->set = 0;
    return true;
}

static int fake_partner_run(void *unused)
{
    (void)unused;
    mtx_lock(&fake.lock);
    fake_wait_for_turn(1);
    fake.run(fake.argument);
    return 0;
}

const char *port_partner_start(void (*run)(void *argument), void *argument, bool across)
{
    thrd_t thread;

    (void)across;
    fake.run = run;
    fake.argument = argument;
    fake.started = true;
    mtx_init(&fake.lock, mtx_plain);
    cnd_init(&fake.changed);
    mtx_lock(&fake.lock);
    return thrd_create(&thread, fake_partner_run, NULL) == thrd_success ? NULL : "no second thread";
}

bool port_partner_alive(void)
{
    return true;
}

void port_partner_end(void)
{
}

void *port_memory_shared(size_t bytes)
{
    return port_memory_map(bytes);
}

bool port_partner_read(void *to, uint64_t from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return true;
}

const char *port_spawn(void (*run)(void *argument), void *argument, bool across)
{
    (void)across;
    fake_pass(COST_SPAWN);
    run(argument);
    return NULL;
}

void port_spawn_end(void)
{
}

uint64_t port_thread_waits(void)
{
    return fake_threads[fake.running].waits;
}

void port_yield(void)
{
    unsigned other = 1 - fake.running;

    fake_pass(COST_YIELD);
    if (fake.started && !fake_threads[other].waits_on
        && fake_threads[other].priority >= fake_threads[fake.running].priority)
        fake_switch();
}

// A counter: a thread waits until it is above 0. It serves as a semaphore, and as a lock, which is held while the
// counter is 0.
static const char *fake_make(void *room, bool across)
{
    (void)across;
    *(uint32_t *)room = 0;
    return NULL;
}

static const char *fake_lock_make(void *room, bool across)
{
    (void)across;
    *(uint32_t *)room = 1;
    return NULL;
}

static void fake_take(void *room)
{
    while (*(uint32_t *)room == 0 && fake_block(room)) {
    }
    --*(uint32_t *)room;
}

static void fake_give(void *room, uint64_t cost)
{
    fake_pass(cost);
    ++*(uint32_t *)room;
    fake_wake(room);
}

static void semaphore_wake(void *room)
{
    fake_give(room, COST_SEMAPHORE);
}

static void mutex_wake(void *room)
{
    fake_give(room, COST_MUTEX);
}

static void section_wake(void *room)
{
    fake_give(room, COST_SECTION);
}

static const struct port_waker WAKERS[] = {
    {"semaphore", fake_make, NULL, NULL, fake_take, semaphore_wake, NULL},
    {"mutex", fake_lock_make, NULL, fake_take, fake_take, mutex_wake, mutex_wake},
    {"critical-section", fake_lock_make, NULL, fake_take, fake_take, section_wake, section_wake},
};

const struct port_waker *port_waker(const char *name)
{
    return PORT_ROW(WAKERS, name);
}

static void section_repeat(void *room, uint32_t times)
{
    (void)room;
    fake_pass((uint64_t)times * COST_SECTION_FREE);
}

static void system_call_repeat(void *room, uint32_t times)
{
    (void)room;
    fake_pass((uint64_t)times * COST_SYSTEM_CALL);
}

static const struct port_call CALLS[] = {
    {"critical-section-enter", NULL, NULL, section_repeat, NULL},
    {"critical-section-leave", NULL, NULL, section_repeat, NULL},
    {"system-call", NULL, NULL, system_call_repeat, NULL},
};

const struct port_call *port_call(const char *name)
{
    return PORT_ROW(CALLS, name);
}

const char *port_mark_open(uint64_t address)
{
    (void)address;
    return "this system has nothing to write marks to: leave out the address";
}

void port_mark(uint8_t value)
{
    (void)value;
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
