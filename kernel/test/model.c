// SPDX-License-Identifier: MIT OR Apache-2.0
// See model.h. Every function searches all threads and objects.
#include "model.h"

#include <stddef.h>

#define WAIT_ANSWER_TIMEOUT 0x102u

struct model model;

bool model_ready(int t)
{
    const struct model_thread *thread = &model.threads[t];
    return thread->alive && !thread->blocked && !thread->sleeping && thread->suspended == 0;
}

int model_running(void)
{
    int best = MODEL_NOBODY;
    for (int t = 0; t < MODEL_THREADS; t++) {
        if (!model_ready(t))
            continue;
        const struct model_thread *a = &model.threads[t], *b = best < 0 ? NULL : &model.threads[best];
        if (b == NULL || a->priority < b->priority || (a->priority == b->priority && a->order < b->order))
            best = t;
    }
    return best;
}

static void goes_last(int t)
{
    model.threads[t].order = ++model.last_order;
}
static void goes_first(int t)
{
    model.threads[t].order = --model.first_order;
}

static int place_of(int t, int object)
{
    const struct model_thread *thread = &model.threads[t];
    for (int i = 0; i < thread->wait_count; i++)
        if (thread->waits_for[i] == object)
            return i;
    return MODEL_NOBODY;
}

static int top_waiter(int object)
{
    int best = MODEL_NOBODY, best_place = MODEL_NOBODY;
    for (int t = 0; t < MODEL_THREADS; t++) {
        int place = model.threads[t].alive ? place_of(t, object) : MODEL_NOBODY;
        if (place < 0)
            continue;
        const struct model_thread *a = &model.threads[t], *b = best < 0 ? NULL : &model.threads[best];
        if (b == NULL || a->priority < b->priority
            || (a->priority == b->priority && a->wait_order[place] < b->wait_order[best_place]))
            best = t, best_place = place;
    }
    return best;
}

static bool is_lock(int object)
{
    return model.objects[object].kind >= MODEL_MUTEX;
}

static int due_priority(int t)
{
    int due = model.threads[t].base;
    for (int o = 0; o < model.object_count; o++)
        if (is_lock(o) && model.objects[o].owner == t && model.objects[o].donated < due)
            due = model.objects[o].donated;
    return due;
}

static bool priority_update(int t)
{
    struct model_thread *thread = &model.threads[t];
    int due = due_priority(t);
    if (due == thread->priority)
        return false;
    bool raised = due < thread->priority;
    thread->priority = due;
    for (int i = 0; i < thread->wait_count; i++)
        thread->wait_order[i] = ++model.last_order;
    if (model_ready(t))
        raised ? goes_last(t) : goes_first(t);
    return true;
}

// The waiters of a lock, or their priorities, have changed. An owner that itself waits, for one object or several, passes on a
// loss of priority; it passes on a gain only if whole chains inherit.
static void lock_update_from(int object, int depth)
{
    if (object < 0 || !is_lock(object) || model.objects[object].owner < 0)
        return;
    struct model_object *lock = &model.objects[object];
    int top = top_waiter(object), donated = top < 0 ? MODEL_LOWEST : model.threads[top].priority;
    bool raised = donated < lock->donated;
    if (donated == lock->donated || (depth > 0 && raised && !model.chain))
        return;
    lock->donated = donated;
    if (!priority_update(lock->owner))
        return;
    const struct model_thread *owner = &model.threads[lock->owner];
    for (int i = 0; owner->blocked && i < owner->wait_count; i++)
        lock_update_from(owner->waits_for[i], depth + 1);
}

static void lock_update(int object)
{
    lock_update_from(object, 0);
}

static void place_leave(struct model_thread *thread, int place)
{
    int object = thread->waits_for[place];
    thread->waits_for[place] = MODEL_NOBODY;
    lock_update(object);
}

// The thread leaves its waits one by one, in their order, and the owners of the locks among them no longer inherit from it. A
// single wait ends before the thread is ready, several end afterwards.
static void wakes(int t, uint32_t result)
{
    struct model_thread *thread = &model.threads[t];
    if (!thread->multiple && thread->wait_count == 1)
        place_leave(thread, 0), thread->wait_count = 0;
    thread->blocked = thread->sleeping = false;
    thread->result = result;
    if (model_ready(t))
        goes_last(t);
    for (int i = 0; i < thread->wait_count; i++)
        place_leave(thread, i);
    thread->wait_count = 0;
}

static void lock_pass(int object, int owner)
{
    struct model_object *lock = &model.objects[object];
    int from = lock->owner;
    lock->owner = owner;
    lock->recursion = owner < 0 ? 0 : 1;
    lock->donated = MODEL_LOWEST;
    if (from >= 0)
        priority_update(from);
    lock_update(object);
}

static bool object_try(int t, int o)
{
    struct model_object *object = &model.objects[o];
    if (is_lock(o)) {
        if (object->owner != t && object->owner >= 0)
            return false;
        object->owner = t;
        object->recursion++;
        return true;
    }
    if (object->count == 0)
        return false;
    if (object->kind != MODEL_MANUAL)
        object->count--;
    return true;
}

