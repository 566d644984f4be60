// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams that the C side wrote, read here and laid beside the text of what they hold.
use backwall::run::Overrun;
use backwall::units::Unit;
use backwall::wire::{DeviceKind, EndReason, LossReason, Reader, Record, Samples, SeriesHead, Severity};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A stream as text, one line per record and one per sample; the spelling is that of `wire/golden/*.txt`.
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
            let device = [DeviceKind::Linux, DeviceKind::Detent, DeviceKind::Fake];
            let device = device.iter().position(|kind| *kind == hello.device).unwrap() + 1;
            let unit = if hello.unit == Unit::Ns { 1 } else { 2 };
            let (hz, clock) = (hello.rate.hz(), &hello.clock);
            format!("HELLO version=1 device={device} clock_hz={hz} unit={unit} clock={clock}")
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
        Record::Value { name, value } => format!("VALUE {name}={value}"),
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

fn series_line(head: &SeriesHead) -> String {
    let overrun = if head.overrun == Overrun::Skip { 0 } else { 1 };
    format!(
        "SERIES {} name={} period={} deadline={} first_at={} overrun={overrun} points={}",
        head.series,
        head.name,
        head.period,
        head.deadline,
        head.first_at,
        head.points.join(",")
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

fn golden_streams() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wire/golden");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "bin")).collect()
}

#[test]
fn every_golden_stream_says_what_stands_beside_it() {
    let streams = golden_streams();
    assert!(streams.len() >= 5, "{streams:?}");
    for path in streams {
        let expected = std::fs::read_to_string(path.with_extension("txt")).unwrap();
        assert_eq!(text_of(&std::fs::read(&path).unwrap()), expected, "{}", path.display());
    }
}
