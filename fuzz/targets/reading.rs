// SPDX-License-Identifier: MIT OR Apache-2.0
//! The work of each target: reads bytes as backwall does, visits everything that was read, and checks invariants.
use backwall_capture::capture::{self, CaptureHints};
use backwall_capture::symbols::Symbols;
use backwall_judge::require::Rule;
use backwall_model::Run;
use backwall_runner::Watch;
use backwall_stats::SeriesBuilder;
use backwall_trace::account::analysis::Analysis;
use backwall_trace::event::sources;
use backwall_trace::late::lates::{Lates, Question};
use backwall_trace::late::whose::Whose;
use backwall_trace::read::stored::OpenRecording;
use backwall_trace::ring::decoder::Decoder;
use backwall_trace::ring::format::EventFormat;
use backwall_trace::ring::page::{Page, PageLayout};
use std::cell::RefCell;
use std::hint::black_box;
use std::io::{Cursor, Seek, Write};
use std::num::NonZero;
use std::str::FromStr;
use tempfile::NamedTempFile;

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn run_of(bytes: &[u8]) -> Option<Run> {
    backwall_model::read(text(bytes)?).ok()
}

/// A run that was read can be written and read again without a change.
pub fn run(bytes: &[u8]) -> bool {
    let Some(read) = run_of(bytes) else { return false };
    let written = serde_json::to_string(&read).expect("a run that was read can be written");
    let again = backwall_model::read(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
    // A number beyond the range of a double is read and written as the nearest double; from the second time on nothing changes.
    assert_eq!(serde_json::to_string(&again).unwrap(), written);
    true
}

pub fn run_drawn(bytes: &[u8]) -> bool {
    let Some(read) = run_of(bytes) else { return false };
    for columns in [40, 80] {
        let lines = backwall_report::brief::brief(&read, "run", columns);
        assert!(!lines.is_empty());
        backwall_report::text::text(&read, columns);
    }
    assert!(backwall_report::page::page(&read).contains("</html>"));
    true
}

thread_local! {
    static FILE: RefCell<NamedTempFile> = RefCell::new(NamedTempFile::new().expect("a file for the readers of files"));
}

/// For readers of files: writes the bytes to a file, always the same one.
fn in_file<T>(bytes: &[u8], read: impl FnOnce(&NamedTempFile) -> T) -> T {
    FILE.with_borrow_mut(|file| {
        file.as_file().set_len(0).unwrap();
        file.rewind().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        read(file)
    })
}

pub fn samples(bytes: &[u8]) -> bool {
    in_file(bytes, |file| backwall_store::samples::read(file.path(), NonZero::<usize>::MIN).is_ok())
}

pub fn wire(bytes: &[u8]) -> bool {
    let mut reader = backwall_wire::Reader::new(bytes);
    reader.follow(|record| drop(format!("{record:?}"))).is_ok()
}

pub fn probe_heard(bytes: &[u8]) -> bool {
    let conditions = backwall_runner::stream::probe_report::Conditions {
        load: None,
        idle: None,
        recorder: None,
        flight: None,
        keeper: None,
    };
    let heard = backwall_runner::stream::probe_report::listen(bytes, conditions, &Watch::default());
    for series in heard.series.iter().map(SeriesBuilder::build) {
        let counted = series.histogram.counts.iter().sum::<u64>() + series.overflow;
        assert_eq!(counted, series.counted(), "{:?}", series.key);
    }
    heard.fault.is_none()
}

pub fn load_heard(bytes: &[u8]) -> bool {
    let heard = backwall_runner::loads::load::listen_to_end(
        bytes,
        &backwall_runner::loads::load::PlacedLoad::plain("spin", 0),
        "spin",
    );
    assert!(heard.progress.iter().all(|progress| progress.per_second.iter().all(|rate| rate.is_finite())));
    !heard.progress.is_empty()
}

pub fn jobs_heard(bytes: &[u8]) -> bool {
    let nominal_ns = vec![0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000];
    let tasks = vec![backwall_runner::tasks::jobs::JobCounter { name: "control".into(), deadline_ns: 500, nominal_ns }];
    let phase = backwall_runner::tasks::jobs::Phase { load: "none".into(), idle: "as-is".into() };
    backwall_runner::tasks::jobs::listen(bytes, tasks, &phase, &Watch::default()).heard.fault.is_none()
}

pub fn operations_heard(bytes: &[u8]) -> bool {
    !backwall_runner::osbench::operation::listen_each(bytes, &[]).is_empty()
}

pub fn recording(bytes: &[u8]) -> bool {
    in_file(bytes, |file| OpenRecording::of(file.reopen().expect("the file is there")).is_ok_and(analysed))
}

/// The same for a CTF trace: metadata, a mark, and a stream.
pub fn ctf(bytes: &[u8]) -> bool {
    thread_local! {
        static FOLDER: tempfile::TempDir = tempfile::tempdir().expect("a folder for a trace");
    }
    let mark = bytes.windows(STREAM.len()).position(|window| window == STREAM);
    let (metadata, stream) = mark.map_or((bytes, &[][..]), |mark| (&bytes[..mark], &bytes[mark + STREAM.len()..]));
    FOLDER.with(|folder| {
        std::fs::write(folder.path().join("metadata"), metadata).expect("a file");
        std::fs::write(folder.path().join("stream"), stream).expect("a file");
        OpenRecording::of_folder(folder.path()).is_ok_and(|found| found.is_some_and(analysed))
    })
}

pub const STREAM: &[u8] = b"\n\x1dstream\x1d\n";

fn analysed(mut stored: OpenRecording) -> bool {
    let question = Question { above_ns: 10, whose: Whose::All, timers: true, marks: true, to_end: false };
    let mut analysis = Analysis::new(Lates::new(question));
    if stored.play(&mut analysis).is_err() {
        return false;
    }
    let (summary, lates) = analysis.finish();
    assert!(lates.late <= lates.responses);
    assert!(lates.lates.iter().all(|late| late.blame.total() == late.latency_ns));
    for cpu in &summary.cpus {
        let known = cpu.idle_ns + cpu.threads_ns + cpu.interrupts_ns + cpu.softirqs_ns;
        assert!(known <= summary.span_ns, "{cpu:?} of {}", summary.span_ns);
    }
    drop(backwall_report::trace::told::told(&summary, stored.about().unit, true, 80));
    true
}

/// Sub-buffers of the kernel's ring buffer. Each record is decoded with the layouts of a real kernel.
pub fn pages(bytes: &[u8]) -> bool {
    thread_local! {
        static LAYOUTS: (PageLayout, Decoder) = (PageLayout::parse(super::seeds::HEADER_PAGE).unwrap(), decoder());
    }
    LAYOUTS.with(|(layout, decoder)| {
        let mut whole = !bytes.is_empty();
        for page in bytes.chunks(layout.bytes()) {
            let Ok(page) = Page::new(page, layout) else { return false };
            for record in page.records() {
                let Ok(record) = record else {
                    whole = false;
                    break;
                };
                black_box(decoder.decode(record.at_ns, record.data));
            }
        }
        whole
    })
}

fn decoder() -> Decoder {
    let vectors = ["local_timer_entry", "local_timer_exit", "enable"].map(str::to_string);
    let known: Vec<_> = sources(vectors)
        .into_iter()
        .filter_map(|source| {
            let event = source.path.split('/').next_back()?;
            let (.., text) = super::seeds::FORMATS.iter().find(|(_, name, _)| *name == event)?;
            Some((source, EventFormat::parse(text).ok()?))
        })
        .collect();
    Decoder::new(known.iter().map(|(source, format)| (source, format.clone()))).unwrap()
}

pub fn layouts(bytes: &[u8]) -> bool {
    let Some(text) = text(bytes) else { return false };
    let page = PageLayout::parse(text).is_ok_and(|layout| layout.bytes() > 0);
    let format = EventFormat::parse(text).ok();
    let known = format.and_then(|format| {
        let source = sources(Vec::new()).into_iter().find(|source| source.path.ends_with("sched_switch"))?;
        let decoder = Decoder::new([(&source, format)]).ok()?;
        black_box(decoder.decode(1, &bytes[..bytes.len().min(256)]));
        Some(())
    });
    page || known.is_some() || EventFormat::parse(text).is_ok()
}

pub fn functions(bytes: &[u8]) -> bool {
    let Some(text) = text(bytes) else { return false };
    let symbols = backwall_trace::event::symbols::Symbols::parse(text);
    for address in [0, 1, 0xffff_ffff_8100_0100, u64::MAX] {
        black_box(symbols.name(address));
    }
    !symbols.is_empty()
}

/// Whatever the file, rising and falling edges alternate and time does not go backwards.
pub fn capture(bytes: &[u8]) -> bool {
    let told = CaptureHints { samplerate: None, threshold: None };
    let Ok(capture) = capture::read(Cursor::new(bytes), &told) else { return false };
    for line in &capture.edges.lines {
        for pair in line.edges.windows(2) {
            assert!(pair[0].at() <= pair[1].at(), "{}", line.name);
        }
    }
    black_box(backwall_capture::contents::contents(&capture.edges));
    true
}

pub fn lab_trail(bytes: &[u8]) -> bool {
    let Ok(trail) = backwall_capture::trail::recorded::read(bytes) else { return false };
    let from = trail.begun.first().map_or(trail.end, |begun| begun.at);
    let visits = backwall_capture::trail::visits::visits(&trail, &backwall_capture::trail::Names::default(), from);
    let took: u64 = visits.iter().map(backwall_capture::trail::visits::Visit::took).sum();
    assert_eq!(took, trail.end.0 - from.0);
    true
}

pub fn lab_stretches(bytes: &[u8]) -> bool {
    let Ok(read) = backwall_capture::trail::stretches::read(bytes) else { return false };
    let gathered = backwall_capture::trail::stretches::gathered(&read, &backwall_capture::trail::Names::default());
    assert_eq!(gathered.iter().map(|row| row.count).sum::<u64>(), read.told.len() as u64);
    assert!(gathered.iter().all(|row| row.longest <= row.sum));
    true
}

pub fn lines(bytes: &[u8]) -> bool {
    let Some(lines) = backwall_capture::lines::Lines::from_elf(bytes) else { return false };
    for address in [0, 0x1000, 0x1100, u64::MAX] {
        black_box(lines.of(address));
    }
    true
}

pub fn symbols_elf(bytes: &[u8]) -> bool {
    named(Symbols::from_elf(bytes).ok())
}

pub fn symbols_map(bytes: &[u8]) -> bool {
    text(bytes).is_some_and(|text| named(Symbols::from_map(text).ok()))
}

fn named(symbols: Option<Symbols>) -> bool {
    let Some(symbols) = symbols else { return false };
    for address in [0, 0x40_0000, 0xffff_ffff_8100_0100, u64::MAX] {
        black_box(symbols.name_of(address));
    }
    true
}

pub fn import(bytes: &[u8]) -> bool {
    let Ok(imported) = backwall_formats::import::read(&mut Cursor::new(bytes), "none") else { return false };
    assert!(!imported.series.is_empty());
    true
}

pub fn task_set(bytes: &[u8]) -> bool {
    let Some(text) = text(bytes) else { return false };
    let Ok(set) = backwall_tasks::read::parse(text) else { return false };
    assert!(set.fault().is_none(), "what is read is whole");
    true
}

fn refused_in_a_line<T>(read: Result<T, impl std::fmt::Display>) -> bool {
    match read {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
            false
        }
    }
}

