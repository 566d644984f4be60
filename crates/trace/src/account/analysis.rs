// SPDX-License-Identifier: MIT OR Apache-2.0
//! Feeds the events of a recording to the state of their CPU, adds up the time of CPUs and threads, and passes each event on to a
//! listener.
use super::books::Account;
use super::summary::{SetAside, Summary, summary};
use crate::event::{Event, Stamped};
use crate::processor::{Processor, Stretch};
use crate::read::receiver::Receiver;
use crate::thread::loans::Loans;

/// At most this many CPUs are followed, because each keeps up to a megabyte of history. Events of further CPUs are only counted.
const CPUS_MAX: usize = 512;
/// The longest accepted recording: 2^54 ns, 208 days. With it, no sum of times over all CPUs overflows a `u64`.
const SPAN_MAX_NS: u64 = 1 << 54;
const NONE: usize = usize::MAX;

/// Looks up a CPU's state by the CPU's number.
pub type Processors<'a> = dyn Fn(u32) -> Option<&'a Processor> + 'a;

/// Receives each event together with the state of the event's CPU, and each gap in the events.
pub trait Listener {
    /// Called for each event, after `processor` has been updated with it.
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor);
    /// Called after an event that moves a thread to another CPU (migration or wakeup there). `of` looks up any CPU's state.
    fn moves(&mut self, _cpu: u32, _stamped: &Stamped, _of: &Processors<'_>) {}
    #[inline(always)]
    /// Whether the listener wants a call of `all` after this event.
    fn wants_all(&self) -> bool {
        false
    }
    /// Gives access to the state of every CPU after the last event.
    fn all(&mut self, _of: &Processors<'_>) {}
    /// Events of this CPU are missing from `at_ns` on, until [`Listener::gap`] is called.
    fn gap_begins(&mut self, _cpu: u32, _at_ns: u64) {}
    /// Events of this CPU are missing up to `at_ns`, so its state is unknown from there.
    fn gap(&mut self, cpu: u32, at_ns: u64);
    /// Called after the last event. `_open` has the stretch that each CPU had not finished, cut at the end of the recording.
    fn end(&mut self, _open: &[(u32, Stretch)]) {}
}

// A borrowed listener of any kind, so that listeners whose speed matters less share one copy of the analysis.
impl<L: Listener + ?Sized> Listener for &mut L {
    #[inline(always)]
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        (**self).event(cpu, stamped, processor);
    }

    fn moves(&mut self, cpu: u32, stamped: &Stamped, of: &Processors<'_>) {
        (**self).moves(cpu, stamped, of);
    }

    #[inline(always)]
    fn wants_all(&self) -> bool {
        (**self).wants_all()
    }

    fn all(&mut self, of: &Processors<'_>) {
        (**self).all(of);
    }

    fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
        (**self).gap_begins(cpu, at_ns);
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        (**self).gap(cpu, at_ns);
    }

    fn end(&mut self, open: &[(u32, Stretch)]) {
        (**self).end(open);
    }
}

impl Listener for () {
    #[inline(always)]
    fn event(&mut self, _: u32, _: &Stamped, _: &Processor) {}
    fn gap(&mut self, _: u32, _: u64) {}
}

/// Everything known from the events read so far.
#[derive(Debug)]
pub struct Analysis<L> {
    processors: Vec<(u32, Processor)>,
    places: Vec<usize>,
    loans: Loans,
    account: Option<Account>,
    /// Timestamps from this one on are rejected as damaged: first timestamp plus [`SPAN_MAX_NS`]; 0 before the first event.
    incredible_ns: u64,
    beyond: u64,
    /// The largest timestamp so far. An event with an earlier timestamp gets this one, so that no time counts twice.
    latest_ns: u64,
    backward: u64,
    incredible: u64,
    listener: L,
}

impl<L: Listener> Analysis<L> {
    /// Makes an analysis without events; the recording begins with the first event that it receives.
    pub fn new(listener: L) -> Self {
        Self {
            processors: Vec::new(),
            places: Vec::new(),
            loans: Loans::default(),
            account: None,
            incredible_ns: 0,
            beyond: 0,
            latest_ns: 0,
            backward: 0,
            incredible: 0,
            listener,
        }
    }

    /// The listener, to be read between two events.
    pub fn listener(&self) -> &L {
        &self.listener
    }

