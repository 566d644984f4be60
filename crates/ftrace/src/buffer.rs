// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events of some CPUs, enabled in a trace instance of backwall's own, and the rings that contain them.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files")]
use super::TraceError;
use crate::instance::Instance;
use crate::toggle::Switch;
use crate::{functions, mentioned, stacks};
use backwall_trace::event::{Besides, CALLS, Filter, Source, calls, marks, new_threads, packets, sources};
use backwall_trace::ring::decoder::Decoder;
use backwall_trace::ring::page::PageLayout;
use backwall_trace::ring::statistics;
use rustix::fs::OFlags;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

const RINGS_KIB: u32 = 8_192;
const RING_KIB_MIN: u32 = 1_024;
/// At most this much of the kernel's memory for all rings together; and the least that a single ring needs.
pub const RINGS_MIB_MAX: u32 = 256;
const RINGS_KIB_MAX: u32 = RINGS_MIB_MAX << 10;
const RING_KIB_LEAST: u32 = 64;
/// Programs write their marks into the main buffer. With this option, the kernel copies them into the instance.
const COPY_MARKS: &str = "options/copy_trace_marker";

/// The kernel's descriptions of its records, which do not change while a buffer exists.
#[derive(Clone, Debug)]
pub(super) struct Texts {
    pub(super) header_page: String,
    pub(super) formats: Vec<(String, String)>,
    pub(super) clock: String,
}

#[derive(Debug)]
pub(super) struct Buffer {
    instance: Instance,
    sources: Vec<Source>,
    decoder: Decoder,
    stacks: Option<Switch>,
}

impl Buffer {
    /// Enables those events of this kernel that are `wanted`; [`Buffer::record`] then starts the recording.
    pub(super) fn new(cpus: &[u32], wanted: impl Fn(&Source) -> bool) -> Result<Self, TraceError> {
        Self::with_packets(cpus, wanted, false, None)
    }

    /// Like [`Self::new`]. `has_packets` adds the packets of network devices; `all_mib` is the size of all rings together.
    pub(super) fn with_packets(
        cpus: &[u32],
        wanted: impl Fn(&Source) -> bool,
        has_packets: bool,
        all_mib: Option<u32>,
    ) -> Result<Self, TraceError> {
        let instance = Instance::create()?;
        let packets = packets().into_iter().filter(|_| has_packets);
        let all = sources(vectors(&instance)).into_iter().filter(wanted).chain(packets).collect();
        let rings_kib = all_mib.map_or(RINGS_KIB, |mib| mib.saturating_mul(1_024));
        let wanted_kib = (rings_kib / cpus.len().max(1) as u32).max(RING_KIB_MIN);
        Self::set_up(instance, all, cpus, ring_kib(wanted_kib, cpus.len()))
    }

    pub(super) fn small(cpus: &[u32], kib: u32, wanted: impl Fn(&Source) -> bool) -> Result<Self, TraceError> {
        let instance = Instance::create()?;
        let all = sources([]).into_iter().filter(wanted).collect();
        Self::set_up(instance, all, cpus, ring_kib(kib, cpus.len()))
    }

    /// Enables every event that shows who had a CPU and why, and the events of `besides`, with a ring of `wanted_kib` per CPU.
    /// With many CPUs the rings are smaller.
    pub(super) fn of_all(cpus: &[u32], wanted_kib: u32, besides: Besides) -> Result<Self, TraceError> {
        let instance = Instance::create()?;
        let wanted = |source: &Source| match source {
            source if source.is_of_locks() => besides.locks,
            source if source.is_of_faults() => besides.faults,
            source => !source.slows_system_calls(),
        };
        let usual = sources(vectors(&instance)).into_iter().filter(wanted);
        let packets = packets().into_iter().filter(|_| besides.packets);
        let wanted: Vec<&str> =
            (0..CALLS.len()).filter(|bit| besides.calls >> bit & 1 == 1).map(|bit| CALLS[bit]).collect();
        let marks = besides.marks.then(marks);
        let all = usual.chain([new_threads()]).chain(packets).chain(marks).chain(calls(&wanted)).collect();
        let buffer = Self::set_up(instance, all, cpus, ring_kib(wanted_kib, cpus.len()))?;
        besides.of.map(|prefix| buffer.follow_named(prefix, Source::is_of_faults)).transpose()?;
        Ok(buffer)
    }

