// SPDX-License-Identifier: MIT OR Apache-2.0
// The trail: a ring of the kernel's latest actions.
#ifndef DETENT_TRAIL_H
#define DETENT_TRAIL_H

#include <stdbool.h>
#include <stdint.h>

// Kinds up to TRAIL_ENDED are about a thread.
enum trail_kind { TRAIL_SWITCH, TRAIL_STARTED, TRAIL_ENDED, TRAIL_INTERRUPT, TRAIL_ANSWER, TRAIL_PRIORITY };

extern volatile bool trail_on;
void trail_note(enum trail_kind kind, uint32_t value); // threads and ISRs may call it while the trail is on
void trail_print(uint32_t most);                       // the newest `most` entries, oldest first

#endif
