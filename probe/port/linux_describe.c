// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: what the device says about itself.
#define _GNU_SOURCE
#include "port.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// The first line of a file, without its line end; empty if it cannot be read.
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

// The value in a row of /proc/cpuinfo with this name; NULL if the row has another name.
static const char *linux_row(char *line, const char *name)
{
    char *value = strstr(line, ": ");

    if (strncmp(line, name, strlen(name)) != 0 || !value)
        return NULL;
    value[strcspn(value, "\n")] = '\0';
    return value + 2;
}

// Arm CPUs have two numbers instead of a model name. On a board with several kinds of CPU, each kind is listed once.
struct parts {
    char implementer[16];
    char all[256];
};

static void linux_part(struct parts *parts, const char *part)
{
    char one[40];
    size_t used = strlen(parts->all);

    snprintf(one, sizeof one, "%s:%.16s", parts->implementer, part);
    if (!strstr(parts->all, one) && used + strlen(one) + 2 < sizeof parts->all)
        snprintf(parts->all + used, sizeof parts->all - used, "%s%s", used ? " " : "", one);
}

static void linux_say_processor(void (*say)(const char *key, const char *value))
{
    char line[256];
    char model[256] = "";
    struct parts parts = {"", ""};
    FILE *file = fopen("/proc/cpuinfo", "re");

    while (file && fgets(line, sizeof line, file)) {
        const char *value;

        // RISC-V CPUs report their microarchitecture, if the device tree contains it.
        if (!model[0] && ((value = linux_row(line, "model name")) || (value = linux_row(line, "uarch"))))
            snprintf(model, sizeof model, "%s", value);
        else if ((value = linux_row(line, "CPU implementer")))
            snprintf(parts.implementer, sizeof parts.implementer, "%s", value);
        else if ((value = linux_row(line, "CPU part")))
            linux_part(&parts, value);
    }
    if (file)
        fclose(file);
    if (parts.all[0])
        say("cpu_parts", parts.all);
    else if (model[0])
        say("cpu", model);
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
    // A board whose firmware provides a device tree.
    linux_first_line("/proc/device-tree/model", line, sizeof line);
    if (line[0])
        say("board", line);
    snprintf(line, sizeof line, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    say("cpus", line);
    linux_first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", line, sizeof line);
    if (line[0])
        say("clock_source", line);
}
