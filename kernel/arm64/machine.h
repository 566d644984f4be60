// SPDX-License-Identifier: MIT OR Apache-2.0
// The arm64 board: addresses, interrupts, frames, and the interfaces between the files in arm64/. The board is QEMU's `virt` with
// a GICv3 or a GICv2. The addresses are from QEMU's hw/arm/virt. Arm Architecture Reference Manual for A-profile; Arm GIC
// Architecture Specification, versions 2, 3 and 4.
#ifndef DETENT_MACHINE_H
#define DETENT_MACHINE_H

#define RAM 0x40000000
#define RAM_MOST (1 << 30) // the kernel uses one GiB of memory
// Where the connector's page is mapped, for the kernel and for a process with permission. Without a connector, unused memory is
// mapped there.
#define CONNECTOR_WINDOW_OF_KERNEL 0x80000000
#define CONNECTOR_WINDOW_OF_USER 0x8000000000 // the same as USER_START
#ifdef DETENT_PROCESSES
#define CONNECTOR_WINDOW CONNECTOR_WINDOW_OF_USER
#else
#define CONNECTOR_WINDOW CONNECTOR_WINDOW_OF_KERNEL
#endif

// Interrupt numbers at the controller. Line n is shared input n; the tick is the interrupt of the virtual timer. The
// physical timer is used as LINE_1 too, to request an interrupt at a chosen time.
#define INTERRUPT_TICK 27
#define INTERRUPT_STIMULUS 30
#define INTERRUPT_LINES 32
#define INTERRUPT_NUMBERS 1024 // including the numbers that mean "no interrupt"

// System registers by number, because assemblers know different names. gic_2.c replaces those that measured paths use.
#define ICC_PMR S3_0_C4_C6_0
#define ICC_IAR1 S3_0_C12_C12_0
#define ICC_EOIR1 S3_0_C12_C12_1
#define ICC_HPPIR1 S3_0_C12_C12_2
#define ICC_SRE S3_0_C12_C12_5
#define ICC_IGRPEN1 S3_0_C12_C12_7

#define SYSINTR_LAST 63
#define LINE_STUB_BYTES 8

// The frame that an interrupt leaves below the stack pointer: the registers that a call may change (x0 to x8, x16, x17 and x30)
// and the interrupted address. No code of the image uses x9 to x15 and x18. x27 and x28 have the same value everywhere: the table
// of ISRs and the gate.
#define FRAME_BYTES 128
#define FRAME_ADDRESS 96
#define FRAME_STATE 104
#define FRAME_NUMBER 112
#define SWITCH_BYTES 80 // saved by switch_plain on the stack

#define THREAD_STACK_POINTER 24 // offset of stack_pointer in struct thread

#define IRQ_SHIFT 4      // all struct irq have 1 << IRQ_SHIFT bytes,
#define IRQ_COALESCED 12 // and their `coalesced` is at this offset

#define BOOT_STACK_BYTES 16384
#define FAULT_STACK_BYTES 4096
#define PAGE_BYTES 4096
#define PAGE_TABLE_ENTRIES 512
#define CACHE_LINE_LEAST 16 // bytes

// Translation descriptors: a block or page of normal memory, and of device memory, which is not executable.
#define PAGE_TABLE 0x3
#define PAGE_MEMORY 0x703 // used, inner shareable, attributes 0
#define BLOCK_MEMORY 0x701
#define BLOCK_DEVICE 0x0060000000000405 // attributes 1
#define PAGE_DEVICE 0x0060000000000407
#define PAGE_ATTRIBUTES 0x1C

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/gate.h"
#include "detent.h"
#include "limits.h"

#define TEXT_OF(tokens) #tokens
#define TEXT(macro) TEXT_OF(macro)

#define SYSTEM_READ(name) \
    ({ \
        uint64_t value; \
        __asm__ volatile("mrs %0, " TEXT(name) : "=r"(value) : : "memory"); \
        value; \
    })
#define SYSTEM_WRITE(name, value) __asm__ volatile("msr " TEXT(name) ", %x0" : : "rZ"((uint64_t)(value)) : "memory")

static inline volatile uint32_t *device_word(uintptr_t address)
{
    return (volatile uint32_t *)address;
}

// Makes the CPU wait for its writes to memory and page tables to take effect.
static inline void processor_synchronize(void)
{
    __asm__ volatile("dsb sy\n\tisb" : : : "memory");
}

// The entry of the small page at this address, in its table.
static inline uint64_t *page_entry(uint64_t *table, uint64_t address)
{
    return &table[address / PAGE_BYTES % PAGE_TABLE_ENTRIES];
}

