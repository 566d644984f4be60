// SPDX-License-Identifier: MIT OR Apache-2.0
// port.h — all that an operating system owes the probe.
//
// One port is one set of files with these functions; only they include the
// system's headers. Functions that may be refused return NULL, or one line that
// says what was refused and how to mend it.
#ifndef BACKWALL_PORT_H
#define BACKWALL_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The device and its clock. Counts are absolute, 64 bits, and never go back.

const char *port_device(void); // kind of device, as in HELLO
uint64_t port_clock_read(void);
uint64_t port_clock_hz(void);   // counts per second
uint32_t port_clock_unit(void); // enum wire_unit: what one count is
const char *port_clock_name(void);
// Calls say for each thing the device knows about itself.
void port_describe(void (*say)(const char *key, const char *value));

// The process.

// Takes the name of the measure or load for traces, catches the requests to stop, dies with the parent. Called first.
void port_begin(const char *name);
// From now on a real-time thread that never waits loses its priority, and port_guard_tripped tells.
void port_guard_arm(void);
// Asked to stop by a signal or by port_stop.
bool port_stop_asked(void);
void port_stop(void);
bool port_guard_tripped(void);
// What can be locked in memory is, from now on; what cannot is used all the same.
void port_memory_lock(void);
// One line about what was not locked; NULL where all was.
const char *port_memory_unlocked(void);
// Keeps the processors out of idle states as long as this process lives.
const char *port_idle_hold(void);
_Noreturn void port_exit(int code);

// Threads. Nothing joins them: the process ends when its main thread does.

struct port_usage {
    bool known;           // false: the system keeps no such account
    uint64_t cpu_ns;      // processor time used
    uint64_t page_faults; // that needed no disk, and that did
    uint64_t preemptions; // switches it did not ask for
};
const char *port_thread_start(void (*run)(void *argument), void *argument);
// The calling thread moves to a processor (PROBE_CPU_ANY stays), leaves signals to others and touches its stack.
const char *port_thread_settle(int cpu);
// The calling thread gets a real-time priority from 1 up; one beyond the system's highest means the highest.
// A refusal for want of a right is this text on every system, and the same for every thread: several may be refused at once.
#define PORT_REALTIME_REFUSED \
    "real-time priority is refused: 'backwall check' says what grants it here; --best-effort continues without"
enum port_policy { PORT_FIFO, PORT_ROUND_ROBIN };
const char *port_thread_realtime(unsigned priority, enum port_policy policy);
// The calling thread runs only when nothing else wants the processor.
const char *port_thread_idle(void);
// The calling thread is warranted runtime_ns of each period_ns, within deadline_ns of its begin, on whatever processor the
// kernel chooses.
const char *port_thread_deadline(uint64_t runtime_ns, uint64_t deadline_ns, uint64_t period_ns);
// The calling thread keeps off these processors when there is another.
void port_thread_avoid(const int16_t *cpus, uint32_t count);
uint64_t port_thread_id(void);
// Ends port_wait_until early in every thread that was started.
void port_threads_wake(void);
struct port_usage port_thread_usage(void);  // of the calling thread
struct port_usage port_process_usage(void); // of all threads
uint64_t port_resident_bytes(void);

// Waiting.

// Returns at or after the count at; a count in the past does not wait. False when the process is asked to stop.
bool port_wait_until(uint64_t at);
// Waits end at first + n * step only; {0, 1} where any count will do.
struct port_grid {
    uint64_t first;
    uint64_t step;
};
struct port_grid port_wait_grid(void);
// May end early when the process is asked to stop.
void port_sleep_ns(uint64_t ns);

struct port_event {
    _Atomic uint32_t set; // the port's; 0 is not set. Auto-reset: one wait consumes one set
    bool across;          // it lies in memory of two processes
};
void port_event_set(struct port_event *event);
// False when timeout_ns passed first; PORT_FOREVER never does.
#define PORT_FOREVER UINT64_MAX
bool port_event_wait(struct port_event *event, uint64_t timeout_ns);

// The host.

// Writes all of it, or returns why not.
const char *port_host_write(const void *bytes, size_t count);
bool port_host_gone(void);
// One line for the user, beside the stream.
void port_complain(const char *line);

// What only loads need.

// Zeroed, and aligned to 64 bytes at least; NULL when there is none.
void *port_memory_map(size_t bytes);
void port_memory_unmap(void *memory, size_t bytes);
// One of a few short kernel calls, chosen by turn.
void port_system_call(uint64_t turn);

struct port_screen {
    uint32_t *pixels;
    uint32_t width;
    uint32_t height;
    uint32_t stride; // pixels from one row to the next
};
const char *port_screen_open(struct port_screen *screen);

// A file or one end of a path; what it holds is the port's own.
struct port_handle {
    uintptr_t opaque;
};

// A file without a name: it is gone when the process is.
const char *port_file_create(struct port_handle *file);
// Writes and waits for the disk. False when there is no space; failures of another kind are in *why.
bool port_file_write(struct port_handle file, const void *bytes, size_t count, uint64_t offset, const char **why);

// Two ends of a datagram path through the network stack.
const char *port_loopback_open(struct port_handle *sender, struct port_handle *receiver);
bool port_loopback_send(struct port_handle sender, const void *bytes, size_t count);
bool port_loopback_receive(struct port_handle receiver, void *bytes, size_t count);

#endif
