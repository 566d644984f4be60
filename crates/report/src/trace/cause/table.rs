// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of all causes, in the order of [`Cause::ALL`].
use super::CauseRow;
use super::culprit::{BEHIND_US, bare_name, interrupt_advice, is_by_us, is_ours, who_of};
use super::sentence::{
    after, by_whom, group, masking, missing, plugged, ran_on, slowed, unpreempted, until, used_up, while_it_ran,
    with_it,
};
use crate::trace::remedy;
use backwall_model::{Cause, Culprit, Holder, HolderDetail, Limit, Untold};

const PURE: &str = "cli/tests/pure/known_causes.rs";
const CIRCUMSTANCES: &str = "cli/tests/pure/known_circumstances.rs";

/// What most rows share: the label is the culprit's name, and the advice is the same on every machine.
const ROW: CauseRow = CauseRow {
    cause: Cause::Others,
    when: "",
    decided_in: ("blame/accuse.rs", "by_holder"),
    known_answer: (PURE, ""),
    may_be_stolen: false,
    label: |_| None,
    sentence: |_| String::new(),
    advice: |_| "",
    remedy: |_, _| None,
};

fn holder(culprit: Option<&Culprit>) -> Option<&Holder> {
    culprit.map(|culprit| &culprit.holder)
}

fn detail(culprit: Option<&Culprit>) -> Option<&HolderDetail> {
    culprit.and_then(|culprit| culprit.more.as_ref())
}

fn text(text: &str) -> Option<String> {
    Some(text.to_string())
}

