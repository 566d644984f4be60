// SPDX-License-Identifier: MIT OR Apache-2.0
// tasks.h — what an operating system must provide so that the probe can run sets of tasks on it.
#ifndef BACKWALL_PORT_TASKS_H
#define BACKWALL_PORT_TASKS_H

#include "port.h"

// Reads data that the host passed at the start. Returns fewer bytes than requested if the data ends before.
size_t port_host_read(void *bytes, size_t count);

// CPU time of the calling thread; UINT64_MAX if the system does not count it.
uint64_t port_thread_cpu_ns(void);

// How a thread is scheduled.
enum port_class { PORT_CLASS_FIFO, PORT_CLASS_ROUND_ROBIN, PORT_CLASS_ORDINARY };
struct port_place {
    int cpu; // CPU, or PROBE_CPU_ANY
    enum port_class class;
    unsigned priority; // real-time, 1 to 99; 0 with PORT_CLASS_ORDINARY
};
// Starts a short-lived thread, which has its CPU and priority from its first instruction on. Any thread may call this.
const char *port_thread_once(void (*run)(void *argument), void *argument, const struct port_place *place);

struct port_lock {
    _Alignas(16) unsigned char opaque[64];
};
enum port_protocol { PORT_PLAIN, PORT_INHERITANCE, PORT_CEILING };
// ceiling: with PORT_CEILING, the priority of a thread that holds the lock.
const char *port_lock_make(struct port_lock *lock, enum port_protocol protocol, unsigned ceiling);
// False: the system refuses the lock to this thread, which then does not hold it.
bool port_lock_take(struct port_lock *lock);
void port_lock_give(struct port_lock *lock);

#endif
