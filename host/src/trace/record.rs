// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records the kernel's events on the probe's processor while a phase runs.
//!
//! A thread reads whole pages now and then and digests them at once, so that memory
//! stays bounded however long the phase is. It sleeps between reads instead of waiting
//! in the kernel: a waiting reader would be woken by an interrupt on the probe's processor.
use super::TraceError;
use super::digest::{Digest, TraceReport};
use super::event::{Decoder, Filter, Source, sources};
use super::instance::Instance;
use super::page::PageLayout;
use super::stages::Sample;
use crate::affinity::KeptOff;
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Between two reads; the ring holds a second of more than 150,000 events.
const READ_EVERY: Duration = Duration::from_millis(50);
/// The ring of the probe's processor.
const RING_KIB: u32 = 8_192;

/// What to record.
#[derive(Clone, Copy, Debug)]
pub struct TraceConfig {
    /// The processor on which the probe's thread is pinned.
    pub cpu: u32,
    /// How many matched wake-ups to keep one by one, from the first on.
    pub keep: usize,
}

enum Message {
    Watch(i32),
    Sample(Sample),
    Finish,
}

/// A recording that runs.
///
/// The order of the fields is that of their end when a recording is dropped unfinished: the reader ends when it can get
/// no more messages, and only then can the instance be removed.
pub struct Recorder {
    messages: Sender<Message>,
    reader: JoinHandle<Result<TraceReport, TraceError>>,
    sources: Vec<Source>,
    instance: Instance,
}

impl Recorder {
    /// Starts to record; the probe need not exist yet.
    pub fn start(config: TraceConfig) -> Result<Self, TraceError> {
        let instance = Instance::create()?;
        let (sources, decoder) = available(&instance)?;
        set_up(&instance, config.cpu, &sources)?;
        let ring = Ring::open(&instance, config.cpu)?;
        let digest = Digest::new(decoder, ring.layout, config.keep);
        let (messages, inbox) = channel();
        let reader = std::thread::Builder::new().name("backwall-trace".into());
        let cpu = config.cpu;
        let reader = reader.spawn(move || {
            let _kept_off = KeptOff::processor(cpu);
            read_until_finished(ring, digest, &inbox)
        });
        let reader = reader.map_err(|error| TraceError::Cut { reason: error.to_string() })?;
        instance.write("tracing_on", "1")?;
        Ok(Self { messages, reader, sources, instance })
    }

    /// Names the thread to follow, about when its first stimulus is due; what was recorded just before is not lost.
    pub fn watch(&self, thread: i32) -> Result<(), TraceError> {
        for source in &self.sources {
            let field = match source.filter {
                Filter::None => continue,
                Filter::By => "common_pid",
                Filter::About => "pid",
            };
            self.instance.write(&format!("events/{}/filter", source.path), &format!("{field} == {thread}"))?;
        }
        self.send(Message::Watch(thread));
        self.reader.thread().unpark();
        Ok(())
    }

    /// Tells of a response, in order of time. Cheap; may be called from any thread.
    pub fn sample(&self, sample: Sample) {
        self.send(Message::Sample(sample));
    }

    /// Ends the recording and removes the instance.
    pub fn finish(self) -> Result<TraceReport, TraceError> {
        self.instance.write("tracing_on", "0")?;
        self.send(Message::Finish);
        self.reader.thread().unpark();
        let died = |_| Err(TraceError::Cut { reason: "its reader died".into() });
        self.reader.join().unwrap_or_else(died)
    }

    /// A reader that ended early drops its end; `finish` reports why.
    fn send(&self, message: Message) {
        let _ = self.messages.send(message);
    }
}

