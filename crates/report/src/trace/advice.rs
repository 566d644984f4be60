// SPDX-License-Identifier: MIT OR Apache-2.0
//! What to change about a cause.
use run::{Accused, Cause, CauseTotal, Culprit, Holder, Known, Thread, Untold};

/// What to change about a cause over several responses; a run of an early version tells none.
pub fn of_total(total: &CauseTotal) -> Option<&str> {
    match &total.accused {
        Accused::Known { cause, culprit } => Some(advice(*cause, culprit.as_ref())),
        Accused::Told { advice, .. } => advice.as_deref(),
    }
}

fn is_ours(thread: &Thread) -> bool {
    thread.name.as_deref().and_then(run::own_thread).is_some()
}

/// Names of a processor's own timer.
const TIMERS: [&str; 3] = ["local_timer", "arch_timer", "riscv-timer"];
/// Names of calls of other processors; the second is that of recordings by early versions.
const CALLS: [&str; 5] = ["IPI", "ipi", "reschedule", "call_function", "call_function_single"];

/// One sentence for who can change it.
pub fn advice(cause: Cause, culprit: Option<&Culprit>) -> &'static str {
    let holder = culprit.map(|culprit| &culprit.holder);
    match (cause, holder, culprit.and_then(|culprit| culprit.more.as_ref())) {
        (_, _, Some(Known::Inherited { .. })) => {
            "shorten what it does while it holds the lock, or do not share that lock with real-time threads"
        }
        (_, _, Some(Known::Raised(_))) => {
            "it ran above its own priority: look for what raises it (a lock that passes a priority on, or a call of sched_setscheduler)"
        }
        (_, _, Some(Known::TimersOf { at_least: 1, .. })) => {
            "a timer of the kernel's took so long: its function tells what sets it (tick_*: the regular tick, which nohz_full= spares a processor; hrtimer_wakeup and posix_*: a program; perf_*: a profiler)"
        }
        (_, _, Some(Known::Timers(_) | Known::TimersOf { .. })) => {
            "so many timers at one instant: see who sets them (timers on this processor: /proc/timer_list), spread their instants or give them slack (PR_SET_TIMERSLACK), or keep those threads off this processor"
        }
        (_, _, Some(Known::At(_))) => {
            "the function tells who queued that work: keep it off this processor (/sys/devices/virtual/workqueue/cpumask, or isolation of processors), or stop what queues it"
        }
        (_, _, Some(Known::OtherRun)) => "end the other run of this tool",
        (Cause::Interference, Some(Holder::Thread(thread)), _) if is_ours(thread) => {
            "it is late for being watched: start this tool without a real-time priority, or on another processor (taskset)"
        }
        (Cause::Blocking | Cause::FairShare | Cause::Throttling, Some(Holder::Thread(thread)), _)
            if is_ours(thread) =>
        {
            "it is late for being watched: a real-time priority keeps this tool off it, or start this tool on another processor (taskset)"
        }
        (Cause::Interference, Some(Holder::Interrupt(name)), _) if TIMERS.contains(&name.as_str()) => {
            "it is the processor's own timer, which nothing moves: fewer timers on this processor (isolcpus=, nohz_full=; /proc/timer_list tells who sets them)"
        }
        (Cause::Interference, Some(Holder::Interrupt(name)), _) if CALLS.contains(&name.as_str()) => {
            "another processor called this one, which nothing moves: fewer reasons for it (isolcpus=, nohz_full=; no munmap, mprotect or fork in a process with threads here)"
        }
        (Cause::Interference, Some(Holder::Interrupt(_)), _) => {
            "move the interrupt to another processor (/proc/irq/N/smp_affinity_list), or its device to a slower rate"
        }
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
        (Cause::Stopped, ..) => {
            "who sent that signal has to leave it alone: SIGSTOP, a debugger, job control of a shell (Ctrl-Z, a terminal that it may not use)"
        }
        (Cause::Frozen, ..) => {
            "who froze the group has to leave it alone (cgroup.freeze): a container that is paused, a snapshot or a suspend, a service manager; or give the thread a group of its own"
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
        (Cause::IdleExit, ..) => "hold the processor out of deep idle states (/dev/cpu_dma_latency, or idle=poll)",
        (Cause::Late, _, Some(Known::Untold(Untold::NoStack))) => {
            "interrupts were masked, or the machine below stood still: a recording with the kernel's stacks, as `backwall track` makes it, tells which"
        }
        (Cause::Late, _, Some(Known::Untold(Untold::Hidden))) => {
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
        (Cause::Frequency, _, Some(Known::Slowed { limited: true, .. })) => {
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
