// SPDX-License-Identifier: MIT OR Apache-2.0
// The system calls, one line each. The line's number is the call's number. The shape determines the user's stub (stubs.S of the
// CPU) and the kernel's entry (calls.c). Before the kernel's call closes the gate, the entry looks up handles and copies the
// memory that pointers refer to. A shape lists the call's arguments in order, with S in front if there is no result:
//
//     H  a handle of an object                   N  a number, or an ignored argument    D  where a DWORD is written
//     W  a handle of an object or a process      O  the same, or NULL
//
// OWN: the entry is written by hand, call_NAME.
#ifndef DETENT_PROCESS_CALLS_H
#define DETENT_PROCESS_CALLS_H

#define SYSTEM_CALLS(CALL) \
    CALL(GetCurrentProcessId, OWN) \
    CALL(GetTickCount, _) \
    CALL(GetLastError, _) \
    CALL(SetLastError, S_N) \
    CALL(Sleep, S_N) \
    CALL(SleepTillTick, S_) \
    CALL(GetCurrentThreadId, _) \
    CALL(WaitForSingleObject, WN) \
    CALL(WaitForMultipleObjects, OWN) \
    CALL(SetEvent, H) \
    CALL(ResetEvent, H) \
    CALL(PulseEvent, H) \
    CALL(EventModify, HN) \
    CALL(SetEventData, HN) \
    CALL(GetEventData, H) \
    CALL(ReleaseSemaphore, HNO) \
    CALL(ReleaseMutex, H) \
    CALL(GetExitCodeThread, HD) \
    CALL(CeSetThreadPriority, HN) \
    CALL(CeGetThreadPriority, H) \
    CALL(SetThreadPriority, HN) \
    CALL(GetThreadPriority, H) \
    CALL(CeSetThreadQuantum, HN) \
    CALL(CeGetThreadQuantum, H) \
    CALL(ResumeThread, H) \
    CALL(SuspendThread, OWN) \
    CALL(TerminateThread, OWN) \
    CALL(ExitThread, OWN) \
    CALL(thread_make, OWN) \
    CALL(CreateEvent, OWN) \
    CALL(CreateSemaphore, OWN) \
    CALL(CreateMutex, OWN) \
    CALL(CloseHandle, OWN) \
    CALL(process_make, OWN) \
    CALL(ExitProcess, OWN) \
    CALL(TerminateProcess, OWN) \
    CALL(GetExitCodeProcess, OWN) \
    CALL(VirtualAlloc, OWN) \
    CALL(VirtualFree, OWN) \
    CALL(mapping_make, OWN) \
    CALL(view_make, OWN) \
    CALL(UnmapViewOfFile, OWN) \
    CALL(pages_lock, OWN) \
    CALL(SetOomEvent, OWN) \
    CALL(InterruptInitialize, OWN) \
    CALL(InterruptDone, OWN) \
    CALL(InterruptDisable, OWN) \
    CALL(section_enter, OWN) \
    CALL(section_leave, OWN) \
    CALL(server_call, OWN) \
    CALL(server_return, OWN) \
    CALL(server_make, OWN) \
    CALL(OpenServer, OWN) \
    CALL(ReadCaller, OWN) \
    CALL(WriteCaller, OWN) \
    CALL(QueryPerformanceFrequency, OWN) \
    CALL(debug_text, OWN)

#ifndef __ASSEMBLER__
#include "detent.h"

// Used by the user library, which provides the functions of detent.h.
struct thread_to_make {
    uint64_t start, arguments[2]; // the thread starts in a routine that has these two arguments and cannot return
    uint64_t flags, stack_bytes;
};
HANDLE thread_make(const struct thread_to_make *thread, LPDWORD thread_id);
BOOL process_make(LPCTSTR program, LPCTSTR command, DWORD flags, LPPROCESS_INFORMATION information);
BOOL server_make(LPCTSTR name, uintptr_t start, SERVER_ROUTINE routine);
HANDLE mapping_make(LPCTSTR name, uint64_t bytes); // name may be NULL
LPVOID view_make(HANDLE mapping, uint64_t writes);
BOOL pages_lock(LPVOID address, uint64_t bytes, uint64_t writes);
uint64_t section_enter(volatile uint32_t *word); // results: see section.h
BOOL section_leave(volatile uint32_t *word);
void debug_text(LPCTSTR text);
#define DEBUG_TEXT_CHARS 256 // characters written in one step, with the final zero
#endif

#endif
