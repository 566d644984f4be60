// SPDX-License-Identifier: MIT OR Apache-2.0
// Prepares the CPU for user mode: segments, the kernel's stack, SYSCALL, and exceptions that a process may cause. The other
// kernel tables do not change. AMD64 Architecture Programmer's Manual volume 2, 3.1.7 (EFER), 4.8, 6.1.1, 12.2.5.
#include "process/modes.h"

#include "process/process.h"

#include "port.h"

#define MSR_EFER 0xC0000080
#define EFER_SYSCALL 0x1
#define EFER_NO_CODE 0x800
#define MSR_STAR 0xC0000081
#define MSR_LSTAR 0xC0000082
#define MSR_FLAGS 0xC0000084
#define CPUID_EXTENDED 0x80000001
#define CPUID_SYSCALL (1u << 11)
#define CPUID_NO_CODE (1u << 20)
#define CPUID_FEATURES 7
#define CPUID_SMEP (1u << 7) // bit in ebx
#define CPUID_SMAP (1u << 20)
#define CR4_SMEP (1ull << 20)
#define CR4_SMAP (1ull << 21)
#define SEGMENT_USER_DATA 0x00CFF3000000FFFF
#define SEGMENT_USER_CODE 0x00AFFB000000FFFF
#define SEGMENT_TSS 0x89ull
#define TSS_PORTS 102 // offset of the field for port permissions; the field points beyond the end: no permissions
#define EXCEPTION_NMI 2
#define EXCEPTION_NO_FPU 7
#define EXCEPTION_DOUBLE_FAULT 8

_Static_assert(offsetof(struct process, root) == PROCESS_ROOT, "what entry.S knows of it");

extern const char process_exceptions[], system_call[];
extern const struct user_memory {
    uint8_t *place;
    uint64_t last_byte;
} user_memory[], user_memory_end[]; // defined in entry.S
_Alignas(16) uint8_t process_tss[TSS_BYTES];
static uint64_t segments[SEGMENTS];
struct process process_none = {.flags = USER_FLAGS};
struct process *process_current = &process_none;

static uint64_t msr_read(uint32_t number)
{
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number));
    return (uint64_t)high << 32 | low;
}

static void msr_write(uint32_t number, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "c"(number), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)) : "memory");
}

static bool processor_can(void)
{
    uint32_t code = CPUID_EXTENDED, features;
    __asm__ volatile("cpuid" : "+a"(code), "=d"(features) : : "ebx", "ecx");
    return (features & (CPUID_SYSCALL | CPUID_NO_CODE)) == (CPUID_SYSCALL | CPUID_NO_CODE);
}

// The kernel's segments stay where they are. The kernel's TSS is copied, because the double fault needs its stack.
static void segments_start(void)
{
    struct table_pointer earlier, own = {sizeof segments - 1, (uint64_t)segments};
    __asm__ volatile("sgdt %0" : "=m"(earlier));
    const uint64_t *from = (const uint64_t *)earlier.base;
    uint64_t tss = from[SELECTOR_TSS / 8], base = (uint64_t)process_tss;
    const uint8_t *old = (const uint8_t *)((tss >> 16 & 0xFFFFFF) | (tss >> 56) << 24);
    __builtin_memcpy(process_tss, old, TSS_BYTES);
    process_tss[TSS_PORTS] = TSS_BYTES;
    for (unsigned i = 0; i < SELECTOR_TSS / 8; i++)
        segments[i] = from[i];
    segments[SELECTOR_TSS / 8] =
        (TSS_BYTES - 1) | (base & 0xFFFFFF) << 16 | SEGMENT_TSS << 40 | (base >> 24 & 0xFF) << 56;
    segments[SELECTOR_TSS / 8 + 1] = base >> 32;
    segments[SELECTOR_USER_DATA / 8] = SEGMENT_USER_DATA;
    segments[SELECTOR_USER_CODE / 8] = SEGMENT_USER_CODE;
    __asm__ volatile("lgdt %0\n\tltr %w1" : : "m"(own), "r"(SELECTOR_TSS) : "memory");
}

static void gate_lead(struct gate *gate, const char *entry)
{
    uint64_t offset = (uint64_t)entry;
    gate->offset_low = (uint16_t)offset;
    gate->offset_middle = (uint16_t)(offset >> 16);
    gate->offset_high = (uint32_t)(offset >> 32);
}

// The first use of floating point traps, and the kernel's handler also works for processes.
static void exceptions_start(void)
{
    struct table_pointer table;
    __asm__ volatile("sidt %0" : "=m"(table));
    struct gate *gates = (struct gate *)table.base;
    for (unsigned vector = 0; vector < EXCEPTIONS; vector++)
        if (vector != EXCEPTION_NMI && vector != EXCEPTION_NO_FPU && vector != EXCEPTION_DOUBLE_FAULT)
            gate_lead(&gates[vector], process_exceptions + vector * PROCESS_EXCEPTION_BYTES);
}

// If the CPU supports it, the kernel cannot execute a process's code (SMEP), and can access its memory only in entry.S's copies
// (SMAP). So a mistake of the kernel causes a panic. Intel SDM volume 3, 4.6.
static void kernel_restrain(void)
{
    uint32_t code = 0, features, subleaf = 0;
    uint64_t control;
    __asm__ volatile("cpuid" : "+a"(code), "+c"(subleaf) : : "ebx", "edx");
    if (code < CPUID_FEATURES)
        return;
    code = CPUID_FEATURES;
    subleaf = 0;
    __asm__ volatile("cpuid" : "+a"(code), "=b"(features), "+c"(subleaf) : : "edx");
    __asm__ volatile("movq %%cr4, %0" : "=r"(control));
    if (features & CPUID_SMEP)
        control |= CR4_SMEP;
    if (features & CPUID_SMAP) {
        control |= CR4_SMAP;
        for (const struct user_memory *at = user_memory; at < user_memory_end; at++)
            __builtin_memcpy(at->place, (const uint8_t[]){0x0F, 0x01, (uint8_t)at->last_byte}, 3);
    }
    __asm__ volatile("movq %0, %%cr4" : : "r"(control) : "memory");
}

bool modes_start(void)
{
    if (!processor_can())
        return false;
    uintptr_t earlier = interrupts_save();
    __asm__ volatile("movq %%cr3, %0" : "=r"(process_none.root));
    segments_start();
    exceptions_start();
    msr_write(MSR_EFER, msr_read(MSR_EFER) | EFER_SYSCALL | EFER_NO_CODE);
    msr_write(MSR_STAR, (uint64_t)((SELECTOR_USER_DATA - 8) | 3) << 48 | (uint64_t)SELECTOR_CODE << 32);
    msr_write(MSR_LSTAR, (uint64_t)system_call);
    msr_write(MSR_FLAGS, SYSTEM_CALL_FLAGS);
    kernel_restrain();
    interrupts_restore(earlier);
    return true;
}
