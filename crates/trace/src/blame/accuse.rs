// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the cause of each part of a latency, from who had the CPU and from the progress of the response at that time.
use crate::blame::behind::{Untold, Verdict, is_straight};
use crate::blame::window::Window;
use crate::blame::{Cause, Culprit, More};
use crate::event::{ORDINARY, Section, Thread, Unpreempted};
use crate::processor::changes::accuse_change;
use crate::processor::timers_run::MANY_TIMERS;
use crate::processor::{Fault, Holder, Stretch};
use crate::thread::holds::{How, LetGo};
use crate::thread::limits::UsedUp;
use crate::thread::raise::Raise;
use crate::thread::signals::Storm;

/// Why the holder of this stretch had the CPU at `at_ns`. Changes to the machine (a slow CPU, a CPU going offline) come first:
/// they explain time that would otherwise count as the holder's own.
pub(crate) fn accuse(window: &Window, at_ns: u64, stretch: &Stretch) -> (Cause, Option<Culprit>) {
    let (cause, culprit) = within_limits(window, at_ns, stretch.holder(), by_holder(window, at_ns, stretch));
    let (cause, culprit) = within_storm(window, (cause, culprit));
    let change = accuse_change(cause, culprit, stretch);
    match (change, cause) {
        (Some((cause, culprit)), _) => (cause, Some(culprit)),
        (None, Cause::Backlog) => ran_on(window).unwrap_or((cause, None)),
        _ => (cause, culprit),
    }
}

/// The thread was still busy with an earlier release. The culprit states the latency of the late response that the thread
/// catches up on, or else the CPU time that the thread had used.
pub(crate) fn ran_on(window: &Window) -> Option<(Cause, Option<Culprit>)> {
    let after = |ns| Some(Culprit { holder: Holder::Thread(window.thread?), more: More::After(ns) });
    match (window.after_ns, window.ran_ns) {
        (Some(ns), _) => Some((Cause::CatchUp, Some(after(ns)?))),
        (None, Some(ns)) => Some((Cause::Backlog, Some(after(ns)?))),
        (None, None) => None,
    }
}

/// The thread was handling a storm of signals, and was still busy with an earlier release or had not begun this one.
fn within_storm(window: &Window, told: (Cause, Option<Culprit>)) -> (Cause, Option<Culprit>) {
    match window.storm.filter(|_| matches!(told.0, Cause::Backlog | Cause::OwnRun)) {
        Some(Storm { by, count }) => {
            let more = More::Signals(at_least(count));
            (Cause::Signals, Some(Culprit { holder: Holder::Thread(by), more }))
        }
        None => told,
    }
}

/// After the late thread has used up its CPU time limit, only threads of higher priority still delay it. All other time counts
/// as the limit's.
fn within_limits(
    window: &Window,
    at_ns: u64,
    holder: Holder,
    told: (Cause, Option<Culprit>),
) -> (Cause, Option<Culprit>) {
    let Some(used_up) = window.used_up.filter(|used_up| used_up.has(at_ns)) else {
        return told;
    };
    let UsedUp { lost_processor, .. } = used_up;
    let nobody_above = match told {
        // With each of these causes, the late thread was on no runqueue.
        (Cause::FairShare | Cause::Throttling | Cause::NotWaiting | Cause::Moved, _) => true,
        (Cause::Dispatch, _) => holder == Holder::Idle,
        (Cause::Blocking, _) => lost_processor,
        (Cause::Interference, Some(culprit)) => culprit.more == More::Raised(Raise::Unseen),
        _ => false,
    };
    if nobody_above { (Cause::Quota, Some(used_up.culprit())) } else { told }
}

