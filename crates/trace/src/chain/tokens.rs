// SPDX-License-Identifier: MIT OR Apache-2.0
//! Moves instances from hop to hop.
//!
//! A thread keeps an instance, over any sleep, until it wakes the next hop, reaches the end, or is handed the next instance. A
//! write to a thread that is awake causes no wakeup. So if a thread goes to sleep without having woken the next hop, and the next
//! hop was awake during the turn, the instance counts as handed to a busy thread. If the next hop slept all the time, the thread
//! may be waiting for a lock, so it keeps the instance.
use super::instance::{Fate, How, Instance, Origin, Visit};
use super::place::{Handover, Output, Place};
use super::spec::{By, End, Spec, Takes};
use super::states::{Histories, State, Waker};
use std::collections::VecDeque;

/// At most this many instances are followed at a time. When one more starts, the oldest counts as overtaken.
pub const IN_FLIGHT_MAX: usize = 64;
// An overtaken instance stays in the queues of its hops, so that its output is not taken for that of the next instance. It
// leaves the queues when this many later instances have started.
const QUEUED_MAX: u64 = 1_024;

#[derive(Clone, Debug)]
pub(super) enum ChainEvent {
    Start {
        number: u64,
        at_ns: u64,
    },
    /// According to the period, this many starts were due before `at_ns` but never came.
    NoStart {
        at_ns: u64,
        count: u64,
    },
    Ended {
        instance: Instance,
        fate: Fate,
    },
    Gap,
}

#[derive(Clone, Copy, Debug)]
struct OpenStart {
    number: u64,
    at_ns: u64,
    /// The first hop was awake at the start, so perhaps no wakeup follows.
    awake: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Tokens {
    pub(super) spec: Spec,
    pub(super) places: Vec<Place>,
    open: VecDeque<Instance>,
    started: Vec<OpenStart>,
    // The thread that wrote the mark with which the last instance started.
    pub(super) started_by: i32,
    next: u64,
    last_start_ns: Option<u64>,
    pub(super) happened: Vec<ChainEvent>,
}

impl Tokens {
    pub(super) fn new(spec: Spec) -> Self {
        // One place per hop, and one for the thread that the end wakes.
        let places = vec![Place::default(); spec.hops.len() + 1];
        let (open, started) = (VecDeque::new(), Vec::new());
        Self { spec, places, open, started, started_by: 0, next: 0, last_start_ns: None, happened: Vec::new() }
    }

    pub(super) fn is_started_by(&self, waker: Waker) -> bool {
        !self.started.is_empty() && waker == Waker::Thread(self.started_by)
    }

    pub(super) fn last(&self) -> usize {
        self.spec.hops.len() - 1
    }

    fn is_thread(&self, place: usize) -> bool {
        self.spec.hops.get(place).is_some_and(|hop| matches!(hop.by, By::Thread(_)))
    }

    fn instance(&mut self, number: u64) -> Option<&mut Instance> {
        let place = self.open.binary_search_by_key(&number, |instance| instance.number).ok()?;
        self.open.get_mut(place)
    }

    fn end(&mut self, number: u64, fate: Fate) {
        if let Ok(place) = self.open.binary_search_by_key(&number, |instance| instance.number)
            && let Some(instance) = self.open.remove(place)
        {
            self.happened.push(ChainEvent::Ended { instance, fate });
        }
    }

    fn end_all(&mut self, numbers: Vec<u64>, fate: Fate) {
        numbers.into_iter().for_each(|number| self.end(number, fate));
    }

    /// Starts an instance. The event may be later than the start: an instance of a timer starts when the timer was due.
    pub(super) fn starts(&mut self, start_ns: u64, origin: Origin, at_ns: u64, states: &Histories) {
        self.count_no_start(start_ns);
        if self.open.len() == IN_FLIGHT_MAX
            && let Some(oldest) = self.open.front().map(|instance| instance.number)
        {
            for place in &mut self.places {
                place.leave_before(self.next.saturating_sub(QUEUED_MAX));
            }
            self.started.retain(|started| started.number != oldest);
            self.end(oldest, Fate::Overtaken);
        }
        let number = self.next;
        self.next += 1;
        self.open.push_back(Instance { number, start_ns, origin, visits: Vec::with_capacity(self.spec.hops.len()) });
        self.happened.push(ChainEvent::Start { number, at_ns: start_ns });
        let awake = self.is_thread(0) && !matches!(self.state_of(0, states), State::Sleeps | State::Unknown);
        if awake {
            self.settle_started(states);
        }
        let unheard = std::mem::replace(&mut self.started, vec![OpenStart { number, at_ns, awake }]);
        unheard.into_iter().for_each(|unheard| self.end(unheard.number, Fate::NotHandedOn));
    }

