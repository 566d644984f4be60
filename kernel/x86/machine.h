// SPDX-License-Identifier: MIT OR Apache-2.0
// The PC: addresses, vectors, and the interfaces between the files in x86/.
#ifndef DETENT_MACHINE_H
#define DETENT_MACHINE_H

#define SELECTOR_CODE 0x08
#define SELECTOR_DATA 0x10
#define SELECTOR_TSS 0x18

// Device registers are also mapped at the top of the address space, where one instruction can address them.
#define APIC_WINDOW 0xFFFFFFFFFEE00000
#define IO_APIC_WINDOW 0xFFFFFFFFFEC00000
#define APIC_EOI 0xB0
#define APIC_REQUESTS 0x200 // eight words, 16 bytes apart: the pending interrupts
#define APIC_REQUEST_WORDS 8
#define APIC_LVT_TIMER 0x320
#define APIC_TIMER_INITIAL 0x380
#define APIC_TIMER_CURRENT 0x390

// Vectors: the upper four bits are the priority class of the local APIC; a higher class preempts a lower one. The lines of the
// parallel ports have the highest, the tick the lowest.
#define VECTOR_TICK 0x30
#define VECTOR_LINE_LOW 0x40 // + line; for lines without a priority class of their own
#define VECTOR_LINE_5 0xD5
#define VECTOR_LINE_7 0xE7
#define VECTOR_SPURIOUS 0xFF
#define LINE_VECTOR(irq) ((irq) == 7 ? VECTOR_LINE_7 : (irq) == 5 ? VECTOR_LINE_5 : VECTOR_LINE_LOW + (irq)*8)
#define SYSINTR_LAST 63
#define VECTORS 256
#define EXCEPTIONS 32
#define EXCEPTION_BYTES 4                // distance of two exception entries
#define EXCEPTIONS_WITH_ERROR 0x60227D00 // one bit for each exception with an error code
#define ENTRY_NESTING_BYTES 80           // distance of two interrupt entries
#define ENTRY_PLAIN_BYTES 4
#define LINE_STUB_BYTES 8
#define ENTRY_REGISTERS 9 // pushed by an interrupt entry; called functions preserve the others
// Distance from an ISR's stack pointer to the interrupted address, which is above the ISR's return address.
#define ISR_INTERRUPTED_OFFSET (8 + 8 * ENTRY_REGISTERS)

#define THREAD_STACK_POINTER 24  // offset of stack_pointer in struct thread
#define CR0_FPU_TRAPS 0x8001003B // PG, WP, NE, ET, TS (the next use of floating point traps), MP, PE

#define IRQ_SHIFT 4      // all struct irq have 1 << IRQ_SHIFT bytes,
#define IRQ_COALESCED 12 // and their `coalesced` is at this offset

#define BOOT_STACK_BYTES 16384
#define PAGE_BYTES 4096

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#include "detent.h"

