// SPDX-License-Identifier: MIT OR Apache-2.0
// Who runs: the top of the ready queue, switched to whenever the gate is opened.
#include "core.h"

struct kernel kernel;
volatile uint32_t kernel_gate = GATE_OPEN;
volatile uint64_t kernel_pending;

static void sched_init(void)
{
    queue_reset(&kernel.ready);
    idle_thread.link.priority = PRIORITY_IDLE_THREAD;
    idle_thread.link.next = idle_thread.link.prev = &idle_thread.link;
    kernel.ready.heads[PRIORITY_IDLE_THREAD] = &idle_thread.link;
    kernel.current = kernel.next = &idle_thread;
}

// Before the first thread; the caller becomes the idle thread.
void kernel_init(void)
{
    sched_init();
    timeout_init();
    thread_init();
    critsec_init();
    object_init();
    event_init();
    irq_init();
}

// Called with the gate's depth at 0 by the thread that opened it. The pending bits are taken with the gate closed; each round is constant work but for timeouts that are due.
void kernel_catch_up(void)
{
    do {
        irq_signal(pending_take());
        kernel_switch();
    } while (UNLIKELY(gate_open()));
}

// The same for the exit of an ISR, which must come back with interrupts masked: one that came between the
// opening and the return would stack up on this one, and a storm would have no end of that.
void kernel_catch_up_masked(void)
{
    do {
        irq_signal(pending_take());
        kernel_switch();
        interrupts_mask();
    } while (UNLIKELY(gate_open()));
}

void sched_settle(void)
{
    if (kernel.floating == NULL)
        return;
    queue_prepend(&kernel.ready, &kernel.floating->link);
    kernel.floating = NULL;
}

static void sched_rotate(struct thread *thread)
{
    sched_settle();
    queue_rotate(&kernel.ready, thread->link.priority);
    kernel.next = (struct thread *)queue_top(&kernel.ready);
}

// The running thread has used up its quantum: its equals come first.
void sched_quantum_end(void)
{
    struct thread *thread = kernel.current;
    if (thread->quantum_left_ms != 0 || thread->quantum_ms == 0)
        return;
    if (!profile.new_thread_quantum_defect)
        thread->quantum_left_ms = thread->quantum_ms;
    sched_rotate(thread);
}

// The defect of CE .NET before QFE 020607: the remainder of a new thread is nothing and stays nothing, so that
// any interrupt may replace it by an equal.
void sched_rotate_defect(void)
{
    struct thread *thread = kernel.current;
    if (thread->quantum_left_ms == 0 && thread->quantum_ms != 0)
        sched_rotate(thread);
}

// The running thread goes behind its equals, with a full quantum for its next turn. It is alone at its
// priority, or floating, if its link points to itself.
static inline void sched_yield(void)
{
    kernel_enter();
    struct thread *from = kernel.current;
    struct link *next = from->link.next;
    from->quantum_left_ms = from->quantum_ms;
    if (LIKELY(next != &from->link)) {
        struct thread *to = (struct thread *)next;
        kernel.ready.heads[from->link.priority] = next;
        kernel.current = kernel.next = to;
        switch_to(&from->stack_pointer, to->stack_pointer);
    } else {
        sched_rotate(from);
        kernel_switch();
    }
    kernel_leave();
}

static void thread_sleep(DWORD time_ms)
{
    kernel_enter();
    struct thread *thread = kernel.current;
    timeout_arm(thread, time_ms);
    thread_block(STATE_SLEEPING);
    kernel_leave();
}

static __attribute__((noinline)) void sleep_or_suspend(DWORD time_ms)
{
    if (time_ms == INFINITE)
        SuspendThread(GetCurrentThread());
    else
        thread_sleep(time_ms);
}

void Sleep(DWORD time_ms)
{
    if (LIKELY(time_ms == 0))
        sched_yield();
    else
        sleep_or_suspend(time_ms);
}

void SleepTillTick(void) { thread_sleep(0); }
