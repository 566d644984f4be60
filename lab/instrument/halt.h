/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A processor that halts.
 *
 * The emulator lets virtual time jump to the next timer once the processor is halted. It takes it to be halted from within
 * the instruction that halts it, a moment before what the processor has executed since it was last looked at is counted: a
 * main loop that wakes in between jumps too far, by those instructions, and the next timer comes late.
 */
#ifndef HALT_H
#define HALT_H

struct qemu_plugin_tb;

/* Closes that gap for a block that is being translated. No instant changes but those that were late. */
void halt_block(struct qemu_plugin_tb *block);

#endif
