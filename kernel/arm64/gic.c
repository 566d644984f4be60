// SPDX-License-Identifier: MIT OR Apache-2.0
// Interrupt lines, and the GPIO controller on LINE_1. Each line is a shared input of the interrupt controller, with the priority
// of its class. It is edge-triggered unless the OEM sets it to level-triggered. The controller is a GICv3 or a GICv2 (gic_2.c);
// both have these registers. Arm GIC Architecture Specification 3, chapters 4 and 12; PrimeCell PL061, 3.
#include "board.h"
#include "core/irq.h"
#include "machine.h"
#include "port.h"

#define REDISTRIBUTOR 0x080A0000
#define REDISTRIBUTOR_OWN 0x080B0000 // the CPU's private interrupts, 0 to 31; a GICv2 has them in the distributor
#define GICR_WAKER 0x014
#define GICD_CTLR 0x000
#define GICD_IGROUPR 0x080
#define GICD_ISENABLER 0x100
#define GICD_ICENABLER 0x180
#define GICD_ICPENDR 0x280
#define GICD_IPRIORITYR 0x400
#define GICD_ICFGR 0xC00
#define CTLR_ON 0x12     // enables affinity routing and interrupts of group 1
#define EDGES 0xAAAAAAAA // two bits per interrupt; the higher one means edge-triggered

// A lower number is a higher priority. The upper three bits decide which interrupt preempts which.
#define PRIORITY_LINE_1 0x40
#define PRIORITY_LINE_2 0x60
#define PRIORITY_LINES 0x80
#define PRIORITY_TICK 0xA0

#define GPIO_INPUT 0x404 // register with one bit per line: level-triggered
#define GPIO_BOTH 0x408
#define GPIO_RISES 0x40C
#define GPIO_LETS_THROUGH 0x410

_Static_assert(sizeof(struct irq) == 1 << IRQ_SHIFT && offsetof(struct irq, coalesced) == IRQ_COALESCED,
               "what interrupt_again in entry.S knows of it");

_Alignas(PAGE_BYTES) ISR isr_table[INTERRUPT_NUMBERS + PAGE_BYTES / sizeof(ISR)];

static uintptr_t own_registers = REDISTRIBUTOR_OWN;
static uint8_t masks[IRQ_LINES]; // bits of enum line_mask
static uint32_t levels;          // one bit for each level-triggered line

static DWORD isr_nobody(void)
{
    return SYSINTR_NOP;
}

static volatile uint32_t *lines_register(uintptr_t offset)
{
    return device_word(GIC_DISTRIBUTOR + offset + INTERRUPT_LINES / 8);
}

static void line_route(unsigned irq)
{
    bool masked = masks[irq] != 0 || *isr_place(irq) == isr_nobody;
    *lines_register(masked ? GICD_ICENABLER : GICD_ISENABLER) = 1u << irq;
}

// Drops interrupts that came while no ISR was connected to the line.
bool line_connect(unsigned irq, ISR isr)
{
    if (*isr_place(irq) == isr_nobody)
        *lines_register(GICD_ICPENDR) = 1u << irq;
    *isr_place(irq) = isr != NULL ? isr : isr_nobody;
    if (irq == LINE_1)
        isr_table[INTERRUPT_STIMULUS] = *isr_place(irq);
    masks[irq] &= (uint8_t)~LINE_DISABLED;
    line_route(irq);
    return true;
}

// A masked line keeps one edge. A second edge merges with it.
void line_mask(unsigned irq, enum line_mask why, bool masked)
{
    masks[irq] = (uint8_t)(masked ? masks[irq] | why : masks[irq] & ~why);
    line_route(irq);
}

int sysintr_line(unsigned sysintr)
{
    unsigned irq = sysintr - SYSINTR_FIRMWARE;
    return irq < IRQ_LINES ? (int)irq : -1;
}

