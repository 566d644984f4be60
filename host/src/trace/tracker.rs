// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records what the kernel does on every processor, to files.
//!
//! A thread moves what the rings hold to a file for each processor. It sleeps between, so that the rings fill and whole
//! sub-buffers can be moved; under load it sleeps less.
use super::TraceError;
use super::buffer::{Buffer, Ring};
use super::spool::Spool;
use super::write::trace_dat::Head;
use crate::threads;
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Each processor's ring: a second of 170,000 events.
const RING_KIB: u32 = 8_192;
/// Between two looks at the rings.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// A ring that was filled so far between two looks is looked at again soon.
const MUCH_BYTES: u64 = 1 << 20;
const SOON: Duration = Duration::from_millis(10);

/// Of each processor the file with its sub-buffers, and its ring.
type Files = Vec<(u32, File, Ring)>;

/// Tells the thread to end when it is dropped.
struct Ends(Arc<AtomicBool>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A recording that runs. The order of the fields is that of their end: the reader ends before the buffer that it reads.
pub struct Tracker {
    ends: Ends,
    bytes: Arc<AtomicU64>,
    reader: JoinHandle<Result<Files, TraceError>>,
    names: Names,
    buffer: Buffer,
}

/// A recording that has ended.
pub struct Recorded {
    /// What it takes to read it.
    pub head: Head,
    /// Bytes of a sub-buffer.
    pub page_bytes: usize,
    /// The sub-buffers of each processor, by number; none of one that was not recorded.
    pub cpus: Vec<Option<File>>,
    /// Events that the rings overwrote or refused.
    pub lost: u64,
}

impl Tracker {
    /// Begins to record these processors; `file` gives each an empty file of its own.
    pub fn start(cpus: &[u32], file: impl Fn() -> std::io::Result<File>) -> Result<Self, TraceError> {
        let buffer = Buffer::of_all(cpus, RING_KIB)?;
        let cut = |error: std::io::Error| TraceError::Cut { reason: error.to_string() };
        let spool = |cpu: &u32| {
            let spool = Spool::new(buffer.ring(*cpu)?, file().map_err(cut)?).map_err(cut)?;
            Ok((*cpu, spool))
        };
        let spools = cpus.iter().map(spool).collect::<Result<Vec<_>, TraceError>>()?;
        let (ends, bytes) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (told, moved) = (ends.clone(), bytes.clone());
        let reader = std::thread::Builder::new().name("backwall-trace".into());
        let reader = reader.spawn(move || read_until(&told, &moved, spools));
        let reader = reader.map_err(|error| TraceError::Cut { reason: error.to_string() })?;
        let names = Names::of_now();
        buffer.record(true)?;
        Ok(Self { ends: Ends(ends), bytes, reader, names, buffer })
    }

    /// Bytes recorded so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether it still records; its file system may be full.
    pub fn lives(&self) -> bool {
        !self.reader.is_finished()
    }

    /// Ends the recording and removes the instance.
    pub fn finish(mut self) -> Result<Recorded, TraceError> {
        self.buffer.record(false)?;
        self.names.add(Names::of_now());
        drop(self.ends);
        self.reader.thread().unpark();
        let died = |_| Err(TraceError::Cut { reason: "its reader died".into() });
        let files = self.reader.join().unwrap_or_else(died)?;
        let statistics: Vec<String> = files.iter().map(|(_, _, ring)| ring.statistics()).collect();
        let lost = files.iter().map(|(_, _, ring)| ring.lost()).sum();
        let page_bytes = files.first().map_or(4_096, |(_, _, ring)| ring.layout.bytes());
        let mut cpus: Vec<Option<File>> = Vec::new();
        for (cpu, file, _) in files {
            cpus.resize_with(cpus.len().max(cpu as usize + 1), || None);
            cpus[cpu as usize] = Some(file);
        }
        let head = Head {
            header_page: self.buffer.read("events/header_page")?,
            formats: self.buffer.formats()?,
            names: self.names.rows(|(name, _)| name.clone()),
            processes: self.names.rows(|(_, process)| process.to_string()),
            clock: self.buffer.read("trace_clock")?,
            system: system(),
            statistics,
        };
        Ok(Recorded { head, page_bytes, cpus, lost })
    }
}

fn read_until(ends: &AtomicBool, bytes: &AtomicU64, mut spools: Vec<(u32, Spool)>) -> Result<Files, TraceError> {
    while !ends.load(Ordering::Relaxed) {
        let mut most = 0;
        for (_, spool) in &mut spools {
            let moved = spool.move_whole()?;
            bytes.fetch_add(moved, Ordering::Relaxed);
            most = most.max(moved);
        }
        std::thread::park_timeout(if most > MUCH_BYTES { SOON } else { LOOK_EVERY });
    }
    let finished = spools.into_iter().map(|(cpu, spool)| spool.finish().map(|(file, ring)| (cpu, file, ring)));
    finished.collect()
}

/// Name and process of every thread that was there when somebody looked.
struct Names(BTreeMap<i32, (String, i32)>);

impl Names {
    fn of_now() -> Self {
        Self(threads::all().into_iter().map(|thread| (thread.id, (thread.name, thread.process))).collect())
    }

    /// What was seen first stays where a number was given to another thread.
    fn add(&mut self, later: Self) {
        for (id, thread) in later.0 {
            self.0.entry(id).or_insert(thread);
        }
    }

    fn rows(&self, what: impl Fn(&(String, i32)) -> String) -> String {
        self.0.iter().map(|(id, thread)| format!("{id} {}\n", what(thread).replace(['\n', '\0'], "?"))).collect()
    }
}

/// `Linux 6.18.44 #1 SMP …`, as uname(1) has it.
fn system() -> String {
    let said = rustix::system::uname();
    [said.sysname(), said.nodename(), said.release(), said.version(), said.machine()]
        .map(|part| part.to_string_lossy())
        .join(" ")
}
