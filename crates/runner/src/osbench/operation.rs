// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measures one operation: a probe process of its own takes the samples, which become one series.
//!
//! Each row has its own probe. If a probe dies or hangs, the other rows are not affected. The second process of a probe ends with
//! the probe.
use crate::device::probe::{ListedOperation, Probe};
use crate::stream::child::{Child, ProbeEnd};
use crate::stream::notes::Notes;
use crate::stream::probe_report::ProbeReport;
use backwall_model::units::Unit;
use backwall_model::{IDLE_AS_IS, Key, NO_LOAD, Series, Span};
use backwall_model::{Warning, picture::Operation};
use backwall_os::Stop;
use backwall_os::refusal::Result;
use backwall_stats::SeriesBuilder;
use backwall_wire::{EndReason, Ending, Hello, LossReason, MissedStimuli, Reader, Record, Row, Severity};
use std::io::{BufRead as _, Read};
use std::time::Duration;

/// backwall treats a probe as hung after this total: the first time multiplied by the number of samples, plus the second time.
const PATIENCE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(60));
/// Batches have n, 2n and 3n iterations. The time per iteration is (third - first) / 2n.
const BATCHES: u64 = 3;

#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub cpu: u32,
    pub other_cpu: u32,
    /// Real-time priority of the measured thread. The second thread's priority is one higher, or the same if `equal`. With 0 both
    /// are ordinary threads.
    pub priority: u32,
    pub samples: u64,
    pub mark: Option<u64>,
    pub equal: bool,
    /// Number of samples before the counted samples; at least 1, because the first sample includes the thread's first run.
    pub warmup: u64,
    pub best_effort: bool,
}

pub struct OperationResult {
    pub heard: ProbeReport,
    pub row: Operation,
    pub series: Series,
    pub samples: Vec<(u64, u64)>,
}

impl OperationResult {
    /// Marks a row as incomplete and removes a warning with the same reason.
    fn fail(&mut self, why: Option<String>) {
        self.heard.warnings.retain(|warning| Some(&warning.text) != why.as_ref());
        self.row.failure = why;
    }
}

/// The row of an operation before its measurement.
pub fn row(listed: &ListedOperation) -> Operation {
    let (iterations, per_value) = match listed.batch {
        0 => (1, 1),
        batch => (batch * BATCHES * (BATCHES + 1) / 2, batch * (BATCHES - 1)),
    };
    Operation {
        test: listed.test.clone(),
        paper_row: listed.paper_row,
        name: listed.name.clone(),
        about: listed.about.clone(),
        other_process: listed.other_process,
        other_processor: listed.other_processor,
        real_time: listed.real_time,
        swept: listed.swept,
        iterations,
        per_value,
        ..Operation::default()
    }
}

pub fn key(listed: &ListedOperation) -> Key {
    let variant = [(Operation::TEST.to_string(), listed.test.clone())].into();
    Key { variant, ..Key::new(&listed.name, NO_LOAD, IDLE_AS_IS) }
}

/// Measures one operation. Fails if the machine refuses it. If the probe dies during the measurement, the row says so.
pub fn measure(
    probe: &Probe,
    stop: &Stop,
    setup: &Setup,
    listed: &ListedOperation,
    keep: bool,
) -> Result<OperationResult> {
    let of = [listed.clone()];
    let listen = move |stream| Listener::new(&of, keep).listen(stream);
    let child = Child::start(probe, &arguments(setup, listed), &[setup.cpu], listen)?;
    let limit = PATIENCE.1 + PATIENCE.0 * u32::try_from(setup.samples).unwrap_or(u32::MAX);
    let mut ended = child.attend(stop, limit, |_, _| {});
    let Some(mut measured) = ended.result.take().filter(|measured| measured.heard.hello.is_some()) else {
        return Err(ended.refusal(&format!("test {}", listed.test)));
    };
    let ProbeEnd { status, why, .. } = ended;
    measured.row.real_time &= setup.priority > 0;
    if !status.success() || measured.heard.ending.is_none() {
        measured.fail(Some(why));
    }
    Ok(measured)
}

fn arguments(setup: &Setup, listed: &ListedOperation) -> Vec<String> {
    let partner = if listed.other_processor { setup.other_cpu } else { setup.cpu };
    let priority = if listed.real_time { setup.priority } else { 0 };
    let options = [
        ("--count", setup.samples),
        ("--warmup", setup.warmup),
        ("--cpu", setup.cpu.into()),
        ("--partner-cpu", partner.into()),
        ("--priority", priority.into()),
        ("--equal", setup.equal.into()),
    ];
    let mark = setup.mark.map(|address| ("--mark", address));
    let options = options.into_iter().chain(mark).flat_map(|(name, value)| [name.to_string(), value.to_string()]);
    let best_effort = setup.best_effort.then(|| "--best-effort".to_string());
    ["operation".to_string(), listed.test.clone()].into_iter().chain(options).chain(best_effort).collect()
}