    /// Hands started instances to the first hop without a wakeup, if this hop was awake when they started.
    fn settle_started(&mut self, states: &Histories) {
        let is_settled = |started: &OpenStart| started.awake;
        let (settled, waiting): (Vec<OpenStart>, Vec<OpenStart>) = self.started.drain(..).partition(is_settled);
        self.started = waiting;
        for OpenStart { number, at_ns, .. } in settled {
            self.visit(0, number, at_ns, How::Inferred, states);
            self.arrives_unwoken(0, number, at_ns, states);
        }
    }

    fn count_no_start(&mut self, start_ns: u64) {
        let last_ns = self.last_start_ns.replace(start_ns);
        if let (Some(period_ns), Some(last_ns)) = (self.spec.period_ns.filter(|ns| *ns > 0), last_ns) {
            let periods = (start_ns.saturating_sub(last_ns) + period_ns / 2) / period_ns;
            if periods > 1 {
                self.happened.push(ChainEvent::NoStart { at_ns: start_ns, count: periods - 1 });
            }
        }
    }

    pub(super) fn first_woken(&mut self, was: State, at_ns: u64, states: &Histories) {
        self.places[0].counts.by_previous += 1;
        if !matches!(was, State::Sleeps | State::Unknown) {
            // The thread was still awake and about to sleep, so this wakeup ends its turn.
            self.turn_ends_at(0, at_ns, false, states);
            for OpenStart { number, .. } in std::mem::take(&mut self.started) {
                self.visit(0, number, at_ns, How::Woken, states);
                self.places[0].carried.push(number);
            }
            self.places[0].boundary_ns = at_ns;
            return;
        }
        let started = std::mem::take(&mut self.started);
        if started.is_empty() {
            return;
        }
        let left = self.places[0].clear();
        self.end_all(left, Fate::NotHandedOn);
        for OpenStart { number, .. } in started {
            self.visit(0, number, at_ns, How::Woken, states);
            self.places[0].carried.push(number);
        }
        self.runs_at_once(0, at_ns, states);
    }

    /// A softirq or a kworker, which began at `began_ns`, wakes the next hop.
    pub(super) fn section_hands(&mut self, place: usize, began_ns: u64, at_ns: u64, was: State, states: &Histories) {
        let number = match place.checked_sub(1) {
            None => {
                let mut started = std::mem::take(&mut self.started);
                let newest = started.pop();
                started.into_iter().for_each(|older| self.end(older.number, Fate::Merged));
                newest.map(|newest| newest.number)
            }
            Some(before) => {
                let slept_ns = self.slept_ns(before, states).unwrap_or(began_ns);
                self.hand(before, slept_ns.min(began_ns))
            }
        };
        let Some(number) = number else { return self.comes_without(place + 1, at_ns) };
        let from_ns = self.visit_of(number).map_or(0, |visit| visit.handed_ns).max(self.start_of(number));
        let from_ns = if place == 0 { began_ns.max(from_ns) } else { from_ns };
        let visit = Visit {
            thread: 0,
            how: How::Section,
            arrived_ns: from_ns.min(at_ns),
            taken_ns: began_ns.max(from_ns).min(at_ns),
            handed_ns: at_ns,
        };
        self.places[place].counts.edges += 1;
        self.instance(number).into_iter().for_each(|instance| instance.visits.push(visit));
        self.arrives_woken(place + 1, number, was, at_ns, states);
    }

    fn start_of(&mut self, number: u64) -> u64 {
        self.instance(number).map_or(0, |instance| instance.start_ns)
    }

    /// When the hop's thread went to sleep, if it has not run since.
    fn slept_ns(&self, place: usize, states: &Histories) -> Option<u64> {
        self.places[place].threads.iter().filter_map(|id| states.known(*id)?.slept_ns()).max()
    }

    /// State of the hop's thread. If several threads match the hop, the state of one that is awake.
    fn state_of(&self, place: usize, states: &Histories) -> State {
        let all = self.places[place].threads.iter().filter_map(|id| states.known(*id)).map(|history| history.state());
        all.reduce(|one, other| if matches!(one, State::Sleeps | State::Unknown) { other } else { one })
            .unwrap_or(State::Unknown)
    }

    fn turn_ns(&self, place: usize, states: &Histories) -> u64 {
        let came =
            self.places[place].threads.iter().filter_map(|id| states.known(*id)).filter_map(|one| one.came_since());
        came.max().unwrap_or(0).max(self.places[place].boundary_ns)
    }

