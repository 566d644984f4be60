// SPDX-License-Identifier: MIT OR Apache-2.0
//! Evaluates automata on a recording. At its start and after each gap, every state is possible.
use super::Monitor;
use super::automaton::{Scope, Symbol};
use crate::event::{Event, Name, Section, Stamped, Thread};
use crate::read::receiver::Receiver;
use std::collections::{BTreeSet, HashMap};

const EXAMPLES: usize = 10;

/// One breach of an automaton's rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// When the breach happened, on the recording's clock.
    pub at_ns: u64,
    /// The CPU of the event.
    pub cpu: u32,
    /// The thread, if each thread has such an automaton.
    pub thread: Option<(i32, Name)>,
    /// What happened; `None` if a limited state lasted too long.
    pub event: Option<Symbol>,
    /// The states that were possible before.
    pub states: Vec<&'static str>,
    /// The thread that had the CPU.
    pub by: (i32, Name),
    /// The interrupt or softirq that had interrupted that thread.
    pub within: Option<Section>,
}

/// An automaton with its result.
#[derive(Clone, Debug)]
pub struct Monitored {
    /// The automaton and its limit.
    pub monitor: Monitor,
    /// Number of events that the automaton took.
    pub taken: u64,
    /// Number of breaches.
    pub broken: u64,
    /// Number of losses; each made every state possible again.
    pub gaps: u64,
    /// Kernel events that the automaton needs and the recording lacks.
    pub missing: Vec<&'static str>,
    /// The first breaches.
    pub examples: Vec<Breach>,
}

