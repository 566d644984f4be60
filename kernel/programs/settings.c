// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads settings, which are words before the program's name: "profile=NAME" sets all differences between the CE versions,
// "FIELD=VALUE" one setting. They apply from the start, so only the boot loader's line may have them.
#include "programs/settings.h"

#include "core/profile.h"
#include "limits.h"
#include "port.h"
#include "programs/programs.h"
#include "programs/text.h"

static const struct {
    const char *name;
    size_t offset;
    bool flag; // false: the setting is a number of 32 bits
    uint32_t least, most;
} fields[] = {
    {"tick", offsetof(struct profile, tick_ms), false, 1, 1000},
    {"levels", offsetof(struct profile, priority_levels), false, 8, PRIORITY_LEVELS},
    {"quantum", offsetof(struct profile, quantum_ms), false, 0, 1000000},
    {"chain", offsetof(struct profile, inheritance_chain), true, 0, 1},
    {"nesting", offsetof(struct profile, nesting), true, 0, 1},
    {"split", offsetof(struct profile, split_calls), true, 0, 1},
    {"quantum-defect", offsetof(struct profile, new_thread_quantum_defect), true, 0, 1},
    {"done-at-tick", offsetof(struct profile, done_at_tick), true, 0, 1},
    {"wait-multiple-interrupt", offsetof(struct profile, wait_multiple_interrupt), true, 0, 1},
    {"timer", offsetof(struct profile, timer), false, 0, 2},
    {"idle", offsetof(struct profile, idle), false, 0, 2},
    {"sleep-defect", offsetof(struct profile, sleep_defect), true, 0, 1},
    {"bitmask-defect", offsetof(struct profile, bitmask_defect), true, 0, 1},
    {"list-defect", offsetof(struct profile, list_defect), true, 0, 1},
    {"time-critical-completes", offsetof(struct profile, time_critical_completes), true, 0, 1},
};
#define FIELDS (sizeof fields / sizeof fields[0])

static bool field_set(const char *word, const char *value_text)
{
    for (size_t i = 0; i < FIELDS; i++) {
        uint32_t value;
        if (!text_is(word, fields[i].name, '='))
            continue;
        if (!text_number(value_text, &value) || value < fields[i].least || value > fields[i].most) {
            NKDbgPrintfW("%s: want a number from %u to %u\n", word, fields[i].least, fields[i].most);
            return false;
        }
        char *field = (char *)&profile + fields[i].offset;
        if (fields[i].flag)
            *(bool *)field = value != 0;
        else
            *(uint32_t *)field = value;
        return true;
    }
    NKDbgPrintfW("%s: no such setting; there are profile, trail=1, trail=all", word);
    for (size_t i = 0; i < FIELDS; i++)
        NKDbgPrintfW(", %s", fields[i].name);
    NKDbgPrintfW("\n");
    return false;
}

static uint32_t field_get(const struct profile *of, size_t field)
{
    const char *place = (const char *)of + fields[field].offset;
    return fields[field].flag ? *(const bool *)place : *(const uint32_t *)(const void *)place;
}

int profiles_run(int count, char **arguments)
{
    (void)count, (void)arguments;
    for (size_t i = 0; i < FIELDS; i++) {
        NKDbgPrintfW("setting %s %u-%u", fields[i].name, fields[i].least, fields[i].most);
        for (const struct profile *p = profiles; p->name != NULL; p++)
            NKDbgPrintfW(" %s %u", p->name, field_get(p, i));
        NKDbgPrintfW("\n");
    }
    return 0;
}

uint32_t settings_trail;

static bool profile_set(const char *name)
{
    if (profile_choose(name))
        return true;
    NKDbgPrintfW("profile=%s: no such profile; there are:", name);
    for (const struct profile *p = profiles; p->name != NULL; p++)
        NKDbgPrintfW(" %s", p->name);
    NKDbgPrintfW("\n");
    return false;
}

int settings_apply(int count, char **words)
{
    int first = 0;
    for (; first < count; first++) {
        const char *value = text_after(words[first], '=');
        if (value == NULL)
            break;
        if (text_equal(words[first], "trail=1"))
            settings_trail = TRAIL_SHOWN;
        else if (text_equal(words[first], "trail=all"))
            settings_trail = TRAIL_ENTRIES;
        else if (!(text_begins(words[first], "profile=") ? profile_set(value) : field_set(words[first], value)))
            machine_stop(true);
    }
    return first;
}
