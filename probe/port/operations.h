// SPDX-License-Identifier: MIT OR Apache-2.0
// operations.h — what an operating system must provide so that the probe can measure its own operations.
//
// A waker is an object that one thread waits on and by which another wakes it; a call is an action that a thread does alone. Both
// keep their data in a room: zeroed memory of PORT_ROOM_BYTES that both threads share, also between two processes.
#ifndef BACKWALL_PORT_OPERATIONS_H
#define BACKWALL_PORT_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PORT_ROOM_BYTES 65536u

// The row with that name in a port's table. Each row begins with its name. NULL if there is none.
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
    const char *(*make)(void *room, bool across); // across: between two processes; returns NULL or a reason
    void (*enter)(void *room);                    // called once by the waiter; enter, hold and leave may be NULL
    void (*hold)(void *room);                     // called by the waker before the waiter waits
    void (*wait)(void *room);
    void (*wake)(void *room);
    void (*leave)(void *room); // called by the waiter after each wait
};
// Finds a waker by its name; NULL if this system has none of that name.
const struct port_waker *port_waker(const char *name);

struct port_call {
    const char *name;
    const char *(*make)(void *room);           // returns NULL or a reason; make and ready may be NULL
    void (*ready)(void *room, uint32_t times); // called before the clock is read
    void (*repeat)(void *room, uint32_t times);
    void (*undo)(void *room, uint32_t times); // called after the clock was read; may be NULL
};
const struct port_call *port_call(const char *name);

// Starts a second thread in this process, or in a separate process that ends when this one does. The main thread must start it
// before any other thread.
const char *port_partner_start(void (*run)(void *argument), void *argument, bool across);
bool port_partner_alive(void);
void port_partner_end(void);
// Zeroed memory that processes started later share; NULL if there is none.
void *port_memory_shared(size_t bytes);
// Called by the partner or a server: copies data from the process that started the partner, or that calls the server.
// False if the data cannot be read.
bool port_partner_read(void *to, uint64_t from, size_t bytes);

// Calls into a server: the caller's own thread executes the server's code and returns with the answer. Not every system
// has servers.
#define PORT_SERVER_WORDS 7u
typedef uint64_t (*port_serve)(uint64_t method, const uint64_t *words);
// Called by the server: from now on the process answers such calls. False if the system has no servers, or refuses;
// *refusal says so.
bool port_server_start(port_serve serve, const char **refusal);
// Called by the measured thread: calls the server in the partner's process, or in its own.
uint64_t port_server_call(uint64_t method, const uint64_t *words);

// Creates a thread or a process for one run; port_spawn_end ends it. NULL, or why it cannot be created.
const char *port_spawn(void (*run)(void *argument), void *argument, bool across);
void port_spawn_end(void);

// From now on every thread writes its marks to an output that an external instrument records. NULL, or why there is no such
// output.
const char *port_mark_open(uint64_t address);
void port_mark(uint8_t value);

// How often the calling thread has waited so far; UINT64_MAX if the system does not count that.
uint64_t port_thread_waits(void);
// Yields the CPU to a ready thread of the same priority.
void port_yield(void);

#endif
