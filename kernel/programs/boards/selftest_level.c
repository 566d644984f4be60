// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks a level-triggered line: the serial port requests an interrupt as long as there is nothing to send.
#include "core/chain.h"
#include "core/profile.h"
#include "programs/selftest.h"
#include "level_inline.h"

#define SYSINTR_SERIAL (SYSINTR_FIRMWARE + SERIAL_IRQ)

static volatile unsigned asked, served;
static HANDLE event;

static DWORD serial_isr(void)
{
    asked++;
    return SYSINTR_SERIAL;
}

static DWORD serial_main(LPVOID unused)
{
    (void)unused;
    while (served < 3) {
        WaitForSingleObject(event, INFINITE);
        served++;
        if (served == 3)
            serial_asks(false); // the device has been served and no longer requests an interrupt
        InterruptDone(SYSINTR_SERIAL);
    }
    return 0;
}

// The device requests its interrupt until the thread has run three times: once after each InterruptDone, and not forever.
void selftest_level(void)
{
    if (profile.done_at_tick) {
        skip("a level-triggered line", "this profile serves one interrupt a tick");
        return;
    }
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    asked = served = 0;
    check(line_set_level(SERIAL_IRQ, true) && InterruptInitialize(SYSINTR_SERIAL, event, NULL, 0)
              && HookInterrupt(SERIAL_IRQ, serial_isr),
          "the serial port's line is made level-triggered");
    HANDLE thread = selftest_thread(serial_main, 0, PRIORITY_HIGHEST);
    serial_asks(true);
    SleepTillTick();
    check(served == 3 && asked == 3, "it interrupts once for each InterruptDone while the device asks");
    SleepTillTick();
    check(asked == 3, "and not when it is served");
    HookInterrupt(SERIAL_IRQ, NULL);
    line_set_level(SERIAL_IRQ, false);
    selftest_end(thread);
    InterruptDisable(SYSINTR_SERIAL);
    CloseHandle(event);
}
