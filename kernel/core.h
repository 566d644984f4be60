// SPDX-License-Identifier: MIT OR Apache-2.0
// The kernel's own declarations, grouped by the file in core/ that defines them. Nothing in core/
// knows a register or an instruction: what only the machine can do is in port.h, found by include path.
//
// "Gate closed" means that no thread switch happens but the one its holder asks for. Interrupts stay on:
// an ISR that wants the scheduler while the gate is closed leaves a bit in kernel_pending, and whoever
// opens the gate catches up. All data below belongs to the holder of the closed gate unless said otherwise.
#ifndef DETENT_CORE_H
#define DETENT_CORE_H

#include "core/queue.h"
#include "detent.h"
#include "limits.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

// ---- objects: core/object.c --------------------------------------------------------------------

// A handle is generation * 65536 + index * 64 + kind. Each kind has its own table and each entry
// holds its handle, so that one comparison proves kind, index and generation at once.
enum object_kind { KIND_NONE, KIND_THREAD, KIND_EVENT, KIND_SEMAPHORE, KIND_MUTEX, KIND_CHAIN, KIND_FILE, KINDS };
#define HANDLE_KIND(handle) ((uintptr_t)(handle) & 63u)
#define HANDLE_INDEX(handle, max) (((uintptr_t)(handle) >> 6) & ((max) - 1u))
#define HANDLE_FREE 1u // like nothing that a caller may hold, NULL included
#define HANDLE_GENERATION 0x10000u
#define HANDLE_GENERATION_LIMIT 0x7FFF0000u

struct wait;

// Those who wait for one thing. A sole waiter costs one store; from the second on they stand in the
// queue, and sole says so.
struct waiters {
    struct wait *sole; // NULL: nobody; WAITERS_QUEUED: see queue
    struct queue *queue;
};

#define WAITERS_QUEUED ((struct wait *)1)

// The head of everything that has a handle.
struct object {
    uintptr_t handle; // HANDLE_FREE while free
    struct waiters *waiters;
    uint32_t next_handle;  // the handle it will have when it is taken again
    uint16_t references;   // open handles, and one more for a thread that has not ended
    uint16_t next_free;    // 1 + index of the next free entry
};

void object_init(void);
// NULL and ERROR_NOT_ENOUGH_MEMORY when all are in use. One handle is open on what is returned.
struct object *object_take(enum object_kind kind);
void object_give(struct object *object); // drops one reference; the last one frees the entry
struct object *object_find(HANDLE handle); // any kind; NULL when invalid
// Opens the object of that kind and name: NULL with *refused 0 when there is none.
struct object *object_open_named(enum object_kind kind, const char *name, DWORD *refused);
bool names_equal(const char *a, const char *b);
void object_set_name(struct object *object, const char *name);
void object_lock(void); // creating and closing exclude each other; preemptible and inheriting
void object_unlock(void);

// ---- threads: core/thread.c --------------------------------------------------------------------

enum thread_state { // bits
    STATE_BLOCKED = 1,
    STATE_SLEEPING = 2, // a timeout runs
    STATE_SUSPENDED = 4,
    STATE_ENDED = 8,
    STATE_ENTERING = 16, // ready, and taking its places in a wait for several objects
    STATE_MULTIPLE = 32, // that kind of wait
    STATE_LOCK = 64,     // an owner inherits from this wait
};
#define STATE_NOT_READY (STATE_BLOCKED | STATE_SLEEPING | STATE_SUSPENDED | STATE_ENDED)
#define STATE_WAIT_OPEN (STATE_BLOCKED | STATE_ENTERING) // nothing has answered yet

// One thread's place among the waiters of one thing.
struct wait {
    struct link link; // while queued; its priority is the thread's
    struct thread *thread;
    struct waiters *waiters; // NULL in none; not kept up for a plain wait that is over
    struct lock *lock;       // whose owner inherits; NULL where nobody owns
    uint32_t index;          // its own in the thread's waits
};

struct timeout {
    struct timeout *next, *prev; // circular in its slot
    uint64_t expiry_ms;
};

