// SPDX-License-Identifier: MIT OR Apache-2.0
// The address space of a process, and the offsets that the assembly entries use. The kernel's half is the first and the last
// entry of every root table; it has the same tables in all of them and is accessible to the supervisor only. A process has the
// second entry, and uses its first GiB:
//
//     USER_START                        nothing, so that a small offset from nowhere faults; where there are no ports, for who is
//                                       permitted them the connector's page
//     USER_IMAGE  to USER_IMAGE_END     what its file says
//     USER_VIRTUAL to USER_VIRTUAL_END  VirtualAlloc
//     USER_STACKS to USER_END           for each thread, and each visit of another's, a place with its stack at the top and nothing below
//
// So one comparison tells a user's address from the kernel's.
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
#define USER_STACK_BYTES 0x10000      // unless its thread was created with another size, of
#define USER_STACK_MOST_BYTES 0xF0000 // at most this
// Where a thread starts on a stack with that top: below the command line, as if it had been called. First comes the word in which
// the thread stores its id (user/critsec.c); 0: not known yet.
#define USER_STACK_BEGIN(top) ((top)-PROCESS_COMMAND_CHARS - 8)
#define USER_STACK_ID(top) (USER_STACK_BEGIN(top) - 8)

#define VISIT_START 0 // offsets in struct visit
#define VISIT_ROUTINE 8
#define VISIT_STACK 16
#define VISIT_FLAGS 24
#define PROCESS_ROOT 0 // offset in struct process

#endif
