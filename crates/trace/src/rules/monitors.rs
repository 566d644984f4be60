// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's runtime-verification monitors as automata: Documentation/trace/rv of Linux, and its models.
//!
//! Two differ from the kernel's. `sssw` has one more state, because a wakeup may be recorded before the switch of a thread that
//! is still about to sleep. `opid` has its two conditions as states; the kernel reads them from the CPU.
use super::automaton::{Arc, Automaton, Limit, Scope, Symbol};
use Symbol::{
    IrqDisable, IrqEnable, IrqEntry, NeedResched, PreemptDisable, PreemptEnable, RealTimeFault, ScheduleEntry,
    ScheduleExit, SetState, SignalDeliver, Switch, SwitchIn, SwitchRunnable, SwitchSuspend, UnsafeWakeup, Wakeup,
    Waking,
};

const fn of(name: &'static str, scope: Scope, holds: &'static str) -> Automaton {
    Automaton { name, holds, scope, states: &["any"], arcs: &[], forbids: &[], limit: None }
}

/// All monitors.
pub const MONITORS: &[Automaton] = &[
    Automaton {
        states: &["preemptive", "non_preemptive"],
        arcs: &[(0, PreemptDisable, 1), (1, PreemptEnable, 0), (1, Waking, 1)],
        ..of("wip", Scope::Processor, "threads are woken with preemption disabled")
    },
    Automaton {
        states: &["not_running", "running"],
        arcs: &[(0, Wakeup, 0), (0, SwitchIn, 1), (1, SwitchRunnable, 0), (1, SwitchSuspend, 0)],
        ..of("wwnr", Scope::Thread, "a thread is woken only while it does not run")
    },
    Automaton {
        states: &["dequeued", "enqueued", "running"],
        arcs: &[
            (0, Wakeup, 1),
            (1, Wakeup, 1),
            (1, SwitchIn, 2),
            (2, SwitchRunnable, 1),
            (2, SwitchSuspend, 0),
            (2, SwitchIn, 2),
            (2, Wakeup, 2),
        ],
        limit: Some(Limit { state: 1, within_ns: 1_000_000_000 }),
        ..of("stall", Scope::Thread, "a ready thread runs within the limit")
    },
    Automaton {
        forbids: &[RealTimeFault],
        ..of("pagefault", Scope::Processor, "real-time threads have no page fault")
    },
    Automaton {
        forbids: &[UnsafeWakeup],
        ..of("wakeup", Scope::Thread, "real-time threads are woken by interrupts or threads at least as urgent")
    },
    Automaton {
        states: &["runnable", "signal_wakeup", "sleepable", "sleeping", "woken"],
        arcs: SSSW,
        ..of("sssw", Scope::Thread, "a thread that slept runs only after a wakeup")
    },
    Automaton {
        states: &["enabled", "preempt_off", "irq_off", "both_off"],
        arcs: OPID,
        ..of("opid", Scope::Processor, "wakeups and reschedule requests come with interrupts and preemption disabled")
    },
    Automaton {
        states: &["thread_context", "scheduling_context"],
        arcs: &[(0, SetState, 0), (0, ScheduleEntry, 1), (1, ScheduleExit, 0)],
        ..of("sco", Scope::Processor, "a thread's state is set only outside the scheduler")
    },
    Automaton {
        states: &["other_context", "own_context"],
        arcs: &[(0, SwitchIn, 1), (1, SetState, 1), (1, SwitchRunnable, 0), (1, SwitchSuspend, 0)],
        ..of("snroc", Scope::Thread, "a thread sets its own state only while it runs")
    },
    Automaton {
        states: &["cant_sched", "can_sched"],
        arcs: &[(0, PreemptDisable, 1), (1, PreemptEnable, 0), (1, ScheduleEntry, 1), (1, ScheduleExit, 1)],
        ..of("scpd", Scope::Processor, "the scheduler runs with preemption disabled")
    },
    Automaton {
        states: &["non_scheduling_context", "scheduling_context"],
        arcs: &[(0, PreemptDisable, 0), (0, PreemptEnable, 0), (0, ScheduleEntry, 1), (1, ScheduleExit, 0)],
        ..of("snep", Scope::Processor, "the scheduler does not enable preemption")
    },
    Automaton {
        states: &["thread", "sched"],
        arcs: &[(0, ScheduleEntry, 1), (1, Switch, 1), (1, ScheduleExit, 0)],
        ..of("tss", Scope::Processor, "threads are switched only in the scheduler")
    },
    Automaton {
        states: &["can_sched", "cant_sched"],
        arcs: &[(0, ScheduleEntry, 0), (0, ScheduleExit, 0), (0, IrqDisable, 1), (1, IrqEnable, 0)],
        ..of("sncid", Scope::Processor, "the scheduler is not called with interrupts disabled")
    },
    Automaton {
        states: &[
            "can_sched",
            "cant_sched",
            "scheduling",
            "disable_to_switch",
            "in_irq",
            "switching",
            "enable_to_exit",
        ],
        arcs: STS,
        ..of("sts", Scope::Processor, "one switch at most in each run of the scheduler, with interrupts disabled")
    },
    Automaton {
        states: &["any_thread_running", "rescheduling", "preempt_irq", "nested_preempt"],
        arcs: NRP,
        ..of("nrp", Scope::Thread, "a thread is preempted only after a reschedule request")
    },
];

