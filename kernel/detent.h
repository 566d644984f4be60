// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent's interface: everything that an application includes. Names and meanings follow Windows CE; 0 is the highest priority
// and 255 the lowest, times are milliseconds. An ISR must not call anything here.
#ifndef DETENT_H
#define DETENT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define DETENT_NORETURN [[noreturn]]
extern "C" {
#else
#define DETENT_NORETURN _Noreturn
#endif

typedef uint32_t DWORD;
typedef uint16_t WORD;
typedef uint8_t BYTE;
typedef int32_t LONG;
typedef int BOOL;
typedef unsigned int UINT;
typedef char TCHAR;
typedef void *LPVOID;
typedef const void *LPCVOID;
typedef void *HANDLE;
typedef HANDLE HINSTANCE;
typedef TCHAR *LPTSTR;
typedef const TCHAR *LPCTSTR;
typedef DWORD *LPDWORD;
typedef LONG *LPLONG;
typedef union {
    struct {
        DWORD LowPart;
        LONG HighPart;
    } u;
    int64_t QuadPart;
} LARGE_INTEGER;

#define _T(text) text
#define _WIN32_WCE 400
#define WINAPI
#ifndef TRUE
#define TRUE 1
#define FALSE 0
#endif
#define INVALID_HANDLE_VALUE ((HANDLE)(intptr_t)-1)
#define INFINITE 0xFFFFFFFFu

// Results of waits.
#define WAIT_OBJECT_0 0u
#define WAIT_ABANDONED_0 0x80u
#define WAIT_ABANDONED WAIT_ABANDONED_0
#define WAIT_TIMEOUT 0x102u
#define WAIT_FAILED 0xFFFFFFFFu
#define MAXIMUM_WAIT_OBJECTS 64
#define MAX_PATH 260 // characters in a name, including the final zero

// GetLastError.
#define ERROR_SUCCESS 0u
#define ERROR_INVALID_FUNCTION 1u
#define ERROR_FILE_NOT_FOUND 2u
#define ERROR_ACCESS_DENIED 5u
#define ERROR_INVALID_HANDLE 6u
#define ERROR_NOT_ENOUGH_MEMORY 8u
#define ERROR_GEN_FAILURE 31u
#define ERROR_INVALID_PARAMETER 87u
#define ERROR_BUSY 170u
#define ERROR_ALREADY_EXISTS 183u
#define ERROR_BAD_EXE_FORMAT 193u
#define ERROR_FILENAME_EXCED_RANGE 206u
#define ERROR_SIGNAL_REFUSED 156u
#define ERROR_NOT_OWNER 288u
#define ERROR_TOO_MANY_POSTS 298u
#define ERROR_INVALID_ADDRESS 487u
#define ERROR_ABANDONED_WAIT_0 735u
#define ERROR_NOACCESS 998u
#define ERROR_PROCESS_ABORTED 1067u

// Threads may use floating point (x87, MMX, SSE); ISRs and the idle thread may not. The eight old levels are offsets below 248.
#define THREAD_PRIORITY_TIME_CRITICAL 0
#define THREAD_PRIORITY_HIGHEST 1
#define THREAD_PRIORITY_ABOVE_NORMAL 2
#define THREAD_PRIORITY_NORMAL 3
#define THREAD_PRIORITY_BELOW_NORMAL 4
#define THREAD_PRIORITY_LOWEST 5
#define THREAD_PRIORITY_ABOVE_IDLE 6
#define THREAD_PRIORITY_IDLE 7
#define THREAD_PRIORITY_ERROR_RETURN 0x7FFFFFFF
#define CREATE_SUSPENDED 4u
#define STACK_SIZE_PARAM_IS_A_RESERVATION 0x10000u
#define MAXDWORD 0xFFFFFFFFu
#define STILL_ACTIVE 259u

typedef DWORD (*LPTHREAD_START_ROUTINE)(LPVOID);

// NULL and GetLastError on failure. attributes must be NULL. In a process, stack_bytes is the size of the stack if
// STACK_SIZE_PARAM_IS_A_RESERVATION is set, rounded up to pages and at most 960 KiB. Without that flag, and for a thread of the
// kernel, it is ignored.
HANDLE CreateThread(LPVOID attributes, DWORD stack_bytes, LPTHREAD_START_ROUTINE start, LPVOID argument, DWORD flags,
                    LPDWORD thread_id);
DETENT_NORETURN void ExitThread(DWORD exit_code);
// Ends the caller, or another thread, whatever that thread is doing. As on CE, any handle of a thread permits this. The
// thread does not run again. Its mutexes and critical sections (below) become abandoned. ERROR_ACCESS_DENIED if it has
// already ended. Changes of the program's own data that the thread had begun stay unfinished.
BOOL TerminateThread(HANDLE thread, DWORD exit_code);
BOOL GetExitCodeThread(HANDLE thread, LPDWORD exit_code);
HANDLE GetCurrentThread(void);                         // a handle that means the calling thread
DWORD GetCurrentThreadId(void);                        // a handle that other threads may use too
BOOL CeSetThreadPriority(HANDLE thread, int priority); // priority 0 to 255
int CeGetThreadPriority(HANDLE thread);
BOOL SetThreadPriority(HANDLE thread, int old_level); // old_level 0 to 7
int GetThreadPriority(HANDLE thread);
BOOL CeSetThreadQuantum(HANDLE thread, DWORD quantum_ms); // 0: runs to completion
DWORD CeGetThreadQuantum(HANDLE thread);                  // MAXDWORD on failure
DWORD SuspendThread(HANDLE thread);                       // previous suspend count; 0xFFFFFFFF on failure
DWORD ResumeThread(HANDLE thread);                        // previous suspend count; 0xFFFFFFFF on failure
void Sleep(DWORD time_ms); // 0: yields to threads of the same priority; INFINITE: suspends; n: ends on tick n + 1
void SleepTillTick(void);
DWORD GetLastError(void);
void SetLastError(DWORD error);
BOOL CloseHandle(HANDLE object);

// Time.
DWORD GetTickCount(void); // wraps after 2^32 milliseconds
DWORD GetIdleTime(void);  // idle time of the CPU in ms; MAXDWORD if OEMIdle does not count it (oem.h)
BOOL QueryPerformanceCounter(LARGE_INTEGER *count);
BOOL QueryPerformanceFrequency(LARGE_INTEGER *frequency_hz);

// Waiting. WaitForMultipleObjects can only wait for any of the objects: wait_all must be FALSE.
DWORD WaitForSingleObject(HANDLE object, DWORD timeout_ms);
DWORD WaitForMultipleObjects(DWORD count, const HANDLE *objects, BOOL wait_all, DWORD timeout_ms);

// Events. EventModify does what SetEvent, ResetEvent or PulseEvent does; `how` selects which.
#define EVENT_PULSE 1u
#define EVENT_RESET 2u
#define EVENT_SET 3u
HANDLE CreateEvent(LPVOID attributes, BOOL manual_reset, BOOL initial_state, LPCTSTR name);
BOOL SetEvent(HANDLE event);
BOOL ResetEvent(HANDLE event);
BOOL PulseEvent(HANDLE event);
BOOL EventModify(HANDLE event, DWORD how);
BOOL SetEventData(HANDLE event, DWORD data);
DWORD GetEventData(HANDLE event);

// Semaphores: 0 <= initial <= maximum, maximum > 0. A wait for a semaphore never raises another thread's priority.
HANDLE CreateSemaphore(LPVOID attributes, LONG initial_count, LONG maximum_count, LPCTSTR name);
BOOL ReleaseSemaphore(HANDLE semaphore, LONG release_count, LPLONG previous_count);

// Mutexes: recursive, with priority inheritance.
HANDLE CreateMutex(LPVOID attributes, BOOL initial_owner, LPCTSTR name);
BOOL ReleaseMutex(HANDLE mutex);

// Critical sections. Entering or leaving without contention does not call the kernel. owner is the owning thread's
// handle. While threads wait, the kernel sets the sign bit of owner, so that leaving calls the kernel.
typedef struct {
    volatile uintptr_t owner;
    uint32_t recursion; // times that the owner has entered beyond the first
    uint32_t lock;      // index of the kernel's lock while threads wait
} CRITICAL_SECTION, *LPCRITICAL_SECTION;

// A program may have any number of critical sections. Misuse changes nothing and sets an error for GetLastError:
// ERROR_NOT_OWNER if a thread leaves a section that it does not own, ERROR_BUSY if an owned section is deleted. If the
// owner ended without leaving, the next thread to enter gets the section and ERROR_ABANDONED_WAIT_0: the data that the
// section guards may be inconsistent.
void InitializeCriticalSection(LPCRITICAL_SECTION section);
void DeleteCriticalSection(LPCRITICAL_SECTION section);
void EnterCriticalSection(LPCRITICAL_SECTION section);
BOOL TryEnterCriticalSection(LPCRITICAL_SECTION section);
void LeaveCriticalSection(LPCRITICAL_SECTION section);

// Interlocked operations: atomic with respect to interrupts and preemption.
LONG InterlockedIncrement(volatile LONG *value);
LONG InterlockedDecrement(volatile LONG *value);
LONG InterlockedExchange(volatile LONG *target, LONG value);
LONG InterlockedExchangeAdd(volatile LONG *target, LONG value);
LONG InterlockedTestExchange(volatile LONG *target, LONG old_value, LONG new_value);
LONG InterlockedCompareExchange(volatile LONG *target, LONG new_value, LONG old_value);

// Interrupts. An ISR returns one of these values; for a device's SYSINTR the kernel sets its event.
#define SYSINTR_NOP 0u
#define SYSINTR_RESCHED 1u
#define SYSINTR_BREAK 2u
#define SYSINTR_CHAIN 3u
#define SYSINTR_DEVICES 8u
#define SYSINTR_TIMING (SYSINTR_DEVICES + 3)
#define SYSINTR_FIRMWARE (SYSINTR_DEVICES + 16) // + number of the line: the SYSINTR of that interrupt line
#define SYSINTR_MAXIMUM 64u

typedef DWORD (*ISR)(void);
typedef DWORD (*CHAIN_ISR)(DWORD instance);

// Makes isr the line's routine; NULL removes it. A line without routines is masked. A routine that returns SYSINTR_CHAIN passes
// the interrupt on to the line's chain, as does one that calls NKCallIntChain itself.
BOOL HookInterrupt(int irq, ISR isr);
// event must be an auto-reset event that nobody has waited for; data and data_bytes are ignored here.
BOOL InterruptInitialize(DWORD sysintr, HANDLE event, LPVOID data, DWORD data_bytes);
void InterruptDone(DWORD sysintr);
void InterruptDisable(DWORD sysintr);
// Adds a routine to the chain of a line. The routine is identified by the names of module and routine (programs/).
HANDLE LoadIntChainHandler(LPCTSTR module, LPCTSTR routine, BYTE irq);
BOOL FreeIntChainHandler(HANDLE handler);
DWORD NKCallIntChain(BYTE irq); // for an ISR: returns the first answer that is not SYSINTR_CHAIN

// Processes: for programs in user mode, in an image with processes (process/). A program is a file in the boot module.
// Parameters of CreateProcess that Detent does not support must be NULL or FALSE; the only flag is CREATE_SUSPENDED. A
// process ends with its last thread, or by ExitProcess, TerminateProcess or a forbidden action. After a forbidden
// action, its exit code is EXCEPTION_EXIT_CODE.
typedef struct {
    HANDLE hProcess, hThread;
    DWORD dwProcessId, dwThreadId;
} PROCESS_INFORMATION, *LPPROCESS_INFORMATION;
#define EXCEPTION_EXIT_CODE 0xC0000005u

BOOL CreateProcess(LPCTSTR image, LPCTSTR command, LPVOID process_attributes, LPVOID thread_attributes, BOOL inherit,
                   DWORD flags, LPVOID environment, LPCTSTR folder, LPVOID startup, LPPROCESS_INFORMATION information);
DETENT_NORETURN void ExitProcess(DWORD exit_code);
BOOL TerminateProcess(HANDLE process, DWORD exit_code);
BOOL GetExitCodeProcess(HANDLE process, LPDWORD exit_code);
HANDLE GetCurrentProcess(void); // a handle that means the calling process
DWORD GetCurrentProcessId(void);

// Servers: processes that others call into. CallServer runs the server's routine on the caller's own thread but in the server's
// process: with its addresses and handles, at the thread's priority. It returns the routine's result. If the call fails, it
// returns 0 and sets an error: ERROR_INVALID_FUNCTION if the process is not a server, ERROR_BUSY if too many threads are in it,
// ERROR_PROCESS_ABORTED if the server ended meanwhile; then the thread returns even if it was running or waiting in the server.
// In the routine, ReadCaller and WriteCaller copy from and to the caller's memory, at most 64 KiB.
typedef uint64_t (*SERVER_ROUTINE)(uint64_t method, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                                   uint64_t f, uint64_t g);
BOOL RegisterServer(LPCTSTR name, SERVER_ROUTINE routine); // one server per process
HANDLE OpenServer(LPCTSTR name);                           // a handle of the server's process
uint64_t CallServer(HANDLE server, uint64_t method, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                    uint64_t f, uint64_t g);
BOOL ReadCaller(LPVOID to, LPCVOID from, size_t bytes);
BOOL WriteCaller(LPVOID to, LPCVOID from, size_t bytes);

// Memory of a process: reserved in units of 64 KiB, committed in units of 4 KiB, and zeroed. Without an address, committing also
// reserves. Committing a page again keeps its contents and can only add permissions. A reservation must be released as a whole.
#define MEM_COMMIT 0x1000u
#define MEM_RESERVE 0x2000u
#define MEM_DECOMMIT 0x4000u
#define MEM_RELEASE 0x8000u
#define PAGE_NOACCESS 0x01u // for reserved memory
#define PAGE_READONLY 0x02u
#define PAGE_READWRITE 0x04u
#define PAGE_EXECUTE_READ 0x20u
#define PAGE_EXECUTE_READWRITE 0x40u
LPVOID VirtualAlloc(LPVOID address, size_t bytes, DWORD type, DWORD protection);
BOOL VirtualFree(LPVOID address, size_t bytes, DWORD type);

// Memory that processes share by name: at most 2 MiB, all of it allocated at the start and zeroed. file must be
// INVALID_HANDLE_VALUE. If the name exists, the call returns a handle of the existing memory and sets
// ERROR_ALREADY_EXISTS. A view covers all of it. The memory lasts while a handle is open or a view exists.
#define FILE_MAP_WRITE 2u
#define FILE_MAP_READ 4u
HANDLE CreateFileMapping(HANDLE file, LPVOID attributes, DWORD protection, DWORD bytes_high, DWORD bytes_low,
                         LPCTSTR name);
LPVOID MapViewOfFile(HANDLE mapping, DWORD access, DWORD offset_high, DWORD offset_low, size_t bytes);
BOOL UnmapViewOfFile(LPCVOID view);

// When this call returns, each page of the range is present and stays so, including stack pages, which otherwise are
// allocated at the first access. Memory is never paged out, so there is nothing to unlock. pages must be NULL.
#define LOCKFLAG_WRITE 1
#define LOCKFLAG_READ 4
BOOL LockPages(LPVOID address, DWORD bytes, LPDWORD pages, int flags);
BOOL UnlockPages(LPVOID address, DWORD bytes);
// Sets the event when fewer than low_pages are free, and again when fewer than critical_pages are. Below a limit,
// VirtualAlloc allocates at most that limit's block at once. Only one process at a time may call this (ERROR_BUSY); If
// the event is NULL, the notification ends.
BOOL SetOomEvent(HANDLE event, DWORD low_pages, DWORD critical_pages, DWORD low_block, DWORD critical_block);

// The process's heap, and up to 15 others that it creates. Blocks are at multiples of 16. A block of HEAP_LARGE bytes
// or more has its own pages, which are freed with it. Flags must be 0, except HEAP_NO_SERIALIZE for HeapCreate, and
// HEAP_ZERO_MEMORY for HeapAlloc and HeapReAlloc. A heap grows in steps of 64 KiB, up to its maximum unless that is 0.
// Destroying it frees all its blocks. Each heap has its own lock, even with HEAP_NO_SERIALIZE. HeapReAlloc moves
// blocks.
#define HEAP_NO_SERIALIZE 1u // for HeapCreate
#define HEAP_ZERO_MEMORY 8u
#define HEAP_LARGE 0x30000u
#define HEAP_BYTES_MAX 0x3FFFFFFFu // size of one block, and of a new heap: the address range of a process
// NULL and an error if there is no memory or no free address range.
HANDLE HeapCreate(DWORD flags, size_t initial, size_t maximum);
BOOL HeapDestroy(HANDLE heap);                                            // fails for the process's default heap
LPVOID HeapReAlloc(HANDLE heap, DWORD flags, LPVOID block, size_t bytes); // NULL and an error: block unchanged
BOOL HeapValidate(HANDLE heap, DWORD flags, LPCVOID block);               // block NULL: checks the whole heap
HANDLE GetProcessHeap(void);
LPVOID HeapAlloc(HANDLE heap, DWORD flags, size_t bytes); // NULL and an error if there is no memory
BOOL HeapFree(HANDLE heap, DWORD flags, LPVOID block);
size_t HeapSize(HANDLE heap, DWORD flags, LPCVOID block); // SIZE_MAX: not a block of the heap

// Files: only the first three outputs of the parallel port ("LED1:" to "LED3:"), one byte each, 0 off and 1 on.
#define GENERIC_WRITE 0x40000000u
#define OPEN_EXISTING 3u
HANDLE CreateFile(LPCTSTR name, DWORD access, DWORD share, LPVOID attributes, DWORD creation, DWORD flags,
                  HANDLE template_file);
BOOL WriteFile(HANDLE file, LPCVOID data, DWORD bytes, LPDWORD written, LPVOID overlapped);

// Debug output on the serial line, with %d %u %x %s %c %p, widths, zero padding and ll.
void NKDbgPrintfW(LPCTSTR format, ...) __attribute__((format(printf, 1, 2)));
// Formats like NKDbgPrintfW, but writes into `text`, which has room for `room` characters. The text is truncated to fit
// and always ends with a zero. Returns the full length.
int NKwvsprintfW(LPTSTR text, LPCTSTR format, va_list arguments, int room);
#define RETAILMSG(condition, arguments) ((condition) ? NKDbgPrintfW arguments : (void)0)

#ifdef __cplusplus
}
#endif

#endif
