// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams that the C side wrote, read here and compared with the text of their contents.
use backwall_model::Overrun;
use backwall_model::units::Unit;
use backwall_wire::{EndReason, LossReason, NamedValue, Reader, Record, Samples, SeriesHead, Severity};
use std::fmt::Write;
use std::path::{Path, PathBuf};

// A stream as text, one line per record and one per sample; the spelling is that of the texts in `wire/golden/`.
fn text_of(stream: &[u8]) -> String {
    let mut reader = Reader::new(stream);
    let mut text = String::new();
    let (mut points, mut records) = (Vec::new(), 0);
    while let Some(record) = reader.read().unwrap() {
        if let Record::Series(head) = &record {
            points.push((head.series, head.points.len()));
        }
        let known = |series| points.iter().find(|(number, _)| *number == series).unwrap().1;
        match record {
            Record::Samples(samples) => write_samples(&mut text, &samples, known(samples.series)),
            Record::End(reason) => writeln!(text, "END reason={} records={records}", end_number(reason)).unwrap(),
            other => writeln!(text, "{}", line_of(&other)).unwrap(),
        }
        records += 1;
    }
    text
}

fn line_of(record: &Record<'_>) -> String {
    match record {
        Record::Hello(hello) => {
            let unit = if hello.unit == Unit::Ns { 1 } else { 2 };
            let (version, device, hz, clock) = (hello.version, &hello.device, hello.rate.hz(), &hello.clock);
            format!("HELLO version={version} device={device} clock_hz={hz} unit={unit} clock={clock}")
        }
        Record::Text { key, value } => format!("TEXT {key}={value}"),
        Record::Series(head) => series_line(head),
        Record::Lost(lost) => {
            let reasons = [LossReason::Overrun, LossReason::RingFull, LossReason::Stopped];
            let reason = reasons.iter().position(|reason| *reason == lost.reason).unwrap() + 1;
            format!("LOST {} reason={reason} first_seq={} count={}", lost.series, lost.first_seq, lost.count)
        }
        Record::Load(head) => format!("LOAD {} name={} unit={}", head.load, head.name, head.unit),
        Record::Progress(step) => format!("PROGRESS {} at={} done={}", step.load, step.at, step.done),
        Record::Value(NamedValue { series, name, value }) => {
            format!("VALUE {name} series={} value={value}", or_none(*series))
        }
        Record::Note { severity, text } => {
            let severities = [Severity::Info, Severity::Warning, Severity::Error];
            format!("NOTE severity={} {text}", severities.iter().position(|known| known == severity).unwrap())
        }
        Record::Totals(totals) => {
            format!("TOTALS {} due={} done={} lost={}", totals.series, totals.due, totals.done, totals.lost)
        }
        Record::Unknown { kind, bytes } => format!("UNKNOWN type={kind} bytes={bytes}"),
        Record::Samples(_) | Record::End(_) => unreachable!("written by the caller"),
    }
}

fn or_none(number: Option<u32>) -> String {
    number.map_or("none".to_string(), |number| number.to_string())
}

fn series_line(head: &SeriesHead) -> String {
    let (period, first_at, overrun) = head
        .schedule
        .map_or((0, 0, Overrun::Skip), |schedule| (schedule.period.get(), schedule.first_at, schedule.overrun));
    let overrun = if overrun == Overrun::Skip { 0 } else { 1 };
    let fields: String = head.fields.iter().map(|(key, value)| format!(" {key}={value}")).collect();
    format!(
        "SERIES {} name={} period={period} deadline={} first_at={first_at} overrun={overrun} cpu={} points={}{fields}",
        head.series,
        head.name,
        head.deadline.map_or(0, |deadline| deadline.get()),
        or_none(head.cpu),
        head.points.join(","),
    )
}

fn write_samples(text: &mut String, samples: &Samples<'_>, points: usize) {
    let flags = u32::from(samples.warmup);
    let (series, first, count) = (samples.series, samples.first_seq, samples.count());
    writeln!(text, "SAMPLES {series} first_seq={first} flags={flags} count={count}").unwrap();
    for (seq, row) in samples.rows() {
        let counts = (0..points).map(|point| row.point(point).unwrap_or(u64::MAX).to_string());
        writeln!(text, " {seq}: {}", counts.collect::<Vec<_>>().join(" ")).unwrap();
    }
}

fn end_number(reason: EndReason) -> usize {
    let reasons = [EndReason::Done, EndReason::Interrupted, EndReason::Failed];
    reasons.iter().position(|known| *known == reason).unwrap()
}

fn golden_streams(version: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wire/golden").join(version);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "bin")).collect()
}

#[test]
fn every_golden_stream_of_both_versions_says_what_stands_beside_it() {
    for (version, count) in [("v1", 5), ("v2", 6)] {
        let streams = golden_streams(version);
        assert_eq!(streams.len(), count, "{streams:?}");
        for path in streams {
            let expected = std::fs::read_to_string(path.with_extension("txt")).unwrap();
            assert_eq!(text_of(&std::fs::read(&path).unwrap()), expected, "{}", path.display());
        }
    }
}
