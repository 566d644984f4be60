// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes a recording's events: follows the processors, books their time, and hands each on to who explains late responses.
use super::books::Account;
use super::summary::{Summary, summary};
use crate::trace::event::Stamped;
use crate::trace::processor::Processor;
use crate::trace::read::receiver::Receiver;

/// Processors that are followed, each of which takes a megabyte; the events of more are counted only.
const CPUS_MAX: usize = 512;
const NONE: usize = usize::MAX;

/// Follows the processors, and tells who listens.
pub trait Listener {
    /// The next event, which its processor has taken already.
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor);
    /// Events of a processor are missing up to this instant; nothing is known of it.
    fn gap(&mut self, cpu: u32, at_ns: u64);
    /// The last event was taken.
    fn end(&mut self, _at_ns: u64) {}
}

/// Nobody listens.
impl Listener for () {
    #[inline(always)]
    fn event(&mut self, _: u32, _: &Stamped, _: &Processor) {}
    fn gap(&mut self, _: u32, _: u64) {}
}

/// Each hears what comes.
impl<A: Listener, B: Listener> Listener for (A, B) {
    #[inline(always)]
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        self.0.event(cpu, stamped, processor);
        self.1.event(cpu, stamped, processor);
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        self.0.gap(cpu, at_ns);
        self.1.gap(cpu, at_ns);
    }

    fn end(&mut self, at_ns: u64) {
        self.0.end(at_ns);
        self.1.end(at_ns);
    }
}

/// The account of a recording, as far as it was played.
#[derive(Debug)]
pub struct Analysis<L> {
    /// By place; [`Analysis::places`] says which processor has which.
    processors: Vec<(u32, Processor)>,
    places: Vec<usize>,
    account: Option<Account>,
    /// Events of processors beyond [`CPUS_MAX`].
    beyond: u64,
    /// The latest event; no time is booked twice where a damaged recording runs backwards.
    latest_ns: u64,
    backward: u64,
    listener: L,
}

impl<L: Listener> Analysis<L> {
    /// Begins with the first event.
    pub fn new(listener: L) -> Self {
        Self {
            processors: Vec::new(),
            places: Vec::new(),
            account: None,
            beyond: 0,
            latest_ns: 0,
            backward: 0,
            listener,
        }
    }

    /// What was found, and who listened.
    pub fn finish(mut self) -> (Summary, L) {
        let mut account = self.account.unwrap_or_else(|| Account::new(0));
        account.finish(&self.processors);
        self.listener.end(account.end_ns);
        (summary(&account, self.beyond, self.backward), self.listener)
    }

    #[inline]
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
        self.places[cpu as usize] = self.processors.len() - 1;
        Some(self.processors.len() - 1)
    }
}

impl<L: Listener> Receiver for Analysis<L> {
    #[inline]
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        if stamped.at_ns < self.latest_ns {
            self.backward += 1;
            return self.in_order(cpu, &Stamped { at_ns: self.latest_ns, ..*stamped });
        }
        self.latest_ns = stamped.at_ns;
        self.in_order(cpu, stamped);
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        let at_ns = at_ns.max(self.latest_ns);
        if let Some(place) = self.place(cpu) {
            self.processors[place].1.forget();
            self.account.iter_mut().for_each(|account| account.gap(cpu));
            self.listener.gap(cpu, at_ns);
        }
    }
}

impl<L: Listener> Analysis<L> {
    #[inline(always)]
    fn in_order(&mut self, cpu: u32, stamped: &Stamped) {
        let Some(place) = self.place(cpu) else {
            self.beyond += 1;
            return;
        };
        let processor = &mut self.processors[place].1;
        processor.push(stamped);
        self.account.get_or_insert_with(|| Account::new(stamped.at_ns)).event(cpu, stamped, processor);
        self.listener.event(cpu, stamped, processor);
    }
}