// Invalidates the TLB.
static inline void pages_forget(void)
{
    __asm__ volatile("dsb ishst\n\ttlbi vmalle1\n\tdsb ish\n\tisb" : : : "memory");
}

// ---- what the files in ports/ need in addition to port.h and board.h ----

static inline uint64_t cycles_now(void)
{
    return SYSTEM_READ(cntvct_el0);
}

static inline uint32_t timer_counts_of(uint64_t cycles)
{
    return (uint32_t)cycles;
}

static inline void timer_set(uint64_t now_cycles, uint64_t at_cycles)
{
    (void)now_cycles;
    SYSTEM_WRITE(cntv_cval_el0, at_cycles);
}

static inline void timer_connect(void)
{
    SYSTEM_WRITE(cntv_ctl_el0, 1);
}

// Silences the timer when the tick's ISR returns without setting it. Otherwise the timer would keep requesting the interrupt.
static inline void timer_quiet(void)
{
    SYSTEM_WRITE(cntv_cval_el0, INT64_MAX);
}

// Call with interrupts disabled: waits for an interrupt and handles it. Returns with interrupts enabled.
static inline void processor_wait(void)
{
    __asm__ volatile("wfi\n\tmsr daifclr, #2" : : : "memory");
}

// Behaves like a CPU that executes its sleep instruction again after the ISR of an interrupt that was already pending.
static inline void processor_wait_twice(void)
{
    __asm__ volatile("msr daifclr, #2\n\tisb\n\twfi" : : : "memory");
}

// Call with interrupts disabled: whether an interrupt is pending.
static inline bool interrupt_waits(void)
{
    return SYSTEM_READ(ICC_HPPIR1) < INTERRUPT_NUMBERS - 4;
}

// Makes instructions executable that were written as data. The bytes must be whole instructions.
static inline void code_appears(const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += CACHE_LINE_LEAST)
        __asm__ volatile("dc cvau, %0" : : "r"((const char *)from + at) : "memory");
    __asm__ volatile("dsb ish\n\tic iallu\n\tdsb ish\n\tisb" : : : "memory");
}

// The ISR of each line; at IRQ_LINES the tick's. The table ends with a page in which a GICv2 is mapped.
extern ISR isr_table[];

static inline ISR *isr_place(unsigned line)
{
    return &isr_table[line == IRQ_LINES ? INTERRUPT_TICK : INTERRUPT_LINES + line];
}

// ---- what these files provide for each other ----

_Noreturn void exception_panic(uint64_t vector, uint64_t syndrome, uint64_t address, uint64_t pc, uint64_t sp);
bool device_is_there(uintptr_t address); // defined in entry.S: whether a byte can be read there
void gic_init(void);
bool gic_is_2(void);
void gic_2_init(void);
void gic_nest(bool nest); // whether lines have different priorities, or all the same
void gic_stimulus_enable(void);
void pages_init(void);
extern uint64_t connector_table[];      // a table of pages; its first entry is the connector's page
uint64_t *page_table(uint64_t address); // the table of that address's large page; NULL: no memory
void counter_init(void);
const char *memory_init(void); // returns the boot loader's command line
void clock_start(void);
DWORD clock_isr(void);
_Noreturn void idle_run(void);
bool stack_is_guard(uint64_t address);
extern volatile bool machine_stops; // while true, an exception means that semihosting cannot end the machine

struct thread;
void switch_plain(struct thread *from, struct thread *to);
void switch_noted(struct thread *from, struct thread *to); // also records the switch in the trail
void switch_from_fpu(struct thread *from,
                     struct thread *to);                             // also switches the FPU off; resets switch_to
void switch_from_idle(struct thread *from, struct thread *to);       // also stops counting idle time; resets switch_to
extern void (*switch_usual)(struct thread *from, struct thread *to); // switch_plain or switch_noted

// A thread's floating-point registers, in the layout that fpu_save in entry.S writes.
struct fpu_area {
    uint8_t registers[512];
    uint64_t control, status;
    uint64_t used, rest; // used: this thread has used floating point
};
#define FPU_CLEAN \
    { \
        .used = 0 \
    } // exceptions untrapped, rounding to the nearest

// After this call, the next use of floating point does not trap.
static inline void fpu_permit(void)
{
    SYSTEM_WRITE(cpacr_el1, 3 << 20);
    __asm__ volatile("isb" : : : "memory");
}

void fpu_save(struct fpu_area *area); // defined in entry.S
void fpu_restore(const struct fpu_area *area);
extern struct fpu_area *fpu_owner;               // the area whose contents are in the registers; NULL: none
struct fpu_area *stack_fpu_area(unsigned index); // the FPU area of the thread with that index
#endif

#endif
