// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records what the kernel does on every CPU, to files.
//!
//! A thread moves the contents of the rings to a file for each CPU. It sleeps in between, so that the rings fill up and whole
//! sub-buffers can be moved. Under load it sleeps less.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::TraceError;
use crate::buffer::{Buffer, Ring, Texts};
use crate::elsewhere::{self, Elsewhere, Listening, Others};
use crate::quotas::Quotas;
use crate::released::{Released, set_aside};
use crate::spool::Spool;
use backwall_model::Warning;
use backwall_os::{smi, threads};
use backwall_trace::event::Besides;
use backwall_trace::write::trace_dat::Head;
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Size of a ring with few CPUs: a second of 170,000 events.
const RING_KIB: u32 = 8_192;
const LOOK_EVERY: Duration = Duration::from_millis(100);
const MUCH_BYTES: u64 = 1 << 20;
const SOON: Duration = Duration::from_millis(10);

type Files = Vec<(u32, File, Ring)>;
type Spools = Vec<(u32, Spool)>;
/// The spools, the events of other CPUs, and why their reader ended early, if it did.
type Read = (Spools, Others, Result<(), TraceError>);

/// The thread that moves the contents of the rings; dropping this waits for its end.
#[derive(Debug)]
struct Reader {
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<Read>>,
}

/// An active recording. Rust drops the fields in this order, so that the reader ends before the buffer that it reads.
#[derive(Debug)]
pub struct Tracker {
    reader: Reader,
    names: Names,
    /// System management interrupts of each CPU before the recording; `None` if unreadable.
    smi: Option<Vec<u64>>,
    quotas: Quotas,
    aside: File,
    /// The recording of other CPUs' events, if requested, or why there is none.
    elsewhere: Result<Option<Elsewhere>, TraceError>,
    buffer: Buffer,
}

pub struct FinishedRecording {
    pub head: Head,
    pub page_bytes: usize,
    /// The sub-buffers of each CPU, by CPU number; `None` for a CPU that was not recorded.
    pub cpus: Vec<Option<Released>>,
    pub others: Others,
    pub warnings: Vec<Warning>,
    /// Why the recording ended early, if it did; the events until then are kept.
    pub failure: Option<TraceError>,
}

impl Tracker {
    /// Begins to record these CPUs, with the events of `besides`, up to `most_bytes` if given; `file` creates empty files.
    pub fn start(
        cpus: &[u32],
        besides: Besides,
        most_bytes: Option<u64>,
        file: impl Fn() -> std::io::Result<File>,
    ) -> Result<Self, TraceError> {
        let aside = file().map_err(cut)?;
        set_aside(&aside).map_err(cut)?;
        let buffer = Buffer::of_all(cpus, RING_KIB, besides)?;
        let spool = |cpu: &u32| {
            let spool = Spool::new(buffer.ring(*cpu)?, file().map_err(cut)?).map_err(cut)?;
            Ok((*cpu, spool))
        };
        let spools = cpus.iter().map(spool).collect::<Result<Vec<_>, TraceError>>()?;
        let (elsewhere, others) = match besides.of.map(|prefix| Elsewhere::of_named(cpus, prefix)).transpose() {
            Ok(started) => started.flatten().map_or((Ok(None), None), |(on, others)| (Ok(Some(on)), Some(others))),
            Err(error) => (Err(error), None),
        };
        let reader = Reader::start(spools, others, most_bytes.unwrap_or(u64::MAX)).map_err(cut)?;
        let (names, smi, quotas) = (Names::of_now(), smi::counts(cpus), Quotas::of_now());
        buffer.record(true)?;
        Ok(Self { reader, names, smi, quotas, aside, elsewhere, buffer })
    }