static bool releases_one(int object)
{
    int t = top_waiter(object);
    if (t < 0)
        return false;
    wakes(t, (uint32_t)place_of(t, object));
    return true;
}

void model_thread_add(int t, int priority, uint32_t quantum_ms)
{
    model.threads[t] = (struct model_thread){
        .alive = true, .base = priority, .priority = priority, .quantum_ms = quantum_ms, .left_ms = quantum_ms};
    goes_last(t);
}

void model_yield(int t)
{
    goes_last(t);
    model.threads[t].left_ms = model.threads[t].quantum_ms;
}

void model_sleep(int t, uint64_t time_ms)
{
    model.threads[t].sleeping = true;
    model.threads[t].wake_ms = model.now_ms + time_ms + 1;
    goes_last(t);
}

static void place_take(struct model_thread *thread, int place, int object)
{
    thread->waits_for[place] = object;
    thread->wait_order[place] = ++model.last_order;
    thread->wait_count = place + 1;
    lock_update(object);
}

void model_wait(int t, const int *objects, int count, uint64_t timeout_ms)
{
    struct model_thread *thread = &model.threads[t];
    for (int i = 0; i < count; i++) {
        if (!object_try(t, objects[i]))
            continue;
        thread->result = (uint32_t)i;
        return;
    }
    thread->result = WAIT_ANSWER_TIMEOUT;
    if (timeout_ms == 0)
        return;
    thread->blocked = true;
    for (int i = 0; i < count; i++) // takes each place, with inheritance, before the next
        place_take(thread, i, objects[i]);
    thread->sleeping = timeout_ms != MODEL_FOREVER;
    thread->wake_ms = model.now_ms + timeout_ms + 1;
    goes_last(t);
}

void model_set(int o, int count)
{
    struct model_object *object = &model.objects[o];
    if (object->kind == MODEL_MANUAL) {
        object->count = 1;
        while (releases_one(o))
            ;
        return;
    }
    while (count > 0 && releases_one(o))
        count--;
    object->count += count;
    if (object->kind == MODEL_AUTO && object->count > 1)
        object->count = 1;
}

void model_pulse(int o)
{
    model_set(o, 1);
    model.objects[o].count = 0;
}

void model_release(int t, int o)
{
    struct model_object *lock = &model.objects[o];
    if (lock->owner != t || --lock->recursion > 0)
        return;
    int next = top_waiter(o);
    if (next < 0) {
        lock_pass(o, MODEL_NOBODY);
        return;
    }
    int place = place_of(next, o);
    model.threads[next].waits_for[place] = MODEL_NOBODY;
    lock_pass(o, next);
    wakes(next, (uint32_t)place);
}

void model_suspend(int t)
{
    model.threads[t].suspended++;
}

void model_resume(int t)
{
    if (model.threads[t].suspended > 0 && --model.threads[t].suspended == 0 && model_ready(t))
        goes_last(t);
}

void model_priority(int t, int priority)
{
    model.threads[t].base = priority;
    if (!priority_update(t))
        return;
    for (int i = 0; model.threads[t].blocked && i < model.threads[t].wait_count; i++)
        lock_update(model.threads[t].waits_for[i]);
}

void model_exit(int t)
{
    model.threads[t].alive = false;
    model.threads[t].ended = true;
}

// Another thread ends t, which owns nothing.
void model_terminate(int t)
{
    struct model_thread *thread = &model.threads[t];
    for (int i = 0; i < thread->wait_count; i++)
        place_leave(thread, i);
    model_exit(t);
}

static int first_due(uint64_t until_ms)
{
    int first = MODEL_NOBODY;
    for (int t = 0; t < MODEL_THREADS; t++) {
        const struct model_thread *a = &model.threads[t], *b = first < 0 ? NULL : &model.threads[first];
        if (!a->alive || !a->sleeping || a->wake_ms > until_ms)
            continue;
        if (b == NULL || a->wake_ms < b->wake_ms || (a->wake_ms == b->wake_ms && a->order < b->order))
            first = t;
    }
    return first;
}

// All threads that are due wake in the order of their times, with equal times in the order in which they were armed. Then the
// running thread's quantum is counted down.
void model_tick(uint32_t elapsed_ms)
{
    int running = model_running();
    uint64_t until_ms = model.now_ms + elapsed_ms;
    bool used_up = false;
    if (running >= 0) {
        struct model_thread *thread = &model.threads[running];
        thread->left_ms = thread->left_ms > elapsed_ms ? thread->left_ms - elapsed_ms : 0;
        used_up = thread->left_ms == 0 && thread->quantum_ms != 0;
    }
    for (int t = first_due(until_ms); t >= 0; t = first_due(until_ms))
        wakes(t, WAIT_ANSWER_TIMEOUT);
    model.now_ms = until_ms;
    if (used_up) {
        goes_last(running);
        model.threads[running].left_ms = model.threads[running].quantum_ms;
    }
}
