// SPDX-License-Identifier: MIT OR Apache-2.0
//! Speed of reading the kernel's trace: recorded sub-buffers, repeated, from memory to stages.
//!
//! Prints one line a figure, tab-separated: name, value, unit, goal, met, peer, peer value, conditions. With a path the
//! records are written there as trace.dat, for others to read.
use backwall_trace::account::analysis::{Analysis, Listener};
use backwall_trace::blame::behind::Verdict;
use backwall_trace::digest::{Digest, TraceConfig};
use backwall_trace::event::{Event, Name, Section, Source, Stamped, Thread, sources};
use backwall_trace::late::lates::{Lates, Question};
use backwall_trace::late::whose::Whose;
use backwall_trace::read::about::About;
use backwall_trace::read::receiver::Receiver;
use backwall_trace::read::stored::OpenRecording;
use backwall_trace::ring::decoder::Decoder;
use backwall_trace::ring::format::{EventFormat, Place};
use backwall_trace::ring::page::{Page, PageLayout};
use backwall_trace::stages::Sample;
use backwall_trace::write::ctf::{self, Ctf};
use backwall_trace::write::perfetto::Perfetto;
use backwall_trace::write::trace_dat::{self, Head};
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

mod chained;
mod texts;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/trace/tests/data/linux_6.18/");
const PAGE_BYTES: usize = 4_096;
const EVENTS: usize = 310;
const THREAD: i32 = 15_358;
const COPIES: usize = 4_000;
// Copies written for other tools, which are slower.
const COPIES_WRITTEN: usize = 1_000;
// Distance of the copies: more than the recording lasts, and whole periods of its sleeper.
const SPAN_NS: u64 = 100_000_000;
const GOAL: f64 = 60.0;
const REPEATS: usize = 20;
// Threads of a processor that wait for each other, and how long each has it.
const STARVED: i32 = 500;
const SLICE_NS: u64 = 3_000_000;
// Keeps one round of all threads and plays it this often: a longer list would measure the memory that holds it.
const STARVED_ROUNDS: u64 = 200;
const STARVED_GOAL: f64 = 20.0;
const PAGE_GOAL_S: f64 = 10.0;

fn main() {
    let layout = PageLayout::parse(&text("header_page")).expect("a good file");
    let start = format("hrtimer_start").expect("a good file");
    let expiry = start.place("softexpires").expect("its field");
    let pages = copies(&layout, start.id, expiry);
    let asked = std::env::args().skip(1).find(|word| word.ends_with("trace.dat"));
    if let Some(path) = &asked {
        write_trace_dat(Path::new(path), &pages[..pages.len() / COPIES * COPIES_WRITTEN]).expect("a file");
    }
    let (walk, _) = best(|| walk(&pages, &layout));
    show("trace walk", walk, "record headers and times");
    let samples = samples(&pages, &layout, start.id, expiry);
    let (digest, matched) = best(|| digest(&pages, &samples, layout));
    let what = format!("decoded, processor's holders rebuilt, {matched} wake-ups followed, joined and blamed");
    show("trace digest", digest, &what);
    show_starved(false);
    show_starved(true);
    chained::show();
    if let Some(path) = &asked {
        let (whole, late) = best(|| tracked(Path::new(path)));
        let rate = whole * COPIES_WRITTEN as f64 / COPIES as f64;
        let what =
            format!("trace.dat from the page cache, booked by thread and interrupt, {late} late responses divided");
        show("track account and blame", rate, &what);
        show_foreign(Path::new(path)).expect("files in other forms");
        texts::show(Path::new(path)).expect("files of text");
        show_page().expect("a file of a gibibyte");
    }
}

