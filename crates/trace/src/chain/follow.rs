// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes a recording's events and follows chains through it.
use super::context::Contexts;
use super::instance::{Fate, Instance, Origin};
use super::partition::Divider;
use super::pattern::Pattern;
use super::place::Counts;
use super::spec::{By, End, Spec, Start};
use super::states::{Histories, State, Waker};
use super::tally::{DividedInstance, Tally};
use super::tokens::{ChainEvent, Tokens};
use crate::account::analysis::{Listener, Processors};
use crate::event::function::Function;
use crate::event::{Event, Name, Section, Stamped, Thread};
use crate::late::timers::{Fired, Timers};
use crate::processor::{Processor, Stretch};
use std::collections::HashMap;

/// Chains that are followed at a time.
pub const CHAINS_MAX: usize = 32;
const WORKERS_MAX: usize = 1_024;
const NOBODY: i32 = i32::MIN;

#[derive(Clone, Debug)]
struct Chain {
    tokens: Tokens,
    tally: Tally,
}

/// The fate of one instance, for listeners.
#[derive(Clone, Debug)]
pub struct EndedInstance {
    /// Of which chain.
    pub chain: usize,
    /// Its fate.
    pub fate: Fate,
    /// The instance, with its parts if complete.
    pub divided: DividedInstance,
}

/// Follows chains; a listener of a recording's analysis.
#[derive(Clone, Debug)]
pub struct Chains {
    chains: Vec<Chain>,
    states: Histories,
    timers: Timers,
    /// Whether the timestamps use the timers' clock.
    timed: bool,
    on: Vec<i32>,
    contexts: Contexts,
    working: HashMap<i32, (Option<Function>, u64)>,
    dark: Vec<u32>,
    /// Hops by thread.
    hops: HashMap<i32, Vec<(usize, usize)>>,
    finished: Vec<(usize, Instance)>,
    /// The fates, if requested.
    told: Option<Vec<EndedInstance>>,
}

/// Threads that match a chain's hop, or a hop without a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HopThreads {
    /// The hop, from 0; the number of hops for the thread that the end wakes.
    pub place: usize,
    /// As it is written.
    pub wanted: Pattern,
    /// Threads that fit.
    pub threads: Vec<Thread>,
}

impl Chains {
    /// Follows these chains; `timed` if the stamps use the timers' clock. More than [`CHAINS_MAX`] are left out.
    pub fn new(specs: Vec<Spec>, timed: bool) -> Self {
        let chain = |spec: Spec| Chain { tally: Tally::new(&spec), tokens: Tokens::new(spec) };
        Self {
            chains: specs.into_iter().take(CHAINS_MAX).map(chain).collect(),
            states: Histories::default(),
            timers: Timers::default(),
            timed,
            on: Vec::new(),
            contexts: Contexts::default(),
            working: HashMap::new(),
            dark: Vec::new(),
            hops: HashMap::new(),
            finished: Vec::new(),
            told: None,
        }
    }

    /// As above, but keeps every instance with its parts.
    pub fn telling(specs: Vec<Spec>, timed: bool) -> Self {
        Self { told: Some(Vec::new()), ..Self::new(specs, timed) }
    }

    /// Every instance so far, if all are kept.
    pub fn told(&self) -> &[EndedInstance] {
        self.told.as_deref().unwrap_or_default()
    }

    /// The result of each.
    pub fn tallies(&self) -> impl Iterator<Item = (&Spec, &Tally)> {
        self.chains.iter().map(|chain| (&chain.tokens.spec, &chain.tally))
    }

    /// What happened at each hop of a chain.
    pub fn counts(&self, chain: usize) -> Vec<Counts> {
        let tokens = &self.chains[chain].tokens;
        tokens.places.iter().take(tokens.spec.hops.len()).map(|place| place.counts).collect()
    }

    /// Which threads fit each hop of a chain.
    pub fn fitting(&self, chain: usize) -> Vec<HopThreads> {
        let tokens = &self.chains[chain].tokens;
        let wanted = (0..tokens.places.len()).filter_map(|place| Some((place, pattern_of(&tokens.spec, place)?)));
        let threads = |place: usize| tokens.places[place].threads.iter().map(|id| self.states.thread(*id)).collect();
        wanted.map(|(place, wanted)| HopThreads { place, wanted: wanted.clone(), threads: threads(place) }).collect()
    }

    /// How a thread is named.
    pub fn thread(&self, id: i32) -> Thread {
        self.states.thread(id)
    }

