// SPDX-License-Identifier: MIT OR Apache-2.0
// The sieve of the newsgroup post: it computes, and says now and then how far it is.
#ifndef DETENT_GUEST_SIEVE_H
#define DETENT_GUEST_SIEVE_H

#include <stddef.h>
#include <stdint.h>

#define SIEVE_MESSAGE_CHARS 25u
#define SIEVE_MESSAGE_EVERY 2000u

// Counts the primes up to limit with limit + 1 bytes at composite; tell gets a message each time it has found
// SIEVE_MESSAGE_EVERY more of them, nearly always one that overwrites the line of the last.
uint64_t sieve_run(uint8_t *composite, uint64_t limit, void (*tell)(const char *text, size_t length));

#endif
