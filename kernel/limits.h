// SPDX-License-Identifier: MIT OR Apache-2.0
// All limits of the kernel. No loop in core/ has more rounds than one of these names.
#ifndef DETENT_LIMITS_H
#define DETENT_LIMITS_H

// Priorities 0 (highest) to 255. The idle thread alone has one more level below them.
#define PRIORITY_LEVELS 256
#define PRIORITY_IDLE_THREAD 256
#define PRIORITY_WORDS 5 // 257 bits in words of 64

// Objects. A handle contains a ten-bit index, so no table may exceed 1024 entries, and each size is a power of two. To build with
// other sizes: make LIMITS="-DTHREADS_MAX=64 -DEVENTS_MAX=1024".
#ifndef THREADS_MAX
#define THREADS_MAX 256
#endif
#ifndef EVENTS_MAX
#define EVENTS_MAX 256
#endif
#ifndef SEMAPHORES_MAX
#define SEMAPHORES_MAX 64
#endif
#ifndef MUTEXES_MAX
#define MUTEXES_MAX 64
#endif
#ifndef VISITS_STACK_BYTES
#define VISITS_STACK_BYTES 1024 // part of STACK_BYTES for calls of servers from within servers: 88 bytes each
#endif
#ifndef STACK_BYTES
#define STACK_BYTES 16384 // a multiple of the page size
#endif
#define OBJECT_OPENS_MAX 65535            // open handles of one object
#define CRITICAL_SECTIONS_MAX THREADS_MAX // sections with waiting threads; a thread waits for at most one
#define NAME_CHARS_MAX 260                // MAX_PATH: with the final zero

// Part of STACK_BYTES, at the top: the thread's floating-point registers while another thread uses them.
#ifndef FPU_BYTES
#define FPU_BYTES 512
#endif
#define WAIT_OBJECTS_MAX 64               // objects in one call of WaitForMultipleObjects
#define INHERITANCE_DEPTH_MAX THREADS_MAX // largest number of owners in a chain that inherit
#define TIMEOUT_SLOTS 4096                // a timeout is in slot (expiry mod slots)
#define SUSPEND_COUNT_MAX 127

// Interrupts.
#define SYSINTR_LIMIT 64 // one bit each in the pending word
#define IRQ_LINES 16
#define CHAIN_HANDLERS_MAX 8 // handlers of one line
#define CHAIN_RESTARTS_MAX 4 // walks of one chain for one interrupt while the line stays active

// Processes (process/), in an image with them.
#define PROCESSES_MAX 32
#define PROCESS_THREADS_MAX 16      // threads of one process at one time
#define PROCESS_VISITS_MAX 8        // threads of other processes in a server at one time
#define PROCESS_HANDLES_MAX 256     // open handles of one process; a handle has an eight-bit index
#define PROCESS_RESERVATIONS_MAX 64 // regions of VirtualAlloc in one process
#define PROCESS_SECTIONS_MAX 24     // critical sections with waiting threads in one process
#define PROCESS_HEAPS_MAX 16        // heaps of one process, its default heap included
#define CALLER_BYTES_MAX 65536      // largest copy between a server and its caller
#define PROCESS_COMMAND_CHARS 80    // length of a command line, with the final zero
#define PROCESS_NAME_CHARS 16       // length of a program's name, which is a member name in an archive
#define MAPPINGS_MAX 16             // shared memory mappings, in all processes
#define MAPPING_PAGES_MAX 512       // pages of one mapping: their addresses fill a page
#ifndef FRAMES_MAX
#define FRAMES_MAX 2048 // memory pages for all processes and their tables
#endif

// Page tables (process/tables.h): the values that dwOEMPTPoolSize may have, as in CE .NET.
#define PAGE_TABLES_LEAST 16
#define PAGE_TABLES_MOST 512

#define TRAIL_ENTRIES 4096
#define TRAIL_SHOWN 40 // trail entries printed at the end of a program and in a panic

#endif
