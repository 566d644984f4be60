// SPDX-License-Identifier: MIT OR Apache-2.0
// The sieve of the newsgroup post: computes primes, and reports its progress in messages.
#ifndef DETENT_GUEST_SIEVE_H
#define DETENT_GUEST_SIEVE_H

#include <stddef.h>
#include <stdint.h>

#define SIEVE_MESSAGE_CHARS 25u
#define SIEVE_MESSAGE_EVERY 2000u

// Counts the primes up to limit, using limit + 1 bytes at composite. Calls `tell` with a message for every
// SIEVE_MESSAGE_EVERY primes. Nearly every message overwrites the line of the previous one.
uint64_t sieve_run(uint8_t *composite, uint64_t limit, void (*tell)(const char *text, size_t length));

#endif
