// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows the instances of chains through the events of a recording.
mod joined;
mod moves;

use super::context::Contexts;
use super::instance::{Fate, Instance};
use super::partition::Divider;
use super::pattern::Pattern;
use super::place::Counts;
use super::so_far::HopThreads;
use super::spec::{By, End, Spec, Start};
use super::states::{Histories, History};
use super::tally::{DividedInstance, Tally};
use super::timers::HopTimers;
use super::tokens::{ChainEvent, Tokens};
use crate::account::analysis::{Listener, Processors};
use crate::event::function::Function;
use crate::event::{Event, Group, Name, Section, Stamped, Thread};
use crate::processor::{Processor, Stretch};
use crate::thread::limits::Limits;
use joined::Joined;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

pub use joined::JoinWait;

/// At most this many chains are followed.
pub const CHAINS_MAX: usize = 32;
const WORKERS_MAX: usize = 1_024;
const LINES_MAX: usize = 4_096;
const RENAMED_MAX: usize = 64;
const QUIET_STARTS: u64 = 10;
const NOBODY: i32 = i32::MIN;

#[derive(Clone, Debug)]
struct Chain {
    spec: Spec,
    // One `Tokens` for each path through the joins of the chain.
    paths: Vec<Tokens>,
    joined: Joined,
    tally: Tally,
}

#[derive(Clone, Copy, Debug)]
struct Spot {
    chain: usize,
    path: usize,
    place: usize,
}

/// An instance that has ended, with its fate.
#[derive(Clone, Debug)]
pub struct EndedInstance {
    /// Index of the chain.
    pub chain: usize,
    /// Why the instance ended.
    pub fate: Fate,
    /// The instance; divided into parts if it completed.
    pub divided: DividedInstance,
}

/// Follows chains as a listener of [`Analysis`](crate::account::analysis::Analysis).
#[derive(Clone, Debug)]
pub struct Chains {
    chains: Vec<Chain>,
    states: Histories,
    timers: HopTimers,
    /// Whether the timestamps use the timers' clock.
    timed: bool,
    on: Vec<i32>,
    contexts: Contexts,
    working: HashMap<i32, (Option<Function>, u64)>,
    dark: Vec<u32>,
    limits: Limits,
    renamed: Vec<RenamedThread>,
    // Indices of the chains that each interrupt starts. `None` if no chain starts with an interrupt.
    lines: Option<HashMap<Name, Arc<[usize]>>>,
    marked: bool,
    // The places of each thread in the chains. The last hop of a chain comes first.
    hops: HashMap<i32, Arc<[Spot]>>,
    finished: Vec<(usize, Instance)>,
    /// All ended instances, if the caller asked to keep them.
    told: Option<Vec<EndedInstance>>,
}

/// A hop's thread whose name changed during the recording. It no longer matches the hop, so it is not followed any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenamedThread {
    /// Index of the chain.
    pub chain: usize,
    /// Index of the hop, from 0.
    pub place: usize,
    /// The thread, with its new name.
    pub thread: Thread,
}

/// A hop's thread without an event while instances kept starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietThread {
    /// Index of the hop, from 0.
    pub place: usize,
    /// The thread.
    pub thread: Thread,
    /// Time from the thread's last event to the last start of the chain.
    pub ns: u64,
}

impl Chains {
    /// Follows these chains, at most [`CHAINS_MAX`] of them. `timed`: the timestamps use the clock of the timers.
    pub fn new(specs: Vec<Spec>, timed: bool) -> Self {
        let chain = |spec: Spec| {
            let (paths, tally) = (spec.paths(), Tally::new(&spec));
            let joined = Joined::new(&spec, &paths);
            Chain { spec, tally, joined, paths: paths.into_iter().map(Tokens::new).collect() }
        };
        let starts = |wanted: fn(&Start) -> bool| specs.iter().any(|spec| wanted(&spec.start));
        let lines = starts(|start| matches!(start, Start::Interrupt(_))).then(HashMap::new);
        let marked = specs.iter().any(Spec::has_mark);
        Self {
            chains: specs.into_iter().take(CHAINS_MAX).map(chain).collect(),
            states: Histories::default(),
            timers: HopTimers::default(),
            timed,
            on: Vec::new(),
            contexts: Contexts::default(),
            working: HashMap::new(),
            dark: Vec::new(),
            limits: Limits::default(),
            renamed: Vec::new(),
            lines,
            marked,
            hops: HashMap::new(),
            finished: Vec::new(),
            told: None,
        }
    }

    /// Adds the cgroups with a CPU quota, by the number of each thread in them.
    pub fn with_quotas(self, quotas: BTreeMap<i32, Group>) -> Self {
        Self { limits: Limits::of(quotas), ..self }
    }

    /// Like [`Chains::new`], but keeps every ended instance with its parts.
    pub fn telling(specs: Vec<Spec>, timed: bool) -> Self {
        Self { told: Some(Vec::new()), ..Self::new(specs, timed) }
    }

