// SPDX-License-Identifier: MIT OR Apache-2.0
// Fake: what only loads need. Memory is real; the scripted device has no screen, disk or network.
#include "port.h"

#include <stdlib.h>

void *port_memory_map(size_t bytes)
{
    return calloc(1, bytes);
}

void port_memory_unmap(void *memory, size_t bytes)
{
    (void)bytes;
    free(memory);
}

void port_system_call(uint64_t turn)
{
    (void)turn;
}

const char *port_screen_open(struct port_screen *screen)
{
    (void)screen;
    return "the scripted device has no screen";
}

const char *port_file_create(int *file)
{
    (void)file;
    return "the scripted device has no disk";
}

bool port_file_write(int file, const void *bytes, size_t count, uint64_t offset, const char **why)
{
    (void)file;
    (void)bytes;
    (void)count;
    (void)offset;
    *why = "the scripted device has no disk";
    return false;
}

const char *port_loopback_open(int *sender, int *receiver)
{
    (void)sender;
    (void)receiver;
    return "the scripted device has no network";
}

bool port_loopback_send(int sender, const void *bytes, size_t count)
{
    (void)sender;
    (void)bytes;
    (void)count;
    return false;
}

bool port_loopback_receive(int receiver, void *bytes, size_t count)
{
    (void)receiver;
    (void)bytes;
    (void)count;
    return false;
}
