/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A halting processor.
 *
 * The emulator lets virtual time jump to the next timer once the processor is halted. It regards the processor as halted while the
 * halting instruction is still executing, just before the instructions since the last update are counted. A main loop that wakes in
 * between jumps too far, by the number of those instructions, and the next timer comes late.
 */
#ifndef HALT_H
#define HALT_H

struct qemu_plugin_tb;

/* Closes that gap for a block that is being translated. Only instants that were late change. */
void halt_block(struct qemu_plugin_tb *block);

#endif
