// SPDX-License-Identifier: MIT OR Apache-2.0
// Fake: a device with a scripted clock, so that every number of a run is known in advance. Plain C11.
//
// The clock makes 10,000,000 counts a second (one is 100 ns) and starts at 1,000,000. Each read returns it and then
// adds 1, so a read costs 100 ns. A wait for a count in the past returns at once. Wait k (from 0) for a count in the
// future ends late by
//     50 + k % 10 counts            (5.0 to 5.9 us)
//     1,200 counts                  (120 us) when k % 100 is 99
//     35,000 counts                 (3.5 ms) when k is 500: with a period of 1 ms three releases pass meanwhile
// At wait 60,000 somebody presses Ctrl-C: that wait ends at its beginning. A load must stop when it asks for the
// 1,000th time whether to continue. A thread runs to its end when it is started, except the second one of an operation
// (fake_operations.c).
#include "fake.h"
#include "port.h"

#include "../../wire/wire.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define FAKE_HZ 10000000u
#define FAKE_START 1000000u
#define FAKE_INTERRUPTED_WAIT 60000u
#define FAKE_QUESTIONS 1000u
#define FAKE_RESIDENT_BYTES 4194304u

static uint64_t fake_now = FAKE_START;
static uint64_t fake_waits;
static uint64_t fake_questions;
static volatile sig_atomic_t fake_stop;

static uint64_t fake_latency(uint64_t wait)
{
    if (wait == 500)
        return 35000;
    if (wait % 100 == 99)
        return 1200;
    return 50 + wait % 10;
}

void fake_pass(uint64_t counts)
{
    fake_now += counts;
}

const char *port_device(void)
{
    return "fake";
}

uint64_t port_clock_read(void)
{
    return fake_now++;
}

uint64_t port_clock_hz(void)
{
    return FAKE_HZ;
}

uint32_t port_clock_unit(void)
{
    return WIRE_UNIT_TIME;
}

const char *port_clock_name(void)
{
    return "scripted";
}

void port_describe(void (*say)(const char *key, const char *value))
{
    say("kernel", "none (scripted)");
    say("cpu", "none (scripted)");
    say("cpus", "1");
    say("preemption", "none (scripted)");
}

static void fake_asked(int number)
{
    (void)number;
    fake_stop = true;
}

// Catches the request to end, as every port does, so that the probe reports how much it has done.
void port_begin(const char *name)
{
    (void)name;
    setvbuf(stdout, NULL, _IONBF, 0); // unbuffered: a write that a signal cuts short reports how much was written
    signal(SIGTERM, fake_asked);
}

void port_guard_arm(void)
{
}

bool port_stop_asked(void)
{
    if (++fake_questions >= FAKE_QUESTIONS)
        fake_stop = true;
    return fake_stop;
}

void port_stop(void)
{
    fake_stop = true;
}

bool port_guard_tripped(void)
{
    return false;
}

void port_memory_lock(void)
{
}

const char *port_memory_unlocked(void)
{
    return NULL;
}

const char *port_idle_hold(void)
{
    return NULL;
}

_Noreturn void port_exit(int code)
{
    exit(code);
}

const char *port_thread_start(void (*run)(void *argument), void *argument)
{
    run(argument);
    return NULL;
}

const char *port_thread_settle(int cpu)
{
    (void)cpu;
    return NULL;
}

const char *port_thread_realtime(unsigned priority, enum port_policy policy)
{
    (void)policy;
    fake_priority(priority);
    return NULL;
}

const char *port_thread_idle(void)
{
    return NULL;
}

const char *port_thread_deadline(uint64_t runtime_ns, uint64_t deadline_ns, uint64_t period_ns)
{
    (void)runtime_ns;
    (void)deadline_ns;
    (void)period_ns;
    return "this system has no SCHED_DEADLINE; leave out the policy deadline";
}

void port_thread_avoid(const int16_t *cpus, uint32_t count)
{
    (void)cpus;
    (void)count;
}

uint64_t port_thread_id(void)
{
    return 1;
}

void port_threads_wake(void)
{
}

struct port_usage port_thread_usage(void)
{
    return (struct port_usage){.known = true, .cpu_ns = fake_waits * 1000};
}

struct port_usage port_process_usage(void)
{
    return port_thread_usage();
}

uint64_t port_resident_bytes(void)
{
    return FAKE_RESIDENT_BYTES;
}

bool port_wait_until(uint64_t at)
{
    if (fake_stop || at <= fake_now)
        return !fake_stop;
    if (fake_waits == FAKE_INTERRUPTED_WAIT) {
        fake_stop = true;
        return false;
    }
    fake_now = at + fake_latency(fake_waits++);
    return true;
}

struct port_grid port_wait_grid(void)
{
    return (struct port_grid){0, 1};
}

void port_sleep_ns(uint64_t ns)
{
    fake_now += ns / (1000000000u / FAKE_HZ);
    fake_rest();
}

const char *port_host_write(const void *bytes, size_t count)
{
    const char *next = bytes;

    while (count > 0) {
        size_t written = fwrite(next, 1, count, stdout);

        next += written;
        count -= written;
        // A reader may be slow and then send SIGTERM, so the signal can interrupt a write.
        if (count > 0 && errno != EINTR)
            return "cannot write the stream to standard output";
        clearerr(stdout);
    }
    return fflush(stdout) == 0 ? NULL : "cannot write the stream to standard output";
}

bool port_host_gone(void)
{
    return false;
}

void port_complain(const char *line)
{
    fprintf(stderr, "probe: %s\n", line);
}
