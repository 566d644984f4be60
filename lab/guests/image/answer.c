/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The shortest image that answers the bench: an interrupt routine answers on line ISR and wakes the main loop, which answers on
 * line APP.
 *
 * Only the calls of answer.h belong to the bench. The rest is what any kernel does on a PC: a multiboot header, flat segments, one
 * gate, the first interrupt controller. docs/how-to/rtos.md has the command that builds it.
 *
 * Sources: Multiboot Specification 0.6.96; Intel SDM volume 3, 3.4.5 and 6.11; Intel 8259A data sheet.
 */
#include "../../../wire/answer.h"

#define FIRST_VECTOR 0x20
#define CONTROLLER 0x20
#define CONTROLLER_MASK 0x21
#define END_OF_INTERRUPT 0x20

/*
 * The entry point for QEMU, with interrupts and paging off, and segment registers that may not be reloaded yet. Then the entry
 * point of interrupt 7.
 */
__asm__(".text\n"
        ".balign 4\n"
        ".long 0x1BADB002, 0, -0x1BADB002\n"
        ".globl _start\n"
        "_start:\n"
        "    mov $stack + 4096, %esp\n"
        "    lgdt segments_pointer\n"
        "    ljmp $8, $1f\n"
        "1:  mov $16, %eax\n"
        "    mov %eax, %ds\n"
        "    mov %eax, %es\n"
        "    mov %eax, %ss\n"
        "    call main\n"
        ".globl interrupt\n"
        "interrupt:\n"
        "    pusha\n"
        "    cld\n"
        "    call interrupted\n"
        "    popa\n"
        "    iret\n"
        ".section .rodata\n"
        ".balign 8\n"
        "segments:\n"
        "    .quad 0, 0x00CF9A000000FFFF, 0x00CF92000000FFFF\n"
        "segments_pointer:\n"
        "    .word . - segments - 1\n"
        "    .long segments\n"
        ".text\n");

struct gate {
    uint16_t offset_low, segment, kind, offset_high;
};

void interrupt(void);
void interrupted(void);

unsigned char stack[4096] __attribute__((aligned(16), used));
static struct gate gates[FIRST_VECTOR + CONNECTOR_A_IRQ + 1];
static volatile bool woken;

void interrupted(void)
{
    answer_raise(CONNECTOR_LINE_ISR);
    answer_lower(CONNECTOR_LINE_ISR);
    woken = true;
    answer_write(CONTROLLER, END_OF_INTERRUPT);
}

static void gate_open(void)
{
    const uint32_t offset = (uint32_t)interrupt;
    gates[FIRST_VECTOR + CONNECTOR_A_IRQ] = (struct gate){(uint16_t)offset, 8, 0x8E00, (uint16_t)(offset >> 16)};
    const struct {
        uint16_t limit;
        struct gate *gates;
    } __attribute__((packed)) pointer = {sizeof gates - 1, gates};
    __asm__ volatile("lidt %0" : : "m"(pointer));
}

/*
 * The controller requires this order: cascaded and edge-triggered; first vector; second controller on line 2; PC mode; the mask.
 */
static void controller_start(void)
{
    answer_write(CONTROLLER, 0x11);
    answer_write(CONTROLLER_MASK, FIRST_VECTOR);
    answer_write(CONTROLLER_MASK, 4);
    answer_write(CONTROLLER_MASK, 1);
    answer_write(CONTROLLER_MASK, (uint8_t) ~(1 << CONNECTOR_A_IRQ));
}

int main(void)
{
    gate_open();
    controller_start();
    answer_arm();
    for (;;) {
        __asm__ volatile("cli" : : : "memory");
        while (!woken)
            __asm__ volatile("sti\n hlt\n cli" : : : "memory");
        woken = false;
        __asm__ volatile("sti" : : : "memory");
        answer_raise(CONNECTOR_LINE_APP);
        answer_lower(CONNECTOR_LINE_APP);
    }
}