struct thread {
    struct link link; // in the ready queue; its priority is the thread's current one, inherited or not
    void *stack_pointer;
    uint32_t state;
    uint32_t wait_result;
    uint32_t quantum_ms; // 0 runs to completion
    uint32_t quantum_left_ms;
    struct wait wait;    // of a wait for one object
    struct wait *waits;  // of a wait for several: WAIT_OBJECTS_MAX places, wait_count taken
    uint32_t wait_count;
    uint8_t suspend_count;
    bool ended; // signalled
    struct timeout timeout;
    uint32_t base_priority;  // as set
    struct queue *donations; // of struct lock: what is inherited through each lock owned
    uint32_t last_error;
    uint32_t exit_code;
    struct object object;
    LPTHREAD_START_ROUTINE start;
    LPVOID argument;
    uint8_t *stack; // lowest of its STACK_BYTES
};

extern struct thread threads[THREADS_MAX];
extern struct thread idle_thread;

void thread_init(void);
struct thread *thread_find(HANDLE handle); // NULL when invalid; 0 is no thread
struct thread *thread_create(LPTHREAD_START_ROUTINE start, LPVOID argument, uint32_t priority, bool suspended);
void thread_unblock(struct thread *thread, uint32_t wait_result);
void thread_block(uint32_t state_bits);                  // the running thread; returns once unblocked
void thread_move(struct thread *thread, uint32_t priority); // new current priority, wherever it stands
_Noreturn void thread_begin(void);                       // where a new thread starts; gate closed
void thread_check_stacks(void); // panics when one has overflowed
uint32_t thread_due_priority(const struct thread *thread);
bool thread_error(DWORD error);                          // sets the last error; false

// ---- scheduler: core/sched.c -------------------------------------------------------------------

struct kernel {
    struct thread *current;
    struct thread *next; // the highest ready thread, always
    // NULL, or the same as next: a thread that was woken above all others and so far stands in no queue.
    // Its link points to itself. It enters the queue when anything but blocking happens to it.
    struct thread *floating;
    volatile uint64_t now_ms; // GetTickCount is its low half
    volatile bool clock_stopped; // since an idle stretch began; now_ms is behind
    uint64_t resched_ms; // the timer ISR asks for a reschedule from this time on
    struct queue ready;  // the running thread stands in it too, unless floating
};

extern struct kernel kernel;

// The gate's word: bit 31 is set while nothing is pending and the rest counts closings, so the opener
// that makes it zero is the outermost one and has something to catch up with.
#define GATE_OPEN 0x80000000u
extern volatile uint32_t kernel_gate;
extern volatile uint64_t kernel_pending; // bit n: SYSINTR n; bit 0: the clock stopped for idling

void kernel_init(void);
void sched_quantum_end(void);
void sched_rotate_defect(void); // an interrupt found a running thread without remainder
void sched_settle(void); // the floating thread enters the queue
void kernel_catch_up(void); // the gate's depth is 0; returns with it open
void kernel_catch_up_masked(void);

// ---- timeouts: core/timeout.c ------------------------------------------------------------------

void timeout_init(void);
void timeout_arm(struct thread *thread, uint32_t time_ms);
void timeout_cancel(struct thread *thread);
void timeout_expire(void);               // all that is due; the answer to SYSINTR_RESCHED
DWORD timeout_tick(uint32_t elapsed_ms); // timer ISR: SYSINTR_RESCHED or SYSINTR_NOP
DWORD timeout_pass(uint32_t elapsed_ms); // the same after idling
uint32_t timeout_idle_ms(void);          // until the scheduler is needed, 0 to TIMEOUT_SLOTS

// ---- waiting: core/wait.c ----------------------------------------------------------------------

