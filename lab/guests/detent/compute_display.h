// SPDX-License-Identifier: MIT OR Apache-2.0
// The program sieve: measures computing alone, displaying alone and both, each once a round.
#ifndef DETENT_GUEST_COMPUTE_DISPLAY_H
#define DETENT_GUEST_COMPUTE_DISPLAY_H

#include "../../../probe/plan.h"

#include <stdbool.h>

struct compute_display {
    const char *primes; // digits, as typed
    const char *rounds;
};

// Reads the words after the program's name. If one is wrong, prints one line with the reason and returns false.
bool compute_display_read(struct compute_display *asked, int count, char **words);
// Makes the plan of a session that measures the sieve. On failure, prints one line with the reason and returns false.
bool compute_display_plan(const struct compute_display *asked, struct plan *plan);

#endif