/// Reads the results of consecutive operations from one stream, as a lab guest writes them. In a lab guest, one nanosecond of
/// any clock is one instruction, whatever the guest assumes.
pub fn listen_each(stream: impl Read, known: &[ListedOperation]) -> Vec<OperationResult> {
    let mut stream = std::io::BufReader::new(stream);
    let each = std::iter::from_fn(|| {
        let more = stream.fill_buf().is_ok_and(|bytes| !bytes.is_empty());
        more.then(|| Listener::new(known, false).listen_one(&mut Reader::new(&mut stream), Unit::Instructions))
    });
    let mut broken = false;
    // If a stream has no end record, the beginning of the next one is unknown.
    each.take_while(|measured| !std::mem::replace(&mut broken, measured.heard.ending.is_none())).collect()
}

struct Listener<'a> {
    known: &'a [ListedOperation],
    unit: Option<Unit>,
    key: Key,
    batch: u64,
    keep: bool,
    heard: ProbeReport,
    notes: Notes,
    row: Operation,
    builder: Option<SeriesBuilder>,
    origin: Option<u64>,
    latest: u64,
    samples: Vec<(u64, u64)>,
}

impl<'a> Listener<'a> {
    fn new(known: &'a [ListedOperation], keep: bool) -> Self {
        let (heard, notes) = (ProbeReport::default(), Notes::default());
        let (samples, of) = (Vec::new(), if let [one] = known { one } else { &ListedOperation::default() });
        let (row, key) = (row(of), key(of));
        Self {
            known,
            unit: None,
            key,
            batch: 0,
            keep,
            heard,
            notes,
            row,
            builder: None,
            origin: None,
            latest: 0,
            samples,
        }
    }

    fn listen(mut self, stream: impl Read) -> OperationResult {
        let mut reader = Reader::new(stream);
        if self.follow(&mut reader)
            && let Err(error) = reader.read()
        {
            self.notes.push(Warning::new(Warning::PROBE, error.to_string()));
        }
        self.finish()
    }

    /// Reads one of several streams. If the stream ended early, its row says why.
    fn listen_one(mut self, reader: &mut Reader<impl Read>, unit: Unit) -> OperationResult {
        self.unit = Some(unit);
        self.follow(reader);
        let mut measured = self.finish();
        let interrupted = measured.heard.ending == Some(EndReason::Interrupted);
        measured.fail(measured.heard.failure().or(interrupted.then(|| "it was interrupted".to_string())));
        measured
    }

    fn follow(&mut self, reader: &mut Reader<impl Read>) -> bool {
        let mut whole = true;
        while whole && reader.ending() == Ending::Truncated {
            match reader.read() {
                Ok(Some(record)) => self.take(record),
                Ok(None) => whole = false,
                Err(error) => {
                    self.notes.push(Warning::new(Warning::PROBE, error.to_string()));
                    whole = false;
                }
            }
        }
        if let Ending::Whole(reason) = reader.ending() {
            self.heard.ending = Some(reason);
        }
        whole
    }

    fn take(&mut self, record: Record<'_>) {
        match record {
            Record::Hello(hello) => self.heard.hello = Some(hello),
            Record::Series(head) => self.begin(head.fields.get(Operation::TEST)),
            Record::Text { key, value } => {
                self.heard.texts.insert(key.to_string(), value.to_string());
            }
            Record::Value(value) => {
                self.heard.values.insert(value.name.to_string(), value.value);
            }
            Record::Note { severity: Severity::Info, .. } => {}
            Record::Note { text, .. } => self.notes.push(Warning::new(Warning::PROBE, text)),
            Record::Samples(samples) => {
                samples.rows().for_each(|(seq, points)| self.sample(seq, &points, samples.warmup))
            }
            Record::Lost(lost) => self.lost(&lost),
            _ => {}
        }
    }