    /// Every thread that a switch named.
    pub fn threads(&self) -> Vec<Thread> {
        self.states.threads().map(|history| history.thread()).filter(|thread| !thread.is_number()).collect()
    }

    fn has(&mut self, cpu: u32, thread: i32) {
        let place = cpu as usize;
        if self.on.len() <= place {
            self.on.resize(place + 1, NOBODY);
        }
        self.on[place] = thread;
    }

    fn is_named(&mut self, thread: &Thread) {
        let new = self.states.of(thread.id).is_some_and(|history| history.is_named(thread));
        if new {
            self.fits_anew(thread);
        }
    }

    #[cold]
    fn fits_anew(&mut self, thread: &Thread) {
        let mut hops = Vec::new();
        for (number, chain) in self.chains.iter_mut().enumerate() {
            for place in 0..chain.tokens.places.len() {
                if pattern_of(&chain.tokens.spec, place).is_some_and(|pattern| pattern.has_thread(thread)) {
                    chain.tokens.places[place].fits(thread.id);
                    hops.push((number, place));
                }
            }
        }
        let is_hop = !hops.is_empty();
        if is_hop {
            self.hops.insert(thread.id, hops);
        } else {
            self.hops.remove(&thread.id);
        }
        self.states.of(thread.id).into_iter().for_each(|history| history.is_hop = is_hop);
    }

    #[inline(always)]
    fn hops_of(&self, id: i32) -> Option<Vec<(usize, usize)>> {
        let is_hop = self.states.known(id).is_some_and(|history| history.is_hop);
        if is_hop { self.hops.get(&id).map(|hops| hops.iter().rev().copied().collect()) } else { None }
    }

    fn switch(
        &mut self,
        cpu: u32,
        stamped: &Stamped,
        (from, preempted, to): (&Thread, bool, &Thread),
        processor: &Processor,
    ) {
        let at_ns = stamped.at_ns;
        self.is_named(from);
        self.is_named(to);
        if !preempted && !processor.left_in_fault(at_ns) {
            for (chain, place) in self.hops_of(from.id).unwrap_or_default() {
                let tokens = &mut self.chains[chain].tokens;
                if place <= tokens.last() {
                    tokens.turn_ends(place, at_ns, true, &self.states);
                }
            }
        }
        let left = if preempted { State::Preempted } else { State::Sleeps };
        // One that was woken before it had left stays ready.
        let state = |history: &super::states::History| match history.state() {
            State::Ready(waker) if !preempted => State::Ready(waker),
            _ => left,
        };
        if let Some(history) = self.states.of(from.id) {
            let state = state(history);
            history.is_now(state, cpu, at_ns);
        }
        self.comes(cpu, to.id, at_ns);
        self.happened();
    }

    fn comes(&mut self, cpu: u32, id: i32, at_ns: u64) {
        self.states.of(id).into_iter().for_each(|history| history.is_now(State::Runs, cpu, at_ns));
        self.has(cpu, id);
        for (chain, place) in self.hops_of(id).unwrap_or_default() {
            let tokens = &mut self.chains[chain].tokens;
            if place <= tokens.last() {
                tokens.comes(place, at_ns, &self.states);
            }
        }
    }

    fn waking(&mut self, id: i32, cpu: u32, stamped: &Stamped, processor: &Processor) {
        let at_ns = stamped.at_ns;
        let (waker, softirq) = self.contexts.waker(cpu, stamped, processor);
        let Some(history) = self.states.of(id) else { return };
        let (was, since_ns) = (history.state(), history.since_ns());
        if matches!(was, State::Sleeps | State::Unknown) {
            history.is_now(State::Ready(waker), cpu, at_ns);
        }
        let Some(hops) = self.hops_of(id) else { return };
        let by_own_timer = self.timed && self.timers.of(cpu, id).is_some();
        for (chain, place) in hops {
            let woken = Wakeup { id, place, was, since_ns, waker, softirq, by_own_timer, cpu, at_ns };
            self.hop_woken(chain, &woken, processor);
        }
        self.happened();
    }

