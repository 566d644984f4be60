// SPDX-License-Identifier: MIT OR Apache-2.0
// Does one thing that a process may not do, which its command line names. The kernel must end the process before it ends itself.
#include "process/layout.h"
#include "user/program.h"
#include "ways.h"

#define NOWHERE (USER_VIRTUAL + 0x100000)
#define CALLS_MAX 1000

static volatile char written = 1;
static const char constant = 1;

static void write_to(uintptr_t address)
{
    *(volatile char *)address = 1;
}

static void run_at(uintptr_t address)
{
    ((void (*)(void))address)();
}

// Each call uses a page of stack that its callee reads, so that no two calls share a page.
static unsigned deeper(const volatile char *above, unsigned depth)
{
    volatile char page[4096];
    page[0] = *above;
    return depth == CALLS_MAX ? 0 : deeper(page, depth + 1) + (unsigned)page[0];
}

static void by_stack(void)
{
    deeper(&written, 0);
}
static void by_kernel_write(void)
{
    write_to(KERNEL_ADDRESS);
}
static void by_kernel_read(void)
{
    written = *(volatile char *)KERNEL_ADDRESS;
}
static void by_kernel_jump(void)
{
    run_at(KERNEL_ADDRESS + 0x1000);
}
static void by_null(void)
{
    write_to(0);
}
static void by_nowhere(void)
{
    write_to(NOWHERE);
}
static void by_constant(void)
{
    write_to((uintptr_t)&constant);
}
static void by_code(void)
{
    write_to((uintptr_t)by_code);
}
static void by_data_run(void)
{
    run_at((uintptr_t)&written);
}
static void by_far_address(void)
{
    write_to(0x8000000000000000);
}
#define BY(name, ...) \
    static void by_##name(void) \
    { \
        __asm__ volatile(__VA_ARGS__); \
    }
MACHINE_WAYS(BY)

static bool equal(LPCTSTR a, LPCTSTR b)
{
    while (*a == *b && *a != '\0')
        a++, b++;
    return *a == *b;
}

DWORD program_main(LPCTSTR command)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"stack", by_stack},
                {"kernel-write", by_kernel_write},
                {"kernel-read", by_kernel_read},
                {"kernel-jump", by_kernel_jump},
                {"null", by_null},
                {"nowhere", by_nowhere},
                {"constant", by_constant},
                {"code", by_code},
                {"data-run", by_data_run},
                {"far-address", by_far_address},
#define NAMED(name, ...) {#name, by_##name},
                MACHINE_WAYS(NAMED)};
    for (size_t i = 0; i < LENGTH(ways); i++)
        if (equal(command, ways[i].name))
            ways[i].run();
    return 1;
}