    fn visit_of(&mut self, number: u64) -> Option<&mut Visit> {
        self.instance(number)?.visits.last_mut()
    }

    fn visit(&mut self, place: usize, number: u64, at_ns: u64, how: How, states: &Histories) {
        let thread = self.thread_of(place, states);
        let counts = &mut self.places[place].counts;
        counts.edges += 1;
        counts.inferred += u64::from(how == How::Inferred);
        let Some(instance) = self.instance(number) else { return };
        let at_ns = at_ns.max(instance.until_ns());
        instance.visits.push(Visit { thread, how, arrived_ns: at_ns, taken_ns: at_ns, handed_ns: at_ns });
    }

    /// The hop's thread. If several threads match the hop, the one with the latest event.
    fn thread_of(&self, place: usize, states: &Histories) -> i32 {
        let threads = self.places[place].threads.iter();
        let last = threads.max_by_key(|id| states.known(**id).map_or(0, |history| history.since_ns()));
        last.copied().unwrap_or(0)
    }

    fn takes(&mut self, number: u64, at_ns: u64) {
        if let Some(visit) = self.visit_of(number) {
            visit.taken_ns = at_ns.max(visit.arrived_ns);
            visit.handed_ns = visit.taken_ns;
        }
    }

    /// The hop finishes one instance and returns it. A hop that takes the newest merges its older instances into that one.
    fn hand(&mut self, place: usize, at_ns: u64) -> Option<u64> {
        let (number, merged) = match self.spec.hops[place].takes {
            Takes::Newest => {
                let number = self.places[place].carried.pop()?;
                (number, std::mem::take(&mut self.places[place].carried))
            }
            Takes::Each if self.places[place].carried.is_empty() => return None,
            Takes::Each => (self.places[place].carried.remove(0), Vec::new()),
        };
        self.end_all(merged, Fate::Merged);
        if let Some(visit) = self.visit_of(number) {
            visit.handed_ns = at_ns.max(visit.taken_ns);
        }
        let polls = self.spec.hops[place].polls;
        if self.places[place].carried.is_empty() && !polls {
            self.places[place].carried = std::mem::take(&mut self.places[place].pending);
        }
        for waiting in self.places[place].carried.clone() {
            self.takes(waiting, at_ns);
        }
        self.places[place].given = None;
        Some(number)
    }

    /// The hop's thread wakes the next hop, so it hands on an instance if it has one.
    pub(super) fn thread_wakes_next(&mut self, place: usize, was: State, at_ns: u64, states: &Histories) {
        if place == 0 && self.places[0].carried.is_empty() {
            self.settle_started(states);
        }
        self.repair_busy_pair(place, at_ns, states);
        self.places[place + 1].counts.by_previous += 1;
        match self.hand(place, at_ns) {
            Some(number) => self.goes_on_woken(place, number, was, at_ns, states),
            None => {
                self.output_without(place, at_ns, states);
                self.comes_without(place + 1, at_ns);
            }
        }
    }

    fn goes_on_woken(&mut self, place: usize, number: u64, was: State, at_ns: u64, states: &Histories) {
        if place == self.last() {
            return self.end(number, Fate::Done);
        }
        self.arrives_woken(place + 1, number, was, at_ns, states);
    }

    fn undo_visit(&mut self, number: u64) {
        if let Some(instance) = self.instance(number) {
            instance.visits.pop();
        }
    }

    fn comes_without(&mut self, place: usize, at_ns: u64) {
        if let Some(place) = self.places.get_mut(place) {
            place.boundary_ns = place.boundary_ns.max(at_ns);
        }
    }

    /// Assigns an output to the older of two instances. The hop handed the older one to a busy successor, and went on with the
    /// newer one without a sleep. Now it wakes the successor with the newer one. So an output of the successor before this
    /// wakeup belongs to the older instance.
    fn repair_busy_pair(&mut self, place: usize, at_ns: u64, states: &Histories) {
        if place >= self.last() {
            return;
        }
        let takes = self.spec.hops[place + 1].takes;
        loop {
            let here = &self.places[place];
            let more = !here.pending.is_empty() || (takes == Takes::Each && here.carried.len() > 1);
            let Some(oldest) = here.carried.first().copied().filter(|_| more) else { return };
            let taken_ns = self.visit_of(oldest).map_or(0, |visit| visit.taken_ns);
            let since_ns = taken_ns + 1;
            let output = self.places[place + 1].unmatched_since(since_ns, takes);
            if output.is_none_or(|output| output.at_ns >= at_ns) {
                return;
            }
            self.gives_unwoken(place, at_ns, since_ns, states);
        }
    }

