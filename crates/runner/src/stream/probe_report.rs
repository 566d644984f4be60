// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts a probe's output, record by record, to series.
use crate::Watch;
use crate::stream::keep::Keeper;
use crate::stream::notes::Notes;
use crate::stream::unfinished_series::UnfinishedSeries;
use backwall_ftrace::flight::{Flight, FlightReport};
use backwall_ftrace::{Recorder, TraceError};
use backwall_model::Warning;
use backwall_stats::SeriesBuilder;
use backwall_trace::{Sample, TraceReport};
use backwall_wire::{
    EndReason, Ending, Hello, MissedStimuli, NamedValue, Reader, Record, Samples, Schedule, SeriesHead, Severity,
};
use std::collections::BTreeMap;
use std::io::Read;

pub(crate) const PROBE_THREAD: &str = "probe_tid";
const ASKED: [&str; 6] = ["measure", "priority", "idle", "measured_cpu", "load", "best_effort"];
const UNKNOWN: &str = "unknown";

pub struct Conditions {
    /// The load of the phase; `None`: the stream names it.
    pub load: Option<String>,
    /// The C-state setting, `as-is` or `off`; `None`: the stream names it.
    pub idle: Option<String>,
    pub recorder: Option<Recorder>,
    pub flight: Option<Flight>,
    pub keeper: Option<Keeper>,
}

impl Conditions {
    /// Tells the recorders the measured threads, now that their numbers are known. The trace recorder follows the first one only.
    fn watch(&mut self, threads: &[i32]) -> Option<TraceError> {
        let first = self.recorder.as_ref().zip(threads.first());
        let recorder = first.and_then(|(recorder, thread)| recorder.watch(*thread).err());
        recorder.or(self.flight.as_mut().and_then(|flight| flight.watch(threads).err()))
    }

    fn records(&self) -> bool {
        self.recorder.is_some() || self.flight.is_some()
    }

    /// Takes a response of the thread with this index. Returns `true` if it ends the measurement. Causes that the flight recorder
    /// has found go to `watch`.
    fn record(&mut self, place: usize, sample: Sample, watch: &Watch) -> bool {
        self.recorder.iter().filter(|_| place == 0).for_each(|recorder| recorder.sample(sample));
        let Some(flight) = &mut self.flight else { return false };
        let ends = flight.sample(place, sample);
        flight.news().iter().for_each(|(latency, blame)| watch.blamed(*latency, blame));
        ends
    }
}

#[derive(Default)]
pub struct ProbeReport {
    /// The device and its clock; `None` if no record was read.
    pub hello: Option<Hello>,
    pub texts: BTreeMap<String, String>,
    pub asked: BTreeMap<String, String>,
    pub schedule: Option<Schedule>,
    pub values: BTreeMap<String, u64>,
    pub series: Vec<SeriesBuilder>,
    pub trace: Option<Result<TraceReport, TraceError>>,
    pub flight: Option<FlightReport>,
    pub warnings: Vec<Warning>,
    /// Responses timestamped before their stimulus; they count as 0.
    pub backwards: u64,
    pub ending: Option<EndReason>,
    pub fault: Option<String>,
}

impl ProbeReport {
    pub fn is_done(&self) -> bool {
        self.ending == Some(EndReason::Done)
    }

    /// Why the device ended early without a request: its last message.
    pub fn failure(&self) -> Option<String> {
        match self.ending {
            None => Some("its stream is truncated".to_string()),
            Some(EndReason::Failed) => Some(
                self.warnings
                    .last()
                    .map_or("the probe failed without an error message".to_string(), Warning::to_string),
            ),
            Some(EndReason::Done | EndReason::Interrupted) => None,
        }
    }
}

#[derive(Default)]
pub struct Hearing {
    heard: ProbeReport,
    notes: Notes,
    growing: BTreeMap<u32, UnfinishedSeries>,
}

impl Hearing {
    /// A copy of the figures so far and of the facts that belong to them; `None` before the first record.
    pub fn so_far(&self) -> Option<ProbeReport> {
        let ProbeReport { hello, texts, asked, schedule, values, backwards, .. } = &self.heard;
        Some(ProbeReport {
            hello: Some(hello.clone()?),
            texts: texts.clone(),
            asked: asked.clone(),
            schedule: *schedule,
            values: values.clone(),
            series: self.growing.values().flat_map(UnfinishedSeries::builders).cloned().collect(),
            warnings: self.notes.all().collect(),
            backwards: *backwards,
            ..ProbeReport::default()
        })
    }

