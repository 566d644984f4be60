// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds the objects of operations by name: those that every system has (the probe's own event and the interlocked
// operations of C), and those of the port.
#include "../operation.h"

bool operation_is_named(const char *name, const char *text)
{
    while (*name && *name == *text)
        name++, text++;
    return *name == *text;
}

// The port's event, which the probe uses anyway, is also a waker.
static const char *event_make(void *room, bool across)
{
    ((struct port_event *)room)->across = across;
    return NULL;
}

static void event_wait(void *room)
{
    port_event_wait(room, PORT_FOREVER);
}

static void event_wake(void *room)
{
    port_event_set(room);
}

static const struct port_waker EVENT = {.name = "event", .make = event_make, .wait = event_wait, .wake = event_wake};

const struct port_waker *operation_waker(const char *name)
{
    return operation_is_named(name, EVENT.name) ? &EVENT : port_waker(name);
}

static void increment_repeat(void *room, uint32_t times)
{
    _Atomic uint32_t *word = room;

    while (times-- > 0)
        atomic_fetch_add(word, 1);
}

static void decrement_repeat(void *room, uint32_t times)
{
    _Atomic uint32_t *word = room;

    while (times-- > 0)
        atomic_fetch_sub(word, 1);
}

static void exchange_repeat(void *room, uint32_t times)
{
    _Atomic uint32_t *word = room;

    while (times-- > 0)
        atomic_exchange(word, times);
}

static void test_exchange_repeat(void *room, uint32_t times)
{
    _Atomic uint32_t *word = room;
    uint32_t expected = 0;

    while (times-- > 0)
        atomic_compare_exchange_strong(word, &expected, times);
}

static const struct port_call CALLS[] = {
    {.name = "increment", .repeat = increment_repeat},
    {.name = "decrement", .repeat = decrement_repeat},
    {.name = "exchange", .repeat = exchange_repeat},
    {.name = "test-exchange", .repeat = test_exchange_repeat},
};

const struct port_call *operation_call(const char *name)
{
    for (uint32_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
        if (operation_is_named(CALLS[i].name, name))
            return &CALLS[i];
    }
    return port_call(name);
}

bool operation_is_known(const struct operation *of)
{
    return (!(of->kind->needs & OPERATION_NEEDS_WAKER) || operation_waker(of->object))
           && (!(of->kind->needs & OPERATION_NEEDS_CALL) || operation_call(of->object));
}
