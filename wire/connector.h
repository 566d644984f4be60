// SPDX-License-Identifier: MIT OR Apache-2.0
// connector.h — the bench's connector between the instrument and the device under test.
//
// CONNECTOR.md describes it. Every definition below the guard is `#define NAME NUMBER`, so that C and assembly can include this
// file. A test compares the host's numbers and names with it.
#ifndef BACKWALL_CONNECTOR_H
#define BACKWALL_CONNECTOR_H

// Two parallel ports of a PC: the first register of each, and the interrupt on which its generator pulses.
#define CONNECTOR_A_PORT 0x378
#define CONNECTOR_A_IRQ 7
#define CONNECTOR_B_PORT 0x278
#define CONNECTOR_B_IRQ 5

// On a machine without I/O ports, the connector is one page of memory, and a port's number is its offset in that page. On QEMU's
// `virt` machines of arm64 and riscv64 it is at this address, where they have nothing else. Generator A pulses on these inputs, B
// on the next ones.
#define CONNECTOR_PAGE 0x0B000000
#define CONNECTOR_PAGE_BYTES 0x1000
#define CONNECTOR_ARM64_GPIO 0
#define CONNECTOR_RISCV64_SOURCE 40

// Registers of a port, as offsets from its first.
#define CONNECTOR_DATA 0
#define CONNECTOR_STATUS 1
#define CONNECTOR_CONTROL 2

// A bit of the control register: enables the interrupt. The generator starts when this bit rises.
#define CONNECTOR_ARMED 0x10

// Response lines: bits of the data register. The name of a line is the part after the prefix, in small letters.
#define CONNECTOR_LINE_ISR 0x01
#define CONNECTOR_LINE_IST 0x02
#define CONNECTOR_LINE_APP 0x04
#define CONNECTOR_LINE_PROGRESS 0x08
#define CONNECTOR_LINE_MARK 0x10

// The byte channel: bytes for the host, and the end of the run with an exit code. Both ports read as CONNECTOR_PRESENT if there
// is an instrument.
#define CONNECTOR_CHANNEL_PORT 0x380
#define CONNECTOR_END_PORT 0x384
#define CONNECTOR_PRESENT 0xB4

// The counter of heavy instructions, if it was requested. Write an instant of 4 bytes to each port, and read the answer from the
// first.
#define CONNECTOR_COUNT_FROM_PORT 0x388
#define CONNECTOR_COUNT_TO_PORT 0x38C

// The counter of instructions by mode, if it was requested. A write captures the counts; four readings of 4 bytes return them.
#define CONNECTOR_MODES_PORT 0x390

// If generator A pulses on a PCI device's interrupt, the interrupt stays raised until a byte is written here.
#define CONNECTOR_ACKNOWLEDGE_PORT 0x394

#endif
