// SPDX-License-Identifier: MIT OR Apache-2.0
// Interrupt lines: the old controllers masked, each ISA line edge-triggered through the I/O APIC to the
// vector of its class. Intel SDM volume 3, 11 (local APIC, xAPIC mode); 82093AA I/O APIC datasheet, 3.
#include "core/irq.h"
#include "port.h"
#include "machine.h"

#define PIC_1_DATA 0x21
#define PIC_2_DATA 0xA1
#define APIC_TASK_PRIORITY 0x80
#define APIC_SPURIOUS 0xF0
#define APIC_ID 0x20
#define APIC_ENABLE 0x100
#define IO_APIC_REDIRECTION 0x10
#define REDIRECTION_MASKED 0x10000

_Static_assert(sizeof(struct irq) == 1 << IRQ_SHIFT && offsetof(struct irq, coalesced) == IRQ_COALESCED,
               "what interrupt_again in entry.S knows of it");

extern ISR isr_table[];

static void io_apic_write(uint32_t index, uint32_t value)
{
    *(volatile uint32_t *)IO_APIC_WINDOW = index;
    *(volatile uint32_t *)(IO_APIC_WINDOW + 0x10) = value;
}

static DWORD isr_nobody(void)
{
    return SYSINTR_NOP;
}

// Input of the I/O APIC to vector, edge-triggered. Its two registers are nobody's but the holder's of the gate; no ISR
// comes here, so interrupts stay on.
void apic_route(unsigned input, uint8_t vector, bool masked)
{
    io_apic_write(IO_APIC_REDIRECTION + 2 * input + 1, apic_read(APIC_ID));
    io_apic_write(IO_APIC_REDIRECTION + 2 * input, vector | (masked ? REDIRECTION_MASKED : 0));
}

// ISA line n is input n of the I/O APIC, but for the old timer's line 0, which nobody uses.
bool line_connect(unsigned irq, ISR isr)
{
    if (irq == 0 || irq == 2)
        return false;
    isr_table[irq] = isr != NULL ? isr : isr_nobody;
    apic_route(irq, line_vector(irq), isr == NULL);
    return true;
}

// An edge on a masked line is lost.
void line_mask(unsigned irq, bool masked)
{
    apic_route(irq, line_vector(irq), masked);
}

// An edge leaves no level behind: a chain is walked once for each.
bool line_is_active(unsigned irq)
{
    (void)irq;
    return false;
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
