/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Reads the bench's options on the guest's command line. They are words "bench-NAME=VALUE", because systems interpret or pass on
 * other words.
 */
#include "bench.h"

#include <string.h>

enum { PRIORITY_MAX = 99, TRACE_MS_MAX = 60000 };

/*
 * All are below the interrupt threads of PREEMPT_RT, which have 50. If a load kept the port's interrupt thread from running, the
 * guest would answer nothing.
 */
enum { IST_PRIORITY = 45, APP_PRIORITY = 40 };

const struct options OPTIONS_USUAL = {.load = "none", .respond = {IST_PRIORITY, APP_PRIORITY}};

/* Reads a number, at most `most`, from the whole of `text`. A wrong one ends the run with the message `want`. */
static unsigned number_parse(const char *word, const char *text, unsigned most, const char *want)
{
    unsigned value = 0;
    const char *digit = text;
    for (; *digit >= '0' && *digit <= '9' && value <= most; digit++)
        value = value * 10 + (unsigned)(*digit - '0');
    if (digit == text || *digit || value > most)
        boot_fail(word, want);
    return value;
}

unsigned priority_parse(const char *word, const char *text)
{
    return number_parse(word, text, PRIORITY_MAX, "want a priority from 0 to 99");
}

/* The text after `name` and "=" in `word`; NULL if `word` begins differently. */
static const char *value_of(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

bool options_take(struct options *into, const char *word)
{
    const char *text;
    if (strncmp(word, "bench-", 6) != 0)
        return false;
    if ((text = value_of(word, "bench-load")))
        into->load = text;
    else if ((text = value_of(word, "bench-ist-priority")))
        into->respond.ist_priority = priority_parse(word, text);
    else if ((text = value_of(word, "bench-app-priority")))
        into->respond.app_priority = priority_parse(word, text);
    else if ((text = value_of(word, "bench-trace")))
        into->trace_ms = number_parse(word, text, TRACE_MS_MAX, "want milliseconds, up to 60000");
    else if (strcmp(word, "bench-names") == 0)
        into->names = true;
    else if (strcmp(word, "bench-programs") == 0)
        into->programs = true;
    else
        boot_fail(word, "unknown option; want bench-load, bench-ist-priority, bench-app-priority, bench-trace, "
                        "bench-names or bench-programs");
    return true;
}