void waiters_init(struct waiters *waiters, struct queue *queue);
void wait_enter(struct wait *wait, struct waiters *waiters, struct lock *lock);
void wait_withdraw(struct wait *wait);              // out of its waiters if it is among them
void waits_withdraw(struct thread *thread);
bool waiters_release_one(struct waiters *waiters); // the highest, with WAIT_OBJECT_0; false when nobody waits
void waits_move(struct thread *thread, uint32_t priority); // its places follow its new priority
struct wait *waiters_take(struct waiters *waiters); // the highest open one, taken out; NULL when none
uint32_t waiters_top_priority(const struct waiters *waiters);
DWORD wait_other(HANDLE handle, DWORD timeout_ms);  // WaitForSingleObject for all but events
DWORD wait_semaphore(HANDLE handle, DWORD timeout_ms); // all but mutexes too
DWORD wait_object(HANDLE handle, DWORD timeout_ms); // whatever it is
// Gate closed; opens it. Among the waiters of something that nobody owns, or of a lock.
DWORD wait_block(struct waiters *waiters, DWORD timeout_ms);
DWORD wait_block_lock(struct lock *lock, DWORD timeout_ms);

// ---- the things waited for ---------------------------------------------------------------------

struct irq;

struct event { // core/event.c
    _Alignas(64) struct object object; // so that a masked handle is its offset
    uint8_t signalled, manual_reset;
    uint8_t waited; // somebody has waited: too late for InterruptInitialize
    uint32_t data;
    struct irq *irq; // whose event it is
    // Manual reset: those whom a SetEvent has still to release; who comes meanwhile is in object.waiters.
    struct waiters *releasing;
};

struct semaphore { // core/semaphore.c
    struct object object;
    int32_t count, maximum;
};

struct lock { // core/lock.c: what a mutex and a contended critical section share
    struct link link; // in the owner's donations; priority of the highest waiter, or "empty"
    struct thread *owner;
    struct waiters *waiters;
};

struct mutex { // core/mutex.c
    struct object object;
    struct lock lock;
    uint32_t recursion;
    bool abandoned; // the last owner ended without releasing
};

extern struct event events[EVENTS_MAX];
extern struct semaphore semaphores[SEMAPHORES_MAX];
extern struct mutex mutexes[MUTEXES_MAX];

void event_signal_rare(struct event *event); // gate closed; auto reset: nobody waits, or many, or not plainly
void event_init(void);
bool event_poll(struct event *event);   // takes the signal if there is one
bool semaphore_poll(struct semaphore *semaphore);
bool mutex_poll(struct mutex *mutex, DWORD *result); // takes it if free or owned already
void mutex_abandon_all(struct thread *thread);
void lock_donate(struct lock *lock);    // after any change of its waiters
void lock_pass(struct lock *lock, struct thread *owner); // owner may be NULL
// While many waiters are released one by one, with the gate opened between, the running thread stands at the
// priority of the highest of them: nobody between comes first.
void lock_lend(struct lock *lock, struct waiters *waiters);
void critsec_init(void);

// ---- interrupts: core/irq.c --------------------------------------------------------------------

enum irq_state { // bits
    IRQ_IN_SERVICE = 1,    // between the event and InterruptDone
    IRQ_HELD = 2,          // one more came meanwhile
    IRQ_ROTATES = 4,       // profile.new_thread_quantum_defect
    IRQ_MASKS = 8,         // profile.done_at_tick: the line is masked while in service
    IRQ_DONE_AT_TICK = 16, // InterruptDone was called and waits for the tick
};
#define IRQ_PROFILE (IRQ_ROTATES | IRQ_MASKS)

struct irq { // one for each SYSINTR
    struct event *event;
    uint32_t state;
    uint32_t coalesced; // interrupts beyond the held one, which the event cannot count
};

extern struct irq irqs[SYSINTR_LIMIT];
extern uint32_t irq_unclaimed;   // SYSINTRs that had no event
extern uint32_t chain_unhandled; // interrupts that no routine of a chain answered

void irq_init(void);
void irq_signal(uint64_t pending); // gate closed
void irq_tick(void); // what InterruptDone left to the tick; gate closed

// ---- panic: core/panic.c -----------------------------------------------------------------------

_Noreturn void panic(const char *function, const char *reason);
#define ASSERT(condition) ((condition) ? (void)0 : panic(__func__, #condition))

