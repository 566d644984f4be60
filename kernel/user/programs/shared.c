// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks memory that processes share. With an argument, it is the other process.
#include "user/check.h"

#define NAME "shared"
#define BYTES 10000u
#define LAST 9999u
#define PAGE 0x1000u
#define MIB 0x100000u

static volatile char *view_of(HANDLE mapping, DWORD access)
{
    return MapViewOfFile(mapping, access, 0, 0, 0);
}

static HANDLE mapping_of(LPCTSTR name, DWORD bytes)
{
    return CreateFileMapping(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, bytes, name);
}

// Adds one at both ends of the shared memory and closes it.
static DWORD child_adds(void)
{
    HANDLE mapping = mapping_of(NAME, 1); // gets the size of the existing mapping
    bool known = GetLastError() == ERROR_ALREADY_EXISTS;
    volatile char *view = view_of(mapping, FILE_MAP_WRITE);
    if (!known || view == NULL)
        return 1;
    view[0]++;
    view[LAST]++;
    return 0;
}

// The view is read-only, so the write must end this process.
static DWORD child_writes_constant(void)
{
    volatile char *view = view_of(mapping_of(NAME, 1), FILE_MAP_READ);
    if (view == NULL || view[0] != 5)
        return 1;
    view[0] = 6;
    return 2;
}

// Executes data, which must end this process.
static DWORD child_runs(void)
{
    ((void (*)(void))(uintptr_t)view_of(mapping_of(NAME, 1), FILE_MAP_WRITE))();
    return 2;
}

static DWORD child_of(LPCTSTR command)
{
    PROCESS_INFORMATION child;
    return child_start("shared", command, &child) ? child_join(&child) : MAXDWORD;
}

static void between(void)
{
    HANDLE mapping = mapping_of(NAME, BYTES);
    bool new = GetLastError() == ERROR_SUCCESS, zero = true;
    volatile char *view = view_of(mapping, FILE_MAP_WRITE | FILE_MAP_READ), *other = view_of(mapping, FILE_MAP_READ);
    for (DWORD i = 0; i < BYTES; i++)
        zero &= view[i] == 0;
    check(new &&zero && (uintptr_t)view % 0x10000 == 0, "shared memory is new, of zeros, and seen at 64 KiB");
    view[0] = 4;
    view[LAST] = 8;
    check(child_of("adds") == 0 && view[0] == 5 && view[LAST] == 9 && other[0] == 5 && other[LAST] == 9,
          "another process finds it by its name, and both see what either writes, in each view");
    check(child_of("writes") == EXCEPTION_EXIT_CODE && view[0] == 5, "a view to be read is not written to");
    check(child_of("runs") == EXCEPTION_EXIT_CODE, "shared memory is no code");
    check(CloseHandle(mapping) && child_of("adds") == 0 && view[0] == 6, "it lasts while a view is there");
    check(UnmapViewOfFile((LPCVOID)view) && REFUSED(UnmapViewOfFile((LPCVOID)view), FALSE, ERROR_INVALID_ADDRESS)
              && other[0] == 6 && UnmapViewOfFile((LPCVOID)other),
          "a view is given back once, the other stays");
    mapping = mapping_of(NAME, BYTES);
    view = view_of(mapping, FILE_MAP_WRITE);
    check(GetLastError() == ERROR_SUCCESS && view[0] == 0, "after the last it is new again");
    check(UnmapViewOfFile((LPCVOID)view) && CloseHandle(mapping), "and given back");
}

static void refusals(void)
{
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL), mapping = mapping_of(NULL, PAGE);
    char *view = MapViewOfFile(mapping, FILE_MAP_WRITE, 0, 0, 0);
    check(REFUSED(mapping_of(NULL, 0), NULL, ERROR_INVALID_PARAMETER)
              && REFUSED(mapping_of(NULL, 2 * MIB + 1), NULL, ERROR_INVALID_PARAMETER)
              && REFUSED(CreateFileMapping(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 1, 0, NULL), NULL,
                         ERROR_INVALID_PARAMETER)
              && REFUSED(CreateFileMapping(event, NULL, PAGE_READWRITE, 0, PAGE, NULL), NULL, ERROR_INVALID_PARAMETER)
              && REFUSED(mapping_of((LPCTSTR)0x100000, PAGE), NULL, ERROR_NOACCESS)
              && REFUSED(mapping_of("a name of more than 15", PAGE), NULL, ERROR_FILENAME_EXCED_RANGE),
          "shared memory of no bytes, too many, a file, or with a name that is not there is refused");
    check(REFUSED(view_of(event, FILE_MAP_READ), NULL, ERROR_INVALID_HANDLE)
              && REFUSED(view_of(NULL, FILE_MAP_READ), NULL, ERROR_INVALID_HANDLE)
              && REFUSED(view_of(GetCurrentProcess(), FILE_MAP_READ), NULL, ERROR_INVALID_HANDLE)
              && REFUSED(SetEvent(mapping), FALSE, ERROR_INVALID_HANDLE)
              && REFUSED(WaitForSingleObject(mapping, 0), WAIT_FAILED, ERROR_INVALID_HANDLE),
          "its handle is no event's, and no other is its");
    check(REFUSED(VirtualFree(view, 0, MEM_RELEASE), FALSE, ERROR_INVALID_ADDRESS)
              && REFUSED(VirtualFree(view, PAGE, MEM_DECOMMIT), FALSE, ERROR_INVALID_ADDRESS)
              && REFUSED(VirtualAlloc(view, PAGE, MEM_COMMIT, PAGE_EXECUTE_READWRITE), NULL, ERROR_INVALID_ADDRESS)
              && REFUSED(UnmapViewOfFile(view + 1), FALSE, ERROR_INVALID_ADDRESS)
              && REFUSED(UnmapViewOfFile((LPCVOID)0x100000), FALSE, ERROR_INVALID_ADDRESS),
          "VirtualAlloc and VirtualFree do not touch a view");
    check(UnmapViewOfFile(view) && CloseHandle(mapping) && REFUSED(CloseHandle(mapping), FALSE, ERROR_INVALID_HANDLE),
          "and its handle is closed once");
    CloseHandle(event);
}

// Makes as many mappings as the kernel supports, or as fit into memory.
static void exhaust(void)
{
    HANDLE all[20];
    unsigned count = 0;
    while (count < LENGTH(all) && (all[count] = mapping_of(NULL, PAGE)) != NULL)
        count++;
    check(count == 16 && GetLastError() == ERROR_NOT_ENOUGH_MEMORY, "there are 16 pieces of shared memory at most");
    while (count > 0)
        CloseHandle(all[--count]);
    while (count < LENGTH(all) && (all[count] = mapping_of(NULL, 2 * MIB)) != NULL)
        count++;
    check(count == 3 && GetLastError() == ERROR_NOT_ENOUGH_MEMORY, "and no more pages than the pool's 8 MiB allow");
    while (count > 0)
        CloseHandle(all[--count]);
}

DWORD program_main(LPCTSTR command)
{
    if (word_is(command, "adds"))
        return child_adds();
    if (word_is(command, "writes"))
        return child_writes_constant();
    if (word_is(command, "runs"))
        return child_runs();
    between();
    refusals();
    exhaust();
    return checks_failed();
}