    fn set_up(instance: Instance, all: Vec<Source>, cpus: &[u32], ring_kib: u32) -> Result<Self, TraceError> {
        let (sources, decoder) = available(&instance, all)?;
        let mut buffer = Self { instance, sources, decoder, stacks: None };
        if buffer.has_marks() && !buffer.instance.has(COPY_MARKS) {
            return Err(TraceError::NoMarks);
        }
        buffer.record(false)?;
        buffer.instance.write("trace_clock", "mono")?;
        // Switches name the threads, so the kernel need not keep a table of names at every wakeup and switch.
        if buffer.instance.has("options/record-cmd") {
            buffer.instance.write("options/record-cmd", "0")?;
        }
        buffer.instance.write("tracing_cpumask", &mask_of(cpus))?;
        // The other CPUs record nothing and need no memory.
        buffer.instance.write("buffer_size_kb", "4")?;
        for cpu in cpus {
            buffer.instance.write(&format!("per_cpu/cpu{cpu}/buffer_size_kb"), &ring_kib.to_string())?;
        }
        if buffer.sources.iter().any(Source::is_of_stacks) {
            buffer.stacks = stacks::switch_on(&buffer.instance);
        }
        buffer.decoder.name_functions_by(functions::of_this_kernel());
        for source in &buffer.sources {
            if let Some(only) = source.only() {
                buffer.instance.write(&format!("events/{}/filter", source.path), only)?;
            }
        }
        let on = |source: &Source| buffer.instance.write(&format!("events/{}/enable", source.path), "1");
        buffer.sources.iter().filter(|source| !source.is_always_on()).try_for_each(on)?;
        Ok(buffer)
    }

    pub(super) fn follow(&self, threads: &[i32]) -> Result<(), TraceError> {
        self.follow_only(threads, |_| true)
    }

    pub(super) fn follow_only(&self, threads: &[i32], of: impl Fn(&Source) -> bool) -> Result<(), TraceError> {
        for source in self.sources.iter().filter(|source| of(source)) {
            let field = match source.filter {
                Filter::None => continue,
                Filter::By => "common_pid",
                Filter::About => "pid",
            };
            self.instance.write(&format!("events/{}/filter", source.path), &one_of(field, threads))?;
        }
        Ok(())
    }

    /// Filters these events by the beginning of a thread's name: the thread that an event names, or else the one that caused
    /// it.
    pub(super) fn follow_named(&self, prefix: &str, of: impl Fn(&Source) -> bool) -> Result<(), TraceError> {
        let only = format!("comm ~ \"{prefix}*\"");
        let sources = self.sources.iter().filter(|source| source.filter != Filter::None && of(source));
        sources
            .map(|source| format!("events/{}/filter", source.path))
            .try_for_each(|file| self.instance.write(&file, &only))
    }

    pub(super) fn frequencies_of(&self, cpus: &[u32]) -> Result<(), TraceError> {
        let numbers: Vec<i32> = cpus.iter().map(|cpu| *cpu as i32).collect();
        let sources = self.sources.iter().filter(|source| source.is_of_frequency());
        sources
            .map(|source| format!("events/{}/filter", source.path))
            .try_for_each(|file| self.instance.write(&file, &one_of("cpu_id", &numbers)))
    }

    pub(super) fn record(&self, on: bool) -> Result<(), TraceError> {
        // While an instance that copies marks is off, the kernel refuses the mark that a program writes.
        let marks =
            || if self.has_marks() { self.instance.write(COPY_MARKS, if on { "1" } else { "0" }) } else { Ok(()) };
        if !on {
            marks()?;
        }
        self.instance.write("tracing_on", if on { "1" } else { "0" })?;
        if on { marks() } else { Ok(()) }
    }

    fn has_marks(&self) -> bool {
        self.sources.iter().any(Source::is_of_marks)
    }

    /// The files that switch the buffer's events on and off. A trigger has such a file too, because it writes stacks even if
    /// its event is off.
    pub(super) fn switches(&self) -> Vec<Switch> {
        let enable = |source: &Source| self.instance.path(&format!("events/{}/enable", source.path));
        let events = self.sources.iter().filter(|source| !source.is_always_on());
        events.map(|source| Switch::of_event(enable(source))).chain(self.stacks.clone()).collect()
    }

    /// The kernel's functions that stacks in these files mention; empty if no stacks are recorded.
    pub(super) fn functions<'a>(
        &self,
        files: impl Iterator<Item = (&'a mut File, &'a PageLayout)>,
    ) -> Result<String, TraceError> {
        let mut addresses = BTreeSet::new();
        if self.stacks.is_some() {
            for (file, layout) in files {
                let cut = |error: std::io::Error| TraceError::Cut { reason: error.to_string() };
                mentioned::add(file, layout, &self.decoder, &mut addresses).map_err(cut)?;
            }
        }
        Ok(functions::of_this_kernel().listed(&addresses))
    }

    pub(super) fn decoder(&self) -> Decoder {
        self.decoder.clone()
    }

    pub(super) fn texts(&self) -> Result<Texts, TraceError> {
        let one = |source: &Source| {
            let system = source.path.split('/').next().unwrap_or_default().to_string();
            Ok((system, self.instance.read(&format!("events/{}/format", source.path))?))
        };
        Ok(Texts {
            header_page: self.instance.read("events/header_page")?,
            formats: self.sources.iter().map(one).collect::<Result<_, TraceError>>()?,
            clock: self.instance.read("trace_clock")?,
        })
    }

    pub(super) fn layout(&self) -> Result<PageLayout, TraceError> {
        self.instance.page_layout()
    }

    pub(super) fn ring(&self, cpu: u32) -> Result<Ring, TraceError> {
        let folder = format!("per_cpu/cpu{cpu}");
        let path = self.instance.path(&format!("{folder}/trace_pipe_raw"));
        let opened = File::options().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(&path);
        let pages = opened.map_err(|source| TraceError::File { action: "read", path, source })?;
        let layout = self.instance.page_layout()?;
        let statistics = self.instance.path(&format!("{folder}/stats"));
        Ok(Ring { pages, statistics, layout, page: vec![0; layout.bytes()] })
    }
}

