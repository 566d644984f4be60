// SPDX-License-Identifier: MIT OR Apache-2.0
// A system without a screen, a disk and a network: its answers to the loads that need them.
#include "port.h"

const char *port_screen_open(struct port_screen *screen)
{
    (void)screen;
    return "this device has no screen of 32 bits per pixel: leave out --framebuffer";
}

static const char WITHOUT_DISK[] = "this device has no disk";

const char *port_file_create(struct port_handle *file)
{
    (void)file;
    return WITHOUT_DISK;
}

bool port_file_write(struct port_handle file, const void *bytes, size_t count, uint64_t offset, const char **why)
{
    (void)file;
    (void)bytes;
    (void)count;
    (void)offset;
    *why = WITHOUT_DISK;
    return false;
}

const char *port_loopback_open(struct port_handle *sender, struct port_handle *receiver)
{
    (void)sender;
    (void)receiver;
    return "this device has no network";
}

bool port_loopback_send(struct port_handle sender, const void *bytes, size_t count)
{
    (void)sender;
    (void)bytes;
    (void)count;
    return false;
}

bool port_loopback_receive(struct port_handle receiver, void *bytes, size_t count)
{
    (void)receiver;
    (void)bytes;
    (void)count;
    return false;
}
