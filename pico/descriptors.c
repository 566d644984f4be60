// SPDX-License-Identifier: MIT OR Apache-2.0
// The USB descriptors. USB 2.0, 9.6; Communications Device Class 1.2, 5.2.3; PSTN subclass 1.2, 5.3.
#include "descriptors.h"

#include <stddef.h>

#define KIND_DEVICE 1u
#define KIND_CONFIGURATION 2u
#define KIND_STRING 3u
#define LOW(value) ((value)&0xffu)
#define HIGH(value) ((value) >> 8)
// The test number of pid.codes, because no product is sold with this firmware.
#define VENDOR 0x1209u
#define PRODUCT 0x0001u
#define CONFIGURATION_BYTES 67u

static const uint8_t descriptors_device[] = {
    18,
    KIND_DEVICE,
    0x00,
    0x02,
    2,
    0,
    0,
    USB_PACKET_BYTES, // USB 2.0, communications class
    LOW(VENDOR),
    HIGH(VENDOR),
    LOW(PRODUCT),
    HIGH(PRODUCT),
    0x00,
    0x01,
    1,
    2,
    0,
    1,
};

static const uint8_t descriptors_configuration[CONFIGURATION_BYTES] = {
    9,
    KIND_CONFIGURATION,
    CONFIGURATION_BYTES,
    0,
    2,
    1,
    0,
    0x80,
    50, // two interfaces, 100 mA
    9,
    4,
    0,
    0,
    1,
    2,
    2,
    0,
    0, // control: abstract control model
    5,
    0x24,
    0,
    0x20,
    0x01, // CDC 1.20
    5,
    0x24,
    1,
    0,
    1, // no call management
    4,
    0x24,
    2,
    2, // line coding and line state
    5,
    0x24,
    6,
    0,
    1, // controls the interface below
    7,
    5,
    0x80 | DESCRIPTORS_NOTIFY_ENDPOINT,
    3,
    8,
    0,
    255, // notifications, which never come
    9,
    4,
    1,
    0,
    2,
    10,
    0,
    0,
    0, // data
    7,
    5,
    DESCRIPTORS_DATA_ENDPOINT,
    2,
    USB_PACKET_BYTES,
    0,
    0, //
    7,
    5,
    0x80 | DESCRIPTORS_DATA_ENDPOINT,
    2,
    USB_PACKET_BYTES,
    0,
    0,
};

static const uint8_t descriptors_language[] = {4, KIND_STRING, 0x09, 0x04};
static const uint8_t descriptors_maker[] = {
    18, KIND_STRING, 'b', 0, 'a', 0, 'c', 0, 'k', 0, 'w', 0, 'a', 0, 'l', 0, 'l', 0,
};
static const uint8_t descriptors_product[] = {10, KIND_STRING, 'p', 0, 'i', 0, 'c', 0, 'o', 0};

struct descriptor {
    uint32_t value; // kind and number, in the host's format
    const uint8_t *bytes;
    uint32_t length;
};

static const struct descriptor descriptors[] = {
    {KIND_DEVICE << 8, descriptors_device, sizeof descriptors_device},
    {KIND_CONFIGURATION << 8, descriptors_configuration, sizeof descriptors_configuration},
    {KIND_STRING << 8, descriptors_language, sizeof descriptors_language},
    {KIND_STRING << 8 | 1, descriptors_maker, sizeof descriptors_maker},
    {KIND_STRING << 8 | 2, descriptors_product, sizeof descriptors_product},
};

const uint8_t *descriptors_find(uint32_t value, uint32_t *length)
{
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++) {
        if (descriptors[i].value == value) {
            *length = descriptors[i].length;
            return descriptors[i].bytes;
        }
    }
    return NULL;
}
