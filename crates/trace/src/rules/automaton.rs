// SPDX-License-Identifier: MIT OR Apache-2.0
//! Automata that follow all states that are still possible, because a recording may lack events.

/// An occurrence to which an automaton reacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Symbol {
    /// A thread is made ready, outside of interrupts.
    Waking,
    /// A thread is made ready, in an interrupt or outside.
    Wakeup,
    /// A real-time thread is made ready by a less urgent thread, or in a softirq.
    UnsafeWakeup,
    /// The thread gets a CPU.
    SwitchIn,
    /// The thread leaves the CPU and is still ready.
    SwitchRunnable,
    /// The thread leaves the CPU to sleep.
    SwitchSuspend,
    /// The CPU switches threads.
    Switch,
    /// An interrupt begins.
    IrqEntry,
    /// Preemption is disabled.
    PreemptDisable,
    /// Preemption is enabled.
    PreemptEnable,
    /// Interrupts are disabled.
    IrqDisable,
    /// Interrupts are enabled.
    IrqEnable,
    /// A real-time thread has a page fault.
    RealTimeFault,
    /// The scheduler begins.
    ScheduleEntry,
    /// The scheduler ends.
    ScheduleExit,
    /// A thread's state is set.
    SetState,
    /// The thread is asked to leave the CPU.
    NeedResched,
    /// A signal is delivered.
    SignalDeliver,
}

impl Symbol {
    /// The kernel event that shows the symbol.
    pub fn event(self) -> &'static str {
        match self {
            Self::Waking | Self::Wakeup | Self::UnsafeWakeup => "sched_waking",
            Self::SwitchIn | Self::SwitchRunnable | Self::SwitchSuspend | Self::Switch => "sched_switch",
            Self::IrqEntry => "irq_handler_entry",
            Self::PreemptDisable | Self::PreemptEnable => "preemptirq:preempt_disable",
            Self::IrqDisable | Self::IrqEnable => "preemptirq:irq_disable",
            Self::RealTimeFault => "page_fault_user",
            Self::ScheduleEntry | Self::ScheduleExit => "sched_entry_tp",
            Self::SetState => "sched_set_state_tp",
            Self::NeedResched => "sched_set_need_resched_tp",
            Self::SignalDeliver => "signal_deliver",
        }
    }

    /// What happens, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Waking | Self::Wakeup => "woken",
            Self::UnsafeWakeup => "woken by a less urgent thread or a softirq",
            Self::SwitchIn => "switched in",
            Self::SwitchRunnable => "switched out while ready",
            Self::SwitchSuspend => "switched out to sleep",
            Self::Switch => "switch",
            Self::IrqEntry => "interrupt",
            Self::PreemptDisable => "preemption disabled",
            Self::PreemptEnable => "preemption enabled",
            Self::IrqDisable => "interrupts disabled",
            Self::IrqEnable => "interrupts enabled",
            Self::RealTimeFault => "page fault",
            Self::ScheduleEntry => "scheduler entered",
            Self::ScheduleExit => "scheduler left",
            Self::SetState => "state set",
            Self::NeedResched => "reschedule requested",
            Self::SignalDeliver => "signal delivered",
        }
    }
}

/// Whether each CPU or each thread has one automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The automaton exists once per CPU.
    Processor,
    /// The automaton exists once per thread.
    Thread,
}

/// A state that may last only for a limited time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Index of the state.
    pub state: usize,
    /// The longest time, unless the rule states another one.
    pub within_ns: u64,
}

/// A transition: from a state, by a symbol, to a state.
pub type Arc = (u8, Symbol, u8);

/// An automaton. If a state has no transition for a symbol, the symbol breaks the rule.
#[derive(Debug)]
pub struct Automaton {
    /// The automaton's name in the kernel.
    pub name: &'static str,
    /// What must hold.
    pub holds: &'static str,
    /// Whether each CPU or each thread has one.
    pub scope: Scope,
    /// The automaton's states; at most 16.
    pub states: &'static [&'static str],
    /// The automaton's transitions.
    pub arcs: &'static [Arc],
    /// Symbols that break the rule in every state.
    pub forbids: &'static [Symbol],
    /// The limited state, if any.
    pub limit: Option<Limit>,
}

impl Automaton {
    /// All symbols of the automaton, sorted.
    pub fn alphabet(&self) -> Vec<Symbol> {
        let mut all: Vec<Symbol> = self.arcs.iter().map(|arc| arc.1).chain(self.forbids.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// All states, as a bit mask.
    pub(super) fn all(&self) -> u16 {
        ((1u32 << self.states.len()) - 1) as u16
    }

    /// The states to which this symbol leads from `states`.
    pub(super) fn after(&self, states: u16, symbol: Symbol) -> u16 {
        let taken = self.arcs.iter().filter(|(from, by, _)| *by == symbol && (states >> from) & 1 == 1);
        taken.fold(0, |after, (_, _, to)| after | (1 << to))
    }

    /// The states to which symbols that the recording lacks may lead from `states`, including `states`.
    pub(super) fn unheard(&self, states: u16, hidden: &[Symbol]) -> u16 {
        let mut reached = states;
        loop {
            let more = hidden.iter().fold(reached, |more, symbol| more | self.after(reached, *symbol));
            if more == reached {
                return reached;
            }
            reached = more;
        }
    }
}