const SSSW: &[Arc] = &[
    (0, SetState, 0),
    (0, SetState, 2),
    (0, Wakeup, 0),
    (0, SwitchIn, 0),
    (0, SwitchRunnable, 0),
    (0, SignalDeliver, 0),
    (0, SwitchSuspend, 3),
    (1, SignalDeliver, 0),
    (1, SwitchIn, 1),
    (1, SwitchRunnable, 1),
    (1, Wakeup, 1),
    (1, SetState, 2),
    (2, SetState, 0),
    (2, SetState, 2),
    (2, Wakeup, 0),
    (2, SwitchRunnable, 1),
    (2, SwitchRunnable, 2),
    (2, SwitchIn, 2),
    (2, SignalDeliver, 2),
    (2, SwitchSuspend, 3),
    (3, Wakeup, 0),
    (0, Wakeup, 4),
    (2, Wakeup, 4),
    (4, SwitchSuspend, 0),
];

const OPID: &[Arc] = &[
    (0, PreemptDisable, 1),
    (1, PreemptEnable, 0),
    (2, PreemptDisable, 3),
    (3, PreemptEnable, 2),
    (0, IrqDisable, 2),
    (2, IrqEnable, 0),
    (1, IrqDisable, 3),
    (3, IrqEnable, 1),
    (2, NeedResched, 2),
    (3, NeedResched, 3),
    (3, Waking, 3),
];

const STS: &[Arc] = &[
    (0, IrqDisable, 1),
    (0, ScheduleEntry, 2),
    (1, IrqEnable, 0),
    (1, IrqEntry, 1),
    (2, IrqDisable, 3),
    (3, IrqEnable, 6),
    (3, IrqEntry, 4),
    (3, Switch, 5),
    (4, IrqEntry, 4),
    (4, IrqEnable, 2),
    (5, IrqEnable, 6),
    (6, ScheduleExit, 0),
    (6, IrqDisable, 6),
    (6, IrqEntry, 6),
    (6, IrqEnable, 6),
];

const NRP: &[Arc] = &[
    (0, ScheduleEntry, 0),
    (0, IrqEntry, 0),
    (0, NeedResched, 1),
    (1, ScheduleEntry, 0),
    (1, IrqEntry, 2),
    (1, NeedResched, 1),
    (2, ScheduleEntry, 3),
    (2, IrqEntry, 2),
    (2, NeedResched, 2),
    (3, ScheduleEntry, 0),
    (3, IrqEntry, 3),
    (3, NeedResched, 2),
];

/// The monitor with this name, as the kernel lists it, with or without its container.
pub fn monitor(name: &str) -> Option<&'static Automaton> {
    let own = name.rsplit_once(':').map_or(name, |(_, own)| own);
    MONITORS.iter().find(|automaton| automaton.name == own)
}