    fn arrives_woken(&mut self, place: usize, number: u64, was: State, at_ns: u64, states: &Histories) {
        if matches!(was, State::Sleeps | State::Unknown) {
            let left = self.places[place].clear();
            self.end_all(left, Fate::NotHandedOn);
        } else {
            self.turn_ends(place, at_ns, place == self.last() && self.spec.end == End::Sleep, states);
            self.places[place].boundary_ns = at_ns;
        }
        self.visit(place, number, at_ns, How::Woken, states);
        self.places[place].carried.push(number);
        if !matches!(was, State::Sleeps | State::Unknown) {
            self.runs_at_once(place, at_ns, states);
        }
    }

    /// The hop already has a CPU. If the chain ends when that hop runs, the instance is done.
    fn runs_at_once(&mut self, place: usize, at_ns: u64, states: &Histories) {
        if place == self.last() && self.spec.end == End::Runs && self.state_of(place, states) == State::Runs {
            self.ends(at_ns, states);
        }
    }

    /// A hop gets an instance without a recorded wakeup. Its thread may have had the instance since `since_ns`, so an output
    /// since then may already be its answer.
    fn arrives_unwoken(&mut self, place: usize, number: u64, since_ns: u64, states: &Histories) {
        let takes = self.spec.hops.get(place).map_or(Takes::Newest, |hop| hop.takes);
        if let Some(output) = self.places[place].unmatched_since(since_ns, takes) {
            self.places[place].matched(output);
            return self.came_of_it(place, number, output.at_ns, states);
        }
        match self.state_of(place, states) {
            // The thread is woken but not running yet, so it will read this instance's input together with what woke it.
            State::Ready(_) => self.places[place].carried.push(number),
            _ if self.places[place].carried.is_empty() => self.places[place].carried.push(number),
            _ => self.places[place].pending.push(number),
        }
    }

    fn came_of_it(&mut self, place: usize, number: u64, output_ns: u64, states: &Histories) {
        if let Some(visit) = self.visit_of(number) {
            visit.handed_ns = output_ns.max(visit.taken_ns);
        }
        if place == self.last() {
            return self.end(number, Fate::Done);
        }
        self.visit(place + 1, number, output_ns, How::Inferred, states);
        self.arrives_unwoken(place + 1, number, output_ns, states);
    }

    /// The hop ends its turn, which had begun at `since_ns`, and hands its instance to a successor that was awake.
    fn gives_unwoken(&mut self, place: usize, at_ns: u64, since_ns: u64, states: &Histories) {
        let next = place + 1;
        let takes = self.spec.hops[next].takes;
        let output = self.places[next].unmatched_since(since_ns, takes).filter(|output| output.at_ns <= at_ns);
        let handed_ns = output.map_or(at_ns, |output| output.at_ns.min(output.turn_ns.max(since_ns)));
        let Some(number) = self.hand(place, handed_ns) else { return };
        self.visit(next, number, handed_ns, How::Inferred, states);
        self.places[place].given = Some(Handover { number, at_ns });
        self.arrives_unwoken(next, number, since_ns, states);
    }

    /// The hop's thread ends its turn: the thread goes to sleep, or its next start has come.
    pub(super) fn turn_ends(&mut self, place: usize, at_ns: u64, sleeps: bool, states: &Histories) {
        if place == 0 {
            self.settle_started(states);
        }
        self.turn_ends_at(place, at_ns, sleeps, states);
    }

    fn turn_ends_at(&mut self, place: usize, at_ns: u64, sleeps: bool, states: &Histories) {
        if place == self.last() {
            if sleeps && self.spec.end == End::Sleep {
                if self.spec.hops[place].polls && !self.look_ends(place, at_ns, states) {
                    return;
                }
                while !self.places[place].carried.is_empty() {
                    self.ends(at_ns, states);
                }
            }
            return;
        }
        let since_ns = self.turn_ns(place, states);
        let next = place + 1;
        while !self.places[place].carried.is_empty() {
            // An output of the next hop since this turn began. The look of that hop was long enough to have found something, so
            // it found this instance.
            let output = self.places[next].unmatched_since(since_ns, self.spec.hops[next].takes);
            if self.spec.hops[next].polls && output.is_none_or(|output| output.at_ns > at_ns) {
                let Some(number) = self.hand(place, at_ns) else { return };
                self.visit(next, number, at_ns, How::Polled, states);
                self.places[next].pending.push(number);
            } else if self.is_thread(next) && (self.spec.hops[next].polls || self.was_awake(next, since_ns, states)) {
                self.gives_unwoken(place, at_ns, since_ns, states);
            } else {
                return;
            }
        }
    }

