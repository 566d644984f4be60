// SPDX-License-Identifier: MIT OR Apache-2.0
// USB device controller without interrupts: endpoint 0 is answered here, and one bulk endpoint each way carries bytes.
//
// Nothing happens but in usb_poll, so a waiter polls.
#ifndef PICO_USB_H
#define PICO_USB_H

#include <stdbool.h>
#include <stdint.h>

#include "descriptors.h"

void usb_start(void);
void usb_poll(void);

// Counts resets of the bus and each time that a host opens or closes the line: what one host asked is not for the next.
uint32_t usb_connections(void);

// Whether a packet may be sent.
bool usb_may_send(void);
// Sends a packet of at most USB_PACKET_BYTES; usb_may_send held.
void usb_send(const uint8_t *bytes, uint32_t length);

// Takes the packet that has come, if one has: its length, or 0. `to` has room for USB_PACKET_BYTES.
uint32_t usb_receive(uint8_t *to);

#endif
