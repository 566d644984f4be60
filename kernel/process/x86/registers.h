// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants of the CPU's tables and registers that entry.S and the C files of this folder share.
#ifndef DETENT_PROCESS_REGISTERS_H
#define DETENT_PROCESS_REGISTERS_H

// These follow the kernel's three selectors. SYSRET requires the data selector below the code selector.
#define SELECTOR_USER_DATA 0x28
#define SELECTOR_USER_CODE 0x30
#define SEGMENTS 7
#define PROCESS_EXCEPTION_BYTES 9 // from one exception entry to the next

#define TSS_KERNEL_STACK 4         // offset in the TSS
#define USER_FLAGS 0x202           // interrupts enabled
#define USER_FLAGS_OF_PORTS 0x3000 // the process may use ports, and mask interrupts
#define SYSTEM_CALL_FLAGS 0x47700 // cleared by a system call: trap, interrupt, direction, privilege, nesting, alignment

#endif
