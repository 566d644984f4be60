// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a probe said, made into series: the one place where counts are subtracted.
use super::Watch;
use crate::stats::SeriesBuilder;
use crate::trace::{Recorder, Sample, TraceError, TraceReport};
use crate::units::Unit;
use crate::wire::{EndReason, Ending, Hello, Lost, Reader, Record, Row, Samples, SeriesHead, Severity};
use std::collections::BTreeMap;
use std::io::Read;

/// The key under which the probe says the number of its measured thread.
const PROBE_THREAD: &str = "probe_tid";

/// The conditions under which a probe is heard.
pub struct Conditions {
    /// The load of the phase.
    pub load: String,
    /// `as-is` or `off`.
    pub idle: String,
    /// Records what the kernel does meanwhile; it is told of each response.
    pub recorder: Option<Recorder>,
}

/// Everything a probe said.
#[derive(Debug, Default)]
pub struct Heard {
    /// The device and its clock; `None`: not one record was read.
    pub hello: Option<Hello>,
    /// What the device says of itself.
    pub texts: BTreeMap<String, String>,
    /// What the probe measured about itself.
    pub values: BTreeMap<String, u64>,
    /// One per pair of points: from the stimulus to each response.
    pub series: Vec<SeriesBuilder>,
    /// What the kernel recorded meanwhile, or why it did not.
    pub trace: Option<Result<TraceReport, TraceError>>,
    /// Warnings and errors the probe noted, and what is wrong with its stream.
    pub warnings: Vec<String>,
    /// Answers stamped before their stimulus; they count as 0.
    pub backwards: u64,
    /// How its stream ended.
    pub ending: Option<EndReason>,
}

/// A declared series while it grows.
struct Growing {
    head: SeriesHead,
    builders: Vec<SeriesBuilder>,
}

/// Listens to a stream until it ends; a fault in it ends it too, and is a warning.
pub fn listen(input: impl Read, conditions: Conditions, watch: &Watch) -> Heard {
    let mut listener = Listener { conditions, watch, heard: Heard::default(), growing: BTreeMap::new() };
    let mut reader = Reader::new(input);
    loop {
        match reader.read() {
            Ok(Some(record)) => listener.take(record),
            Ok(None) => break,
            Err(error) => {
                listener.heard.warnings.push(error.to_string());
                break;
            }
        }
    }
    let (ending, unknown) = (reader.ending(), reader.unknown());
    listener.finish(ending, unknown)
}

struct Listener<'a> {
    conditions: Conditions,
    watch: &'a Watch,
    heard: Heard,
    growing: BTreeMap<u32, Growing>,
}

impl Listener<'_> {
    fn take(&mut self, record: Record<'_>) {
        match record {
            Record::Hello(hello) => self.heard.hello = Some(hello),
            Record::Text { key, value } => self.text(key, value),
            Record::Value { name, value } => drop(self.heard.values.insert(name.to_string(), value)),
            Record::Note { severity: Severity::Info, .. } => {}
            Record::Note { text, .. } => self.heard.warnings.push(text.to_string()),
            Record::Series(head) => self.declare(head),
            Record::Samples(samples) => self.samples(&samples),
            Record::Lost(lost) => self.lost(&lost),
            Record::Load(_) | Record::Progress(_) | Record::Totals(_) | Record::End(_) | Record::Unknown { .. } => {}
        }
    }

    /// The number of the measured thread comes before its first release: a recorder joins here.
    fn text(&mut self, key: &str, value: &str) {
        self.heard.texts.insert(key.to_string(), value.to_string());
        if let (PROBE_THREAD, Some(recorder), Ok(thread)) = (key, &self.conditions.recorder, value.parse()) {
            self.heard.warnings.extend(recorder.watch(thread).err().map(|error| error.to_string()));
        }
    }

    /// One builder per response; with a single one it bears the name of the series.
    fn declare(&mut self, head: SeriesHead) {
        let unit = self.heard.hello.as_ref().map_or(Unit::Ns, |hello| hello.unit);
        let Conditions { load, idle, .. } = &self.conditions;
        let from = head.points[0].as_str();
        let single = head.points.len() == 2;
        let builder = |to: &String| {
            let name = if single { &head.name } else { to };
            SeriesBuilder::new(name, from, to, unit, load, idle)
        };
        let builders = head.points[1..].iter().map(builder).collect();
        self.growing.insert(head.series, Growing { head, builders });
    }

    fn samples(&mut self, samples: &Samples<'_>) {
        let (Some(hello), Some(growing)) = (&self.heard.hello, self.growing.get_mut(&samples.series)) else { return };
        if samples.warmup {
            growing.builders.iter_mut().for_each(|builder| builder.warmup(samples.count()));
            return;
        }
        for (seq, row) in samples.rows() {
            self.heard.backwards += growing.sample(hello, seq, &row);
            if let (Some(recorder), 0) = (&self.conditions.recorder, growing.head.series) {
                growing.stamps(hello, seq, &row).into_iter().for_each(|sample| recorder.sample(sample));
            }
        }
        growing.builders.iter().filter_map(SeriesBuilder::max).for_each(|worst| self.watch.saw(worst));
    }

    fn lost(&mut self, lost: &Lost) {
        let (Some(hello), Some(growing)) = (&self.heard.hello, self.growing.get_mut(&lost.series)) else { return };
        let at = hello.value_of(lost.first_seq.saturating_mul(growing.head.period));
        growing.builders.iter_mut().for_each(|builder| builder.lost(at, lost.count));
    }

    fn finish(mut self, ending: Ending, unknown: u64) -> Heard {
        if unknown > 0 {
            self.heard
                .warnings
                .push(format!("{unknown} records of the probe are of a kind this version does not know"));
        }
        if self.heard.backwards > 0 {
            let count = self.heard.backwards;
            self.heard.warnings.push(format!("{count} responses are stamped before their stimulus and count as 0"));
        }
        self.heard.ending = match ending {
            Ending::Whole(reason) => Some(reason),
            Ending::Truncated => None,
        };
        self.heard.trace = self.conditions.recorder.take().map(Recorder::finish);
        self.heard.series = self.growing.into_values().flat_map(|growing| growing.builders).collect();
        self.heard
    }
}

impl Growing {
    /// Takes one sample into every builder; how many of its points lie before the stimulus.
    fn sample(&mut self, hello: &Hello, seq: u64, row: &Row<'_>) -> u64 {
        let stimulus = row.stimulus();
        let at = hello.value_of(stimulus.saturating_sub(self.head.first_at));
        let mut backwards = 0;
        for (index, builder) in self.builders.iter_mut().enumerate() {
            let Some(response) = row.point(index + 1) else {
                builder.lost(at, 1);
                continue;
            };
            backwards += u64::from(response < stimulus);
            let latency = response.saturating_sub(stimulus);
            let late = self.head.deadline != 0 && latency > self.head.deadline;
            builder.sample(seq, at, hello.value_of(latency), late);
        }
        backwards
    }

    /// The first stamp and the last, on the device's clock.
    fn stamps(&self, hello: &Hello, seq: u64, row: &Row<'_>) -> Option<Sample> {
        let response = row.point(self.builders.len())?;
        Some(Sample { seq, stimulus_ns: hello.value_of(row.stimulus()), response_ns: hello.value_of(response) })
    }
}