    pub fn lost(&self) -> u64 {
        self.growing.values().flat_map(UnfinishedSeries::builders).map(SeriesBuilder::missed_so_far).sum()
    }
}

/// Reads a stream until it ends. An error in the stream also ends it and becomes a warning. `watch` gets the records as they
/// arrive.
pub fn listen(input: impl Read, conditions: Conditions, watch: &Watch) -> ProbeReport {
    *watch.hearing() = Hearing::default();
    let mut listener = Listener { conditions, watch, threads: Vec::new() };
    let mut reader = Reader::new(input);
    if let Err(error) = reader.follow(|record| listener.take(record)) {
        let mut hearing = watch.hearing();
        hearing.notes.push(Warning::new(Warning::PROBE, error.to_string()));
        hearing.heard.fault = Some(error.to_string());
    }
    listener.finish(reader.ending(), reader.unknown())
}

struct Listener<'a> {
    conditions: Conditions,
    watch: &'a Watch,
    threads: Vec<i32>,
}

impl Listener<'_> {
    fn take(&mut self, record: Record<'_>) {
        self.watch.heard();
        self.conditions.flight.iter_mut().for_each(Flight::answer);
        let mut hearing = self.watch.hearing();
        match record {
            Record::Hello(hello) => hearing.heard.hello = Some(hello),
            Record::Text { key, value } => self.text(&mut hearing, key, value),
            Record::Value(value) => hearing.value(&value),
            Record::Note { severity: Severity::Info, .. } => {}
            Record::Note { text, .. } => hearing.notes.push(Warning::new(Warning::PROBE, text)),
            Record::Series(head) => self.declare(&mut hearing, head),
            Record::Samples(samples) => self.samples(&mut hearing, &samples),
            Record::Lost(lost) => self.lost(&mut hearing, &lost),
            Record::Load(_) | Record::Progress(_) | Record::Totals(_) | Record::End(_) | Record::Unknown { .. } => {}
        }
    }

    /// Stores a text record. The probe sends the numbers of the measured threads before their first releases.
    fn text(&mut self, hearing: &mut Hearing, key: &str, value: &str) {
        let texts = if ASKED.contains(&key) { &mut hearing.heard.asked } else { &mut hearing.heard.texts };
        texts.insert(key.to_string(), value.to_string());
        if let (PROBE_THREAD, Ok(thread)) = (key, value.parse::<i32>()) {
            self.threads.push(thread);
        }
    }

    fn declare(&mut self, hearing: &mut Hearing, head: SeriesHead) {
        if hearing.growing.is_empty() && !self.threads.is_empty() {
            let unwatched = self.conditions.watch(&self.threads);
            unwatched.into_iter().for_each(|error| hearing.notes.push(Warning::new("not-traced", error.to_string())));
        }
        let heard = &mut hearing.heard;
        let Some(hello) = &heard.hello else { return };
        let Conditions { load, idle, keeper, .. } = &self.conditions;
        let said = |key: &str| heard.asked.get(key).map_or(UNKNOWN, String::as_str);
        let load = load.as_deref().unwrap_or_else(|| said("load"));
        let idle = idle.as_deref().unwrap_or_else(|| said("idle"));
        let growing = UnfinishedSeries::new(head, hello, load, idle, keeper.as_ref());
        heard.schedule = heard.schedule.or(growing.head().schedule);
        hearing.growing.insert(growing.head().series, growing);
    }

    fn samples(&mut self, hearing: &mut Hearing, samples: &Samples<'_>) {
        let Hearing { heard, growing, .. } = hearing;
        let place = place_of(samples.series, growing.len(), self.threads.len());
        let (Some(hello), Some(growing)) = (&heard.hello, growing.get_mut(&samples.series)) else { return };
        for (seq, row) in samples.rows() {
            heard.backwards += growing.sample(hello, seq, &row, samples.warmup, self.conditions.keeper.as_ref());
            if let (true, Some(place), false) = (self.conditions.records(), place, samples.warmup) {
                let sample = growing.stamps(hello, seq, &row);
                if sample.is_some_and(|sample| self.conditions.record(place, sample, self.watch)) {
                    self.watch.end();
                }
            }
        }
        growing.worst().into_iter().for_each(|worst| self.watch.saw(worst));
    }

    fn lost(&mut self, hearing: &mut Hearing, lost: &MissedStimuli) {
        let Hearing { heard, growing, .. } = hearing;
        let (Some(hello), Some(growing)) = (&heard.hello, growing.get_mut(&lost.series)) else { return };
        growing.lost(hello, lost, self.conditions.keeper.as_ref());
    }

    fn finish(mut self, ending: Ending, unknown: u64) -> ProbeReport {
        let Hearing { mut heard, mut notes, growing } = std::mem::take(&mut *self.watch.hearing());
        if unknown > 0 {
            let said = format!("probe records of unknown kinds: {unknown}");
            notes.push(Warning::new("unknown-records", said));
        }
        if heard.backwards > 0 {
            let said = format!("responses timestamped before their stimulus, counted as 0: {}", heard.backwards);
            notes.push(Warning::new("backwards", said));
        }
        heard.ending = match ending {
            Ending::Whole(reason) => Some(reason),
            Ending::Truncated => None,
        };
        heard.flight = self.conditions.flight.take().map(Flight::finish);
        heard.trace = self.conditions.recorder.take().map(Recorder::finish);
        heard.warnings = notes.all().collect();
        heard.series = growing.into_values().flat_map(UnfinishedSeries::into_builders).collect();
        heard
    }
}