    /// Whether the tracker still records. It stops if the disk is full, for example.
    pub fn lives(&self) -> bool {
        self.reader.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Ends the recording and removes the instance. Returns the recording even if the reader failed.
    pub fn finish(mut self) -> Result<FinishedRecording, TraceError> {
        self.buffer.record(false)?;
        self.names.add(Names::of_now());
        let (spools, others, ended) = self.reader.finish()?;
        let (mut files, failure) = taken(spools, ended)?;
        let statistics = files.iter().map(|(_, _, ring)| ring.statistics()).collect();
        let smi = self.smi_since(&files.iter().map(|(cpu, ..)| *cpu).collect::<Vec<u32>>());
        let functions = self.buffer.functions(files.iter_mut().map(|(_, file, ring)| (file, &ring.layout)))?;
        let page_bytes = files.first().map_or(4_096, |(_, _, ring)| ring.layout.bytes());
        let mut cpus: Vec<Option<Released>> = Vec::new();
        for (cpu, file, _) in files {
            cpus.resize_with(cpus.len().max(cpu as usize + 1), || None);
            cpus[cpu as usize] = Some(Released::new(file).map_err(cut)?);
        }
        let head = self.head(statistics, smi, functions)?;
        drop(self.aside);
        let warnings = self.elsewhere.err().map(elsewhere::untold).into_iter().collect();
        Ok(FinishedRecording { head, page_bytes, cpus, others, warnings, failure })
    }

    /// The number of system management interrupts since the start, of the CPU that had the most.
    fn smi_since(&self, cpus: &[u32]) -> String {
        let counts = self.smi.as_ref().zip(smi::counts(cpus));
        let most = counts.and_then(|(before, after)| {
            before.iter().zip(after).map(|(before, after)| after.saturating_sub(*before)).max()
        });
        most.map_or("not readable".to_string(), |most| most.to_string())
    }

    fn head(&self, statistics: Vec<String>, smi: String, functions: String) -> Result<Head, TraceError> {
        let Texts { header_page, formats, clock } = self.buffer.texts()?;
        Ok(Head {
            smi,
            header_page,
            formats,
            functions,
            names: self.names.named(),
            processes: self.names.processes(),
            clock,
            system: system(),
            quotas: self.quotas.used_up(),
            statistics,
        })
    }
}

impl Reader {
    fn start(mut spools: Spools, mut listening: Option<Listening>, most_bytes: u64) -> std::io::Result<Self> {
        let ends = Arc::new(AtomicBool::new(false));
        let told = ends.clone();
        let reads = move || {
            let mut others = Others::default();
            let mut listen = || {
                let later = listening.as_mut().map(Listening::read).transpose()?;
                later.into_iter().for_each(|later| others.add(later));
                Ok(())
            };
            let ended = read_until(&told, &mut spools, most_bytes, &mut listen);
            (spools, others, ended)
        };
        let thread = std::thread::Builder::new().name(backwall_model::RECORDER_THREAD.into()).spawn(reads)?;
        Ok(Self { ends, thread: Some(thread) })
    }

    /// Ends the thread; returns the spools, the events of other CPUs, and why it had ended early, if it had.
    fn finish(&mut self) -> Result<Read, TraceError> {
        self.ends.store(true, Ordering::Relaxed);
        let thread = self.thread.take().inspect(|thread| thread.thread().unpark());
        thread.and_then(|thread| thread.join().ok()).ok_or_else(|| cut("its reader thread stopped"))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // A panic of the thread was reported before.
        let _ = self.finish();
    }
}

fn read_until(
    ends: &AtomicBool,
    spools: &mut [(u32, Spool)],
    most_bytes: u64,
    listen: &mut dyn FnMut() -> Result<(), TraceError>,
) -> Result<(), TraceError> {
    let mut all = 0;
    while !ends.load(Ordering::Relaxed) {
        let mut most = 0;
        for (_, spool) in spools.iter_mut() {
            let moved = spool.move_whole()?;
            (most, all) = (most.max(moved), all + moved);
        }
        if all > most_bytes {
            return Err(cut(format!("the recording would be larger than its limit of {} MiB", most_bytes >> 20)));
        }
        listen()?;
        std::thread::park_timeout(if most > MUCH_BYTES { SOON } else { LOOK_EVERY });
    }
    listen()?;
    spools.iter_mut().try_for_each(|(_, spool)| spool.drain())
}

fn taken(spools: Spools, ended: Result<(), TraceError>) -> Result<(Files, Option<TraceError>), TraceError> {
    let finished = spools.into_iter().map(|(cpu, spool)| spool.finish().map(|(file, ring)| (cpu, file, ring)));
    Ok((finished.collect::<Result<_, _>>()?, ended.err()))
}

fn cut(error: impl ToString) -> TraceError {
    TraceError::Cut { reason: error.to_string() }
}
#[derive(Debug)]
pub(super) struct Names(BTreeMap<i32, (String, i32)>);

impl Names {
    pub(super) fn of_now() -> Self {
        Self(threads::all().into_iter().map(|thread| (thread.id, (thread.name, thread.process))).collect())
    }

    /// Adds threads that were seen later. If a thread number was used again, the first entry stays.
    fn add(&mut self, later: Self) {
        for (id, thread) in later.0 {
            self.0.entry(id).or_insert(thread);
        }
    }

    pub(super) fn named(&self) -> String {
        self.rows(|(name, _)| name.clone())
    }

    pub(super) fn processes(&self) -> String {
        self.rows(|(_, process)| process.to_string())
    }

    fn rows(&self, what: impl Fn(&(String, i32)) -> String) -> String {
        self.0.iter().map(|(id, thread)| format!("{id} {}\n", what(thread).replace(['\n', '\0'], "?"))).collect()
    }
}

/// `Linux 6.18.44 #1 SMP …`, the output of uname(1).
pub(super) fn system() -> String {
    let said = rustix::system::uname();
    [said.sysname(), said.nodename(), said.release(), said.version(), said.machine()]
        .map(|part| part.to_string_lossy())
        .join(" ")
}