bool line_trigger(unsigned irq, bool level)
{
    volatile uint32_t *word = device_word(GIC_DISTRIBUTOR + GICD_ICFGR + INTERRUPT_LINES / 4);
    *word = level ? *word & ~(2u << 2 * irq) : *word | 2u << 2 * irq;
    levels = level ? levels | 1u << irq : levels & ~(1u << irq);
    return true;
}

// An edge-triggered line has no level that could be read afterwards, so its chain is walked once per edge.
bool line_is_active(unsigned irq)
{
    return levels & *lines_register(GICD_ISPENDR) & 1u << irq;
}

static void priority_set(uintptr_t registers, unsigned number, uint8_t priority)
{
    *(volatile uint8_t *)(registers + GICD_IPRIORITYR + number) = priority;
}

void gic_nest(bool nest)
{
    for (unsigned irq = 0; irq < IRQ_LINES; irq++)
        priority_set(GIC_DISTRIBUTOR, INTERRUPT_LINES + irq, PRIORITY_LINES);
    if (nest) {
        priority_set(GIC_DISTRIBUTOR, INTERRUPT_LINES + LINE_1, PRIORITY_LINE_1);
        priority_set(GIC_DISTRIBUTOR, INTERRUPT_LINES + LINE_2, PRIORITY_LINE_2);
    }
    priority_set(own_registers, INTERRUPT_STIMULUS, nest ? PRIORITY_LINE_1 : PRIORITY_LINES);
    priority_set(own_registers, INTERRUPT_TICK, nest ? PRIORITY_TICK : PRIORITY_LINES);
    processor_synchronize();
}

void gic_stimulus_enable(void)
{
    *device_word(own_registers + GICD_ISENABLER) = 1u << INTERRUPT_STIMULUS;
}

static void gpio_init(void)
{
    *device_word(GPIO + GPIO_INPUT) = 0;
    *device_word(GPIO + GPIO_BOTH) = 0;
    *device_word(GPIO + GPIO_RISES) = GPIO_LINE_1;
    *device_word(GPIO + GPIO_CLEAR) = UINT8_MAX;
    *device_word(GPIO + GPIO_LETS_THROUGH) = GPIO_LINE_1;
}

static void gic_3_init(void)
{
    SYSTEM_WRITE(ICC_SRE, 1);
    processor_synchronize();
    *device_word(REDISTRIBUTOR + GICR_WAKER) = 0;
    *device_word(own_registers + GICD_IGROUPR) = UINT32_MAX;
    *device_word(GIC_DISTRIBUTOR + GICD_CTLR) = CTLR_ON;
    *lines_register(GICD_IGROUPR) = UINT32_MAX;
    SYSTEM_WRITE(ICC_PMR, 0xFF);
    SYSTEM_WRITE(ICC_IGRPEN1, 1);
}

// The tick is level-triggered: the timer requests the interrupt as long as the tick is due. The interrupts of the CPU's
// other timers are edge-triggered.
static void gic_lines_init(void)
{
    *device_word(own_registers + GICD_ICENABLER) = UINT32_MAX;
    *device_word(own_registers + GICD_ICFGR + 4) = 2u << 2 * (INTERRUPT_STIMULUS - 16);
    *lines_register(GICD_ICENABLER) = UINT32_MAX;
    *device_word(GIC_DISTRIBUTOR + GICD_ICFGR + INTERRUPT_LINES / 4) = EDGES;
    gic_nest(true);
    *device_word(own_registers + GICD_ISENABLER) = 1u << INTERRUPT_TICK;
}

void gic_init(void)
{
    for (unsigned number = 0; number < INTERRUPT_NUMBERS; number++)
        isr_table[number] = isr_nobody;
    *isr_place(IRQ_LINES) = clock_isr;
    gpio_init();
    if (gic_is_2()) {
        own_registers = GIC_DISTRIBUTOR;
        gic_2_init();
    } else {
        gic_3_init();
    }
    gic_lines_init();
    processor_synchronize();
}
