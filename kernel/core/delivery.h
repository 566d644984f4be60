// SPDX-License-Identifier: MIT OR Apache-2.0
// Sets the event of each ISR's answer. Each SYSINTR has one event, and is in service until InterruptDone.
#ifndef DETENT_DELIVERY_H
#define DETENT_DELIVERY_H

#include <stdint.h>

void irq_signal(uint64_t pending); // gate closed: sets the events of these bits of kernel_pending

#endif