fn show_foreign(path: &Path) -> std::io::Result<()> {
    let (folder, file) = (path.with_extension("ctf"), path.with_extension("pftrace"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder)?;
    std::fs::write(folder.join("metadata"), ctf::description())?;
    let recorded = || OpenRecording::of(std::fs::File::open(path).expect("the file")).expect("the file");
    let stream = |cpu: u32| Ok(std::io::BufWriter::new(std::fs::File::create(folder.join(format!("cpu{cpu}")))?));
    let mut face = Ctf::new(stream, &About::default());
    recorded().play(&mut face).expect("a good file");
    face.finish()?;
    let mut face = Perfetto::new(std::io::BufWriter::new(std::fs::File::create(&file)?), &About::default())?;
    recorded().play(&mut face).expect("a good file");
    face.finish()?;
    let of_ctf = || OpenRecording::of_folder(&folder).expect("a good folder").expect("a trace");
    let of_perfetto = || OpenRecording::of(std::fs::File::open(&file).expect("the file")).expect("a good file");
    show_read("ctf read", of_ctf, "-");
    show_read("perfetto read", of_perfetto, "5");
    Ok(())
}

fn show_read(name: &str, open: impl Fn() -> OpenRecording, goal: &str) {
    let mut events = 0;
    let tries = (0..REPEATS).map(|_| {
        let begun = seconds();
        let mut counted = Counted(0);
        events = open().play(&mut counted).expect("a good file").events();
        black_box(counted.0);
        seconds() - begun
    });
    let best = tries.fold(f64::INFINITY, f64::min);
    let rate = events as f64 / best / 1e6;
    let met = goal.parse().map_or("-", |goal: f64| if rate >= goal { "yes" } else { "no" });
    println!(
        "{name}\t{rate:.1}\tmillion events/s\t{goal}\t{met}\t-\t-\t{events} events of one processor, from the page cache to a \
         receiver that counts them, processor time of one thread, best of {REPEATS}"
    );
}

struct Counted(u64);

impl Receiver for Counted {
    fn event(&mut self, _: u32, stamped: &Stamped) {
        self.0 = self.0.wrapping_add(stamped.at_ns & 1).wrapping_add(1);
    }

    fn gap(&mut self, _: u32, _: u64) {}
}

// Processor time of all rounds: each begins where the last slices of the one before end.
fn played<L: Listener>(events: &[(u32, Stamped)], listener: L) -> (f64, L) {
    let span_ns = STARVED as u64 * SLICE_NS;
    let (mut analysis, mut events) = (Analysis::new(listener), events.to_vec());
    let begun = seconds();
    for _ in 0..STARVED_ROUNDS {
        for (cpu, stamped) in &mut events {
            analysis.event(*cpu, stamped);
            stamped.at_ns += span_ns;
            if let Event::TimerStart { expiry_ns, .. } = &mut stamped.event {
                *expiry_ns += span_ns;
            }
        }
    }
    let listener = black_box(analysis.finish().1);
    (seconds() - begun, listener)
}

// A busy machine: every thread waits for seconds, all at once, and every twentieth event is a stack. Its own timer, or another
// thread, makes each thread ready.
fn show_starved(timed: bool) {
    let events = starved(timed);
    let mut found = None;
    let tries = (0..3).map(|_| {
        let question = Question { above_ns: 100_000, whose: Whose::All, timers: true, marks: true, to_end: false };
        let (taken, lates) = played(&events, Lates::new(question));
        found = Some(lates);
        taken
    });
    let rate = (events.len() as u64 * STARVED_ROUNDS) as f64 / tries.fold(f64::INFINITY, f64::min) / 1e6;
    let (lates, stacks) =
        (found.expect("three tries"), events.iter().filter(|(_, event)| is_stack(event)).count() as u64);
    let met = if rate >= STARVED_GOAL { "yes" } else { "no" };
    println!(
        "track blame of a busy machine{}\t{rate:.1}\tmillion events/s\t{STARVED_GOAL:.0}\t{met}\t-\t-\t{} events with {} \
         stacks, {STARVED} threads a processor that wait {} ms each, {} late responses of which {} are not explained; decoded \
         in memory, processor time of one thread, best of 3",
        if timed { " of timers" } else { "" },
        events.len() as u64 * STARVED_ROUNDS,
        stacks * STARVED_ROUNDS,
        STARVED as u64 * SLICE_NS / 1_000_000,
        lates.late,
        lates.unexplained()
    );
}

// In rounds of all threads: each has a slice with a tick and its stack in the middle. The thread before it is made ready again by it, or by
// its own timer in that tick.
fn starved(timed: bool) -> Vec<(u32, Stamped)> {
    let thread = |id: i32| Thread { id, priority: 139, name: Name::new(format!("starved{id}").as_bytes()) };
    let (timer, softirq) = (Section::Interrupt(Name::new(b"local_timer")), Section::Softirq(7));
    let mut all = Vec::new();
    for number in 0..STARVED as u64 {
        for cpu in 0..2u32 {
            let id = |number: u64| 1 + cpu as i32 * STARVED + (number % STARVED as u64) as i32;
            let (own, next, before) = (id(number), id(number + 1), id(number + STARVED as u64 - 1));
            let begin_ns = 1_000 + number * SLICE_NS + u64::from(cpu);
            let mut push = |later: u64, in_thread: bool, event: Event| {
                let at_ns = begin_ns + later * SLICE_NS / 20;
                all.push((cpu, Stamped { at_ns, thread: own, in_thread, to_switch: later > 16, event }));
            };
            for part in [2, 8, 14] {
                push(part, false, Event::Enter(timer));
                if part == 8 {
                    push(part, false, Event::Stack(Verdict::Below));
                    if timed {
                        push(part, false, Event::TimerExpire { timer: before as u64, function: None });
                        push(part, false, Event::Waking { thread: before });
                    }
                }
                push(part + 1, false, Event::Leave(timer));
                push(part + 1, false, Event::Enter(softirq));
                push(part + 2, false, Event::Leave(softirq));
            }
            if !timed {
                push(17, true, Event::Waking { thread: before });
            }
            push(18, true, Event::PageFault);
            push(19, true, Event::SleepEnd);
            // It expires in the next slice.
            let expiry_ns = begin_ns + SLICE_NS + SLICE_NS * 8 / 20;
            push(19, true, Event::TimerStart { timer: own as u64, expiry_ns, slack_ns: 0 });
            push(20, true, Event::Switch { from: thread(own), preempted: false, to: thread(next) });
        }
    }
    all.sort_by_key(|(_, stamped)| stamped.at_ns);
    all
}

fn is_stack(stamped: &Stamped) -> bool {
    matches!(stamped.event, Event::Stack(_))
}

fn write_trace_dat(path: &Path, pages: &[u8]) -> std::io::Result<()> {
    let head = Head { header_page: text("header_page"), formats: formats(), clock: "mono".into(), ..Head::default() };
    trace_dat::write(&mut std::fs::File::create(path)?, &head, PAGE_BYTES, vec![Some((pages.len() as u64, pages))])
}

fn show_page() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let (recording, page) = (folder.path().join("trace.dat"), folder.path().join("page.html"));
    let head = Head { header_page: text("header_page"), formats: formats(), clock: "mono".into(), ..Head::default() };
    let mut out = std::io::BufWriter::with_capacity(1 << 20, std::fs::File::create(&recording)?);
    trace_dat::write(&mut out, &head, PAGE_BYTES, vec![Some((Repeated::LENGTH, Repeated::new()))])?;
    drop(out);
    let begun = Instant::now();
    let mut tool = Command::new(env!("CARGO_BIN_EXE_backwall"));
    let status = tool.args(["trace", "report", "--quiet", "--page"]).arg(&page).arg(&recording).status()?;
    let seconds = begun.elapsed().as_secs_f64();
    assert!(status.success(), "the tool ended with {status}");
    let met = if seconds <= PAGE_GOAL_S { "yes" } else { "no" };
    let (bytes, events) = (std::fs::metadata(&page)?.len(), Repeated::COPIES * EVENTS as u64);
    println!(
        "track page of a GiB\t{seconds:.1}\ts\t<= {PAGE_GOAL_S:.0}\t{met}\t-\t-\twhole command, wall time, from {events} events of \
         one processor to the account and a page of {bytes} bytes; once"
    );
    Ok(())
}

