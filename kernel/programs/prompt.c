// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs the program that the loader's command line names and ends the machine with its result. If the line names none,
// it reads commands at the prompt.
#include "programs/prompt.h"

#include "core/profile.h"
#include "core/trail.h"
#include "port.h"
#include "programs/programs.h"
#include "programs/settings.h"
#include "programs/text.h"

#define LINE_CHARS_MAX 256
#define PROMPT_POLL_MS 10

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
    for (size_t i = 0; i < programs_count; i++)
        if (text_equal(words[0], programs[i].name))
            return programs[i].run(count, words);
    NKDbgPrintfW("%s: no such program; there are:\n", words[0]);
    for (size_t i = 0; i < programs_count; i++)
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

static char boot_line[LINE_CHARS_MAX];
static char *boot_words[ARGUMENTS_MAX];
static int boot_word_count;

// The first word is the kernel's file name, because loaders pass it.
void programs_init(const char *command_line)
{
    for (size_t i = 0; i < LINE_CHARS_MAX - 1 && command_line[i] != '\0'; i++)
        boot_line[i] = command_line[i];
    int count = line_split(boot_line, boot_words);
    int first = count > 0 ? 1 + settings_apply(count - 1, boot_words + 1) : 0;
    boot_word_count = count - first;
    for (int i = 0; i < boot_word_count; i++)
        boot_words[i] = boot_words[first + i];
}

DWORD programs_main(LPVOID unused)
{
    (void)unused;
    NKDbgPrintfW("Detent, profile %s, %u ms tick, counter %llu Hz\n", profile.name, profile.tick_ms,
                 (unsigned long long)counter_hz);
    if (settings_trail > 0)
        trail_start();
    if (boot_word_count > 0) {
        int failed = line_run(boot_word_count, boot_words);
        if (trail_on)
            trail_print(settings_trail);
        machine_stop(failed != 0);
    }
    prompt_run();
    return 0;
}
