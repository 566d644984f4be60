// SPDX-License-Identifier: MIT OR Apache-2.0
// An operation's other thread: it answers one round for each `go`, and sets `reply` when the round is over.
//
// The measured thread waits for the partner only for a limited time, and reports a dead or hanging partner in one line.
// The partner may wait without limit: it ends with the measured thread's process, even if it is a process of its own.
#include "../operation.h"

#define PARTNER_PATIENCE_NS 1000000000u // longest wait for the reply
#define PARTNER_PATIENCE_WAITS 10u

const char OPERATION_VOID[] = "it did not take place as it should";
const char OPERATION_DIED[] = "the second process died in the middle of a measurement; what it measured so far is kept";

void partner_refuse(struct pair *pair, const char *refusal)
{
    size_t length = 0;

    // Copy the text, because it may be in memory that the measured thread cannot see.
    for (; refusal[length] && length < sizeof pair->why - 1; length++)
        pair->why[length] = refusal[length];
    pair->why[length] = '\0';
    pair->refusal = pair->why;
}

// Ignores refusals if the user chose to continue without the refused settings; the stream already says so for the whole
// run.
static const char *partner_rights(const struct pair *pair)
{
    if (pair->of->place & OPERATION_ACROSS)
        port_memory_lock();
    const char *refusal = pair->priority != 0 ? port_thread_realtime(pair->priority, PORT_FIFO) : NULL;

    return pair->best_effort ? NULL : refusal;
}

static void partner_take_place(struct pair *pair)
{
    const char *refusal = port_thread_settle(pair->cpu);

    if (!refusal)
        refusal = partner_rights(pair);
    if (!refusal && pair->of->kind->enter)
        refusal = pair->of->kind->enter(pair);
    if (!refusal && pair->waker && pair->waker->enter)
        pair->waker->enter(pair->room);
    if (refusal)
        partner_refuse(pair, refusal);
    pair->settled = true;
}

// Looks the function up before the first round, because for some operations a round's time includes the partner's answer.
void partner_run(void *argument)
{
    struct pair *pair = argument;
    void (*answer)(struct pair * pair) = pair->of->kind->answer;

    while (port_event_wait(&pair->go, PORT_FOREVER)) {
        if (pair->settled)
            answer(pair);
        else
            partner_take_place(pair);
        port_event_set(&pair->reply);
    }
}

const char *partner_reply(struct pair *pair)
{
    for (uint32_t waits = 0; !port_event_wait(&pair->reply, PARTNER_PATIENCE_NS); waits++) {
        if (!port_partner_alive())
            return OPERATION_DIED;
        if (port_stop_asked())
            return OPERATION_VOID;
        if (waits == PARTNER_PATIENCE_WAITS)
            return "the second thread has not answered for 10 s: something of a higher priority keeps it from running";
    }
    return pair->refusal;
}

const char *partner_settle(struct pair *pair, int cpu, unsigned priority)
{
    pair->cpu = cpu;
    pair->priority = priority;
    port_event_set(&pair->go);
    return partner_reply(pair);
}
