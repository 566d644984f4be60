// SPDX-License-Identifier: MIT OR Apache-2.0
// Prints a row as the 2002 tool did, for a user at the prompt. In the lab, the stream goes to the host, which prints more.
#include "osbench_block.h"

#include "../../../probe/measured.h"
#include "../../../probe/port/port.h"
#include "../../../probe/ring.h"

#include <stdio.h>

#define LOOK_NS 2000000u // time between two reads of the ring
#define TENTHS 10

struct figures {
    uint64_t count, lost, least, most, sum; // of the values in operation_value
};

// In clock counts: the time of one operation, or of 2n operations in batches.
static uint64_t operation_value(const struct operation *of, const uint64_t *at)
{
    uint64_t first = at[1] - at[0], third = at[2 * OPERATION_BATCHES - 1] - at[2 * OPERATION_BATCHES - 2];

    return of->batch == 0 ? first : third > first ? third - first : 0;
}

static uint64_t operation_per_value(const struct operation *of)
{
    return of->batch == 0 ? 1 : (uint64_t)of->batch * (OPERATION_BATCHES - 1);
}

static void value_print(const char *name, const struct operation *of, uint64_t sum, uint64_t count)
{
    uint64_t tenths =
        count == 0 ? 0 : (sum * TENTHS + count * operation_per_value(of) / 2) / (count * operation_per_value(of));

    printf("|  %s Time = %10llu.%llu counts of the clock\n", name, (unsigned long long)(tenths / TENTHS),
           (unsigned long long)(tenths % TENTHS));
}

static void sample_take(struct figures *figures, const struct osbench *asked, const struct operation *of,
                        const struct ring_entry *entry, uint64_t warmup)
{
    if (entry->kind == RING_LOST) {
        figures->lost += entry->at[0];
        return;
    }
    uint64_t value = operation_value(of, entry->at);

    if (asked->every)
        printf("%s %s sample %llu: %llu\n", of->test, of->name, (unsigned long long)entry->seq,
               (unsigned long long)(value / operation_per_value(of)));
    if (entry->seq < warmup)
        return;
    figures->least = figures->count == 0 || value < figures->least ? value : figures->least;
    figures->most = value > figures->most ? value : figures->most;
    figures->sum += value;
    figures->count++;
}

static void block_print(const struct operation *of, const struct figures *figures)
{
    uint32_t iterations = of->batch == 0 ? 1 : of->batch * OPERATION_BATCHES * (OPERATION_BATCHES + 1) / 2;

    printf("==================================================\n");
    printf("|  %s  |  IP = %s  |  CS = %s  |  %6u IPS\n", of->test, of->place & OPERATION_ACROSS ? "YES" : " NO",
           of->place & OPERATION_SWEPT ? "YES" : " NO", iterations);
    printf("--------------------------------------------------\n%s (%s)\n", of->says, of->name);
    printf("--------------------------------------------------\n");
    value_print("Max", of, figures->most, figures->count != 0);
    value_print("Min", of, figures->least, figures->count != 0);
    value_print("Avg", of, figures->sum, figures->count);
    printf("--------------------------------------------------\n%llu samples, %llu lost\n",
           (unsigned long long)figures->count, (unsigned long long)figures->lost);
    printf("==================================================\n");
}

bool osbench_block(const struct osbench *asked, const struct operation *of, const struct plan *plan)
{
    static struct measured_thread thread;
    struct ring *ring = port_memory_map(sizeof *ring);
    struct figures figures = {0};
    struct ring_entry entry;

    if (!ring)
        return port_complain("no memory for the ring of samples: 2 MiB are needed"), false;
    thread = (struct measured_thread){.measure = plan->measure,
                                      .measured = {.plan = plan, .ring = ring, .last = plan->warmup + plan->count}};
    const char *refusal = plan->measure->prepare(plan);

    if (!refusal)
        refusal = port_thread_start(measured_run, &thread);
    for (bool ended = refusal != NULL; !ended;) {
        ended = thread.ended;
        while (ring_take(ring, &entry))
            sample_take(&figures, asked, of, &entry, plan->warmup);
        if (!ended)
            port_sleep_ns(LOOK_NS);
    }
    while (!refusal && ring_take_missed(ring, &entry))
        sample_take(&figures, asked, of, &entry, plan->warmup);
    refusal = refusal ? refusal : thread.refusals[0] ? thread.refusals[0] : thread.measured.failure;
    port_memory_unmap(ring, sizeof *ring);
    if (refusal)
        port_complain(refusal);
    else
        block_print(of, &figures);
    return refusal == NULL;
}
