// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs what the loader's command line names and ends the machine with its result, or asks at the prompt.
#include "programs/programs.h"

#include "core.h"


#define LINE_CHARS_MAX 256
#define PROMPT_POLL_MS 10

static const struct program programs[] = {
    {"app_test", "answers line 7 in the ISR, its thread and an application", app_test_run},
    {"figures", "the cost of the kernel's paths in executed instructions", figures_run},
    {"isr_test", "answers line 7 in the ISR", isr_test_run},
    {"ist_test", "answers line 7 in the ISR and its thread", ist_test_run},
    {"selftest", "checks of the kernel on this machine; exits with its result", selftest_run},
};
#define PROGRAMS (sizeof programs / sizeof programs[0])

static bool text_equal(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return *a == *b;
}

// Splits the line in place.
static int line_split(char *line, char **words)
{
    int count = 0;
    for (char *c = line; count < ARGUMENTS_MAX;) {
        while (*c == ' ' || *c == '\t')
            *c++ = '\0';
        if (*c == '\0')
            break;
        words[count++] = c;
        while (*c != '\0' && *c != ' ' && *c != '\t')
            c++;
    }
    return count;
}

static int line_run(int count, char **words)
{
    for (size_t i = 0; i < PROGRAMS; i++)
        if (text_equal(words[0], programs[i].name))
            return programs[i].run(count, words);
    NKDbgPrintfW("%s: no such program; there are:\n", words[0]);
    for (size_t i = 0; i < PROGRAMS; i++)
        NKDbgPrintfW("  %s %s\n", programs[i].name, programs[i].usage);
    return 2;
}

static void line_read(char *line)
{
    size_t length = 0;
    for (;;) {
        int c = console_get();
        if (c < 0) {
            Sleep(PROMPT_POLL_MS);
        } else if (c == '\r' || c == '\n') {
            line[length] = '\0';
            console_put('\n');
            return;
        } else if ((c == 8 || c == 127) && length > 0) {
            length--;
            NKDbgPrintfW("\b \b");
        } else if (c >= ' ' && c < 127 && length < LINE_CHARS_MAX - 1) {
            line[length++] = (char)c;
            console_put((char)c);
        }
    }
}

static void prompt_run(void)
{
    static char line[LINE_CHARS_MAX];
    char *words[ARGUMENTS_MAX];
    for (;;) {
        NKDbgPrintfW("detent> ");
        line_read(line);
        int count = line_split(line, words);
        if (count > 0 && text_equal(words[0], "exit"))
            machine_stop(false);
        if (count > 0 && line_run(count, words) != 0)
            NKDbgPrintfW("%s failed\n", words[0]);
    }
}

// The first word is the kernel's file name: loaders pass it.
DWORD programs_main(LPVOID command_line)
{
    static char line[LINE_CHARS_MAX];
    char *words[ARGUMENTS_MAX];
    for (size_t i = 0; i < LINE_CHARS_MAX - 1 && ((const char *)command_line)[i] != '\0'; i++)
        line[i] = ((const char *)command_line)[i];
    NKDbgPrintfW("Detent, profile %s, %u ms tick, counter %llu Hz\n", profile.name, profile.tick_ms,
                 (unsigned long long)counter_hz);
    int count = line_split(line, words);
    if (count > 1)
        machine_stop(line_run(count - 1, words + 1) != 0);
    prompt_run();
    return 0;
}
