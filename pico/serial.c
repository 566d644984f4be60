// SPDX-License-Identifier: MIT OR Apache-2.0
#include "serial.h"

#include "usb.h"

static struct {
    uint8_t packet[USB_PACKET_BYTES];
    uint32_t length;
    uint32_t next;
    uint32_t connection;
} serial_in;

static struct {
    uint8_t packet[USB_PACKET_BYTES];
    uint32_t length;
    uint32_t connection;
} serial_out;

// Drops requests of a host that has disconnected.
bool serial_read(uint8_t *byte)
{
    if (serial_in.connection != usb_connections()) {
        serial_in.connection = usb_connections();
        serial_in.next = 0;
        serial_in.length = 0;
    }
    if (serial_in.next == serial_in.length) {
        serial_in.next = 0;
        serial_in.length = usb_receive(serial_in.packet);
    }
    if (serial_in.length == 0)
        return false;
    *byte = serial_in.packet[serial_in.next++];
    return true;
}

void serial_begin(void)
{
    serial_out.connection = usb_connections();
    serial_out.length = 0;
}

static void serial_send(void)
{
    while (serial_out.connection == usb_connections() && !usb_may_send())
        usb_poll();
    if (serial_out.connection == usb_connections())
        usb_send(serial_out.packet, serial_out.length);
    serial_out.length = 0;
}

void serial_write(const void *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        serial_out.packet[serial_out.length++] = ((const uint8_t *)bytes)[i];
        if (serial_out.length == USB_PACKET_BYTES)
            serial_send();
    }
}

// A short packet, or an empty one after full ones, tells the host that nothing more follows (USB 2.0, 5.8.3).
void serial_end(void)
{
    serial_send();
}
