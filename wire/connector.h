// SPDX-License-Identifier: MIT OR Apache-2.0
// connector.h — the bench's connector: what the instrument and the device under test plug into each other.
//
// CONNECTOR.md says it in words. Every line below the guard is `#define NAME NUMBER`, so that C and assembly include this
// file; the host's own numbers and names are compared with it by a test.
#ifndef BACKWALL_CONNECTOR_H
#define BACKWALL_CONNECTOR_H

// Two parallel ports of a PC: the first register of each, and the interrupt on which its generator pulses.
#define CONNECTOR_A_PORT 0x378
#define CONNECTOR_A_IRQ 7
#define CONNECTOR_B_PORT 0x278
#define CONNECTOR_B_IRQ 5

// Where a machine has no I/O ports, the connector is one page of memory and a port's number its place in that page. So it is on
// QEMU's `virt` machines of arm64 and riscv64, which have nothing there; the generators pulse there on these inputs, from A's.
#define CONNECTOR_PAGE 0x0B000000
#define CONNECTOR_PAGE_BYTES 0x1000
#define CONNECTOR_ARM64_GPIO 0
#define CONNECTOR_RISCV64_SOURCE 40

// Registers of a port, counted from its first.
#define CONNECTOR_DATA 0
#define CONNECTOR_STATUS 1
#define CONNECTOR_CONTROL 2

// In the control register: lets the interrupt through; when it rises, the generator starts.
#define CONNECTOR_ARMED 0x10

// Response lines, bits of the data register. A line's name is what follows the prefix, in small letters.
#define CONNECTOR_LINE_ISR 0x01
#define CONNECTOR_LINE_IST 0x02
#define CONNECTOR_LINE_APP 0x04
#define CONNECTOR_LINE_PROGRESS 0x08
#define CONNECTOR_LINE_MARK 0x10

// The byte channel, on the first port's side alone: bytes for the host, and the end of the run with an exit code.
// Both read as CONNECTOR_PRESENT where there is an instrument.
#define CONNECTOR_CHANNEL_PORT 0x380
#define CONNECTOR_END_PORT 0x384
#define CONNECTOR_PRESENT 0xB4

// The counter of heavy instructions, where it was asked for: an instant each, 4 bytes; the answer is read from the first.
#define CONNECTOR_COUNT_FROM_PORT 0x388
#define CONNECTOR_COUNT_TO_PORT 0x38C

// The counter of instructions by mode, where it was asked for: a write takes the counts, four readings of 4 bytes give them.
#define CONNECTOR_MODES_PORT 0x390

// Where generator A pulses on a PCI device's interrupt, which stays high: a byte written there lowers it.
#define CONNECTOR_ACKNOWLEDGE_PORT 0x394

#endif
