// SPDX-License-Identifier: MIT OR Apache-2.0
// Windows: the clock, waiting, events, the description of the system, and the output to the host.
//
// The clock is QueryPerformanceCounter. Windows has no absolute timer on that clock: a wait uses a relative
// high-resolution timer, and repeats it if it ended early. An event is the kernel's own (CreateEvent, SetEvent,
// WaitForSingleObject), as in the papers. The event stores the low 32 bits of its handle, which identify it.
#include "windows.h"

#include "../../wire/wire.h"

#include <fcntl.h>
#include <io.h>
#include <psapi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_PER_SECOND 10000000ull // the unit of FILETIME and of timers
#define NS_PER_TICK 100u
#define NS_PER_SECOND 1000000000ull
#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2 // since Windows 10, 1803
#endif

static HANDLE windows_stop; // set, and never reset, once the process is asked to stop
static _Thread_local HANDLE windows_timer;

const char *windows_wine(void)
{
    union {
        FARPROC found;
        const char *(*version)(void);
    } wine = {GetProcAddress(GetModuleHandleA("ntdll.dll"), "wine_get_version")};

    return wine.found ? wine.version() : NULL;
}

const char *windows_refusal(const char *what)
{
    static char line[200];

    snprintf(line, sizeof line, "%s: error %lu of Windows", what, GetLastError());
    return line;
}

const char *port_device(void)
{
    return windows_wine() ? "wine" : "windows";
}

uint64_t port_clock_read(void)
{
    LARGE_INTEGER now;

    QueryPerformanceCounter(&now);
    return (uint64_t)now.QuadPart;
}

uint64_t port_clock_hz(void)
{
    LARGE_INTEGER hz;

    QueryPerformanceFrequency(&hz);
    return (uint64_t)hz.QuadPart;
}

uint32_t port_clock_unit(void)
{
    return WIRE_UNIT_TIME;
}

const char *port_clock_name(void)
{
    return "QueryPerformanceCounter";
}

// GetVersionEx reports the version that a program was built for; this function reports the version that runs.
static void windows_say_version(void (*say)(const char *key, const char *value))
{
    char line[128];
    OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof version};
    union {
        FARPROC found;
        LONG(WINAPI *version)(OSVERSIONINFOW *version);
    } asked = {GetProcAddress(GetModuleHandleA("ntdll.dll"), "RtlGetVersion")};

    if (!asked.found || asked.version(&version) != 0)
        return;
    const char *wine = windows_wine();

    snprintf(line, sizeof line, "%s%.40s%sWindows %lu.%lu.%lu", wine ? "Wine " : "", wine ? wine : "",
             wine ? " in the place of " : "", version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber);
    say("kernel", line);
}

void port_describe(void (*say)(const char *key, const char *value))
{
    static const char PROCESSOR[] = "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0";
    char line[128];
    DWORD bytes = sizeof line;

    windows_say_version(say);
    say("preemption", windows_wine() ? "that of the system below Wine" : "full");
    if (RegGetValueA(HKEY_LOCAL_MACHINE, PROCESSOR, "ProcessorNameString", RRF_RT_REG_SZ, NULL, line, &bytes) == 0)
        say("cpu", line);
    snprintf(line, sizeof line, "%lu", GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
    say("cpus", line);
}

static BOOL WINAPI windows_asked(DWORD kind)
{
    (void)kind;
    port_stop();
    return TRUE;
}

// Runs before any output. Otherwise Windows would insert a carriage return before each byte 10 of the stream.
__attribute__((constructor)) static void windows_bytes(void)
{
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stdin), _O_BINARY);
}

// The program that starts the probe puts the probe into a job, and the job ends the probe. A Windows process does not
// know its parent.
void port_begin(const char *name)
{
    (void)name;
    windows_stop = CreateEventA(NULL, TRUE, FALSE, NULL);
    SetConsoleCtrlHandler(windows_asked, TRUE);
}

// Windows has no limit for a runaway real-time thread. The system's own threads of the real-time class keep a machine
// with several CPUs usable.
void port_guard_arm(void)
{
}

bool port_guard_tripped(void)
{
    return false;
}

bool port_stop_asked(void)
{
    return WaitForSingleObject(windows_stop, 0) == WAIT_OBJECT_0;
}

void port_stop(void)
{
    SetEvent(windows_stop);
}

void port_threads_wake(void)
{
    port_stop();
}

// Each thread gets its own timer at its first wait.
static HANDLE windows_timer_own(void)
{
    if (!windows_timer)
        windows_timer = CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
    if (!windows_timer) // Windows is older than Windows 10, 1803
        windows_timer = CreateWaitableTimerW(NULL, FALSE, NULL);
    return windows_timer;
}

// False if the process was asked to stop meanwhile.
static bool windows_wait_ticks(uint64_t ticks)
{
    LARGE_INTEGER after = {.QuadPart = -(LONGLONG)ticks}; // a negative time is relative to now
    HANDLE both[] = {windows_timer_own(), windows_stop};

    if (!SetWaitableTimer(both[0], &after, 0, NULL, NULL, FALSE))
        return false;
    return WaitForMultipleObjects(2, both, FALSE, INFINITE) == WAIT_OBJECT_0;
}

bool port_wait_until(uint64_t at)
{
    uint64_t now = port_clock_read();

    if (port_stop_asked())
        return false;
    for (uint64_t hz = port_clock_hz(); now < at; now = port_clock_read()) {
        uint64_t rest = at - now;

        if (!windows_wait_ticks(rest / hz * TICKS_PER_SECOND + (rest % hz * TICKS_PER_SECOND + hz - 1) / hz))
            return false;
    }
    return true;
}

struct port_grid port_wait_grid(void)
{
    return (struct port_grid){0, 1};
}

void port_sleep_ns(uint64_t ns)
{
    windows_wait_ticks((ns + NS_PER_TICK - 1) / NS_PER_TICK);
}

// The handle of an event. The first thread that needs it creates it.
static HANDLE windows_event(struct port_event *event)
{
    uint32_t known = atomic_load(&event->set);

    if (known)
        return (HANDLE)(uintptr_t)known;
    HANDLE made = CreateEventA(NULL, FALSE, FALSE, NULL);

    if (atomic_compare_exchange_strong(&event->set, &known, (uint32_t)(uintptr_t)made))
        return made;
    CloseHandle(made);
    return (HANDLE)(uintptr_t)known;
}

void port_event_set(struct port_event *event)
{
    SetEvent(windows_event(event));
}

bool port_event_wait(struct port_event *event, uint64_t timeout_ns)
{
    uint64_t ms = timeout_ns / 1000000u + (timeout_ns % 1000000u != 0);
    DWORD timeout = timeout_ns == PORT_FOREVER || ms >= INFINITE ? INFINITE : (DWORD)ms;

    return WaitForSingleObject(windows_event(event), timeout) == WAIT_OBJECT_0;
}

uint64_t port_resident_bytes(void)
{
    PROCESS_MEMORY_COUNTERS counters;

    return K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters) ? counters.WorkingSetSize : 0;
}

const char *port_host_write(const void *bytes, size_t count)
{
    if (fwrite(bytes, 1, count, stdout) == count && fflush(stdout) == 0)
        return NULL;
    return "cannot write the stream to standard output";
}

bool port_host_gone(void)
{
    return ferror(stdout) != 0;
}

void port_complain(const char *line)
{
    fprintf(stderr, "probe: %s\n", line);
}

_Noreturn void port_exit(int code)
{
    ExitProcess((UINT)code);
}