pub fn recipe(bytes: &[u8]) -> bool {
    text(bytes).is_some_and(|text| refused_in_a_line(backwall_watch::Recipe::parse(text)))
}

pub fn campaign(bytes: &[u8]) -> bool {
    text(bytes).is_some_and(|text| refused_in_a_line(backwall_lab::batch::plan::Plan::parse(text)))
}

pub fn fleet(bytes: &[u8]) -> bool {
    text(bytes).is_some_and(|text| refused_in_a_line(backwall_fleet::plan::Plan::parse(text)))
}

pub fn recordings(bytes: &[u8]) -> bool {
    refused_in_a_line(backwall_fleet::recordings::read(bytes))
}

pub fn parcel(bytes: &[u8]) -> bool {
    refused_in_a_line(backwall_fleet::parcel::read(bytes))
}

pub fn scenario(bytes: &[u8]) -> bool {
    text(bytes).is_some_and(|text| backwall_lab::scenario::Scenario::parse("fuzz", text).is_ok())
}

/// Any image that a scenario may name. A Linux kernel is recognised by its header.
pub fn kernel_image(bytes: &[u8]) -> bool {
    backwall_lab::guest::kernel_image::version_of_bzimage(bytes)
        .or_else(|| backwall_lab::guest::kernel_image::version_in(bytes))
        .is_some()
}

pub fn requirement(bytes: &[u8]) -> bool {
    text(bytes).is_some_and(|text| Rule::from_str(text).is_ok())
}

pub fn rules(bytes: &[u8]) -> bool {
    text(bytes).is_some_and(|text| backwall_trace::rules::parse(text).is_ok())
}

pub fn sums(bytes: &[u8]) -> bool {
    text(bytes).is_some_and(|text| backwall_store::seal::parse_sums(text).is_ok())
}

pub fn seal(bytes: &[u8]) -> bool {
    text(bytes).is_some_and(|text| backwall_store::seal::parse_seal(text).is_ok())
}

pub fn words(bytes: &[u8]) -> bool {
    let Some(text) = text(bytes) else { return false };
    let loads = backwall_runner::loads::parse(text).is_ok();
    let address = backwall_instruments::link::Address::from_str(text).is_ok();
    let rate = backwall_capture::capture::samplerate(text).is_some();
    let processors = backwall_runner::device::processors::Processors::from_str(text).is_ok();
    let chain = backwall_trace::chain::Spec::parse(text).is_ok();
    loads || address || rate || processors || chain
}
