// SPDX-License-Identifier: MIT OR Apache-2.0
// Segments, interrupt gates, and the panic in which an exception ends. AMD64 Architecture Programmer's Manual volume 2, 4.8
// (segments), 8.2 (vectors), 12.2.5 (TSS).
#include "core/panic.h"
#include "port.h"
#include "machine.h"

#define GATE_INTERRUPT 0x8E
#define EXCEPTION_NMI 2
#define EXCEPTION_NO_FPU 7
#define EXCEPTION_DOUBLE_FAULT 8
#define FAULT_STACK_BYTES 4096

extern const char interrupt_entries_nesting[], interrupt_entries_plain[], exception_entries[], interrupt_spurious[],
    fpu_trap[];
ISR isr_table[IRQ_LINES + 1];

static struct gate gates[VECTORS];
static uint64_t segments[5];
static _Alignas(16) uint8_t tss[TSS_BYTES];
static _Alignas(16) uint8_t fault_stack[FAULT_STACK_BYTES];

static void gate_set(unsigned vector, const char *entry, uint8_t stack)
{
    uint64_t offset = (uint64_t)entry;
    gates[vector] = (struct gate){.offset_low = (uint16_t)offset,
                                  .selector = SELECTOR_CODE,
                                  .stack = stack,
                                  .type = GATE_INTERRUPT,
                                  .offset_middle = (uint16_t)(offset >> 16),
                                  .offset_high = (uint32_t)(offset >> 32)};
}

uint8_t line_vector(unsigned irq)
{
    return (uint8_t)LINE_VECTOR(irq);
}

void segments_nesting(bool nesting)
{
    const char *entries = nesting ? interrupt_entries_nesting : interrupt_entries_plain;
    unsigned entry_bytes = nesting ? ENTRY_NESTING_BYTES : ENTRY_PLAIN_BYTES;
    for (unsigned irq = 0; irq < IRQ_LINES; irq++)
        gate_set(line_vector(irq), entries + irq * entry_bytes, 0);
    gate_set(VECTOR_TICK, entries + IRQ_LINES * entry_bytes, 0);
}

static void tss_init(void)
{
    uint64_t base = (uint64_t)tss, stack = (uint64_t)(fault_stack + FAULT_STACK_BYTES);
    __builtin_memcpy(tss + TSS_STACK_1, &stack, sizeof stack);
    segments[SELECTOR_TSS / 8] = (TSS_BYTES - 1) | (base & 0xFFFFFF) << 16 | 0x89ull << 40 | (base >> 24 & 0xFF) << 56;
    segments[SELECTOR_TSS / 8 + 1] = base >> 32;
}

void segments_init(void)
{
    segments[SELECTOR_CODE / 8] = 0x00AF9B000000FFFF;
    segments[SELECTOR_DATA / 8] = 0x00CF93000000FFFF;
    tss_init();
    for (unsigned vector = 0; vector < EXCEPTIONS; vector++) {
        bool own_stack = vector == EXCEPTION_DOUBLE_FAULT || vector == EXCEPTION_NMI;
        gate_set(vector, exception_entries + vector * EXCEPTION_BYTES, own_stack ? 1 : 0);
    }
    gate_set(EXCEPTION_NO_FPU, fpu_trap, 0);
    gate_set(VECTOR_SPURIOUS, interrupt_spurious, 0);
    segments_nesting(true);
    struct table_pointer gdt = {sizeof segments - 1, (uint64_t)segments}, idt = {sizeof gates - 1, (uint64_t)gates};
    __asm__ volatile("lgdt %0\n\tlidt %1\n\tltr %w2" : : "m"(gdt), "m"(idt), "r"(SELECTOR_TSS));
}

_Noreturn void exception_panic(const struct exception_frame *frame)
{
    static const char *const names[EXCEPTIONS] = {
        [0] = "divide error", [2] = "NMI",          [3] = "breakpoint",        [6] = "invalid instruction",
        [8] = "double fault", [12] = "stack fault", [13] = "protection fault", [14] = "page fault"};
    uint64_t address;
    __asm__ volatile("movq %%cr2, %0" : "=r"(address));
    const char *name = names[frame->vector] != NULL ? names[frame->vector] : "exception";
    NKDbgPrintfW("\nexception %u (%s), error %llx, address %llx, rip %llx, rsp %llx\n", (unsigned)frame->vector, name,
                 (unsigned long long)frame->error, (unsigned long long)address, (unsigned long long)frame->rip,
                 (unsigned long long)frame->rsp);
    panic(symbol_name(frame->rip, NULL), stack_is_guard(address) ? "this thread's stack has overflowed" : name);
}
