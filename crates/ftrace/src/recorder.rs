// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records the kernel's events on the probe's CPU while a phase runs.
//!
//! A thread reads whole pages now and then and processes them at once, so that memory is bounded, however long the phase lasts.
//! Between reads it sleeps instead of waiting in the kernel: an interrupt on the probe's CPU would wake a waiting reader.
#![expect(clippy::disallowed_methods, reason = "reads the clock")]
use super::TraceError;
use crate::buffer::{Buffer, Ring};
use crate::elsewhere::{self, Elsewhere, Listening};
use crate::lately::{Form, Memory};
use crate::request::Answering;
use crate::toggle::Toggle;
use backwall_os::affinity::KeptOff;
use backwall_os::threads;
use backwall_trace::digest::{Digest, TraceConfig, TraceReport};
use backwall_trace::stages::Sample;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const TOLD_EVERY: Duration = Duration::from_secs(1);
const AT_ONCE: usize = 64;
/// Time between two reads; the ring holds a second of more than 150,000 events.
const READ_EVERY: Duration = Duration::from_millis(50);

enum Message {
    Watch(i32),
    Sample(Sample),
    Answering(Box<(Answering, Form)>),
    Finish,
}

/// An active recording.
///
/// If it is dropped unfinished, Rust drops the fields in this order: the reader ends when no more messages can come, and only
/// then can the instance be removed.
pub struct Recorder {
    messages: Sender<Message>,
    reader: JoinHandle<Result<TraceReport, TraceError>>,
    buffer: Buffer,
    elsewhere: Result<Option<Elsewhere>, TraceError>,
}

impl Recorder {
    /// Starts to record; the probe need not exist yet. At most once a second, calls `tell` with the length and cause of a
    /// response longer than all before.
    pub fn start(
        config: TraceConfig,
        tell: impl Fn(u64, &backwall_model::Blame) + Send + 'static,
    ) -> Result<Self, TraceError> {
        let buffer = Buffer::new(&[config.cpu], |source| !source.is_of_locks())?;
        let ring = buffer.ring(config.cpu)?;
        let digest = Digest::new(buffer.decoder(), ring.layout, config);
        let toggle = config.steady.map(|steady| Toggle::new(steady, buffer.switches()));
        let (messages, inbox) = channel();
        let (elsewhere, others) = begun(Elsewhere::start(&[config.cpu]));
        let reader = std::thread::Builder::new().name(backwall_model::RECORDER_THREAD.into());
        let cpu = config.cpu;
        let reader = reader.spawn(move || {
            let _kept_off = KeptOff::processors(&[cpu]);
            let live = Live { tell: Box::new(tell), at: Instant::now(), worst_ns: 0 };
            let (pages, asked) = (Vec::new(), None);
            Reader { ring, others, digest, toggle, live, pages, asked, cpu }.read_until_finished(&inbox)
        });
        let reader = reader.map_err(|error| TraceError::Cut { reason: error.to_string() })?;
        buffer.record(true)?;
        Ok(Self { messages, reader, buffer, elsewhere })
    }

    /// Why this process cannot record on this machine; `None` if it can. Leaves nothing behind.
    pub fn refused(cpu: u32) -> Option<TraceError> {
        Buffer::new(&[cpu], |source| !source.is_of_locks()).err()
    }

    /// Names the thread to follow, at about its first stimulus; keeps earlier events.
    pub fn watch(&self, thread: i32) -> Result<(), TraceError> {
        self.buffer.follow(&[thread])?;
        if let Ok(Some(elsewhere)) = &self.elsewhere {
            elsewhere.follow(&[thread])?;
        }
        self.send(Message::Watch(thread));
        self.reader.thread().unpark();
        Ok(())
    }

    pub fn answering(&self, answering: Answering) -> Result<(), TraceError> {
        let form = Form::of(&self.buffer, self.buffer.layout()?)?;
        self.send(Message::Answering(Box::new((answering, form))));
        Ok(())
    }

    /// Takes a response, in order of time. Fast; any thread may call it.
    pub fn sample(&self, sample: Sample) {
        self.send(Message::Sample(sample));
    }

    pub fn finish(self) -> Result<TraceReport, TraceError> {
        self.buffer.record(false)?;
        self.send(Message::Finish);
        self.reader.thread().unpark();
        let died = |_| Err(TraceError::Cut { reason: "its reader thread stopped".into() });
        let mut report = self.reader.join().unwrap_or_else(died)?;
        report.warnings.extend(self.elsewhere.err().map(elsewhere::untold));
        Ok(report)
    }

