// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of each cause: who used a part of a response and why, and what to change about it.
use super::accused::{name, who};
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_model::{
    Accusation, Cause, CauseTotal, Culprit, Holder, HolderDetail, Limit, OwnInterrupt, Thread, Untold,
};

pub fn phrase(cause: Cause, culprit: Option<&Culprit>) -> String {
    let idle = culprit.is_some_and(|culprit| culprit.holder == Holder::Idle);
    let who = culprit.map_or(String::new(), who);
    match cause {
        Cause::Interference => who,
        Cause::Blocking => format!("{who} could not be preempted{}", unpreempted(culprit)),
        Cause::Throttling if idle => "idle although the thread was ready (real-time throttling)".into(),
        Cause::Throttling => format!("{who} was preferred by the scheduler (real-time throttling or the fair server)"),
        Cause::FairShare if idle => "idle although the thread was ready (its group's quota, or on its way here)".into(),
        Cause::FairShare => format!("{who} ran instead (the choice of the fair scheduler)"),
        Cause::LockHeld => format!("{who} held the lock that the thread waited for"),
        Cause::Inversion => format!("{who} (priority inversion)"),
        Cause::Backlog => "the thread ran on from an earlier release (or the machine below stood still)".into(),
        Cause::CatchUp => format!("its own run time: it caught up after {} response", after(culprit)),
        Cause::NotWaiting if culprit.is_none() => {
            "the thread was not waiting for its timer (stopped, or held up elsewhere)".into()
        }
        Cause::NotWaiting => format!(
            "the thread was not waiting for its timer (stopped, frozen, or held up elsewhere) until {who} let it go on"
        ),
        Cause::Stopped => format!("the thread was stopped{}{}", by_whom(culprit), until(culprit)),
        Cause::Signals => format!("the thread ran on from an earlier release, and {who} meanwhile"),
        Cause::Quota => used_up(culprit),
        Cause::Frozen => {
            format!("its control group{} was frozen{}{}", group(culprit), by_whom(culprit), until(culprit))
        }
        Cause::PageFault => "a page fault of the thread".into(),
        Cause::AfterFault => "a long page fault of the thread, or what it did behind one".into(),
        Cause::TimerSlack => "the kernel waited within the thread's timer slack".into(),
        Cause::Moved => "moved while ready, not recorded where it waited".into(),
        Cause::IdleExit => "timer interrupt late on an idle CPU (C-state exit, or the hypervisor)".into(),
        Cause::Dispatch => "the kernel's own wakeup path (scheduler and switch)".into(),
        Cause::Hotplug => format!("{} ({who} ran for that)", plugged(culprit)),
        Cause::Frequency => format!("its own way and run time{}", slowed(culprit)),
        Cause::Cooling => format!("its own way and run time{}, while the machine was cooled", slowed(culprit)),
        Cause::OwnRun => "its own run time".into(),
        Cause::Jitter => "released later than its nominal instant (the set's jitter)".into(),
        Cause::Late => {
            format!("the interrupt was late while {who} ran (masked, or late below the kernel{})", missing(culprit))
        }
        Cause::Masked => format!("interrupts disabled in {}{}", masking(culprit), while_it_ran(culprit)),
        Cause::Below => format!("the hypervisor or firmware (SMI) paused this CPU{}", while_it_ran(culprit)),
        Cause::Unexplained => "unexplained".into(),
        Cause::Others => "others (more causes than are told apart)".into(),
    }
}

/// The response after which a thread caught up.
fn after(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::After(ns)) => format!("the {}", DisplayedValue(*ns, Unit::Ns)),
        _ => "a late".into(),
    }
}

fn plugged(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::Plugged { cpu, down: true }) => format!("CPU {cpu} was taken off line"),
        Some(HolderDetail::Plugged { cpu, down: false }) => format!("CPU {cpu} came on line"),
        _ => "a processor was taken off line or came back".into(),
    }
}

fn slowed(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::Slowed { mhz, of_mhz, limited }) => {
            let limit = if *limited { ", the most that was allowed" } else { "" };
            format!(" at {} MHz of {} MHz{limit}", grouped(u64::from(*mhz)), grouped(u64::from(*of_mhz)))
        }
        _ => " at a lowered frequency".into(),
    }
}

