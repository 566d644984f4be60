// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: what the device says about itself.
#define _GNU_SOURCE
#include "port.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// The first line of a file, without its end; empty when it cannot be read.
static void linux_first_line(const char *path, char *line, size_t bytes)
{
    FILE *file = fopen(path, "re");

    line[0] = '\0';
    if (!file)
        return;
    if (fgets(line, (int)bytes, file))
        line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

static void linux_say_processor(void (*say)(const char *key, const char *value))
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");

    while (file && fgets(line, sizeof line, file)) {
        char *value = strstr(line, ": ");

        if (strncmp(line, "model name", 10) == 0 && value) {
            value[strcspn(value, "\n")] = '\0';
            say("cpu", value + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

// The kernel names its preemption model in its version string (init/version-timestamp.c).
static const char *linux_preemption(const char *version)
{
    static const char *const MODELS[] = {"PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT_LAZY", "PREEMPT"};

    for (size_t i = 0; i < sizeof MODELS / sizeof MODELS[0]; i++) {
        if (strstr(version, MODELS[i]))
            return MODELS[i];
    }
    return "none or voluntary";
}

void port_describe(void (*say)(const char *key, const char *value))
{
    struct utsname name;
    char line[256];

    if (uname(&name) == 0) {
        snprintf(line, sizeof line, "%.100s %.140s", name.release, name.version);
        say("kernel", line);
        say("machine", name.machine);
        say("preemption", linux_preemption(name.version));
    }
    linux_say_processor(say);
    snprintf(line, sizeof line, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    say("cpus", line);
    linux_first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", line, sizeof line);
    if (line[0])
        say("clock_source", line);
}