/// The kernel events that a recording has and that automata may need; the first of two passes finds them.
#[derive(Clone, Debug, Default)]
pub struct Present(BTreeSet<&'static str>);

impl Receiver for Present {
    fn event(&mut self, _cpu: u32, stamped: &Stamped) {
        let name = match &stamped.event {
            Event::Switch { .. } => Symbol::Switch,
            Event::Waking { .. } => Symbol::Wakeup,
            Event::Enter(Section::Interrupt(_)) => Symbol::IrqEntry,
            Event::Masks { preemption: true, .. } => Symbol::PreemptDisable,
            Event::Masks { preemption: false, .. } => Symbol::IrqDisable,
            Event::PageFault => Symbol::RealTimeFault,
            _ => return,
        };
        self.0.insert(name.event());
    }

    fn gap(&mut self, _cpu: u32, _at_ns: u64) {}
}

#[derive(Debug)]
struct One {
    found: Monitored,
    hidden: Vec<Symbol>,
    heard: Vec<Symbol>,
    objects: HashMap<i32, Object>,
}

#[derive(Clone, Copy, Debug)]
struct Object {
    states: u16,
    since_ns: u64,
    cpu: u32,
}

/// Evaluates automata while a recording is read.
#[derive(Debug, Default)]
pub struct Watched {
    all: Vec<One>,
    threads: HashMap<i32, Thread>,
    sections: HashMap<u32, Vec<Section>>,
    last_ns: u64,
}

impl Watched {
    /// `present`: the events that the recording has.
    pub fn new(monitors: Vec<Monitor>, present: &Present) -> Self {
        let one = |monitor: Monitor| {
            let (heard, hidden): (Vec<Symbol>, Vec<Symbol>) =
                monitor.automaton.alphabet().into_iter().partition(|symbol| present.0.contains(symbol.event()));
            let missing: BTreeSet<&'static str> = hidden.iter().map(|symbol| symbol.event()).collect();
            let missing = missing.into_iter().collect();
            let found = Monitored { monitor, taken: 0, broken: 0, gaps: 0, missing, examples: Vec::new() };
            One { found, hidden, heard, objects: HashMap::new() }
        };
        Self { all: monitors.into_iter().map(one).collect(), ..Self::default() }
    }

    /// Whether there are any automata.
    pub fn is_any(&self) -> bool {
        !self.all.is_empty()
    }

    /// Ends after the last event; returns the results.
    pub fn finish(mut self) -> Vec<Monitored> {
        for one in &mut self.all {
            let mut open: Vec<(i32, Object)> = one.objects.iter().map(|(id, object)| (*id, *object)).collect();
            open.sort_unstable_by_key(|(id, object)| (object.since_ns, *id));
            for (id, object) in open {
                one.expire(id, object, self.last_ns, &self.threads);
            }
        }
        self.all.into_iter().map(|one| one.found).collect()
    }

    fn thread(&self, id: i32) -> Thread {
        self.threads.get(&id).copied().unwrap_or(Thread::numbered(id))
    }

    /// The symbols of an event, each with its scope and the number of the thread or CPU.
    fn symbols(&self, cpu: u32, stamped: &Stamped) -> Vec<(Scope, i32, Symbol)> {
        let here = cpu as i32;
        match &stamped.event {
            Event::Switch { from, preempted, to } => {
                let leaves = if *preempted { Symbol::SwitchRunnable } else { Symbol::SwitchSuspend };
                let mut all = vec![(Scope::Processor, here, Symbol::Switch)];
                all.extend((from.id != 0).then_some((Scope::Thread, from.id, leaves)));
                all.extend((to.id != 0).then_some((Scope::Thread, to.id, Symbol::SwitchIn)));
                all
            }
            Event::Waking { thread } => {
                let mut all = vec![(Scope::Thread, *thread, Symbol::Wakeup)];
                all.extend(stamped.in_thread.then_some((Scope::Processor, here, Symbol::Waking)));
                all.extend(self.is_unsafe(cpu, stamped, *thread).then_some((
                    Scope::Thread,
                    *thread,
                    Symbol::UnsafeWakeup,
                )));
                all
            }
            Event::Enter(Section::Interrupt(_)) => vec![(Scope::Processor, here, Symbol::IrqEntry)],
            Event::Masks { preemption, on } => {
                let symbol = match (preemption, on) {
                    (true, true) => Symbol::PreemptDisable,
                    (true, false) => Symbol::PreemptEnable,
                    (false, true) => Symbol::IrqDisable,
                    (false, false) => Symbol::IrqEnable,
                };
                vec![(Scope::Processor, here, symbol)]
            }
            Event::PageFault if !self.thread(stamped.thread).is_ordinary() => {
                vec![(Scope::Processor, here, Symbol::RealTimeFault)]
            }
            _ => Vec::new(),
        }
    }

    /// Whether a real-time thread is woken by a less urgent thread, or by a softirq that no interrupt has interrupted.
    fn is_unsafe(&self, cpu: u32, stamped: &Stamped, woken: i32) -> bool {
        let woken = self.thread(woken);
        if woken.is_ordinary() {
            return false;
        }
        match self.sections.get(&cpu).and_then(|open| open.last()) {
            Some(Section::Interrupt(_)) => false,
            Some(Section::Softirq(_)) => true,
            None => stamped.in_thread && self.thread(stamped.thread).priority > woken.priority,
        }
    }

    fn learn(&mut self, cpu: u32, stamped: &Stamped) {
        match &stamped.event {
            Event::Switch { from, to, .. } => {
                self.threads.extend([from, to].map(|thread| (thread.id, *thread)));
                self.sections.entry(cpu).or_default().clear();
            }
            Event::Enter(section) => self.sections.entry(cpu).or_default().push(*section),
            Event::Leave(section) => {
                let open = self.sections.entry(cpu).or_default();
                let same = |other: &Section| {
                    matches!((other, section), (Section::Interrupt(_), Section::Interrupt(_))) || other == section
                };
                let depth = open.iter().rposition(same).unwrap_or(open.len());
                open.truncate(depth);
            }
            _ => {}
        }
    }

    fn forget(&mut self, cpu: u32) {
        self.sections.remove(&cpu);
        for one in &mut self.all {
            one.objects.clear();
            one.found.gaps += 1;
        }
    }
}

impl One {
    fn take(&mut self, id: i32, symbol: Symbol, cpu: u32, at_ns: u64) -> Option<Breach> {
        if !self.heard.contains(&symbol) {
            return None;
        }
        let automaton = self.found.monitor.automaton;
        let all = Object { states: automaton.all(), since_ns: at_ns, cpu };
        let before = *self.objects.entry(id).or_insert(all);
        let possible = automaton.unheard(before.states, &self.hidden);
        let after = automaton.after(possible, symbol);
        self.found.taken += 1;
        let breaks = after == 0;
        let after = if breaks { automaton.all() } else { after };
        let limited = automaton.limit.is_some_and(|limit| after == 1 << limit.state);
        let stays = limited && before.states == after;
        let since_ns = if stays { before.since_ns } else { at_ns };
        self.objects.insert(id, Object { states: after, since_ns, cpu });
        breaks.then(|| Breach {
            at_ns,
            cpu,
            thread: None,
            event: Some(symbol),
            states: names(automaton.states, possible),
            by: (0, Name::default()),
            within: None,
        })
    }

    /// Counts a breach if the limited state has lasted too long by now.
    fn expire(&mut self, id: i32, object: Object, now_ns: u64, threads: &HashMap<i32, Thread>) {
        let automaton = self.found.monitor.automaton;
        let Some(limit) = automaton.limit.filter(|limit| object.states == 1 << limit.state) else { return };
        if now_ns.saturating_sub(object.since_ns) <= self.found.monitor.within_ns {
            return;
        }
        let name = threads.get(&id).map_or(Name::default(), |thread| thread.name);
        self.found.broken += 1;
        if self.found.examples.len() < EXAMPLES {
            self.found.examples.push(Breach {
                at_ns: object.since_ns,
                cpu: object.cpu,
                thread: Some((id, name)),
                event: None,
                states: vec![automaton.states[limit.state]],
                by: (0, Name::default()),
                within: None,
            });
        }
    }
}

fn names(all: &[&'static str], states: u16) -> Vec<&'static str> {
    all.iter().enumerate().filter(|(place, _)| (states >> place) & 1 == 1).map(|(_, name)| *name).collect()
}

impl Receiver for Watched {
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        self.last_ns = self.last_ns.max(stamped.at_ns);
        let symbols = self.symbols(cpu, stamped);
        let within = self.sections.get(&cpu).and_then(|open| open.last()).copied();
        let by = (stamped.thread, self.thread(stamped.thread).name);
        for (scope, id, symbol) in symbols {
            let thread = (scope == Scope::Thread).then(|| (id, self.thread(id).name));
            for one in self.all.iter_mut().filter(|one| one.found.monitor.automaton.scope == scope) {
                if let Some(object) = one.objects.get(&id).copied().filter(|_| one.heard.contains(&symbol)) {
                    one.expire(id, object, stamped.at_ns, &self.threads);
                }
                let Some(breach) = one.take(id, symbol, cpu, stamped.at_ns) else { continue };
                one.found.broken += 1;
                if one.found.examples.len() < EXAMPLES {
                    one.found.examples.push(Breach { thread, by, within, ..breach });
                }
            }
        }
        self.learn(cpu, stamped);
    }

    fn gap_begins(&mut self, cpu: u32, _at_ns: u64) {
        self.forget(cpu);
    }

    fn gap(&mut self, cpu: u32, _at_ns: u64) {
        self.forget(cpu);
    }
}

#[cfg(test)]
mod tests;
