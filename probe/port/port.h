// SPDX-License-Identifier: MIT OR Apache-2.0
// port.h — everything that an operating system must provide for the probe.
//
// A port is a set of files with these functions; only they include the system's headers. A function that can be refused
// returns NULL, or one line that says what was refused and how to fix it.
#ifndef BACKWALL_PORT_H
#define BACKWALL_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The device and its clock. Counts are absolute, have 64 bits, and never decrease.

const char *port_device(void); // kind of device, as in HELLO
uint64_t port_clock_read(void);
uint64_t port_clock_hz(void);   // counts per second
uint32_t port_clock_unit(void); // enum wire_unit: what one count is
const char *port_clock_name(void);
// Calls `say` for each fact that the device knows about itself.
void port_describe(void (*say)(const char *key, const char *value));

// The process.

// Call it first. Sets the process name to that of the measure or load for traces, catches requests to stop, and makes the process
// end with its parent.
void port_begin(const char *name);
// From now on a real-time thread that never waits loses its priority; port_guard_tripped says so.
void port_guard_arm(void);
// Whether a signal or port_stop has asked this process to stop.
bool port_stop_asked(void);
void port_stop(void);
bool port_guard_tripped(void);
// Locks all memory that can be locked. The rest is used anyway.
void port_memory_lock(void);
// One line about memory that is not locked; NULL if all is.
const char *port_memory_unlocked(void);
// Keeps the CPUs out of C-states as long as this process lives.
const char *port_idle_hold(void);
_Noreturn void port_exit(int code);

// Threads. They are never joined: the process ends when its main thread does.

struct port_usage {
    bool known;           // false: the system does not record it
    uint64_t cpu_ns;      // CPU time used
    uint64_t page_faults; // minor and major page faults
    uint64_t preemptions; // involuntary context switches
};
const char *port_thread_start(void (*run)(void *argument), void *argument);
// Moves the calling thread to a CPU (PROBE_CPU_ANY: it stays), leaves signals to other threads, and touches its stack.
const char *port_thread_settle(int cpu);
// Gives the calling thread a real-time priority of at least 1. A priority above the system's highest means the highest.
// If the permission is missing, each call on every system returns the same text, so that the text is printed once.
#define PORT_REALTIME_REFUSED \
    "real-time priority is refused: 'backwall check' says what grants it here; --best-effort continues without"
enum port_policy { PORT_FIFO, PORT_ROUND_ROBIN };
const char *port_thread_realtime(unsigned priority, enum port_policy policy);
// Lets the calling thread run only when nothing else needs the CPU.
const char *port_thread_idle(void);
// Reserves runtime_ns per period_ns for the calling thread, within deadline_ns of the start of each period. The kernel chooses
// the CPU.
const char *port_thread_deadline(uint64_t runtime_ns, uint64_t deadline_ns, uint64_t period_ns);
// Keeps the calling thread off these CPUs, if there are others.
void port_thread_avoid(const int16_t *cpus, uint32_t count);
uint64_t port_thread_id(void);
// Ends port_wait_until early in every thread that was started.
void port_threads_wake(void);
struct port_usage port_thread_usage(void);  // of the calling thread
struct port_usage port_process_usage(void); // of all threads of the process
uint64_t port_resident_bytes(void);

// Waiting.

// Returns at or after the count `at`; does not wait for a count in the past. False if the process is asked to stop.
bool port_wait_until(uint64_t at);
// Waits can only end at first + n * step; {0, 1} if they can end at any count.
struct port_grid {
    uint64_t first;
    uint64_t step;
};
struct port_grid port_wait_grid(void);
// May return early when the process is asked to stop.
void port_sleep_ns(uint64_t ns);

struct port_event {
    _Atomic uint32_t set; // internal to the port; 0: not set. Auto-reset: one wait consumes one set
    bool across;          // the event is in memory that two processes share
};
void port_event_set(struct port_event *event);
// Waits for the event. False if timeout_ns passed first, which never happens with PORT_FOREVER.
#define PORT_FOREVER UINT64_MAX
bool port_event_wait(struct port_event *event, uint64_t timeout_ns);

// The host.

// Writes all bytes, or returns why not.
const char *port_host_write(const void *bytes, size_t count);
bool port_host_gone(void);
// Prints one line for the user, separate from the stream.
void port_complain(const char *line);

// Functions that only loads need.

// Zeroed memory, aligned to at least 64 bytes; NULL if there is none.
void *port_memory_map(size_t bytes);
void port_memory_unmap(void *memory, size_t bytes);
// One of a few short system calls, chosen by `turn`.
void port_system_call(uint64_t turn);

struct port_screen {
    uint32_t *pixels;
    uint32_t width;
    uint32_t height;
    uint32_t stride; // pixels from one row to the next
};
const char *port_screen_open(struct port_screen *screen);

// A file or one end of a path. The port defines its contents.
struct port_handle {
    uintptr_t opaque;
};

// Creates a file without a name, which disappears with the process.
const char *port_file_create(struct port_handle *file);
// Writes and waits for the disk. False if there is no space; other failures are in *why.
bool port_file_write(struct port_handle file, const void *bytes, size_t count, uint64_t offset, const char **why);

// Two ends of a datagram path through the network stack.
const char *port_loopback_open(struct port_handle *sender, struct port_handle *receiver);
bool port_loopback_send(struct port_handle sender, const void *bytes, size_t count);
bool port_loopback_receive(struct port_handle receiver, void *bytes, size_t count);

#endif