// Repeats the recorded sub-buffers until they are a gibibyte, while they are read.
struct Repeated {
    pages: Vec<(Vec<u8>, Vec<usize>)>,
    copy: u64,
    piece: Vec<u8>,
    at: usize,
}

impl Repeated {
    const COPIES: u64 = (1 << 30) / (3 * PAGE_BYTES as u64);
    const LENGTH: u64 = Self::COPIES * 3 * PAGE_BYTES as u64;

    fn new() -> Self {
        let layout = PageLayout::parse(&text("header_page")).expect("a good file");
        let start = format("hrtimer_start").expect("a good file");
        let expiry = start.place("softexpires").expect("its field");
        let recorded = std::fs::read(format!("{FOLDER}cpu0.pages")).expect("a file of the tests");
        let times = |page: &[u8]| -> Vec<usize> {
            expiries(page, &layout, start.id, expiry, None).into_iter().chain([0]).collect()
        };
        let pages = recorded.chunks(PAGE_BYTES).map(|page| (page.to_vec(), times(page))).collect();
        Self { pages, copy: 0, piece: Vec::new(), at: 0 }
    }

    fn refill(&mut self) {
        self.piece.clear();
        for (page, times) in &self.pages {
            let begin = self.piece.len();
            self.piece.extend(page);
            times.iter().for_each(|at| later(&mut self.piece[begin + at..], self.copy * SPAN_NS));
        }
        (self.copy, self.at) = (self.copy + 1, 0);
    }
}

