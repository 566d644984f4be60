/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Reads the arguments of osbench and runs the rows one after the other. Every guest has the same C code. */
#include "osbench.h"

#include <stdio.h>
#include <string.h>

#define SAMPLES_USUAL "100"
#define WARMUP "10" /* number of warm-up samples; the first one follows the thread's start */
#define PRIORITY "80"
#define ADDRESS_CHARS 24

static bool is_asked(const struct osbench *asked, const struct operation *of);

static bool wrong(const char *word, const char *want)
{
    printf("osbench %s: %s\n", word, want);
    return false;
}

/* Accepts "0x378" or decimal digits; returns digits, which the plan's parser expects. */
static const char *address_read(const char *text)
{
    static const char DIGITS[] = "0123456789abcdef";
    static char digits[ADDRESS_CHARS];
    unsigned long long value = 0;

    if (strncmp(text, "0x", 2) != 0)
        return text;
    for (text += 2; *text && value < 0x10000; text++) {
        const char *digit = strchr(DIGITS, *text);

        if (!digit)
            return NULL;
        value = value * 16 + (unsigned long long)(digit - DIGITS);
    }
    snprintf(digits, sizeof digits, "%llu", value);
    return digits;
}

static bool choose(struct osbench *asked, const char *name)
{
    if (asked->chosen_count == OSBENCH_CHOSEN_MAX)
        return wrong("-t", "no more than 16 tests; -all does all of them");
    asked->chosen[asked->chosen_count++] = name;
    for (uint32_t i = 0; i < OPERATIONS_COUNT; i++) {
        struct osbench only = {.chosen = {name}, .chosen_count = 1};

        if (is_asked(&only, &OPERATIONS[i]))
            return true;
    }
    return wrong(name, "there is no such test; -list lists them");
}

static bool value_take(struct osbench *asked, const char *option, const char *value)
{
    if (strcmp(option, "-t") == 0)
        return choose(asked, value);
    if (strcmp(option, "-n") == 0)
        asked->samples = value;
    else if ((asked->mark = address_read(value)) == NULL)
        return wrong(value, "the address of a parallel port is needed, such as 0x378");
    return true;
}

static bool *switch_of(struct osbench *asked, const char *word)
{
    const struct {
        const char *name;
        bool *place;
    } switches[] = {{"-all", &asked->all}, {"-list", &asked->list}, {"-v", &asked->every}, {"-h", &asked->help}};

    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        if (strcmp(switches[i].name, word) == 0)
            return switches[i].place;
    }
    return NULL;
}

static bool has_value(const char *word)
{
    return strcmp(word, "-t") == 0 || strcmp(word, "-n") == 0 || strcmp(word, "-m") == 0;
}

bool osbench_read(struct osbench *asked, int count, char **words)
{
    *asked = (struct osbench){.samples = SAMPLES_USUAL};
    for (int i = 1; i < count; i++) {
        bool *place = switch_of(asked, words[i]);

        if (place)
            *place = true;
        else if (!has_value(words[i]))
            return wrong(words[i], "there is no such option; -h lists them");
        else if (i + 1 == count)
            return wrong(words[i], "its value is missing");
        else if (!value_take(asked, words[i], words[i + 1]))
            return false;
        else
            i++;
    }
    return asked->all || asked->list || asked->help || asked->chosen_count > 0
           || wrong("", "name tests with -t num or ask for all with -all; -list lists them");
}

/* "1" selects all of test 1, "1.02" one of its rows. */
static bool is_asked(const struct osbench *asked, const struct operation *of)
{
    for (unsigned i = 0; i < asked->chosen_count; i++) {
        size_t length = strlen(asked->chosen[i]);

        if (strncmp(of->test, asked->chosen[i], length) == 0 && (of->test[length] == '\0' || of->test[length] == '.'))
            return true;
    }
    return asked->all;
}

/* Why the row cannot be measured; NULL: it can. A row for several CPUs cannot be measured, because a guest has one
 * CPU. */
static const char *lacks(const struct operation *of)
{
    if (of->place & OPERATION_ELSEWHERE)
        return "this machine has one processor";
    if (!operation_is_known(of))
        return "this system has nothing that it could be done with";
    return system_lacks(of);
}

static bool plan_of(const struct osbench *asked, const struct operation *of, struct plan *plan)
{
    const char *words[] = {"osbench", "operation",  of->test, "--count", asked->samples, "--warmup",
                           WARMUP,    "--priority", PRIORITY, "--mark",  asked->mark};
    int count = (int)(sizeof words / sizeof words[0]) - (asked->mark ? 0 : 2);

    return plan_read(plan, count, (char **)(uintptr_t)words);
}

/* Lists the row, or measures it; in the lab, the stream gives the reason if the measurement fails. */
static void row(struct osbench *asked, const struct operation *of)
{
    const char *why_not = lacks(of);
    static struct plan plan;

    if (why_not)
        printf("osbench: not measured: %s %s: %s\n", of->test, of->name, why_not);
    else if (asked->list)
        printf("%s %s: %s\n", of->test, of->name, of->says);
    else if (plan_of(asked, of, &plan) && system_measure(asked, of, &plan))
        asked->measured++;
    else {
        asked->failed++;
        printf("osbench: failed: %s %s\n", of->test, of->name);
    }
}

static void help(void)
{
    printf("osbench: what the kernel's operations cost\n"
           "  -all     all tests\n"
           "  -t num   a test by its id, or one row of it such as 1.02 (repeatable)\n"
           "  -n num   samples of each row (default %s)\n"
           "  -m addr  port address that marks are written to at each clock reading\n"
           "  -list    list the rows\n"
           "  -v       print every sample\n"
           "  -h       this text\n",
           SAMPLES_USUAL);
}

bool osbench_run(struct osbench *asked)
{
    for (uint32_t i = 0; i < OPERATIONS_COUNT && !asked->help; i++) {
        if (asked->list || is_asked(asked, &OPERATIONS[i]))
            row(asked, &OPERATIONS[i]);
    }
    if (asked->help)
        help();
    return asked->help || asked->list || asked->measured > 0;
}
