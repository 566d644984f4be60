// SPDX-License-Identifier: MIT OR Apache-2.0
// How this device describes itself: as a serial line by class (CDC ACM), so that no system needs a driver of ours.
#ifndef PICO_DESCRIPTORS_H
#define PICO_DESCRIPTORS_H

#include <stdint.h>

#define DESCRIPTORS_NOTIFY_ENDPOINT 1u
#define DESCRIPTORS_DATA_ENDPOINT 2u
#define USB_PACKET_BYTES 64u // for each endpoint

// The descriptor for wValue of GET_DESCRIPTOR and its length; NULL if there is none.
const uint8_t *descriptors_find(uint32_t value, uint32_t *length);

#endif