    fn hop_woken(&mut self, chain: usize, woken: &Wakeup, processor: &Processor) {
        let Wakeup { place, was, at_ns, .. } = *woken;
        let (tokens, states) = (&mut self.chains[chain].tokens, &self.states);
        let end = place > tokens.last();
        if !end {
            tokens.places[place].counts.wakeups += 1;
            tokens.places[place].counts.by_own_timer += u64::from(woken.by_own_timer);
            let in_work = tokens.has_given(place, woken.since_ns) && was == State::Sleeps;
            if in_work && !woken.by_own_timer && !tokens.is_previous(place, woken.waker) {
                tokens.sleep_was_in_work(place);
            }
        }
        if place == 0 {
            return self.first_woken(chain, woken, processor);
        }
        match &tokens.spec.hops[place - 1].by {
            By::Thread(_) => {
                if let Waker::Thread(by) = woken.waker
                    && tokens.places[place - 1].threads.contains(&by)
                    && by != woken.id
                    && !tokens.spec.hops.get(place).is_some_and(|hop| hop.polls)
                {
                    tokens.thread_wakes_next(place - 1, was, at_ns, states);
                }
            }
            By::Softirq(number) if woken.softirq == Some(*number) => {
                let began_ns = self.contexts.entered_softirq_ns(woken.cpu).unwrap_or(at_ns);
                tokens.section_hands(place - 1, began_ns, at_ns, was, states);
            }
            By::Softirq(_) => {}
            By::Work(function) => {
                let work = if let Waker::Thread(by) = woken.waker { self.working.get(&by) } else { None };
                let work = work.filter(|(name, _)| name.is_some_and(|name| name.name() == function));
                if let Some((_, began_ns)) = work {
                    tokens.section_hands(place - 1, *began_ns, at_ns, was, states);
                }
            }
        }
    }

    fn first_woken(&mut self, chain: usize, woken: &Wakeup, processor: &Processor) {
        let (tokens, states) = (&mut self.chains[chain].tokens, &self.states);
        let by_start = match &tokens.spec.start {
            Start::Timer(_) => woken.by_own_timer,
            Start::Interrupt(_) | Start::Packet(_) => {
                woken.softirq.is_some() || !matches!(woken.waker, Waker::Thread(_))
            }
            Start::Call { .. } => false,
            Start::Wake(_) => {
                let stay = processor.stay_at(woken.at_ns);
                let origin = Origin {
                    cpu: woken.cpu,
                    due_ns: woken.at_ns,
                    interrupt_ns: woken.at_ns,
                    stay,
                    ..Origin::default()
                };
                tokens.starts(woken.at_ns, origin, woken.at_ns, states);
                true
            }
        };
        if by_start {
            tokens.first_woken(woken.was, woken.at_ns, states);
        }
    }

    fn timer_fires(&mut self, cpu: u32, fired: Fired, at_ns: u64) {
        let Some(hops) = self.hops_of(fired.thread) else { return };
        let origin = Origin {
            cpu,
            due_ns: fired.expiry_at.saturating_add(fired.slack_ns),
            armed_ns: Some(fired.armed_at),
            interrupt_ns: fired.isr_at,
            line: fired.line,
            stay: fired.stay,
        };
        for (chain, place) in hops {
            let tokens = &mut self.chains[chain].tokens;
            if place == 0 && tokens.spec.is_timed() {
                tokens.starts(fired.expiry_at, origin, at_ns, &self.states);
            }
        }
        self.happened();
    }

    fn starts_by(
        &mut self,
        cpu: u32,
        stamped: &Stamped,
        processor: &Processor,
        fits: impl Fn(&Start) -> bool,
        line: Option<Name>,
    ) {
        let at_ns = stamped.at_ns;
        for chain in &mut self.chains {
            if fits(&chain.tokens.spec.start) {
                let interrupt_ns = processor.interrupt().map_or(at_ns, |open| open.since_ns).min(at_ns);
                let stay = processor.stay_at(at_ns);
                let origin = Origin { cpu, due_ns: at_ns, armed_ns: None, interrupt_ns, line, stay };
                chain.tokens.starts(at_ns, origin, at_ns, &self.states);
            }
        }
        self.happened();
    }

    fn ends_by(&mut self, stamped: &Stamped, fits: impl Fn(&End) -> bool) {
        let Some(hops) = self.hops_of(stamped.thread) else { return };
        for (chain, place) in hops {
            let tokens = &mut self.chains[chain].tokens;
            if place == tokens.last() && fits(&tokens.spec.end) {
                tokens.ends(stamped.at_ns, &self.states);
            }
        }
        self.happened();
    }

    #[inline(always)]
    fn happened(&mut self) {
        for number in 0..self.chains.len() {
            if !self.chains[number].tokens.happened.is_empty() {
                self.count(number);
            }
        }
    }

