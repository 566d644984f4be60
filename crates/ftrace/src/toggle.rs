// SPDX-License-Identifier: MIT OR Apache-2.0
//! Turns the events off and on at the end of a recording, to measure their cost. The spans come in pairs, one on and one off, in
//! random order, so that no periodic load of the machine coincides with them.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use crate::late_stacks::LateStacks;
use crate::stacks::TRIGGER;
use backwall_model::TracingCost;
use backwall_stats::random::SplitMix;
use backwall_trace::cost::{self, Span};
use backwall_trace::stages::Sample;
use rustix::time::{ClockId, clock_gettime};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const SPAN: Duration = Duration::from_millis(250);
/// At most this many responses are kept: 3 s at 100 kHz.
const SAMPLES_MAX: usize = 300_000;

/// Length of the toggled part: eight pairs of spans.
pub const TOGGLED: Duration = Duration::from_millis(16 * 250 + 100);

#[derive(Clone, Debug)]
pub struct Switch(What);

#[derive(Clone, Debug)]
enum What {
    /// A file of tracefs, with the word that turns it on and the one that turns it off.
    File { path: PathBuf, on: String, off: String },
    /// The program that takes the stacks of late timers. It exists while these stacks are on.
    Program(Arc<Mutex<Option<LateStacks>>>),
}

impl Switch {
    /// A file that takes `1` and `0`.
    pub(super) fn of_event(path: PathBuf) -> Self {
        Self::of_words(path, "1", "0")
    }

    pub(super) fn of_words(path: PathBuf, on: &str, off: &str) -> Self {
        Self(What::File { path, on: on.into(), off: off.into() })
    }

    /// The program that takes the stacks of late timers, turned off; nobody reads its records.
    ///
    /// # Errors
    /// If this kernel refuses the program.
    pub fn of_late_stacks() -> std::io::Result<Self> {
        drop(LateStacks::begin()?);
        Ok(Self(What::Program(Arc::default())))
    }

    pub fn is_of_trigger(&self) -> bool {
        matches!(&self.0, What::File { on, .. } if on.starts_with(TRIGGER))
    }

    pub fn turn(&self, on: bool) -> std::io::Result<()> {
        match &self.0 {
            What::File { path, on: word, off } => std::fs::write(path, if on { word } else { off }),
            What::Program(program) => {
                let mut program = program.lock().unwrap_or_else(PoisonError::into_inner);
                // Turning it off drops the program with its records, so that its buffer never fills up.
                *program = if on { Some(LateStacks::begin()?) } else { None };
                Ok(())
            }
        }
    }
}

#[derive(Debug)]
pub struct Toggle {
    steady: Duration,
    switches: Vec<Switch>,
    from_ns: Option<u64>,
    order: SplitMix,
    spans: Vec<Span>,
    samples: Vec<Sample>,
}

impl Toggle {
    /// The events stay on for `steady`; after that, `switches` turns them off and on.
    pub fn new(steady: Duration, switches: Vec<Switch>) -> Self {
        Self { steady, switches, from_ns: None, order: SplitMix(0), spans: Vec::new(), samples: Vec::new() }
    }

    pub fn begin(&mut self) {
        let now = now_ns();
        self.order = SplitMix(now);
        self.from_ns = Some(now + self.steady.as_nanos() as u64);
    }

    pub fn turn(&mut self) -> Option<Duration> {
        let (from_ns, now) = (self.from_ns?, now_ns());
        let due_ns = self.spans.last().map_or(from_ns, |span| span.from_ns + SPAN.as_nanos() as u64);
        if now < due_ns {
            return Some(Duration::from_nanos(due_ns - now));
        }
        self.end_span(now);
        let on = self.next_is_on();
        // An event that stays on makes the measured cost smaller, never larger.
        self.switches.iter().for_each(|switch| drop(switch.turn(on)));
        self.spans.push(Span { on, from_ns: now_ns(), to_ns: u64::MAX });
        Some(SPAN)
    }

    fn next_is_on(&mut self) -> bool {
        match self.spans.last() {
            Some(first) if self.spans.len() % 2 == 1 => !first.on,
            _ => self.order.below(2) == 1,
        }
    }

    fn end_span(&mut self, now: u64) {
        self.spans.last_mut().into_iter().for_each(|span| span.to_ns = now);
    }

    /// Whether a response belongs to the toggled part; keeps it if so.
    pub fn takes(&mut self, sample: Sample) -> bool {
        let takes = self.from_ns.is_some_and(|from_ns| sample.response_ns >= from_ns);
        if takes && self.samples.len() < SAMPLES_MAX {
            self.samples.push(sample);
        }
        takes
    }

    pub fn finish(mut self) -> Option<TracingCost> {
        self.end_span(now_ns());
        cost::cost(&self.spans, &self.samples)
    }
}

pub(super) fn now_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_pair_one_span_is_on_and_either_comes_first() {
        let mut toggle = Toggle::new(Duration::ZERO, Vec::new());
        for _ in 0..128 {
            let on = toggle.next_is_on();
            toggle.spans.push(Span { on, from_ns: 0, to_ns: 0 });
        }
        let pairs = toggle.spans.chunks(2);
        assert!(pairs.clone().all(|pair| pair[0].on != pair[1].on));
        let on_first = pairs.filter(|pair| pair[0].on).count();
        assert!((16..=48).contains(&on_first), "{on_first} of 64");
    }
}
