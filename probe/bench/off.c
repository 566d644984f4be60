// SPDX-License-Identifier: MIT OR Apache-2.0
// Switches the machine off: what a guest of a bench ends with.
#include <sys/reboot.h>

int main(void)
{
    return reboot(RB_POWER_OFF);
}