    fn count(&mut self, number: usize) {
        let (Chain { tokens, tally }, told) = (&mut self.chains[number], &mut self.told);
        for happened in tokens.happened.drain(..) {
            match happened {
                ChainEvent::Start { number, at_ns } => tally.start(number, at_ns),
                ChainEvent::NoStart { at_ns, count } => tally.no_start(at_ns, count),
                ChainEvent::Gap => tally.gap(),
                ChainEvent::Ended { instance, fate: Fate::Done } if told.is_some() || tally.wants(&instance) => {
                    self.finished.push((number, instance));
                }
                ChainEvent::Ended { instance, fate: Fate::Done } => tally.done(instance, None),
                ChainEvent::Ended { instance, fate } => {
                    tally.missed(&instance, fate);
                    let divided = DividedInstance { instance, parts: Vec::new() };
                    told.iter_mut()
                        .for_each(|told| told.push(EndedInstance { chain: number, fate, divided: divided.clone() }));
                }
            }
        }
    }

    fn loses(&mut self) {
        self.timers.gap(!self.dark.is_empty());
        self.states.forget();
        self.working.clear();
        self.on.clear();
        self.contexts.forget();
        self.chains.iter_mut().for_each(|chain| chain.tokens.gap());
        self.happened();
    }
}

#[derive(Clone, Copy, Debug)]
struct Wakeup {
    id: i32,
    place: usize,
    was: State,
    since_ns: u64,
    waker: Waker,
    softirq: Option<u8>,
    by_own_timer: bool,
    cpu: u32,
    at_ns: u64,
}

/// The name of the thread of a hop; of the place after the last hop, of the thread that the end wakes.
fn pattern_of(spec: &Spec, place: usize) -> Option<&Pattern> {
    match (spec.hops.get(place).map(|hop| &hop.by), &spec.end) {
        (Some(By::Thread(pattern)), _) => Some(pattern),
        (None, End::Wakes(pattern)) => Some(pattern),
        _ => None,
    }
}

impl Listener for Chains {
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        let is_switch = matches!(stamped.event, Event::Switch { .. });
        self.contexts.push(cpu, stamped);
        if self.on.get(cpu as usize) != Some(&stamped.thread) {
            self.comes(cpu, stamped.thread, if is_switch { stamped.at_ns } else { processor.stay().1.max(1) });
        }
        if self.timed {
            self.timers.push(cpu, stamped, processor);
        }
        match &stamped.event {
            Event::Switch { from, preempted, to } => self.switch(cpu, stamped, (from, *preempted, to), processor),
            Event::Waking { thread } => self.waking(*thread, cpu, stamped, processor),
            Event::TimerExpire { .. } => {
                if let Some(fired) = self.timers.fired(cpu).copied() {
                    self.timer_fires(cpu, fired, stamped.at_ns);
                }
            }
            Event::Enter(Section::Interrupt(name)) => {
                let name = *name;
                let fits = |start: &Start| matches!(start, Start::Interrupt(line) if line.has_name(&name));
                self.starts_by(cpu, stamped, processor, fits, Some(name));
            }
            Event::Work { function } if self.working.len() < WORKERS_MAX => {
                self.working.insert(stamped.thread, (*function, stamped.at_ns));
            }
            Event::WorkEnd => drop(self.working.remove(&stamped.thread)),
            Event::Call { name } => {
                let (name, thread) = (*name, self.states.thread(stamped.thread));
                let starts = |start: &Start| matches!(start, Start::Call { thread: of, call } if name.is_shown_as(call) && of.has_thread(&thread));
                self.starts_by(cpu, stamped, processor, starts, None);
                self.ends_by(stamped, |end| matches!(end, End::Call(call) if name.is_shown_as(call)));
            }
            Event::Packet { device, sent } => {
                let device = *device;
                if *sent {
                    self.ends_by(stamped, |end| matches!(end, End::Packet(of) if of.has_name(&device)));
                } else {
                    let fits = |start: &Start| matches!(start, Start::Packet(of) if of.has_name(&device));
                    self.starts_by(cpu, stamped, processor, fits, None);
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
            let parts = Divider::new(&self.states, of).divide(&instance);
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
        self.chains.iter_mut().for_each(|chain| chain.tokens.close(Fate::Unfinished));
        self.happened();
    }
}

#[cfg(test)]
pub(in crate::chain) mod tests;
