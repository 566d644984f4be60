/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the processor of riscv64 may read of its own status, which tells its mode: the debugger's registers that the emulator exports
 * have neither.
 */
#ifndef PROCESSOR_H
#define PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

/* The numbers of mstatus, sstatus and stimecmp among the control and status registers. */
enum { STATUS_OF_SUPERVISOR = 0x100, STATUS_OF_MACHINE = 0x300, TIMER_OF_SUPERVISOR = 0x14D };

extern int (*processor_register_write)(void *processor, uint8_t *bytes, int number);
extern int (*processor_status_read)(void *state, int number, uint64_t *value, uint64_t new_value, uint64_t mask,
                                    uintptr_t no_caller);
extern int (*processor_any_use)(void *state, int number, uint64_t *value, uint64_t new_value, uint64_t mask);

/* Reads the register as an instruction of the current mode would; false where that mode may not. */
bool processor_status(int number, uint64_t *value);

/* Writes the supervisor's timer as it is, in whatever mode, so that the emulator's own timer for it is armed. */
void processor_timer_restart(void);

#endif
