// SPDX-License-Identifier: MIT OR Apache-2.0
// See pio.h. RP2040 datasheet 3.7.
#include "pio.h"

#include "chip.h"

#define PIO_DIVIDER_1 (1u << 16)

static void pio_empty(uint32_t block, uint32_t machine)
{
    while (!(REGISTER(block + PIO_FSTAT) & PIO_FSTAT_RXEMPTY(machine)))
        (void)REGISTER(block + PIO_RXF(machine));
    REGISTER(block + PIO_SHIFTCTRL(machine)) = PIO_SHIFT_JOIN_RX;
}

void pio_stop(uint32_t block, uint32_t machines)
{
    REGISTER_CLEAR(block + PIO_CTRL) = PIO_CTRL_ENABLE(machines);
    for (uint32_t machine = 0; machine < 4; machine++) {
        if (machines & 1u << machine)
            pio_empty(block, machine);
    }
    REGISTER(block + PIO_FDEBUG) = PIO_FDEBUG_RXSTALL(machines);
}

void pio_fit(uint32_t block, uint32_t machine, const struct pio_program *program, uint32_t jump_pin, uint32_t pins)
{
    uint32_t last = program->slot + program->length - 1;

    for (uint32_t i = 0; i < program->length; i++)
        REGISTER(block + PIO_INSTRUCTION(program->slot + i)) = program->instructions[i];
    REGISTER(block + PIO_CLKDIV(machine)) = PIO_DIVIDER_1;
    REGISTER(block + PIO_EXECCTRL(machine)) = jump_pin << 24 | last << 12 | program->slot << 7;
    REGISTER(block + PIO_PINCTRL(machine)) = pins;
    REGISTER_SET(block + PIO_CTRL) = PIO_CTRL_RESTART(1u << machine);
    pio_do(block, machine, program->slot); // jump to the program's first instruction
}

void pio_do(uint32_t block, uint32_t machine, uint32_t instruction)
{
    REGISTER(block + PIO_EXECUTE(machine)) = instruction;
}

void pio_start(uint32_t block, uint32_t machines)
{
    REGISTER_SET(block + PIO_CTRL) = PIO_CTRL_ENABLE(machines) | PIO_CTRL_CLKDIV_RESTART(machines);
}
