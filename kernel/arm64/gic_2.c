// SPDX-License-Identifier: MIT OR Apache-2.0
// Support for a GICv2. Its CPU interface is in memory, while a GICv3 has system registers. The kernel maps the interface directly
// after the table of ISRs, whose address a register holds, so each access is one instruction, as with a GICv3. Before the first
// interrupt, these instructions replace the GICv3 instructions in the code. So the paths have the same length with either
// controller, and do not test which one it is. Arm GIC Architecture Specification 2, chapter 4; Arm Architecture Reference Manual
// for A-profile, C6.2 (LDR, MRS, MSR, STR).
#include "board.h"
#include "core/irq.h"
#include "core/panic.h"
#include "machine.h"
#include "port.h"

#define GIC_PROCESSOR 0x08010000
#define GICC_CTLR 0x00
#define GICC_PMR 0x04
#define GICC_IAR 0x0C
#define GICC_EOIR 0x10
#define GICC_HPPIR 0x18
#define GICD_CTLR 0x000
#define GICD_ITARGETSR 0x800

#define FEATURES_CONTROLLER_SHIFT 24
#define FEATURE 0xF

#define REGISTER 0x1Fu                           // field of an instruction's first or only register
#define WINDOW (sizeof(ISR) * INTERRUPT_NUMBERS) // offset from the table's beginning, whose address is in x27
#define LDR(place) (0xB9400360u | (uint32_t)(WINDOW + (place)) << 8)
#define STR(place) (0xB9000360u | (uint32_t)(WINDOW + (place)) << 8)

_Static_assert(WINDOW + GICC_HPPIR < 1 << 14, "what one instruction reaches");

static const struct {
    uint32_t of_3, of_2;
} counterparts[] = {
    {0xD538CC00, LDR(GICC_IAR)},   // replaces mrs of ICC_IAR1
    {0xD538CC40, LDR(GICC_HPPIR)}, // replaces mrs of ICC_HPPIR1
    {0xD518CC20, STR(GICC_EOIR)},  // replaces msr of ICC_EOIR1
};

extern char kernel_code_end[]; // defined in detent.ld

// Whether the CPU has the registers of a GICv3, read from the CPU's own identification register.
bool gic_is_2(void)
{
    return (SYSTEM_READ(id_aa64pfr0_el1) >> FEATURES_CONTROLLER_SHIFT & FEATURE) == 0;
}

static void instruction_replace(uint32_t *at)
{
    for (size_t i = 0; i < sizeof counterparts / sizeof counterparts[0]; i++)
        if ((*at & ~REGISTER) == counterparts[i].of_3)
            *at = counterparts[i].of_2 | (*at & REGISTER);
}

static void window_make(void)
{
    uint64_t at = (uint64_t)&isr_table[INTERRUPT_NUMBERS], *table = page_table(at);
    if (table == NULL)
        panic(__func__, "no memory");
    *page_entry(table, at) = GIC_PROCESSOR | PAGE_DEVICE;
    pages_forget();
}

// Routes every line to this CPU. The controller reports the CPU's number in the register for the private interrupts.
static void lines_target(void)
{
    uint32_t self = *device_word(GIC_DISTRIBUTOR + GICD_ITARGETSR);
    for (unsigned irq = 0; irq < IRQ_LINES; irq += 4)
        *device_word(GIC_DISTRIBUTOR + GICD_ITARGETSR + INTERRUPT_LINES + irq) = self;
}

// The interrupt groups stay unchanged: either the firmware owns them, or all interrupts are in the first group.
void gic_2_init(void)
{
    window_make();
    for (uint32_t *at = (uint32_t *)image_start; at < (uint32_t *)kernel_code_end; at++)
        instruction_replace(at);
    code_appears(image_start, (size_t)(kernel_code_end - image_start));
    lines_target();
    *device_word(GIC_DISTRIBUTOR + GICD_CTLR) = 1;
    *device_word(GIC_PROCESSOR + GICC_PMR) = 0xFF;
    *device_word(GIC_PROCESSOR + GICC_CTLR) = 1;
}