fn by_holder(window: &Window, at_ns: u64, stretch: &Stretch) -> (Cause, Option<Culprit>) {
    let holder = stretch.holder();
    let plain = Some(plain_culprit(stretch));
    match holder {
        // Comes before the checks of the thread that ran, because the kernel may delay a timer within its slack even on an idle
        // CPU.
        _ if is_in_slack(window, at_ns) => (Cause::TimerSlack, None),
        // Comes before the checks of the thread that ran here, because the late thread was queued on another CPU.
        _ if is_elsewhere(window, at_ns) => (Cause::Moved, None),
        // A thread that left the CPU by itself does not wait for one, so it does not matter who has this CPU.
        Holder::Unknown | Holder::Idle if is_held_up(window, at_ns) => held_up_by(window, at_ns),
        // Checked before the late thread's other work, because a page fault can hit the thread in any part of the response.
        Holder::Thread(thread) if is_own(window, thread) && stretch.fault == Fault::Sure => (Cause::PageFault, None),
        Holder::Thread(thread) if is_own(window, thread) && stretch.fault == Fault::Perhaps => {
            (Cause::AfterFault, None)
        }
        // Checked before `Unexplained`: the late thread had not set its timer yet, so it was not waiting, no matter which
        // thread ran.
        Holder::Unknown if unready(window, at_ns) == Some(Cause::NotWaiting) => let_go(window, at_ns),
        // The stack in the late interrupt explains the delay, no matter which thread ran.
        Holder::Unknown if is_due(window, at_ns) => whoever_ran(at_ns, stretch),
        Holder::Unknown => (Cause::Unexplained, None),
        // Checked before the late thread's own interrupt. An interrupt with `MANY_TIMERS` timers works for other threads too,
        // so its time is not only the late thread's wakeup path.
        Holder::Section(Section::Interrupt(_)) if stretch.timers >= MANY_TIMERS => {
            let more = More::Timers { at_least: at_least(stretch.timers), function: stretch.timer };
            (Cause::Interference, Some(Culprit { holder, more }))
        }
        // Checked before other interrupts, because this one wakes the thread.
        Holder::Section(Section::Interrupt(name)) if Some(name) == window.line && in_its_interrupt(window, at_ns) => {
            (Cause::Dispatch, None)
        }
        Holder::Section(Section::Softirq(_)) => (Cause::Interference, softirq(window, stretch)),
        Holder::Section(Section::Interrupt(_)) if stretch.timer.is_some() => {
            (Cause::Interference, Some(Culprit { holder, more: More::Timers { at_least: 1, function: stretch.timer } }))
        }
        Holder::Section(_) => (Cause::Interference, plain),
        // Checked before the scheduler's decisions, because nobody had asked the scheduler to switch before the interrupt.
        Holder::Idle if at_ns < window.interrupt_ns => match unready(window, at_ns) {
            Some(Cause::NotWaiting) => let_go(window, at_ns),
            Some(cause) => (cause, None),
            None => (Cause::IdleExit, None),
        },
        Holder::Idle if scheduler_ran(window, stretch) && is_ordinary(window) => (Cause::FairShare, plain),
        Holder::Idle if scheduler_ran(window, stretch) => (Cause::Throttling, plain),
        Holder::Idle => (Cause::Dispatch, None),
        Holder::Thread(thread) if at_ns < window.interrupt_ns => match before_interrupt(window, at_ns, thread) {
            Cause::Interference => (Cause::Interference, Some(not_below(stretch, thread))),
            Cause::Late => late(at_ns, stretch),
            Cause::NotWaiting => let_go(window, at_ns),
            cause => (cause, plain),
        },
        Holder::Thread(thread) => after_waking(window, at_ns, stretch, thread),
    }
}

fn plain_culprit(stretch: &Stretch) -> Culprit {
    let more = stretch.work.map_or(More::Nothing, More::At);
    Culprit { holder: stretch.holder(), more }
}

/// Rounds down to 1, 2 or 5 times a power of ten, so that similar numbers of timers count as one cause.
fn at_least(timers: u32) -> u32 {
    let tens = 10u32.pow(timers.max(1).ilog10());
    let rounds = [5, 2].into_iter().filter_map(|step| tens.checked_mul(step));
    rounds.into_iter().find(|round| *round <= timers).unwrap_or(tens)
}

fn in_its_interrupt(window: &Window, at_ns: u64) -> bool {
    (window.interrupt_ns..window.ready_ns).contains(&at_ns)
}

/// Names the softirq with its main timer function. Without such a function, names the softirq with the thread that it
/// interrupted, unless that is the idle thread or the late thread.
fn softirq(window: &Window, stretch: &Stretch) -> Option<Culprit> {
    if stretch.timer.is_some() {
        let count = if stretch.timers >= MANY_TIMERS { at_least(stretch.timers) } else { 1 };
        let more = More::Timers { at_least: count, function: stretch.timer };
        return Some(Culprit { holder: stretch.holder(), more });
    }
    let other = stretch.thread.filter(|thread| thread.id != 0 && !is_own(window, *thread));
    Some(Culprit { holder: stretch.holder(), more: other.map_or(More::Nothing, More::OnTimeOf) })
}

/// The thread had left the CPU by itself, before its response.
fn is_held_up(window: &Window, at_ns: u64) -> bool {
    window.away.is_some_and(|away| away.has(at_ns))
}

