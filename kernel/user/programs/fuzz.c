// SPDX-License-Identifier: MIT OR Apache-2.0
// Makes random system calls with hostile arguments, until it is ended or ends itself. The command line is a letter and a number.
// The letter names the event whose data is the number of calls made; the number is the seed.
#include "process/calls.h"
#include "process/layout.h"
#include "user/program.h"

#define COUNTED_CALLS 32 // the process reports its number of calls each time it has made this many
#define HANDLES 24
#define RARE 400 // one call in this many, on average, may end this process
#define PRIORITY_HIGHEST_USED 64
#define TIMEOUT_MS 2

#define NUMBERED(name, shape) NUMBER_##name,
enum { SYSTEM_CALLS(NUMBERED) NUMBERS };

extern const char server_start[], thread_start[]; // defined in stubs.S

static uint64_t state;
static uint64_t handles[HANDLES];
static uint64_t view; // the latest view of shared memory
static _Alignas(16) char scratch[4096];
static CRITICAL_SECTION sections[3];

static uint32_t random(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16) % below;
}

// Holds a section during the call, if the section's word permits it.
static DWORD harmless(LPVOID sleep_ms)
{
    CRITICAL_SECTION *section = &sections[(uintptr_t)sleep_ms % LENGTH(sections)];
    EnterCriticalSection(section);
    Sleep((DWORD)(uintptr_t)sleep_ms / 3);
    LeaveCriticalSection(section);
    return 0;
}

// Owner words of a section: nobody, a present or past thread, a thread of another process, an invalid one.
static uint64_t random_word(void)
{
    const uint64_t words[] = {0,
                              1,
                              65,
                              GetCurrentThreadId(),
                              sections[random(LENGTH(sections))].owner,
                              1 + 64 * random(32) + 0x10000ull * random(64),
                              UINT64_MAX,
                              state};
    return words[random(LENGTH(words))] | random(2) << 31;
}

// The routine of a process that has become a server. It makes a call itself.
static uint64_t serves(uint64_t method, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
                       uint64_t g)
{
    (void)c, (void)d, (void)e, (void)f, (void)g;
    return (uint64_t)ReadCaller(scratch + 2048, (LPCVOID)a, b % 1024) + method;
}

static uint64_t random_pointer(void)
{
    const uint64_t pointers[] = {0,
                                 1,
                                 4,
                                 KERNEL_ADDRESS,
                                 DEVICE_ADDRESS,
                                 0x8000000000000000,
                                 UINT64_MAX,
                                 USER_START - 1,
                                 USER_START,
                                 USER_IMAGE,
                                 USER_VIRTUAL + random(64) * 0x8000,
                                 USER_END - 8,
                                 USER_END - 1,
                                 USER_END,
                                 USER_STACKS + random(512) * 0x10000 - 8,
                                 (uint64_t)random_pointer,
                                 (uint64_t)scratch + 4090,
                                 (uint64_t)scratch + random(4000),
                                 (uint64_t)scratch,
                                 (uint64_t)scratch + 64,
                                 view,
                                 view + random(0x8000),
                                 (uint64_t)handles};
    return pointers[random(LENGTH(pointers))];
}

static uint64_t random_number(void)
{
    const uint64_t numbers[] = {0,
                                1,
                                2,
                                3,
                                4,
                                65,
                                66,
                                255,
                                256,
                                0x7FFFFFFF,
                                0x80000000,
                                0xFFFFFFFF,
                                1ull << 32,
                                UINT64_MAX,
                                MEM_COMMIT,
                                MEM_RESERVE,
                                MEM_COMMIT | MEM_RESERVE,
                                MEM_DECOMMIT,
                                MEM_RELEASE,
                                random(100),
                                random(1u << 20),
                                0x1000ull * random(64)};
    return numbers[random(LENGTH(numbers))];
}

static uint64_t random_argument(void)
{
    uint32_t kind = random(8);
    if (kind < 3)
        return handles[random(HANDLES)];
    return kind < 5 ? random_pointer() : kind < 7 ? random_number() : state;
}

// Fills the memory from which the kernel reads structures and names. The data are partly valid.
static void scratch_fill(void)
{
    static const char *const texts[] = {"", "shared-1", "shared-2", "breaks", "a\\\\b", "none"};
    const char *text = texts[random(LENGTH(texts))];
    struct thread_to_make *thread = (struct thread_to_make *)(scratch + 64);
    for (unsigned i = 0; i < 16; i++)
        scratch[i] = *text != '\0' ? *text++ : '\0';
    *thread = (struct thread_to_make){random(20) == 0 ? random_pointer() : (uint64_t)thread_start,
                                      {random(20) == 0 ? random_pointer() : (uint64_t)harmless, random(9)},
                                      (random(20) == 0 ? CREATE_SUSPENDED : 0u)
                                          | (random(2) == 0 ? STACK_SIZE_PARAM_IS_A_RESERVATION : 0u),
                                      random(8) == 0 ? state : random(0x110000)};
    scratch[4090 + random(6)] = 'x';
}