    fn was_awake(&self, place: usize, since_ns: u64, states: &Histories) -> bool {
        self.places[place].threads.iter().filter_map(|id| states.known(*id)).any(|one| one.awake_since(since_ns))
    }

    /// The last hop ends a look. Returns whether the hop has an instance to end. The look may come after the previous hop's
    /// write, but before the previous hop went to sleep. Then the look's length shows whether it found what was written.
    fn look_ends(&mut self, place: usize, at_ns: u64, states: &Histories) -> bool {
        let turn_ns = self.turn_ns(place, states);
        let ns = at_ns.saturating_sub(turn_ns);
        let here = &mut self.places[place];
        if !here.carried.is_empty() {
            here.looks.found(ns);
            return true;
        }
        if !here.looks.has_found(ns) {
            here.looks.empty(ns);
            return false;
        }
        let new = std::mem::take(&mut here.pending);
        if new.is_empty() {
            here.outputs_without(Output { at_ns, turn_ns });
        }
        here.counts.inferred += new.len() as u64;
        here.carried.extend(new);
        !self.places[place].carried.is_empty()
    }

    /// A hop that polls ends a turn and begins the next one without a switch.
    pub(super) fn looks_again(&mut self, place: usize, turned_in_ns: u64, at_ns: u64, states: &Histories) {
        if self.spec.hops[place].polls {
            self.turn_ends(place, turned_in_ns, true, states);
            self.places[place].boundary_ns = at_ns;
            self.comes(place, at_ns, states);
        }
    }

    pub(super) fn comes(&mut self, place: usize, at_ns: u64, states: &Histories) {
        if self.spec.hops[place].polls && !self.places[place].pending.is_empty() {
            let new = std::mem::take(&mut self.places[place].pending);
            for number in new {
                self.takes(number, at_ns);
                self.places[place].carried.push(number);
            }
        }
        if place == self.last() && self.spec.end == End::Runs {
            self.ends(at_ns, states);
        }
    }

    pub(super) fn ends(&mut self, at_ns: u64, states: &Histories) {
        let last = self.last();
        if last == 0 && self.places[0].carried.is_empty() {
            self.settle_started(states);
        }
        match self.hand(last, at_ns) {
            Some(number) => self.end(number, Fate::Done),
            None => self.output_without(last, at_ns, states),
        }
    }

    fn output_without(&mut self, place: usize, at_ns: u64, states: &Histories) {
        let turn_ns = self.turn_ns(place, states);
        self.places[place].outputs_without(Output { at_ns, turn_ns });
    }

    /// Another thread than the previous hop ended this hop's sleep. So the hop's thread had slept during its work, and the
    /// instance that seemed to be handed on at that sleep is still here.
    pub(super) fn sleep_was_in_work(&mut self, place: usize) {
        let Some(Handover { number, .. }) = self.places[place].given.take() else { return };
        if self.places[place + 1].take(number) {
            let counts = &mut self.places[place + 1].counts;
            (counts.edges, counts.inferred) = (counts.edges - 1, counts.inferred - 1);
            self.undo_visit(number);
            let here = &mut self.places[place];
            let place = here.carried.partition_point(|other| *other < number);
            here.carried.insert(place, number);
        }
    }

    pub(super) fn has_given(&self, place: usize, slept_ns: u64) -> bool {
        self.places[place].given.is_some_and(|given| given.at_ns == slept_ns)
    }

    pub(super) fn is_previous(&self, place: usize, waker: Waker) -> bool {
        let Some(before) = place.checked_sub(1) else { return matches!(waker, Waker::Section(_)) };
        match (waker, &self.spec.hops[before].by) {
            (Waker::Thread(id), By::Thread(_)) => self.places[before].threads.contains(&id),
            (Waker::Section(_), By::Thread(_)) => false,
            _ => true,
        }
    }

    pub(super) fn gap(&mut self) {
        self.close(Fate::Unseen);
        self.last_start_ns = None;
        self.happened.push(ChainEvent::Gap);
    }

    pub(super) fn close(&mut self, fate: Fate) {
        self.places.iter_mut().for_each(|place| drop(place.clear()));
        self.started.clear();
        for instance in self.open.drain(..) {
            self.happened.push(ChainEvent::Ended { instance, fate });
        }
    }
}
