// SPDX-License-Identifier: MIT OR Apache-2.0
// Windows: what only loads need: memory, system calls, a file, the network stack. It draws to no screen.
#include <winsock2.h>

#include "windows.h"

#include <stdio.h>

void *port_memory_map(size_t bytes)
{
    return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void port_memory_unmap(void *memory, size_t bytes)
{
    (void)bytes;
    VirtualFree(memory, 0, MEM_RELEASE);
}

static void windows_call_yield(void)
{
    SwitchToThread();
}

static void windows_call_lookup(void)
{
    GetFileAttributesA("C:\\");
}

static void windows_call_wait(void)
{
    WaitForSingleObject(GetCurrentProcess(), 0);
}

static void windows_call_times(void)
{
    FILETIME created, ended, kernel, user;

    GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user);
}

void port_system_call(uint64_t turn)
{
    static void (*const CALLS[])(void) = {windows_call_wait, windows_call_lookup, windows_call_times,
                                          windows_call_yield};

    CALLS[turn % (sizeof CALLS / sizeof CALLS[0])]();
}

const char *port_screen_open(struct port_screen *screen)
{
    (void)screen;
    return "the probe draws to no screen of Windows: leave out --framebuffer";
}

// The file disappears when its last handle is closed.
const char *port_file_create(struct port_handle *file)
{
    char folder[MAX_PATH + 1], path[MAX_PATH + 1];

    if (GetTempPathA(sizeof folder, folder) == 0 || GetTempFileNameA(folder, "bw", 0, path) == 0)
        return windows_refusal("no temporary file can be made: set TMP to a folder that can be written");
    HANDLE made = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                              FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);

    file->opaque = (uintptr_t)made;
    return made != INVALID_HANDLE_VALUE
               ? NULL
               : windows_refusal("no temporary file can be made: set TMP to a folder that can be written");
}

bool port_file_write(struct port_handle file, const void *bytes, size_t count, uint64_t offset, const char **why)
{
    OVERLAPPED place = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
    HANDLE handle = (HANDLE)file.opaque;
    DWORD written = 0;

    if (WriteFile(handle, bytes, (DWORD)count, &written, &place) && written == count && FlushFileBuffers(handle))
        return true;
    if (GetLastError() != ERROR_DISK_FULL)
        *why = windows_refusal("the temporary file cannot be written");
    return false;
}

const char *port_loopback_open(struct port_handle *sender, struct port_handle *receiver)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int bytes = sizeof address;
    WSADATA data;

    if (WSAStartup(MAKEWORD(2, 2), &data) != 0)
        return "Windows' sockets cannot be started";
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    SOCKET to = socket(AF_INET, SOCK_DGRAM, 0);
    SOCKET from = socket(AF_INET, SOCK_DGRAM, 0);

    receiver->opaque = to;
    sender->opaque = from;
    if (to != INVALID_SOCKET && from != INVALID_SOCKET && bind(to, (struct sockaddr *)&address, bytes) == 0
        && getsockname(to, (struct sockaddr *)&address, &bytes) == 0
        && connect(from, (struct sockaddr *)&address, bytes) == 0)
        return NULL;
    return "127.0.0.1 cannot be used";
}

bool port_loopback_send(struct port_handle sender, const void *bytes, size_t count)
{
    return send(sender.opaque, bytes, (int)count, 0) == (int)count || WSAGetLastError() == WSAENOBUFS;
}

bool port_loopback_receive(struct port_handle receiver, void *bytes, size_t count)
{
    return recv(receiver.opaque, bytes, (int)count, 0) == (int)count;
}