static inline void out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint8_t in8(uint16_t port)
{
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline void out16(uint16_t port, uint16_t value)
{
    __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint16_t in16(uint16_t port)
{
    uint16_t value;
    __asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline uint64_t cycles_now(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

// Invalidates the TLB entry.
static inline void page_forget(uint64_t address)
{
    __asm__ volatile("invlpg (%0)" : : "r"(address) : "memory");
}

static inline void pages_forget(void)
{
    uint64_t root;
    __asm__ volatile("movq %%cr3, %0\n\tmovq %0, %%cr3" : "=r"(root) : : "memory");
}

static inline void apic_write(uint32_t offset, uint32_t value)
{
    *(volatile uint32_t *)(APIC_WINDOW + offset) = value;
}
static inline uint32_t apic_read(uint32_t offset)
{
    return *(volatile uint32_t *)(APIC_WINDOW + offset);
}

// ---- what the files in ports/ need in addition to port.h and board.h ----

extern uint32_t timer_counts_scaled; // timer counts per TSC cycle, times 2^24

static inline uint32_t timer_counts_of(uint64_t cycles)
{
    return (uint32_t)(cycles * timer_counts_scaled >> 24);
}

static inline void timer_set(uint64_t now_cycles, uint64_t at_cycles)
{
    uint64_t counts = ((at_cycles - now_cycles) * timer_counts_scaled >> 24) + 1;
    apic_write(APIC_TIMER_INITIAL, counts > UINT32_MAX ? UINT32_MAX : (uint32_t)counts);
}

static inline void timer_connect(void)
{
    apic_write(APIC_LVT_TIMER, VECTOR_TICK);
}

// Does nothing: the timer requests its interrupt only once.
static inline void timer_quiet(void)
{
}

// Call with interrupts disabled: waits for an interrupt and handles it. Returns with interrupts enabled.
static inline void processor_wait(void)
{
    __asm__ volatile("sti\n\thlt" : : : "memory");
}

// Behaves like a CPU that executes its sleep instruction again after the ISR of an interrupt that was already pending.
static inline void processor_wait_twice(void)
{
    __asm__ volatile("sti\n\thlt\n\thlt" : : : "memory");
}

// Call with interrupts disabled: whether an interrupt is pending.
static inline bool interrupt_waits(void)
{
    uint32_t requests = 0;
    for (unsigned i = 0; i < APIC_REQUEST_WORDS; i++)
        requests |= apic_read(APIC_REQUESTS + i * 16);
    return requests != 0;
}

// The ISR of each line; at IRQ_LINES the tick's.
extern ISR isr_table[];

static inline ISR *isr_place(unsigned line)
{
    return &isr_table[line];
}

// Tables of the CPU: a gate for each vector, and the location of a table.
struct gate {
    uint16_t offset_low, selector;
    uint8_t stack, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};
struct __attribute__((packed)) table_pointer {
    uint16_t limit;
    uint64_t base;
};
#define TSS_BYTES 104
#define TSS_STACK_1 36 // offset of the first of the interrupt stacks

// The stack at exception entry: vector and error code, then the CPU's frame.
struct exception_frame {
    uint64_t vector, error, rip, cs, rflags, rsp, ss;
};
_Noreturn void exception_panic(const struct exception_frame *frame);

uint8_t line_vector(unsigned irq);
void serial_init(void);
void segments_init(void);
struct multiboot_information {
    uint32_t flags, memory_low, memory_high, boot_device, command_line; // memory in KiB
    uint32_t modules_count, modules; // address of modules_count structs multiboot_module
};
struct multiboot_module {
    uint32_t start, end, name, reserved;
};
void memory_init(const struct multiboot_information *information);
bool stack_is_guard(uint64_t address);
struct thread;
void switch_plain(struct thread *from, struct thread *to);
void switch_noted(struct thread *from, struct thread *to); // also records the switch in the trail
void switch_from_fpu(struct thread *from,
                     struct thread *to);                             // also switches the FPU off; resets switch_to
void switch_from_idle(struct thread *from, struct thread *to);       // also stops counting idle time; resets switch_to
extern void (*switch_usual)(struct thread *from, struct thread *to); // switch_plain or switch_noted

// The layout of FXSAVE64. Software may use the last 48 bytes.
struct fpu_area {
    uint16_t control, status;
    uint8_t tags, reserved;
    uint16_t opcode;
    uint64_t instruction, operand;
    uint32_t mxcsr, mxcsr_mask;
    uint8_t registers[432];
    uint64_t used, rest[5]; // used: this thread has used floating point
};
#define FPU_CLEAN \
    { \
        .control = 0x037F, .mxcsr = 0x1F80 \
    } // exceptions masked, 64-bit precision

// AMD64 Architecture Programmer's Manual volume 2, 8.2.8 (#NM), 11.5 (saving media and x87 state).
static inline void fpu_permit(void)
{
    __asm__ volatile("clts" : : : "memory");
}

static inline void fpu_save(struct fpu_area *area)
{
    __asm__ volatile("fxsave64 %0" : "=m"(*area));
}

static inline void fpu_restore(const struct fpu_area *area)
{
    __asm__ volatile("fxrstor64 %0" : : "m"(*area));
}

extern struct fpu_area *fpu_owner;               // the area whose contents are in the registers; NULL: none
struct fpu_area *stack_fpu_area(unsigned index); // the FPU area of the thread with that index
void segments_nesting(bool nesting);             // whether interrupt gates unmask before the ISR
void apic_init(void);
void apic_route(unsigned input, uint8_t vector, uint32_t flags); // I/O APIC; flags 0: edge-triggered, not masked
void tsc_init(void); // measures counter_hz, and the timer's counts per cycle
void clock_start(void);
DWORD clock_isr(void);
_Noreturn void idle_run(void);
#endif

#endif