impl Hearing {
    /// A value of a series gets the series' variant in its name: `measured_cpu_ns[series=wakeup,cpu=3]`.
    fn value(&mut self, value: &NamedValue<'_>) {
        let growing = value.series.and_then(|series| self.growing.get(&series));
        let name =
            growing.map_or(value.name.to_string(), |growing| format!("{}[{}]", value.name, apart(growing.head())));
        self.heard.values.insert(name, value.value);
    }
}

/// The index of the thread that this series belongs to, if it is that thread's first series. All threads have the same number of
/// series.
fn place_of(series: u32, all: usize, threads: usize) -> Option<usize> {
    let (series, each) = (series as usize, (all / threads.max(1)).max(1));
    (series % each == 0).then_some(series / each)
}

fn apart(head: &SeriesHead) -> String {
    let cpu = head.cpu.map(|cpu| format!("cpu={cpu}"));
    let fields = head.fields.iter().map(|(key, value)| format!("{key}={value}"));
    let parts: Vec<String> = [format!("series={}", head.name)].into_iter().chain(cpu).chain(fields).collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_wire::fixture::{Declared, Stream};
    use proptest::prelude::*;

    fn hear(stream: &Stream) -> ProbeReport {
        let conditions = Conditions {
            load: Some("none".into()),
            idle: Some("as-is".into()),
            recorder: None,
            flight: None,
            keeper: None,
        };
        listen(stream.bytes().as_slice(), conditions, &Watch::default())
    }

    #[test]
    fn who_failed_says_why_with_its_last_words() {
        let said = |text: &str| Warning::new(Warning::PROBE, text);
        let heard = |ending| ProbeReport {
            ending,
            warnings: ["slow", "a lock was refused"].map(said).to_vec(),
            ..ProbeReport::default()
        };
        assert_eq!(heard(Some(EndReason::Failed)).failure().unwrap(), "a lock was refused");
        assert_eq!(heard(None).failure().unwrap(), "its stream is truncated");
        assert!([EndReason::Done, EndReason::Interrupted].iter().all(|end| heard(Some(*end)).failure().is_none()));
    }

    #[test]
    fn the_first_series_of_each_thread_is_the_one_that_is_traced() {
        let places =
            |all: usize, threads| (0..all as u32).map(|series| place_of(series, all, threads)).collect::<Vec<_>>();
        assert_eq!(places(1, 1), [Some(0)]);
        assert_eq!(places(3, 1), [Some(0), None, None]);
        assert_eq!(places(2, 2), [Some(0), Some(1)]);
        assert_eq!(places(4, 2), [Some(0), None, Some(1), None]);
    }

    #[test]
    fn a_response_before_its_stimulus_counts_as_0_and_is_told() {
        let mut stream = Stream::new();
        stream.hello().series(0, "wakeup", &["expiry", "thread"]).samples(0, 0, 0, &[&[200, 150], &[300, 310]]).end(0);
        let heard = hear(&stream);
        let series = heard.series[0].build();
        assert_eq!((series.min, series.max, heard.backwards), (Some(0), Some(10), 1));
        assert_eq!(heard.warnings[0].text, "responses timestamped before their stimulus, counted as 0: 1");
        assert_eq!(heard.ending, Some(EndReason::Done));
    }

    #[test]
    fn more_points_are_more_series_named_by_their_point() {
        let mut stream = Stream::new();
        stream.hello().series(0, "interrupt", &["edge", "isr", "ist"]).samples(0, 0, 0, &[&[100, 105, u64::MAX]]);
        let built: Vec<_> = hear(&stream).series.iter().map(SeriesBuilder::build).collect();
        let accounts: Vec<_> =
            built.iter().map(|series| (series.key.name.as_str(), series.done, series.missed)).collect();
        assert_eq!(accounts, [("isr", 1, Some(0)), ("ist", 0, Some(1))]);
    }

    #[test]
    fn a_stream_that_breaks_off_keeps_what_came_before_and_says_why() {
        let mut stream = Stream::new();
        stream.hello().series(0, "wakeup", &["expiry", "thread"]).samples(0, 0, 0, &[&[100, 110]]);
        stream.samples(0, 5, 0, &[&[600, 610]]);
        let heard = hear(&stream);
        assert_eq!((heard.series[0].build().due, heard.ending), (Some(1), None));
        assert!(
            heard.warnings[0].text.contains("series 0 continues at stimulus 5, expected 1"),
            "{:?}",
            heard.warnings
        );
    }

    #[test]
    fn series_of_one_name_are_told_apart_by_processor_and_fields_and_so_are_values_about_them() {
        let mut stream = Stream::new();
        let one = Declared {
            series: 4,
            name: "copy",
            points: &["a", "b"],
            periodic: false,
            cpu: Some(3),
            fields: &["size=64"],
        };
        stream.hello().declare(&one).declare(&Declared { series: 5, fields: &["size=128"], ..one.clone() });
        stream.samples(4, 0, 0, &[&[1_000, 1_010], &[1_050, 1_060]]).lost(4, 2, 2, 3).samples(5, 0, 0, &[&[70, 75]]);
        let heard = hear(stream.value(Some(4), "measured_cpu_ns", 9).value(None, "process_cpu_ns", 10));
        let built: Vec<_> = heard.series.iter().map(SeriesBuilder::build).collect();
        let keys: Vec<String> = built.iter().map(|series| series.key.to_string()).collect();
        assert_eq!(keys, ["copy[load=none,idle=as-is,cpu=3,size=64]", "copy[load=none,idle=as-is,cpu=3,size=128]"]);
        assert_eq!((built[0].due, built[0].done, built[0].late), (Some(5), 2, Some(0)));
        assert_eq!(
            built[0].worst.iter().map(|worst| worst.at).collect::<Vec<_>>(),
            [Some(0), Some(50)],
            "since the first stimulus"
        );
        let values: Vec<_> = heard.values.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        assert_eq!(values, [("measured_cpu_ns[series=copy,cpu=3,size=64]", 9), ("process_cpu_ns", 10)]);
    }

    proptest! {
        #[test]
        fn due_is_done_plus_lost_whatever_the_stream_holds(
            blocks in prop::collection::vec((0u8..4, prop::collection::vec((0u64..2_000, any::<bool>()), 1..20)), 0..30),
        ) {
            let mut stream = Stream::new();
            stream.hello().series(0, "wakeup", &["expiry", "thread"]);
            let (mut seq, mut answered, mut warmup) = (0, 0, 0);
            for (kind, samples) in &blocks {
                let count = samples.len() as u64;
                if *kind == 0 {
                    stream.lost(0, seq, 1, count);
                } else {
                    let stamp = |(at, (latency, seen)): (u64, &(u64, bool))| {
                        [at * 100, if *seen { at * 100 + latency } else { u64::MAX }]
                    };
                    let rows: Vec<[u64; 2]> = (seq + 1..).zip(samples).map(stamp).collect();
                    let rows: Vec<&[u64]> = rows.iter().map(|row| row.as_slice()).collect();
                    stream.samples(0, seq, u32::from(*kind == 1), &rows);
                    let seen = samples.iter().filter(|(_, seen)| *seen).count() as u64;
                    answered += seen;
                    warmup += if *kind == 1 { seen } else { 0 };
                }
                seq += count;
            }
            let series = hear(&stream).series[0].build();
            prop_assert_eq!((series.due, series.done, series.missed), (Some(seq), answered, Some(seq - answered)));
            prop_assert_eq!(series.warmup, warmup);
            prop_assert_eq!(series.histogram.counts.iter().sum::<u64>() + series.overflow, answered - warmup);
        }
    }
}