fn held_up_by(window: &Window, at_ns: u64) -> (Cause, Option<Culprit>) {
    if window.away.is_some_and(|away| away.faulted) { (Cause::PageFault, None) } else { let_go(window, at_ns) }
}

fn is_own(window: &Window, thread: Thread) -> bool {
    window.thread.is_some_and(|own| own.id == thread.id)
}

fn is_ordinary(window: &Window) -> bool {
    window.thread.is_some_and(|own| own.is_ordinary())
}

fn is_lower(window: &Window, priority: i32) -> bool {
    window.thread.is_none_or(|own| priority > own.priority)
}

fn unready(window: &Window, at_ns: u64) -> Option<Cause> {
    let busy = window.busy_until.is_some_and(|until| at_ns < until);
    let late = if busy { Cause::Backlog } else { Cause::NotWaiting };
    window.waits_from.is_some_and(|from| at_ns < from).then_some(late)
}

/// A page fault or another thread kept the late thread from setting its timer or from continuing. `window.let_go` names the
/// thread that resumed the late one.
fn let_go(window: &Window, at_ns: u64) -> (Cause, Option<Culprit>) {
    if window.fault.is_some_and(|fault| fault.has(at_ns)) {
        return (Cause::PageFault, None);
    }
    match window.let_go {
        Some(let_go) => held_until(let_go),
        None => (Cause::NotWaiting, None),
    }
}

pub(crate) fn held_until(LetGo { by: thread, held }: LetGo) -> (Cause, Option<Culprit>) {
    let Some((how, by)) = held else { return (Cause::NotWaiting, Some(Holder::Thread(thread).into())) };
    let (cause, group) = match how {
        How::Stopped => (Cause::Stopped, None),
        How::Frozen(group) => (Cause::Frozen, group),
    };
    let holder = by.map_or(Holder::Unknown, Holder::Thread);
    (cause, Some(Culprit { holder, more: More::Until { thread, group } }))
}

/// The cause of a time in which a thread ran before the interrupt. The late thread's own run time is its backlog. Before it
/// waits for its timer, only threads of higher priority take time from it. After that, only the interrupt is missing.
fn before_interrupt(window: &Window, at_ns: u64, thread: Thread) -> Cause {
    match unready(window, at_ns) {
        _ if is_own(window, thread) => Cause::Backlog,
        Some(cause) if is_lower(window, thread.priority) || (is_ordinary(window) && thread.is_ordinary()) => cause,
        Some(_) => Cause::Interference,
        None => Cause::Late,
    }
}

/// While a thread can be interrupted, a delay up to this limit proves nothing. Setting the timer and entering the kernel take as
/// long: 10 us in a virtual machine.
pub(crate) const DELIVERED_NS: u64 = 20_000;

// The system call entry and exit paths are some hundreds of instructions; they never take this long.
const STRAIGHT_NS: u64 = 1_000_000;

/// The interrupt was due while a thread ran, and the stack in the interrupt explains the delay. A function that had interrupts
/// disabled is proof. Otherwise the delay counts only if it is longer than [`DELIVERED_NS`].
fn late(at_ns: u64, stretch: &Stretch) -> (Cause, Option<Culprit>) {
    let holder = stretch.holder();
    match stretch.behind.unwrap_or(Verdict::Untold(Untold::NoStack)) {
        Verdict::Masked { function, caller } => {
            (Cause::Masked, Some(Culprit { holder, more: More::Masking { function, caller } }))
        }
        Verdict::Below if stretch.to_ns - at_ns > DELIVERED_NS => (Cause::Below, Some(holder.into())),
        Verdict::Untold(Untold::Moment(function)) if stretch.to_ns - at_ns > STRAIGHT_NS && is_straight(function) => {
            (Cause::Below, Some(holder.into()))
        }
        Verdict::Below => (Cause::Late, Some(Culprit { holder, more: More::Untold(Untold::Delivery) })),
        Verdict::Untold(untold) => (Cause::Late, Some(Culprit { holder, more: More::Untold(untold) })),
    }
}

/// The timer had expired, but its interrupt had not come.
fn is_due(window: &Window, at_ns: u64) -> bool {
    (window.waits_from.unwrap_or(0).max(window.from_ns)..window.interrupt_ns).contains(&at_ns)
}

/// The running thread is unknown; the stack in the late interrupt may still explain the delay.
fn whoever_ran(at_ns: u64, stretch: &Stretch) -> (Cause, Option<Culprit>) {
    match late(at_ns, stretch) {
        (Cause::Late, _) => (Cause::Unexplained, None),
        (cause, culprit) => {
            let masking = culprit.filter(|culprit| culprit.more != More::Nothing);
            (cause, masking.map(|culprit| Culprit { holder: Holder::Unknown, ..culprit }))
        }
    }
}