    /// The listener, to be changed between two events.
    pub fn listener_mut(&mut self) -> &mut L {
        &mut self.listener
    }

    /// Ends the recording at its last event; returns the sums and the listener.
    pub fn finish(mut self) -> (Summary, L) {
        let mut account = self.account.unwrap_or_else(|| Account::new(0));
        let followed = self.processors.iter().enumerate();
        let open = followed.filter_map(|(place, (_, processor))| Some((place, processor.open_until(account.end_ns)?)));
        let open: Vec<(usize, Stretch)> = open.collect();
        account.finish(&open);
        let open: Vec<(u32, Stretch)> =
            open.iter().map(|(place, stretch)| (self.processors[*place].0, *stretch)).collect();
        self.listener.end(&open);
        let set_aside = SetAside { beyond: self.beyond, backward: self.backward, incredible: self.incredible };
        (summary(&account, &set_aside), self.listener)
    }

    #[inline(always)]
    fn place(&mut self, cpu: u32) -> Option<usize> {
        match self.places.get(cpu as usize) {
            Some(&place) if place != NONE => Some(place),
            _ => self.new_place(cpu),
        }
    }

    #[cold]
    fn new_place(&mut self, cpu: u32) -> Option<usize> {
        if self.processors.len() == CPUS_MAX {
            return None;
        }
        if self.places.len() <= cpu as usize {
            self.places.resize(cpu as usize + 1, NONE);
        }
        self.processors.push((cpu, Processor::default()));
        self.account.iter_mut().for_each(|account| account.follow(cpu));
        self.places[cpu as usize] = self.processors.len() - 1;
        Some(self.processors.len() - 1)
    }
}

impl<L: Listener> Receiver for Analysis<L> {
    #[inline(always)]
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        if stamped.at_ns < self.latest_ns || stamped.at_ns >= self.incredible_ns {
            return self.odd(cpu, *stamped);
        }
        self.latest_ns = stamped.at_ns;
        self.in_order(cpu, stamped, Self::take);
    }

    fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
        if self.forgets(cpu) {
            self.listener.gap_begins(cpu, at_ns.max(self.latest_ns));
        }
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        if self.forgets(cpu) {
            self.listener.gap(cpu, at_ns.max(self.latest_ns));
        }
    }
}

impl<L: Listener> Analysis<L> {
    /// Resets the state of a CPU to unknown; false if the CPU is not followed.
    fn forgets(&mut self, cpu: u32) -> bool {
        let Some(place) = self.place(cpu) else { return false };
        let processor = &mut self.processors[place].1;
        let (lost, booked_until_ns) = (processor.running(), processor.open_since());
        self.account.iter_mut().for_each(|account| account.gap(place, lost, booked_until_ns));
        processor.forget();
        self.loans.forget();
        true
    }

    /// Handles three rare cases: the first event, an event earlier than its predecessor, and an event over 208 days after the
    /// first. `Stamped` is passed by value, so that the usual path can keep its event in registers.
    #[cold]
    #[inline(never)]
    fn odd(&mut self, cpu: u32, stamped: Stamped) {
        let followed = &self.processors;
        let begin = || {
            let mut account = Account::new(stamped.at_ns);
            followed.iter().for_each(|(cpu, _)| account.follow(*cpu));
            account
        };
        let begin_ns = self.account.get_or_insert_with(begin).begin_ns;
        self.incredible_ns = begin_ns.saturating_add(SPAN_MAX_NS + 1);
        let at_ns = stamped.at_ns.max(self.latest_ns);
        if at_ns - begin_ns > SPAN_MAX_NS {
            self.incredible += 1;
            return;
        }
        self.backward += u64::from(stamped.at_ns < at_ns);
        self.latest_ns = at_ns;
        self.in_order(cpu, &Stamped { at_ns, ..stamped }, Self::other);
    }

