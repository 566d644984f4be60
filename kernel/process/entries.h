// SPDX-License-Identifier: MIT OR Apache-2.0
// The hand-written entries of system calls. Their arguments are in registers as the user left them.
#ifndef DETENT_PROCESS_ENTRIES_H
#define DETENT_PROCESS_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

uint64_t system_call_unknown(void); // for an unknown call number

uint64_t call_GetCurrentProcessId(void);
uint64_t call_WaitForMultipleObjects(uint64_t count, uint64_t from, uint64_t all, uint64_t timeout_ms);
uint64_t call_QueryPerformanceFrequency(uint64_t to);
uint64_t call_debug_text(uint64_t from);

// Defined in calls_objects.c:
uint64_t call_CreateEvent(uint64_t attributes, uint64_t manual_reset, uint64_t initial_state, uint64_t name);
uint64_t call_CreateSemaphore(uint64_t attributes, uint64_t initial_count, uint64_t maximum_count, uint64_t name);
uint64_t call_CreateMutex(uint64_t attributes, uint64_t initial_owner, uint64_t name);
uint64_t call_CloseHandle(uint64_t handle);

// Defined in grants.c:
uint64_t call_InterruptInitialize(uint64_t sysintr, uint64_t event, uint64_t data, uint64_t bytes);
uint64_t call_InterruptDone(uint64_t sysintr);
uint64_t call_InterruptDisable(uint64_t sysintr);

// Defined in calls_processes.c:
bool text_read(char *text, uint64_t from, uint32_t room); // false and an error if the text is not readable or too long
uint64_t call_SuspendThread(uint64_t handle);
uint64_t call_TerminateThread(uint64_t handle, uint64_t exit_code);
_Noreturn uint64_t call_ExitThread(uint64_t exit_code);
uint64_t call_thread_make(uint64_t from, uint64_t id_to);
uint64_t call_process_make(uint64_t program, uint64_t command, uint64_t flags, uint64_t to);
_Noreturn uint64_t call_ExitProcess(uint64_t exit_code);
uint64_t call_TerminateProcess(uint64_t handle, uint64_t exit_code);
uint64_t call_GetExitCodeProcess(uint64_t handle, uint64_t to);

// Defined in entry.S, because it has more arguments than a C call and returns in another way.
uint64_t call_server_call(void);
uint64_t call_server_return(void);

// Defined in server.c:
uint64_t call_server_make(uint64_t name_from, uint64_t start, uint64_t routine);
uint64_t call_OpenServer(uint64_t name_from);
uint64_t call_ReadCaller(uint64_t to, uint64_t from, uint64_t bytes);
uint64_t call_WriteCaller(uint64_t to, uint64_t from, uint64_t bytes);

// Defined in virtual.c:
uint64_t call_VirtualAlloc(uint64_t address, uint64_t bytes, uint64_t type, uint64_t protection);
uint64_t call_VirtualFree(uint64_t address, uint64_t bytes, uint64_t type);
uint64_t call_view_make(uint64_t handle, uint64_t writes);
uint64_t call_UnmapViewOfFile(uint64_t address);
uint64_t call_pages_lock(uint64_t address, uint64_t bytes, uint64_t writes);

// Defined in section.c:
uint64_t call_section_enter(uint64_t address);
uint64_t call_section_leave(uint64_t address);

// Defined in calls_low.c:
uint64_t call_SetOomEvent(uint64_t event, uint64_t low, uint64_t critical, uint64_t low_block, uint64_t critical_block);

// Defined in virtual.c:
uint64_t call_mapping_make(uint64_t name_from, uint64_t bytes);

#endif
