// SPDX-License-Identifier: MIT OR Apache-2.0
// Does one thing that a process may not, named by its command line, and must not come to its own end.
#include "process/layout.h"
#include "user/program.h"

#define KERNEL_ADDRESS 0x100000 // the kernel's image
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

// Each call has a page of the stack that the one below it looks at, so none can have the place of another.
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
static void by_divide(void)
{
    __asm__ volatile("divl %0" : : "r"(0) : "eax", "edx", "cc");
}
static void by_mask(void)
{
    __asm__ volatile("cli");
}
static void by_port(void)
{
    __asm__ volatile("outb %%al, $0xf4" : : "a"(0));
}
static void by_halt(void)
{
    __asm__ volatile("hlt");
}
static void by_interrupt(void)
{
    __asm__ volatile("int $0xe7");
}
static void by_instruction(void)
{
    __asm__ volatile("ud2");
}
static void by_step(void)
{
    __asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tnop" : : : "memory");
}
static void by_far_address(void)
{
    write_to(0x8000000000000000);
}
static void by_root(void)
{
    __asm__ volatile("movq %0, %%cr3" : : "r"(0ull));
}

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
    } ways[] = {
        {"stack", by_stack},
        {"kernel-write", by_kernel_write},
        {"kernel-read", by_kernel_read},
        {"kernel-jump", by_kernel_jump},
        {"null", by_null},
        {"nowhere", by_nowhere},
        {"constant", by_constant},
        {"code", by_code},
        {"data-run", by_data_run},
        {"divide", by_divide},
        {"mask", by_mask},
        {"port", by_port},
        {"halt", by_halt},
        {"interrupt", by_interrupt},
        {"instruction", by_instruction},
        {"step", by_step},
        {"far-address", by_far_address},
        {"root", by_root},
    };
    for (size_t i = 0; i < LENGTH(ways); i++)
        if (equal(command, ways[i].name))
            ways[i].run();
    return 1;
}
