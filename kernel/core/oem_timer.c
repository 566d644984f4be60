// SPDX-License-Identifier: MIT OR Apache-2.0
// CE's two timer interfaces: variables that show the kernel's time, and the rules by which an OEM's timer ISR requests the
// scheduler.
#include "core/profile.h"
#include "core/ready.h"
#include "oem.h"
#include "port.h"

volatile DWORD CurMSec, DiffMSec, dwPreempt, dwSleepMin, ticksleft, dwReschedTime;
static uint64_t looked_ms, last_ms; // time of the scheduler's last run, and of the previous tick
static bool asked;                  // whether the previous tick requested the scheduler

void oem_timer_init(void)
{
    looked_ms = last_ms = kernel.now_ms;
    asked = false;
    ticksleft = 0;
}

// If the previous tick's request is still pending, the scheduler has not run since that tick. Otherwise the scheduler
// ran after the tick that requested it.
static void scheduler_follow(uint64_t now_ms)
{
    bool waits = asked && kernel_pending >> SYSINTR_RESCHED & 1;
    ticksleft = waits ? ticksleft + (DWORD)(now_ms - last_ms) / profile.tick_ms : 0;
    if (asked && !waits)
        looked_ms = last_ms;
    asked = waits;
    last_ms = now_ms;
}

void oem_timer_update(void)
{
    const struct thread *thread = kernel.current;
    uint64_t now_ms = kernel.now_ms;
    scheduler_follow(now_ms);
    uint32_t timeout_ms = kernel.resched_ms > now_ms ? (uint32_t)(kernel.resched_ms - now_ms) : 0;
    uint32_t turn_ms = thread->quantum_ms != 0 ? thread->quantum_left_ms : timeout_ms;
    CurMSec = (DWORD)now_ms;
    DiffMSec = (DWORD)(now_ms - looked_ms);
    dwSleepMin = DiffMSec + timeout_ms != 0 ? DiffMSec + timeout_ms : 1;
    dwPreempt = thread->quantum_ms != 0 ? DiffMSec + turn_ms : 0;
    dwReschedTime = CurMSec + (turn_ms < timeout_ms ? turn_ms : timeout_ms);
}

static bool rule_preempt(void)
{
    return ticksleft || (dwSleepMin && DiffMSec >= dwSleepMin) || (dwPreempt && DiffMSec >= dwPreempt);
}

// The difference is signed, so the comparison stays right when the counter wraps around.
static bool rule_resched(void)
{
    return (int32_t)(CurMSec - dwReschedTime) >= 0;
}

DWORD oem_timer_tick(DWORD answer)
{
    (void)answer;
    oem_timer_update();
    asked |= (profile.timer == TIMER_PREEMPT ? rule_preempt() : rule_resched()) || profile.done_at_tick;
    return asked ? SYSINTR_RESCHED : SYSINTR_NOP;
}
