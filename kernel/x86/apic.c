// SPDX-License-Identifier: MIT OR Apache-2.0
// Interrupt lines: the old controllers are masked. Each ISA line goes through the I/O APIC to the vector of its class. It is
// edge-triggered unless the OEM sets it to level-triggered. Intel SDM volume 3, 11 (local APIC, xAPIC mode); 82093AA I/O APIC
// datasheet, 3.
#include "core/irq.h"
#include "port.h"
#include "machine.h"

#define PIC_1_COMMAND 0x20
#define PIC_1_DATA 0x21
#define PIC_2_COMMAND 0xA0
#define PIC_2_DATA 0xA1
#define PIC_READ_REQUESTS 0x0A
#define ELCR 0x4D0
#define LINES_OF_EDGES 0x2107
#define APIC_TASK_PRIORITY 0x80
#define APIC_SPURIOUS 0xF0
#define APIC_ID 0x20
#define APIC_ENABLE 0x100
#define IO_APIC_REDIRECTION 0x10
#define REDIRECTION_MASKED 0x10000
#define REDIRECTION_LEVEL 0x8000

_Static_assert(sizeof(struct irq) == 1 << IRQ_SHIFT && offsetof(struct irq, coalesced) == IRQ_COALESCED,
               "what interrupt_again in entry.S knows of it");

// Writes with interrupts disabled, because an ISR that masks its line could come between the two steps.
static void io_apic_write(uint32_t index, uint32_t value)
{
    __asm__ volatile("pushfq\n\tcli\n\tmovl %0, (%2)\n\tmovl %1, 0x10(%2)\n\tpopfq"
                     :
                     : "r"(index), "r"(value), "r"(IO_APIC_WINDOW)
                     : "cc", "memory");
}

static DWORD isr_nobody(void)
{
    return SYSINTR_NOP;
}

void apic_route(unsigned input, uint8_t vector, uint32_t flags)
{
    io_apic_write(IO_APIC_REDIRECTION + 2 * input + 1, apic_read(APIC_ID));
    io_apic_write(IO_APIC_REDIRECTION + 2 * input, vector | flags);
}

static uint8_t masks[IRQ_LINES]; // bits of enum line_mask
static bool levels[IRQ_LINES];

static void line_route(unsigned irq)
{
    bool masked = masks[irq] != 0 || isr_table[irq] == isr_nobody;
    apic_route(irq, line_vector(irq), (masked ? REDIRECTION_MASKED : 0) | (levels[irq] ? REDIRECTION_LEVEL : 0));
}

// ISA line n is input n of the I/O APIC. There are two exceptions. Line 0, the old timer's, is unused. Line 2 connected
// the two old controllers, so input 2 has no line, and a timer's driver may use it.
static bool line_exists(unsigned irq)
{
    return irq != 0 && irq != 2;
}

bool line_connect(unsigned irq, ISR isr)
{
    if (!line_exists(irq))
        return false;
    isr_table[irq] = isr != NULL ? isr : isr_nobody;
    masks[irq] &= (uint8_t)~LINE_DISABLED;
    line_route(irq);
    return true;
}

// An edge on a masked line is lost; a level is not.
void line_mask(unsigned irq, enum line_mask why, bool masked)
{
    masks[irq] = (uint8_t)(masked ? masks[irq] | why : masks[irq] & ~why);
    line_route(irq);
}

int sysintr_line(unsigned sysintr)
{
    unsigned irq = sysintr - SYSINTR_FIRMWARE;
    return irq < IRQ_LINES && line_exists(irq) ? (int)irq : -1;
}

// The old controllers are masked, but still show the current level of a level-triggered line. Lines 0, 1, 2, 8 and 13 are always
// edge-triggered. PIIX4 datasheet, 4.2.3 (edge and level control registers).
bool line_trigger(unsigned irq, bool level)
{
    if (level && LINES_OF_EDGES >> irq & 1)
        return false;
    uint16_t port = (uint16_t)(ELCR + irq / 8);
    uint8_t bit = (uint8_t)(1u << irq % 8);
    out8(port, (uint8_t)(level ? in8(port) | bit : in8(port) & ~bit));
    levels[irq] = level;
    return true;
}

// An edge-triggered line has no level that could be read afterwards, so its chain is walked once per edge.
bool line_is_active(unsigned irq)
{
    uint16_t command = irq < 8 ? PIC_1_COMMAND : PIC_2_COMMAND;
    if (!levels[irq])
        return false;
    out8(command, PIC_READ_REQUESTS);
    return in8(command) >> irq % 8 & 1;
}

void apic_init(void)
{
    out8(PIC_1_DATA, 0xFF);
    out8(PIC_2_DATA, 0xFF);
    for (unsigned irq = 0; irq < IRQ_LINES; irq++) {
        isr_table[irq] = isr_nobody;
        io_apic_write(IO_APIC_REDIRECTION + 2 * irq, REDIRECTION_MASKED);
    }
    isr_table[IRQ_LINES] = clock_isr;
    apic_write(APIC_TASK_PRIORITY, 0);
    apic_write(APIC_SPURIOUS, APIC_ENABLE | VECTOR_SPURIOUS);
}
