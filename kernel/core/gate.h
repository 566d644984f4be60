// SPDX-License-Identifier: MIT OR Apache-2.0
// The gate is the kernel's only lock: the thread that holds it closed owns all data of the kernel. Every kernel call first closes
// it and finally opens it. While it is closed, threads switch only if its holder requests it.
//
// Interrupts stay enabled meanwhile. An ISR must not touch the kernel's data: it only returns an answer, which becomes a bit in
// kernel_pending. The thread that opens the gate last sees these bits and delivers them. So a kernel call never delays an ISR,
// and delays the ISR's thread at most until the call ends:
//
//     thread: SetEvent closes the gate (depth 1) and works
//     ISR:    entry closes it once more (depth 2), the ISR answers 31, exit sets bit 31 of kernel_pending, clears
//             the gate's top bit, opens it once (depth 1, not the last) and returns into the call
//     thread: SetEvent opens it: the word is 0 now, so this was the last opening and something is pending:
//             kernel_catch_up delivers the 31 to its event and switches to the thread that waited for it
#ifndef DETENT_GATE_H
#define DETENT_GATE_H

#include <stdint.h>

// The gate's word. Its top bit is set while nothing is pending; the rest counts closings. So one decrement with the result zero
// means both "the last opening" and "something is pending", and the usual opening tests nothing else.
#define GATE_OPEN 0x80000000u
extern volatile uint32_t
    kernel_gate; // the gate, unless the port keeps it in a register; so other code uses the port's functions

// Bit n: an ISR has answered SYSINTR n. SYSINTR_NOP, which is 0, requests nothing and sets no bit, so bit 0 has another meaning:
// the timer is set to the end of an idle period, and the first interrupt must set it to the next tick again. This bit alone does
// not clear the gate's top bit; the kernel sees it together with another bit.
#define PENDING_CLOCK_STOPPED 0u
extern volatile uint64_t kernel_pending;

#endif