/// The limit by which the thread had used up its time.
fn used_up(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::UsedUp { limit: Limit::Quota, .. }) => {
            format!("its control group{} had used up its quota (cpu.max)", group(culprit))
        }
        Some(HolderDetail::UsedUp { limit: Limit::RealTimeShare, .. }) => {
            "its control group had used up its share for real-time threads (cpu.rt_runtime_us)".into()
        }
        Some(HolderDetail::UsedUp { limit: Limit::Budget, .. }) => {
            "it had used up its own budget (the runtime of SCHED_DEADLINE)".into()
        }
        _ => "it had used up the time that it may have".into(),
    }
}

/// The function in which a thread could not be preempted, where the stack in the switch told it.
fn unpreempted(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::Masking { .. }) => format!(" in {}", masking(culprit)),
        _ => String::new(),
    }
}

fn masking(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::Masking { function, caller: Some(caller) }) => format!("{function} (called by {caller})"),
        Some(HolderDetail::Masking { function, caller: None }) => function.clone(),
        _ => "a function of the kernel".into(),
    }
}

fn while_it_ran(culprit: Option<&Culprit>) -> String {
    let known = culprit.filter(|culprit| culprit.holder != Holder::Unknown);
    known.map_or(String::new(), |culprit| format!(" while {} ran", who(culprit)))
}

/// Who kept the thread from going on.
fn by_whom(culprit: Option<&Culprit>) -> String {
    match culprit.map(|culprit| &culprit.holder) {
        Some(Holder::Thread(thread)) => format!(" by {}", name(thread)),
        _ => " (by whom was not recorded)".into(),
    }
}

fn until(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::Until { thread, .. }) => format!(", until {} let it go on", name(thread)),
        _ => String::new(),
    }
}

fn group(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::Until { group: Some(group), .. } | HolderDetail::UsedUp { group: Some(group), .. }) => {
            format!(" {}", group.replace(char::is_control, "?"))
        }
        _ => String::new(),
    }
}

fn missing(culprit: Option<&Culprit>) -> String {
    let Some(HolderDetail::Untold(untold)) = culprit.and_then(|culprit| culprit.more.as_ref()) else {
        return String::new();
    };
    match untold {
        Untold::NoStack => ": no stack was recorded in it".into(),
        Untold::Hidden => ": the kernel hides the names of its functions, see kernel.kptr_restrict".into(),
        Untold::Cut => ": its stack was cut short".into(),
        Untold::Unnamed => ": a function in its stack has no name".into(),
        Untold::Moment(function) => {
            format!(": {function} masks for moments only, and no clock of stolen time is recorded")
        }
        Untold::Itself(function) => {
            format!(
                ": {function} lets interrupts in by an instruction of its own, and whether it did just then was not seen"
            )
        }
        Untold::Delivery => ": no longer than an interrupt's own way may take".into(),
    }
}

pub fn advice_of(total: &CauseTotal) -> &'static str {
    let Accusation { cause, culprit } = &total.accused;
    advice(*cause, culprit.as_ref())
}

pub(super) fn is_ours(thread: &Thread) -> bool {
    thread.name.as_deref().and_then(backwall_model::own_thread).is_some()
}

fn interrupt_advice(own: Option<OwnInterrupt>) -> &'static str {
    match own {
        Some(OwnInterrupt::Timer) => {
            "it is the processor's own timer, which nothing moves: fewer timers on this processor (isolcpus=, nohz_full=; /proc/timer_list tells who sets them)"
        }
        Some(OwnInterrupt::Call) => {
            "another processor called this one, which nothing moves: fewer reasons for it (isolcpus=, nohz_full=; no munmap, mprotect or fork in a process with threads here)"
        }
        Some(OwnInterrupt::Other) => {
            "it is the processor's own, which nothing moves: end what profiles or traces this processor (irq_work, pmu), or look at its temperature and its errors (apic)"
        }
        None => {
            "move the interrupt to another processor (/proc/irq/N/smp_affinity_list), or its device to a slower rate"
        }
    }
}

