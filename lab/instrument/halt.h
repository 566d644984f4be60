/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Corrects the virtual time of a halting CPU.
 *
 * When the CPU is halted, the emulator lets virtual time jump to the next timer. It treats the CPU as halted while the halting
 * instruction still executes, just before it counts the instructions since the last update. If its main loop wakes in between,
 * virtual time jumps too far by these instructions, and the next timer comes late.
 */
#ifndef HALT_H
#define HALT_H

struct qemu_plugin_tb;

/* Prevents such a jump for a block that is being translated. Only instants that would be too late change. */
void halt_block(struct qemu_plugin_tb *block);

#endif