    // Each kind of event has its own call, so that the compiler makes a specialized copy of `take` for it. A copy takes up to
    // 40 kB for each kind of listener, so rare kinds share `other`.
    #[inline(always)]
    fn in_order(&mut self, cpu: u32, stamped: &Stamped, little: impl FnOnce(&mut Self, u32, &Stamped)) {
        match stamped.event {
            Event::Switch { .. } => self.switch(cpu, stamped),
            Event::Waking { .. } => self.waking(cpu, stamped),
            Event::Enter(_) => self.enter(cpu, stamped),
            Event::Leave(_) => self.leave(cpu, stamped),
            Event::Futex { .. } | Event::FutexEnd | Event::PageFault => self.other(cpu, stamped),
            Event::Inherit { .. } => self.inherit(cpu, *stamped),
            Event::Frequency { .. } | Event::FrequencyLimit { .. } | Event::Cools { .. } | Event::Plugs { .. } => {
                self.change(cpu, *stamped);
            }
            // These events need little work, so they share the call `little`. On the usual path, `little` is `take`.
            Event::TimerStart { .. }
            | Event::TimerExpire { .. }
            | Event::CoarseTimer { .. }
            | Event::Signalled { .. }
            | Event::Freezes { .. }
            | Event::Work { .. }
            | Event::WorkEnd
            | Event::Call { .. }
            | Event::Packet { .. }
            | Event::Mark { .. }
            | Event::SleepEnd
            | Event::Masks { .. }
            | Event::Stack(_)
            | Event::Unpreempted(_)
            | Event::Measured(_)
            | Event::Woken { .. } => little(self, cpu, stamped),
            Event::Migrate { .. } | Event::Placed { .. } => self.moves(cpu, stamped),
        }
    }

    #[inline(never)]
    fn switch(&mut self, cpu: u32, stamped: &Stamped) {
        if let Event::Switch { .. } = stamped.event {
            self.take(cpu, stamped);
        }
    }

    #[inline(never)]
    fn waking(&mut self, cpu: u32, stamped: &Stamped) {
        if let Event::Waking { .. } = stamped.event {
            self.take(cpu, stamped);
        }
    }

    #[inline(never)]
    fn enter(&mut self, cpu: u32, stamped: &Stamped) {
        if let Event::Enter(_) = stamped.event {
            self.take(cpu, stamped);
        }
    }

    #[inline(never)]
    fn leave(&mut self, cpu: u32, stamped: &Stamped) {
        if let Event::Leave(_) = stamped.event {
            self.take(cpu, stamped);
        }
    }

    #[inline(never)]
    fn other(&mut self, cpu: u32, stamped: &Stamped) {
        self.take(cpu, stamped);
    }

    #[cold]
    #[inline(never)]
    fn inherit(&mut self, cpu: u32, stamped: Stamped) {
        self.other(cpu, &stamped);
        if let Some(place) = self.place(cpu) {
            let on = self.processors[place].1.thread();
            self.loans.pass_on(&stamped, on, self.processors.iter_mut().map(|(_, processor)| processor));
        }
    }

    #[inline(never)]
    fn moves(&mut self, cpu: u32, stamped: &Stamped) {
        self.take(cpu, stamped);
        let (places, processors) = (&self.places, &self.processors);
        let of = |cpu: u32| processors.get(*places.get(cpu as usize)?).map(|(_, processor)| processor);
        self.listener.moves(cpu, stamped, &of);
    }

    #[cold]
    #[inline(never)]
    fn change(&mut self, cpu: u32, stamped: Stamped) {
        self.other(cpu, &stamped);
        self.processors.iter_mut().for_each(|(own, processor)| processor.change(*own, &stamped));
    }

    #[inline(always)]
    fn take(&mut self, cpu: u32, stamped: &Stamped) {
        let (Some(place), Some(account)) = (self.place(cpu), &mut self.account) else {
            self.beyond += 1;
            return;
        };
        let processor = &mut self.processors[place].1;
        let before = processor.running();
        let held = processor.step(stamped);
        account.passes(place, stamped.at_ns, held.as_ref());
        if before != Some(stamped.thread) {
            account.appears(cpu, *stamped, before, processor);
        }
        if let Event::Switch { to, .. } = &stamped.event {
            self.loans.comes(to, processor);
        }
        account.event(cpu, stamped, processor);
        self.listener.event(cpu, stamped, processor);
        if self.listener.wants_all() {
            self.give_all();
        }
    }

    #[cold]
    #[inline(never)]
    fn give_all(&mut self) {
        let (places, processors) = (&self.places, &self.processors);
        let of = |cpu: u32| processors.get(*places.get(cpu as usize)?).map(|(_, processor)| processor);
        self.listener.all(&of);
    }
}

#[cfg(test)]
mod tests;
