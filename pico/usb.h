// SPDX-License-Identifier: MIT OR Apache-2.0
// The USB device controller, without interrupts: answers endpoint 0, and carries bytes over one bulk endpoint in each direction.
//
// All work is done in usb_poll, so a loop that waits must call it.
#ifndef PICO_USB_H
#define PICO_USB_H

#include <stdbool.h>
#include <stdint.h>

#include "descriptors.h"

void usb_start(void);
void usb_poll(void);

// The number of bus resets, and of times that a host has opened or closed the line. An answer to one host must not go to the
// next.
uint32_t usb_connections(void);

// Whether a packet may be sent.
bool usb_may_send(void);
// Sends a packet of at most USB_PACKET_BYTES. Call it only if usb_may_send.
void usb_send(const uint8_t *bytes, uint32_t length);

// Reads the received packet, if there is one, and returns its length, or 0. `to` has room for USB_PACKET_BYTES.
uint32_t usb_receive(uint8_t *to);

#endif
