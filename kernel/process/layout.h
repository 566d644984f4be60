// SPDX-License-Identifier: MIT OR Apache-2.0
// The address space of a process, and the offsets that the assembly entries use. The kernel has the first and the last entry of
// every root table: with the same tables in each, and accessible in kernel mode only. A process has the second entry, and uses
// the first GiB of it:
//
//     USER_START                        unmapped, so that a small offset from NULL faults; on a machine without
//                                       I/O ports, the connector's page for a process with permission
//     USER_IMAGE  to USER_IMAGE_END     the segments of its file
//     USER_VIRTUAL to USER_VIRTUAL_END  VirtualAlloc
//     USER_STACKS to USER_END           for each thread and each visitor, a place with its stack at the top
//
// So one comparison distinguishes a user's address from a kernel address.
#ifndef DETENT_PROCESS_LAYOUT_H
#define DETENT_PROCESS_LAYOUT_H

#define USER_START 0x8000000000
#define USER_BYTES 0x40000000
#define USER_END (USER_START + USER_BYTES)
#define USER_IMAGE (USER_START + 0x10000)
#define USER_IMAGE_END (USER_START + 0x10000000)
#define USER_VIRTUAL USER_IMAGE_END
#define USER_VIRTUAL_END (USER_START + 0x30000000)
#define USER_STACKS USER_VIRTUAL_END
#define USER_STACK_PLACE 0x100000
#define USER_STACK_TOP(index) (USER_STACKS + ((index) + 1) * USER_STACK_PLACE)
#define USER_STACK_BYTES 0x10000      // usual size of a thread's stack
#define USER_STACK_MOST_BYTES 0xF0000 // largest size that CreateThread can request
// The initial stack pointer of a thread whose stack has that top. It is below the command line, and aligned as after a
// call. In the first word the thread stores its id (user/critsec.c); 0: not known yet.
#define USER_STACK_BEGIN(top) ((top)-PROCESS_COMMAND_CHARS - 8)
#define USER_STACK_ID(top) (USER_STACK_BEGIN(top) - 8)

#define VISIT_START 0 // offsets in struct visit
#define VISIT_ROUTINE 8
#define VISIT_STACK 16
#define VISIT_FLAGS 24
#define PROCESS_ROOT 0 // offset of `root` in struct process

#endif
