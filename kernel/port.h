// SPDX-License-Identifier: MIT OR Apache-2.0
// The interface to a port: everything that core/ needs from a machine. A port is a folder with port_inline.h, which defines the
// inline functions, and files that define the others. x86/ is the port for a PC, arm64/ for a board; test/ is one for a process.
#ifndef DETENT_PORT_H
#define DETENT_PORT_H

#include "core/gate.h"
#include "detent.h"
#include "limits.h"

struct thread;

// ---- the gate and what is pending (core/gate.h); each operation is atomic with respect to interrupts ----

static inline void gate_close(void);
// Opens the gate once. True if this was the last opening and something is pending: the caller must then catch up.
static inline bool gate_open_found_pending(void);
// Call with the gate closed once: whether something is pending.
static inline bool gate_has_pending(void);
// Takes all pending bits at once. The gate may be open or closed once before; afterwards it is closed once.
static inline uint64_t pending_take(void);
// Call with the gate closed: sets the bit that an ISR with that answer would set.
static inline void pending_add(unsigned sysintr);

// ---- operations that are atomic with respect to interrupts ----

// Writes value if *target equals expected. Returns whether it did.
static inline bool interlocked_claim(volatile uintptr_t *target, uintptr_t expected, uintptr_t value);
// Writes value if *target equals expected. Returns the old value.
static inline int32_t interlocked_compare_exchange(volatile int32_t *target, int32_t value, int32_t expected);
static inline int32_t interlocked_add(volatile int32_t *target, int32_t value); // returns the old value

// ---- threads ----

// Saves the running thread's registers and restores those of the other thread. Gate closed; the state of the interrupts
// is arbitrary and not preserved. switch_to is a pointer, so that a port can insert code before a switch when needed.
// The call is still a single instruction.
extern void (*switch_to)(struct thread *from, struct thread *to);
// Allocates zeroed whole pages outside the image. They are never freed. ISRs must not call it. NULL if there is no more
// memory.
void *memory_take(size_t bytes);
// Allocates the stack with that index, 0 to THREADS_MAX, before its first stack_prepare. False if there is no memory for it.
bool stack_make(unsigned index);
// The initial stack pointer of a thread that starts in thread_begin, on the stack with that index (0 to THREADS_MAX, STACK_BYTES
// each). A thread that overruns its stack must cause a panic that names it before it touches anything else.
void *stack_prepare(unsigned index);

// ---- time ----

// Counts the time that passed while the clock was stopped for idling. Gate closed.
void clock_resume(void);
// Call it when an interrupt other than the timer's has ended idling: sets the timer, which resumes the clock within one tick.
static inline void clock_resume_soon(void);
uint64_t counter_read(void); // counts since some start, counter_hz per second
extern uint64_t counter_hz;

// ---- interrupts ----

// For callers that do not know whether interrupts are enabled: disables them and returns the earlier state for
// interrupts_restore.
static inline uintptr_t interrupts_save(void);
static inline void interrupts_restore(uintptr_t earlier);
// For callers that know the state of the interrupts.
static inline void interrupts_mask(void);
static inline void interrupts_unmask(void);
// An ISR for that line. It calls chain_walk (core/chain.h) with the line's number, because an ISR has no argument.
static inline ISR line_walker(unsigned irq);
// Gate closed. Makes isr the line's ISR and ends the mask LINE_DISABLED; with isr NULL, the line is masked. False if
// the machine has no such line.
bool line_connect(unsigned irq, ISR isr);
bool line_trigger(unsigned irq, bool level); // gate closed: level- or edge-triggered; false if impossible
enum line_mask { LINE_DISABLED = 1, LINE_IN_SERVICE = 2 };
void line_mask(unsigned irq, enum line_mask why, bool masked); // gate closed, or in its ISR; one reason is enough
int sysintr_line(unsigned sysintr);                            // the line with that SYSINTR; -1 if there is none
bool line_is_active(unsigned irq); // whether the device still requests an interrupt: the chain is then walked again

// ---- for debugging ----

void trail_start(void); // redirects switches and ISRs into the trail; a second call redirects ISRs hooked since then
void console_put(char c);
int console_get(void);                                                 // -1 if no character has come
const char *symbol_name(uintptr_t address, uintptr_t *offset);         // offset may be NULL
CHAIN_ISR chain_routine_find(const char *module, const char *routine); // NULL if there is none
_Noreturn void machine_stop(bool failed);

#include "port_inline.h"

#endif