pub fn advice(cause: Cause, culprit: Option<&Culprit>) -> &'static str {
    let holder = culprit.map(|culprit| &culprit.holder);
    match (cause, holder, culprit.and_then(|culprit| culprit.more.as_ref())) {
        (_, _, Some(HolderDetail::Inherited { .. })) => {
            "shorten what it does while it holds the lock, or do not share that lock with real-time threads"
        }
        (_, _, Some(HolderDetail::Raised(_))) => {
            "it ran above its own priority: look for what raises it (a lock that passes a priority on, or a call of sched_setscheduler)"
        }
        (_, _, Some(HolderDetail::TimersOf { at_least: 1, .. })) => {
            "a timer of the kernel's took so long: its function tells what sets it (tick_*: the regular tick, which nohz_full= spares a processor; hrtimer_wakeup and posix_*: a program; perf_*: a profiler)"
        }
        (_, _, Some(HolderDetail::Timers(_) | HolderDetail::TimersOf { .. })) => {
            "so many timers at one instant: see who sets them (timers on this processor: /proc/timer_list), spread their instants or give them slack (PR_SET_TIMERSLACK), or keep those threads off this processor"
        }
        (_, _, Some(HolderDetail::At(_))) => {
            "the function tells who queued that work: keep it off this processor (/sys/devices/virtual/workqueue/cpumask, or isolation of processors), or stop what queues it"
        }
        (_, _, Some(HolderDetail::OtherRun)) => "end the other run of this tool",
        (Cause::Interference, Some(Holder::Thread(thread)), _) if is_ours(thread) => {
            "it is late for being watched: start this tool without a real-time priority, or on another processor (taskset)"
        }
        (Cause::Blocking | Cause::FairShare | Cause::Throttling, Some(Holder::Thread(thread)), _)
            if is_ours(thread) =>
        {
            "it is late for being watched: a real-time priority keeps this tool off it, or start this tool on another processor (taskset)"
        }
        (Cause::Interference, Some(Holder::Interrupt(name)), _) => interrupt_advice(OwnInterrupt::from_name(name)),
        (Cause::Interference, Some(Holder::Softirq(_)), _) => {
            "move its interrupt to another processor, or run a PREEMPT_RT kernel, where softirqs are threads with a priority"
        }
        (Cause::Interference, ..) => "give it a lower priority than the thread that was late, or another processor",
        (Cause::Blocking, ..) => {
            "it was in the kernel and could not be preempted: a kernel with full preemption (preempt=full, or PREEMPT_RT), or another processor for it"
        }
        (Cause::Throttling, ..) => {
            "the scheduler kept real-time threads away: raise sched_rt_runtime_us or the fair server's limits, and see who used the rest"
        }
        (Cause::Quota, _, Some(HolderDetail::UsedUp { limit: Limit::RealTimeShare, .. })) => {
            "raise the share of its control group (cpu.rt_runtime_us; of all groups together kernel.sched_rt_runtime_us), or let the real-time threads in it do less"
        }
        (Cause::Quota, _, Some(HolderDetail::UsedUp { limit: Limit::Budget, .. })) => {
            "raise its runtime (chrt --deadline --sched-runtime, at most its deadline), or let it do less in each period"
        }
        (Cause::Quota, ..) => {
            "raise the quota of its control group (cpu.max, or cpu.cfs_quota_us), take the thread out of the group, or let the group do less"
        }
        (Cause::FairShare, Some(Holder::Idle), _) => {
            "look at the quota of its control group (cpu.max), and whether it may run on this processor (taskset, cpuset)"
        }
        (Cause::FairShare, ..) => {
            "among ordinary threads none has precedence: a real-time priority for the late one, a lower nice value, or another processor for the other"
        }
        (Cause::LockHeld, ..) => {
            "shorten what it does while it holds the lock, or do not share that lock with real-time threads"
        }
        (Cause::Inversion, ..) => {
            "give the lock priority inheritance (PTHREAD_PRIO_INHERIT), or do not share it with threads of lower priority"
        }
        (Cause::Backlog, ..) => "the thread needs longer than its period: a longer period, or less work",
        (Cause::Signals, ..) => {
            "who sends so many signals has to send fewer; or let another thread handle them (pthread_sigmask, signalfd)"
        }
        (Cause::CatchUp, ..) => {
            "see what made the first of these responses late; or leave out releases that have passed"
        }
        (Cause::Stopped, ..) => {
            "who sent that signal has to leave it alone: SIGSTOP, a debugger, job control of a shell (Ctrl-Z, a terminal that it may not use)"
        }
        (Cause::Frozen, ..) => {
            "who froze the group has to leave it alone (cgroup.freeze, or freezer.state of version 1): a container that is paused, a snapshot or a suspend, a service manager; or give the thread a group of its own"
        }
        (Cause::NotWaiting, Some(_), _) => {
            "who let it go on knows what kept it: a signal that stopped it (SIGSTOP, a debugger), a frozen control group (cgroup.freeze), or a call that waited for that thread"
        }
        (Cause::NotWaiting, ..) => {
            "the thread was stopped, or waited for something else than its timer: look at what it calls"
        }
        (Cause::PageFault | Cause::AfterFault, ..) => {
            "keep its memory in place: mlockall(MCL_CURRENT | MCL_FUTURE), and touch stack and heap before it must be in time"
        }
        (Cause::TimerSlack, ..) => {
            "prctl(PR_SET_TIMERSLACK, 1) in the thread; poll, select and epoll add 0.1 % of their timeout (nice threads 0.5 %, 100 ms at most): wait by clock_nanosleep or a timerfd; a real-time policy has no slack"
        }
        (Cause::Moved, ..) => {
            "nobody knows who had the processor on which it waited: record sched_migrate_task, and every processor, or keep the thread on one (taskset)"
        }
        (Cause::IdleExit, ..) => {
            "hold the processor out of deep idle states (/dev/cpu_dma_latency, or idle=poll on the boot line, nohlt on arm64)"
        }
        (Cause::Late, _, Some(HolderDetail::Untold(Untold::NoStack))) => {
            "interrupts were masked, or the machine below stood still: a recording with the kernel's stacks, as `backwall trace record` makes it, tells which"
        }
        (Cause::Late, _, Some(HolderDetail::Untold(Untold::Hidden))) => {
            "interrupts were masked, or the machine below stood still: as root with kernel.kptr_restrict at 1 or 0 the stack tells which"
        }
        (Cause::Late, ..) => {
            "interrupts were masked, or the machine below stood still: look for drivers that mask them, SMIs, and a busy hypervisor"
        }
        (Cause::Masked, ..) => {
            "that function of the kernel kept interrupts out: see what calls it and how much work it is given, keep that off this processor, or take a kernel that is newer or PREEMPT_RT"
        }
        (Cause::Below, ..) => {
            "nothing in this system mends it: give the virtual machine processors of its own on its host, or on bare hardware look for system management interrupts (the firmware's settings)"
        }
        (Cause::Hotplug, ..) => {
            "all processors stand still while one goes off line or comes back: who does that (/sys/devices/system/cpu/cpuN/online, a power or battery service, a suspend) has to leave it until nothing must be in time"
        }
        (Cause::Frequency, _, Some(HolderDetail::Slowed { limited: true, .. })) => {
            "something holds the frequency down: a power profile, scaling_max_freq in /sys/devices/system/cpu/cpufreq, or the firmware; raise that limit"
        }
        (Cause::Frequency, ..) => {
            "keep the frequency up: the governor performance, or scaling_min_freq as high as scaling_max_freq (/sys/devices/system/cpu/cpufreq)"
        }
        (Cause::Cooling, ..) => {
            "the machine is cooled by slowing it: cool it better, give it less to do, or hold a frequency that it can bear all the time (/sys/class/thermal tells what is hot and what cools)"
        }
        (Cause::OwnRun, ..) => "it computes so long itself: less to do, a faster processor, or a later deadline",
        (Cause::Jitter, ..) => "the set releases it so late itself: less jitter, or a later deadline",
        (Cause::Dispatch, ..) => "the kernel's own way: a faster processor, fewer trace points, or a newer kernel",
        (Cause::Others, ..) => "look at the responses one by one (--json)",
        (Cause::Unexplained, ..) => {
            "events are missing, or it lasted longer than is kept: a larger ring, or fewer events"
        }
    }
}
