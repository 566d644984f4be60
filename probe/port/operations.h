// SPDX-License-Identifier: MIT OR Apache-2.0
// operations.h — what an operating system owes the probe so that its own operations can be measured.
//
// A waker is a thing that one thread waits on and another wakes it by; a call is something that a thread does alone. Both
// keep what they need in a room: zeroed memory of PORT_ROOM_BYTES that both threads see, also from two processes.
#ifndef BACKWALL_PORT_OPERATIONS_H
#define BACKWALL_PORT_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PORT_ROOM_BYTES 65536u

// The row of that name in a port's table, whose rows begin with theirs; NULL when there is none.
static inline const void *port_row(const void *rows, size_t count, size_t bytes, const char *name)
{
    for (const char *row = rows; count-- > 0; row += bytes) {
        if (strcmp(*(const char *const *)row, name) == 0)
            return row;
    }
    return NULL;
}
#define PORT_ROW(table, name) port_row((table), sizeof(table) / sizeof *(table), sizeof *(table), (name))

struct port_waker {
    const char *name;
    const char *(*make)(void *room, bool across); // across: between two processes; returns NULL or why there is none
    void (*enter)(void *room); // by the waiter, once; NULL: nothing to do, as for the next and the last
    void (*hold)(void *room);  // by the waker, before the waiter comes
    void (*wait)(void *room);
    void (*wake)(void *room);
    void (*leave)(void *room); // by the waiter, after each wait
};
// NULL when this system has none of this name.
const struct port_waker *port_waker(const char *name);

struct port_call {
    const char *name;
    const char *(*make)(void *room); // returns NULL or why it cannot be done; NULL: nothing to do, as for the next
    void (*ready)(void *room, uint32_t times); // before the clock is read
    void (*repeat)(void *room, uint32_t times);
    void (*undo)(void *room, uint32_t times); // after the clock was read; NULL: nothing to do
};
const struct port_call *port_call(const char *name);

// A second thread of this process, or one of a process of its own, which ends when this process does. Started by the main
// thread, before any other.
const char *port_partner_start(void (*run)(void *argument), void *argument, bool across);
bool port_partner_alive(void);
void port_partner_end(void);
// Zeroed, and the same memory in a process that is started later; NULL when there is none.
void *port_memory_shared(size_t bytes);
// By the partner, or by a server: copies what lies at an address of the process that started it, or that calls. False when it cannot.
bool port_partner_read(void *to, uint64_t from, size_t bytes);

// Calls into a server in which the caller's own thread goes over and comes back with the answer, where the system has them.
#define PORT_SERVER_WORDS 7u
typedef uint64_t (*port_serve)(uint64_t method, const uint64_t *words);
// By who serves: the process answers such calls from now on. False where the system has none, or refuses, which *refusal says.
bool port_server_start(port_serve serve, const char **refusal);
// By the measured thread, of the partner's process or its own.
uint64_t port_server_call(uint64_t method, const uint64_t *words);

// A thread or a process that is made for one run and ended by port_spawn_end. NULL, or why it cannot be made.
const char *port_spawn(void (*run)(void *argument), void *argument, bool across);
void port_spawn_end(void);

// From now on every thread writes its marks to an output that an instrument watches. NULL, or why nothing is there.
const char *port_mark_open(uint64_t address);
void port_mark(uint8_t value);

// How often the calling thread has waited so far; UINT64_MAX where the system does not tell.
uint64_t port_thread_waits(void);
// The processor goes to a ready thread of the same priority.
void port_yield(void);

#endif
