// SPDX-License-Identifier: MIT OR Apache-2.0
// Starts the clocks. The order matters: first the crystal, then the reference clock, which uses it, then the PLLs, then the
// clocks that use the PLLs (datasheet 2.15, 2.16, 2.18).
#include "clocks.h"

#include "chip.h"

#define CRYSTAL_MHZ 12u
#define CRYSTAL_SETTLES 47u                    // units of 256 cycles: 1 ms (datasheet 2.16.3)
#define VCO_MULTIPLE 100u                      // 1,200 MHz, for both PLLs
#define SYS_DIVIDERS ((6u << 16) | (2u << 12)) // 100 MHz
#define USB_DIVIDERS ((5u << 16) | (5u << 12)) // 48 MHz

static void clocks_wait(uint32_t address, uint32_t bits)
{
    while ((REGISTER(address) & bits) != bits) {
    }
}

void clocks_reset(uint32_t subsystems)
{
    REGISTER_SET(RESETS_RESET) = subsystems;
    REGISTER_CLEAR(RESETS_RESET) = subsystems;
    clocks_wait(RESETS_DONE, subsystems);
}

static void clocks_loop(uint32_t loop, uint32_t dividers)
{
    REGISTER(loop + PLL_CS) = 1; // the crystal's clock is not divided
    REGISTER(loop + PLL_FBDIV) = VCO_MULTIPLE;
    REGISTER_CLEAR(loop + PLL_PWR) = PLL_POWER_DOWN | PLL_VCO_DOWN;
    clocks_wait(loop + PLL_CS, PLL_LOCK);
    REGISTER(loop + PLL_PRIM) = dividers;
    REGISTER_CLEAR(loop + PLL_PWR) = PLL_POSTDIV_DOWN;
}

void clocks_start(void)
{
    REGISTER(XOSC_STARTUP) = CRYSTAL_SETTLES;
    REGISTER(XOSC_CTRL) = XOSC_1_TO_15_MHZ | XOSC_ENABLE;
    clocks_wait(XOSC_STATUS, XOSC_STABLE);
    REGISTER(CLOCKS_REF_CTRL) = CLOCKS_REF_FROM_CRYSTAL;
    clocks_wait(CLOCKS_REF_SELECTED, 1u << CLOCKS_REF_FROM_CRYSTAL);
    clocks_reset(RESETS_PLL_SYS | RESETS_PLL_USB);
    clocks_loop(PLL_SYS, SYS_DIVIDERS);
    clocks_loop(PLL_USB, USB_DIVIDERS);
    REGISTER(CLOCKS_SYS_CTRL) = CLOCKS_SYS_FROM_AUXILIARY;
    clocks_wait(CLOCKS_SYS_SELECTED, 1u << CLOCKS_SYS_FROM_AUXILIARY);
    REGISTER(CLOCKS_PERI_CTRL) = CLOCKS_ENABLE;
    REGISTER(CLOCKS_USB_CTRL) = CLOCKS_ENABLE;
    REGISTER(WATCHDOG_TICK) = WATCHDOG_TICK_ENABLE | CRYSTAL_MHZ;
    clocks_reset(RESETS_TIMER);
}

uint64_t clocks_now_us(void)
{
    uint32_t high;
    uint32_t low;

    do {
        high = REGISTER(TIMER_RAW_HIGH);
        low = REGISTER(TIMER_RAW_LOW);
    } while (high != REGISTER(TIMER_RAW_HIGH));
    return (uint64_t)high << 32 | low;
}
