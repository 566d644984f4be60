// SPDX-License-Identifier: MIT OR Apache-2.0
// Registers of the RP2040 that this firmware uses. Addresses and bits are from the RP2040 datasheet; each block names its
// section.
#ifndef PICO_CHIP_H
#define PICO_CHIP_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
// 2.1.2: the same register, but writing a 1 sets that bit, or clears it.
#define REGISTER_SET(address) REGISTER((address) + 0x2000u)
#define REGISTER_CLEAR(address) REGISTER((address) + 0x3000u)

// 2.14: subsystems are held in reset until their bit is cleared.
#define RESETS_RESET 0x4000c000u
#define RESETS_DONE 0x4000c008u
#define RESETS_DMA (1u << 2)
#define RESETS_IO_BANK0 (1u << 5)
#define RESETS_PADS_BANK0 (1u << 8)
#define RESETS_PIO0 (1u << 10)
#define RESETS_PIO1 (1u << 11)
#define RESETS_PLL_SYS (1u << 12)
#define RESETS_PLL_USB (1u << 13)
#define RESETS_TIMER (1u << 21)
#define RESETS_USB (1u << 24)

// 2.15: clocks. Sources are switched without a glitch; _SELECTED shows the current one.
#define CLOCKS_REF_CTRL 0x40008030u
#define CLOCKS_REF_SELECTED 0x40008038u
#define CLOCKS_SYS_CTRL 0x4000803cu
#define CLOCKS_SYS_SELECTED 0x40008044u
#define CLOCKS_PERI_CTRL 0x40008048u
#define CLOCKS_USB_CTRL 0x40008054u
#define CLOCKS_REF_FROM_CRYSTAL 2u
#define CLOCKS_SYS_FROM_AUXILIARY 1u // the first auxiliary source is the system's PLL
#define CLOCKS_ENABLE (1u << 11)     // the first auxiliary source of the USB clock is the USB PLL

// 2.16: crystal oscillator.
#define XOSC_CTRL 0x40024000u
#define XOSC_STATUS 0x40024004u
#define XOSC_STARTUP 0x4002400cu
#define XOSC_1_TO_15_MHZ 0xaa0u
#define XOSC_ENABLE (0xfabu << 12)
#define XOSC_STABLE (1u << 31)

// 2.18: phase-locked loops.
#define PLL_SYS 0x40028000u
#define PLL_USB 0x4002c000u
#define PLL_CS 0x0u
#define PLL_PWR 0x4u
#define PLL_FBDIV 0x8u
#define PLL_PRIM 0xcu
#define PLL_LOCK (1u << 31)
#define PLL_POWER_DOWN (1u << 0)
#define PLL_POSTDIV_DOWN (1u << 3)
#define PLL_VCO_DOWN (1u << 5)

// 4.7.2: the timer counts the microsecond tick of the watchdog block.
#define WATCHDOG_TICK 0x4005802cu
#define WATCHDOG_TICK_ENABLE (1u << 9)
// 4.6: the timer's two halves, unlatched.
#define TIMER_RAW_HIGH 0x40054024u
#define TIMER_RAW_LOW 0x40054028u

// 2.19: pins.
#define IO_CTRL(pin) (0x40014004u + 8u * (pin))
#define IO_PIO0 6u
#define PADS(pin) (0x4001c004u + 4u * (pin))
#define PADS_SCHMITT (1u << 1)
#define PADS_PULL_DOWN (1u << 2)
#define PADS_4_MA (1u << 4)
#define PADS_INPUT (1u << 6)
// 2.3.1: levels of all pins.
#define SIO_GPIO_IN 0xd0000004u