    /// Begins the series of that test. Without an entry in the list the points of a test have no meaning, so an unlisted test
    /// becomes a warning.
    fn begin(&mut self, test: Option<&String>) {
        let listed = self.known.iter().find(|listed| Some(&listed.test) == test);
        let Some(listed) = listed else {
            return self.notes.push(Warning::new("unknown-test", format!("a series of the unknown test {test:?}")));
        };
        (self.row, self.key, self.batch) = (row(listed), key(listed), listed.batch);
        let said = self.heard.hello.as_ref().map_or(Unit::Ns, |hello| hello.unit);
        let unit = self.unit.unwrap_or(said);
        self.builder = Some(SeriesBuilder::new(self.key.clone(), self.span(unit)));
    }

    fn span(&self, unit: Unit) -> Span {
        let to = match self.row.per_value {
            1 => "end".to_string(),
            several => format!("end of {several}"),
        };
        Span::new("begin", to, unit)
    }

    fn sample(&mut self, seq: u64, points: &Row<'_>, warmup: bool) {
        let (Some(hello), Some(builder)) = (&self.heard.hello, &mut self.builder) else { return };
        let Some(taken) = taken(hello, points, self.batch) else { return builder.missed(self.latest, 1) };
        let stimulus = points.stimulus();
        self.latest = hello.value_of(stimulus.saturating_sub(*self.origin.get_or_insert(stimulus)));
        // On one CPU the clock cannot go back. The other thread therefore ran before this one handed over, as can happen under
        // the ordinary scheduler.
        if taken.clamped && self.batch == 0 && !self.row.other_processor {
            self.row.void += 1;
            return builder.missed(self.latest, 1);
        }
        self.row.clamped += u64::from(taken.clamped);
        self.row.first.get_or_insert(taken.value);
        if warmup {
            builder.warmup(1);
        } else {
            builder.sample(seq, self.latest, taken.value, false);
        }
        if self.keep {
            self.samples.push((seq, taken.value));
        }
    }

    fn lost(&mut self, lost: &MissedStimuli) {
        if lost.reason == LossReason::Void {
            self.row.void += lost.count;
        }
        self.builder.iter_mut().for_each(|builder| builder.missed(self.latest, lost.count));
    }