fn ring_kib(wanted: u32, cpus: usize) -> u32 {
    wanted.min(RINGS_KIB_MAX / cpus.max(1) as u32).max(RING_KIB_LEAST)
}

fn vectors(instance: &Instance) -> Vec<String> {
    let vectors = std::fs::read_dir(instance.path("events/irq_vectors")).into_iter().flatten().flatten();
    vectors.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

fn available(instance: &Instance, all: Vec<Source>) -> Result<(Vec<Source>, Decoder), TraceError> {
    let mut found = Vec::new();
    for source in all {
        match instance.format(&source.path) {
            Ok(format) => found.push((source, format)),
            Err(TraceError::NoEvent { .. }) if !source.needed => {}
            Err(error) => return Err(error),
        }
    }
    let wrong = |source| TraceError::Format { event: "an event".into(), source };
    let decoder = Decoder::new(found.iter().map(|(source, format)| (source, format.clone()))).map_err(wrong)?;
    Ok((found.into_iter().map(|(source, _)| source).collect(), decoder))
}

/// A filter in the kernel's form: `pid == 7 || pid == 9`.
fn one_of(field: &str, threads: &[i32]) -> String {
    let each: Vec<String> = threads.iter().map(|thread| format!("{field} == {thread}")).collect();
    each.join(" || ")
}

/// A bit mask of CPUs in the kernel's form: groups of 32, the highest first.
fn mask_of(cpus: &[u32]) -> String {
    let highest = cpus.iter().max().map_or(0, |cpu| cpu / 32);
    let group =
        |group: u32| cpus.iter().filter(|cpu| **cpu / 32 == group).fold(0u32, |mask, cpu| mask | 1 << (cpu % 32));
    let words: Vec<String> = (0..=highest).rev().map(|at| format!("{:08x}", group(at))).collect();
    words.join(",")
}

#[derive(Debug)]
pub(super) struct Ring {
    pages: File,
    statistics: PathBuf,
    pub(super) layout: PageLayout,
    page: Vec<u8>,
}

impl Ring {
    /// The next page, or the part of it that is there; `None` if the ring is empty.
    pub(super) fn read(&mut self) -> Result<Option<&[u8]>, TraceError> {
        loop {
            match self.pages.read(&mut self.page) {
                Ok(0) => return Ok(None),
                Ok(length) => return Ok(Some(&self.page[..length])),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(TraceError::Cut { reason: error.to_string() }),
            }
        }
    }

    pub(super) fn refused(&self) -> u64 {
        self.counted(&["commit overrun", "dropped events"])
    }

    /// Number of events that the ring refused or overwrote unread since it was created.
    pub(super) fn lost(&self) -> u64 {
        self.counted(&statistics::LOST)
    }

    pub(super) fn statistics(&self) -> String {
        std::fs::read_to_string(&self.statistics).unwrap_or_default()
    }

    pub(super) fn pages(&self) -> &File {
        &self.pages
    }

    fn counted(&self, names: &[&str]) -> u64 {
        statistics::sum_in(&self.statistics(), names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_is_one_bit_of_the_mask() {
        assert_eq!(mask_of(&[0]), "00000001");
        assert_eq!(mask_of(&[5, 0, 3]), "00000029");
        assert_eq!(mask_of(&[33]), "00000002,00000000");
        assert_eq!(mask_of(&[95, 1]), "80000000,00000000,00000002");
    }

    #[test]
    fn the_rings_of_however_many_processors_take_a_quarter_of_a_gibibyte_at_most() {
        assert_eq!(
            [1, 2, 32, 33, 256, 4_096].map(|cpus| ring_kib(8_192, cpus)),
            [8_192, 8_192, 8_192, 7_943, 1_024, 64]
        );
        for cpus in 1..=4_096 {
            assert!(ring_kib(8_192, cpus) as usize * cpus <= 256 << 10, "{cpus}");
        }
    }

    #[test]
    fn several_threads_are_one_filter() {
        assert_eq!(one_of("pid", &[7]), "pid == 7");
        assert_eq!(one_of("common_pid", &[7, 9]), "common_pid == 7 || common_pid == 9");
    }
}
