// SPDX-License-Identifier: MIT OR Apache-2.0
// Measures what the pool of page tables saves, and how long clearing tables delays an interrupt thread. One process has
// many tables, and others start and end next to it. An interrupt comes at every 16th instant, and at the instants in
// between that could have a longer delay.
#include "process/processes.h"
#include "process/registry.h"
#include "process/frames.h"
#include "process/tables.h"
#include "goals.h"
#include "programs/figures.h"
#include "programs/processes/processes.h"
#include "programs/sweep_calls.h"
#include "programs/text.h"

#define OWN_PRIORITY 20
#define WAIT_MS 100
#define STEP 16
#define MANY 24 // tables of one process: more than the smallest pool has
#define MANY_TEXT "24"
#define HELD_GOAL GOAL(250, 300)

static struct figure pool = {.name = "table-taken-pool"}, beyond = {.name = "table-taken-zero"};

static void make_and_end(void)
{
    struct process *process = process_create("hello", "", PROGRAMS_PRIORITY, true);
    if (process == NULL)
        return;
    process_end(process, 0);
    process_close(process);
}

static bool table_is_zero(const uint64_t *table)
{
    uint64_t all = 0;
    for (size_t i = 0; i < 512; i++)
        all |= table[i];
    return all == 0;
}

// Measures the time to take a table: from the pool while it has free tables, otherwise from outside the pool. Each
// table is given back.
static bool take_measure(void)
{
    bool zero = true;
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        struct figure *figure = tables_free() > 0 ? &pool : &beyond;
        process_lock();
        uint32_t from = stamp();
        uint64_t *table = table_take();
        uint32_t to = stamp();
        zero &= table != NULL && table_is_zero(table);
        if (table != NULL)
            table_give(table);
        process_unlock();
        figure_add(figure, from, to);
    }
    return zero;
}

// The figure's name tells how this boot gets its tables: zeroed with the gate closed, from the pool, or from outside
// the pool.
static const char *held_name(void)
{
    return tables_zero_held ? "tables-held-as-ce.net" : tables_free() > 0 ? "tables-held-pool" : "tables-held-zero";
}

static bool held_measure(void)
{
    const struct sweep_call call = {.name = "CreateProcess+its-end", .run = make_and_end};
    struct sweep sweep;
    sweep_begin(&sweep, sweep_calls[0].name);
    sweep_call(&sweep, &sweep_calls[0], 0);
    uint32_t least = sweep.ist_least;
    sweep_begin(&sweep, call.name);
    sweep_call_in_steps(&sweep, &call, STEP, 0);
    sweep.ist.value -= least;
    bool met = worst_figure_print(held_name(), &sweep.ist, tables_zero_held ? 0 : HELD_GOAL, 0, sweep.runs);
    return (met || tables_zero_held) && sweep.lost == 0;
}

static bool words_read(int count, char **arguments)
{
    tables_zero_held = count > 2 && text_equal(arguments[2], "held");
    return (count <= 1 || text_number(arguments[1], &dwOEMPTPoolSize)) && (count <= 2 || tables_zero_held);
}

// Arguments: [SIZE [held]]. SIZE is the size of the pool. With `held`, tables from outside the pool are zeroed as in CE
// .NET.
int process_tables_run(int count, char **arguments)
{
    if (!words_read(count, arguments) || !processes_ready() || !sweep_init())
        return 2;
    CeSetThreadPriority(GetCurrentThread(), OWN_PRIORITY);
    CeSetThreadQuantum(GetCurrentThread(), 0);
    HANDLE made = CreateEvent(NULL, FALSE, FALSE, "tables-made");
    uint32_t frames = frames_free(), tables = tables_free();
    struct process *many = process_begin("tables", MANY_TEXT, 0);
    bool good = many != NULL && WaitForSingleObject(made, WAIT_MS) == WAIT_OBJECT_0 && GetEventData(made) == MANY;
    uint32_t of_pool = tables_of_pool, zeroed = tables_zeroed;
    make_and_end();
    NKDbgPrintfW(
        "tables: pool of %u, %u free beside a process of %u; one more takes %u of the pool and fills %u with zeros\n",
        dwOEMPTPoolSize, tables_free(), MANY, tables_of_pool - of_pool, tables_zeroed - zeroed);
    good &= take_measure() && held_measure();
    if (!tables_zero_held)
        figure_print(tables_free() > 0 ? &pool : &beyond);
    process_end(many, 0);
    process_close(many);
    sweep_end();
    NKDbgPrintfW("tables: %u of %u tables and %u of %u pages free\n", tables_free(), tables, frames_free(), frames);
    return !(good && tables_free() == tables && frames_free() == frames);
}