static bool ends_often(uint32_t number)
{
    return number == NUMBER_ExitThread || number == NUMBER_ExitProcess || number == NUMBER_TerminateProcess
           || number == NUMBER_TerminateThread || number == NUMBER_SuspendThread;
}

// Chooses arguments that do not raise a thread above the measuring one, flood the console, or leave a process that nobody can
// resume.
static void arguments_choose(uint32_t number, uint64_t arguments[5])
{
    for (unsigned i = 0; i < 5; i++)
        arguments[i] = random_argument();
    bool may_last = random(RARE) == 0;
    if ((number == NUMBER_WaitForSingleObject && !may_last) || (number == NUMBER_Sleep && !may_last))
        arguments[number == NUMBER_Sleep ? 0 : 1] = random(TIMEOUT_MS);
    if (number == NUMBER_WaitForMultipleObjects && !may_last)
        arguments[3] = random(TIMEOUT_MS);
    if (number == NUMBER_CeSetThreadPriority)
        arguments[1] = PRIORITY_HIGHEST_USED + (uint32_t)arguments[1] % 200;
    if (number == NUMBER_debug_text)
        arguments[0] = random(2) == 0 ? USER_END - 1 : USER_VIRTUAL_END;
    if (number == NUMBER_server_make || number == NUMBER_OpenServer)
        arguments[0] = random(4) == 0 ? arguments[0] : (uint64_t)scratch;
    if (number == NUMBER_server_make && random(8) != 0) {
        arguments[1] = (uint64_t)server_start;
        arguments[2] = (uint64_t)serves;
    }
    if (number == NUMBER_mapping_make && random(4) != 0) {
        arguments[0] = (uint64_t)scratch;
        arguments[1] = random(0x8000);
    }
    if ((number == NUMBER_section_enter || number == NUMBER_section_leave) && random(4) != 0) {
        CRITICAL_SECTION *section = &sections[random(LENGTH(sections))];
        if (random(3) == 0)
            section->owner = random_word();
        arguments[0] = (uint64_t)&section->owner;
    }
    if ((number == NUMBER_InterruptInitialize || number == NUMBER_InterruptDone || number == NUMBER_InterruptDisable)
        && random(4) != 0)
        arguments[0] = random(SYSINTR_MAXIMUM + 2);
    if (number == NUMBER_UnmapViewOfFile && random(2) == 0)
        arguments[0] = view;
    if (number == NUMBER_process_make)
        arguments[2] &= ~(uint64_t)CREATE_SUSPENDED;
    if (ends_often(number) && !may_last)
        arguments[0] = handles[random(HANDLES)] | 1;
}

// Stores the result of a call if it is a handle.
static void result_keep(uint32_t number, uint64_t result)
{
    bool makes = number == NUMBER_CreateEvent || number == NUMBER_CreateSemaphore || number == NUMBER_CreateMutex
                 || number == NUMBER_thread_make || number == NUMBER_OpenServer || number == NUMBER_mapping_make;
    if (makes && result != 0)
        handles[random(HANDLES)] = result;
    if (number == NUMBER_process_make && result != 0)
        handles[random(HANDLES)] = *(const uint64_t *)scratch;
    if (number == NUMBER_view_make && result != 0)
        view = result;
}

DWORD program_main(LPCTSTR command)
{
    char name[] = "fuzz-?";
    name[5] = command[0];
    HANDLE counted = CreateEvent(NULL, FALSE, FALSE, name);
    for (const char *digit = command + 1; *digit != '\0'; digit++)
        state = state * 10 + (uint64_t)(*digit - '0');
    state = state * 0x9E3779B97F4A7C15 + 1;
    for (uint32_t calls = 0;; calls++) {
        uint64_t arguments[5];
        uint32_t number = random(NUMBERS + 2);
        if (calls % COUNTED_CALLS == 0)
            SetEventData(counted, calls);
        if ((number == NUMBER_ExitThread || number == NUMBER_ExitProcess) && random(RARE) != 0)
            continue;
        scratch_fill();
        arguments_choose(number, arguments);
        result_keep(number,
                    system_call_any(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]));
    }
}