    /// Every ended instance so far; empty unless made by [`Chains::telling`].
    pub fn told(&self) -> &[EndedInstance] {
        self.told.as_deref().unwrap_or_default()
    }

    /// Takes the instances that ended since the last call.
    pub fn take_told(&mut self) -> Vec<EndedInstance> {
        self.told.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Each chain with its totals.
    pub fn tallies(&self) -> impl Iterator<Item = (&Spec, &Tally)> {
        self.chains.iter().map(|chain| (&chain.spec, &chain.tally))
    }

    /// Forgets each chain's slowest instance, because it has been reported.
    pub fn was_told(&mut self) {
        self.chains.iter_mut().for_each(|chain| chain.tally.was_told());
    }

    /// What happened at each hop of a chain. For a join, the sum over all paths.
    pub fn counts(&self, chain: usize) -> Vec<Counts> {
        let Chain { spec, paths, .. } = &self.chains[chain];
        let ends = |path: &Tokens, place: usize| {
            (place.checked_sub(1).map(|before| path.spec.hops[before].by.clone()), path.spec.hops[place].by.clone())
        };
        let of_place = |place: usize| {
            let new =
                |number: &usize| !paths[..*number].iter().any(|path| ends(path, place) == ends(&paths[*number], place));
            (0..paths.len()).filter(new).fold(Counts::default(), |sum, path| sum + paths[path].places[place].counts)
        };
        (0..spec.hops.len()).map(of_place).collect()
    }

    /// For each join of a chain, how often each of its threads came last.
    pub fn join_waits(&self, chain: usize) -> &[JoinWait] {
        &self.chains[chain].joined.waits
    }

    /// The threads that match each hop of a chain.
    pub fn fitting(&self, chain: usize) -> Vec<HopThreads> {
        let mut all: Vec<HopThreads> = Vec::new();
        for tokens in &self.chains[chain].paths {
            for place in 0..tokens.places.len() {
                let Some(wanted) = pattern_of(&tokens.spec, place) else { continue };
                let threads = tokens.places[place].threads.iter().map(|id| self.states.thread(*id)).collect();
                let hop = HopThreads { place, wanted: wanted.clone(), threads };
                if !all.contains(&hop) {
                    all.push(hop);
                }
            }
        }
        all.sort_by_key(|hop| hop.place);
        all
    }

    /// Threads of hops whose name changed.
    pub fn renamed(&self) -> &[RenamedThread] {
        &self.renamed
    }

    /// Threads of a chain's hops that had no event for at least as long as the chain's last ten starts took.
    pub fn quiet(&self, chain: usize) -> Vec<QuietThread> {
        let Chain { tally, paths, .. } = &self.chains[chain];
        let Some((last_ns, interval_ns)) = tally.starts() else { return Vec::new() };
        let mut all = Vec::new();
        for place in paths.iter().flat_map(|path| path.places.iter().enumerate()) {
            for id in &place.1.threads {
                let ns = last_ns.saturating_sub(self.states.last_ns(*id));
                let quiet = QuietThread { place: place.0, thread: self.states.thread(*id), ns };
                if ns > QUIET_STARTS * interval_ns && !all.contains(&quiet) {
                    all.push(quiet);
                }
            }
        }
        all
    }

    /// The thread with this number, with the name that events gave it.
    pub fn thread(&self, id: i32) -> Thread {
        self.states.thread(id)
    }

    /// Every thread that a switch event named.
    pub fn threads(&self) -> Vec<Thread> {
        self.states.threads().map(|history| history.thread()).filter(|thread| !thread.is_number()).collect()
    }

    #[inline(always)]
    fn happened(&mut self) {
        for number in 0..self.chains.len() {
            for path in 0..self.chains[number].paths.len() {
                if !self.chains[number].paths[path].happened.is_empty() {
                    self.count(number, path);
                }
            }
        }
    }

    fn count(&mut self, number: usize, path: usize) {
        let (Chain { paths, joined, tally, .. }, told) = (&mut self.chains[number], &mut self.told);
        for happened in paths[path].happened.drain(..) {
            match happened {
                ChainEvent::Ended { instance, fate } => {
                    let Some((fate, instance)) = joined.ends(path, fate, instance) else { continue };
                    if fate == Fate::Done && (told.is_some() || tally.wants(&instance)) {
                        self.finished.push((number, instance));
                    } else if fate == Fate::Done {
                        tally.done(instance, None);
                    } else {
                        tally.missed(&instance, fate);
                        let divided = DividedInstance { instance, parts: Vec::new() };
                        told.iter_mut().for_each(|told| {
                            told.push(EndedInstance { chain: number, fate, divided: divided.clone() })
                        });
                    }
                }
                // All paths have the same starts, so only those of the first path are counted.
                _ if path > 0 => {}
                ChainEvent::Start { number, at_ns } => tally.start(number, at_ns),
                ChainEvent::NoStart { at_ns, count } => tally.no_start(at_ns, count),
                ChainEvent::Gap => tally.gap(),
            }
        }
    }

    fn loses(&mut self) {
        self.timers.gap(!self.dark.is_empty());
        self.states.forget();
        self.working.clear();
        self.on.clear();
        self.contexts.forget();
        self.chains.iter_mut().flat_map(|chain| &mut chain.paths).for_each(Tokens::gap);
        self.happened();
    }
}

/// The thread's name at a hop. For the place after the last hop, this is the thread that the end wakes.
fn pattern_of(spec: &Spec, place: usize) -> Option<&Pattern> {
    match (spec.hops.get(place).map(|hop| &hop.by), &spec.end) {
        (Some(By::Thread(pattern)), _) => Some(pattern),
        (None, End::Wakes(pattern)) => Some(pattern),
        _ => None,
    }
}

impl Listener for Chains {
    #[inline(always)]
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        let is_switch = matches!(stamped.event, Event::Switch { .. });
        self.contexts.push(cpu, stamped);
        if self.on.get(cpu as usize) != Some(&stamped.thread) {
            self.comes(cpu, stamped.thread, if is_switch { stamped.at_ns } else { processor.stay().1.max(1) });
        }
        if self.timed {
            let id = stamped.thread;
            self.timers.push(cpu, stamped, processor, || self.states.known(id).is_none_or(History::may_be_hop));
        }
        match &stamped.event {
            Event::Switch { from, preempted, to } => self.switch(cpu, stamped, (from, *preempted, to), processor),
            Event::Waking { thread } => self.waking(*thread, cpu, stamped, processor),
            Event::TimerStart { .. } if stamped.in_thread => {
                self.states.hop(stamped.thread).into_iter().for_each(|history| history.sets_timer(stamped.at_ns));
            }
            Event::TimerExpire { function, .. } => {
                self.limits.timer(stamped.at_ns, *function);
                if let Some(fired) = self.timers.fired(cpu) {
                    self.timer_fires(cpu, fired, stamped.at_ns);
                }
            }
            Event::Enter(Section::Interrupt(name)) if self.lines.is_some() => {
                self.interrupt_begins(cpu, stamped, processor, *name);
            }
            Event::Work { function } if self.working.len() < WORKERS_MAX => {
                self.working.insert(stamped.thread, (*function, stamped.at_ns));
            }
            Event::WorkEnd => drop(self.working.remove(&stamped.thread)),
            Event::Call { name } => {
                let (name, thread) = (*name, self.states.thread(stamped.thread));
                let starts = |start: &Start| matches!(start, Start::Call { thread: of, call } if name.is_shown_as(call) && of.has_thread(&thread));
                self.starts_by(cpu, stamped, processor, starts);
                self.ends_by(stamped, |end| matches!(end, End::Call(call) if name.is_shown_as(call)));
            }
            Event::Mark { text } if self.marked => {
                let text = *text;
                self.starts_by(cpu, stamped, processor, |start| matches!(start, Start::Mark(of) if of.has_mark(&text)));
                self.ends_by(stamped, |end| matches!(end, End::Mark(of) if of.has_mark(&text)));
            }
            Event::Packet { device, sent } => {
                let device = *device;
                if *sent {
                    self.ends_by(stamped, |end| matches!(end, End::Packet(of) if of.has_name(&device)));
                } else {
                    let fits = |start: &Start| matches!(start, Start::Packet(of) if of.has_name(&device));
                    self.starts_by(cpu, stamped, processor, fits);
                }
            }
            _ => {}
        }
    }

    fn wants_all(&self) -> bool {
        !self.finished.is_empty()
    }

    fn all(&mut self, of: &Processors<'_>) {
        for (number, instance) in std::mem::take(&mut self.finished) {
            let divider = Divider::new(&self.states, &self.limits, of);
            let divider = if self.told.is_some() { divider.all_in_order() } else { divider };
            let parts = divider.divide(&instance);
            if let Some(told) = &mut self.told {
                let divided = DividedInstance { instance: instance.clone(), parts: parts.clone() };
                told.push(EndedInstance { chain: number, fate: Fate::Done, divided });
            }
            self.chains[number].tally.done(instance, Some(parts));
        }
    }

    fn gap_begins(&mut self, cpu: u32, _: u64) {
        if !self.dark.contains(&cpu) {
            self.dark.push(cpu);
        }
        self.loses();
    }

    fn gap(&mut self, cpu: u32, _: u64) {
        self.dark.retain(|other| *other != cpu);
        self.loses();
    }

    fn end(&mut self, _: &[(u32, Stretch)]) {
        self.chains.iter_mut().flat_map(|chain| &mut chain.paths).for_each(|path| path.close(Fate::Unfinished));
        self.happened();
    }
}

#[cfg(test)]
pub(in crate::chain) mod tests;
