/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The status registers of a riscv64 CPU, which tell its mode. The emulator does not export them as debugger registers. */
#ifndef PROCESSOR_H
#define PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

/* The CSR numbers of sstatus, mstatus and stimecmp. */
enum { STATUS_OF_SUPERVISOR = 0x100, STATUS_OF_MACHINE = 0x300, TIMER_OF_SUPERVISOR = 0x14D };

extern int (*processor_register_write)(void *processor, uint8_t *bytes, int number);
extern int (*processor_status_read)(void *state, int number, uint64_t *value, uint64_t new_value, uint64_t mask,
                                    uintptr_t no_caller);
extern int (*processor_any_use)(void *state, int number, uint64_t *value, uint64_t new_value, uint64_t mask);

/* Reads the register as an instruction of the current mode would; false if that mode may not read it. */
bool processor_status(int number, uint64_t *value);

/* Writes the supervisor's timer register with its current value, in any mode, so that the emulator arms its own timer. */
void processor_timer_restart(void);

#endif
