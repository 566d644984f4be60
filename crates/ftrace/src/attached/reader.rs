// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the rings of all CPUs, puts their events in order of time, and reports on request.
#![expect(clippy::disallowed_methods, reason = "reads the clock")]
use super::AttachReport;
use super::intake::{Intake, Waiting};
use super::reports::Reports;
use super::result::AttachedResult;
use crate::TraceError;
use crate::buffer::Ring;
use crate::late_stacks::LateStacks;
use crate::lately::{Form, Memory};
use crate::request::Answering;
use crate::toggle::now_ns;
use backwall_trace::account::analysis::Analysis;
use backwall_trace::chain::Chains;
use backwall_trace::event::Stamped;
use backwall_trace::read::receiver::Receiver;
use backwall_trace::ring::decoder::Decoder;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// Events that are processed before the reader yields. A watched thread may share the reader's CPU, and a reader that never
/// yields would itself be the cause that it looks for.
const AT_ONCE: usize = 64;
/// If more events than this have come since the last read, the machine is busy. A reader that yields would then wait for all
/// other threads, and fall behind for good.
const POLITE: usize = 2_048;
const POLITE_PAGES: usize = 16;
/// A yield that took longer than this gave another thread the CPU. One such yield between two reads is enough.
const HAD_THEIR_TURN: Duration = Duration::from_micros(500);
/// At most this many sub-buffers of a ring are read before their events are processed. This bounds the memory, however far the
/// reader is behind.
const PAGES_AT_ONCE: usize = 512;
const READ_EVERY: Duration = Duration::from_millis(50);
/// Younger events wait for the next read. A hypervisor may stop the CPU while the kernel writes an event, and later events cannot
/// be read until that one is complete.
const ON_ITS_WAY_NS: u64 = 100_000_000;

/// An event, or the start or end of a time in which events are missing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    Event(Stamped),
    LossBegins,
    LossEnds,
}

pub(super) struct Reader {
    pub(super) rings: Vec<(Intake, Ring)>,
    pub(super) decoder: Decoder,
    pub(super) stacks: Option<LateStacks>,
    /// Events that are too young to be put in order, with their time and CPU.
    pub(super) waiting: Waiting,
    /// All events up to this time were put in order.
    pub(super) given_ns: u64,
    pub(super) found: AttachedResult,
    pub(super) chains: Option<Analysis<Chains>>,
    pub(super) reports: Reports<SyncSender<AttachReport>>,
    pub(super) lately: Option<(Answering, Form, Memory)>,
}

impl Reader {
    /// Reads until `ends` is set. After each read, processes at most `PAGES_AT_ONCE` sub-buffers of each ring.
    pub(super) fn read_until(mut self, ends: &AtomicBool) -> Result<AttachReport, TraceError> {
        loop {
            let ending = ends.load(Ordering::Relaxed);
            let mut manners = Manners { polite: !ending };
            let has_more = self.read(&mut manners)?;
            let settled_ns = if ending && !has_more { u64::MAX } else { self.settled_ns() };
            self.look_at(settled_ns, &mut manners);
            if has_more {
                continue;
            }
            if ending {
                let ended = self.chains.take().map(|chains| chains.finish().1.so_far()).unwrap_or_default();
                return Ok(AttachReport { chains: ended, ..self.report() });
            }
            self.tell();
            self.answer();
            std::thread::park_timeout(READ_EVERY);
        }
    }

    /// Up to this time the events and losses of all rings are known.
    fn settled_ns(&self) -> u64 {
        self.rings.iter().map(|(intake, _)| intake.known_ns()).min().unwrap_or(0)
    }

    fn look_at(&mut self, settled_ns: u64, manners: &mut Manners) {
        self.waiting.sort_by_key(|(at_ns, ..)| *at_ns);
        let count = self.waiting.partition_point(|(at_ns, ..)| *at_ns < settled_ns);
        manners.polite &= count <= POLITE;
        for (number, (at_ns, cpu, item)) in self.waiting.drain(..count).enumerate() {
            if at_ns < self.given_ns {
                self.found.is_late(self.given_ns, cpu);
                for lost in [Item::LossBegins, Item::LossEnds] {
                    self.chains.iter_mut().for_each(|chains| lost.given_to(chains, self.given_ns, cpu));
                }
            }
            self.given_ns = self.given_ns.max(at_ns);
            let item = item.at(self.given_ns);
            self.chains.iter_mut().for_each(|chains| item.given_to(chains, self.given_ns, cpu));
            self.found.take(self.given_ns, cpu, item);
            if number % AT_ONCE == AT_ONCE - 1 {
                manners.let_others();
            }
        }
    }

    fn tell(&mut self) {
        if self.reports.tell(|| self.report()) {
            self.found.was_told();
            self.chains.iter_mut().for_each(|chains| chains.listener_mut().was_told());
        }
    }

    fn answer(&self) {
        if let Some((answering, form, memory)) = self.lately.as_ref().filter(|(answering, ..)| answering.is_asked()) {
            answering.answer(Ok(form.lately(memory, self.rings.iter().map(|(_, ring)| ring))));
        }
    }

    fn report(&self) -> AttachReport {
        let chains = self.chains.as_ref().map(|chains| chains.listener().so_far()).unwrap_or_default();
        AttachReport { by_program: self.stacks.is_some(), chains, ..self.found.clone().finish(lost(&self.rings)) }
    }

    fn read(&mut self, manners: &mut Manners) -> Result<bool, TraceError> {
        let settled_ns = now_ns().saturating_sub(ON_ITS_WAY_NS);
        let waiting = &mut self.waiting;
        if let Some(stacks) = &mut self.stacks {
            stacks.read(|cpu, stamped| waiting.push((stamped.at_ns, cpu, Item::Event(stamped))));
        }
        let mut has_more = false;
        for (intake, ring) in &mut self.rings {
            let (layout, mut pages) = (ring.layout, 0);
            loop {
                let Some(bytes) = ring.read()? else {
                    intake.is_read_until(settled_ns);
                    break;
                };
                intake.page(bytes, &layout, &self.decoder, &mut self.waiting);
                if let Some((_, _, memory)) = &mut self.lately {
                    memory.add(intake.cpu(), bytes, &layout);
                }
                pages += 1;
                if pages == PAGES_AT_ONCE {
                    intake.has_more();
                    has_more = true;
                    break;
                }
                if pages <= POLITE_PAGES {
                    manners.let_others();
                }
            }
        }
        Ok(has_more)
    }
}

struct Manners {
    polite: bool,
}

impl Manners {
    /// Yields, unless another thread got the CPU since the last read, the machine is busy, or the recording must end.
    fn let_others(&mut self) {
        if self.polite {
            let begun = Instant::now();
            std::thread::yield_now();
            self.polite = begun.elapsed() < HAD_THEIR_TURN;
        }
    }
}

impl Item {
    fn given_to(self, receiver: &mut impl Receiver, at_ns: u64, cpu: u32) {
        match self {
            Item::Event(stamped) => receiver.event(cpu, &stamped),
            Item::LossBegins => receiver.gap_begins(cpu, at_ns),
            Item::LossEnds => receiver.gap(cpu, at_ns),
        }
    }

    fn at(self, at_ns: u64) -> Self {
        match self {
            Item::Event(stamped) => Item::Event(Stamped { at_ns: stamped.at_ns.max(at_ns), ..stamped }),
            end => end,
        }
    }
}

fn lost(rings: &[(Intake, Ring)]) -> u64 {
    rings.iter().map(|(_, ring)| ring.lost()).sum()
}
