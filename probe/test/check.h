// SPDX-License-Identifier: MIT OR Apache-2.0
// check.h — the tests' only tool: a condition that stops the program with its place when it does not hold.
#ifndef BACKWALL_PROBE_TEST_CHECK_H
#define BACKWALL_PROBE_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "FAIL %s:%d: %s: %s\n", __FILE__, __LINE__, __func__, #condition); \
            exit(1); \
        } \
    } while (0)

// A test is one line: TEST(name_that_is_a_sentence);
#define TEST(name) \
    do { \
        name(); \
        printf("PASS %s\n", #name); \
    } while (0)

// A fixed sequence, so that a failure can be repeated: Knuth's MMIX generator, the upper half of its state.
static inline unsigned check_random(unsigned long long *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(*state >> 33);
}

#endif