// 3.7: programmable input and output, two blocks of four state machines.
#define PIO0 0x50200000u
#define PIO1 0x50300000u
#define PIO_CTRL 0x00u
#define PIO_FSTAT 0x04u
#define PIO_FSTAT_RXEMPTY(machine) (1u << (8u + (machine)))
#define PIO_FDEBUG 0x08u
#define PIO_TXF(machine) (0x10u + 4u * (machine))
#define PIO_RXF(machine) (0x20u + 4u * (machine))
#define PIO_INSTRUCTION(slot) (0x48u + 4u * (slot))
#define PIO_CLKDIV(machine) (0xc8u + 0x18u * (machine))
#define PIO_EXECCTRL(machine) (0xccu + 0x18u * (machine))
#define PIO_SHIFTCTRL(machine) (0xd0u + 0x18u * (machine))
#define PIO_ADDR(machine) (0xd4u + 0x18u * (machine))
#define PIO_EXECUTE(machine) (0xd8u + 0x18u * (machine))
#define PIO_PINCTRL(machine) (0xdcu + 0x18u * (machine))
#define PIO_CTRL_ENABLE(machines) (machines)
#define PIO_CTRL_RESTART(machines) ((machines) << 4)
#define PIO_CTRL_CLKDIV_RESTART(machines) ((machines) << 8)
#define PIO_FDEBUG_RXSTALL(machines) (machines)
#define PIO_SHIFT_JOIN_RX (1u << 31)
#define PIO_SHIFT_IN_RIGHT (1u << 18)
#define PIO_SHIFT_AUTOPUSH (1u << 16)

// 2.5: direct memory access.
#define DMA_READ(channel) (0x50000000u + 0x40u * (channel))
#define DMA_WRITE(channel) (0x50000004u + 0x40u * (channel))
#define DMA_COUNT(channel) (0x50000008u + 0x40u * (channel))
#define DMA_CTRL_TRIGGER(channel) (0x5000000cu + 0x40u * (channel))
#define DMA_ABORT 0x50000444u
#define DMA_ENABLE (1u << 0)
#define DMA_WORDS (2u << 2)
#define DMA_STEP_WRITE (1u << 5)
#define DMA_RING_WRITE(bits) (((bits) << 6) | (1u << 10))
#define DMA_CHAIN_TO(channel) ((channel) << 11)
#define DMA_PACED_BY(request) ((request) << 15)
#define DMA_PIO0_RX(machine) (4u + (machine))
#define DMA_PIO1_RX(machine) (12u + (machine))

// 4.1: universal serial bus, its memory and its registers.
#define USB_SETUP_PACKET 0x50100000u
#define USB_ENDPOINT_IN(number) (0x50100000u + 8u * (number))
#define USB_ENDPOINT_OUT(number) (0x50100004u + 8u * (number))
#define USB_BUFFER_IN(number) (0x50100080u + 8u * (number))
#define USB_BUFFER_OUT(number) (0x50100084u + 8u * (number))
#define USB_MEMORY 0x50100000u
#define USB_ADDRESS 0x50110000u
#define USB_MAIN_CTRL 0x50110040u
#define USB_SIE_CTRL 0x5011004cu
#define USB_SIE_STATUS 0x50110050u
#define USB_BUFF_STATUS 0x50110058u
#define USB_STALL_ARM 0x50110068u
#define USB_MUXING 0x50110074u
#define USB_POWER 0x50110078u
#define USB_INTE 0x50110090u
#define USB_CONTROLLER_ENABLE (1u << 0)
#define USB_PULLUP (1u << 16)
#define USB_EP0_TELLS_EACH_BUFFER (1u << 29)
#define USB_SIE_SETUP (1u << 17)
#define USB_SIE_BUS_RESET (1u << 19)
#define USB_TO_PHY (1u << 0)
#define USB_SOFTCON (1u << 3)
#define USB_VBUS_DETECTED (1u << 2)
#define USB_VBUS_OVERRIDE (1u << 3)
#define USB_INT_BUFFERS (1u << 4)
#define USB_INT_BUS_RESET (1u << 12)
#define USB_INT_SETUP (1u << 16)
#define USB_ENDPOINT_ENABLE (1u << 31)
#define USB_ENDPOINT_TELLS_EACH_BUFFER (1u << 29)
#define USB_ENDPOINT_BULK (2u << 26)
#define USB_ENDPOINT_INTERRUPT (3u << 26)
#define USB_BUFFER_LENGTH 0x3ffu
#define USB_BUFFER_AVAILABLE (1u << 10)
#define USB_BUFFER_STALL (1u << 11)
#define USB_BUFFER_DATA1 (1u << 13)
#define USB_BUFFER_FULL (1u << 15)

// 4.10: serial flash, read in place.
#define FLASH_FIRMWARE 0x10000100u // after the second boot stage
#define SSI_CTRLR0 0x18000000u
#define SSI_CTRLR1 0x18000004u
#define SSI_ENABLE 0x18000008u
#define SSI_BAUD 0x18000014u
#define SSI_SPI_CTRLR0 0x180000f4u

// 2.4.8: the CPU's table of vectors.
#define VECTOR_TABLE 0xe000ed08u

#endif