impl Read for Repeated {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.piece.len() {
            if self.copy == Self::COPIES {
                return Ok(0);
            }
            self.refill();
        }
        let length = into.len().min(self.piece.len() - self.at);
        into[..length].copy_from_slice(&self.piece[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

fn later(field: &mut [u8], by_ns: u64) {
    let time = u64::from_le_bytes(field[..8].try_into().expect("8 bytes")) + by_ns;
    field[..8].copy_from_slice(&time.to_le_bytes());
}

fn tracked(path: &Path) -> u64 {
    let question = Question { above_ns: 100_000, whose: Whose::All, timers: true, marks: true, to_end: false };
    let mut analysis = Analysis::new(Lates::new(question));
    OpenRecording::of(std::fs::File::open(path).unwrap()).expect("the file").play(&mut analysis).expect("a good file");
    analysis.finish().1.late
}

fn formats() -> Vec<(String, String)> {
    let known = all_sources().into_iter().filter_map(|source| {
        let (folder, event) = source.path.split_once('/')?;
        Some((folder.to_string(), std::fs::read_to_string(format!("{FOLDER}{event}.format")).ok()?))
    });
    known.collect()
}

fn all_sources() -> Vec<Source> {
    sources(["local_timer_entry", "local_timer_exit"].map(str::to_string))
}

// Processor time of this thread, which others on the machine do not lengthen much.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn best<T>(work: impl Fn() -> T) -> (f64, T) {
    let mut result = None;
    let tries = (0..REPEATS).map(|_| {
        let start = seconds();
        result = Some(black_box(work()));
        seconds() - start
    });
    let seconds = tries.fold(f64::INFINITY, f64::min);
    ((EVENTS * COPIES) as f64 / seconds / 1e6, result.expect("at least one try"))
}

fn show(name: &str, rate: f64, what: &str) {
    let met = if rate >= GOAL { "yes" } else { "no" };
    println!(
        "{name}\t{rate:.1}\tmillion events/s\t{GOAL:.0}\t{met}\t-\t-\t{what}; {} MB of recorded sub-buffers repeated in \
         memory, processor time of one thread, best of {REPEATS}",
        COPIES * 3 * PAGE_BYTES / 1_000_000
    );
}

fn text(name: &str) -> String {
    std::fs::read_to_string(format!("{FOLDER}{name}")).expect("a file of the tests")
}

fn format(event: &str) -> Option<EventFormat> {
    let text = std::fs::read_to_string(format!("{FOLDER}{event}.format")).ok()?;
    EventFormat::parse(&text).ok()
}

// Offsets in the page of each `hrtimer_start`'s expiry, of one thread or all.
fn expiries(page: &[u8], layout: &PageLayout, start: u16, expiry: Place, of: Option<i32>) -> Vec<usize> {
    let records = Page::new(page, layout).expect("a good page").records().flatten();
    let starts = records.filter(|record| record.data[..2] == start.to_le_bytes());
    let starts = starts.filter(|record| of.is_none_or(|thread| record.data[4..8] == thread.to_le_bytes()));
    starts.map(|record| record.data.as_ptr() as usize - page.as_ptr() as usize + expiry.offset).collect()
}

// The recording again and again, each copy later by a span.
fn copies(layout: &PageLayout, start: u16, expiry: Place) -> Vec<u8> {
    let recorded = std::fs::read(format!("{FOLDER}cpu0.pages")).expect("a file of the tests");
    let mut all = Vec::with_capacity(recorded.len() * COPIES);
    for copy in 0..COPIES as u64 {
        for page in recorded.chunks(PAGE_BYTES) {
            let begin = all.len();
            all.extend(page);
            for at in expiries(page, layout, start, expiry, None).into_iter().chain([0]) {
                later(&mut all[begin + at..], copy * SPAN_NS);
            }
        }
    }
    all
}

fn samples(pages: &[u8], layout: &PageLayout, start: u16, expiry: Place) -> Vec<Sample> {
    let stimuli = pages.chunks(PAGE_BYTES).flat_map(|page| {
        let places = expiries(page, layout, start, expiry, Some(THREAD));
        places.into_iter().map(|at| u64::from_le_bytes(page[at..at + 8].try_into().expect("8 bytes")))
    });
    let mut stimuli: Vec<u64> = stimuli.collect();
    stimuli.sort_unstable();
    let sample = |(seq, stimulus_ns)| Sample { seq, stimulus_ns, response_ns: stimulus_ns + 50_000 };
    (0..).zip(stimuli).map(sample).collect()
}

fn walk(pages: &[u8], layout: &PageLayout) -> u64 {
    let pages = pages.chunks(PAGE_BYTES).map(|bytes| Page::new(bytes, layout).expect("a good page"));
    pages
        .flat_map(|page| page.records())
        .flatten()
        .map(|record| record.at_ns ^ record.data[0] as u64)
        .fold(0, |a, b| a ^ b)
}

fn digest(pages: &[u8], samples: &[Sample], layout: PageLayout) -> u64 {
    let known: Vec<_> = all_sources()
        .into_iter()
        .filter_map(|source| {
            let format = format(source.path.split('/').next_back()?)?;
            Some((source, format))
        })
        .collect();
    let decoder = Decoder::new(known.iter().map(|(source, format)| (source, format.clone()))).expect("good formats");
    let mut digest = Digest::new(decoder, layout, TraceConfig::default());
    digest.watch(THREAD);
    samples.iter().for_each(|sample| digest.sample(*sample));
    pages.chunks(PAGE_BYTES).for_each(|page| digest.page(page));
    digest.finish(0, None).joined.matched
}
