// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks time: no thread wakes early, the highest wakes without delay, the clocks agree, idling needs few interrupts.
#include "board.h"
#include "core/profile.h"
#include "oem.h"
#include "programs/selftest.h"

#define SLEEPERS 20
#define ROUNDS 30
#define LONG_SLEEP_MS 1000
#define CLOCKS_MS 100 // time spent computing, and the same time asleep

static volatile unsigned early, late, ticks;

static uint64_t counter_now(void)
{
    LARGE_INTEGER count;
    QueryPerformanceCounter(&count);
    return (uint64_t)count.QuadPart;
}

static uint64_t counts_of(uint32_t time_ms)
{
    LARGE_INTEGER hz;
    QueryPerformanceFrequency(&hz);
    return (uint64_t)hz.QuadPart / 1000 * time_ms;
}

// Sleeps for random times. No thread computes, so each sleep must end exactly on its tick.
static DWORD sleeper(LPVOID seed)
{
    uint32_t random = (uint32_t)(uintptr_t)seed;
    for (unsigned i = 0; i < ROUNDS; i++) {
        random = random * 1664525 + 1013904223;
        DWORD time_ms = 1 + (random >> 16) % 40, tick = GetTickCount();
        uint64_t before = counter_now();
        Sleep(time_ms);
        early += counter_now() - before < counts_of(time_ms);
        DWORD slept = GetTickCount() - tick;
        late +=
            slept != (time_ms + 1 + profile.tick_ms - 1) / profile.tick_ms * profile.tick_ms && profile.tick_ms == 1;
    }
    return 0;
}

static void sleeping_threads_wake_on_their_ticks(void)
{
    HANDLE threads[SLEEPERS];
    early = late = 0;
    for (unsigned i = 0; i < SLEEPERS; i++)
        threads[i] = selftest_thread(sleeper, i + 1, PRIORITY_HIGHEST + (int)i % 8);
    for (unsigned i = 0; i < SLEEPERS; i++)
        selftest_end(threads[i]);
    check(early == 0, "no sleeping thread wakes early");
    check(late == 0, "and each on tick n + 1, whatever its priority");
}

static void the_clocks_agree(void)
{
    SleepTillTick();
    DWORD tick = GetTickCount();
    uint64_t before = counter_now();
    while (counter_now() - before < counts_of(CLOCKS_MS))
        ;
    DWORD busy_ms = GetTickCount() - tick;
    Sleep(CLOCKS_MS);
    DWORD all_ms = GetTickCount() - tick;
    uint64_t counted = counter_now() - before;
    check(busy_ms >= CLOCKS_MS - profile.tick_ms && busy_ms <= CLOCKS_MS + 1,
          "the tick count and the performance counter agree when busy");
    check(counted / counts_of(1) <= all_ms + 1 && counted / counts_of(1) + 1 + profile.tick_ms >= all_ms,
          "and when idle");
}

static DWORD tick_counts(DWORD answer)
{
    ticks++;
    return answer;
}

static void idling_needs_no_ticks(void)
{
    if (profile.done_at_tick || pOEMIdle != NULL) {
        skip("idling needs no ticks", "this profile needs every tick, or idles in another way");
        return;
    }
    ticks = 0;
    clock_hook(tick_counts);
    Sleep(LONG_SLEEP_MS);
    clock_hook(NULL);
    check(ticks <= 4, "a second of idling takes a handful of timer interrupts");
}

void selftest_time(void)
{
    sleeping_threads_wake_on_their_ticks();
    the_clocks_agree();
    idling_needs_no_ticks();
}
