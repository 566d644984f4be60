// SPDX-License-Identifier: MIT OR Apache-2.0
// Causes a panic on purpose, to show that it names the function and the thread.
#include "limits.h"
#include "programs/programs.h"
#include "programs/text.h"

static __attribute__((noinline)) DWORD crash_address(LPVOID unused)
{
    (void)unused;
    return *(volatile DWORD *)0x8000000000000000ull;
}

static __attribute__((noinline)) DWORD crash_divide(LPVOID unused)
{
    (void)unused;
    volatile DWORD zero = 0;
    return 100 / zero;
}

static __attribute__((noinline)) DWORD crash_instruction(LPVOID unused)
{
    (void)unused;
    __builtin_trap();
}

// Uses a little more stack than there is.
static __attribute__((noinline)) DWORD crash_stack(LPVOID unused)
{
    volatile uint8_t taken[STACK_BYTES];
    (void)unused;
    for (unsigned i = 0; i < sizeof taken; i++)
        taken[i] = 1;
    return taken[0];
}

static const struct {
    const char *name;
    LPTHREAD_START_ROUTINE main;
} ways[] = {
    {"address", crash_address}, {"divide", crash_divide}, {"instruction", crash_instruction}, {"stack", crash_stack}};

int crash_run(int count, char **arguments)
{
    for (size_t i = 0; count > 1 && i < sizeof ways / sizeof ways[0]; i++) {
        if (!text_equal(arguments[1], ways[i].name))
            continue;
        WaitForSingleObject(CreateThread(NULL, 0, ways[i].main, NULL, 0, NULL), INFINITE);
        return 1;
    }
    NKDbgPrintfW("crash: want one of address, divide, instruction, stack\n");
    return 2;
}