/// The events of this kernel, and how to decode them.
fn available(instance: &Instance) -> Result<(Vec<Source>, Decoder), TraceError> {
    let vectors = std::fs::read_dir(instance.path("events/irq_vectors")).into_iter().flatten().flatten();
    let names = vectors.filter_map(|entry| entry.file_name().into_string().ok());
    let mut found = Vec::new();
    for source in sources(names) {
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

fn set_up(instance: &Instance, cpu: u32, sources: &[Source]) -> Result<(), TraceError> {
    instance.write("tracing_on", "0")?;
    instance.write("trace_clock", "mono")?;
    instance.write("tracing_cpumask", &mask_of(cpu))?;
    // The other processors record nothing and need no memory.
    instance.write("buffer_size_kb", "4")?;
    instance.write(&format!("per_cpu/cpu{cpu}/buffer_size_kb"), &RING_KIB.to_string())?;
    for source in sources {
        instance.write(&format!("events/{}/enable", source.path), "1")?;
    }
    Ok(())
}

/// One bit in groups of 32, the highest group first, as the kernel reads it.
fn mask_of(cpu: u32) -> String {
    let low = ",00000000".repeat((cpu / 32) as usize);
    format!("{:x}{low}", 1u32 << (cpu % 32))
}

/// One processor's part of the ring, in binary.
struct Ring {
    pages: File,
    statistics: std::path::PathBuf,
    layout: PageLayout,
    page: Vec<u8>,
}

impl Ring {
    fn open(instance: &Instance, cpu: u32) -> Result<Self, TraceError> {
        let path = instance.path(&format!("per_cpu/cpu{cpu}/trace_pipe_raw"));
        let opened = File::options().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(&path);
        let pages = opened.map_err(|source| TraceError::File { action: "read", path, source })?;
        let layout = instance.page_layout()?;
        let statistics = instance.path(&format!("per_cpu/cpu{cpu}/stats"));
        Ok(Self { pages, statistics, layout, page: vec![0; layout.bytes()] })
    }

    /// The next page, or what there is of it; `None` when the ring is empty.
    fn read(&mut self) -> Result<Option<&[u8]>, TraceError> {
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

    /// Events that the ring overwrote or refused since it was made.
    fn lost(&self) -> u64 {
        std::fs::read_to_string(&self.statistics).map_or(0, |text| lost_in(&text))
    }
}

/// The sum of the counters of loss in the text of `stats`.
fn lost_in(statistics: &str) -> u64 {
    let rows = statistics.lines().filter_map(|row| row.split_once(':'));
    let losses = rows.filter(|(name, _)| ["overrun", "commit overrun", "dropped events"].contains(name));
    losses.filter_map(|(_, count)| count.trim().parse::<u64>().ok()).sum()
}

fn read_until_finished(
    mut ring: Ring,
    mut digest: Digest,
    inbox: &Receiver<Message>,
) -> Result<TraceReport, TraceError> {
    let mut lost_before = None;
    loop {
        let finishing = take_messages(inbox, &mut digest);
        if digest.watches() {
            lost_before.get_or_insert_with(|| ring.lost());
        }
        while let Some(page) = ring.read()? {
            digest.page(page);
        }
        if finishing {
            let lost = ring.lost().saturating_sub(lost_before.unwrap_or(0));
            return Ok(digest.finish(lost));
        }
        std::thread::park_timeout(READ_EVERY);
    }
}

/// `true` when the recording is to end.
fn take_messages(inbox: &Receiver<Message>, digest: &mut Digest) -> bool {
    loop {
        match inbox.try_recv() {
            Ok(Message::Watch(thread)) => digest.watch(thread),
            Ok(Message::Sample(sample)) => digest.sample(sample),
            Ok(Message::Finish) | Err(TryRecvError::Disconnected) => return true,
            Err(TryRecvError::Empty) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_is_one_bit_of_the_mask() {
        assert_eq!(mask_of(0), "1");
        assert_eq!(mask_of(5), "20");
        assert_eq!(mask_of(33), "2,00000000");
    }

    #[test]
    fn losses_are_the_sum_of_what_was_overwritten_and_refused() {
        let text = "entries: 5\noverrun: 7\ncommit overrun: 1\nbytes: 99\ndropped events: 2\nread events: 4\n";
        assert_eq!(lost_in(text), 10);
    }
}