    fn send(&self, message: Message) {
        let _ = self.messages.send(message);
    }
}

fn begun(
    started: Result<Option<(Elsewhere, Listening)>, TraceError>,
) -> (Result<Option<Elsewhere>, TraceError>, Option<Listening>) {
    match started {
        Ok(Some((elsewhere, listening))) => (Ok(Some(elsewhere)), Some(listening)),
        Ok(None) => (Ok(None), None),
        Err(error) => (Err(error), None),
    }
}

struct Reader {
    ring: Ring,
    others: Option<Listening>,
    pages: Vec<Vec<u8>>,
    digest: Digest,
    toggle: Option<Toggle>,
    live: Live,
    asked: Option<(Answering, Form, Memory)>,
    cpu: u32,
}

/// Receives the longest latency so far, in nanoseconds, and its cause.
type Telling = Box<dyn Fn(u64, &backwall_model::Blame) + Send>;

struct Live {
    tell: Telling,
    at: Instant,
    worst_ns: u64,
}

impl Live {
    fn look(&mut self, digest: &Digest) {
        if self.at.elapsed() < TOLD_EVERY {
            return;
        }
        self.at = Instant::now();
        let worst = digest.worst_so_far(self.worst_ns);
        worst.into_iter().for_each(|worst| {
            self.worst_ns = worst.sample.latency();
            (self.tell)(self.worst_ns, &worst.blame.told());
        });
    }
}

impl Reader {
    fn read_until_finished(mut self, inbox: &Receiver<Message>) -> Result<TraceReport, TraceError> {
        let mut lost_before = None;
        loop {
            let finishing = self.take_messages(inbox);
            if self.digest.watches() {
                lost_before.get_or_insert_with(|| self.ring.lost());
            }
            while self.read_some()? {
                self.digest_some()?;
            }
            if finishing {
                self.digest.ours(threads::of_this_tool());
                let lost = self.ring.lost().saturating_sub(lost_before.unwrap_or(0));
                return Ok(self.digest.finish(lost, self.toggle.and_then(Toggle::finish)));
            }
            self.live.look(&self.digest);
            self.answer();
            let next = self.toggle.as_mut().and_then(Toggle::turn);
            std::thread::park_timeout(next.map_or(READ_EVERY, |next| next.min(READ_EVERY)));
        }
    }

    /// Takes up to [`AT_ONCE`] pages from the ring; `false` if there were none.
    fn read_some(&mut self) -> Result<bool, TraceError> {
        self.pages.clear();
        while self.pages.len() < AT_ONCE {
            let Some(page) = self.ring.read()? else { break };
            self.pages.push(page.to_vec());
        }
        Ok(!self.pages.is_empty())
    }

    /// Reads the events of other CPUs after the pages, so that the events reach at least as far. The digest takes them before
    /// the pages.
    fn digest_some(&mut self) -> Result<(), TraceError> {
        let others = self.others.as_mut().map(Listening::read).transpose()?.unwrap_or_default();
        others.give(&mut self.digest);
        self.pages.iter().for_each(|page| self.digest.page(page));
        elsewhere::name_unnamed(&mut self.digest);
        if let Some((_, _, memory)) = &mut self.asked {
            self.pages.iter().for_each(|page| memory.add(self.cpu, page, &self.ring.layout));
        }
        Ok(())
    }

    fn answer(&self) {
        if let Some((answering, form, memory)) = self.asked.as_ref().filter(|(answering, ..)| answering.is_asked()) {
            answering.answer(Ok(form.lately(memory, std::iter::once(&self.ring))));
        }
    }

    /// Returns `true` if the recording must end.
    fn take_messages(&mut self, inbox: &Receiver<Message>) -> bool {
        loop {
            match inbox.try_recv() {
                Ok(Message::Watch(thread)) => self.watch(thread),
                Ok(Message::Sample(sample)) => self.sample(sample),
                Ok(Message::Answering(asked)) => self.asked = Some((asked.0, asked.1, Memory::default())),
                Ok(Message::Finish) | Err(TryRecvError::Disconnected) => return true,
                Err(TryRecvError::Empty) => return false,
            }
        }
    }

    fn watch(&mut self, thread: i32) {
        self.digest.watch(thread);
        self.digest.ours(threads::of_this_tool());
        self.toggle.iter_mut().for_each(Toggle::begin);
    }

    /// Keeps responses of the toggled part out of the stages.
    fn sample(&mut self, sample: Sample) {
        if !self.toggle.as_mut().is_some_and(|toggle| toggle.takes(sample)) {
            self.digest.sample(sample);
        }
    }
}
