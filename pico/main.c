// SPDX-License-Identifier: MIT OR Apache-2.0
// The main loop: passes each byte from the host to the commands or to the analyzer.
#include "firmware.h"

#include "capture.h"
#include "chip.h"
#include "clocks.h"
#include "commands.h"
#include "lines.h"
#include "serial.h"
#include "sump.h"
#include "usb.h"

#include <stdbool.h>
#include <stdint.h>

#define TEXT_FIRST 0x20u

static struct {
    uint8_t bytes[SUMP_LONG_BYTES];
    uint32_t length;
    bool in_text;
} main_request;

static void main_take_long(uint8_t byte)
{
    const uint8_t *value = main_request.bytes + 1;

    main_request.bytes[main_request.length++] = byte;
    if (main_request.length < SUMP_LONG_BYTES)
        return;
    main_request.length = 0;
    sump_long(main_request.bytes[0], value[0] | value[1] << 8 | value[2] << 16 | (uint32_t)value[3] << 24);
}

static void main_take(uint8_t byte)
{
    bool ends = byte == '\n' || byte == '\r';

    if (main_request.length > 0 || (!main_request.in_text && byte >= SUMP_LONG)) {
        main_take_long(byte);
    } else if (main_request.in_text || byte >= TEXT_FIRST) {
        main_request.in_text = !ends;
        commands_take(byte);
    } else if (!ends) {
        sump_short(byte);
    }
}

// Stops what a host started and forgets its unfinished request: after a bus reset, and when a host opens or closes the line.
static void main_forget(void)
{
    capture_stop();
    sump_reset();
    commands_reset();
    main_request.length = 0;
    main_request.in_text = false;
}

_Noreturn void firmware_run(void)
{
    uint32_t connection = 0;
    uint8_t byte;

    clocks_start();
    clocks_reset(RESETS_IO_BANK0 | RESETS_PADS_BANK0 | RESETS_PIO0 | RESETS_PIO1 | RESETS_DMA);
    lines_start();
    usb_start();
    for (;;) {
        usb_poll();
        if (connection != usb_connections()) {
            connection = usb_connections();
            main_forget();
        }
        if (serial_read(&byte))
            main_take(byte);
        sump_step();
    }
}
