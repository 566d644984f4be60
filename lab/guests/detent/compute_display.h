// SPDX-License-Identifier: MIT OR Apache-2.0
// The program sieve: computing alone, displaying alone and both, each once a round.
#ifndef DETENT_GUEST_COMPUTE_DISPLAY_H
#define DETENT_GUEST_COMPUTE_DISPLAY_H

#include "../../../probe/plan.h"

#include <stdbool.h>

struct compute_display {
    const char *primes; // digits, as typed
    const char *rounds;
};

// Reads the words after the program's name. False: it has printed one line that says why.
bool compute_display_read(struct compute_display *asked, int count, char **words);
// The plan of a session that measures it. False: it has printed one line that says why.
bool compute_display_plan(const struct compute_display *asked, struct plan *plan);

#endif