#[expect(clippy::needless_update, reason = "each row ends alike, also one that says everything itself")]
pub static CAUSES: [CauseRow; Cause::ALL.len()] = [
    CauseRow {
        cause: Cause::Interference,
        when: "an interrupt, a softirq, a thread of the same or a higher priority, or a thread whose lower priority \
            was raised",
        known_answer: (PURE, "a_thread_of_higher_priority_is_found_and_named"),
        sentence: who_of,
        advice: |culprit| match holder(culprit) {
            Some(Holder::Thread(thread)) if is_ours(thread) => {
                "backwall delayed it: run backwall without a real-time priority, or on another CPU (taskset)"
            }
            Some(Holder::Interrupt(name)) => interrupt_advice(name),
            Some(Holder::Softirq(_)) => {
                "move its interrupt to another CPU, or run a PREEMPT_RT kernel, where softirqs are threads with a priority"
            }
            _ => "give it a lower priority than the late thread, or move it to another CPU",
        },
        remedy: remedy::interference,
        ..ROW
    },
    CauseRow {
        cause: Cause::Blocking,
        when: "a lower-priority thread in kernel code that cannot be preempted: every event until the switch still shows a pending reschedule",
        decided_in: ("blame/accuse.rs", "after_waking"),
        known_answer: (PURE, "a_thread_in_the_kernel_that_cannot_be_preempted_is_found_and_named"),
        label: |culprit| match holder(culprit)? {
            Holder::Thread(thread) => Some(format!("{} in kernel code", bare_name(thread))),
            _ => None,
        },
        sentence: |culprit| {
            format!("{} ran kernel code that cannot be preempted{}", who_of(culprit), unpreempted(culprit))
        },
        advice: |culprit| {
            if is_by_us(culprit) {
                return BEHIND_US;
            }
            "boot a kernel with full preemption (preempt=full, or PREEMPT_RT), or move it to another CPU"
        },
        remedy: remedy::blocking,
        ..ROW
    },
    CauseRow {
        cause: Cause::Throttling,
        when: "the scheduler chose a lower-priority or idle thread although the late thread was ready: real-time throttling \
            or the fair server",
        decided_in: ("blame/accuse.rs", "after_waking"),
        known_answer: (PURE, "throttling_is_found_and_who_was_preferred_is_named"),
        label: |_| text("throttling"),
        sentence: |culprit| match culprit.is_some_and(Culprit::is_idle) {
            true => "idle although the thread was ready (real-time throttling)".into(),
            false => {
                format!("{} was preferred by the scheduler (real-time throttling or the fair server)", who_of(culprit))
            }
        },
        advice: |culprit| {
            if is_by_us(culprit) {
                return BEHIND_US;
            }
            "the scheduler throttled real-time threads: raise sched_rt_runtime_us or the fair server's limits, and find \
            which threads used up the time"
        },
        remedy: |_, _| {
            text(
                "real-time threads were throttled\nsysctl kernel.sched_rt_runtime_us=-1   # undo: sysctl kernel.sched_rt_runtime_us=950000",
            )
        },
        ..ROW
    },
    CauseRow {
        cause: Cause::FairShare,
        when: "the late thread is ordinary: while it was ready, another ordinary thread (of any nice value) or the \
            idle thread ran",
        decided_in: ("blame/accuse.rs", "after_waking"),
        known_answer: (
            "crates/trace/src/late/lates/tests.rs",
            "an_ordinary_thread_behind_another_is_told_by_the_rules_of_ordinary_threads",
        ),
        sentence: |culprit| match culprit.is_some_and(Culprit::is_idle) {
            true => "idle although the thread was ready (its group's quota, or a move between CPUs)".into(),
            false => format!("{} ran instead (the choice of the fair scheduler)", who_of(culprit)),
        },
        advice: |culprit| match holder(culprit) {
            _ if is_by_us(culprit) => BEHIND_US,
            Some(Holder::Idle) => {
                "check the quota of its control group (cpu.max), and whether it may run on this CPU (taskset, cpuset)"
            }
            _ => {
                "ordinary threads share the CPU: give the late one a real-time priority or a lower nice value, or move the other to another CPU"
            }
        },
        remedy: |culprit, machine| match holder(culprit)? {
            Holder::Thread(rival) => remedy::raise(Some(rival), machine),
            _ => None,
        },
        ..ROW
    },
    CauseRow {
        cause: Cause::LockHeld,
        when: "the holder of the lock that the late thread waited for; the holder was working, or waiting itself",
        decided_in: ("late/locks.rs", "accused"),
        known_answer: (PURE, "the_holder_of_a_lock_that_passes_priority_on_is_found_on_another_processor_too"),
        sentence: |culprit| format!("{} held the lock that the thread waited for", who_of(culprit)),
        advice: |_| {
            "shorten the work that it does while it holds the lock, or do not share that lock with real-time \
            threads"
        },
        ..ROW
    },
    CauseRow {
        cause: Cause::Inversion,
        when: "a third thread with a lower priority than the waiter, while the lock's holder could not run",
        decided_in: ("late/locks.rs", "accused"),
        known_answer: (PURE, "the_holder_of_a_lock_without_inheritance_and_who_ran_between_are_found_and_named"),
        sentence: |culprit| format!("{} (priority inversion)", who_of(culprit)),
        advice: |_| "give the lock priority inheritance (PTHREAD_PRIO_INHERIT), or do not share it with threads of lower priority",
        ..ROW
    },
    CauseRow {
        cause: Cause::Backlog,
        when: "the thread itself, still working on an earlier release",
        decided_in: ("blame/accuse.rs", "before_interrupt"),
        known_answer: (
            "crates/trace/src/late/lates/tests/catching.rs",
            "a_loop_that_needs_longer_than_its_period_is_told_so",
        ),
        label: |_| text("its own backlog"),
        sentence: ran_on,
        advice: |_| "the thread needs longer than its period: choose a longer period, or give it less work",
        ..ROW
    },
    CauseRow {
        cause: Cause::CatchUp,
        when: "the run time of a thread that catches up after an earlier late response, until it sets the timer for a \
            release that is already due",
        decided_in: ("blame/accuse.rs", "accuse"),
        known_answer: (
            "crates/trace/src/late/lates/tests/catching.rs",
            "a_release_that_came_due_in_a_late_response_is_late_for_the_same_reason",
        ),
        label: |_| text("catching up"),
        sentence: |culprit| format!("its own run time: it caught up after {} response", after(culprit)),
        advice: |_| "find what made the first of these responses late, or skip releases that have passed",
        ..ROW
    },
    CauseRow {
        cause: Cause::NotWaiting,
        when: "the thread had not set its timer, or something held it up; backwall names the thread that resumed it",
        decided_in: ("blame/accuse.rs", "let_go"),
        known_answer: (CIRCUMSTANCES, "who_stopped_a_thread_is_named_and_who_let_it_go_on"),
        label: |culprit| if culprit.is_none() { text("not waiting for its timer") } else { None },
        sentence: |culprit| match culprit {
            None => "the thread was not waiting for its timer (stopped, or held up elsewhere)".into(),
            Some(_) => format!(
                "the thread was not waiting for its timer (stopped, frozen, or held up elsewhere) until {} resumed it",
                who_of(culprit)
            ),
        },
        advice: |culprit| match culprit {
            Some(_) => {
                "the thread that resumed it shows why it waited: a signal had stopped it (SIGSTOP, a debugger), its \
                    control group was frozen (cgroup.freeze), or it waited in a call for the thread that resumed it"
            }
            None => "the thread was stopped, or did not wait for its timer: check which calls it waits in",
        },
        ..ROW
    },
    CauseRow {
        cause: Cause::Stopped,
        when: "a signal (SIGSTOP) had stopped the thread; backwall names the sender and the thread that resumed it",
        decided_in: ("blame/accuse.rs", "held_until"),
        known_answer: (CIRCUMSTANCES, "who_stopped_a_thread_is_named_and_who_let_it_go_on"),
        label: |_| text("stopped by a signal"),
        sentence: |culprit| format!("the thread was stopped{}{}", by_whom(culprit), until(culprit)),
        advice: |_| {
            "find what sends it SIGSTOP or SIGTSTP, such as a debugger or a shell's job control (Ctrl-Z, or \
            terminal access from the background)"
        },
        ..ROW
    },
    CauseRow {
        cause: Cause::Signals,
        when: "many signals kept the thread from its work; backwall names the main sender and a round number of signals",
        decided_in: ("blame/accuse.rs", "within_storm"),
        known_answer: (
            "crates/trace/src/late/lates/tests.rs",
            "who_sends_the_signals_that_a_thread_handles_beyond_its_release_is_named",
        ),
        sentence: |culprit| format!("the thread was still working on an earlier release while {}", who_of(culprit)),
        advice: |_| "send it fewer signals, or let another thread handle them (pthread_sigmask, signalfd)",
        ..ROW
    },
    CauseRow {
        cause: Cause::Quota,
        when: "the thread's cgroup quota, real-time share or SCHED_DEADLINE runtime was used up, until the kernel's timer granted new time",
        decided_in: ("blame/accuse.rs", "within_limits"),
        known_answer: (
            "crates/trace/src/late/lates/tests.rs",
            "a_thread_whose_time_is_used_up_waits_for_its_limit_and_for_nobody_who_runs",
        ),
        label: |_| text("CPU quota"),
        sentence: used_up,
        advice: |culprit| match detail(culprit) {
            Some(HolderDetail::UsedUp { limit: Limit::RealTimeShare, .. }) => {
                "raise the share of its control group (cpu.rt_runtime_us; for all groups together \
                    kernel.sched_rt_runtime_us), or let the group's real-time threads do less"
            }
            Some(HolderDetail::UsedUp { limit: Limit::Budget, .. }) => {
                "raise its runtime (chrt --deadline --sched-runtime, at most its deadline), or let it do less in each period"
            }
            _ => {
                "raise the quota of its control group (cpu.max, or cpu.cfs_quota_us), take the thread out of the group, or let the group do less"
            }
        },
        remedy: |culprit, _| match detail(culprit)? {
            HolderDetail::UsedUp { limit: Limit::Quota, group: Some(group) } => Some(remedy::quota(group)),
            _ => None,
        },
        ..ROW
    },
    CauseRow {
        cause: Cause::Frozen,
        when: "the thread's cgroup was frozen; backwall names the group and the threads that froze and thawed it",
        decided_in: ("blame/accuse.rs", "held_until"),
        known_answer: (CIRCUMSTANCES, "who_froze_the_group_of_a_thread_is_named_with_the_group"),
        label: |_| text("frozen"),
        sentence: |culprit| {
            format!("its control group{} was frozen{}{}", group(culprit), by_whom(culprit), until(culprit))
        },
        advice: |_| "do not freeze its group (cgroup.freeze, or freezer.state of version 1; a paused container, a snapshot, a suspend or a service manager does), or give the thread its own group",
        ..ROW
    },
    CauseRow {
        cause: Cause::PageFault,
        when: "a page fault of the late thread",
        known_answer: (PURE, "a_storm_of_page_faults_that_keeps_a_thread_from_its_next_release_is_found"),
        label: |_| text("page fault"),
        sentence: |_| "a page fault of the thread".into(),
        advice: |_| MEMORY,
        ..ROW
    },
    CauseRow {
        cause: Cause::AfterFault,
        when: "a long page fault of the late thread, or its work after a page fault",
        known_answer: (
            "crates/trace/src/blame/accuse/tests.rs",
            "a_page_fault_of_the_thread_itself_is_a_cause_of_its_own",
        ),
        label: |_| text("page fault"),
        sentence: |_| "a long page fault of the thread, or its work after one".into(),
        advice: |_| MEMORY,
        ..ROW
    },
    CauseRow {
        cause: Cause::TimerSlack,
        when: "from the timer's `softexpires` to its `expires`, or to the interrupt if that came earlier: the timer \
            slack, by which the kernel may delay a timer",
        known_answer: (PURE, "the_kernels_timer_slack_is_no_fault_of_the_machine_below"),
        label: |_| text("timer slack"),
        sentence: |_| "the kernel waited within the thread's timer slack".into(),
        advice: |_| "prctl(PR_SET_TIMERSLACK, 1) in the thread; poll, select and epoll add 0.1 % of their timeout (nice threads 0.5 %, 100 ms at most): wait by clock_nanosleep or a timerfd; a real-time policy has no slack",
        ..ROW
    },
    CauseRow {
        cause: Cause::Moved,
        when: "the thread was moved to another CPU while ready; no event shows where it waited, so no culprit is named",
        known_answer: (
            "crates/trace/src/late/lates/tests/moving.rs",
            "where_no_move_is_recorded_nobody_is_accused_of_the_wait",
        ),
        sentence: |_| "moved while ready; where it waited was not recorded".into(),
        advice: |_| "the recording does not show who had the CPU on which it waited: record sched_migrate_task on every CPU, or pin the thread to one (taskset)",
        ..ROW
    },
    CauseRow {
        cause: Cause::IdleExit,
        when: "the idle thread ran before the interrupt came: C-state exit, hardware or hypervisor; events cannot tell which",
        known_answer: (PURE, "a_late_exit_from_idle_is_found"),
        may_be_stolen: true,
        label: |_| text("late timer on an idle CPU"),
        sentence: |_| "timer interrupt late on an idle CPU".into(),
        advice: |_| "keep the CPU out of deep C-states (/dev/cpu_dma_latency, or boot with idle=poll, nohlt on arm64)",
        remedy: |_, machine| Some(remedy::idle_exit(machine)),
        ..ROW
    },
    CauseRow {
        cause: Cause::Dispatch,
        when: "the kernel's own path: from the interrupt to the wakeup, out of the idle thread, and until the thread reads \
            the clock",
        known_answer: (CIRCUMSTANCES, "a_lowered_frequency_is_named_where_the_time_went_to_the_own_way"),
        label: |_| text("kernel wakeup path"),
        sentence: |_| "the kernel's own wakeup path (scheduler and switch)".into(),
        advice: |_| "the kernel's own wakeup path: use a faster CPU, fewer trace points, or a newer kernel",
        remedy: |_, machine| remedy::dispatch(machine),
        ..ROW
    },
    CauseRow {
        cause: Cause::Late,
        when: "the interrupt was late, and no stack shows whether interrupts were disabled (*masked*) or the hypervisor or \
            firmware paused the CPU (*below*); backwall says why no stack shows it",
        decided_in: ("blame/accuse.rs", "late"),
        known_answer: (PURE, "an_interrupt_that_was_masked_is_found_and_who_ran_is_named"),
        label: |_| text("late timer interrupt"),
        sentence: |culprit| {
            let (meanwhile, missing) = (while_it_ran(culprit), missing(culprit));
            format!("the interrupt was late{meanwhile} (interrupts disabled, or hypervisor or firmware{missing})")
        },
        advice: |culprit| match detail(culprit) {
            Some(HolderDetail::Untold(Untold::NoStack)) => {
                "interrupts were disabled, or the machine stood still below the kernel: record kernel stacks with `backwall trace record` to see which"
            }
            Some(HolderDetail::Untold(Untold::Hidden)) => {
                "interrupts were disabled, or the machine stood still below the kernel: record as root with kernel.kptr_restrict at 1 or 0 to see which"
            }
            _ => {
                "interrupts were disabled, or the machine stood still below the kernel: look for drivers that disable them, SMIs, and a busy hypervisor"
            }
        },
        remedy: |culprit, machine| match detail(culprit)? {
            HolderDetail::Untold(_) => remedy::late(machine),
            _ => None,
        },
        ..ROW
    },
    CauseRow {
        cause: Cause::Masked,
        when: "a function of the kernel had interrupts disabled, as the stack in the interrupt shows",
        decided_in: ("blame/accuse.rs", "late"),
        known_answer: (
            "crates/trace/src/blame/accuse/tests/stacks.rs",
            "the_stack_in_a_late_interrupt_tells_who_masked_or_that_the_machine_below_stood_still",
        ),
        label: |culprit| match detail(culprit) {
            Some(HolderDetail::Masking { function, .. }) => Some(format!("interrupts disabled in {function}")),
            _ => text("interrupts disabled"),
        },
        sentence: |culprit| format!("interrupts disabled in {}{}", masking(culprit), while_it_ran(culprit)),
        advice: |_| "that kernel function disabled interrupts: find what calls it, give it less work, keep it off this CPU, or use a newer or a PREEMPT_RT kernel",
        ..ROW
    },
    CauseRow {
        cause: Cause::Below,
        when: "the stack shows that interrupts were enabled, so the hypervisor or hardware stopped the CPU or delivered the interrupt late",
        decided_in: ("blame/accuse.rs", "late"),
        known_answer: (
            "crates/trace/src/blame/accuse/tests/stacks.rs",
            "the_stack_in_a_late_interrupt_tells_who_masked_or_that_the_machine_below_stood_still",
        ),
        may_be_stolen: true,
        label: |_| text("hypervisor or SMI"),
        sentence: |culprit| format!("the hypervisor or firmware (SMI) paused this CPU{}", with_it(culprit)),
        advice: |_| "outside this system: give the virtual machine its own CPUs on the host; on bare metal, look for SMIs (firmware settings)",
        remedy: |_, machine| Some(remedy::below(machine)),
        ..ROW
    },
    CauseRow {
        cause: Cause::Hotplug,
        when: "a CPU goes offline or comes back; backwall names the thread that does it, the thread that requested it, or \
            `multi_cpu_stop`",
        decided_in: ("processor/changes.rs", "accuse_change"),
        known_answer: (
            CIRCUMSTANCES,
            "a_processor_that_goes_off_line_or_comes_back_is_named_where_it_stops_the_others",
        ),
        label: |_| text("CPU hotplug"),
        sentence: |culprit| format!("{} ({} ran for that)", plugged(culprit), who_of(culprit)),
        advice: |_| {
            "all CPUs stop while one goes offline or comes back: find what does that \
            (/sys/devices/system/cpu/cpuN/online, a power or battery service, a suspend), and allow it only while no \
            deadline matters"
        },
        ..ROW
    },
    CauseRow {
        cause: Cause::Frequency,
        when: "the CPU ran at two thirds or less of its highest seen frequency; backwall says whether a limit \
            held the frequency there",
        decided_in: ("processor/changes.rs", "accuse_change"),
        known_answer: (CIRCUMSTANCES, "a_lowered_frequency_is_named_where_the_time_went_to_the_own_way"),
        label: |_| text("low CPU frequency"),
        sentence: |culprit| format!("its own wakeup path and run time{}", slowed(culprit)),
        advice: |culprit| match detail(culprit) {
            Some(HolderDetail::Slowed { limited: true, .. }) => {
                "something holds the frequency down: a power profile, scaling_max_freq in /sys/devices/system/cpu/cpufreq, or the firmware; raise that limit"
            }
            _ => {
                "keep the frequency up: the governor performance, or scaling_min_freq as high as scaling_max_freq (/sys/devices/system/cpu/cpufreq)"
            }
        },
        remedy: |culprit, _| match detail(culprit)? {
            HolderDetail::Slowed { limited: false, .. } => text(
                "keep the CPU frequency up\ncpupower frequency-set -g performance   # undo: cpupower frequency-set -g schedutil",
            ),
            _ => None,
        },
        ..ROW
    },
    CauseRow {
        cause: Cause::Cooling,
        when: "the conditions of *frequency* hold, and meanwhile a device slowed CPUs to cool the machine, or a thermal \
            zone was over its trip point",
        decided_in: ("processor/changes.rs", "accuse_change"),
        known_answer: (CIRCUMSTANCES, "a_lowered_frequency_is_named_where_the_time_went_to_the_own_way"),
        label: |_| text("low CPU frequency"),
        sentence: |culprit| {
            format!("its own wakeup path and run time{}, while the machine slowed down to cool", slowed(culprit))
        },
        advice: |_| "the machine slows its CPUs to cool down: cool it better, give it less work, or set a frequency that it can keep (/sys/class/thermal shows what is hot)",
        ..ROW
    },
    CauseRow {
        cause: Cause::OwnRun,
        when: "the thread's own run time, if the response includes the thread's work (`--completion`, task sets)",
        decided_in: ("blame/accuse.rs", "after_waking"),
        known_answer: (PURE, "a_response_that_is_looked_at_to_its_end_has_its_own_run_time"),
        label: |_| text("its own run time"),
        sentence: |_| "its own run time".into(),
        advice: |_| "its own work takes that long: give it less work, a faster CPU, or a later deadline",
        ..ROW
    },
    CauseRow {
        cause: Cause::Jitter,
        when: "in a task set: from a job's nominal instant to its release",
        decided_in: ("late/missed.rs", "divided"),
        known_answer: (
            "crates/trace/src/late/missed/tests.rs",
            "a_job_that_a_more_urgent_one_preempts_is_divided_to_the_nanosecond",
        ),
        sentence: |_| "released later than its nominal instant (the set's jitter)".into(),
        advice: |_| "the task set itself delays the release: reduce its jitter, or set a later deadline",
        ..ROW
    },
    CauseRow {
        cause: Cause::Unexplained,
        when: "no event shows the cause: events were lost, or the cause lies more than 8,192 intervals back on its CPU",
        known_answer: (
            "crates/trace/src/blame/accuse/tests/stacks.rs",
            "a_switch_that_was_not_recorded_hides_who_ran_and_not_who_masked",
        ),
        label: |_| text("unexplained"),
        sentence: |_| "unexplained".into(),
        advice: |_| {
            "events are missing, or the response lasted longer than the events that backwall keeps: record with \
            larger buffers, or fewer events"
        },
        ..ROW
    },
    CauseRow {
        cause: Cause::Others,
        when: "in sums over many responses: causes beyond the first 4,096",
        decided_in: ("late/ranking.rs", "place_by_name"),
        known_answer: (
            "crates/trace/src/late/ranking.rs",
            "causes_beyond_those_that_are_told_apart_are_one_and_nothing_is_left_out",
        ),
        sentence: |_| "other causes (beyond the first 4,096)".into(),
        advice: |_| "look at the responses one by one (--json)",
        ..ROW
    },
];

const MEMORY: &str =
    "keep its memory in place: mlockall(MCL_CURRENT | MCL_FUTURE), and touch stack and heap in advance";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_its_row() {
        assert_eq!(CAUSES.iter().map(|row| row.cause).collect::<Vec<_>>(), Cause::ALL);
    }
}
