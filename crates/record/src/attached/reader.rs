// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the rings of every processor, puts what was read in order of time, and tells what was found when it is asked.
use super::AttachReport;
use super::found::Found;
use super::reports::Reports;
use crate::TraceError;
use crate::buffer::Ring;
use crate::late_stacks::LateStacks;
use crate::lately::{Form, Memory};
use crate::read_page::read_page;
use crate::request::Answering;
use crate::toggle::now_ns;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::Duration;
use trace::decoder::Decoder;
use trace::event::Stamped;
use trace::largest::Largest;

/// Events that are looked at before others may have the processor: who is watched may be an ordinary thread on the reader's own, and a
/// reader that went on to its end would be what it is late for.
const AT_ONCE: usize = 64;
/// Where more have come since the last read the machine is busy: who yields there waits for everybody, and falls behind for good.
const POLITE: usize = 2_048;
/// The same of a ring's sub-buffers, of some hundred events each.
const POLITE_PAGES: usize = 16;
/// Between two reads.
const READ_EVERY: Duration = Duration::from_millis(50);
/// What is younger than this at a read waits for the next.
const ON_ITS_WAY_NS: u64 = 5_000_000;

/// An event, or a place where events are missing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    Event(Stamped),
    Gap,
}

/// The one that reads.
pub(super) struct Reader {
    pub(super) rings: Vec<(u32, Ring)>,
    pub(super) decoder: Decoder,
    /// Where the kernel takes the program that asks for them.
    pub(super) stacks: Option<LateStacks>,
    /// By time and processor; what is not yet old enough to be put in order.
    pub(super) waiting: Vec<(u64, u32, Item)>,
    pub(super) found: Found,
    pub(super) reports: Reports<SyncSender<AttachReport>>,
    /// Who may ask for what was recorded of late, and that.
    pub(super) lately: Option<(Answering, Form, Memory)>,
}

impl Reader {
    /// Reads until it is told to end.
    pub(super) fn read_until(mut self, ends: &AtomicBool) -> Result<AttachReport, TraceError> {
        loop {
            let ending = ends.load(Ordering::Relaxed);
            let settled_ns = if ending { u64::MAX } else { now_ns().saturating_sub(ON_ITS_WAY_NS) };
            self.read()?;
            self.waiting.sort_by_key(|(at_ns, ..)| *at_ns);
            let count = self.waiting.partition_point(|(at_ns, ..)| *at_ns < settled_ns);
            let (found, polite) = (&mut self.found, count <= POLITE);
            for (number, (at_ns, cpu, item)) in self.waiting.drain(..count).enumerate() {
                found.take(at_ns, cpu, item);
                if polite && number % AT_ONCE == AT_ONCE - 1 {
                    std::thread::yield_now();
                }
            }
            if ending {
                return Ok(self.report());
            }
            self.tell();
            self.answer();
            std::thread::park_timeout(READ_EVERY);
        }
    }

    /// What was found so far, if it was asked for.
    fn tell(&mut self) {
        if self.reports.tell(|| self.report()) {
            self.found.threads.values_mut().for_each(|of| of.recent = Largest::default());
        }
    }

    /// What was recorded of late, if it was asked for.
    fn answer(&self) {
        if let Some((answering, form, memory)) = self.lately.as_ref().filter(|(answering, ..)| answering.is_asked()) {
            answering.answer(Ok(form.lately(memory, self.rings.iter().map(|(_, ring)| ring))));
        }
    }

    fn report(&self) -> AttachReport {
        AttachReport { by_program: self.stacks.is_some(), ..self.found.clone().finish(lost(&self.rings)) }
    }

    fn read(&mut self) -> Result<(), TraceError> {
        let waiting = &mut self.waiting;
        if let Some(stacks) = &mut self.stacks {
            stacks.read(|cpu, stamped| waiting.push((stamped.at_ns, cpu, Item::Event(stamped))));
        }
        for (cpu, ring) in &mut self.rings {
            let (layout, mut pages) = (ring.layout, 0);
            while let Some(bytes) = ring.read()? {
                let gap_at = read_page(bytes, &layout, &self.decoder, |at_ns, stamped| {
                    self.waiting.push((at_ns, *cpu, Item::Event(stamped)));
                });
                self.waiting.extend(gap_at.map(|at_ns| (at_ns, *cpu, Item::Gap)));
                if let Some((_, _, memory)) = &mut self.lately {
                    memory.add(*cpu, bytes, &layout);
                }
                pages += 1;
                if pages <= POLITE_PAGES {
                    std::thread::yield_now();
                }
            }
        }
        Ok(())
    }
}

/// Events that the kernel dropped.
fn lost(rings: &[(u32, Ring)]) -> u64 {
    rings.iter().map(|(_, ring)| ring.lost()).sum()
}
