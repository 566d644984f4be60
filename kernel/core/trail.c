// SPDX-License-Identifier: MIT OR Apache-2.0
// The trail: a fixed ring of the kernel's latest actions. While it is off, it costs nothing on any measured path: the port
// redirects thread switches and ISRs only while it is on.
#include "core/trail.h"

#include "core/thread.h"
#include "port.h"

struct trail_entry {
    uint64_t cycles;
    uint32_t kind, value;
};

static struct trail_entry trail[TRAIL_ENTRIES];
static volatile int32_t trail_count; // number of all entries, including overwritten ones
volatile bool trail_on;

static const char *const trail_words[] = {
    [TRAIL_SWITCH] = "runs",       [TRAIL_INTERRUPT] = "interrupt", [TRAIL_ANSWER] = "ISR answers",
    [TRAIL_PRIORITY] = "moves to", [TRAIL_STARTED] = "starts",      [TRAIL_ENDED] = "ends",
};

// Threads and ISRs may call it; a single instruction reserves the entry.
void trail_note(enum trail_kind kind, uint32_t value)
{
    uint32_t place = (uint32_t)interlocked_add(&trail_count, 1) % TRAIL_ENTRIES;
    trail[place] = (struct trail_entry){counter_read(), kind, value};
}

static void entry_print(const struct trail_entry *entry)
{
    const struct thread *thread = &threads[HANDLE_INDEX(entry->value, THREADS_MAX)];
    bool is_thread = entry->kind <= TRAIL_ENDED;
    NKDbgPrintfW("trail %lu %s %x", entry->cycles, trail_words[entry->kind], entry->value);
    if (is_thread && entry->value == (uint32_t)idle_thread.object.handle)
        NKDbgPrintfW(" idle");
    else if (is_thread && thread->object.handle == entry->value)
        NKDbgPrintfW(" %s %u", symbol_name((uintptr_t)thread->start, NULL), thread->base_priority);
    NKDbgPrintfW("\n");
}

// Prints the newest `most` entries, oldest first, and how many there were in all.
void trail_print(uint32_t most)
{
    uint32_t count = (uint32_t)trail_count, kept = count < TRAIL_ENTRIES ? count : TRAIL_ENTRIES;
    uint32_t shown = kept < most ? kept : most;
    for (uint32_t i = count - shown; i != count; i++)
        entry_print(&trail[i % TRAIL_ENTRIES]);
    NKDbgPrintfW("trail: %u entries, the last %u shown\n", count, shown);
}