    fn finish(mut self) -> OperationResult {
        let counts = |name: &str| self.heard.values.get(name).copied().unwrap_or(0);
        let (read, step) = (counts("overhead_median_cycles"), counts("resolution_cycles"));
        let value = |counts| self.heard.hello.as_ref().map_or(0, |hello: &Hello| hello.value_of(counts));
        (self.row.clock_read, self.row.clock_step) = (value(read), value(step));
        self.heard.warnings = self.notes.all().collect();
        let unheard = || SeriesBuilder::new(self.key.clone(), self.span(Unit::Ns));
        let series = self.builder.as_ref().map_or_else(|| unheard().build(), SeriesBuilder::build);
        OperationResult { heard: self.heard, row: self.row, series, samples: self.samples }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OperationSample {
    value: u64,
    /// The difference was negative and became 0: the CPUs' clocks differ, or an interrupt lengthened one of the batches.
    clamped: bool,
}

fn taken(hello: &Hello, points: &Row<'_>, batch: u64) -> Option<OperationSample> {
    let length = |begin: usize| Some(i128::from(points.point(begin + 1)?) - i128::from(points.point(begin)?));
    let counts = if batch == 0 { length(0)? } else { length(2 * (BATCHES as usize - 1))? - length(0)? };
    let value = hello.value_of(u64::try_from(counts.max(0)).unwrap_or(u64::MAX));
    Some(OperationSample { value, clamped: counts < 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_wire::fixture::{Declared, Stream};

    fn listed(test: &str, batch: u64) -> ListedOperation {
        ListedOperation { test: test.into(), name: "operation".into(), batch, ..ListedOperation::default() }
    }

    fn stream(test: &str, points: &[&str], rows: &[&[u64]], void: u64) -> Vec<u8> {
        let (mut stream, fields) = (Stream::new(), format!("test={test}"));
        let declared =
            Declared { series: 0, name: "operation", points, periodic: false, cpu: None, fields: &[&fields] };
        stream.hello().declare(&declared).samples(0, 0, 1, &rows[..1]).samples(0, 1, 0, &rows[1..]);
        stream.lost(0, rows.len() as u64, 4, void).end(0);
        stream.bytes().to_vec()
    }

    fn heard(batch: u64, points: &[&str], rows: &[&[u64]], void: u64) -> OperationResult {
        Listener::new(&[listed("9.99", batch)], true).listen(stream("9.99", points, rows, void).as_slice())
    }

    #[test]
    fn streams_behind_each_other_are_heard_up_to_one_that_breaks_off_and_are_in_instructions() {
        let rows: [&[u64]; 2] = [&[100, 190], &[200, 210]];
        let one = |test: &str| stream(test, &["begin", "end"], &rows, 1);
        let broken = one("9.02");
        let all = [one("9.00"), one("9.01"), broken[..broken.len() - 8].to_vec(), one("9.03")].concat();
        let known = ["9.03", "9.02", "9.01", "9.00"].map(|test| listed(test, 0));
        let heard = listen_each(all.as_slice(), &known);
        let tests: Vec<&str> = heard.iter().map(|measured| measured.row.test.as_str()).collect();
        assert_eq!(tests, ["9.00", "9.01", "9.02"]);
        for measured in &heard {
            let series = &measured.series;
            assert_eq!(
                (series.unit, series.min, series.key.variant["test"].as_str()),
                (Unit::Instructions, Some(10), measured.row.test.as_str())
            );
        }
        let failures: Vec<_> = heard.iter().map(|measured| measured.row.failure.as_deref()).collect();
        assert_eq!(failures, [None, None, Some("its stream is truncated")]);
    }

    #[test]
    fn a_row_that_failed_says_so_and_the_next_is_heard() {
        let rows: [&[u64]; 2] = [&[100, 190], &[200, 210]];
        let mut failed = Stream::new();
        let points = &["begin", "end"];
        let declared =
            Declared { series: 0, name: "operation", points, periodic: false, cpu: None, fields: &["test=9.00"] };
        failed.hello().declare(&declared).note(2, "the other thread died").end(2);
        let all = [failed.bytes().to_vec(), stream("9.01", points, &rows, 1)].concat();
        let heard = listen_each(all.as_slice(), &["9.00", "9.01"].map(|test| listed(test, 0)));
        assert_eq!(heard[0].row.failure.as_deref(), Some("the other thread died"));
        assert!(heard[0].heard.warnings.is_empty() && heard[1].row.failure.is_none());
    }

    #[test]
    fn what_is_wrong_with_a_stream_is_said_once() {
        let mut bytes = stream("9.00", &["begin", "end"], &[&[100, 190], &[200, 210]], 1);
        let at = bytes.len() - 8;
        bytes[at..].copy_from_slice(&99u64.to_le_bytes());
        let heard = Listener::new(&[listed("9.00", 0)], false).listen(bytes.as_slice());
        assert_eq!(heard.heard.warnings.len(), 1, "{:?}", heard.heard.warnings);
    }

    #[test]
    fn without_batches_a_sample_is_its_length_and_the_first_is_kept_apart() {
        let rows: [&[u64]; 4] = [&[100, 190], &[200, 210], &[300, 290], &[400, 430]];
        let measured = heard(0, &["begin", "end"], &rows, 2);
        let series = &measured.series;
        assert_eq!((series.min, series.max, series.warmup), (Some(10), Some(30), 1));
        assert_eq!((series.due, series.done, series.missed), (Some(6), 3, Some(3)));
        assert_eq!((measured.row.first, measured.row.void, measured.row.clamped), (Some(90), 3, 0));
        assert_eq!(measured.samples, [(0, 90), (1, 10), (3, 30)]);
        assert_eq!(series.key.to_string(), "operation[load=none,idle=as-is,test=9.99]");
    }

    // The clocks of two CPUs may differ by more than an operation takes.
    #[test]
    fn an_end_before_its_begin_on_another_processor_counts_as_0() {
        let elsewhere = ListedOperation { other_processor: true, ..listed("9.99", 0) };
        let bytes = stream("9.99", &["begin", "end"], &[&[100, 190], &[300, 290]], 1);
        let measured = Listener::new(&[elsewhere], false).listen(bytes.as_slice());
        assert_eq!((measured.row.void, measured.row.clamped, measured.series.min), (1, 1, Some(0)));
    }

    #[test]
    fn what_every_batch_costs_alike_cancels_in_the_slope() {
        let names = ["a", "b", "c", "d", "e", "f"];
        // Batches of 10, 20 and 30 iterations of 7 each, plus 1,000 for reading the clock.
        let row: [u64; 6] = [0, 1_070, 2_000, 3_140, 4_000, 5_210];
        let bent: [u64; 6] = [0, 9_000, 10_000, 11_000, 12_000, 12_500];
        let measured = heard(10, &names, &[&row, &row, &bent], 1);
        assert_eq!((measured.row.iterations, measured.row.per_value, measured.row.clamped), (60, 20, 1));
        assert_eq!((measured.series.min, measured.series.max), (Some(0), Some(140)));
        assert_eq!(measured.row.each(140.0), 7.0);
    }
}
