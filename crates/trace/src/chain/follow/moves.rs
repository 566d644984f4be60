// SPDX-License-Identifier: MIT OR Apache-2.0
//! Applies each event of a hop's thread to the instances on its paths.
use super::super::instance::Origin;
use super::super::spec::{By, End, Start};
use super::super::states::{Histories, History, State, Waker};
use super::super::tokens::Tokens;
use super::{Chain, Chains, LINES_MAX, NOBODY, RENAMED_MAX, RenamedThread, Spot, pattern_of};
use crate::event::{Name, Stamped, Thread};
use crate::late::timers::Fired;
use crate::processor::Processor;
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
struct Wakeup {
    id: i32,
    spot: Spot,
    was: State,
    since_ns: u64,
    waker: Waker,
    softirq: Option<u8>,
    by_own_timer: bool,
    /// When the thread had begun to go to sleep; `at_ns` if it had not.
    turned_in_ns: u64,
    cpu: u32,
    at_ns: u64,
}

impl Chains {
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
            for (path, tokens) in chain.paths.iter_mut().enumerate() {
                for place in (0..tokens.places.len()).rev() {
                    let was = tokens.places[place].threads.contains(&thread.id);
                    if pattern_of(&tokens.spec, place).is_some_and(|pattern| pattern.has_thread(thread)) {
                        tokens.places[place].fits(thread.id);
                        hops.push(Spot { chain: number, path, place });
                    } else if was {
                        tokens.places[place].threads.retain(|id| *id != thread.id);
                        let renamed = RenamedThread { chain: number, place, thread: *thread };
                        if self.renamed.len() < RENAMED_MAX && !self.renamed.contains(&renamed) {
                            self.renamed.push(renamed);
                        }
                    }
                }
            }
        }
        let is_hop = !hops.is_empty();
        if is_hop {
            self.hops.insert(thread.id, hops.into());
        } else {
            self.hops.remove(&thread.id);
        }
        self.states.of(thread.id).into_iter().for_each(|history| history.is_hop = is_hop);
    }

    #[inline(always)]
    fn hops_of(&self, id: i32) -> Option<Arc<[Spot]>> {
        let is_hop = self.states.known(id).is_some_and(|history| history.is_hop);
        if is_hop { self.hops.get(&id).cloned() } else { None }
    }

    fn path(&mut self, spot: Spot) -> (&mut Tokens, &Histories) {
        (&mut self.chains[spot.chain].paths[spot.path], &self.states)
    }

    pub(super) fn switch(
        &mut self,
        cpu: u32,
        stamped: &Stamped,
        (from, preempted, to): (&Thread, bool, &Thread),
        processor: &Processor,
    ) {
        let at_ns = stamped.at_ns;
        self.is_named(from);
        self.is_named(to);
        if !preempted
            && let Some(hops) = self.hops_of(from.id)
            && !processor.left_in_fault(at_ns)
        {
            let turned_in_ns = self.states.known(from.id).map_or(at_ns, |history| history.turned_in_ns(at_ns));
            for spot in hops.iter() {
                let (tokens, states) = self.path(*spot);
                if spot.place <= tokens.last() {
                    let ends_ns = if spot.place == tokens.last() { turned_in_ns } else { at_ns };
                    tokens.turn_ends(spot.place, ends_ns, true, states);
                }
            }
            self.happened();
        }
        let left = if preempted { State::Preempted } else { State::Sleeps };
        // A thread that was woken before it had left the CPU stays ready.
        let state = |history: &History| match history.state() {
            State::Ready(waker) if !preempted => State::Ready(waker),
            _ => left,
        };
        if let Some(history) = self.states.of(from.id) {
            let state = state(history);
            history.is_now(state, cpu, at_ns);
        }
        self.comes(cpu, to.id, at_ns);
    }

    pub(super) fn comes(&mut self, cpu: u32, id: i32, at_ns: u64) {
        self.states.of(id).into_iter().for_each(|history| history.is_now(State::Runs, cpu, at_ns));
        self.has(cpu, id);
        let Some(hops) = self.hops_of(id) else { return };
        for spot in hops.iter() {
            let (tokens, states) = self.path(*spot);
            if spot.place <= tokens.last() {
                tokens.comes(spot.place, at_ns, states);
            }
        }
        self.happened();
    }

    pub(super) fn waking(&mut self, id: i32, cpu: u32, stamped: &Stamped, processor: &Processor) {
        let at_ns = stamped.at_ns;
        let (waker, softirq) = self.contexts.waker(cpu, stamped, processor);
        if stamped.in_thread {
            self.states.hop(stamped.thread).into_iter().for_each(History::is_at_work);
        }
        let Some(history) = self.states.of(id) else { return };
        let turned_in_ns = history.turned_in_ns(at_ns);
        history.is_at_work();
        let (was, since_ns) = (history.state(), history.since_ns());
        if matches!(was, State::Sleeps | State::Unknown) {
            history.is_now(State::Ready(waker), cpu, at_ns);
        }
        let Some(hops) = self.hops_of(id) else { return };
        let by_own_timer = self.timed && self.timers.of(cpu, id).is_some();
        for spot in hops.iter() {
            let woken =
                Wakeup { id, spot: *spot, was, since_ns, waker, softirq, by_own_timer, turned_in_ns, cpu, at_ns };
            self.hop_woken(&woken, processor);
        }
        self.happened();
    }

    fn hop_woken(&mut self, woken: &Wakeup, processor: &Processor) {
        let Wakeup { spot: Spot { chain, path, place }, was, at_ns, .. } = *woken;
        let (tokens, states) = (&mut self.chains[chain].paths[path], &self.states);
        let end = place > tokens.last();
        if !end {
            tokens.places[place].counts.wakeups += 1;
            tokens.places[place].counts.by_own_timer += u64::from(woken.by_own_timer);
            let in_work = tokens.has_given(place, woken.since_ns) && was == State::Sleeps;
            // The thread set a timer that had already expired, so it looks again without having left its CPU.
            if woken.by_own_timer && was == State::Runs {
                tokens.looks_again(place, woken.turned_in_ns, at_ns, states);
            }
            if in_work && !woken.by_own_timer && !tokens.is_previous(place, woken.waker) {
                tokens.sleep_was_in_work(place);
            }
        }
        if place == 0 {
            return self.first_woken(woken, processor);
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
            By::Softirq(_) | By::All(_) => {}
            By::Work(function) => {
                let work = if let Waker::Thread(by) = woken.waker { self.working.get(&by) } else { None };
                let work = work.filter(|(name, _)| name.is_some_and(|name| name.name() == function));
                if let Some((_, began_ns)) = work {
                    tokens.section_hands(place - 1, *began_ns, at_ns, was, states);
                }
            }
        }
    }

    fn first_woken(&mut self, woken: &Wakeup, processor: &Processor) {
        let (tokens, states) = self.path(woken.spot);
        let by_start = match &tokens.spec.start {
            Start::Timer(_) => woken.by_own_timer,
            Start::Interrupt(_) | Start::Packet(_) => {
                woken.softirq.is_some() || !matches!(woken.waker, Waker::Thread(_))
            }
            Start::Call { .. } => false,
            Start::Mark(_) => tokens.is_started_by(woken.waker),
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

    pub(super) fn timer_fires(&mut self, cpu: u32, fired: Fired, at_ns: u64) {
        let Some(hops) = self.hops_of(fired.thread) else { return };
        self.states.hop(fired.thread).into_iter().for_each(|history| history.timer_fires(fired.owes_waking));
        let origin = Origin {
            cpu,
            due_ns: fired.expiry_at.saturating_add(fired.slack_ns),
            armed_ns: Some(fired.armed_at),
            interrupt_ns: fired.isr_at,
            line: fired.line,
            stay: fired.stay,
        };
        for spot in hops.iter().filter(|spot| spot.place == 0) {
            let (tokens, states) = self.path(*spot);
            if tokens.spec.is_timed() {
                tokens.starts(fired.expiry_at, origin, at_ns, states);
            }
        }
        self.happened();
    }

    pub(super) fn interrupt_begins(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor, name: Name) {
        let fits = |chain: &Chain| matches!(&chain.spec.start, Start::Interrupt(line) if line.has_name(&name));
        let chains = &self.chains;
        let Some(lines) = &mut self.lines else { return };
        if lines.len() == LINES_MAX {
            lines.clear();
        }
        let started = lines
            .entry(name)
            .or_insert_with(|| (0..chains.len()).filter(|number| fits(&chains[*number])).collect())
            .clone();
        for number in started.iter() {
            self.start(*number, cpu, stamped, processor, Some(name));
        }
        if !started.is_empty() {
            self.happened();
        }
    }

    fn start(&mut self, chain: usize, cpu: u32, stamped: &Stamped, processor: &Processor, line: Option<Name>) {
        let at_ns = stamped.at_ns;
        let interrupt_ns = processor.interrupt().map_or(at_ns, |open| open.since_ns).min(at_ns);
        let stay = processor.stay_at(at_ns);
        let origin = Origin { cpu, due_ns: at_ns, armed_ns: None, interrupt_ns, line, stay };
        for path in &mut self.chains[chain].paths {
            path.started_by = stamped.thread;
            path.starts(at_ns, origin, at_ns, &self.states);
        }
    }

    pub(super) fn starts_by(
        &mut self,
        cpu: u32,
        stamped: &Stamped,
        processor: &Processor,
        fits: impl Fn(&Start) -> bool,
    ) {
        for number in 0..self.chains.len() {
            if fits(&self.chains[number].spec.start) {
                self.start(number, cpu, stamped, processor, None);
            }
        }
        self.happened();
    }

    pub(super) fn ends_by(&mut self, stamped: &Stamped, fits: impl Fn(&End) -> bool) {
        let Some(hops) = self.hops_of(stamped.thread) else { return };
        self.states.hop(stamped.thread).into_iter().for_each(History::is_at_work);
        for spot in hops.iter() {
            let (tokens, states) = self.path(*spot);
            if spot.place == tokens.last() && fits(&tokens.spec.end) {
                tokens.ends(stamped.at_ns, states);
            }
        }
        self.happened();
    }
}
