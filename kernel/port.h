// SPDX-License-Identifier: MIT OR Apache-2.0
// The port's contract: all that core/ asks of a machine. A port is the folder in the include path that has
// port_inline.h, which defines what is inline here, and files that define the rest. x86/ is a PC, arm64/ a board, test/ a process.
#ifndef DETENT_PORT_H
#define DETENT_PORT_H

#include "core/gate.h"
#include "detent.h"
#include "limits.h"

struct thread;

// ---- the gate and what is pending (core/gate.h): each whole, as interrupts see it ----

static inline void gate_close(void);
// Opens it once. True when that was the last opening and something is pending: the caller must then catch up.
static inline bool gate_open_found_pending(void);
// With the gate closed once: something is pending.
static inline bool gate_has_pending(void);
// Takes all pending bits at once. The gate, open before or closed once, is closed once.
static inline uint64_t pending_take(void);
// With the gate closed: leaves the bit that an ISR with that answer would leave.
static inline void pending_add(unsigned sysintr);

// ---- operations that are whole, whatever interrupts ----

// Writes value if *target is expected; true if it was.
static inline bool interlocked_claim(volatile uintptr_t *target, uintptr_t expected, uintptr_t value);
// Writes value if *target is expected; what it was.
static inline int32_t interlocked_compare_exchange(volatile int32_t *target, int32_t value, int32_t expected);
static inline int32_t interlocked_add(volatile int32_t *target, int32_t value); // what it was

// ---- threads ----

// Leaves the running thread's registers with it and takes up the other where it once left off. Gate closed, and
// interrupts in whatever state: the caller's state is not the other's.
// A pointer, so that a port may put something before a switch while that is needed; the call is one instruction like any.
extern void (*switch_to)(struct thread *from, struct thread *to);
// Memory beyond the image, for ever: zero, whole pages, no interrupt's to ask for. NULL when there is no more.
void *memory_take(size_t bytes);
// A stack for that index, 0 to THREADS_MAX, before its first stack_prepare; false when there is no memory for it.
bool stack_make(unsigned index);
// The stack pointer of a thread that will begin in thread_begin on the stack of that index, 0 to THREADS_MAX, of STACK_BYTES.
// A thread that overruns its stack must end in a panic that names it, before it touches anything else.
void *stack_prepare(unsigned index);

// ---- time ----

// Counts what has passed while the clock was stopped for idling. Gate closed.
void clock_resume(void);
// An interrupt other than the timer's has ended idling: the timer will count, and resume, within one tick.
static inline void clock_resume_soon(void);
uint64_t counter_read(void); // counts of counter_hz a second, from some start on
extern uint64_t counter_hz;

// ---- interrupts ----

// For anyone who does not know how they were: masks them, and says what interrupts_restore has to be given.
static inline uintptr_t interrupts_save(void);
static inline void interrupts_restore(uintptr_t earlier);
// For anyone who knows.
static inline void interrupts_mask(void);
static inline void interrupts_unmask(void);
// An ISR for that line that answers what chain_walk (core/chain.h) does for it: an ISR has no argument.
static inline ISR line_walker(unsigned irq);
bool line_connect(unsigned irq,
                  ISR isr); // gate closed; false when the machine has no such line; NULL masks it. Ends LINE_DISABLED
bool line_trigger(unsigned irq, bool level); // gate closed: level-triggered or by edges; false when it cannot be so
enum line_mask { LINE_DISABLED = 1, LINE_IN_SERVICE = 2 };
void line_mask(unsigned irq, enum line_mask why, bool masked); // gate closed, or the line's ISR; masked while one holds
int sysintr_line(unsigned sysintr);                            // the line whose SYSINTR it is; -1 when none is
bool line_is_active(unsigned irq);                             // the device still asks: a chain is walked again

// ---- for people ----

void trail_start(void); // redirects switches and ISRs into the trail; again: the ISRs that were hooked since
void console_put(char c);
int console_get(void);                                                 // -1 when nothing has come
const char *symbol_name(uintptr_t address, uintptr_t *offset);         // offset may be NULL
CHAIN_ISR chain_routine_find(const char *module, const char *routine); // NULL when there is none
_Noreturn void machine_stop(bool failed);

#include "port_inline.h"

#endif