/// The timer was set and within its slack, so the kernel was allowed to delay it.
fn is_in_slack(window: &Window, at_ns: u64) -> bool {
    let set_ns = window.waits_from.unwrap_or(0).max(window.from_ns);
    (set_ns..window.due_ns.min(window.interrupt_ns)).contains(&at_ns)
}

fn is_elsewhere(window: &Window, at_ns: u64) -> bool {
    window.moved_ns.is_some_and(|from_ns| (from_ns..window.came_ns).contains(&at_ns))
}

/// The scheduler has run since the interrupt: the thread on the CPU changed, or need-resched was cleared. False if the end of the
/// interrupt was not recorded.
fn scheduler_ran(window: &Window, stretch: &Stretch) -> bool {
    stretch.stay != window.stay || (window.asked.is_some() && !stretch.asked)
}

/// A thread ran after the late one was woken. The order of the checks matters:
///
/// 1. The late thread itself ran: its own time.
/// 2. The running thread does not have a lower priority, so it would have run even if the late one had been ready all the time.
/// 3. The late thread had left its CPU by itself: a thread of lower priority took nothing from it.
/// 4. Both are ordinary: no priority decides between them, except an inherited one.
/// 5. A thread of lower priority ran. Either it was boosted (known, or nobody asked the scheduler to switch);
///    or the scheduler ran and chose it, so a limit held the late thread back;
///    or the scheduler did not get to run. This last case has the weakest evidence.
fn after_waking(window: &Window, at_ns: u64, stretch: &Stretch, thread: Thread) -> (Cause, Option<Culprit>) {
    let plain = plain_culprit(stretch);
    let raised = |raise| (Cause::Interference, Some(with_raise(raise, thread)));
    if is_own(window, thread) {
        let at_work = window.works_from.is_some_and(|from| at_ns >= from);
        return (if at_work { Cause::OwnRun } else { Cause::Dispatch }, None);
    }
    let ordinary = is_ordinary(window) && thread.is_ordinary();
    if !ordinary && !is_lower(window, thread.priority) {
        return (Cause::Interference, Some(not_below(stretch, thread)));
    }
    if is_held_up(window, at_ns) {
        return held_up_by(window, at_ns);
    }
    if ordinary {
        return match stretch.raise {
            Some(raise) if raise.priority().is_some_and(|to| to < ORDINARY) => raised(raise),
            _ => (Cause::FairShare, Some(plain)),
        };
    }
    match stretch.raise {
        // At the end of the interrupt this thread's priority was not lower than the late thread's. Otherwise the interrupt
        // would have set need-resched.
        raise if stretch.stay == window.stay && window.asked == Some(false) => raised(raise.unwrap_or(Raise::Unseen)),
        Some(raise) if !stretch.asked && raise.priority().is_some_and(|to| !is_lower(window, to)) => raised(raise),
        _ if scheduler_ran(window, stretch) || at_ns >= window.came_ns => (Cause::Throttling, Some(plain)),
        _ => (Cause::Blocking, Some(unpreempted(stretch).unwrap_or(plain))),
    }
}

fn unpreempted(stretch: &Stretch) -> Option<Culprit> {
    let Unpreempted { function, caller } = stretch.unpreempted?;
    Some(Culprit { holder: stretch.holder(), more: More::Masking { function, caller } })
}

/// Names a thread whose priority, own or inherited, is at least the late thread's.
pub(crate) fn not_below(stretch: &Stretch, thread: Thread) -> Culprit {
    match stretch.raise {
        Some(raise @ (Raise::Inherited(_) | Raise::Left(_))) => with_raise(raise, thread),
        _ => Culprit { holder: Holder::Thread(thread), ..plain_culprit(stretch) },
    }
}

/// Names the thread with its boost. If no other thread lent the priority, and the thread still had it on leaving the CPU, the
/// thread itself had set it (`sched_setscheduler`).
fn with_raise(raise: Raise, thread: Thread) -> Culprit {
    let (priority, more) = match raise {
        Raise::Inherited(loan) => (loan.own, More::Raised(raise)),
        Raise::Left(own) => (own, More::Nothing),
        Raise::Unseen => (thread.priority, More::Raised(raise)),
    };
    Culprit { holder: Holder::Thread(Thread { priority, ..thread }), more }
}

#[cfg(test)]
mod tests;
