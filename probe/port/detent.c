// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent: clock, priorities, waits and the connection to the host. The probe is a program on the kernel, linked into
// its image.
//
// A wait ends on a tick: it expires when the tick is due by the counter, and the probe's schedule uses only these
// instants. Sleep(n) ends on tick n + 1 from now, so waiting for the k-th tick is Sleep(k - 1).
//
// In the lab one count of the counter is one executed instruction. There the instrument also connects the probe to the
// host. Without it the stream has no receiver, and the probe ends with one line.
#include "detent_objects.h"
#include "detent_threads.h"
#include "port.h"
#include "tasks.h"

#include "../../wire/connector.h"
#include "../../wire/wire.h"

#include "board.h"
#include "detent.h"

#include <stdatomic.h>
#include <string.h>

#define PRIORITY_IDLE 255
#define NS_PER_MS 1000000u

static _Atomic bool detent_stop;

static bool detent_in_the_lab(void)
{
    return connector_in(CONNECTOR_CHANNEL_PORT) == CONNECTOR_PRESENT;
}

const char *port_device(void)
{
    return "detent";
}

uint64_t port_clock_read(void)
{
    LARGE_INTEGER count;

    QueryPerformanceCounter(&count);
    return (uint64_t)count.QuadPart;
}

uint64_t port_clock_hz(void)
{
    LARGE_INTEGER frequency_hz;

    QueryPerformanceFrequency(&frequency_hz);
    return (uint64_t)frequency_hz.QuadPart;
}

uint32_t port_clock_unit(void)
{
    return detent_in_the_lab() ? WIRE_UNIT_INSTRUCTIONS : WIRE_UNIT_TIME;
}

const char *port_clock_name(void)
{
    return "QueryPerformanceCounter";
}

void port_describe(void (*say)(const char *key, const char *value))
{
    say("kernel", "Detent");
    say("profile", profile.name);
    say("cpus", "1");
    say("preemption", "full");
}

void port_begin(const char *name)
{
    (void)name;
}

// Nothing above the kernel could stop a thread of the highest priority. In the lab, the instruction limit does.
void port_guard_arm(void)
{
}

bool port_guard_tripped(void)
{
    return false;
}

bool port_stop_asked(void)
{
    return detent_stop;
}

void port_stop(void)
{
    detent_stop = true;
}

// Nothing to do: Detent never pages memory out, so all memory is locked.
void port_memory_lock(void)
{
}

const char *port_memory_unlocked(void)
{
    return NULL;
}

const char *port_idle_hold(void)
{
    return "Detent has no idle states to keep the CPU out of: leave out --idle off";
}

_Noreturn void port_exit(int code)
{
    connector_out(CONNECTOR_END_PORT, (uint8_t)code);
    machine_stop(code != 0);
}

const char *port_thread_settle(int cpu)
{
    return cpu <= 0 ? NULL : "Detent has one CPU: --cpu 0"; // PROBE_CPU_ANY is below 0
}

static const char *detent_thread_priority(int priority)
{
    return CeSetThreadPriority(GetCurrentThread(), priority) ? NULL : "Detent refuses the thread's priority";
}

// With PORT_ROUND_ROBIN the quantum remains that of the profile.
const char *port_thread_realtime(unsigned priority, enum port_policy policy)
{
    if (policy == PORT_FIFO && !CeSetThreadQuantum(GetCurrentThread(), 0))
        return "Detent refuses that the thread runs to completion";
    return detent_thread_priority(detent_priority(priority));
}

const char *port_thread_idle(void)
{
    return detent_thread_priority(PRIORITY_IDLE);
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
    return GetCurrentThreadId();
}

// Does nothing: a sleep cannot be interrupted, and ends after at most one period.
void port_threads_wake(void)
{
}

struct port_usage port_thread_usage(void)
{
    return (struct port_usage){.known = false};
}

struct port_usage port_process_usage(void)
{
    return port_thread_usage();
}

// The size of the kernel's image, which contains the probe. Memory from port_memory_map belongs to a load and does not count.
uint64_t port_resident_bytes(void)
{
    return (uint64_t)(bss_end - image_start);
}

struct port_grid port_wait_grid(void)
{
    GetTickCount(); // after idling, the kernel updates the clock only at the next call
    return (struct port_grid){clock_tick_due(), clock_tick_counts()};
}

// If a tick comes between reading the time and sleeping, the wait takes one tick longer, and the sample shows that.
static void detent_sleep_ticks(uint64_t ticks)
{
    uint64_t time_ms = ticks * profile.tick_ms - 1;

    if (time_ms == 0)
        SleepTillTick();
    else
        Sleep(time_ms < INFINITE ? (DWORD)time_ms : INFINITE - 1);
}

bool port_wait_until(uint64_t at)
{
    while (!detent_stop && port_clock_read() < at) {
        struct port_grid grid = port_wait_grid();

        if (at > grid.first)
            detent_sleep_ticks((at - grid.first + grid.step - 1) / grid.step);
    }
    return !detent_stop;
}

void port_sleep_ns(uint64_t ns)
{
    Sleep((DWORD)(ns / NS_PER_MS));
}

void port_event_set(struct port_event *event)
{
    SetEvent(detent_object(&event->set, DETENT_EVENT));
}

bool port_event_wait(struct port_event *event, uint64_t timeout_ns)
{
    uint64_t timeout_ms = timeout_ns / NS_PER_MS;

    return WaitForSingleObject(detent_object(&event->set, DETENT_EVENT),
                               timeout_ms < INFINITE ? (DWORD)timeout_ms : INFINITE)
           == WAIT_OBJECT_0;
}

const char *port_host_write(const void *bytes, size_t count)
{
    if (!detent_in_the_lab())
        return "there is no instrument to write the stream to: run this image in the lab (backwall lab run)";
    connector_send(CONNECTOR_CHANNEL_PORT, bytes, count);
    return NULL;
}

// The boot loader puts the host's data next to the kernel.
size_t port_host_read(void *bytes, size_t count)
{
    static size_t taken;
    size_t whole;
    const unsigned char *module = boot_module(&whole);
    size_t left = count < whole - taken ? count : whole - taken;

    memcpy(bytes, module + taken, left);
    taken += left;
    return left;
}

bool port_host_gone(void)
{
    return false;
}

void port_complain(const char *line)
{
    NKDbgPrintfW("probe: %s\n", line);
}