// ---- trail: core/trail.c -----------------------------------------------------------------------

enum trail_kind { TRAIL_SWITCH, TRAIL_INTERRUPT, TRAIL_ANSWER, TRAIL_PRIORITY, TRAIL_STARTED, TRAIL_ENDED };

extern volatile bool trail_on;
void trail_note(enum trail_kind kind, uint32_t value); // only while it is on
void trail_print(uint32_t most);

// ---- differences between the CE versions: core/profile.c ----------------------------------------

struct profile {
    const char *name;
    uint32_t tick_ms;
    uint32_t priority_levels;  // 256, or 8
    uint32_t quantum_ms;       // of a new thread
    bool inheritance_chain;    // the whole chain of owners, not one level
    bool nesting;              // higher interrupts interrupt an ISR
    bool split_calls;          // long kernel calls open the gate between their steps
    bool new_thread_quantum_defect; // a new thread's remainder is 0: any interrupt may replace it
    bool done_at_tick;         // InterruptDone takes effect at the next tick
    bool wait_multiple_interrupt; // an interrupt's event is allowed in WaitForMultipleObjects
};

extern struct profile profile;
extern const struct profile profiles[]; // the last one has no name

bool profile_choose(const char *name); // false when there is none of that name

// The old level 0 to 7 as a priority, and a priority as this profile has it.
uint32_t profile_old_level(uint32_t old_level);
uint32_t profile_priority(uint32_t priority);

#include "port.h"

static inline struct thread *object_thread(struct object *object)
{
    return (struct thread *)((char *)object - offsetof(struct thread, object));
}

static inline void kernel_enter(void) { gate_close(); }

static inline void kernel_leave(void)
{
    if (UNLIKELY(gate_open()))
        kernel_catch_up();
}

// To kernel.next if that is another thread; gate closed.
static inline void kernel_switch(void)
{
    struct thread *from = kernel.current, *to = kernel.next;
    if (from != to) {
        kernel.current = to;
        switch_to(&from->stack_pointer, to->stack_pointer);
    }
}

// Its state has just become ready. What it displaces had come first.
static inline void thread_make_ready(struct thread *thread)
{
    struct thread *next = kernel.next;
    if (LIKELY(higher_priority(thread->link.priority, next->link.priority))) {
        if (UNLIKELY(kernel.floating != NULL))
            queue_prepend(&kernel.ready, &next->link);
        thread->link.next = &thread->link;
        kernel.next = kernel.floating = thread;
    } else {
        queue_append(&kernel.ready, &thread->link);
    }
}

// The running thread's state has just become not ready.
static inline void thread_leave(struct thread *thread)
{
    if (LIKELY(kernel.floating == thread))
        kernel.floating = NULL;
    else
        queue_remove(&kernel.ready, &thread->link);
    if (LIKELY(kernel.floating == NULL))
        kernel.next = (struct thread *)queue_top(&kernel.ready);
}

static inline bool waiters_none(const struct waiters *waiters) { return waiters->sole == NULL; }

// Answers a sole waiter that waits plainly: for this alone, without timeout, not suspended, for no lock.
// Its result is WAIT_OBJECT_0 already. False, with nothing done, in all other cases.
static inline bool waiters_answer_plain(struct waiters *waiters)
{
    struct wait *wait = waiters->sole;
    if (UNLIKELY(wait <= WAITERS_QUEUED))
        return false;
    struct thread *thread = wait->thread;
    if (UNLIKELY(thread->state != STATE_BLOCKED))
        return false;
    waiters->sole = NULL;
    thread->state = 0;
    thread_make_ready(thread);
    return true;
}

// Auto reset only.
static inline void event_signal(struct event *event)
{
    if (UNLIKELY(!waiters_answer_plain(event->object.waiters)))
        event_signal_rare(event);
}

// Between two steps of a long call: whatever waits for the gate comes first.
static inline void kernel_pass(void)
{
    if (profile.split_calls) {
        kernel_leave();
        kernel_enter();
    }
}

#endif
